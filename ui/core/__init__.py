"""What every page needs: the session, the actions, awaited dialogs."""
