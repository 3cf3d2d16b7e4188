"""Which of Smart Memory's settings the user changed (spec/smart-memory.md §15, §16 and §20)."""

from __future__ import annotations

import contextlib
import json
import re
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import UsageError
from app.settings.values import REGISTRY
from app.sillytavern.extensions.smart_memory_settings import (
    _SAME,
    _SLOTS,
    _WITHOUT,
    ChangedSettings,
    changed_settings,
)
from tests.app.sillytavern.extensions.test_memory_books import ODD

# As version 1.8 writes them all, at their defaults.
DEFAULTS: dict[str, Any] = {
    **{name: default for name, (default, _) in _SAME.items()},
    **_WITHOUT,
    "longterm_extract_every": 3,
    "session_extract_every": 3,
    "enabled": True,
    **{f"{name}_position": position for name, _, position, _ in _SLOTS},
    **{f"{name}_depth": depth for name, _, _, depth in _SLOTS},
    **{f"{name}_role": 0 for name, *_ in _SLOTS},
}


SPEC = Path(__file__).parents[4] / "resources" / "spec" / "smart-memory.md"
SAID = re.compile(r"(?:^|· |\n)([a-z]+(?:_[a-z]+)+) (true|false|\d+)(?= ·|\s|$)")
BUDGET = re.compile(r"`([a-z_]+?)_?(?:inject_budget|response_length)?_?` (\d+)")


def read(**changes: Any) -> ChangedSettings:
    return changed_settings({"smart_memory": {**DEFAULTS, **changes}})


def test_what_stands_at_its_default_is_nobodys_wish() -> None:
    assert read() == ChangedSettings()
    assert changed_settings({}) == ChangedSettings()


def test_defaults_there_are_those_that_are_written_down_of_it() -> None:
    text = SPEC.read_text(encoding="utf-8")
    (others,) = re.findall(r"^## 20\..*?(?=^## 21\.)", text, re.MULTILINE | re.DOTALL)
    said = {name: json.loads(value) for name, value in SAID.findall(others)}
    budgets = dict(BUDGET.findall(re.search(r"\*\*TK1 .*", text)[0]))  # type: ignore[index]
    said |= {f"{name}_inject_budget": int(value) for name, value in budgets.items()}
    held: dict[str, Any] = {name: default for name, (default, _) in _SAME.items()}
    held |= _WITHOUT
    both = said.keys() & held.keys()
    assert len(both) > 25
    assert {name: held[name] for name in both} == {name: said[name] for name in both}


def test_changes_come_under_our_names() -> None:
    found = read(
        arcs_enabled=False,
        longterm_max_memories=40,
        scene_depth=2,
        session_template="Details:\n{{session}}",
        session_extract_every=1,
        macros_enabled=True,
        longterm_consolidation_threshold_fact=6,
    )
    assert found.values == {
        "arcs_enabled": False,
        "longterm_max": 40,
        "slot_scenes_depth": 2,
        "slot_session_template": "Details:\n{{session}}",
        "memory_every": 1,
        "slots_macros": "forced",
        "consolidate_fact": 6,
    }


def test_budgets_of_single_slots_hold_only_where_each_has_its_own() -> None:
    assert read(arcs_inject_budget=900).values == {"budget_arcs": 900, "budget_mode": "advanced"}


def test_servers_keys_and_answer_lengths_are_counted_and_not_told() -> None:
    found = read(source="ollama", openai_compat_key="a word", canon_response_length=900)
    assert found == ChangedSettings({}, 3)


def test_every_counterpart_is_a_setting_of_ours_that_takes_the_default() -> None:
    for default, names in _SAME.values():
        for name in names:
            assert REGISTRY[name].checked(default) == default
    changed = read(**{f"{name}_{part}": 9 for name, *_ in _SLOTS for part in ("depth", "role")})
    assert changed.values.keys() <= REGISTRY.keys()


@given(st.dictionaries(st.sampled_from([*DEFAULTS, "macros_enabled"]), ODD))
def test_odd_values_are_refused_or_fit(odd: dict[str, Any]) -> None:
    for name, value in read(**odd).values.items():
        with contextlib.suppress(UsageError):
            REGISTRY[name].checked(value)


@given(ODD)
def test_odd_data_change_nothing(odd: Any) -> None:
    assert changed_settings({"smart_memory": odd}).values == {}
