"""Settings, each with what it does."""
