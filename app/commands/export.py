"""`tavernkeep export`: the story bible as a file, memories as a lorebook."""

from __future__ import annotations

import argparse
from pathlib import Path

from app.commands.chat_options import (
    add_chat,
    add_llm,
    add_until,
    checked_until,
    companion_for,
    warn_of_problems,
)
from app.commands.terminal.output import show, warn
from app.commands.terminal.progress_line import progress_shown
from app.core.errors import UsageError
from app.core.translation import N_, tr
from app.memory.documents.bible_files import BibleFormat

HELP = N_("write the story bible of a chat, or its memories as a lorebook")
EXAMPLE = 'export "My chat.jsonl" --bible story.html'
FORMS = {".md": BibleFormat.MARKDOWN, ".html": BibleFormat.HTML, ".htm": BibleFormat.HTML}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command."""
    add_chat(parser)
    add_llm(parser)
    add_until(parser)
    parser.add_argument(
        "--bible", type=Path, metavar="FILE", help=tr("write the story bible: FILE.md or FILE.html")
    )
    parser.add_argument(
        "--lorebook",
        type=Path,
        metavar="FILE",
        help=tr("write memories as SillyTavern's World Info"),
    )
    parser.add_argument(
        "--spoiler-free",
        action="store_true",
        help=tr("leave out what the character that you play does not know"),
    )
    parser.add_argument("--replace", action="store_true", help=tr("overwrite an existing file"))


async def run(options: argparse.Namespace) -> int:
    """Make the files; 1 when something of the chat could not be read or remembered."""
    until = checked_until(options)
    form = _form(options.bible)
    targets = [target for target in (options.bible, options.lorebook) if target is not None]
    if not targets:
        raise UsageError(tr("Say what to write: --bible FILE, --lorebook FILE, or both."))
    for target in targets:  # before anything is paid for
        if target.exists() and not options.replace:
            raise UsageError(tr("{target} already exists; --replace overwrites it.", target=target))
    async with companion_for(options, keeps_memory=True) as companion:
        path = companion.find_chat(options.chat)
        with progress_shown(companion, path, until=until):
            await companion.open_story(path, until=until)
            story, failures = await companion.finished(path, until=until)
        wishes = {"until": until, "for_player": options.spoiler_free}
        if options.bible is not None:
            data = await companion.exports.bible(path, form, **wishes)
            await companion.files.write(options.bible, data, may_replace=options.replace)
        if options.lorebook is not None:
            data = await companion.exports.lorebook(path, **wishes)
            await companion.files.write(options.lorebook, data, may_replace=options.replace)
    warn_of_problems(story)
    for sentence in failures:
        warn(sentence)
    written = [str(target) for target in targets]
    show(options, {"written": written}, (tr("Written: {name}", name=name) for name in written))
    return 1 if failures else 0


def _form(target: Path | None) -> BibleFormat:
    """What its ending asks for. Raises UsageError for another one."""
    if target is None:
        return BibleFormat.MARKDOWN
    form = FORMS.get(target.suffix.lower())
    if form is None:
        raise UsageError(tr("--bible takes the name of a .md or a .html file."))
    return form
