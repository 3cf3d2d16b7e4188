"""What the page of prompts says."""

from __future__ import annotations

import time

from app.llm.prompt_files import STAGES
from app.llm.prompt_library import PromptTask
from app.llm.prompt_presets import Imported
from app.llm.specs import BUILTIN, parse_spec
from ui.inspector.words import short_time

NO_PRESET = "Your prompts"
SAVING = (
    "What is finished stays as it is. What waits in the queue is written with the new prompt; what "
    "is being written now ends with the old one."
)
REDO = "To have a recap made anew, redo it on the page Recaps."
SAVING_BREAKS = (
    "Breaks that were found stay. What waits in the queue is asked with the new prompt, and so are "
    "stretches that gave no break before: that costs requests."
)
NO_MODEL = "No model is chosen: until one is, recaps are made without prompts."
SYSTEM_HELP = "The same at each call: what the model is, and what it answers with."
USER_HELP = "Asked each time, with what the inputs stand for."


def state_word(task: PromptTask) -> str:
    """Whose prompt is in force, for a row of the list."""
    if task.problem:
        return "Yours cannot be used, ours is"
    if task.is_outdated:
        return "Yours, ours is newer"
    return "Yours" if task.is_yours else "Ours"


def state_sentence(task: PromptTask, *, draft_saved: float | None) -> str:
    """Whose prompt is in force, and whether something else is being written."""
    if task.problem:
        said = f"{task.problem} Ours is used."
    elif task.is_outdated:
        said = f"Yours is in force. Ours is newer than the one you changed: version {task.version}."
    elif task.is_yours:
        said = "Yours is in force."
    else:
        said = f"Ours is in force, version {task.version}."
    if draft_saved is not None:
        when = short_time(draft_saved, now=time.time())
        said += f" What you write is a draft, kept at {when}, until you save it."
    return said


def saving_words(task: str, backend: str) -> str:
    """What a changed prompt does to what is done and to what waits."""
    said = SAVING_BREAKS if task == "detect_breaks" else SAVING
    if task.endswith("_recap") or task in STAGES:
        said = f"{said} {REDO}"
    return f"{NO_MODEL} {said}" if parse_spec(backend).kind == BUILTIN else said


def imported_words(done: Imported) -> str:
    """What an import did."""
    said = []
    if done.added:
        said.append(f"Taken in: {_names(done.added)}. None is in force before you choose it.")
    if done.replaced:
        said.append(f"Replaced: {_names(done.replaced)}.")
    if done.kept:
        said.append(f"Here already, and left as it is: {_names(done.kept)}.")
    if done.unknown:
        said.append(f"Left out, since this Tavernkeep does not know it: {', '.join(done.unknown)}.")
    return " ".join(said) or "The file holds no presets."


def summary(tasks: tuple[PromptTask, ...], preset: str) -> str:
    """How many are whose, in one sentence."""
    yours = sum(task.is_yours and not task.problem for task in tasks)
    broken = sum(bool(task.problem) for task in tasks)
    newer = sum(task.is_outdated for task in tasks)
    said = f"{len(tasks)} prompts, " + (f"{yours} of them yours" if yours else "all of them ours")
    said += f", in the preset “{preset}”." if preset else "."
    if newer:
        said += f" Of {newer}, ours is newer than the one you changed."
    if broken:
        said += f" {broken} of yours cannot be used: ours is."
    return said


def _names(names: tuple[str, ...]) -> str:
    shown = [f"“{name}”" for name in names[:5]]
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return ", ".join(shown) + more
