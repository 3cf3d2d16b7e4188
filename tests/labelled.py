"""Turns a labelled story into the SillyTavern 1.19 user folder that would hold it.

A labelled story is one JSON object: `title`, `user_name`, `characters` (name, description),
`group`, `messages` (name, is_user, kind: chat, ooc, narrator or system, mes) and `gold`, which
holds the labels and is not used here.
Everything is made from the story alone: the same story always gives the same files.
"""

from __future__ import annotations

import json
import random
import re
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.character_card import write_card

Json = dict[str, Any]

STARTED = datetime(2026, 3, 6, 19, 30, tzinfo=UTC)
PERSONA = "user-default.png"
SYSTEM_AVATAR = "img/five.png"
MODEL = {"api": "custom", "model": "storyteller"}


@dataclass(frozen=True, slots=True)
class WrittenTavern:
    """Where a story was written: the data root's user folder and its one chat."""

    user_folder: Path
    chat: Path
    cards: tuple[Path, ...]


def write_tavern(story: Mapping[str, Any], user_folder: Path) -> WrittenTavern:
    """Write the story's cards, chat, group and settings into `user_folder`."""
    characters: list[Json] = list(story["characters"])
    avatars = {character["name"]: avatar_name(character["name"]) for character in characters}
    chat_name = humanized(STARTED)
    if story["group"]:
        chat = user_folder / "group chats" / f"{chat_name}.jsonl"
        _write_group(story, user_folder, avatars, chat_name)
    else:
        name = characters[0]["name"]
        chat_name = f"{Path(avatars[name]).stem} - {chat_name}"
        chat = user_folder / "chats" / Path(avatars[name]).stem / f"{chat_name}.jsonl"
    lines = [_header(story), *_messages(story, avatars)]
    for folder in (chat.parent, user_folder / "chats"):  # which every user folder has
        folder.mkdir(parents=True, exist_ok=True)
    # As SillyTavern writes it: compact, not escaped, and no newline at the end.
    text = "\n".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) for line in lines)
    chat.write_bytes(text.encode())
    greeting = story["messages"][0]
    cards = []
    for character in characters:
        card = user_folder / "characters" / avatars[character["name"]]
        first_message = greeting["mes"] if greeting["name"] == character["name"] else ""
        write_card(
            card,
            name=character["name"],
            description=character["description"],
            first_message=first_message,
            chat=chat.stem if not story["group"] else "",
            created=timestamp(STARTED),
        )
        cards.append(card)
    _write_settings(story["user_name"], user_folder)
    return WrittenTavern(user_folder=user_folder, chat=chat, cards=tuple(cards))


def avatar_name(name: str) -> str:
    """The card's file name for a character, without what file systems refuse."""
    return re.sub(r'[<>:"/\\|?*\x00-\x1f]', "", name).strip(" .") + ".png"


def humanized(moment: datetime) -> str:
    """SillyTavern's name for a moment in chat names."""
    return f"{moment:%Y-%m-%d@%Hh%Mm%Ss}{moment.microsecond // 1000:03d}ms"


def timestamp(moment: datetime) -> str:
    """A moment as SillyTavern 1.16 and newer writes it: ISO 8601 in UTC with milliseconds."""
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"


def _header(story: Mapping[str, Any]) -> Json:
    integrity = uuid.uuid5(uuid.NAMESPACE_OID, f"{story['title']}\n{story['user_name']}")
    return {
        "chat_metadata": {"integrity": str(integrity), "tainted": True},
        "user_name": "unused",
        "character_name": "unused",
    }


def _messages(story: Mapping[str, Any], avatars: Mapping[str, str]) -> Iterator[Json]:
    dice = random.Random(story["title"])
    now = STARTED
    for index, message in enumerate(story["messages"]):
        if message["is_user"]:
            # Reading what came and typing an answer: about 25 characters in four seconds.
            seconds = 45 + len(message["mes"]) * 0.16
            now += timedelta(seconds=seconds, milliseconds=dice.randrange(60_000))
            yield _user_message(message, now)
        elif message["kind"] in ("narrator", "system"):
            now += timedelta(seconds=30, milliseconds=dice.randrange(60_000))
            yield _unspoken_message(message, now)
        else:
            asked = now + timedelta(milliseconds=200 + dice.randrange(400))
            now = asked + timedelta(seconds=2 + len(message["mes"]) / 120)
            reply = _character_message(message, now, None if index == 0 else asked)
            if story["group"]:
                avatar = avatars.get(message["name"], avatar_name(message["name"]))
                reply |= {
                    "original_avatar": avatar,
                    "force_avatar": f"/thumbnail?type=avatar&file={quote(avatar)}",
                }
                reply["extra"] |= {"gen_id": round(asked.timestamp() * 1000)}
            yield reply


def _user_message(message: Mapping[str, Any], sent: datetime) -> Json:
    return _message(message, sent, {"isSmallSys": False}) | {
        "force_avatar": f"/thumbnail?type=persona&file={PERSONA}"
    }


def _unspoken_message(message: Mapping[str, Any], sent: datetime) -> Json:
    """What nobody says: narration, which the model sees, or a notice, which it does not."""
    is_notice = message["kind"] == "system"
    extra: Json = {"type": "generic" if is_notice else "narrator", "isSmallSys": is_notice}
    if not is_notice:
        gen_id = round(sent.timestamp() * 1000)
        extra |= {"bias": None, "gen_id": gen_id, "api": "manual", "model": "slash command"}
    return _message(message, sent, extra) | {"is_system": is_notice, "force_avatar": SYSTEM_AVATAR}


def _character_message(message: Mapping[str, Any], sent: datetime, asked: datetime | None) -> Json:
    """A reply with its only swipe; `asked` is None for a greeting, which no model wrote."""
    if asked is None:
        return _message(message, sent, {})
    generated = {"gen_started": timestamp(asked), "gen_finished": timestamp(sent)}
    swipe = {"send_date": timestamp(sent), **generated, "extra": dict(MODEL)}
    return _message(message, sent, dict(MODEL)) | {
        **generated,
        "swipe_id": 0,
        "swipes": [message["mes"]],
        "swipe_info": [swipe],
    }


def _message(message: Mapping[str, Any], sent: datetime, extra: Json) -> Json:
    return {
        "name": message["name"],
        "is_user": message["is_user"],
        "is_system": False,
        "send_date": timestamp(sent),
        "mes": message["mes"],
        "extra": extra,
    }


def _write_group(
    story: Mapping[str, Any], user_folder: Path, avatars: Mapping[str, str], chat_id: str
) -> None:
    group_id = str(round(STARTED.timestamp() * 1000))
    group = {
        "id": group_id,
        "name": story["title"],
        "members": list(avatars.values()),
        "avatar_url": "",
        "allow_self_responses": False,
        "activation_strategy": 0,
        "generation_mode": 0,
        "disabled_members": [],
        "fav": False,
        "chat_id": chat_id,
        "chats": [chat_id],
        "auto_mode_delay": 5,
        "generation_mode_join_prefix": "",
        "generation_mode_join_suffix": "",
    }
    _write_json(user_folder / "groups" / f"{group_id}.json", group)


def _write_settings(user_name: str, user_folder: Path) -> None:
    settings = {
        "firstRun": False,
        "username": user_name,
        "user_avatar": PERSONA,
        "power_user": {"personas": {PERSONA: user_name}, "default_persona": PERSONA},
    }
    _write_json(user_folder / "settings.json", settings)


def _write_json(path: Path, content: Json) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(json.dumps(content, ensure_ascii=False, indent=4).encode())
