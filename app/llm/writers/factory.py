"""Makes the writer of a backend's spec: a model, or the built-in way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from app.llm.backends.page_line import PageLine
from app.llm.writers.writer import RecapWriter

if TYPE_CHECKING:
    from app.llm.writers.asking import Generating
    from app.llm.writers.correction import Corrections
    from app.llm.writers.meter import Meter
    from app.story.scene_cues.language import LanguagePack


# 10 parameters: the one place where a writer is put together, by name.
def make_writer(
    spec: str,
    *,
    count_tokens: Callable[[str], int],
    api_key: str | None = None,
    prompts_dir: Path | None = None,
    context_tokens: int | None = None,
    page: PageLine | None = None,
    meter: Meter | None = None,
    corrections: Corrections | None = None,
    packs: Sequence[LanguagePack] = (),
    generating: Generating | None = None,
) -> RecapWriter:
    """The writer for a backend's spec. Opens no connection yet.

    api_key: of the server. prompts_dir: the user's own prompt
    files, each replacing the shipped one of its name. context_tokens: else what the server says.
    page: where SillyTavern's own connection is asked; without it that one is away. meter: hears of
    every request. corrections: what backends are known to count. packs: of the languages that
    answers are known by. generating: how long answers may be with their reasoning.
    Raises UsageError for a spec that makes no sense, PromptUnusable for a prompt file.
    """
    # Imported when needed: numpy for the one, the servers' side for the other.
    from app.llm.backends.factory import make_backend
    from app.llm.backends.specs import BUILTIN, parse_spec

    parsed = parse_spec(spec)
    if parsed.kind == BUILTIN:
        from app.llm.writers.builtin import BuiltinWriter

        return BuiltinWriter(count_tokens=count_tokens)
    from app.llm.prompts.prompt_files import load_prompts
    from app.llm.writers.asking import Asker
    from app.llm.writers.model_writer import ModelWriter

    backend = make_backend(parsed, api_key=api_key, context_tokens=context_tokens, page=page)
    prompts = load_prompts(prompts_dir)
    asker = Asker(
        backend,
        count_tokens=count_tokens,
        meter=meter,
        corrections=corrections,
        packs=packs,
        generating=generating,
    )
    return ModelWriter(asker, prompts)
