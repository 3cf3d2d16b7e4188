"""Everybody and everything with a name: who is meant, and one spelling for each."""
