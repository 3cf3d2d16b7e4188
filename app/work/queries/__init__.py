"""What open chats are asked: searches, memories, who knows what, and exports."""
