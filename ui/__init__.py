"""The window: Qt only, no rules of its own."""
