"""What people install who clone nothing: one specification, frozen once, packed for each system."""
