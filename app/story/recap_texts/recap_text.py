"""Recaps as text: three headed blocks, one item a line (spec/auto-recap.md §5 and §6.1).

    DEVELOPMENTS
    What happened, oldest first.

    OPEN
    What is not settled.

    STATE
    How things stand.

Any other text is a recap too: all its lines are developments.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

LONGEST_ITEM = 1200  # characters
MOST_ITEMS = 300
# Of a recap that is cut: what part of it may be what, and how many of the newest outlast the rest.
SHARES = {"developments": 0.6, "open": 0.2, "state": 0.2}
NEWEST_KEPT = {"developments": 0, "open": 6, "state": 6}
HEADINGS = {
    "DEVELOPMENTS": "developments",
    "OPEN": "open",
    "STATE": "state",
    "RESOLVED": "resolved",
    # Names of earlier forms of the extension.
    "OUTCOMES": "developments",
    "THREADS": "open",
}
HEADING = re.compile(
    r"[#*_\s]{0,8}(DEVELOPMENTS|OPEN|STATE|RESOLVED|OUTCOMES|THREADS)[*_\s]{0,8}(:?)[*_\s]{0,8}(.*)"
)
# In Markdown, as models of earlier forms gave them; by the first of these words in it.
MARKED = re.compile(r"(?:#{1,6}\s+(?:\*\*)?|\*\*)([^#*]{2,40}?)\s*:?\s*(?:\*\*)?\s*:?\s*#*")
MARKED_WORDS = {
    "unresolved": "open",
    "resolved": "resolved",
    "development": "developments",
    "event": "developments",
    "outcome": "developments",
    "happened": "developments",
    "open": "open",
    "pending": "open",
    "thread": "open",
    "state": "state",
    "status": "state",
    "situation": "state",
    "current": "state",
    "tone": "state",
    "style": "state",
    "atmosphere": "state",
}
MARK = re.compile(r"^#{1,6}\s+")
BOLD = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*")
NUMBER = re.compile(r"\s*(?:[-*•–]\s+)?(\d{1,3})[.)]\s")
SIGN = re.compile(r"[-*•–]\s+")
BULLET = re.compile(r"(?:[-*•–]|\d{1,3}[.)])\s+")


@dataclass(frozen=True, slots=True)
class Recap:
    """What a recap says. Items are single lines, never empty."""

    developments: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    state: tuple[str, ...] = ()
    resolved: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not (self.developments or self.open or self.state or self.resolved)

    def render(self) -> str:
        """The headed blocks; empty ones are left out."""
        blocks = []
        for title in ("DEVELOPMENTS", "OPEN", "STATE", "RESOLVED"):
            items: tuple[str, ...] = getattr(self, HEADINGS[title])
            if items:
                blocks.append("\n".join((title, *items)))
        return "\n\n".join(blocks)


def parse_recap(text: str) -> Recap:
    """Read headed blocks back; bullets and marks of headings are forgiven."""
    found: dict[str, list[str]] = {field: [] for field in HEADINGS.values()}
    into = found["developments"]
    for line in text.splitlines():
        heading = HEADING.fullmatch(line.strip())
        # "STATE of things" is a sentence; a heading stands alone or has a colon behind it.
        if heading is not None and (heading[2] or not heading[3].strip()):
            into = found[HEADINGS[heading[1]]]
            line = heading[3]
        elif (field := _marked_field(line.strip())) is not None:
            into = found[field]
            continue
        into.append(line)
    return Recap(**{field: clean_items(lines) for field, lines in found.items()})


def _marked_field(line: str) -> str | None:
    """What stands below a heading in Markdown; None for a line that is no such heading."""
    marked = MARKED.fullmatch(line)
    if marked is None:
        return None
    words = marked[1].casefold()
    for part, field in MARKED_WORDS.items():
        if part in words:
            return field
    return "developments" if line.startswith("#") else None


def clean_items(items: Iterable[str]) -> tuple[str, ...]:
    """Single lines without bullets, each once (compared without case); headings are no items."""
    given = list(items)
    numbers = [int(found[1]) for item in given if (found := NUMBER.match(item))]
    # "12. März" is a date: numbers that do not count from the first entry on are no bullets.
    is_counted = numbers == list(range(1, len(numbers) + 1))
    kept: dict[str, str] = {}
    for item in given:
        line = clean_line(item, has_number=not is_counted)
        heading = HEADING.fullmatch(line)
        if not line or (heading is not None and (heading[2] or not heading[3])):
            continue
        kept.setdefault(line.casefold(), line)
        if len(kept) >= MOST_ITEMS:
            break
    return tuple(kept.values())


def clean_line(text: str, *, has_number: bool = False) -> str:
    """One printable line without a bullet, cut at a word when it is far too long. has_number: a
    number at its beginning belongs to it.
    """
    # The two joiners count as unprintable, and some scripts cannot be written without them.
    signs = (s if s.isprintable() or s.isspace() or s in "\u200c\u200d" else "" for s in text)
    line = " ".join("".join(signs).split())
    while (plain := BOLD.sub(r"\1", MARK.sub("", line, count=1))) != line:
        line = plain.strip()
    while (bullet := (SIGN if has_number else BULLET).match(line)) is not None:
        line = line[bullet.end() :].strip()
    if line in ("-", "*", "•", "–"):
        return ""
    if len(line) > LONGEST_ITEM:
        line = line[: LONGEST_ITEM - 1].rsplit(" ", 1)[0].rstrip() + "…"
    return line


def fitted(
    recap: Recap,
    tokens: int,
    count_tokens: Callable[[str], int],
    *,
    spare: Sequence[str] = (),
) -> Recap:
    """The recap within `tokens`: whole items go, first what is resolved, then the oldest of each
    part that is over its share of the whole, so that no part crowds out the others. The newest
    state stays, even when it alone is more.

    spare: fields of which something else tells, state or open: they go before what happened.
    """
    if count_tokens(recap.render()) <= tokens:
        return recap
    gone = list(_going(recap, spare))
    # The fewest items to drop, by halving: 300 items need 9 counts.
    low, high = 0, len(gone)
    while low < high:
        middle = (low + high) // 2
        if count_tokens(_without(recap, gone[:middle]).render()) <= tokens:
            high = middle
        else:
            low = middle + 1
    return _without(recap, gone[:low])


def _going(recap: Recap, spare: Sequence[str]) -> Iterator[str]:
    """The parts that lose their oldest item, one after the other; whatever the room is, so that
    more room never shows less.
    """
    for field in dict.fromkeys(("resolved", *spare)):
        yield from (field for _ in getattr(recap, field))
    left = {name: [*getattr(recap, name)] for name in SHARES if name not in spare}
    sizes = {name: sum(map(len, items)) for name, items in left.items()}
    while over := [name for name, items in left.items() if len(items) > NEWEST_KEPT[name]]:
        field = max(over, key=lambda name: sizes[name] / SHARES[name])
        sizes[field] -= len(left[field].pop(0))
        yield field
    yield from ("open" for _ in left.get("open", ()))


def _without(recap: Recap, gone: Sequence[str]) -> Recap:
    lost = Counter(gone)
    return replace(recap, **{field: getattr(recap, field)[n:] for field, n in lost.items()})


def is_headed(text: str) -> bool:
    """Whether a recap is written in headed blocks, as models write it."""
    return any(HEADING.fullmatch(line.strip()) for line in text.splitlines())


def merged(previous: str, scene: str, tokens: int, count_tokens: Callable[[str], int]) -> str:
    """A running recap with a scene's recap put behind it: what can be done without a model.

    The state is the scene's where it says one; whatever else there is is kept, oldest first, and
    cut to `tokens` as `fitted` does.
    """
    old, new = parse_recap(previous), parse_recap(scene)
    recap = Recap(
        developments=(*old.developments, *new.developments),
        open=clean_items((*old.open, *new.open)),
        state=new.state or old.state,
    )
    return fitted(recap, tokens, count_tokens).render()
