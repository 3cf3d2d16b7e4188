"""Values that whoever shows the program is given. Who makes them imports them from here. Pure."""
