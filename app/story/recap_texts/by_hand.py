"""What the user wrote into the running recap, which stays when further scenes come in. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import SequenceMatcher

from app.story.recap_texts.pinned import LONGEST, block_of, folded, holds, put_into
from app.story.recap_texts.recap_text import HEADING, clean_line
from app.story.recap_texts.sentences import spans_in
from app.story.recaps import YOU, RunningVersion

ROOM = 0.5  # of the running recap's own, for all that was written by hand: the rest is merged


def by_hand(versions: Sequence[RunningVersion], base: RunningVersion) -> tuple[str, ...]:
    """Sentences of a version that the user wrote and no version before theirs said; the newest edit
    first.

    versions: all of the recap, oldest first.
    """
    said: list[str] = []
    written: list[list[str]] = []
    kept = folded(base.content)
    for version in versions:
        if version.version > base.version:
            break
        if version.made_by == YOU:
            new = ((one, folded(one)) for one in _sentences(version.content))
            written.append([o for o, f in new if f in kept and not any(f in old for old in said)])
        said.append(folded(version.content))
    return tuple(dict.fromkeys(one for sentences in reversed(written) for one in sentences))


def within(sentences: Sequence[str], tokens: int, count: Callable[[str], int]) -> tuple[str, ...]:
    """Those of them that stay as they are, the first first. tokens: room of the running recap."""
    left, kept = int(tokens * ROOM), []
    for sentence in sentences:
        left -= count(sentence)
        if left < 0:
            break
        kept.append(sentence)
    return tuple(kept)


def reworded(versions: Sequence[RunningVersion], shown: RunningVersion) -> tuple[str, ...]:
    """What the user wrote and the version before this one still said, which this one says not, or
    in other words. Of a version by the user: nothing.
    """
    before = [version for version in versions if version.version < shown.version]
    if shown.made_by == YOU or not before:
        return ()
    built_on = [v for v in before if v.last_anchor == shown.first_anchor] or before
    said = by_hand(versions, built_on[-1])
    return tuple(sentence for sentence in said if not holds(shown.content, sentence))


def carried(before: str, after: str, onto: str) -> str:
    """A text with what the user changed in the one that it was made from. after: theirs; before:
    what they changed. Of a line that is there no more, what they wrote stands in its block.
    """
    if before == onto:
        return after
    old, new = before.splitlines(), after.splitlines()
    text = onto
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        gone = {folded(line) for line in old[a:b] if _is_told(line)}
        written = [
            line for line in new[c:d] if _is_told(line) and not holds(text, clean_line(line))
        ]
        lines = text.splitlines()
        at = next((n for n, line in enumerate(lines) if folded(line) in gone), None)
        kept = [line for line in lines if folded(line) not in gone]
        if at is not None:
            place = sum(folded(line) not in gone for line in lines[:at])
            kept[place:place] = written
            text = "\n".join(kept)
            continue
        for line in written:
            text = put_into(text, clean_line(line), block_of(after, clean_line(line)))
    return text


def _is_told(line: str) -> bool:
    return bool(line.strip()) and HEADING.fullmatch(line.strip()) is None


def _sentences(text: str) -> list[str]:
    found = ((line, HEADING.fullmatch(line.strip())) for line in text.splitlines())
    lines = [line for line, heading in found if heading is None or heading[3].strip()]
    cut = (clean_line(line[begin:end]) for line in lines for begin, end in spans_in(line))
    return [one for one in cut if len(one) <= LONGEST and any(map(str.isalpha, one))]
