"""Reading a model's answer about a window of the story: lines, tags, claims, entries."""
