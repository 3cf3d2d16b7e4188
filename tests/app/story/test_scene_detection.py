"""Scene breaks found without a model."""

from __future__ import annotations

from app.languages import load_packs
from app.story.messages import Message, MessageKind, digest
from app.story.scene_detection import detect_breaks

PACKS = load_packs()


def story(*texts: str) -> tuple[Message, ...]:
    return tuple(
        Message(anchor=f"m{i}", content_hash=digest(t), name="AB"[i % 2], text=t)
        for i, t in enumerate(texts)
    )


TALK = ('*She nods.* "Yes."', '"And you?"', '*He shrugs.* "I never asked."', '"Nor did I."')


def test_a_time_jump_closes_the_scene_before_it() -> None:
    messages = story(*TALK, '*Three days later they meet again.* "You came."', *TALK)
    assert [b.last for b in detect_breaks(messages, PACKS)] == [3]


def test_a_time_jump_in_speech_closes_nothing() -> None:
    messages = story(*TALK, '"Three days later they met again," *she says.*', *TALK)
    assert detect_breaks(messages, PACKS) == ()


def test_a_notice_is_no_part_of_the_story() -> None:
    notice = Message(anchor="n", content_hash="", name="S", text="***", kind=MessageKind.NOTICE)
    assert detect_breaks((*story(*TALK), notice, *story(*TALK)), PACKS) == ()
