"""Longer texts that the user asks for are made whatever the settings make by themselves."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from app.companion import open_companion
from app.core.errors import UsageError
from app.core.paths import Folders
from app.memory.lifecycle.policy import Policy
from app.memory.records import DocumentKind, Tier
from app.views.text_offers import TextOffer, TextRequest
from tests.chat_files import message, write_chat
from tests.fakes import MODEL, FakeLlm
from tests.scripted_memory import Play, Script, playing

OF_MIRA = "sources={n}:entity=Mira/character"
LINES = {
    "lamp is green": f"[fact:2:permanent:{OF_MIRA}] Mira says that the lamp is green.",
    "opens the gate": f"[detail:2:session:{OF_MIRA}] Mira has opened the gate.",
    "waits by the wall": f"[fact:2:permanent:{OF_MIRA}] Mira waits by the wall of the mill.",
}
PROFILE = "[PROFILE Mira]\n[character_state]\ngoals: find the boat\n[world_state]\nlocation: mill"
SUMMARY = "[SUMMARY]\n1. Scene: The mill.\n2. Present: Mira.\n3. Events: They met.\n[/SUMMARY]"
TEXTS = (
    "Mira says that the lamp is green.",
    "I nod.",
    "Mira opens the gate.",
    "I go in.",
    "Mira waits by the wall.",
    "I look around.",
    "Mira says nothing.",
    "I go on.",
)


def told(count: int = len(TEXTS)) -> list[dict[str, object]]:
    names = ("Ana", "Mira")
    return [message(n, text, name=names[n % 2]) for n, text in enumerate(TEXTS[:count])]


def offers(play: Play) -> dict[TextRequest, TextOffer]:
    return {offer.request: offer for offer in play.companion.texts.offers(play.path)}


async def test_what_a_text_takes_is_said_before_and_what_cannot_be_made_says_why(
    tmp_path: Path,
) -> None:
    async with playing(tmp_path, Script(LINES), messages=told()) as play:
        await play.follow()
        there = offers(play)
        for request in (TextRequest.PROFILES, TextRequest.SUMMARY, TextRequest.CONTINUITY):
            assert not there[request].why_not
            assert there[request].tokens > 100
        assert there[TextRequest.PROFILES].requests == 1
        assert "summed up" in there[TextRequest.CANON].why_not
        with pytest.raises(UsageError, match="summed up"):
            await play.companion.texts.ask(play.path, TextRequest.CANON)
        assert len(play.llm.requests) == len(play.readings)


@pytest.mark.parametrize(
    ("request_", "task", "answer", "kind"),
    [
        (TextRequest.PROFILES, "portrait", PROFILE, DocumentKind.PROFILE),
        (TextRequest.SUMMARY, "[SUMMARY]", SUMMARY, DocumentKind.SUMMARY),
        (TextRequest.CONTINUITY, "contradict", "NONE", DocumentKind.CONTINUITY),
    ],
)
async def test_a_text_that_is_asked_for_is_made_though_none_is_made_by_itself(
    tmp_path: Path, request_: TextRequest, task: str, answer: str, kind: DocumentKind
) -> None:
    script = Script(LINES)
    async with playing(tmp_path, script, messages=told()) as play:
        await play.follow()
        assert not [d for d in play.view.documents if d.kind is kind]
        before = len(play.llm.requests)
        script.other[task] = answer
        await play.companion.texts.ask(play.path, request_)
        await play.companion.settled(play.path)
        assert len(play.llm.requests) == before + 1
        assert [d for d in play.view.documents if d.kind is kind]


async def test_a_text_by_hand_that_a_new_one_stands_in_for_comes_back(tmp_path: Path) -> None:
    """The summary written by hand was nowhere, and what was done before it was undone instead."""
    script = Script(LINES)
    script.other["[SUMMARY]"] = SUMMARY
    async with playing(tmp_path, script, messages=told()) as play:
        await play.follow()
        own, kind = "1. Scene: She counts the swans.", DocumentKind.SUMMARY
        await play.companion.memories.edit_text(play.path, kind, own)
        await play.add("I ask her.", "Mira counts them again.", "I wait.", "Mira waits.")
        await play.companion.texts.ask(play.path, TextRequest.SUMMARY)
        await play.companion.settled(play.path)
        assert [d.text for d in play.view.documents if d.kind is kind][-1] != own
        assert await play.companion.edits.undo(play.path) == "new summary"
        assert [d.text for d in play.view.documents if d.kind is kind][-1] == own
        await play.companion.settled(play.path)
        assert [d.text for d in play.view.documents if d.kind is kind][-1] == own


async def test_no_text_is_made_of_what_is_left_when_a_chat_is_forgotten(tmp_path: Path) -> None:
    """A profile of what was left was paid for, and stood there still when all was back."""
    lasts = f"[fact:2:permanent:{OF_MIRA}] Mira says nothing of the boat."
    script = Script({**LINES, "says nothing": lasts})
    script.other["portrait"] = PROFILE
    async with playing(tmp_path, script, messages=told(), profiles_enabled=True) as play:
        await play.follow()
        own, kind = "She counts the swans.", DocumentKind.PROFILE
        await play.companion.memories.edit_text(play.path, kind, own, subject="Mira")
        closing = play.view.story.messages[5].anchor
        await play.companion.edits.scenes.mark(play.path, closing)
        await play.companion.settled(play.path)
        before = len(play.llm.requests)
        await play.companion.memories.forget_chat(play.path)
        await play.companion.settled(play.path)
        assert not [d for d in play.view.documents if d.kind is kind]
        assert len(play.llm.requests) == before
        await play.companion.edits.undo(play.path)
        await play.companion.settled(play.path)
        assert [d.text for d in play.view.documents if d.kind is kind][-1] == own


async def test_an_offer_says_how_far_one_request_sums_up(tmp_path: Path) -> None:
    async with playing(tmp_path, Script(LINES), messages=told(), context=2_000) as play:
        await play.follow()
        whole = offers(play)[TextRequest.SUMMARY]
        assert (whole.reaches, whole.last) == (None, len(TEXTS) - 2)  # the last may still change
        long = "She counts the swans again. " * 200
        await play.add(*[long] * 6)
        some = offers(play)[TextRequest.SUMMARY]
        assert some.requests == 1
        assert some.reaches is not None
        assert some.reaches < some.last


async def test_a_check_is_said_to_take_more_once_there_is_a_summary_to_hold_a_reply_against(
    tmp_path: Path,
) -> None:
    script = Script(LINES)
    async with playing(tmp_path, script, messages=told()) as play:
        await play.follow()
        before = offers(play)[TextRequest.CONTINUITY].tokens
        script.other["[SUMMARY]"] = SUMMARY
        await play.companion.texts.ask(play.path, TextRequest.SUMMARY)
        await play.companion.settled(play.path)
        assert offers(play)[TextRequest.CONTINUITY].tokens > before


async def test_a_reply_is_checked_against_a_summary_where_no_memory_is_kept(tmp_path: Path) -> None:
    script = Script(LINES)
    async with playing(tmp_path, script, messages=told()) as play:
        await play.companion.put_setting("memory_auto", False)
        await play.follow()
        assert offers(play)[TextRequest.CONTINUITY].why_not
        script.other["[SUMMARY]"] = SUMMARY
        await play.companion.texts.ask(play.path, TextRequest.SUMMARY)
        await play.companion.settled(play.path)
        assert not offers(play)[TextRequest.CONTINUITY].why_not


async def test_the_last_reply_is_checked_on_a_word_also_when_the_user_has_gone_on(
    tmp_path: Path,
) -> None:
    messages = [*told(), message(len(TEXTS), "I ask her.", name="Ana", is_user=True)]
    async with playing(tmp_path, Script(LINES), messages=messages) as play:
        await play.follow()
        assert not offers(play)[TextRequest.CONTINUITY].why_not
        await play.companion.texts.ask(play.path, TextRequest.CONTINUITY)
        await play.companion.settled(play.path)
        (checked,) = (d for d in play.view.documents if d.kind is DocumentKind.CONTINUITY)
        assert checked.until == play.view.story.messages[len(TEXTS) - 1].anchor


async def test_without_a_model_nothing_is_offered(tmp_path: Path) -> None:
    tavern = tmp_path / "data" / "default-user"
    path = write_chat(tavern / "chats" / "Mira" / "Mira - 1.jsonl", told())
    (tavern / "characters").mkdir()
    own = tmp_path / "own"
    own.mkdir()
    folders = Folders(own, own / "logs")
    async with open_companion(folders, tavern=tavern, llm="builtin", watch=False) as companion:
        await companion.open_story(path)
        assert all("model" in offer.why_not for offer in companion.texts.offers(path))
        with pytest.raises(UsageError, match="model"):
            await companion.texts.ask(path, TextRequest.PROFILES)


@pytest.mark.parametrize("policy", [Policy.READ_ONLY, Policy.OFF])
async def test_of_a_character_that_may_add_nothing_no_text_is_written_on_a_word_either(
    tmp_path: Path, policy: Policy
) -> None:
    """What belongs to the chat alone is asked for as ever."""
    script = Script(LINES, {"portrait": PROFILE, "[SUMMARY]": SUMMARY})
    async with playing(tmp_path, script, messages=told()) as play:
        await play.follow()
        await play.companion.memories.set_policy(play.path, policy)
        there, asked = offers(play), len(play.llm.requests)
        for request in (TextRequest.PROFILES, TextRequest.CANON):
            assert "Mira" in there[request].why_not
            with pytest.raises(UsageError, match="Change that first"):
                await play.companion.texts.ask(play.path, request)
        await play.companion.settled(play.path)
        assert len(play.llm.requests) == asked
        await play.companion.texts.ask(play.path, TextRequest.SUMMARY)
        await play.companion.settled(play.path)
        assert [d.kind for d in play.view.documents] == [DocumentKind.SUMMARY]


async def test_what_a_check_found_is_corrected_on_a_word_and_not_looked_for_again(
    tmp_path: Path,
) -> None:
    found = "1 | It says that Mira is silent, but she said that the lamp is green."
    script = Script(LINES, {"contradicts the facts": found})
    async with playing(tmp_path, script, messages=told()) as play:
        texts = play.companion.texts
        await play.follow()
        assert offers(play)[TextRequest.CONTINUITY].requests == 1
        with pytest.raises(UsageError, match="nothing to correct"):
            await texts.correct(play.path)
        await texts.ask(play.path, TextRequest.CONTINUITY)
        await play.companion.settled(play.path)
        assert not [d for d in play.view.documents if d.kind is DocumentKind.REPAIR]
        asked = len(play.llm.requests)
        script.other["note to the writer"] = "Mira has said that the lamp is green."
        await texts.correct(play.path)
        await play.companion.settled(play.path)
        (request,) = play.llm.requests[asked:]
        assert "It says that Mira is silent" in request.text
        slots = await play.companion.slots(play.path)
        assert "Mira has said that the lamp" in " ".join(slot.text for slot in slots.slots)
        with pytest.raises(UsageError, match="nothing to correct"):
            await texts.correct(play.path)
        await play.companion.put_setting("continuity_repair", True)
        assert offers(play)[TextRequest.CONTINUITY].requests == 2


async def test_a_portrait_that_the_user_wrote_is_replaced_by_none_that_is_asked_for(
    tmp_path: Path,
) -> None:
    """The user's words were replaced without a question, and undo did not bring them back."""
    script = Script(LINES, {"portrait": PROFILE})
    async with playing(tmp_path, script, messages=told()) as play:
        await play.follow()
        own = "State:\nShe looks for the green glove."
        memories, texts = play.companion.memories, play.companion.texts
        await memories.edit_text(play.path, DocumentKind.PROFILE, own, subject="Mira")
        asked = len(play.llm.requests)
        assert "wrote yourself stays" in offers(play)[TextRequest.PROFILES].why_not
        with pytest.raises(UsageError, match="wrote yourself stays"):
            await texts.ask(play.path, TextRequest.PROFILES)
        await play.companion.settled(play.path)
        assert len(play.llm.requests) == asked
        assert [d.text for d in play.view.documents] == [own]
        await memories.edit_text(play.path, DocumentKind.PROFILE, "", subject="Mira")
        await texts.ask(play.path, TextRequest.PROFILES)
        await play.companion.settled(play.path)
        assert "find the boat" in play.view.documents[-1].text


async def forget_chat(play: Play) -> None:
    await play.companion.memories.forget_chat(play.path)


async def clear_session(play: Play) -> None:
    await play.companion.memories.clear_tier(play.path, Tier.SESSION)


@pytest.mark.parametrize("forget", [forget_chat, clear_session])
async def test_of_a_chat_that_was_forgotten_nothing_is_made_until_it_goes_on(
    tmp_path: Path, forget: Callable[[Play], Awaitable[None]]
) -> None:
    """What the character keeps was held against the last reply again, paid for and unbidden."""
    script = Script(LINES, {"contradicts the facts": "NONE"})
    async with playing(
        tmp_path, script, messages=told(), hardware_profile="b", continuity_auto=True
    ) as play:
        await play.follow()
        before, asked = play.view.documents, len(play.llm.requests)
        assert DocumentKind.CONTINUITY in {d.kind for d in before}
        await forget(play)
        await play.follow()
        assert len(play.llm.requests) == asked
        await play.companion.edits.undo(play.path)
        await play.companion.settled(play.path)
        assert (play.view.documents, len(play.llm.requests)) == (before, asked)
        await play.companion.edits.redo(play.path)
        await play.add("I ask her.", "Mira shows the lamp.")
        assert "contradicts the facts" in " ".join(r.text for r in play.llm.requests[asked:])


async def test_of_what_a_cleared_tier_has_left_no_profile_is_made_in_the_next_run_either(
    tmp_path: Path,
) -> None:
    """Only a flag said so, which the next run knew nothing of."""
    lasts = f"[fact:2:permanent:{OF_MIRA}] Mira says nothing of the boat."
    script = Script({**LINES, "says nothing": lasts}, {"portrait": PROFILE})
    async with playing(tmp_path, script, messages=told()) as play:
        await play.follow()
        await play.companion.memories.clear_tier(play.path, Tier.SESSION)
        await play.companion.edits.scenes.mark(play.path, play.view.story.messages[5].anchor)
        await play.companion.put_setting("profiles_enabled", True)
        await play.companion.settled(play.path)
        assert "portrait" not in " ".join(r.text for r in play.llm.requests)
        path, home = play.path, tmp_path / "own"
    with FakeLlm(script.reply) as llm:
        async with open_companion(
            Folders(home, home / "logs"),
            tavern=tmp_path / "data" / "default-user",
            llm=f"openai:{MODEL}@{llm.url}",
            watch=False,
            keeps_memory=True,
        ) as companion:
            await companion.open_story(path)
            await companion.settled(path)
            assert "portrait" not in " ".join(r.text for r in llm.requests)
