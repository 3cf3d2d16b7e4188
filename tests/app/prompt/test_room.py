"""What the messages of a prompt say themselves takes no room from them."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace as replaced

from app.memory.records import Grounding, Memory, Source, Tier
from app.prompt.generation import Turn
from app.settings.slot_table import SlotName
from app.story.recaps import RunningRecap
from app.story.story import Story
from tests.app.prompt.remembered import LINES, memory, prompt, story, text_of

FACTS = tuple(memory(f"Fact {n} of the old harbour town.", id=f"{n}") for n in range(80))
TOTAL = 1000


def of_tokens(tokens: int) -> Story:
    """A story of so many tokens."""
    of = story(*LINES, *(f"Vera sees house {n}." for n in range(36)))
    return replace(of, message_tokens=(tokens // 40,) * 40)


def test_a_story_little_longer_than_the_prompt_tells_itself() -> None:
    """Its messages were pushed out by lines that said the same once more."""
    slots = prompt(FACTS, of=of_tokens(1200), total=TOTAL)
    assert 0 < slots.total_tokens <= 250


def test_what_the_messages_of_a_real_prompt_leave_is_used() -> None:
    """The recap of what had been hidden was one sentence, with half of the prompt empty."""
    facts = [replace(fact, text=f"{fact.text} Its {n}th gate.") for n, fact in enumerate(FACTS)]
    told = [
        prompt(facts, of=of_tokens(size), turn=Turn(context=8000), budget_total=9000).total_tokens
        for size in (3000, 7900)
    ]
    assert told[0] > 1000 >= told[1]


def test_what_a_prompt_leaves_beyond_a_step_is_used_behind_its_head() -> None:
    """A tenth of it was empty while who knows what lost lines."""
    knows = [
        memory(
            f"that the key number {n} was sold on day {n} of the fair",
            Tier.EPISTEMIC,
            type="knows",
            subject="Vera",
        )
        for n in range(90)
    ]
    facts = [replace(fact, text=f"{fact.text} Its {n}th gate.") for n, fact in enumerate(FACTS)]
    turn, step = Turn("Vera", context=8500, fixed=500), 1000
    at_step, between = (
        prompt([*knows, *facts], of=of_tokens(size), turn=turn, budget_total=8000)
        for size in (8000 - step, 8000 - 2 * step + 40)
    )
    assert at_step.total_tokens <= step
    assert 1.5 * step < between.total_tokens <= 2 * step - 40
    head = [text_of(slots, SlotName.LONG) for slots in (at_step, between)]
    assert head[0] == head[1]
    assert text_of(between, SlotName.EPISTEMIC).count("key") > 40
    said = [set(text_of(slots, SlotName.EPISTEMIC).splitlines()) for slots in (at_step, between)]
    assert said[0] < said[1]


def test_a_long_story_is_told_by_slots() -> None:
    facts = [
        replace(fact, text=f"{fact.text} It has a {n}th gate.") for n, fact in enumerate(FACTS)
    ]
    wide = prompt(facts, of=of_tokens(12_000), total=TOTAL, budget_total=9000)
    assert wide.total_tokens > TOTAL * 3 // 4


def test_of_what_is_over_some_hundred_tokens_the_slots_get_most() -> None:
    """The newest messages of a story with long ones answered little more, and memory much."""
    facts = [replace(fact, text=f"{fact.text} Its {n}th gate.") for n, fact in enumerate(FACTS)]
    told = [
        prompt(facts, of=of_tokens(60_000), total=total, budget_total=9000).total_tokens
        for total in (800, 1300)
    ]
    assert told[0] > 700
    assert 1000 < told[1] <= 1140


def test_messages_that_are_hidden_are_told() -> None:
    of = of_tokens(1200)
    hidden = tuple(replaced(m, is_hidden=n < 36) for n, m in enumerate(of.messages))
    shown, told = (
        prompt(FACTS, of=each, total=TOTAL).total_tokens
        for each in (of, replace(of, messages=hidden))
    )
    assert told > shown


def test_what_other_chats_and_the_user_tell_is_told_in_a_young_story() -> None:
    yours = tuple(replace(f, sources=(), grounding=Grounding.YOURS) for f in FACTS[:20])
    elsewhere = tuple(
        replace(f, sources=tuple(replace(s, chat=99) for s in f.sources)) for f in FACTS[20:40]
    )
    for told in (yours, elsewhere):
        text = text_of(prompt(told, of=of_tokens(40), turn=Turn(context=4000)), SlotName.LONG)
        assert text.count("Fact") == 20


def test_what_this_chat_tells_goes_before_what_others_tell() -> None:
    """Secrets of another chat of the character pushed out those of the one that is played."""

    def held(n: int, chat: int) -> Memory:
        one = memory(
            f"that the {'crown' if chat else 'key'} number {n} was sold on day {n} of the fair",
            Tier.EPISTEMIC,
            type="hiding",
            subject="Vera",
            target="You",
        )
        source = Source(chat, f"other{n}", "") if chat else one.sources[0]
        return replace(one, sources=(source,))

    own, others = [held(n, 0) for n in range(6)], [held(n, 7) for n in range(60)]
    facts = FACTS[:20]
    alone = prompt([*own, *facts], of=of_tokens(1200), total=700)
    beside = prompt([*others, *own, *facts], of=of_tokens(1200), total=700)
    for name in (SlotName.EPISTEMIC, SlotName.LONG):
        for line in text_of(alone, name).splitlines():
            assert line in text_of(beside, name)
    assert text_of(prompt(others, of=of_tokens(40)), SlotName.EPISTEMIC).count("crown") > 5


def test_a_recap_that_the_user_wrote_is_told_whole() -> None:
    of = of_tokens(40)
    lines = "\n".join(f"Thing {n} happened far away." for n in range(60))
    (made,) = story(running=lines).running.versions
    running = RunningRecap((replace(made, reason="edit"),), 0)
    told = prompt(FACTS[:1], of=replace(of, running=running), turn=Turn(context=4000)).slots[0].text
    assert "Thing 0" in told
    assert "Thing 59" in told


@given(st.lists(st.integers(40, 6000), min_size=2, max_size=6))
def test_a_longer_story_is_never_told_in_less_room(sizes: list[int]) -> None:
    told = [prompt(FACTS, of=of_tokens(n), total=TOTAL).total_tokens for n in sorted(sizes)]
    assert told == sorted(told)


def test_a_running_recap_has_more_of_a_larger_prompt() -> None:
    """Of two thousand tokens it had a hundred: three lines that told no story."""
    recap = "DEVELOPMENTS\n" + "\n".join(
        f"On day {n} they came to the {n}th gate." for n in range(90)
    )
    of = replace(of_tokens(60_000), running=story(running=recap).running)
    facts = [replace(fact, text=f"{fact.text} Its {n}th tower.") for n, fact in enumerate(FACTS)]

    def share(total: int) -> float:
        told = prompt(facts, of=of, total=total, budget_total=9000)
        return told.slots[0].tokens / told.total_tokens

    assert share(1000) < 0.2
    assert 0.4 < share(2000) < 0.6
