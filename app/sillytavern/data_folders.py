"""Finds SillyTavern's data: its users, their characters and groups, and all chats."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from app.core.errors import NoTavern, reason_of
from app.core.paths import is_folder, places_of
from app.core.translation import N_, tr
from app.sillytavern.card import CardReader
from app.sillytavern.copy_mark import host_of
from app.sillytavern.group_metadata import GROUP_CHATS
from app.sillytavern.json_file import load_object
from app.story.story import ChatKind, ChatRef
from app.views.taverns import Character, FolderProblem, Group, Tavern

PLACE_VARIABLE = "TAVERNKEEP_TAVERN"

_CHATS = "chats"
_CHARACTERS = "characters"
_GROUPS = "groups"
_INSTALL_NAMES = ("SillyTavern", "sillytavern", "SillyTavern-Launcher/SillyTavern", "ST")
_CONFIGURED_ROOT = re.compile(r"^dataRoot:[ \t]*[\"']?([^\"'#\r\n]+)", re.MULTILINE)


def find_taverns(*given: Path, cards: CardReader | None = None) -> tuple[Tavern, ...]:
    """All taverns in the places `given`, or else in TAVERNKEEP_TAVERN's, or in the usual ones.

    given: install folders, data roots, user folders, or anything inside of one. cards: keeps what
    was read of the cards for the next call. Blocks. Raises NoTavern when none of the places that
    were given holds any: one of several may be on a drive that is away. Without one, none is ().
    """
    cards = cards or CardReader()
    given = given or places_of(os.environ.get(PLACE_VARIABLE, ""))
    places = given or usual_places(sys.platform, os.environ, Path.home())
    found = (user_folders_in(place.expanduser()) for place in places)
    folders = tuple(folder for folders in found for folder in folders)
    if given and not folders:
        raise NoTavern(_nothing_in(given[0]))
    return tuple(load_tavern(folder, cards) for folder in _without_twins(folders))


def usual_places(system: str, environ: Mapping[str, str], home: Path) -> tuple[Path, ...]:
    """Where SillyTavern may be: installed by git, launcher, npm or Docker. system: sys.platform."""
    homes = [home, home / "Documents", home / "Desktop", home / "Downloads", home / "git"]
    roots = [home / "apps", home / "docker", home / "src", home / "Projects"]
    extra: list[Path] = []
    if system == "win32":
        local = Path(environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
        roaming = Path(environ.get("APPDATA") or home / "AppData" / "Roaming")
        extra += [local / "SillyTavern" / "Data" / "data", roaming / "SillyTavern"]
        drive = Path(environ.get("SystemDrive", "C:") + "\\")
        roots += [drive, drive / "Games", drive / "AI"]
    elif system == "darwin":
        extra.append(home / "Library" / "Application Support" / "SillyTavern" / "data")
    else:
        shared = Path(environ.get("XDG_DATA_HOME") or home / ".local" / "share")
        extra.append(shared / "SillyTavern" / "data")
        roots += [Path("/opt"), Path("/srv"), Path("/data/data/com.termux/files/home")]
    extra.append(Path("/home/node/app/data"))  # inside SillyTavern's own container
    return (*(base / name for base in (*homes, *roots) for name in _INSTALL_NAMES), *extra)


def user_folders_in(place: Path) -> tuple[Path, ...]:
    """User folders in a user folder, a data root, an install folder, or around a path in one."""
    if is_user_folder(place):
        return (place,)
    for root in (place, place / "data", *_configured_roots(place), place / "docker" / "data"):
        found = tuple(sorted(folder for folder in _folders(root) if is_user_folder(folder)))
        if found:
            return found
    nested = place / "SillyTavern"
    if is_folder(nested):
        return user_folders_in(nested)
    return tuple(folder for folder in place.parents[:3] if is_user_folder(folder))[:1]


def load_tavern(user_folder: Path, cards: CardReader) -> Tavern:
    """What is in a user folder; what cannot be read is in `problems`. Blocks."""
    return _Loading(user_folder, cards).tavern()


def chat_ref_for(path: Path, *, cards: CardReader | None = None) -> ChatRef:
    """The chat of a JSONL file, in a tavern or outside; nothing has to exist."""
    cards = cards or CardReader()
    parent = path.parent
    if parent.parent.name == _CHATS and is_user_folder(parent.parent.parent):
        user_folder = parent.parent.parent
        card = user_folder / _CHARACTERS / f"{parent.name}.png"
        name = cards.card(card).name
        return ChatRef(path, ChatKind.SOLO, path.stem, parent.name, name, (name,), user_folder)
    if parent.name == GROUP_CHATS and is_user_folder(parent.parent):
        for group in load_tavern(parent.parent, cards).groups:
            for chat in group.chats:
                if chat.path == path:
                    return chat
        return ChatRef(path, ChatKind.GROUP, path.stem, user_folder=parent.parent)
    return ChatRef(path, ChatKind.FILE, path.stem)


def renamed_owner(old: Path, chat: ChatRef) -> str:
    """Key of the character or group that `chat` belonged to when its file was `old`, "" when it is
    the same or is still there. Blocks.
    """
    if chat.kind is ChatKind.SOLO and old.parent.parent.name == _CHATS:
        folder, owner = old.parent.parent.parent, old.parent.name
        if _is_file(folder / _CHARACTERS / f"{owner}.png"):
            return ""  # the chat alone was given to somebody else
    elif chat.kind is ChatKind.GROUP and old.parent.name == GROUP_CHATS:
        folder, owner = old.parent.parent, chat.owner
        if is_folder(folder / _GROUPS):
            return ""
    else:
        return ""
    key = replace(chat, user_folder=folder, owner=owner).owner_key
    return "" if key == chat.owner_key else key


class _Loading:
    """One walk over a user folder."""

    def __init__(self, user_folder: Path, cards: CardReader) -> None:
        self._folder = user_folder
        self._cards = cards
        self._problems: list[FolderProblem] = []
        self._names: dict[str, str] = {}
        self._macros: dict[str, tuple[str, ...]] = {}

    def tavern(self) -> Tavern:
        self._read_names()
        return Tavern(
            user_folder=self._folder,
            user=self._folder.name,
            characters=self._characters(),
            groups=self._groups(),
            problems=tuple(self._problems),
            host=host_of(self._folder),
        )

    def _read_names(self) -> None:
        """Display name and macros by card file name."""
        for entry in self._entries(self._folder / _CHARACTERS):
            if entry.name.lower().endswith(".png"):
                card = self._cards.card(Path(entry.path), _status(entry))
                self._names[entry.name] = card.name
                self._macros[entry.name] = card.macros
                if card.problem:
                    self._problems.append(FolderProblem(Path(entry.path), card.problem))

    def _characters(self) -> tuple[Character, ...]:
        folders = {entry.name for entry in self._entries(self._folder / _CHATS) if entry.is_dir()}
        characters = [
            self._character(avatar[:-4], avatar, name, avatar[:-4] in folders)
            for avatar, name in self._names.items()
        ]
        with_card = {avatar[:-4] for avatar in self._names}
        characters += [self._character(name, "", name, True) for name in folders - with_card]
        return tuple(sorted(characters, key=lambda character: character.name.casefold()))

    def _character(self, owner: str, avatar: str, name: str, has_chats: bool) -> Character:
        macros = self._macros.get(avatar, ())
        if not has_chats:
            return Character(name, avatar, macros=macros)
        chats = tuple(
            ChatRef(path, ChatKind.SOLO, path.stem, owner, name, (name,), self._folder)
            for path in self._newest_first(self._folder / _CHATS / owner)
        )
        return Character(name, avatar, chats, macros)

    def _groups(self) -> tuple[Group, ...]:
        paths = {path.stem: path for path in self._newest_first(self._folder / GROUP_CHATS)}
        order = {title: at for at, title in enumerate(paths)}
        groups: list[Group] = []
        claimed: set[str] = set()
        for entry in self._entries(self._folder / _GROUPS):
            if not entry.name.endswith(".json"):
                continue
            raw = load_object(Path(entry.path))
            if not raw:
                sentence = tr(
                    "The group file {name} cannot be read; its chats have no group.",
                    name=entry.name,
                )
                self._problems.append(FolderProblem(Path(entry.path), sentence))
                continue
            titles = {*_strings(raw.get("chats")), *_strings([raw.get("chat_id")])}
            mine = sorted(titles & order.keys() - claimed, key=order.__getitem__)
            claimed.update(mine)
            cards = {
                avatar: self._names.get(avatar, avatar.removesuffix(".png"))
                for avatar in _strings(raw.get("members"))
            }
            muted = _strings(raw.get("disabled_members"))
            answering = tuple(one for one in cards.items() if one[0] not in muted)
            group_id = str(raw.get("id") or Path(entry.name).stem)
            name = str(raw.get("name") or group_id)
            members = tuple(cards.values())
            group = self._group(name, group_id, members, [paths[title] for title in mine])
            groups.append(replace(group, answering=answering))
        groups.sort(key=lambda group: group.name.casefold())
        stray = [path for title, path in paths.items() if title not in claimed]
        if stray:
            groups.append(self._group(N_("Chats without a group"), "", (), stray))
        return tuple(groups)

    def _group(
        self, name: str, group_id: str, members: tuple[str, ...], paths: Iterable[Path]
    ) -> Group:
        chats = tuple(
            ChatRef(path, ChatKind.GROUP, path.stem, group_id, name, members, self._folder)
            for path in paths
        )
        return Group(name, group_id, members, chats)

    def _newest_first(self, folder: Path) -> list[Path]:
        """The chat files of a folder."""
        dated = [
            (status.st_mtime_ns, entry.name)
            for entry in self._entries(folder)
            if entry.name.endswith(".jsonl") and (status := _status(entry)) is not None
        ]
        return [folder / name for _, name in sorted(dated, reverse=True)]

    def _entries(self, folder: Path) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                return sorted(entries, key=lambda entry: entry.name)
        except FileNotFoundError:
            return []
        except OSError as error:
            sentence = tr(
                "The folder {folder} cannot be read ({reason}) and is left out.",
                folder=folder,
                reason=reason_of(error),
            )
            self._problems.append(FolderProblem(folder, sentence))
            return []


def is_user_folder(folder: Path) -> bool:
    """Whether SillyTavern keeps a user's chats there. Blocks."""
    return is_folder(folder / _CHATS) and (
        is_folder(folder / _CHARACTERS) or _is_file(folder / "settings.json")
    )


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False


def _folders(root: Path) -> Iterator[Path]:
    """Folders that may be users: SillyTavern's own begin with an underscore."""
    try:
        with os.scandir(root) as entries:
            names = [e.name for e in entries if e.is_dir() and not e.name.startswith(("_", "."))]
    except OSError:
        return
    for name in names:
        yield root / name


def _configured_roots(place: Path) -> tuple[Path, ...]:
    """The data root that an install's config.yaml names."""
    try:
        text = (place / "config.yaml").read_text("utf-8", "replace")
    except OSError:
        return ()
    found = _CONFIGURED_ROOT.search(text)
    return (place / found.group(1).strip(),) if found else ()


def _without_twins(folders: Iterable[Path]) -> tuple[Path, ...]:
    """One path of several that lead to the same folder (links, systems that ignore case)."""
    seen: dict[tuple[int, int], Path] = {}
    for folder in folders:
        try:
            status = folder.stat()
        except OSError:
            continue
        seen.setdefault((status.st_dev, status.st_ino), folder)
    return tuple(seen.values())


def _nothing_in(given: Path) -> str:
    if not (is_folder(given) or _is_file(given)):
        return tr(
            "{given} does not exist. Choose SillyTavern's folder or its data folder.", given=given
        )
    if _is_file(given / "server.js") and is_folder(given / "public"):
        return tr(
            "{given} is SillyTavern's program, but its data are not in it: it may be started with "
            "--dataRoot. Choose the folder that this names, or the user folder in it.",
            given=given,
        )
    return tr(
        "{given} contains no SillyTavern data: no user folder (with “chats” and “characters”), "
        "data folder or installation. Choose SillyTavern's folder or its folder “data”.",
        given=given,
    )


def _status(entry: os.DirEntry[str]) -> os.stat_result | None:
    try:
        return entry.stat()
    except OSError:
        return None


def _strings(values: object) -> list[str]:
    return [v for v in values if isinstance(v, str)] if isinstance(values, list) else []
