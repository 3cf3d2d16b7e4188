"""What commands print: one JSON object, or lines for people."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import Any

import msgspec


def show(options: argparse.Namespace, data: dict[str, Any], lines: Iterable[str]) -> None:
    """Print `data` with --json, else the lines."""
    if options.json:
        text = msgspec.json.format(msgspec.json.encode(data), indent=2).decode()
    else:
        text = "\n".join(lines)
    # A terminal that cannot show a sign must not end the command.
    sys.stdout.buffer.write(text.encode("utf-8", "replace") + b"\n")
    sys.stdout.buffer.flush()


def warn(sentence: str) -> None:
    """Tell of something that did not keep the command from going on."""
    print(f"tavernkeep: {sentence}", file=sys.stderr)
