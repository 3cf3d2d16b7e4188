"""`tavernkeep prompts`: what models are told, ours or yours, and presets of yours."""

from __future__ import annotations

import argparse
import asyncio
import difflib
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from app.commands.chat_options import companion_for
from app.commands.terminal.output import show
from app.core.errors import UsageError
from app.core.translation import N_, retold, tr
from app.llm.prompts.prompt_presets import Conflict
from app.work.edits.prompt_edits import PromptEdits

HELP = N_("list, show, save, compare or revert prompts, and keep presets")
EXAMPLE = "prompts show scene_recap"

Printed = tuple[dict[str, Any], list[str]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command."""
    parser.add_argument(
        "subcommand", choices=tuple(_COMMANDS), metavar="SUBCOMMAND", help=tr(_EXPLAINED)
    )
    parser.add_argument(
        "what",
        nargs="?",
        metavar="TASK|FILE|PRESET",
        help=tr('the preset "" stands for your own prompts'),
    )
    parser.add_argument(
        "file",
        nargs="?",
        default="-",
        metavar="FILE",
        help=tr("save: your prompt (default: stdin)"),
    )
    parser.add_argument(
        "--replace", action="store_true", help=tr("keep: replace a preset of the same name")
    )
    parser.add_argument(
        "--conflict",
        choices=[conflict.value for conflict in Conflict],
        default=Conflict.KEEP.value,
        help=tr("import: what to do with a preset whose name is taken (default: keep)"),
    )


async def run(options: argparse.Namespace) -> None:
    """Do it, and print what is so then."""
    if options.subcommand not in _NEED_NOTHING and options.what is None:
        raise UsageError(
            tr(
                "Say what to {command}: tavernkeep prompts {command} ...",
                command=options.subcommand,
            )
        )
    async with companion_for(options) as companion:
        companion.work.pause()
        data, lines = await _COMMANDS[options.subcommand](companion.prompts, options)
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
    in_force = prompts.state.preset
    told = {True: N_("preset: {name}, in use"), False: N_("preset: {name}")}
    lines += [tr(told[name == in_force], name=name) for name in presets]
    folder = str(prompts.folder)
    return {"tasks": tasks, "presets": presets, "preset": in_force, "folder": folder}, lines


def _whose(task: dict[str, Any]) -> str:
    if task["problem"]:
        return tr("yours, unusable")
    if task["outdated"]:
        return tr("yours, original is newer")
    return tr("yours") if task["yours"] else tr("original")


async def _show(prompts: PromptEdits, options: argparse.Namespace) -> Printed:
    text = await prompts.text(options.what)
    return {"task": options.what, "text": text}, [text]


async def _save(prompts: PromptEdits, options: argparse.Namespace) -> Printed:
    text = await asyncio.to_thread(_text_in, options.file)
    saved = await prompts.save(options.what, text)
    sentence = (
        tr("Used from now on.")
        if saved.is_yours
        else tr("It is the same as the original, so the original is used.")
    )
    return {"task": saved.task, "yours": saved.is_yours}, [sentence]


def _text_in(file: str) -> str:
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(tr("The file is not UTF-8 text.")) from error


async def _diff(prompts: PromptEdits, options: argparse.Namespace) -> Printed:
    ours = (await prompts.shipped_text(options.what)).splitlines()
    yours = (await prompts.text(options.what)).splitlines()
    lines = list(difflib.unified_diff(ours, yours, "ours", "yours", lineterm=""))
    return {"task": options.what, "lines": lines}, lines or [tr("No difference from the original.")]


async def _check(prompts: PromptEdits, _options: argparse.Namespace) -> Printed:
    problems = list(prompts.state.problems)
    return {"problems": problems}, problems or [tr("All prompts can be used.")]


async def _keep(prompts: PromptEdits, options: argparse.Namespace) -> Printed:
    name = await prompts.save_preset(options.what, replace=options.replace)
    return {"preset": name}, [tr("Your prompts are saved as the preset {name}.", name=name)]


async def _delete(prompts: PromptEdits, options: argparse.Namespace) -> Printed:
    await prompts.delete_preset(options.what)
    return {"preset": options.what}, [tr("The preset {name} was deleted.", name=options.what)]


async def _undo(prompts: PromptEdits, _options: argparse.Namespace) -> Printed:
    label = await prompts.undo()
    return {"undone": label}, [
        tr("Undone: {command}.", command=retold(label)) if label else tr("Nothing to undo.")
    ]


async def _redo(prompts: PromptEdits, _options: argparse.Namespace) -> Printed:
    label = await prompts.redo()
    return {"redone": label}, [
        tr("Redone: {command}.", command=retold(label)) if label else tr("Nothing to redo.")
    ]


async def _revert(prompts: PromptEdits, options: argparse.Namespace) -> Printed:
    is_changed = await prompts.revert(options.what)
    sentence = (
        tr("The original is used again.") if is_changed else tr("It was already the original.")
    )
    return {"task": options.what, "changed": is_changed}, [sentence]


async def _export(prompts: PromptEdits, options: argparse.Namespace) -> Printed:
    data, path = await prompts.exported(), Path(options.what)
    await asyncio.to_thread(path.write_bytes, data)
    return {"file": str(path), "bytes": len(data)}, [tr("Your prompts are in {path}.", path=path)]


async def _import(prompts: PromptEdits, options: argparse.Namespace) -> Printed:
    data = await asyncio.to_thread(Path(options.what).read_bytes)
    done = await prompts.take_in(data, Conflict(options.conflict))
    rows = {"added": done.added, "replaced": done.replaced, "kept": done.kept}
    words = {"added": tr("added"), "replaced": tr("replaced"), "kept": tr("kept")}
    lines = [f"{words[key]}: {name}" for key, names in rows.items() for name in names]
    lines += [tr("not known here: {task}", task=task) for task in done.unknown]
    return {**rows, "unknown": done.unknown}, lines or [tr("The file contains no presets.")]


async def _use(prompts: PromptEdits, options: argparse.Namespace) -> Printed:
    await prompts.use_preset(options.what)
    sentence = (
        tr("In use: {name}.", name=options.what)
        if options.what
        else tr("In use: your own prompts.")
    )
    return {"preset": options.what, "folder": str(prompts.folder)}, [sentence]


_COMMANDS: dict[str, Callable[[PromptEdits, argparse.Namespace], Awaitable[Printed]]] = {
    "list": _list,
    "show": _show,
    "save": _save,
    "diff": _diff,
    "revert": _revert,
    "check": _check,
    "export": _export,
    "import": _import,
    "keep": _keep,
    "use": _use,
    "delete": _delete,
    "undo": _undo,
    "redo": _redo,
}
_NEED_NOTHING = ("list", "check", "undo", "redo")
_EXPLAINED = N_(
    "list; show, save, diff, revert TASK; check; export, import FILE; keep (your prompts as), "
    "use, delete PRESET; undo; redo"
)
