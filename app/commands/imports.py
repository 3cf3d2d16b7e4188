"""`tavernkeep imports`: what other memory extensions left of a chat, and taking it in."""

from __future__ import annotations

import argparse

from app.commands.chat_options import add_chat, companion_for
from app.commands.terminal.output import show
from app.core.errors import UsageError
from app.core.translation import N_, tr, trn
from app.views.findings import Finding
from app.views.offered_settings import TheirSettings

HELP = N_("show what other memory extensions left in a chat, and take it over")
EXAMPLE = 'imports "My chat.jsonl"'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command."""
    add_chat(parser)
    parser.add_argument(
        "--yes", action="store_true", help=tr("take it over; without it, only show what there is")
    )
    parser.add_argument(
        "--settings",
        action="store_true",
        help=tr("with --yes: also import the settings of Smart Memory"),
    )


async def run(options: argparse.Namespace) -> int:
    """Print what is not known here, by extension, and what of it cannot be taken in; with --yes it
    is taken in. It can be undone in the window.

    Raises UsageError when another program works in the data folder.
    """
    async with companion_for(options, keeps_memory=True) as companion:
        companion.work.pause()  # what is made of it is for the program that looks after the chat
        path = companion.find_chat(options.chat)
        await companion.open_story(path)
        await companion.settled(path)
        if options.yes and companion.is_reading_only:
            raise UsageError(tr("Another Tavernkeep is using this data folder: import it there."))
        extension = companion.edits.extension
        found = await (extension.take_in(path) if options.yes else extension.found(path))
        theirs, takes_settings = companion.their_settings, options.yes and options.settings
        settings = await (theirs.take_over(path) if takes_settings else theirs.found(path))
    lines = [line for finding in found.of for line in _lines(finding)]
    lines += _settings_lines(settings, is_taken=takes_settings)
    if not found and not settings:
        lines.append(tr("Nothing to import: everything is already known here."))
    elif not options.yes:
        lines.append(tr("Nothing was changed. Add --yes to import all this."))
    elif found or takes_settings:
        lines.append(tr("Imported. Undo in the window reverses it."))
    data = {
        "taken_in": bool(options.yes and found),
        "found": [_data(one) for one in found.of],
        "settings": settings.values,
        "settings_taken": bool(takes_settings and settings),
        "settings_left_out": settings.left_out,
    }
    show(options, data, lines)
    return 0


def _lines(finding: Finding) -> list[str]:
    taken = [f"{finding.whose}: {part}" for part in finding.parts]
    return taken + [
        tr("{extension}, not imported: {reason}", extension=finding.whose, reason=reason)
        for reason in finding.reasons
    ]


def _settings_lines(settings: TheirSettings, *, is_taken: bool) -> list[str]:
    lines = [
        tr("Smart Memory: setting “{label}” differs there", label=label)
        for label in settings.labels
    ]
    if settings and not is_taken:
        lines.append(tr("Settings are imported only with --yes --settings."))
    if settings.left_out:
        lines.append(
            trn(
                "{n} more setting of Smart Memory has no counterpart here.",
                "{n} more settings of Smart Memory have no counterpart here.",
                settings.left_out,
            )
        )
    return lines


def _data(finding: Finding) -> dict[str, object]:
    left = finding.left
    return {
        "extension": finding.whose,
        "scene_breaks": len(left.breaks),
        "hidden_breaks": len(left.hidden),
        "scene_recaps": len(left.scene_recaps),
        "running_recaps": len(left.running),
        "message_recaps": len(left.message_recaps),
        "memories": len(finding.memories.memories),
        "left_out": {why.value: count for why, count in finding.left_out.items()},
    }
