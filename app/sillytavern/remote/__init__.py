"""A SillyTavern on another machine: its chats come from its page, and are kept in a copy."""
