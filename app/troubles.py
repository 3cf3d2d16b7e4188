"""Says what of the parts failed, in sentences and of the right file, once."""

from __future__ import annotations

from pathlib import Path

from app.core.signals import Signal
from app.core.translation import tr
from app.work.chats.library import Library
from app.work.chats.open_chats import OpenChats
from app.work.edits.prompt_edits import PromptEdits


class Troubles:
    """trouble: emitted with what it is about and a sentence."""

    def __init__(
        self,
        library: Library,
        chats: OpenChats,
        prompts: PromptEdits,
        trouble: Signal[tuple[Path, str]],
    ) -> None:
        self._library, self._chats, self._prompts = library, chats, prompts
        self._trouble = trouble

    def on_chat_failed(self, trouble: tuple[Path, str]) -> None:
        """What hangs on one folder that is gone is said once, of the folder."""
        if not self._library.is_away(trouble[0]):
            self._trouble.emit(trouble)

    def on_prompt_broken(self, sentence: str) -> None:
        """A prompt of the user's cannot be used."""
        self._trouble.emit((self._prompts.folder, sentence))

    def on_slot_refused(self, refused: tuple[Path, str]) -> None:
        """A place of the prompt is another extension's. refused: chat, and key of the place."""
        path, key = refused
        sentence = tr(
            "Another SillyTavern extension already fills {key}. Switch that extension off "
            "({extension}?) so that Tavernkeep can fill it.",
            key=key,
            extension="Smart Memory" if key.startswith("smart_memory") else "ST-Auto-Recap",
        )
        self._trouble.emit((path, sentence))

    def on_memory_failed(self, sentence: str) -> None:
        """What all memory stands on failed: said of the chat that is shown."""
        if self._chats.shown is not None:
            self._trouble.emit((self._chats.shown, sentence))


def folder_gone_words(folder: Path) -> str:
    """That SillyTavern's folder is not where it was."""
    return tr(
        "SillyTavern's folder is gone: {folder}. It was moved or renamed, or its drive is not "
        "connected.",
        folder=folder,
    )
