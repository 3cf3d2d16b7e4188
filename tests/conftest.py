"""What all tests share: loops, folders, the demo tavern, and that nothing unexpected is logged."""

from __future__ import annotations

import asyncio
import functools
import logging
import os
import secrets
import shutil
from collections.abc import Awaitable, Callable, Generator, Iterator, Mapping
from pathlib import Path

import hypothesis
import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from app import languages
from app.core.private_log import FORMAT, PrivateFormatter
from app.core.resources import RESOURCES
from tests.labelled import WrittenTavern
from tests.planted import TOKEN, files_with_secrets, secret_in

TESTS = Path(__file__).parent
UI = TESTS / "ui"
E2E = TESTS / "e2e"
APP = TESTS / "app"  # what lies in no package of it runs the whole program
SLOW = {E2E, APP / "work", APP / "commands", TESTS / "oracle", TESTS / "answers"}
SECRETS_FOUND = pytest.StashKey[list[str]]()
# Seconds for a test of properties: Hypothesis makes what fails smaller for five minutes at most,
# and a test that is stopped meanwhile is called flaky instead of being shown with its example.
SHRINKING = 400

# Before anything imports Qt. A real platform may be chosen from outside.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["QT_API"] = "pyside6"
# Tests look for English words, whatever the system speaks.
os.environ["TAVERNKEEP_LANGUAGE"] = "en"

# Nobody changes what a language pack says: the same text need not be read for each companion anew.
languages.parse_pack = functools.cache(languages.parse_pack)  # type: ignore[attr-defined]

# How long an example takes says more of the machine than of the program.
# In CI the same examples each time, as Hypothesis itself has it there: a failure is the change's.
hypothesis.settings.register_profile(
    "untimed", deadline=None, derandomize=bool(os.environ.get("CI"))
)
hypothesis.settings.load_profile("untimed")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "expects_log(logger=''): the test makes the program log warnings or errors on purpose, "
        "from loggers whose name starts with the given one",
    )
    config.addinivalue_line(
        "markers", "pitfall(number, ...): fails in these pitfalls, see tests/test_pitfalls.py"
    )
    config.addinivalue_line(
        "markers", "weakness(number, ...): fails where these are back, see tests/test_weaknesses.py"
    )
    config.addinivalue_line(
        "markers", "real_model(number, ...): fails in these faults, see tests/test_real_models.py"
    )


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests by folder, and as fast what is neither marked as slow nor lies among it."""
    for item in items:
        if UI in item.path.parents:
            item.add_marker(pytest.mark.gui)
        if E2E in item.path.parents:
            item.add_marker(pytest.mark.e2e)
        is_slow = item.path.parent == APP or not SLOW.isdisjoint(item.path.parents)
        if not is_slow and item.get_closest_marker("slow") is None:
            item.add_marker(pytest.mark.fast)
        has_properties = getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
        if has_properties and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(SHRINKING))
    if hasattr(config, "workerinput"):
        # What takes long begins first, or one worker would have it left when all others are done.
        items.sort(key=_latest_begin)


def _latest_begin(item: pytest.Item) -> int:
    if item.get_closest_marker("e2e"):
        return 0
    return 2 if item.get_closest_marker("fast") else 1


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    """A file's tests run on one worker, and all end-to-end tests one after another on one."""
    return ByFile(config, log)


class ByFile(LoadScopeScheduling):  # type: ignore[misc]
    def _split_scope(self, nodeid: str) -> str:
        return "tests/e2e" if nodeid.startswith("tests/e2e/") else nodeid.split("::", 1)[0]


@pytest.hookimpl(wrapper=True, trylast=True)  # within the terminal's own, which sums up
def pytest_sessionfinish(session: pytest.Session) -> Generator[None]:
    """No file that any test has made the program write holds a key or a token.

    Looked for when all is over, by the process that the others work for: each worker writes below
    its folder, and no test can run later, fail first or be deselected.
    """
    yield
    if hasattr(session.config, "workerinput"):
        return
    folder = session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
    found = [str(path) for path in files_with_secrets(folder)]
    session.config.stash[SECRETS_FOUND] = found
    if found and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if found := config.stash.get(SECRETS_FOUND, []):
        terminalreporter.section("FILES WITH A KEY OR A TOKEN", red=True)
        for path in found:
            terminalreporter.line(path)


def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Coroutine tests of the window run in Qt's loop, all others on plain asyncio."""
    if UI in item.path.parents:
        return {"qt": _qt_loop}
    return {"asyncio": asyncio.new_event_loop}


def _qt_loop() -> asyncio.AbstractEventLoop:
    # PySide6 first: qasync takes the first Qt that it finds imported.
    from PySide6.QtWidgets import QApplication

    import qasync  # isort: skip

    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    _keep_alive.append(app)
    # Closing a test's last window must not stop its loop.
    app.setQuitOnLastWindowClosed(False)

    class PausedLoop(qasync.QEventLoop):  # type: ignore[misc]  # it comes without types
        """Works off no event after a fixture or test is over.

        qasync would do so without a running loop, and tasks that a fixture left at work would fail.
        """

        def run_until_complete(self, future: Awaitable[object]) -> object:
            task = asyncio.ensure_future(future, loop=self)  # noqa: TID251
            task.add_done_callback(self._end)
            self.run_forever()
            if not task.done():
                raise RuntimeError("The loop was stopped before its task was done.")
            return task.result()

        def _end(self, _task: object) -> None:
            self.stop()

    return PausedLoop(app)


_keep_alive: list[object] = []
PRIVATE = PrivateFormatter(FORMAT)


class UnexpectedLogs(logging.Handler):
    """Collects records: of the program all, of libraries those that a user would see."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@pytest.fixture(autouse=True)
def unexpected_logs(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fails the test when anything logs a warning or an error that no `expects_log` names.

    And when a log holds a secret or a line of a story, whoever expects it.
    """
    handler = UnexpectedLogs()
    root = logging.getLogger()
    root.addHandler(handler)
    yield
    root.removeHandler(handler)
    expected = [
        mark.args[0] if mark.args else "" for mark in request.node.iter_markers("expects_log")
    ]
    unexpected = [
        f"{record.levelname} {record.name}: {record.getMessage()}"
        for record in handler.records
        if record.levelno >= logging.WARNING
        and not any(record.name.startswith(name) for name in expected)
    ]
    told = map(PRIVATE.format, handler.records)
    if any(map(secret_in, told)):
        pytest.fail("A log holds a secret or a line of a story.", pytrace=False)
    if unexpected:
        pytest.fail("Unexpected log records:\n" + "\n".join(unexpected), pytrace=False)


@pytest.fixture(scope="session", autouse=True)
def planted_tokens() -> Iterator[None]:
    """Lets every token of a bridge be known where it must not be."""
    real, app = secrets.token_urlsafe, logging.getLogger("app")
    before = app.level
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secrets, "token_urlsafe", lambda size: TOKEN + real(size))
        app.setLevel(logging.DEBUG)
        yield
        app.setLevel(before)


@pytest.fixture(scope="session", autouse=True)
def own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keeps the program out of the user's real folders, should a test forget to name its own."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for variable in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
            patch.setenv(variable, str(home / variable.lower()))
        yield


@pytest.fixture
def demo_tavern(tmp_path: Path) -> WrittenTavern:
    """A copy of the demo tavern that the test may change."""
    data = tmp_path / "demo" / "data"
    shutil.copytree(RESOURCES / "demo" / "data", data)
    user_folder = data / "default-user"
    [chat] = user_folder.glob("chats/*/*.jsonl")
    cards = tuple(sorted(user_folder.glob("characters/*.png")))
    return WrittenTavern(user_folder=user_folder, chat=chat, cards=cards)
