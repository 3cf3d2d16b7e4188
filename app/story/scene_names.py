"""What scenes are called: by the user, else by the model, else by a cue; no two alike. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from app.story.name_ends import name_ended
from app.story.recap_texts.recap_text import Recap, parse_recap
from app.story.recaps import YOU, SceneRecap
from app.story.scenes import LONGEST_NAME, BreakOrigin, Scene, automatic_name

# Characters of a sentence that is put behind a name which two scenes would have.
LEAST_ADDITION, LONGEST_ADDITION = 12, 28
JOINT = " – "
OLD_RANGE = re.compile(r"\s+\(?(\d{1,6})\s?[-–]\s?(\d{1,6})\)?$")


def chosen_name(scene: Scene, versions: Sequence[SceneRecap]) -> str:
    """The name of a scene by itself, "" for none.

    What the user called it, or its chat, goes before the name that a model gave; that goes before
    what a cue found, and before the words that a recap without a model begins with.
    versions: of its recap, oldest first.
    """
    if scene.closing is None:
        return ""
    recap = next((recap for recap in versions if recap.is_current), None)
    if recap is None or not recap.name or scene.closing.has_given_name:
        return scene.name or (recap.name if recap else "")
    return recap.name if _is_of_a_model(recap, versions) else scene.name or recap.name


def _is_of_a_model(recap: SceneRecap, versions: Sequence[SceneRecap]) -> bool:
    """Whether a model gave the name; a recap by hand keeps that of the one before it."""
    named = [other for other in versions if other.name == recap.name and other.made_by != YOU]
    return any(not other.is_without_model for other in named)


def scene_names(
    scenes: Sequence[Scene], recaps: Mapping[str, Sequence[SceneRecap]], *, with_ranges: bool
) -> dict[int, str]:
    """Names of all closed scenes by number, "" for those that have none.

    Names that the user gave stay as they are. Of others that are alike, the first keeps its name
    and the later ones get what sets them apart behind it. with_ranges: message numbers do that.
    """
    names: dict[int, str] = {}
    taken = set[str]()
    for scene in scenes:
        if scene.closing is not None and scene.closing.has_given_name:
            name = given_name(scene)
            names[scene.number] = name
            taken.add(name.casefold())
    for scene in scenes:
        if scene.closing is None or scene.number in names:
            continue
        versions = recaps.get(scene.closing.anchor, ())
        name = chosen_name(scene, versions)
        if name and with_ranges:
            name = automatic_name(name, scene)
        elif name:
            short = automatic_name(name)
            options = (short, *_set_apart(short, scene, versions))
            name = next((one for one in options if one.casefold() not in taken), options[-1])
        names[scene.number] = name
        taken.add(name.casefold())
    return names


def given_name(scene: Scene) -> str:
    """A name that was found in the chat, without the numbers of messages that the extension put
    behind it: they were those of then (spec/auto-recap.md §11, 5).
    """
    found = OLD_RANGE.search(scene.name)
    if found is None or scene.closing is None or scene.closing.origin is not BreakOrigin.IMPORT:
        return scene.name
    first, last = int(found[1]), int(found[2])
    is_range = first <= last <= 2 * scene.last + 20  # and no years
    return scene.name[: found.start()] if is_range and found.start() else scene.name


def _set_apart(name: str, scene: Scene, versions: Sequence[SceneRecap]) -> Iterator[str]:
    """The name with what may set the scene apart: its other names, how its recap begins, at last
    which of the story it is. Two pieces of names tell less than one name: where both have no room,
    another name stands alone, and a sentence is left out.
    """
    recap = next((recap for recap in versions if recap.is_current), None)
    for other in map(automatic_name, (scene.name, *(version.name for version in versions))):
        if other and other.casefold() not in name.casefold():
            both = f"{name}{JOINT}{other}"
            yield both if len(both) <= LONGEST_NAME else other
    told = parse_recap(recap.text) if recap is not None else Recap()
    for sentence in (*told.developments, *told.state, *told.open):
        addition = _begun(sentence, min(LONGEST_ADDITION, LONGEST_NAME - len(JOINT) - len(name)))
        if len(addition) >= LEAST_ADDITION and addition.casefold() not in name.casefold():
            yield f"{name}{JOINT}{addition}"
    yield f"{_begun(name, LONGEST_NAME - 8)} ({scene.number})"


def _begun(text: str, longest: int = LONGEST_ADDITION) -> str:
    """The beginning of a text, cut between words where that can be done."""
    text = " ".join(text.split()).strip("\"'")
    if len(text) <= longest:
        return text.rstrip(".")
    cut = text[: max(0, longest - 1)]
    whole = cut.rsplit(" ", 1)[0] if " " in cut else cut
    return name_ended(whole, is_cut=True).rstrip(" ,;:.") + "…"
