"""What each slot of memory tells, to whom, and what it never tells."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest

from app.memory.records import (
    Document,
    DocumentKind,
    Ending,
    EndReason,
    Memory,
    Review,
    Source,
    Tier,
)
from app.prompt.choosing.presence import Besides
from app.prompt.generation import Turn
from app.prompt.rendering.memory_slots import EARLIER
from app.prompt.rendering.text_slots import sentences
from app.prompt.slots import RUNNING_RECAP_KEY, Reason, RecapShown, Slot, TurnKind
from app.settings.slot_table import Position, Role, SlotName
from app.story.messages import Message, digest
from app.story.recaps import YOU, RunningRecap, RunningVersion, SceneRecap
from app.story.scenes import BreakOrigin, SceneBreak, scenes_of
from app.story.story import ChatKind, Story
from tests.app.prompt.remembered import LINES, document, memory, prompt, slot, story, text_of, whole


def test_without_memories_there_are_no_slots_of_memory() -> None:
    assert [slot.key for slot in prompt().slots] == ["auto_recap_memory_scene"]


@pytest.mark.pitfall(48)
def test_no_tag_and_no_square_bracket_is_told_that_a_model_would_copy_into_the_story() -> None:
    told = [memory(f"Words of {tier.value}.", tier) for tier in Tier]
    slots = prompt(told).slots
    assert sum("Words of" in slot.text for slot in slots) >= 4
    for one in slots:
        assert not set("[]<>") & set(one.text.replace("<Recap>", "")), one.key


def test_a_running_recap_in_paragraphs_hides_no_values_and_no_feelings() -> None:
    held = [
        memory("cellar", Tier.STATE_LEDGER, subject="Vera", field="location"),
        memory("fond", Tier.RELATIONSHIPS, subject="Vera", target="You"),
        memory("The gate is open."),
    ]
    recap = "The first evening.\n\n- The gate is open."
    alone, beside = prompt(held), prompt(held, of=story(running=recap))
    for name in (SlotName.STATE_LEDGER, SlotName.RELATIONSHIPS):
        assert text_of(alone, name)
        assert text_of(beside, name) == text_of(alone, name)
    assert text_of(alone, SlotName.LONG)


@pytest.mark.pitfall(42)
def test_the_canon_of_a_group_counts_its_tokens_for_each_member() -> None:
    """Spec §23, 42."""
    group = story(kind=ChatKind.GROUP)
    canon = document(DocumentKind.CANON, "They guard the gate.", subject=group.chat.owner_name)
    for member in ("Vera", "Odo"):
        told = prompt(documents=[canon], of=group, turn=Turn(member))
        (content,) = (c for c in told.contents if c.key == SlotName.CANON.key)
        assert "They guard the gate." in text_of(told, SlotName.CANON)
        assert content.tokens > 0
        assert content.full_tokens == content.tokens


def test_a_slot_that_has_nothing_to_tell_any_more_is_gone() -> None:
    one = memory("The gate is open.")
    assert slot(prompt([one]), SlotName.LONG) is not None
    assert slot(prompt([one], longterm_enabled=False), SlotName.LONG) is None


def test_a_fact_that_others_outranked_is_called_up_by_the_moment_alone() -> None:
    """Of three thousand messages the twenty-five newest facts could be told, and nothing else."""
    over = Ending(EndReason.OUTRANKED, sources=(Source(1, "m1", digest(LINES[1])),))
    wrong = replace(over, reason=EndReason.SUPERSEDED)
    old = memory("Captain Holloway buried a copper kettle under the jetty.", endings=(over,))
    untrue = memory("Captain Holloway sold a copper kettle at the fair.", endings=(wrong,))
    kept = memory("The mill grinds barley.")
    asked = story(*LINES, "Where is the copper kettle of Captain Holloway?")
    told = prompt([old, untrue, kept], of=asked, is_indexed=True)
    assert "Earlier, as things stood then:\n- Captain Holloway buried" in text_of(
        told, SlotName.TRIGGERED
    )
    assert "buried" not in text_of(told, SlotName.LONG)
    assert "sold" not in whole(told)
    calm = prompt([old, untrue, kept], of=story(*LINES, "Rain falls."), is_indexed=True)
    assert "kettle" not in whole(calm)


ENDED = Ending(EndReason.BY_HAND)


@pytest.mark.parametrize("tier", Tier)
@pytest.mark.parametrize(
    "changes",
    [
        {"review": Review.WAITING},
        {"review": Review.REJECTED},
        {"endings": (ENDED,)},
        {"hash": "other words"},
        {"at": 9},
    ],
    ids=["waiting", "rejected", "ended", "stale", "withdrawn"],
)
@pytest.mark.pitfall(54)
def test_what_does_not_hold_is_never_told(tier: Tier, changes: dict[str, object]) -> None:
    fields: dict[str, Any] = {"subject": "Vera", "target": "You", "field": "location"}
    held = memory("cellar door", tier, id="held", **fields)
    assert "cellar door" in whole(prompt([held]))
    assert "cellar door" not in whole(prompt([memory("cellar door", tier, **fields | changes)]))


OF_ALL_TIERS = [
    memory("Odo fears dogs."),
    memory("The lamp went out.", Tier.SESSION),
    memory("Who took the key?", Tier.ARCS),
    memory("fond", Tier.RELATIONSHIPS, subject="Vera", target="You"),
    memory("the key", Tier.EPISTEMIC, subject="Vera"),
    memory("cellar", Tier.STATE_LEDGER, subject="Vera", field="location"),
]


@pytest.mark.real_model(12)
def test_in_a_file_of_its_own_the_one_who_writes_answers() -> None:
    alone = story()
    alone = replace(alone, chat=replace(alone.chat, kind=ChatKind.FILE, owner_name="", speakers=()))
    secret = memory("that the key is lost", Tier.EPISTEMIC, subject="Vera")
    portrait = document(DocumentKind.PROFILE, "She guards the gate.", subject="Vera")
    told = prompt([secret], documents=[portrait], of=alone)
    assert told.responder == "Vera"
    assert "that the key is lost" in text_of(told, SlotName.EPISTEMIC)
    several = story(kind=ChatKind.GROUP)
    several = replace(several, chat=replace(alone.chat, kind=ChatKind.FILE))
    assert prompt([secret], of=several).responder == "", "more than one may answer"


def test_who_writes_alone_is_told_from_new_messages_only() -> None:
    alone = story()
    alone = replace(alone, chat=replace(alone.chat, kind=ChatKind.FILE, owner_name="", speakers=()))
    assert prompt(OF_ALL_TIERS, of=alone).responder == "Vera"
    asked: list[str] = []

    def besides(_: Besides, message: Message) -> bool:
        asked.append(message.anchor)
        return False

    with patch.object(Besides, "__call__", besides):
        longer = (*alone.messages, Message("late", digest("So?"), "You", "So?", is_user=True))
        places = alone.places.after(longer, len(alone.messages))
        told = prompt(OF_ALL_TIERS, of=replace(alone, messages=longer, places=places))
    assert told.responder == "Vera"
    assert asked == ["late"]


def test_what_stands_in_the_chat_stands_close_to_its_end() -> None:
    in_chat = [s for s in prompt(OF_ALL_TIERS).slots if s.position is Position.IN_CHAT]
    assert [slot.depth for slot in in_chat] == [1] * 5
    moved = prompt(OF_ALL_TIERS, slots_deepest=4, slot_session_depth=0).slots
    depths = {s.key: s.depth for s in moved if s.position is Position.IN_CHAT}
    assert list(depths.values()) == [4, 0, 2, 1, 1]


def test_seeds_places_are_the_defaults_and_can_be_changed_but_for_the_repair() -> None:
    told = prompt(
        OF_ALL_TIERS,
        documents=[
            document(DocumentKind.PROFILE, "State:\nmood: calm", subject="Vera"),
            document(DocumentKind.CANON, "Identity: a guard.", subject="Vera"),
            document(DocumentKind.SUMMARY, "All was quiet."),
        ],
        slots_deepest=99,
    )
    places = {s.key.removeprefix("smart_memory_"): (s.position, s.depth) for s in told.slots[1:]}
    assert places == {
        "canon": (Position.IN_PROMPT, 0),
        "profiles": (Position.IN_PROMPT, 1),
        "long": (Position.IN_PROMPT, 2),
        "short": (Position.IN_PROMPT, 0),
        "relationships": (Position.IN_CHAT, 5),
        "session": (Position.IN_CHAT, 3),
        "arcs": (Position.IN_CHAT, 2),
        "epistemic": (Position.IN_CHAT, 1),
        "state_ledger": (Position.IN_CHAT, 1),
    }
    moved = prompt(
        [memory("Odo fears dogs.")],
        slots_deepest=99,
        slot_long_position=1,
        slot_long_depth=7,
        slot_long_role=1,
        slot_long_scan=True,
        slot_long_template="Known: {{memories}}!",
    )
    long = slot(moved, SlotName.LONG)
    assert long is not None
    assert (long.position, long.depth, long.role, long.scan) == (1, 7, Role.USER, True)
    assert long.text == "Known: - Odo fears dogs.!"


def test_a_frame_that_lost_its_placeholder_loses_nothing() -> None:
    told = prompt([memory("Odo fears dogs.")], slot_long_template="Known:")
    assert text_of(told, SlotName.LONG) == "Known:\n- Odo fears dogs."


def test_long_term_memories_stand_in_the_order_of_the_story() -> None:
    held = [memory("Third.", at=2, importance=3), memory("First.", at=0), memory("Second.", at=1)]
    assert text_of(prompt(held), SlotName.LONG).splitlines()[1:] == [
        "- First.",
        "- Second.",
        "- Third.",
    ]


def test_what_the_user_wants_goes_first_and_the_best_of_some_types_is_not_missed() -> None:
    events = [
        memory(f"{place} burned down that year.", id=place, type="event")
        for place in ("Ansel Mill", "Bruck Farm", "Corde House", "Dov Tower", "Ebb Inn", "Fen Quay")
    ]
    tie = memory("Odo is a cousin of hers.", id="tie", type="relationship")
    pinned = memory("It rained.", id="p", type="event", importance=1, is_pinned=True)
    told = prompt([*events, tie, pinned])
    (content,) = (c for c in told.contents if c.key == SlotName.LONG.key)
    assert content.shown[0] == "p"
    assert "tie" in content.shown[:4]


def test_the_head_of_the_prompt_stays_while_nothing_was_learned() -> None:
    held = [memory(f"Fact {n} of the old harbour town", id=f"{n}") for n in range(40)]
    first = prompt(held, of=story(*LINES))
    later = prompt(held, of=story(*LINES, "Fact 39 of the harbour, says You.", "Vera nods."))
    assert first.turn == later.turn
    assert text_of(first, SlotName.LONG) == text_of(later, SlotName.LONG)


def long_story(length: int) -> Story:
    return story(*(f"Line {n} of the day." for n in range(length)))


def test_the_head_takes_in_what_is_new_in_steps_and_nothing_waits_untold() -> None:
    held = [memory(f"Fact {n} of the harbour", id=f"{n}", at=n, hash="") for n in range(0, 60, 2)]
    heads = []
    for length in range(40, 60):
        told = prompt([m for m in held if int(m.id) < length - 6], of=long_story(length))
        heads.append(text_of(told, SlotName.LONG))
        shown = {one for content in told.contents for one in content.shown}
        assert shown == {m.id for m in held if int(m.id) < length - 6}
    assert len(set(heads)) == 2
    at_once = prompt(held, of=long_story(60), slots_head_every=0)
    assert slot(at_once, SlotName.TRIGGERED) is None
    assert len(text_of(at_once, SlotName.LONG).splitlines()) == 31


def test_the_head_of_a_young_chat_tells_of_its_beginning_only() -> None:
    held = [memory(f"Fact {n} of the harbour", id=f"{n}", at=n, hash="") for n in range(30)]
    told = [
        prompt([m for m in held if int(m.id) < length - 2], of=long_story(length))
        for length in range(7, 30)
    ]
    assert len({text_of(one, SlotName.LONG) for one in told}) == 1
    assert text_of(told[-1], SlotName.LONG).count("Fact") == 5
    for length, one in zip(range(7, 30), told, strict=True):
        shown = {memory for content in one.contents for memory in content.shown}
        assert len(shown) == length - 2


def test_what_happened_long_ago_is_told_as_the_past_and_what_is_so_is_not() -> None:
    fact = memory("The harbour is old.", id="fact", at=0, hash="")
    stolen = memory("The harbour bell is gone.", id="stolen", at=0, hash="", type="event")
    rung = memory("The harbour bell rang.", id="rung", at=58, hash="", type="event")
    told = prompt(
        [fact, stolen, rung],
        of=story(*(f"Line {n} of the day." for n in range(59)), "The harbour bell?"),
    )
    for name in (SlotName.LONG, SlotName.TRIGGERED):
        text = text_of(told, name)
        _now, _, then = text.partition("Earlier, as things stood then:")
        if stolen.text in text:
            assert stolen.text in then
        assert fact.text not in then
        assert rung.text not in then
    both = text_of(told, SlotName.LONG) + text_of(told, SlotName.TRIGGERED)
    assert stolen.text in both
    assert rung.text in both


@pytest.mark.real_model(5)
def test_details_of_a_scene_that_has_ended_are_told_as_the_past() -> None:
    of_then = memory("The bell is cracked.", Tier.SESSION, at=2, hash="", type="detail")
    of_now = memory("The lamp is lit.", Tier.SESSION, at=18, hash="", type="detail")
    newest = memory("The rope is wet.", Tier.SESSION, at=29, hash="", type="detail")
    going_on = long_story(30)
    begun = replace(
        going_on, scenes=scenes_of(going_on.messages, {"m15": SceneBreak("m15", BreakOrigin.HAND)})
    )
    told = text_of(prompt([of_then, of_now, newest], of=begun), SlotName.SESSION)
    present, _, past = told.partition("Earlier, as things stood then:")
    assert of_then.text in past
    assert of_now.text in present
    one_scene = text_of(prompt([of_then, of_now, newest], of=going_on), SlotName.SESSION)
    assert "Earlier" not in one_scene


def test_the_scene_now_is_none_that_has_ended() -> None:
    """A scene of one message was told to play in the kitchen of the scene before."""
    kitchen = memory("A hot kitchen.", Tier.SESSION, at=27, hash="")
    going_on = long_story(30)
    assert "The scene now:" in text_of(prompt([kitchen], of=going_on), SlotName.SESSION)
    begun = replace(
        going_on, scenes=scenes_of(going_on.messages, {"m28": SceneBreak("m28", BreakOrigin.HAND)})
    )
    told = text_of(prompt([kitchen], of=begun), SlotName.SESSION)
    assert "The scene now:" not in told
    assert "A hot kitchen." in told


def test_what_gave_way_to_others_stays_at_the_head_until_it_is_renewed() -> None:
    def ended(reason: EndReason, at: int) -> Memory:
        ending = Ending(reason, sources=(Source(1, f"m{at}", ""),))
        return memory("The lamp is green.", endings=(ending,), hash="")

    outranked = [ended(EndReason.OUTRANKED, 30)]
    assert "green" in text_of(prompt(outranked, of=long_story(45)), SlotName.LONG)
    assert "green" not in whole(prompt(outranked, of=long_story(50)))
    assert "green" not in whole(prompt(outranked, of=long_story(45), slots_head_every=0))
    untrue = [ended(EndReason.SUPERSEDED, 30)]
    assert "green" not in whole(prompt(untrue, of=long_story(45)))


def test_the_head_goes_by_what_the_turns_that_it_tells_of_were_like() -> None:
    held = [memory(f"Fact {n} of the old harbour", id=f"{n}", hash="") for n in range(60)]

    def told(*runs: int, kind: TurnKind | None = None) -> Slot:
        lines = (f"He runs, line {n}." if n in runs else f"Line {n}." for n in range(40))
        found = slot(prompt(held, of=story(*lines), turn=Turn(kind=kind)), SlotName.LONG)
        assert found is not None
        return found

    assert told().budget == 597  # of dialogues
    assert told(39).text == told().text  # one wild turn changes nothing that a provider has read
    assert told(*range(20, 40)).text == told().text  # nor twenty, before the head is renewed
    assert told(*range(20)).budget == 400  # of fights
    assert 400 < told(*range(16, 20)).budget < 597
    assert told(kind=TurnKind.ACTION).budget == 400  # asked for


def test_a_portrait_changes_in_steps_too_but_the_users_words_count_at_once() -> None:
    def portrait(text: str, until: int, **values: str) -> Document:
        return document(DocumentKind.PROFILE, text, subject="Vera", until=f"m{until}", **values)

    texts = [portrait("Calm.", 10), portrait("Tense.", 35)]
    assert "Calm." in whole(prompt(documents=texts, of=long_story(40)))
    assert "Tense." in whole(prompt(documents=texts, of=long_story(50)))
    mine = portrait("Merry.", 36, made_by="you")
    assert "Merry." in whole(prompt(documents=[*texts, mine], of=long_story(40)))


@pytest.mark.real_model(6)
def test_the_moment_calls_up_what_the_budget_left_out_and_nothing_twice() -> None:
    held = [memory(f"Fact {n} about nothing at all", id=f"{n}", importance=3) for n in range(40)]
    bees = memory("She is allergic to bees.", id="bees", importance=1, triggers=("sting",))
    quiet = prompt([*held, bees], budget_total=800)
    assert "bees" not in whole(quiet)
    stung = story(*LINES, "A wasp's sting!")
    told = prompt([*held, bees], of=stung, budget_total=800)
    assert "bees" in text_of(told, SlotName.TRIGGERED)
    roomy = prompt([*held, bees], of=stung, budget_total=8000)
    assert whole(roomy).count("bees") == 1
    assert "bees" in text_of(roomy, SlotName.LONG)


def test_a_reply_that_is_replaced_calls_nothing_up() -> None:
    held = [memory(f"Fact {n} about nothing at all", id=f"{n}", importance=3) for n in range(40)]
    bees = memory("Allergic to bees.", id="bees", importance=1, triggers=("sting",))
    of = story("You wait.", "All wait.", "A wasp's sting!")
    told = prompt([*held, bees], of=of, turn=Turn(generation="swipe"), budget_total=800)
    assert slot(told, SlotName.TRIGGERED) is None


def test_what_the_responder_did_not_see_is_marked_or_left_out() -> None:
    held = [memory("The vault is empty.", witnessed_by=("Odo",)), memory("It rained.")]
    group = story(kind=ChatKind.GROUP)
    marked = prompt(held, of=group, turn=Turn("Vera"), secondhand_marked=True)
    assert "- [secondhand] The vault is empty." in whole(marked)
    assert "- The vault is empty." in whole(prompt(held, of=group, turn=Turn("Odo")))
    for_any = whole(prompt(held, of=group))  # Vera, too, may be the one who answers
    assert "vault" not in for_any
    assert "- It rained." in for_any
    strict = prompt(held, of=group, turn=Turn("Vera"))
    assert "vault" not in whole(strict)
    assert "- It rained." in whole(strict)
    left_out = [one for content in strict.contents for one in content.left_out]
    assert [one.reason for one in left_out if "vault" in one.text] == [Reason.SECONDHAND]


def knowing(text: str, type_: str, subject: str, **values: Any) -> Memory:
    return memory(
        text, Tier.EPISTEMIC, id=f"{text}{subject}", type=type_, subject=subject, **values
    )


SECRETS = [
    knowing("where the key is", "knows", "Vera"),
    knowing("Odo took the key", "suspects", "Vera"),
    knowing("the key is a copy", "unaware", "Vera"),
    knowing("the door is locked", "believes", "Vera"),
    knowing("her debts", "hiding", "Vera", target="You", detail="her debts at the bank"),
    knowing("he took the key", "hiding", "Odo", target="Vera"),
]


def test_only_the_one_who_answers_is_told_what_it_knows() -> None:
    group = story(kind=ChatKind.GROUP)
    vera = text_of(prompt(SECRETS, of=group, turn=Turn("Vera")), SlotName.EPISTEMIC)
    assert vera == (
        "Vera knows:\n- where the key is\n"
        "Vera suspects, without proof:\n- Odo took the key\n"
        "- Vera does not know the key is a copy\n"
        "Vera believes, though it is false:\n- the door is locked\n"
        "Vera conceals:\n- from You: her debts at the bank"
    )
    odo = whole(prompt(SECRETS, of=group, turn=Turn("Odo")))
    assert "he took the key" in odo
    # Of a man who hides "that he took the key" she would be told that "he" did.
    hidden = text_of(prompt(SECRETS[-1:], of=group, turn=Turn("Vera")), SlotName.EPISTEMIC)
    assert hidden == "- Vera does not know he took the key (Odo)"
    assert "debts" not in odo
    nobody = whole(prompt(SECRETS, of=group))
    assert "took the key" not in nobody
    assert "debts" not in nobody
    as_user = whole(prompt(SECRETS, of=group, turn=Turn("Vera", generation="impersonate")))
    assert "debts" not in as_user
    untold = prompt(SECRETS, of=group, turn=Turn("Vera"), epistemic_unaware=False)
    assert "copy" not in whole(untold)


@pytest.mark.real_model(12)
def test_a_solo_chat_has_one_who_answers() -> None:
    assert "Vera conceals" in whole(prompt(SECRETS))


def test_secrets_and_errors_outlast_what_is_plainly_known() -> None:
    told = prompt(SECRETS, budget_mode="advanced", budget_epistemic=50)
    text = text_of(told, SlotName.EPISTEMIC)
    assert "her debts" in text
    assert "where the key is" not in text


def test_profile_and_canon_are_those_of_the_one_who_answers() -> None:
    documents = [
        document(DocumentKind.PROFILE, "", subject=name, sections={"character_state": f"{name}!"})
        for name in ("Vera", "Odo")
    ]
    group = story(kind=ChatKind.GROUP)
    told = whole(prompt(documents=documents, of=group, turn=Turn("Odo")))
    assert "Odo!" in told
    assert "Vera!" not in told


def test_each_member_of_a_group_is_told_their_own_canon_and_else_the_group_s() -> None:
    group = story(kind=ChatKind.GROUP)
    group = replace(group, chat=replace(group.chat, owner_name="The Crew"))
    documents = [
        document(DocumentKind.CANON, "She guards the gate.", subject="Vera"),
        document(DocumentKind.CANON, "They are friends.", subject="The Crew"),
    ]
    own = text_of(prompt(documents=documents, of=group, turn=Turn("Vera")), SlotName.CANON)
    assert own == "Character history:\nShe guards the gate."
    shared = text_of(prompt(documents=documents, of=group, turn=Turn("Odo")), SlotName.CANON)
    assert shared == "Character history:\nThey are friends."


@pytest.mark.parametrize("kind", ChatKind)
@pytest.mark.real_model(15)
def test_the_user_s_own_words_are_told_no_canon_and_no_profile_of_a_character(
    kind: ChatKind,
) -> None:
    of = story(kind=kind)
    documents = [
        document(DocumentKind.CANON, "She guards the gate.", subject=of.chat.owner_name),
        document(DocumentKind.CANON, "She guards the tower.", subject="Vera"),
        document(DocumentKind.PROFILE, "", subject="Vera", sections={"character_state": "Proud."}),
    ]
    own = whole(prompt(documents=documents, of=of, turn=Turn("Vera")))
    assert "She guards the" in own
    assert "Proud." in own
    as_user = Turn("Vera", generation="impersonate")
    told = whole(prompt(documents=documents, of=of, turn=as_user))
    assert "She guards" not in told
    assert "Proud." not in told


def test_a_text_about_messages_that_are_gone_is_not_told() -> None:
    old = document(DocumentKind.SUMMARY, "They met.", until="m1")
    gone = document(DocumentKind.SUMMARY, "They met and parted.", until="m9")
    assert text_of(prompt(documents=[old, gone]), SlotName.SHORT) == "Story so far:\nThey met."


def test_the_running_recap_stands_in_for_the_summary() -> None:
    summary = document(DocumentKind.SUMMARY, "They met.")
    of = story(running="They met at the gate.")
    assert slot(prompt(documents=[summary], of=of), SlotName.SHORT) is None
    off = prompt(documents=[summary], of=of, running_recap_enabled=False)
    assert "They met." in text_of(off, SlotName.SHORT)


def with_scenes(*texts: str, running: str = "") -> Story:
    of = story(*(f"Line {n}." for n in range(len(texts) + 1)), running=running)
    breaks = {f"m{n}": SceneBreak(f"m{n}", BreakOrigin.HAND) for n in range(len(texts))}
    recaps: dict[str, tuple[SceneRecap, ...]] = {
        f"m{n}": (SceneRecap(f"m{n}", 0, "", text, "", "model", 1.0),)
        for n, text in enumerate(texts)
    }
    return replace(of, breaks=breaks, scenes=scenes_of(of.messages, breaks), recaps=recaps)


def test_the_newest_scenes_are_told_and_the_oldest_go_first() -> None:
    of = with_scenes(*(f"In scene {n} they met. Then they parted." for n in range(1, 8)))
    one = [memory("x x")]
    text = text_of(prompt(one, of=of), SlotName.SCENES)
    assert text.splitlines()[1] == "Scene 3: In scene 3 they met. Then they parted."
    assert len(text.splitlines()) == 6
    small = prompt(one, of=of, budget_mode="advanced", budgets_adaptive=False, budget_scenes=24)
    assert text_of(small, SlotName.SCENES).splitlines()[1:] == [
        "Scene 7: In scene 7 they met. Then they parted."
    ]
    tiny = prompt(one, of=of, budget_mode="advanced", budgets_adaptive=False, budget_scenes=16)
    assert text_of(tiny, SlotName.SCENES).splitlines()[1:] == ["Scene 7: Then they parted."]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("He said: «Six o'clock. A fine hour».", 1),
        ("Sie rief: „Komm. Jetzt“, und ging. Er blieb.", 2),
        ("“Go. Now,” she said. Dr. Voss went.", 2),
        ('It is "open. They left.', 2),
    ],
)
def test_a_recap_that_is_cut_breaks_no_quote_and_no_title(text: str, parts: int) -> None:
    """The end of what somebody said stood there alone, with the quote's closing mark."""
    found = sentences(text)
    assert len(found) == parts
    assert " ".join(found) == text


def test_what_the_running_recap_says_in_the_same_words_is_not_said_again() -> None:
    of = with_scenes("They met.", "They parted.", running="DEVELOPMENTS\nThey met.")
    text = text_of(prompt([memory("x x")], of=of), SlotName.SCENES)
    assert "They met." not in text
    assert "Scene 2: They parted." in text


def test_the_session_begins_with_the_scene_as_it_is_now() -> None:
    held = [
        memory("A tavern.", Tier.SESSION, at=0),
        memory("A cold cellar.", Tier.SESSION, at=1),
        memory("Vera limps.", Tier.SESSION, at=1, type="detail"),
        memory("Odo lied.", Tier.SESSION, at=2, type="revelation"),
    ]
    assert text_of(prompt(held), SlotName.SESSION) == (
        "The scene now:\nSetting: A cold cellar.\nContinuity: Vera limps.\nNew: Odo lied.\n\n"
        "Details from this session:\n- A tavern."
    )


@pytest.mark.pitfall(38)
def test_what_an_open_thread_is_about_is_told_before_what_is_newer() -> None:
    """Spec §23: open arcs were not given to the ranking."""
    rain = ("Green lanterns hang.", "Brown horses limp.", "Wet gloves lie about.")
    told = [memory(text, Tier.SESSION, at=3, type="detail") for text in (*rain, "A bell tolls.")]
    told.insert(0, memory("The silver key is gone.", Tier.SESSION, type="detail"))
    arc = memory("Who has the silver key that is gone?", Tier.ARCS)
    narrow: dict[str, Any] = {
        "budget_mode": "advanced",
        "budgets_adaptive": False,
        "budget_session": 32,
    }
    assert "silver key" not in text_of(prompt(told, **narrow), SlotName.SESSION)
    assert "silver key" in text_of(prompt([*told, arc], **narrow), SlotName.SESSION)


def test_feelings_of_those_who_are_there() -> None:
    held = [
        memory("fond", Tier.RELATIONSHIPS, subject="Vera", target="Odo", magnitude="high"),
        memory("wary", Tier.RELATIONSHIPS, subject="Vera", target="Odo", magnitude="low"),
        memory("afraid", Tier.RELATIONSHIPS, subject="Ilse", target="Bruno"),
    ]
    told = prompt(held)
    assert text_of(told, SlotName.RELATIONSHIPS) == (
        "Relationship history:\nVera→Odo: fond (high), wary (low)"
    )
    (content,) = told.contents
    assert [one.reason for one in content.left_out] == [Reason.ABSENT]


def test_the_ledger_tells_each_thing_in_one_line_with_its_newest_values() -> None:
    def value(text: str, field: str, subject: str = "Vera", **values: Any) -> Memory:
        fields = {"subject": subject, "field": field, "id": f"{subject}{field}{text}"}
        return memory(text, Tier.STATE_LEDGER, **fields | values)

    held = [
        value("cellar", "location", at=0),
        value("attic", "location", at=2),
        value("tense", "mood", at=1),
        value("Odo", "owner", "key", type="object"),
    ]
    assert text_of(prompt(held), SlotName.STATE_LEDGER) == (
        "Current state:\nVera (character): location: attic | mood: tense\nkey (object): owner: Odo"
    )


@pytest.mark.real_model(5)
def test_the_ledger_does_not_place_who_is_there_where_a_scene_before_left_them() -> None:
    """It told where somebody had been a year before, as if they were there."""

    def value(text: str, field: str, subject: str, at: int = 0) -> Memory:
        known: dict[str, Any] = {"subject": subject, "field": field, "hash": "", "at": at}
        return memory(text, Tier.STATE_LEDGER, id=f"{subject}{field}{at}", **known)

    held = [
        value("the cold cellar", "location", "Vera"),
        value("afraid", "mood", "Vera"),
        value("a burnt hand", "injuries", "Vera"),
        value("a grey coat", "outfit_disguise", "Vera"),
        value("the far harbour", "location", "Odo"),
        value("the loft", "location", "You", at=18),
    ]
    going_on = long_story(30)
    begun = replace(
        going_on, scenes=scenes_of(going_on.messages, {"m15": SceneBreak("m15", BreakOrigin.HAND)})
    )
    told = prompt(held, of=begun)
    text = text_of(told, SlotName.STATE_LEDGER)
    assert "cold cellar" not in text
    assert "afraid" not in text
    assert all(kept in text for kept in ("burnt hand", "grey coat", "far harbour", "the loft"))
    # A coat is changed with the occasion.
    assert text.index(EARLIER) < text.index("grey coat")
    assert text.index("burnt hand") < text.index(EARLIER)
    (content,) = (c for c in told.contents if c.key == SlotName.STATE_LEDGER.key)
    assert {one.memory for one in content.left_out} == {"Veralocation0", "Veramood0"}
    assert {one.reason for one in content.left_out} == {Reason.PAST}
    assert "cold cellar" in text_of(prompt(held, of=going_on), SlotName.STATE_LEDGER)
    mine = [replace(held[0], is_pinned=True)]
    assert "cold cellar" in text_of(prompt(mine, of=begun), SlotName.STATE_LEDGER)


@pytest.mark.parametrize(
    ("was", "ended"),
    [
        (
            "Wanda Reim is accused of stealing the harbour bell at night.",
            "The judge let her go: Wanda Reim is no longer accused of stealing the harbour bell.",
        ),
        (
            "Die Glocke im Hafen läutet seit neun Jahren nie vor Mitternacht.",
            "Die Glocke im Hafen läutet nicht mehr; sie liegt im Wasser.",
        ),
        (
            "El farero guarda las cartas de los ahogados en un cofre verde.",
            "El farero ya no guarda las cartas de los ahogados: el cofre está vacío.",
        ),
    ],
)
@pytest.mark.real_model(5)
def test_what_a_later_memory_says_is_no_longer_so_is_told_as_the_past(was: str, ended: str) -> None:
    before = memory(was, at=0, hash="", id="was", type="fact")
    after = memory(ended, at=20, hash="", id="ended", type="fact")
    other = memory("Bruno Halm mends nets.", at=3, hash="", id="other", type="fact")
    of = story(*(f"{was} {n}." for n in range(70)))
    told = text_of(prompt([before, after, other], of=of, headings_language="en"), SlotName.LONG)
    now, _, then = told.partition("Earlier, as things stood then:")
    assert was in then
    assert ended in now
    assert other.text in now
    alone = text_of(prompt([before, other], of=of, headings_language="en"), SlotName.LONG)
    assert "Earlier" not in alone


def test_a_canon_says_nothing_twice() -> None:
    text = "Identity: Vera guards the gate.\n\nHistory: Vera guards the gate. She came by sea."
    canon = document(DocumentKind.CANON, text, subject="Vera")
    fact = memory("Vera guards the gate.")
    told = prompt([fact], documents=[canon])
    assert whole(told).count("Vera guards the gate.") == 1
    assert "History: She came by sea." in text_of(told, SlotName.CANON)


@pytest.mark.pitfall(57)
def test_the_repair_waits_for_the_next_reply_at_the_very_end() -> None:
    of = story("Vera came.", "You saw.", "Vera left.")
    last = of.messages[-1]
    note = document(
        DocumentKind.REPAIR, "Vera's coat is red.", until="m2", inputs=last.content_hash
    )
    told = prompt(documents=[note], of=of, total=60)
    found = slot(told, SlotName.REPAIR)
    assert found is not None
    assert (found.position, found.depth) == (Position.IN_CHAT, 0)
    assert "Vera's coat is red." in found.text
    behind = prompt(documents=[note], of=of, turn=Turn("Vera", is_behind=True))
    assert slot(behind, SlotName.REPAIR) is None
    gone_on = story("Vera came.", "You saw.", "Vera left.", "You nod.", "Vera is back.")
    assert slot(prompt(documents=[note], of=gone_on), SlotName.REPAIR) is None


def test_what_can_still_be_read_may_be_left_out() -> None:
    held = [memory("Old news.", at=0), memory("New news.", at=3)]
    told = prompt(held, slots_leave_out_visible=True, turn=Turn(context=30))
    assert "Old news." in whole(told)
    assert "New news." not in whole(told)


def test_the_context_of_the_turn_bounds_all_slots() -> None:
    held = [memory(f"Fact {n} of the old harbour town", id=f"{n}") for n in range(40)]
    of = story(running="\n".join(f"Thing {n} happened." for n in range(100)))
    of = replace(of, message_tokens=(1000,) * len(of.messages))
    told = prompt(held, of=of, turn=Turn(context=600))
    assert 250 < told.total_tokens <= 300
    assert text_of(told, SlotName.LONG)
    assert told.slots[0].text


def test_what_one_tier_leaves_others_use_but_not_at_the_head_of_the_prompt() -> None:
    held = [
        memory(f"room {n}", Tier.STATE_LEDGER, id=f"{n}", subject=f"Guest {n}", field="location")
        for n in range(60)
    ]
    facts = [memory(f"Fact {n} of the old harbour town", id=f"f{n}") for n in range(90)]
    lent = prompt([*held, *facts], budgets_adaptive=False)
    alone = prompt([*held, *facts], budgets_adaptive=False, budgets_lend=False)
    ledger, own = slot(lent, SlotName.STATE_LEDGER), slot(alone, SlotName.STATE_LEDGER)
    assert ledger is not None
    assert own is not None
    assert own.tokens <= own.budget == 200 < ledger.tokens == ledger.budget
    assert text_of(lent, SlotName.LONG) == text_of(alone, SlotName.LONG)


def test_auto_tune_follows_the_most_that_was_wanted_and_says_so() -> None:
    facts = [memory(f"Fact {n} of the old harbour town", id=f"f{n}") for n in range(90)]
    values: dict[str, Any] = {
        "budgets_auto_tune": True,
        "budget_mode": "advanced",
        "budgets_adaptive": False,
    }
    tuned = prompt(facts, **values)
    long = slot(tuned, SlotName.LONG)
    assert long is not None
    assert long.tokens == long.full_tokens < long.budget
    assert tuned.notes
    fewer = prompt(facts[:2], full=dict(tuned.full), **values)
    assert fewer.full == tuned.full


@pytest.mark.real_model(5)
def test_the_ledger_gives_a_thing_to_one_place_only() -> None:
    """The key was carried by its thief, and hung from its owner's neck."""

    def value(text: str, field: str, subject: str, at: int, kind: str = "character") -> Memory:
        known: dict[str, Any] = {"subject": subject, "field": field, "at": at, "type": kind}
        return memory(text, Tier.STATE_LEDGER, id=f"{subject}{field}", hash="", **known)

    held = [
        value("the brass key", "carried_items", "Odo", 0),
        value("around the neck of Vera", "location", "Brass key", 2, "object"),
    ]
    slots = prompt(held)
    assert text_of(slots, SlotName.STATE_LEDGER) == (
        "Current state:\nBrass key (object): location: around the neck of Vera"
    )
    (content,) = (c for c in slots.contents if c.key == SlotName.STATE_LEDGER.key)
    assert [one.reason for one in content.left_out] == [Reason.PAST]


def in_scenes(length: int, *ends: int) -> Story:
    of = long_story(length)
    breaks = {f"m{end}": SceneBreak(f"m{end}", BreakOrigin.HAND) for end in ends}
    return replace(of, scenes=scenes_of(of.messages, breaks))


def test_a_value_of_scenes_ago_is_told_as_of_then_and_a_feeling_not_at_all() -> None:
    """A mistrust of the first evening stood beside the wedding as if it were felt now."""

    def value(text: str, field: str, at: int, **more: Any) -> Memory:
        known = {"type": "object", "subject": "lamp", "field": field, "id": f"{field}{at}"} | more
        return memory(text, Tier.STATE_LEDGER, at=at, hash="", **known)

    def felt(text: str, at: int, **more: Any) -> Memory:
        who = {"subject": "Vera", "target": "You", "magnitude": "low"} | more
        return memory(text, Tier.RELATIONSHIPS, at=at, hash="", **who)

    held = [
        value("lent to Odo", "status", 1),
        value("Vera", "owner", 1),
        value("dented", "condition", 1, is_pinned=True),
        value("on the table", "location", 66),
        felt("wary", 1),
        felt("fond", 66),
    ]
    told = prompt(held, of=in_scenes(70, 9, 20, 60))
    assert text_of(told, SlotName.STATE_LEDGER).splitlines() == [
        "Current state:",
        "lamp (object): owner: Vera | location: on the table | condition: dented",
        "Earlier, as things stood then:",
        "lamp (object): status: lent to Odo",
    ]
    # "Earlier" would say of a feeling that it is over, and nobody took it back.
    assert text_of(told, SlotName.RELATIONSHIPS).splitlines()[1:] == ["Vera→You: fond (low)"]
    (content,) = (c for c in told.contents if c.key == SlotName.RELATIONSHIPS.key)
    assert [(one.text, one.reason) for one in content.left_out] == [("Vera→You: wary", Reason.PAST)]
    few = prompt(held, of=in_scenes(70, 9))
    assert "Earlier" not in text_of(few, SlotName.STATE_LEDGER)


@pytest.mark.real_model(5)
def test_a_sentence_that_a_look_through_said_to_be_past_is_told_as_past() -> None:
    held = [memory("Odo is accused of theft."), memory("Odo is a baker.")]
    looked = document(
        DocumentKind.UPKEEP,
        "",
        sections={held[0].id: "He was cleared.", held[1].id: ""},
        until="m3",
    )
    told = text_of(prompt(held, documents=[looked]), SlotName.LONG).splitlines()
    assert told[1:] == [
        "- Odo is a baker.",
        "Earlier, as things stood then:",
        "- Odo is accused of theft.",
    ]
    gone = replace(looked, until="deleted")
    assert "Earlier" not in text_of(prompt(held, documents=[gone]), SlotName.LONG)


def test_of_a_portrait_of_scenes_ago_only_what_lasts_is_told() -> None:
    """A portrait of the first evening asked at the story's end what had long been answered."""
    sections = {
        "character_state": "goals: find the ring\nfears: dogs",
        "world_state": "unresolved: where is the ring?",
        "relationship_matrix": "Odo: wary, confidence 0.8",
    }
    old = document(DocumentKind.PROFILE, "", subject="Vera", sections=sections, until="m1")
    told = text_of(prompt(documents=[old], of=in_scenes(70, 9, 20, 60)), SlotName.PROFILES)
    assert told == "Vera, state:\nfears: dogs"
    of_then = prompt(documents=[old], of=in_scenes(70, 9, 20, 60))
    (content,) = (c for c in of_then.contents if c.key == SlotName.PROFILES.key)
    assert ("goals: find the ring", Reason.PAST) in [(o.text, o.reason) for o in content.left_out]
    fresh = replace(old, until="m65")
    now = text_of(prompt(documents=[fresh], of=in_scenes(70, 9, 20, 60)), SlotName.PROFILES)
    assert "find the ring" in now
    # Once a scene has begun since, goals and places may be left behind.
    before = replace(old, until="m60")
    later = text_of(prompt(documents=[before], of=in_scenes(70, 9, 20, 60)), SlotName.PROFILES)
    assert "where is the ring?" in later
    assert "Odo: wary" in later
    assert "find the ring" not in later
    arc = memory("Where is the ring?", Tier.ARCS, hash="")
    asked = prompt([arc], documents=[before], of=in_scenes(70, 9, 20, 60))
    assert "where is the ring?" not in text_of(asked, SlotName.PROFILES)
    assert "Where is the ring?" in text_of(asked, SlotName(Tier.ARCS))
    # One that was just asked for waits for no step of the head while so little is told.
    new = replace(old, id="new", until="m69", sections={"character_state": "goals: marry"})
    both = prompt(documents=[old, new], of=in_scenes(70, 9, 20, 60))
    assert text_of(both, SlotName.PROFILES) == "Vera, state:\ngoals: marry"
    yours = replace(old, made_by=YOU)
    kept = text_of(prompt(documents=[yours], of=in_scenes(70, 9, 20, 60)), SlotName.PROFILES)
    assert "find the ring" in kept


@pytest.mark.real_model(12)
def test_a_recap_does_not_ask_again_what_all_threads_have_answered() -> None:
    """When the last open thread had ended, the running recap's old questions came back."""
    recap = "DEVELOPMENTS\nThe first evening.\n\nOPEN\nWho took the key?"
    version = RunningVersion(0, recap, 1, "", "m0", "model", 1.0)
    of = replace(story(), running=RunningRecap((version,), 0))
    over = Ending(EndReason.RESOLVED, sources=(Source(1, "m2", digest(LINES[2])),), text="Found.")
    arc = memory("Who took the key?", Tier.ARCS, endings=(over,))
    assert "Who took the key?" not in whole(prompt([arc], of=of))
    assert "Who took the key?" in whole(prompt(of=of))


def test_details_of_long_ago_are_told_as_the_past_also_where_nothing_newer_is_told() -> None:
    held = [memory("Vera does not sleep.", Tier.SESSION, at=1, hash="", type="detail")]
    told = text_of(prompt(held, of=in_scenes(90, 9, 60)), SlotName.SESSION).splitlines()
    assert told == [
        "Details from this session:",
        "Earlier, as things stood then:",
        "- Vera does not sleep.",
    ]


@pytest.mark.real_model(12)
def test_the_recap_leaves_how_things_stand_to_the_ledger() -> None:
    """It lags behind, and stood in the present tense beside values that said otherwise."""
    recap = "DEVELOPMENTS\nThe first evening.\n\nSTATE\nVera is in the cellar."
    version = RunningVersion(0, recap, 1, "", "m0", "model", 1.0)
    of = replace(story(), running=RunningRecap((version,), 0))
    attic = memory("attic", Tier.STATE_LEDGER, subject="Vera", field="location")
    both = whole(prompt([attic], of=of))
    assert "cellar" not in both
    shown, alone = prompt([attic], of=of).recap, prompt(of=of).recap
    assert shown is not None
    assert alone is not None
    size = next(slot.full_tokens for slot in prompt(of=of).slots if slot.key == RUNNING_RECAP_KEY)
    assert shown == RecapShown(0, 0, ("state",), size)  # of all of it, whoever tells it
    assert alone == RecapShown(0, 0, (), size)
    assert "location: attic" in both
    assert "The first evening." in both
    assert "cellar" in whole(prompt(of=of))
