"""Finds what of a story a text is about: by its words, and by its meaning. Pure."""
