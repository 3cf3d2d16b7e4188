"""Finding and making the longer texts that are made of memories: which one counts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from app.memory.names import folded
from app.memory.reading.extraction import Work
from app.memory.records import Document, DocumentKind
from app.story.messages import combined_digest
from app.story.recaps import YOU

# Made of all that holds at the end of the story: of two, the one that was made further on counts.
OF_THE_END = frozenset({DocumentKind.SUMMARY, DocumentKind.PROFILE, DocumentKind.CANON})
# Of these the user's own words count whatever a model writes later; a summary goes on from them.
KEPT_BY_HAND = frozenset({DocumentKind.PROFILE, DocumentKind.CANON})


def all_of(
    documents: Iterable[Document], kind: DocumentKind, subject: str | None = None
) -> tuple[Document, ...]:
    """Those of a kind, oldest first. subject: None for any."""
    return tuple(
        d for d in documents if d.kind is kind and (subject is None or d.subject == subject)
    )


def newest_reaching(
    documents: Iterable[Document], kind: DocumentKind, anchors: Collection[str]
) -> Document | None:
    """The newest without a subject whose last message is still part of the story."""
    found = [d for d in all_of(documents, kind, "") if d.until in anchors]
    return found[-1] if found else None


def by_subject(documents: Iterable[Document], kind: DocumentKind) -> dict[str, Document]:
    """The one that counts for each subject."""
    return {d.subject: d for d in documents if d.kind is kind}


def texts_that_count(documents: Iterable[Document]) -> tuple[Document, ...]:
    """Of each kind and subject the newest, by kind and name; those without words are left out."""
    latest = {(document.kind, document.subject): document for document in documents}
    order = list(DocumentKind)
    kept = (document for document in latest.values() if document.text.strip())
    return tuple(sorted(kept, key=lambda d: (order.index(d.kind), d.subject.casefold())))


def earlier_versions(documents: Iterable[Document], shown: Document) -> tuple[Document, ...]:
    """Other texts of the same kind and subject than the one that counts, the newest first: what it
    replaced, or what a model wrote beside the user's own. Of the same words the newest alone.
    """
    if shown.kind not in KEPT_BY_HAND:
        return ()
    same = [d for d in documents if (d.kind, d.subject) == (shown.kind, shown.subject)]
    known = {shown.text.strip(), ""}
    found: list[Document] = []
    for document in sorted(same, key=lambda d: d.created, reverse=True):
        if document.text.strip() not in known:
            known.add(document.text.strip())
            found.append(document)
    return tuple(found)


def as_they_reach(
    documents: tuple[Document, ...], chat: int, places: Mapping[str, int]
) -> tuple[Document, ...]:
    """Those of this chat in the order in which they reach into the story, not in which they were
    made: one of a chat that had lost its end for a while is not the newest once that is back.

    places: index of each message by anchor. What the user wrote, and what is of another chat or of
    no place, stays where it is; and what was made before the user wrote stays before it.
    """
    runs: dict[tuple[DocumentKind, str], list[int]] = {}
    for index, document in enumerate(documents):
        if document.kind not in OF_THE_END or document.chat != chat:
            continue
        run = runs.setdefault((document.kind, folded(document.subject)), [])
        if document.made_by == YOU:
            run.clear()
        elif document.until in places:
            run.append(index)
    ordered = list(documents)
    for run in runs.values():
        reaching = sorted(run, key=lambda index: places[documents[index].until])
        for index, other in zip(run, reaching, strict=True):
            ordered[index] = documents[other]
    return tuple(ordered)


def with_yours_last(
    documents: Iterable[Document], chat: int, places: Mapping[str, int]
) -> tuple[Document, ...]:
    """Of each kind and subject the user's own words last, so that they count until the user takes
    them away: what a model wrote later stays beside them.

    places: index of each message of this chat by anchor.
    """
    ordered = list(documents)
    runs: dict[tuple[DocumentKind, str], list[int]] = {}
    for index, document in enumerate(ordered):
        if document.kind in KEPT_BY_HAND:
            runs.setdefault((document.kind, folded(document.subject)), []).append(index)
    for run in runs.values():
        last = sorted((ordered[index] for index in run), key=lambda d: is_yours(d, chat, places))
        for index, document in zip(run, last, strict=True):
            ordered[index] = document
    return tuple(ordered)


def is_yours(document: Document, chat: int, places: Mapping[str, int]) -> bool:
    """Whether it is in the user's own words and of a message that is still there, which no text of
    a model replaces.
    """
    if document.kind not in KEPT_BY_HAND or document.made_by != YOU:
        return False
    return document.chat != chat or not document.until or document.until in places


def yours(
    documents: Iterable[Document], kind: DocumentKind, chat: int, places: Mapping[str, int]
) -> frozenset[str]:
    """Folded names of those of whom the user's own words stand."""
    return frozenset(
        folded(d.subject) for d in documents if d.kind is kind and is_yours(d, chat, places)
    )


# 8 parameters: the fields of a document.
def made(
    work: Work,
    kind: DocumentKind,
    text: str,
    *,
    subject: str = "",
    sections: Mapping[str, str] | None = None,
    until: str = "",
    inputs: str = "",
    is_of_character: bool = False,
) -> Document:
    """A new text. Its id follows from the work and when it was asked for: an operation that is
    taken up again makes nothing twice, and the same work wanted later makes a newer text.
    """
    return Document(
        id=combined_digest("document", work.key, repr(work.now), kind.value, subject),
        chat=work.chat,
        kind=kind,
        text=text,
        character=work.character if is_of_character else "",
        subject=subject,
        sections=dict(sections or {}),
        until=until,
        inputs=inputs,
        made_by=work.made_by,
        created=work.now,
    )
