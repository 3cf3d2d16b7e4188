"""Tells what happened before, when somebody comes back to a story after a longer absence."""

from __future__ import annotations

from collections.abc import Callable

from app.llm.writers.memory_model import MemoryModel
from app.llm.writers.written import KeptAnswers
from app.memory.documents.away import Stored, away_inputs, read_away, so_far, without_model
from app.memory.lifecycle.derived_documents import newest_reaching
from app.memory.records import DocumentKind
from app.memory.standing import active
from app.work.chats.open_chat import OpenChat


async def away_recap(
    chat: OpenChat,
    model: MemoryModel | None,
    count: Callable[[str], int],
    kept: KeptAnswers,
    *,
    is_asked: bool = False,
) -> str:
    """Three to five sentences out of what is stored and the last messages (spec §18).

    model: None tells what is stored as it is, "" when nothing is: the last scene's recap, or all of
    the story to who asked for it. count: tokens of a text. kept: answers, by which the same is not
    asked again. Raises BackendError.
    """
    stored = stored_of(chat)
    if model is None:
        return so_far(stored) if is_asked else without_model(stored)
    return await model.ask(
        "memory_away",
        lambda room: away_inputs(stored, chat.story.messages, room=room, count=count),
        read_away,
        what="recap",
        kept=kept,
    )


def stored_of(chat: OpenChat) -> Stored:
    """What is kept of a chat already: recaps, and the memories that hold."""
    story, ground, remembered = chat.story, chat.ground(), chat.remembered
    own = {memory.id for memory in remembered.memories}
    running = story.running.current
    summary = newest_reaching(remembered.documents, DocumentKind.SUMMARY, ground.places.keys())
    recaps = [story.scene_recap(scene) for scene in story.scenes]
    told = ground.places.get(running.last_anchor, -1) if running else len(story.messages)
    newer = [
        recap.text
        for scene, recap in zip(story.scenes, recaps, strict=True)
        if recap is not None and scene.last > told
    ]
    return Stored(
        recap=running.content if running else summary.text if summary else "",
        scenes=[recap.text for recap in recaps if recap is not None],
        newer=newer,
        memories=tuple(m for m in active(chat.memories, ground) if m.id in own),
    )
