"""The demo story: memories and recaps that come with it."""
