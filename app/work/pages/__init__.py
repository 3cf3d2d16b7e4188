"""SillyTavern's pages: what they show, what they ask for, and what they are told."""
