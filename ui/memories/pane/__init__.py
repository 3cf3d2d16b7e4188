"""What stands beside the list: one memory, one that is added, and what waits to be looked at."""
