"""`tavernkeep`: the window without a command, a headless command with one."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from app.core.chosen_language import use_chosen
from app.core.translation import tr

COMMAND_SCREENSHOTS = "screenshots"


def main(arguments: Sequence[str] | None = None) -> int:
    """Open the window, render screenshots, or run a command; the exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    use_chosen(words)
    if words and words[0] == COMMAND_SCREENSHOTS:
        return _screenshots(words[1:])
    if words and not words[0].startswith("-"):
        # No Qt here: a headless machine may have none of its libraries.
        from app.commands import main as run_command

        return run_command(words)
    return _window(words)


def _window(words: list[str]) -> int:
    # With the commands, which are many modules, only for whoever asks.
    asks = bool({"-h", "--help"} & set(words))
    parser = argparse.ArgumentParser(
        prog="tavernkeep",
        usage="tavernkeep [OPTIONS] | tavernkeep COMMAND ...",
        description=tr("A memory for long SillyTavern stories. Opens the window."),
        epilog=_commands() if asks else "",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    own = _own_folder_words() if asks else ""
    parser.add_argument("--data-dir", type=Path, metavar="DIR", help=own)
    parser.add_argument("--tavern", type=Path, metavar="DIR", help=tr("SillyTavern's folder"))
    llm = tr(
        "use this model instead of the one in the settings: builtin (none), ollama:MODEL, "
        "openai:MODEL@URL"
    )
    parser.add_argument("--llm", metavar="SPEC", help=llm)
    parser.add_argument(
        "--chat", type=Path, metavar="FILE", help=tr("open this chat: its .jsonl file")
    )
    parser.add_argument(
        "--safe",
        action="store_true",
        help=tr("view only: no watching, no work, no bridge"),
    )
    try:
        options = parser.parse_args(words)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 2
    from ui.core.qt_features import forgo_qt_features

    forgo_qt_features()  # before all that it would look through
    from app.core.private_log import log_to_stderr
    from ui.program.application import WindowOptions, show_window

    log_to_stderr()
    return show_window(
        WindowOptions(
            options.data_dir, options.tavern, options.llm, options.chat, is_safe=options.safe
        )
    )


def _own_folder_words() -> str:
    from app.commands.entry import own_folder_words

    return own_folder_words()


def _commands() -> str:
    from app.commands.entry import command_lines

    lines = command_lines()
    width = max(len(name) for name, _ in lines)
    listed = "\n".join(f"  {name:{width}}  {help_}" for name, help_ in lines)
    more = tr("tavernkeep COMMAND --help explains a command.")
    return f"{tr('Commands that work without a window:')}\n{listed}\n\n{more}"


def _screenshots(words: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="tavernkeep screenshots",
        description=tr("Save a picture of every page, using the demo story."),
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help=tr("where to save the pictures"))
    parser.add_argument("--size", default="1360x860", metavar="WxH", help=tr("of the wide window"))
    parser.add_argument("--scale", type=float, default=1.0, help=tr("device pixels per pixel"))
    parser.add_argument("--contrast", default="normal", choices=("normal", "high"))
    parser.add_argument(
        "--only", nargs="+", default=(), metavar="NAME", help="pictures whose names begin so"
    )
    try:
        options = parser.parse_args(words)
        width, _, height = options.size.partition("x")
        size = (int(width), int(height))
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 2
    except ValueError:
        parser.print_usage(sys.stderr)
        return 2
    from ui.program.screenshots import PictureOptions, render

    return render(
        PictureOptions(options.folder, size, options.scale, options.contrast, tuple(options.only))
    )


if __name__ == "__main__":
    sys.exit(main())
