"""What else is looked at in a played story: facts that are kept, secrets that leak, each line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.memory.epistemic.coverage import SAID
from app.memory.epistemic.epistemic_map import EpistemicMap
from app.memory.epistemic.leaks import LeakCheck
from app.memory.epistemic.propositions import content_words, is_alike
from app.memory.epistemic.utterances import Utterance
from app.memory.epistemic.word_counts import WordCounts
from app.memory.lifecycle.state_change import Wording
from app.memory.standing import Standing
from app.prompt.generation import Turn
from app.prompt.headings import headings_for
from app.prompt.rendering.people_slots import NOT_KNOWN
from app.prompt.slots import SlotSet
from app.settings.slots import OF_STORY
from app.story.recap_texts.recap_text import fitted, parse_recap
from app.story.recap_texts.sentences import split_sentences
from app.story.recaps import RunningVersion
from app.story.scene_cues.language import LanguagePack
from app.views.memory_view import MemoryView
from app.work.queries.leak_check import epistemic_map
from tests.answers.measure import Played, next_speaker
from tests.answers.merging import Count, alike, words_of
from tests.answers.notes import RecapAnswer
from tests.answers.questions import Question, questions_of
from tests.answers.shown import flat

SAMPLE = 60  # messages by which the languages of a story are told
SAME_QUESTION = 0.7  # share of words from which a later question asks the same
RECAP_TOKENS = 1000


@dataclass(frozen=True, slots=True)
class Kept:
    """Of so many things those that are kept. missing: the others."""

    count: int
    missing: tuple[str, ...]

    def line(self, what: str) -> str:
        """The share in words."""
        share = 1 - len(self.missing) / max(1, self.count)
        return f"    {what}: {share:.2f} of {self.count}"


@dataclass(frozen=True, slots=True)
class Told:
    """A line of a slot that tells a responder what the map says they do not know."""

    place: int
    responder: str
    slot: str
    line: str
    entry: str
    heading: str


def facts_kept(played: Played, answers: Mapping[tuple[int, int], RecapAnswer]) -> Kept:
    """The entries of a model's last answer to each scene that stand in the scene's version."""
    story = played.companion.story(played.chat)
    versions = [
        flat(recap.text)
        for recaps in (story.recaps.values() if story else ())
        for recap in recaps
        if recap.is_current
    ]
    entries = [entry for answer in answers.values() for entry in answer.entries]
    return Kept(
        len(entries),
        tuple(e for e in entries if not any(flat(e) in version for version in versions)),
    )


def keywords_held(played: Played, count: Count) -> Kept:
    """The questions' keywords that the running recap holds in its first tokens that the prompt has
    room for; of what still matters: of two questions that ask the same, the later one's.
    """
    story = played.companion.story(played.chat)
    running = story.running.current if story else None
    text = _cut(running, count).casefold()
    wanted = {k for q in lasting(questions_of(played.story)) for k in q.keywords}
    return Kept(len(wanted), tuple(sorted(k for k in wanted if k not in text)))


def lasting(questions: Sequence[Question]) -> Iterator[Question]:
    """Questions that no later one asks again."""
    words = [words_of(question.text) for question in questions]
    for place, question in enumerate(questions):
        later = zip(questions[place + 1 :], words[place + 1 :], strict=True)
        if not any(
            alike(words[place], other) >= SAME_QUESTION and one.keywords != question.keywords
            for one, other in later
        ):
            yield question


async def slots_for(played: Played, responder: str, total: int) -> SlotSet:
    """What the next prompt of a responder gets."""
    turn = Turn(responder)
    return await played.companion.slots(played.chat, total=total, turn=turn)


async def last_slots(played: Played, total: int) -> SlotSet:
    """What the prompt after the last message gets."""
    return await slots_for(played, next_speaker(played.story, _last(played.story)), total)


def numbered(slots: SlotSet) -> Iterator[str]:
    """All lines of the slots, numbered through."""
    number = 0
    for slot in slots.slots:
        yield f"--- {slot.key} ({slot.tokens} tokens)"
        for line in filter(str.strip, slot.text.splitlines()):
            number += 1
            yield f"{number:4}. {line.strip()}"


async def told_to_the_unaware(
    played: Played, place: int, totals: Sequence[int], packs: Sequence[LanguagePack]
) -> list[Told]:
    """What slots tell each responder that the map says they do not know, once for each line. A
    line that says just that they do not know it is none of these.
    """
    view = played.companion.memory(played.chat)
    spoken = Wording.of_story(packs, " ".join(m.text for m in view.story.messages[-SAMPLE:])).packs
    check = LineCheck(view, epistemic_map(view, packs), spoken)
    say = headings_for(view.story, OF_STORY, packs).of
    unknown = f"- {say(NOT_KNOWN).partition('{about}')[0]}"
    found: dict[tuple[str, str], Told] = {}
    for responder in [character["name"] for character in played.story["characters"]]:
        for total in totals:
            for slot in (await slots_for(played, responder, total)).slots:
                heading = ""
                for line in filter(str.strip, slot.text.splitlines()):
                    heading = line if line.endswith(":") else heading
                    if line.strip().startswith(unknown.replace("{name}", responder)):
                        continue
                    entry = check.forbidden(responder, line)
                    if entry is not None:
                        told = Told(
                            place, responder, slot.key, line.strip(), _shown(entry), heading
                        )
                        found.setdefault((responder, line), told)
    return list(found.values())


class LineCheck(LeakCheck):
    """The check of messages, for lines of a slot: whoever reads them is told what they say."""

    def __init__(
        self, view: MemoryView, knowledge: EpistemicMap, packs: Sequence[LanguagePack]
    ) -> None:
        messages = view.story.messages
        frequency = WordCounts().of(messages)
        super().__init__(knowledge, messages, packs=packs, frequency=frequency)
        self._at = len(messages) - 1

    def forbidden(self, responder: str, line: str) -> Standing | None:
        """The entry by which a responder cannot know what a line says, None for no such."""
        for proposition in self._map.propositions:
            if self._map.has(responder, proposition, self._at):
                continue
            held = self._map.holders(proposition, self._at)
            mine = self._map.of_person(responder, proposition, self._at)
            reason = self._reason(responder, mine, held)
            if reason is None:
                continue
            # Of what is shown as one matter only what says what the reason does: who overheard
            # something is another thing than what it was.
            text, common = reason[1].memory.text, self._stopwords
            same = (
                s
                for s in held
                if is_alike(s.memory.text, text, common) and self._has_more_than_names(s, text)
            )
            if any(self._says_line(responder, line, entry) for entry in (*same, reason[1])):
                return reason[1]
        return None

    def _has_more_than_names(self, entry: Standing, text: str) -> bool:
        """Whether an entry shares more with a text than the name of whom both are about."""
        shared = content_words(entry.memory.text, self._stopwords)
        shared &= content_words(text, self._stopwords)
        return not shared <= self._coverage.names

    def _says_line(self, responder: str, line: str, entry: Standing) -> bool:
        """Whether a sentence of it has most of the words of an entry, and does not deny it."""
        text = entry.memory.text
        return entry.memory.type != "believes" and any(
            self._covers(sentence, text, "", SAID)
            and self._is_meant(Utterance(responder, sentence, self._at), text, denied=False)
            for sentence in split_sentences(line)
        )


def _shown(entry: Standing) -> str:
    memory = entry.memory
    whom = f" from {memory.target}" if memory.target else ""
    return f"[{memory.type}] {memory.subject}{whom} | {memory.text}"


def _cut(running: RunningVersion | None, count: Count) -> str:
    """What of the running recap a prompt with so much room tells."""
    content = running.content if running else ""
    return fitted(parse_recap(content), RECAP_TOKENS, count).render()


def _last(story: Mapping[str, Any]) -> int:
    return len(story["messages"]) - 1
