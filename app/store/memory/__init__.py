"""What is kept of memory: memories, modes, vectors, and what a branch takes of them."""
