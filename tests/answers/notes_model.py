"""A model that answers from recorded notes: what a language model once noted of each message.

Whatever windows, scenes and words the program's requests have, it answers as that model would.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tests.answers.merging import Count, Judgement, alike, fitted, merged, recap_in, words_of
from tests.answers.notes import Note, RecapAnswer, RecordedNotes, SceneNote
from tests.answers.request_counts import Exchange
from tests.answers.shown import (
    ARCS,
    EARLIER,
    KNOWING,
    RECAP,
    SCENE,
    Places,
    Task,
    ends_of,
    entry_key,
    listed,
    looked_through,
    scene_of,
    task_of,
    window_of,
)
from tests.answers.side_tasks import NONE, arc_summaries, history, keywords, portraits
from tests.fakes import RecordedRequest

ENDS: Mapping[str, str] = {"resolved": ARCS, "retire": KNOWING}
UPKEEP = "upkeep"  # tag of what a look through memory ended
MINDS = ("knows", "suspects", "believes", "unaware", "hiding")
TELLING = ("fact", "relationship", "preference", "event")
PASSING = ("scene", "revelation", "development", "detail")
# What a request for one kind of entries asks for, by the words that name it.
ONE_KIND: Mapping[str, tuple[str, ...]] = {
    "Your task: note who knows what": (*MINDS, "retire"),
    "Your task: note the state ledger": ("state",),
    "Your task: note the open arcs": ("arc", "resolved"),
    "Your task: note the long-term memory": TELLING,
    "Your task: note the session memory": PASSING,
    "Your task: note the feelings": ("feels",),
}
TOKENS_ASKED = re.compile(r"at most ([\d,.]+) tokens")
WORDS_ASKED = re.compile(r"at most ([\d,.]+) words")
WORDS_IN_TOKENS = 1.5  # tokens that a word takes, about
NUMBERED = re.compile(r"^(.+) \[(\d+)\]$", re.MULTILINE)  # an entry of a running recap
NEW_NOTE = re.compile(r"^\[(\d+)\] (.+)$", re.MULTILINE)
MERGED_TYPE = re.compile(r"Each begins with \[(\w+):")
ENTITY = re.compile(r":entity=([^\]]*)")
SAME_SCENE = 0.5  # share of a scene's messages that recorded answers have to tell of
KNOWN_AGAIN = 0.5  # of the words of an entry, to take a note for what it tells
USUAL_WEIGHT = 2


class NotesModel:
    """Answers requests. exchanges: all that was asked and answered.

    story: its messages tell where a shown message stands. count: tokens of a text.
    """

    def __init__(self, story: Mapping[str, Any], recorded: RecordedNotes, count: Count) -> None:
        self.exchanges: list[Exchange] = []
        self.told: set[Note] = set()
        self.ends = Counter[str]()  # "told", "not shown"
        self.scenes: dict[tuple[int, int], RecapAnswer] = {}  # last answer to each
        self._recorded = recorded
        self._count = count
        self._places = Places(story["messages"])
        self._names = frozenset(_names(recorded.notes))
        self._lines_told = [note.text for note in recorded.notes]
        self._words = [(words_of(note.text), note) for note in recorded.notes]
        self._over = _over(recorded.notes)
        self._until: dict[str, int] = {}  # last message of the scene that an entry was written of

    def reply(self, request: RecordedRequest) -> str:
        """The answer to a request."""
        user, text = str(request.messages[-1]["content"]), request.text
        task = task_of(user, text)
        answers: Mapping[Task, Callable[[str], str]] = {
            Task.PASS: self._noted,
            Task.SCENE: self._scene,
            Task.RUNNING: self._running,
            Task.BOTH: self._both,
            Task.MERGE: self._kept_apart,
            Task.COMPARISON: lambda text: "INDEPENDENT",
            Task.BREAKS: lambda text: '{"sceneBreakAt": false}',
            Task.ENDS: lambda text: '{"sceneEnds": []}',
            Task.PORTRAITS: portraits,
            Task.THREADS: arc_summaries,
            Task.HISTORY: history,
            Task.UPKEEP: self._looked_through,
            Task.KEYWORDS: lambda text: keywords(text, self._lines_told),
        }
        answer = answers[task](user) if task in answers else NONE
        self.exchanges.append(Exchange(task.value, text, answer))
        return answer

    @property
    def never_told(self) -> list[Note]:
        """Notes that no request's window could hold: with sources, and never given."""
        return [n for n in self._recorded.notes if n.sources and n not in self.told]

    # --- memories

    def _noted(self, user: str) -> str:
        window = window_of(user, self._places)
        kinds = next((kinds for words, kinds in ONE_KIND.items() if words in user), None)
        shown = {
            heading: {entry_key(entry): number for entry, number in listed(user, heading).items()}
            for heading in (ARCS, KNOWING)
        }
        lines: list[str] = []
        for note in self._recorded.notes:
            # Noted where all of it has been said; a model cites of that what it is shown.
            if window.numbers.get(max(note.sources, default=-1), 0) < window.new_from:
                continue
            told = [window.numbers[source] for source in note.sources if source in window.numbers]
            if kinds is not None and note.kind not in kinds:
                continue
            self.told.add(note)
            lines += self._lines(note, ",".join(map(str, told)), shown)
        return "\n".join(lines) or NONE

    def _lines(
        self, note: Note, sources: str, shown: Mapping[str, Mapping[str, str]]
    ) -> Iterator[str]:
        head, _, rest = note.tag.partition(":")
        if note.kind not in ENDS:
            yield f"[{_tag(note.kind, head, rest, sources)}] {note.text}"
            return
        for entry in note.ends or ():
            number = shown[ENDS[note.kind]].get(entry_key(entry))
            self.ends["told" if number else "not shown"] += 1
            if number:
                how = f" | {note.text}" if note.kind == "resolved" else ""
                yield f"[{head}:sources={sources}] {number}{how}"

    def _looked_through(self, user: str) -> str:
        """What was noted as over until the last scene that is shown: by a look through, or in a
        reading, whose entry the program may not have shown again.
        """
        entries, scenes = looked_through(user)
        ends = sorted((last, number) for number, last in ends_of(scenes, self._until).items())
        lines = []
        for entry, number in entries.items():
            known = self._over.get(entry_key(entry), ())
            at, why = max(
                (one for one in known if ends and 0 <= one[0] <= ends[-1][0]), default=(-1, "")
            )
            scene = next((scene for last, scene in ends if last >= at >= 0), None)
            if scene is not None:
                lines.append(f"{number} | {scene} | {_reason(why, entry, scenes[scene])}")
        return "\n".join(lines) or NONE

    def _kept_apart(self, user: str) -> str:
        """Each new note as it is, without those that a kept one says word for word."""
        kept, _, new = user.partition("<new>")
        found = MERGED_TYPE.search(user)
        kind = found[1] if found else "fact"
        lines = []
        for number, text in NEW_NOTE.findall(new):
            if text not in kept:
                weight, lasting = self._weight_of(text)
                lines.append(f"[{kind}:{weight}:{lasting}:sources={number}] {text}")
        return "\n".join(lines) or NONE

    def _weight_of(self, text: str) -> tuple[int, str]:
        """Weight and duration that were noted with a text."""
        for note in self._recorded.notes:
            parts = note.tag.split(":")
            if note.text == text and len(parts) > 2 and parts[1].isdigit():
                return int(parts[1]), parts[2]
        return USUAL_WEIGHT, "session"

    # --- recaps

    def _scene(self, user: str) -> str:
        places = scene_of(user, self._places)
        name, recap = self._recorded_scene(places) or self._scene_of_notes(places)
        key = (min(places, default=-1), max(places, default=-1))
        if key in self.scenes:  # asked once more: it was too long
            recap = fitted(recap, self._weigh, self._limit(user), self._count)
        self.scenes[key] = recap
        self._until |= dict.fromkeys(recap.entries, key[1])
        return json.dumps({"name": name, "recap": recap.as_json()}, ensure_ascii=False)

    def _recorded_scene(self, places: Sequence[int]) -> tuple[str, RecapAnswer] | None:
        """The recorded answers that tell of most of these messages, several as one."""
        here = frozenset(places)
        inside = [
            scene
            for scene in self._recorded.scenes
            if len(here.intersection(scene.places)) > SAME_SCENE * len(scene.places)
        ]
        held = {place for scene in inside for place in scene.places}
        if len(here & held) < SAME_SCENE * len(here) or not inside:
            return None
        fullest = max(inside, key=lambda scene: len(here.intersection(scene.places)))
        return fullest.name, _joined(inside)

    def _scene_of_notes(self, places: Sequence[int]) -> tuple[str, RecapAnswer]:
        inside = frozenset(places)
        found: dict[str, dict[str, str]] = {"developments": {}, "open": {}, "state": {}}
        for note in self._recorded.notes:
            if note.sources and note.sources[-1] in inside:
                part, text = _told(note)
                key = note.tag if part == "state" else text
                if part:
                    found[part][key] = text
        recap = RecapAnswer(*(tuple(entries.values()) for entries in found.values()))
        if not recap.entries:
            recap = RecapAnswer(("The story goes on.",))
        return " ".join(recap.entries[0].split()[:5]).strip(".,;:"), recap

    def _both(self, user: str) -> str:
        """A scene's recap, and of a running recap and an earlier scene what goes."""
        before, scene = RECAP.search(user), EARLIER.search(user)
        whole = self._merged(before, scene, user)
        drop = [
            int(number)
            for found in (before, scene)
            for entry, number in NUMBERED.findall(found[1] if found else "")
            if entry not in whole.entries
        ]
        changes = {"drop": drop, "replace": [], "add": {}}
        return json.dumps({**json.loads(self._scene(user)), "changes": changes}, ensure_ascii=False)

    def _running(self, user: str) -> str:
        whole = self._merged(RECAP.search(user), SCENE.search(user), user)
        return json.dumps({"recap": whole.as_json()}, ensure_ascii=False)

    def _merged(
        self, before: re.Match[str] | None, scene: re.Match[str] | None, user: str
    ) -> RecapAnswer:
        new = recap_in(scene[1] if scene else "")
        last = max((self._until.get(entry, -1) for entry in new.entries), default=-1)
        judgement = Judgement(self._names, self._closed_by(last), self._weigh)
        return merged(
            recap_in(before[1] if before else ""), new, judgement, self._limit(user), self._count
        )

    def _closed_by(self, last: int) -> list[str]:
        """What the notes say is over by the end of a scene."""
        return [
            entry.partition("|")[2] or entry
            for note in self._recorded.notes
            if note.ends and note.sources and max(note.sources) <= last
            for entry in note.ends
        ]

    def _weigh(self, entry: str) -> int:
        """The weight of the note that says the same, or the usual one."""
        words = words_of(entry)
        likest = max(self._words, key=lambda one: alike(words, one[0]), default=None)
        if likest is None or alike(words, likest[0]) < KNOWN_AGAIN:
            return USUAL_WEIGHT
        return self._weight_of(likest[1].text)[0]

    def _limit(self, user: str) -> int:
        """Tokens that the entries of an answer may take together."""
        if found := TOKENS_ASKED.search(user):
            return _number(found[1])
        if found := WORDS_ASKED.search(user):
            return int(_number(found[1]) * WORDS_IN_TOKENS)
        return 1000


def _tag(kind: str, head: str, rest: str, sources: str) -> str:
    """A tag with its sources, where the forms have them."""
    parts = rest.split(":") if rest else []
    at = {"state": 2}.get(kind, 2 if parts[:1] and parts[0].isdigit() else 0)
    return ":".join((head, *parts[:at], f"sources={sources}", *parts[at:]))


def _names(notes: Sequence[Note]) -> Iterator[str]:
    """Who and what notes call by name."""
    for note in notes:
        if found := ENTITY.search(note.tag):
            yield from (name.partition("/")[0].strip() for name in found[1].split(","))
        if note.kind == "state":
            yield note.tag.split(":")[1]
        if note.kind in MINDS:
            yield note.text.partition("|")[0].partition(" from ")[0].strip()


def _over(notes: Sequence[Note]) -> dict[str, list[tuple[int, str]]]:
    """By entry: the messages at which it ended, and how."""
    found: dict[str, list[tuple[int, str]]] = {}
    for note in notes:
        at = max(note.sources, default=note.reads if note.kind == UPKEEP else -1)
        for entry in note.ends or ():
            found.setdefault(entry_key(entry), []).append((at, note.text))
    return found


def _reason(why: str, entry: str, scene: Sequence[str]) -> str:
    """How something ended: in the words of the note, or by the line of the scene that is likest."""
    if any(map(str.isalpha, why)):
        return why
    return max(scene, key=lambda line: alike(words_of(line), words_of(entry)), default=entry)


def _told(note: Note) -> tuple[str, str]:
    """A note as an entry of a recap, and of which part; "" for one that no recap holds."""
    if note.kind in (*TELLING, *PASSING, "resolved"):
        return "developments", note.text
    if note.kind == "arc":
        return "open", note.text
    if note.kind in ("hiding", "believes"):
        who, _, what = (part.strip() for part in note.text.partition("|"))
        verb = "believes" if note.kind == "believes" else "keeps secret"
        return "open", f"{who} {verb} {what.partition('|')[0].strip()}."
    if note.kind == "state":
        values = note.text.replace(" | ", ", ").replace("=", " ").replace("_", " ")
        return "state", f"{note.tag.split(':')[1]}: {values}."
    return "", ""


def _joined(scenes: Sequence[SceneNote]) -> RecapAnswer:
    """Answers to scenes that follow one another as one; only the last one's state holds."""
    return RecapAnswer(
        tuple(entry for scene in scenes for entry in scene.recap.developments),
        tuple(entry for scene in scenes for entry in scene.recap.open),
        scenes[-1].recap.state,
    )


def _number(text: str) -> int:
    return int(re.sub(r"\D", "", text))
