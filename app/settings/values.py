"""The values of all settings; what there is to set stands in the modules `*_settings`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from app.core.errors import TavernkeepError, UsageError
from app.core.translation import tr, trn
from app.settings.memory import MEMORY_SETTINGS
from app.settings.models import MODEL_SETTINGS
from app.settings.page import PAGE_SETTINGS
from app.settings.program import PROGRAM_SETTINGS
from app.settings.recaps import RECAP_SETTINGS
from app.settings.scenes import SCENE_SETTINGS
from app.settings.setting import Scope, Setting
from app.settings.slots import BUDGET_SETTINGS, SLOT_SETTINGS

_TABLES = (
    *PROGRAM_SETTINGS,
    *MODEL_SETTINGS,
    *SCENE_SETTINGS,
    *RECAP_SETTINGS,
    *MEMORY_SETTINGS,
    *BUDGET_SETTINGS,
    *SLOT_SETTINGS,
    *PAGE_SETTINGS,
)

REGISTRY: Mapping[str, Setting[Any]] = {setting.name: setting for setting in _TABLES}
_DEFAULTS = {name: setting.default for name, setting in REGISTRY.items()}


MOST_NAMED = 5


def fits(name: str, value: Any, scope: str = Scope.GLOBAL) -> bool:
    """Whether a stored value is one of this setting, which may be set there."""
    setting = REGISTRY[name]
    try:
        setting.checked(value)
    except UsageError:
        return False
    return scope == Scope.GLOBAL or setting.scope is Scope.CHAT


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
        self._unusable: set[tuple[str, str, str]] = set()
        for (scope, scope_id, name), value in (values or {}).items():
            if name in REGISTRY and fits(name, value, scope):
                self._values[scope, scope_id, name] = REGISTRY[name].checked(value)
            elif name in REGISTRY:
                self._unusable.add((scope, scope_id, name))

    def __getitem__(self, name: str) -> Any:
        """The global value."""
        return self._values.get((Scope.GLOBAL, "", name), REGISTRY[name].default)

    @property
    def problem(self) -> str:
        """What was stored and cannot be followed, in a sentence; "" for nothing."""
        labels = sorted({REGISTRY[name].label for *_, name in self._unusable})
        return (
            trn(
                "What was stored for a setting makes no sense; it is back to its default: "
                "{labels}.",
                "What was stored for {n} settings makes no sense; they are back to their "
                "defaults: {labels}.",
                len(labels),
                labels=", ".join(labels[:MOST_NAMED]) + ("…" if len(labels) > MOST_NAMED else ""),
            )
            if labels
            else ""
        )

    def for_all(self) -> dict[str, Any]:
        """All global values."""
        return {**_DEFAULTS, **self._set_in(Scope.GLOBAL.value, "")}

    def for_chat(self, chat_id: int) -> dict[str, Any]:
        """All values as they hold for one chat."""
        return {**self.for_all(), **self._set_in(Scope.CHAT.value, str(chat_id))}

    def _set_in(self, *scope: str) -> dict[str, Any]:
        return {key[2]: value for key, value in self._values.items() if key[:2] == scope}

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
        self._unusable.discard(key)
        return key

    def reset(self, name: str, *, chat_id: int | None = None) -> tuple[str, str, str]:
        """Forget a value in memory; gives the key it was stored under. Raises UsageError."""
        key = self._key(name, chat_id)
        self._values.pop(key, None)
        self._unusable.discard(key)
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
        wanted = {
            (*scope, name): value
            for name, value in values.items()
            if name in REGISTRY and fits(name, value, scope[0])
        }
        for key in own:
            del self._values[key]
        self._values.update(wanted)
        return own != wanted

    @staticmethod
    def _key(name: str, chat_id: int | None) -> tuple[str, str, str]:
        setting = REGISTRY.get(name)
        if setting is None:
            raise UsageError(tr("There is no setting “{name}”.", name=name))
        if chat_id is None:
            return Scope.GLOBAL.value, "", name
        if setting.scope is not Scope.CHAT:
            raise UsageError(tr("{label}: this applies to all chats.", label=setting.label))
        return Scope.CHAT.value, str(chat_id), name
