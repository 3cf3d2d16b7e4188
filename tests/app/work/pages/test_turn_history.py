"""Turns are kept as SillyTavern's page reports them, on a real socket."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

from app.companion import Companion, open_companion
from app.core.errors import UsageError
from app.core.paths import user_folders
from app.memory.records import Tier
from app.prompt.model_tokens import KnownTokenizer
from app.prompt.prefix import PrefixBreak
from app.prompt.turns import KEPT_TURNS, LONGEST_SAID, SentTurn, Share
from app.sillytavern.bridge import bridge_installer, turn_answers
from tests.labelled import WrittenTavern
from tests.memory_world import World, opened

LONG = "smart_memory_long"


@dataclass
class Played:
    """A program with one page that plays a chat."""

    companion: Companion
    path: Path
    page: ClientConnection
    news: asyncio.Queue[Path]
    number: int = 0

    async def say(self, **frame: Any) -> None:
        chat = {"kind": "solo", "avatar": f"{self.path.parent.name}.png", "chat": self.path.stem}
        await self.page.send(json.dumps({"chat": chat, **frame}))

    async def ask(self, **more: Any) -> dict[str, Any]:
        """A turn begins; gives the slots that the page is told to set."""
        self.number += 1
        turn = {"kind": "normal", "responder": "Midge", "context": 8000, "messages": 5}
        await self.say(type="turn", id=str(self.number), **(turn | more))
        while True:
            async with asyncio.timeout(10):
                frame: dict[str, Any] = json.loads(await self.page.recv())
            if frame.get("turn") == str(self.number):
                return frame

    async def sent(self, slots: list[dict[str, Any]], *parts: tuple[str, str]) -> None:
        """The page reports the prompt of the last turn."""
        told = [
            {"role": role, "text": text, "length": len(text), "mark": f"{hash(text):x}"}
            for role, text in parts
        ]
        await self.say(type="sent", turn=str(self.number), wire="chat", slots=slots, parts=told)

    async def turns(self, number: int, *, kept: bool | None = None) -> tuple[SentTurn, ...]:
        """The turns, once there are so many and the newest has or has not its prompt."""
        async with asyncio.timeout(10):
            while True:
                turns = await self.companion.turns.turns(self.path)
                if len(turns) == number and (kept is None or turns[0].has_prompt is kept):
                    return turns
                await self.news.get()


@pytest_asyncio.fixture
async def played(demo_tavern: WrittenTavern, tmp_path: Path) -> AsyncIterator[Played]:
    async with playing(demo_tavern, tmp_path) as played:
        yield played


@pytest_asyncio.fixture
async def remembered(demo_tavern: WrittenTavern, tmp_path: Path) -> AsyncIterator[Played]:
    """The same, with what is remembered in the prompt."""
    async with playing(demo_tavern, tmp_path, keeps_memory=True) as played:
        yield played


@asynccontextmanager
async def playing(
    demo_tavern: WrittenTavern, tmp_path: Path, *, keeps_memory: bool = False
) -> AsyncIterator[Played]:
    bridge_installer.install(demo_tavern.user_folder)
    folders = user_folders(tmp_path / "own")
    tavern = demo_tavern.user_folder.parent
    async with open_companion(
        folders, tavern=tavern, llm="builtin", keeps_memory=keeps_memory
    ) as companion:
        await companion.open_story(demo_tavern.chat)
        pairing = bridge_installer.extension_folder(demo_tavern.user_folder) / "pairing.json"
        paired = json.loads(pairing.read_text())
        async with connect(
            f"ws://127.0.0.1:{paired['port']}",
            origin=Origin("http://127.0.0.1:8000"),
            subprotocols=[Subprotocol("tavernkeep.v1"), Subprotocol(f"token.{paired['token']}")],
            proxy=None,
        ) as page:
            news: asyncio.Queue[Path] = asyncio.Queue()
            companion.turns.changed.connect(news.put_nowait)
            played = Played(companion, demo_tavern.chat, page, news)
            version = bridge_installer.program_version()
            await played.say(type="hello", version=version, page="p", length=9)
            await page.recv()
            yield played


async def test_a_turn_keeps_the_words_that_it_went_on_from(played: Played) -> None:
    """The list of turns quoted what stood there by now: another swipe, or what came instead."""
    story = played.companion.story(played.path)
    assert story is not None
    last = len(story.messages) - 1
    user = {"name": "Ada", "text": "And now?", "is_user": True}
    there = {"name": story.messages[last].name, "text": story.messages[last].text}
    await played.ask(said=[there, user])
    await played.ask(said=[there])
    await played.ask(kind="swipe")
    swipe, known, ahead = await played.turns(3)
    assert (ahead.after, ahead.said_by, ahead.said) == (last + 1, "Ada", "And now?")
    assert (known.after, known.said_by) == (last, there["name"])
    assert known.said == there["text"][:LONGEST_SAID]
    replaced = last if story.messages[last].is_user else last - 1
    assert (swipe.after, swipe.said_by) == (replaced, story.messages[replaced].name)


async def test_a_turn_is_kept_with_the_prompt_that_was_sent(played: Played) -> None:
    slots = (await played.ask())["slots"]
    (bare,) = await played.turns(1)
    assert (bare.generation, bare.responder, bare.context, bare.messages) == (
        "normal",
        "Midge",
        8000,
        5,
    )
    assert not bare.has_prompt
    recap = slots[0]
    await played.sent(slots, ("system", recap["text"]), ("system", "Card."), ("user", "Hello."))
    (turn,) = await played.turns(1, kept=True)
    assert turn.prompt is None  # a list of turns is not weighed down by their prompts
    assert not turn.is_late
    view = await played.companion.turns.view(played.path, turn.id)
    assert view.turn.prompt is not None
    assert [part.text for part in view.turn.prompt.parts][1:] == ["Card.", "Hello."]
    assert (view.before, view.break_) == (None, None)


async def test_the_next_turn_says_what_broke_the_beginning(played: Played) -> None:
    for number, text in enumerate(("The lamp is lit.", "The lamp is out."), 1):
        await played.ask()
        slot = {"key": LONG, "position": 0, "depth": 0, "role": 0, "scan": False, "text": text}
        await played.sent([slot], ("system", "Card."), ("system", text), ("user", "Hello."))
        turn, *_ = await played.turns(number, kept=True)
    broken = (await played.companion.turns.view(played.path, turn.id)).break_
    assert isinstance(broken, PrefixBreak)
    assert broken.share is Share.SLOT
    assert broken.slot is not None
    assert broken.slot.key == LONG
    assert (broken.kept or 0) > 0
    assert (broken.again or 0) > 0


async def test_a_page_that_did_not_wait_is_found_out(played: Played) -> None:
    await played.ask()
    old = {"key": LONG, "position": 0, "depth": 0, "role": 0, "scan": False, "text": "Old news."}
    await played.sent([old], ("system", "Old news."), ("user", "Hello."))
    (turn,) = await played.turns(1, kept=True)
    assert turn.is_late
    assert [slot.text for slot in turn.slots] == ["Old news."]


async def test_a_page_that_reports_before_its_slots_are_made_is_found_out(
    remembered: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The slots that came too late stood there as sent, with what they had called up."""
    link, go_on = remembered.companion._link, asyncio.Event()
    slots_of = link._slots_of

    async def slow(*whose: Any) -> Any:
        await go_on.wait()
        return await slots_of(*whose)

    monkeypatch.setattr(link, "_slots_of", slow)
    link.sent.connect(lambda _: go_on.set())
    remembered.number = 1
    turn = {"kind": "normal", "responder": "Midge", "context": 8000, "messages": 5}
    await remembered.say(type="turn", id="1", **turn)
    old = {"key": LONG, "position": 0, "depth": 0, "role": 0, "scan": False, "text": "Old news."}
    await remembered.sent([old], ("system", "Old news."), ("user", "Hello."))
    (kept,) = await remembered.turns(1, kept=True)
    assert kept.is_late
    assert [slot.text for slot in kept.slots] == ["Old news."]
    assert not [content for content in kept.contents if content.tokens]


@pytest.mark.expects_log("app.sillytavern.bridge.turn_answers")
async def test_a_turn_whose_slots_never_came_is_kept_as_it_was_sent(
    played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a long story on a slow computer it stood nowhere, and the one before seemed the last."""

    async def never(*_whose: Any) -> Any:
        await asyncio.Event().wait()

    monkeypatch.setattr(turn_answers, "LATE_TURN_SECONDS", 0.05)
    monkeypatch.setattr(played.companion._link, "_slots_of", never)
    played.number = 1
    turn = {"kind": "normal", "responder": "Midge", "context": 8000, "messages": 5}
    await played.say(type="turn", id="1", **turn)
    old = {"key": LONG, "position": 0, "depth": 0, "role": 0, "scan": False, "text": "Old news."}
    await played.sent([old], ("system", "Old news."), ("user", "Hello."))
    (kept,) = await played.turns(1, kept=True)
    assert kept.is_late
    assert [slot.text for slot in kept.slots] == ["Old news."]


async def test_of_a_slot_that_the_page_had_from_before_nothing_is_said_to_be_cut(
    played: Played,
) -> None:
    """A short old recap beside the longer one that came too late was said to be cut."""
    await played.companion.settled(played.path)
    slots = (await played.ask())["slots"]
    made = next(slot for slot in slots if slot["text"])
    assert len(made["text"]) > len("Old news.")
    await played.sent([made | {"text": "Old news."}], ("system", "Old news."), ("user", "Hello."))
    (turn,) = await played.turns(1, kept=True)
    assert turn.is_late
    assert [slot.full_tokens - slot.tokens for slot in turn.slots] == [0]


async def test_what_was_only_prepared_for_is_no_turn(played: Played) -> None:
    await played.ask(context=0)
    await played.ask()
    assert len(await played.turns(1)) == 1
    await played.ask(context=0)
    await played.sent([], ("user", "Hello."))
    await played.turns(2, kept=True)


async def test_prompts_that_are_not_to_be_kept_are_dropped(played: Played) -> None:
    await played.ask()
    await played.sent([], ("user", "Hello."))
    await played.turns(1, kept=True)
    await played.companion.put_setting("sent_prompts_kept", False)
    await played.turns(1, kept=False)
    await played.ask()
    await played.sent([], ("user", "Hello again."))
    assert not any(turn.has_prompt for turn in await played.turns(2, kept=False))


async def test_the_card_is_left_room_in_the_turns_after(played: Played) -> None:
    await played.companion.settled(played.path)
    slots = (await played.ask(context=1000))["slots"]
    card = "An old well under the chapel, and who dug it. " * 40
    await played.sent(slots, ("system", card), ("user", "Hello."))
    await played.turns(1, kept=True)
    await played.ask(context=1000)
    after, before = await played.turns(2)
    least_chat = 125
    room = 1000 - least_chat - played.companion.count_tokens(card)
    assert after.total_tokens <= room < before.total_tokens <= 500


async def recalls(played: Played) -> dict[str, int]:
    """How often each memory of the chat went out, by what the database says."""
    store = played.companion._store
    rows = await store.run(
        lambda: store.memories._database.execute("SELECT memory_id, recalls FROM memory")
    )
    return dict(rows)


async def test_a_memory_is_counted_when_it_really_went_out(remembered: Played) -> None:
    played, companion, path = remembered, remembered.companion, remembered.path
    await companion.put_setting("memory_auto", False)
    await companion.settled(path)
    told = await companion.memories.add(path, Tier.LONG_TERM, "fact", "The well is deep.")
    await companion.memories.add(path, Tier.ARCS, "arc", "Who dug the well?")
    await companion.put_setting("arcs_enabled", False)
    slots = (await played.ask())["slots"]
    prompt = tuple(("system", slot["text"]) for slot in slots if slot["text"])
    await played.turns(1)
    before = await recalls(played)
    assert before[told] == 0  # to be prepared for is not to be sent
    read = companion.memory(path).memories
    await played.sent(slots, *prompt, ("user", "Hello."))
    await played.turns(1, kept=True)
    (turn,) = await played.turns(1)
    shown = {memory for content in turn.contents for memory in content.shown}
    counts = await recalls(played)
    assert told in shown
    assert {memory for memory in counts if counts[memory] == 1} == shown < counts.keys()
    # Nothing is read again for it, and work that knows nothing of it takes nothing away.
    await companion.put_setting("theme", "dark")
    assert companion.memory(path).memories == read
    await companion.memories.edit(path, told, importance=3)
    assert (await recalls(played))[told] == 1


async def test_a_turn_that_is_gone_is_said_to_be(played: Played) -> None:
    with pytest.raises(UsageError, match="no longer stored"):
        await played.companion.turns.view(played.path, 99)


# --- the store


@pytest_asyncio.fixture
async def world(demo_tavern: WrittenTavern, tmp_path: Path) -> AsyncIterator[World]:
    async with opened(demo_tavern, tmp_path / "own data") as world:
        yield world


@pytest.mark.weakness(11)
async def test_only_the_last_turns_of_a_chat_are_kept(world: World) -> None:
    from tests.prompt_turns import LONG as NAME
    from tests.prompt_turns import slot, turn

    def unit() -> None:
        for number in range(KEPT_TURNS + 5):
            world.store.turns.save(world.chat, turn(slot(NAME, f"Turn {number}.")))

    await world.store.run(unit)
    kept = await world.store.run(lambda: world.store.turns.of(world.chat))
    assert len(kept) == KEPT_TURNS
    assert kept[0].slots[0].text == f"Turn {KEPT_TURNS + 4}."
    before = await world.store.run(lambda: world.store.turns.before(world.chat, kept[0].id))
    assert before is not None
    assert before.slots[0].text == f"Turn {KEPT_TURNS + 3}."


async def test_what_was_learned_of_a_chat_s_prompts_outlives_a_start_with_another_chat(
    demo_tavern: WrittenTavern, tmp_path: Path
) -> None:
    other = demo_tavern.chat.with_name("Another evening.jsonl")
    other.write_bytes(demo_tavern.chat.read_bytes())
    async with playing(demo_tavern, tmp_path) as played:
        slots = (await played.ask(context=24_000, tokenizer="one"))["slots"]
        await played.sent(slots, ("system", "You are Midge. " * 50), ("user", "Hm."))
        await played.turns(1, kept=True)
        before = played.companion._chats.required(demo_tavern.chat)
        limit = played.companion.inclusion_limit(demo_tavern.chat)
        fixed = dict(before.fixed_tokens)
        assert fixed["Midge"] > 50
        await played.ask(context=6_000, tokenizer="two")
        await played.turns(2)
        played.path = other
        await played.ask(context=48_000, tokenizer="one")
        await played.turns(1)
    tavern = demo_tavern.user_folder.parent
    async with open_companion(user_folders(tmp_path / "own"), tavern=tavern, llm="builtin") as now:
        await now.open_story(other)
        await now.open_story(demo_tavern.chat)
        chats = now._chats
        assert chats.required(other).context_tokens == 48_000
        # By the connection that it was used with last, then by the one that is there.
        assert chats.required(demo_tavern.chat).context_tokens == 6_000
        await chats.follow_connection("one")
        chat = chats.required(demo_tavern.chat)
        assert (chat.context_tokens, chat.fixed_tokens) == (24_000, fixed)
        assert now.inclusion_limit(demo_tavern.chat) == limit
        assert chats.required(other).context_tokens == 48_000
        third = other.with_name("A third evening.jsonl")
        third.write_bytes(other.read_bytes())
        await now.open_story(third)
        assert chats.required(third).context_tokens == 48_000  # the connection's newest
    folders = user_folders(tmp_path / "own")
    async with open_companion(folders, tavern=tavern, llm="builtin", watch=False) as now:
        # Opened while SillyTavern is connected to what the chat was not used with last.
        now._prompt_counter.tokenizer = KnownTokenizer("one")
        await now.open_story(demo_tavern.chat)
        chat = now._chats.required(demo_tavern.chat)
        assert (chat.context_tokens, chat.fixed_tokens) == (24_000, fixed)


async def test_what_is_shown_for_the_next_reply_is_what_the_last_one_got(played: Played) -> None:
    await played.companion.settled(played.path)
    sent = {slot["key"]: slot["text"] for slot in (await played.ask(context=24_000))["slots"]}
    shown = await played.companion.next_prompt(played.path)
    told = {slot.key: slot.text for slot in shown.slots if slot.text}
    assert told == {key: text for key, text in sent.items() if text}
    assert shown.whole_recap  # and that it leaves something to the messages is known


async def test_a_turn_that_was_heard_of_late_is_of_when_it_was(played: Played) -> None:
    """A program that was stopped heard of three turns at once, and listed all after the last."""
    then = time.time() - 300
    await played.ask(asked=then)
    await played.ask(asked=then + 60)
    await played.ask(asked=time.time() + 1_000_000)  # a clock that is another
    newest, second, first = await played.turns(3)
    assert (first.moment, second.moment) == (then, then + 60)
    assert abs(newest.moment - time.time()) < 60


async def test_the_story_and_the_budgets_count_the_same_messages(played: Played) -> None:
    companion, path = played.companion, played.path
    await companion.settled(path)
    story = companion.story(path)
    assert story is not None
    for context in (3_000, 6_000):
        reach = await companion.reaching.of(path)
        outlook = (await companion.budgets.preview(path)).under()
        assert outlook.first == reach.verbatim_from
        slots = (await played.ask(context=context))["slots"]
        parts = [("system", "A card of some words. " * 20)]
        parts += [("user" if m.is_user else "assistant", m.text) for m in story.messages[-9:]]
        await played.sent(slots, *parts)
        await played.turns(1 if context == 3_000 else 2, kept=True)
    reach = await companion.reaching.of(path)
    outlook = (await companion.budgets.preview(path)).under()
    assert reach.is_seen
    assert outlook.first == reach.verbatim_from
    shown = [m for m in story.messages[outlook.first :] if not m.is_hidden]
    assert outlook.newest == len(shown)
