"""Commands speak the user's language to people, and English to scripts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.commands import main
from app.core import translation
from app.core.chosen_language import VARIABLE


@pytest.fixture(autouse=True)
def english_again() -> Iterator[None]:
    yield
    translation.use(translation.ENGLISH)


class Doctor:
    def __init__(
        self, folder: Path, capture: pytest.CaptureFixture[str], environment: pytest.MonkeyPatch
    ) -> None:
        self.folder, self.capture, self.environment = folder, capture, environment

    def says(self, language: str, *options: str) -> str:
        """What `doctor` prints where no SillyTavern is."""
        self.environment.setenv(VARIABLE, language)
        places = ["--data-dir", str(self.folder / "own"), "--tavern", str(self.folder / "none")]
        main(["doctor", *places, *options])
        return self.capture.readouterr().out


@pytest.fixture
def doctor(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Doctor:
    return Doctor(tmp_path, capsys, monkeypatch)


def test_people_read_their_own_language(doctor: Doctor) -> None:
    assert "gibt es nicht" in doctor.says("de")
    assert "does not exist" in doctor.says("en")


def test_json_is_the_same_in_every_language(doctor: Doctor) -> None:
    english = doctor.says("en", "--json")
    assert "does not exist" in english
    assert doctor.says("de", "--json") == english


def test_help_and_wrong_use_are_in_the_language_of_the_rest(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "de")
    main(["recap", "--help"])
    said = capsys.readouterr().out
    main(["recap"])
    said += capsys.readouterr().err
    assert "Aufruf: " in said
    assert "es fehlt: CHAT" in said
    for english in ("usage:", "options:", "arguments", "show this help", "error:"):
        assert english not in said
