"""Which version this is, and whether there is a newer one, when the user asks."""
