"""A change of a setting is a step of the history, with a name, and undo takes it back."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.core.translation import ENGLISH, language, retold, use
from app.settings.setting import Scope
from app.settings.values import REGISTRY
from app.work.edits.setting_changes import label_of
from tests.labelled import WrittenTavern
from tests.memory_world import opened

CHOICE, BUDGET, SWITCH = "own_connection_beside", "running_recap_budget", "state_ledger_enabled"
CHOSEN = f"setting {REGISTRY[CHOICE].label_text}: It continues → Automatic"


async def test_a_change_of_a_setting_is_taken_back_and_made_again_by_name(
    demo_tavern: WrittenTavern, tmp_path: Path
) -> None:
    async with opened(demo_tavern, tmp_path / "own data") as world:
        chat, companion = demo_tavern.chat, world.companion
        put, edits = companion.put_setting, companion.edits
        await put(CHOICE, "always")
        assert await edits.undo_labels(chat) == ("", "")

        await put(CHOICE, "auto", noted_in=chat)
        assert await edits.undo(chat) == CHOSEN
        assert companion.settings[CHOICE] == "always"
        await edits.redo(chat)
        assert companion.settings[CHOICE] == "auto"

        await put(BUDGET, 700, path=chat, noted_in=chat)
        assert REGISTRY[BUDGET].scope is Scope.CHAT
        await edits.undo(chat)
        assert not companion.setting(BUDGET, path=chat).is_own

        # A hand on the arrow keys is one step, whatever lies between.
        for value in (1010, 1020, 1030):
            await put(BUDGET, value, noted_in=chat)
        assert await edits.undo(chat) == f"setting {REGISTRY[BUDGET].label}: 1,000 → 1,030"
        assert companion.settings[BUDGET] == 1000
        assert (await edits.undo_labels(chat))[0] == CHOSEN

        await put(BUDGET, 300, noted_in=chat)
        await companion.reset_setting(BUDGET, noted_in=chat)
        assert companion.settings[BUDGET] == 1000
        await put(SWITCH, False, noted_in=chat)
        await edits.undo(chat)
        assert companion.settings[SWITCH] is True


async def test_how_the_window_looks_is_no_step_so_that_undo_takes_back_what_came_before(
    demo_tavern: WrittenTavern, tmp_path: Path
) -> None:
    async with opened(demo_tavern, tmp_path / "own data") as world:
        chat, companion = demo_tavern.chat, world.companion
        await companion.put_setting(BUDGET, 700, noted_in=chat)
        looks = (("theme", "dark"), ("contrast", "high"), ("story_text_size", 18.0))
        for name, value in looks:
            await companion.put_setting(name, value, noted_in=chat)
        await companion.reset_setting("contrast", noted_in=chat)
        assert await companion.edits.undo(chat) == f"setting {REGISTRY[BUDGET].label}: 1,000 → 700"
        assert companion.settings["theme"] == "dark"


@pytest.mark.parametrize(
    ("name", "before", "after", "german"),
    [
        ("theme", "system", "dark", "Einstellung „Erscheinungsbild“: Wie das System → Dunkel"),
        ("state_ledger_enabled", True, False, None),
        ("backend", "builtin", "ollama:some-model", None),
    ],
)
def test_a_change_is_told_in_the_language_of_the_window(
    name: str, before: object, after: object, german: str | None
) -> None:
    label, was = label_of(REGISTRY[name], before, after), language()
    try:
        use("de")
        told = retold(label)
        assert told.startswith("Einstellung ")
        assert REGISTRY[name].label in told
        assert german is None or told == german
        use(ENGLISH)
        assert retold(label) == label
    finally:
        use(was)


def test_every_setting_names_its_own_change() -> None:
    for setting in REGISTRY.values():
        label = label_of(setting, setting.default, setting.default)
        assert label.startswith("setting ")
        assert "{" not in label.replace("{{", "")
