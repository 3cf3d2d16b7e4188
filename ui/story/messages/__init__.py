"""The messages of a story as a list: rows, their model, how they are drawn and edited in place."""
