"""What recap and memory extensions keep in SillyTavern's files."""
