"""Which longer texts a story lacks that are made of its memories. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from app.core.operations import OperationKind, OperationSpec
from app.core.translation import N_
from app.llm.backends.hardware_profile import profile_for
from app.memory.arcs.arc_summaries import (
    MANY,
    ResolvedArc,
    at_once,
    without_summary,
)
from app.memory.documents.canon import canon_digest, is_canon_of
from app.memory.documents.continuity import is_checked, last_reply
from app.memory.documents.profiles import MOST_AT_ONCE as MOST_PROFILES
from app.memory.documents.profiles import Subject, outdated, subjects
from app.memory.documents.summary import covered_until as summarised_until
from app.memory.documents.summary import to_summarise
from app.memory.keywords.triggers import due
from app.memory.lifecycle.derived_documents import all_of, by_subject, is_yours, yours
from app.memory.names import folded
from app.memory.reading.left_out import left_out_of
from app.memory.reading.windows import settled
from app.memory.records import DocumentKind, Memory, Tier
from app.prompt.choosing.ages import is_of_then
from app.settings.memory import MemorySettings
from app.settings.recaps import RecapSettings
from app.settings.scenes import SceneSettings
from app.story.messages import digest
from app.work.planning.document_material import DocumentMaterial
from app.work.planning.folding import covered_until
from app.work.planning.memory_planner import PRIORITY_PASS, UNKNOWN_CONTEXT
from app.work.planning.upkeep_planner import upkeep_spec

# A correction is wanted before the next reply; the rest is made of what passes have read.
PRIORITY_CONTINUITY = PRIORITY_PASS + 1
PRIORITY_SUMMARY = PRIORITY_PASS - 1
PRIORITY_DOCUMENT = PRIORITY_PASS - 3
LEAST_MESSAGES = 4  # before anything is summed up (spec/smart-memory.md §6)
MESSAGES_BETWEEN = 60  # where scenes are short, and arcs end one by one, not a text for each
SUMMARY_SHARE = 0.5  # of the model's context, for the messages of one pass


def plan_texts(chat: DocumentMaterial) -> tuple[OperationSpec, ...]:
    """Operations on longer texts that the story lacks: all where it is remembered by itself, else
    those that the user's own commands make necessary.
    """
    is_by_itself = MemorySettings(chat.settings).memory_auto
    return plan_documents(chat) if is_by_itself else plan_by_hand(chat)


def plan_documents(chat: DocumentMaterial) -> tuple[OperationSpec, ...]:
    """All operations on longer texts that the story lacks by the settings; none without a model.

    Each is one request, a continuity check at most two.
    """
    if chat.writing.asks_nobody:
        return ()
    found = [_continuity(chat), _summary(chat)]
    if chat.is_read:
        found += [upkeep_spec(chat), _arc_summaries(chat), _profiles(chat), *_canons(chat)]
        found += [_triggers(chat)]
    return tuple(spec for spec in found if spec is not None and not chat.by(spec.kind).is_free)


def plan_by_hand(chat: DocumentMaterial) -> tuple[OperationSpec, ...]:
    """What the user's own commands make necessary where nothing is remembered by itself: the
    summary of an arc that they closed (spec/smart-memory.md §8.6).
    """
    if chat.by(OperationKind.ARC_SUMMARY).is_free or not chat.is_read:
        return ()
    found = _arc_summaries(chat, only_by_hand=True)
    return () if found is None else (found,)


def arc_summary_spec(
    chat: DocumentMaterial, arcs: Sequence[ResolvedArc], *, again: str = ""
) -> OperationSpec:
    """Summing up resolved arcs, all with one request. again: makes the work new although its
    inputs are not; so also below.
    """
    before = by_subject(chat.documents, DocumentKind.ARC_SUMMARY)
    ids = [before[arc.memory.id].id for arc in arcs if arc.memory.id in before]
    end = arcs[-1].place
    label = N_("Summary of a plot thread")
    if len(arcs) != 1:
        label = N_("Summary of {n} plot threads").format(n=len(arcs))
    return _spec(
        chat,
        OperationKind.ARC_SUMMARY,
        [*(arc.digest for arc in arcs), *ids, again],
        anchor=chat.story.messages[max(0, end)].anchor,
        label=label,
        params={"arcs": [arc.memory.id for arc in arcs], "again": again},
    )


def profile_spec(
    chat: DocumentMaterial, wanted: Sequence[Subject], *, again: str = ""
) -> OperationSpec:
    """Portraits of these characters, all with one request."""
    before = by_subject(chat.documents, DocumentKind.PROFILE)
    ids = [before[one.name].id for one in wanted if one.name in before]
    names = [one.name for one in wanted]
    label = N_("Profile of a character")
    if len(names) != 1:
        label = N_("Profile of {n} characters").format(n=len(names))
    return _spec(
        chat,
        OperationKind.PROFILE,
        [*(one.digest for one in wanted), *ids, again],
        anchor=chat.story.messages[-1].anchor,
        label=label,
        params={"names": names, "again": again},
    )


def canon_spec(chat: DocumentMaterial, name: str, *, again: str = "") -> OperationSpec:
    """The canon of the chat's character, or of a member of a group."""
    before, whose = chat.canon_of(name), [folded(name)] if chat.is_group else []
    return _spec(
        chat,
        OperationKind.CANON,
        [*whose, canon_digest(chat.canon_summaries(name)), before.id if before else "", again],
        anchor=chat.story.messages[-1].anchor,
        label=N_("Canon of {name}").format(name=name) if chat.is_group else N_("Canon"),
        params={"name": name, "again": again},
    )


def continuity_spec(
    chat: DocumentMaterial, index: int, *, again: str = "", corrects: bool = False
) -> OperationSpec:
    """Comparing the reply at `index` with what is remembered. corrects: a correction is written of
    what was found, whatever the settings say.
    """
    reply = chat.story.messages[index]
    return _spec(
        chat,
        OperationKind.CONTINUITY,
        [reply.anchor, reply.content_hash, again],
        anchor=reply.anchor,
        label=N_("Continuity of message #{n}").format(n=index),
        params={"hash": reply.content_hash, "again": again, "corrects": corrects},
        priority=PRIORITY_CONTINUITY,
    )


def summary_spec(
    chat: DocumentMaterial, indexes: Sequence[int], *, again: str = ""
) -> OperationSpec:
    """Taking these messages into the rolling summary; fewer where they do not fit."""
    messages = [chat.story.messages[index] for index in indexes]
    before = all_of(chat.documents, DocumentKind.SUMMARY)
    return _spec(
        chat,
        OperationKind.SUMMARY,
        [*(m.content_hash for m in messages), digest(before[-1].text) if before else "", again],
        anchor=messages[-1].anchor,
        label=N_("Summary up to message #{n}").format(n=indexes[-1]),
        params={"anchors": [m.anchor for m in messages], "again": again},
        priority=PRIORITY_SUMMARY,
    )


def trigger_spec(
    chat: DocumentMaterial, memories: Sequence[Memory], *, again: str = ""
) -> OperationSpec:
    """Keywords for these memories, all with one request."""
    return _spec(
        chat,
        OperationKind.TRIGGERS,
        [*(f"{memory.id}\0{memory.text}" for memory in memories), again],
        anchor=chat.story.messages[-1].anchor,
        label=N_("Keywords for {n} memories").format(n=len(memories)),
        params={"memories": [memory.id for memory in memories], "again": again},
    )


def _arc_summaries(chat: DocumentMaterial, *, only_by_hand: bool = False) -> OperationSpec | None:
    if not MemorySettings(chat.settings).is_enabled(Tier.ARCS) or not chat.story.messages:
        return None
    resolved = (arc for arc in chat.resolved if arc.is_by_hand or not only_by_hand)
    lacking = at_once(without_summary(resolved, chat.documents))
    is_asked_for = any(arc.is_by_hand for arc in lacking) or len(lacking) >= MANY
    if not is_asked_for and _is_early(chat, DocumentKind.ARC_SUMMARY):
        return None
    return arc_summary_spec(chat, lacking) if lacking else None


def _is_early(chat: DocumentMaterial, kind: DocumentKind) -> bool:
    """Whether such a text was made only some messages ago: each is a request of its own, and what
    is remembered stands beside it meanwhile.
    """
    kept = all_of(chat.documents, kind)
    made_at = max((chat.ground.places.get(d.until, -1) for d in kept), default=-1)
    return made_at >= 0 and chat.ground.last - made_at < MESSAGES_BETWEEN


def _profiles(chat: DocumentMaterial) -> OperationSpec | None:
    """When a scene has closed since, and all that changed at once: in between, what is remembered
    stands beside them. With a capable model also after so many messages, where the user wants that.
    """
    if not MemorySettings(chat.settings).profiles_enabled:
        return None
    closed = [scene.last for scene in chat.story.scenes if scene.closing is not None]
    kept = all_of(chat.documents, DocumentKind.PROFILE)
    made_at = max((chat.ground.places.get(d.until, -1) for d in kept), default=-1)
    passed = chat.ground.last - made_at
    # One that prompts tell hardly anything of any more is made anew, however short the scenes were.
    is_told = bool(kept) and not is_of_then(chat.story, made_at)
    is_early = is_told and passed < MESSAGES_BETWEEN
    is_closed = bool(closed) and closed[-1] > made_at and not is_early
    every = MemorySettings(chat.settings).profiles_every
    profile = profile_for(chat.settings, chat.by(OperationKind.PROFILE).spec).profile
    newest = max((d.created for d in kept), default=chat.now)
    stale = MemorySettings(chat.settings).profiles_stale * 60
    is_stale = 0 < stale < chat.now - newest and passed > 0
    if not is_closed and not is_stale and not (profile.renews_profiles and 0 < every <= passed):
        return None
    wanted = without_yours(chat, outdated(subjects(chat.cast, chat.active), chat.documents))
    wanted = wanted[:MOST_PROFILES]
    return profile_spec(chat, wanted) if wanted else None


def without_yours(chat: DocumentMaterial, found: Iterable[Subject]) -> tuple[Subject, ...]:
    """Those of whom the user has not written a portrait: a model's would not count beside it."""
    own = yours(chat.documents, DocumentKind.PROFILE, chat.chat_id, chat.ground.places)
    return tuple(one for one in found if folded(one.name) not in own)


def _canons(chat: DocumentMaterial) -> Iterator[OperationSpec]:
    """Only when an arc was summed up since, in this chat; others may be looked at alternately."""
    profile = profile_for(chat.settings, chat.by(OperationKind.CANON).spec).profile
    if not profile.writes_canon or not MemorySettings(chat.settings).canon_auto:
        return
    if without_summary(chat.resolved, chat.documents) and not _is_early(
        chat, DocumentKind.ARC_SUMMARY
    ):
        return  # more of them are under way
    for name in chat.canon_owners:
        if _is_canon_due(chat, name):
            yield canon_spec(chat, name)


def _is_canon_due(chat: DocumentMaterial, name: str) -> bool:
    before, told = chat.canon_of(name), chat.canon_summaries(name)
    made_at = chat.ground.places.get(before.until, -1) if before else -1
    if made_at >= 0 and chat.ground.last - made_at < MESSAGES_BETWEEN:
        return False
    if before and is_yours(before, chat.chat_id, chat.ground.places):
        return False
    newest = max((d.created for d in told if d.chat == chat.chat_id), default=None)
    if newest is None:
        return False
    return not before or (newest > before.created and not is_canon_of(before, told))


def _continuity(chat: DocumentMaterial) -> OperationSpec | None:
    profile = profile_for(chat.settings, chat.by(OperationKind.CONTINUITY).spec).profile
    if not profile.checks_continuity or not MemorySettings(chat.settings).continuity_auto:
        return None
    index = last_reply(chat.story.messages)
    if not index:  # also of a greeting: nothing stands before it
        return None
    if is_checked(chat.documents, chat.story.messages[index]):
        return None
    return continuity_spec(chat, index) if chat.active else None


def _summary(chat: DocumentMaterial) -> OperationSpec | None:
    """Bounded: what one request can hold, and what is left when it is too much again.

    Not while scenes are still being folded into the running recap, nor of a long story of which
    nothing is summed up: that the user is asked about.
    """
    story = chat.story
    if len(story.messages) < LEAST_MESSAGES or not story.message_tokens or _is_folding(chat):
        return None
    summarised = summarised_until(chat.documents, story.messages)
    after = max(summarised, covered_until(story))
    of_pass = (chat.by(OperationKind.SUMMARY).context_tokens or UNKNOWN_CONTEXT) * SUMMARY_SHARE
    passes = sum(story.message_tokens[after + 1 :]) / of_pass
    if summarised < 0 and passes > max(1, SceneSettings(chat.settings).catch_up_scenes):
        return None
    room = max(1, chat.context_tokens - MemorySettings(chat.settings).summary_tokens)
    wanting = room * MemorySettings(chat.settings).summary_threshold / 100
    left = of_pass
    chunk: list[int] = []
    last, left_out = len(settled(story.messages)) - 1, left_out_of(chat.settings)
    for index in to_summarise(story.messages, after, last, left_out):
        wanting -= story.message_tokens[index]
        left -= story.message_tokens[index]
        if not chunk or left >= 0:
            chunk.append(index)
        elif wanting <= 0:
            break
    return summary_spec(chat, chunk) if chunk and wanting <= 0 else None


def _is_folding(chat: DocumentMaterial) -> bool:
    """Whether a running recap will tell of closed scenes that it does not tell of yet."""
    if not RecapSettings(chat.settings).running_recap_auto:
        return False
    closed = [scene for scene in chat.story.scenes if scene.closing is not None]
    foldable = closed[: max(0, len(closed) - RecapSettings(chat.settings).running_recap_leave_out)]
    return bool(foldable) and foldable[-1].last > covered_until(chat.story)


def _triggers(chat: DocumentMaterial) -> OperationSpec | None:
    profile = profile_for(chat.settings, chat.by(OperationKind.TRIGGERS).spec).profile
    if not profile.makes_triggers and not MemorySettings(chat.settings).triggers_enabled:
        return None
    lacking = due(chat.active)
    return trigger_spec(chat, lacking) if lacking and chat.story.messages else None


# 7 parameters: the fields of an operation on a document.
def _spec(
    chat: DocumentMaterial,
    kind: OperationKind,
    inputs: Sequence[str],
    *,
    anchor: str,
    label: str,
    params: dict[str, Any],
    priority: int = PRIORITY_DOCUMENT,
) -> OperationSpec:
    return OperationSpec(
        kind=kind,
        chat=chat.chat_id,
        key=chat.writing.key(kind, *inputs),
        anchor=anchor,
        label=label,
        priority=priority,
        params=params,
    )
