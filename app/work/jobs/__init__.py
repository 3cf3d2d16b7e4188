"""Operations done: recaps, scene breaks, readings for memory, and the texts made of it."""
