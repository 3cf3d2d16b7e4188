from __future__ import annotations

from app.languages import load_packs
from app.memory.keywords.calling import called
from app.memory.records import Entity, Memory, Tier
from app.recall.messages import MessageIndex
from app.recall.words import Words
from app.story.messages import Message, digest

ENGLISH = "She was at the door with the lamp, and he did not see it when they came in."
WORDS = Words(load_packs(), ENGLISH)


def fact(id_: str, text: str, **values: object) -> Memory:
    return Memory(id_, 1, Tier.LONG_TERM, "fact", text, **values)  # type: ignore[arg-type]


FACTS = [
    fact("kiln", "Marla fired the cracked tiles again in the old kiln behind the tannery."),
    fact("goat", "Marla sold a goat to the miller for silver buttons."),
    fact("well", "The well in the upper yard has been dry since the quake."),
    fact("song", "Marla knows a song about herring that she never sings indoors."),
    fact("debt", "Marla owes the ferryman of Tarn nine crossings."),
]


def called_by(*recent: str, among: list[Memory] | None = None, **more: object) -> list[str]:
    found = called(among or FACTS, WORDS, recent, **more)  # type: ignore[arg-type]
    return [memory.id for memory in among or FACTS if found[memory.id]]


def test_what_is_asked_for_in_other_forms_of_its_words_is_called_up() -> None:
    assert called_by("Where did you fire the tile?") == ["kiln"]
    assert called_by("How many buttons did the millers pay for those goats?") == ["goat"]


def test_a_word_in_passing_calls_nothing_up() -> None:
    turn = (
        "*Marla pulls the stool closer, yawns, counts the crumbs left on her sleeve and, before "
        "anybody can say another word about the weather, blows the candle out.* Sleep, you two."
    )
    assert called_by(turn) == []


def test_who_is_named_everywhere_calls_up_nothing_by_that() -> None:
    messages = tuple(
        Message(str(n), digest(f"Marla {n}"), "You", f"Marla, come here. {n}") for n in range(40)
    )
    index = MessageIndex(WORDS)
    index.follow(messages, 0)
    found = called(FACTS, WORDS, ["Marla waits for Marla."], rarity=index.rarity)
    assert not any(found.values())


def test_keywords_call_up_in_any_of_their_forms() -> None:
    bees = fact("bees", "She must not be stung.", triggers=("hive", "wild honey"))
    assert called_by("Three hives stood there.", among=[bees, *FACTS]) == ["bees"]
    assert called_by("It was honey from wild bees.", among=[bees, *FACTS]) == ["bees"]
    assert called_by("It was honey.", among=[bees, *FACTS]) == []


def test_another_name_of_whoever_is_meant_calls_up_as_well() -> None:
    ferryman = Entity("e", 1, "Tobin Ashe", "character", aliases=("the Heron",))
    held = fact("oath", "Tobin Ashe swore off wine.")
    asked = "Does the Heron drink wine?"
    assert called_by(asked, among=[held, *FACTS]) == []
    assert called_by(asked, among=[held, *FACTS], entities=[ferryman]) == ["oath"]


def test_older_messages_count_less_than_the_last() -> None:
    asked, other = "Where did you fire the tiles?", "Is the well in the yard still dry?"
    score = {
        order: called(FACTS, WORDS, list(order))["kiln"].score
        for order in ((asked, other), (other, asked))
    }
    assert score[other, asked] > score[asked, other] > 0


LONG = fact(
    "quarrel",
    "Marla was the wife of Orrin, a cooper; on the third of March they quarrelled about a clock "
    "that he would not sell, she went to her sister's house by the lake, he put off going there "
    "until the frost, since a bishop had ordered twelve chairs, a cradle and a pair of stilts from "
    "him, and then came the wreck of the coach in the hills, which the papers told.",
)
OTHERS = [fact(f"other{n}", f"Orrin mended barrel {n} for a guest of the inn.") for n in range(9)]


def test_one_clause_of_a_long_memory_calls_it_up() -> None:
    asked, answer = "When does a coach leave for those hills?", "*The old man nods.* At six."
    assert called_by(asked, answer, among=[LONG, *OTHERS]) == ["quarrel"]
    assert called_by(asked.replace("coach", "horse"), answer, among=[LONG, *OTHERS]) == []


def test_where_it_plays_helps_to_call_up() -> None:
    asked = "When does the next coach come, old friend, and will it stop for us this evening?"
    assert called_by(asked, among=[LONG, *OTHERS]) == []
    assert called_by(asked, among=[LONG, *OTHERS], where="the hills") == ["quarrel"]


def test_a_word_or_two_leave_what_they_answer_where_it_was() -> None:
    asked = "Where did you fire the tiles?"
    alone, short, long = (
        called(FACTS, WORDS, texts)["kiln"].score
        for texts in (
            [asked],
            [asked, "No, child."],
            [asked, "*The girl pours more soup, sighs, and salts hers twice.*"],
        )
    )
    assert short > 0.9 * alone > long


def test_silence_calls_nothing_up() -> None:
    assert called_by() == []
    assert called_by("…") == []
