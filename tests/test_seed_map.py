"""Each box and feature that the program set out to have has a test and a place in its table.

The table, data/seed_map.toml, names a test that shows it, or several that do so together, and the
place where a user finds it.
What is partly there is listed with its gap, which the run prints.
"""

from __future__ import annotations

import ast
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

from app.settings.values import REGISTRY

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent

BOXES = (
    "EV1 EV2 EV3 EV4 OR1 OR2 OR3 GO GT PROFILE-A PROFILE-B PC PS PE PB1 PB2 PB3 PB4 PD1 PD2 PD3 "
    "DE1 DE2 DE3 DE4 DE5 DE6 DE7 CN1 CN2 CN3 CN-L1 CN-L2 CN-L3 CN-L4 CN-S1 CN-S2 CN-S3 CN-S4 "
    "SP1 SP2 SP3 SP4 SC1 SC2 SC4 SC6 MIG TK1 TK2 TK3 TK4 IJ1 IJ2 IJ3 IJ4 IJ5 IJ6 IJ7 IJ8 IJ9 "
    "IJ10 IJ11 IJ12 IJ13 MA1 MA2a MA2b MA3 RECAP MTEST"
)
FEATURES = (
    "000-flow-1 000-flow-2 000-flow-3 000-flow-4 000-flow-5 000-flow-6 000-flow-7 000-flow-8 "
    "000-persistence 001-triggers 001-manual-refresh 001-injection-settings 001-switches "
    "001-message-recaps 002-refresh 002-debounce 002-template 002-empty 002-exclusion "
    "002-placement 002-clearing 003-set-get 003-safe-access 003-scene-breaks 003-clear "
    "003-swipes 003-saves 003-get-memory 003-edit-memory 003-previous-swipe"
)
WITH_GAPS: set[str] = set()
TABLE = tomllib.loads((TESTS / "data" / "seed_map.toml").read_text(encoding="utf-8"))
ROWS = TABLE["boxes"] | TABLE["features"]


@cache
def _tests_of(path: Path) -> frozenset[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, kinds))


def _is_there(place: str) -> bool:
    kind, _, name = place.partition(": ")
    if kind == "page":
        return (ROOT / "ui" / name / "page.py").is_file()
    if kind == "setting":
        return name in REGISTRY
    if kind == "slash":
        commands = (ROOT / "resources" / "bridge" / "commands.js").read_text(encoding="utf-8")
        return f"name: '{name}'" in commands
    if kind == "bridge":
        return (ROOT / "resources" / "bridge" / name).is_file()
    return kind == "command" and (ROOT / "app" / "commands" / f"{name}.py").is_file()


def test_the_table_has_every_box_and_every_feature() -> None:
    assert set(TABLE["boxes"]) == set(BOXES.split())
    assert set(TABLE["features"]) == set(FEATURES.split())


@pytest.mark.parametrize("name", sorted(ROWS))
def test_each_has_a_test_and_a_place(name: str) -> None:
    row = ROWS[name]
    for named in [row["test"]] if isinstance(row["test"], str) else row["test"]:
        file, _, test = named.partition("::")
        assert (TESTS / file).is_file(), file
        assert test in _tests_of(TESTS / file), named
    assert _is_there(row["place"]), row["place"]


def test_what_has_a_gap_is_known_and_printed() -> None:
    gaps = {name: row["gap"] for name, row in ROWS.items() if "gap" in row}
    sys.stdout.writelines(f"{name}: {gap}\n" for name, gap in gaps.items())
    assert gaps.keys() == WITH_GAPS
    assert all(gaps.values())
