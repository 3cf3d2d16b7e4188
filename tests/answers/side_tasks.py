"""What a model answers where no notes were recorded: by rules, of what the request itself says."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

WORD = re.compile(r"[^\W\d_]+")
LISTED = re.compile(r"^(\d+)\. (.+)$", re.MULTILINE)
WANTED = re.compile(r"Write the portraits of: (.+)")
VALUE = re.compile(r"^- (.+?) \(\w+\): (\w+)=(.+)$", re.MULTILINE)
FEELING = re.compile(r"^- (.+?) -> (.+?): (.+)$", re.MULTILINE)
OPEN = re.compile(r"^- \[open\] (.+)$", re.MULTILINE)
ENDED = re.compile(r"^(\d+)\. (.*?)(?: \| said to have ended so: (.*))?$", re.MULTILINE)
THREADS = re.compile(r"<threads>\n(.*?)\n</threads>", re.DOTALL)
FIELDS: Mapping[str, tuple[str, str]] = {
    "active_goal": ("character_state", "goals"),
    "mood": ("character_state", "posture"),
    "location": ("world_state", "location"),
}
HISTORY_OF = re.compile(r"paragraphs of the history of (.+?), in at most")
KEYWORDS = 5
ABOUT, LIVED = 3, 14  # sentences of a history: of who somebody is, and in all
RELATIONS = 6
SHORTEST_WORD = 5
NONE = "NONE"


def portraits(text: str) -> str:
    """Portraits of those who are asked for, of the values and feelings that are shown."""
    wanted = WANTED.search(text)
    if wanted is None:
        return NONE
    return "\n\n".join(_portrait(name.strip(), text) for name in wanted[1].split(",")) or NONE


def _portrait(name: str, text: str) -> str:
    held = {field: value for whose, field, value in VALUE.findall(text) if whose == name}
    parts: dict[str, list[str]] = {"character_state": [], "world_state": []}
    for field, (part, title) in FIELDS.items():
        if field in held:
            parts[part].append(f"{title}: {held[field]}")
    if not held and (still_open := OPEN.findall(text)):
        parts["world_state"].append(f"unresolved: {still_open[-1]}")
    feelings: dict[str, list[str]] = {}
    for who, whom, what in FEELING.findall(text):
        if who == name:
            feelings.setdefault(whom, []).append(what)
    lines = [f"[PROFILE {name}]", "[character_state]", *parts["character_state"]]
    lines += ["[world_state]", *parts["world_state"]]
    lines.append("[relationship_matrix]")
    for whom, felt in list(feelings.items())[-RELATIONS:]:
        lines.append(f"{whom}: {', '.join(felt)}, confidence 0.8")
    return "\n".join(lines)


def arc_summaries(text: str) -> str:
    """Of each thread that is said to be over, how the notes say it ended."""
    threads = THREADS.search(text)
    lines = [
        f"[{number}: RESOLVED] {how}" if how else f"[{number}: INSUFFICIENT_EVIDENCE]"
        for number, _, how in ENDED.findall(threads[1] if threads else "")
    ]
    return "\n".join(lines) or NONE


def history(text: str) -> str:
    """A character's history: how it is, and then the plots that have ended, the newest for sure."""
    whose = HISTORY_OF.search(text)
    plots, notes = _items("plots", text), _items("notes", text)
    if whose is None:
        return NONE
    about = [note.partition("] ")[2] or note for note in notes]
    about = [note for note in about if _names(whose[1], note)]
    lived = list(dict.fromkeys([*about[:ABOUT], *plots]))[-LIVED:]
    if not lived:
        return NONE
    identity = f"Identity: {about[0]}\n\n" if about else ""
    return f"{identity}History: {' '.join(lived)}\n\nNow: {(plots or lived)[-1]}"


def _names(whose: str, note: str) -> bool:
    """Whether a note is about one of the names, and not merely names one."""
    return any(note.startswith(name) for name in whose.split(", "))


def _items(tag: str, text: str) -> list[str]:
    found = re.search(rf"<{tag}>\n(.*?)\n</{tag}>", text, re.DOTALL)
    lines = found[1].splitlines() if found else []
    return [line[2:] for line in lines if line.startswith("- ")]


def keywords(text: str, told: Sequence[str]) -> str:
    """Words that go with each listed note: the rarest of what stands beside it in `told`."""
    places = {line: place for place, line in enumerate(told)}
    often = Counter(word for line in told for word in _words(line))
    lines = []
    for number, note in LISTED.findall(text):
        place = places.get(note)
        beside = [] if place is None else told[max(0, place - 2) : place + 3]
        own = note.casefold()
        fitting = {w for line in beside for w in _words(line) if w not in own}
        chosen = sorted(fitting, key=lambda word: (often[word], word))[:KEYWORDS]
        if chosen:
            lines.append(f"{number}: {', '.join(chosen)}")
    return "\n".join(lines) or NONE


def _words(line: str) -> Iterator[str]:
    """Long words in small letters, without names."""
    for word in WORD.findall(line):
        if len(word) >= SHORTEST_WORD and word == word.casefold():
            yield word
