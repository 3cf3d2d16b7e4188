"""The epistemic map against a plain journal of who learned what, in stories made at random."""

from __future__ import annotations

import os
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from app.languages import load_packs
from app.memory.epistemic.admission import NEAR, Presence, admitted
from app.memory.epistemic.epistemic_map import EpistemicMap
from app.memory.lifecycle.decisions import verified
from app.memory.lifecycle.every_tier import verify_all
from app.memory.lifecycle.state_change import Wording
from app.memory.reading.answers import read_answer
from app.memory.reading.extraction import Work, ended, proposed
from app.memory.reading.known import line_of
from app.memory.reading.windows import Window
from app.memory.records import Memory, MemoryChange, Remembered, Review, Tier, merged_changes
from app.memory.standing import Ground, Status, standings
from app.story.messages import Message, digest

STORIES = 160 if os.environ.get("TAVERNKEEP_TEST_LONG") == "1" else 40
PACKS = load_packs()
PEOPLE = ("Aldo", "Berta", "Cosima", "Dario", "Edda")
ROOMS = ("hall", "garden", "cellar")
MASK = "Masked Rider"
MATTERS = (
    (
        "that the seal lies under the chapel floor",
        "that the seal does not lie under the chapel floor",
    ),
    ("that Viktor has sold the northern mill", "that Viktor has not sold the northern mill"),
    ("that a doctor carries forged papers", "that a doctor does not carry forged papers"),
    ("that the Masked Rider is Aldo", "that the Masked Rider is not Aldo"),
)
TRUE, FALSE = 0, 1


# What happens, as the story's author decides it.


@dataclass(frozen=True)
class Deed:
    """kind: go, show, whisper, aloud, letter, lie, hide, skip, or a claim that nothing bears out:
    rumour, hearsay. who: the one who does it. to: the listener. spy: who overhears it.
    """

    kind: str
    who: str
    to: str
    spy: str
    proposition: int
    room: str
    masked: bool
    plain: bool


KINDS = (
    *("go", "go", "show", "show", "whisper", "whisper", "aloud", "letter", "lie", "lie", "lie"),
    *("hide", "skip", "rumour", "hearsay"),
)
commands = st.builds(
    Deed,
    kind=st.sampled_from(KINDS),
    who=st.sampled_from(PEOPLE),
    to=st.sampled_from(PEOPLE),
    spy=st.sampled_from(("", "", *PEOPLE)),
    proposition=st.sampled_from((0, 0, 0, 1, 1, 2, 3)),
    room=st.sampled_from(ROOMS),
    masked=st.booleans(),
    plain=st.booleans(),
)


# The journal: simple, and written without a look at the engine.


@dataclass(frozen=True)
class Record:
    """Somebody came to hold something. hangs_on: records of the teller, by their numbers; without
    any of them left the teller had nothing to tell.
    """

    message: int
    person: str
    attitude: str
    proposition: int
    teller: str = ""
    hidden_from: str = ""
    hangs_on: tuple[int, ...] = ()


@dataclass
class Journal:
    records: list[Record] = field(default_factory=list)

    def surviving(self, deleted: int | None) -> list[Record]:
        alive: list[bool] = []
        for record in self.records:
            grounded = not record.hangs_on or any(alive[n] for n in record.hangs_on)
            alive.append(record.message != deleted and grounded)
        return [r for r, is_alive in zip(self.records, alive, strict=True) if is_alive]

    def state(self, at: int, deleted: int | None = None) -> set[tuple[str, ...]]:
        """Who holds what at a message: (person, attitude, text, hidden from)."""
        records = [r for r in self.surviving(deleted) if r.message <= at]
        knowing = {(r.person, r.proposition) for r in records if r.attitude == "knows"}
        state: set[tuple[str, ...]] = set()
        for record in records:
            text = MATTERS[record.proposition][record.attitude == "believes"]
            if record.attitude == "hiding":
                # However they learned it: nobody hides from somebody what they know.
                told = any(
                    r.attitude == "knows"
                    and (r.person, r.proposition) == (record.hidden_from, record.proposition)
                    and r.message > record.message
                    for r in records
                )
                if not told:
                    state.add((record.person, "hiding", text, record.hidden_from))
            elif record.attitude == "knows" or (record.person, record.proposition) not in knowing:
                state.add((record.person, record.attitude, text, ""))
        return state

    def holds(self, person: str, attitude: str, proposition: int, hidden_from: str = "") -> bool:
        text = MATTERS[proposition][attitude == "believes"]
        return (person, attitude, text, hidden_from) in self.state(len(self.records) + 10_000)

    def numbers(self, person: str, proposition: int, *attitudes: str) -> tuple[int, ...]:
        return tuple(
            n
            for n, r in enumerate(self.records)
            if r.person == person and r.proposition == proposition and r.attitude in attitudes
        )


@dataclass
class Told:
    """The story as it is written: messages, and for each what an honest reader notes of it."""

    texts: list[str] = field(default_factory=list)
    lines: list[list[str]] = field(default_factory=list)
    journal: Journal = field(default_factory=Journal)
    rooms: dict[str, str] = field(
        default_factory=lambda: dict(zip(PEOPLE, ROOMS * 2, strict=False))
    )

    def happens(self, deed: Deed) -> None:
        """Write the next message. What cannot happen is a message about the weather."""
        self.now = len(self.texts)
        deed = self._cast(deed)
        self.notes: list[str] = []
        text = getattr(self, f"_{deed.kind}")(deed) or "It rains."
        self.texts.append(text)
        self.lines.append(self.notes)

    def _cast(self, deed: Deed) -> Deed:
        """Give the part of the teller to somebody who has something to tell, if there is one."""
        if deed.kind not in ("whisper", "aloud", "letter", "lie", "hide"):
            return deed
        first = PEOPLE.index(deed.who)
        for person in (*PEOPLE[first:], *PEOPLE[:first]):
            held = [
                a for a in ("knows", "believes") if self.journal.holds(person, a, deed.proposition)
            ]
            if held and (held[0] == "knows" or deed.kind not in ("lie", "hide")):
                return replace(deed, who=person)
        return deed

    def _skip(self, deed: Deed) -> str:
        return "Three days later the rain has stopped."

    def _go(self, deed: Deed) -> str:
        self.rooms[deed.who] = deed.room
        return f"{deed.who} walks into the {deed.room}."

    def _show(self, deed: Deed) -> str:
        present = [p for p in PEOPLE if self.rooms[p] == deed.room]
        for person in present:
            self._learns(person, "knows", deed.proposition, channel="saw")
        if present:
            self._leaves_out(deed.proposition)
        return f"In the {deed.room} it comes to light {MATTERS[deed.proposition][TRUE]}. {present}"

    def _whisper(self, deed: Deed) -> str:
        if deed.who == deed.to or self.rooms[deed.who] != self.rooms[deed.to]:
            return ""
        return self._tells(deed, [deed.to], "told")

    def _aloud(self, deed: Deed) -> str:
        room = self.rooms[deed.who]
        present = [p for p in PEOPLE if self.rooms[p] == room and p != deed.who]
        return self._tells(deed, present, "told")

    def _letter(self, deed: Deed) -> str:
        return "" if deed.who == deed.to else self._tells(deed, [deed.to], "read")

    def _tells(self, deed: Deed, listeners: Sequence[str], channel: str) -> str:
        """The teller says what they take to be so."""
        knows = self.journal.holds(deed.who, "knows", deed.proposition)
        if not knows and not self.journal.holds(deed.who, "believes", deed.proposition):
            return ""
        attitude = "knows" if knows else "believes"
        behind = ("knows", "hiding") if knows else ("believes",)
        teller = MASK if deed.masked and channel != "read" else deed.who
        hangs_on = self.journal.numbers(deed.who, deed.proposition, *behind)
        for person, how in self._ears(deed, listeners, channel):
            self._learns(
                person,
                attitude,
                deed.proposition,
                teller=teller,
                channel=how,
                # Nobody knows yet who is behind the mask, so nothing is known of what they had.
                hangs_on=() if teller == MASK else hangs_on,
                naive=deed.plain,
            )
        text = MATTERS[deed.proposition][attitude == "believes"]
        return f"{teller} tells {', '.join(listeners)} {deed.spy} {text}."

    def _ears(
        self, deed: Deed, listeners: Sequence[str], channel: str
    ) -> Iterable[tuple[str, str]]:
        yield from ((person, channel) for person in listeners)
        if deed.spy and deed.kind in ("whisper", "lie") and deed.spy not in (deed.who, *listeners):
            yield deed.spy, "overheard"

    def _lie(self, deed: Deed) -> str:
        if deed.who == deed.to or not self.journal.holds(deed.who, "knows", deed.proposition):
            return ""
        if self.journal.holds(deed.to, "knows", deed.proposition):
            return f"{deed.who} lies to {deed.to}, who sees through it."
        self._conceals(deed)
        for person, how in self._ears(deed, [deed.to], "told"):
            self._learns(
                person, "believes", deed.proposition, teller=deed.who, channel=how, naive=deed.plain
            )
        return f"{deed.who} swears to {deed.to} {deed.spy} {MATTERS[deed.proposition][FALSE]}."

    def _hide(self, deed: Deed) -> str:
        knows = self.journal.holds(deed.who, "knows", deed.proposition)
        if (
            deed.who == deed.to
            or not knows
            or self.journal.holds(deed.to, "knows", deed.proposition)
        ):
            return ""
        self._conceals(deed)
        return f"{deed.who} says nothing of it to {deed.to}."

    def _rumour(self, deed: Deed) -> str:
        """A careless reader thinks that somebody far away knows it; nothing says how."""
        recent = " ".join(self.texts[-NEAR:])
        if deed.who not in recent and not self.journal.holds(deed.who, "knows", deed.proposition):
            self.notes.append(f"[knows:sources=@] {deed.who} | {MATTERS[deed.proposition][TRUE]}")
        return "Somewhere a dog barks."

    def _hearsay(self, deed: Deed) -> str:
        """A careless reader has somebody tell what they do not know."""
        proposition, unaware = (
            deed.proposition,
            self.journal.holds(deed.who, "unaware", deed.proposition),
        )
        if deed.who != deed.to and unaware:
            told = MATTERS[proposition][TRUE]
            self.notes.append(f"[knows:sources=@:by={deed.who}:via=told] {deed.to} | {told}")
        return f"{deed.who} talks to {deed.to} about the weather."

    def _conceals(self, deed: Deed) -> None:
        if self.journal.holds(deed.who, "hiding", deed.proposition, deed.to):
            return
        record = Record(self.now, deed.who, "hiding", deed.proposition, hidden_from=deed.to)
        self.journal.records.append(record)
        text = MATTERS[deed.proposition][TRUE]
        self.notes.append(f"[hiding:sources=@] {deed.who} from {deed.to} | {text}")

    def _learns(
        self,
        person: str,
        attitude: str,
        proposition: int,
        *,
        teller: str = "",
        channel: str,
        hangs_on: tuple[int, ...] = (),
        naive: bool = False,
    ) -> None:
        """naive: the reader notes as known what is only believed, for it does not see the lie."""
        if attitude == "believes" and self.journal.holds(person, "knows", proposition):
            return  # who knows better is not taken in
        record = Record(self.now, person, attitude, proposition, teller, hangs_on=hangs_on)
        self.journal.records.append(record)
        text = MATTERS[proposition][attitude == "believes"]
        noted = "knows" if naive and teller != MASK else attitude
        by = f":by={teller}" if teller else ""
        self.notes.append(f"[{noted}:sources=@{by}:via={channel}] {person} | {text}")

    def _leaves_out(self, proposition: int) -> None:
        for person in PEOPLE:
            if any(self.journal.holds(person, a, proposition) for a in ("knows", "unaware")):
                continue
            self.journal.records.append(Record(self.now, person, "unaware", proposition))
            self.notes.append(f"[unaware:sources=@] {person} | {MATTERS[proposition][TRUE]}")


# The engine, fed as the program feeds it.


def told_story(plot: Sequence[Deed]) -> tuple[Told, list[Message]]:
    told = Told()
    for deed in plot:
        told.happens(deed)
    messages = [
        Message(f"m{n}", digest(f"{n} {text}"), "Storyteller", text)
        for n, text in enumerate(told.texts)
    ]
    return told, messages


def remembered(told: Told, messages: Sequence[Message], sizes: Sequence[int]) -> Remembered:
    """Everything that is kept when the story is read in windows of these sizes, in turn."""
    kept, start, turn = Remembered(), 0, 0
    while start < len(messages):
        end = start + sizes[turn % len(sizes)]
        before = max(0, start - 2)
        window = Window(1, tuple(messages[before:end]), new_from=start - before + 1)
        lines = [
            line.replace("sources=@", f"sources={n - before + 1}")
            for n in range(start, min(end, len(messages)))
            for line in told.lines[n]
        ]
        kept = pass_over(window, "\n".join(lines) or "NONE", kept, messages[:end]).applied_to(kept)
        start, turn = end, turn + 1
    return kept


def pass_over(
    window: Window, answer: str, kept: Remembered, messages: Sequence[Message]
) -> MemoryChange:
    ground = Ground.of(1, messages)
    now = [s.memory for s in standings(kept.memories, ground) if s.status is Status.ACTIVE]
    read = read_answer(answer)
    claimed = proposed(read, window, Work(window.messages[-1].anchor, 1, "", "test", 0.0))
    shown = {Tier.EPISTEMIC: [memory.id for memory in now]}
    gone = ended(read.ends, window, now, shown)
    known = [m for m in now if m.id not in {one.id for one in gone}]
    places = {m.id: max(map(ground.place, m.sources)) for m in (*known, *claimed)}
    wording = Wording.of_story(PACKS, " ".join(line_of(m) for m in (*claimed, *known)))
    wording = wording.knowing([*PEOPLE, MASK, "Viktor"])
    checked = admitted(claimed, known, Presence.of(messages), wording=wording, places=places)
    over = {memory.id for memory in checked.ended}
    known = [memory for memory in known if memory.id not in over]
    decided = verify_all(checked.candidates, known, wording=wording, places=places)
    outcome = verified(decided, known)
    return merged_changes(
        [
            MemoryChange(gone),
            MemoryChange(checked.ended),
            MemoryChange((*outcome.ended, *outcome.accepted)),
        ]
    )


def state_of(
    memories: Sequence[Memory], messages: Sequence[Message], at: int
) -> set[tuple[str, ...]]:
    knowledge = EpistemicMap(standings(memories, Ground.of(1, messages)), participants=PEOPLE)
    state: set[tuple[str, ...]] = set()
    for person in PEOPLE:
        world = knowledge.world_of(person, at)
        for standing in (*world.knows, *world.suspects, *world.believes, *world.unaware):
            state.add((person, standing.memory.type, standing.memory.text, ""))
        for standing in world.hides:
            state.add((person, "hiding", standing.memory.text, standing.memory.target))
    return state


plots = st.lists(commands, min_size=6, max_size=24)
window_sizes = st.lists(st.integers(1, 5), min_size=1, max_size=4)


def check_all(told: Told, messages: list[Message], memories: Sequence[Memory]) -> None:
    """Engine and journal agree at every message."""
    for at in range(len(messages)):
        assert state_of(memories, messages, at) == told.journal.state(at), at


def check_without(
    gone: int, told: Told, messages: list[Message], memories: Sequence[Memory]
) -> None:
    """They agree when a message is deleted or edited, and when that is undone."""
    left = [message for n, message in enumerate(messages) if n != gone]
    for place, message in enumerate(left):
        at = int(message.anchor[1:])
        assert state_of(memories, left, place) == told.journal.state(at, gone), (gone, at)
    edited = structs.replace(messages[gone], content_hash=digest("something else"))
    other = [*messages[:gone], edited, *messages[gone + 1 :]]
    last = len(messages) - 1
    assert state_of(memories, other, last) == told.journal.state(last, gone)
    assert state_of(memories, messages, last) == told.journal.state(last)


@settings(max_examples=60, deadline=None)
@given(plots, window_sizes)
def test_the_map_agrees_with_the_journal_at_every_message(
    plot: list[Deed], sizes: list[int]
) -> None:
    told, messages = told_story(plot)
    check_all(told, messages, remembered(told, messages, sizes).memories)


@settings(max_examples=60, deadline=None)
@given(plots, window_sizes, st.data())
def test_deleting_a_message_takes_away_all_that_hangs_on_it(
    plot: list[Deed], sizes: list[int], data: st.DataObject
) -> None:
    told, messages = told_story(plot)
    gone = data.draw(st.integers(0, len(messages) - 1))
    check_without(gone, told, messages, remembered(told, messages, sizes).memories)


def eventful(seed: int) -> tuple[list[Deed], list[int]]:
    """A longer plot than shrinking favours, and windows to read it in."""
    chance = random.Random(seed)
    plot = [
        Deed(
            kind=chance.choice(KINDS),
            who=chance.choice(PEOPLE),
            to=chance.choice(PEOPLE),
            spy=chance.choice(("", "", *PEOPLE)),
            proposition=chance.choice((0, 0, 0, 1, 1, 2, 3)),
            room=chance.choice(ROOMS),
            masked=chance.random() < 0.3,
            plain=chance.random() < 0.5,
        )
        for _ in range(chance.randint(10, 34))
    ]
    return plot, [chance.randint(1, 5) for _ in range(3)]


def test_long_stories_agree_too_whole_and_with_messages_deleted() -> None:
    waiting = believed = fallen = 0
    for seed in range(STORIES):
        plot, sizes = eventful(seed)
        told, messages = told_story(plot)
        memories = remembered(told, messages, sizes).memories
        check_all(told, messages, memories)
        for gone in random.Random(seed).sample(range(len(messages)), 3):
            check_without(gone, told, messages, memories)
            left = told.journal.surviving(gone)
            fallen += sum(r.message != gone for r in told.journal.records if r not in left)
        waiting += sum(memory.review is Review.WAITING for memory in memories)
        believed += sum(memory.type == "believes" for memory in memories)
    assert min(waiting, believed, fallen) > 0  # or the stories would show nothing


@settings(max_examples=40, deadline=None)
@given(plots, window_sizes)
def test_only_what_nothing_bears_out_waits_for_review(plot: list[Deed], sizes: list[int]) -> None:
    told, messages = told_story(plot)
    memories = remembered(told, messages, sizes).memories
    waiting = [memory for memory in memories if memory.review is Review.WAITING]
    assert all(memory.notes for memory in waiting)
    if not any(deed.kind in ("rumour", "hearsay") for deed in plot):
        assert not waiting
