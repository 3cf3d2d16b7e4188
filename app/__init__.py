"""Everything Tavernkeep knows and does, without a window."""
