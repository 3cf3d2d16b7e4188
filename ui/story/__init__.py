"""The story page: the chat as a column of scenes, with its strip and its navigator."""
