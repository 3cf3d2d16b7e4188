"""The settings of the tiered memory; defaults follow spec/smart-memory.md §5, §8, §12 and §20."""

from __future__ import annotations

from app.memory.records import LONG_TERM_TYPES, SESSION_TYPES
from app.setting import Scope, Section, Setting

AUTO = "auto"
ONE_REQUEST, SEPARATE = "one", "separate"
PROFILE_A, PROFILE_B = "a", "b"

CONSOLIDATE_AT = {"fact": 4, "relationship": 3, "preference": 3, "event": 4} | dict.fromkeys(
    SESSION_TYPES, 3
)


def _switch(name: str, label: str, help: str, *, default: bool = True) -> Setting:
    return Setting(name, default, label, help, scope=Scope.CHAT, section=Section.MEMORY)


def _number(name: str, default: int, label: str, help: str, minimum: int, maximum: int) -> Setting:
    return Setting(
        name,
        default,
        label,
        help,
        scope=Scope.CHAT,
        minimum=minimum,
        maximum=maximum,
        section=Section.MEMORY,
    )


MEMORY_SETTINGS: tuple[Setting, ...] = (
    _switch("memory_auto", "Remember by itself", "Extract memories while the story goes on."),
    _number(
        "memory_every",
        3,
        "Extract every",
        "Replies of the character between two readings; each reading is one request.",
        1,
        10,
    ),
    Setting(
        "memory_requests",
        AUTO,
        "Requests of a reading",
        "All tiers from one request, or one request for each. By itself: one for capable models.",
        scope=Scope.CHAT,
        section=Section.MEMORY,
        choices=(AUTO, ONE_REQUEST, SEPARATE),
        choice_words=("by itself", "one for all tiers", "one for each tier"),
    ),
    Setting(
        "hardware_profile",
        AUTO,
        "Profile",
        "A for small local models: fewer entries, fewer questions. B for capable ones.",
        section=Section.MEMORY,
        choices=(AUTO, PROFILE_A, PROFILE_B),
        choice_words=("by itself", "A, small local model", "B, capable model"),
    ),
    _switch("session_enabled", "This session", "Details that matter while this chat lasts."),
    _switch("longterm_enabled", "Long-term", "Facts, relationships, preferences and events."),
    _switch("relationships_enabled", "Relationships", "Who feels what toward whom."),
    _switch("arcs_enabled", "Story arcs", "Open threads of the plot, until they are resolved."),
    _switch("state_ledger_enabled", "State ledger", "Where people and things are, and how."),
    _switch("epistemic_enabled", "Who knows what", "Secrets, beliefs and what nobody told whom."),
    _switch("profiles_enabled", "Profiles", "A short portrait of each character, made of memory."),
    Setting(
        "profiles_every",
        0,
        "New profiles every",
        "Messages after which they are made anew also within a scene, with a capable model.",
        scope=Scope.CHAT,
        minimum=0,
        maximum=100,
        minimum_word="never",
        section=Section.MEMORY,
    ),
    _switch(
        "canon_auto",
        "Write canon by itself",
        "When an arc is resolved, with a capable model. Else only when asked.",
    ),
    _switch(
        "continuity_auto",
        "Check continuity by itself",
        "Compare each reply with what is remembered, with a capable model: one request for each.",
        default=False,
    ),
    _switch(
        "continuity_repair",
        "Repair by itself",
        "Put a correction into the next prompt when a contradiction was found.",
        default=False,
    ),
    _switch(
        "triggers_enabled",
        "Keywords",
        "Ask the model for words that call a memory up. Always with a capable model.",
        default=False,
    ),
    _number("session_max", 30, "Session memories", "Kept at most; the weakest go first.", 5, 60),
    _number("longterm_max", 25, "Long-term memories", "Kept at most, a quarter per type.", 5, 50),
    _number("arcs_max", 10, "Open arcs", "Kept at most, the newest.", 3, 20),
    _switch("consolidation_enabled", "Merge memories", "Fold what says the same into one."),
    *(
        _number(
            f"consolidate_{name}",
            CONSOLIDATE_AT[name],
            f"Merge {name} entries at",
            "So many new ones of this type.",
            2,
            8,
        )
        for name in (*LONG_TERM_TYPES, *SESSION_TYPES)
    ),
    Setting(
        "embeddings",
        "",
        "Embedding model",
        "Compares memories by meaning: ollama:MODEL[@URL] or openai:MODEL@URL. Empty: by words.",
        section=Section.MEMORY,
    ),
    _number(
        "summary_threshold",
        80,
        "Summarise at",
        "Percent of the context that messages without a summary may fill, where no running recap "
        "tells of them.",
        50,
        95,
    ),
    _number("summary_tokens", 2000, "Summary", "Tokens of the rolling summary.", 500, 3000),
    _switch("away_recap", "Previously on", "Tell what happened after a longer absence."),
    _number("away_hours", 4, "After", "Hours of absence.", 1, 48),
)
