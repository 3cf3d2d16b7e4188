"""What each tier is, a module for each: how its lines are read and shown, and what it is called."""
