"""What all of the program stands on: errors, signals, tasks, paths and words. Knows no story."""
