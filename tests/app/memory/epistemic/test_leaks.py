"""Who says what they cannot know, and who is not accused of it."""

from __future__ import annotations

from typing import Any

import pytest

from app.languages import load_packs
from app.memory.epistemic.epistemic_map import EpistemicMap
from app.memory.epistemic.leak_meaning import MEANT, NAMED
from app.memory.epistemic.leaks import Leak, LeakCheck, LeakKind, stopwords_of
from app.memory.epistemic.propositions import People
from app.memory.lifecycle.state_change import Wording
from app.memory.records import Memory, Source, Tier
from app.memory.similarity import Vectors
from app.memory.standing import Ground, standings
from app.story.messages import Message, MessageKind, digest

PACKS = load_packs()
SECRET = "that Oskar sank the pilot boat"
STORY = (
    ("Ilse", "*Oskar stands at the window.* “The harbour is quiet tonight.”"),
    ("Oskar", "*He turns his hat. He will not tell her.* “Very quiet.”"),
    ("Ilse", "*She pours the tea.* “You never liked the pilot.”"),
    ("Oskar", "“He was a good man,” *says Oskar.*"),
)


def entry(id_: str, holder: str, type_: str, text: str, place: int, **fields: Any) -> Memory:
    source = (Source(1, f"m{place}"),)
    return Memory(id_, 1, Tier.EPISTEMIC, type_, text, subject=holder, sources=source, **fields)


ENTRIES = (
    entry("1", "Oskar", "hiding", SECRET, 1, target="Ilse"),
    entry("2", "Bruno", "knows", SECRET, 2),
    entry("3", "Ilse", "believes", "that the lighthouse burned down in the storm", 0),
)


def check(
    name: str, text: str, *entries: Memory, earlier: tuple[tuple[str, str], ...] = STORY
) -> tuple[Leak, ...]:
    told = [
        Message(f"m{n}", digest(words), who, words)
        for n, (who, words) in enumerate((*earlier, (name, text)))
    ]
    packs = Wording.of_story(PACKS, " ".join(m.text for m in told)).packs
    knowledge = EpistemicMap(
        standings(entries or ENTRIES, Ground.of(1, told)),
        participants=("Ilse", "Oskar"),
        stopwords=stopwords_of(packs),
    )
    return LeakCheck(knowledge, told, packs=packs).at(len(told) - 1)


def test_who_says_what_is_hidden_from_them_is_named_with_entry_sentence_and_message() -> None:
    (leak,) = check("Ilse", "*She puts the cup down.* “You sank the pilot boat, Oskar.” *Silence.*")
    assert (leak.kind, leak.speaker, leak.message) == (LeakKind.HIDDEN, "Ilse", 4)
    assert leak.sentence == "You sank the pilot boat, Oskar."
    assert leak.entry.memory.id == "1"
    assert leak.learned_at == 1


def test_who_does_not_know_it_cannot_say_it_and_nobody_may_have_learned_it() -> None:
    unaware = entry("4", "Ilse", "unaware", "that the old bridge will be blown up at dawn", 0)
    (leak,) = check("Ilse", "“They will blow up the old bridge at dawn.”", unaware)
    assert (leak.kind, leak.learned_at) == (LeakKind.UNAWARE, None)


def test_a_denial_of_what_the_speaker_believes_is_a_leak() -> None:
    (leak,) = check("Ilse", "“The lighthouse never burned down in that storm.”")
    assert (leak.kind, leak.entry.memory.id) == (LeakKind.CONTRARY, "3")


def test_to_say_what_is_so_instead_of_what_the_speaker_believes_is_a_leak() -> None:
    belief = entry("6", "Ilse", "believes", "that wolves killed the shepherd", 0)
    truth = entry("7", "Bruno", "knows", "that the miller killed the shepherd with an axe", 0)
    said = "“The miller killed the shepherd with an axe.”"
    (leak,) = check("Ilse", said, belief, truth)
    assert (leak.kind, leak.entry.memory.id) == (LeakKind.CONTRARY, "6")
    assert leak.truth is not None
    assert leak.truth.memory.id == "7"
    told = (*STORY, ("Bruno", f"“Ilse,” *says Bruno.* {said}"))
    assert not check("Ilse", said, belief, truth, earlier=told), "she was told just now"


def test_a_keeper_who_speaks_tells_it() -> None:
    (told,) = check("Oskar", "“Ilse. I sank the pilot boat.”")
    assert told.kind is LeakKind.TOLD


def test_two_sentences_say_it_together() -> None:
    (leak,) = check("Ilse", "“It was the pilot boat. You sank it.”")
    assert leak.kind is LeakKind.HIDDEN


def test_thoughts_that_are_told_of_the_speaker_count() -> None:
    (leak,) = check("Ilse", "*Ilse knows that he sank the pilot boat.* “More tea?”")
    assert leak.kind is LeakKind.HIDDEN


@pytest.mark.parametrize(
    "text",
    [
        "“Who sank the pilot boat?”",
        "“Perhaps you sank the pilot boat.”",
        "“You did not sink the pilot boat.”",
        "*Ilse does not know that he sank the pilot boat.*",
        "*He sank the pilot boat, and she pours him tea.* “Sugar?”",
        "“The pilot had a boat.”",
        "“You sank the pilot boat,” *says Bruno from the door.*",
        "*Bruno and Oskar look up.* “You sank the pilot boat.”",
        "(OOC: haha, he sank the pilot boat)",
        "",
    ],
)
def test_no_alarm_for_what_is_asked_guessed_denied_narrated_or_said_by_another(text: str) -> None:
    assert not [leak for leak in check("Ilse", text) if leak.speaker == "Ilse"]


def test_who_was_told_aloud_a_moment_ago_is_not_accused() -> None:
    said = (*STORY, ("Bruno", "“Ilse, it was Oskar who sank the pilot boat,” *says Bruno.*"))
    assert not check("Ilse", "“You sank the pilot boat!”", earlier=said)


def test_who_has_learned_it_by_the_map_may_say_it() -> None:
    learned = entry("5", "Ilse", "knows", SECRET, 3, told_by="Bruno", channel="told")
    assert not check("Ilse", "“You sank the pilot boat.”", *ENTRIES, learned)


def test_that_it_is_read_in_the_very_words_is_no_excuse() -> None:
    """A reader that notes what somebody says as what they know would cover every leak."""
    noted = entry("5", "Ilse", "knows", SECRET, 4)
    assert check("Ilse", "“You sank the pilot boat.”", *ENTRIES, noted)


def test_a_narrator_and_a_notice_cannot_leak() -> None:
    told = [Message("m0", "", "Oskar", "“Nothing.”"), Message("m1", "", "Oskar", "“No.”")]
    for kind in (MessageKind.NARRATOR, MessageKind.NOTICE):
        text = "Everybody knew by now that he sank the pilot boat."
        messages = [*told, Message("m2", "", "Narrator", text, kind=kind)]
        knowledge = EpistemicMap(standings(ENTRIES, Ground.of(1, messages)))
        assert not LeakCheck(knowledge, messages, packs=PACKS).at(2)


def test_another_language_is_checked_as_well() -> None:
    hiding = entry("1", "Oskar", "hiding", "dass er das Lotsenboot versenkt hat", 1, target="Ilse")
    german = (("Ilse", "„Der Hafen ist still.“"), ("Oskar", "„Ja.“ *Er dreht den Hut.*"))
    (leak,) = check("Ilse", "„Du hast das Lotsenboot versenkt.“", hiding, earlier=german)
    assert leak.kind is LeakKind.HIDDEN


def test_a_huge_message_is_read_in_part_and_in_time() -> None:
    assert check("Ilse", "“" + "boat (" * 200_000) is not None


def test_who_only_suspects_may_hint_and_not_state() -> None:
    suspicion = entry("4", "Ilse", "suspects", SECRET, 2)
    (leak,) = check("Ilse", "“You sank the pilot boat, Oskar.”", suspicion)
    assert leak.kind is LeakKind.SUSPECTED
    for hint in ("I wonder whether Oskar sank the pilot boat.", "Perhaps Oskar sank it."):
        assert not check("Ilse", f"“{hint}”", suspicion)


@pytest.mark.parametrize(("known_at", "leaks"), [(2, 1), (3, 0)])
def test_who_knows_the_ground_of_a_suspicion_does_not_know_it_for_that(
    known_at: int, leaks: int
) -> None:
    """What was known when it was still a suspicion is not the same, however alike."""
    suspicion = entry("4", "Ilse", "suspects", SECRET, 2)
    ground = entry("5", "Ilse", "knows", "that Oskar stood beside the pilot boat", known_at)
    told = [
        Message(f"m{n}", digest(words), who, words)
        for n, (who, words) in enumerate((*STORY, ("Ilse", "“You sank the pilot boat, Oskar.”")))
    ]
    packs = Wording.of_story(PACKS, " ".join(m.text for m in told)).packs
    noted = standings((suspicion, ground), Ground.of(1, told))
    known = EpistemicMap(
        noted, participants=("Ilse", "Oskar"), stopwords=frozenset({"that", "beside", "the"})
    )
    check = LeakCheck(known, told, packs=packs)
    check.compare_by(Vectors.of({text: [1.0, 0.2] for text in check.texts_at(4)}))
    assert len(known.propositions) == 1
    assert len([leak for leak in check.at(4) if leak.kind is LeakKind.SUSPECTED]) == leaks


def test_who_keeps_one_secret_is_still_checked_for_another_of_the_same_matter() -> None:
    told = "that Oskar sold the pilot boat's lamp to Bruno"
    entries = (
        entry("5", "Ilse", "hiding", "that Ilse sold the pilot boat's lamp", 1, target="Oskar"),
        entry("6", "Oskar", "hiding", told, 1, target="Ilse"),
    )
    leaks = check("Ilse", "“Oskar sold the pilot boat's lamp to Bruno.”", *entries)
    assert [leak.entry.memory.id for leak in leaks] == ["6"]


def test_to_say_what_one_wrongly_believes_is_no_leak() -> None:
    entries = (
        entry("7", "Ilse", "believes", "that the storm sank the pilot boat", 0),
        entry("8", "Bruno", "hiding", "that Oskar sank the pilot boat in the storm", 1),
    )
    assert not check("Ilse", "“The storm sank the pilot boat, nothing else.”", *entries)


def test_other_words_are_caught_by_their_meaning_alone() -> None:
    said = "It was you who sent the pilot's cutter to the bottom."
    told = [
        Message(f"m{n}", digest(words), who, words)
        for n, (who, words) in enumerate((*STORY, ("Ilse", f"“{said}”")))
    ]
    knowledge = EpistemicMap(standings(ENTRIES, Ground.of(1, told)), participants=("Ilse", "Oskar"))
    check = LeakCheck(knowledge, told, packs=PACKS)
    assert not check.at(4)
    texts = check.texts_at(4)
    assert said in texts
    near = (said, SECRET.removeprefix("that "))
    check.compare_by(Vectors.of({t: [1.0, 0.1] if t in near else [0.0, 1.0] for t in texts}))
    (leak,) = check.at(4)
    assert leak.entry.memory.id == "1"
    check.compare_by(Vectors.of({t: [1.0, 1.0] for t in texts}))  # no more than what she may say
    assert not check.at(4)


@pytest.mark.parametrize(
    ("said", "leaks"),
    [
        ("It was you who sent the pilot's cutter to the bottom.", 1),
        ("It was Oskar who sent the pilot's cutter to the bottom.", 1),
        ("It was Bruno who sent the pilot's cutter to the bottom.", 0),
        ("It was the storm that sent the pilot's cutter to the bottom.", 0),
        ("Was it you who sent the pilot's cutter to the bottom?", 0),
    ],
)
def test_what_is_nearly_the_same_gives_away_only_whom_it_names(said: str, leaks: int) -> None:
    secret = "Oskar sank the boat of the pilot and of his two brothers off the northern cape"
    hiding = entry("8", "Oskar", "hiding", f"that {secret}", 1, target="Ilse")
    told = [
        Message(f"m{n}", digest(words), who, words)
        for n, (who, words) in enumerate((*STORY, ("Ilse", f"“{said}”")))
    ]
    noted = standings((hiding, *ENTRIES[1:]), Ground.of(1, told))
    names = ("Ilse", "Oskar", "Bruno")
    check = LeakCheck(EpistemicMap(noted, participants=names), told, packs=PACKS)
    between = (NAMED + MEANT) / 2
    alike = {secret: [1.0, 0.0, 0.0], said: [between, (1 - between**2) ** 0.5, 0.0]}
    check.compare_by(Vectors.of({t: alike.get(t, [0.0, 0.0, 1.0]) for t in check.texts_at(4)}))
    assert len([leak for leak in check.at(4) if leak.entry.memory.id == "8"]) == leaks


def test_whose_mother_somebody_is_makes_nobody_the_mother() -> None:
    people = People.of(["Oskar", "Oskar's mother"])
    assert people.key("Oskar") == "oskar"


def test_who_merely_names_somebody_does_not_say_whose_initials_they_are() -> None:
    secret = entry("8", "Oskar", "hiding", "that D.P. is Dora Pym", 1, target="Ilse")
    pym = entry("9", "Dora Pym", "knows", "that the tide is early", 1)
    assert check("Ilse", "“Dora Pym came by with the milk.”", secret, pym) == ()
    (leak,) = check("Ilse", "“So D.P. is Dora Pym.”", secret, pym)
    assert leak.kind is LeakKind.HIDDEN
