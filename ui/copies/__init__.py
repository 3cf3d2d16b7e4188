"""Copies of a chat: what there is to go back to, and the alarm when a chat loses messages."""
