"""The lines of a model's answer: cleaned of what models put around them, each tag taken apart.

An entry is one line, `[type(:modifier)*] content` (spec/smart-memory.md §8.1). Everything here is
bounded and takes time in proportion to the text, whatever a model sends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.story.scene_cues.language import count_ideographs

LARGEST_ANSWER = 100_000  # signs; what comes after is not read
LONGEST_LINE = 4_000
LONGEST_TAG = 600
MOST_LINES = 4_000
MOST_NUMBERS = 64  # of messages or entries that one line names
LONGEST_RANGE = 50  # "3-9" names seven messages; a longer range is a slip

BEFORE_AN_ENTRY = " \t\ufeff\u200b-*•·–—+>→⇒»|`\"'“”‘’_#~"
NUMBERING = re.compile(r"\(?\d{1,3}[.):](?:\s+|(?=[\[*\"`]))")
FENCE = re.compile(r"\s*(?:`{3}|~{3})")
TAGGED = re.compile(
    r"\[\s{0,4}([A-Za-z]{1,20}(?:[_ '-][A-Za-z]{1,20}){0,3}?)"
    r"(?=\s{0,4}(?:[:|\]]|[\s,;]{1,4}(?:#?\d|[A-Za-z_]{3,20}\s?=)))"
)
BETWEEN_MODIFIERS = re.compile(r"[:|]|[\s,;]{1,4}(?=[A-Za-z_]{3,20}\s?=)")
INNER_STATE = re.compile(r"\[\s*state\s*:", re.IGNORECASE)
# A second entry on the same line: only a tag with modifiers is one, a bare bracket may be prose.
INNER_ENTRY = re.compile(r"\s(?=\[\s?[a-z]{3,12}\s?:[^\[\]]{0,80}\bsources?\s?=)", re.IGNORECASE)
KEYS_WITH_COLON = frozenset({"source", "sources", "entity", "entities", "by", "via"})
KEYED_GROUP = re.compile(r"\[\s*([A-Za-z_]{1,20}\s*=[^\[\]]{0,300})\]\s*")
CITED_LAST = re.compile(
    r"[\[(]\s*(?:sources?|source_indices|cites?|messages?)\s*[=:]?\s*([\d\s,;#&\-–]{1,200})[\])]",
    re.IGNORECASE,
)
NUMBER = re.compile(r"(\d{1,9})(?:\s{0,2}[-–—]\s{0,2}#?(\d{1,9}))?")
ARROW = re.compile(r"\s*(?:<-+>|<=+>|↔|-{1,3}>|={1,2}>|[→⇒⟶➔➜]|–>|—>)\s*")
MARKUP = re.compile(r"</?(?:b|i|em|strong|u|br|p|q|li|ul|code|span)\s*/?>", re.IGNORECASE)
ESCAPED = re.compile(r"\\([\[\]_*|<>#=:-])")
# What our own prompts write where content belongs: an example that was copied says nothing.
COPIED = re.compile(r"<(?=[^\W\d_])[^<>=/\n]{1,40}(?<=\S)>|\{\{[^{}\n]{0,40}\}\}")
NONE_AT_ALL = re.compile(r"\W*none\W*", re.IGNORECASE)
NONE_AND_WHY = re.compile(r"\W*NONE\b(?!\s+of\b)")
ENDS_A_SENTENCE = tuple('.!?…"”’)]。！？」』')
IS_OPEN = tuple(",;|(=&")  # nobody ends an entry with these
OPENING = "(\"“'‘«"
QUOTES = {'"': '"', "“": "”", "'": "'", "‘": "’", "«": "»", "`": "`", "„": "“"}
BROKEN_WORD = re.compile(r"[^\W\d_]-$")
AN_ASIDE = re.compile(
    r"(?:I|Let|Notes?|Please|Here|Hope|These|Those|This|That|The|There|If|All|No|None|Nothing|Feel|"
    r"Would|End|Done|Sorry|Sure|Okay|OK|Overall|Summary|In|You|We|My|As|It|Is|Are|Now|Thanks?)\b"
)
BRACKETS = str.maketrans({"【": "[", "】": "]", "［": "[", "］": "]", "：": ":", "＝": "="})


@dataclass(frozen=True, slots=True)
class Line:
    """One entry, or a line that is none.

    text: cleaned. type: of its tag, in lower case, "" without one. positional, keyed: the tag's
    modifiers in order; keys in lower case with "_" for spaces. content: what follows the tag.
    """

    text: str
    type: str = ""
    positional: tuple[str, ...] = ()
    keyed: tuple[tuple[str, str], ...] = ()
    content: str = ""

    def value(self, *keys: str) -> str:
        """The first value under one of the keys, "" for none."""
        return next((value for key, value in self.keyed if key in keys), "")

    @property
    def sources(self) -> tuple[int, ...]:
        """The numbers of messages that it cites, as written, also impossible ones."""
        return numbers_in(self.value("sources", "source", "source_indices", "cites", "messages"))

    @property
    def is_arrow(self) -> bool:
        """Whether it says how somebody feels toward somebody, without a tag."""
        head, colon, rest = self.text.partition(":")
        return bool(not self.type and colon and rest.strip() and has_arrow(head))

    @property
    def is_none(self) -> bool:
        """Whether it says that there is nothing."""
        said = self.content if self.type else self.text
        if not said and self.type == "none":
            return True
        return bool(NONE_AT_ALL.fullmatch(said) or NONE_AND_WHY.match(said))

    @property
    def is_decoration(self) -> bool:
        """Whether it is a heading, a label or a rule between parts."""
        return not self.type and (self.text.endswith(":") or not any(map(str.isalnum, self.text)))


def read_lines(text: str) -> Iterator[Line]:
    """The entries and other lines of an answer, wrapped entries joined. Never raises."""
    held, last = "", ""  # an entry that may go on in the next line; the line before
    lines = [line[:LONGEST_LINE] for line in text[:LARGEST_ANSWER].splitlines()[:MOST_LINES]]
    for raw, width in zip(lines, _widths(lines), strict=True):
        cleaned = _cleaned(raw)
        is_full = len(f"{last.rstrip()} {raw.split(maxsplit=1)[0] if cleaned else ''}") > width
        last = raw
        if held and _goes_on(held, cleaned, raw, is_full):
            between = "" if BROKEN_WORD.search(held) else " "
            held = f"{held}{between}{_plain(raw).strip()}"[:LONGEST_LINE]
            continue
        if held:
            yield from _entries(held)
        held = ""
        if _is_entry(cleaned):
            held = cleaned
        elif cleaned and not raw.lstrip().startswith("#"):
            yield from _entries(cleaned)
    if held:
        yield from _entries(held)


def numbers_in(text: str) -> tuple[int, ...]:
    """The numbers in a list like "1, 3-5" or "#2 and #7", in order, each once."""
    numbers: dict[int, None] = {}
    for found in NUMBER.finditer(text[:LONGEST_TAG]):
        first, last = int(found[1]), int(found[2] or found[1])
        if first < last <= first + LONGEST_RANGE:
            numbers |= dict.fromkeys(range(first, last + 1))
        else:
            numbers |= {first: None, last: None}
    return tuple(numbers)[:MOST_NUMBERS]


def has_arrow(text: str) -> bool:
    """Whether an arrow stands between two words of a short text."""
    found = ARROW.search(text[:200])
    return bool(found and found.start() > 0 and found.end() < len(text))


def content_in(text: str) -> str:
    """Content as it is kept: one line, no markup, no quotation marks around the whole."""
    text = " ".join(MARKUP.sub(" ", text).split())
    closing = QUOTES.get(text[:1])
    if closing and len(text) > 2 and text.endswith(closing) and closing not in text[1:-1]:
        text = text[1:-1].strip()
    return text.strip("|").strip()


def is_copied(text: str) -> bool:
    """Whether a text holds a placeholder instead of something from the story."""
    return bool(COPIED.search(text))


def signs_in(text: str) -> int:
    """How much a text says, in letters: a character of a script without spaces says as two do."""
    return len(text) + count_ideographs(text)


def _cleaned(raw: str) -> str:
    """A line without what stands around its entry; "" for a fence and for nothing."""
    if FENCE.match(raw):
        return ""
    line = _plain(raw)
    for _ in range(3):  # "- 1. **[fact] ...**"
        line = line.lstrip(BEFORE_AN_ENTRY)
        line = NUMBERING.sub("", line, count=1) if NUMBERING.match(line) else line
    line = line.rstrip(" \t`|" if raw.lstrip().startswith("|") else " \t`")
    lead = raw.strip()[:1]
    if lead in QUOTES and line.endswith(QUOTES[lead]) and line.startswith("["):
        line = line.removesuffix(QUOTES[lead])
    if raw.strip().startswith("*") and line.endswith("*") and line.count("*") == 1:
        line = line.removesuffix("*")
    return line.rstrip()


def _plain(raw: str) -> str:
    return ESCAPED.sub(r"\1", raw).replace("**", "").replace("__", "").translate(BRACKETS)


def _is_entry(line: str) -> bool:
    if TAGGED.match(line) or INNER_STATE.search(line):
        return True
    head, colon, rest = line.partition(":")
    return bool(colon and rest and has_arrow(head))


def _widths(lines: Sequence[str]) -> Iterator[int]:
    """For each line how long the longest one of its paragraph is, from the first entry on."""
    start = 0
    while start < len(lines):
        end = start
        while end < len(lines) and lines[end].strip():
            end += 1
        first = next((i for i in range(start, end) if _is_entry(_cleaned(lines[i]))), start)
        width = max((len(line.rstrip()) for line in lines[first:end]), default=0)
        yield from (width for _ in range(start, min(end + 1, len(lines))))
        start = end + 1


def _goes_on(held: str, line: str, raw: str, is_full: bool) -> bool:
    """Whether a line is the rest of the entry above it, which was wrapped.

    is_full: the line above had no room left for its first word.
    """
    if not line or _is_entry(line) or raw.lstrip()[:1] in ("-", "*", "•", "+", "#", ">"):
        return False
    if NUMBERING.match(raw.lstrip()) or NONE_AT_ALL.fullmatch(line):
        return False
    if held.startswith("[") and _end_of_tag(held) in (0, len(held)):
        return True  # a tag that is not closed yet, or that has no content yet
    if held.endswith(IS_OPEN) or BROKEN_WORD.search(held):
        return True
    if held.endswith(ENDS_A_SENTENCE):
        return False
    first = line[0]
    if first.isupper():  # a name of the story, or a model that takes its leave
        return is_full and not AN_ASIDE.match(line)
    return first.isalnum() or first in OPENING


def _entries(line: str) -> Iterator[Line]:
    """The entries of one line; mostly one."""
    for part in INNER_ENTRY.split(line):
        yield _entry(part)


def _entry(text: str) -> Line:
    start = text
    if not TAGGED.match(text):
        inner = INNER_STATE.search(text)  # the ledger's tag may follow other text (§8.7)
        start = text[inner.start() :] if inner else ""
    head = TAGGED.match(start)
    end = _end_of_tag(start) if head else 0
    if not head or not end:
        return Line(text)
    content = start[end:].lstrip(" \t:-–—*|")
    parts = BETWEEN_MODIFIERS.split(start[head.end() : end - 1])
    while group := KEYED_GROUP.match(content):
        parts += BETWEEN_MODIFIERS.split(group[1])
        content = content[group.end() :].lstrip()
    content, cited = _without_citation(content)
    positional, keyed = _modifiers((*parts, *cited))
    return Line(text, " ".join(head[1].lower().split()), positional, keyed, content_in(content))


def _end_of_tag(text: str) -> int:
    """Index after the bracket that closes the tag, 0 when nothing does."""
    depth = 0
    for index, sign in enumerate(text[:LONGEST_TAG]):
        depth += (sign == "[") - (sign == "]")
        if depth == 0:
            return index + 1
    return 0


def _without_citation(content: str) -> tuple[str, tuple[str, ...]]:
    """Content without a citation that a model put behind it, and that as a modifier."""
    start = max(content.rfind("("), content.rfind("["))
    found = CITED_LAST.match(content, start) if start > 0 else None
    if found is None or content[found.end() :].strip(" .;"):
        return content, ()
    kept = content[:start].rstrip()
    return kept, (f"sources={found[1]}",)


def _modifiers(
    parts: Sequence[str],
) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """What stands in a tag. `sources: 3` is `sources=3`: its halves come one after the other."""
    positional, keyed = list[str](), list[tuple[str, str]]()
    remaining = iter(parts)
    for part in remaining:
        if part.strip().lower() in KEYS_WITH_COLON:
            part = f"{part}={next(remaining, '')}"
        key, equals, value = part.partition("=")
        if equals:
            keyed.append(("_".join(key.split()).lower(), value.strip(" []\"'")))
        elif part.strip():
            positional.append(" ".join(part.split()))
    return tuple(positional), tuple(keyed)
