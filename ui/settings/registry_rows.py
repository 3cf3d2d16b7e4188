"""A row for every setting of the registry, under the topics that it names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.companion import Companion
from app.core.translation import tr
from app.settings.setting import Scope
from app.settings.setting import Section as Topic
from app.settings.values import REGISTRY
from app.story.messages import MessageKind
from ui.controls.setting_rows import SettingRow
from ui.controls.setting_sections import Section

TRIED_ON = 50  # messages


def chat_meant(name: str, path: Path | None, *, is_for_chat: bool) -> Path | None:
    """The chat whose value of a setting is meant, None for that of all chats.

    path: of the open chat. is_for_chat: its own values are shown, and put.
    """
    return path if is_for_chat and REGISTRY[name].scope is Scope.CHAT else None


class RegistryRows(QObject):
    """by_name: the rows. sections: one for each topic, which hold them.

    Signals:
        chosen: (name, value) that the user puts.
        reset_asked: name of a setting whose default is to hold again.
    """

    chosen = Signal(str, object)
    reset_asked = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.by_name: dict[str, SettingRow] = {}
        self.sections = {topic: self._section(topic) for topic in Topic}

    def _section(self, topic: Topic) -> Section:
        section = Section(topic.title, topic.sentence)
        for name, setting in REGISTRY.items():
            if setting.section is topic:
                row = SettingRow(setting)
                row.chosen.connect(self.chosen)
                row.reset_asked.connect(self.reset_asked)
                self.by_name[name] = row
                section.add_row(row)
        return section

    def show_values(self, companion: Companion, path: Path | None, *, is_for_chat: bool) -> None:
        """Show what is in force: for the open chat, or for all with a word on what it has of its
        own. path: of the open chat.
        """
        values = {}
        people, texts = _people(companion, path), _newest_texts(companion, path)
        warnings = companion.models.setting_warnings
        for name, row in self.by_name.items():
            own = chat_meant(name, path, is_for_chat=is_for_chat)
            is_here = own is not None
            held = companion.setting(name, path=own)
            values[name] = held.value
            row.offer_people(people)
            row.try_on(texts)
            notes = "" if is_here or path is None else _own_words(companion, row, path)
            if held.value and name in warnings:
                notes = " ".join(filter(None, (notes, warnings[name])))
            row.show_value(
                held, origin=tr("For all chats") if is_here else tr("Default"), notes=notes
            )
        for row in self.by_name.values():
            _show_effect(row, values)


def _people(companion: Companion, path: Path | None) -> tuple[str, ...]:
    """Who writes in the open chat: its characters, then whoever else does."""
    story = None if path is None else companion.story(path)
    if story is None:
        return ()
    told = (m.name for m in story.messages if m.kind is MessageKind.CHAT and m.name.strip())
    return tuple(dict.fromkeys((*story.chat.speakers, *told)))


def _newest_texts(companion: Companion, path: Path | None) -> tuple[str, ...]:
    """What the newest messages of the open chat say."""
    story = None if path is None else companion.story(path)
    return () if story is None else tuple(m.text for m in story.messages[-TRIED_ON:])


def _own_words(companion: Companion, row: SettingRow, path: Path) -> str:
    """That the open chat has a value of its own, "" where it has none."""
    if row.setting.scope is not Scope.CHAT:
        return ""
    here = companion.setting(row.setting.name, path=path)
    if not here.is_own:
        return ""
    if row.setting.is_long:
        return tr("This chat has its own setting.")
    return tr("In this chat: {word}.", word=row.setting.word(here.value))


def _show_effect(row: SettingRow, values: Mapping[str, object]) -> None:
    condition = row.setting.only_with
    if condition is None:
        return
    other, wanted = REGISTRY[condition[0]], condition[1]
    words = tr(" or ").join(f"“{other.word(value)}”" for value in wanted)
    reason = tr(
        "Only has an effect while “{label}” is set to {words}.", label=other.label, words=words
    )
    row.set_effective(values[other.name] in wanted, reason)
