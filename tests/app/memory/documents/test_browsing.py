"""What a reader finds among many memories, and in which order."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.core import translation
from app.memory.documents.browsing import (
    MOST_NAMES,
    Order,
    Show,
    Wanted,
    arranged,
    chain_of,
    english_sentence_of,
    heir_of,
    in_place,
    read_query,
    sentence_in,
    sentence_of,
)
from app.memory.records import Ending, EndReason, Grounding, Memory, Review, Source, Tier
from app.memory.standing import BEFORE, Ground, Standing, Status
from app.story.recaps import BUILT_IN
from ui.memories.words import held_words


def standing(
    name: str,
    *,
    tier: Tier = Tier.LONG_TERM,
    type: str = "fact",
    status: Status = Status.ACTIVE,
    start: int = 0,
    by: str = "",
    **more: object,
) -> Standing:
    memory = Memory(name, 1, tier, type, more.pop("text", name), **more)  # type: ignore[arg-type]
    ending = Ending(EndReason.SUPERSEDED, by) if by else None
    return Standing(memory, status, start, 9 if by else None, ending)


OLD = standing("old", status=Status.ENDED, by="middle", start=1)
MIDDLE = standing("middle", status=Status.ENDED, by="new", start=5)
NEW = standing("new", start=9)
OTHER = standing("other", start=3, importance=3)
HIDING = standing(
    "hiding",
    tier=Tier.EPISTEMIC,
    type="hiding",
    subject="Mara",
    target="Dov",
    text="the forged letter",
)


def names(rows: object) -> list[str]:
    return [row.standing.memory.id if row.standing else f"[{row.group}]" for row in rows]  # type: ignore[attr-defined]


def test_what_gave_way_to_others_is_counted_and_shown_apart_from_what_ended() -> None:
    """The whole past of a long story stood under "Ended", though nothing had ended it."""
    aside = replace(
        standing("aside", status=Status.ENDED, start=2), ending=Ending(EndReason.OUTRANKED)
    )
    everything = [OLD, MIDDLE, NEW, aside]
    found = arranged(everything, Wanted())
    assert (found.aside, found.statuses[Status.ENDED]) == (1, 3)
    assert held_words(found, -1, is_demo=False) == "1 active, 2 ended, 1 set aside"
    assert "aside" in names(found.rows)
    rows = names(arranged(everything, Wanted(show=frozenset({Show("aside")}))).rows)
    assert ("aside" in rows, "old" in rows) == (True, False)
    rows = names(arranged(everything, Wanted(show=frozenset({Show.ENDED}))).rows)
    assert ("aside" in rows, "old" in rows) == (False, True)


def test_what_was_replaced_stands_under_its_heir_newest_first() -> None:
    shown = arranged([OLD, MIDDLE, NEW, OTHER], Wanted())
    assert names(shown.rows) == ["[Long-term]", "other", "new", "middle", "old"]
    assert [row.is_last for row in shown.rows] == [False, False, False, False, True]
    assert shown.rows[2].count == 2


def test_what_ended_for_good_comes_last() -> None:
    """Of a long story it is nearly all, and would stand before what holds."""
    gone = standing("gone", status=Status.ENDED, start=0)
    shown = arranged([gone, OLD, MIDDLE, NEW, OTHER], Wanted())
    assert names(shown.rows) == ["[Long-term]", "other", "new", "middle", "old", "gone"]


def test_what_ended_can_be_left_out() -> None:
    shown = arranged([OLD, MIDDLE, NEW], Wanted(show=frozenset()))
    assert names(shown.rows) == ["[Long-term]", "new"]
    assert shown.statuses[Status.ENDED] == 2


def test_what_comes_later_is_not_shown() -> None:
    assert arranged([standing("soon", status=Status.LATER)], Wanted()).rows == ()


def test_rejected_memories_are_shown_only_when_asked_for() -> None:
    rejected = standing("no", status=Status.REJECTED)
    assert arranged([rejected], Wanted()).rows == ()
    assert names(arranged([rejected], Wanted(show=frozenset({Show.REJECTED}))).rows)[1:] == ["no"]


def test_groups_are_sorted_each_by_itself() -> None:
    shown = arranged([HIDING, NEW, OTHER], Wanted(order=Order.IMPORTANCE, is_descending=True))
    assert names(shown.rows) == ["[Long-term]", "other", "new", "[Who knows what]", "hiding"]


def test_a_folded_group_keeps_its_head_and_its_count() -> None:
    shown = arranged([NEW, OTHER], Wanted(folded=frozenset({"Long-term"})))
    assert names(shown.rows) == ["[Long-term]"]
    assert shown.rows[0].count == 2


def test_arcs_are_open_or_resolved() -> None:
    open_arc = standing("open", tier=Tier.ARCS, type="arc")
    ending = Ending(EndReason.RESOLVED, text="paid")
    done = Standing(standing("done", tier=Tier.ARCS, type="arc").memory, Status.ENDED, 0, 4, ending)
    shown = arranged([done, open_arc], Wanted(tier=Tier.ARCS))
    assert names(shown.rows) == ["[Open]", "open", "[Resolved or gone]", "done"]
    for said in ("kind:plot-threads", "kind:plot", "tier:arcs", 'kind:"plot threads"'):
        found = arranged([NEW, open_arc], Wanted(query=read_query(said)))
        assert [name for name in names(found.rows) if not name.startswith("[")] == ["open"]


def test_a_query_knows_people_kinds_places_and_words() -> None:
    everything = [NEW, OTHER, HIDING]

    def found(text: str) -> list[str]:
        rows = arranged(everything, Wanted(query=read_query(text))).rows
        return [name for name in names(rows) if not name.startswith("[")]

    assert found("who:mara kind:secret") == ["hiding"]
    assert found('"forged letter"') == ["hiding"]
    assert found("kind:facts after:#3") == ["new"]
    assert found("before:9 -letter") == ["other"]
    assert found("is:active tier:long") == ["other", "new"]
    assert found("before:soon") == []


def test_what_somebody_remembers_is_found_by_who_was_there() -> None:
    def seen(id_: str, *witnesses: str) -> Standing:
        made = standing(id_)
        return replace(made, memory=replace(made.memory, witnessed_by=witnesses))

    mind = standing("mind", tier=Tier.EPISTEMIC, type="knows", subject="Mara")
    detail = standing("detail", tier=Tier.SESSION, type="detail")
    shown = [seen("both", "Mara Voss", "Jon"), seen("his", "Jon"), seen("unknown"), mind, detail]
    rows = arranged(shown, Wanted(query=read_query("of:mara"))).rows
    assert [name for name in names(rows) if name[0] != "["] == ["both", "unknown", "mind"]


def test_an_open_quote_finds_as_one_types() -> None:
    assert read_query('"forged le')[0].value == "forged le"
    assert read_query('who:" ') == ()


def test_a_chain_is_told_from_any_of_its_links() -> None:
    by_id = {s.memory.id: s for s in (NEW, OLD, MIDDLE, OTHER)}
    for one in (OLD, MIDDLE, NEW):
        assert [s.memory.id for s in chain_of(one, by_id)] == ["old", "middle", "new"]
    assert heir_of(OLD, by_id) is NEW
    assert heir_of(NEW, by_id) is None


def test_two_that_replaced_each_other_end_somewhere() -> None:
    one = standing("one", status=Status.ENDED, by="two")
    two = standing("two", status=Status.ENDED, by="one")
    assert len(chain_of(one, {"one": one, "two": two})) == 2
    assert sorted(names(arranged([one, two], Wanted()).rows)[1:]) == ["one", "two"]


def test_each_tier_is_told_as_a_sentence() -> None:
    assert sentence_of(HIDING.memory) == "Mara hides from Dov: the forged letter"
    knows = Memory("k", 1, Tier.EPISTEMIC, "unaware", "that Dov lies", subject="Mara")
    assert sentence_of(knows) == "Mara does not know that Dov lies"
    ledger = Memory("v", 1, Tier.STATE_LEDGER, "object", "Mara", subject="Key", field="owner")
    assert sentence_of(ledger) == "Key, owner: Mara"
    feeling = Memory(
        "f", 1, Tier.RELATIONSHIPS, "feeling", "wary", subject="A", target="B", magnitude="high"
    )
    assert sentence_of(feeling) == "A to B: wary (high)"


def test_a_clause_of_another_language_than_the_reader_s_is_told_as_a_sentence() -> None:
    english = replace(HIDING.memory, type="knows", text="that the letter is forged")
    german = replace(english, text="dass der Brief gefälscht ist")
    assert sentence_of(german) == "Mara knows: dass der Brief gefälscht ist"
    translation.use("de")
    try:
        assert sentence_of(english) == "Mara weiß: The letter is forged"
        assert sentence_of(german) == "Mara weiß, dass der Brief gefälscht ist"
        assert english_sentence_of(english) == "Mara knows that the letter is forged"
    finally:
        translation.use(translation.ENGLISH)


def test_the_words_of_a_search_are_those_of_the_windows_language_too() -> None:
    english = read_query('who:Mara kind:secret is:stale before:#9 "a b" other:word')
    translation.use("de")
    try:
        assert read_query('wer:Mara art:secret ist:veraltet vor:#9 "a b" other:word') == english
        assert read_query('who:Mara kind:secret is:stale before:#9 "a b" other:word') == english
        assert read_query("wer:Mara art:secret ist:veraltet vor:#9 „a b“ other:word") == english
    finally:
        translation.use("en")


def test_what_the_open_chat_says_comes_before_what_other_chats_say_and_can_stand_alone() -> None:
    """A branch of 40 messages began with a screen of lines that its story never told."""
    here, other, kin = (Source(chat, f"m{chat}", "") for chat in (1, 2, 3))
    ground = Ground(1, {"m1": 4, "m3": 2}, {}, 9, kin=frozenset({3}))
    told = [
        standing("foreign", start=BEFORE, sources=(other,)),
        standing("gone", status=Status.ENDED, start=1, sources=(here,)),
        standing("own", start=4, sources=(here,)),
        standing("branch", start=2, sources=(kin,)),
    ]
    shown = arranged(told, Wanted(ground=ground))
    assert names(shown.rows)[1:] == ["branch", "own", "foreign", "gone"]
    assert shown.here == 2
    alone = arranged(told, Wanted(ground=ground, only_here=True))
    assert names(alone.rows)[1:] == ["branch", "own", "gone"]


def test_rows_that_are_held_keep_their_places_and_say_what_is_new() -> None:
    """Who aimed at one memory while the story was read pinned another."""
    shown = arranged([NEW, OTHER], Wanted(order=Order.IMPORTANCE, is_descending=True))
    surer = standing("new", start=9, importance=3, confidence=0.9)
    found = arranged(
        [surer, OTHER, standing("newest", start=12, importance=3)],
        Wanted(order=Order.IMPORTANCE, is_descending=True),
    )
    assert names(found.rows) == ["[Long-term]", "newest", "new", "other"]
    by_id = {s.memory.id: s for s in (surer, OTHER)}
    held = in_place(found, shown.rows, by_id)
    assert names(held.rows) == ["[Long-term]", "other", "new"]
    assert held.rows[2].standing is surer
    assert held.rows[0].count == 3
    assert names(in_place(found, shown.rows, {"new": surer}).rows) == ["[Long-term]", "new"]


# Each is first in an order of its own, and differs from the others in one thing that is asked for.
ASH = standing("ash", start=7, confidence=0.5, recalls=2, is_pinned=True)
BIRCH = standing("birch", start=3, confidence=0.2, recalls=5, made_by=BUILT_IN)
CEDAR = standing(
    "cedar", start=5, confidence=0.9, recalls=1, is_consolidated=True,
    sources=(Source(1, "a"), Source(1, "b")), grounding=Grounding.YOURS,
)  # fmt: skip
GONE = standing("gone", status=Status.STALE, start=9)
TREES = (ASH, BIRCH, CEDAR)
MOSS = replace(standing("moss", status=Status.ENDED, start=1), ending=Ending(EndReason.OUTRANKED))
REED = replace(standing("reed", status=Status.ENDED, start=2), ending=Ending(EndReason.RESOLVED))


def shown(wanted: Wanted, *more: Standing) -> list[str]:
    """What is listed, without the heads of groups."""
    return [name for name in names(arranged((*TREES, *more), wanted).rows) if name[0] != "["]


@pytest.mark.parametrize(
    ("order", "listed"),
    [
        (Order.STORY, ["birch", "cedar", "ash"]),
        (Order.TEXT, ["ash", "birch", "cedar"]),
        (Order.CONFIDENCE, ["birch", "ash", "cedar"]),
        (Order.SOURCES, ["birch", "ash", "cedar"]),
        (Order.USED, ["cedar", "ash", "birch"]),
    ],
)
def test_memories_come_in_the_order_that_is_chosen(order: Order, listed: list[str]) -> None:
    assert shown(Wanted(order=order)) == listed


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("is:pinned", ["ash"]),
        ("is:built-in", ["birch"]),
        ("is:yours", ["cedar"]),
        ("is:merged", ["cedar"]),
        ("is:lost", ["gone"]),
        ("is:aside", ["moss"]),
        ('is:"set aside"', ["moss"]),
        ("is:ended", ["reed"]),
        ("-is:pinned", ["birch", "cedar", "gone", "moss", "reed"]),
    ],
)
def test_a_query_knows_what_a_memory_is(query: str, found: list[str]) -> None:
    everything = Wanted(query=read_query(query), show=frozenset(Show))
    assert shown(everything, GONE, MOSS, REED) == found


def test_a_filter_leaves_out_all_others() -> None:
    assert shown(Wanted(only_pinned=True)) == ["ash"]
    assert shown(Wanted(only_builtin=True)) == ["birch"]
    assert shown(Wanted(tier=Tier.SESSION), standing("now", tier=Tier.SESSION)) == ["now"]


@pytest.mark.parametrize(
    ("status", "show"), [(Status.WAITING, Show.WAITING), (Status.WITHDRAWN, Show.LOST)]
)
def test_what_does_not_count_is_shown_only_when_asked_for(status: Status, show: Show) -> None:
    one = standing("one", status=status)
    assert "one" not in shown(Wanted(show=frozenset()), one)
    assert "one" in shown(Wanted(show=frozenset({show})), one)


def state(name: str, subject: str) -> Standing:
    return standing(
        name, tier=Tier.STATE_LEDGER, type="character", subject=subject, field="mood", text="afraid"
    )


def test_the_ledger_is_grouped_by_whom_it_is_about_and_names_them_once() -> None:
    listed = arranged([state("1", "mara"), state("2", "Dov")], Wanted(tier=Tier.STATE_LEDGER))
    assert names(listed.rows) == ["[Dov]", "2", "[mara]", "1"]
    row = listed.rows[1]
    assert row.standing is not None
    assert sentence_in(row, row.standing.memory) == "Mood: afraid"
    (_, among_others) = arranged([state("1", "Dov")], Wanted()).rows
    assert among_others.standing is not None
    assert "Dov" in sentence_in(among_others, among_others.standing.memory)


def test_of_more_names_than_a_list_of_groups_can_hold_none_has_one() -> None:
    many = [state(str(n), f"person {n}") for n in range(MOST_NAMES + 1)]
    heads = [row for row in arranged(many, Wanted(tier=Tier.STATE_LEDGER)).rows if not row.standing]
    assert len(heads) == 1


def test_what_alone_is_shown_is_what_is_counted() -> None:
    here, other = (Source(chat, f"m{chat}", "") for chat in (1, 2))
    told = [
        standing("own", start=4, sources=(here,)),
        standing("foreign", start=BEFORE, sources=(other,)),
        standing("ended", status=Status.ENDED, start=BEFORE, sources=(other,)),
        standing("pinned", start=4, sources=(here,), is_pinned=True),
    ]
    ground = Ground(1, {"m1": 4}, {}, 9)
    counted = arranged(told, Wanted(ground=ground, only_here=True))
    assert (counted.held, counted.statuses.get(Status.ENDED, 0)) == ({Tier.LONG_TERM: 2}, 0)
    assert arranged(told, Wanted(only_pinned=True)).held == {Tier.LONG_TERM: 1}
    assert arranged(told, Wanted()).held == {Tier.LONG_TERM: 3}


def test_what_waits_in_the_same_words_is_one_row_as_in_the_review() -> None:
    waits: dict[str, object] = {"status": Status.WAITING, "review": Review.WAITING}
    told = [standing(name, text="It rains.", **waits) for name in ("one", "two")]  # type: ignore[arg-type]
    told.append(standing("three", text="It snows.", **waits))  # type: ignore[arg-type]
    shown = arranged(told, Wanted(show=frozenset({Show.WAITING})))
    assert names(shown.rows)[1:] == ["one", "three"]
    assert shown.statuses[Status.WAITING] == 2
