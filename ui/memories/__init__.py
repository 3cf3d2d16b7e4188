"""The memories page: what is remembered, why, and the means to change it."""
