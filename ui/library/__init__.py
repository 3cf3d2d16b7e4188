"""Choosing a chat: the card above the scenes and the list that opens from it."""
