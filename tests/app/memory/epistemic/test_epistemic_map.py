"""What the map says when it is asked: worlds, chains, risks and how a proposition spread."""

from __future__ import annotations

from typing import Any

from app.memory.epistemic.admission import Presence, admitted
from app.memory.epistemic.epistemic_map import EpistemicMap, Spreading
from app.memory.epistemic.propositions import People, is_everyone
from app.memory.records import Memory, Review, Source, Tier
from app.memory.standing import Ground, Status, standings
from app.story.messages import Message

GROUND = Ground(1, {f"m{n}": n for n in range(20)}, {}, 19)
WELL = "that the well is poisoned"


def entry(id_: str, holder: str, type_: str, place: int, text: str = WELL, **more: Any) -> Memory:
    source = (Source(1, f"m{place}"),)
    return Memory(id_, 1, Tier.EPISTEMIC, type_, text, subject=holder, sources=source, **more)


ENTRIES = (
    entry("1", "Ann Lee", "knows", 2, channel="saw"),
    entry("2", "Bo", "unaware", 2),
    entry("3", "Ann Lee", "hiding", 3, target="Bo"),
    entry("4", "Cy", "knows", 5, told_by="Ann", channel="told"),
    entry("5", "Dee", "knows", 8, told_by="Cy", channel="read"),
    entry("6", "Cy", "believes", 9, "Ann does not know that the king is dead"),
)


def knowledge(*entries: Memory) -> EpistemicMap:
    return EpistemicMap(standings(entries or ENTRIES, GROUND), participants=("Ann Lee", "Eve"))


def ids(found: object) -> list[str]:
    return [standing.memory.id for standing in found]  # type: ignore[attr-defined]


def test_the_map_is_asked_for_any_message() -> None:
    world = knowledge().world_of("Cy", 4)
    assert not world.knows
    assert ids(knowledge().world_of("Cy", 5).knows) == ["4"]
    assert ids(knowledge().world_of("Ann", 3).hides) == ["3"]


def test_a_world_holds_what_others_keep_from_it() -> None:
    world = knowledge().world_of("Bo", 6)
    assert (ids(world.unaware), ids(world.kept_from)) == (["2"], ["3"])
    assert not knowledge().world_of("Eve", 6).kept_from


def test_what_is_hidden_from_everyone_is_kept_from_each_who_does_not_have_it() -> None:
    hiding = entry("7", "Ann Lee", "hiding", 3, target="the other guests")
    map_ = knowledge(*ENTRIES, hiding)
    assert ids(map_.world_of("Eve", 6).kept_from) == ["7"]
    assert not map_.world_of("Cy", 6).kept_from


def test_one_level_of_nesting_is_read() -> None:
    (inner,) = knowledge().world_of("Cy", 9).minds
    assert (inner.holder, inner.state, inner.text) == ("Ann", "unaware", "that the king is dead")


def test_the_chain_leads_back_to_who_found_it_out() -> None:
    map_ = knowledge()
    proposition = map_.proposition(WELL)
    assert proposition is not None
    steps = map_.chain(map_.of_person("Dee", proposition, 8)[0])
    assert [(s.teller, s.learner, s.message) for s in steps] == [
        ("", "Ann Lee", 2),
        ("Ann", "Cy", 5),
        ("Cy", "Dee", 8),
    ]


def test_a_circle_of_tellers_ends() -> None:
    map_ = knowledge(
        entry("1", "Ann", "knows", 2, told_by="Bo"), entry("2", "Bo", "knows", 2, told_by="Ann")
    )
    assert len(map_.chain(map_.entries[0])) == 2


def test_a_secret_can_hurt_whoever_does_not_have_it() -> None:
    map_ = knowledge()
    proposition = map_.proposition(WELL)
    assert proposition is not None
    risk = map_.at_risk(proposition, 6)
    assert (risk.unaware, risk.hidden_from, risk.keepers) == (("Bo",), ("Bo",), ("Ann Lee",))


def test_how_a_matter_spread_comes_in_the_order_of_the_story() -> None:
    map_ = knowledge()
    happened = map_.spread(map_.proposition(WELL), until=5)
    assert [(h.message, h.kind, h.person) for h in happened] == [
        (2, Spreading.FOUND, "Ann Lee"),
        (2, Spreading.LEFT_OUT, "Bo"),
        (3, Spreading.HIDDEN, "Ann Lee"),
        (5, Spreading.TOLD, "Cy"),
    ]


def test_a_deleted_message_takes_the_whole_chain_along() -> None:
    # m2 and m3: what Ann hides shows that she has it, too.
    left = Ground(1, {f"m{n}": n for n in range(20) if n not in (2, 3)}, {}, 19)
    found = {s.memory.id: s.status for s in standings(ENTRIES, left)}
    assert found["4"] is found["5"] is Status.WITHDRAWN
    assert found["6"] is Status.ACTIVE


def test_a_part_of_a_name_means_its_only_bearer() -> None:
    people = People.of(["Ann Lee", "Tom Lee", "Bo"], {"the Baker": "Bo"})
    assert people.key("Ann") == people.key("Ann Lee")
    assert people.key("Lee") == "lee"
    assert people.key("The Baker") == "bo"


def test_a_group_is_everyone_and_a_person_is_not() -> None:
    people = People.of(["Ann Lee"])
    assert is_everyone("the others", people)
    assert is_everyone("the passengers and the captain", people)
    assert not is_everyone("Ann", people)


MESSAGES = [Message(f"m{n}", "", "Ann", "Bo sits by the well.") for n in range(12)]


def test_nobody_knows_what_nothing_brought_to_them() -> None:
    far = entry("9", "Zoe", "knows", 11)
    (waiting,) = admitted([far], [], Presence.of(MESSAGES)).candidates
    assert waiting.review is Review.WAITING
    assert waiting.notes


def test_whoever_is_named_or_has_a_channel_is_let_pass() -> None:
    near = entry("9", "Bo", "knows", 11)
    by_letter = entry("10", "Zoe", "knows", 11, channel="read")
    passed = admitted([near, by_letter], [], Presence.of(MESSAGES)).candidates
    assert [m.review for m in passed] == [Review.NONE, Review.NONE]


def test_who_did_not_know_it_cannot_have_told_it() -> None:
    told = entry("9", "Cy", "knows", 6, told_by="Bo", channel="told")
    places = {"2": 2, "9": 6}
    (waiting,) = admitted([told], ENTRIES, Presence(), places=places).candidates
    assert waiting.review is Review.WAITING


def test_what_is_told_by_who_holds_it_wrongly_is_believed() -> None:
    wrong = entry("1", "Ann", "believes", 2)
    told = entry("9", "Cy", "knows", 6, told_by="Ann", channel="told")
    (held,) = admitted([told], [wrong], Presence(), places={"1": 2, "9": 6}).candidates
    assert held.type == "believes"


def test_telling_it_ends_hiding_it_from_the_listener_only() -> None:
    told = entry("9", "Bo", "knows", 6, told_by="Ann", channel="told")
    also = entry("7", "Ann Lee", "hiding", 3, target="Eve")
    outcome = admitted([told], [*ENTRIES, also], Presence(), places={"9": 6})
    assert [memory.id for memory in outcome.ended] == ["3"]
    (ending,) = outcome.ended[0].endings
    assert ending.by == "9"
