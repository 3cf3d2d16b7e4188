"""Chats that are looked after: found, read, followed, guarded, and written back to."""
