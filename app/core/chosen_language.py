"""The language that the user chose, in a file of its own: it is known before all else is there."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from app.core import translation
from app.core.paths import data_folder
from app.core.translation import N_, SYSTEM, languages, tr
from app.core.value_file import ValueFile

VARIABLE = "TAVERNKEEP_LANGUAGE"
NAME = "language"
OPTION = "--data-dir"
# What argparse says by itself, as far as people meet it. It looks each text up in a function of its
# own module, which knows no catalogue of ours.
WORDS_OF_ARGPARSE = (
    N_("usage: "),
    N_("positional arguments"),
    N_("options"),
    N_("show this help message and exit"),
    N_("%(prog)s: error: %(message)s\n"),
    N_("the following arguments are required: %s"),
    N_("unrecognized arguments: %s"),
    N_("argument %(argument_name)s: %(message)s"),
    N_("invalid choice: %(value)r (choose from %(choices)s)"),
    N_("invalid %(type)s value: %(value)r"),
    N_("expected one argument"),
    N_("expected at least one argument"),
)


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
    argparse._ = tr  # type: ignore[attr-defined]


def _folder_among(words: Sequence[str]) -> Path | None:
    """The data folder that is asked for, before the command line is understood."""
    for place, word in enumerate(words):
        name, is_equal, value = word.partition("=")
        if name == OPTION and is_equal:
            return Path(value)
        if name == OPTION and place + 1 < len(words):
            return Path(words[place + 1])
    return None
