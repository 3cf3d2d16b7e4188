"""What surrounds every page: activity bar, header, status bar, notices, side panes."""
