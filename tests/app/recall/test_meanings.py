"""Messages are found by what they mean, as far as there are vectors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from app.languages import load_packs
from app.recall.meanings import Meanings, Meant, Singles, sentences_of, standing_out
from app.recall.messages import Asked, MessageIndex
from app.recall.words import Words
from app.story.messages import Message, MessageKind, digest
from tests.bench.bench_recall import _best

EAST, NORTH = np.array([1, 0], dtype=np.float32), np.array([0, 1], dtype=np.float32)
ASKED = EAST[None, :]


def message(
    number: int, text: str, kind: MessageKind = MessageKind.CHAT, name: str = "Ann"
) -> Message:
    return Message(f"m{number}", digest(text), name, text, kind=kind)


TOLD = tuple(
    message(n, text)
    for n, text in enumerate(("It rains. The boat sank.", "It rains.", "We eat.", "We sleep."))
)


def filled(*messages: Message) -> Meanings:
    meanings = Meanings()
    meanings.follow(messages, 0)
    while missing := meanings.missing(1):
        meanings.take({s: EAST if "boat" in s else NORTH for s in missing})
    return meanings


def test_a_message_is_as_alike_as_its_best_sentence() -> None:
    meanings = filled(*TOLD)
    assert meanings.likeness(ASKED).tolist() == [1, 0, 0, 0]
    assert meanings.best_sentence(TOLD[0], ASKED) == 1


def of_vectors(*lines: tuple[str, Sequence[float]], name: str = "Ann") -> Meanings:
    """The meanings of messages of one sentence each, with a vector of each."""
    messages = [message(n, text, name=name) for n, (text, _) in enumerate(lines)]
    meanings = Meanings()
    meanings.follow(messages, 0)
    given = {f"{name}: {text}": unit(vector) for text, vector in lines}
    meanings.take({one: given[one] for one in meanings.missing(len(lines))})
    return meanings


def unit(vector: Sequence[float]) -> Singles:
    found = np.array(vector, dtype=np.float32)
    return np.asarray(found / np.linalg.norm(found))


def test_what_tells_is_more_alike_than_what_only_asks() -> None:
    lines = (("Where is the boat?", (1, 0)), ("The boat sank.", (1, 0)), ("We eat.", (0, 1)))
    asks, tells, _ = of_vectors(*lines).likeness(ASKED)
    assert asks < tells - 0.05


def test_a_name_of_question_marks_asks_nothing() -> None:
    lines = (("The boat sank.", (1, 0)), ("We eat.", (0, 1)))
    assert of_vectors(*lines, name="???").likeness(ASKED).tolist() == [1, 0]


def test_what_questions_have_in_common_is_not_what_is_asked_for() -> None:
    """The third number is that of the form of a question, in which all of them are alike."""
    asking = [(f"Is it {n}?", (0, 0.2 * (-1) ** n, 1)) for n in range(200)]
    telling = [(f"It is {n}.", (0, (-1) ** n, 0)) for n in range(200)]
    meanings = of_vectors(*asking, *telling, ("The boat sank.", (1, 1, 0)))
    asked = unit((0.3, 0, 1))[None, :]
    likeness = meanings.likeness(asked)
    assert int(likeness.argmax()) == len(likeness) - 1
    assert likeness[-1] > 0.6


def test_one_question_of_a_story_takes_little_off() -> None:
    lines = (("Is it late?", (0, 1)), ("The boat sank.", (1, 0)), ("We eat.", (1, 1)))
    assert of_vectors(*lines).likeness(ASKED)[1] > 0.95


def test_newest_messages_get_their_vectors_first_and_say_who_speaks() -> None:
    meanings = Meanings()
    meanings.follow(TOLD, 0)
    assert meanings.missing(1) == ("Ann: We sleep.",)
    assert meanings.missing(3) == ("Ann: We sleep.", "Ann: We eat.", "Ann: It rains.")


def test_what_has_no_vectors_yet_stands_out_in_nothing() -> None:
    meanings = Meanings()
    meanings.follow(TOLD, 0)
    missing = meanings.missing(2)
    meanings.take(dict.fromkeys(missing, EAST))
    likeness = meanings.likeness(ASKED)
    assert np.isnan(likeness[:2]).all()
    assert standing_out(likeness).tolist() == [0, 0, 0, 0]
    assert meanings.best_sentence(TOLD[0], ASKED) is None


def test_what_a_model_gives_no_vector_for_is_not_asked_for_again() -> None:
    meanings = Meanings()
    meanings.follow(TOLD[:1], 0)
    assert meanings.missing(9)
    meanings.take({})
    assert meanings.missing(9) == ()


def test_a_notice_has_no_meaning() -> None:
    meanings = filled(message(0, "The boat sank.", kind=MessageKind.NOTICE), *TOLD[1:])
    assert np.isnan(meanings.likeness(ASKED)[0])


@pytest.mark.parametrize("head", [0, 2])
def test_a_changed_story_keeps_the_vectors_of_what_stays(head: int) -> None:
    meanings = filled(*TOLD)
    changed = (*TOLD[:2], message(9, "A boat!"), TOLD[3])
    meanings.follow(changed, head)
    assert meanings.missing(9) == ("Ann: A boat!",)
    meanings.take({"Ann: A boat!": EAST})
    assert meanings.likeness(ASKED).tolist() == [1, 0, 1, 0]


def test_meaning_finds_what_no_word_finds() -> None:
    index = MessageIndex(Words(load_packs(), " ".join(m.text for m in TOLD)))
    index.follow(TOLD, 0)
    asked = Asked.of(index.words, [("Wo ist das Schiff geblieben?", 1.0)])
    assert not index.scores(asked).any()
    out = standing_out(filled(*TOLD).likeness(ASKED))
    assert _best(index.scores(asked, out), 1) == [0]


def test_only_sentences_that_were_heard_are_asked_by() -> None:
    meant = Meant(Meanings(), {"Where?": EAST})
    assert meant.asked(("Where?", "When?")).tolist() == [[1, 0]]
    assert meant.asked(("When?",)).shape == (0, 0)


def test_long_texts_are_read_in_part() -> None:
    found = sentences_of("A boat. " * 500 + "x" * 5000)
    assert len(found) == 24
    assert all(len(sentence) <= 400 for sentence in found)
