"""Stored settings that make no sense any more: the default holds, and one sentence says so."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as settings_of
from hypothesis import strategies as st

from app.companion import open_companion
from app.core.errors import UsageError
from app.core.part_health import Light
from app.core.paths import user_folders
from app.settings.values import REGISTRY, Settings, fits
from tests.labelled import WrittenTavern

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
KEYS = st.tuples(
    st.sampled_from(("global", "chat", "nowhere")),
    st.sampled_from(("", "1", "x")),
    st.sampled_from((*sorted(REGISTRY), "of the future")),
)
# As in a row of the database, which somebody else or a fault has written.
BROKEN = (
    '{"',
    "NaN",
    "1e999",
    "null",
    '"many"',
    "-1",
    "true",
    "[" * 5000,
    b"\x00\x01",
    7,
    "9" * 400,
)


@settings_of(max_examples=60)
@given(st.dictionaries(KEYS, JSON, max_size=8))
def test_whatever_was_stored_each_setting_has_a_value_that_it_may_have(
    stored: dict[tuple[str, str, str], Any],
) -> None:
    settings, names = Settings(stored), {name for *_, name in stored} & REGISTRY.keys()
    assert all(fits(name, settings[name]) for name in names)
    assert all(fits(name, settings.in_force(name, chat_id=1).value) for name in names)
    wrong = {
        name
        for (scope, _, name), value in stored.items()
        if name in REGISTRY and not fits(name, value, scope)
    }
    assert bool(settings.problem) == bool(wrong)
    settings.replace_chat(1, {name: value for (*_, name), value in stored.items()})
    assert all(fits(name, settings.in_force(name, chat_id=1).value) for name in names)


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), 10**400, -(10**400), "\ud800", None, [], {}]
)
def test_what_no_file_gives_back_as_it_was_is_refused_everywhere(value: object) -> None:
    for name in REGISTRY:
        with pytest.raises(UsageError):
            Settings().put(name, value)


def test_what_holds_for_all_chats_is_not_taken_from_one() -> None:
    settings = Settings({("chat", "1", "theme"): "dark"})
    assert settings.for_chat(1)["theme"] == "system"
    assert REGISTRY["theme"].label in settings.problem


async def test_a_start_with_broken_rows_says_so_once_and_setting_them_mends_it(
    demo_tavern: WrittenTavern, tmp_path: Path
) -> None:
    folders = user_folders(tmp_path / "own data")
    async with open_companion(folders, tavern=demo_tavern.user_folder, watch=False):
        pass
    ints = [name for name, one in REGISTRY.items() if type(one.default) is int]
    numbers = [name for name in ints if not fits(name, 7)][: len(BROKEN)]  # 7 is broken there, too
    with closing(sqlite3.connect(folders.database)) as connection, connection:
        connection.executemany(
            "INSERT INTO setting (scope, scope_id, name, value) VALUES ('global', '', ?, ?)",
            [*zip(numbers, BROKEN, strict=True), ("of_the_future", "{")],
        )
    async with open_companion(folders, tavern=demo_tavern.user_folder, watch=False) as companion:
        assert {name: companion.settings[name] for name in numbers} == {
            name: REGISTRY[name].default for name in numbers
        }
        assert companion.health.backend.light is Light.BAD
        assert companion.settings.problem in companion.health.backend.sentence
        assert str(len(BROKEN)) in companion.settings.problem
        story = await companion.open_story(demo_tavern.chat)
        assert story.messages
        for name in numbers:
            await companion.put_setting(name, REGISTRY[name].default)
        mended = companion.health.backend
        assert mended.light is Light.OFF
    async with open_companion(folders, tavern=demo_tavern.user_folder, watch=False) as companion:
        assert companion.settings.problem == ""
