"""Who writes: recaps, breaks and memories from a model, or the built-in way."""
