"""The work on a chat that is due: readings, texts, and what a question about it leaves out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from app.core.operations import OperationSpec
from app.prompt.generation import Turn
from app.prompt.telling import held_from
from app.settings.recaps import RecapSettings
from app.work.chats.open_chat import OpenChat
from app.work.jobs.document_making import document_material
from app.work.planning.agreement import Lacking
from app.work.planning.document_planner import plan_texts
from app.work.planning.memory_planner import next_pass
from app.work.planning.writing import Writing


def asked_until(chat: OpenChat) -> int | None:
    """Index of the last message that a question is about which waits for its answer."""
    return chat.story.places.get(chat.asked_of[0])


def lacking_of(chat: OpenChat, settings: Mapping[str, Any], writing: Writing) -> Lacking:
    """A chat as it is, for what is asked about it."""
    story, until = chat.story, asked_until(chat)
    ended = story.places.get(chat.asked_of[1], -1)
    if until is None:
        until = ended = len(story.messages)
    by_hand = chat.ended_by_hand
    return Lacking(story, settings, writing, chat.search, chat.reading_state, until, ended, by_hand)


def held_by_prompts(chat: OpenChat, slots: int | None) -> int:
    """Index of the first message that the chat's prompts hold themselves. slots: tokens of theirs;
    until one was made, as though they held all.
    """
    if slots is None:
        return 0
    turn = Turn(context=chat.context_tokens, fixed=max(chat.fixed_tokens.values(), default=0))
    return held_from(chat.story, chat.prompt_settings(), turn, slots)


def readings_due(chat: OpenChat, writing: Writing) -> tuple[OperationSpec, ...]:
    """The readings for memory that come next: of what a question is about, and of what came since:
    that does not wait for an answer.
    """
    if not chat.keeps_memory:
        return ()
    settings, until = chat.settings(), asked_until(chat)
    context = chat.context_tokens or RecapSettings(settings).context_tokens
    parts = [replace(chat.reading_state, context=context)]
    if until is not None:
        parts = [replace(parts[0], end=until + 1), replace(parts[0], first=until + 1)]
    specs = (next_pass(chat.story, chat.chat_id, settings, writing, part) for part in parts)
    return tuple(spec for spec in specs if spec is not None)


def texts_due(
    chat: OpenChat, writing: Writing, readings: Sequence[OperationSpec]
) -> tuple[OperationSpec, ...]:
    """The texts to be made of what was read; most of them wait for the reading that is due."""
    if not chat.keeps_memory or chat.pause is not None or not chat.story.messages:
        return ()
    last = chat.story.messages[-1]
    # Of what is left none is made by itself before the story goes on, or taking that back would
    # leave it in the place of the old one.
    if (last.anchor, last.content_hash) in chat.reading_state.forgotten:
        return ()
    return plan_texts(document_material(chat, writing, is_read=not readings))
