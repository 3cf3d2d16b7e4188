"""The main job with nothing faked but the models: SillyTavern, its page, and Tavernkeep beside it.

A chat lies in SillyTavern's folder; Tavernkeep finds it, cuts it into scenes, recaps them, folds
the recaps into the running recap; what SillyTavern then sends to its model begins with it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from app.prompt.slots import RUNNING_RECAP_KEY
from app.sillytavern.bridge import bridge_installer
from app.sillytavern.bridge.bridge_file import read_bridge_file
from tests.e2e import sillytavern
from tests.e2e.conftest import RunningTavern
from tests.e2e.page import CONTEXT, TavernPage
from tests.e2e.program import ROOT, Program, wait_until
from tests.fakes import MODEL, FakeLlm, RecordedRequest

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.timeout(180),
]

DEMO = ROOT / "resources" / "demo" / "data" / "default-user"
DEMO_CHAT = next((DEMO / "chats").glob("*/*.jsonl"))
CHARACTER = DEMO_CHAT.parent.name
WAIT_SECONDS = 0.25
MARK = "Folded scenes: "


def recap_reply(request: RecordedRequest) -> str:
    """What a model that does as it is told answers; each fold counts one scene more."""
    if '"developments"' not in request.text:
        return "NONE"  # nothing to remember: answers of no use in a row would pause the queue
    scenes = request.text.count("Scene by the fake model") or 1
    # Asked for a recap and a fold at once, it gives the recap alone: the fold asks by itself then.
    if "running recap" in request.messages[0]["content"] and "<earlier>" not in request.text:
        before = request.text.partition("<recap>")[2].partition("</recap>")[0]
        folded = int(before.partition(MARK)[2].partition(".")[0] or 0) + 1
        recap = {"developments": [f"{MARK}{folded}."], "open": [], "state": ["All are well."]}
        return json.dumps({"recap": recap})
    recap = {"developments": [f"Something happened ({scenes})."], "open": [], "state": []}
    return json.dumps({"name": "Scene by the fake model", "recap": recap})


@pytest.fixture(scope="module")
def tavern(
    sillytavern_package: Path,
    template: Path,
    llm: FakeLlm,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[RunningTavern]:
    """A SillyTavern with the demo story in it from before its start."""
    folder = tmp_path_factory.mktemp("main-job")
    shutil.copytree(template, folder / "data")
    user_folder = folder / "data" / "default-user"
    shutil.copytree(DEMO / "chats", user_folder / "chats", dirs_exist_ok=True)
    shutil.copytree(DEMO / "characters", user_folder / "characters", dirs_exist_ok=True)
    other = user_folder / "chats" / CHARACTER / "Other.jsonl"
    sillytavern.write_chat(other, sillytavern.dialogue("The mill stood still.", "Why?"))
    sillytavern.patch_settings(user_folder, llm)
    bridge_installer.install(user_folder)
    server = sillytavern.start_server(sillytavern_package, folder / "data", folder)
    yield RunningTavern(server.url, user_folder, llm, server.log, server)
    server.stop()


@pytest.fixture(scope="module")
def program(tavern: RunningTavern, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """Tavernkeep, serving, with a model of its own."""
    with FakeLlm(recap_reply) as model:
        program = Program(
            tavern.user_folder, tmp_path_factory.mktemp("program"), f"openai:{MODEL}@{model.url}"
        )
        program.start()
        yield program
        program.stop()


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def story(page: TavernPage, program: Program) -> TavernPage:
    """The page with the demo story open and its running recap known to it."""
    await page.slash(f"/go {CHARACTER}")
    await open_story(page)
    await page.page.wait_for_function(
        f"([key, mark]) => {CONTEXT}.extensionPrompts[key]?.value.includes(mark)",
        arg=[RUNNING_RECAP_KEY, MARK],
        timeout=60_000,
    )
    return page


async def open_story(page: TavernPage) -> None:
    await page.evaluate(f"name => {CONTEXT}.openCharacterChat(name)", DEMO_CHAT.stem)
    await page.page.wait_for_function(
        f"name => {CONTEXT}.chatId === name && {CONTEXT}.chat.length > 1", arg=DEMO_CHAT.stem
    )


def chat_path(program: Program) -> Path:
    assert program.user_folder is not None
    return program.user_folder / "chats" / CHARACTER / DEMO_CHAT.name


def current_recap(program: Program) -> str:
    """The running recap when every scene that can be folded in is: all closed ones but one."""

    def complete() -> str | None:
        data = program.command("recap", str(chat_path(program)), "--llm", program.llm)
        closed = len(data["scenes"]) - 1
        versions = data["running"]
        is_complete = len(versions) == closed - 1 >= 5
        assert [version["scene_count"] for version in versions] == list(range(1, len(versions) + 1))
        return str(versions[-1]["content"]) if is_complete else None

    content = wait_until(complete, 60)
    assert MARK in content
    return content


def assert_recap_before_main(request: RecordedRequest, recap: str) -> None:
    first, second = request.messages[:2]
    assert first["role"] == "system"
    # What happened in the messages that are sent is read there; how things stand is as of now.
    state = recap[recap.index("STATE") :]
    assert MARK in first["content"]
    assert state in first["content"]
    assert f"Write {CHARACTER}'s next reply" in second["content"]
    assert MARK not in json.dumps(request.messages[1:])


async def test_the_running_recap_stands_right_before_the_main_prompt(
    story: TavernPage, program: Program
) -> None:
    recap = current_recap(program)
    request = await story.send("I look up at the first lamp.")
    assert_recap_before_main(request, recap)


async def test_after_switching_chats_and_back(story: TavernPage, program: Program) -> None:
    await story.open_chat("Other")
    request = await story.send("Hello?")
    assert MARK not in request.text
    await open_story(story)
    recap = current_recap(program)
    assert_recap_before_main(await story.send("Where were we?"), recap)


async def test_after_a_reload_of_the_page(
    story: TavernPage,
    program: Program,
) -> None:
    await story.reload()
    await story.slash(f"/go {CHARACTER}")
    await open_story(story)
    recap = current_recap(program)
    assert_recap_before_main(await story.send("I wait."), recap)


async def test_killed_and_started_again_during_a_generation(
    story: TavernPage, program: Program
) -> None:
    recap = current_recap(program)
    killed: list[bool] = []

    def reply_late(request: RecordedRequest) -> str:
        program.kill()
        killed.append(True)
        program.start()
        return "The answer came all the same."

    llm = story.llm
    before, llm.reply = llm.reply, reply_late
    try:
        request = await story.send("Say something.")
    finally:
        llm.reply = before
    assert killed
    assert_recap_before_main(request, recap)
    assert await story.evaluate(f"() => {CONTEXT}.chat.at(-1).mes") == (
        "The answer came all the same."
    )
    # And the memory goes on where it was.
    wait_until(lambda: program.process and program.process.poll() is None)
    recap = current_recap(program)
    assert_recap_before_main(await story.send("And now?"), recap)


async def test_over_the_bridge_file_when_the_program_is_gone(
    story: TavernPage, program: Program
) -> None:
    recap = current_recap(program)
    program.stop()
    assert program.user_folder is not None
    entries = read_bridge_file(program.user_folder).chats
    texts = [slot.text for entry in entries.values() for slot in entry.slots]
    assert any(recap in text for text in texts)
    await story.reload()
    await story.slash(f"/go {CHARACTER}")
    await open_story(story)
    request = await story.send("Is anyone there?")
    assert_recap_before_main(request, recap)
    assert await story.intercept_milliseconds() < 1000 * WAIT_SECONDS + 350
    program.start()


async def test_the_chat_file_holds_only_what_sillytavern_wrote(
    story: TavernPage, program: Program
) -> None:
    text = chat_path(program).read_text()
    assert "tavernkeep" not in text.lower()
    assert MARK not in text
    assert story.errors == []
