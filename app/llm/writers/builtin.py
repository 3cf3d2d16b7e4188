"""The built-in way: recaps without a model, out of the story's own sentences."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType

from app.core.errors import AnswerUnusable
from app.core.translation import tr
from app.llm.backends.specs import BUILTIN
from app.llm.writers.writer import Merge, SceneDraft, Staging
from app.llm.writers.written import KeptAnswers, OnText, Written
from app.story.answers.task_answers import BreakAnswer
from app.story.messages import Message
from app.story.recap_texts.extractive import extract_message_recap, extract_scene_recap
from app.story.recap_texts.folding import fold_running
from app.story.recaps import BUILT_IN

VERSION = "extractive-1"  # grows with each change of the texts it writes
MESSAGE_TOKENS = 70


class BuiltinWriter:
    """A RecapWriter that quotes. Its recaps are the story's sentences, and it says that it made
    them; it is deterministic and takes no tokens.
    """

    label = BUILT_IN
    spec = BUILTIN
    prompt_version = VERSION
    versions: Mapping[str, str] = MappingProxyType({})
    context_tokens = None
    folds_beside = False
    memory = None

    def __init__(self, *, count_tokens: Callable[[str], int]) -> None:
        self._count_tokens = count_tokens

    async def scene_recap(
        self,
        messages: Sequence[Message],
        *,
        previous: str,
        tokens: int,
        on_text: OnText | None = None,
        staging: Staging | None = None,
        beside: Merge | None = None,
    ) -> Written[SceneDraft]:
        """See RecapWriter. The recap stands alone, whatever came before."""
        extract = await asyncio.to_thread(
            extract_scene_recap, tuple(messages), tokens=tokens, count_tokens=self._count_tokens
        )
        if not extract.sentences:
            raise AnswerUnusable(tr("No recap: the scene contains no text."))
        return Written(SceneDraft(extract.name, "\n".join(extract.sentences)))

    async def running_recap(
        self, merge: Merge, *, kept: KeptAnswers | None = None, on_text: OnText | None = None
    ) -> Written[str]:
        """See RecapWriter. Never more than `tokens`, however many scenes."""
        text = await asyncio.to_thread(
            fold_running,
            merge.previous,
            merge.scene_name,
            merge.scene_text,
            tokens=merge.tokens,
            count_tokens=self._count_tokens,
        )
        if not text:
            raise AnswerUnusable(
                tr(
                    "No running recap: there is not even room for one sentence. Give it more "
                    "tokens."
                )
            )
        return Written(text)

    async def message_recap(
        self, message: Message, *, context: Sequence[Message] = (), on_text: OnText | None = None
    ) -> Written[str]:
        """See RecapWriter."""
        sentence = await asyncio.to_thread(
            extract_message_recap,
            message,
            tuple(context),
            tokens=MESSAGE_TOKENS,
            count_tokens=self._count_tokens,
        )
        if not sentence:
            raise AnswerUnusable(tr("No recap: the message contains no text."))
        return Written(sentence)

    async def find_break(
        self,
        messages: Sequence[Message],
        *,
        first: int = 0,
        last: int | None = None,
        barred: Collection[int] = (),
        forced: bool = False,
        on_text: OnText | None = None,
    ) -> Written[BreakAnswer]:
        """Always None: without a model the cues of app.story find the breaks."""
        return Written(BreakAnswer(None))

    async def find_breaks(
        self, messages: Sequence[Message], *, wanted: Collection[int]
    ) -> Written[tuple[BreakAnswer, ...]]:
        """Always none, see `find_break`."""
        return Written(())

    async def aclose(self) -> None:
        """Nothing to give back."""
