"""Asks a model for scene breaks, one bounded question at a time, and keeps what it says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from app.errors import AnswerUnusable, OperationOutdated
from app.llm.writer import RecapWriter, Written
from app.operations import Operation, OperationSpec, Outcome
from app.store.store import Store
from app.story.break_search import BreakSearch, ScenesOfMessages, Searched, SearchRules
from app.story.scenes import BreakOrigin, SceneBreak, scenes_of
from app.story.story import Story
from app.work.break_planner import search_key, search_of, searcher
from app.work.open_chat import OpenChat
from app.work.planner import Writing

CHANGED = "The story or the model changed; it is planned again."


class BreakFinder:
    """Performs searches for scene breaks.

    A search ends with a break, or with the range noted as searched. An answer that names no
    message that was to be chosen, twice, counts as none. A break that stands when the answer
    comes wins over it.
    """

    def __init__(self, store: Store, writing: Callable[[], Writing]) -> None:
        self._store = store
        self._writing = writing

    async def perform(self, operation: Operation, chat: OpenChat, writer: RecapWriter) -> Outcome:
        """Ask one question. Raises BackendError, or OperationOutdated when it is no more asked."""
        spec, store = operation.spec, self._store
        place, search = self._still_asked(spec, chat)
        kept = await store.run(lambda: store.operations.result(spec.key))
        if kept is not None:
            found, outcome = kept["place"], Outcome(backend="kept")
        else:
            written = await ask(writer, place, search)
            found = "" if written.value is None else str(search.shown.index(written.value))
            outcome = Outcome(written.prompt_tokens, written.output_tokens, writer.label)
        index = search.shown[int(found)] if found else None
        row = searched_row(place, search, searcher(self._writing()))

        def unit() -> None:
            store.operations.save_result(spec.key, {"place": found})
            if index is None:
                store.scenes.add_searched(chat.chat_id, row)
            else:
                self._place(chat, place, index, int(spec.params["minimum"]))

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
            raise OperationOutdated(CHANGED)
        for index in search.shown[:-1]:
            mark = story.breaks.get(story.messages[index].anchor)
            if mark is not None and mark.is_visible:
                raise OperationOutdated("A scene break was set there meanwhile.")
        return place, search

    def _place(self, chat: OpenChat, asked: ScenesOfMessages, index: int, minimum: int) -> None:
        """Set the break where the story still has room for it; a unit on the store's thread."""
        anchor = asked.messages[index].anchor
        breaks = self._store.scenes.breaks(chat.chat_id)
        # The answer took its time: what was set or removed by hand since then is known here only.
        if anchor not in breaks and has_room(chat.story, breaks, anchor, minimum):
            self._store.scenes.save(chat.chat_id, [model_break(anchor)])


async def ask(
    writer: RecapWriter, place: ScenesOfMessages, search: BreakSearch
) -> Written[int | None]:
    """Index of the message that ends its scene, None for none. Raises BackendError."""
    at = {index: number for number, index in enumerate(search.shown)}
    try:
        written = await writer.find_break(
            [place.messages[index] for index in search.shown],
            first=at[search.first],
            last=at[search.last],
            barred=frozenset(at[index] for index in search.barred),
            forced=search.is_forced,
        )
    except AnswerUnusable:
        return Written(None)
    number = written.value
    index = search.shown[number] if number is not None and 0 <= number < len(at) else None
    return replace(written, value=index if index in search.candidates else None)


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


def model_break(anchor: str) -> SceneBreak:
    """A break as a model sets it."""
    return SceneBreak(anchor, BreakOrigin.MODEL, "model")


def has_room(story: Story, breaks: dict[str, SceneBreak], anchor: str, minimum: int) -> bool:
    """Whether both scenes at a new break would have at least so many messages."""
    for scene in scenes_of(story.messages, breaks):
        inside = [m.anchor for m in story.messages[scene.first : scene.last + 1]]
        if anchor in inside:
            before = inside.index(anchor) + 1
            return before >= minimum and (not scene.is_closed or len(inside) - before >= minimum)
    return False


async def find_breaks(
    story: Story, writer: RecapWriter, rules: SearchRules
) -> Sequence[SceneBreak]:
    """All breaks that a model finds between those of the story; nothing is stored.

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
        written = await ask(writer, place, search)
        if written.value is None:
            searched.append(searched_row(place, search, rules.by))
        else:
            mark = model_break(story.messages[written.value].anchor)
            breaks[mark.anchor] = mark
            found.append(mark)
