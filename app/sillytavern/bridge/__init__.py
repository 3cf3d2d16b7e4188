"""The bridge to SillyTavern's page: its files, its handshake, its frames."""
