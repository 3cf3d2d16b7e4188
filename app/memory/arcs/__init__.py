"""Open threads of the plot: how many are in sight, and how those that ended are summed up."""
