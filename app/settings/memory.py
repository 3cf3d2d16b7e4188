"""The settings of the tiered memory; defaults follow spec/smart-memory.md §5, §8, §12 and §20."""

from __future__ import annotations

from app.core.translation import N_
from app.memory.records import LONG_TERM_TYPES, SESSION_TYPES, Tier
from app.memory.tiers.table import TIERS
from app.settings.groups import Group, Several, settings_of
from app.settings.setting import Scope, Section, Setting

AUTO = "auto"
ONE_REQUEST, SEPARATE = "one", "separate"
PROFILE_A, PROFILE_B = "a", "b"

CONSOLIDATE_AT = {"fact": 4, "relationship": 3, "preference": 3, "event": 4} | dict.fromkeys(
    SESSION_TYPES, 3
)

_TYPE_WORDS = {
    "fact": N_("fact"),
    "relationship": N_("relationship"),
    "preference": N_("preference"),
    "event": N_("event"),
    "scene": N_("scene"),
    "revelation": N_("revelation"),
    "development": N_("development"),
    "detail": N_("detail"),
}


def _switch(name: str, label: str, help: str, *, default: bool = True) -> Setting[bool]:
    return Setting(name, default, label, help, scope=Scope.CHAT, section=Section.MEMORY)


def _number(
    name: str, default: int, label: str, help: str, minimum: int, maximum: int
) -> Setting[int]:
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


def _tier(tier: Tier) -> Setting[bool]:
    words = TIERS[tier].words
    return _switch(
        f"{tier.value}_enabled", words.switch or words.name, words.switch_help or words.purpose
    )


class MemorySettings(Group):
    """What is remembered beside the recaps, and how it is kept."""

    memory_auto = _switch(
        "memory_auto", N_("Remember automatically"), N_("Extract memories while the story goes on.")
    )
    memory_every = _number(
        "memory_every",
        4,
        N_("Replies between readings"),
        N_(
            "Replies of the character between two readings; each reading is one request. Long "
            "messages are read sooner, before the prompt has no room for them."
        ),
        1,
        10,
    )
    memory_requests = Setting(
        "memory_requests",
        AUTO,
        N_("Requests of a reading"),
        N_(
            "All tiers from one request, or one request for each. By itself: one for capable "
            "models."
        ),
        scope=Scope.CHAT,
        section=Section.MEMORY,
        choices=(AUTO, ONE_REQUEST, SEPARATE),
        choice_words=(N_("by itself"), N_("one for all tiers"), N_("one for each tier")),
    )
    hardware_profile = Setting(
        "hardware_profile",
        AUTO,
        N_("Strength of the model"),
        N_("A for small local models: fewer entries, fewer questions. B for capable ones."),
        section=Section.MEMORY,
        choices=(AUTO, PROFILE_A, PROFILE_B),
        choice_words=(N_("by itself"), N_("A, small local model"), N_("B, capable model")),
    )
    tiers_enabled = Several(_tier(tier) for tier in Tier)
    profiles_enabled = _switch(
        "profiles_enabled",
        N_("Profiles"),
        N_("A short portrait of each character, made of memory."),
    )
    profiles_every = Setting(
        "profiles_every",
        0,
        N_("Messages between new profiles"),
        N_("Messages after which they are made anew also within a scene, with a capable model."),
        scope=Scope.CHAT,
        minimum=0,
        maximum=100,
        minimum_word=N_("never"),
        section=Section.MEMORY,
    )
    profiles_stale = Setting(
        "profiles_stale",
        0,
        N_("Profiles are stale after"),
        N_("Minutes after which the next message has them made anew, where more is known by then."),
        scope=Scope.CHAT,
        minimum=0,
        maximum=120,
        minimum_word=N_("never"),
        section=Section.MEMORY,
    )
    canon_auto = _switch(
        "canon_auto",
        N_("Write canon automatically"),
        N_("When an arc is resolved, with a capable model. Else only when asked."),
    )
    continuity_auto = _switch(
        "continuity_auto",
        N_("Check continuity automatically"),
        N_(
            "Compare each reply with what is remembered, with a capable model: one request for "
            "each."
        ),
        default=False,
    )
    continuity_repair = _switch(
        "continuity_repair",
        N_("Correct the story automatically"),
        N_("Put a correction into the next prompt when a contradiction was found."),
        default=False,
    )
    upkeep_enabled = _switch(
        "upkeep_enabled",
        N_("Look through what is open"),
        N_(
            "At scene ends, every forty messages or so, ask a capable model which open threads, "
            "secrets, states and feelings no longer hold."
        ),
    )
    triggers_enabled = _switch(
        "triggers_enabled",
        N_("Keywords"),
        N_("Ask the model for words that call a memory up. Always with a capable model."),
        default=False,
    )
    session_max = _number(
        "session_max", 30, N_("Session memories"), N_("Kept at most; the weakest go first."), 5, 60
    )
    longterm_max = _number(
        "longterm_max", 25, N_("Long-term memories"), N_("Kept at most, a quarter per type."), 5, 50
    )
    arcs_max = _number(
        "arcs_max",
        10,
        N_("Open arcs"),
        N_("Kept in sight at most; what matters least is put aside and comes back."),
        3,
        20,
    )
    consolidation_enabled = _switch(
        "consolidation_enabled", N_("Merge memories"), N_("Fold what says the same into one.")
    )
    consolidate_at = Several(
        Setting(
            f"consolidate_{name}",
            CONSOLIDATE_AT[name],
            N_("Merge {type} entries at"),
            N_("Merge once there are this many new entries of this type."),
            scope=Scope.CHAT,
            minimum=2,
            maximum=8,
            section=Section.MEMORY,
            fields=(("type", _TYPE_WORDS[name]),),
        )
        for name in (*LONG_TERM_TYPES, *SESSION_TYPES)
    )
    embeddings = Setting(
        "embeddings",
        "",
        N_("Embedding model"),
        N_(
            "Compares memories by meaning: ollama:MODEL[@URL], openai:MODEL@URL, or builtin for "
            "the small one that comes with Tavernkeep. Empty: by words."
        ),
        section=Section.MEMORY,
    )
    summary_threshold = _number(
        "summary_threshold",
        80,
        N_("Summarise at fill level"),
        N_(
            "Percent of the context that messages without a summary may fill, where no running "
            "recap tells of them."
        ),
        50,
        95,
    )
    summary_tokens = _number(
        "summary_tokens", 2000, N_("Summary"), N_("Tokens of the rolling summary."), 500, 3000
    )
    away_recap = _switch(
        "away_recap", N_("Previously on"), N_("Tell what happened after a longer absence.")
    )
    away_hours = _number(
        "away_hours",
        4,
        N_("Told after hours away"),
        N_("Hours since you last played the chat."),
        1,
        48,
    )

    def is_enabled(self, tier: Tier) -> bool:
        """Whether anything of a tier is remembered and told."""
        return bool(self.values[f"{tier.value}_enabled"])


MEMORY_SETTINGS = settings_of(MemorySettings)
