"""Messages, scenes, recaps and inclusion: pure functions over frozen data."""
