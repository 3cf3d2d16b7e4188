"""Contradictions are noted from checks of replies, last while both stand, and end by the user."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.memory.lifecycle.contradictions import Keeps, noted, open_against, replaced_by, settled
from app.memory.records import (
    Document,
    DocumentKind,
    EndReason,
    Memory,
    Review,
    Source,
    Tier,
)
from app.memory.standing import Ground, Standing, Status, active, standings
from app.story.messages import Message, digest

REPLY = Source(1, "m1", digest("Her eyes were blue."))
MESSAGES = (
    Message("m0", digest("Green eyes."), "Mira", "Green eyes."),
    Message("m1", REPLY.content_hash, "Mira", "Her eyes were blue."),
)
GREEN = Memory(
    "green", 1, Tier.LONG_TERM, "fact", "Mira has green eyes.", sources=(Source(1, "m0"),)
)
BLUE = replace(GREEN, id="blue", text="Mira has blue eyes.", sources=(REPLY,))
OTHER = replace(BLUE, id="other", text="The mill burned down.")
TOLD = "The passage says that her eyes are blue, but they are green."
CHECK = Document(
    "c",
    1,
    DocumentKind.CONTINUITY,
    TOLD,
    sections={"green": TOLD},
    until="m1",
    inputs=REPLY.content_hash,
)
HELD = {"green": GREEN}


def test_what_a_wrong_reply_gives_waits_and_names_what_it_contradicts() -> None:
    blue, other = noted([BLUE, OTHER], [CHECK], HELD)
    assert (blue.contradicts, blue.review) == (("green",), Review.WAITING)
    assert blue.notes
    assert other == OTHER


@pytest.mark.parametrize(
    ("memory", "check"),
    [
        (replace(BLUE, sources=(Source(1, "m0"),)), CHECK),  # from another message
        (BLUE, replace(CHECK, inputs="swiped since")),
        (BLUE, replace(CHECK, sections={"gone": TOLD})),
        (BLUE, replace(CHECK, kind=DocumentKind.REPAIR)),
        (replace(BLUE, supersedes=("green",)), CHECK),  # it says that it changed
        (replace(BLUE, tier=Tier.EPISTEMIC), CHECK),
        (replace(BLUE, text=GREEN.text), CHECK),
    ],
)
def test_nothing_else_is_a_contradiction(memory: Memory, check: Document) -> None:
    assert noted([memory], [check], HELD) == (memory,)


def test_of_two_checks_of_a_reply_the_newer_counts() -> None:
    clear = replace(CHECK, id="d", sections={}, text="")
    assert noted([BLUE], [CHECK, clear], HELD) == (BLUE,)


def shown(*memories: Memory) -> dict[str, Standing]:
    return {s.memory.id: s for s in standings(memories, Ground.of(1, MESSAGES))}


def test_a_contradiction_is_seen_from_both_and_lasts_while_both_stand() -> None:
    waiting = replace(BLUE, contradicts=("green", "gone"), review=Review.WAITING)
    both = shown(GREEN, waiting)
    assert [s.memory.id for s in open_against(both["blue"], both)] == ["green"]
    assert [s.memory.id for s in open_against(both["green"], both)] == ["blue"]
    refused = shown(GREEN, replace(waiting, review=Review.REJECTED))
    assert open_against(refused["green"], refused) == open_against(refused["blue"], refused) == ()


@pytest.mark.parametrize("waits", [True, False])
@pytest.mark.parametrize(
    ("keeps", "holding"),
    [(Keeps.THIS, {"blue"}), (Keeps.OTHER, {"green"}), (Keeps.BOTH, {"blue", "green"})],
)
def test_what_the_user_says_is_so_holds(keeps: Keeps, holding: set[str], waits: bool) -> None:
    review = Review.WAITING if waits else Review.NONE
    blue = replace(BLUE, contradicts=("green",), review=review)
    after = settled(blue, GREEN, keeps)
    assert {m.id for m in active(after, Ground.of(1, MESSAGES))} == holding
    both = shown(*after)
    assert all(open_against(one, both) == () for one in both.values())


def test_an_approved_memory_takes_the_place_of_what_it_contradicts() -> None:
    blue = replace(BLUE, contradicts=("green",), review=Review.APPROVED)
    (ended,) = replaced_by([blue], [GREEN, OTHER])
    assert (ended.id, ended.endings[0].by) == ("green", "blue")
    assert ended.endings[0].reason is EndReason.SUPERSEDED
    assert replaced_by([blue], [ended]) == ()
    assert shown(ended, blue)["green"].status is Status.ENDED
