"""Which scenes of a long backlog are recapped first: the newest that no prompt holds itself."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from pathlib import Path

from app.companion import open_companion
from app.core.paths import user_folders
from app.prompt.generation import Turn
from app.prompt.telling import held_from
from tests.chat_files import message, write_chat
from tests.fakes import MODEL, FakeLlm, RecordedRequest

DAYS, A_DAY = 40, 8
TALK = " ".join(["And so on, of rope and tar and weather."] * 10)


def _text(number: int) -> str:
    if number % A_DAY == 0:
        return f"***\n\n*The next morning, on day {number // A_DAY}, they meet.* “You are late.”"
    return f"“So you say, for the {number}th time. {TALK}” *She turns her cup a little.*"


async def test_of_a_long_backlog_what_no_prompt_holds_itself_goes_first(tmp_path: Path) -> None:
    """The five scenes came first that the prompt held word for word anyway."""
    told = [message(n, _text(n)) for n in range(DAYS * A_DAY)]
    path = write_chat(tmp_path / "chat.jsonl", told)
    order: list[int] = []
    gate = threading.Event()

    def reply(request: RecordedRequest) -> str:
        (day, *_) = re.findall(r"on day (\d+),", request.text.partition("<scene>")[2])
        order.append(int(day))
        if len(order) == 3:
            gate.wait(20)
        return json.dumps({"name": f"Day {day}", "recap": {"developments": [f"Deed {day}."]}})

    with FakeLlm(reply) as llm:
        async with open_companion(
            user_folders(tmp_path / "own data"), llm=f"openai:{MODEL}@{llm.url}", watch=False
        ) as companion:
            fixed = {"memory_auto": False, "running_recap_auto": False, "scene_breaks_auto": True}
            for name, value in (fixed | {"scene_detector": "heuristic"}).items():
                await companion.put_setting(name, value)
            await companion.put_setting("context_tokens", 24_000)
            story = await companion.open_story(path)
            await asyncio.to_thread(llm.wait_for_request, 2)
            chat = companion._chats.required(path)

            def first_day_held() -> int:
                taken = companion._next_prompts.taken(path)
                assert taken is not None
                return -(-held_from(chat.story, chat.settings(), Turn(), taken) // A_DAY)

            first_held = first_day_held()
            assert A_DAY < first_held < DAYS - 6
            # Fewer messages fit from now on: scenes that are queued behind all others fall out.
            await companion.put_setting("context_tokens", 12_000)
            fallen = first_day_held()
            assert first_held + 4 < fallen < DAYS - 2
            gate.set()
            await companion.settled(path)
            assert len(story.messages) == len(told)
    if order[0] == 0:  # nobody knew yet what prompts hold
        del order[0]
    assert order[:5] == [first_held - 1 - n for n in range(5)]
    assert order[5:10] == [fallen - 1 - n for n in range(5)]
    assert len(set(order)) == len(order)
