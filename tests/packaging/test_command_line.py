"""What the command `test` runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from provision.command_line import kept_bytecode, pytest_arguments


def test_all_tests_run_on_all_processors_and_chosen_ones_as_they_are_chosen() -> None:
    assert pytest_arguments([]) == ["-n", "auto"]
    assert pytest_arguments(["tests/app", "-k", "scene"]) == ["tests/app", "-k", "scene"]
    assert pytest_arguments(["tests/ui", "--fast", "-x"]) == [
        *("-n", "auto", "-m", "fast"),
        *("tests/ui", "-x"),
    ]


def test_what_python_compiles_is_kept_where_it_would_not_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    assert kept_bytecode() == {}
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    kept = kept_bytecode()
    assert kept["PYTHONDONTWRITEBYTECODE"] == ""
    assert tmp_path in Path(kept["PYTHONPYCACHEPREFIX"]).parents
