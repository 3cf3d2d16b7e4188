"""What is told of longer texts: summary, scenes, portrait, canon and correction."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.memory.records import Document, DocumentKind, Tier
from app.prompt.generation import Turn
from app.prompt.rendering.text_slots import sentences
from app.prompt.slots import Reason
from app.settings.slot_table import Position, SlotName
from app.story.recaps import YOU, SceneRecap
from app.story.scenes import BreakOrigin, SceneBreak, scenes_of
from app.story.story import ChatKind, Story
from tests.app.prompt.remembered import (
    document,
    in_scenes,
    long_story,
    memory,
    prompt,
    slot,
    story,
    text_of,
    whole,
)


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


def test_a_portrait_changes_in_steps_too_but_the_users_words_count_at_once() -> None:
    def portrait(text: str, until: int, **values: str) -> Document:
        return document(DocumentKind.PROFILE, text, subject="Vera", until=f"m{until}", **values)

    texts = [portrait("Calm.", 10), portrait("Tense.", 35)]
    assert "Calm." in whole(prompt(documents=texts, of=long_story(40)))
    assert "Tense." in whole(prompt(documents=texts, of=long_story(50)))
    mine = portrait("Merry.", 36, made_by="you")
    assert "Merry." in whole(prompt(documents=[*texts, mine], of=long_story(40)))


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
