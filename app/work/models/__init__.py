"""The model that writes: chosen, tried out, counted."""
