"""The whole window over a long chat with recaps and memories: what it takes of its thread."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.bench.table import FRAME_MS, IS_QUICK, Aim, Row

SIZES = (1_000,) if IS_QUICK else (10_000, 100_000)
TIMEOUT_SECONDS = 1_800
PAGES = ("story", "recaps", "memories", "minds", "budgets", "prompt", "work", "settings")
FRAME, HALF = Aim(most=FRAME_MS), Aim(most=FRAME_MS / 2)
LIST, TABLE = "bare QListView", "QSortFilterProxyModel"
# Between two frames of a screen, as it is felt: what is done in several pieces lets others between.
STILL = "longest piece"
SHOWN = (
    "In one piece the message is taken in and the page in front told; parted, the page would show "
    "a moment that never was."
)
SWITCHED = "The page takes in the rows of the other chat in one piece."
STEPS_LATE = "What a step began, the lines that fall out, may be drawn while a later one is taken."
RESET = "All rows are exchanged in one piece; Qt then lays the whole table out anew."

Figures = dict[str, dict[str, float]]


def measure() -> list[Row]:
    """For each length of the chat; each in processes of its own, so that memory can be told."""
    rows: list[Row] = []
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            _run("window_world", folder, str(size))
            ours, bare = _run("window_run", folder, str(size)), _run("window_rival", folder)
            rows += rows_of(size, ours, bare)
    return rows


def _run(module: str, *arguments: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", f"tests.bench.{module}", *arguments],
        stdout=subprocess.PIPE,
        timeout=TIMEOUT_SECONDS,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    return json.loads(done.stdout or b"{}")


def rows_of(size: int, ours: Figures, bare: dict[str, float]) -> list[Row]:
    """The table's rows of one length."""
    of, opened, memory = f"{size:,} messages", ours["open"], ours["memory"]
    alone = ours["message, no window"]
    rows = [
        Row(
            f"window, open to first paint ({of})",
            opened["all"],
            "parse its JSON, bare QListView",
            bare["open"],
        ),
        Row(
            f"the same, {STILL} of the window's thread",
            opened["longest"],
            aim=Aim(most=100),
            why="The page is made, and its modules are imported, in one piece.",
        ),
        _late("scroll by the wheel", of, ours["scroll"], bare["scroll"]),
        _late("jump by the scroll bar", of, ours["jump"], None),
        _still("find in chat", of, ours["find"], "each text by itself", bare["find"]),
        _still("search everywhere", of, ours["search"]),
        _still("filter 4,000 memories", of, ours["filter"], TABLE, bare["filter"], RESET),
        _still("sort 4,000 memories", of, ours["sort"], TABLE, bare["sort"], RESET),
        Row(f"slider, a step to its paint ({of})", ours["slider"]["mine"], aim=FRAME),
        Row("the same, for the first time", ours["slider first"]["mine"], aim=FRAME),
        Row(
            "the same, steps over a frame",
            ours["slider"]["late"],
            aim=Aim(most=1),
            why=STEPS_LATE,
            unit="%",
        ),
        _still("change to an open chat", of, ours["switch"], why=SWITCHED),
    ]
    for page in PAGES:
        ours_here = ours[f"message, {page}"]
        rows += [
            Row(
                f"new message, {page} in front, {STILL} ({of})",
                ours_here["longest"],
                LIST,
                bare["message"],
                FRAME,
                SHOWN,
            ),
            Row(
                f"the same, all of the window's thread beyond no window ({page})",
                max(0.0, ours_here["mine"] - alone["mine"]),
                "without a window",
                alone["mine"],
            ),
        ]
    rows += [
        Row(f"memory, chat opened, above an empty window ({of})", memory["opened"], unit="MB"),
        Row(f"memory, all pages used ({of})", memory["used"], unit="MB"),
    ]
    return rows


def _late(deed: str, of: str, frames: dict[str, float], bare: float | None) -> Row:
    worst = f"median {frames['median']:.2g} ms, worst {frames['worst']:.3g} ms"
    rival = "" if bare is None else f"{LIST}: median {bare:.2g} ms"
    return Row(
        f"{deed}, frames over 16.7 ms ({of}; {worst})",
        frames["late"],
        rival,
        aim=Aim(most=1),
        unit="%",
    )


def _still(
    deed: str,
    of: str,
    taken: dict[str, float],
    rival: str = "",
    bare: float | None = None,
    why: str = "",
) -> Row:
    whole = f"{taken['mine']:.3g} ms in all"
    work = f"{deed}, {STILL} ({of}; {whole})"
    return Row(work, taken["longest"], rival, bare, FRAME, why=why)
