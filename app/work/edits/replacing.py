"""Puts one wording in place of another in all that was written of a story, as one step."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from msgspec import structs

from app.core.errors import UsageError
from app.core.translation import N_, tr
from app.memory.records import Memory, MemoryChange
from app.settings.program import ProgramSettings
from app.settings.values import Settings
from app.store.store import Store
from app.story.messages import MessageRecap
from app.story.recap_texts.pinned import pins_in, stored
from app.story.recap_texts.replacing import LONGEST, Wording
from app.story.recaps import RunningVersion, SceneRecap, injected_version
from app.views.replacing import ALL_PARTS, Example, Finds, Part
from app.work.chats.open_chat import OpenChat
from app.work.chats.open_chats import OpenChats
from app.work.edits.memory_commands import BUSY

MOST_EXAMPLES = 50
AROUND = 60  # characters of an example beside what was found

PINS = ProgramSettings.recap_pins.name


@dataclass
class _Change:
    """The new texts, by what they are of."""

    messages: dict[str, MessageRecap] = field(default_factory=dict)
    scenes: list[SceneRecap] = field(default_factory=list)
    running: RunningVersion | None = None
    memories: list[Memory] = field(default_factory=list)
    examples: list[Example] = field(default_factory=list)

    @property
    def finds(self) -> Finds:
        counts = {
            Part.MESSAGES: len(self.messages),
            Part.SCENES: len(self.scenes),
            Part.RUNNING: int(self.running is not None),
            Part.MEMORIES: len(self.memories),
        }
        told = {part: count for part, count in counts.items() if count}
        return Finds(told, tuple(self.examples[:MOST_EXAMPLES]))


class Replacing:
    """`path` is that of an open chat, else UsageError, as for a wording that is none.

    Versions of recaps stay; the new wording is in a version behind them. Who made a text is said of
    it as before, and what the running recap holds stays folded in.
    """

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

    def finds(self, path: Path, wording: Wording, parts: Collection[Part] = ALL_PARTS) -> Finds:
        """What `replace` would change."""
        chat = self._chats.required(path)
        return _changed(chat, checked(wording), parts).finds

    async def replace(
        self, path: Path, wording: Wording, parts: Collection[Part] = ALL_PARTS
    ) -> Finds:
        """Put the wording in; gives what was changed. One step for undo."""
        if self._is_reading_only():
            raise UsageError(tr(BUSY))
        chat = self._chats.required(path)
        change = _changed(chat, checked(wording), parts)
        if not change.finds.count:
            return change.finds
        pins = pins_in(ProgramSettings(chat.settings()).recap_pins)
        reworded = stored(replace(pin, text=wording.in_text(pin.text)[0]) for pin in pins)
        label = N_("“{put}” for “{find}”").format(put=wording.put, find=wording.find)
        with self._settings.as_before_on_error(PINS, chat_id=chat.chat_id):
            key = None
            if {Part.RUNNING, Part.SCENES} & set(parts) and reworded != stored(pins):
                key = self._settings.put(PINS, reworded, chat_id=chat.chat_id)

            def unit() -> None:
                self._keep(chat.chat_id, change)
                if key is not None:
                    self._store.settings.save(*key, reworded)

            await self._store.run_undoable(chat.chat_id, label, unit)
        await self._chats.refresh_all_of(chat)
        return change.finds

    def _keep(self, chat_id: int, change: _Change) -> None:
        recaps = self._store.recaps
        if change.messages:
            recaps.save_message_recaps(chat_id, change.messages)
        for recap in change.scenes:
            recaps.add_scene_recap(chat_id, recap)
        if change.running is not None:
            recaps.add_running_version(chat_id, change.running)
        if change.memories:
            self._store.memories.write(MemoryChange(tuple(change.memories)))


def checked(wording: Wording) -> Wording:
    """The wording. Raises UsageError for one that finds nothing, or too much to be meant."""
    if not wording.find.strip():
        raise UsageError(tr("Enter the words to find."))
    if len(wording.find) > LONGEST:
        raise UsageError(tr("The search text is longer than {most} characters.", most=LONGEST))
    return wording


def _changed(chat: OpenChat, wording: Wording, parts: Collection[Part]) -> _Change:
    change, story = _Change(), chat.story

    def note(part: Part, index: int | None, before: str, after: str) -> None:
        if len(change.examples) < MOST_EXAMPLES:
            change.examples.append(_example(part, index, before, after))

    if Part.RUNNING in parts:
        old = injected_version(story.running, story.places)
        text, count = wording.in_text(old.content) if old is not None else ("", 0)
        if old is not None and count:
            change.running = replace(old, content=text, reason="replace", is_retired=False)
            note(Part.RUNNING, None, old.content, text)
    if Part.SCENES in parts:
        for index, recap, reworded in _scenes(chat, wording):
            change.scenes.append(reworded)
            note(Part.SCENES, index, recap.text, reworded.text)
    if Part.MESSAGES in parts:
        for anchor, held in story.message_recaps.items():
            text, count = wording.in_text(held.text)
            if count and anchor in story.places:
                change.messages[anchor] = structs.replace(held, text=text)
                note(Part.MESSAGES, story.places[anchor], held.text, text)
    if Part.MEMORIES in parts:
        for memory in chat.remembered.memories:
            if memory.character and not chat.policy.adds:
                continue  # what its character keeps is only read here
            text, count = wording.in_text(memory.text)
            detail, more = wording.in_text(memory.detail)
            if count or more:
                change.memories.append(replace(memory, text=text, detail=detail))
                note(Part.MEMORIES, None, memory.text, text)
    return change


def _scenes(chat: OpenChat, wording: Wording) -> Iterator[tuple[int, SceneRecap, SceneRecap]]:
    story = chat.story
    for scene in story.scenes:
        recap = story.scene_recap(scene)
        if recap is None:
            continue
        text, count = wording.in_text(recap.text)
        name, named = wording.in_text(recap.name)
        if count or named:
            kept = wording.in_json(recap.stored) if recap.stored else ""
            yield scene.last, recap, replace(recap, text=text, name=name, stored=kept)


def _example(part: Part, index: int | None, before: str, after: str) -> Example:
    """Both texts from some words before where they part."""
    same = next(
        (n for n, (one, other) in enumerate(zip(before, after, strict=False)) if one != other),
        min(len(before), len(after)),
    )
    start = max(0, before.rfind(" ", 0, max(0, same - AROUND // 2)) + 1)
    shown = [" ".join(text[start : start + 2 * AROUND].split()) for text in (before, after)]
    return Example(part, index, *shown)
