"""Which sections of the settings stand under one heading, what a newcomer needs first."""

from __future__ import annotations

from collections.abc import Mapping

from app.core.translation import N_, tr
from app.settings.setting import Section as Topic
from ui.controls.setting_sections import Section
from ui.settings.backend import BackendChoice
from ui.settings.memory_trial import MemoryTrialSection

GROUPS: tuple[tuple[str, tuple[str | Topic, ...]], ...] = (
    (N_("To begin with"), ("tavern", "model", Topic.USE, Topic.MEMORY, "look")),
    (N_("Models in detail"), ("tasks", "trial", "prompts")),
    (
        N_("Scenes and recaps"),
        (Topic.SCENES, Topic.SEARCH, Topic.RUNNING, Topic.MESSAGES, Topic.INCLUSION),
    ),
    (N_("In the prompt"), (Topic.INJECTION, Topic.SLOTS, Topic.BUDGETS)),
    (N_("Program and files"), (Topic.WINDOW, Topic.CHATS, Topic.PAGE, "file", "program")),
)

Part = Section | BackendChoice | MemoryTrialSection


def grouped(topics: Mapping[Topic, Part], **others: Part) -> dict[str, tuple[Part, ...]]:
    """All of these, in the order of the page, under the words of their headings."""

    def part(key: str | Topic) -> Part:
        return others[key] if isinstance(key, str) else topics[key]

    return {tr(heading): tuple(map(part, keys)) for heading, keys in GROUPS}
