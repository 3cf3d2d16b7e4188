"""The slots of open chats: gives the assembly what it works with, and keeps high-water marks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from weakref import WeakKeyDictionary

from app.memory_settings import PROFILE_A, PROFILE_B
from app.prompt.assembly import ANY_TURN, Means, assembled
from app.prompt.occasion import Recollection, Turn
from app.prompt.placement import NEVER
from app.prompt.slots import SlotSet
from app.story.scene_cues.language import LanguagePack
from app.work.memory_view import memory_view
from app.work.open_chat import OpenChat


class Prompting:
    """Makes the slots of each turn. What slots wanted at most is known while a chat is open."""

    def __init__(self, count: Callable[[str], int], packs: Sequence[LanguagePack]) -> None:
        self._count = count
        self._packs = packs
        self._full: MutableMapping[OpenChat, Mapping[str, int]] = WeakKeyDictionary()

    def slots(
        self, chat: OpenChat, turn: Turn | None = None, *, total: int | None = None
    ) -> SlotSet:
        """The slots of a turn of a chat. total: bound for all of them together."""
        # No page serves macros yet: what they are to tell would be told nowhere.
        settings = {**chat.settings(), "slots_macros": NEVER}
        profile = str(settings["hardware_profile"])
        means = Means(
            self._count,
            self._packs,
            self._full.get(chat, {}),
            profile=PROFILE_B if profile == PROFILE_B else PROFILE_A,
        )
        told = _recollection(chat)
        made = assembled(chat.story, settings, means, told=told, turn=turn or ANY_TURN, total=total)
        self._full[chat] = made.full
        return made


def _recollection(chat: OpenChat) -> Recollection:
    """What a chat remembers now, nothing where memory is not kept."""
    if not chat.keeps_memory:
        return Recollection()
    view = memory_view(chat)
    return Recollection(view.memories, view.entities, view.documents, view.ground.chat)
