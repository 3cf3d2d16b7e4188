"""What the memory of a story lacks: which messages are to be read next. Pure."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import tee
from operator import attrgetter, not_, or_
from typing import Any

from msgspec import structs

from app.core.operations import OperationKind, OperationSpec
from app.core.translation import N_
from app.llm.backends.hardware_profile import profile_for
from app.memory.reading.left_out import left_out_of
from app.memory.reading.windows import Window, is_told, settled, text_of
from app.memory.records import Tier
from app.prompt.tokens import estimate_tokens
from app.settings.memory import AUTO, ONE_REQUEST, MemorySettings
from app.settings.recaps import RecapSettings
from app.story.messages import Message
from app.story.story import Story
from app.views.catch_up import ReadingCost
from app.work.planning.model_messages import as_read
from app.work.planning.planner import PRIORITY_SCENE
from app.work.planning.writing import Writing

# Behind a fold, before single messages: a memory is wanted for the next turn.
PRIORITY_PASS = PRIORITY_SCENE + 2
# A long story is recapped before all of it is read: it is told sooner, and remembered behind that.
PRIORITY_BACKLOG = PRIORITY_SCENE - 2
CATCH_UP_MESSAGES = 20  # new messages of one request, at most (spec/smart-memory.md §19)
# More of short ones, as long as they are no more text than a reading while one plays: instructions
# and notes cost the same for each request.
MOST_SHORT, SHORT_TOKENS = 60, 1_500
# The same in tokens: of what the answer and a margin leave of the context, what instructions and
# notes leave (app/llm/writers/asking.py). More would be cut into several requests.
PROMPT_SHARE = 0.5
BESIDE_MESSAGES = 2_000
SMALLEST_CHUNK = 500
# Passes of one block are told the same of what was remembered at its beginning, and then what was
# noted since: so a server finds the beginning of each that it has read.
PASSES_IN_BLOCK = 5
UNREAD_IN_CONTEXT = 3  # so many times what waits: less, and it may leave the prompt unread
# Before the new ones, to understand them; of long ones fewer, since they were paid for already.
MESSAGES_BEFORE, LEAST_BEFORE, TOKENS_BEFORE = 4, 2, 360
UNKNOWN_CONTEXT = 8192
NOTHING_FOUND: frozenset[tuple[str, str]] = frozenset()
# Without a model a long stretch is looked through at once, in the light of what was just before.
WITHOUT_MODEL = "found"
FOUND_AT_ONCE = 200
FOUND_CONTEXT = 20
# Of one request, about: instructions, what is known, and the answer.
INSTRUCTION_TOKENS, KNOWN_TOKENS, ANSWER_TOKENS = 1_250, 1_200, 600

_READ = attrgetter("anchor", "content_hash")  # what of a message is kept when it was read


@dataclass(frozen=True, slots=True)
class Reading:
    """What of a chat was read for its memory.

    extracted: (anchor, content hash). found: of messages that were looked through without a model.
    unreadable: of those that were asked about, and no answer could be used: unread all the same,
    but for those that are stood_for: anchors of messages whose reading waits in the queue for the
    user's word, or has it. forgotten: of those that were there when the user had something
    forgotten.
    is_whole: the chat is read to its very end, whatever the settings say of waiting; for a command,
    which nobody swipes behind. is_wanted: the same for once, since the user said so. is_paused: the
    user wants nothing added for now. is_in_round: the members of a group still answer one another,
    and their round is read at once (§2, EV3). context: tokens of the chat's prompts, 0 unknown.
    first, end: indexes of the messages that it is about, None for all from there on.
    """

    extracted: Collection[tuple[str, str]] = ()
    found: Collection[tuple[str, str]] = ()
    unreadable: Collection[tuple[str, str]] = ()
    stood_for: frozenset[str] = frozenset()
    forgotten: Collection[tuple[str, str]] = ()
    is_whole: bool = False
    is_wanted: bool = False
    is_paused: bool = False
    is_in_round: bool = False
    context: int = 0
    first: int = 0
    end: int | None = None

    @property
    def waits(self) -> bool:
        """Whether it waits for more messages, and for the last one to be final."""
        return not (self.is_whole or self.is_wanted)

    @property
    def put_aside(self) -> frozenset[tuple[str, str]]:
        """What no answer could be used of, and is asked about again only as the user says so."""
        return frozenset(read for read in self.unreadable if read[0] in self.stood_for)


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of a story whose passes are told the same of what was remembered when it began.

    first: index of its first message. text: of its first messages, to see what it is about.
    """

    first: int
    text: str


def is_in_one(settings: Mapping[str, Any], backend: str) -> bool:
    """Whether one request is to give all tiers."""
    chosen = MemorySettings(settings).memory_requests
    if chosen == AUTO:
        return profile_for(settings, backend).profile.one_request
    return chosen == ONE_REQUEST


def unread(
    story: Story, reading: Reading, settings: Mapping[str, Any], *, is_free: bool = False
) -> list[int]:
    """Indexes of the settled messages that no pass has read in these words, and that nothing in
    the queue stands for.

    is_free: there is no model; what was looked through without one is not looked through again.
    """
    found = reading.found if is_free else NOTHING_FOUND
    test = _Unread(_test_of(settings), reading.extracted, found, reading.put_aside)
    indexes = story.places.still(test)
    first, end = (bisect_left(indexes, at) for at in (reading.first, _end(story, reading)))
    return list(indexes[first:end])


@dataclass(frozen=True, slots=True, eq=False)
class _Unread:
    """Whether a message is to be read, and was not. What was read becomes more, never less: less
    is another object.
    """

    is_readable: _Readable
    extracted: Collection[tuple[str, str]]
    found: Collection[tuple[str, str]]
    put_aside: frozenset[tuple[str, str]]

    def __call__(self, message: Message) -> bool:
        read = _READ(message)
        if read in self.extracted or read in self.found or read in self.put_aside:
            return False
        return self.is_readable(message)

    def still(self, messages: Iterable[Message]) -> Iterator[bool]:
        extracted, found = tee(map(_READ, messages))
        in_extracted = map(self.extracted.__contains__, extracted)
        return map(not_, map(or_, in_extracted, map(self.found.__contains__, found)))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _Unread)
            and self.is_readable == other.is_readable
            and self.extracted is other.extracted
            and self.found is other.found
            and self.put_aside == other.put_aside
        )


def _end(story: Story, reading: Reading) -> int:
    """Index behind the last message that is read now."""
    messages = story.messages
    is_waiting = reading.waits and messages and not messages[-1].is_user
    end = len(messages) - bool(is_waiting)
    return end if reading.end is None else min(end, reading.end)


@dataclass(frozen=True, slots=True)
class _Readable:
    """Whether a message is read for memory; what we hid ourselves is story all the same."""

    with_hidden: bool
    left_out: frozenset[str]

    def __call__(self, message: Message) -> bool:
        if message.anchor in self.left_out:
            return False
        is_hidden = self.with_hidden and message.is_hidden
        return is_told(message) or (is_hidden and is_told(_shown(message)))


def _test_of(settings: Mapping[str, Any]) -> _Readable:
    """Which messages are read for memory."""
    return _Readable(RecapSettings(settings).include_hidden_messages, left_out_of(settings))


def are_read(story: Story, settings: Mapping[str, Any], indexes: Iterable[int]) -> bool:
    """Whether memory is to read all of these messages, as far as the user is asked."""
    left_out = left_out_of(settings)
    return not left_out or all(story.messages[n].anchor not in left_out for n in indexes)


def next_pass(
    story: Story, chat_id: int, settings: Mapping[str, Any], writing: Writing, reading: Reading
) -> OperationSpec | None:
    """The reading that comes next, None while there is too little new (§3.1, §3.3).

    Passes go in the order of the story and one at a time, since each is told what holds before
    it. Edited messages and those of a backlog do not wait for more.
    """
    if reading.is_paused or not (MemorySettings(settings).memory_auto or reading.is_wanted):
        return None
    if reading.is_in_round and reading.waits:
        return None
    writing = writing.of(OperationKind.MEMORY_PASS)
    missing = unread(story, reading, settings, is_free=writing.is_free)
    if not missing:
        return None
    told = story.places.where(_test_of(settings))
    run = _run(story, missing, told, settings)
    is_at_end = run[-1] == missing[-1] and not _is_followed(story, run[-1], told)
    replies = sum(not story.messages[index].is_user for index in run)
    is_enough = replies >= MemorySettings(settings).memory_every
    is_due = is_enough or _is_soon_unsent(story, run, reading.context)
    if is_at_end and reading.waits and not is_due:
        return None
    spec = pass_spec(story, chat_id, settings, writing, _chunk(story, run, writing))
    is_backlog = len(missing) > 2 * CATCH_UP_MESSAGES and not writing.is_free
    return replace(spec, priority=PRIORITY_BACKLOG) if is_backlog else spec


def pass_spec(
    story: Story,
    chat_id: int,
    settings: Mapping[str, Any],
    writing: Writing,
    new: Sequence[int],
    *,
    again: str = "",
) -> OperationSpec:
    """Reading these messages, with some before them. new: indexes, consecutive among the told."""
    writing = writing.of(OperationKind.MEMORY_PASS)
    window = pass_window(story, chat_id, settings, writing, new)
    form = WITHOUT_MODEL if writing.is_free else _form(settings, writing)
    tiers = ",".join(enabled_tiers(settings))
    shown = [f"{m.name}\0{m.content_hash}" for m in window.messages]
    kind = OperationKind.MEMORY_PASS
    anchors = [story.messages[index].anchor for index in new]
    return OperationSpec(
        kind=kind,
        chat=chat_id,
        key=writing.key(kind, form, tiers, str(window.new_from), *shown, again),
        anchor=anchors[-1],
        label=_label(new[0], new[-1]),
        priority=PRIORITY_PASS,
        params={"anchors": anchors, "form": form, "again": again, "first": new[0]},
    )


def _label(first: int, last: int) -> str:
    if first == last:
        return N_("Memories from #{n}").format(n=first)
    return N_("Memories from #{first} to #{last}").format(first=first, last=last)


def _form(settings: Mapping[str, Any], writing: Writing) -> str:
    return "one" if is_in_one(settings, writing.spec) else "separate"


def reading_cost(
    story: Story, settings: Mapping[str, Any], writing: Writing, reading: Reading
) -> ReadingCost:
    """What the readings that are left take; nothing without a model, or when it is switched off."""
    writing = writing.of(OperationKind.MEMORY_PASS)
    missing = unread(story, reading, settings)
    if writing.is_free or not MemorySettings(settings).memory_auto or not missing:
        return ReadingCost()
    passes = _passes(story, missing, writing)
    tiers = len(enabled_tiers(settings))
    of_pass = 1 if is_in_one(settings, writing.spec) else tiers
    tokens = sum(story.message_tokens[index] for index in missing) if story.message_tokens else 0
    requests = passes * of_pass
    return ReadingCost(
        len(missing),
        requests,
        tokens * of_pass + requests * (INSTRUCTION_TOKENS + KNOWN_TOKENS),
        requests * (ANSWER_TOKENS if of_pass == 1 else ANSWER_TOKENS // 3),
        passes,
        missing[0],
        missing[-1],
        sum(map(_test_of(settings), story.messages[_end(story, reading) :])),
    )


def passes_before(
    story: Story, settings: Mapping[str, Any], writing: Writing, reading: Reading, end: int
) -> int:
    """How many readings the messages before an index would take that were not read."""
    missing = unread(story, replace(reading, first=0, end=end, is_wanted=True), settings)
    return _passes(story, missing, writing)


def _passes(story: Story, missing: Sequence[int], writing: Writing) -> int:
    passes = at = 0
    while at < len(missing):
        passes += 1
        at += len(_taken(story, missing[at : at + MOST_SHORT], writing))
    return passes


def pass_window(
    story: Story,
    chat_id: int,
    settings: Mapping[str, Any],
    writing: Writing,
    new: Sequence[int],
) -> Window:
    """What a pass over these messages is shown: a few before them, since what was noted of the
    others is told beside them.
    """
    told = story.places.where(_test_of(settings))
    place = bisect_left(told, new[0])
    writing = writing.of(OperationKind.MEMORY_PASS)
    if writing.is_free:
        before = [story.messages[index] for index in told[max(0, place - FOUND_CONTEXT) : place]]
        messages = (*before, *(story.messages[index] for index in new))
        return Window(chat_id, as_read(messages, settings), new_from=len(before) + 1)
    first = max(0, place - MESSAGES_BEFORE)
    before = _last_of([story.messages[index] for index in told[first:place]])
    messages = (*before, *(story.messages[index] for index in new))
    return Window(chat_id, as_read(messages, settings), new_from=len(before) + 1)


def _last_of(before: list[Message]) -> list[Message]:
    """Of the messages before a window those that it shows: less text of long ones."""
    sizes = [estimate_tokens(message.text) for message in before]
    fitting = (n for n in range(len(before)) if sum(sizes[n:]) <= TOKENS_BEFORE)
    return before[min(next(fitting, len(before)), max(0, len(before) - LEAST_BEFORE)) :]


def block_of(story: Story, settings: Mapping[str, Any], new: Sequence[int]) -> Block:
    """The block that a pass over these messages belongs to."""
    told = story.places.where(_test_of(settings))
    every = MemorySettings(settings).memory_every
    place = bisect_left(told, new[0])
    begin = place - place % (PASSES_IN_BLOCK * 2 * every)
    shown = told[max(0, begin - MESSAGES_BEFORE) : begin + every]
    return Block(told[begin], text_of(story.messages[index] for index in shown))


def room_for_messages(writing: Writing) -> int:
    """Tokens of messages that one request holds."""
    context = writing.of(OperationKind.MEMORY_PASS).context_tokens or UNKNOWN_CONTEXT
    return max(SMALLEST_CHUNK, int(context * PROMPT_SHARE) - BESIDE_MESSAGES)


def enabled_tiers(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """Tiers that the user wants, in the order of their requests."""
    return tuple(tier.value for tier in Tier if MemorySettings(settings).is_enabled(tier))


def _run(
    story: Story, missing: Sequence[int], told: Sequence[int], settings: Mapping[str, Any]
) -> list[int]:
    """The first unread messages that follow one another, no more than say what is to be done.

    told: indexes of all messages that are read for memory.
    """
    replies, least = 0, MemorySettings(settings).memory_every
    first = bisect_left(told, missing[0])
    run: list[int] = []
    for index, next_told in zip(missing, told[first : first + len(missing)], strict=False):
        if index != next_told or (len(run) >= FOUND_AT_ONCE and replies >= least):
            break
        run.append(index)
        replies += not story.messages[index].is_user
    return run


def _is_soon_unsent(story: Story, run: Sequence[int], context: int) -> bool:
    """Whether messages so long wait to be read that the next prompts may hold them no more."""
    tokens = sum(story.message_tokens[index] for index in run) if story.message_tokens else 0
    return 0 < context < tokens * UNREAD_IN_CONTEXT


def _is_followed(story: Story, index: int, told: Sequence[int]) -> bool:
    """Whether messages behind this one were read: then it will not grow."""
    end = len(story.messages) - 1 + len(settled(story.messages[-1:]))
    behind = bisect_right(told, index)
    return behind < len(told) and told[behind] < end


def _chunk(story: Story, run: Sequence[int], writing: Writing) -> list[int]:
    if writing.is_free:
        return list(run[:FOUND_AT_ONCE])
    return _taken(story, run, writing)


def _taken(story: Story, run: Sequence[int], writing: Writing) -> list[int]:
    """Those of these messages that one request of a model is about."""
    room = room_for_messages(writing)
    chunk: list[int] = []
    taken = 0
    for index in run[: MOST_SHORT if story.message_tokens else CATCH_UP_MESSAGES]:
        tokens = story.message_tokens[index] if story.message_tokens else 0
        most = room if len(chunk) < CATCH_UP_MESSAGES else min(room, SHORT_TOKENS)
        if chunk and taken + tokens > most:
            break
        chunk.append(index)
        taken += tokens
    return chunk


def _shown(message: Message) -> Message:
    return structs.replace(message, is_hidden=False)
