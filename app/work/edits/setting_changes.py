"""Changes settings: looks at a value, stores it, and lets the program follow it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.core.paths import places_of
from app.core.translation import N_
from app.llm.backends.specs import parse_spec
from app.settings.models import KIND_MODELS
from app.settings.program import APPEARANCE
from app.settings.setting import Setting
from app.settings.values import REGISTRY, Settings, ValueInForce
from app.sillytavern.data_folders import find_taverns
from app.store.store import Store
from app.work.chats.open_chats import OpenChats
from app.work.edits.prompt_edits import PromptEdits

# Steps of one number follow one another that fast; undo takes them back as one.
TOGETHER_SECONDS = 2.0
# Settings that name a model, or nothing.
OF_MODELS = frozenset({"embeddings", *KIND_MODELS})
LONGEST_NAMED = 40  # characters of a text that names its own change


@dataclass(frozen=True, slots=True)
class _Noted:
    """The last change that was noted. history: of which chat. before: the value it replaced."""

    history: int
    key: tuple[str, str, str]
    label: str
    before: Any
    when: float


class SettingChanges:
    """Settings for all chats, or for one that is open.

    follow: awaited with the name of a setting that became different. clock: seconds.
    """

    def __init__(
        self,
        store: Store,
        settings: Settings,
        chats: OpenChats,
        prompts: PromptEdits,
        follow: Callable[[str], Awaitable[None]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._settings = settings
        self._chats = chats
        self._prompts = prompts
        self._follow = follow
        self._clock = clock
        self._noted: _Noted | None = None

    async def put(
        self, name: str, value: Any, *, path: Path | None = None, noted_in: Path | None = None
    ) -> None:
        """Change a setting, for one chat when `path` is given.

        noted_in: the open chat in whose history this is a step that undo takes back, None for
        none; how the window looks is no step anywhere. Raises UsageError, or NoTavern, for what
        makes no sense; then nothing is changed.
        """
        chat_id = self._chat_id(path)
        await self._check(name, value)
        before = self._before(name, chat_id)
        with self._settings.as_before_on_error(name, chat_id=chat_id):
            key = self._settings.put(name, value, chat_id=chat_id)
            unit = self._unit(lambda: self._store.settings.save(*key, value), key, before, noted_in)
            await self._store.run(unit)
        await self._follow(name)

    async def reset(
        self, name: str, *, path: Path | None = None, noted_in: Path | None = None
    ) -> None:
        """Let a setting's default hold again, or in one chat what holds for all.

        noted_in: as for `put`. Raises UsageError.
        """
        chat_id = self._chat_id(path)
        before = self._before(name, chat_id)
        with self._settings.as_before_on_error(name, chat_id=chat_id):
            key = self._settings.reset(name, chat_id=chat_id)
            unit = self._unit(lambda: self._store.settings.reset(*key), key, before, noted_in)
            await self._store.run(unit)
        await self._follow(name)

    def _before(self, name: str, chat_id: int | None) -> Any:
        known = name in REGISTRY
        return self._settings.in_force(name, chat_id=chat_id).value if known else None

    def _unit(
        self,
        change: Callable[[], None],
        key: tuple[str, str, str],
        before: Any,
        noted_in: Path | None,
    ) -> Callable[[], None]:
        """The change as a unit on the database, noted where it is to be and is one."""
        name, chat_id = key[2], int(key[1]) if key[1] else None
        after = self._settings.in_force(name, chat_id=chat_id).value
        journal = self._store.undo
        if noted_in is None or journal.is_sealed or after == before or name in APPEARANCE:
            return change
        history, now = self._chats.required(noted_in).chat_id, self._clock()
        last = self._noted
        goes_on = (
            last is not None
            and (last.history, last.key) == (history, key)
            and now - last.when < TOGETHER_SECONDS
        )
        first = last.before if last is not None and goes_on else before
        noted = _Noted(history, key, label_of(REGISTRY[name], first, after), first, now)

        def unit() -> None:
            if last is not None and goes_on and journal.label(history) == last.label:
                journal.undo(history)
            journal.record_if_any(history, noted.label, change)

        self._noted = noted
        return unit

    def in_force(self, name: str, *, path: Path | None = None) -> ValueInForce:
        """A setting as it holds for all chats, or for an open one."""
        return self._settings.in_force(name, chat_id=self._chat_id(path))

    def _chat_id(self, path: Path | None) -> int | None:
        return None if path is None else self._chats.required(path).chat_id

    async def _check(self, name: str, value: Any) -> None:
        """What a setting's own range does not tell."""
        if name == "backend" or (value and name in OF_MODELS):
            parse_spec(str(value))
        if name == "prompt_preset":
            await self._prompts.check(str(value))
        if name == "tavern" and value:
            known = places_of(str(self.in_force(name).value))  # one may be on a drive that is away
            for place in places_of(str(value)):
                if place not in known:
                    await asyncio.to_thread(find_taverns, place)


def label_of(setting: Setting[Any], before: Any, after: Any) -> str:
    """Name of a change for undo, in English: "setting Theme: as the system → dark"."""
    label = setting.label_text.format(**dict(setting.fields))
    if isinstance(after, bool):
        switched = N_("setting {label}: on") if after else N_("setting {label}: off")
        return switched.format(label=label)
    if isinstance(after, str) and not setting.choices:
        is_short = 0 < len(after) <= LONGEST_NAMED and "\n" not in after
        written = N_("setting {label}: “{text}”") if is_short else N_("setting {label}: new text")
        return written.format(label=label, text=after)
    return N_("setting {label}: {before} → {after}").format(
        label=label, before=_word(setting, before), after=_word(setting, after)
    )


def _word(setting: Setting[Any], value: Any) -> str:
    """What a value is called, in English."""
    if value in setting.choices and setting.choice_words:
        return setting.choice_words[setting.choices.index(value)]
    if setting.minimum_word and value == setting.minimum:
        return setting.minimum_word
    if isinstance(value, float):
        return f"{value:g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
