"""Which work is queued when, and what the user may do with the work that waits."""
