"""Two versions side by side, and what is made of both."""
