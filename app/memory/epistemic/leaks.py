"""Whether a message lets somebody say what, by the epistemic map, they cannot know."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from app.memory.epistemic.coverage import PART, RUN, SAID, Coverage
from app.memory.epistemic.epistemic_map import EpistemicMap, Proposition
from app.memory.epistemic.leak_meaning import WORDS_TOO, Meaning, entries_in, forms_of, said_in
from app.memory.epistemic.missed_scenes import MissedScenes
from app.memory.epistemic.propositions import STEM, content_words, is_same
from app.memory.epistemic.talk import Talk
from app.memory.epistemic.utterances import QUESTION, Utterance
from app.memory.epistemic.word_counts import Frequency, WordCounts
from app.memory.lifecycle.state_change import Wording
from app.memory.similarity import NO_VECTORS, Vectors
from app.memory.standing import Standing
from app.story.messages import Message
from app.story.scene_cues.language import LanguagePack

HAVING = ("knows", "hiding")
THOUGHT = 0.75  # the same for what is narrated of somebody's mind
HEARD = 0.5  # the same, for somebody else to have said it aloud; more easily, so as not to accuse
SHARED = 0.2  # share of a belief's words that the truth about it has to have
CLAUSE = re.compile(r"[,;:.!?…—–，。、；！？]+")


class LeakKind(StrEnum):
    """Why the speaker could not have said it, or that it is no leak."""

    UNAWARE = "unaware"
    HIDDEN = "hidden"
    SUSPECTED = "suspected"  # they only suspect it, and say it as if they knew
    CONTRARY = "contrary"  # it is not what they believe
    ABSENT = "absent"  # it was told only in scenes in which they had no part
    TOLD = "told"  # no leak: a keeper tells the secret


@dataclass(frozen=True, slots=True)
class Leak:
    """What somebody said without having it.

    entry: by which they cannot know it; for CONTRARY their belief, and `truth` is what they said;
    for ABSENT what was told, which may be a memory that the map does not hold.
    learned_at: where others learned it, and the speaker would have had to; None where nobody did.
    """

    kind: LeakKind
    speaker: str
    sentence: str
    message: int
    entry: Standing
    learned_at: int | None = None
    truth: Standing | None = None


class LeakCheck:
    """Holds messages of one chat against its map.

    knowledge: the map, made with the same stopwords. packs: of the languages that may be in it.
    frequency: as WordCounts gives it for these messages; counted here where it is not at hand.
    vectors: of the texts that `texts_at` names; without them only words are compared. stricter:
    see Meaning.
    """

    def __init__(
        self,
        knowledge: EpistemicMap,
        messages: Sequence[Message],
        *,
        packs: Sequence[LanguagePack] = (),
        frequency: Frequency | None = None,
        vectors: Vectors = NO_VECTORS,
        stricter: float = 0.0,
    ) -> None:
        self._own: dict[tuple[str, int], tuple[Standing, ...]] = {}
        self._map = knowledge
        self._messages = messages
        self._stopwords = stopwords_of(packs)
        self._wording = Wording.of_story(packs, " ".join(m.text for m in messages[-60:]))
        self._meaning = Meaning(knowledge, vectors, self._wording, self._stopwords, stricter)
        self._missed: MissedScenes | None = None
        self._talk = Talk(knowledge.people, messages, self._stopwords)
        self._names = {
            key: frozenset(word[:STEM] for word in self._naming(key))
            for key in set(knowledge.people.keys.values())
        }
        self._coverage = Coverage(
            frozenset(word for words in self._names.values() for word in words),
            WordCounts().of(messages) if frequency is None else frequency,
            self._stopwords,
        )

    def at(self, message: int) -> tuple[Leak, ...]:
        """What is leaked, and what told by its keeper, in one message."""
        found: dict[tuple[LeakKind, str, int], Leak] = {}
        missed: dict[tuple[str, str], Leak] = {}
        for utterance in self._talk.utterances(message):
            if not utterance.speaker or QUESTION.search(utterance.text):
                continue
            leaks = tuple(self._leaks_in(utterance))
            for leak in leaks:
                proposition = self._map.proposition_of(leak.entry).number
                found.setdefault((leak.kind, leak.speaker, proposition), leak)
            absent = None if leaks else self._told_elsewhere(utterance)
            if absent is not None:
                missed.setdefault((absent.speaker, absent.entry.memory.id), absent)
        return (*found.values(), *missed.values())

    def look_for_absences(self, memories: Iterable[Standing], openings: Collection[int]) -> None:
        """Look also for what was told only in scenes in which the speaker had no part. memories:
        of what was told. openings: first messages of scenes.
        """
        had = (s for s in self._map.entries if s.memory.type in HAVING)
        told = {s.memory.id: s for s in (*memories, *had)}
        self._missed = MissedScenes(
            told.values(),
            self._messages,
            openings,
            self._map.people,
            self._coverage,
            self._stopwords,
        )

    def compare_by(self, vectors: Vectors) -> None:
        """Compare by meaning, too. vectors: of what `texts_at` gives."""
        self._meaning = replace(self._meaning, vectors=vectors)

    def texts_at(self, message: int) -> tuple[str, ...]:
        """What is compared by meaning in one message: what is said there, and the entries."""
        spoken = [u for u in self._talk.utterances(message) if u.speaker]
        if not spoken:
            return ()
        said = [words for u in spoken for words in said_in(u)]
        entries = (form for s in self._map.entries if s.start < message for form in forms_of(s))
        missed = self._missed
        told = (text for u in spoken for text in missed.texts_near(u)) if missed else ()
        return tuple(dict.fromkeys((*said, *entries, *told)))

    def _leaks_in(self, utterance: Utterance) -> Iterator[Leak]:
        speaker, at = utterance.speaker, utterance.message
        if self._is_own_belief(utterance):
            return
        for proposition in self._map.propositions:
            # What holds when the message begins: it may itself be where something is learned.
            held = self._map.holders(proposition, at - 1)
            mine = self._map.of_person(speaker, proposition, at - 1)
            leak = self._leak_of(utterance, proposition, mine, held)
            if leak is None:
                keeping = (s for s in mine if s.memory.type == "hiding")
                told = next((s for s in keeping if self._says(utterance, s)), None)
                if told is not None and not utterance.is_thought:
                    leak = Leak(LeakKind.TOLD, speaker, utterance.text, at, told)
            if leak is not None:
                yield leak
        yield from self._contrary(utterance)

    def _told_elsewhere(self, utterance: Utterance) -> Leak | None:
        if self._missed is None or utterance.is_thought or self._is_a_hint(utterance):
            return None
        speaker, at = utterance.speaker, utterance.message
        world = self._map.world_of(speaker, at)
        own = (*world.knows, *world.suspects, *world.believes, *world.hides)
        told = self._known_elsewhere(utterance) or self._missed.told_elsewhere(
            utterance, [s.memory.text for s in own], self._meaning.is_meant
        )
        if told is None or self._may_have_heard(utterance, told):
            return None
        return Leak(LeakKind.ABSENT, speaker, utterance.text, at, told, told.start)

    def _known_elsewhere(self, utterance: Utterance) -> Standing | None:
        """What of it people learned without the speaker, and the map has nothing of for them: what
        all know is no entry of it.
        """
        speaker, at = utterance.speaker, utterance.message
        for proposition in self._map.propositions:
            if self._missed is None or self._map.of_person(speaker, proposition, at):
                continue
            held = [s for s in self._map.holders(proposition, at - 1) if s.memory.type in HAVING]
            sources = [source for s in held for source in s.memory.sources]
            if held and self._missed.was_missed(speaker, sources):
                for told in held:
                    text = told.memory.text
                    if self._covers(utterance.text, text, speaker, WORDS_TOO) and self._says(
                        utterance, told
                    ):
                        return told
        return None

    def _leak_of(
        self,
        utterance: Utterance,
        proposition: Proposition,
        mine: Sequence[Standing],
        held: Sequence[Standing],
    ) -> Leak | None:
        """What of one proposition the speaker says and cannot know; None for nothing."""
        speaker, at = utterance.speaker, utterance.message
        reason = self._reason(speaker, mine, held)
        if reason is None:
            return None
        kind, entry = reason
        is_suspected = kind is LeakKind.SUSPECTED
        had = self._had(speaker, proposition, at)
        if is_suspected:
            # Who suspects it although they know something like it knows but the ground of it.
            had = tuple(s for s in had if s.start > entry.start or self._is_told(s, entry))
        said = [
            s
            for s in ([entry] if is_suspected else entries_in(proposition, at))
            if not self._is_among(s, had, in_part=not is_suspected) and self._says(utterance, s)
        ]
        if not said or self._may_have_heard(utterance, entry, *said):
            return None
        if is_suspected and self._is_a_hint(utterance):
            return None
        return Leak(kind, speaker, utterance.text, at, entry, self._learned(proposition, at))

    def _is_told(self, one: Standing, other: Standing) -> bool:
        """Whether both say the same in nearly the same words."""
        return is_same(one.memory.text, other.memory.text)

    def _is_a_hint(self, utterance: Utterance) -> bool:
        """Whether any part of what is said leaves it open."""
        return utterance.is_thought or any(
            self._wording.read(said).is_hedged for said in said_in(utterance)
        )

    def _is_own_belief(self, utterance: Utterance) -> bool:
        """Whether somebody merely says what they believe, be it wrong."""
        beliefs = self._map.world_of(utterance.speaker, utterance.message - 1).believes
        texts = (belief.memory.text for belief in beliefs)
        return any(
            self._covers(utterance.text, text, utterance.speaker, SAID)
            and self._is_meant(utterance, text, denied=False)
            for text in texts
        )

    def _had(self, person: str, proposition: Proposition, at: int) -> tuple[Standing, ...]:
        """What a person had of a proposition before a message, or what the map says how they learn
        it there. That they know it since then is no reason by itself: it may have been read in what
        they say.
        """
        learned = (
            s
            for s in self._map.of_person(person, proposition, at)
            if s.start == at and (s.memory.told_by or s.memory.channel or len(s.memory.sources) > 1)
        )
        before = self._map.of_person(person, proposition, at - 1)
        return tuple(s for s in (*before, *learned) if s.memory.type in HAVING)

    def _is_among(self, entry: Standing, had: Iterable[Standing], *, in_part: bool = True) -> bool:
        """Whether somebody who has these has an entry, too, in whatever words. in_part: most of its
        words are enough.
        """
        text = entry.memory.text
        return any(
            is_same(one.memory.text, text)
            or (
                in_part
                and self._named(text) <= self._named(f"{one.memory.subject} {one.memory.text}")
                and self._coverage.covers(one.memory.text, text, enough=SAID)
            )
            or self._meaning.is_same(one, entry)
            for one in had
        )

    def _named(self, text: str) -> frozenset[str]:
        return content_words(text, self._stopwords) & self._coverage.names

    def _has(self, person: str, entry: Standing, at: int) -> bool:
        return self._is_among(entry, self._had(person, self._map.proposition_of(entry), at))

    def _reason(
        self, speaker: str, mine: Sequence[Standing], held: Iterable[Standing]
    ) -> tuple[LeakKind, Standing] | None:
        for standing in mine:
            if standing.memory.type == "unaware":
                return LeakKind.UNAWARE, standing
        for standing in held:
            if self._map.is_hidden_from(standing, speaker):
                return LeakKind.HIDDEN, standing
        for standing in mine:
            if standing.memory.type == "suspects":
                return LeakKind.SUSPECTED, standing
        return None

    def _contrary(self, utterance: Utterance) -> Iterator[Leak]:
        """What the speaker says though they believe otherwise: its denial, or what others know to
        be the truth about the same.
        """
        speaker, at = utterance.speaker, utterance.message
        beliefs = [
            s for s in self._map.world_of(speaker, at - 1).believes if not self._has(speaker, s, at)
        ]
        for belief in beliefs:
            text = belief.memory.text
            if self._means(utterance, text, denied=True):
                proposition = self._map.proposition_of(belief)
                if not self._may_have_heard(utterance, belief):
                    yield Leak(
                        LeakKind.CONTRARY,
                        speaker,
                        utterance.text,
                        at,
                        belief,
                        self._learned(proposition, at),
                    )
                continue
            for truth in self._truths(belief, at):
                proposition = self._map.proposition_of(truth)
                if self._has(speaker, truth, at):
                    continue
                if not self._says(utterance, truth):
                    continue
                if self._may_have_heard(utterance, belief, truth):
                    continue
                yield Leak(
                    LeakKind.CONTRARY,
                    speaker,
                    utterance.text,
                    at,
                    belief,
                    self._learned(proposition, at),
                    truth,
                )
                break

    def _truths(self, belief: Standing, at: int) -> Iterator[Standing]:
        """What others know about the same, which the belief does not say."""
        words = content_words(belief.memory.text, self._stopwords)
        rare = words - self._coverage.names
        for proposition in self._map.propositions:
            for standing in self._map.holders(proposition, at - 1):
                theirs = content_words(standing.memory.text, self._stopwords)
                common = rare & theirs
                if standing.memory.type == "knows" and self._coverage.weight(
                    common
                ) >= SHARED * self._coverage.weight(words):
                    yield standing

    def _learned(self, proposition: Proposition, at: int) -> int | None:
        """Where others learned it first."""
        places = [
            s.start
            for s in proposition.standings
            if s.memory.type in HAVING and s.start <= at and s.start >= 0
        ]
        return min(places, default=None)

    def _says(self, utterance: Utterance, entry: Standing) -> bool:
        """Whether the utterance says what the entry is about, and means it."""
        if self._means(utterance, entry.memory.text):
            return True
        allowed = self._allowed(utterance.speaker, utterance.message)
        if self._meaning.says(utterance, entry, allowed, self._covers):
            return True
        detail = entry.memory.detail if entry.memory.type == "hiding" else ""
        if utterance.is_thought or not detail:
            return False
        # What is hidden may be called "what is in the bag"; then only the details say what.
        return self._covers(utterance.text, detail, utterance.speaker, run=RUN) and self._is_meant(
            utterance, detail, denied=False
        )

    def _means(self, utterance: Utterance, text: str, *, denied: bool = False) -> bool:
        """Whether it says the text, or its opposite."""
        enough = THOUGHT if utterance.is_thought else SAID
        said = [utterance.text]
        if utterance.before:
            said.append(f"{utterance.before} {utterance.text}")
        return any(
            (
                self._covers(words, text, utterance.speaker, enough)
                or (
                    not utterance.is_thought
                    and self._covers(words, text, utterance.speaker, PART, run=RUN)
                )
            )
            and self._is_meant(replace(utterance, text=words), text, denied=denied)
            for words in said
        )

    def _allowed(self, speaker: str, at: int) -> tuple[Standing, ...]:
        """What somebody has or believes when a message begins."""
        key = (self._map.people.key(speaker), at)
        if key not in self._own:
            world = self._map.world_of(speaker, at - 1)
            self._own[key] = (*world.knows, *world.hides, *world.believes)
        return self._own[key]

    def _is_meant(self, utterance: Utterance, text: str, *, denied: bool) -> bool:
        """Whether what it has in common with the text is said as in the text, or denied."""
        wanted = content_words(text, self._stopwords)
        parts = (
            part
            for part in CLAUSE.split(utterance.text)
            if wanted & content_words(part, self._stopwords)
        )
        said, meant = self._wording.read(", ".join(parts)), self._wording.read(text)
        return (said.is_negated != meant.is_negated) is denied and not said.is_hedged

    def _covers(
        self, sentence: str, text: str, speaker: str, enough: float = 0.0, *, run: int = 0
    ) -> bool:
        own = self._names.get(self._map.people.key(speaker), frozenset())
        return self._coverage.covers(sentence, text, own, enough, run=run)

    def _naming(self, key: str) -> frozenset[str]:
        """Words of a person's names; not "the" of "The Admiral"."""
        words = self._map.people.words(key)
        return (words - self._stopwords) or words

    def _may_have_heard(self, utterance: Utterance, entry: Standing, *said: Standing) -> bool:
        """Whether somebody else said it aloud near the speaker since they did not know it."""
        texts = dict.fromkeys(s.memory.text for s in (entry, *said))
        return any(
            self._covers(heard, text, "", HEARD)
            for heard in self._talk.heard_by(utterance, entry.start)
            for text in texts
        )


def stopwords_of(packs: Iterable[LanguagePack]) -> frozenset[str]:
    """The words that say nothing by themselves, in the languages of a story."""
    return frozenset(word for pack in packs for word in (*pack.stopwords, *pack.articles))
