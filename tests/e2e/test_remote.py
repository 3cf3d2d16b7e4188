"""A SillyTavern whose files the program is not told of: its page brings the chat.

It listens at another address than this computer's usual one, so that its page is no page of ours.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import shutil
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from app.companion import open_companion
from app.core.paths import user_folders
from app.prompt.slots import RUNNING_RECAP_KEY
from app.sillytavern.bridge.bridge_export import export
from app.work.pages.link import PREFERRED_PORT
from app.work.pages.remote_chats import CHECK_SECONDS
from tests.e2e import sillytavern
from tests.e2e.conftest import RunningTavern
from tests.e2e.page import CONTEXT, TavernPage
from tests.e2e.program import Program
from tests.e2e.test_main_job import (
    CHARACTER,
    DEMO,
    DEMO_CHAT,
    MARK,
    assert_recap_before_main,
    current_recap,
    open_story,
    recap_reply,
)
from tests.fakes import MODEL, FakeLlm

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.timeout(180),
]

PROTOCOL = Subprotocol("tavernkeep.v1")
ADDRESS = "127.0.0.2"
ONLINE = f"""() => window.SillyTavern && !document.querySelector('#preloader')
    && {CONTEXT}.onlineStatus !== 'no_connection'"""
OPEN_DRAWER = """() => {
    let place = document.querySelector('#tavernkeep_pairing input');
    for (; place; place = place.parentElement) {
        if (getComputedStyle(place).display === 'none') {
            place.style.display = 'block';
        }
        place.classList.remove('closedDrawer');
    }
}"""
CODE = re.compile(r"The code is (\S+)\.")


@pytest.fixture(scope="module")
def tavern(
    sillytavern_package: Path,
    template: Path,
    llm: FakeLlm,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[RunningTavern]:
    folder = tmp_path_factory.mktemp("elsewhere")
    shutil.copytree(template, folder / "data")
    user_folder = folder / "data" / "default-user"
    shutil.copytree(DEMO / "chats", user_folder / "chats", dirs_exist_ok=True)
    shutil.copytree(DEMO / "characters", user_folder / "characters", dirs_exist_ok=True)
    members = [f"{sillytavern.CHARACTER}.png", f"{CHARACTER}.png"]
    sillytavern.write_group(user_folder, "Crew", members, "Gathering")
    path = user_folder / "group chats" / "Gathering.jsonl"
    sillytavern.write_chat(path, sillytavern.dialogue("The crew is here.", "So am I."))
    sillytavern.patch_settings(user_folder, llm)
    export(user_folder / "extensions")
    server = sillytavern.start_server(sillytavern_package, folder / "data", folder, ADDRESS)
    yield RunningTavern(server.url, user_folder, llm, server.log, server)
    server.stop()


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """Tavernkeep, serving, told of no SillyTavern. Its port is none that all programs would rather
    have, so that another test's takes it never while this one is stopped.
    """
    patch = pytest.MonkeyPatch()
    patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
    with FakeLlm(recap_reply) as model, socket.socket() as usual:
        with contextlib.suppress(OSError):  # taken already: so it stays
            usual.bind(("127.0.0.1", PREFERRED_PORT))
            usual.listen()
        data = tmp_path_factory.mktemp("program")
        program = Program(None, data, f"openai:{MODEL}@{model.url}", more=("--pair",))
        program.start()
        yield program
        program.stop()
    patch.undo()


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def story(page: TavernPage, program: Program, tavern: RunningTavern) -> TavernPage:
    """The page, paired, with the demo story open."""
    await page.slash(f"/go {CHARACTER}")
    await open_story(page)
    code = CODE.match(program.greeting)
    assert code
    port = f"@{code[1].partition('@')[2]}".rstrip("@")
    for _ in range(5):
        assert await page.slash(f"/tk-pair WRONG{port}") == "false"
    assert await page.slash(f"/tk-pair {code[1]}") == "false"
    program.stop()
    program.start()
    code = CODE.match(program.greeting)
    assert code
    await page.evaluate(OPEN_DRAWER)
    await page.page.fill("#tavernkeep_pairing input", code[1].lower())
    await page.page.click("#tavernkeep_pairing button:not([hidden])")
    await until(lambda: copies(program))
    program.user_folder = copies(program)[0]
    return page


def copy_of(program: Program) -> Path:
    assert program.user_folder is not None
    return program.user_folder


def copies(program: Program) -> list[Path]:
    return [path.parent for path in program.data_dir.glob("remote/*/tavernkeep-copy.json")]


async def until(found: Callable[[], Any], seconds: float = 30.0) -> None:
    async with asyncio.timeout(seconds):
        while not found():  # noqa: ASYNC110
            await asyncio.sleep(0.1)


def messages_of(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text("utf-8").split("\n")[1:]]


def hidden(path: Path) -> list[bool]:
    return [bool(message["is_system"]) for message in messages_of(path)]


async def follows(
    page: TavernPage, program: Program, name: str = DEMO_CHAT.stem
) -> list[dict[str, Any]]:
    """Wait until the copy of the demo story, or of another chat, is what the page shows; gives its
    messages.
    """
    path = copy_of(program) / "chats" / CHARACTER / f"{name}.jsonl"
    async with asyncio.timeout(CHECK_SECONDS + 20):
        while True:
            shown = json.loads(await page.evaluate(f"() => JSON.stringify({CONTEXT}.chat)"))
            if messages_of(path) == shown:
                return messages_of(path)
            await asyncio.sleep(0.1)


async def test_the_copy_is_the_chat_as_sillytavern_has_it(
    story: TavernPage, program: Program, tavern: RunningTavern
) -> None:
    copied = await follows(story, program)
    original = tavern.user_folder / "chats" / CHARACTER / DEMO_CHAT.name
    assert len(copied) == len(messages_of(original)) > 100
    assert [m["mes"] for m in copied] == [m["mes"] for m in messages_of(original)]
    assert not (tavern.user_folder / "user" / "files" / "tavernkeep-bridge.json").exists()
    pairing = tavern.user_folder / "extensions" / "tavernkeep" / "pairing.json"
    assert json.loads(pairing.read_bytes())["token"] == ""


async def test_the_recap_reaches_the_request(story: TavernPage, program: Program) -> None:
    await story.page.wait_for_function(
        f"([key, mark]) => {CONTEXT}.extensionPrompts[key]?.value.includes(mark)",
        arg=[RUNNING_RECAP_KEY, MARK],
        timeout=60_000,
    )
    recap = await asyncio.to_thread(current_recap, program)
    request = await story.send("I look up at the first lamp.")
    assert_recap_before_main(request, recap)
    copied = await follows(story, program)
    assert copied[-2]["mes"] == "I look up at the first lamp."


async def test_an_edit_a_swipe_a_hiding_and_a_deletion_follow(
    story: TavernPage, program: Program
) -> None:
    last = await story.length() - 1
    await story.edit(last - 1, "I look down at the water.")
    assert (await follows(story, program))[-2]["mes"] == "I look down at the water."
    await story.swipe("right", 1)
    assert (await follows(story, program))[-1]["swipe_id"] == 1
    await story.swipe("left", 0)
    assert (await follows(story, program))[-1]["swipe_id"] == 0
    await story.slash(f"/hide {last - 1}")
    assert (await follows(story, program))[-2]["is_system"] is True
    await story.delete(last - 1)
    assert len(await follows(story, program)) == last


async def test_a_branch_is_a_copy_of_its_own_that_begins_with_what_was_known(
    story: TavernPage, program: Program
) -> None:
    trunk = await follows(story, program)
    name = await story.slash("/branch-create 60")
    assert await story.open_name() == name
    branch = await follows(story, program, name)
    assert [m["mes"] for m in branch] == [m["mes"] for m in trunk[:61]]
    await story.page.wait_for_function(
        f"([key, mark]) => {CONTEXT}.extensionPrompts[key]?.value.includes(mark)",
        arg=[RUNNING_RECAP_KEY, MARK],
        timeout=60_000,
    )
    await story.edit(60, "Here it goes another way.")
    assert (await follows(story, program, name))[-1]["mes"] == "Here it goes another way."
    await open_story(story)
    assert (await follows(story, program))[60]["mes"] == trunk[60]["mes"]


async def test_three_thousand_messages_come_whole(
    story: TavernPage, program: Program, tavern: RunningTavern
) -> None:
    texts = (f"On day {n} the {n % 97}th lamp is lit, and they go on." for n in range(3_000))
    path = tavern.user_folder / "chats" / CHARACTER / "Years.jsonl"
    sillytavern.write_chat(path, sillytavern.dialogue(*texts))
    await story.open_chat("Years")
    assert len(await follows(story, program, "Years")) == 3_000
    await story.edit(2_999, "On the last day none is lit.")
    assert (await follows(story, program, "Years"))[-1]["mes"] == "On the last day none is lit."
    await open_story(story)


async def test_a_group_comes_with_its_members(
    story: TavernPage, program: Program, tavern: RunningTavern
) -> None:
    await story.slash("/go Crew")
    folder = copy_of(program)
    await until(lambda: (folder / "group chats" / "Gathering.jsonl").exists())
    copied = messages_of(folder / "group chats" / "Gathering.jsonl")
    assert [message["mes"] for message in copied] == ["The crew is here.", "So am I."]
    (group,) = (json.loads(path.read_bytes()) for path in (folder / "groups").iterdir())
    assert group["name"] == "Crew"
    cards = {path.name for path in (folder / "characters").iterdir()}
    assert cards == {f"{CHARACTER}.png", f"{sillytavern.CHARACTER}.png"}


async def test_a_reload_and_both_ends_anew_go_on_without_a_code(
    story: TavernPage, program: Program
) -> None:
    program.kill()
    program.more = ()
    program.start()
    assert program.greeting.startswith("Running for")
    await story.slash(f"/go {CHARACTER}")
    await open_story(story)
    await follows(story, program)
    await story.page.reload()
    await story.page.wait_for_function(ONLINE, timeout=60_000)
    await story.slash(f"/go {CHARACTER}")
    await open_story(story)
    await story.edit(await story.length() - 1, "It ends otherwise.")
    assert (await follows(story, program))[-1]["mes"] == "It ends otherwise."
    assert not story.errors


async def test_both_ends_killed_go_on_without_a_code(
    story: TavernPage, program: Program, tavern: RunningTavern
) -> None:
    tavern.server.kill()
    program.kill()
    program.start()
    assert program.greeting.startswith("Running for")
    await asyncio.to_thread(tavern.server.start)
    await story.page.reload()
    await story.page.wait_for_function(ONLINE, timeout=60_000)
    await story.slash(f"/go {CHARACTER}")
    await open_story(story)
    await story.edit(await story.length() - 1, "It ends as nobody thought.")
    assert (await follows(story, program))[-1]["mes"] == "It ends as nobody thought."


async def test_who_else_has_the_port_is_told_nothing(story: TavernPage, program: Program) -> None:
    """Another user of this computer listens where Tavernkeep would, until it comes back."""
    program.stop()
    kept = json.loads(await story.evaluate("() => localStorage.tavernkeep_remote"))
    heard: list[str] = []
    came = asyncio.Event()

    async def listen(page: ServerConnection) -> None:
        assert page.request is not None
        heard.append(str(page.request.headers))
        await page.send(json.dumps({"type": "challenge", "nonce": "0" * 32, "proof": "0" * 64}))
        with contextlib.suppress(ConnectionClosed):
            heard.extend([str(data) async for data in page])
        came.set()

    async with serve(listen, "127.0.0.1", kept["port"], select_subprotocol=lambda *_: PROTOCOL):
        async with asyncio.timeout(60):
            await came.wait()
        program.start()
    assert heard
    assert kept["token"] not in "".join(heard)
    assert not [text for text in heard if "hello" in text or "prove" in text]
    await open_story(story)
    await follows(story, program)


async def test_what_tavernkeep_knows_is_written_by_the_page_alone(
    story: TavernPage, program: Program, tavern: RunningTavern
) -> None:
    program.stop()
    original = tavern.user_folder / "chats" / CHARACTER / "Mill.jsonl"
    sillytavern.write_chat(original, sillytavern.dialogue("The mill stood.", "Why?", "Who knows."))
    path = copy_of(program) / "chats" / CHARACTER / "Mill.jsonl"
    async with open_companion(user_folders(program.data_dir), llm="builtin") as companion:
        await story.evaluate(f"name => {CONTEXT}.openCharacterChat(name)", "Mill")
        await until(lambda: path in companion.chats_in_pages)
        told = await companion.open_story(path)
        await companion.put_setting("scene_minimum_length", 1)
        await companion.put_setting("running_recap_leave_out", 0)
        await companion.edits.scenes.mark(path, told.messages[1].anchor, name="At the mill")
        await companion.settled(path)
        await companion.put_setting("mirror_to_chat", True)
        await companion.put_setting("auto_hide_scenes", 1)
        for file in (original, path):
            await until(lambda file=file: hidden(file) == [True, True, False])  # type: ignore[misc]
            block = messages_of(file)[1]["extra"]["auto_recap_memory"]
            assert (block["scene_break"], block["scene_break_name"]) == (True, "At the mill")
        await until(lambda: "Mill" not in companion.health.sillytavern.sentence)
        # No page shows it: its copy is not written in its place.
        await open_story(story)
        before = path.read_bytes()
        await companion.put_setting("auto_hide_scenes", -1)
        await until(lambda: "on another machine" in companion.health.sillytavern.sentence)
        assert path.read_bytes() == before
