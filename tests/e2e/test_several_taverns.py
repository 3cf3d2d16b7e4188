"""Two SillyTaverns at once, one of them with accounts and a password at its door, one Tavernkeep.

All three users have a chat of the same name with the same character.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, HttpCredentials

from app.sillytavern.bridge import bridge_installer
from app.sillytavern.data_folders import PLACE_VARIABLE
from tests.e2e import sillytavern
from tests.e2e.page import CONTEXT, TavernPage
from tests.e2e.program import Program, wait_until
from tests.fakes import MODEL, FakeLlm, RecordedRequest

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.timeout(300),
]

CHAT = "Harbour"
DOOR: HttpCredentials = {"username": "door", "password": "knock"}
TIDE = "The tide goes out over the stones and comes in again. "
WITH_ACCOUNTS = """\
enableUserAccounts: true
basicAuthMode: true
basicAuthUser: {username: door, password: knock}
"""
LOGIN = "/api/users/login"
METALS = ("copper", "silver", "pewter")


@dataclass(frozen=True, slots=True)
class User:
    """A user of a tavern. metal: what their chat is about."""

    handle: str
    folder: Path
    metal: str
    url: str
    has_account: bool

    @property
    def chat(self) -> Path:
        return self.folder / "chats" / sillytavern.CHARACTER / f"{CHAT}.jsonl"

    def furnish(self, llm: FakeLlm) -> None:
        """Their chat, the bridge, and a model."""
        texts = [
            f"***\n\nTwo days later they look for the {self.metal} in another harbour."
            if n % 6 == 0
            else f"The {self.metal} lies under stone {n}, and Mira looks away."
            for n in range(30)
        ]
        # Longer than the context: what is sent word for word needs no recap.
        texts = [f"{text} {TIDE * 16}" for text in texts]
        sillytavern.write_chat(self.chat, sillytavern.dialogue(*texts), integrity=self.metal)
        sillytavern.patch_settings(self.folder, llm)
        bridge_installer.install(self.folder)


async def post(context: BrowserContext, url: str, body: dict[str, str]) -> None:
    """Have the tavern do it, as the user who is logged in there.

    Not in the page: the login page asks for a token, too, and where both are asked for at once the
    session that counts is the one of whichever answer comes last; the other's token is refused.
    """
    tavern = url.partition("/api/")[0]
    token = (await (await context.request.get(f"{tavern}/csrf-token")).json())["token"]
    answer = await context.request.post(url, data=body, headers={"X-CSRF-Token": token})
    assert answer.ok, f"{url}: {answer.status}"


def recap_reply(request: RecordedRequest) -> str:
    """Names each metal that the request names."""
    if '"developments"' not in request.text:
        return "NONE"  # nothing to remember: answers of no use in a row would pause the queue
    named = [metal for metal in METALS if metal in request.text]
    recap = {"developments": [f"They found {' and '.join(named)}."], "open": [], "state": []}
    if "running recap" in request.messages[0]["content"] and "<earlier>" not in request.text:
        return json.dumps({"recap": recap})
    return json.dumps({"name": "A morning", "recap": recap})


@pytest.fixture(scope="module")
def servers(
    sillytavern_package: Path, template: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[sillytavern.Server, sillytavern.Server, Path, Path]]:
    plain, guarded = (tmp_path_factory.mktemp(name) for name in ("plain", "guarded"))
    for folder in (plain, guarded):
        shutil.copytree(template, folder / "data")
    first = sillytavern.start_server(sillytavern_package, plain / "data", plain)
    second = sillytavern.start_server(
        sillytavern_package, guarded / "data", guarded, more=WITH_ACCOUNTS
    )
    yield first, second, plain / "data", guarded / "data"
    first.stop()
    second.stop()


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def users(
    browser: Browser,
    servers: tuple[sillytavern.Server, sillytavern.Server, Path, Path],
    llm: FakeLlm,
) -> tuple[User, ...]:
    """One user of the first tavern, two of the second."""
    first, second, plain, guarded = servers
    context = await browser.new_context(http_credentials=DOOR)
    await post(context, second.url + LOGIN, {"handle": "default-user", "password": ""})
    await post(context, f"{second.url}/api/users/create", {"handle": "guest", "name": "Guest"})
    await context.close()
    users = (
        User("default-user", plain / "default-user", METALS[0], first.url, False),
        User("default-user", guarded / "default-user", METALS[1], second.url, True),
        User("guest", guarded / "guest", METALS[2], second.url, True),
    )
    for user in users:
        user.furnish(llm)
    return users


@pytest.fixture(scope="module")
def program(users: tuple[User, ...], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """Tavernkeep, told of both taverns' folders."""
    patch = pytest.MonkeyPatch()
    places = (users[0].folder.parent, users[1].folder.parent)
    patch.setenv(PLACE_VARIABLE, os.pathsep.join(map(str, places)))
    with FakeLlm(recap_reply) as model:
        data = tmp_path_factory.mktemp("program")
        program = Program(None, data, f"openai:{MODEL}@{model.url}")
        program.start()
        yield program
        program.stop()
    patch.undo()


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def pages(
    browser: Browser, users: tuple[User, ...], program: Program, llm: FakeLlm
) -> AsyncIterator[tuple[TavernPage, ...]]:
    """The page of each user, all open at once."""
    contexts, pages = [], []
    for user in users:
        context = await browser.new_context(http_credentials=DOOR if user.has_account else None)
        contexts.append(context)
        if user.has_account:
            await post(context, user.url + LOGIN, {"handle": user.handle, "password": ""})
        page = TavernPage(await context.new_page(), llm)
        await page.load(user.url)
        await page.open_chat(CHAT)
        pages.append(page)
    yield tuple(pages)
    for context in contexts:
        await context.close()


def recap_of(program: Program, user: User) -> str:
    """The running recap of their chat, when there is one."""

    def found() -> str | None:
        versions = program.command("recap", str(user.chat), "--llm", program.llm)["running"]
        return str(versions[-1]["content"]) if versions else None

    return wait_until(found, 120)


async def test_each_page_gets_the_recap_of_its_own_users_chat(
    pages: tuple[TavernPage, ...], users: tuple[User, ...], program: Program
) -> None:
    for page, user in zip(pages, users, strict=True):
        assert user.metal in recap_of(program, user)
        await page.page.wait_for_selector("#tavernkeep_badge[data-state='ready']")
    for page, user in zip(pages, users, strict=True):
        request = await page.send(f"I weigh the {user.metal}.")
        recap = request.messages[0]["content"]
        assert f"They found {user.metal}." in recap
        assert [metal for metal in METALS if metal in request.text] == [user.metal]


async def test_what_one_user_does_reaches_no_other(
    pages: tuple[TavernPage, ...], users: tuple[User, ...], program: Program
) -> None:
    before = [await page.length() for page in pages]
    await pages[2].edit(1, "The pewter is glass.")
    wait_until(lambda: "The pewter is glass." in users[2].chat.read_text("utf-8"))
    for page in pages[:2]:
        assert "glass" not in await page.evaluate(f"() => JSON.stringify({CONTEXT}.chat)")
    assert [await page.length() for page in pages] == before
