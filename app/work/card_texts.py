"""What the card of a character says, for holding a reply against it."""

from __future__ import annotations

import asyncio
from pathlib import Path, PureWindowsPath

from app.sillytavern.card import CardReader
from app.story.story import ChatKind, Story
from app.work.open_chat import OpenChat

LONGEST = 20_000  # signs: cards may hold a book


async def card_text(chat: OpenChat, name: str) -> str:
    """Description, personality and scenario of who wrote a reply, and who the user plays; "" where
    there is no card.
    """
    story = chat.story
    user = next((m.name for m in reversed(story.messages) if m.is_user and m.name.strip()), "")
    path = card_path(story, name)
    if path is None:
        return ""
    card = await asyncio.to_thread(CardReader().card, path)
    parts = [card.description, card.personality, card.scenario]
    told = " ".join(" ".join(part.split()) for part in parts if part.strip())[:LONGEST]
    if card.problem or not told:
        return ""
    told = told.replace("{{char}}", name).replace("{{user}}", user or "the user")
    persona = f" {user} is the character of the user." if user else ""
    return f"{name}: {told}{persona}"


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
