"""Whatever stands in a chat comes back after import and mirror, and only our keys change."""

from __future__ import annotations

import asyncio
import atexit
import json
import shutil
import tempfile
from collections.abc import Awaitable, Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.core.tasks import TaskSupervisor
from app.llm.tokenizer import counter_for
from app.settings.values import Settings
from app.sillytavern.bridge.bridge_link import Page
from app.sillytavern.extensions.message_extras import OWN_KEY
from app.sillytavern.extensions.running_writing import RUNNING_KEY
from app.store.store import Store
from app.story.message_data import Mark, marked
from app.story.messages import MessageRecap
from app.story.scenes import BreakOrigin, SceneBreak
from app.work.chats.mirroring.mirror import Mirror
from app.work.chats.open_chat import OpenChat
from app.work.chats.open_chats import OpenChats
from tests.chat_files import HEADER, date_of, message

T = TypeVar("T")
NEW, OLD, QVINK = "auto_recap_memory", "auto_summarize_memory", "qvink_memory"

_text = st.text(st.sampled_from('abc "\\\n\té漢🌙</{}$&1\x00\u2028\ud800'), max_size=12)
_junk = st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-2, 2) | _text
_any = st.recursive(_junk, lambda inner: st.lists(inner, max_size=2), max_leaves=4)
_texts = _text | _junk


def _block(**keys: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Some of the keys, and some that nobody knows."""
    unknown = st.dictionaries(st.sampled_from(("custom", "a\nb", "漢", "stage9")), _any, max_size=2)
    return st.tuples(st.fixed_dictionaries({}, optional=keys), unknown).map(
        lambda p: {**p[1], **p[0]}
    )


_metadata: st.SearchStrategy[dict[str, object]] = st.dictionaries(
    st.sampled_from(("0", "1", "2", "startIdx", "x")),
    st.fixed_dictionaries({}, optional={"timestamp": st.integers(0, 2**40), "combined_at": _junk,
                                        "allEntries": st.just([])}) | _junk,
    max_size=2,
)  # fmt: skip
_known_keys = _block(
    memory=_texts, error=_texts, reasoning=_texts, prefill=_texts, edited=_junk, exclude=_junk,
    remember=_junk, hash=_junk, lagging=_junk,
    include=st.sampled_from((None, "Recap of message(s)", "Summary of message(s)", "long", 7)),
    scene_break=_junk, scene_break_visible=_junk, scene_break_name=_texts,
    scene_break_collapsed=_junk, scene_break_recap=_texts, scene_recap_memory=_texts,
    scene_recap_versions=st.lists(_texts | st.just({"recap": "r"}), max_size=3) | _junk,
    scene_recap_current_index=_junk, scene_recap_hash=_texts, scene_recap_metadata=_metadata,
    scene_summary_memory=_texts, scene_summary_versions=st.lists(_texts, max_size=2),
    auto_scene_break_checked=_junk,
)  # fmt: skip
_extra = st.fixed_dictionaries(
    {},
    optional={
        NEW: _known_keys | st.none(),
        OLD: _known_keys,
        QVINK: _known_keys,
        "other": _any,
    },
)
_odd = st.fixed_dictionaries({}, optional={NEW: _any, OLD: _any, "other": _any})


@st.composite
def _messages(draw: st.DrawFn, extra: st.SearchStrategy[Any]) -> list[dict[str, Any]]:
    chat = []
    for number in range(draw(st.integers(2, 5))):
        held = message(number, f"Message {number}. {draw(_text)}", extra=draw(extra))
        if draw(st.booleans()):
            swipes = [f"Swipe {n} of {number}." for n in range(draw(st.integers(1, 3)))]
            shown = draw(st.integers(0, len(swipes) - 1))
            infos = [
                draw(st.fixed_dictionaries({}, optional={"extra": extra, "gen_id": _any}))
                | {"send_date": date_of(number + 100 * at)}
                for at in range(len(swipes))
            ]
            held |= {"swipes": swipes, "swipe_id": shown, "mes": swipes[shown]}
            held |= {"send_date": infos[shown]["send_date"]}
            if draw(st.booleans()):
                held["swipe_info"] = infos
                held["extra"] = infos[shown].get("extra", held["extra"])  # as SillyTavern keeps it
        chat.append(held)
    return chat


_version = st.fixed_dictionaries(
    {},
    optional={
        "version": st.integers(0, 3), "content": _texts, "timestamp": st.integers(0, 2**40),
        "scene_count": _junk, "excluded_count": _junk, "exclude_count": _junk,
        "prev_scene_index": st.integers(0, 3), "new_scene_index": st.integers(0, 6),
        "custom": _any,
    },
)  # fmt: skip
_running = st.fixed_dictionaries(
    {},
    optional={
        "chat_id": st.sampled_from(("Harbour", "Another chat", "", None)),
        "current_version": _junk,
        "versions": st.lists(_version | _junk, max_size=3) | _junk,
        "custom": _any,
    },
)
_chat_metadata = st.fixed_dictionaries(
    {}, optional={RUNNING_KEY: _running, "variables": _any, "main_chat": st.just("Parent")}
)


class NoPages:
    """SillyTavern is closed."""

    pages: tuple[Page, ...] = ()

    def is_paired(self, _: Path) -> bool:
        return True

    async def ask(self, page: Page, kind: str, params: dict[str, Any]) -> dict[str, Any]:
        raise AssertionError


@cache
def empty_database() -> Path:
    """Most of what a program's first start takes, done once."""

    async def make(path: Path) -> None:
        store = Store(path)
        await store.open()
        await store.aclose()

    path = Path(tempfile.mkdtemp()) / "empty.sqlite3"
    atexit.register(shutil.rmtree, path.parent)
    asyncio.run(make(path))
    return path


class Program:
    """One that never saw the chat before."""

    def __init__(self, folder: Path, name: str) -> None:
        shutil.copy(empty_database(), folder / f"{name}.sqlite3")
        self.store = Store(folder / f"{name}.sqlite3")
        self.tasks = TaskSupervisor()
        wishes = Settings()
        wishes.put("mirror_to_chat", True)
        wishes.put("scene_breaks_auto", False)
        wishes.put("inclusion_limit", 100)
        self.chats = OpenChats(self.store, counter_for(), (), wishes, self.tasks)
        self.mirror = Mirror(
            self.store, NoPages(), backups=folder / "b", debounce_seconds=0, quiet_seconds=0
        )

    async def sees(self, path: Path, then: Callable[[OpenChat], Awaitable[T]]) -> T:
        await self.store.open()
        try:
            return await then(await self.chats.open(path))
        finally:
            await self.mirror.aclose()
            await self.tasks.aclose()
            await self.store.aclose()

    async def write(self, chat: OpenChat) -> None:
        self.mirror.soon(chat)
        await self.mirror.flush()
        assert self.mirror.waiting == {}


def knowledge(chat: OpenChat) -> Any:
    """What is known, by message, without numbers of ours and times of reading."""
    story = chat.story
    place = {m.anchor: index for index, m in enumerate(story.messages)}
    recaps = {
        place[anchor]: (r.text, r.error, r.is_excluded, r.is_remembered, r.is_edited,
                        r.reasoning, r.prefill)
        for anchor, r in story.message_recaps.items()
        if (r.text, r.error, r.is_excluded, r.is_remembered, r.is_edited) != ("", "", *[False] * 3)
    }  # fmt: skip
    return (
        {place[a]: (b.name, b.is_visible, b.is_collapsed) for a, b in story.breaks.items()},
        {
            place[anchor]: [(r.text, r.is_current, r.combined_at) for r in versions]
            for anchor, versions in story.recaps.items()
        },
        sorted(
            (
                v.version,
                v.content,
                v.scene_count,
                place.get(v.first_anchor, 0),
                place[v.last_anchor],
            )
            for v in story.running.versions
            if v.last_anchor in place and v.reason != "foreign"
        ),
        recaps,
    )


def without_ours(line: bytes) -> Any:
    """A line with its keys in their order and nothing of what is ours to write."""

    def pairs(items: list[tuple[str, Any]]) -> Any:
        return [item for item in items if item[0] not in (NEW, RUNNING_KEY, OWN_KEY)]

    found = json.loads(line, object_pairs_hook=pairs)
    # `extra` may have been made for our block.
    return _pruned(found)


def _pruned(value: Any) -> Any:
    if isinstance(value, list):
        return [
            _pruned(item)
            for item in value
            if not (isinstance(item, tuple) and item[0] == "extra" and item[1] == [])
        ]
    return (value[0], _pruned(value[1])) if isinstance(value, tuple) else value


def foreign_keys(line: bytes) -> Any:
    """What of our own block is not ours to change."""
    block = json.loads(line).get("extra", {}).get(NEW)
    if not isinstance(block, dict):
        return block
    return {k: v for k, v in block.items() if k in ("custom", "a\nb", "漢", "stage9", "lagging")}


def check_difference(before: bytes, after: bytes) -> None:
    old_lines, new_lines = before.split(b"\n"), after.split(b"\n")
    assert len(old_lines) == len(new_lines)
    for old, new in zip(old_lines, new_lines, strict=True):
        if old != new:
            assert without_ours(new) == without_ours(old)
            assert (foreign_keys(old) or None) == (foreign_keys(new) or None)


async def there_and_back(
    folder: Path, deed: Callable[[Program, OpenChat], Awaitable[None]]
) -> None:
    path = folder / "default-user" / "chats" / "Mira" / "Harbour.jsonl"
    before = path.read_bytes()
    first, second = Program(folder, "first"), Program(folder, "second")

    async def write(chat: OpenChat) -> Any:
        await deed(first, chat)
        await first.write(chat)
        return knowledge(chat)

    async def write_again(chat: OpenChat) -> Any:
        known = knowledge(chat)
        await second.write(chat)
        return known

    known = await first.sees(path, write)
    after = path.read_bytes()
    check_difference(before, after)
    again = await second.sees(path, write_again)
    assert again == known
    assert path.read_bytes() == after


def write_chat(folder: Path, chat: list[dict[str, Any]], metadata: dict[str, Any]) -> None:
    path = folder / "default-user" / "chats" / "Mira" / "Harbour.jsonl"
    path.parent.mkdir(parents=True)
    (path.parents[2] / "settings.json").write_text("{}")
    empty_database()
    header = {**HEADER, "chat_metadata": {**HEADER["chat_metadata"], **metadata}}
    lines = [json.dumps(held, separators=(",", ":")) for held in (header, *chat)]
    path.write_text("\n".join(lines))


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(chat=_messages(_extra | _odd), metadata=_chat_metadata)
def test_a_chat_that_was_only_looked_at_comes_back_the_same(
    chat: list[dict[str, Any]], metadata: dict[str, Any]
) -> None:
    async def nothing(_: Program, __: OpenChat) -> None:
        return None

    with tempfile.TemporaryDirectory() as folder:
        write_chat(Path(folder), chat, metadata)
        asyncio.run(there_and_back(Path(folder), nothing))


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(chat=_messages(_extra), metadata=_chat_metadata, place=st.integers(0, 4), text=_text)
def test_what_is_done_to_a_chat_comes_back_and_nothing_else_changes(
    chat: list[dict[str, Any]], metadata: dict[str, Any], place: int, text: str
) -> None:
    async def deed(program: Program, opened: OpenChat) -> None:
        story, store, number = opened.story, program.store, opened.chat_id
        told = story.messages[place % len(story.messages)]
        ends = story.messages[(place + 1) % len(story.messages)]
        old = story.message_recaps.get(told.anchor, MessageRecap())
        recap = MessageRecap(f"Recap {place}.", source_hash=told.content_hash)
        recap = recap if old.text else marked(recap, Mark.EXCLUDED, True, told)
        name = " ".join(text.replace("\ud800", "").split()) or "Quay"
        mark = SceneBreak(ends.anchor, BreakOrigin.HAND, "hand", name=name)

        def unit() -> None:
            store.recaps.save_message_recaps(number, {told.anchor: recap})
            store.scenes.save(number, [mark])

        await store.run(unit)
        await opened.refresh()

    with tempfile.TemporaryDirectory() as folder:
        write_chat(Path(folder), chat, metadata)
        asyncio.run(there_and_back(Path(folder), deed))
