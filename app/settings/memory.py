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
        "memory_auto", N_("Remember automatically"), N_("Note memories while the story goes on.")
    )
    memory_every = _number(
        "memory_every",
        4,
        N_("Replies between readings"),
        N_(
            "Character replies between two readings; each reading is one request. Long messages "
            "are read sooner, before they no longer fit into the prompt."
        ),
        1,
        10,
    )
    memory_requests = Setting(
        "memory_requests",
        AUTO,
        N_("Requests per reading"),
        N_(
            "Read everything in one request, or each kind of memory in its own. Automatic: one "
            "request for capable models."
        ),
        scope=Scope.CHAT,
        section=Section.MEMORY,
        choices=(AUTO, ONE_REQUEST, SEPARATE),
        choice_words=(N_("automatic"), N_("one for everything"), N_("one for each kind of memory")),
    )
    hardware_profile = Setting(
        "hardware_profile",
        AUTO,
        N_("Strength of the model"),
        N_("A is for small local models: fewer entries, fewer questions. B is for capable ones."),
        section=Section.MEMORY,
        choices=(AUTO, PROFILE_A, PROFILE_B),
        choice_words=(N_("automatic"), N_("A, small local model"), N_("B, capable model")),
    )
    tiers_enabled = Several(_tier(tier) for tier in Tier)
    other_chats_enabled = _switch(
        "other_chats_enabled",
        N_("Memories of other chats"),
        N_(
            "Add to the prompt what the character keeps of its other chats. Branches and copies "
            "tell the same story and always count."
        ),
    )
    profiles_enabled = _switch(
        "profiles_enabled",
        N_("Profiles"),
        N_("A short portrait of each character, made from memories."),
    )
    profiles_every = Setting(
        "profiles_every",
        0,
        N_("Messages between new profiles"),
        N_(
            "After this many messages they are rewritten even within a scene, with a capable model."
        ),
        scope=Scope.CHAT,
        minimum=0,
        maximum=100,
        minimum_word=N_("never"),
        section=Section.MEMORY,
    )
    profiles_stale = Setting(
        "profiles_stale",
        0,
        N_("Profiles are outdated after"),
        N_(
            "After this many minutes the next message has them rewritten, if more is known by then."
        ),
        scope=Scope.CHAT,
        minimum=0,
        maximum=120,
        minimum_word=N_("never"),
        section=Section.MEMORY,
    )
    canon_auto = _switch(
        "canon_auto",
        N_("Write canon automatically"),
        N_("When a plot thread is resolved, with a capable model. Otherwise only when you ask."),
    )
    continuity_auto = _switch(
        "continuity_auto",
        N_("Check continuity automatically"),
        N_(
            "Compare each reply with what is remembered, using a capable model: one request per "
            "reply."
        ),
        default=False,
    )
    continuity_repair = _switch(
        "continuity_repair",
        N_("Correct the story automatically"),
        N_("Add a correction to the next prompt when a contradiction was found."),
        default=False,
    )
    upkeep_enabled = _switch(
        "upkeep_enabled",
        N_("Check what is still open"),
        N_(
            "About every forty messages, at the end of a scene, ask a capable model which open "
            "threads, secrets, states and feelings no longer hold."
        ),
    )
    triggers_enabled = _switch(
        "triggers_enabled",
        N_("Keywords"),
        N_("Ask the model for words that bring a memory back. Always on with a capable model."),
        default=False,
    )
    session_max = _number(
        "session_max",
        30,
        N_("Session memories"),
        N_("Maximum number kept; the least important go first."),
        5,
        60,
    )
    longterm_max = _number(
        "longterm_max",
        25,
        N_("Long-term memories"),
        N_("Maximum number kept after a reading; each type is sure of a quarter of it."),
        5,
        50,
    )
    arcs_max = _number(
        "arcs_max",
        10,
        N_("Open plot threads"),
        N_("Maximum number kept in view; the least important are set aside and can come back."),
        3,
        20,
    )
    consolidation_enabled = _switch(
        "consolidation_enabled", N_("Merge memories"), N_("Merge memories that say the same.")
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
            "the small model that comes with Tavernkeep. Empty: compares words."
        ),
        section=Section.MEMORY,
    )
    summary_threshold = _number(
        "summary_threshold",
        80,
        N_("Summarise when this full"),
        N_(
            "Percent of the context that messages may fill without being summed up, unless the "
            "running recap tells of them."
        ),
        50,
        95,
    )
    summary_tokens = _number(
        "summary_tokens",
        2000,
        N_("Summary"),
        N_("Length of the rolling summary, in tokens."),
        500,
        3000,
    )
    away_recap = _switch(
        "away_recap",
        N_("Story so far after a break"),
        N_("Tell what happened so far after a longer break."),
    )
    away_hours = _number(
        "away_hours",
        4,
        N_("Hours until it is told"),
        N_("Hours since you last played this chat."),
        1,
        48,
    )

    def is_enabled(self, tier: Tier) -> bool:
        """Whether anything of a tier is remembered and told."""
        return bool(self.values[f"{tier.value}_enabled"])


MEMORY_SETTINGS = settings_of(MemorySettings)
