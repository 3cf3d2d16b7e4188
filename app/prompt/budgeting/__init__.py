"""How many tokens slots may take."""
