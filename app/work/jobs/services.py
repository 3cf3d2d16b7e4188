"""What everybody who does an operation is given."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from app.core.operations import OperationKind
from app.llm.writers.writer import RecapWriter
from app.store.store import Store
from app.story.scene_cues.language import LanguagePack
from app.work.chats.open_chat import OpenChat
from app.work.planning.writing import Writing


@dataclass(frozen=True, slots=True)
class JobServices:
    """chat_of: the open chat with an id, read to its end. writer: the one in force for a kind of
    work. writing: how those in force write. count: tokens of a text. packs: of the languages that
    stories are told in.
    """

    store: Store
    chat_of: Callable[[int], Awaitable[OpenChat]]
    writer: Callable[[OperationKind], RecapWriter]
    writing: Callable[[], Writing]
    count: Callable[[str], int]
    packs: Sequence[LanguagePack] = ()
