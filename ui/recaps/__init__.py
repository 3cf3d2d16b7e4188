"""The versions of the running recap."""
