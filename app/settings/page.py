"""The settings of what Tavernkeep adds to SillyTavern's page."""

from __future__ import annotations

from app.core.translation import N_
from app.settings.groups import Group, settings_of
from app.settings.setting import Section, Setting


class PageSettings(Group):
    """What is added to SillyTavern's page."""

    page_badge = Setting(
        "page_badge",
        True,
        N_("Status badge"),
        N_("A small badge beside the input field: connected, working, how much is waiting."),
        section=Section.PAGE,
    )
    page_button = Setting(
        "page_button",
        True,
        N_("Scene button"),
        N_("A button on each message to end a scene there, and a flag where one ends."),
        section=Section.PAGE,
    )
    page_marks = Setting(
        "page_marks",
        False,
        N_("Recaps under messages"),
        N_("Shows each message's recap below it, and whether it is used in the prompt."),
        section=Section.PAGE,
    )
    page_commands = Setting(
        "page_commands",
        True,
        N_("Slash commands"),
        N_(
            "All commands that start with /tk-, such as /tk-scene and /tk-recap, and "
            "/recap-refresh-memory."
        ),
        section=Section.PAGE,
    )

    @property
    def parts(self) -> dict[str, bool]:
        """Which parts of the page are wanted, by the names that the page has for them."""
        return {
            "badge": self.page_badge,
            "marks": self.page_marks,
            "button": self.page_button,
            "commands": self.page_commands,
        }


PAGE_SETTINGS = settings_of(PageSettings)
