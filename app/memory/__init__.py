"""What the story remembers: records, grammars, verification, ranking, the map. Pure."""
