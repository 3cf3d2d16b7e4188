"""Writes the recaps of messages, one or many at once, and over nothing of the user's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import structs

from app.core.errors import AnswerUnusable, OperationOutdated
from app.core.operations import Operation, OperationSpec, Outcome
from app.core.translation import tr
from app.llm.writers.writer import RecapWriter
from app.llm.writers.written import Written
from app.settings.recaps import RecapSettings
from app.store.store import Store
from app.store.stories.recaps import MESSAGE_TEXT_FIELDS
from app.story.messages import Absence, Message, MessageRecap
from app.work.chats.open_chat import OpenChat
from app.work.edits.asked_recaps import NEW_RECAPS
from app.work.jobs.result_cache import ResultCache
from app.work.planning.model_messages import as_read

RECAPS = "recaps"  # in place of the messages before one
LONGEST_REASONING = 20_000  # characters: it goes into the chat's file with the recap


class MessageRecapper:
    """Performs the operations of message recaps.

    One that fails leaves the recap of the same text, if there is one.
    """

    def __init__(self, store: Store, results: ResultCache) -> None:
        self._store = store
        self._results = results

    async def perform(
        self,
        operation: Operation,
        chat: OpenChat,
        writer: RecapWriter,
        on_text: Callable[[str], None],
    ) -> Outcome:
        """Write them; on_text hears one that is alone. Raises BackendError, OperationOutdated."""
        anchors = operation.spec.params["anchors"]
        if len(anchors) == 1:
            return await self._one(operation, chat, writer, on_text)
        before = chat.story.message_recaps
        recaps: dict[str, MessageRecap] = {}
        for anchor in anchors:
            index = chat.index_of(anchor)
            if index is None:
                continue
            message = chat.story.messages[index]
            try:
                (told,) = as_read([message], chat.settings())
                written = await writer.message_recap(told, context=_context(chat, index))
                recaps[anchor] = _message_recap(message, chat, text=written.value)
            except AnswerUnusable:  # an aside, say: looked at, and nothing of the story in it
                if not _tells_of(before.get(anchor), message):
                    recaps[anchor] = _message_recap(message, chat)
        await self._store.run(lambda: self._save(chat, operation.spec, recaps, before))
        return Outcome(backend=writer.label)

    async def _one(
        self,
        operation: Operation,
        chat: OpenChat,
        writer: RecapWriter,
        on_text: Callable[[str], None],
    ) -> Outcome:
        spec = operation.spec
        index = chat.index_of(spec.anchor)
        if index is None:
            raise OperationOutdated(tr("The message no longer exists."))
        message, context = chat.story.messages[index], _context(chat, index)
        (told,) = as_read([message], chat.settings())
        before = chat.story.message_recaps

        def save(recap: MessageRecap) -> None:
            self._save(chat, spec, {spec.anchor: recap}, before)

        async def write() -> Written[dict[str, str]]:
            written = await writer.message_recap(told, context=context, on_text=on_text)
            value = {
                "text": written.value,
                "made_by": writer.label,
                "reasoning": written.reasoning[:LONGEST_REASONING],
            }
            return Written(value, written.prompt_tokens, written.output_tokens)

        try:
            value, outcome = await self._results.once(
                operation, write, reuse=not spec.params.get("again")
            )
        except AnswerUnusable as error:
            if not _tells_of(before.get(spec.anchor), message):
                failed = _message_recap(message, chat, error=str(error))
                await self._store.run(lambda: save(failed))
            raise
        reasoning = value.get("reasoning", "")
        recap = _message_recap(message, chat, text=value["text"], reasoning=reasoning)
        await self._results.keep(spec.key, value, lambda: save(recap))
        return outcome

    def _save(
        self,
        chat: OpenChat,
        spec: OperationSpec,
        recaps: Mapping[str, MessageRecap],
        before: Mapping[str, MessageRecap],
    ) -> None:
        """Keep recaps, a unit. before: those there were when writing them began.

        What the user wrote or took away since then stays as it is.
        """
        store = self._store.recaps
        kept = {
            anchor: recap
            for anchor, recap in recaps.items()
            if not _is_by_hand_since(
                store.message_records(chat.chat_id, anchor), recap, before.get(anchor)
            )
        }

        def add() -> None:
            store.save_message_recaps(chat.chat_id, kept, only=MESSAGE_TEXT_FIELDS)

        self._results.add(spec, NEW_RECAPS, add)


def _context(chat: OpenChat, index: int) -> tuple[Message, ...]:
    """What a message is to be understood by, as the settings of the chat say."""
    settings = chat.settings()
    first = max(0, index - RecapSettings(settings).message_recap_history)
    before = as_read(chat.story.messages[first:index], settings)
    if RecapSettings(settings).message_recap_history_as != RECAPS:
        return before
    recaps = chat.story.message_recaps
    return tuple(
        structs.replace(m, text=recaps[m.anchor].text) if _tells_of(recaps.get(m.anchor), m) else m
        for m in before
    )


def _message_recap(
    message: Message, chat: OpenChat, *, text: str = "", error: str = "", reasoning: str = ""
) -> MessageRecap:
    old = chat.story.message_recaps.get(message.anchor, MessageRecap())
    return MessageRecap(
        text=text,
        is_excluded=old.is_excluded,
        is_remembered=old.is_remembered,
        error=error,
        source_hash=message.content_hash,
        reasoning=reasoning,
        absence=Absence.UNKNOWN if text or error else Absence.NOTHING,
        swipe=message.swipe,
    )


def _tells_of(recap: MessageRecap | None, message: Message) -> bool:
    """Whether there is a recap of the message's text as it is."""
    return recap is not None and bool(recap.text) and recap.source_hash == message.content_hash


def _is_by_hand_since(
    records: Sequence[MessageRecap], made: MessageRecap, before: MessageRecap | None
) -> bool:
    """Whether the user changed the recap of the same text since it was as in `before`."""
    for record in records:
        if record.source_hash == made.source_hash:
            is_by_hand = record.is_edited or record.absence is Absence.REMOVED
            return is_by_hand and (
                before is None or (record.text, record.absence) != (before.text, before.absence)
            )
    return False
