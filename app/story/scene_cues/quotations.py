"""Marks what is quoted over several paragraphs, as a letter read aloud is: it is said, not told."""

from __future__ import annotations

import re

_QUOTED_LINE = re.compile(r"^[ \t]*>[ \t>]*(?=\S)(.*)$", re.MULTILINE)  # as Markdown quotes
_PARAGRAPHS = 12  # lines over which a quotation may go
_PAIRS = (("“", "”"), ("„", "“"), ("«", "»"))


def mark_quotations(text: str) -> str:
    """The text with marks around each paragraph of a quotation that goes over several of them.

    Writers open such a quotation once and close it at its end, or write ">" before each line.
    """
    if ">" in text:
        text = _QUOTED_LINE.sub(lambda found: f"“{found[1].strip()}”", text)
    if "\n" not in text:
        return text
    if text.count('"') % 2 == 0 and '"' in text:
        text = _closed(text, '"', '"')
    for opening, closing in _PAIRS:
        if opening in text and opening != closing:
            text = _closed(text, opening, closing)
    return text


def _closed(text: str, opening: str, closing: str) -> str:
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        if _opens(lines[at], opening, closing):
            end = _end(lines, at, opening, closing)
            if end > at:
                lines[at] += closing
                for between in range(at + 1, end):
                    if lines[between].strip():
                        lines[between] = f"{opening}{lines[between].strip()}{closing}"
                lines[end] = f"{opening}{lines[end].lstrip()}"
                at = end
        at += 1
    return "\n".join(lines)


def _opens(line: str, opening: str, closing: str) -> bool:
    """Whether a line opens a quotation that it does not close."""
    if opening == closing:
        return line.count(opening) % 2 == 1
    return line.rfind(opening) > line.rfind(closing)


def _end(lines: list[str], at: int, opening: str, closing: str) -> int:
    """The line in which the quotation of a line ends, `at` itself when none does near it."""
    for end in range(at + 1, min(len(lines), at + 1 + _PARAGRAPHS)):
        line = lines[end]
        first = line.find(closing)
        if opening == closing:
            if first >= 0:
                return end if line.count(closing) % 2 == 1 else at
        elif first >= 0 or opening in line:
            begins = line.find(opening)
            return end if first >= 0 and (begins < 0 or first < begins) else at
    return at
