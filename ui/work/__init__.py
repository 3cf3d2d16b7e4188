"""The queue: what is being made, what waits, what failed."""
