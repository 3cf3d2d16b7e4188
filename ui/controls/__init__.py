"""Small controls that every page is made of."""
