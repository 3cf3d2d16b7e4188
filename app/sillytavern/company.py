"""Who of a chat's people is where else: the groups of a character, the cards of a group."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PureWindowsPath
from typing import Any

from app.core.translation import N_, tr
from app.sillytavern.card import CardReader
from app.sillytavern.json_file import load_object
from app.story.story import ChatKind, ChatRef

MOST_GROUPS = 2000
GONE = N_("a deleted group")
_NUMBER = re.compile(r"\d*\Z")  # SillyTavern's file for a second card of a name: "Midge1.png"


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

    def of(self, chat: ChatRef, remembered: Collection[str] = ()) -> tuple[Keeper, ...]:
        """Who else keeps what the people of a chat lived through, () for a file outside. Blocks.

        remembered: keys of groups of which something is kept. One that SillyTavern has no more was
        lived through all the same, by whoever of its name there is one card of only.
        """
        if chat.user_folder is None or not chat.owner:
            return ()
        stamp = (chat, frozenset(remembered), *_stamps(chat.user_folder / "groups"))
        if stamp != self._stamp:
            self._found = tuple(self._keepers(chat, chat.user_folder, remembered))
            self._stamp = stamp
        return self._found

    def _keepers(
        self, chat: ChatRef, folder: Path, remembered: Collection[str]
    ) -> Iterator[Keeper]:
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
        there_are = {chat.owner_key}
        for stem, group in groups:
            other = replace(chat, kind=ChatKind.GROUP, owner=_id(group, stem))
            if other.owner_key == chat.owner_key:
                continue
            there_are.add(other.owner_key)
            there = tuple(
                name
                for avatar, name in people.items()
                if self._may_be_in(group, folder, avatar, name)
            )
            if there:
                title = str(group.get("name") or other.owner)
                yield Keeper(other.owner_key, title, there)
        gone = sorted(set(remembered) - there_are)
        one_of = [name for card, name in people.items() if self._is_only(folder, card, name)]
        for key in gone if one_of else ():
            yield Keeper(key, tr(GONE), tuple(one_of))

    def _is_only(self, folder: Path, avatar: str, name: str) -> bool:
        """Whether no other card has this name, as far as its file's name tells."""
        root = _NUMBER.sub("", Path(avatar).stem).casefold()
        try:
            with os.scandir(folder / "characters") as entries:
                files = [entry.name for entry in entries if entry.name.lower().endswith(".png")]
        except OSError:
            return False
        alike = (file for file in files if _NUMBER.sub("", Path(file).stem).casefold() == root)
        return all(file == avatar or self._name(folder, file) != name for file in alike)

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
