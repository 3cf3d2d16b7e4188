"""Which lines are worth their tokens."""
