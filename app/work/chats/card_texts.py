"""What the card of a character and the user's persona say, for holding a reply against it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path, PureWindowsPath

from app.sillytavern.card import CardReader
from app.sillytavern.persona import find_persona
from app.story.story import ChatKind, Story
from app.work.chats.open_chat import OpenChat

LONGEST = 20_000  # signs: cards may hold a book


async def card_text(chat: OpenChat, name: str) -> str:
    """Description, personality and scenario of who wrote a reply, and the persona that the user
    plays, a line each; "" where neither has anything to say.
    """
    story = chat.story
    user = next((m.name for m in reversed(story.messages) if m.is_user and m.name.strip()), "")
    folder = story.chat.user_folder
    if folder is None:
        return ""
    persona = await asyncio.to_thread(find_persona, folder, locked=chat.locked_persona, name=user)
    user = persona.name if persona is not None else user
    path = card_path(story, name)
    card = await asyncio.to_thread(CardReader().card, path) if path is not None else None
    told = ""
    if card is not None and not card.problem:
        told = _as_told((card.description, card.personality, card.scenario), name, user)
    of_user = _as_told((persona.description,), name, user) if persona is not None else ""
    parts = [f"{name}: {told}"] if told else []
    if user and (told or of_user):
        parts.append(f"{user} is the character of the user{f': {of_user}' if of_user else '.'}")
    return "\n".join(parts)


def _as_told(texts: Iterable[str], name: str, user: str) -> str:
    """The texts in one line, with the names of the story."""
    told = " ".join(" ".join(text.split()) for text in texts if text.strip())[:LONGEST]
    return told.replace("{{char}}", name).replace("{{user}}", user or "the user")


def card_path(story: Story, name: str) -> Path | None:
    """The card file of who speaks under a name, None where it is not known."""
    chat = story.chat
    if chat.user_folder is None:
        return None
    file = f"{chat.owner}.png" if chat.kind is ChatKind.SOLO and chat.owner else ""
    if chat.kind is ChatKind.GROUP:
        spoken = (m.avatar for m in reversed(story.messages) if m.name == name and m.avatar)
        file = next(spoken, "")
    # A chat file may say anything: what is no plain file name is no card.
    if not file.lower().endswith(".png") or file != PureWindowsPath(file).name:
        return None
    return chat.user_folder / "characters" / file
