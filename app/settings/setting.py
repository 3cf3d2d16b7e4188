"""What a setting is: name, default, range, scope, label and help."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Any, Generic, Protocol, TypeVar, cast, overload

from app.core.errors import UsageError
from app.core.translation import N_, number, tr, tr_in

T = TypeVar("T")

LARGEST = 2**53  # what every reader of JSON takes for the same number


class Scope(StrEnum):
    """Where a setting may be set; the narrowest value wins."""

    GLOBAL = "global"
    CHAT = "chat"


class Section(Enum):
    """What settings are about: a title, and a sentence. Those without one have their own place."""

    SCENES = N_("Scenes"), N_("Where a scene ends, and the recap written when it does.")
    SEARCH = (
        N_("Breaks by the model"),
        N_("What the model is asked when it looks for scene breaks, and when."),
    )
    RUNNING = N_("Running recap"), N_("The story so far in one text, added to each prompt.")
    MESSAGES = N_("Message recaps"), N_("One sentence for each message, and when it is written.")
    INCLUSION = (
        N_("Recaps that count"),
        N_("Which message recaps are used, newest first."),
    )
    INJECTION = (
        N_("Recaps in the prompt"),
        N_("Whether and where the selected message recaps go."),
    )
    MEMORY = N_("Memory"), N_("What is remembered besides the recaps, and how it is kept in order.")
    BUDGETS = N_("Budgets"), N_("How many tokens of a prompt each kind of memory may take.")
    SLOTS = (
        N_("Memory in the prompt"),
        N_("Whether, where and in what words memory goes into a prompt."),
    )
    USE = N_("Usage of the model"), N_("What models cost, and how much they may use in a day.")
    CHATS = (
        N_("SillyTavern's chats"),
        N_(
            "What Tavernkeep writes into SillyTavern's chats. With all of these off, it writes "
            "nothing."
        ),
    )
    WINDOW = (
        N_("Window and tray"),
        N_("Which chat the window shows, and what Tavernkeep does when you close it."),
    )
    PAGE = (
        N_("SillyTavern's page"),
        N_("What Tavernkeep adds to it while the bridge is installed."),
    )

    @property
    def title(self) -> str:
        return tr(self.value[0])

    @property
    def sentence(self) -> str:
        return tr(self.value[1])


class _Read(Protocol):
    """A group, as far as a setting needs to know it."""

    @property
    def values(self) -> _Values: ...


class _Values(Protocol):
    def __getitem__(self, name: str, /) -> Any: ...


@dataclass(frozen=True, slots=True)
class Setting(Generic[T]):
    """One setting; as a field of a group over values it is its value. minimum and maximum bound
    numbers; choices bound the rest.

    label_text, help_text: English, with fields where `fields` has words for them; `label` and
    `help` are what is shown. choice_words: what each choice is called, where its value says too
    little. minimum_word: what the least number stands for, "" for itself. only_with: another
    setting and those of its values with which this one does anything. lists_people: a text of names
    with commas between them. is_rules: a text of rules, one in each line.
    """

    name: str
    default: T
    label_text: str
    help_text: str
    scope: Scope = Scope.GLOBAL
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[Any, ...] = ()
    section: Section | None = None
    choice_words: tuple[str, ...] = ()
    minimum_word: str = ""
    only_with: tuple[str, tuple[Any, ...]] | None = None
    fields: tuple[tuple[str, str], ...] = ()
    lists_people: bool = False
    is_rules: bool = False

    def __set_name__(self, owner: type, name: str) -> None:
        if name != self.name:
            raise TypeError(f"The setting {self.name} stands in {owner.__name__} as {name}.")

    @overload
    def __get__(self, group: None, owner: type) -> Setting[T]: ...

    @overload
    def __get__(self, group: _Read, owner: type) -> T: ...

    def __get__(self, group: _Read | None, owner: type) -> Setting[T] | T:
        return self if group is None else cast(T, group.values[self.name])

    @property
    def label(self) -> str:
        """What it is called."""
        return self._told(self.label_text)

    @property
    def help(self) -> str:
        """What it does, in a sentence or two."""
        return self._told(self.help_text)

    @property
    def is_long(self) -> bool:
        """Whether it is a text of several lines."""
        return isinstance(self.default, str) and ("\n" in self.default or self.is_rules)

    @property
    def placeholder(self) -> str:
        """What stands for the text in a frame, "" where it is none."""
        return dict(self.fields).get("placeholder", "")

    @property
    def keeps_text(self) -> bool:
        """Whether a frame that has lost its placeholder stands above the text; else the frame is
        all that is sent (spec/auto-recap.md §3.4).
        """
        return self.name.startswith("slot_")

    def word(self, value: Any) -> str:
        """What a value is called."""
        if value in self.choices and self.choice_words:
            return tr(self.choice_words[self.choices.index(value)])
        if self.minimum_word and value == self.minimum:
            return tr(self.minimum_word)
        if isinstance(value, bool):
            return tr_in("a switch", "on") if value else tr_in("a switch", "off")
        return number(value) if isinstance(value, int) else str(value)

    def checked(self, value: Any) -> Any:
        """The value, if it fits. Raises UsageError with the reason if it does not."""
        kind = type(self.default)
        if kind is float and type(value) is int and abs(value) < LARGEST:
            value = float(value)
        if type(value) is not kind or not _is_storable(value):
            raise UsageError(
                tr(
                    "{label}: “{value}” is not a valid {name}.",
                    label=self.label,
                    value=value,
                    name=kind.__name__,
                )
            )
        if self.choices and value not in self.choices:
            allowed = ", ".join(str(choice) for choice in self.choices)
            raise UsageError(
                tr(
                    "{label}: “{value}” must be one of {allowed}.",
                    label=self.label,
                    value=value,
                    allowed=allowed,
                )
            )
        amount: Any = value
        if self.minimum is not None and amount < self.minimum:
            raise UsageError(
                tr(
                    "{label}: {value} is below {minimum}.",
                    label=self.label,
                    value=value,
                    minimum=self.minimum,
                )
            )
        if self.maximum is not None and amount > self.maximum:
            raise UsageError(
                tr(
                    "{label}: {value} is above {maximum}.",
                    label=self.label,
                    value=value,
                    maximum=self.maximum,
                )
            )
        return value

    def _told(self, text: str) -> str:
        return tr(text, **{name: tr(word) for name, word in self.fields})


def _is_storable(value: Any) -> bool:
    """Whether a value comes back from a file as it was."""
    if isinstance(value, str):
        return value.encode("utf-8", "ignore").decode("utf-8") == value
    return not isinstance(value, int | float) or abs(value) < LARGEST  # which nan is not either
