"""What a setting is: name, default, range, scope, label and help."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Any

from app.errors import UsageError


class Scope(StrEnum):
    """Where a setting may be set; the narrowest value wins."""

    GLOBAL = "global"
    CHAT = "chat"


class Section(Enum):
    """What settings are about: a title, and a sentence. Those without one have their own place."""

    SCENES = "Scenes", "Where a scene ends, and the recap that is written when it does."
    SEARCH = "Breaks by the model", "What the model is asked where it finds scene breaks, and when."
    RUNNING = "Running recap", "The story so far in one text, put into each prompt."
    MESSAGES = "Message recaps", "One sentence for each message, and when it is written."
    INCLUSION = "Recaps that count", "Which of the message recaps are remembered, newest first."
    INJECTION = "Recaps in the prompt", "Whether and where the message recaps that count are put."
    MEMORY = "Memory", "What is remembered beside the recaps, and how it is kept in order."
    BUDGETS = "Budgets", "How many tokens of a prompt each kind of memory may take."
    SLOTS = "Memory in the prompt", "Whether, where and in what words memory is put into a prompt."
    USE = "Use of the model", "What it costs, and how much of it there may be on a day."
    CHATS = "SillyTavern's chats", "What is written into them. Without these, nothing is."
    WINDOW = "Tray", "Whether Tavernkeep goes on when its window is closed, and what it tells then."
    PAGE = "SillyTavern's page", "What Tavernkeep adds to it, while its bridge is installed."

    @property
    def title(self) -> str:
        return self.value[0]

    @property
    def sentence(self) -> str:
        return self.value[1]


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting. minimum and maximum bound numbers; choices bound the rest.

    choice_words: what each choice is called, where its value says too little. minimum_word: what
    the least number stands for, "" for itself. only_with: another setting and those of its values
    with which this one does anything.
    """

    name: str
    default: Any
    label: str
    help: str
    scope: Scope = Scope.GLOBAL
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[Any, ...] = ()
    section: Section | None = None
    choice_words: tuple[str, ...] = ()
    minimum_word: str = ""
    only_with: tuple[str, tuple[Any, ...]] | None = None

    @property
    def is_long(self) -> bool:
        """Whether it is a text of several lines."""
        return isinstance(self.default, str) and "\n" in self.default

    def word(self, value: Any) -> str:
        """What a value is called."""
        if value in self.choices and self.choice_words:
            return self.choice_words[self.choices.index(value)]
        if self.minimum_word and value == self.minimum:
            return self.minimum_word
        if isinstance(value, bool):
            return "on" if value else "off"
        return f"{value:,}" if isinstance(value, int) else str(value)

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
