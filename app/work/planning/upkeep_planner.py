"""When older entries of memory are looked through, and beside which scenes. Pure."""

from __future__ import annotations

from app.core.operations import OperationKind, OperationSpec
from app.core.translation import N_
from app.llm.backends.hardware_profile import profile_for
from app.memory.lifecycle.upkeep import ToldScene, Upkeep, entries_due
from app.memory.records import DocumentKind, Source
from app.memory.standing import standings
from app.memory.tiers.table import PLAIN
from app.settings.memory import MemorySettings
from app.settings.scenes import SceneSettings
from app.story.scenes import Scene
from app.work.planning.document_material import DocumentMaterial
from app.work.planning.memory_planner import PRIORITY_PASS

PRIORITY_UPKEEP = PRIORITY_PASS - 2  # before texts that are made of what holds
MESSAGES_BETWEEN = 40  # scenes are often short, and each look is a request


def upkeep_due(chat: DocumentMaterial) -> Upkeep | None:
    """What is to be looked through at the end of the last scene that has ended, None for nothing:
    what was looked through lately, and before scenes of so many messages have ended since.
    """
    closed = [scene for scene in chat.story.scenes if scene.closing is not None]
    looks = (d for d in chat.documents if d.kind is DocumentKind.UPKEEP)
    until = max((chat.ground.places.get(d.until, -1) for d in looks), default=-1)
    since = [scene for scene in closed if scene.last > until]
    if not since or since[-1].last - until < MESSAGES_BETWEEN or _waits_for_recap(chat, since[-1]):
        return None
    own = {memory.id for memory in chat.remembered.memories}
    stood = standings((*chat.remembered.memories, *chat.elsewhere), chat.ground)
    stood = tuple(s for s in stood if s.memory.id in own)
    told = [one for scene in since if (one := _told(chat, scene)) is not None]
    return entries_due(stood, told, chat.documents, chat.ground.places)


def upkeep_spec(chat: DocumentMaterial) -> OperationSpec | None:
    """Looking through them with one request, where the model is capable; None for nothing."""
    profile = profile_for(chat.settings, chat.by(OperationKind.UPKEEP).spec).profile
    if not profile.looks_through or not MemorySettings(chat.settings).upkeep_enabled:
        return None
    due = upkeep_due(chat)
    if due is None:
        return None
    last = due.scenes[-1]
    told = [f"{scene.closing.anchor}\0{scene.closing.content_hash}" for scene in due.scenes]
    return OperationSpec(
        kind=OperationKind.UPKEEP,
        chat=chat.chat_id,
        key=chat.writing.key(
            OperationKind.UPKEEP, *told, *(f"{m.id}\0{m.text}" for m in due.entries)
        ),
        anchor=last.closing.anchor,
        label=N_("Check what no longer holds after scene {n}").format(n=last.number),
        priority=PRIORITY_UPKEEP,
    )


def _waits_for_recap(chat: DocumentMaterial, scene: Scene) -> bool:
    """Whether a recap will tell the scene that nobody has written yet."""
    is_auto = SceneSettings(chat.settings).scene_recaps_auto
    return is_auto and chat.story.scene_recap(scene) is None


def _told(chat: DocumentMaterial, scene: Scene) -> ToldScene | None:
    """A scene by its recap, else by what is remembered of it; None where nothing is."""
    recap, closing = chat.story.scene_recap(scene), chat.story.messages[scene.last]
    text = recap.text if recap else ""
    if not text:
        noted = (
            " ".join(memory.text.split())
            for memory in chat.remembered.memories
            if memory.tier in PLAIN and _is_of(chat, memory.sources, scene)
        )
        text = "\n".join(f"- {line}" for line in noted)
    if not text:
        return None
    source = Source(chat.chat_id, closing.anchor, closing.content_hash)
    return ToldScene(scene.number, scene.first, scene.last, text, source)


def _is_of(chat: DocumentMaterial, sources: tuple[Source, ...], scene: Scene) -> bool:
    last = max(map(chat.ground.place, sources), default=-1)
    return scene.first <= last <= scene.last
