"""What has to be done next, and doing it: planner, operations and queue."""
