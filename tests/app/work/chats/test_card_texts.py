"""Cards are found by who speaks, and nowhere else than among the characters."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from app.prompt.tokens import EstimatingCounter
from app.settings.values import Settings
from app.sillytavern.data_folders import chat_ref_for
from app.sillytavern.persona import find_persona
from app.store.store import Store
from app.story.messages import Message
from app.story.story import ChatKind, ChatRef, Story
from app.work.chats.card_texts import card_path, card_text
from app.work.chats.open_chat import OpenChat
from app.work.chats.token_count_cache import TokenCountCache
from tests.character_card import write_card
from tests.chat_files import message, write_chat

GROUP = ChatRef(Path("a.jsonl"), ChatKind.GROUP, "a", "7", user_folder=Path("/tavern"))


async def open_chat(store: Store, path: Path) -> OpenChat:
    chat = OpenChat(
        chat_ref_for(path),
        await store.run(lambda: store.chats.id_of(str(path))),
        store,
        TokenCountCache(store, EstimatingCounter()),
        (),
        Settings().for_chat,
        lambda change: None,
    )
    await chat.read()
    return chat


@pytest.fixture
def story(tmp_path: Path) -> Path:
    folder = tmp_path / "default-user"
    path = folder / "chats" / "Mira" / "story.jsonl"
    write_chat(path, [message(n) for n in range(3)])
    (folder / "characters").mkdir()
    write_card(
        folder / "characters" / "Mira.png",
        name="Mira",
        description="{{char}} has green eyes\nand knows {{user}}.",
    )
    return path


def write_settings(story: Path, personas: dict[str, tuple[str, str]], chosen: str = "") -> None:
    power = {
        "personas": {avatar: name for avatar, (name, _) in personas.items()},
        "persona_descriptions": {
            avatar: {"description": told} for avatar, (_, told) in personas.items()
        },
    }
    settings = {"user_avatar": chosen, "power_user": power}
    (story.parents[2] / "settings.json").write_text(json.dumps(settings), encoding="utf-8")


@pytest.mark.asyncio
async def test_a_card_is_told_with_the_names_of_the_story(store: Store, story: Path) -> None:
    chat = await open_chat(store, story)
    assert await card_text(chat, "Mira") == (
        "Mira: Mira has green eyes and knows Ana.\nAna is the character of the user."
    )
    (story.parents[2] / "characters" / "Mira.png").write_bytes(b"no picture")
    assert await card_text(chat, "Mira") == ""


@pytest.mark.asyncio
@pytest.mark.pitfall(58)
async def test_the_persona_is_told_beside_the_card(store: Store, story: Path) -> None:
    write_settings(
        story,
        {
            "a.png": ("Ana", "{{user}} is left-handed.\n{{char}} owes her."),
            "b.png": ("Bo", "Tall."),
        },
        chosen="b.png",
    )
    chat = await open_chat(store, story)
    assert (await card_text(chat, "Mira")).splitlines()[1] == (
        "Ana is the character of the user: Ana is left-handed. Mira owes her."
    )


@pytest.mark.asyncio
async def test_the_persona_that_a_chat_is_locked_to_wins(store: Store, story: Path) -> None:
    write_settings(story, {"a.png": ("Ana", "Short."), "b.png": ("Bo", "Tall.")}, chosen="a.png")
    write_chat(story, [message(n) for n in range(3)], {"chat_metadata": {"persona": "b.png"}})
    chat = await open_chat(store, story)
    told = await card_text(chat, "Mira")
    assert told.endswith("and knows Bo.\nBo is the character of the user: Tall.")


@pytest.mark.parametrize(
    ("name", "chosen", "found"),
    [
        ("Ana", "", ""),  # two of that name, and none of them is chosen
        ("Ana", "a2.png", "a2.png"),
        ("Bo", "a.png", "b.png"),
        ("Cy", "a.png", ""),  # written under a name that no persona has
        ("", "a.png", "a.png"),
        ("", "gone.png", ""),
    ],
)
def test_a_persona_is_found_by_the_name_the_user_wrote_under(
    story: Path, name: str, chosen: str, found: str
) -> None:
    write_settings(
        story, {"a.png": ("Ana", ""), "a2.png": ("Ana", ""), "b.png": ("Bo", "")}, chosen
    )
    persona = find_persona(story.parents[2], name=name)
    assert (persona.avatar if persona else "") == found


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"power_user": 3}', '{"power_user": {"personas": {"a.png": 3}}}']
)
def test_settings_that_make_no_sense_give_no_persona(story: Path, text: str) -> None:
    (story.parents[2] / "settings.json").write_text(text, encoding="utf-8")
    assert find_persona(story.parents[2], locked="a.png", name="Ana") is None


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
@pytest.mark.pitfall(58)
def test_in_a_group_the_message_says_whose_card(avatar: str, found: str | None) -> None:
    said = Message("m", "h", "Bo", "Hm.", avatar=avatar)
    others = Message("o", "h", "Ann", "Hm.", avatar="Ann.png")
    place = card_path(Story(GROUP, (others, said, others)), "Bo")
    assert place == (Path(found) if found else None)


def test_outside_of_a_tavern_there_are_no_cards() -> None:
    outside = replace(GROUP, user_folder=None)
    assert (
        card_path(Story(outside, (Message("m", "h", "Bo", "Hm.", avatar="Bo.png"),)), "Bo") is None
    )
