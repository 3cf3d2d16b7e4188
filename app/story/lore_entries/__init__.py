"""What a story says of its world for good."""
