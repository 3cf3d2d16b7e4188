"""A chat of which everything is remembered, a card that names macros, and where each text lands."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.companion import open_companion
from app.core.part_health import Health
from app.core.paths import user_folders
from app.memory.records import Document, DocumentKind, Tier
from app.settings.slot_table import SlotName
from app.store.store import Store
from tests.e2e.conftest import RunningTavern
from tests.e2e.page import CONTEXT, TavernPage
from tests.e2e.sillytavern import USER_NAME, write_chat
from tests.fakes import MODEL, FakeLlm, RecordedRequest
from tests.labelled import WrittenTavern
from tests.memory_world import World

LENGTH = 31  # messages: what the newest ones told is called up, and not at the prompt's head yet
SCENES_END_AT = (5, 10)
OFF = ("memory_auto", "canon_auto", "scene_breaks_auto", "message_recaps_auto", "away_recap")
RUNNING = "mark-running"
LINE = re.compile(r"line-\d+")


def mark(name: SlotName, who: str = "") -> str:
    """What a slot tells, and nothing else does."""
    return f"mark-{name.replace('_', '')}{who and f'-of-{who.lower()}'}"


def tell(request: RecordedRequest) -> str:
    """The recaps of both scenes; that of the first is all that the running recap tells."""
    told = RUNNING if "line-0." in request.text else mark(SlotName.SCENES)
    recap = {"developments": [f"{told}."], "open": [], "state": []}
    return json.dumps({"name": "A scene", "recap": recap})


def lines_of(*names: str, summary: str = "") -> list[dict[str, Any]]:
    """Messages that say nothing but their number. summary: of SillyTavern's own Summarize."""
    return [
        {
            "name": names[n % len(names)],
            "is_user": names[n % len(names)] == USER_NAME,
            "mes": f"This is line-{n}.",
            **({"extra": {"memory": summary}} if summary and n == 4 else {}),
        }
        for n in range(LENGTH)
    ]


def depth_of(text: str, request: RecordedRequest) -> int:
    """How many of the chat's messages stand behind a text that stands once."""
    before, found, behind = request.text.partition(text)
    assert found, f"{text} is not in the prompt"
    assert text not in behind, f"{text} is in the prompt twice"
    assert text not in before
    return len(set(LINE.findall(behind)))


@dataclass
class SlotsWorld:
    """The program in this process, SillyTavern's page, and the chat that is shown."""

    world: World
    page: TavernPage
    model: FakeLlm
    path: Path = Path()

    @property
    def health(self) -> Health:
        return self.world.companion.health

    async def put(self, **settings: object) -> None:
        """Change settings of the chat, and wait until the page has heard of it."""
        for name, value in settings.items():
            await self.world.companion.put_setting(name, value, path=self.path)

    async def reset(self) -> None:
        """The defaults again, in the chat."""
        companion = self.world.companion
        for name in ("slots_unified", "slots_macros", "slots_enabled", "slots_deepest"):
            await companion.reset_setting(name, path=self.path)
        await companion.reset_setting("running_recap_enabled", path=self.path)

    async def write(self, path: Path, *names: str, summary: str = "") -> None:
        """Make a chat in which each slot has something to tell; for each name its own secret."""
        write_chat(path, lines_of(*names, USER_NAME, summary=summary))
        await self._follow(path)
        companion, world = self.world.companion, self.world
        for place in SCENES_END_AT:
            await companion.edits.scenes.mark(path, world.anchors[place])
        await self._edit_recaps(path)
        who = names[0]

        def known(name: SlotName, tier: Tier, type_: str, at: int = 3, **more: Any) -> Any:
            text = mark(name, more.pop("whose", ""))
            fields = {"tier": tier, "type": type_, "text": text} | more
            return world.memory(f"{path.stem} {text}", at, **fields)

        def text(kind: DocumentKind, told: str, subject: str = "", **more: Any) -> Document:
            id_ = f"{path.stem} {kind} {subject}"
            return Document(
                id_, world.chat, kind, told, subject=subject, made_by="you", created=1.0, **more
            )

        owner: dict[str, Any] = {"character": world.owner}
        await world.write(
            known(SlotName.LONG, Tier.LONG_TERM, "fact", **owner),
            known(SlotName.TRIGGERED, Tier.LONG_TERM, "fact", 25, **owner),
            known(SlotName.SESSION, Tier.SESSION, "detail"),
            known(SlotName(Tier.ARCS), Tier.ARCS, "arc"),
            known(SlotName.RELATIONSHIPS, Tier.RELATIONSHIPS, "feeling", subject=who, target="X"),
            known(
                SlotName.STATE_LEDGER, Tier.STATE_LEDGER, "character", subject=who, field="injuries"
            ),
            *(
                known(SlotName.EPISTEMIC, Tier.EPISTEMIC, "knows", subject=name, whose=name)
                for name in names
            ),
            documents=(
                text(DocumentKind.SUMMARY, f"{mark(SlotName.SHORT)}."),
                *(
                    text(kind, f"{mark(slot, name)}.", name)
                    for name in names
                    for kind, slot in (
                        (DocumentKind.PROFILE, SlotName.PROFILES),
                        (DocumentKind.CANON, SlotName.CANON),
                    )
                ),
            ),
        )

    async def _edit_recaps(self, path: Path) -> None:
        """What the user wrote is told although the prompt holds all the messages, too."""
        companion, last = self.world.companion, self.world.anchors[SCENES_END_AT[-1]]
        edits = companion.edits
        async with asyncio.timeout(60):
            while True:
                story = await companion.settled(path)
                if story.running.current is not None and last in story.recaps:
                    break
                await asyncio.sleep(0.05)
        await edits.edit_running_recap(path, story.running.current.content)
        await edits.edit_scene_recap(path, last, story.recaps[last][-1].text)
        await companion.settled(path)

    async def correct(self, told: str) -> None:
        """Have a correction wait for the next reply."""
        story = self.world.companion.story(self.path)
        assert story is not None
        last = next(m for m in reversed(story.messages) if not m.is_user)
        note = Document(
            f"repair {last.anchor}",
            self.world.chat,
            DocumentKind.REPAIR,
            told,
            until=last.anchor,
            inputs=last.content_hash,
            made_by="you",
            created=2.0,
        )
        await self.world.write(documents=(note,))

    async def open(self, path: Path, character: str) -> None:
        """Show a chat in the page, and wait until it has its slots."""
        await self.page.slash(f"/go {character}")
        if path.parent.name != "group chats":
            await self.page.evaluate(f"name => {CONTEXT}.openCharacterChat(name)", path.stem)
        wanted = f"name => {CONTEXT}.chatId === name"
        await self.page.page.wait_for_function(wanted, arg=path.stem)
        await self._follow(path)

    async def settled(self, length: int) -> None:
        """Wait until the program knows so many messages of the chat, and has done its work."""
        companion = self.world.companion
        async with asyncio.timeout(30):
            while (story := companion.story(self.path)) is None or len(story.messages) < length:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
            await companion.settled(self.path)

    async def shows(self, key: str, text: str) -> None:
        """Wait until the page has set this text under a key, "" for none."""
        script = f"""([key, text]) => {{
            const value = {CONTEXT}.extensionPrompts[key]?.value ?? '';
            return text ? value.includes(text) : !value;
        }}"""
        await self.page.page.wait_for_function(script, arg=[key, text], timeout=15_000)

    async def macro(self, word: str) -> str:
        """What a macro gives now."""
        script = f"text => {CONTEXT}.substituteParams(text)"
        return str(await self.page.evaluate(script, f"{{{{smartmemory-{word}}}}}"))

    async def _follow(self, path: Path) -> None:
        self.path = path
        world = self.world
        world.tavern = WrittenTavern(world.tavern.user_folder, path, ())
        view = await world.open()
        world.owner, world.chat = view.story.chat.owner_key, view.ground.chat
        world.anchors = tuple(message.anchor for message in view.story.messages)


@asynccontextmanager
async def open_slots_world(
    tavern: RunningTavern, page: TavernPage, data: Path
) -> AsyncIterator[SlotsWorld]:
    """A program that remembers only what it is told."""
    folders = user_folders(data)
    with FakeLlm(tell) as model:
        async with open_companion(
            folders,
            tavern=tavern.user_folder,
            llm=f"openai:{MODEL}@{model.url}",
            keeps_memory=True,
        ) as companion:
            for name in OFF:
                await companion.put_setting(name, False)
            await companion.put_setting("scene_minimum_length", 1)
            await companion.put_setting("running_recap_leave_out", 1)
            await companion.put_setting("slots_head_every", 100)  # what is called up stays so
            store = Store(folders.database)
            await store.open()
            try:
                nowhere = WrittenTavern(tavern.user_folder, Path(), ())
                yield SlotsWorld(World(companion, store, nowhere), page, model)
            finally:
                await store.aclose()
