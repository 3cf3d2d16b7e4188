"""Takes a model's reasoning off its answer (spec/smart-memory.md §4, GT).

All of it runs in linear time: one pass of a pattern whose parts are bounded, and a stack.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

# Names that stand for each other in one family: models open <think> and close </thinking>.
FAMILIES = {"thinking": "think", "thought": "think", "seed:think": "think"}
MARK = re.compile(
    r"<(?P<close>/?)(?P<name>think|thinking|thought|reasoning|reflection|analysis|seed:think)"
    r"(?:\s[^<>]{0,80})?>"
    r"|\[(?P<bclose>/?)THINK\]"
    r"|◁(?P<tclose>/?)think▷"
    r"|(?P<gopen><\|channel>[a-z]{0,16})|(?P<gclose><channel\|>)",
    re.IGNORECASE,
)
HARMONY = re.compile(
    r"<\|channel\|>\s{0,4}(?P<channel>[a-z]{1,16})[^<\n]{0,80}"
    r"(?:<\|constrain\|>[^<\n]{0,40})?<\|message\|>"
    r"|<\|(?P<stop>end|return|call|start)\|>(?:assistant|user|system|developer)?",
    re.IGNORECASE,
)
# What is left of Harmony when a server swallows its marks.
BARE_HARMONY_START = re.compile(r"\s{0,16}analysis(?=[A-Z\s])")
BARE_HARMONY_FINAL = "assistantfinal"
# The beginning of a mark at the end of what has come so far.
HALF_MARK = re.compile(
    r"<\|channel\|>[^<\n]{0,80}(?:<\|?[a-z]{0,10}\|?)?\Z"
    r"|<\|start\|>[a-z]{0,12}\Z"
    r"|<(?:[/|a-z][^<>\n]{0,80})?\Z|\[/?[a-z]{0,5}\Z|◁/?[a-z]{0,5}\Z",
    re.IGNORECASE,
)
LONGEST_HALF_MARK = 120


@dataclass(frozen=True, slots=True)
class Stripped:
    """An answer without its reasoning.

    is_truncated: the reasoning never ended, and `text` is what stood before it. is_salvaged:
    nothing stood outside of it, so `text` is the reasoning's own inside, from which a parser may
    still save what is complete.
    """

    text: str
    reasoning: str = ""
    is_truncated: bool = False
    is_salvaged: bool = False


def strip_reasoning(text: str, extra_pairs: Sequence[tuple[str, str]] = ()) -> Stripped:
    """Separate reasoning and answer.

    extra_pairs: the user's own (prefix, suffix) marks, taken literally.
    """
    if not text:
        return Stripped("")
    for prefix, suffix in extra_pairs:
        if prefix and suffix:
            text = text.replace(prefix, "<think>").replace(suffix, "</think>")
    text, harmony, has_no_final = _without_harmony(text)
    stripped = _without_blocks(text)
    reasoning = "\n".join(part for part in (harmony, stripped.reasoning) if part)
    if has_no_final and not stripped.text:
        return Stripped(without_fence(harmony), reasoning, True, True)
    return Stripped(
        without_fence(stripped.text), reasoning, stripped.is_truncated, stripped.is_salvaged
    )


def mark_pairs(text: str) -> tuple[tuple[str, str], ...]:
    """The (prefix, suffix) pairs of a setting: "<plan>...</plan> [[...]]". What is no pair of two
    different marks counts for nothing.
    """
    found = (part.replace("…", "...").partition("...") for part in text.split())
    return tuple((begin, end) for begin, _, end in found if begin and end and begin != end)


def visible_text(text_so_far: str, extra_pairs: Sequence[tuple[str, str]] = ()) -> str:
    """What may be shown while the answer is still coming in: no reasoning, no half of a mark."""
    half = HALF_MARK.search(text_so_far, max(0, len(text_so_far) - LONGEST_HALF_MARK))
    stripped = strip_reasoning(text_so_far[: half.start()] if half else text_so_far, extra_pairs)
    return "" if stripped.is_salvaged else stripped.text


def without_fence(text: str) -> str:
    """The inside of a code fence that wraps the whole text, else the text; trimmed."""
    text = text.strip()
    if not (text.startswith("```") and text.endswith("```")):
        return text
    language, newline, inside = text[3:-3].partition("\n")
    if not newline or "```" in inside or len(language) > 20:
        return text
    return inside.strip()


def _without_harmony(text: str) -> tuple[str, str, bool]:
    """Text of the final channel, that of the other channels, and whether no final one came."""
    if "<|channel|>" not in text.lower():
        if BARE_HARMONY_START.match(text) and BARE_HARMONY_FINAL in text:
            reasoning, _, final = text.rpartition(BARE_HARMONY_FINAL)
            return final, reasoning, False
        return text, "", False
    kept: list[str] = []
    dropped: list[str] = []
    into, has_final, at = kept, False, 0
    for mark in HARMONY.finditer(text):
        into.append(text[at : mark.start()])
        at = mark.end()
        if mark["channel"]:
            is_final = mark["channel"].lower() == "final"
            has_final = has_final or is_final
            into = kept if is_final else dropped
        else:
            into = kept
    into.append(text[at:])
    answer = "".join(kept).strip()
    return answer, "\n".join(p.strip() for p in dropped if p.strip()), not has_final and not answer


def _without_blocks(text: str) -> Stripped:
    spans: list[tuple[int, int]] = []  # of closed outermost blocks, marks included
    stack: list[tuple[str, int]] = []
    open_of: dict[str, int] = {}  # how many of each family are open, so that no stack is searched
    last_close = 0
    has_orphan = False
    for mark in MARK.finditer(text):
        family, is_close = _kind(mark)
        if not is_close:
            stack.append((family, mark.start()))
            open_of[family] = open_of.get(family, 0) + 1
        elif open_of.get(family, 0):
            start = _pop(stack, open_of, family)
            if not stack:
                spans.append((start, mark.end()))
            last_close = mark.end()
        elif not stack:
            # The template wrote the opener into the prompt: all before the last closer is
            # reasoning.
            has_orphan = True
            spans = [(0, mark.end())]
            last_close = mark.end()
    return _cut(text, spans, stack, last_close, has_orphan)


def _cut(
    text: str,
    spans: list[tuple[int, int]],
    stack: list[tuple[str, int]],
    last_close: int,
    has_orphan: bool,
) -> Stripped:
    is_truncated = False
    if stack:
        start = stack[0][1]
        if start < last_close:
            # A mark that was only talked about inside the reasoning: it ended at the last closer.
            spans.append((start, last_close))
            after = next((at for _, at in stack if at >= last_close), None)
        else:
            after = start
        if after is not None:
            spans.append((after, len(text)))
            is_truncated = True
    kept: list[str] = []
    reasoning: list[str] = []
    at = 0
    for start, end in spans:
        kept.append(text[at:start])
        reasoning.append(text[start:end])
        at = end
    kept.append(text[at:])
    answer = "".join(kept).strip()
    thoughts = MARK.sub("", "\n".join(reasoning)).strip()
    if not answer and (is_truncated or has_orphan):
        return Stripped(thoughts, thoughts, bool(thoughts), bool(thoughts))
    return Stripped(answer, thoughts, is_truncated)


def _kind(mark: re.Match[str]) -> tuple[str, bool]:
    if mark["name"]:
        name = mark["name"].lower()
        return FAMILIES.get(name, name), bool(mark["close"])
    if mark["gopen"] or mark["gclose"]:
        return "gemma", bool(mark["gclose"])
    if mark["bclose"] is not None:
        return "bracket", bool(mark["bclose"])
    return "triangle", bool(mark["tclose"])


def _pop(stack: list[tuple[str, int]], open_of: dict[str, int], family: str) -> int:
    """Close the innermost block of `family` and all that was opened inside of it."""
    while True:
        name, start = stack.pop()
        open_of[name] -= 1
        if name == family:
            return start
