"""The running recap with numbered entries, and the changes that a model makes to them. Pure.

A model that merges is shown the entries of the running recap, each with its number behind it:

    STATE
    <A> is at <place>. [7]

and answers with what becomes of them: those it drops, those it replaces or joins, and what else
there is to add. All others stay word for word, and the entries of the new scene come behind them.
Where there is too little room for all, the scene's entries have numbers, too.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from app.core.translation import N_
from app.story.answers.lenient_json import find_object, is_whole
from app.story.answers.refusals import is_refusal
from app.story.answers.task_answers import LIST_KEYS, REFUSAL, Unreadable, read_items, read_running
from app.story.recap_texts.pinned import holds
from app.story.recap_texts.recap_length import entries_in
from app.story.recap_texts.recap_text import Recap, clean_items, fitted

NUMBER = re.compile(r"\s*\[(\d{1,3})\]\s*$")  # behind an entry
DIGITS = re.compile(r"\W{0,3}(\d{1,3})\W{0,3}")
CHANGE_KEYS = ("drop", "replace", "add")
ENTRY_KEYS = ("entries", "entry", "numbers", "number")
SHOWN_FIRST = ("state", "open", "developments")  # where there is no room for all of them
JOINED = 0.9  # so many tokens, where others have become part of them
MOST_GONE = 0.7  # of the entries: more cannot go at once without a loss
LEAST_LEFT = 0.5  # of what there is room for: less is a loss, whoever wrote it
SHORT = 120  # tokens of recap and scene together: of so little one change may be the half
HARD_BOUND = 1.5  # times its room: what a version has over that is left out, and it says so

WRONG_NUMBER = N_("with changes to an entry that does not exist")
TWICE = N_("with two changes to the same entry")
NO_TEXT = N_("with a change that has no text")


@dataclass(frozen=True, slots=True)
class Numbered:
    """A running recap as a model is shown it.

    text: the headed blocks, with numbers. places: (field, index in it) by number. hidden: as many
    of the oldest developments as there was no room for; they stay as they are. scene: the recap of
    the new scene as it is shown; in_scene: the same as places of its entries.
    """

    text: str
    places: Mapping[int, tuple[str, int]]
    hidden: int = 0
    scene: str = ""
    in_scene: Mapping[int, tuple[str, int]] = field(default_factory=dict)

    @property
    def numbers(self) -> frozenset[int]:
        """All that an answer may name."""
        return frozenset((*self.places, *self.in_scene))


@dataclass(frozen=True, slots=True)
class Replaced:
    """Entries, one or several, in whose place one other stands: where the first of them was."""

    numbers: tuple[int, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Changes:
    """What becomes of a running recap's entries; those it does not speak of stay."""

    drop: frozenset[int] = frozenset()
    replace: tuple[Replaced, ...] = ()
    add: Recap = field(default_factory=Recap)


def numbered(
    recap: Recap, room: int, count: Callable[[str], int], pinned: Collection[str] = ()
) -> Numbered:
    """The recap with a number behind each entry, in at most `room` tokens.

    pinned: sentences that have to stay: an entry that says one has no number. Where there is too
    little room, the oldest developments are not shown, then the oldest of what is open.
    """
    left: dict[str, int] = {}
    for name in SHOWN_FIRST:
        items = getattr(recap, name)
        spent, kept = 4, 0
        for item in reversed(items):
            spent += count(item) + 6
            if spent > room:
                break
            kept += 1
        left[name] = len(items) - kept
        room -= spent if kept else 0
    text, places = _blocks(recap, left, pinned, 1)
    return Numbered(text, places, sum(left.values()))


def with_scene(shown: Numbered, scene: Recap, pinned: Collection[str] = ()) -> Numbered:
    """The same where the entries of a scene have to give way, too: their numbers go on."""
    text, places = _blocks(scene, {}, pinned, len(shown.places) + 1)
    return replace(shown, scene=text, in_scene=places)


def _blocks(
    recap: Recap, left: Mapping[str, int], pinned: Collection[str], first: int
) -> tuple[str, dict[int, tuple[str, int]]]:
    """The headed entries with numbers from `first` on, and their places. left: as many of each
    field are left out.
    """
    places: dict[int, tuple[str, int]] = {}
    blocks: list[str] = []
    for name in ("developments", "open", "state"):
        lines = []
        for index, item in enumerate(getattr(recap, name)):
            if index < left.get(name, 0):
                continue
            if any(holds(item, sentence) for sentence in pinned):
                lines.append(item)
            else:
                number = first + len(places)
                places[number] = name, index
                lines.append(f"{item} [{number}]")
        if lines:
            blocks.append("\n".join((name.upper(), *lines)))
    return "\n\n".join(blocks), places


def read_merged(text: str, shown: Numbered) -> Changes | Recap:
    """An answer to running_recap: changes, or the whole recap anew. Raises Unreadable.

    Changes are refused whole where one of them is about an entry that has no such number, or
    about one that another is about.
    """
    answer = find_object(text, ("changes", "recap", *CHANGE_KEYS))
    inner = answer.get("changes") if answer else None
    changes = inner if isinstance(inner, dict) else answer
    if changes is None or not any(key in changes for key in CHANGE_KEYS):
        return without_numbers(read_running(text))
    drop = _numbers(changes.get("drop"))
    replaced = tuple(_replaced(changes.get("replace")))
    used = [*drop, *(number for one in replaced for number in one.numbers)]
    if not shown.numbers.issuperset(used):
        raise Unreadable(WRONG_NUMBER)
    if len(used) != len(set(used)):
        raise Unreadable(TWICE)
    added = changes.get("add")
    if not isinstance(added, dict):
        added = {"developments": added}
    lowered = {str(key).strip().lower(): value for key, value in added.items()}
    add = Recap(**{key: _unnumbered(read_items(lowered.get(key))) for key in LIST_KEYS})
    if any(is_refusal(item) for key in LIST_KEYS for item in getattr(add, key)):
        raise Unreadable(REFUSAL)
    return Changes(frozenset(drop), replaced, add)


def without_numbers(recap: Recap) -> Recap:
    """A recap that a model wrote anew, without the numbers that it copied."""
    return Recap(**{key: clean_items(_unnumbered(getattr(recap, key))) for key in LIST_KEYS})


def read_changes(text: str) -> str:
    """The changes in an answer that holds a scene's recap, too, as an answer to running_recap.
    Raises Unreadable, also where it was cut off: half a change would lose what it joins.
    """
    answer = find_object(text, ("changes",)) if is_whole(text, ("changes",)) else None
    changes = answer["changes"] if answer else None
    if not isinstance(changes, dict) or not any(key in changes for key in CHANGE_KEYS):
        raise Unreadable(NO_TEXT)
    return json.dumps(changes, ensure_ascii=False)


def joined(old: Recap, scene: Recap) -> Recap:
    """A recap with a scene's behind it: nothing of either goes, but what both say in one wording.

    What the scene resolved has happened.
    """
    return Recap(
        developments=clean_items((*old.developments, *old.resolved, *_happened(scene))),
        open=clean_items((*old.open, *scene.open)),
        state=clean_items((*old.state, *scene.state)),
    )


def changed(old: Recap, scene: Recap, shown: Numbered, changes: Changes) -> Recap:
    """The recap with these changes made, and with the scene's entries behind its own."""
    kept = _with(changes, old, shown.places)
    return joined(joined(kept, _with(changes, scene, shown.in_scene)), changes.add)


def _with(changes: Changes, recap: Recap, places: Mapping[int, tuple[str, int]]) -> Recap:
    """A recap with those changes that are about its entries: what is joined stands where the last
    of its entries stood, since the others may tell of days before it.
    """
    texts = {places[n]: one.text for one in changes.replace if (n := max(one.numbers)) in places}
    used = (*changes.drop, *(n for one in changes.replace for n in one.numbers))
    gone = {places[number] for number in used if number in places}

    def left(name: str) -> Iterable[str]:
        for index, item in enumerate(getattr(recap, name)):
            if (name, index) in texts:
                yield texts[name, index]
            elif (name, index) not in gone:
                yield item

    return replace(recap, **{name: tuple(left(name)) for name in SHOWN_FIRST})


def rewritten(old: Recap, whole: Recap, shown: Numbered) -> Recap:
    """A recap that a model wrote whole, with what it was not shown of the old one before it."""
    if not shown.hidden:
        return whole
    seen = set(shown.places.values())
    unseen = {
        name: tuple(
            item
            for index, item in enumerate(getattr(old, name))
            if (name, index) not in seen and item not in shown.text
        )
        for name in SHOWN_FIRST
    }
    return Recap(
        **{name: clean_items((*unseen[name], *getattr(whole, name))) for name in SHOWN_FIRST},
        resolved=whole.resolved,
    )


def with_unseen(whole: Recap, shown: Recap, answer: Recap) -> Recap:
    """An answer about a part of a recap, with those entries of the whole that were not shown."""
    unseen = {
        name: tuple(item for item in getattr(whole, name) if item not in getattr(shown, name))
        for name in LIST_KEYS
    }
    return Recap(
        **{name: clean_items((*unseen[name], *getattr(answer, name))) for name in LIST_KEYS}
    )


def has_to_go(old: Recap, old_tokens: int, over: int) -> int:
    """How many entries of a recap have to go for want of `over` tokens, some of them joined to
    longer ones. old_tokens: of the recap. What the story turns on stays in any case, so there is an
    end to it.
    """
    entries = entries_in(old)
    if over <= 0 or not entries:
        return 0
    wanted = math.ceil(over * entries / (JOINED * max(1, old_tokens)))
    return min(wanted, max(1, int(entries * MOST_GONE)))


def loses_most(both: int, left: int, room: int) -> bool:
    """Whether a merge leaves too little of what there was. both: recap and scene before it, left:
    what it made of them, room: what the whole may take; all in tokens.
    """
    return both > SHORT and left < LEAST_LEFT * min(both, room)


def bounded(recap: Recap, tokens: int, count: Callable[[str], int]) -> tuple[Recap, int]:
    """The recap within HARD_BOUND times `tokens`, and how many entries went for that."""
    within = fitted(recap, int(tokens * HARD_BOUND), count)
    return within, entries_in(recap) - entries_in(within)


def _happened(scene: Recap) -> Sequence[str]:
    return (*scene.developments, *scene.resolved)


def _numbers(value: object) -> list[int]:
    """The numbers of a list, in any spelling. Raises Unreadable."""
    if value is None:
        return []
    found = []
    for one in value if isinstance(value, list) else [value]:
        digits = DIGITS.fullmatch(str(one).strip()) if not isinstance(one, bool) else None
        if digits is None:
            raise Unreadable(WRONG_NUMBER)
        found.append(int(digits[1]))
    return found


def _replaced(value: object) -> Iterable[Replaced]:
    """Replacements as a list of objects, or as an object of texts by number."""
    if isinstance(value, dict) and not any(key in value for key in ENTRY_KEYS):
        value = [{"entries": [number], "text": text} for number, text in value.items()]
    for one in value if isinstance(value, list) else [value] if value else []:
        if not isinstance(one, dict):
            raise Unreadable(NO_TEXT)
        yield _replacement(one)


def _replacement(one: Mapping[str, Any]) -> Replaced:
    numbers = _numbers(next((one[key] for key in ENTRY_KEYS if key in one), None))
    if not numbers:
        raise Unreadable(WRONG_NUMBER)
    text = " ".join(_unnumbered(read_items(one.get("text"))))
    if not text:
        raise Unreadable(NO_TEXT)
    if is_refusal(text):
        raise Unreadable(REFUSAL)
    return Replaced(tuple(numbers), text)


def _unnumbered(items: Iterable[str]) -> tuple[str, ...]:
    return tuple(bare for item in items if (bare := NUMBER.sub("", item)))
