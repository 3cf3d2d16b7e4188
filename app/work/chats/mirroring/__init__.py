"""What is written back into a chat: recaps and scenes, where the user wants that."""
