"""Hands what the user does with memories to the companion, command by command."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from app.core.operations import OperationKind
from app.core.translation import N_, tr, trn
from app.memory.lifecycle.contradictions import Keeps
from app.memory.records import DocumentKind, Tier
from app.settings.program import ProgramSettings
from app.views.text_offers import TextOffer, TextRequest
from ui.core.session import Session

if TYPE_CHECKING:
    from app.companion import Companion


class MemoryHands(QObject):
    """Each command is about the chat that is shown; failures are told by the session."""

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session

    @property
    def can_change(self) -> bool:
        """Whether anything can be changed now."""
        return not self._session.companion.is_reading_only

    @property
    def is_without_model(self) -> bool:
        """Whether everything is found by rules alone."""
        writing = self._session.companion.models.writing()
        return writing.of(OperationKind.MEMORY_PASS).is_free

    def _do(
        self, command: Callable[[Companion, Path], Coroutine[Any, Any, object]], *, name: str
    ) -> None:
        path = self._session.path
        if path is not None:
            self._session.do(command(self._session.companion, path), name=name)

    def rewrite(self, memory_id: str, text: str) -> None:
        """Give a memory other words."""
        self._do(
            lambda companion, path: companion.memories.edit(path, memory_id, text=text),
            name=N_("editing"),
        )

    def rewrite_and_approve(self, memory_id: str, text: str) -> None:
        """Give a memory that waits other words, and let it count."""

        async def both(companion: Companion, path: Path) -> None:
            await companion.memories.edit(path, memory_id, text=text)
            await companion.memories.approve(path, [memory_id])

        self._do(both, name=N_("approving"))

    def set_importance(self, ids: Sequence[str], level: int) -> None:
        """Say how long memories are kept. level: 1 to 3."""

        async def each(companion: Companion, path: Path) -> None:
            for memory_id in ids:
                await companion.memories.edit(path, memory_id, importance=level)

        self._do(each, name=N_("changing importance"))

    def pin(self, ids: Sequence[str], *, pinned: bool) -> None:
        """Keep memories whatever else goes, or no longer."""

        async def each(companion: Companion, path: Path) -> None:
            for memory_id in ids:
                await companion.memories.pin(path, memory_id, pinned=pinned)

        self._do(each, name=N_("pinning"))

    def approve_one(self, memory_id: str) -> None:
        """It is so."""
        self.approve([memory_id])

    def reject_one(self, memory_id: str) -> None:
        """It is not so."""
        self.reject([memory_id])

    def approve(self, ids: Sequence[str]) -> None:
        """Let memories count that waited."""
        if ids:
            self._do(
                lambda companion, path: companion.memories.approve(path, list(ids)),
                name=N_("approving"),
            )

    def reject(self, ids: Sequence[str]) -> None:
        """Let memories never count."""
        if ids:
            self._do(
                lambda companion, path: companion.memories.reject(path, list(ids)),
                name=N_("rejecting"),
            )

    def settle(self, memory_id: str, other_id: str, keeps: str) -> None:
        """Say which of two memories is so that contradict each other. keeps: a Keeps."""
        self._do(
            lambda companion, path: companion.memories.settle(
                path, memory_id, other_id, Keeps(keeps)
            ),
            name=N_("settling a contradiction"),
        )

    def resolve(self, memory_id: str) -> None:
        """Close an arc."""
        self._do(
            lambda companion, path: companion.memories.resolve(path, memory_id),
            name=N_("resolving a plot thread"),
        )

    def reopen(self, memory_id: str) -> None:
        """Let hold again what ended."""
        self._do(
            lambda companion, path: companion.memories.reopen(path, memory_id), name=N_("reopening")
        )

    def delete(self, ids: Sequence[str]) -> None:
        """Put memories away, and say so with the way back."""

        async def delete(companion: Companion, path: Path) -> None:
            await companion.memories.delete(path, list(ids))
            said = trn("{n} memory was deleted.", "{n} memories were deleted.", len(ids))
            self._session.told.emit(f"{said} {tr('Ctrl+Z takes that back.')}")

        if ids:
            self._do(delete, name=N_("deleting"))

    def add(
        self,
        tier: Tier,
        type_: str,
        text: str,
        anchor: str,
        fields: Mapping[str, Any],
        added: Callable[[str], None],
    ) -> None:
        """Remember something in the user's own words. added: is given its id."""

        async def adding(companion: Companion, path: Path) -> None:
            added(
                str(await companion.memories.add(path, tier, type_, text, anchor=anchor, **fields))
            )

        self._do(adding, name=N_("adding a memory"))

    def retype(self, entity_id: str, type_: str) -> None:
        """Say what somebody or something is."""
        self._do(
            lambda companion, path: companion.memories.set_entity_type(path, entity_id, type_),
            name=N_("changing a type"),
        )

    def merge(self, entity_id: str, other_id: str) -> None:
        """Two names are one and the same."""
        self._do(
            lambda companion, path: companion.memories.merge_entities(path, entity_id, other_id),
            name=N_("merging names"),
        )

    def rename(self, entity_id: str, name: str) -> None:
        """Call somebody or something otherwise."""
        self._do(
            lambda companion, path: companion.memories.rename_entity(path, entity_id, name),
            name=N_("renaming"),
        )

    def delete_entity(self, entity_id: str) -> None:
        """Put a name away; what is remembered of it stays."""
        self._do(
            lambda companion, path: companion.memories.delete_entity(path, entity_id),
            name=N_("deleting a name"),
        )

    def rewrite_text(self, kind: DocumentKind, subject: str, text: str) -> None:
        """Put the user's words in place of a longer text."""
        self._do(
            lambda companion, path: companion.memories.edit_text(path, kind, text, subject=subject),
            name=N_("editing a text"),
        )

    # The page itself

    @property
    def shows(self) -> str:
        """What is shown beside what holds, as it was kept."""
        return ProgramSettings(self._session.companion.settings).memories_shown

    def keep_shows(self, shown: str) -> None:
        """Show the same beside what holds in the next run. shown: as the rail says it."""
        keeping = self._session.companion.put_setting("memories_shown", shown)
        self._session.do(keeping, name=N_("saving what is shown"))

    # Work

    def read_now(self) -> None:
        """Read the story for its memory up to its last message, once what it takes was said."""
        self._session.read_asked.emit()

    def ask_for(self, request: TextRequest) -> None:
        """Have a longer text written before all that waits."""
        path = self._session.path
        if path is not None:
            self._session.do(self._ask_for(path, request), name=N_("asking for a text"))

    async def _ask_for(self, path: Path, request: TextRequest) -> None:
        await self._session.companion.texts.ask(path, request)
        self._session.told.emit(tr("It is next in line; the page Work shows it."))

    def text_offers(self) -> tuple[TextOffer, ...]:
        """What each longer text takes now; () while no chat is open."""
        path = self._session.path
        return () if path is None else self._session.companion.texts.offers(path)

    def stop(self, operation_id: int) -> None:
        """Drop a reading."""
        self._session.do(self._session.companion.work.cancel(operation_id), name=N_("stopping"))

    def retry(self, operation_id: int) -> None:
        """Try a reading again."""
        self._session.do(self._session.companion.work.retry(operation_id), name=N_("trying again"))
