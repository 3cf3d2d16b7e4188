"""SillyTavern's formats and wire: the only package that knows them."""
