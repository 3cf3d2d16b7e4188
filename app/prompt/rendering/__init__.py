"""What each slot might tell: its lines, framed and cut."""
