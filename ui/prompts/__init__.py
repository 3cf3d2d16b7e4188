"""The prompts as a user sees them: ours and theirs, to write, to compare, to keep by name."""
