"""Words that call a memory up, and what the moment calls up."""
