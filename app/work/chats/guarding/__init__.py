"""Copies of chats, kept while SillyTavern writes, and what a chat lost beside one."""
