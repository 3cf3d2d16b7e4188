"""The running recap beside the story, and what the next prompt holds."""
