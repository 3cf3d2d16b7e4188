"""What becomes of a memory: decided, verified, merged, weakened, shared, cleared."""
