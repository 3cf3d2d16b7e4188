"""What goes into the next prompt: token counts, budgets and slots. Pure."""
