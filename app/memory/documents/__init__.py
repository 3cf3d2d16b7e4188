"""Longer texts made of memories: summary, canon, profiles, continuity, story bible, lorebook."""
