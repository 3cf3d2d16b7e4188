"""Who the user plays: the persona that SillyTavern's settings or the chat's lock name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.sillytavern.json_file import load_object

LONGEST = 20_000  # signs of a description


@dataclass(frozen=True, slots=True)
class Persona:
    """A persona. avatar: its picture's file name, SillyTavern's key for it."""

    avatar: str
    name: str
    description: str = ""


def find_persona(user_folder: Path, *, locked: str = "", name: str = "") -> Persona | None:
    """The persona of a chat, None where it is not known which. Blocks; never raises.

    locked: `chat_metadata.persona`, the picture that the chat is locked to. name: under which the
    user wrote last. The lock wins as in SillyTavern; else the persona of that name, of several the
    one chosen now; who has written nothing plays the one chosen now.
    """
    settings = load_object(user_folder / "settings.json")
    power = _object(settings.get("power_user"))
    names = {k: v for k, v in _object(power.get("personas")).items() if isinstance(v, str)}
    chosen = settings.get("user_avatar")
    chosen = chosen if isinstance(chosen, str) else ""
    avatar = locked if locked in names else _by_name(names, chosen, name)
    if not avatar:
        return None
    told = _object(_object(power.get("persona_descriptions")).get(avatar)).get("description")
    if told is None and avatar == chosen:
        told = power.get("persona_description")  # of old versions, and not saved yet
    told = told if isinstance(told, str) else ""
    return Persona(avatar, " ".join(names[avatar].split()), told.strip()[:LONGEST])


def _by_name(names: Mapping[str, str], chosen: str, name: str) -> str:
    if not name.strip():
        return chosen if chosen in names else ""
    meant = [avatar for avatar, given in names.items() if given.strip() == name.strip()]
    if chosen in meant:
        return chosen
    return meant[0] if len(meant) == 1 else ""


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
