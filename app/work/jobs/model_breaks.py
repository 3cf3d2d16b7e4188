"""Asks a model for scene breaks, one bounded question at a time, and keeps what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from app.core.errors import AnswerUnusable, OperationOutdated
from app.core.operations import Operation, OperationSpec, Outcome
from app.core.translation import N_, tr
from app.llm.writers.writer import RecapWriter
from app.llm.writers.written import Written
from app.store.store import Store
from app.story.answers.rationale import VETO_REACH, lacks_continuity_break
from app.story.answers.task_answers import BreakAnswer
from app.story.break_search import BreakSearch, ScenesOfMessages, Searched, SearchRules
from app.story.doubtful_breaks import ASKED, NEXT_TO, is_next_to_a_break, refuted
from app.story.left_out_text import Rule, messages_as_read
from app.story.scene_cues.language import LanguagePack
from app.story.scenes import BreakOrigin, SceneBreak, scenes_of
from app.story.story import Story
from app.work.chats.open_chat import OpenChat
from app.work.planning.break_planner import search_key, search_of, searcher
from app.work.planning.folding import covered_until
from app.work.planning.model_messages import text_rules
from app.work.planning.writing import Writing

FOUND = N_("scene breaks found by the model")
CHANGED = N_("The story or the model changed. What the story still lacks is planned again.")


class BreakFinder:
    """Performs searches for scene breaks.

    A search ends with a break, or with the range noted as searched. An answer that names no
    message that was to be chosen, twice, counts as none; one that is vetoed is noted as searched
    as far as its veto reaches. A break that stands when the answer comes wins over it.
    """

    def __init__(
        self, store: Store, writing: Callable[[], Writing], packs: Sequence[LanguagePack]
    ) -> None:
        self._store = store
        self._writing = writing
        self._packs = packs

    async def perform(self, operation: Operation, chat: OpenChat, writer: RecapWriter) -> Outcome:
        """Ask one question. Raises BackendError, or OperationOutdated when it is no more asked."""
        spec, store = operation.spec, self._store
        place, search = self._still_asked(spec, chat)
        if search.takes_several:
            return await self._settle(spec, chat, writer, place, search)
        was_wanted = chat.search.is_wanted
        kept = await store.run(lambda: store.operations.result(spec.key))
        if kept is not None:
            found, why = kept["place"], kept.get("rationale", "")
            outcome = Outcome(backend="kept")
        else:
            index, why = None, ""
            try:
                written = await ask(writer, place, search, text_rules(chat.settings()))
                index, why = written.value.place, written.value.rationale
                outcome = Outcome(written.prompt_tokens, written.output_tokens, writer.label)
            except AnswerUnusable as error:
                outcome = Outcome(backend=writer.label, in_vain=str(error))
            found = "" if index is None else str(search.shown.index(index))
        answer = BreakAnswer(search.shown[int(found)] if found else None, why)
        refused = refused_part(place, search, answer, self._packs)
        by = searcher(self._writing())

        def unit() -> None:
            store.operations.save_result(spec.key, {"place": found, "rationale": why})
            if was_wanted and not chat.search.is_wanted:
                return  # the search was taken back meanwhile
            if refused is not None:
                store.scenes.add_searched(chat.chat_id, searched_row(place, refused, by))
                return
            mark = model_break(place, answer)
            # The answer took its time: what was set or removed by hand since is known here only.
            breaks = store.scenes.breaks(chat.chat_id)
            minimum = int(spec.params["minimum"])
            if mark.anchor not in breaks and has_room(chat.story, breaks, mark.anchor, minimum):
                self._save(chat, spec, mark)

        await store.run(unit)
        return outcome

    async def _settle(
        self,
        spec: OperationSpec,
        chat: OpenChat,
        writer: RecapWriter,
        place: ScenesOfMessages,
        search: BreakSearch,
    ) -> Outcome:
        """Ask about a stretch in doubt: what the model names ends a scene there, what was found in
        doubt and is not named ends none.
        """
        store = self._store
        kept = await store.run(lambda: store.operations.result(spec.key))
        answers: tuple[BreakAnswer, ...] | None
        if kept is not None:
            answers, outcome = _by_index(kept["ends"], search), Outcome(backend="kept")
        else:
            answers = None
            try:
                written = await ask_all(writer, place, search, text_rules(chat.settings()))
                answers = written.value
                outcome = Outcome(written.prompt_tokens, written.output_tokens, writer.label)
            except AnswerUnusable as error:
                outcome = Outcome(backend=writer.label, in_vain=str(error))
        row = searched_row(place, search, f"{ASKED}:{searcher(self._writing())}")
        minimum = int(spec.params["minimum"])

        def unit() -> None:
            store.scenes.add_searched(chat.chat_id, row)
            if answers is None:
                return  # what was found in doubt stays
            ends = [[search.shown.index(a.place or 0), a.rationale] for a in answers]
            store.operations.save_result(spec.key, {"ends": ends})
            # The answer took its time: what was set or removed by hand since is known here only.
            breaks = store.scenes.breaks(chat.chat_id)
            store.scenes.save(chat.chat_id, settled(chat.story, breaks, search, answers, minimum))

        await store.run(unit)
        return outcome

    def _still_asked(
        self, spec: OperationSpec, chat: OpenChat
    ) -> tuple[ScenesOfMessages, BreakSearch]:
        """The question in the story as it is. Raises OperationOutdated."""
        story = chat.story
        place = ScenesOfMessages(story.messages, story.message_tokens, story.breaks, ())
        search = search_of(place, spec)
        if search is None or search_key(place, search, self._writing()) != spec.key:
            raise OperationOutdated(tr(CHANGED))
        if search.takes_several:
            return place, search
        for index in search.shown[:-1]:
            mark = story.breaks.get(story.messages[index].anchor)
            if mark is not None and mark.is_visible:
                raise OperationOutdated(tr("A scene break was set there in the meantime."))
        return place, search

    def _save(self, chat: OpenChat, spec: OperationSpec, mark: SceneBreak) -> None:
        """Set a break; a unit. Those of a search that the user wanted are one step for undo."""
        store = self._store

        def save() -> None:
            store.scenes.save(chat.chat_id, [mark])

        if spec.is_asked_for and chat.search.asked:
            store.undo.record_part(chat.chat_id, FOUND, chat.search.asked, save)
        else:
            save()


async def ask(
    writer: RecapWriter,
    place: ScenesOfMessages,
    search: BreakSearch,
    left_out: Sequence[Rule] = (),
) -> Written[BreakAnswer]:
    """Index of the message that ends its scene, None for none. left_out: of the messages' texts.
    Raises BackendError, AnswerUnusable where the answer was none.
    """
    at = {index: number for number, index in enumerate(search.shown)}
    written = await writer.find_break(
        messages_as_read([place.messages[index] for index in search.shown], left_out),
        first=at[search.first],
        last=at[search.last],
        barred=frozenset(at[index] for index in search.barred),
        forced=search.is_forced,
    )
    number = written.value.place
    index = search.shown[number] if number is not None and 0 <= number < len(at) else None
    if index not in search.candidates:
        return replace(written, value=BreakAnswer(None))
    return replace(written, value=replace(written.value, place=index))


async def ask_all(
    writer: RecapWriter,
    place: ScenesOfMessages,
    search: BreakSearch,
    left_out: Sequence[Rule] = (),
) -> Written[tuple[BreakAnswer, ...]]:
    """The ends in a stretch, by index. left_out: as in `ask`. Raises BackendError, AnswerUnusable
    where the answer was none.
    """
    wanted = frozenset(search.candidates)
    written = await writer.find_breaks(
        messages_as_read([place.messages[index] for index in search.shown], left_out),
        wanted=[number for number, index in enumerate(search.shown) if index in wanted],
    )
    numbers = [(answer.place, answer.rationale) for answer in written.value]
    value = _by_index(numbers, search)
    return Written(value, written.prompt_tokens, written.output_tokens)


def _by_index(
    numbers: Iterable[tuple[int | None, str]], search: BreakSearch
) -> tuple[BreakAnswer, ...]:
    """Numbers among what was shown as indexes: only what may be chosen, and of two that lie next
    to each other the first.
    """
    candidates, found = frozenset(search.candidates), list[BreakAnswer]()
    for number, why in numbers:
        index = search.shown[number] if number is not None and number < len(search.shown) else -1
        is_apart = not found or index - (found[-1].place or 0) > NEXT_TO
        if index in candidates and is_apart:
            found.append(BreakAnswer(index, why))
    return tuple(found)


def settled(
    story: Story,
    breaks: Mapping[str, SceneBreak],
    search: BreakSearch,
    answers: Sequence[BreakAnswer],
    minimum: int,
) -> list[SceneBreak]:
    """The breaks that change by an answer about a stretch: those taken away, then those set.

    What the running recap tells already is neither joined nor cut again.
    """
    ends = [answer.place for answer in answers if answer.place is not None]
    covered = covered_until(story)
    gone = refuted(story, breaks, search, ends, covered)
    now = dict(breaks)
    now |= {mark.anchor: replace(mark, is_visible=False) for mark in gone}
    changed = [now[mark.anchor] for mark in gone]
    for answer in answers:
        index = answer.place
        if index is None or index <= covered or is_next_to_a_break(story, now, index):
            continue
        mark = SceneBreak(
            story.messages[index].anchor, BreakOrigin.MODEL, "model", rationale=answer.rationale
        )
        if has_room(story, now, mark.anchor, minimum):
            now[mark.anchor] = mark
            changed.append(mark)
    return changed


def refused_part(
    place: ScenesOfMessages,
    search: BreakSearch,
    answer: BreakAnswer,
    packs: Sequence[LanguagePack],
) -> BreakSearch | None:
    """What counts as searched after an answer, None when the answer is a break.

    All of it when no message was named. As far as the veto of spec/auto-recap.md §4.11 looked
    when the one named ends no scene: the rest is asked about again.
    """
    if answer.place is None:
        return search
    if search.is_forced:
        return None
    at = search.shown.index(answer.place)
    seen = search.shown[at : at + 1 + VETO_REACH]
    messages = [place.messages[index] for index in seen]
    if not lacks_continuity_break(answer.rationale, messages, packs):
        return None
    return replace(search, last=min(search.last, seen[-1]))


def searched_row(place: ScenesOfMessages, search: BreakSearch, by: str) -> Searched:
    """What is kept of a question that found nothing."""
    messages, shown = place.messages, search.shown
    return Searched(
        first=messages[search.first].anchor,
        last=messages[search.last].anchor,
        shown_first=messages[shown[0]].anchor,
        shown_last=messages[shown[-1]].anchor,
        digest=place.digest_of(shown),
        by=by,
        is_forced=search.is_forced,
    )


def model_break(place: ScenesOfMessages, answer: BreakAnswer) -> SceneBreak:
    """A break as a model sets it; the answer names a place."""
    assert answer.place is not None
    anchor = place.messages[answer.place].anchor
    return SceneBreak(anchor, BreakOrigin.MODEL, "model", rationale=answer.rationale)


def has_room(story: Story, breaks: Mapping[str, SceneBreak], anchor: str, minimum: int) -> bool:
    """Whether both scenes at a new break would have at least so many messages."""
    for scene in scenes_of(story.messages, breaks):
        inside = [m.anchor for m in story.messages[scene.first : scene.last + 1]]
        if anchor in inside:
            before = inside.index(anchor) + 1
            return before >= minimum and (not scene.is_closed or len(inside) - before >= minimum)
    return False


async def find_breaks(
    story: Story,
    writer: RecapWriter,
    rules: SearchRules,
    packs: Sequence[LanguagePack],
    left_out: Sequence[Rule] = (),
) -> Sequence[SceneBreak]:
    """All breaks that a model finds between those of the story; nothing is stored. left_out: of the
    messages' texts.

    Raises BackendError. The number of requests is that of `next_search`.
    """
    breaks, searched, found = dict(story.breaks), list[Searched](), list[SceneBreak]()
    first = 0  # scenes before this message are done
    while True:
        rules = replace(rules, context_tokens=writer.context_tokens)
        place = ScenesOfMessages(story.messages, story.message_tokens, breaks, searched)
        search = None
        for scene in scenes_of(story.messages, breaks):
            if scene.last < first:
                continue
            search = place.next_search(scene, rules)
            if search is not None:
                break
            first = scene.last + 1
        if search is None:
            return found
        try:
            answer = (await ask(writer, place, search, left_out)).value
        except AnswerUnusable:  # counts as none
            answer = BreakAnswer(None)
        refused = refused_part(place, search, answer, packs)
        if refused is not None:
            searched.append(searched_row(place, refused, rules.by))
        else:
            mark = model_break(place, answer)
            breaks[mark.anchor] = mark
            found.append(mark)
