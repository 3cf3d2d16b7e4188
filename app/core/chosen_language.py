"""The language that the user chose, in a file of its own: it is known before all else is there."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from app.core import translation
from app.core.paths import data_folder
from app.core.translation import SYSTEM, languages
from app.core.value_file import ValueFile

VARIABLE = "TAVERNKEEP_LANGUAGE"
NAME = "language"
OPTION = "--data-dir"


class ChosenLanguage:
    """A code of `translation.languages`, or "system". data: folder of our own files."""

    def __init__(self, data: Path) -> None:
        self._file = ValueFile(data / NAME)

    def get(self) -> str:
        """What was chosen; "system" where nothing was, or it cannot be read."""
        code = self._file.read()
        return code if code in languages() else SYSTEM

    def put(self, code: str) -> None:
        """Choose for the next start. Raises StoreError."""
        self._file.write(code)


def use_chosen(words: Sequence[str]) -> None:
    """Speak the language of the environment, else the chosen one. words: of the command line."""
    wanted = os.environ.get(VARIABLE, "").strip().lower()
    if wanted not in (*languages(), SYSTEM):
        wanted = ChosenLanguage(data_folder(_folder_among(words))).get()
    translation.use(wanted)


def _folder_among(words: Sequence[str]) -> Path | None:
    """The data folder that is asked for, before the command line is understood."""
    for place, word in enumerate(words):
        name, is_equal, value = word.partition("=")
        if name == OPTION and is_equal:
            return Path(value)
        if name == OPTION and place + 1 < len(words):
            return Path(words[place + 1])
    return None
