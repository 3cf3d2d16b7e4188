"""Which tests carry a marker with numbers, as `pitfall(n)`, without importing any test."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

TESTS = Path(__file__).resolve().parent


def numbered_tests(marker: str) -> Mapping[int, list[str]]:
    """The tests of each number that the marker names, as "folder/file.py::test"."""
    found: defaultdict[int, list[str]] = defaultdict(list)
    for number, where in _marked(f"pytest.mark.{marker}"):
        found[number].append(where)
    return found


def _marked(mark: str) -> Iterator[tuple[int, str]]:
    for path in sorted(TESTS.rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        if f"@{mark}(" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            for call in node.decorator_list:
                if isinstance(call, ast.Call) and ast.unparse(call.func) == mark:
                    where = f"{path.relative_to(TESTS).as_posix()}::{node.name}"
                    yield from ((ast.literal_eval(number), where) for number in call.args)
