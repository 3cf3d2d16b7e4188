"""Sources of generated text and of vectors: servers, SillyTavern's page, and this process."""
