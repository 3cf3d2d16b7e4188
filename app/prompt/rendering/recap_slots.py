"""The slots of the recaps: the running recap, and the included recaps of single messages. Pure."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

from app.memory.epistemic.withheld import NOTHING_WITHHELD, Withheld
from app.prompt.choosing.choice import taken_in_turn
from app.prompt.choosing.drafts import Entry
from app.prompt.choosing.framing import framed, shortened
from app.prompt.choosing.secrets import lines_kept_secret
from app.prompt.choosing.worth import HAPPENED
from app.prompt.headings import ENGLISH, Headings
from app.prompt.slots import MESSAGE_RECAPS_KEY, RUNNING_RECAP_KEY, RecapShown, Slot
from app.settings.program import ProgramSettings
from app.settings.recaps import RecapSettings
from app.settings.slots import Place
from app.story.inclusion import InclusionState
from app.story.messages import Message, MessageKind
from app.story.recap_texts.by_hand import by_hand
from app.story.recap_texts.pinned import holds, pins_in
from app.story.recap_texts.recap_text import Recap, is_headed, parse_recap
from app.story.recaps import (
    FOLD,
    IMPORTED,
    OTHER_EXTENSIONS,
    YOU,
    RunningVersion,
    injected_version,
    told_until,
)
from app.story.story import Story

Count = Callable[[str], int]

PARTS = ("developments", "open", "state")
_INCLUDED = frozenset({InclusionState.INCLUDED, InclusionState.LONG_TERM})


# 8 parameters: a recap, its settings, and who counts; by name.
def running_recap_slot(
    story: Story,
    settings: Mapping[str, Any],
    *,
    budget: int,
    count: Count,
    spare: Sequence[str] = (),
    withheld: Withheld = NOTHING_WITHHELD,
    visible_from: int | None = None,
    headings: Headings = ENGLISH,
) -> Slot:
    """The running recap, cut to its budget, frame included; empty when switched off. spare: parts
    of which other slots tell, more exactly: it leaves these to them, where a model wrote it. What
    is open and how things stand goes from version to version, and is seldom struck when it is over.
    What the user wrote or pinned there stays: no other slot tells it.
    withheld: what its reader does not know.
    visible_from: index of the first message that the prompt holds itself; what happened from there
    on can be read there.

    A branch or a shortened chat gets the version that tells nothing of what it does not hold.
    """
    recaps = RecapSettings(settings)
    content = _told_content(story, settings, spare, visible_from)
    content = lines_kept_secret(content, withheld)
    told = partial(_framed, recaps.running_recap_frame, "{{running_recap}}", headings)
    at = recaps.running_recap_at
    own = _own_sentences(story, settings)
    return _slot(RUNNING_RECAP_KEY, content, at, budget, count, told, spare, own)


def recap_shown(
    story: Story,
    settings: Mapping[str, Any],
    spare: Sequence[str],
    visible_from: int | None,
    *,
    count: Count,
    headings: Headings = ENGLISH,
) -> RecapShown | None:
    """Which version the slot tells, its size, and what of it others tell; arguments as above, None
    where the slot is empty.
    """
    version = injected_version(story.running, story.places)
    told = _told_content(story, settings, spare, visible_from)
    if version is None or not told:
        return None
    then = version
    if visible_from is not None:
        held_from = _held_from(story, version, visible_from)
        then = told_until(story.running, version, story.places, held_from - 1)
    whole = _told_content(story, settings, (), visible_from)
    left: tuple[str, ...] = ()
    if is_headed(whole):
        before, after = parse_recap(whole), parse_recap(told)
        left = tuple(part for part in spare if getattr(before, part) != getattr(after, part))
    frame = RecapSettings(settings).running_recap_frame
    tokens = count(_framed(frame, "{{running_recap}}", headings, version.content))
    return RecapShown(version.version, then.version, left, tokens)


def _told_content(
    story: Story, settings: Mapping[str, Any], spare: Sequence[str], visible_from: int | None
) -> str:
    """What the running recap tells beside slots and messages, before anything is kept secret."""
    version = injected_version(story.running, story.places)
    if version is None or not RecapSettings(settings).running_recap_enabled:
        return ""
    content = version.content
    if content and visible_from is not None:
        held_from = _held_from(story, version, visible_from)
        if not held_from and _is_of_these_messages(story, version):
            return _only(content, _pinned(settings))
        content = _before(story, version, held_from)
    if version.is_of_a_model and version.reason == FOLD:
        content = _left_to_slots(content, spare, _own_sentences(story, settings))
    return content


def _pinned(settings: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(pin.text for pin in pins_in(ProgramSettings(settings).recap_pins))


def _own_sentences(story: Story, settings: Mapping[str, Any]) -> tuple[str, ...]:
    """What the user pinned in the running recap, or wrote into it and it still says."""
    version = injected_version(story.running, story.places)
    written = () if version is None else _by_hand(story.running.versions, version)
    return (*_pinned(settings), *written)


@lru_cache(maxsize=8)  # asked several times for each turn, of up to thousands of versions
def _by_hand(versions: tuple[RunningVersion, ...], version: RunningVersion) -> tuple[str, ...]:
    is_any = any(one.made_by == YOU and one.version <= version.version for one in versions)
    return by_hand(versions, version) if is_any else ()


def says_any(item: str, sentences: Collection[str]) -> bool:
    return any(holds(item, sentence) for sentence in sentences)


def all_held_from(story: Story, reach: int, visible_from: int) -> int:
    """Index from which on the prompt holds every message that a recap up to index `reach` tells of:
    behind the last of those that gave way to it, which are hidden side by side; what the user hid
    stands alone. Of messages that are not all counted nobody knows whether they have room.
    """
    hidden = story.places.where(_is_hidden)
    for at in range(bisect_left(hidden, reach) - 1, -1, -1):
        place = hidden[at]
        if place < visible_from:
            break
        beside = (*hidden[max(0, at - 1) : at], *hidden[at + 1 : at + 2])
        if any(abs(other - place) == 1 for other in beside):
            return place + 1
    is_counted = len(story.message_tokens) >= len(story.messages)
    return visible_from if visible_from or is_counted else 1


def _held_from(story: Story, version: RunningVersion, visible_from: int) -> int:
    return all_held_from(story, story.places.get(version.last_anchor, -1) + 1, visible_from)


def _is_hidden(message: Message) -> bool:
    return message.is_hidden and message.kind in (MessageKind.CHAT, MessageKind.NARRATOR)


def _is_of_these_messages(story: Story, version: RunningVersion) -> bool:
    """Whether a version tells of nothing but scenes of this chat, all of which are still there: no
    words of the user's, of another chat, or of messages that are gone.
    """
    reach = story.places.get(version.last_anchor, -1)
    scenes = bisect_right(story.scenes, reach, key=lambda scene: scene.last)
    return version.scene_count <= scenes and all(
        one.reason == FOLD and one.made_by not in (YOU, IMPORTED, *OTHER_EXTENSIONS)
        for one in story.running.versions
        if one.version <= version.version
    )


def _only(content: str, pinned: Collection[str]) -> str:
    """What is pinned of a recap of messages that the prompt holds all."""
    if not is_headed(content):
        return content if says_any(content, pinned) else ""
    recap = parse_recap(content)
    kept = {part: tuple(i for i in getattr(recap, part) if says_any(i, pinned)) for part in PARTS}
    return Recap(**kept).render() if any(kept.values()) else ""


def _before(story: Story, version: RunningVersion, index: int) -> str:
    """What a version tells of what happened before a message; what is open and how things stand
    it tells as they are now.
    """
    then = told_until(story.running, version, story.places, index - 1)
    if then is version or not (is_headed(version.content) and is_headed(then.content)):
        return then.content
    now = parse_recap(version.content)
    return replace(now, developments=parse_recap(then.content).developments).render()


def _left_to_slots(content: str, spare: Sequence[str], own: Collection[str]) -> str:
    """What a version tells beside slots that tell these parts; what is the user's own in them
    stays, and all of one that tells of nothing else.
    """
    if not spare or not is_headed(content):
        return content
    recap = parse_recap(content)
    kept = {part: tuple(i for i in getattr(recap, part) if says_any(i, own)) for part in spare}
    return replace(recap, **kept).render() if recap.developments else content


def message_recaps_slot(
    lines: str,
    settings: Mapping[str, Any],
    *,
    budget: int,
    count: Count,
    headings: Headings = ENGLISH,
) -> Slot:
    """The included message recaps; the oldest go first when cut. lines: as `included_recaps`."""
    recaps = RecapSettings(settings)
    told = partial(_framed, recaps.message_recaps_frame, "{{message_recaps}}", headings)
    return _slot(MESSAGE_RECAPS_KEY, lines, recaps.message_recaps_at, budget, count, told)


def included_recaps(story: Story, settings: Mapping[str, Any]) -> str:
    """The message recaps that count, oldest first, a line each."""
    with_prefill = RecapSettings(settings).message_recap_prefill_shown
    recaps = story.message_recaps
    return "\n".join(
        " ".join(recaps[message.anchor].shown_text(with_prefill=with_prefill).split())
        for message, inclusion in zip(story.messages, story.inclusion, strict=True)
        if inclusion.state in _INCLUDED
    )


# 8 parameters: the fields of a slot.
def _slot(
    key: str,
    content: str,
    at: Place,
    budget: int,
    count: Count,
    told: Callable[[str], str],
    spare: Sequence[str] = (),
    own: Collection[str] = (),
) -> Slot:
    """A slot at its place. told: a text in its frame. own: sentences that are the user's own."""

    def count_framed(text: str) -> int:
        return count(told(text))

    text = told(content)
    full_tokens = count(text)
    if full_tokens > budget:
        cut = _told_first(content, budget, count_framed, spare, own)
        if cut is None:
            cut = shortened(content, budget, count_framed, spare=spare)
        text = told(cut)
    return Slot(
        key=key,
        position=at.position,
        depth=at.depth,
        role=at.role,
        scan=at.scan,
        text=text,
        tokens=count(text),
        budget=budget,
        full_tokens=full_tokens,
    )


def _framed(frame: str, placeholder: str, headings: Headings, text: str) -> str:
    """A text of a slot in its frame."""
    return framed(headings.in_recap(text), headings.in_frame(frame), placeholder)


def _told_first(
    content: str, budget: int, count: Count, spare: Sequence[str], own: Collection[str]
) -> str | None:
    """The items of a headed recap that tell most and fit, in their order; None for a text without
    headings. spare: parts of which other slots tell, which come last, but for what is the user's
    `own` there.
    """
    if not is_headed(content):
        return None
    recap = parse_recap(content)
    items = [(part, item) for part in PARTS for item in getattr(recap, part)]
    newest = len(recap.developments)
    entries = [
        Entry(
            item,
            (place,),
            rank=int(part in spare and not says_any(item, own)),
            worth=HAPPENED.of(newest - place) if part == "developments" else 1.0,
        )
        for place, (part, item) in enumerate(items)
    ]
    best_first = taken_in_turn(entries)
    order = [place for place, _ in sorted(best_first, key=lambda one: one[1].rank)]

    def told(shown: int) -> str:
        kept = frozenset(order[:shown])
        parts = {
            part: tuple(i for n, (of, i) in enumerate(items) if of == part and n in kept)
            for part in PARTS
        }
        return Recap(**parts).render()

    shown = bisect_right(range(len(order) + 1), budget, key=lambda n: count(told(n))) - 1
    return told(max(0, shown))
