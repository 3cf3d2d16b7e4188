"""How each message reaches the next prompt, and what would mend that it does not."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from msgspec import structs

from app.prompt.reach import (
    Mend,
    Reach,
    Reached,
    Sent,
    mend_of,
    reached,
    sent_of,
    unrecapped_scenes,
    verbatim_from,
)
from app.prompt.slots import MESSAGE_RECAPS_KEY, RUNNING_RECAP_KEY, Slot, SlotContent, SlotSet
from app.settings.slot_table import Position, Role, SlotName
from app.story.inclusion import Inclusion, InclusionState
from app.story.messages import MessageKind, MessageRecap
from app.story.recaps import RunningRecap, RunningVersion, SceneRecap
from app.story.story import Story
from tests.ui.samples import message, story

MANY = 1_000_000


def slot(key: str, text: str, position: Position = Position.IN_PROMPT, macro: str = "") -> Slot:
    return Slot(key, position, 0, Role.SYSTEM, False, text, 10, 10, 10, macro)


def content(
    name: SlotName, shown: tuple[str, ...] = (), scenes: tuple[int, ...] = ()
) -> SlotContent:
    return SlotContent(name.key, shown, (), 10, 10, 10, scenes=scenes)


def even(of: Story, tokens: int = 10) -> Story:
    return replace(of, message_tokens=(tokens,) * len(of.messages))


def with_running(of: Story, last: int) -> Story:
    version = RunningVersion(1, "So far.", 2, "", of.messages[last].anchor, "you", 0.0)
    return replace(of, running=RunningRecap((version,), 1))


def kinds(of: Reached) -> list[Reach]:
    return [Reach(code) for code in of.codes]


def test_each_message_is_told_in_the_best_way_that_there_is() -> None:
    told = with_running(even(story(60, (9, 19, 29, 39))), 19)
    recap = MessageRecap("One line of it.")
    told = replace(
        told,
        message_recaps={told.messages[31].anchor: recap, told.messages[55].anchor: recap},
        inclusion=(Inclusion(InclusionState.INCLUDED, ""),) * 60,
    )
    slots = SlotSet(
        (
            slot(RUNNING_RECAP_KEY, "So far."),
            slot(MESSAGE_RECAPS_KEY, "One line of it."),
            slot(SlotName.SCENES.key, "Scene 3: a thing."),
            slot(SlotName.LONG.key, "A thing."),
        ),
        contents=(
            content(SlotName.SCENES, scenes=(3,)),
            content(SlotName.LONG, shown=("m1", "m2")),
        ),
    )
    cited = {"m1": [told.messages[5].anchor, told.messages[45].anchor], "m2": ["gone"]}
    found = reached(told, slots, cited=cited, room=100)
    assert found.verbatim_from == 50
    assert not found.is_seen
    expected = (
        [Reach.RUNNING] * 20
        + [Reach.SCENE] * 10
        + [Reach.NOT_AT_ALL, Reach.RECAP]
        + [Reach.NOT_AT_ALL] * 13
        + [Reach.MEMORIES]
        + [Reach.NOT_AT_ALL] * 4
        + [Reach.VERBATIM] * 10
    )
    assert kinds(found) == expected


def test_what_the_summary_tells_is_not_called_told_by_nothing() -> None:
    """Before a model has read the story, notes of its messages stand there."""
    told = even(story(20, (9,)))
    notes = replace(content(SlotName.SHORT), noted=(2, 5, 99))
    slots = SlotSet((slot(SlotName.SHORT.key, "A: a note. B: another."),), contents=(notes,))
    kinds_ = kinds(reached(told, slots, cited={}, room=100, summary_until="a000004"))
    assert [at for at, kind in enumerate(kinds_) if kind is Reach.SUMMARY] == [2, 5]
    slots = replace(slots, contents=(content(SlotName.SHORT),))
    kinds_ = kinds(reached(told, slots, cited={}, room=100, summary_until="a000004"))
    assert kinds_ == [Reach.SUMMARY] * 5 + [Reach.NOT_AT_ALL] * 5 + [Reach.VERBATIM] * 10


def test_hidden_messages_are_not_sent_and_notices_are_no_part_of_the_story() -> None:
    shown = [message(i) for i in range(6)]
    shown[4] = structs.replace(shown[4], is_hidden=True)
    shown[5] = structs.replace(shown[5], kind=MessageKind.NOTICE)
    told = even(story(6, (), messages=tuple(shown)))
    found = reached(told, SlotSet(), cited={}, room=MANY)
    assert kinds(found) == [Reach.VERBATIM] * 4 + [Reach.NOT_AT_ALL, Reach.ASIDE]


@pytest.mark.parametrize("dropped", [False, True])
def test_a_slot_that_stands_nowhere_tells_nothing(dropped: bool) -> None:
    told = with_running(even(story(20, (9,))), 9)
    where = Position.IN_PROMPT if dropped else Position.NONE
    slots = SlotSet((slot(RUNNING_RECAP_KEY, "So far.", where),))
    sent = Sent(10, 19, frozenset({RUNNING_RECAP_KEY})) if dropped else None
    found = reached(told, slots, cited={}, room=100, sent=sent)
    assert kinds(found)[:10] == [Reach.NOT_AT_ALL] * 10
    by_macro = SlotSet((slot(RUNNING_RECAP_KEY, "So far.", Position.NONE, "recap"),))
    assert kinds(reached(told, by_macro, cited={}, room=100))[:10] == [Reach.RUNNING] * 10


def test_in_one_block_the_parts_tell_what_they_told_alone() -> None:
    told = even(story(20, (9,)))
    block = SlotSet(
        (slot(SlotName.UNIFIED.key, "All."),), contents=(content(SlotName.SCENES, scenes=(1,)),)
    )
    assert kinds(reached(told, block, cited={}, room=100))[:10] == [Reach.SCENE] * 10


def test_the_newest_prompt_is_the_truth_of_where_the_chat_begins() -> None:
    told = even(story(100, (9,)))
    assert verbatim_from(told, 500, None) == 50
    assert verbatim_from(told, 500, Sent(80, 99)) == 80, "a full prompt had no room for more"
    assert verbatim_from(told, 500, Sent(60, 79)) == 80, "as much of the chat, messages later"
    then = Sent(80, 99, slots=400)
    assert verbatim_from(told, 500, then, 400) == 80
    assert verbatim_from(told, 500, then, 250) == 65, "smaller slots leave the chat more"
    assert verbatim_from(told, 500, then, 500) == 90, "and larger ones less"
    assert verbatim_from(told, 500, Sent(0, 89)) == 10, "one that held all of it has room for it"


def test_a_prompt_is_searched_for_its_messages_whatever_scripts_made_of_some_lines() -> None:
    lines = [
        f"The {n}th bell rang over the harbour.\nAnd {{{{user}}}} counted {n}." for n in range(40)
    ]
    shown = [message(n, text) for n, text in enumerate(lines)]
    shown[30] = message(30, "No.")
    prompt = "\n".join(shown[n].text.replace("{{user}}", "Wren") for n in range(22, 39))
    assert sent_of(shown, prompt, ["x"]) == Sent(22, 38, frozenset({"x"}))
    assert sent_of(shown, "something else") is None


def test_a_greeting_too_short_to_be_known_is_not_taken_for_one_that_fell_out() -> None:
    """ "So. You again." began the chat: from its second reply on, four of five messages that were
    sent word for word stood there as told by nothing.
    """
    told = story(5)
    texts = ("So. You again.", *(f"This is what was said as number {n}." for n in range(1, 5)))
    said = tuple(
        structs.replace(one, text=text) for one, text in zip(told.messages, texts, strict=True)
    )
    prompt = "\n".join(texts[:3])
    sent = sent_of(said, prompt)
    assert sent == Sent(0, 2)
    assert sent is not None
    assert verbatim_from(replace(told, messages=said), 5_000, replace(sent, slots=0), 300) == 0
    assert sent_of(said, texts[2]) == Sent(2, 2), "one that could be known is missing"


def test_a_message_that_fell_out_is_not_found_in_a_later_one_that_says_the_same() -> None:
    refrain = "The bells of the harbour ring, and nobody counts them."
    shown = [
        message(n, refrain if n % 5 == 0 else f"The {n}th boat came in.\n{refrain}")
        for n in range(60)
    ]
    prompt = "\n".join(one.text for one in shown[41:])
    assert sent_of(shown, prompt) == Sent(41, 59)


def test_what_would_mend_it_depends_on_what_is_there() -> None:
    told = even(story(40, (9, 19, 29)))
    none = Reached(bytes([Reach.NOT_AT_ALL]) * 35 + bytes([Reach.VERBATIM]) * 5, 35)
    closing = told.scenes[0].closing
    assert closing is not None
    recap = SceneRecap(closing.anchor, 0, "", "It rained.", "", "you", 0.0)
    told = replace(told, recaps={closing.anchor: (recap,)})
    out = Inclusion(InclusionState.OUT_OF_BUDGET, "")
    told = replace(told, inclusion=(*told.inclusion[:2], out, *told.inclusion[3:]))
    assert mend_of(told, none, 1) is Mend.RAISE_SCENES
    assert mend_of(told, none, 2) is Mend.RAISE_RECAPS
    assert mend_of(told, none, 12) is Mend.RECAP_SCENE
    assert mend_of(told, none, 32) is Mend.CLOSE_SCENE
    assert mend_of(told, none, 37) is Mend.NOTHING
    assert [scene.number for scene in unrecapped_scenes(told, none)] == [2, 3]


SAID = (
    "Odile hired Wren as prompter for five crowns a month, soup and the window bunk.",
    "By the river Bastien admitted that he cannot read and learns his parts by ear.",
    "A coughing man in grey gloves ordered Wren to write every second night what Odile says.",
    "Tibalt showed Wren a letter hidden in the sliding back of the lute.",
)


def folded(content: str, *, made_by: str = "a model", locked: bool = True) -> Story:
    """Four scenes of ten messages and an open one; all four went into the running recap."""
    told = even(story(50, (9, 19, 29, 39)))
    recaps: dict[str, tuple[SceneRecap, ...]] = {
        told.messages[at].anchor: (
            SceneRecap(
                told.messages[at].anchor,
                0,
                "",
                f"DEVELOPMENTS\n{said}\n\nSTATE\nWren: tired",
                "",
                "a model",
                0.0,
                combined_at=1.0 if locked else None,
            ),
        )
        for at, said in zip((9, 19, 29, 39), SAID, strict=True)
    }
    last = told.messages[39].anchor
    version = RunningVersion(1, content, 4, "", last, made_by, 0.0)
    return replace(told, recaps=recaps, running=RunningRecap((version,), 1))


def test_a_scene_that_the_running_recap_dropped_is_not_called_told_by_it() -> None:
    """Eight scenes stood striped as told by a recap that had no line of the first six."""
    joined = "A man in grey gloves, coughing, ordered Wren to write each second night of Odile."
    text = f"DEVELOPMENTS\n{joined}\n{SAID[3]}\n\nSTATE\nWren: tired"
    told = folded(text)
    slots = SlotSet(
        (slot(RUNNING_RECAP_KEY, text), slot(SlotName.LONG.key, "A thing.")),
        contents=(content(SlotName.LONG, shown=("m1",)),),
    )
    found = reached(told, slots, cited={"m1": [told.messages[12].anchor]}, room=100)
    assert kinds(found)[:10] == [Reach.NOT_AT_ALL] * 10
    assert kinds(found)[10:20] == [Reach.NOT_AT_ALL] * 2 + [Reach.MEMORIES] + [Reach.NOT_AT_ALL] * 7
    assert kinds(found)[20:40] == [Reach.RUNNING] * 20
    assert found.untold == (1, 2)
    assert mend_of(told, found, 0) is Mend.REBUILD_RECAP
    assert mend_of(told, found, 12) is Mend.REBUILD_RECAP, "memories alone are less than a recap"
    assert mend_of(told, found, 25) is Mend.NOTHING


def test_of_a_scene_only_what_is_sent_of_the_running_recap_counts() -> None:
    whole = "DEVELOPMENTS\n" + "\n".join(SAID)
    told = folded(whole)
    sent = SlotSet((slot(RUNNING_RECAP_KEY, "DEVELOPMENTS\n" + "\n".join(SAID[1:])),))
    assert reached(told, sent, cited={}, room=100).untold == (1,), "its budget cut the rest"
    assert reached(told, sent, cited={}, room=MANY).untold == (), "the messages are there"


def test_what_nobody_can_know_again_is_taken_for_told() -> None:
    text = "The prompter found her place among the players."
    slots = SlotSet((slot(RUNNING_RECAP_KEY, text),))
    for told in (folded(text, made_by="you"), folded(text, locked=False)):
        found = reached(told, slots, cited={}, room=100)
        assert found.untold == ()
        assert kinds(found)[:40] == [Reach.RUNNING] * 40
    yours = folded("\n".join(SAID), made_by="you")
    assert reached(yours, slots, cited={}, room=100).untold == (1, 2, 3, 4), "your words went"


def test_a_thousand_scenes_are_compared_in_a_moment() -> None:
    count, said = 1_000, "The {n}th boat, Marigold{n}, brought {n} casks of salt to pier{n}. " * 6
    told = even(story(10 * count + 10, tuple(range(9, 10 * count, 10))))
    recaps: dict[str, tuple[SceneRecap, ...]] = {
        scene.closing.anchor: (
            SceneRecap(
                scene.closing.anchor, 0, "", said.format(n=n), "", "m", 0.0, combined_at=1.0
            ),
        )
        for n, scene in enumerate(told.scenes)
        if scene.closing is not None
    }
    text = "\n".join(said.format(n=n)[:60] for n in range(960, count))
    last = told.scenes[-2].closing
    assert last is not None
    version = RunningVersion(1, text, count, "", last.anchor, "m", 0.0)
    told = replace(told, recaps=recaps, running=RunningRecap((version,), 1))
    slots = SlotSet((slot(RUNNING_RECAP_KEY, text),))
    began = time.perf_counter()
    found = reached(told, slots, cited={}, room=100)
    first = time.perf_counter() - began
    assert found.untold == tuple(range(1, 961))
    began = time.perf_counter()
    reached(told, slots, cited={}, room=100)
    assert time.perf_counter() - began < first / 2
