"""The text of recaps: its form, its length, what is pinned, and how it is made without a model."""
