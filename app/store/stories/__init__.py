"""What is kept of a chat's story: messages, scenes, recaps, drafts."""
