"""The exact text of the next prompt's slots."""
