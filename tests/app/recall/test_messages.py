from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.languages import load_packs
from app.recall.messages import Asked, MessageIndex
from app.recall.postings import Postings
from app.recall.words import Words
from app.story.messages import Message, MessageKind, digest

PACKS = load_packs()
ENGLISH = "She was at the door with the lamp, and he did not see it when they came in."


def message(number: int, text: str, name: str = "Wren", **more: object) -> Message:
    return Message(str(number), digest(text), name, text, **more)  # type: ignore[arg-type]


def story(*texts: str) -> tuple[Message, ...]:
    return tuple(message(number, text) for number, text in enumerate(texts))


def index_of(messages: Sequence[Message]) -> MessageIndex:
    index = MessageIndex(Words(PACKS, ENGLISH))
    index.follow(messages, 0)
    return index


def asked(index: MessageIndex, text: str) -> Asked:
    return Asked.of(index.words, [(text, 1.0)])


def best(index: MessageIndex, text: str) -> int:
    return int(np.argmax(index.scores(asked(index, text))))


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    index = index_of(story("the boat", "a boat and a boat", "one boat, one astrolabe", "no boat"))
    assert best(index, "Which boat had the astrolabe?") == 2


def test_a_text_without_any_term_has_nothing() -> None:
    index = index_of(story("the harbour lay still", "an anchor"))
    assert index.by_words(asked(index, "harbours"))[1] == 0.0
    assert not asked(index, "what was it?")


def test_who_wrote_it_counts_beside_what_it_says() -> None:
    messages = (message(0, "I sold the mare."), message(1, "I sold the mare.", "Bram"))
    assert best(index_of(messages), "When did Bram sell his mare?") == 1


def test_meaning_counts_in_a_long_message_as_in_a_short_one() -> None:
    long = " ".join(f"harbour{n} anchor{n}" for n in range(60))
    index, nothing = index_of(story("The mare was sold.", long)), Asked({})
    short, told = index.scores(nothing, np.array([1.0, 1.0]))
    assert short == told > 0.0


def test_a_short_answer_is_found_by_its_question() -> None:
    index = index_of(
        story("Where did you hide the astrolabe?", "Under the stairs, with the flour.", "Good.")
    )
    scores = index.scores(asked(index, "astrolabe hidden"))
    assert scores[1] > scores[2]


def test_whose_turn_it_is_again_goes_on_with_what_they_said_before() -> None:
    said = ("I have sold the mare.", "Oh no, really?", "She limped, the poor thing.")
    told = tuple(f'"{line}" He looks at the rain.' for line in said)
    for lines in (said, told):
        scores = index_of(story(*lines)).scores(Asked({"mare": 1.0}))
        assert scores[0] > scores[2] > 0.0


def test_only_where_people_talk_what_comes_after_tells_what_was_said() -> None:
    said = ("She limped, the poor thing.", "Oh no, really?", "I have sold the mare.")
    told = tuple(f'"{line}" He looks at the rain.' for line in said)
    talk, story_ = (index_of(story(*lines)).scores(Asked({"mare": 1.0})) for lines in (said, told))
    assert min(talk[:2]) > 0.0
    assert story_.tolist()[:2] == [0.0, 0.0]


def test_the_name_of_who_writes_says_less_than_any_other_word() -> None:
    told = story("*Bram falls.*", "*Rain.*", "*Fog.*", "*Wind.*", "*The mare falls.*")
    of_both = Asked({"bram": 1.0, "mare": 1.0})
    scores = index_of(told).scores(of_both)
    assert scores[0] == scores[4]
    scores = index_of((*told, message(5, "*Smoke.*", "Bram"))).scores(of_both)
    assert scores[0] < scores[4]


def test_the_writer_counts_more_where_people_only_talk() -> None:
    lines = ("It rained all day.", "*Rain fell on the harbour all day.*")
    talk, told = (index_of((message(0, line, "Bram"),)) for line in lines)
    who = Asked({"bram": 1.0}, frozenset({"bram"}))
    assert talk.scores(who)[0] > told.scores(who)[0] > 0.0


def test_words_of_one_thing_count_more_than_the_same_all_over_a_message() -> None:
    apart = "*The astrolabe lies here. Rain falls. Smoke hangs low. Bram sold the mare.*"
    together = "*Rain falls. Smoke hangs low. Here lies the mare. Bram sold the astrolabe.*"
    index = index_of(story(apart, together))
    assert index.by_words(asked(index, "sold astrolabe")).tolist()[0] > 0.0
    assert best(index, "Who sold the astrolabe?") == 1


def test_nothing_of_a_notice_counts_for_what_its_writer_says() -> None:
    notice = message(0, "Bram sold the astrolabe.", "Bram", kind=MessageKind.NOTICE)
    index = index_of((notice, message(1, "*Bram sold a mare.*", "Bram")))
    assert best(index, "What astrolabe has Bram sold?") == 1


def test_long_neighbours_say_nothing_of_each_other() -> None:
    long = " ".join(f"word{number}" for number in range(100))
    index = index_of(story(f"Where is the astrolabe? {long}", f"Under the stairs. {long}"))
    assert index.scores(asked(index, "astrolabe"))[1] == 0.0


def test_another_name_of_whoever_is_named_is_looked_for_too() -> None:
    index = index_of(story("The Magpie took the ledger.", "Rain all day.", "Rain all night."))
    plain = asked(index, "What did Ottilie read?")
    assert index.by_words(plain)[0] == index.rarity("read") == 0.0
    named = plain.naming([{"ottili", "magpi"}])
    assert index.by_words(named)[0] > 0


def test_notices_are_never_found() -> None:
    messages = (message(0, "the astrolabe", kind=MessageKind.NOTICE), message(1, "rain"))
    assert index_of(messages).by_words(Asked({"astrolab": 1.0})).tolist() == [0.0, 0.0]


def test_a_story_that_changes_at_its_end_is_found_as_if_read_anew() -> None:
    first = story("a red kite", "a blue kite", "a green kite")
    second = (*first[:2], message(2, "a swan"), message(3, "a blue swan"))
    grown = index_of(first)
    grown.follow(second, 2)
    grown.follow(second[:3], 3)
    grown.follow(second, 3)
    for query in ("swan", "blue"):
        found = grown.scores(asked(grown, query))
        assert [bool(score) for score in found] == [
            bool(score) for score in index_of(second).scores(asked(grown, query))
        ]


def test_a_text_is_read_once_however_often_it_comes() -> None:
    messages = tuple(message(number, "the same kite") for number in range(50))
    index = index_of(messages)
    assert len(index.scores(asked(index, "kite"))) == 50
    index.follow(messages[:10], 10)
    assert not index.is_worn


def test_postings_of_nothing_find_nothing() -> None:
    assert Postings.of([]).scores({"a": 1.0}).size == 0
    assert Postings.of([[]]).scores({"a": 1.0}).tolist() == [0.0]
