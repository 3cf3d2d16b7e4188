"""Pins sentences of recaps, so that no rewrite drops them; each pin is a step for undo."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from app.core.errors import UsageError
from app.core.translation import N_, tr
from app.settings.program import ProgramSettings
from app.settings.values import Settings
from app.store.store import Store
from app.story.recap_texts.pinned import Pin, pins_in, stored
from app.work.chats.open_chats import OpenChats
from app.work.edits.memory_commands import BUSY

PINS = ProgramSettings.recap_pins.name


class RecapPins:
    """`path` is that of an open chat, else UsageError, as where another program owns the data."""

    def __init__(
        self,
        store: Store,
        chats: OpenChats,
        settings: Settings,
        is_reading_only: Callable[[], bool],
    ) -> None:
        self._store = store
        self._chats = chats
        self._settings = settings
        self._is_reading_only = is_reading_only

    def of(self, path: Path, subject: str = "") -> tuple[Pin, ...]:
        """What is pinned of a recap, oldest first. subject: as a pin has it."""
        pins = self._pins(path)
        return tuple(pin for pin in pins if pin.subject == subject)

    async def pin(self, path: Path, pin: Pin) -> None:
        """Keep a sentence through every rewrite."""
        label = self._label(
            path,
            pin,
            N_("pin of the sentence “{text}” of the running recap"),
            N_("pin of the sentence “{text}” of the recap of scene {n}"),
        )
        await self._put(path, (*self._others(path, pin), pin), label)

    async def unpin(self, path: Path, pin: Pin) -> None:
        """Let it go like any other."""
        label = self._label(
            path,
            pin,
            N_("unpinned sentence “{text}” of the running recap"),
            N_("unpinned sentence “{text}” of the recap of scene {n}"),
        )
        await self._put(path, self._others(path, pin), label)

    def _label(self, path: Path, pin: Pin, of_running: str, of_scene: str) -> str:
        """What the history names a change of a pin: which sentence, and of which recap."""
        scene = self._chats.required(path).story.scene_ending_at(pin.subject)
        if scene is None:
            return of_running.format(text=pin.text)
        return of_scene.format(text=pin.text, n=scene.number)

    def _pins(self, path: Path) -> tuple[Pin, ...]:
        return pins_in(ProgramSettings(self._chats.required(path).settings()).recap_pins)

    def _others(self, path: Path, pin: Pin) -> tuple[Pin, ...]:
        pins = self._pins(path)
        return tuple(p for p in pins if (p.subject, p.text) != (pin.subject, pin.text))

    async def _put(self, path: Path, pins: tuple[Pin, ...], label: str) -> None:
        if self._is_reading_only():
            raise UsageError(tr(BUSY))
        chat_id, journal = self._chats.required(path).chat_id, self._store.undo
        with self._settings.as_before_on_error(PINS, chat_id=chat_id):
            value = stored(pins)
            key = self._settings.put(PINS, value, chat_id=chat_id)

            def unit() -> None:
                self._store.settings.save(*key, value)

            await self._store.run(lambda: journal.record_if_any(chat_id, label, unit))
