"""A story bible as text: Markdown, and one HTML page that needs nothing beside it.

What stories and models wrote is shown as it is: no sign of it is read as markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from html import escape

from app.memory.documents.bible_parts import Bible, Block, Item, Part

_SIGNS = re.compile(r"([\\`*_\[\]<>|~]|&(?=[#\w]))")
_LINE_START = re.compile(r"^(#{1,6}|[-+=]|\d{1,9}[.)])")
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")

# Everything that a printer needs, and both lights; no script, no font, no address.
STYLE = """
:root { color-scheme: light dark; --ground: #faf9f6; --text: #26282b; --soft: #5e636a;
  --line: #dedcd5; --title: #1b1d20; --mark: #885200; }
@media (prefers-color-scheme: dark) { :root { --ground: #14171a; --text: #d6d4cf;
  --soft: #8d939b; --line: #363d44; --title: #eceae5; --mark: #f4ae3d; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 44rem; padding: 3rem 1.25rem 5rem; background: var(--ground);
  color: var(--text); font: 1.02rem/1.6 Charter, "Charis SIL", Georgia, "Noto Serif", serif; }
h1, h2, h3, h4, nav, .note, .lead, .about { font-family: Inter, "Segoe UI", Cantarell,
  "Noto Sans", sans-serif; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .5rem; color: var(--title); }
h2 { font-size: 1.3rem; margin: 3rem 0 .75rem; padding-top: .75rem; color: var(--title);
  border-top: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.75rem 0 .35rem; color: var(--title); }
h4 { font-size: .8rem; font-weight: 600; margin: 1rem 0 .2rem; color: var(--soft); }
p { margin: .4rem 0; white-space: pre-line; overflow-wrap: anywhere; }
ul { margin: .2rem 0 .6rem; padding-left: 1.1rem; }
li { margin: .2rem 0; overflow-wrap: anywhere; }
.about { font-size: .85rem; color: var(--soft); }
.note { font-size: .75rem; color: var(--soft); white-space: nowrap; margin-left: .4rem;
  font-weight: 400; font-variant-numeric: tabular-nums; }
.lead { font-size: .85rem; font-weight: 600; color: var(--title); }
.lead::after { content: ": "; }
nav { font-size: .9rem; margin: 1.5rem 0 0; }
nav a { color: var(--mark); margin-right: 1rem; text-decoration: none; white-space: nowrap; }
nav a:hover, nav a:focus { text-decoration: underline; }
@media print { :root { --ground: #fff; --text: #000; --title: #000; --soft: #444; --line: #bbb; }
  body { max-width: none; padding: 0; font-size: 10.5pt; } nav { display: none; }
  h2, h3, h4 { break-after: avoid; } li { break-inside: avoid; } }
"""


class BibleFormat(StrEnum):
    """What a story bible is written as; its value is the file's ending."""

    MARKDOWN = "md"
    HTML = "html"


def markdown(bible: Bible) -> str:
    """CommonMark. Each chapter is a heading of the second level."""
    lines = [f"# {_plain(bible.title)}", ""]
    for sentence in bible.about:
        lines += [_plain(sentence), ""]
    for part in bible.parts:
        lines += _part_lines(part, 2)
    return "\n".join(lines).rstrip() + "\n"


def _part_lines(part: Part, level: int) -> Iterator[str]:
    note = f" ({_plain(part.note)})" if part.note else ""
    yield f"{'#' * level} {_plain(part.title)}{note}"
    yield ""
    for block in part.blocks:
        yield from _block_lines(block, level + 1)
    for inner in part.parts:
        yield from _part_lines(inner, level + 1)


def _block_lines(block: Block, level: int) -> Iterator[str]:
    if block.title:
        yield f"{'#' * level} {_plain(block.title)}"
        yield ""
    for text in block.text:
        for paragraph in text.splitlines():
            if paragraph.strip():
                yield _line(paragraph)
                yield ""
    for item in block.items:
        lead = f"**{_plain(item.lead)}:** " if item.lead else ""
        note = f" *({_plain(item.note)})*" if item.note else ""
        yield f"- {lead}{_plain(item.text) if lead else _line(item.text)}{note}"
    if block.items:
        yield ""


def _plain(text: str) -> str:
    """One line's words whose signs mean themselves."""
    return _SIGNS.sub(r"\\\1", " ".join(_UNSEEN.sub(" ", text).split()))


def _line(text: str) -> str:
    """The same at the beginning of a line, where more signs mean something."""
    return _LINE_START.sub(lambda found: f"{found[1][:-1]}\\{found[1][-1]}", _plain(text))


def html(bible: Bible) -> str:
    """One page with its style in it. Prints well, follows the reader's light, runs no script."""
    title = _shown(bible.title)
    about = "".join(f'<p class="about">{_shown(sentence)}</p>\n' for sentence in bible.about)
    links = "".join(
        f'<a href="#part-{number}">{_shown(part.title)}</a>\n'
        for number, part in enumerate(bible.parts)
    )
    chapters = "".join(
        f'<section id="part-{number}">\n{_part_html(part, 2)}</section>\n'
        for number, part in enumerate(bible.parts)
    )
    return (
        "<!DOCTYPE html>\n<html>\n<head>\n"
        '<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f"<header>\n<h1>{title}</h1>\n{about}<nav>{links}</nav>\n</header>\n"
        f"<main>\n{chapters}</main>\n</body>\n</html>\n"
    )


def _part_html(part: Part, level: int) -> str:
    note = f'<span class="note">{_shown(part.note)}</span>' if part.note else ""
    head = f"<h{level}>{_shown(part.title)}{note}</h{level}>\n"
    blocks = "".join(_block_html(block, level + 1) for block in part.blocks)
    return head + blocks + "".join(_part_html(inner, level + 1) for inner in part.parts)


def _block_html(block: Block, level: int) -> str:
    level = max(4, level)
    head = f"<h{level}>{_shown(block.title)}</h{level}>\n" if block.title else ""
    paragraphs = "".join(f"<p>{_shown(text)}</p>\n" for text in block.text)
    items = "".join(map(_item_html, block.items))
    return head + paragraphs + (f"<ul>\n{items}</ul>\n" if items else "")


def _item_html(item: Item) -> str:
    lead = f'<span class="lead">{_shown(item.lead)}</span>' if item.lead else ""
    note = f'<span class="note">{_shown(item.note)}</span>' if item.note else ""
    return f"<li>{lead}{_shown(item.text)}{note}</li>\n"


def _shown(text: str) -> str:
    return escape(_UNSEEN.sub(" ", text.strip()), quote=True)
