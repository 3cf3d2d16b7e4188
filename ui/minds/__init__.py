"""The minds page: who knows, suspects, believes and hides what, at any moment of the story."""
