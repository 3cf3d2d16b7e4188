"""What the user changes; each change is one step that can be taken back by name."""
