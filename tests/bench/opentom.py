"""OpenToM (Xu et al. 2024): who moves a thing while another watches or is away.

Each story is a plot of a few sentences, and prose that a language model made of it. Labels go by
the prose, and of second order often by one sentence of it: "Unbeknownst to A, B had seen it all."
Of like plots some have one label and some the other, so that no reading of the plots gives all of
them; the prose is read for that one sentence alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from app.story.recap_texts.sentences import split_sentences
from tests.bench.tomi import ROOM, Asked, BeliefStory, Noticing

BOTH_NOTICED = re.compile(r"Both (\w+) and (\w+) noticed")
ASKS = re.compile(r"From (\w+)'s perspective, where (?:precisely does (\w+))?")
MOVER, OBSERVER = "TheMover", "TheObserver"  # in place of their names
_ONE = rf"(?P<who>{MOVER}|{OBSERVER}|him|her|them|he|she|they)"
# By which the prose says that somebody does not know what follows.
IGNORANT = (
    re.compile(rf"\b(?:unbeknownst|unknown) to {_ONE}\b,?(?P<what>.*)", re.IGNORECASE),
    re.compile(
        rf"\blittle d(?:id|oes) {_ONE} (?:know|realize)(?: that)?,?(?P<what>.*)", re.IGNORECASE
    ),
    re.compile(rf"\b(?:unaware|oblivious)(?: to the fact)? that (?P<what>{OBSERVER}.*)"),
)
NOT_SEEN = re.compile(
    r"\b(?:not|never|(?:had|did|was|would)n't|no|none|nowhere|left|exited|missed|unaware"
    r"|oblivious)\b"
)
SEEN = re.compile(r"\b(?:watch|witness|observ|s[ae]w\b|seen\b|notic|eyes\b)\w*")


def opentom(folder: Path) -> Iterator[BeliefStory]:
    """The stories with the questions where exactly a thing is."""
    where = next(path.parent for path in sorted(folder.rglob("location_fg_so_new.json")))
    plots: Mapping[str, Any] = json.loads((where / "meta_data.json").read_text(encoding="utf-8"))
    answers: dict[str, list[Asked]] = {}
    for name in ("location_fg_fo_new.json", "location_fg_so_new.json"):
        for key, asked in json.loads((where / name).read_text(encoding="utf-8")).items():
            answers.setdefault(key, []).extend(_asked(asked, plots[key]["plot_info"]))
    for key, plot in plots.items():
        yield _story(plot, tuple(answers.get(key, ())))


def _asked(questions: Sequence[Mapping[str, str]], info: Mapping[str, str]) -> Iterator[Asked]:
    for one in questions:
        found = ASKS.match(one["question"])
        if found is None or found[1] == "narrator" or "beginning" in one["question"]:
            continue
        is_false = one["answer"] != info["move_to_place"]
        told = _plain(one["answer"])
        yield Asked(found[1], found[2] or "", info["eoi"], told, is_false=is_false)


def _story(plot: Mapping[str, Any], questions: tuple[Asked, ...]) -> BeliefStory:
    info = plot["plot_info"]
    mover, observer, thing = info["mover"], info["observer"], info["eoi"]
    told: list[str] = []
    lines: list[str] = []
    room, is_there = "room", True
    for sentence in plot["plot"].splitlines():
        told.append(sentence)
        head = f"sources={len(told)}"
        if BOTH_NOTICED.match(sentence):
            rooms = re.findall(r" in the ([^.]+?)(?= in the |\.|$)", sentence)
            room = rooms[-1] if len(rooms) > 1 else room
            lines += (f"[present:{head}] {one} | {room}" for one in (mover, observer))
            lines.append(f"[shown:{head}] {mover} | {_lies_in(thing, info['original_place'])}")
        elif " moved the " in sentence:
            if is_there and not plot["observed"]:
                told[-1:] = [f"{observer} was elsewhere.", sentence]
                lines.append(f"[leave:sources={len(told) - 1}] {observer} | {room}")
            head = f"sources={len(told)}"
            lines.append(f"[shown:{head}] {mover} | {_lies_in(thing, info['move_to_place'])}")
        elif found := ROOM.match(sentence):
            kind = "leave" if found["verb"] == "exited" else "enter"
            if found["who"] == observer:
                is_there = kind == "enter"
            lines.append(f"[{kind}:{head}] {found['who']} | {found['place']}")
    moved = [sentence for sentence in told if " moved the " in sentence]
    is_sound = all(sentence.startswith(mover) for sentence in moved)
    noticing = _noticing(plot, len(told))
    return BeliefStory(tuple(told), tuple(lines), questions, is_sound, noticing)


def _noticing(plot: Mapping[str, Any], last: int) -> Noticing | None:
    """What the prose says of whether the mover takes the other to have seen it."""
    info = plot["plot_info"]
    mover, observer = info["mover"], info["observer"]
    is_seen = takes_as_seen(plot["narrative"], mover, observer)
    if is_seen is None:
        return None
    lies = _lies_in(info["eoi"], info["move_to_place"])
    if is_seen:
        line = f"[believes:sources={last}] {mover} | {observer} knows that {lies}"
    else:
        line = f"[unaware:sources={last}] {mover} | that {observer} saw that {lies}"
    return Noticing(mover, is_seen, line)


def takes_as_seen(prose: str, mover: str, observer: str) -> bool | None:
    """Whether the mover takes the other to have seen it, as far as a sentence says that they are
    wrong about that: who does not know that they were watched does not, who does not know that the
    other was away does. None where no sentence says so.
    """
    found = None
    for sentence in split_sentences(prose.replace("’", "'")):
        plain = re.sub(rf"\b{re.escape(mover)}\b", MOVER, sentence)
        plain = re.sub(rf"\b{re.escape(observer)}\b", OBSERVER, plain)
        what = next(filter(None, (_unknown(pattern, plain) for pattern in IGNORANT)), "")
        told = [(m.start(), is_seen) for m, is_seen in _said(what) if m is not None]
        if told:
            found = min(told)[1]
    return found


def _said(what: str) -> Iterator[tuple[re.Match[str] | None, bool]]:
    yield NOT_SEEN.search(what), True
    yield SEEN.search(what), False


def _unknown(pattern: re.Pattern[str], sentence: str) -> str:
    """What a sentence says that the mover does not know of the other, "" for nothing. A pronoun
    before the other one's name means the mover.
    """
    found = pattern.search(sentence)
    if found is None:
        return ""
    who, what = found.groupdict().get("who", MOVER), found["what"]
    first = re.search(f"{MOVER}|{OBSERVER}", what)
    is_of_other = first is not None and first[0] == OBSERVER
    return what if who == MOVER or (who != OBSERVER and is_of_other) else ""


def _lies_in(thing: str, place: str) -> str:
    return f"The {thing} is in the {_plain(place)}."


def _plain(place: str) -> str:
    return place.rstrip(".").removeprefix("the ")
