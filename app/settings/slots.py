"""The settings of budgets and slots; defaults follow spec/smart-memory.md §15 and §16."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from app.core.translation import N_
from app.settings.groups import Group, Several, Values, settings_of
from app.settings.setting import Scope, Section, Setting
from app.settings.slot_table import (
    DEFAULTS,
    SHARING,
    SLOTS,
    TRIGGERED_BUDGET,
    Position,
    Role,
    SlotName,
)

SIMPLE, ADVANCED = "simple", "advanced"
AUTO, FORCED, NEVER = "auto", "forced", "never"
OF_STORY = "story"  # for the language that the story is told in

PLACES = {
    Position.BEFORE_PROMPT: N_("before the main prompt"),
    Position.IN_PROMPT: N_("after the main prompt"),
    Position.IN_CHAT: N_("in the chat"),
    Position.NONE: N_("nowhere"),
}
ROLES = {Role.SYSTEM: N_("the system"), Role.USER: N_("you"), Role.ASSISTANT: N_("the character")}

# By their codes, each in itself; those of resources/languages.
HEADING_LANGUAGES = {
    "en": "English",
    "de": "Deutsch",
    "es": "Español",
    "fr": "Français",
    "it": "Italiano",
    "ja": "日本語",
    "nl": "Nederlands",
    "pl": "Polski",
    "pt": "Português",
    "ru": "Русский",
    "zh": "中文",
}


@dataclass(frozen=True, slots=True)
class Place:
    """Where in SillyTavern's prompt a slot stands. depth: messages behind it, where it stands in
    the chat. scan: whether its text may trigger lore.
    """

    position: Position
    depth: int = 0
    role: Role = Role.SYSTEM
    scan: bool = False


def place_in(values: Values, name: str) -> Place:
    """The place of a slot whose settings begin with `name`."""
    return Place(
        Position(values[f"{name}_position"]),
        int(values[f"{name}_depth"]),
        Role(values[f"{name}_role"]),
        bool(values[f"{name}_scan"]),
    )


def frame_in(values: Values, name: str) -> str:
    """The text around a slot whose settings begin with `name`."""
    return str(values[f"{name}_template"])


# 7 parameters: the settings of a place, most with a default.
def placement(
    name: str,
    what: str,
    template: str,
    section: Section,
    *,
    placeholder: str = "",
    position: Position = Position.BEFORE_PROMPT,
    depth: int = 2,
) -> tuple[Setting[Any], ...]:
    """The settings of a slot's frame and place; the placeholder in the frame is `name` unless
    another one is given.
    """
    frame = Setting(
        f"{name}_template",
        template,
        N_("Frame of {what}"),
        N_(
            "Text around {placeholder}. Empty: no text around it. Unchanged, it appears in the "
            "story's language."
        ),
        scope=Scope.CHAT,
        section=section,
        fields=(("what", what), ("placeholder", f"{{{{{placeholder or name}}}}}")),
    )
    return frame, *place(name, what, section, position=position, depth=depth)


def place(
    name: str, what: str, section: Section, *, position: Position, depth: int
) -> tuple[Setting[Any], ...]:
    """Where in SillyTavern's prompt a slot stands."""
    fields = (("what", what),)
    return (
        Setting(
            f"{name}_position",
            int(position),
            N_("Place of {what}"),
            N_("Where it goes in the prompt."),
            scope=Scope.CHAT,
            section=section,
            fields=fields,
            choices=tuple(int(place) for place in PLACES),
            choice_words=tuple(PLACES.values()),
        ),
        Setting(
            f"{name}_depth",
            depth,
            N_("Depth of {what}"),
            N_("Messages that come after it in the chat; 0: at the very end."),
            scope=Scope.CHAT,
            section=section,
            fields=fields,
            minimum=0,
            maximum=99,
            only_with=(f"{name}_position", (int(Position.IN_CHAT),)),
        ),
        Setting(
            f"{name}_role",
            int(Role.SYSTEM),
            N_("Role of {what}"),
            N_("Who says it, when it is placed in the chat."),
            scope=Scope.CHAT,
            section=section,
            fields=fields,
            choices=tuple(int(role) for role in ROLES),
            choice_words=tuple(ROLES.values()),
            only_with=(f"{name}_position", (int(Position.IN_CHAT),)),
        ),
        Setting(
            f"{name}_scan",
            False,
            N_("Let {what} trigger lore"),
            N_("SillyTavern looks for lorebook keywords in this text."),
            scope=Scope.CHAT,
            section=section,
            fields=fields,
        ),
    )


def _switch(
    name: str, label: str, help: str, *, default: bool = True, section: Section = Section.BUDGETS
) -> Setting[bool]:
    return Setting(name, default, label, help, scope=Scope.CHAT, section=section)


def _budget(name: SlotName) -> Setting[int]:
    spec = SLOTS[name]
    return Setting(
        f"budget_{name}",
        spec.budget,
        N_("Budget of {what}"),
        N_("Maximum tokens, including its heading."),
        scope=Scope.CHAT,
        minimum=spec.least,
        maximum=spec.most,
        section=Section.BUDGETS,
        only_with=None if name is SlotName.SHORT else ("budget_mode", (ADVANCED,)),
        fields=(("what", spec.what),),
    )


class BudgetSettings(Group):
    """How many tokens of a prompt each slot may take."""

    budget_mode = Setting(
        "budget_mode",
        SIMPLE,
        N_("Budgets"),
        N_("One total for all memory, or a budget for each kind. Switching keeps both."),
        scope=Scope.CHAT,
        section=Section.BUDGETS,
        choices=(SIMPLE, ADVANCED),
        choice_words=(N_("one total"), N_("one for each kind of memory")),
    )
    budget_total = Setting(
        "budget_total",
        sum(DEFAULTS[name] for name in SHARING),
        N_("All memory together"),
        N_("Tokens shared out in the default proportions; the summary has its own."),
        scope=Scope.CHAT,
        minimum=800,
        maximum=8000,
        section=Section.BUDGETS,
        only_with=("budget_mode", (SIMPLE,)),
    )
    each = Several(_budget(name) for name in (SlotName.SHORT, *SHARING))
    budget_triggered = Setting(
        f"budget_{SlotName.TRIGGERED}",
        TRIGGERED_BUDGET,
        N_("Budget of {what}"),
        N_("Tokens for recalled memories that the long-term budget has no room for."),
        scope=Scope.CHAT,
        minimum=0,
        maximum=4000,
        section=Section.BUDGETS,
        fields=(("what", SLOTS[SlotName.TRIGGERED].what),),
    )
    budgets_lend = Setting(
        "budgets_lend",
        True,
        N_("Share unused room"),
        N_("Kinds of memory placed in the chat lend each other what they do not use."),
        scope=Scope.CHAT,
        section=Section.BUDGETS,
        only_with=("budget_mode", (SIMPLE,)),
    )
    budgets_adaptive = _switch(
        "budgets_adaptive",
        N_("Budgets follow the story"),
        N_("Dialogue, action, transitions and intimate moments shift tokens between memories."),
    )
    budgets_auto_tune = _switch(
        "budgets_auto_tune",
        N_("Tune budgets automatically"),
        N_("Anything that is cut gets what it needs and a little more. Your own values are kept."),
        default=False,
    )

    @property
    def is_one_total(self) -> bool:
        """Whether one total is dealt out, and not a budget for each."""
        return self.budget_mode == SIMPLE

    def budget(self, name: SlotName) -> int:
        """Tokens that the user gave a slot."""
        return int(self.values[f"budget_{name}"])


BUDGET_SETTINGS = settings_of(BudgetSettings)


class SlotSettings(Group):
    """Whether, where and in what words memory is put into a prompt."""

    slots_enabled = _switch(
        "slots_enabled",
        N_("Put memories into prompts"),
        N_("Off: prompts are as if Tavernkeep were not there. Memories are kept."),
        section=Section.SLOTS,
    )
    slots_unified = _switch(
        "slots_unified",
        N_("All in one block"),
        N_("Put canon, profiles, memories, summary, scenes and plot threads into one part."),
        default=False,
        section=Section.SLOTS,
    )
    slots_macros = Setting(
        "slots_macros",
        AUTO,
        N_("Macros"),
        N_("{{smartmemory-longterm}} and the like, where a card uses them, or always."),
        scope=Scope.CHAT,
        section=Section.SLOTS,
        choices=(AUTO, FORCED, NEVER),
        choice_words=(
            N_("where the card uses them"),
            N_("instead of the usual places"),
            N_("never"),
        ),
    )
    slots_leave_out_visible = _switch(
        "slots_leave_out_visible",
        N_("Leave out what is still in the chat"),
        N_("No memories of messages that are still in the prompt themselves."),
        default=False,
        section=Section.SLOTS,
    )
    headings_language = Setting(
        "headings_language",
        OF_STORY,
        N_("Language of the headings"),
        N_(
            "The language of phrases such as “Story so far:” that Tavernkeep puts above texts in "
            "the prompt. Frames you changed stay as they are."
        ),
        scope=Scope.CHAT,
        section=Section.SLOTS,
        choices=(OF_STORY, *HEADING_LANGUAGES),
        choice_words=(N_("the story's own"), *HEADING_LANGUAGES.values()),
    )
    slots_deepest = Setting(
        "slots_deepest",
        1,
        N_("Deepest place in the chat"),
        N_(
            "At most this many messages come after parts placed in the chat: what changes stays "
            "near the end, so providers need not reread all messages. Higher: as deep as each "
            "part says."
        ),
        scope=Scope.CHAT,
        minimum=0,
        maximum=99,
        section=Section.SLOTS,
    )
    slots_refresh_every = Setting(
        "slots_refresh_every",
        1,
        N_("Messages between selections"),
        N_("After this many messages, what matters now is chosen again."),
        scope=Scope.CHAT,
        minimum=1,
        maximum=20,
        section=Section.SLOTS,
    )
    slots_head_every = Setting(
        "slots_head_every",
        20,
        N_("Messages until the start of the prompt is renewed"),
        N_(
            "After this many messages, long-term memories, profile and canon take in what is "
            "new; until then it stands near the end. This saves providers from rereading the "
            "chat."
        ),
        scope=Scope.CHAT,
        minimum=0,
        maximum=200,
        section=Section.SLOTS,
        minimum_word=N_("at once"),
    )
    scenes_enabled = _switch(
        "scenes_enabled",
        N_("Earlier scenes"),
        N_("Recaps of the last scenes."),
        section=Section.SLOTS,
    )
    scenes_shown = Setting(
        "scenes_shown",
        5,
        N_("Maximum scenes"),
        N_("Recaps of this many of the newest scenes."),
        scope=Scope.CHAT,
        minimum=1,
        maximum=15,
        section=Section.SLOTS,
        only_with=("scenes_enabled", (True,)),
    )
    passages_enabled = _switch(
        "passages_enabled",
        N_("Old passages"),
        N_(
            "What the latest messages ask about or mention is also looked up in old messages and "
            "quoted word for word, but only what the answering character can know."
        ),
        section=Section.SLOTS,
    )
    passages_shown = Setting(
        "passages_shown",
        2,
        N_("Maximum passages"),
        N_("From old messages, per prompt. They share the budget of recalled memories."),
        scope=Scope.CHAT,
        minimum=1,
        maximum=6,
        section=Section.SLOTS,
        only_with=("passages_enabled", (True,)),
    )
    canon_enabled = _switch(
        "canon_enabled",
        N_("Canon"),
        N_("What a character has lived through."),
        section=Section.SLOTS,
    )
    epistemic_unaware = _switch(
        "epistemic_unaware",
        N_("Mention what somebody does not know"),
        N_("In the list of who knows what."),
        section=Section.SLOTS,
    )
    slots_keep_secrets = _switch(
        "slots_keep_secrets",
        N_("Keep secrets"),
        N_(
            "What the answering character does not know stays out of every part, except the list "
            "of what they do not know."
        ),
        section=Section.SLOTS,
    )
    secondhand_marked = _switch(
        "secondhand_marked",
        N_("Mark hearsay"),
        N_(
            "Memories of things the answering character did not witness are told as hearsay. "
            "Off: they are left out."
        ),
        default=False,
        section=Section.SLOTS,
    )
    sent_prompts_kept = _switch(
        "sent_prompts_kept",
        N_("Keep sent prompts"),
        N_("The last 50 prompts of each chat, to read and compare. They stay in the database."),
        section=Section.SLOTS,
    )
    each = Several(
        setting
        for name, spec in SLOTS.items()
        if spec.frame
        for setting in placement(
            f"slot_{name}",
            spec.what,
            spec.frame,
            Section.SLOTS,
            placeholder=spec.placeholder,
            position=spec.position,
            depth=spec.depth,
        )
    )
    slot_unified_place = Several(
        place(
            f"slot_{SlotName.UNIFIED}",
            SLOTS[SlotName.UNIFIED].what,
            Section.SLOTS,
            position=Position.IN_PROMPT,
            depth=0,
        )
    )

    def place(self, name: SlotName) -> Place:
        """Where a slot of memory stands; none deeper in the chat than any may."""
        wanted = place_in(self.values, f"slot_{name}")
        return replace(wanted, depth=min(wanted.depth, self.slots_deepest))

    def frame(self, name: SlotName) -> str:
        """The text around a slot of memory."""
        return frame_in(self.values, f"slot_{name}")


SLOT_SETTINGS = settings_of(SlotSettings)
