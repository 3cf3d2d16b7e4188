"""What is peculiar to single tiers: threads and how they end, keywords and what they call up."""
