"""`tavernkeep prompts`: what models are told, ours or yours, and presets of yours."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from app.commands.chat_options import companion_for
from app.commands.output import show
from app.errors import UsageError
from app.llm.prompt_presets import Conflict
from app.work.prompt_edits import PromptEdits

HELP = "list prompts, show or revert one, export or import yours, use a preset"

Printed = tuple[dict[str, Any], list[str]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command."""
    parser.add_argument("deed", choices=tuple(_DEEDS))
    parser.add_argument(
        "what", nargs="?", metavar="TASK|FILE|PRESET", help='a preset "" is your own prompts'
    )
    parser.add_argument(
        "--conflict",
        choices=[conflict.value for conflict in Conflict],
        default=Conflict.KEEP.value,
        help="import: what becomes of a preset whose name is taken (default: keep)",
    )


async def run(options: argparse.Namespace) -> None:
    """Do it, and print what is so then."""
    if options.deed != "list" and options.what is None:
        raise UsageError(f"Say what to {options.deed}: tavernkeep prompts {options.deed} ...")
    async with companion_for(options) as companion:
        companion.pause()
        data, lines = await _DEEDS[options.deed](companion.prompts, options)
    show(options, data, lines)


async def _list(prompts: PromptEdits, options: argparse.Namespace) -> Printed:
    tasks = [
        {
            "task": task.task,
            "title": task.title,
            "version": task.version,
            "inputs": list(task.inputs),
            "output": task.output,
            "yours": task.is_yours,
            "outdated": task.is_outdated,
            "problem": task.problem,
        }
        for task in await prompts.tasks()
    ]
    presets = list(await prompts.presets())
    lines = [f"{_whose(task):<22} {task['task']:<16} {task['title']}" for task in tasks]
    lines += [str(task["problem"]) for task in tasks if task["problem"]]
    lines += [f"preset: {name}" for name in presets]
    return {"tasks": tasks, "presets": presets, "folder": str(prompts.folder)}, lines


def _whose(task: dict[str, Any]) -> str:
    if task["problem"]:
        return "yours, unusable"
    if task["outdated"]:
        return "yours, ours is newer"
    return "yours" if task["yours"] else "ours"


async def _show(prompts: PromptEdits, options: argparse.Namespace) -> Printed:
    text = await prompts.text(options.what)
    return {"task": options.what, "text": text}, [text]


async def _revert(prompts: PromptEdits, options: argparse.Namespace) -> Printed:
    is_changed = await prompts.revert(options.what)
    sentence = "Ours is in force again." if is_changed else "It was ours already."
    return {"task": options.what, "changed": is_changed}, [sentence]


async def _export(prompts: PromptEdits, options: argparse.Namespace) -> Printed:
    data, path = await prompts.exported(), Path(options.what)
    await asyncio.to_thread(path.write_bytes, data)
    return {"file": str(path), "bytes": len(data)}, [f"Your prompts are in {path}."]


async def _import(prompts: PromptEdits, options: argparse.Namespace) -> Printed:
    data = await asyncio.to_thread(Path(options.what).read_bytes)
    done = await prompts.take_in(data, Conflict(options.conflict))
    rows = {"added": done.added, "replaced": done.replaced, "kept": done.kept}
    lines = [f"{word}: {name}" for word, names in rows.items() for name in names]
    lines += [f"not known here: {task}" for task in done.unknown]
    return {**rows, "unknown": done.unknown}, lines or ["The file holds no presets."]


async def _use(prompts: PromptEdits, options: argparse.Namespace) -> Printed:
    await prompts.use_preset(options.what)
    sentence = f"In force: {options.what}." if options.what else "In force: your own prompts."
    return {"preset": options.what, "folder": str(prompts.folder)}, [sentence]


_DEEDS: dict[str, Callable[[PromptEdits, argparse.Namespace], Awaitable[Printed]]] = {
    "list": _list,
    "show": _show,
    "revert": _revert,
    "export": _export,
    "import": _import,
    "use": _use,
}
