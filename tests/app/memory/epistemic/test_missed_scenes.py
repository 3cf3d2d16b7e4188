"""Who says what was told only in scenes in which they had no part."""

from __future__ import annotations

import pytest

from app.languages import load_packs
from app.memory.epistemic.epistemic_map import EpistemicMap
from app.memory.epistemic.leaks import Leak, LeakCheck, LeakKind, stopwords_of
from app.memory.lifecycle.state_change import Wording
from app.memory.records import Memory, Source, Tier
from app.memory.similarity import Vectors
from app.memory.standing import Ground, standings
from app.story.messages import Message, MessageKind, digest

PACKS = load_packs()
STORY = (
    ("Mara", "*Mara bolts the cellar door.* “The ledger lies beneath the third flagstone.”"),
    ("Tom", "“My uncle forged it, the winter before the flood.”"),
    ("Mara", "“Then we burn it before the bishop comes.”"),
    ("Ilse", "*Ilse sets three plates on the table.* “Supper is late again.”"),
    ("Tom", "“The road was bad.”"),
)
SECOND_SCENE = 3
LEDGER = "Tom's uncle forged the ledger the winter before the flood."
TOLD = "“So your uncle forged the ledger, the winter before the flood.”"


def check(
    name: str,
    text: str,
    *memories: Memory,
    story: tuple[tuple[str, str], ...] = STORY,
    openings: tuple[int, ...] = (SECOND_SCENE,),
    vectors: Vectors | None = None,
) -> tuple[Leak, ...]:
    told = [
        Message(f"m{n}", digest(words), who, words)
        for n, (who, words) in enumerate((*story, (name, text)))
    ]
    packs = Wording.of_story(PACKS, " ".join(m.text for m in told)).packs
    noted = standings(memories, Ground.of(1, told))
    names = tuple(dict.fromkeys(message.name for message in told))
    knowledge = EpistemicMap(noted, participants=names, stopwords=stopwords_of(packs))
    found = LeakCheck(knowledge, told, packs=packs)
    found.look_for_absences([s for s in noted if s.memory.tier is Tier.LONG_TERM], openings)
    if vectors is not None:
        found.compare_by(vectors)
    return found.at(len(told) - 1)


def memory(text: str = LEDGER, place: int = 1) -> Memory:
    return Memory("ledger", 1, Tier.LONG_TERM, "event", text, sources=(Source(1, f"m{place}"),))


def entry(holder: str, kind: str, text: str, place: int = 1) -> Memory:
    source = (Source(1, f"m{place}"),)
    return Memory(f"{holder} {kind}", 1, Tier.EPISTEMIC, kind, text, subject=holder, sources=source)


def test_who_had_no_part_in_a_scene_cannot_say_what_a_memory_tells_of_it() -> None:
    (leak,) = check("Ilse", TOLD, memory())
    assert (leak.kind, leak.speaker, leak.entry.memory.id) == (LeakKind.ABSENT, "Ilse", "ledger")
    assert leak.learned_at == 1


def test_nor_what_no_memory_holds_and_a_message_says() -> None:
    (leak,) = check("Ilse", "“Look beneath the third flagstone, there lies the ledger.”")
    assert (leak.kind, leak.entry.start) == (LeakKind.ABSENT, 0)
    assert "flagstone" in leak.entry.memory.text


@pytest.mark.parametrize("name", ["Mara", "Tom"])
def test_who_speaks_in_the_scene_may_say_it(name: str) -> None:
    assert check(name, TOLD, memory()) == ()


def test_who_is_named_by_who_tells_of_the_scene_was_there_and_who_is_talked_of_was_not() -> None:
    seen = (("Mara", "*Ilse holds the lantern.* “Quiet.”"), *STORY)
    heard_of = (("Mara", "“Ilse must not hear of this.”"), *STORY)
    late = memory(place=2)
    assert check("Ilse", TOLD, late, story=seen, openings=(SECOND_SCENE + 1,)) == ()
    assert check("Ilse", TOLD, late, story=heard_of, openings=(SECOND_SCENE + 1,))


def test_a_name_of_the_whole_family_names_nobody_of_them() -> None:
    family = tuple((f"{name} Vane", text) for name, text in STORY)
    (leak,) = check("Ilse Vane", TOLD, memory(), story=family)
    assert leak.kind is LeakKind.ABSENT


def test_who_comes_into_a_scene_had_no_part_in_what_was_long_before() -> None:
    talk = tuple((("Tom", "Mara")[n % 2], f"“We wait, {n} hours now.”") for n in range(10))
    told = (*STORY[:3], *talk, ("Mara", "*Ilse comes in with the lamp.* “Supper.”"))
    (leak,) = check("Ilse", TOLD, memory(), story=told, openings=())
    assert leak.kind is LeakKind.ABSENT
    soon = (*STORY[:3], *talk[:3], told[-1])
    assert check("Ilse", TOLD, memory(), story=soon, openings=()) == ()


def test_who_heard_it_said_later_may_say_it() -> None:
    told = (*STORY, ("Tom", "“My uncle forged that ledger, the winter before the flood.”"))
    assert check("Ilse", TOLD, memory(), story=told) == ()


def test_who_knows_it_by_the_map_may_say_it() -> None:
    knows = entry("Ilse", "knows", LEDGER, place=4)
    assert check("Ilse", TOLD, memory(), knows) == ()


@pytest.mark.parametrize(
    "text",
    [
        "“Did your uncle forge the ledger, the winter before the flood?”",
        "“Perhaps your uncle forged the ledger, the winter before the flood.”",
        "“The winter was long, and the road is bad.”",
        "“Supper is late, and the plates are cold.”",
        "*Ilse thinks of the uncle who forged the ledger the winter before the flood.*",
    ],
)
def test_no_alarm_for_what_is_asked_guessed_thought_or_of_something_else(text: str) -> None:
    assert check("Ilse", text, memory()) == ()


def test_where_no_scene_is_known_who_is_there_soon_was_there() -> None:
    assert check("Ilse", TOLD, memory(), openings=()) == ()


def test_two_words_are_enough_where_both_mean_the_same() -> None:
    said, told = "“Your uncle is a forger of books.”", "Tom's uncle was a forger."
    vectors = Vectors.of({said[1:-1]: [1.0, 0.1], told: [1.0, 0.0]})
    assert check("Ilse", said, memory(told)) == ()
    (leak,) = check("Ilse", said, memory(told), vectors=vectors)
    assert leak.kind is LeakKind.ABSENT


def test_what_some_are_noted_to_know_is_not_for_who_was_not_there() -> None:
    knows = entry("Mara", "knows", "that they burn the ledger before the bishop comes", place=2)
    story = (*STORY[:3], ("Tom", "“Good.”"), *STORY[3:])
    said = "“So they burn it before the bishop comes.”"
    (leak,) = check("Ilse", said, knows, story=story, openings=(SECOND_SCENE + 1,))
    assert (leak.kind, leak.entry.memory.subject) == (LeakKind.ABSENT, "Mara")


def test_pairs_of_signs_count_where_words_are_not_spaced() -> None:
    story = (
        ("千鶴", "*千鶴は戸を開ける。*「机の上に濡れた地図と赤い線がある」"),
        ("湊", "「沢の上まで続いています」"),
        ("梅さん", "*梅さんは編み棒を止めない。*「夕飯だよ」"),
    )
    (leak,) = check(
        "梅さん", "「机の上に濡れた地図と赤い線があるんだね」", story=story, openings=(2,)
    )
    assert leak.kind is LeakKind.ABSENT
    there = (("千鶴", "*梅さんもいる。*"), *story)
    assert check("梅さん", "「机の上に濡れた地図があるね」", story=there, openings=(3,)) == ()


def test_a_notice_of_the_program_is_no_part_of_a_scene() -> None:
    told = [Message("m0", digest("x"), "Ilse", "Ilse joined.", kind=MessageKind.NOTICE)]
    told += [
        Message(f"m{n}", digest(words), who, words)
        for n, (who, words) in enumerate((*STORY, ("Ilse", TOLD)), 1)
    ]
    packs = Wording.of_story(PACKS, " ".join(m.text for m in told)).packs
    noted = standings([memory(place=2)], Ground.of(1, told))
    known = EpistemicMap(noted, participants=("Mara", "Tom", "Ilse"))
    found = LeakCheck(known, told, packs=packs)
    found.look_for_absences(noted, (4,))
    assert [leak.kind for leak in found.at(len(told) - 1)] == [LeakKind.ABSENT]
