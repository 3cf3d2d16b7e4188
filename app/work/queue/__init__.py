"""The operation queue: what is next, what waits for what, and how each attempt ended."""
