"""The budgets page: what each slot may take, and what comes of it while one drags."""
