"""Older entries are looked through beside the scenes since; what an answer ends, and what not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from app.memory.lifecycle.upkeep import (
    ENTRY_TOKENS,
    TOLD_TOKENS,
    ToldScene,
    Upkeep,
    ended_by,
    entries_due,
    looked_through,
    read_upkeep,
    said_to_be_past,
    upkeep_inputs,
)
from app.memory.records import (
    ARC,
    Document,
    DocumentKind,
    EndReason,
    Grounding,
    Memory,
    Source,
    Tier,
)
from app.memory.standing import Standing, Status
from app.prompt.tokens import EstimatingCounter
from app.story.answers.task_answers import Unreadable

COUNT = EstimatingCounter().count
PLACES = {f"m{n}": n for n in range(60)}


def scene(number: int, text: str) -> ToldScene:
    first = (number - 1) * 10
    return ToldScene(number, first, first + 9, text, Source(1, f"m{first + 9}", "x"))


SCENES = (
    scene(1, "Mira lent Kael the lamp."),
    scene(2, "Kael told Mira that he had sold the boat."),
    scene(3, "Kael gave the lamp back to Mira, and the mill was rebuilt."),
)


def memory(id_: str, tier: Tier, type_: str, text: str, **more: Any) -> Memory:
    return Memory(id_, 1, tier, type_, text, **more)


ARC_OPEN = memory("arc", Tier.ARCS, ARC, "Will Mira get the lamp back?")
HIDDEN = memory(
    "hidden", Tier.EPISTEMIC, "hiding", "that he sold the boat", subject="Kael", target="Mira"
)
LAMP = memory("lamp", Tier.STATE_LEDGER, "object", "with Kael", subject="lamp", field="location")
FELT = memory(
    "felt", Tier.RELATIONSHIPS, "feeling", "wary", subject="Mira", target="Kael", magnitude="low"
)
MILL = memory("mill", Tier.LONG_TERM, "fact", "The mill lies in ruins.")
ALL = (ARC_OPEN, HIDDEN, LAMP, FELT, MILL)


def standing(of: Memory, start: int = 1) -> Standing:
    return Standing(of, Status.ACTIVE, start)


def due(*memories: Memory, documents: Sequence[Document] = ()) -> Upkeep:
    found = entries_due([standing(m) for m in memories], SCENES, documents, PLACES)
    assert found is not None
    return found


def shown_of(upkeep: Upkeep) -> Upkeep:
    return upkeep_inputs(upkeep, room=4000, count=COUNT)[0]


def note(until: str, **sections: str) -> Document:
    return Document("d", 1, DocumentKind.UPKEEP, "", sections=sections, until=until)


def test_all_kinds_that_may_be_over_are_shown_numbered_through() -> None:
    shown, texts = upkeep_inputs(due(*reversed(ALL)), room=4000, count=COUNT)
    assert [m.id for m in shown.entries] == ["arc", "hidden", "lamp", "felt", "mill"]
    assert texts["entries"].splitlines()[0] == "Open arcs:"
    assert "2. [hiding] Kael from Mira | that he sold the boat (scene 1)" in texts["entries"]
    assert "3. lamp (object): location=with Kael (scene 1)" in texts["entries"]
    assert texts["scenes"].startswith("Scene 1: Mira lent Kael the lamp.")


def test_what_began_in_the_last_scene_or_only_happened_is_not_looked_through() -> None:
    happened = memory("event", Tier.LONG_TERM, "event", "Mira lent Kael the lamp.")
    pinned = memory("pinned", Tier.LONG_TERM, "fact", "Mira sings.", is_pinned=True)
    written = memory("yours", Tier.ARCS, ARC, "Will it rain?", grounding=Grounding.YOURS)
    late = standing(memory("late", Tier.ARCS, ARC, "Who rebuilt the mill?"), 25)
    gone = Standing(memory("gone", Tier.ARCS, ARC, "Who sings?"), Status.ENDED, 1)
    standings = [*map(standing, (*ALL, happened, pinned, written)), late, gone]
    found = entries_due(standings, SCENES, (), PLACES)
    assert found is not None
    assert {m.id for m in found.entries} == {m.id for m in ALL}


def test_few_entries_are_not_worth_a_request() -> None:
    assert entries_due([standing(m) for m in ALL[1:]], SCENES, (), PLACES) is None
    assert entries_due([standing(m) for m in ALL], (), (), PLACES) is None


def test_what_the_scenes_speak_of_goes_first_and_then_what_nobody_looked_at() -> None:
    others = [memory(f"o{n}", Tier.ARCS, ARC, f"Xyzzy{n}?") for n in range(3)]
    looked = note("m9", o0="", arc="")
    order = [m.id for m in due(*others, *ALL, documents=(looked,)).entries]
    assert order.index("arc") < order.index("o1") < order.index("o0")


def test_what_was_said_to_be_over_and_holds_again_is_left_alone() -> None:
    """The user brought it back, or a sentence is told as past by now."""
    more = memory("more", Tier.ARCS, ARC, "Who sings?")
    ids = {m.id for m in due(*ALL, more, documents=(note("m9", hidden="He told her."),)).entries}
    assert ids == {"arc", "lamp", "felt", "mill", "more"}
    behind_gone = note("gone", hidden="He told her.")
    assert "hidden" in {m.id for m in due(*ALL, documents=(behind_gone,)).entries}


def test_an_answer_ends_each_kind_in_its_way_at_the_scene_that_it_names() -> None:
    shown = shown_of(due(*ALL))
    over = read_upkeep(
        "1 | 3 | Kael gave the lamp back.\n2 | 2 | Kael told her of the boat.\n"
        "3, 4 | 3 | Kael gave Mira the lamp.\n5 | 3 | The mill was rebuilt.",
        shown,
    )
    ended = {m.id: m.endings[0] for m in ended_by(ALL, over)}
    assert set(ended) == {"arc", "hidden", "lamp", "felt"}
    assert ended["arc"].reason is EndReason.RESOLVED
    assert ended["hidden"].reason is EndReason.RETIRED
    assert ended["hidden"].sources == (SCENES[1].closing,)
    assert ended["hidden"].text == "Kael told her of the boat."
    sections = {one.memory: one.why for one in over}
    assert said_to_be_past([note("m29", **sections)], PLACES) >= {"mill"}
    assert looked_through([note("m29", **sections)], PLACES)["mill"] == 29


@pytest.mark.parametrize(
    "line",
    [
        "- 1 | 3 | Kael gave the lamp back.",
        "**1** | Scene 3 | Kael gave the lamp back.",
        "1. | scene 3 | Kael gave the lamp back.",
        "[1] | #3 | Kael gave the lamp back.",
        "Here is what is over:\n\n1 | 3 | Kael gave the lamp back.\n",
    ],
)
def test_lines_are_read_leniently(line: str) -> None:
    assert [one.memory for one in read_upkeep(line, shown_of(due(*ALL)))] == ["arc"]


@pytest.mark.parametrize(
    "line",
    [
        "9 | 3 | Kael gave the lamp back.",
        "1 | 7 | Kael gave the lamp back.",
        "1 | 1 | Mira lent Kael the lamp.",  # the scene of the entry itself
        "1 | 3 | Dragons flew.",  # nothing of this scene
        "1 | 3 | <A> gave <thing> back.",
        "NONE",
        "None. All notes still hold.",
    ],
)
def test_what_is_not_shown_or_not_told_ends_nothing(line: str) -> None:
    assert read_upkeep(f"{line}\nNONE", shown_of(due(*ALL))) == ()


def test_a_scene_ends_its_own_earlier_states_and_no_threads_or_memories() -> None:
    """What is so for a while may be over before its scene is."""
    said = "1, 2, 3, 4, 5 | 1 | Mira lent Kael the lamp."
    over = read_upkeep(said, shown_of(due(*ALL)))
    assert [one.memory for one in over] == ["hidden", "lamp", "felt"]
    at_end = entries_due([standing(memory, 9) for memory in ALL], SCENES, (), PLACES)
    assert at_end is not None
    assert read_upkeep(said, shown_of(at_end)) == (), "nothing in it comes later"


@pytest.mark.parametrize("text", ["", "The story goes on.", "[resolved] 1"])
def test_something_else_is_no_answer(text: str) -> None:
    with pytest.raises(Unreadable):
        read_upkeep(text, shown_of(due(*ALL)))


def test_a_small_room_shows_the_newest_scene_and_the_first_entries() -> None:
    many = [memory(f"o{n}", Tier.ARCS, ARC, f"Xyzzy{n} " * 20) for n in range(90)]
    long = (scene(1, "Long ago. " * 2000), scene(2, "Then. " * 2000), scene(3, "Now the lamp."))
    found = entries_due([standing(m) for m in (*ALL, *many)], long, (), PLACES)
    assert found is not None
    shown, texts = upkeep_inputs(found, room=6000, count=COUNT)
    assert "lamp" in {m.id for m in shown.entries}
    assert [one.number for one in shown.scenes] == [3]
    assert COUNT(texts["entries"]) <= ENTRY_TOKENS + 200
    assert COUNT(texts["scenes"]) <= TOLD_TOKENS
