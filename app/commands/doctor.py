"""`tavernkeep doctor`: looks at every part and says what is wrong and what to do."""

from __future__ import annotations

import argparse
import asyncio
import platform
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from app.commands.tavern_options import add_tavern, chosen_taverns
from app.commands.terminal.output import show
from app.core.errors import TavernkeepError
from app.core.paths import Folders, user_folders
from app.core.silent_drives import is_silent
from app.core.translation import N_, tr, trn
from app.llm.tokenizer import counter_for
from app.settings.models import MODEL_SETTINGS
from app.settings.program import ProgramSettings
from app.settings.values import Settings
from app.sillytavern.bridge import bridge_installer
from app.store.store import Store
from app.views.taverns import Tavern
from app.work.scheduling.health import SILENT

HELP = N_("check every part and say what to do")
EXAMPLE = "doctor"
_WORDS = {True: N_("good"), False: N_("LOOK")}
_PARTS = {
    "python": N_("Python"),
    "database": N_("Database"),
    "model": N_("Model"),
    "tokenizer": N_("Tokenizer"),
    "sillytavern": N_("SillyTavern"),
    "bridge": N_("Bridge"),
    "file": N_("File"),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One part of the program. sentence: what was found, and what to do when it is not good."""

    part: str
    is_good: bool
    sentence: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command."""
    add_tavern(parser)


async def run(options: argparse.Namespace) -> int:
    """Print the findings; 1 when one of them keeps Tavernkeep from working."""
    folders = user_folders(options.data_dir)
    findings = [_python(), *await _store(folders), await asyncio.to_thread(_tokenizer)]
    try:
        taverns = await chosen_taverns(options)
    except TavernkeepError as error:
        findings.append(Finding("sillytavern", False, str(error)))
    else:
        findings += await asyncio.to_thread(_taverns, taverns)
    show(
        options,
        {
            "findings": [
                {"part": f.part, "good": f.is_good, "sentence": f.sentence} for f in findings
            ]
        },
        (f"{tr(_WORDS[f.is_good])}  {tr(_PARTS[f.part])}: {f.sentence}" for f in findings),
    )
    needed = {"database"} if options.tavern is None else {"database", "sillytavern"}
    is_broken = any(not f.is_good and f.part in needed for f in findings)
    return 1 if is_broken else 0


def _python() -> Finding:
    return Finding(
        "python",
        True,
        tr("{version} on {system}", version=platform.python_version(), system=sys.platform),
    )


async def _store(folders: Folders) -> list[Finding]:
    store = Store(folders.database, backups=folders.backups)
    try:
        await store.open()
        settings = Settings(await store.run(store.settings.load))
    except TavernkeepError as error:
        return [Finding("database", False, str(error))]
    finally:
        await store.aclose()
    own = [f"{kind.label}: {settings[kind.name]}" for kind in MODEL_SETTINGS if settings[kind.name]]
    models = "; ".join((ProgramSettings(settings).backend, *own))
    return [
        Finding("database", True, str(folders.database)),
        Finding("model", True, models),
    ]


def _tokenizer() -> Finding:
    counter = counter_for()
    if counter.is_exact:
        return Finding("tokenizer", True, counter.encoding)
    return Finding("tokenizer", False, tr("Its files are missing: token counts are estimates."))


def _taverns(taverns: Sequence[Tavern]) -> list[Finding]:
    if not taverns:
        sentence = tr(
            "SillyTavern was not found. Say where it is: --tavern PATH, or in the window."
        )
        return [Finding("sillytavern", False, sentence)]
    findings = []
    for tavern in taverns:
        found = _contents(tavern)
        if is_silent(tavern.user_folder):
            found = f"{found}; {tr(SILENT)}"
        findings.append(Finding("sillytavern", True, found))
        findings += [Finding("file", False, problem.sentence) for problem in tavern.problems]
        state = bridge_installer.status(tavern.user_folder)
        is_at_work = state.installed and not state.is_switched_off
        findings.append(Finding("bridge", is_at_work, state.sentence))
    return findings


def _contents(tavern: Tavern) -> str:
    return tr(
        "{folder}: {characters}, {groups}, {chats}",
        folder=tavern.user_folder,
        characters=trn("{n} character", "{n} characters", len(tavern.characters)),
        groups=trn("{n} group", "{n} groups", len(tavern.groups)),
        chats=trn("{n} chat", "{n} chats", len(tavern.chats)),
    )
