"""`tavernkeep memory`: what is remembered of a chat, tier by tier."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from app.commands.chat_options import (
    add_again,
    add_chat,
    add_llm,
    add_until,
    companion_for,
    warn_of_problems,
    worked_off,
)
from app.commands.terminal.output import show, warn
from app.commands.terminal.progress_line import progress_shown
from app.core.errors import UsageError
from app.core.translation import N_, tr, trn
from app.memory.lifecycle.derived_documents import texts_that_count
from app.memory.records import DocumentKind, Tier
from app.memory.standing import Standing
from app.memory.tiers.table import TIERS
from app.story.story import ChatKind
from app.views.memory_view import MemoryView
from app.views.text_offers import TextRequest

HELP = N_("list what is remembered of a chat, and from which messages")
EXAMPLE = 'memory "My chat.jsonl" --until 120'
_TEXTS = {
    DocumentKind.PROFILE: N_("Profile"),
    DocumentKind.CANON: N_("Canon"),
    DocumentKind.SUMMARY: N_("Summary"),
    DocumentKind.CONTINUITY: N_("What a reply contradicts"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command."""
    add_chat(parser)
    add_llm(parser)
    add_until(parser)
    add_again(parser)
    parser.add_argument(
        "--write",
        choices=tuple(request.value for request in TextRequest),
        help=tr("first let the model write this text; continuity checks the newest reply"),
    )


async def run(options: argparse.Namespace) -> int:
    """Extract what is missing and print all of it; 1 when something could not be read."""
    if options.write and options.until is not None:
        raise UsageError(tr("A text always covers the whole chat: leave out --until."))
    async with companion_for(options, keeps_memory=True) as companion:
        path = companion.find_chat(options.chat)
        with progress_shown(companion, path, until=options.until):
            story, failures = await worked_off(options, companion, path)
            if options.write:
                await companion.texts.ask(path, TextRequest(options.write))
                story, failures = await companion.finished(path)
        view = companion.memory(path, until=options.until)
    warn_of_problems(story)
    for sentence in filter(None, (*failures, view.problem)):
        warn(sentence)
    data = memory_data(view)
    show(options, data, _lines(view, written=options.write))
    return 1 if failures else 0


def memory_data(view: MemoryView) -> dict[str, Any]:
    """All tiers, and what waits for review; messages are given by their index."""
    tiers: dict[str, Any] = {
        tier.value: [_entry(view, standing) for standing in view.of(tier)] for tier in Tier
    }
    profiles = (d for d in view.documents if d.kind is DocumentKind.PROFILE)
    tiers["profiles"] = {d.subject: dict(d.sections) or d.text for d in profiles}
    canon = [d for d in view.documents if d.kind is DocumentKind.CANON]
    is_group = view.story.chat.kind is ChatKind.GROUP
    told = {d.subject: d.text for d in canon} if is_group else canon[-1].text if canon else None
    tiers["canon"] = told or None
    summary = view.document(DocumentKind.SUMMARY)
    running = view.story.running.current
    tiers["summary"] = summary.text if summary else running.content if running else None
    checked = view.document(DocumentKind.CONTINUITY)
    tiers["continuity"] = checked.text if checked else None
    tiers["aside"] = list(view.aside)
    return {"tiers": tiers, "review": [_entry(view, standing) for standing in view.review]}


def _entry(view: MemoryView, standing: Standing) -> dict[str, Any]:
    memory = standing.memory
    entry: dict[str, Any] = {
        "id": memory.id,
        "tier": memory.tier.value,
        "type": memory.type,
        "text": memory.text,
        "sources": sorted(
            view.ground.place(source) for source in memory.evidence if view.ground.is_there(source)
        ),
        "valid_from": standing.start,
        "valid_to": standing.end,
        "status": standing.status.value,
        "importance": memory.importance,
        "confidence": round(memory.confidence, 2),
        "made_by": memory.made_by,
    }
    ending = standing.ending
    if ending is not None:
        entry["ended"] = ending.reason.value
        if ending.text:
            entry["resolution"] = ending.text
        if ending.by:
            entry["superseded_by"] = ending.by
    if memory.notes:
        entry["notes"] = list(memory.notes)
    if memory.contradicts:
        entry["contradicts"] = list(memory.contradicts)
    if memory.id in view.kept_by:
        entry["kept_by"] = view.kept_by[memory.id]
    return entry | TIERS[memory.tier].entry(memory)


def _lines(view: MemoryView, *, written: str | None) -> Iterator[str]:
    """written: the text that was asked for; a check of a reply that found nothing says so then."""
    for tier in Tier:
        entries = [s for s in view.of(tier) if s.is_active]
        if not entries:
            continue
        words = TIERS[tier].words
        yield tr(words.title or words.name)
        for standing in entries:
            memory = standing.memory
            who = " ".join(filter(None, (memory.subject, memory.target and f"→ {memory.target}")))
            what = f"{memory.field}: {memory.text}" if memory.field else memory.text
            yield f"  [{tr(memory.type)}] {who + ': ' if who else ''}{what}"
        yield ""
    for document in texts_that_count(view.documents):
        if document.kind in _TEXTS:
            yield tr(_TEXTS[document.kind]) + (f": {document.subject}" if document.subject else "")
            yield from (f"  {line}" for line in document.text.strip().splitlines())
            yield ""
    checked = view.document(DocumentKind.CONTINUITY)
    if written == TextRequest.CONTINUITY and checked is not None and not checked.text.strip():
        yield tr("The newest reply contradicts nothing that is remembered.")
        yield ""
    if view.aside:
        yield tr("Open threads that are set aside until there is room:")
        yield from (f"  {thread}" for thread in view.aside)
        yield ""
    if view.review:
        yield trn("{n} waiting for your review", "{n} waiting for your review", len(view.review))
