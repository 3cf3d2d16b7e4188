"""Dates, lapses, logs and documents: what opens a scene in words that no leap in time has."""

from __future__ import annotations

import pytest

from app.languages import load_packs
from app.story.messages import Message, digest
from app.story.scene_cues.evidence import gather
from app.story.scene_cues.quotations import mark_quotations
from app.story.scene_cues.reading import read_all
from app.story.scene_cues.wording import log_number, names_within
from app.story.scene_detection import detect_breaks

PACKS = load_packs()

TALK = (
    '*She nods and turns her cup a little.* "Yes. I told you so."',
    '"You did." *He shrugs.* "I never listen, you know that."',
    '*She laughs.* "Nobody at this table ever does."',
    '"And the cup? Is it yours?"',
    '*She looks at it.* "It is now."',
    '*He grins.* "Then pour me one as well."',
)
OTHER_TALK = (
    '*The valve hisses.* "Hand me that wrench, will you?"',
    '"Which one?" *Ben holds up two.* "They both look broken."',
    '*Ada takes the smaller.* "They are both broken. Hold the lamp."',
    '"Holding." *It flickers.* "Should it drip like that?"',
    '*Ada wipes her forehead.* "No. Step back."',
)


def chat(*texts: str) -> tuple[Message, ...]:
    return tuple(
        Message(f"m{n}", digest(text), "Ada" if n % 2 == 0 else "Ben", text)
        for n, text in enumerate(texts)
    )


def lasts(*texts: str) -> list[int]:
    return [found.last for found in detect_breaks(chat(*texts), PACKS)]


def names(*texts: str) -> list[str]:
    return [found.name for found in detect_breaks(chat(*texts), PACKS)]


@pytest.mark.parametrize(
    "opener",
    [
        '*On the fourteenth of November the ferry runs again.* "Finally," *he says.*',
        '*The ninth of May, and still no letter.* "Nothing?" *he asks.*',
        '*By Michaelmas the roof is on.* "It leaks," *he says.*',
        '*Candlemas. The pond is open again, and the carts go round it.* "Careful," *she says.*',
        '*They have the barn standing again by Easter, and hang a bell.* "Ring it," *he says.*',
        "*Am vierzehnten November fährt die Fähre, und der Steg ist voller Körbe.* „Endlich.“",
        "*À la Chandeleur, l'étang est libre, et les charrettes en font le tour.* « Attention. »",
    ],
)
def test_a_date_of_prose_opens_a_scene(opener: str) -> None:
    assert lasts(*TALK, opener, *OTHER_TALK) == [5]


def test_a_date_that_is_only_spoken_of_opens_none() -> None:
    said = '"What is it?" *She lifts the lid.* "You said the second of May. That is what you said."'
    assert lasts(*TALK, said, *TALK) == []


@pytest.mark.parametrize(
    "opener",
    [
        '*Half an hour, and the rain has not stopped.* "Cards?" *he asks.*',
        '*Several days go past before the horn sounds.* "Riders," *she says.*',
        "*Mehrere Wochen Arbeit, und der Brunnen ist gegraben.* „Wasser.“",
    ],
)
def test_a_lapse_that_begins_the_first_sentence_opens_a_scene(opener: str) -> None:
    assert lasts(*TALK, opener, *OTHER_TALK) == [5]


def test_a_log_opens_a_scene_where_its_number_jumps() -> None:
    day = "Day {}. {}"
    texts = [day.format(11, text) for text in TALK] + [day.format(19, text) for text in OTHER_TALK]
    assert lasts(*texts) == [5]


def test_a_log_that_goes_on_day_by_day_opens_none() -> None:
    readings = read_all(chat(*(f"Day {n}. The sea is calm." for n in range(1, 9))), PACKS)
    assert [entry.get("log_jump", 0.0) for entry in gather(readings)[3:]] == [0.0] * 5


def test_a_document_between_rules_ends_no_scene() -> None:
    quoting = (
        "*She unfolds the paper.*\n\n---\n\nThe key is under the third stone.\n\n---\n\n"
        '"Well," *she says.* "That is plain enough."'
    )
    assert lasts(*TALK, quoting, *TALK) == []


def test_the_number_of_a_log_stands_at_its_beginning() -> None:
    words = frozenset({"log", "day"})
    assert log_number("**Log of the Petrel, entry 41.** Wind.", words) == 41
    assert log_number("Day 3. We went on for 12 miles.", words) == 3
    assert log_number("The log says 41.", words) is None
    assert log_number("Day after day the 7 of us row.", words) is None


def test_names_are_words_with_a_capital_within_a_sentence() -> None:
    assert names_within("Then Marta saw the Blue Heron. She waved.") == {"marta", "blue", "heron"}


# --- names


@pytest.mark.parametrize(
    "opening",
    [
        "*This is no village. Two sheds and a pump stand in the wind, and a dog.*",
        "*She tells him of the cathedral, and he listens with his chin on his fists.*",
        "*He dreams of the harbour again. Rain drums on canvas, and the mules stamp.*",
    ],
)
def test_a_place_that_is_denied_or_spoken_of_names_no_scene(opening: str) -> None:
    (name,) = names(opening, *TALK[1:], "*Three days later it snows.* " + OTHER_TALK[0], *TALK)
    assert not {"village", "cathedral", "harbour"} & set(name.casefold().split())


def test_a_log_header_names_no_scene() -> None:
    opening = "Log of the Petrel, Port Caldane, day 41. *Wind in the north, and little said.*"
    (name,) = names(opening, *TALK[1:], "*Three days later it snows.* " + OTHER_TALK[0], *TALK)
    assert "Petrel" not in name
    assert "Log" not in name


def test_two_scenes_in_one_place_are_told_apart_by_when_and_about_what() -> None:
    first = "*The kitchen smells of tar. Ada slams the ledger shut and opens the ledger again.*"
    second = "*Three days later the kitchen smells of bread. A rat considers the cheese.*"
    third = "*Six weeks later the two of them stand in a field of thistles, and a goat is there.*"
    about = '*He takes the ledger.* "The ledger is wrong."'
    texts = (first, about, *TALK, second, *OTHER_TALK, *TALK, third, *OTHER_TALK)
    found = names(*texts)
    assert found[0] == "Kitchen, ledger, cup"
    assert len(set(found)) == len(found)


def test_a_thing_that_is_named_again_and_again_names_a_scene_without_a_place() -> None:
    talk = (
        '*She holds up the brass key.* "Where is the key from?"',
        '"The key was mine." *He looks away.* "It opened the gate, once."',
        '*She puts the key down.* "And now?"',
        *TALK[:3],
    )
    (name,) = names(*talk, "*Three days later it snows.* " + OTHER_TALK[0], *TALK)
    assert name == "Brass key"


def test_a_scene_without_a_place_is_named_after_things_that_find_it_together() -> None:
    talk = (
        '*She sets the bread on a crate.* "The bread is old, and the crate is not ours."',
        '"Leave the bread." *He sits down upon the crate.* "There was a lantern, too."',
        *TALK[:4],
    )
    (name,) = names(*talk, "*Three days later it snows.* " + OTHER_TALK[0], *TALK)
    assert set(name.casefold().split(", ")[:2]) == {"bread", "crate"}


def test_a_place_of_one_word_has_a_thing_beside_it_though_it_is_named_but_once() -> None:
    opening = "*In the kitchen nobody speaks. Ada holds on to the ladle as if it would help.*"
    (name,) = names(opening, *TALK[4:], *TALK[4:], "*Three days later it snows.* ", *OTHER_TALK)
    assert name == "Kitchen, ladle"


def test_what_tells_nothing_is_no_thing_to_name_a_scene_after() -> None:
    talk = (
        '*She looks at the door.* "The door, and the girl, and the two of them."',
        '"The door was shut." *He sees the girl.* "The two are gone."',
        *TALK[4:],
        *TALK[4:],
    )
    (name,) = names(*talk, "*Three days later it snows.* ", *OTHER_TALK)
    assert not {"door", "girl", "two"} & set(name.casefold().replace(",", "").split())


def test_a_place_of_a_header_that_comes_again_says_what_its_scene_is_about() -> None:
    place = "[Day 4 | 18:20 | Location: {}]\n\n"
    kitchen, yard = place.format("Kitchen"), place.format("Yard")
    about = ('*She takes the ladle.* "The ladle is hot."', *TALK[:1], *OTHER_TALK, *TALK[4:])
    scenes = ((kitchen, TALK), (yard, OTHER_TALK * 2), (kitchen, about), (yard, TALK * 2))
    told = [header + text for header, texts in scenes for text in texts]
    assert names(*told) == ["Kitchen", "Yard", "Kitchen, ladle"]


def test_a_thing_names_a_scene_in_a_script_without_spaces() -> None:
    texts = (
        "*彼女は古い切符を見せた。* 「この切符はどこまで行けるの。」",
        "「切符には駅の名がない。」 *彼は静かに首を振った。*",
        "*彼女はもう一度それを見つめた。* 「そう。」",
        "「ああ、そうだ。」 *彼は笑った。*",
        "*彼女も少しだけ笑った。* 「本当に？」",
        "「うん、本当だよ。」 *彼はうなずいた。*",
    )
    later = ("*三日後、雪が降っていた。* 「寒いね。」", *texts[2:], *texts[2:])
    assert names(*texts, *later)[0].startswith("切符")


# --- what is quoted over several paragraphs


@pytest.mark.parametrize(
    "letter",
    [
        "> My dear Ada,\n> the roads are bad.\n>\n> Three weeks later we came to Aldermoor.",
        '"My dear Ada,\n\nThe roads are bad.\n\nThree weeks later we came to Aldermoor.\n\nB."',
        "“My dear Ada,\n\nThe roads are bad.\n\nThree weeks later we came to Aldermoor.\n\nB.”",
        "„Liebe Ada,\n\nes regnet.\n\nDrei Wochen später kamen wir nach Aldermoor.\n\nB.“",
    ],
)
def test_a_letter_read_aloud_ends_no_scene(letter: str) -> None:
    text = f'She breaks the seal and reads it out.\n\n{letter}\n\nShe lowers the page. "Well."'
    assert lasts(*TALK, text, *TALK) == []


def test_a_quotation_that_is_not_closed_goes_no_further_than_its_paragraph() -> None:
    plain = (
        '"Wait, I say\n\nThree weeks later the cart stands in the snow, and a goat eats the map.'
    )
    assert mark_quotations(plain) == plain
    both = '"Wait," he says.\n\n"No," she says.'
    assert mark_quotations(both) == both


def test_a_thing_of_the_whole_scene_goes_before_one_of_its_beginning() -> None:
    talk = (
        '*She moves the ladle aside.* "The ladle is bent."',
        *TALK[3:5],
        '*He unrolls the chart.* "Where did you find the chart?"',
        '"I drew the chart." *She smooths it.* "All of it."',
        '*He turns the chart round.* "Then it is upside down."',
        '"The chart is as I want it," *she says.*',
    )
    (name,) = names(*talk, "*Three days later it snows.* " + OTHER_TALK[0], *TALK)
    assert name.split(", ")[0] == "Chart"


def test_who_comes_only_in_this_scene_names_it_where_no_place_does() -> None:
    talk = tuple(
        f'*She looks at Osgood.* "{n} coins, and Osgood keeps them all."' for n in range(6)
    )
    opening = "*Three days later it snows.* " + OTHER_TALK[0]
    _, name = names(*TALK, opening, *talk, "*Three weeks later it rains.*", *OTHER_TALK)
    assert name.startswith("Osgood")


def test_a_place_that_is_named_once_in_passing_is_none_of_the_scene() -> None:
    far = "He thinks of this and that. " * 10 + "Once he lived in Harborough."
    talk = (f"*She waits. {far}*", '*He takes the rope.* "The rope is mine."', *TALK[2:5])
    (name,) = names(*talk, "*Three days later it snows.* " + OTHER_TALK[0], *TALK)
    assert "Harborough" not in name


def test_what_nobody_can_see_gives_way_to_what_one_can() -> None:
    talk = (
        '*She lifts the kettle.* "The sharpness of the kettle," *she says.*',
        '"The sharpness, always the sharpness." *He takes the kettle.*',
        *TALK[2:6],
    )
    (name,) = names(*talk, "*Three days later it snows.* " + OTHER_TALK[0], *TALK)
    assert name.split(", ")[0] == "Kettle"


def test_scenes_of_a_language_without_articles_are_named_after_things() -> None:
    talk = (
        "*Она ставит чайник на плиту.* «Чайник старый».",
        "«Чайник был ещё у бабушки». *Он садится.*",
        "*Она смотрит на него.* «И ключи тоже».",
        "«Ключи я потерял». *Он молчит.* «Прости».",
        "*Она берёт чайник.* «Ничего, чай ещё горячий».",
    )
    (name, *_) = names(*talk, "*Три дня спустя идёт снег.* «Холодно», — говорит он.", *talk[2:4])
    assert "чайник" in name.casefold()
