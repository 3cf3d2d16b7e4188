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
    "Finished work stays as it is. Waiting work uses the new prompt; what is being written right "
    "now still uses the old one."
)
REDO = N_("To write a recap again, redo it on the page Recaps.")
SAVING_BREAKS = N_(
    "Scene breaks found so far stay. Waiting requests use the new prompt, and stretches where no "
    "break was found are asked again, which costs requests."
)
NO_MODEL = N_("No model is chosen. Until you choose one, recaps are made without prompts.")
SYSTEM_HELP = N_("The same with each request: what the model is and how it answers.")
USER_HELP = N_("Sent with each request, with the inputs filled in.")


def state_word(task: PromptTask) -> str:
    """Whose prompt is in force, for a row of the list."""
    if task.problem:
        return tr("Yours cannot be used, original in use")
    if task.is_outdated:
        return tr("Yours, original is newer")
    return tr("Yours") if task.is_yours else tr("Original")


def state_sentence(task: PromptTask, *, draft_saved: float | None) -> str:
    """Whose prompt is in force, and whether something else is being written."""
    if task.problem:
        said = f"{task.problem} {tr('Using the original.')}"
    elif task.is_outdated:
        said = tr(
            "Yours is in use. The original is newer than the one you changed: version {version}.",
            version=task.version,
        )
    elif task.is_yours:
        said = tr("Yours is in use.")
    else:
        said = tr("Using the original, version {version}.", version=task.version)
    if draft_saved is not None:
        when = time_words(draft_saved, now=time.time())
        draft = tr("This is a draft, saved at {when}. It is not used until you save it.", when=when)
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
                "Imported: {names}. Each is used only once you choose it.",
                names=_names(done.added),
            )
        )
    if done.replaced:
        said.append(tr("Replaced: {names}.", names=_names(done.replaced)))
    if done.kept:
        said.append(tr("Already here, left as it is: {names}.", names=_names(done.kept)))
    if done.unknown:
        said.append(
            tr(
                "Skipped because this version of Tavernkeep does not know it: {names}.",
                names=", ".join(done.unknown),
            )
        )
    return " ".join(said) or tr("The file contains no presets.")


def summary(tasks: tuple[PromptTask, ...], preset: str) -> str:
    """How many are whose, in one sentence."""
    yours = sum(task.is_yours and not task.problem for task in tasks)
    broken = sum(bool(task.problem) for task in tasks)
    newer = sum(task.is_outdated for task in tasks)
    fields = {"count": number(len(tasks)), "yours": number(yours), "preset": preset}
    if preset and yours:
        said = tr("{count} prompts, {yours} of them yours, in the preset “{preset}”.", **fields)
    elif preset:
        said = tr("{count} prompts, all original, in the preset “{preset}”.", **fields)
    elif yours:
        said = tr("{count} prompts, {yours} of them yours.", **fields)
    else:
        said = tr("{count} prompts, all original.", **fields)
    sentences = [said]
    if newer:
        sentences.append(
            trn(
                "The original of {n} is newer than the one you changed.",
                "The originals of {n} are newer than the ones you changed.",
                newer,
            )
        )
    if broken:
        sentences.append(
            trn(
                "{n} of yours cannot be used; the original is used instead.",
                "{n} of yours cannot be used; the originals are used instead.",
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
