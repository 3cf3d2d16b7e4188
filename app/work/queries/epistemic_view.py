"""Who knows what in an open chat, with what its newest reply gives away."""

from __future__ import annotations

from collections.abc import Sequence

from app.memory.epistemic.map_view import EpistemicMapView
from app.memory.epistemic.word_counts import WordCounts
from app.story.messages import Message, MessageKind
from app.story.scene_cues.language import LanguagePack
from app.views.memory_view import EpistemicView, MemoryView
from app.work.queries.leak_check import epistemic_map, leaks_by


def epistemic_view_of(
    view: MemoryView, packs: Sequence[LanguagePack], counts: WordCounts
) -> EpistemicView:
    """Takes a while for a long chat; not for the window's thread. counts: of this chat."""
    known = epistemic_map(view, packs)
    found = EpistemicMapView(known)
    reply = _newest_reply(view.story.messages)
    if reply is None or not found.topics:
        return EpistemicView(view, found, reply, ())
    return EpistemicView(view, found, reply, leaks_by(known, view, packs, reply, counts))


def _newest_reply(messages: Sequence[Message]) -> int | None:
    """Index of what a character wrote last, also when the user has gone on since."""
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].kind is MessageKind.CHAT and not messages[index].is_user:
            return index
    return None
