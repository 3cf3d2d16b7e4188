"""What other programs left in a chat is taken over when it is opened first."""
