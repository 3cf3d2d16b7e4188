"""Who holds what at a message, as the map shows it."""

from __future__ import annotations

from dataclasses import replace

from app.memory.epistemic.epistemic_map import EpistemicMap
from app.memory.epistemic.map_view import Attitude, EpistemicMapView, Stretch, counted
from app.memory.records import Ending, EndReason, Memory, Source, Tier
from app.memory.standing import Ground, standings
from app.memory.tiers.epistemic import title_of
from app.story.messages import Message, digest

PEOPLE = ("Captain Ann Lee", "Bert Marsh", "Cora Lee")
MESSAGES = tuple(Message(f"a{n}", digest(f"{n}"), "Ann", f"{n}") for n in range(20))
LAST = len(MESSAGES) - 1


def source(at: int) -> Source:
    return Source(1, f"a{at}", MESSAGES[at].content_hash)


def entry(
    kind: str, who: str, text: str, at: int, *, until: int | None = None, **more: str
) -> Memory:
    endings = () if until is None else (Ending(EndReason.RETIRED, sources=(source(until),)),)
    return Memory(
        f"{kind} {who} {text} {at}",
        1,
        Tier.EPISTEMIC,
        kind,
        text,
        subject=who,
        sources=(source(at),),
        endings=endings,
        **more,  # type: ignore[arg-type]
    )


def minds(*memories: Memory, aliases: dict[str, str] | None = None) -> EpistemicMapView:
    found = standings(memories, Ground.of(1, MESSAGES))
    return EpistemicMapView(EpistemicMap(found, participants=PEOPLE, aliases=aliases))


SEAL = "that the seal lies under the chapel floor"
MILL = "that Viktor sold the northern mill"


def test_from_whom_a_secret_is_hidden_is_a_stance_of_its_own() -> None:
    found = minds(entry("hiding", "Bert Marsh", SEAL, 3, target="Cora Lee"))
    attitudes = {s.person: s.attitude for s in found.stances(LAST)}
    assert attitudes == {
        found.key("Bert Marsh"): Attitude.HIDING,
        found.key("Cora Lee"): Attitude.KEPT,
    }


def test_who_has_learned_it_is_not_kept_in_the_dark() -> None:
    found = minds(
        entry("hiding", "Bert Marsh", SEAL, 3, target="Cora Lee"),
        entry("suspects", "Cora Lee", SEAL, 8),
    )
    assert Attitude.KEPT in {s.attitude for s in found.stances(5)}
    assert Attitude.KEPT not in {s.attitude for s in found.stances(8)}


def test_what_is_hidden_from_all_is_kept_from_no_one_person() -> None:
    found = minds(entry("hiding", "Bert Marsh", SEAL, 3, target="everyone"))
    assert [s.attitude for s in found.stances(LAST)] == [Attitude.HIDING]


def test_a_stretch_ends_where_the_attitude_becomes_another() -> None:
    found = minds(
        entry("suspects", "Cora Lee", SEAL, 4, until=10), entry("knows", "Cora Lee", SEAL, 10)
    )
    stretches = found.stretches(0)[found.key("Cora Lee")]
    assert [(s.attitude, s.first, s.end) for s in stretches] == [
        (Attitude.SUSPECTS, 4, 10),
        (Attitude.KNOWS, 10, None),
    ]


def test_an_attitude_that_goes_on_is_one_stretch() -> None:
    found = minds(
        entry("knows", "Cora Lee", SEAL, 4), entry("knows", "Bert Marsh", SEAL, 9, until=12)
    )
    stretches = found.stretches(0)[found.key("Cora Lee")]
    assert [(s.first, s.end) for s in stretches] == [(4, None)]
    assert isinstance(stretches[0], Stretch)


def test_who_hides_it_counts_among_those_who_know() -> None:
    found = minds(
        entry("hiding", "Bert Marsh", SEAL, 2, target="Cora Lee"),
        entry("unaware", "Cora Lee", SEAL, 3),
        entry("knows", "Captain Ann Lee", SEAL, 7),
    )
    assert found.knowing(0) == ((2, 1), (7, 2))


def test_a_matter_is_a_secret_where_somebody_hides_it_or_is_wrong() -> None:
    found = minds(
        entry("knows", "Cora Lee", SEAL, 1), entry("believes", "Bert Marsh", MILL, 2, until=5)
    )
    assert [topic.is_secret for topic in found.topics] == [False, True]


def test_a_matter_ends_when_nobody_holds_it_any_more() -> None:
    found = minds(
        entry("knows", "Cora Lee", SEAL, 1, until=6),
        entry("knows", "Bert Marsh", SEAL, 3, until=9),
        entry("knows", "Cora Lee", MILL, 4),
    )
    assert [(topic.first, topic.end) for topic in found.topics] == [(1, 9), (4, None)]


def test_a_title_names_people_rather_than_saying_he() -> None:
    found = minds(
        entry("hiding", "Bert Marsh", "that he forged the order of the mill", 1),
        entry("knows", "Cora Lee", "that Bert Marsh forged the order of the mill", 3),
    )
    assert [topic.title for topic in found.topics] == ["Bert Marsh forged the order of the mill"]
    assert title_of("that it rains") == "It rains"
    assert title_of("the pilot's coat") == "The pilot's coat"


def test_a_short_name_means_one_person_only() -> None:
    found = minds(
        entry("knows", "Captain Ann Lee", SEAL, 1),
        entry("knows", "Cora Lee", SEAL, 2),
        aliases={"Ann": "Captain Ann Lee"},
    )
    assert [person.short for person in found.people] == ["Ann", "Cora"]


def test_the_chain_begins_with_who_found_it_out() -> None:
    found = minds(
        entry("knows", "Bert Marsh", SEAL, 2, channel="saw"),
        entry("knows", "Cora Lee", SEAL, 6, told_by="Bert Marsh", channel="told"),
        entry("knows", "Captain Ann Lee", SEAL, 9, told_by="Cora Lee"),
    )
    said = [(step.teller, step.learner, step.message) for step in found.chain(0, LAST)]
    assert said == [
        ("", "Bert Marsh", 2),
        ("Bert Marsh", "Cora Lee", 6),
        ("Cora Lee", "Captain Ann Lee", 9),
    ]
    assert [step.message for step in found.chain(0, 7)] == [2, 6]


def test_what_memories_of_several_chats_say_alike_is_one_step() -> None:
    knows = entry("knows", "Bert Marsh", SEAL, 0, channel="saw")
    told = [replace(knows, id=f"{n}", sources=(Source(n, "a0", ""),)) for n in range(5, 12)]
    later = entry("knows", "Bert Marsh", SEAL, 9, told_by="Cora Lee", channel="told")
    found = minds(*told, later).chain(0, LAST)
    assert [(step.teller, step.message) for step in found] == [("", -1), ("Cora Lee", 9)]


def test_attitudes_are_counted_by_person() -> None:
    found = minds(entry("knows", "Bert Marsh", SEAL, 2), entry("knows", "Cora Lee", SEAL, 3))
    assert counted(found.stances(LAST)) == {Attitude.KNOWS: 2}


def test_nobody_is_known_of_in_a_story_that_tells_nothing() -> None:
    found = minds()
    assert (found.topics, found.people, found.stances(0)) == ((), (), ())


def test_nobody_both_knows_and_suspects_one_thing() -> None:
    found = minds(
        entry("suspects", "Cora Lee", SEAL, 3),
        entry("knows", "Cora Lee", SEAL, 8),
    )
    (topic,) = found.topics
    stances = found.stances_to(found.knowledge.propositions[topic.number], LAST)
    assert [stance.attitude for stance in stances] == [Attitude.KNOWS]
