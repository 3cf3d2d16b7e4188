"""`python -m tests.answers.blind STORY.json ... --out FOLDER`: pairs of prompts for a blind reader.

Of each story some moments: what the program puts into the next prompt, and what Smart Memory's
injection makes of the same memory with the same tokens, each with the newest messages that fit
beside it. Which is which stands in FOLDER/key.json alone.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from app.llm.tokenizer import counter_for
from tests.answers.looks import slots_for
from tests.answers.measure import Played, next_speaker, opened
from tests.answers.notes import notes_path, read_notes
from tests.answers.notes_model import NotesModel
from tests.answers.questions import told
from tests.answers.queue_server import CONTEXT
from tests.answers.rivals import Count, newest
from tests.answers.smart_memory import injected, moments_of, prompt_beside

OURS, THEIRS = "ours", "theirs"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.answers.blind", description=__doc__)
    parser.add_argument("stories", nargs="+", type=Path, metavar="STORY.json")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--moments", type=int, default=3)
    parser.add_argument("--memory", type=int, default=1000, help="tokens for what is remembered")
    parser.add_argument("--messages", type=int, default=1000, help="tokens for messages beside it")
    parser.add_argument("--seed", type=int, default=1, help="decides which of a pair stands first")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    asyncio.run(_lay(options))


async def _lay(options: argparse.Namespace) -> None:
    count = counter_for().count
    dice = random.Random(options.seed)
    key: dict[str, dict[str, Any]] = {}
    for path in options.stories:
        story = json.loads(path.read_text(encoding="utf-8"))
        model = NotesModel(story, read_notes(notes_path(path)), count)
        places = moments_of(story, options.moments)
        async with opened(story, model.reply, context=CONTEXT) as played:
            async for place in played.until_each(set(places), 3):
                pair = await _pair(played, place, options.memory, options.messages, count)
                order = [OURS, THEIRS]
                dice.shuffle(order)
                number = f"{len(key) + 1:02}"
                for letter, side in zip("AB", order, strict=True):
                    (options.out / f"{number}{letter}.txt").write_text(pair[side], encoding="utf-8")
                responder = next_speaker(story, place)
                written = _until(story, place, responder)
                (options.out / f"{number}-story.txt").write_text(written, encoding="utf-8")
                tokens = {side: count(text) for side, text in pair.items()}
                key[number] = {"story": path.stem, "place": place, "order": order, "tokens": tokens}
    (options.out / "key.json").write_text(json.dumps(key, indent=1), encoding="utf-8")


async def _pair(
    played: Played, place: int, memory: int, messages: int, count: Count
) -> Mapping[str, str]:
    """Both prompts of one moment."""
    responder = next_speaker(played.story, place)
    texts = told(played.story["messages"][: place + 1])
    slots = await slots_for(played, responder, memory + messages)
    ours = "\n\n".join(slot.text for slot in slots.slots if slot.text)
    view = played.companion.memory(played.chat)
    theirs = injected(view, responder, max(memory, slots.total_tokens), count)
    return {
        side: prompt_beside(text, newest(texts, memory + messages - count(text), count))
        for side, text in ((OURS, ours), (THEIRS, theirs))
    }


def _until(story: Mapping[str, Any], place: int, responder: str) -> str:
    """The story up to a moment, and who answers."""
    lines = told(story["messages"][: place + 1])
    numbered = (f"#{number} {line}" for number, line in enumerate(lines))
    return "\n\n".join((*numbered, f"=== {responder} answers next."))


if __name__ == "__main__":
    main()
