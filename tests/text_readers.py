"""All that reads what a model, a page or a user wrote: text in, and what it tells out."""

from __future__ import annotations

from collections.abc import Callable

from app.llm.backends.reasoning import strip_reasoning, visible_text, without_fence
from app.llm.prompts.prompt_files import parse_prompt
from app.memory.documents.browsing import read_query as read_memory_query
from app.memory.documents.profiles import read_profiles
from app.memory.documents.summary import read_summary
from app.memory.lifecycle.decisions import read_word
from app.memory.reading.answers import as_prose, read_answer
from app.memory.reading.prose import prose
from app.memory.tiers.lines import read_lines
from app.sillytavern.bridge.bridge_protocol import decode
from app.sillytavern.extensions.stored_recap import display_text
from app.story.answers.lenient_json import find_object
from app.story.answers.stage_answers import read_extracted, read_filtered, read_lore, read_organised
from app.story.answers.task_answers import read_break, read_running, read_scene, read_sentence
from app.story.recap_texts.recap_text import parse_recap
from app.story.recap_texts.sentences import split_sentences, without_markup
from app.work.queries.search_query import read_query

READERS: dict[str, Callable[[str], object]] = {
    "reasoning": strip_reasoning,
    "half an answer": visible_text,
    "fence": without_fence,
    "memory lines": lambda text: list(read_lines(text)),
    "memory answer": read_answer,
    "memory answer in prose": as_prose,
    "decision": read_word,
    "profiles": lambda text: read_profiles(text, ("Mira", "Ana")),
    "prose": prose,
    "summary": read_summary,
    "scene recap": read_scene,
    "running recap": read_running,
    "scene break": lambda text: read_break(text, {1, 2, 3}),
    "sentence": read_sentence,
    "stage 1": read_extracted,
    "stage 2": read_organised,
    "stage 3": read_filtered,
    "lore": read_lore,
    "lenient JSON": lambda text: find_object(text, ("recap",)),
    "recap": parse_recap,
    "sentences": split_sentences,
    "markup": without_markup,
    "prompt file": lambda text: parse_prompt(text, "scene_recap"),
    "frame of a page": decode,
    "recap of another extension": display_text,
    "search in all chats": read_query,
    "search in memories": read_memory_query,
}
