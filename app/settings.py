"""Every setting once: name, default, range, scope, label and help.

Defaults follow spec/auto-recap.md §2 where a setting comes from there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from app.errors import TavernkeepError, UsageError
from app.memory_settings import MEMORY_SETTINGS
from app.page_settings import PAGE_SETTINGS
from app.setting import Scope, Section, Setting
from app.slot_settings import BUDGET_SETTINGS, SLOT_SETTINGS, placement
from app.translation import N_, tr

RUNNING_TEMPLATE = """<story_so_far>
What happened before the messages below, oldest first. Take it as remembered; do not repeat it.
{{running_recap}}
</story_so_far>"""

MESSAGES_TEMPLATE = """<earlier_messages>
Earlier messages in short, oldest first.
{{message_recaps}}
</earlier_messages>"""


_SETTINGS = (
    Setting(
        "tavern", "", N_("SillyTavern folder"), N_("Where SillyTavern keeps its data. Empty: look.")
    ),
    Setting(
        "backend",
        "builtin",
        N_("Model"),
        N_(
            "What writes recaps: builtin, ollama:MODEL, openai:MODEL@URL, sillytavern (its own "
            "connection), or sillytavern:PROFILE."
        ),
    ),
    Setting(
        "prompt_preset",
        "",
        N_("Prompts"),
        N_("The preset of your prompts that is in force. Empty: your prompts outside of any."),
    ),
    Setting(
        "context_tokens",
        8192,
        N_("Context of the chat's model"),
        N_("Tokens that SillyTavern may send; used until SillyTavern says it itself."),
        minimum=512,
        maximum=4_000_000,
        section=Section.INCLUSION,
    ),
    Setting(
        "theme",
        "system",
        N_("Theme"),
        N_("Light, dark, or as the system says."),
        choices=("system", "light", "dark"),
    ),
    Setting(
        "contrast",
        "system",
        N_("Contrast"),
        N_("High contrast draws every edge and fades nothing; or as the system says."),
        choices=("system", "normal", "high"),
    ),
    Setting(
        "story_text_size",
        15.5,
        N_("Story text size"),
        N_("Pixels of the story's letters."),
        minimum=13.0,
        maximum=22.0,
    ),
    Setting("window_state", "", N_("Window layout"), N_("Position and size of the window.")),
    Setting(
        "close_to_tray",
        False,
        N_("Stay in the tray"),
        N_("Closing the window leaves an icon in the system's tray, and the work goes on."),
        section=Section.WINDOW,
    ),
    Setting(
        "tray_notices",
        True,
        N_("Notices"),
        N_("Tell when long work is done or something needs you, while the window is not in front."),
        section=Section.WINDOW,
        only_with=("close_to_tray", (True,)),
    ),
    Setting(
        "lore_done",
        "",
        N_("Lore that is done"),
        N_("Which of the lore that scenes gave was taken over, by the digest of its words."),
        scope=Scope.CHAT,
    ),
    Setting(
        "scene_breaks_auto",
        True,
        N_("Find scene breaks"),
        N_("Look for scene breaks in each new message."),
        scope=Scope.CHAT,
        section=Section.SCENES,
    ),
    Setting(
        "scene_detector",
        "heuristic",
        N_("Who finds scene breaks"),
        N_(
            "Cues in the text (free), the model, or cues first and the model where they find "
            "nothing."
        ),
        scope=Scope.CHAT,
        choices=("heuristic", "model", "both"),
        section=Section.SCENES,
        choice_words=(N_("cues in the text"), N_("the model"), N_("cues, then the model")),
    ),
    Setting(
        "scene_breaks_on_new_message",
        True,
        N_("Ask the model when messages come"),
        N_("Where the model finds scene breaks: also after edits, swipes and deletions."),
        scope=Scope.CHAT,
        section=Section.SEARCH,
        only_with=("scene_detector", ("model", "both")),
    ),
    Setting(
        "scene_breaks_on_load",
        False,
        N_("Ask the model when a chat opens"),
        N_("Where the model finds scene breaks: look at the open scene at once."),
        scope=Scope.CHAT,
        section=Section.SEARCH,
        only_with=("scene_detector", ("model", "both")),
    ),
    Setting(
        "scene_break_offset",
        8,
        N_("Newest messages that end no scene"),
        N_("The model may read them and not choose them: a scene shows its end only afterwards."),
        scope=Scope.CHAT,
        minimum=0,
        maximum=100,
        section=Section.SEARCH,
        only_with=("scene_detector", ("model", "both")),
    ),
    Setting(
        "scene_break_batch",
        4,
        N_("New messages for one question"),
        N_("The model is asked again when so many more messages can be chosen."),
        scope=Scope.CHAT,
        minimum=1,
        maximum=100,
        section=Section.SEARCH,
        only_with=("scene_detector", ("model", "both")),
    ),
    Setting(
        "scene_break_speakers",
        "both",
        N_("Messages that count"),
        N_("Whose messages the model reads to find scene breaks."),
        scope=Scope.CHAT,
        choices=("both", "user", "character"),
        section=Section.SEARCH,
        choice_words=(N_("everybody's"), N_("only yours"), N_("only the characters'")),
        only_with=("scene_detector", ("model", "both")),
    ),
    Setting(
        "scene_break_stretch",
        30,
        N_("Stretch without a break"),
        N_("Cues first: the model is asked where so many messages hold no break."),
        scope=Scope.CHAT,
        minimum=2,
        maximum=10_000,
        section=Section.SEARCH,
        only_with=("scene_detector", ("both",)),
    ),
    Setting(
        "scene_break_forced",
        True,
        N_("Cut a scene that is too long"),
        N_("Let the model choose the best break when a scene no longer fits into one request."),
        scope=Scope.CHAT,
        section=Section.SEARCH,
        only_with=("scene_detector", ("model", "both")),
    ),
    Setting(
        "scene_minimum_length",
        3,
        N_("Shortest scene"),
        N_("Messages that a scene has at least when it is found by itself."),
        scope=Scope.CHAT,
        minimum=1,
        maximum=50,
        section=Section.SCENES,
    ),
    Setting(
        "scene_recaps_auto",
        True,
        N_("Recap closed scenes"),
        N_("Write a recap when a scene closes."),
        scope=Scope.CHAT,
        section=Section.SCENES,
    ),
    Setting(
        "scene_recap_tokens",
        160,
        N_("Length of a scene recap"),
        N_("Tokens that a scene recap should take at most."),
        scope=Scope.CHAT,
        minimum=40,
        maximum=2000,
        section=Section.SCENES,
    ),
    Setting(
        "scene_recap_form",
        "one",
        N_("How a scene recap is made"),
        N_(
            "In stages the recap tells only what the running recap does not, and lore is kept "
            "with it."
        ),
        scope=Scope.CHAT,
        choices=("one", "staged"),
        choice_words=(N_("with one request"), N_("in stages, up to four requests")),
        section=Section.SCENES,
    ),
    Setting(
        "scene_recap_messages",
        "both",
        N_("Messages in a scene recap"),
        N_("Whose messages a scene recap is made from; a scene without any of them is read whole."),
        scope=Scope.CHAT,
        choices=("both", "character", "user"),
        choice_words=(N_("all"), N_("the characters'"), N_("yours")),
        section=Section.SCENES,
    ),
    Setting(
        "scene_name_append_range",
        False,
        N_("Message numbers in scene names"),
        N_("Put the numbers of its messages behind the name that a scene was given by itself."),
        scope=Scope.CHAT,
        section=Section.SCENES,
    ),
    Setting(
        "running_recap_enabled",
        True,
        N_("Inject the running recap"),
        N_("Put the running recap into the next prompt."),
        scope=Scope.CHAT,
        section=Section.RUNNING,
    ),
    Setting(
        "running_recap_auto",
        True,
        N_("Fold scenes in"),
        N_("Fold each recapped scene into the running recap."),
        scope=Scope.CHAT,
        section=Section.RUNNING,
    ),
    Setting(
        "running_recap_leave_out",
        1,
        N_("Newest scenes left out"),
        N_("How many closed scenes stay out of the running recap; they still stand in the chat."),
        scope=Scope.CHAT,
        minimum=0,
        maximum=5,
        section=Section.RUNNING,
    ),
    Setting(
        "running_recap_budget",
        1000,
        N_("Budget of the running recap"),
        N_("Tokens that the running recap may take in the prompt."),
        scope=Scope.CHAT,
        minimum=50,
        maximum=8000,
        section=Section.RUNNING,
    ),
    *placement("running_recap", N_("the running recap"), RUNNING_TEMPLATE, Section.RUNNING),
    Setting(
        "inclusion_limit",
        10,
        N_("Budget of message recaps"),
        N_("Percent of the context, or tokens."),
        scope=Scope.CHAT,
        minimum=0,
        maximum=1_000_000,
        section=Section.INCLUSION,
    ),
    Setting(
        "inclusion_limit_type",
        "percent",
        N_("Budget counted in"),
        N_("Percent of the context, or tokens."),
        scope=Scope.CHAT,
        choices=("percent", "tokens"),
        section=Section.INCLUSION,
        choice_words=(N_("percent of the context"), N_("tokens")),
    ),
    Setting(
        "include_user_messages",
        True,
        N_("Recaps of your messages"),
        N_("Count recaps of your own messages."),
        scope=Scope.CHAT,
        section=Section.INCLUSION,
    ),
    Setting(
        "include_hidden_messages",
        True,
        N_("Recaps of hidden messages"),
        N_("Count recaps of messages that are hidden from the prompt."),
        scope=Scope.CHAT,
        section=Section.INCLUSION,
    ),
    Setting(
        "include_narrator_messages",
        True,
        N_("Recaps of the narrator"),
        N_("Count recaps of narrator messages."),
        scope=Scope.CHAT,
        section=Section.INCLUSION,
    ),
    Setting(
        "left_out",
        "",
        N_("Characters left out"),
        N_("Recaps of their messages do not count. Names or card files, with commas between them."),
        scope=Scope.CHAT,
        section=Section.INCLUSION,
    ),
    Setting(
        "inclusion_minimum_tokens",
        0,
        N_("Shortest message"),
        N_("Messages with fewer tokens get no recap."),
        scope=Scope.CHAT,
        minimum=0,
        maximum=100_000,
        section=Section.INCLUSION,
    ),
    Setting(
        "long_term_limit",
        10,
        N_("Budget of what is remembered"),
        N_("Percent of the context, or tokens, for remembered recaps that do not fit otherwise."),
        scope=Scope.CHAT,
        minimum=0,
        maximum=1_000_000,
        section=Section.INCLUSION,
    ),
    Setting(
        "inclusion_lag",
        0,
        N_("Newest messages left out"),
        N_(
            "So many of the newest messages keep their recaps out; they stand in the chat "
            "themselves."
        ),
        scope=Scope.CHAT,
        minimum=0,
        maximum=1000,
        section=Section.INCLUSION,
    ),
    Setting(
        "message_recaps_inject",
        False,
        N_("Inject message recaps"),
        N_("Put the included message recaps into the next prompt."),
        scope=Scope.CHAT,
        section=Section.INJECTION,
    ),
    *placement("message_recaps", N_("message recaps"), MESSAGES_TEMPLATE, Section.INJECTION),
    Setting(
        "message_recaps_budget",
        800,
        N_("Budget of message recaps in the prompt"),
        N_("Tokens that the included message recaps may take in the prompt."),
        scope=Scope.CHAT,
        minimum=50,
        maximum=32_000,
        section=Section.INJECTION,
        only_with=("message_recaps_inject", (True,)),
    ),
    Setting(
        "inclusion_skip_oversized",
        False,
        N_("Step over a recap that is too long"),
        N_("Go on to older recaps when one does not fit, instead of stopping there."),
        scope=Scope.CHAT,
        section=Section.INCLUSION,
    ),
    Setting(
        "catch_up_scenes",
        3,
        N_("Ask before catching up"),
        N_("With a model, more scenes than this are recapped only after you said so."),
        scope=Scope.CHAT,
        minimum=0,
        maximum=10_000,
        section=Section.SCENES,
    ),
    Setting(
        "price_prompt_tokens",
        0.0,
        N_("Price of a million tokens read"),
        N_("What your provider takes for them, in your own money; it is said before long work."),
        minimum=0.0,
        maximum=100_000.0,
        section=Section.USE,
        minimum_word=N_("none"),
    ),
    Setting(
        "price_output_tokens",
        0.0,
        N_("Price of a million tokens written"),
        N_("Mostly several times that of those read."),
        minimum=0.0,
        maximum=100_000.0,
        section=Section.USE,
        minimum_word=N_("none"),
    ),
    Setting(
        "daily_cap",
        0,
        N_("Cap of a day"),
        N_("When a model was asked so much on one day, what is left waits until midnight."),
        minimum=0,
        maximum=1_000_000_000,
        section=Section.USE,
        minimum_word=N_("none"),
    ),
    Setting(
        "daily_cap_unit",
        "requests",
        N_("Cap counted in"),
        N_("Requests to the model, or tokens read and written."),
        choices=("requests", "tokens"),
        section=Section.USE,
        choice_words=(N_("requests"), N_("tokens")),
    ),
    Setting(
        "message_recaps_auto",
        True,
        N_("Recap messages without a model"),
        N_("The built-in way writes a one-sentence recap of each message, free of charge."),
        scope=Scope.CHAT,
        section=Section.MESSAGES,
    ),
    Setting(
        "message_recaps_model",
        False,
        N_("Recap messages with the model"),
        N_("Each message costs a request."),
        scope=Scope.CHAT,
        section=Section.MESSAGES,
    ),
    Setting(
        "message_recap_delay",
        1,
        N_("Newest messages that wait"),
        N_("A message is recapped when so many newer ones stand behind it."),
        scope=Scope.CHAT,
        minimum=0,
        maximum=100,
        section=Section.MESSAGES,
    ),
    Setting(
        "message_recap_limit",
        10,
        N_("How far back"),
        N_("With a model, only so many of the newest messages are recapped unasked."),
        scope=Scope.CHAT,
        minimum=0,
        maximum=1_000_000,
        section=Section.MESSAGES,
        only_with=("message_recaps_model", (True,)),
        minimum_word=N_("all"),
    ),
    Setting(
        "message_recap_batch",
        1,
        N_("Recap several at once"),
        N_("With a model, wait until so many messages lack a recap."),
        scope=Scope.CHAT,
        minimum=1,
        maximum=100,
        section=Section.MESSAGES,
        only_with=("message_recaps_model", (True,)),
    ),
    Setting(
        "message_recap_again",
        True,
        N_("Recap again what was edited"),
        N_("Write the recap anew when a message that has one is edited."),
        scope=Scope.CHAT,
        section=Section.MESSAGES,
    ),
    Setting(
        "message_recap_on_swipe",
        True,
        N_("Recap another swipe"),
        N_("Write a recap of a message's other swipe when the one before had one."),
        scope=Scope.CHAT,
        section=Section.MESSAGES,
    ),
    Setting(
        "message_recap_prefill_shown",
        False,
        N_("Begin recaps with their prefill"),
        N_(
            "Some recaps of ST-Auto-Recap were begun for the model: read and count that beginning "
            "too."
        ),
        scope=Scope.CHAT,
        section=Section.MESSAGES,
    ),
    Setting(
        "mirror_to_chat",
        False,
        N_("Keep a copy in the chat"),
        N_(
            "Write scenes and recaps into SillyTavern's chat, in the form that ST-Auto-Recap reads."
        ),
        scope=Scope.CHAT,
        section=Section.CHATS,
    ),
    Setting(
        "auto_hide_scenes",
        -1,
        N_("Hide what the memory tells"),
        N_(
            "Newest scenes that stay in the prompt as they are, the open one counted; older ones "
            "that "
            "the running recap tells are hidden."
        ),
        scope=Scope.CHAT,
        minimum=-1,
        maximum=999,
        section=Section.CHATS,
        minimum_word=N_("nothing"),
    ),
)

REGISTRY: Mapping[str, Setting] = {
    setting.name: setting
    for setting in (*_SETTINGS, *MEMORY_SETTINGS, *BUDGET_SETTINGS, *SLOT_SETTINGS, *PAGE_SETTINGS)
}


@dataclass(frozen=True, slots=True)
class ValueInForce:
    """A setting as it holds somewhere. base: what would hold without a value of its own there."""

    value: Any
    base: Any
    is_own: bool


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

    def for_all(self) -> dict[str, Any]:
        """All global values."""
        return {name: self[name] for name in REGISTRY}

    def for_chat(self, chat_id: int) -> dict[str, Any]:
        """All values as they hold for one chat."""
        return {
            name: self._values.get((Scope.CHAT, str(chat_id), name), self[name])
            for name in REGISTRY
        }

    def in_force(self, name: str, *, chat_id: int | None = None) -> ValueInForce:
        """A setting as it holds for all chats, or for one."""
        if chat_id is None:
            value, default = self[name], REGISTRY[name].default
            return ValueInForce(value, default, is_own=value != default)
        key = (Scope.CHAT.value, str(chat_id), name)
        base = self[name]
        return ValueInForce(self._values.get(key, base), base, is_own=key in self._values)

    def put(self, name: str, value: Any, *, chat_id: int | None = None) -> tuple[str, str, str]:
        """Set a value in memory; gives the key to store it under. Raises UsageError."""
        key = self._key(name, chat_id)
        self._values[key] = REGISTRY[name].checked(value)
        return key

    def reset(self, name: str, *, chat_id: int | None = None) -> tuple[str, str, str]:
        """Forget a value in memory; gives the key it was stored under. Raises UsageError."""
        key = self._key(name, chat_id)
        self._values.pop(key, None)
        return key

    @contextmanager
    def as_before_on_error(self, name: str, *, chat_id: int | None = None) -> Iterator[None]:
        """Around setting and storing a value: what could not be stored does not hold either."""
        key = self._key(name, chat_id)
        was_set, before = key in self._values, self._values.get(key)
        try:
            yield
        except TavernkeepError:
            self._values.pop(key, None)
            if was_set:
                self._values[key] = before
            raise

    def replace_chat(self, chat_id: int, values: Mapping[str, Any]) -> bool:
        """Let exactly these values be set for a chat; whether that changed anything."""
        scope = Scope.CHAT.value, str(chat_id)
        own = {key: value for key, value in self._values.items() if key[:2] == scope}
        wanted = {(*scope, name): value for name, value in values.items() if name in REGISTRY}
        for key in own:
            del self._values[key]
        self._values.update(wanted)
        return own != wanted

    @staticmethod
    def _key(name: str, chat_id: int | None) -> tuple[str, str, str]:
        setting = REGISTRY.get(name)
        if setting is None:
            raise UsageError(tr("There is no setting {name!r}.", name=name))
        if chat_id is None:
            return Scope.GLOBAL.value, "", name
        if setting.scope is not Scope.CHAT:
            raise UsageError(tr("{label}: this holds for all chats.", label=setting.label))
        return Scope.CHAT.value, str(chat_id), name
