"""Scene recaps, running recap versions and message recaps, with what the user chose of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import peewee

from app.store.database.database import Database
from app.store.undo import before_undo
from app.story.messages import Absence, MessageRecap
from app.story.recaps import RunningRecap, RunningVersion, SceneRecap

MESSAGE_TEXT_FIELDS = (
    *("text", "error", "is_edited", "reasoning", "prefill", "absence", "swipe"),
    "taken_from",
)
MESSAGE_MARK_FIELDS = ("is_excluded", "is_remembered")
MESSAGE_RECAP_FIELDS = (*MESSAGE_TEXT_FIELDS, *MESSAGE_MARK_FIELDS)

_RECORD = (
    "r.text, r.is_excluded, r.is_remembered, r.is_edited, r.error, r.source_hash, r.reasoning, "
    "r.prefill, r.absence, r.swipe, r.taken_from"
)


class Recaps:
    """Reads and writes every kind of recap. No version is ever overwritten."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._tables = database.tables

    def scene_recaps(self, chat_id: int) -> dict[str, tuple[SceneRecap, ...]]:
        """All versions by closing anchor, oldest first; the chosen one is current."""
        table, choice = self._tables.SceneRecap, self._tables.SceneRecapChoice

        chosen = dict(
            choice.select(choice.anchor, choice.version).where(choice.chat_id == chat_id).tuples()
        )
        rows = (
            table.select(
                table.anchor,
                table.version,
                table.name,
                table.text,
                table.source_digest,
                table.made_by,
                table.created,
                table.stored,
                table.combined_at,
            )
            .where((table.chat_id == chat_id) & (table.is_deleted == 0))
            .order_by(table.anchor, table.version)
            .tuples()
        )
        found: dict[str, list[SceneRecap]] = {}
        for anchor, version, name, text, digest, made_by, created, stored, combined in rows:
            recap = SceneRecap(
                anchor,
                version,
                name,
                text,
                digest,
                made_by,
                created,
                is_current=chosen.get(anchor) == version,
                stored=stored,
                combined_at=combined,
            )
            found.setdefault(anchor, []).append(recap)
        for versions in found.values():
            if not any(recap.is_current for recap in versions):  # the chosen one was taken back
                versions[-1] = replace(versions[-1], is_current=True)
        return {anchor: tuple(versions) for anchor, versions in found.items()}

    def add_scene_recap(self, chat_id: int, recap: SceneRecap) -> SceneRecap:
        """Append a version and make it current. The version number given is replaced."""
        table = self._tables.SceneRecap

        version = self.next_scene_recap(chat_id, recap.anchor)
        table.insert(
            chat_id=chat_id,
            anchor=recap.anchor,
            version=version,
            name=recap.name,
            text=recap.text,
            source_digest=recap.source_digest,
            made_by=recap.made_by,
            created=recap.created,
            stored=recap.stored,
            combined_at=recap.combined_at,
        ).execute()
        self.choose_scene_recap(chat_id, recap.anchor, version)
        return replace(recap, version=version, is_current=True)

    def import_scene_recaps(self, chat_id: int, recaps: Sequence[SceneRecap]) -> None:
        """Append many versions at once, each of its scene's in this order, numbered anew.

        Of each scene the last one that is current is made so, else the last one.
        """
        newest = dict(
            self._database.execute(
                "SELECT anchor, max(version) FROM scene_recap WHERE chat_id = ? GROUP BY anchor",
                (chat_id,),
            )
        )
        chosen: dict[str, int] = {}
        current: dict[str, int] = {}
        rows: list[tuple[Any, ...]] = []
        for recap in recaps:
            anchor = recap.anchor
            version = newest[anchor] = newest.get(anchor, -1) + 1
            (current if recap.is_current else chosen)[anchor] = version
            made = (recap.name, recap.text, recap.source_digest, recap.made_by, recap.created)
            rows.append((chat_id, anchor, version, *made, recap.stored, recap.combined_at))
        self._database.execute_many(
            "INSERT INTO scene_recap (chat_id, anchor, version, name, text, source_digest, "
            "made_by, created, stored, combined_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            rows,
        )
        self._database.execute_many(
            "INSERT INTO scene_recap_choice (chat_id, anchor, version) VALUES (?, ?, ?) "
            "ON CONFLICT (chat_id, anchor) DO UPDATE SET version = excluded.version",
            [(chat_id, anchor, version) for anchor, version in (chosen | current).items()],
        )

    def next_scene_recap(self, chat_id: int, anchor: str) -> int:
        """The number that the next version of a scene's recap gets."""
        table = self._tables.SceneRecap
        newest = table.select(peewee.fn.MAX(table.version)).where(
            (table.chat_id == chat_id) & (table.anchor == anchor)
        )
        number = newest.scalar()
        return 0 if number is None else int(number) + 1

    def choose_scene_recap(self, chat_id: int, anchor: str, version: int) -> None:
        """Make a version of a scene's recap the one that counts."""
        choice = self._tables.SceneRecapChoice
        choice.insert(chat_id=chat_id, anchor=anchor, version=version).on_conflict(
            conflict_target=[choice.chat_id, choice.anchor], update={"version": version}
        ).execute()

    def combine_scene_recap(self, chat_id: int, anchor: str, version: int, when: float) -> None:
        """Note when a version was folded into the running recap."""
        table = self._tables.SceneRecap
        table.update(combined_at=when).where(
            (table.chat_id == chat_id) & (table.anchor == anchor) & (table.version == version)
        ).execute()

    def unlock_scene_recaps(self, chat_id: int, anchors: Sequence[str]) -> None:
        """These are to be folded in anew: none of their versions counts as folded in."""
        table = self._tables.SceneRecap
        for anchor in anchors:
            table.update(combined_at=None).where(
                (table.chat_id == chat_id) & (table.anchor == anchor)
            ).execute()

    def deleted_scene_recaps(self, chat_id: int) -> dict[str, tuple[SceneRecap, ...]]:
        """The versions that the user put away, by closing anchor, oldest first."""
        rows = self._database.execute(
            "SELECT anchor, version, name, text, source_digest, made_by, created, 0, stored "
            "FROM scene_recap WHERE chat_id = ? AND is_deleted = 1 ORDER BY anchor, version",
            (chat_id,),
        )
        found: dict[str, list[SceneRecap]] = {}
        for row in rows:
            recap = replace(SceneRecap(*row), is_current=False)
            found.setdefault(recap.anchor, []).append(recap)
        return {anchor: tuple(versions) for anchor, versions in found.items()}

    def delete_scene_recaps(self, chat_id: int, anchor: str) -> None:
        """Put all versions of a scene's recap away; their numbers are never given again."""
        table, choice = self._tables.SceneRecap, self._tables.SceneRecapChoice
        table.update(is_deleted=1).where(
            (table.chat_id == chat_id) & (table.anchor == anchor)
        ).execute()
        choice.delete().where((choice.chat_id == chat_id) & (choice.anchor == anchor)).execute()

    def move_scene_recaps(self, chat_id: int, start: str, end: str) -> None:
        """Hang all versions of a scene's recap on another message, behind those that it has."""
        table, choice = self._tables.SceneRecap, self._tables.SceneRecapChoice
        current = [r.version for r in self.scene_recaps(chat_id).get(start, ()) if r.is_current]
        offset = self.next_scene_recap(chat_id, end)
        table.update(anchor=end, version=table.version + offset).where(
            (table.chat_id == chat_id) & (table.anchor == start)
        ).execute()
        choice.delete().where((choice.chat_id == chat_id) & (choice.anchor == start)).execute()
        for version in current:
            self.choose_scene_recap(chat_id, end, version + offset)

    def move_running(self, chat_id: int, start: str, end: str) -> None:
        """Let running recaps that reached to the one message reach to the other."""
        table = self._tables.RunningVersion
        for column in (table.last_anchor, table.first_anchor):
            table.update({column: end}).where(
                (table.chat_id == chat_id) & (column == start)
            ).execute()

    def running(self, chat_id: int) -> RunningRecap:
        """All running recap versions, oldest first, deleted ones left out."""
        choice = self._tables.RunningChoice
        chosen = choice.select(choice.version).where(choice.chat_id == chat_id).tuples().first()
        deleted = self.deleted_running(chat_id)
        versions = self._running_versions(chat_id, is_deleted=False)
        current = None if chosen is None else int(chosen[0])
        if current is not None and all(version.version != current for version in versions):
            # The chosen one was taken back by an undo.
            usable = [version.version for version in versions if not version.is_retired]
            current = max(usable, default=None)
        return RunningRecap(
            versions=versions,
            current_version=current,
            forgone=frozenset(v.last_anchor for v in deleted if not v.is_retired),
        )

    def deleted_running(self, chat_id: int) -> tuple[RunningVersion, ...]:
        """The running recap versions that the user deleted, oldest first."""
        return self._running_versions(chat_id, is_deleted=True)

    def _running_versions(self, chat_id: int, *, is_deleted: bool) -> tuple[RunningVersion, ...]:
        table = self._tables.RunningVersion
        rows = (
            table.select(
                table.version,
                table.content,
                table.scene_count,
                table.first_anchor,
                table.last_anchor,
                table.made_by,
                table.created,
                table.reason,
                table.is_retired,
            )
            .where((table.chat_id == chat_id) & (table.is_deleted == int(is_deleted)))
            .order_by(table.version)
            .tuples()
        )
        return tuple(_running_version(row) for row in rows)

    def delete_running(self, chat_id: int, versions: Sequence[int]) -> None:
        """Put versions away; where the chosen one is among them, the highest left is chosen."""
        table, choice = self._tables.RunningVersion, self._tables.RunningChoice
        table.update(is_deleted=1).where(
            (table.chat_id == chat_id) & table.version.in_(list(versions))
        ).execute()
        row = choice.select(choice.version).where(choice.chat_id == chat_id).tuples().first()
        if row is None or int(row[0]) not in versions:
            return
        left = self._running_versions(chat_id, is_deleted=False)
        if left:
            usable = [v.version for v in left if not v.is_retired]
            self.choose_running(chat_id, max(usable or [v.version for v in left]))
        else:
            choice.delete().where(choice.chat_id == chat_id).execute()

    def restore_running(self, chat_id: int, version: int) -> None:
        """Take a deleted version back; it is chosen when there is no other."""
        table = self._tables.RunningVersion
        table.update(is_deleted=0).where(
            (table.chat_id == chat_id) & (table.version == version)
        ).execute()
        if self.running(chat_id).current_version is None:
            self.choose_running(chat_id, version)

    def add_running_version(
        self, chat_id: int, version: RunningVersion, *, choose: bool = True
    ) -> RunningVersion:
        """Append a version, numbered max + 1 with 0 first (deleted ones count), and choose it.

        choose: false leaves another version in the prompt.
        """
        version = replace(version, version=self.next_running(chat_id))
        self._insert_running(chat_id, [version])
        if choose:
            self.choose_running(chat_id, version.version)
        return version

    def next_running(self, chat_id: int) -> int:
        """The number that the next version of the running recap gets."""
        table = self._tables.RunningVersion
        newest = table.select(peewee.fn.MAX(table.version)).where(table.chat_id == chat_id)
        number = newest.scalar()
        return 0 if number is None else int(number) + 1

    def retire_running(self, chat_id: int, versions: Sequence[int]) -> None:
        """Let nothing build on these versions any more; they can still be chosen."""
        table = self._tables.RunningVersion
        table.update(is_retired=1).where(
            (table.chat_id == chat_id) & table.version.in_(list(versions))
        ).execute()

    def rebuild_running(
        self, chat_id: int, versions: Sequence[int], anchors: Sequence[str], when: float
    ) -> None:
        """Let scenes be folded in anew; inside of an action that can be undone.

        versions: that hold them, and are built on no more. anchors: of the scenes. when: seconds
        since the epoch; an undo builds on nothing that was folded in since, and chooses again what
        was chosen, of the scenes as well.
        """
        chosen = self.running(chat_id).current_version
        recaps = self.scene_recaps(chat_id)
        current = [r for anchor in anchors for r in recaps.get(anchor, ()) if r.is_current]
        self.retire_running(chat_id, versions)
        self.unlock_scene_recaps(chat_id, anchors)
        of_chat = f"WHERE chat_id = {int(chat_id)}"
        statements = [
            f"UPDATE scene_recap SET combined_at = NULL {of_chat} AND combined_at >= {when!r}",
            f"UPDATE running_version SET is_retired = 1 {of_chat} AND is_retired = 0 "
            f"AND version >= {self.next_running(chat_id)}",
        ]
        statements += [
            f"UPDATE scene_recap_choice SET version = {recap.version} {of_chat} "
            f"AND anchor = {_quoted(recap.anchor)}"
            for recap in current
        ]
        if chosen is not None:
            statements.append(f"UPDATE running_choice SET version = {chosen} {of_chat}")
        for statement in statements:
            before_undo(self._database, statement)

    def import_running(
        self, chat_id: int, versions: Sequence[RunningVersion], current: int | None
    ) -> None:
        """Take over the versions of a chat that has none, with the numbers they have.

        current: the chosen one's number; the newest is chosen where no version has it, and none
        for None.
        """
        self._insert_running(chat_id, versions)
        numbers = [version.version for version in versions]
        if numbers and current is not None:
            self.choose_running(chat_id, current if current in numbers else max(numbers))

    def _insert_running(self, chat_id: int, versions: Sequence[RunningVersion]) -> None:
        rows = [
            (
                *(chat_id, v.version, v.content, v.scene_count, v.first_anchor, v.last_anchor),
                *(v.made_by, v.created, v.reason, int(v.is_retired)),
            )
            for v in versions
        ]
        self._database.execute_many(
            "INSERT INTO running_version (chat_id, version, content, scene_count, first_anchor, "
            "last_anchor, made_by, created, reason, is_retired) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            rows,
        )

    def choose_running(self, chat_id: int, version: int) -> None:
        """Inject this version from now on."""
        choice = self._tables.RunningChoice
        choice.insert(chat_id=chat_id, version=version).on_conflict(
            conflict_target=[choice.chat_id], update={"version": version}
        ).execute()

    def message_recaps(self, chat_id: int) -> dict[str, MessageRecap]:
        """Recap and marks of each message that has some, by anchor.

        Each text that a message showed has a record of its own. The one of the text shown at the
        last reading goes first, else the newest of the others, which is stale then.
        """
        rows = self._database.execute(
            f"SELECT r.anchor, r.source_hash IS k.content_hash, {_RECORD} FROM message_recap r "
            "LEFT JOIN known_message k ON k.chat_id = r.chat_id AND k.anchor = r.anchor "
            "WHERE r.chat_id = ? ORDER BY r.id",
            (chat_id,),
        )
        found: dict[str, MessageRecap] = {}
        settled: set[str] = set()
        for anchor, is_shown, *record in rows:
            if anchor in settled:
                continue
            if is_shown:
                settled.add(anchor)
            found[anchor] = _message_recap(record)
        return found

    def message_records(self, chat_id: int, anchor: str) -> tuple[MessageRecap, ...]:
        """The records of all texts that a message showed, oldest first."""
        rows = self._database.execute(
            f"SELECT {_RECORD} FROM message_recap r WHERE r.chat_id = ? AND r.anchor = ? "
            "ORDER BY r.id",
            (chat_id, anchor),
        )
        return tuple(_message_recap(row) for row in rows)

    def save_message_recaps(
        self,
        chat_id: int,
        recaps: dict[str, MessageRecap],
        *,
        only: Sequence[str] = MESSAGE_RECAP_FIELDS,
    ) -> None:
        """Write the recaps and marks of these messages, each as the record of its source_hash.

        only: what is changed of a record that is there already. Who writes texts leaves the marks
        alone, which the user may have set meanwhile, and the other way round.
        """
        fields = MESSAGE_RECAP_FIELDS
        rows = [
            (
                *(chat_id, anchor, recap.source_hash),
                *(recap.text, recap.error, int(recap.is_edited), recap.reasoning, recap.prefill),
                *(recap.absence.value, recap.swipe, recap.taken_from),
                *(int(recap.is_excluded), int(recap.is_remembered)),
            )
            for anchor, recap in recaps.items()
        ]
        changed = ", ".join(f"{name} = excluded.{name}" for name in fields if name in only)
        self._database.execute_many(
            f"INSERT INTO message_recap (chat_id, anchor, source_hash, {', '.join(fields)}) "
            f"VALUES ({', '.join('?' * (len(fields) + 3))}) "
            f"ON CONFLICT (chat_id, anchor, source_hash) DO UPDATE SET {changed}",
            rows,
        )


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _message_recap(record: Sequence[Any]) -> MessageRecap:
    text, excluded, remembered, edited, error, source_hash, reasoning, prefill, *others = record
    absence, swipe, taken_from = others
    return MessageRecap(
        text=text,
        is_excluded=bool(excluded),
        is_remembered=bool(remembered),
        is_edited=bool(edited),
        error=error,
        source_hash=source_hash,
        reasoning=reasoning,
        prefill=prefill,
        absence=Absence(absence),
        swipe=swipe,
        taken_from=taken_from,
    )


def _running_version(row: tuple[Any, ...]) -> RunningVersion:
    *values, retired = row
    return replace(RunningVersion(*values), is_retired=bool(retired))
