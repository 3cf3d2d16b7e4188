"""Turns a message's text into the small, safe HTML that the column shows."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from html import escape
from itertools import accumulate

from app.core.translation import number, tr

# What one message may cost: 30,000 characters are laid out in about 20 ms, and no reader
# follows a longer one in a column. The rest stays in the chat.
SHOWN_CHARACTERS = 30_000

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r"(#{1,6})[ \t]+(\S.*)")
_RULE = re.compile(r"[ ]{0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})")
_BACKTICKS = re.compile(r"`+")
_DELIMITERS = re.compile(r"\*+|_+")
_LINK = re.compile(r"!?\[([^\[\]\n]{0,300})\]\(([^()\s]{0,2000})\)")
# Qt keeps no other control characters in a document; U+FDD0 to U+FDEF and U+2028/9 mean blocks.
_UNSHOWABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")

# SillyTavern colours these pairs; none reaches over a line (public/script.js, messageFormatting).
_QUOTES = {"“": "”", '"': '"', "«": "»", "「": "」", "『": "』", "＂": "＂"}
_TYPOGRAPHIC = {'"': ("“", "”")}


# How one character is written. Plain integers: an IntFlag costs 0.5 ms more per message.
_PLAIN, _EMPHASIS, _STRONG, _SAY, _CODE = 0, 1, 2, 4, 8
_GONE = 16  # markup that is not shown


@dataclass(frozen=True, slots=True)
class Inks:
    """Colours as #rrggbb and the family of code; the rest of the font is the document's."""

    say: str
    narr: str
    meta: str
    code: str
    mono: str = "JetBrains Mono"


def message_html(text: str, inks: Inks, *, limit: int = SHOWN_CHARACTERS) -> str:
    """Render a message as SillyTavern shows it: speech, narration, bold, code and lines.

    The text is hostile: whatever it holds, the answer has only p, span, br and pre of our own
    making, no address and no image. Never raises; linear in min(len(text), limit).
    """
    cut = len(text) - limit
    shown = text[:limit] if cut > 0 else text
    shown = shown.replace("\r\n", "\n").replace("\r", "\n").expandtabs(4)
    shown = _UNSHOWABLE.sub("", shown)
    blocks = [_block_html(block, inks) for block in _blocks(shown)]
    if cut > 0:
        blocks.append(
            _paragraph(tr("… {cut} more characters", cut=number(cut)), f"color:{inks.meta}")
        )
    return "".join(blocks)


def _paragraph(body: str, style: str = "", attributes: str = "") -> str:
    """A block without margins of its own; the column spaces them."""
    return f'<p {attributes}style="margin:0;white-space:pre-wrap;{style}">{body}</p>'


@dataclass(frozen=True, slots=True)
class _Block:
    kind: str  # text, code, heading, quote, rule
    text: str


def _blocks(text: str) -> list[_Block]:
    """Cut the text into fences, headings, rules, quotations and paragraphs."""
    blocks: list[_Block] = []
    lines: list[str] = []
    kind = "text"
    fence = ""

    def close() -> None:
        nonlocal kind
        content = "\n".join(lines) if kind == "code" else "\n".join(lines).strip("\n")
        if content.strip() or kind == "code":
            blocks.append(_Block(kind, content))
        lines.clear()
        kind = "text"

    for line in text.split("\n"):
        if fence:
            if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
                close()
            else:
                lines.append(line)
            continue
        opened = _FENCE.match(line)
        # A fence opened and closed on one line is inline code, which the paragraph handles.
        if opened and opened[1] not in line[opened.end() :]:
            close()
            fence, kind = opened[1], "code"
        elif not line.strip():
            close()
        elif _RULE.fullmatch(line):
            close()
            blocks.append(_Block("rule", ""))
        elif heading := _HEADING.fullmatch(line):
            close()
            blocks.append(_Block("heading", heading[2].rstrip("#").rstrip() or heading[2]))
        else:
            is_quote = line.lstrip().startswith(">")
            if is_quote != (kind == "quote") and lines:
                close()
            kind = "quote" if is_quote else "text"
            lines.append(line.lstrip()[1:].lstrip() if is_quote else line.rstrip())
    close()
    return blocks


def _block_html(block: _Block, inks: Inks) -> str:
    match block.kind:
        case "code":
            body = escape(block.text, quote=False).replace("\n", "<br>")
            style = f"font-family:'{inks.mono}';font-size:12px;color:{inks.code}"
            return _paragraph(f'<span style="{style}">{body}</span>')
        case "heading":
            return _paragraph(_inline_html(block.text, inks, _STRONG))
        case "quote":
            return _paragraph(_inline_html(block.text, inks), "margin-left:16px")
        case "rule":
            return _paragraph("⁂", f"color:{inks.meta}", 'align="center" ')
        case _:
            return _paragraph(_inline_html(block.text, inks))


def _inline_html(text: str, inks: Inks, base: int = _PLAIN) -> str:
    """Write one paragraph as runs of equal ink, so no tag can ever nest wrongly."""
    text = _LINK.sub(_link_words, text)
    ink = [base] * len(text)
    glyphs = list(text)
    taken = _mark_code(text, ink)
    _mark_quotes(text, ink, glyphs, taken)
    _mark_emphasis(text, ink, taken)
    _mark_apostrophes(text, ink, glyphs)
    parts: list[str] = []
    start = 0
    for position in range(1, len(text) + 1):
        if position == len(text) or ink[position] != ink[start]:
            parts.append(_run_html("".join(glyphs[start:position]), ink[start], inks))
            start = position
    return "".join(parts)


def _link_words(match: re.Match[str]) -> str:
    """A link is shown as its words and its address; nothing is ever fetched."""
    words, address = match[1].strip(), match[2]
    if match[0].startswith("!"):
        return tr("[image: {words}]", words=words) if words else tr("[image]")
    return f"{words} ({address})" if words and words != address else address


def _run_html(text: str, ink: int, inks: Inks) -> str:
    if ink & _GONE:
        return ""
    body = escape(text, quote=False).replace("\n", "<br>")
    styles: list[str] = []
    if ink & _CODE:
        styles.append(f"font-family:'{inks.mono}';font-size:12px;color:{inks.code}")
    elif ink & _SAY:
        styles.append(f"color:{inks.say}")
    elif ink & _EMPHASIS:
        styles.append(f"color:{inks.narr}")
    if ink & _EMPHASIS and not ink & _CODE:
        styles.append("font-style:italic")
    if ink & _STRONG:
        styles.append("font-weight:700")
    return f'<span style="{";".join(styles)}">{body}</span>' if styles else body


def _mark_code(text: str, ink: list[int]) -> list[tuple[int, int]]:
    """Mark `code`; returns its spans, in which nothing else is markup."""
    runs = [(m.start(), m.end()) for m in _BACKTICKS.finditer(text)]
    by_length: dict[int, list[int]] = {}
    for start, end in runs:
        by_length.setdefault(end - start, []).append(start)
    spans: list[tuple[int, int]] = []
    done = 0
    for start, end in runs:
        if start < done:
            continue
        size = end - start
        same = by_length[size]
        place = bisect_left(same, end)
        if place == len(same):
            continue
        closing = same[place]
        _mark(ink, start, end, _GONE)
        _mark(ink, end, closing, _CODE)
        _mark(ink, closing, closing + size, _GONE)
        done = closing + size
        spans.append((start, done))
    return spans


def _mark_quotes(
    text: str, ink: list[int], glyphs: list[str], taken: list[tuple[int, int]]
) -> None:
    """Mark speech, quotes included. A quote ends on its own line or it is none."""
    spans = iter([*taken, (len(text), len(text))])
    code_start, code_end = next(spans)
    line_end = -1
    lacking: set[str] = set()  # closers this line no longer has: searched for once, not per quote
    position = 0
    while position < len(text):
        if position >= code_start:
            if position < code_end:
                position = code_end
                continue
            code_start, code_end = next(spans, (len(text), len(text)))
            continue
        if position > line_end:
            line_end = text.find("\n", position)
            line_end = len(text) if line_end < 0 else line_end
            lacking.clear()
        closer = _QUOTES.get(text[position])
        if closer is None or closer in lacking:
            position += 1
            continue
        end = text.find(closer, position + 1, line_end)
        if end < 0:
            lacking.add(closer)
            position += 1
            continue
        _mark(ink, position, end + 1, _SAY)
        left, right = _TYPOGRAPHIC.get(text[position], (text[position], closer))
        glyphs[position], glyphs[end] = left, right
        position = end + 1


def _mark_emphasis(text: str, ink: list[int], taken: list[tuple[int, int]]) -> None:
    """Mark *emphasis* and **bold**: a stack of open delimiters, each touched once."""
    starts = [start for start, _ in taken]
    open_runs: dict[str, list[list[int]]] = {"*": [], "_": []}  # [position, length left]
    depth = {_EMPHASIS: [0] * (len(text) + 1), _STRONG: [0] * (len(text) + 1)}
    for match in _DELIMITERS.finditer(text):
        start, end = match.span()
        place = bisect_left(starts, end) - 1
        if (place >= 0 and start < taken[place][1]) or end - start > 3:
            continue
        if start and text[start - 1] == "\\":
            ink[start - 1] |= _GONE
            continue
        opens, closes = _may_open_and_close(text, start, end)
        stack = open_runs[text[start]]
        remaining, cursor = end - start, start
        while closes and remaining and stack:
            opening = stack[-1]
            size = 2 if remaining >= 2 and opening[1] >= 2 else 1
            inside = opening[0] + opening[1]
            steps = depth[_STRONG if size == 2 else _EMPHASIS]
            steps[inside] += 1
            steps[cursor] -= 1
            _mark(ink, inside - size, inside, _GONE)
            _mark(ink, cursor, cursor + size, _GONE)
            opening[1] -= size
            cursor, remaining = cursor + size, remaining - size
            if not opening[1]:
                stack.pop()
        if opens and remaining:
            stack.append([cursor, remaining])
    for style, steps in depth.items():
        # Nested spans are summed up once; filling each of them would be quadratic.
        for position, level in zip(range(len(text)), accumulate(steps), strict=False):
            if level:
                ink[position] |= style


def _may_open_and_close(text: str, start: int, end: int) -> tuple[bool, bool]:
    """A delimiter opens before a word and closes behind one; `_` not inside a word."""
    left = text[start - 1] if start else " "
    right = text[end] if end < len(text) else " "
    opens, closes = not right.isspace(), not left.isspace()
    if text[start] == "_":
        opens, closes = opens and not left.isalnum(), closes and not right.isalnum()
    return opens, closes


def _mark_apostrophes(text: str, ink: list[int], glyphs: list[str]) -> None:
    """Set the straight apostrophe inside and behind words as a typographic one."""
    position = text.find("'")
    while position >= 0:
        if position and text[position - 1].isalnum() and not ink[position] & _CODE:
            glyphs[position] = "’"
        position = text.find("'", position + 1)


def _mark(ink: list[int], start: int, end: int, style: int) -> None:
    for place in range(start, end):
        ink[place] |= style
