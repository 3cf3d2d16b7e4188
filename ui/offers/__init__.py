"""What the window offers or says by itself, in a notice."""
