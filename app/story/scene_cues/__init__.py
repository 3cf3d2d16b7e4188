"""What in a text tells that a scene ends or begins: narration, cues, cohesion, names."""
