"""The registry follows the story, and one person has one spelling in all tiers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import UsageError
from app.memory.entities.entity_edits import delete, merge, rename, timeline, unlinked
from app.memory.entities.registry import canonical_roster, known_names, resolved_claims
from app.memory.lifecycle.derived_documents import by_subject
from app.memory.reading.answers import read_answer
from app.memory.reading.extraction import Work
from app.memory.reading.windows import Window
from app.memory.records import (
    Document,
    DocumentKind,
    EndReason,
    Entity,
    Memory,
    MemoryChange,
    Remembered,
    Source,
    Tier,
    merged_changes,
)
from app.memory.standing import Ground, standings
from app.memory.tiers.claims import Mention, ReadAnswer
from app.story.messages import Message, MessageKind, digest

WORK = Work("work", 1, "", "a model", 0.0)
TITLES = frozenset({"captain", "mrs", "lady"})
TEXTS = (
    ("Ilse Brandt", "I hid the ledger in the mill."),
    ("Teodor", "Mara Quill told me. Nobody else knows."),
    ("Ilse Brandt", "Then Mara lied to us both, at the Harrow Mill."),
)


def window(texts: tuple[tuple[str, str], ...] = TEXTS, new_from: int = 1) -> Window:
    messages = (
        Message(f"m{n}", digest(text), name, text, is_user=name == "Teodor")
        for n, (name, text) in enumerate(texts)
    )
    return Window(1, tuple(messages), new_from)


def resolved(text: str, registry: tuple[Entity, ...] = ()) -> tuple[ReadAnswer, dict[str, Entity]]:
    answer, entities = resolved_claims(
        read_answer(text), registry, ("Ilse Brandt", "Teodor"), window(), WORK, titles=TITLES
    )
    known = {entity.id: entity for entity in registry} | {entity.id: entity for entity in entities}
    return answer, {entity.name: entity for entity in known.values()}


FLETT = Entity("t", 1, "Teodor Flett", "character", "", aliases=("Teodor",))


def test_a_secret_from_another_of_the_family_makes_two_people() -> None:
    """What a boy hid from his mother was told as hidden from himself."""
    hidden = "[hiding:sources=1] Teodor Flett from Mrs Flett | that the ledger is in the mill"
    answer, names = resolved(hidden, (FLETT,))
    assert [(one.subject, one.target) for one in answer.claims] == [("Teodor Flett", "Mrs Flett")]
    assert "Mrs Flett" not in names["Teodor Flett"].aliases
    # Also where the name was taken for his before.
    mixed = replace(FLETT, aliases=("Teodor", "Mrs Flett"))
    answer, names = resolved(hidden, (mixed,))
    assert [(one.subject, one.target) for one in answer.claims] == [("Teodor Flett", "Mrs Flett")]
    answer, _ = resolved("[knows:sources=1] Mrs Flett | the mill", (mixed, names["Mrs Flett"]))
    assert [one.subject for one in answer.claims] == ["Mrs Flett"]


def test_a_title_still_means_the_one_of_that_name_whom_nobody_is_set_against() -> None:
    answer, names = resolved("[knows:sources=1] Captain Flett | the mill", (FLETT,))
    assert [one.subject for one in answer.claims] == ["Teodor Flett"]
    assert "Captain Flett" in names["Teodor Flett"].aliases


def test_every_tier_speaks_of_one_person_by_one_name() -> None:
    answer, _ = resolved(
        "[knows:sources=1:by=ilse] Captain Brandt | where the ledger is\n"
        "[hiding:sources=1] Ilse from teodor | where the ledger is\n"
        "[state:ILSE:character:sources=1] location=the mill\n"
        "Ilse -> teodor: wary(high)\n"
        "[fact:2:sources=1:entity=Ilse/character] Ilse hid the ledger in the mill."
    )
    by_tier = {claim.tier: claim for claim in answer.claims}
    assert {claim.subject for claim in answer.claims} - {""} == {"Ilse Brandt"}
    assert by_tier[Tier.RELATIONSHIPS].target == "Teodor"
    assert [m.name for m in by_tier[Tier.LONG_TERM].entities] == ["Ilse Brandt"]


def test_the_other_way_to_write_a_name_becomes_an_alias() -> None:
    _, known = resolved("[knows:sources=1] Ilse | where the ledger is")
    assert known["Ilse Brandt"].aliases == ("Ilse",)


def test_an_entry_that_ends_something_means_the_same_person() -> None:
    answer, _ = resolved("[state:Ilse:character:sources=3] location=-")
    assert answer.ends[0].subject == "Ilse Brandt"


def test_cards_and_personas_are_there_and_fixed() -> None:
    _, known = resolved("NONE")
    assert {name: e.is_locked for name, e in known.items()} == {
        "Ilse Brandt": True,
        "Teodor": True,
    }


def test_the_whole_name_is_the_name_wherever_it_stands_in_the_answer() -> None:
    answer, known = resolved(
        "[knows:sources=2] Mara | who hid it\n[state:Mara Quill:character:sources=2] mood=calm"
    )
    assert {claim.subject for claim in answer.claims} == {"Mara Quill"}
    assert known["Mara Quill"].aliases == ("Mara",)


def test_an_invented_surname_makes_nobody_somebody_else() -> None:
    answer, known = resolved("[knows:sources=2] Teodor Blackwood | who hid it")
    assert answer.claims[0].subject == "Teodor Blackwood"
    assert known["Teodor"].aliases == ()


def test_what_cites_nothing_brings_no_new_name() -> None:
    _, known = resolved(
        "[knows] Nessa | who hid it\n[knows:sources=9] Orrin | who hid it\n"
        "[fact:2:sources=1:entity=Wyke/place] Dragons burned down the capital of Wyke."
    )
    assert set(known) == {"Ilse Brandt", "Teodor"}


def test_a_type_is_said_by_the_majority_and_stays() -> None:
    _, known = resolved(
        "[fact:2:sources=3:entity=Harrow Mill] Somebody lied at the Harrow Mill.\n"
        "[state:Harrow Mill:place:sources=3] occupants=nobody\n"
        "[event:2:sources=3:entity=Harrow Mill/object] The mill heard a lie.\n"
        "[event:2:sources=3:entity=Harrow Mill/place] Mara lied in the mill."
    )
    assert known["Harrow Mill"].type == "place"
    _, later = resolved(
        "[state:Harrow Mill:faction:sources=3] objective=flour", tuple(known.values())
    )
    assert later["Harrow Mill"].type == "place"


@pytest.mark.pitfall(39)
def test_first_and_last_seen_follow_the_story_and_not_the_order_of_reading() -> None:
    places = {f"m{n}": n for n in range(3)} | {"m9": 9}
    registry = (Entity("x", 1, "Mara Quill", "character", first_seen="m9", last_seen="m9"),)
    found = resolved_claims(
        read_answer("NONE"), registry, (), window(), WORK, titles=TITLES, places=places
    ).entities
    assert [(e.first_seen, e.last_seen) for e in found] == [("m1", "m9")]


def test_the_others_are_nobody_and_stay_as_they_are() -> None:
    answer, known = resolved("[hiding:sources=1] Ilse from everyone | where the ledger is")
    assert answer.claims[0].target == "everyone"
    assert "everyone" not in known


def test_nobody_hides_something_from_themselves() -> None:
    answer, _ = resolved("[hiding:sources=1] Ilse from Ilse Brandt | where the ledger is")
    assert answer.claims == ()


def test_resolving_again_changes_nothing() -> None:
    text = "[knows:sources=2] Mara | who hid it\n[state:mill key:object:sources=1] owner=Ilse"
    first, known = resolved(text)
    again, entities = resolved_claims(
        first, known.values(), ("Ilse Brandt", "Teodor"), window(), WORK, titles=TITLES
    )
    assert again == first
    assert entities == ()


NAMES = st.sampled_from(
    [
        *("Ilse", "ilse brandt", "Captain Brandt", "Mara", "Mara Quill", "Mrs Quill", "the mill"),
        *("Teodor Blackwood", "everyone", "Jean-Luc", "<b>", "田中", "Lady Brandt", "Quill"),
    ]
)


@given(st.lists(st.tuples(NAMES, NAMES, st.integers(0, 4)), max_size=8))
def test_resolving_is_stable_and_never_loses_a_claim_that_makes_sense(
    entries: list[tuple[str, str, int]],
) -> None:
    text = "\n".join(
        f"[knows:sources={number}:by={other}] {name} | thing {place}"
        for place, (name, other, number) in enumerate(entries)
    )
    claims = read_answer(text).claims
    answer, known = resolved(text)
    assert len(answer.claims) == len(claims)
    again, more = resolved_claims(
        answer, known.values(), ("Ilse Brandt", "Teodor"), window(), WORK, titles=TITLES
    )
    assert again == answer
    assert more == ()


def test_the_roster_is_of_cards_and_of_personas() -> None:
    messages = (
        *window().messages,
        Message("n", "", "Narrator", "Rain.", kind=MessageKind.NARRATOR),
        Message("o", "", "Old Persona", "Hm.", is_user=True),
        Message("g", "", "Guest", "Hello."),
    )
    assert canonical_roster(("Ilse Brandt",), messages) == ("Ilse Brandt", "Teodor", "Old Persona")
    assert canonical_roster((), messages) == ("Ilse Brandt", "Guest", "Teodor", "Old Persona")


def test_names_shown_to_a_model_stay_the_same_within_a_block() -> None:
    locked = Entity("l", 1, "Ilse Brandt", "character", is_locked=True)
    old = Entity("a", 1, "Mara Quill", "character", first_seen="m1")
    new = Entity("b", 1, "Orrin", "character", first_seen="m7")
    base = (memory("1", subject="Mara Quill"), memory("2", subject="Orrin"))
    places = {f"m{n}": n for n in range(9)}
    assert [n.name for n in known_names((old, new, locked), base, places, 7)] == [
        "Ilse Brandt",
        "Mara Quill",
    ]


def test_the_first_reading_is_shown_the_cards_as_later_ones_are() -> None:
    first = known_names((), (), {}, 0, ("Teodor", "Ilse Brandt"))
    locked = [
        Entity(key, 1, name, "character", is_locked=True)
        for key, name in (("l", "Ilse Brandt"), ("t", "Teodor"))
    ]
    later = known_names(locked, (), {}, 0, ("Teodor", "Ilse Brandt"))
    assert first == later == (Mention("Ilse Brandt", "character"), Mention("Teodor", "character"))


# --- what the user does


def memory(
    memory_id: str,
    *,
    tier: Tier = Tier.EPISTEMIC,
    kind: str = "knows",
    text: str = "it",
    **more: str,
) -> Memory:
    return Memory(
        memory_id,
        1,
        tier,
        kind,
        "it",
        sources=(Source(1, "m0"),),
        created=float(len(memory_id)),
        **more,  # type: ignore[arg-type]
    )


MARA = Entity("mara", 1, "Mara", "character", aliases=("Magpie",))
QUILL = Entity("quill", 1, "Mara Quill", "character", aliases=("Quill",))
CARD = Entity("card", 1, "Ilse Brandt", "character", is_locked=True)


@pytest.mark.pitfall(25)
def test_merging_leaves_no_trace_of_the_old_name_but_an_alias() -> None:
    told = (
        memory("1", subject="Mara", target="Ilse Brandt"),
        memory("2", subject="Ilse Brandt", target="magpie", told_by="MARA"),
        # In the character's own keeping, while the others are the chat's.
        Memory(
            "3", 1, Tier.LONG_TERM, "fact", "Mara lied.", "A.png", entities=("Mara", "Mara Quill")
        ),
    )
    before = Remembered(told, (MARA, QUILL, CARD))
    change = merge(before, "mara", "quill", {})
    after = change.applied_to(before)
    assert [e.name for e in after.entities] == ["Mara Quill", "Ilse Brandt"]
    assert after.entities[0].aliases == ("Quill", "Mara", "Magpie")
    one, two, three = after.memories
    assert (one.subject, two.target, two.told_by) == ("Mara Quill",) * 3
    assert three.entities == ("Mara Quill",)
    assert three.text == "Mara lied."


@pytest.mark.pitfall(24)
def test_two_of_one_name_are_merged_by_who_they_are() -> None:
    person = Entity("p", 1, "Raven", "character", first_seen="m1")
    ship = Entity("s", 1, "Raven", "object", first_seen="m4")
    told = (memory("1", subject="Raven"),)
    before = Remembered(told, (person, ship, CARD))
    after = merge(before, "s", "p", {}).applied_to(before)
    assert [(e.id, e.name) for e in after.entities] == [("p", "Raven"), ("card", "Ilse Brandt")]
    assert [m.subject for m in after.memories] == ["Raven"]


def test_merging_keeps_the_later_of_two_values() -> None:
    told = (
        memory("1", tier=Tier.STATE_LEDGER, kind="character", subject="Mara", field="mood"),
        memory("2", tier=Tier.STATE_LEDGER, kind="character", subject="Mara Quill", field="mood"),
    )
    before = Remembered(told, (MARA, QUILL))
    after = merge(before, "mara", "quill", {"1": 5, "2": 3}).applied_to(before)
    by_id = {m.id: m for m in after.memories}
    assert [e.reason for e in by_id["2"].endings] == [EndReason.SUPERSEDED]
    assert by_id["2"].endings[0].by == "1"
    assert by_id["1"].endings == ()


def portrait(doc_id: str, subject: str, text: str) -> Document:
    return Document(doc_id, 1, DocumentKind.PROFILE, text, subject=subject)


def test_witnesses_and_portraits_follow_a_name() -> None:
    seen = Memory("1", 1, Tier.LONG_TERM, "fact", "It burned.", witnessed_by=("Ilse", "magpie"))
    before = Remembered((seen,), (MARA,), (portrait("p", "Mara", "Sly."),))
    after = rename(before, "mara", "Nessa").applied_to(before)
    assert after.memories[0].witnessed_by == ("Ilse", "Nessa")
    assert by_subject(after.documents, DocumentKind.PROFILE)["Nessa"].text == "Sly."
    before = replace(before, entities=(MARA, QUILL))
    after = merge(before, "mara", "quill", {}).applied_to(before)
    assert after.memories[0].witnessed_by == ("Ilse", "Mara Quill")
    assert by_subject(after.documents, DocumentKind.PROFILE).keys() == {"Mara Quill"}


@pytest.mark.parametrize("order", [("old", "kept"), ("kept", "old")])
def test_of_two_portraits_that_of_the_name_that_stays_counts(order: tuple[str, str]) -> None:
    two = {"old": portrait("o", "Mara", "Sly."), "kept": portrait("k", "Mara Quill", "Brave.")}
    before = Remembered((), (MARA, QUILL), tuple(two[key] for key in order))
    after = merge(before, "mara", "quill", {}).applied_to(before)
    counting = by_subject(after.documents, DocumentKind.PROFILE)
    assert {name: text.text for name, text in counting.items()} == {"Mara Quill": "Brave."}


def test_merging_leaves_one_of_the_same_feeling_and_none_toward_oneself() -> None:
    feeling: dict[str, Any] = {"tier": Tier.RELATIONSHIPS, "kind": "feeling"}
    told = (
        memory("1", **feeling, subject="Mara", target="Ilse Brandt"),
        memory("2", **feeling, subject="Quill", target="Ilse Brandt"),
        memory("3", **feeling, subject="Mara", target="Mara Quill"),
        memory("4", kind="hiding", subject="Mara Quill", target="Mara"),
        memory("5", kind="knows", subject="Mara Quill"),
    )
    before = Remembered(told, (MARA, QUILL))
    after = merge(before, "mara", "quill", {"1": 5, "2": 3}).applied_to(before)
    assert {m.id for m in after.memories if not m.endings} == {"1", "5"}


@pytest.mark.parametrize("deed", ["merge", "rename", "delete"])
def test_a_card_stays_as_it_is(deed: str) -> None:
    known = Remembered((), (CARD, QUILL))
    commands = {
        "merge": lambda: merge(known, "card", "quill", {}),
        "rename": lambda: rename(known, "card", "Somebody"),
        "delete": lambda: delete(known, "card"),
    }
    with pytest.raises(UsageError, match="Ilse Brandt is a character card"):
        commands[deed]()


def test_renaming_keeps_the_old_name_as_an_alias() -> None:
    before = Remembered((memory("1", subject="Quill"),), (QUILL,))
    after = rename(before, "quill", "Nessa Quill").applied_to(before)
    assert after.entities[0].name == "Nessa Quill"
    assert after.entities[0].aliases == ("Quill", "Mara Quill")
    assert after.memories[0].subject == "Nessa Quill"
    with pytest.raises(UsageError, match="is no name"):
        rename(before, "quill", "everyone")


def test_no_two_get_one_name_but_by_merging_and_none_is_merged_with_itself() -> None:
    before = Remembered((), (MARA, QUILL))
    with pytest.raises(UsageError, match="merge the two"):
        rename(before, "mara", "Quill")
    with pytest.raises(UsageError):
        merge(before, "mara", "mara", {})
    with pytest.raises(UsageError):
        rename(before, "nobody", "Anna")


def test_deleting_leaves_the_memories_and_takes_the_link() -> None:
    told = Memory("3", 1, Tier.LONG_TERM, "fact", "Mara lied.", entities=("quill", "Ilse Brandt"))
    before = Remembered((told,), (QUILL, CARD))
    after = delete(before, "quill").applied_to(before)
    assert after.entities == (CARD,)
    assert after.memories[0].entities == ("Ilse Brandt",)


def test_a_timeline_goes_by_the_story() -> None:
    told = (
        Memory("late", 1, Tier.SESSION, "detail", "Quill ran.", sources=(Source(1, "m2"),)),
        Memory("early", 1, Tier.SESSION, "detail", "It rained.", entities=("Mara Quill",)),
        Memory("other", 1, Tier.SESSION, "detail", "Quilling is a craft."),
    )
    ground = Ground.of(1, window().messages)
    line = timeline(QUILL, standings(told, ground))
    assert [standing.memory.id for standing in line] == ["early", "late"]


def test_only_names_that_nothing_speaks_of_are_left_over() -> None:
    told = (Memory("1", 1, Tier.SESSION, "detail", "The magpie sang to Quill."),)
    assert unlinked(Remembered(told, (MARA, QUILL, CARD))) == (MARA,)


def test_a_change_after_another_brings_back_what_it_names() -> None:
    gone = MemoryChange(removed=frozenset({"quill"}))
    back = MemoryChange(entities=(QUILL,))
    assert merged_changes([gone, back]).removed == frozenset()
    assert merged_changes([back, gone]).entities == ()
