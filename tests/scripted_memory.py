"""A model whose memories are written beforehand, and a chat that is played to the program."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.companion import Companion, open_companion
from app.core.paths import Folders
from app.memory.standing import Standing
from app.views.memory_view import MemoryView
from tests.chat_files import message, save_like_sillytavern, write_chat
from tests.fakes import MODEL, Behaviour, FakeLlm, RecordedRequest
from tests.group_files import write_card, write_group

NUMBERED = re.compile(r"(?:^|\n\n)\[(\d+)\] ")
NEW_FROM = re.compile(r"Messages before \[(\d+)\]")
TASK = re.compile(r"Your task: note (?:the )?(.+?)(?: between characters| of the story)?\.")
ONE_PASS = "Write every kind of entry"
TASKS = {
    "session memory": ("scene", "revelation", "development", "detail"),
    "long-term memory": ("fact", "relationship", "preference", "event"),
    "feelings": ("feels",),
    "open arcs": ("arc", "resolved"),
    "state ledger": ("state",),
    "who knows what": ("knows", "suspects", "believes", "unaware", "hiding", "retire"),
}
Json = dict[str, Any]


def is_reading(request: RecordedRequest) -> bool:
    """Whether a request is to read messages for memory, all tiers of them or one."""
    return ONE_PASS in request.text or task_of(request) != ""


def task_of(request: RecordedRequest) -> str:
    """The tier that a request of its own is about, "" for any other request."""
    found = re.search(
        r"Your task: note (?:the )?(.+?)(?: between characters| of the story)?\.", request.text
    )
    return found[1] if found and found[1] in TASKS else ""


def shown_in(request: RecordedRequest) -> dict[int, str]:
    """The messages of a window by their numbers, read as plainly as a model reads them."""
    text = request.text.split("<messages>\n", 1)[-1].split("</messages>")[0].strip()
    pieces = NUMBERED.split(text)
    return {int(n): shown for n, shown in zip(pieces[1::2], pieces[2::2], strict=True)}


def new_in(request: RecordedRequest) -> dict[int, str]:
    """Of these the messages that are to be extracted."""
    found = NEW_FROM.findall(request.text)
    first = int(found[-1]) if found else 1
    return {n: shown for n, shown in shown_in(request).items() if n >= first}


def fitting(lines: Sequence[str], request: RecordedRequest) -> list[str]:
    """Those lines that a request asks for."""
    tags = TASKS.get(task_of(request), ("",))
    return [line for line in lines if line.startswith(tuple(f"[{tag}" for tag in tags))]


@dataclass
class Script:
    """Answers a reading with the lines that belong to the new messages it is shown.

    lines: by words of a message, with {n} for its number. other: answers to requests that hold
    these words; they go before all else.
    """

    lines: Mapping[str, str] = field(default_factory=dict)
    other: dict[str, str | Behaviour] = field(default_factory=dict)

    def reply(self, request: RecordedRequest) -> str | Behaviour:
        for words, answer in self.other.items():
            if words in request.text:
                return answer
        if not is_reading(request):
            return "INDEPENDENT" if "INDEPENDENT" in request.text else "NONE"
        found = [
            line.format(n=number)
            for number, shown in new_in(request).items()
            for words, lines in self.lines.items()
            if words in shown
            for line in lines.splitlines()
        ]
        return "\n".join(fitting(found, request)) or "NONE"


class Gate:
    """Holds back the answer to the first reading that shows these words."""

    def __init__(self, script: Script, words: str) -> None:
        self._script, self._words = script, words
        self.entered, self.opened = threading.Event(), threading.Event()

    def reply(self, request: RecordedRequest) -> str | Behaviour:
        answer = self._script.reply(request)
        if is_reading(request) and self._words in request.text and not self.entered.is_set():
            self.entered.set()
            assert self.opened.wait(20)
        return answer

    async def reached(self) -> None:
        assert await asyncio.to_thread(self.entered.wait, 20)


def gated(llm: FakeLlm, script: Script, words: str) -> Gate:
    """Let a model wait with one answer until the gate is opened."""
    gate = Gate(script, words)
    llm.reply = gate.reply
    return gate


@dataclass
class Play:
    """A chat of a tavern that the program follows. run: what ends with the program, which `open`
    starts.
    """

    companion: Companion
    llm: FakeLlm
    path: Path
    messages: list[Json]
    run: AsyncExitStack
    open: Callable[[], AbstractAsyncContextManager[Companion]]

    async def restart(self) -> None:
        """End the program and start it again, with what it has kept."""
        await self.run.aclose()
        self.companion = await self.run.enter_async_context(self.open())

    async def show(self, path: Path | None = None) -> None:
        """Save the messages as SillyTavern does, and let the program look."""
        path = path or self.path
        draft = write_chat(path.with_suffix(".new"), self.messages)
        save_like_sillytavern(path, draft.read_bytes())
        draft.unlink()
        await self.companion.open_story(path)

    async def follow(self) -> MemoryView:
        """The same, and wait until all work is done."""
        await self.show()
        await self.companion.settled(self.path)
        return self.view

    async def add(self, *texts: str) -> MemoryView:
        """Messages that follow, by turns of both."""
        self.messages += [message(len(self.messages) + n, text) for n, text in enumerate(texts)]
        return await self.follow()

    async def read(self) -> MemoryView:
        """Have all read to the end at once."""
        await self.companion.remembered.read_now(self.path)
        await self.companion.settled(self.path)
        return self.view

    @property
    def view(self) -> MemoryView:
        return self.companion.memory(self.path)

    @property
    def readings(self) -> list[RecordedRequest]:
        return [request for request in self.llm.requests if is_reading(request)]

    def standing(self, words: str) -> Standing:
        """The one memory that holds these words."""
        [found] = [s for s in self.view.memories if words in f"{s.memory.subject} {s.memory.text}"]
        return found

    def active(self) -> list[str]:
        """What is remembered and holds, in words."""
        return sorted(s.memory.text for s in self.view.memories if s.is_active)


@asynccontextmanager
async def playing(
    folder: Path,
    script: Script,
    *,
    messages: Sequence[Json] = (),
    context: int = 0,
    group: Sequence[str] = (),
    **settings: object,
) -> AsyncIterator[Play]:
    """A tavern with one chat of Ana and Mira, and a model that answers by the script.

    Nothing but memory is asked of it. context: tokens that it says it takes. group: names of the
    members, where the chat is a group's.
    """
    user_folder = folder / "data" / "default-user"
    path = user_folder / "chats" / "Mira" / "Mira - 2026-11-20.jsonl"
    for name in ("characters", "chats"):
        (user_folder / name).mkdir(parents=True)
    if group:
        path = user_folder / "group chats" / "crew.jsonl"
        (user_folder / "groups").mkdir()
        for name in group:
            write_card(user_folder, f"{name}.png", name)
        write_group(user_folder, [f"{name}.png" for name in group])
    write_chat(path, messages)
    home = folder / "own"
    home.mkdir(exist_ok=True)
    with FakeLlm(script.reply) as llm:
        llm.context = context

        def started() -> AbstractAsyncContextManager[Companion]:
            return open_companion(
                Folders(home, home / "logs"),
                tavern=user_folder,
                llm=f"openai:{MODEL}@{llm.url}",
                watch=False,
                keeps_memory=True,
                reads_to_the_end=False,
            )

        async with AsyncExitStack() as run:
            companion = await run.enter_async_context(started())
            quiet = {
                **dict.fromkeys(
                    ("scene_recaps_auto", "running_recap_auto", "profiles_enabled"), False
                ),
                **dict.fromkeys(("canon_auto", "triggers_enabled"), False),
                "hardware_profile": "a",
                "memory_requests": "one",
                "scene_detector": "heuristic",
                "memory_every": 1,
            }
            for name, value in (quiet | settings).items():
                await companion.put_setting(name, value)
            yield Play(companion, llm, path, list(messages), run, started)
