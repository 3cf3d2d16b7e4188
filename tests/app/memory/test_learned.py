"""What ends when somebody learns a proposition: whatever words the entries have, nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from app.languages import load_packs
from app.memory.epistemic.admission import Presence, admitted
from app.memory.lifecycle.state_change import Wording
from app.memory.records import EndReason, Memory, Source, Tier
from app.story.messages import Message

PACKS = load_packs()
PEOPLE = ("Ines", "Tomas", "Bo")
ENGLISH = "that the boat was sold at the harbour and that they knew of it all along"
GERMAN = "dass das Boot am Hafen verkauft wurde und dass sie es die ganze Zeit wussten"
PRESENCE = Presence.of([Message(f"m{n}", "", name, "") for n, name in enumerate(PEOPLE)])


def entry(id_: str, line: str, **more: Any) -> Memory:
    """An entry as it is listed: "[hiding] Ines from Tomas | that ..."."""
    type_, _, rest = line.removeprefix("[").partition("] ")
    holder, _, text = rest.partition(" | ")
    subject, _, target = holder.partition(" from ")
    source = (Source(1, f"m{id_}"),)
    return Memory(
        id_, 1, Tier.EPISTEMIC, type_, text, subject=subject, target=target, sources=source, **more
    )


def ended(learned: str, *known: str, sample: str = ENGLISH, at: int = 50, **more: str) -> list[str]:
    """The known entries that end when something is learned, by their place."""
    entries = [entry(str(n), line) for n, line in enumerate(known)]
    new = entry("99", learned, **({"channel": "told"} | more))
    places = {memory.id: int(memory.id) for memory in entries} | {"99": at}
    wording = Wording.of_story(PACKS, sample).knowing([*PEOPLE, "Alvarez"])
    outcome = admitted([new], entries, PRESENCE, wording=wording, places=places)
    assert all(e.reason is EndReason.RETIRED for m in outcome.ended for e in m.endings)
    return [known[int(memory.id)] for memory in outcome.ended]


SECRET = "[hiding] Ines from Tomas | that she sold the old boat"
LEARNED = "[knows] Tomas | that Ines sold the old boat to the Alvarez brothers"


@pytest.mark.parametrize(
    "over",
    [
        SECRET,
        "[hiding] Bo from Tomas | that Ines has sold the boat",
        "[unaware] Tomas | that Ines sold their boat in the end",
        "[suspects] Tomas | that Ines sold the boat",
        "[believes] Tomas | that Ines has not sold the old boat",
    ],
)
@pytest.mark.real_model(3)
def test_what_somebody_knows_is_over_in_whatever_words_it_was_put(over: str) -> None:
    assert ended(LEARNED, over) == [over]
    assert ended(LEARNED, over, told_by="Bo") == [over], "whoever told it"


@pytest.mark.parametrize(
    "other",
    [
        "[hiding] Ines from Bo | that she sold the old boat",
        "[unaware] Bo | that Ines sold the old boat",
        "[hiding] Ines from Tomas | that she did not sell the old boat",
        "[hiding] Ines from Tomas | that she scratched the old boat",
        "[hiding] Ines from Tomas | that she has debts",
        "[hiding] Bo from Tomas | that he sold the old boat",
        "[hiding] Ines from Tomas | that Bo sold the old boat to 3 men",
        "[hiding] Ines from Tomas | that Bo stole the old boat",
        "[hiding] Ines from Tomas | that Bo and she sold the old boat",
        "[believes] Tomas | that Ines sold the old boat",
        "[believes] Tomas | that Ines has not paid for the old house",
        "[hiding] Ines from everyone | that she sold the old boat",
    ],
)
def test_what_is_another_matter_or_is_kept_from_others_goes_on(other: str) -> None:
    assert ended(LEARNED, other) == []


def test_without_a_word_on_how_it_was_learned_it_may_be_hidden_on() -> None:
    assert ended(LEARNED, SECRET, channel="") == []
    assert ended(LEARNED, SECRET, channel="", told_by="Bo") == [SECRET]


@pytest.mark.parametrize(
    ("hidden", "learned", "is_over"),
    [
        ("that she is his sister", "that Ines is his sister", True),
        ("that she killed the duke", "that Ines killed the duke with poison from the abbey", True),
        ("that she killed the duke", "that the duke was killed with poison", False),
        ("that Bo killed the old duke", "that the old duke was killed", False),
        ("that Bo stole the ring of Cy", "that the ring of Cy was stolen", False),
        ("that she has the ledger", "that Ines burned the ledger from the safe", False),
        ("that the bridge falls at dawn", "that the bridge is guarded until dawn", False),
        ("that the old bridge falls at dawn", "that the old bridge falls at dawn too", True),
    ],
)
def test_who_did_it_is_part_of_the_matter(hidden: str, learned: str, is_over: bool) -> None:
    hiding = f"[hiding] Ines from Tomas | {hidden}"
    assert bool(ended(f"[knows] Tomas | {learned}", hiding)) is is_over


def test_what_is_learned_before_it_is_hidden_ends_nothing() -> None:
    assert ended(LEARNED, SECRET, at=-1) == []


@pytest.mark.real_model(3)
def test_a_secret_kept_from_everyone_is_over_when_nobody_is_left_to_keep_it_from() -> None:
    hidden = "[hiding] Ines from everyone | that she sold the old boat"
    knows = "[knows] Bo | that Ines sold the old boat"
    assert ended(LEARNED, hidden, knows) == [hidden]
    other = "[unaware] Cy | where the key is"
    assert ended(LEARNED, hidden, knows, other) == [], "Cy may not know it"


def test_who_tells_the_secret_they_kept_may_put_it_more_freely() -> None:
    hidden = "[hiding] Ines from Tomas | that the boat was sold in winter at a loss"
    told = "[knows] Tomas | that the boat was sold to strangers behind his back"
    assert ended(told, hidden, told_by="Ines") == [hidden]
    assert ended(told, hidden, told_by="Bo") == []


def test_it_is_so_in_german_too() -> None:
    hidden = "[hiding] Ines from Tomas | dass sie das alte Boot verkauft hat"
    learned = "[knows] Tomas | dass Ines das alte Boot an die Brüder Alvarez verkauft hat"
    assert ended(learned, hidden, sample=GERMAN) == [hidden]
    other = "[knows] Tomas | dass Bo das alte Boot verkauft hat"
    assert ended(other, hidden, sample=GERMAN) == []


def test_a_hint_of_who_keeps_a_secret_is_the_end_of_it_for_whom_it_was_kept_from() -> None:
    hint = "[suspects] Tomas | that Ines sold the old boat"
    assert ended(hint, SECRET, told_by="Ines") == [SECRET]
    assert ended(hint, SECRET, told_by="Bo") == [], "somebody else may only guess"
    from_bo = "[hiding] Ines from Bo | that she sold the old boat"
    assert ended(hint, from_bo, told_by="Ines") == [], "it was not kept from Tomas"


def test_who_hides_a_thing_is_not_unaware_of_it() -> None:
    unaware = "[unaware] Bo | that Ines sold the boat"
    hides = "[hiding] Bo from Tomas | that Ines sold the boat to the Alvarez brothers"
    assert ended(hides, unaware) == [unaware]


SPANISH = "que el barco fue vendido en el puerto y que ellos lo sabían desde el principio"
RUSSIAN = "что лодка была продана в гавани и что они знали об этом с самого начала, но не всё"


@pytest.mark.parametrize(
    ("sample", "told", "known", "becomes"),
    [
        (
            ENGLISH,
            "that Ines went over the pass and did not fall",
            "that Ines went over the pass and Bo led her",
            "knows",
        ),
        (
            ENGLISH,
            "that Ines did not fall and went over the pass",
            "that Ines went over the pass and Bo led her",
            "knows",
        ),
        (
            ENGLISH,
            "that Ines did not go over the pass alone",
            "that Ines went over the pass alone",
            "believes",
        ),
        (ENGLISH, "that Ines never sold the boat", "that Ines sold the boat", "believes"),
        (ENGLISH, "that the debt is over", "that the debt is still owed", "believes"),
        (
            ENGLISH,
            "that Ines went over the old pass",
            "that Ines never went over the old pass",
            "believes",
        ),
        (GERMAN, "dass Ines die Lampe nicht nahm", "dass Ines die Lampe nahm", "believes"),
        (GERMAN, "Ines nahm die Lampe nicht", "Ines nahm die Lampe", "believes"),
        (
            GERMAN,
            "dass Ines über den Pass ging und nicht stürzte",
            "dass Ines über den Pass ging und Bo half",
            "knows",
        ),
        (SPANISH, "que Ines no vendió el barco", "que Ines vendió el barco", "believes"),
        (
            SPANISH,
            "que Ines cruzó la sierra nevada y no cayó",
            "que Ines cruzó la sierra nevada y Bo la guiaba",
            "knows",
        ),
        (RUSSIAN, "что Инес не продала лодку", "что Инес продала лодку", "believes"),
        (
            RUSSIAN,
            "что Инес ушла за перевал ночью и не упала",
            "что Инес ушла за перевал ночью и Бо помог",
            "knows",
        ),
    ],
)
def test_only_who_knows_the_very_thing_that_is_denied_lies(
    sample: str, told: str, known: str, becomes: str
) -> None:
    teller = entry("1", f"[knows] Bo | {known}")
    new = entry("99", f"[knows] Tomas | {told}", channel="told", told_by="Bo")
    wording = Wording.of_story(PACKS, sample).knowing([*PEOPLE, "Инес", "Бо"])
    (held,) = admitted([new], [teller], PRESENCE, wording=wording, places={}).candidates
    assert held.type == becomes


def test_what_is_learned_besides_and_denied_of_something_else_ends_no_belief() -> None:
    believed = "[believes] Tomas | that Ines went over the pass and Bo led her"
    assert ended("[knows] Tomas | that Ines went over the pass and did not fall", believed) == []
