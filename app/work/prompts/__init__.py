"""The next prompt of open chats: its slots, its budgets, and what it took before."""
