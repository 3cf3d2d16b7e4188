"""The language is chosen before anything is read, and stays chosen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core import translation
from app.core.chosen_language import VARIABLE, ChosenLanguage, use_chosen
from app.core.errors import StoreError


@pytest.fixture(autouse=True)
def a_system_in_german(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv(VARIABLE)
    for name in ("LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    yield
    translation.use(translation.ENGLISH)


def test_what_was_chosen_holds_from_the_next_start(tmp_path: Path) -> None:
    ChosenLanguage(tmp_path).put("en")
    use_chosen(["--data-dir", str(tmp_path)])
    assert translation.language() == "en"
    ChosenLanguage(tmp_path).put("de")
    use_chosen(["scenes", f"--data-dir={tmp_path}", "chat"])
    assert translation.language() == "de"


def test_without_a_choice_the_system_chooses(tmp_path: Path) -> None:
    use_chosen(["--data-dir", str(tmp_path / "not there")])
    assert translation.language() == "de"
    assert not (tmp_path / "not there").exists()


def test_the_environment_overrides_the_choice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ChosenLanguage(tmp_path).put("de")
    monkeypatch.setenv(VARIABLE, "en")
    use_chosen(["--data-dir", str(tmp_path)])
    assert translation.language() == "en"


@pytest.mark.parametrize("held", [b"\xff\xfe", b"../../etc", b"", b"d" * 10_000])
def test_a_file_that_says_nothing_useful_leaves_the_system_s(tmp_path: Path, held: bytes) -> None:
    (tmp_path / "language").write_bytes(held)
    assert ChosenLanguage(tmp_path).get() == translation.SYSTEM


def test_a_choice_that_cannot_be_kept_is_told(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be written"):
        ChosenLanguage(tmp_path / "not there").put("de")
