"""The settings of what Tavernkeep adds to SillyTavern's page."""

from __future__ import annotations

from app.setting import Section, Setting

PAGE_SETTINGS = (
    Setting(
        "page_badge",
        True,
        "State badge",
        "A small sign beside the input field: connected, working, how much waits.",
        section=Section.PAGE,
    ),
    Setting(
        "page_button",
        True,
        "Scene button",
        "A button on each message that ends a scene there, and a flag where one ends.",
        section=Section.PAGE,
    ),
    Setting(
        "page_marks",
        False,
        "Recaps under messages",
        "Under each message its recap, and whether that counts.",
        section=Section.PAGE,
    ),
    Setting(
        "page_commands",
        True,
        "Slash commands",
        "/tk-scene, /tk-recap, /tk-search, /tk-check, /tk-open and /recap-refresh-memory.",
        section=Section.PAGE,
    ),
)
