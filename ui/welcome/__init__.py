"""What is shown while no chat is open."""
