"""What the page of prompts says."""

from __future__ import annotations

import time

from app.core.translation import N_, number, tr, trn
from app.llm.backends.specs import BUILTIN, parse_spec
from app.llm.prompts.prompt_files import SCENE_AND_FOLD, STAGES
from app.llm.prompts.prompt_library import PromptTask
from app.llm.prompts.prompt_presets import Imported
from ui.controls.dates import time_words

NO_PRESET = N_("Your prompts")
SAVING = N_(
    "What is finished stays as it is. What waits in the queue is written with the new prompt; what "
    "is being written now ends with the old one."
)
REDO = N_("To have a recap made anew, redo it on the page Recaps.")
SAVING_BREAKS = N_(
    "Breaks that were found stay. What waits in the queue is asked with the new prompt, and so are "
    "stretches that gave no break before: that costs requests."
)
NO_MODEL = N_("No model is chosen: until one is, recaps are made without prompts.")
SYSTEM_HELP = N_("The same at each call: what the model is, and what it answers with.")
USER_HELP = N_("Asked each time, with what the inputs stand for.")


def state_word(task: PromptTask) -> str:
    """Whose prompt is in force, for a row of the list."""
    if task.problem:
        return tr("Yours cannot be used, ours is")
    if task.is_outdated:
        return tr("Yours, ours is newer")
    return tr("Yours") if task.is_yours else tr("Ours")


def state_sentence(task: PromptTask, *, draft_saved: float | None) -> str:
    """Whose prompt is in force, and whether something else is being written."""
    if task.problem:
        said = f"{task.problem} {tr('Ours is used.')}"
    elif task.is_outdated:
        said = tr(
            "Yours is in force. Ours is newer than the one you changed: version {version}.",
            version=task.version,
        )
    elif task.is_yours:
        said = tr("Yours is in force.")
    else:
        said = tr("Ours is in force, version {version}.", version=task.version)
    if draft_saved is not None:
        when = time_words(draft_saved, now=time.time())
        draft = tr("What you write is a draft, kept at {when}, until you save it.", when=when)
        said = f"{said} {draft}"
    return said


def saving_words(task: str, backend: str) -> str:
    """What a changed prompt does to what is done and to what waits."""
    said = tr(SAVING_BREAKS) if task == "detect_breaks" else tr(SAVING)
    if task.endswith("_recap") or task in (SCENE_AND_FOLD, *STAGES):
        said = f"{said} {tr(REDO)}"
    return f"{tr(NO_MODEL)} {said}" if parse_spec(backend).kind == BUILTIN else said


def imported_words(done: Imported) -> str:
    """What an import did."""
    said = []
    if done.added:
        said.append(
            tr(
                "Taken in: {names}. None is in force before you choose it.",
                names=_names(done.added),
            )
        )
    if done.replaced:
        said.append(tr("Replaced: {names}.", names=_names(done.replaced)))
    if done.kept:
        said.append(tr("Here already, and left as it is: {names}.", names=_names(done.kept)))
    if done.unknown:
        said.append(
            tr(
                "Left out, since this Tavernkeep does not know it: {names}.",
                names=", ".join(done.unknown),
            )
        )
    return " ".join(said) or tr("The file holds no presets.")


def summary(tasks: tuple[PromptTask, ...], preset: str) -> str:
    """How many are whose, in one sentence."""
    yours = sum(task.is_yours and not task.problem for task in tasks)
    broken = sum(bool(task.problem) for task in tasks)
    newer = sum(task.is_outdated for task in tasks)
    fields = {"count": number(len(tasks)), "yours": number(yours), "preset": preset}
    if preset and yours:
        said = tr("{count} prompts, {yours} of them yours, in the preset “{preset}”.", **fields)
    elif preset:
        said = tr("{count} prompts, all of them ours, in the preset “{preset}”.", **fields)
    elif yours:
        said = tr("{count} prompts, {yours} of them yours.", **fields)
    else:
        said = tr("{count} prompts, all of them ours.", **fields)
    sentences = [said]
    if newer:
        sentences.append(
            trn(
                "Of {n}, ours is newer than the one you changed.",
                "Of {n}, ours is newer than the one you changed.",
                newer,
            )
        )
    if broken:
        sentences.append(
            trn(
                "{n} of yours cannot be used: ours is.",
                "{n} of yours cannot be used: ours is.",
                broken,
            )
        )
    return " ".join(sentences)


def _names(names: tuple[str, ...]) -> str:
    shown = [f"“{name}”" for name in names[:5]]
    said = ", ".join(shown)
    if len(names) <= 5:
        return said
    return trn("{names} and {n} more", "{names} and {n} more", len(names) - 5, names=said)
