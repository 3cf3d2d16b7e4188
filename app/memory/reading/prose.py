"""Reading longer answers: prose and headed sections, freed of what models put around them.

Everything here is bounded and takes time in proportion to the text, whatever a model sends.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Mapping

from app.memory.tiers.lines import LARGEST_ANSWER, QUOTES

CountTokens = Callable[[str], int]

LONGEST_HEAD = 80
_FENCE = re.compile(r"^[ \t]{0,8}(?:`{3}|~{3})[^\n]{0,40}$", re.MULTILINE)
_BLOCK = re.compile(
    r"</(?:p|div|li|h[1-6]|ul|ol|tr|section|blockquote)\s{0,4}>|<br\s{0,4}/?>", re.IGNORECASE
)
# Only what is HTML: `<A>` stands for a name in our prompts, and shows that they were copied.
_TAG = re.compile(
    r"</?(?:p|div|li|h[1-6]|ul|ol|tr|td|table|section|blockquote|em|strong|code|span|font|"
    r"center|small|sub|sup|summary|analysis|details|br|hr|(?-i:[abiqu]))(?:\s[^<>\n]{0,200})?/?>",
    re.IGNORECASE,
)
_BLANKS = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
_LEAD_IN = re.compile(
    r"\A(?:sure|certainly|of course|okay|ok|here(?:'s| is| are)|below is)\b[^\n]{0,120}[:：]\s*\n",
    re.IGNORECASE,
)
_NONE = re.compile(r"\W*(?:none|n/?a|nothing)\W*", re.IGNORECASE)
# What models write where they should leave out, and where they should repeat.
_UNKNOWN = re.compile(
    r"\W*(?:unknown|none|not (?:mentioned|specified|stated|known|applicable)(?: in the notes)?|"
    r"none (?:mentioned|stated|known)|n/?a|unspecified|unclear|nothing)\W*",
    re.IGNORECASE,
)
_UNCHANGED = re.compile(
    r"\W*(?:(?:the )?same as (?:before|above|previous(?:ly)?)|unchanged|no changes?|as before|"
    r"see (?:above|previous))\W*",
    re.IGNORECASE,
)
_CLOSING = re.compile(r"[\[<]/[^\[\]<>/]{1,40}[\]>]\s{0,8}\Z")
# A heading in one of the forms that models give it, alone on its line or before its text.
_HEAD = re.compile(
    r"[ \t]{0,8}(?:(?P<mark>#{1,6}|>|[-*•])[ \t]{1,4})?(?:\d{1,2}[.):][ \t]{0,4})?"
    r"(?:[*_]{1,3})?(?P<open>[\[<])?[ \t]{0,4}(?P<close>/)?(?:\d{1,2}[.):][ \t]{0,4})?"
    r"(?P<name>[^\W\d_](?:[\w' ,&/-]{0,60}\w)?)[ \t]{0,4}(?P<shut>[\]>])?"
    r"(?:[*_]{1,3})?[ \t]{0,4}(?P<colon>[:：])?(?:[*_]{1,3})?[ \t]{0,4}(?P<rest>.*)"
)


def cleaned(text: str) -> str:
    """An answer without fences, HTML and the sentence that announces it."""
    text = html.unescape(text[:LARGEST_ANSWER]).replace("\r\n", "\n")
    text = _FENCE.sub("", text)
    text = _TAG.sub("", _BLOCK.sub("\n", text))
    return _LEAD_IN.sub("", _BLANKS.sub("\n\n", text).strip()).strip()


def prose(text: str) -> str:
    """An answer as plain paragraphs: no headings, no bold, no quotation marks around the whole;
    "" for one that says that there is nothing.
    """
    lines = [
        line.replace("**", "").strip()
        for line in cleaned(text).split("\n")
        if not line.lstrip().startswith("#")
    ]
    whole = _BLANKS.sub("\n\n", "\n".join(lines)).strip()
    closing = QUOTES.get(whole[:1])
    if closing and len(whole) > 2 and whole.endswith(closing) and closing not in whole[1:-1]:
        whole = whole[1:-1].strip()
    return "" if _NONE.fullmatch(whole) else whole


def is_unknown(text: str) -> bool:
    """Whether a value says that there is none."""
    return not any(map(str.isalnum, text)) or bool(_UNKNOWN.fullmatch(text))


def is_unchanged(text: str) -> bool:
    """Whether a section says only that it is as before."""
    return bool(_UNCHANGED.fullmatch(text))


def sections(text: str, names: Mapping[str, str]) -> dict[str, str]:
    """The text of each section of a cleaned answer.

    names: section by the words that may head it, in lower case. A heading may stand in brackets,
    in angle brackets, behind # or a number, in bold, or before a colon; its text may follow on the
    same line. A section that comes twice is joined. What stands before the first one is left out.
    """
    found: dict[str, list[str]] = {}
    current: list[str] | None = None
    for line in text.split("\n"):
        head = heading(line, names)
        if head is None:
            if current is not None:
                body, is_end = _without_closing(line.rstrip())
                current.append(body)
                current = None if is_end else current
            continue
        name, rest, is_end = head
        current = None if is_end else found.setdefault(name, [])
        if current is not None and rest:
            current.append(rest)
    joined = {name: "\n".join(lines).strip() for name, lines in found.items()}
    return {name: body for name, body in joined.items() if body}


def heading(line: str, names: Mapping[str, str]) -> tuple[str, str, bool] | None:
    """(section, the rest of the line, whether it closes one) of a heading; None for other lines."""
    found = _HEAD.fullmatch(line[:2000] if len(line) > LONGEST_HEAD else line)
    if found is None or bool(found["open"]) != bool(found["shut"]):
        return None
    words = " ".join(found["name"].replace("_", " ").lower().split())
    name = names.get(words)
    rest = (found["rest"] + (line[2000:] if len(line) > 2000 else "")).strip()
    is_marked = bool(found["open"] or found["colon"] or (found["mark"] or "").startswith("#"))
    if name is None or not (is_marked or not rest):
        return None
    rest, _ = _without_closing(rest)
    return name, rest, bool(found["close"])


def within(lines: Iterable[str], room: int, count: CountTokens) -> list[str]:
    """The first lines that fit into so many tokens."""
    kept: list[str] = []
    for line in lines:
        room -= count(line) + 1
        if room < 0:
            break
        kept.append(line)
    return kept


def newest_within(lines: Iterable[str], room: int, count: CountTokens) -> list[str]:
    """The last lines that fit into so many tokens, in their order."""
    return within(reversed(list(lines)), room, count)[::-1]


def invented_names(text: str, evidence: str) -> frozenset[str]:
    """Words inside of sentences that are written like names and stand nowhere in the evidence.

    None where the evidence writes many words so, as German does.
    """
    said = re.findall(r"\w[\w'’-]*", evidence)
    if not said or sum(word[0].isupper() for word in said) > len(said) / 4:
        return frozenset()
    known = {part for word in set(said) for part in _spellings(word)}
    inside = re.findall(r"(?<=[a-z,;] )([^\W\d_][\w'’-]{2,})", text)
    return frozenset(word for word in inside if word[0].isupper() and not _spellings(word) & known)


def _without_closing(line: str) -> tuple[str, bool]:
    """A line without the mark that closes a section behind it, and whether there was one."""
    found = _CLOSING.search(line)
    return (line[: found.start()].rstrip(), True) if found else (line, False)


def _spellings(word: str) -> frozenset[str]:
    bare = re.sub(r"['’]s?\Z", "", word.casefold())
    return frozenset((word.casefold(), bare, *bare.split("-")))
