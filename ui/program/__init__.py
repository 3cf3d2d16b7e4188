"""The window as a program: started, filled with pages, shown in the tray, pictured."""
