"""The SillyTaverns whose chats are followed, here and on other machines."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from app.story.story import ChatRef


@dataclass(frozen=True, slots=True)
class FolderProblem:
    """A folder, card or group file that could not be read; the rest is there."""

    path: Path
    sentence: str


@dataclass(frozen=True, slots=True)
class Character:
    """A character with its chats, newest first. avatar: card file name, "" without a card.

    macros: names of our macros that stand in the card.
    """

    name: str
    avatar: str
    chats: tuple[ChatRef, ...] = ()
    macros: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """A group with its chats, newest first. members: display names.

    id: "" for the chats that no group claims. answering: card file and name of each member that is
    not muted.
    """

    name: str
    id: str
    members: tuple[str, ...] = ()
    chats: tuple[ChatRef, ...] = ()
    answering: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Tavern:
    """One user folder of a SillyTavern data root and what is in it, by name.

    host: of the page that it was copied from, "" where SillyTavern's own files are here.
    """

    user_folder: Path
    user: str
    characters: tuple[Character, ...] = ()
    groups: tuple[Group, ...] = ()
    problems: tuple[FolderProblem, ...] = ()
    host: str = ""

    @property
    def owners(self) -> tuple[Character | Group, ...]:
        """Whose chats they are: all characters, then all groups."""
        return (*self.characters, *self.groups)

    @property
    def chats(self) -> tuple[ChatRef, ...]:
        """Every chat, owner by owner."""
        return tuple(chat for owner in self.owners for chat in owner.chats)


@dataclass(frozen=True, slots=True)
class RemoteTavern:
    """A SillyTavern whose files are not here.

    id: ours, made at random. origin: of the page that was paired, and the only one that may come.
    token: that page has, too, and both prove to know; "" when it was forgotten. port: where we
    listened then, and where the page looks for us. folder: of its copy. since: seconds since the
    epoch.
    """

    id: str
    origin: str
    token: str = field(repr=False)
    port: int
    since: float
    folder: Path

    @property
    def is_paired(self) -> bool:
        """Whether its pages may come; otherwise only the copy is left."""
        return bool(self.token)

    @property
    def host(self) -> str:
        """The page's host and port, as the user sees them in the browser."""
        return self.origin.partition("//")[2]
