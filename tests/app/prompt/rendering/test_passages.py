"""What old messages tell of what the last turns touch comes back, word for word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from msgspec import structs

from app.memory.records import Tier
from app.prompt.generation import Turn
from app.prompt.material import Means
from app.prompt.recollection import Recollection
from app.prompt.slots import Reason, SlotSet
from app.recall.meanings import Meanings, Meant
from app.settings.slot_table import SlotName
from app.story.messages import Message, digest
from app.story.recaps import RunningRecap, RunningVersion
from app.story.scenes import Scene
from app.story.story import ChatKind, Story
from tests.app.prompt.remembered import (
    COUNTER,
    PACKS,
    assembled,
    index_of,
    memory,
    prompt,
    settings,
    story,
    text_of,
)

HIDING_PLACE = "I put the brass astrolabe under the third stair of the granary."
QUESTION = "Vera, where did you put the astrolabe, back at the granary?"
FILLER = "They walk on through the long grass, and the wind turns, and nobody says much at all."
CONTEXT = 200  # tokens


def long_ago(
    *lines: str, last: str = QUESTION, between: int = 30, kind: ChatKind = ChatKind.SOLO
) -> Story:
    """These lines, then so many that say nothing, then the last, which the user says."""
    filler = [f"{FILLER} {number}" for number in range(between)]
    found = story(*lines, *filler, last, kind=kind)
    *before, newest = found.messages
    newest = structs.replace(newest, name="You", is_user=True)
    return replace(found, messages=(*before, newest))


def called_up(of: Story, turn: Turn | None = None, **values: Any) -> SlotSet:
    turn = turn or Turn("Vera", context=CONTEXT)
    return prompt(of=of, turn=turn, is_indexed=True, **values)


def passage_text(slots: SlotSet) -> str:
    return text_of(slots, SlotName.TRIGGERED)


def test_what_is_asked_for_comes_back_from_the_message_that_told_it() -> None:
    slots = called_up(long_ago(HIDING_PLACE))
    assert HIDING_PLACE in passage_text(slots)
    (content,) = (one for one in slots.contents if one.passages)
    (shown,) = content.passages
    assert (shown.index, shown.is_asked) == (0, True)
    assert "astrolabe" in shown.words


def test_no_passage_without_a_reason() -> None:
    small_talk = "We could stop here for a while, I think."
    assert passage_text(called_up(long_ago(HIDING_PLACE, last=small_talk))) == ""
    assert passage_text(called_up(long_ago(HIDING_PLACE, last="What do you mean?"))) == ""


def test_a_question_that_says_nothing_asks_about_what_was_said_before_it() -> None:
    """“What was it he said?” found nothing, though all it is about stood in the sentence before."""
    said = "Father named the brass astrolabe and the stair so often, and laughed."
    asked = f"*I sit down.* “{said} What was it?”"
    assert HIDING_PLACE in passage_text(called_up(long_ago(HIDING_PLACE, last=asked)))
    # Without a question it is only spoken of, which takes more.
    passing = f"*I sit down.* “{said} We could stop here.”"
    assert passage_text(called_up(long_ago(HIDING_PLACE, last=passing))) == ""


def test_what_stands_in_the_story_twice_takes_one_place() -> None:
    """Both places held the same words, and what also told of it was left out."""
    other = (
        "Of that granary, long after all the harvests and the fires of those years, an old woman "
        "told them that nobody had ever seen any astrolabe."
    )
    twice = long_ago(HIDING_PLACE, FILLER, FILLER, HIDING_PLACE, FILLER, FILLER, other)
    wide = Turn("Vera", context=600)
    told = passage_text(called_up(twice, wide, passages_shown=2, budget_triggered=2000))
    assert told.count(HIDING_PLACE) == 1
    assert other in told


def meant_in(of: Story, told: str, question: str) -> Meant:
    """Vectors by which a question means what is told and itself, and nothing else."""
    meanings = Meanings()
    meanings.follow(of.messages, 0)
    one, other = np.eye(2, dtype=np.float32)
    while missing := meanings.missing(99):
        meanings.take(
            {text: one if told in text or question in text else other for text in missing}
        )
    return Meant(meanings, {question: one})


FOREIGN = "Wo hast du denn das alte Messgerät versteckt, und wann war das?"


def test_what_is_asked_for_in_another_language_comes_back_by_its_meaning() -> None:
    of = long_ago("It had rained for days, and the roads were bad. " + HIDING_PLACE, last=FOREIGN)
    assert passage_text(called_up(of)) == ""
    slots = called_up(of, meant=meant_in(of, HIDING_PLACE, FOREIGN))
    assert HIDING_PLACE in passage_text(slots)
    (content,) = (one for one in slots.contents if one.passages)
    (shown,) = content.passages
    assert (shown.index, shown.is_asked) == (0, True)


def test_by_meaning_too_only_who_was_there_is_told() -> None:
    of = group("Vera", "You", "Vera")
    *before, last = of.messages
    last = structs.replace(last, text=FOREIGN, content_hash=digest(FOREIGN))
    of = replace(of, messages=(*before, last))
    meant = meant_in(of, HIDING_PLACE, FOREIGN)
    for name, knows in (("Vera", True), ("Odo", False)):
        told = passage_text(called_up(of, Turn(name, context=CONTEXT), meant=meant))
        assert ("third stair" in told) == knows, name


OTHER_WORDS = "But where did you leave that old thing of yours, and in which building?"


def test_what_is_most_alike_of_all_comes_back_by_its_meaning() -> None:
    """A question in other words found nothing, though no other message came near what it asked."""
    told = "It had rained for days, and the roads were bad. " + HIDING_PLACE
    of = long_ago(told, last=OTHER_WORDS)
    assert passage_text(called_up(of)) == ""
    slots = called_up(of, meant=meant_in(of, HIDING_PLACE, OTHER_WORDS))
    assert HIDING_PLACE in passage_text(slots)


def test_in_a_short_story_the_question_does_not_hide_what_it_means() -> None:
    """Nothing is as alike to a question as itself: what it means stood out less beside it."""
    of = long_ago(HIDING_PLACE, last=OTHER_WORDS, between=11)
    slots = called_up(of, meant=meant_in(of, HIDING_PLACE, OTHER_WORDS))
    assert HIDING_PLACE in passage_text(slots)


def test_in_the_language_of_the_story_only_the_most_alike_comes_back_by_meaning() -> None:
    of = long_ago(HIDING_PLACE, FILLER, HIDING_PLACE.replace("third", "fourth"), last=OTHER_WORDS)
    wide = Turn("Vera", context=600)
    meant = meant_in(of, "stair of the granary", OTHER_WORDS)
    slots = called_up(of, wide, meant=meant, passages_shown=3, budget_triggered=2000)
    assert passage_text(slots).count("stair") == 1


def test_by_meaning_alone_nothing_comes_back_that_is_not_asked_for() -> None:
    for last in (
        "What?",
        "Das alte Messgerät fehlt mir heute sehr, und wo das ist, sagst du nicht.",
    ):
        of = long_ago(HIDING_PLACE, last=last)
        assert passage_text(called_up(of, meant=meant_in(of, HIDING_PLACE, last))) == "", last


def test_what_the_prompt_itself_holds_is_not_said_again() -> None:
    of = long_ago(HIDING_PLACE)
    whole = sum(of.message_tokens) + 10
    assert passage_text(called_up(of, Turn("Vera", context=whole))) == ""
    assert passage_text(called_up(of, Turn("Vera", context=whole // 2))) != ""


def test_what_another_line_tells_is_not_said_again() -> None:
    of = long_ago(HIDING_PLACE)
    told = "Vera put the brass astrolabe under the third stair of the granary."
    held = [memory(told, hash="")]
    slots = called_up(of, memories=held)
    told = "\n".join(slot.text for slot in slots.slots)
    assert told.count("third stair") == 1
    left_out = [one for content in slots.contents for one in content.left_out]
    passages = [one for one in left_out if one.text.startswith("- [Vera, You]")]
    assert [one.reason for one in passages] == [Reason.ELSEWHERE]


def test_a_secret_does_not_come_back_as_a_passage() -> None:
    of = long_ago(HIDING_PLACE)
    secret = memory(
        "Odo put the brass astrolabe under the third stair of the granary",
        Tier.EPISTEMIC,
        type="hiding",
        subject="Odo",
        target="Vera",
        hash="",
        id="secret",
    )
    slots = called_up(of, memories=[secret])
    assert "stair" not in passage_text(slots)
    assert HIDING_PLACE in passage_text(called_up(of, memories=[secret], slots_keep_secrets=False))


def group(*speakers: str) -> Story:
    """Who speaks in a first scene, where the hiding place is told; then all in a second one."""
    of = long_ago(HIDING_PLACE, *("Well.",) * (len(speakers) - 1), kind=ChatKind.GROUP)
    messages = list(of.messages)
    for number, name in enumerate(speakers):
        messages[number] = structs.replace(messages[number], name=name, is_user=name == "You")
    last = len(speakers) - 1
    scenes = (Scene(1, 0, last, None), Scene(2, last + 1, len(messages) - 1, None))
    return replace(of, messages=tuple(messages), scenes=scenes)


def test_in_a_group_only_who_was_there_is_told() -> None:
    of = group("Vera", "You", "Vera")
    for name, knows in (("Vera", True), ("Odo", False), ("", False)):
        told = passage_text(called_up(of, Turn(name, context=CONTEXT)))
        assert ("third stair" in told) == knows, name
    everybody = group("Vera", "Odo", "You")
    for name in ("Vera", "Odo", ""):
        assert "third stair" in passage_text(called_up(everybody, Turn(name, context=CONTEXT)))
    for_you = Turn("", generation="impersonate", context=CONTEXT)
    assert "third stair" in passage_text(called_up(of, for_you))


def test_who_did_not_witness_what_a_message_tells_is_not_told() -> None:
    of = group("Vera", "Odo", "You")
    seen = memory("A deal was struck.", witnessed_by=("Vera",), hash="")
    for name, knows in (("Vera", True), ("Odo", False)):
        told = passage_text(called_up(of, Turn(name, context=CONTEXT), memories=[seen]))
        assert ("third stair" in told) == knows


def test_a_passage_says_its_scene_and_who_was_there() -> None:
    of = replace(group("Vera", "Odo"), has_ranges_in_names=False)
    told = passage_text(called_up(of))
    assert "[Scene 1; Vera, Odo] Vera: I put the brass astrolabe" in told


def test_an_answer_comes_with_its_question() -> None:
    asked = "And the astrolabe, Vera? What became of it?"
    of = long_ago(
        "It rains.",
        asked,
        "Sold. To the widow at the ferry.",
        last="What became of that astrolabe?",
    )
    told = passage_text(called_up(of))
    assert "Sold. To the widow" in told
    assert "What became of it?" in told


def hidden(of: Story, places: Sequence[int], *, told: bool = True) -> Story:
    messages = [
        structs.replace(message, is_hidden=number in places)
        for number, message in enumerate(of.messages)
    ]
    versions = (RunningVersion(0, "They met.", 1, "", "m5", "model", 1.0),) if told else ()
    running = RunningRecap(versions, 0 if versions else None)
    return replace(of, messages=tuple(messages), running=running)


def test_what_gave_way_to_its_recap_comes_back_and_what_the_user_hid_does_not() -> None:
    roomy = Turn("Vera", context=100_000)
    of = long_ago(HIDING_PLACE)
    assert "third stair" in passage_text(called_up(hidden(of, range(6)), roomy))
    assert "third stair" not in passage_text(called_up(hidden(of, [0]), roomy))
    assert "third stair" not in passage_text(called_up(hidden(of, range(6), told=False), roomy))


def test_off_is_off() -> None:
    assert passage_text(called_up(long_ago(HIDING_PLACE), passages_enabled=False)) == ""


def test_no_more_passages_than_wished_and_within_the_budget() -> None:
    lines = [f"The brass astrolabe of the granary, told for the {n}th time: {n}." for n in range(9)]
    of = long_ago(*(line for told in lines for line in (told, FILLER, FILLER)), between=60)
    for most in (1, 3):
        wide = Turn("Vera", context=600)
        slots = called_up(of, wide, passages_shown=most, budget_triggered=2000)
        assert sum(len(content.passages) for content in slots.contents) == most
    tight = called_up(of, passages_shown=6, budget_triggered=100)
    (content,) = (one for one in tight.contents if one.key == SlotName.TRIGGERED.key)
    assert COUNTER.count(passage_text(tight)) <= content.budget


def test_a_long_message_is_told_by_the_sentences_that_matter() -> None:
    long = f"{FILLER * 6} {HIDING_PLACE} {FILLER * 6}"
    told = passage_text(called_up(long_ago(long)))
    assert HIDING_PLACE in told
    assert len(told) < 500


def test_a_sentence_without_end_is_cut() -> None:
    endless = "The granary, the astrolabe and " + "so on and " * 400
    assert len(passage_text(called_up(long_ago(endless)))) < 500


def test_an_index_of_a_moment_later_is_no_harm() -> None:
    of = long_ago(HIDING_PLACE)
    later = replace(
        of, messages=(*of.messages, Message("new", digest("Rain."), "Vera", "Rain.", False))
    )
    shorter = replace(of, messages=of.messages[1:], message_tokens=of.message_tokens[1:])
    for told in (of, shorter):
        means = Means(COUNTER.count, PACKS, index=index_of(later))
        turn = Turn("Vera", context=CONTEXT)
        found = assembled(told, settings(), means, told=Recollection(), turn=turn)
        assert ("third stair" in passage_text(found)) == (told is of)


def test_what_the_page_says_counts_before_its_file_is_read() -> None:
    of = long_ago(HIDING_PLACE, last="It is late.")
    said = ("You", QUESTION, True)
    assert HIDING_PLACE in passage_text(called_up(of, Turn("Vera", context=CONTEXT, said=(said,))))
    known = long_ago(HIDING_PLACE)
    twice = called_up(known, Turn("Vera", context=CONTEXT, said=(said,)))
    assert passage_text(twice) == passage_text(called_up(known))


def test_the_second_to_answer_hears_the_question_too() -> None:
    of = long_ago(HIDING_PLACE)
    said = ("Odo", "Ask her, not me.", False)
    assert HIDING_PLACE in passage_text(called_up(of, Turn("Vera", context=CONTEXT, said=(said,))))


ASKED_OF_TEARS = "What was that with the bishop, did he weep?"


def test_a_passage_lies_around_what_holds_most_of_what_is_asked() -> None:
    coat = (
        "He stood there in his long purple coat, said nothing for a very long time, and we waited."
    )
    told = (
        "The rain fell on the roofs. \u201cI was young then. The bishop came down and spoke to us. "
        f"{coat} And that day I saw him weep in front of us all. Nobody spoke.\u201d She put "
        f"the cup down and looked away. {FILLER} {FILLER}"
    )
    found = passage_text(called_up(long_ago(told, last=ASKED_OF_TEARS)))
    assert "The bishop came down" in found
    assert "I saw him weep" in found
    assert found.count("\u201c") == found.count("\u201d") == 1


def test_of_an_overlong_sentence_the_part_that_answers_is_told() -> None:
    told = (
        f"\u201cwe went down, all of us, {'past the boats and the nets, ' * 8}and the old bishop, "
        "who had come alone, stood there and did weep, and nobody knew why,\u201d he says."
    )
    found = passage_text(called_up(long_ago(told, last=ASKED_OF_TEARS)))
    assert "the old bishop, who had come alone, stood there and did weep" in found
    assert ": \u201c\u2026 " in found
    assert found.count("\u201c") == found.count("\u201d")
