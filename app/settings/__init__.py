"""What there is to set: one module for each group of settings, and the values of all of them."""
