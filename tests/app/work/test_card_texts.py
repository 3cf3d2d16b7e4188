"""Cards are found by who speaks, and nowhere else than among the characters."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.prompt.tokens import EstimatingCounter
from app.settings import Settings
from app.sillytavern.data_folders import chat_ref_for
from app.store.store import Store
from app.story.messages import Message
from app.story.story import ChatKind, ChatRef, Story
from app.work.card_texts import card_path, card_text
from app.work.open_chat import OpenChat
from app.work.token_ledger import TokenLedger
from tests.character_card import write_card
from tests.chat_files import message, write_chat

GROUP = ChatRef(Path("a.jsonl"), ChatKind.GROUP, "a", "7", user_folder=Path("/tavern"))


@pytest.mark.asyncio
async def test_a_card_is_told_with_the_names_of_the_story(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "default-user"
    path = folder / "chats" / "Mira" / "story.jsonl"
    write_chat(path, [message(n) for n in range(3)])
    (folder / "characters").mkdir()
    write_card(
        folder / "characters" / "Mira.png",
        name="Mira",
        description="{{char}} has green eyes\nand knows {{user}}.",
    )
    chat = OpenChat(
        chat_ref_for(path),
        await store.run(lambda: store.chats.id_of(str(path))),
        store,
        TokenLedger(store, EstimatingCounter()),
        (),
        Settings().for_chat,
        lambda change: None,
    )
    await chat.read()
    assert await card_text(chat, "Mira") == (
        "Mira: Mira has green eyes and knows Ana. Ana is the character of the user."
    )
    (folder / "characters" / "Mira.png").write_bytes(b"no picture")
    assert await card_text(chat, "Mira") == ""


@pytest.mark.parametrize(
    ("avatar", "found"),
    [
        ("Bo.png", "/tavern/characters/Bo.png"),
        ("../settings.png", None),
        ("..\\x.png", None),
        ("C:x.png", None),
        ("/etc/x.png", None),
        ("Bo.json", None),
        ("", None),
    ],
)
def test_in_a_group_the_message_says_whose_card(avatar: str, found: str | None) -> None:
    said = Message("m", "h", "Bo", "Hm.", avatar=avatar)
    place = card_path(Story(GROUP, (said,)), "Bo")
    assert place == (Path(found) if found else None)


def test_outside_of_a_tavern_there_are_no_cards() -> None:
    outside = replace(GROUP, user_folder=None)
    assert (
        card_path(Story(outside, (Message("m", "h", "Bo", "Hm.", avatar="Bo.png"),)), "Bo") is None
    )
