"""Anchors: a message stays itself whatever happens to it and around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import count

from hypothesis import given
from hypothesis import strategies as st

from app.story.anchors import (
    Fingerprint,
    KnownMessage,
    align,
    align_behind,
    common_ends,
    identities_of,
    known_after,
    opening_of,
    retired_after,
)
from app.story.messages import digest


@dataclass(frozen=True)
class Line:
    """A message as SillyTavern keeps it; `who` is the truth that anchors have to find."""

    who: int
    sent: str
    swipes: tuple[str, ...]
    shown: int = 0
    name: str = "Mira"
    first_sent: str = ""
    is_user: bool = False
    identity: str = field(init=False)
    weak_identity: str = field(init=False)
    content_hash: str = field(init=False)

    def __post_init__(self) -> None:
        first = self.swipes[0]
        identity, weak = identities_of(
            self.first_sent or self.sent, self.name, self.is_user, first, digest(first)
        )
        object.__setattr__(self, "identity", identity)
        object.__setattr__(self, "weak_identity", weak)
        object.__setattr__(self, "content_hash", digest(self.swipes[self.shown]))

    def opening(self, characters: int) -> str:
        return opening_of(self.name, self.is_user, self.swipes[0], characters)


numbers = count(1)


def exact_date(who: int) -> str:
    moment = datetime(2026, 11, 20, tzinfo=UTC) + timedelta(seconds=who)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.250Z"


def new_line(*, text: str = "", sent: str = "", **more: object) -> Line:
    who = next(numbers)
    return Line(who, sent or exact_date(who), (text or f"text number {who}",), **more)  # type: ignore[arg-type]


def chat_of(length: int) -> list[Line]:
    return [new_line() for _ in range(length)]


def known_of(lines: list[Line], anchors: tuple[str, ...] | None = None) -> tuple[KnownMessage, ...]:
    return known_after(align((), lines) if anchors is None else anchors, lines)


def edited(line: Line, text: str = "something else entirely") -> Line:
    swipes = [*line.swipes]
    swipes[line.shown] = f"{text} ({next(numbers)})"
    return replace(line, swipes=tuple(swipes))


def swiped(line: Line) -> Line:
    """A new swipe: SillyTavern gives the message a new date and keeps the first one's."""
    return replace(
        line,
        swipes=(*line.swipes, f"another try ({next(numbers)})"),
        shown=len(line.swipes),
        first_sent=line.first_sent or line.sent,
        sent=exact_date(next(numbers)),
    )


def by_who(lines: list[Line], anchors: tuple[str, ...]) -> dict[int, str]:
    return {line.who: anchor for line, anchor in zip(lines, anchors, strict=True)}


def check_kept(before: list[Line], after: list[Line]) -> None:
    """Every message of `before` that is in `after` has the anchor it had."""
    known = known_of(before)
    old = by_who(before, align((), before))
    anchors = align(known, after)
    assert len(set(anchors)) == len(after)
    for who, anchor in by_who(after, anchors).items():
        assert old.get(who, anchor) == anchor
        assert who in old or anchor not in old.values()


def test_an_unchanged_chat_keeps_all_anchors() -> None:
    lines = chat_of(5)
    assert align(known_of(lines), lines) == align((), lines)


def test_an_edit_keeps_the_anchor() -> None:
    lines = chat_of(5)
    check_kept(lines, [*lines[:2], edited(lines[2]), *lines[3:]])


def test_a_swipe_keeps_the_anchor() -> None:
    lines = chat_of(5)
    check_kept(lines, [*lines[:4], swiped(lines[4])])


def test_a_swipe_without_swipe_dates_keeps_the_anchor() -> None:
    lines = chat_of(5)
    new_swipe = replace(
        lines[4], swipes=(*lines[4].swipes, "again"), shown=1, sent=exact_date(next(numbers))
    )
    check_kept(lines, [*lines[:4], new_swipe])


def test_deleting_the_first_swipe_keeps_the_anchor() -> None:
    lines = chat_of(5)
    two = swiped(lines[4])
    one = replace(two, swipes=two.swipes[1:], shown=0, first_sent="")
    check_kept([*lines[:4], two], [*lines[:4], one])


def test_insertion_deletion_and_move_keep_all_other_anchors() -> None:
    lines = chat_of(8)
    check_kept(lines, [*lines[:3], new_line(), *lines[3:]])
    check_kept(lines, [*lines[:3], *lines[4:]])
    check_kept(lines, [*lines[:3], lines[4], lines[3], *lines[5:]])


def test_a_continued_reply_keeps_the_anchor() -> None:
    long = "The harbour lay still under the fog, and nobody spoke a word."
    lines = [*chat_of(3), new_line(text=long)]
    more = replace(lines[3], swipes=(f"{long} Then a bell.",), sent=exact_date(next(numbers)))
    check_kept(lines, [*lines[:3], more])


def test_a_short_reply_that_is_continued_keeps_the_anchor() -> None:
    lines = [*chat_of(3), new_line(text="She nods.")]
    longer = "She nods. “Then it is done,” she says, and turns the lamp down for the night."
    more = replace(lines[3], swipes=(longer,), sent=exact_date(next(numbers)))
    check_kept(lines, [*lines[:3], more])
    check_kept(lines, [*lines[:3], more, *chat_of(6)])


def test_a_regenerated_reply_is_a_new_message() -> None:
    lines = chat_of(4)
    again = [*lines[:3], new_line(text="A wholly different reply.")]
    anchors = align(known_of(lines), again)
    assert anchors[:3] == align((), lines)[:3]
    assert anchors[3] not in align((), lines)


def test_a_renamed_character_keeps_the_anchors() -> None:
    lines = chat_of(6)
    check_kept(lines, [replace(line, name="Mirabel") for line in lines])


def test_twins_are_told_apart_by_their_neighbours() -> None:
    minute = "November 20, 2026 11:38pm"
    first, second = (new_line(text="Yes.", sent=minute) for _ in range(2))
    between, last = new_line(), new_line()
    check_kept([first, between, second, last], [between, second, edited(last)])


def test_twins_that_lost_their_neighbours_keep_their_anchors() -> None:
    twins = [new_line(text="Yes.", sent="November 20, 2026 11:38pm") for _ in range(2)]
    last = new_line()
    anchors = align(known_of([*twins, last]), [last, *twins])
    assert sorted(anchors) == sorted(align((), [*twins, last]))


def test_twins_have_two_anchors() -> None:
    twins = [new_line(text="Yes.", sent="November 20, 2026 11:38pm") for _ in range(3)]
    assert len(set(align((), twins))) == 3


def test_a_chat_of_nothing_but_twins_is_no_trap() -> None:
    twins = [new_line(text="Yes.", sent="November 20, 2026 11:38pm")] * 50_000
    anchors = align((), twins)
    assert len(set(anchors)) == len(twins)
    longer = align(known_of(twins, anchors), [*twins, twins[0]])
    assert longer[:-1] == anchors
    assert longer == align((), [*twins, twins[0]])


def test_messages_of_one_minute_keep_their_anchors_when_one_is_edited() -> None:
    minute = "November 20, 2026 11:38pm"
    lines = [new_line(sent=minute) for _ in range(6)]
    check_kept(lines, [*lines[:2], edited(lines[2]), *lines[3:]])
    check_kept(lines, [*lines[:2], edited(lines[2]), *lines[4:]])


def test_a_date_to_the_minute_does_not_join_distant_messages() -> None:
    minute = "November 20, 2026 11:38pm"
    lines = [new_line(sent=minute) for _ in range(6)]
    fresh = new_line(sent=minute)
    anchors = align(known_of(lines), [lines[0], *lines[2:], fresh])
    assert anchors[-1] not in align((), lines)


def test_messages_without_dates_keep_their_anchors_when_one_is_edited() -> None:
    lines = [replace(line, sent="") for line in chat_of(6)]
    check_kept(lines, [*lines[:2], edited(lines[2]), *lines[3:]])


def test_an_undone_deletion_gives_the_anchor_back() -> None:
    lines = chat_of(5)
    before = align((), lines)
    known = known_of(lines)
    without = [*lines[:2], *lines[3:]]
    anchors = align(known, without)
    retired = retired_after(known, (), anchors)
    assert [message.anchor for message in retired] == [before[2]]
    assert align(known_of(without, anchors), lines, retired) == before


def test_a_retired_anchor_is_given_to_nobody_else() -> None:
    old = new_line(text="Yes.", sent="November 20, 2026 11:38pm")
    known = known_of([old])
    now = edited(old)
    anchors = align(known, [now])
    twin = replace(old, who=next(numbers))
    both = align(known_of([now], anchors), [now, twin], known)
    assert both[0] == anchors[0] != both[1]


def test_a_branch_has_the_anchors_of_its_parent() -> None:
    parent = chat_of(6)
    changed = [*parent[:3], edited(parent[3]), *parent[4:]]
    anchors = align(known_of(parent), changed)
    branch = changed[:5]
    assert align(known_of(changed, anchors), branch) == anchors[:5]


def test_a_chat_seen_for_the_first_time_has_the_same_anchors_everywhere() -> None:
    lines = chat_of(4)
    assert align((), lines) == align((), list(lines))
    assert align((), lines)[:2] == align((), lines[:2])


steps = st.lists(
    st.tuples(
        st.sampled_from(["edit", "swipe", "delete", "insert", "move"]),
        st.integers(0, 1_000_000),
    ),
    max_size=12,
)


def changed_chat(lines: list[Line], changes: list[tuple[str, int]]) -> list[Line]:
    lines = list(lines)
    for what, where in changes:
        at = where % (len(lines) + (what == "insert")) if lines or what == "insert" else None
        if at is None:
            continue
        match what:
            case "edit":
                lines[at] = edited(lines[at])
            case "swipe":
                lines[at] = swiped(lines[at])
            case "delete":
                del lines[at]
            case "insert":
                lines.insert(at, new_line())
            case "move":
                other = min(at + 1, len(lines) - 1)
                lines[at], lines[other] = lines[other], lines[at]
    return lines


def assert_same_behind(
    head: int,
    known: Sequence[KnownMessage],
    lines: Sequence[Fingerprint],
    retired: Sequence[KnownMessage],
    anchors: Sequence[str],
) -> None:
    """Who looks only behind what is as it was gives the same anchors, and keeps the same."""
    present = {message.anchor for message in known}
    behind = align_behind(lambda: lines[:head], present, known[head:], lines[head:], retired)
    assert (*(message.anchor for message in known[:head]), *behind) == anchors
    assert retired_after(known[head:], retired, behind) == retired_after(known, retired, anchors)


@given(length=st.integers(0, 12), changes=st.lists(steps, max_size=4))
def test_anchors_survive_any_history(length: int, changes: list[list[tuple[str, int]]]) -> None:
    lines = chat_of(length)
    anchors = align((), lines)
    known = known_of(lines, anchors)
    retired: tuple[KnownMessage, ...] = ()
    ever: dict[int, str] = by_who(lines, anchors)
    for step in changes:
        before, lines = lines, changed_chat(lines, step)
        anchors = align(known, lines, retired)
        head, _ = common_ends(before, lines)
        assert_same_behind(head, known, lines, retired, anchors)
        assert len(set(anchors)) == len(lines)
        for who, anchor in by_who(lines, anchors).items():
            assert ever.setdefault(who, anchor) == anchor
        retired = retired_after(known, retired, anchors)
        known = known_of(lines, anchors)
        assert align(known, lines, retired) == anchors
    assert len(set(ever.values())) == len(ever)


@dataclass(frozen=True)
class Print:
    """A message of which only what it is recognised by is known."""

    identity: str
    weak_identity: str
    content_hash: str

    def opening(self, characters: int) -> str:
        """Its text is not at hand."""
        return ""


@given(st.data())
def test_anchors_are_unique_and_stable_whatever_the_digests(data: st.DataObject) -> None:
    few = st.sampled_from("abc")
    prints = st.builds(
        Print,
        few,
        st.builds(lambda g, a, b: g + a * 8 + b * 8, st.sampled_from("ec"), few, few),
        few,
    )
    known: tuple[KnownMessage, ...] = ()
    retired: tuple[KnownMessage, ...] = ()
    current: list[Print] = []
    for _ in range(3):
        stay = data.draw(st.integers(0, len(known)))
        current = [*current[:stay], *data.draw(st.lists(prints, max_size=8))]
        anchors = align(known, current, retired)
        assert len(anchors) == len(set(anchors)) == len(current)
        assert_same_behind(stay, known, current, retired, anchors)
        retired = retired_after(known, retired, anchors)
        known = known_after(anchors, current)
        assert align(known, current, retired) == anchors
        assert not {m.anchor for m in retired} & set(anchors)


@given(st.lists(st.integers(0, 2), max_size=9), st.lists(st.integers(0, 2), max_size=9))
def test_common_ends_agree_and_never_overlap(first: list[int], second: list[int]) -> None:
    head, tail = common_ends(first, second)
    assert head + tail <= min(len(first), len(second))
    assert first[:head] == second[:head]
    assert first[len(first) - tail :] == second[len(second) - tail :]
    rest_a, rest_b = first[head : len(first) - tail], second[head : len(second) - tail]
    if rest_a and rest_b:
        assert rest_a[0] != rest_b[0]
        assert rest_a[-1] != rest_b[-1]


def test_common_ends_of_long_sequences() -> None:
    lines = list(range(5000))
    assert common_ends(lines, [*lines[:2500], -1, *lines[2500:]]) == (2500, 2500)
    assert common_ends(lines, lines) == (5000, 0)
