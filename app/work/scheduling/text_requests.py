"""Longer texts that the user asks for: portraits, canon, summary, and a check of the newest reply.

The settings make them when they are due, some only with a capable model; asked for, they are made
now, of what is remembered by then. Source: spec/smart-memory.md §6 and §9 ("manual").
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from app.core.errors import UsageError
from app.core.operations import PRIORITY_ASKED, OperationKind, OperationSpec
from app.core.translation import N_, tr
from app.memory.documents.continuity import last_reply, newest_reply, uncorrected
from app.memory.documents.profiles import MOST_AT_ONCE, subjects
from app.memory.documents.summary import covered_until, to_summarise
from app.memory.lifecycle.derived_documents import yours
from app.memory.lifecycle.policy import refusal
from app.memory.names import folded
from app.memory.reading.left_out import left_out_of
from app.memory.reading.windows import settled
from app.memory.records import DocumentKind
from app.settings.memory import MemorySettings
from app.views.text_offers import TextOffer, TextRequest
from app.work.chats.open_chat import OpenChat
from app.work.chats.open_chats import OpenChats
from app.work.jobs.document_making import CANON_TOKENS, document_material
from app.work.planning.document_material import DocumentMaterial
from app.work.planning.document_planner import (
    SUMMARY_SHARE,
    canon_spec,
    continuity_spec,
    profile_spec,
    summary_spec,
    without_yours,
)
from app.work.planning.memory_planner import UNKNOWN_CONTEXT
from app.work.planning.writing import Writing

ANSWER_TOKENS = 600  # about, of one text
PROMPT_TOKENS = 500  # about, of what the model is told to do


MEMORY = "memory"  # asked for in the same way: that all is read for it


def text_request(name: str) -> TextRequest:
    """The text of a name. Raises UsageError for another name."""
    try:
        return TextRequest(name)
    except ValueError as error:
        names = ", ".join((*TextRequest, MEMORY))
        raise UsageError(
            tr("There is no such text. Choose one of {names}.", names=names)
        ) from error


KIND_OF: Mapping[TextRequest, OperationKind] = {
    TextRequest.PROFILES: OperationKind.PROFILE,
    TextRequest.CANON: OperationKind.CANON,
    TextRequest.SUMMARY: OperationKind.SUMMARY,
    TextRequest.CONTINUITY: OperationKind.CONTINUITY,
}
OF_CHARACTER = frozenset({TextRequest.PROFILES, TextRequest.CANON})  # kept where it may add
NO_MODEL = N_("No model is chosen. Choose one in the settings.")
YOURS_STAYS = N_(
    "What you wrote yourself stays. Empty it on the page Memories, Texts, to have the model write "
    "it instead."
)
NOTHING: dict[TextRequest, str] = {
    TextRequest.PROFILES: N_("Not enough is remembered yet about the characters who speak here."),
    TextRequest.CANON: N_("No plot thread has been resolved and summed up yet."),
    TextRequest.SUMMARY: N_("There are no new messages to sum up."),
    TextRequest.CONTINUITY: N_("There is no reply to check, or nothing is remembered yet."),
}


class TextRequests:
    """Offers texts of open chats, and queues those that are asked for before all that waits."""

    def __init__(
        self,
        chats: OpenChats,
        enqueue: Callable[[Sequence[OperationSpec]], Awaitable[None]],
        writing: Callable[[], Writing],
        count: Callable[[str], int],
    ) -> None:
        self._chats = chats
        self._enqueue = enqueue
        self._writing = writing
        self._count = count

    def offers(self, path: Path) -> tuple[TextOffer, ...]:
        """What each text takes now. Raises UsageError for a chat that is not open."""
        chat = self._chats.required(path)
        return tuple(self._offer(chat, request) for request in TextRequest)

    async def ask(self, path: Path, request: TextRequest) -> None:
        """Queue a text. Raises UsageError where there is nothing to make it of."""
        chat = self._chats.required(path)
        about = document_material(chat, self._writing())
        why_not = _why_not(chat, about, request)
        if why_not:
            raise UsageError(why_not)
        specs = _specs(about, request, again=str(time.time_ns()))
        if not specs:
            raise UsageError(_why_nothing(about, request))
        await self._enqueue([replace(spec, priority=PRIORITY_ASKED) for spec in specs])

    async def correct(self, path: Path) -> None:
        """Have a correction written of what the newest reply was found to contradict: one request.
        Raises UsageError where nothing waits for one.
        """
        chat = self._chats.required(path)
        about = document_material(chat, self._writing())
        why_not = _why_not(chat, about, TextRequest.CONTINUITY)
        if why_not:
            raise UsageError(why_not)
        index = last_reply(about.story.messages)
        if index is None or not uncorrected(about.documents, about.story.messages):
            raise UsageError(tr("There is nothing to correct."))
        spec = continuity_spec(about, index, again=str(time.time_ns()), corrects=True)
        await self._enqueue([replace(spec, priority=PRIORITY_ASKED)])

    def _offer(self, chat: OpenChat, request: TextRequest) -> TextOffer:
        about = document_material(chat, self._writing())
        why_not = _why_not(chat, about, request)
        if why_not:
            return TextOffer(request, why_not=why_not)
        specs = _specs(about, request)
        if not specs:
            return TextOffer(request, why_not=_why_nothing(about, request))
        corrects = MemorySettings(chat.settings()).continuity_repair
        each = 2 if request is TextRequest.CONTINUITY and corrects else 1
        told = sum(self._told(about, request, spec) for spec in specs)
        tokens = (PROMPT_TOKENS + ANSWER_TOKENS) * len(specs) + told
        reaches, last = None, 0
        if request is TextRequest.SUMMARY:
            held, last = _to_sum_up(about)[-1], _new(about)[-1]
            reaches = held if held < last else None
        return TextOffer(request, each * len(specs), each * tokens, reaches=reaches, last=last)

    def _told(self, about: DocumentMaterial, request: TextRequest, spec: OperationSpec) -> int:
        """Tokens of what a text is made of, as far as one request holds it."""
        if request is TextRequest.SUMMARY:
            anchors = set(spec.params["anchors"])
            texts: Iterable[str] = (m.text for m in about.story.messages if m.anchor in anchors)
        elif request is TextRequest.CANON:
            return CANON_TOKENS + self._sum(
                d.text for d in about.canon_summaries(spec.params["name"])
            )
        else:
            texts = [memory.text for memory in about.active]
            if request is TextRequest.CONTINUITY:
                texts.append(about.story_so_far)
        return min(self._sum(texts), int(_context(about, KIND_OF[request]) * SUMMARY_SHARE))

    def _sum(self, texts: Iterable[str]) -> int:
        return sum(map(self._count, texts))


def _why_not(chat: OpenChat, about: DocumentMaterial, request: TextRequest) -> str:
    """Why a text cannot be asked for, whatever is remembered; "" where it can."""
    if about.by(KIND_OF[request]).is_free:
        return tr(NO_MODEL)
    if request in OF_CHARACTER and not chat.policy.adds:
        return refusal(chat.chat.owner_name, chat.policy)
    return ""


def _specs(
    about: DocumentMaterial, request: TextRequest, *, again: str = ""
) -> tuple[OperationSpec, ...]:
    """The work on a text, () where there is nothing to make it of."""
    messages = about.story.messages
    if not messages:
        return ()
    match request:
        case TextRequest.PROFILES:
            wanted = without_yours(about, subjects(about.cast, about.active))[:MOST_AT_ONCE]
            return (profile_spec(about, wanted, again=again),) if wanted else ()
        case TextRequest.CANON:
            own = _yours(about, DocumentKind.CANON)
            owners = (
                name
                for name in about.canon_owners
                if folded(name) not in own and about.canon_summaries(name)
            )
            return tuple(canon_spec(about, name, again=again) for name in owners)
        case TextRequest.SUMMARY:
            indexes = _to_sum_up(about)
            return (summary_spec(about, indexes, again=again),) if indexes else ()
        case TextRequest.CONTINUITY:
            index = newest_reply(messages)
            if index is None or not (about.active or about.story_so_far):
                return ()
            return (continuity_spec(about, index, again=again),)


def _yours(about: DocumentMaterial, kind: DocumentKind) -> frozenset[str]:
    """Folded names of those of whom the user's own text stands."""
    return yours(about.documents, kind, about.chat_id, about.ground.places)


def _why_nothing(about: DocumentMaterial, request: TextRequest) -> str:
    """Why there is nothing to make a text of."""
    kinds = {TextRequest.PROFILES: DocumentKind.PROFILE, TextRequest.CANON: DocumentKind.CANON}
    if request in kinds and _yours(about, kinds[request]):
        return tr(YOURS_STAYS)
    return tr(NOTHING[request])


def _to_sum_up(about: DocumentMaterial) -> list[int]:
    """The messages behind what is summed up, as many as one request holds."""
    left = _context(about, OperationKind.SUMMARY) * SUMMARY_SHARE
    found: list[int] = []
    for index in _new(about):
        left -= about.story.message_tokens[index] if about.story.message_tokens else 0
        if found and left < 0:
            break
        found.append(index)
    return found


def _new(about: DocumentMaterial) -> list[int]:
    """Indexes of the messages behind what is summed up."""
    messages = about.story.messages
    after, last = covered_until(about.documents, messages), len(settled(messages)) - 1
    return list(to_summarise(messages, after, last, left_out_of(about.settings)))


def _context(about: DocumentMaterial, kind: OperationKind) -> int:
    return about.by(kind).context_tokens or UNKNOWN_CONTEXT
