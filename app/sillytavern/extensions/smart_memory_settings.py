"""Which settings of Smart Memory were changed by the user, under the names that ours have. Pure.

Names and defaults: its public code (1.8) and spec/smart-memory.md §15, §16 and §20. What stands at
its default is nobody's wish: there our own defaults hold. Its model's server, key and lengths of
answers have no counterpart: the model is chosen here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.sillytavern.extensions import loose_json as loose
from app.sillytavern.extensions.loose_json import Json
from app.sillytavern.extensions.smart_memory import SETTINGS_KEY

LONGEST_TEXT = 4_000  # characters of a template

# Name there: its default there, and the names here.
_SAME: Mapping[str, tuple[Any, tuple[str, ...]]] = {
    "compaction_threshold": (80, ("summary_threshold",)),
    "compaction_response_length": (2000, ("summary_tokens", "budget_short")),
    "consolidation_enabled": (True, ("consolidation_enabled",)),
    **{
        f"longterm_consolidation_threshold_{kind}": (least, (f"consolidate_{kind}",))
        for kind, least in (("fact", 4), ("relationship", 3), ("preference", 3), ("event", 4))
    },
    **{
        f"session_consolidation_threshold_{kind}": (3, (f"consolidate_{kind}",))
        for kind in ("scene", "revelation", "development", "detail")
    },
    "longterm_enabled": (True, ("longterm_enabled",)),
    "longterm_max_memories": (25, ("longterm_max",)),
    "longterm_inject_budget": (500, ("budget_long",)),
    "longterm_triggers_enabled": (False, ("triggers_enabled",)),
    "session_enabled": (True, ("session_enabled",)),
    "session_max_memories": (30, ("session_max",)),
    "session_inject_budget": (400, ("budget_session",)),
    "scene_enabled": (True, ("scenes_enabled",)),
    "scene_max_history": (5, ("scenes_shown",)),
    "scene_min_messages": (3, ("scene_minimum_length",)),
    "scene_inject_budget": (300, ("budget_scenes",)),
    "arcs_enabled": (True, ("arcs_enabled",)),
    "arcs_max": (10, ("arcs_max",)),
    "arcs_inject_budget": (700, ("budget_arcs",)),
    "canon_enabled": (True, ("canon_enabled",)),
    "canon_inject_budget": (800, ("budget_canon",)),
    "profiles_enabled": (True, ("profiles_enabled",)),
    "profiles_regen_every": (0, ("profiles_every",)),
    "profiles_stale_threshold_minutes": (30, ("profiles_stale",)),
    "profiles_inject_budget": (400, ("budget_profiles",)),
    "relationships_enabled": (True, ("relationships_enabled",)),
    "relationships_inject_budget": (250, ("budget_relationships",)),
    "epistemic_enabled": (True, ("epistemic_enabled",)),
    "epistemic_inject_budget": (200, ("budget_epistemic",)),
    "epistemic_inject_unaware": (True, ("epistemic_unaware",)),
    "epistemic_secondhand_framing": (True, ("secondhand_marked",)),
    "state_ledger_enabled": (False, ("state_ledger_enabled",)),
    "state_ledger_inject_budget": (200, ("budget_state_ledger",)),
    "recap_enabled": (True, ("away_recap",)),
    "recap_threshold_hours": (4, ("away_hours",)),
    "continuity_auto_check": (True, ("continuity_auto",)),
    "continuity_auto_repair": (False, ("continuity_repair",)),
    "unified_injection": (False, ("slots_unified",)),
    "auto_tune_budgets": (False, ("budgets_auto_tune",)),
    "injection_refresh_period": (1, ("slots_refresh_every",)),
    "generation_budget": (8192, ("generation_budget",)),
    "hardware_profile": ("auto", ("hardware_profile",)),
}
# Of each slot: its name there and here, and the position and depth that it has there at first.
_SLOTS = (
    *(("compaction", "short", 0, 0), ("longterm", "long", 0, 2), ("session", "session", 1, 3)),
    *(("scene", "scenes", 1, 6), ("arcs", "arcs", 1, 2), ("canon", "canon", 0, 0)),
    *(("profiles", "profiles", 0, 1), ("relationships", "relationships", 1, 5)),
    *(("epistemic", "epistemic", 1, 1), ("state_ledger", "state_ledger", 1, 1)),
)
_TEMPLATES = {
    "compaction": "Story so far:\n{{summary}}",
    "longterm": "Memories from previous conversations:\n{{memories}}",
    "session": "Details from this session:\n{{session}}",
    "canon": "Character history:\n{{canon}}",
    "profiles": "{{profiles}}",
    "relationships": "Relationship history:\n{{relationships}}",
}
_WITHOUT: Mapping[str, Any] = {
    "source": "main",
    "ollama_url": "http://localhost:11434",
    "ollama_model": "",
    "openai_compat_url": "",
    "openai_compat_key": "",
    "openai_compat_model": "",
    "connection_profile_id": "",
    "longterm_response_length": 600,
    "session_response_length": 500,
    "scene_summary_length": 200,
    "arcs_response_length": 400,
    "arc_summary_response_length": 300,
    "canon_response_length": 600,
    "recap_response_length": 300,
    "continuity_response_length": 300,
    "profiles_response_length": 600,
    "embedding_enabled": True,
    "embedding_url": "",
    "embedding_model": "nomic-embed-text",
}
EVERY = 3  # replies between two readings, of both kinds


@dataclass(frozen=True, slots=True)
class ChangedSettings:
    """values: by our names, as they stand there; nobody has looked whether they fit. left_out: how
    many others the user changed that have no counterpart here.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    left_out: int = 0


def changed_settings(extension_settings: Json) -> ChangedSettings:
    """What the user changed, of SillyTavern's `extension_settings`."""
    held = loose.object_at(extension_settings, SETTINGS_KEY)
    values: dict[str, Any] = {}
    for name, (default, ours) in _SAME.items():
        if _differs(held, name, default):
            values |= dict.fromkeys(ours, held[name])
    for name, slot, position, depth in _SLOTS:
        there = {"position": position, "depth": depth, "role": 0, "template": _TEMPLATES.get(name)}
        for part, default in there.items():
            if default is not None and _differs(held, f"{name}_{part}", default):
                values[f"slot_{slot}_{part}"] = held[f"{name}_{part}"]
    every = [
        held[name]
        for name in ("longterm_extract_every", "session_extract_every")
        if loose.is_number(held.get(name))
    ]
    if every and min(every) != EVERY:
        values["memory_every"] = min(every)
    if held.get("macros_enabled") is True:
        values["slots_macros"] = "forced"
    if held.get("scene_ai_detect") is True:
        values["scene_detector"] = "model"
    if any(name.startswith("budget_") for name in values):
        values["budget_mode"] = "advanced"
    left_out = sum(_differs(held, name, default) for name, default in _WITHOUT.items())
    return ChangedSettings(values, left_out)


def _differs(held: Json, name: str, default: Any) -> bool:
    """Whether a setting is there, of the kind that it should be, and not at its default."""
    value = held.get(name)
    if isinstance(default, bool):
        return isinstance(value, bool) and value is not default
    if isinstance(default, int):
        return loose.is_number(value) and value != default
    return isinstance(value, str) and len(value) <= LONGEST_TEXT and value != default
