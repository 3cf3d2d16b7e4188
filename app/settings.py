"""Every setting once: name, default, range, scope, label and help.

Defaults follow spec/auto-recap.md §2 where a setting comes from there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from app.errors import UsageError
from app.prompt.slots import Position, Role


class Scope(StrEnum):
    """Where a setting may be set; the narrowest value wins."""

    GLOBAL = "global"
    CHAT = "chat"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting. minimum and maximum bound numbers; choices bound the rest."""

    name: str
    default: Any
    label: str
    help: str
    scope: Scope = Scope.GLOBAL
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[Any, ...] = ()

    def checked(self, value: Any) -> Any:
        """The value, if it fits. Raises UsageError with the reason if it does not."""
        kind = type(self.default)
        if kind is float and type(value) is int:
            value = float(value)
        if type(value) is not kind:
            raise UsageError(f"{self.label}: {value!r} is not of the kind {kind.__name__}.")
        if self.choices and value not in self.choices:
            allowed = ", ".join(str(choice) for choice in self.choices)
            raise UsageError(f"{self.label}: {value!r} is none of {allowed}.")
        if self.minimum is not None and value < self.minimum:
            raise UsageError(f"{self.label}: {value} is below {self.minimum}.")
        if self.maximum is not None and value > self.maximum:
            raise UsageError(f"{self.label}: {value} is above {self.maximum}.")
        return value


RUNNING_TEMPLATE = """<story_so_far>
What happened before the messages below, oldest first. Take it as remembered; do not repeat it.
{{running_recap}}
</story_so_far>"""

MESSAGES_TEMPLATE = """<earlier_messages>
Earlier messages in short, oldest first.
{{message_recaps}}
</earlier_messages>"""


def _placement(name: str, what: str, template: str) -> tuple[Setting, ...]:
    """The settings of a slot's frame and place; `name` is the placeholder in the frame too."""
    return (
        Setting(
            f"{name}_template",
            template,
            f"Frame of {what}",
            f"Text around {{{{{name}}}}}. Empty: the text alone.",
            scope=Scope.CHAT,
        ),
        Setting(
            f"{name}_position",
            int(Position.BEFORE_PROMPT),
            f"Place of {what}",
            "Before the main prompt (2), after it (0), in the chat (1), nowhere (-1).",
            scope=Scope.CHAT,
            choices=tuple(int(p) for p in Position),
        ),
        Setting(
            f"{name}_depth",
            2,
            f"Depth of {what}",
            "Messages from the end, when the place is in the chat.",
            scope=Scope.CHAT,
            minimum=0,
            maximum=99,
        ),
        Setting(
            f"{name}_role",
            int(Role.SYSTEM),
            f"Role of {what}",
            "Who says it: system (0), user (1), assistant (2).",
            scope=Scope.CHAT,
            choices=tuple(int(r) for r in Role),
        ),
        Setting(
            f"{name}_scan",
            False,
            f"Let lore be triggered by {what}",
            "SillyTavern looks for lorebook keys in this text.",
            scope=Scope.CHAT,
        ),
    )


_SETTINGS = (
    Setting("tavern", "", "SillyTavern folder", "Where SillyTavern keeps its data. Empty: look."),
    Setting(
        "backend",
        "builtin",
        "Model",
        "What writes recaps: builtin, ollama:MODEL, openai:MODEL@URL.",
    ),
    Setting(
        "context_tokens",
        8192,
        "Context of the chat's model",
        "Tokens that SillyTavern may send; used until SillyTavern says it itself.",
        minimum=512,
        maximum=4_000_000,
    ),
    Setting(
        "theme",
        "system",
        "Theme",
        "Light, dark, or as the system says.",
        choices=("system", "light", "dark"),
    ),
    Setting(
        "story_text_size",
        15.5,
        "Story text size",
        "Pixels of the story's letters.",
        minimum=13.0,
        maximum=22.0,
    ),
    Setting("window_state", "", "Window layout", "Position and size of the window."),
    Setting(
        "scene_breaks_auto",
        True,
        "Find scene breaks",
        "Look for scene breaks in each new message.",
        scope=Scope.CHAT,
    ),
    Setting(
        "scene_detector",
        "heuristic",
        "Who finds scene breaks",
        "Cues in the text (free), the model, or cues first and the model where they find nothing.",
        scope=Scope.CHAT,
        choices=("heuristic", "model", "both"),
    ),
    Setting(
        "scene_breaks_on_new_message",
        True,
        "Ask the model when messages come",
        "Where the model finds scene breaks: also after edits, swipes and deletions.",
        scope=Scope.CHAT,
    ),
    Setting(
        "scene_breaks_on_load",
        False,
        "Ask the model when a chat opens",
        "Where the model finds scene breaks: look at the open scene at once.",
        scope=Scope.CHAT,
    ),
    Setting(
        "scene_break_offset",
        8,
        "Newest messages that end no scene",
        "The model may read them and not choose them: a scene shows its end only afterwards.",
        scope=Scope.CHAT,
        minimum=0,
        maximum=100,
    ),
    Setting(
        "scene_break_batch",
        4,
        "New messages for one question",
        "The model is asked again when so many more messages can be chosen.",
        scope=Scope.CHAT,
        minimum=1,
        maximum=100,
    ),
    Setting(
        "scene_break_speakers",
        "both",
        "Messages that count",
        "Whose messages the model reads to find scene breaks.",
        scope=Scope.CHAT,
        choices=("both", "user", "character"),
    ),
    Setting(
        "scene_break_stretch",
        30,
        "Stretch without a break",
        "Cues first: the model is asked where so many messages hold no break.",
        scope=Scope.CHAT,
        minimum=2,
        maximum=10_000,
    ),
    Setting(
        "scene_break_forced",
        True,
        "Cut a scene that is too long",
        "Let the model choose the best break when a scene no longer fits into one request.",
        scope=Scope.CHAT,
    ),
    Setting(
        "scene_minimum_length",
        3,
        "Shortest scene",
        "Messages that a scene has at least when it is found by itself.",
        scope=Scope.CHAT,
        minimum=1,
        maximum=50,
    ),
    Setting(
        "scene_recaps_auto",
        True,
        "Recap closed scenes",
        "Write a recap when a scene closes.",
        scope=Scope.CHAT,
    ),
    Setting(
        "scene_recap_tokens",
        160,
        "Length of a scene recap",
        "Tokens that a scene recap should take at most.",
        scope=Scope.CHAT,
        minimum=40,
        maximum=2000,
    ),
    Setting(
        "running_recap_enabled",
        True,
        "Inject the running recap",
        "Put the running recap into the next prompt.",
        scope=Scope.CHAT,
    ),
    Setting(
        "running_recap_auto",
        True,
        "Fold scenes in",
        "Fold each recapped scene into the running recap.",
        scope=Scope.CHAT,
    ),
    Setting(
        "running_recap_leave_out",
        1,
        "Newest scenes left out",
        "How many closed scenes stay out of the running recap; they still stand in the chat.",
        scope=Scope.CHAT,
        minimum=0,
        maximum=5,
    ),
    Setting(
        "running_recap_budget",
        1000,
        "Budget of the running recap",
        "Tokens that the running recap may take in the prompt.",
        scope=Scope.CHAT,
        minimum=50,
        maximum=8000,
    ),
    *_placement("running_recap", "the running recap", RUNNING_TEMPLATE),
    Setting(
        "inclusion_limit",
        10,
        "Budget of message recaps",
        "Percent of the context, or tokens.",
        scope=Scope.CHAT,
        minimum=0,
        maximum=1_000_000,
    ),
    Setting(
        "inclusion_limit_type",
        "percent",
        "Budget counted in",
        "Percent of the context, or tokens.",
        scope=Scope.CHAT,
        choices=("percent", "tokens"),
    ),
    Setting(
        "include_user_messages",
        True,
        "Recaps of your messages",
        "Count recaps of your own messages.",
        scope=Scope.CHAT,
    ),
    Setting(
        "include_hidden_messages",
        True,
        "Recaps of hidden messages",
        "Count recaps of messages that are hidden from the prompt.",
        scope=Scope.CHAT,
    ),
    Setting(
        "include_narrator_messages",
        True,
        "Recaps of the narrator",
        "Count recaps of narrator messages.",
        scope=Scope.CHAT,
    ),
    Setting(
        "inclusion_minimum_tokens",
        0,
        "Shortest message",
        "Messages with fewer tokens get no recap.",
        scope=Scope.CHAT,
        minimum=0,
        maximum=100_000,
    ),
    Setting(
        "long_term_limit",
        10,
        "Budget of what is remembered",
        "Percent of the context, or tokens, for remembered recaps that do not fit otherwise.",
        scope=Scope.CHAT,
        minimum=0,
        maximum=1_000_000,
    ),
    Setting(
        "inclusion_lag",
        0,
        "Newest messages left out",
        "So many of the newest messages keep their recaps out; they stand in the chat themselves.",
        scope=Scope.CHAT,
        minimum=0,
        maximum=1000,
    ),
    Setting(
        "message_recaps_inject",
        False,
        "Inject message recaps",
        "Put the included message recaps into the next prompt.",
        scope=Scope.CHAT,
    ),
    *_placement("message_recaps", "message recaps", MESSAGES_TEMPLATE),
    Setting(
        "message_recaps_budget",
        800,
        "Budget of message recaps in the prompt",
        "Tokens that the included message recaps may take in the prompt.",
        scope=Scope.CHAT,
        minimum=50,
        maximum=32_000,
    ),
    Setting(
        "inclusion_skip_oversized",
        False,
        "Step over a recap that is too long",
        "Go on to older recaps when one does not fit, instead of stopping there.",
        scope=Scope.CHAT,
    ),
    Setting(
        "catch_up_scenes",
        3,
        "Ask before catching up",
        "With a model, more scenes than this are recapped only after you said so.",
        scope=Scope.CHAT,
        minimum=0,
        maximum=10_000,
    ),
    Setting(
        "message_recaps_auto",
        True,
        "Recap messages without a model",
        "The built-in way writes a one-sentence recap of each message, free of charge.",
        scope=Scope.CHAT,
    ),
    Setting(
        "message_recaps_model",
        False,
        "Recap messages with the model",
        "Each message costs a request.",
        scope=Scope.CHAT,
    ),
    Setting(
        "message_recap_delay",
        1,
        "Newest messages that wait",
        "A message is recapped when so many newer ones stand behind it.",
        scope=Scope.CHAT,
        minimum=0,
        maximum=100,
    ),
    Setting(
        "message_recap_limit",
        10,
        "How far back",
        "With a model, only so many of the newest messages are recapped unasked; 0: all.",
        scope=Scope.CHAT,
        minimum=0,
        maximum=1_000_000,
    ),
    Setting(
        "message_recap_batch",
        1,
        "Recap several at once",
        "With a model, wait until so many messages lack a recap.",
        scope=Scope.CHAT,
        minimum=1,
        maximum=100,
    ),
    Setting(
        "message_recap_again",
        True,
        "Recap again what changed",
        "Write the recap anew when a message is edited or swiped.",
        scope=Scope.CHAT,
    ),
    Setting(
        "mirror_to_chat",
        False,
        "Keep a copy in the chat",
        "Write scenes and recaps into SillyTavern's chat, in the form that ST-Auto-Recap reads.",
        scope=Scope.CHAT,
    ),
    Setting(
        "auto_hide_scenes",
        -1,
        "Hide what the memory tells",
        "Newest scenes that stay in the prompt as they are, the open one counted; older ones that "
        "the running recap tells are hidden. -1: hide nothing.",
        scope=Scope.CHAT,
        minimum=-1,
        maximum=999,
    ),
)

REGISTRY: Mapping[str, Setting] = {setting.name: setting for setting in _SETTINGS}


class Settings:
    """The values in force. Reading is a dictionary look-up; who changes them also stores them."""

    def __init__(self, values: Mapping[tuple[str, str, str], Any] | None = None) -> None:
        self._values: dict[tuple[str, str, str], Any] = {}
        for (scope, scope_id, name), value in (values or {}).items():
            if name in REGISTRY:
                self._values[scope, scope_id, name] = value

    def __getitem__(self, name: str) -> Any:
        """The global value."""
        return self._values.get((Scope.GLOBAL, "", name), REGISTRY[name].default)

    def for_chat(self, chat_id: int) -> dict[str, Any]:
        """All values as they hold for one chat."""
        return {
            name: self._values.get((Scope.CHAT, str(chat_id), name), self[name])
            for name in REGISTRY
        }

    def put(self, name: str, value: Any, *, chat_id: int | None = None) -> tuple[str, str, str]:
        """Set a value in memory; gives the key to store it under. Raises UsageError."""
        setting = REGISTRY.get(name)
        if setting is None:
            raise UsageError(f"There is no setting {name!r}.")
        key = (Scope.GLOBAL.value, "", name)
        if chat_id is not None:
            key = (Scope.CHAT.value, str(chat_id), name)
        self._values[key] = setting.checked(value)
        return key
