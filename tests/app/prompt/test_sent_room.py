"""What a full prompt shows of the room that stories have in the next one."""

from __future__ import annotations

from dataclasses import replace

from app.prompt.sent_room import fixed_of
from app.prompt.turns import FinalPrompt, SentPart, SentTurn, Wire
from app.story.messages import Message, digest

SYSTEM = "Write the next reply of the story."


def count(text: str) -> int:
    return len(text.split())


def messages(number: int) -> tuple[Message, ...]:
    texts = [f"The {n}th lantern is carried down to the harbour of Vell." for n in range(number)]
    return tuple(Message(f"m{n}", digest(text), "Mira", text) for n, text in enumerate(texts))


def sent(context: int, told: tuple[Message, ...], wire: Wire = Wire.CHAT) -> SentTurn:
    bare = SentTurn(1, 0.0, "normal", "Mira", None, 1, context, len(told), ())
    texts = [SentPart.of("user", one.text) for one in told]
    parts = (SentPart.of("system", SYSTEM), *texts)
    if wire is Wire.TEXT:
        parts = (SentPart.of("", "\n".join((SYSTEM, *(f"Mira: {one.text}" for one in told)))),)
    return replace(bare, prompt=FinalPrompt(wire, parts))


def fixed(turn: SentTurn, story: tuple[Message, ...], around: int = 0) -> int:
    return fixed_of(turn, story, [count(one.text) for one in story], count, around)


def test_what_stands_around_each_message_of_a_prompt_is_no_room() -> None:
    story = messages(20)
    whole = sent(4_000, story)
    assert fixed(whole, story) == count(SYSTEM)
    assert fixed(whole, story, around=5) == count(SYSTEM) + 5 * 21


def test_a_full_prompt_shows_what_is_counted_of_messages_beside_their_text() -> None:
    story = messages(200)
    size = count(story[-1].text)
    for wire in Wire:
        # 100 of 200 had room, with 2 tokens more for each than their text has.
        full = sent(100 * (size + 2) + count(SYSTEM), story[100:], wire)
        found = fixed(full, story)
        assert count(SYSTEM) + 200 - size <= found <= count(SYSTEM) + 200


def test_a_prompt_with_room_left_shows_nothing_of_the_kind() -> None:
    story = messages(200)
    few = sent(4_000, story[190:])  # by another extension's wish
    assert fixed(few, story) == count(SYSTEM)
