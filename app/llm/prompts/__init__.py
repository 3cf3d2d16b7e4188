"""The prompt files: ours, the user's, their drafts, presets and history."""
