"""A scene's recap in stages: gather, put in order, leave out what is known, keep new lore.

Source: spec/auto-recap.md §5. Four requests at most, and repairs; a longer scene than the context
is gathered in parts. A stage whose answer is known beforehand asks for nothing.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence

from app.core.errors import AnswerUnusable
from app.core.translation import N_, tr
from app.llm.prompts.prompt_files import Prompts
from app.llm.writers.asking import LIMIT_ROOM, SHORTER, Asker, entries_limit
from app.llm.writers.task import Task, Telling
from app.llm.writers.transcript import newest_lines, parts_of, told
from app.llm.writers.writer import SceneDraft, Staging
from app.llm.writers.written import OnText, Written
from app.story.answers.merging import with_unseen
from app.story.answers.stage_answers import (
    Extracted,
    Organised,
    read_extracted,
    read_filtered,
    read_lore,
    read_organised,
)
from app.story.lore_entries.lore import LoreEntry, related
from app.story.messages import Message, digest
from app.story.recap_texts.recap_length import entries_asked_again, entries_in
from app.story.recap_texts.recap_text import Recap, fitted

ORGANISED_SHARE = 2  # times the recap's length, since what is known still goes out of it
HALF = 0.5  # of a request's room, at most, for what is known


class StagedRecap:
    """Recaps one scene in stages, each answer kept so that a later fault asks for it no more."""

    def __init__(
        self, asker: Asker, prompts: Prompts, staging: Staging, on_text: OnText | None
    ) -> None:
        self._asker = asker
        self._prompts = prompts
        self._staging = staging
        self._left_out = 0  # of what was gathered, for want of room in the context
        first = prompts["scene_extract"]
        self._silent = Task(first, N_("recap"), kept=staging.kept)
        # What is gathered and what is kept as lore is nothing to read meanwhile.
        self._heard = Task(
            first, N_("recap"), on_text=on_text, kept=staging.kept, spent=self._silent.spent
        )

    async def write(
        self, messages: Sequence[Message], *, previous: str, tokens: int
    ) -> Written[SceneDraft]:
        """As RecapWriter.scene_recap. Raises BackendError."""
        if not told(messages):
            raise AnswerUnusable(tr("No recap: the scene contains no text."))

        async def write() -> SceneDraft:
            self._left_out = 0
            extracted = await self._extract(messages)
            organised = await self._organise(extracted, tokens)
            new = await self._filter(organised.recap, previous, tokens)
            lore = await self._new_lore(organised.lore)
            name = organised.name or extracted.name
            return self._draft(name, organised.recap, new, lore, previous)

        draft = await self._asker.within_context(write)
        return self._silent.written(draft, left_out=self._left_out)

    async def _extract(self, messages: Sequence[Message]) -> Extracted:
        prompt, count = self._prompts["scene_extract"], self._asker.count
        room = self._asker.room(prompt, {"messages": ""})
        parts = await asyncio.to_thread(parts_of, messages, room, count)
        share = self._room_to_organise() // len(parts)
        name, items = "", list[str]()
        for part in parts:
            told_of: Telling[Extracted] = Telling(part, lambda found: "\n".join(found.items))
            inputs = {"messages": part}
            found = await self._asker.ask(self._silent, prompt, inputs, read_extracted, told_of)
            name = name or found.name
            kept = _first_within(found.items, share, self._asker)
            self._left_out += len(found.items) - len(kept)
            items += kept
        return Extracted(name, tuple(items))

    def _room_to_organise(self) -> int:
        empty = {"name": "", "extracted": "", "tokens": "9999"}
        return self._asker.room(self._prompts["scene_organise"], empty) - LIMIT_ROOM

    async def _organise(self, extracted: Extracted, tokens: int) -> Organised:
        longest = tokens * ORGANISED_SHARE
        inputs = {
            "name": extracted.name or "(no name)",
            "extracted": "\n".join(f"- {item}" for item in extracted.items),
            "tokens": str(longest),
        }
        prompt = self._prompts["scene_organise"]
        told_of: Telling[Organised] = Telling(
            inputs["extracted"], lambda found: found.recap.render()
        )
        limit = entries_limit(prompt, longest)
        return await self._asker.ask(
            self._heard, prompt, inputs, read_organised, told_of, more=limit
        )

    async def _filter(self, recap: Recap, previous: str, tokens: int) -> Recap:
        """What of the recap is new; all of it where nothing is known."""
        if not previous.strip():
            return recap
        prompt, count = self._prompts["scene_filter"], self._asker.count
        inputs: Mapping[str, str] = {"previous": "", "organised": "", "tokens": str(tokens)}
        room = self._asker.room(prompt, inputs) - LIMIT_ROOM
        compared = fitted(recap, int(room * HALF), count)
        organised = compared.render()
        before = newest_lines(previous, room - count(organised) - 8, count)
        inputs = {**inputs, "previous": before, "organised": organised}
        limit = entries_limit(prompt, tokens)
        new = await self._asker.ask(self._heard, prompt, inputs, read_filtered, more=limit)
        new = await self._shorter(inputs, new, tokens)
        # Whoever was not shown an entry did not say that it is known.
        return with_unseen(recap, compared, new)

    async def _shorter(self, inputs: Mapping[str, str], new: Recap, tokens: int) -> Recap:
        """What is new, asked for once more where it is too long; kept whole where it stays so."""
        asker, size = self._asker, self._asker.count(new.render())
        most = entries_asked_again(new, size, tokens)
        if most is None:
            return new
        more = SHORTER.format(now=entries_in(new), most=most)
        prompt = self._prompts["scene_filter"]
        try:
            other = await asker.ask(self._heard, prompt, inputs, read_filtered, more=more, tries=1)
        except AnswerUnusable:
            return new
        return other if not other.is_empty and asker.count(other.render()) < size else new

    async def _new_lore(self, found: tuple[LoreEntry, ...]) -> tuple[LoreEntry, ...]:
        """What of the entries is new; all of them where nothing known may be about the same."""
        known = related(self._staging.known_lore, found)
        if not known:
            return found
        prompt, asker = self._prompts["scene_lore"], self._asker
        room = asker.room(prompt, {"known": "", "entities": ""})
        lines = _first_within([entry.line() for entry in found], int(room * HALF), asker)
        entities = "\n".join(lines)
        before = newest_lines(
            "\n".join(entry.line() for entry in known),
            room - asker.count(entities) - 8,
            asker.count,
        )
        inputs = {"known": before, "entities": entities}
        try:
            return await asker.ask(self._silent, prompt, inputs, read_lore)
        except AnswerUnusable:
            return found  # rather known twice than lost, and the recap itself is good

    def _draft(
        self,
        name: str,
        organised: Recap,
        new: Recap,
        lore: tuple[LoreEntry, ...],
        previous: str,
    ) -> SceneDraft:
        """The recap as it is kept: what is new, or what the scene told where nothing is."""
        shown = organised if new.is_empty else new
        stored = {
            "scene_name": name,
            **({"stage2": {"recap": _texts(shown), "entities": []}} if new.is_empty else {}),
            "stage3": {
                "developments": new.developments,
                "open": new.open,
                "state": new.state,
                "resolved": new.resolved,
            },
            "stage4": {"entities": [entry.value() for entry in lore]},
            **({"known_from": digest(previous)} if new.is_empty else {}),
        }
        text = json.dumps(stored, ensure_ascii=False, separators=(",", ":"))
        return SceneDraft(name, shown.render(), text)


def _texts(recap: Recap) -> dict[str, str]:
    """A recap as the extension's second stage holds it: a text for each heading."""
    return {
        "outcomes": "\n".join(recap.developments),
        "threads": "\n".join(recap.open),
        "state": "\n".join(recap.state),
    }


def _first_within(items: Sequence[str], room: int, asker: Asker) -> list[str]:
    """As many of the items, from the first, as fit; at least the first."""
    kept, spent = list[str](), 0
    for item in items:
        spent += asker.count(item) + 4
        if kept and spent > room:
            break
        kept.append(item)
    return kept
