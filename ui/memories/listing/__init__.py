"""The memories as a list: model, rows, people and the rail beside."""
