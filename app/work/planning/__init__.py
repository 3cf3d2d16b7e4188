"""What a story lacks: story and settings in, operations out. Pure."""
