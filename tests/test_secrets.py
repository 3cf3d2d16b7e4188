"""No key, token, cookie or story text in anything that is written to be read by others.

Logs are looked through after each test, and all files that the tests have made the program write
when the last is over (both in conftest.py).
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from app.core.errors import StoreError
from app.core.private_log import FORMAT, PrivateFormatter
from tests.fakes import BROKEN, MODEL, FakeLlm
from tests.killing import ROOT
from tests.labelled import WrittenTavern
from tests.planted import TOKEN, files_with_secrets, secret_in, story_texts

KEY = "sk-planted-abcdef"


def formatted(error: BaseException) -> str:
    record = logging.LogRecord("app", logging.ERROR, "", 0, "It failed", (), None)
    record.exc_info = (type(error), error, error.__traceback__)
    return PrivateFormatter(FORMAT).format(record)


@pytest.mark.weakness(51)
def test_a_logged_error_tells_its_place_and_not_what_it_quotes() -> None:
    try:
        try:
            int("She never told him.")
        except ValueError as error:
            raise KeyError("The letter is hers.") from error
    except KeyError as error:
        told = formatted(error)
    assert "test_secrets.py" in told
    assert "KeyError\nbecause of\n" in told
    assert "ValueError" in told
    assert "never told" not in told.replace('int("She never told him.")', "")
    assert "hers" not in told.replace('raise KeyError("The letter is hers.")', "")


def test_what_is_said_in_words_of_our_own_is_logged() -> None:
    assert formatted(StoreError("The disk is full.")).endswith("StoreError: The disk is full.")


def test_errors_that_go_round_in_a_circle_come_to_an_end() -> None:
    one, other = ValueError("x"), ValueError("y")
    one.__cause__, other.__cause__ = other, one
    assert formatted(one).count("ValueError") <= 10


@pytest.mark.slow
def test_nothing_that_a_command_says_of_a_fault_holds_a_key_or_the_story(
    demo_tavern: WrittenTavern, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server fails and repeats what it was sent; the commands say what is wrong."""
    monkeypatch.setenv("TAVERNKEEP_API_KEY", KEY)
    own = tmp_path / "own"
    with FakeLlm(lambda request: BROKEN) as llm:
        llm.error_for = lambda request: f"{request.key} may not ask: {request.text}"
        words = ["recap", str(demo_tavern.chat), "--llm", f"openai:{MODEL}@{llm.url}"]
        commands = (words, ["doctor", "--tavern", str(demo_tavern.user_folder.parent)])
        for command in commands:
            done = subprocess.run(
                [sys.executable, "-m", "app", *command, "--data-dir", str(own)],
                cwd=ROOT,
                capture_output=True,
                text=True,
                timeout=50,
                check=False,
            )
            assert KEY not in done.stdout
            assert secret_in(done.stderr) == ""
        assert llm.requests[0].key.endswith(KEY)
    assert list(files_with_secrets(own)) == []


def test_the_look_for_secrets_finds_them(tmp_path: Path) -> None:
    assert secret_in(f"refused: {KEY}") == KEY
    assert secret_in(f"a page with {TOKEN}x came") == f"{TOKEN}x"
    assert secret_in(f"“{story_texts()[-1]}”") == story_texts()[-1]
    assert secret_in("SillyTavern's page is no longer connected.") == ""
    (tmp_path / "report.txt").write_text(f"key: {KEY}")
    (tmp_path / "keys.json").write_text(json.dumps({"url": KEY}))
    assert [path.name for path in files_with_secrets(tmp_path)] == ["report.txt"]
    (tmp_path / "report.txt").unlink()


SUITE = """
import pytest

@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("own")
    yield folder
    (folder / "late.txt").write_text({late!r})

@pytest.mark.parametrize("number", range(4))
def test_that_passes(number, folder, tmp_path):
    (tmp_path / f"note-{{number}}.txt").write_text({early!r} if number == 2 else "")
"""


def outcome_of(suite: Path, *, early: str = "", late: str = "", workers: int) -> tuple[int, str]:
    """How a small suite ends, and what it says, that writes this during a test and after the last.

    Its folder is taken away again: what lies there must not be found when this suite ends.
    """
    suite.mkdir()
    (suite / "pytest.ini").write_text("[pytest]")
    hooks = "pytest_sessionfinish, pytest_terminal_summary"
    (suite / "conftest.py").write_text(f"from tests.conftest import {hooks}")
    (suite / "test_planted.py").write_text(SUITE.format(early=early, late=late))
    words = ["-n", str(workers), "-p", "no:cacheprovider", "--basetemp", str(suite / "temp")]
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "--rootdir", str(suite), *words, str(suite)],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=50,
            check=False,
        )
    finally:
        shutil.rmtree(suite)
    assert "4 passed" in done.stdout
    return done.returncode, done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("workers", [0, 2])
def test_a_key_in_a_file_of_any_worker_fails_a_suite_whose_tests_pass(
    tmp_path: Path, workers: int
) -> None:
    code, said = outcome_of(tmp_path / "suite", early=f"key: {KEY}", workers=workers)
    assert code == 1
    assert "note-2.txt" in said
    code, said = outcome_of(tmp_path / "suite", late=f"{TOKEN}abc", workers=workers)
    assert code == 1
    assert "late.txt" in said
    assert outcome_of(tmp_path / "suite", workers=workers)[0] == 0
