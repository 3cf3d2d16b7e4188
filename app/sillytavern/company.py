"""Who of a chat's people is where else: the groups of a character, the cards of a group."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PureWindowsPath
from typing import Any

from app.sillytavern.card import CardReader
from app.sillytavern.json_file import load_object
from app.story.story import ChatKind, ChatRef

MOST_GROUPS = 2000


@dataclass(frozen=True, slots=True)
class Keeper:
    """A character or group that keeps what people of a chat lived through elsewhere.

    key: as ChatRef.owner_key. name: of the character or group. people: names of those of the chat
    who were there. is_their_own: it is one of them, and all that it keeps is theirs.
    """

    key: str
    name: str
    people: tuple[str, ...]
    is_their_own: bool = False


class Company:
    """Looks it up in SillyTavern's group files; reads them again only when one changed."""

    def __init__(self) -> None:
        self._cards = CardReader()
        self._stamp: tuple[object, ...] = ()
        self._found: tuple[Keeper, ...] = ()

    def of(self, chat: ChatRef) -> tuple[Keeper, ...]:
        """Who else keeps what the people of a chat lived through, () for a file outside. Blocks."""
        if chat.user_folder is None or not chat.owner:
            return ()
        stamp = (chat, *_stamps(chat.user_folder / "groups"))
        if stamp != self._stamp:
            self._found = tuple(self._keepers(chat, chat.user_folder))
            self._stamp = stamp
        return self._found

    def _keepers(self, chat: ChatRef, folder: Path) -> Iterator[Keeper]:
        files = (path for path, _, _ in _stamps(folder / "groups"))
        groups = [(path.stem, load_object(path)) for path in files]
        if chat.kind is ChatKind.SOLO:
            people = {f"{chat.owner}.png": chat.owner_name}
        else:
            mine = next((g for stem, g in groups if _id(g, stem) == chat.owner), {})
            people = {avatar: self._name(folder, avatar) for avatar in _members(mine)}
            for avatar, name in people.items():
                card = replace(chat, kind=ChatKind.SOLO, owner=avatar.removesuffix(".png"))
                yield Keeper(card.owner_key, name, (name,), is_their_own=True)
        for stem, group in groups:
            other = replace(chat, kind=ChatKind.GROUP, owner=_id(group, stem))
            if other.owner_key == chat.owner_key:
                continue
            there = tuple(
                name
                for avatar, name in people.items()
                if self._may_be_in(group, folder, avatar, name)
            )
            if there:
                title = str(group.get("name") or other.owner)
                yield Keeper(other.owner_key, title, there)

    def _may_be_in(self, group: dict[str, Any], folder: Path, avatar: str, name: str) -> bool:
        """Whether who is meant by a name in a group is this card. Who has left was there once; but
        another card of the same name is somebody else.
        """
        members = _members(group)
        return avatar in members or name not in {self._name(folder, other) for other in members}

    def _name(self, folder: Path, avatar: str) -> str:
        return self._cards.card(folder / "characters" / avatar).name


def _members(group: dict[str, Any]) -> tuple[str, ...]:
    """Card files; what is no plain file name is no card."""
    listed = group.get("members")
    return tuple(
        dict.fromkeys(
            avatar
            for avatar in (listed if isinstance(listed, list) else ())
            if isinstance(avatar, str)
            and avatar.lower().endswith(".png")
            and avatar == PureWindowsPath(avatar).name
        )
    )


def _id(group: dict[str, Any], stem: str) -> str:
    return str(group.get("id") or stem)


def _stamps(folder: Path) -> tuple[tuple[Path, int, int], ...]:
    """Each group file with when it was changed and how large it is."""
    try:
        with os.scandir(folder) as entries:
            found = [
                (Path(entry.path), entry.stat().st_mtime_ns, entry.stat().st_size)
                for entry in entries
                if entry.name.endswith(".json")
            ]
    except OSError:
        return ()
    return tuple(sorted(found)[:MOST_GROUPS])
