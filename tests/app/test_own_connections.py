"""Two users of SillyTavern with a connection each: a story goes to its own user's only."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Origin, Subprotocol

from app.companion import Companion, open_companion
from app.core.operations import OperationStatus
from app.core.paths import user_folders
from app.core.tasks import TaskSupervisor
from app.sillytavern.bridge import bridge_installer
from tests.labelled import WrittenTavern, write_tavern

METALS = ("copper", "pewter")


def user(root: Path, name: str, metal: str) -> WrittenTavern:
    story = {
        "title": "Evening",
        "user_name": "Ana",
        "characters": [{"name": "Mira", "description": "A smith."}],
        "group": False,
        "messages": [
            {
                "name": "Mira" if n % 2 else "Ana",
                "is_user": not n % 2,
                "kind": "chat",
                "mes": f"We hammered the {metal} for hour number {n}, and it rang.",
            }
            for n in range(24)
        ],
    }
    written = write_tavern(story, root / name)
    bridge_installer.install(written.user_folder)
    return written


class Page:
    """Answers as a connection that writes a recap; remembers what it was told."""

    def __init__(self, told: WrittenTavern) -> None:
        self.tavern = told
        self.told: list[str] = []

    @asynccontextmanager
    async def open(self, tasks: TaskSupervisor) -> AsyncIterator[None]:
        folder = bridge_installer.extension_folder(self.tavern.user_folder)
        paired = json.loads((folder / "pairing.json").read_text())
        async with connect(
            f"ws://127.0.0.1:{paired['port']}",
            origin=Origin("http://127.0.0.1:8000"),
            subprotocols=[Subprotocol("tavernkeep.v1"), Subprotocol(f"token.{paired['token']}")],
            proxy=None,
        ) as socket:
            version, name = bridge_installer.program_version(), self.tavern.user_folder.name
            await socket.send(json.dumps({"type": "hello", "version": version, "page": name}))
            task = tasks.spawn(self._answer(socket), name="page")
            yield
            task.cancel()

    async def _answer(self, socket: ClientConnection) -> None:
        try:
            async for data in socket:
                frame = json.loads(data)
                if frame["type"] == "request":
                    await self._say(socket, frame)
        except ConnectionClosed:
            pass

    async def _say(self, socket: ClientConnection, frame: dict[str, Any]) -> None:
        self.told.append(json.dumps(frame["params"]))
        result: dict[str, Any] = {"context": 8192}
        if frame["kind"] == "ask_model":
            text = "They hammered metal until it rang."
            await socket.send(json.dumps({"type": "part", "id": frame["id"], "text": text}))
            result = {}
        await socket.send(json.dumps({"type": "answer", "id": frame["id"], "result": result}))


async def ended(companion: Companion, chat: WrittenTavern) -> None:
    """Wait until a recap of the chat's first scene is written."""
    async with asyncio.timeout(60):
        while True:
            story = companion.story(chat.chat)
            if story is not None and any(story.scene_recap(scene) for scene in story.scenes):
                return
            await asyncio.sleep(0.05)


async def test_a_story_goes_to_its_own_users_connection_and_holds_up_no_other(
    tmp_path: Path,
) -> None:
    tasks = TaskSupervisor()
    users = [user(tmp_path / "data", f"user-{n}", metal) for n, metal in enumerate(METALS)]
    pages = [Page(one) for one in users]
    async with open_companion(
        user_folders(tmp_path / "own"), tavern=tmp_path / "data", llm="sillytavern"
    ) as companion:
        companion.settings.put("scene_breaks_auto", False)
        companion.settings.put("message_recaps_model", False)
        async with pages[0].open(tasks):
            # The other's work is asked for first, and its page is not there.
            for one in reversed(users):
                story = await companion.open_story(one.chat)
                await companion.edits.scenes.mark(one.chat, story.messages[9].anchor)
            await ended(companion, users[0])
            waiting = [
                operation.error
                for operation in companion.work.operations
                if operation.status is OperationStatus.WAITING
            ]
            assert any("another SillyTavern or user" in error for error in waiting)
            async with pages[1].open(tasks):
                await ended(companion, users[1])
        for page, own, other in zip(pages, METALS, reversed(METALS), strict=True):
            told = "\n".join(page.told)
            assert own in told
            assert other not in told
    await tasks.aclose()
