"""Who knows, suspects, believes and hides what, and who says too much."""
