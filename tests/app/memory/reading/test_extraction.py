"""What a model claims stands on messages of its window, or waits for review (spec §21.3, §8.6)."""

from __future__ import annotations

import pytest

from app.memory.reading.answers import read_answer
from app.memory.reading.extraction import (
    OTHER_WORDS,
    Work,
    ended,
    ended_along,
    ended_at_once,
    proposed,
)
from app.memory.reading.windows import Window
from app.memory.records import (
    ARC,
    NO_SOURCE,
    WRONG_SOURCE,
    EndReason,
    Grounding,
    Memory,
    Review,
    Tier,
)
from app.story.messages import Message, digest

WORK = Work("operation", 1, "card", "model", 50.0)
TEXTS = ("Kael lights the harbour lamps.", "It is raining.", "Ann waits by the gate.", "猫が好き。")
WINDOW = Window(
    1,
    tuple(Message(f"m{n}", digest(text), "Kael", text) for n, text in enumerate(TEXTS)),
    new_from=3,
)


def made(line: str, work: Work = WORK, part: int = 0) -> Memory:
    [memory] = proposed(read_answer(line), WINDOW, work, part=part)
    return memory


def arc(id_: str, text: str) -> Memory:
    return Memory(id_, 1, Tier.ARCS, ARC, text)


@pytest.mark.parametrize(
    ("line", "note", "anchors"),
    [
        ("[fact:sources=1] The harbour has lamps", "", ["m0"]),
        ("[fact:sources=1,3] Ann waits for the lamps", "", ["m0", "m2"]),
        ("[fact] The harbour has lamps", NO_SOURCE, ["m3"]),
        ("[fact:sources=5] The harbour has lamps", WRONG_SOURCE, ["m3"]),
        ("[fact:sources=1,5] The harbour has lamps", WRONG_SOURCE, ["m3"]),
        ("[fact:sources=0] The harbour has lamps", WRONG_SOURCE, ["m3"]),
        ("[fact:sources=2] The harbour has lamps", OTHER_WORDS, ["m1"]),
        ("[detail:sources=2] The harbour has lamps", OTHER_WORDS, ["m1"]),
        ("[fact:sources=4] Kael likes cats a lot", "", ["m3"]),  # who speaks counts
        ("[fact:sources=4] 猫が大好きだと言っていた", "", ["m3"]),
        ("[fact:sources=4] 犬はどこにもいなかった", OTHER_WORDS, ["m3"]),
        ("[knows:sources=2] Ann | the harbour lamps", "", ["m1"]),  # put in other words
    ],
)
def test_what_a_claim_cites_has_to_be_there_and_to_say_so(
    line: str, note: str, anchors: list[str]
) -> None:
    memory = made(line)
    assert memory.notes == ((note,) if note else ())
    assert memory.review is (Review.WAITING if note else Review.NONE)
    assert memory.grounding is (Grounding.UNGROUNDED if note else Grounding.DIRECT)
    is_cited = note in ("", OTHER_WORDS)
    assert memory.evidence == (memory.sources if is_cited else ())
    assert [source.anchor for source in memory.sources] == anchors
    assert all(source.content_hash for source in memory.sources)


def test_the_same_work_makes_the_same_memory_and_other_work_another() -> None:
    line = "[fact:sources=1] The harbour has lamps"
    assert made(line).id == made(line).id
    copy = Work("operation", 2, "card", "model", 60.0)
    assert len({made(line).id, made(line, part=1).id, made(line, copy).id}) == 3


def test_only_some_tiers_are_kept_by_the_character() -> None:
    keepers = {
        "[fact:sources=1] The harbour has lamps": "card",
        "[feels:sources=1] Kael -> Ann: warm": "card",
        "[knows:sources=1] Ann | the harbour lamps": "card",
        "[detail:sources=1] The harbour has lamps": "",
        "[arc:sources=1] Who lights the harbour lamps?": "",
        "[state:Kael:character:sources=1] location=harbour": "",
    }
    assert {line: made(line).character for line in keepers} == keepers


@pytest.mark.parametrize(
    ("said", "resolved"),
    [
        ("one of four words", False),  # 1 of 7
        ("alpha x y", True),  # 1 of 4: the limit itself
        ("alpha x y z", False),  # 1 of 5
        ("alpha beta", True),
    ],
)
def test_an_arc_is_resolved_in_words_from_a_quarter_of_them_on(said: str, resolved: bool) -> None:
    known = [arc("a", "alpha beta") if said != "one of four words" else arc("a", "one two three x")]
    answer = read_answer(f"[resolved:sources=3] {said} | it is over")
    assert bool(ended(answer.ends, WINDOW, known, {})) is resolved


def test_the_vector_of_a_resolved_arc() -> None:
    known = [arc("heir", "The missing heir must be found"), arc("other", "Who lights the lamps?")]
    answer = read_answer("[resolved] the missing heir was found")
    [memory] = ended(answer.ends, WINDOW, known, {})
    assert memory.id == "heir"
    assert [e.reason for e in memory.endings] == [EndReason.RESOLVED]
    # What cites nothing ends at the new message that shares most words with it.
    assert [s.anchor for s in memory.endings[0].sources] == ["m2"]


def test_a_thread_named_in_its_own_words_takes_no_similar_one_along() -> None:
    known = [arc("ring", "Who took the ring?"), arc("map", "Who took the map?")]
    ends = read_answer("[resolved:sources=3] Who took the map? | the cook").ends
    assert [memory.id for memory in ended(ends, WINDOW, known, {})] == ["map"]


def test_a_thread_that_one_answer_opens_and_resolves_is_kept_as_resolved() -> None:
    answer = read_answer(
        "[arc:sources=1] Who lights the lamps?\n[arc:sources=1] Who puts out the lamps?\n"
        "[resolved:sources=3] Who lights the lamps? | Kael does"
    )
    claimed = proposed(answer, WINDOW, WORK)
    lit, out = ended_at_once(answer.ends, WINDOW, answer.claims, claimed)
    assert [(e.reason, e.text) for e in lit.endings] == [(EndReason.RESOLVED, "Kael does")]
    assert [source.anchor for source in lit.endings[0].sources] == ["m2"]
    assert not out.endings
    before = [arc("b", "Who lights the fire?")]
    assert ended(answer.ends, WINDOW, before, {}, claimed) == ()


def test_numbers_mean_the_list_that_was_shown() -> None:
    known = [arc("a", "Who lights the lamps?"), arc("b", "Why does Ann wait?")]
    shown = {Tier.ARCS: ("gone", "b", "a")}
    for numbers, ids in (("2", ["b"]), ("3, 2", ["a", "b"]), ("1", []), ("4", []), ("0", [])):
        ends = read_answer(f"[resolved:sources=3] {numbers} | it is over").ends
        assert sorted(m.id for m in ended(ends, WINDOW, known, shown)) == sorted(ids)


def test_a_number_of_one_kind_ends_nothing_of_another() -> None:
    secret = Memory("k", 1, Tier.EPISTEMIC, "knows", "the code", subject="Ann")
    shown = {Tier.ARCS: ("a",), Tier.EPISTEMIC: ("k",)}
    [retired] = ended(
        read_answer("[retire:sources=3] 1").ends, WINDOW, [arc("a", "Who?"), secret], shown
    )
    assert retired.id == "k"
    assert [e.reason for e in retired.endings] == [EndReason.RETIRED]


def test_said_twice_it_ends_once() -> None:
    ends = read_answer("[resolved:sources=3] 1 | over\n[resolved:sources=3] 1 | over").ends
    [memory] = ended(ends, WINDOW, [arc("a", "Who lights the lamps?")], {Tier.ARCS: ("a",)})
    assert len(memory.endings) == 1


def settled(
    *lines: str, known: tuple[Memory, ...] = (), shown: tuple[str, ...] = ()
) -> tuple[list[str], list[str]]:
    """The claims of an answer and the known entries that it ends, by what each says."""
    answer = read_answer("\n".join(lines))
    claimed = ended_at_once(answer.ends, WINDOW, answer.claims, proposed(answer, WINDOW, WORK))
    gone = ended(answer.ends, WINDOW, known, {Tier.EPISTEMIC: shown}, claimed)
    claimed = ended_along(claimed, gone, WINDOW)
    holding = [f"{m.field}{m.text}" for m in claimed if not m.endings]
    return holding, [memory.id for memory in gone]


@pytest.mark.real_model(4)
def test_what_one_answer_takes_back_further_on_is_over() -> None:
    assert settled(
        "[feels:sources=1] Kael -> Ann: betrayed(high)",
        "[feels:sources=3] Kael -> Ann: trusting(high), !betrayed",
    ) == (["trusting"], [])
    assert settled(
        "[feels:sources=3] Kael -> Ann: trusting(high), !betrayed",
        "[feels:sources=1] Kael -> Ann: betrayed(high)",
    ) == (["trusting"], []), "by the messages, whatever the order of its lines"
    assert settled(
        "[state:Kael:character:sources=1] injuries=a cut", "[state:Kael:character] injuries=-"
    ) == ([], [])


def test_what_begins_after_it_was_taken_back_holds() -> None:
    assert settled(
        "[feels:sources=1] Kael -> Ann: !betrayed", "[feels:sources=3] Kael -> Ann: betrayed(low)"
    ) == (["betrayed"], [])
    assert settled(
        "[resolved:sources=1] Who lights the lamps? | Kael does",
        "[arc:sources=3] Who lights the lamps?",
    ) == (["Who lights the lamps?"], [])
    assert settled(
        "[feels:sources=3] Kael -> Ann: !wary", "[feels:sources=3] Kael -> Ann: wary(low)"
    ) == (["wary"], []), "of one message the later line"


def test_a_new_value_that_ends_takes_the_known_one_along() -> None:
    cut = Memory(
        "cut", 1, Tier.STATE_LEDGER, "character", "a cut", subject="Kael", field="injuries"
    )
    lines = (
        "[state:Kael:character:sources=1] injuries=a burn",
        "[state:Kael:character:sources=3] injuries=-",
    )
    # The burn takes the place of the cut where it was told, and only the burn heals.
    assert settled(*lines, known=(cut,)) == ([], [])
    assert settled(lines[1], known=(cut,)) == ([], ["cut"])


def test_an_attitude_has_the_strength_that_was_said_last() -> None:
    answer = read_answer(
        "[feels:sources=1] Kael -> Ann: warm(low)\n[feels:sources=3] Kael -> Ann: warm(high)"
    )
    assert [m.magnitude for m in proposed(answer, WINDOW, WORK)] == ["low", "high"]


UNAWARE = Memory("u", 1, Tier.EPISTEMIC, "unaware", "that the lamps are green", subject="Ann")
HIDING = Memory(
    "h", 1, Tier.EPISTEMIC, "hiding", "that the lamps are green", subject="Kael", target="Ann"
)


def test_what_is_said_again_before_it_is_retired_goes_with_it() -> None:
    again = "[unaware:sources={}] Ann | that the lamps are green"
    known, shown = (UNAWARE, HIDING), ("u", "h")
    retired = "[retire:sources=3] 1"
    assert settled(again.format(1), retired, known=known, shown=shown) == ([], ["u"])
    assert settled(again.format(4), retired, known=known, shown=shown)[0] == [UNAWARE.text]


@pytest.mark.parametrize(
    ("said", "ids"),
    [
        ("[hiding] Kael from Ann | that the lamps are green", ["h"]),
        ("Ann | that the lamps are green", ["u"]),
        ("2. [hiding] Kael from Ann | that the lamps are green", ["h"]),
        ("that the lamps are green", []),  # two may be meant
        ("that the well is dry", []),
    ],
)
def test_an_entry_is_retired_in_words_too(said: str, ids: list[str]) -> None:
    assert (
        settled(f"[retire:sources=3] {said}", known=(UNAWARE, HIDING), shown=("u", "h"))[1] == ids
    )


@pytest.mark.parametrize(
    ("said", "ids"),
    [
        ("Kael sells lamps at the harbour.", ["lamps"]),
        ("- [fact] Kael sells lamps at the harbour.", ["lamps"]),
        ("[detail] The harbour gate is shut", ["gate"]),
        ("Kael sells lamps", []),
        ("Kael sells ropes at the harbour.", []),
        ("The gate is painted blue.", []),  # pinned by the user
    ],
)
def test_a_memory_that_no_longer_holds_ends_where_it_is_quoted(said: str, ids: list[str]) -> None:
    known = (
        Memory("lamps", 1, Tier.LONG_TERM, "fact", "Kael sells lamps at the harbour."),
        Memory("gate", 1, Tier.SESSION, "detail", "The harbour gate is shut."),
        Memory("blue", 1, Tier.SESSION, "detail", "The gate is painted blue.", is_pinned=True),
    )
    assert settled(f"[over:sources=3] {said}", known=known)[1] == ids


@pytest.mark.real_model(15)
def test_what_one_answer_makes_keeps_its_order_whatever_its_ids() -> None:
    lines = [f"[fact:sources=1] Lamp {n} burns at the harbour." for n in range(20)]
    claimed = proposed(read_answer("\n".join(lines)), WINDOW, WORK)
    stored = sorted(claimed, key=lambda memory: memory.id)
    assert sorted(stored, key=lambda memory: memory.created) == list(claimed)
    later = proposed(read_answer("\n".join(lines)), WINDOW, WORK, part=1)
    assert max(m.created for m in claimed) < min(m.created for m in later)
    assert max(m.created for m in later) < WORK.now + 1
