"""`tavernkeep model-test`: whether a model can keep the memory of a story."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from app.commands.terminal.output import show, warn
from app.core.errors import UsageError
from app.core.paths import user_folders
from app.core.translation import N_, number, tr
from app.llm.tokenizer import counter_for
from app.llm.writers.factory import make_writer
from app.llm.writers.memory_trial import try_memory
from app.views.memory_trial import MemoryTrial, TierTrial, words

HELP = N_("test how well a model keeps memories")
EXAMPLE = "model-test --llm openai:my-model@http://127.0.0.1:8080/v1"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command."""
    parser.add_argument(
        "--llm",
        metavar="SPEC",
        required=True,
        help="ollama:MODEL[@URL] or openai:MODEL@URL",
    )


async def run(options: argparse.Namespace) -> int:
    """Try every tier and print how it went; 1 when one of them gave nothing."""
    prompts = user_folders(options.data_dir).data / "prompts"
    writer = make_writer(options.llm, count_tokens=counter_for().count, prompts_dir=prompts)
    try:
        if writer.memory is None:
            raise UsageError(tr("There is no model to test. Name one, such as ollama:MODEL."))
        trial = await try_memory(writer.memory, _told)
    finally:
        await writer.aclose()
    show(options, trial_data(trial), _lines(trial))
    return 1 if any(t.error or t.is_empty for t in trial.tiers) else 0


def trial_data(trial: MemoryTrial) -> dict[str, Any]:
    """The whole trial."""
    return {
        "model": trial.label,
        "score": round(trial.score, 3),
        "verdict": trial.verdict,
        "tiers": [_tier_data(tier) for tier in trial.tiers],
    }


def _tier_data(trial: TierTrial) -> dict[str, Any]:
    return {
        "tier": trial.tier.value,
        "score": trial.score,
        "hint": trial.hint,
        "remarks": list(trial.remarks),
        "error": trial.error or None,
        "empty": trial.is_empty,
        "items": list(trial.items),
        "parsed": len(trial.items),
        "skipped": list(trial.skipped),
        "parse_rate": round(trial.parse_rate, 3),
        "seconds": round(trial.seconds, 2),
        "prompt_tokens": trial.prompt_tokens,
        "output_tokens": trial.output_tokens,
        "reasoning_characters": trial.reasoning_characters,
        "raw": trial.raw,
        "scenario": {
            "title": trial.scene.title,
            "characters": list(trial.scene.characters),
            "messages": [{"name": name, "mes": text} for name, text in trial.scene.lines],
        },
    }


def _told(trial: TierTrial) -> None:
    """Say that one is done, while the others take their time."""
    took = tr("{seconds} seconds", seconds=number(trial.seconds, 1))
    warn(f"{words(trial.tier)}: {trial.error or took}")


def _lines(trial: MemoryTrial) -> Iterator[str]:
    for tier in trial.tiers:
        name = words(tier.tier)
        yield f"{name[:1].upper()}{name[1:]}: {number(tier.score, 2)}"
        yield tr("  wanted: {hint}", hint=tr(tier.hint))
        yield tr(
            "  {n} entries, {share} of the lines read, {seconds} s, {characters} characters of "
            "reasoning",
            n=len(tier.items),
            share=f"{tier.parse_rate:.0%}",
            seconds=number(tier.seconds, 1),
            characters=tier.reasoning_characters,
        )
        yield from (f"  - {remark}" for remark in tier.remarks)
        yield from (f"    {item}" for item in tier.items)
        if tier.is_empty and tier.raw:
            yield from (f"    | {line}" for line in tier.raw.splitlines())
        yield ""
    yield trial.verdict
