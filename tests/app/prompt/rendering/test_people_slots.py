"""What is told of feelings, of who knows what and of how things stand, and to whom."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from app.memory.records import Memory, Tier
from app.prompt.generation import Turn
from app.prompt.rendering.memory_slots import EARLIER
from app.prompt.slots import Reason
from app.settings.slot_table import SlotName
from app.story.scenes import BreakOrigin, SceneBreak, scenes_of
from app.story.story import ChatKind
from tests.app.prompt.remembered import in_scenes, long_story, memory, prompt, story, text_of, whole


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


@pytest.mark.real_model(9)
def test_a_line_that_tells_half_of_a_secret_is_not_told() -> None:
    """The recap told somebody for whom another spies, from whom just that was kept."""
    told = "Odo told Ilse of copper and kettles, and whom he smuggles for."
    secret = "that Odo smuggles barrels of copper in tall kettles"
    held = [memory(told, hash=""), knowing(secret, "hiding", "Odo", target="Vera")]
    assert told in whole(prompt(held, turn=Turn("Odo")))
    assert told not in whole(prompt(held, turn=Turn("Vera")))


@pytest.mark.real_model(12)
def test_a_solo_chat_has_one_who_answers() -> None:
    assert "Vera conceals" in whole(prompt(SECRETS))


def test_secrets_and_errors_outlast_what_is_plainly_known() -> None:
    told = prompt(SECRETS, budget_mode="advanced", budget_epistemic=50)
    text = text_of(told, SlotName.EPISTEMIC)
    assert "her debts" in text
    assert "where the key is" not in text


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
