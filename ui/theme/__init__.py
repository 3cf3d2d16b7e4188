"""The visual language in Qt: tokens, fonts, icons, palette and style."""
