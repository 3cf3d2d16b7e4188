"""Does operations: takes the story as it is, asks the writer, and keeps what came back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from app.core.errors import AnswerUnusable, OperationOutdated
from app.core.operations import Operation, OperationKind, OperationSpec, Outcome
from app.core.signals import Signal
from app.core.translation import N_, tr
from app.llm.writers.writer import Merge, RecapWriter, SceneDraft, Staging
from app.llm.writers.written import Written
from app.settings.program import ProgramSettings
from app.settings.scenes import SceneSettings
from app.store.kept_answers import KeptInStore
from app.story.answers.merging import HARD_BOUND
from app.story.messages import Message
from app.story.recap_texts.by_hand import carried
from app.story.recap_texts.pinned import pins_in, with_pinned
from app.story.recap_texts.recap_length import scene_recap_length
from app.story.recap_texts.recap_text import is_headed, merged
from app.story.recaps import LEFT_OUT, YOU, RunningRecap, RunningVersion, SceneRecap
from app.story.scenes import Scene, scene_digest
from app.story.story import Story
from app.views.queued_work import OperationProgress
from app.work.chats.open_chat import OpenChat
from app.work.jobs.fold_material import fold_material, is_behind
from app.work.jobs.message_recapping import MessageRecapper
from app.work.jobs.model_breaks import BreakFinder
from app.work.jobs.result_cache import ResultCache
from app.work.jobs.services import JobServices
from app.work.jobs.staging import adds_nothing, known_lore
from app.work.planning.folding import fold_base, told_before, was_set_aside, was_taken_back
from app.work.planning.model_messages import as_read
from app.work.planning.planner import fold_beside, recap_of_now, recapped_messages
from app.work.planning.staleness import renewed


class Recapper:
    """Performs operations for the queue, each bound to its chat and anchors.

    Results are kept by the operation's key, so that the same work is never paid for twice.

    Signals:
        progress: text as it comes from a model.
    """

    def __init__(self, services: JobServices, built_in: RecapWriter) -> None:
        self._services = services
        self._store = services.store
        self._count = services.count
        self._built_in = built_in
        self._results = ResultCache(services.store)
        self._messages = MessageRecapper(services.store, self._results)
        self._break_finder = BreakFinder(services.store, services.writing, services.packs)
        self.progress: Signal[OperationProgress] = Signal("progress")

    async def perform(self, operation: Operation) -> Outcome:
        """Do one operation. Raises BackendError, or OperationOutdated when it is no longer the
        work that was planned: its story changed, or another model writes now.
        """
        chat = await self._services.chat_of(operation.spec.chat)
        # A result is kept under its key, so the key has to be that of what is read here and now.
        if self._key_now(operation.spec, chat) != operation.spec.key:
            raise OperationOutdated(
                tr("The story or the model changed. What the story still lacks is planned again.")
            )
        writer = self._services.writer(operation.spec.kind)
        match operation.spec.kind:
            case OperationKind.SCENE_RECAP:
                return await self._scene_recap(operation, chat)
            case OperationKind.RUNNING_RECAP:
                return await self._fold(operation, chat)
            case OperationKind.MESSAGE_RECAP:
                on_text = self._listener(operation)
                return await self._messages.perform(operation, chat, writer, on_text)
            case OperationKind.DETECT_BREAKS:
                return await self._break_finder.perform(operation, chat, writer)
        raise AssertionError(f"{operation.spec.kind} is not done here")

    def _key_now(self, spec: OperationSpec, chat: OpenChat) -> str:
        """The key that the operation would be planned with now, "" when it would not be."""
        if spec.kind is OperationKind.DETECT_BREAKS:
            return spec.key  # who performs it looks itself
        if spec.kind is OperationKind.SCENE_RECAP:
            _closed_scene(chat, spec.anchor)  # says what became of it
        now = renewed(spec, chat.story, chat.settings(), self._services.writing())
        return now[0].key if len(now) == 1 else ""

    async def _scene_recap(self, operation: Operation, chat: OpenChat) -> Outcome:
        story, spec = chat.story, operation.spec
        scene = _closed_scene(chat, spec.anchor)
        kept = None if spec.params.get("again") else recap_of_now(story, scene, chat.settings())
        if kept is not None:
            choose = partial(self._store.recaps.choose_scene_recap, spec.chat, spec.anchor)
            await self._store.run(partial(choose, kept.version))
            return Outcome(backend="kept")
        speakers = SceneSettings(chat.settings()).scene_recap_messages
        messages = recapped_messages(story.messages, scene, speakers)
        messages = as_read(messages, chat.settings())
        base = told_before(story, scene.first + 1)
        writer, again = self._services.writer(spec.kind), str(spec.params.get("again", ""))
        staging = None
        if spec.params.get("staged"):
            lore = await asyncio.to_thread(known_lore, story, scene)
            staging = Staging(KeptInStore(self._store, again), lore)
        beside = await self._fold_beside(chat, scene)
        answered: list[tuple[str, str]] = []

        async def write() -> Written[dict[str, str]]:
            written: Written[SceneDraft] = await writer.scene_recap(
                messages,
                previous=base.content if base else "",
                tokens=await self._length(messages, spec),
                on_text=self._listener(operation),
                staging=staging,
                beside=beside,
            )
            draft = written.value
            answered.extend([draft.beside] if draft.beside else [])
            value = {"name": draft.name, "text": draft.text, "stored": draft.stored}
            value |= {"made_by": writer.label, "left_out": str(written.left_out)}
            return Written(value, written.prompt_tokens, written.output_tokens)

        try:
            # What a recap in stages leaves out is known here, and maybe not in another chat; its
            # stages find their own answers.
            reuse = not again and staging is None
            value, outcome = await self._results.once(operation, write, reuse=reuse)
        except AnswerUnusable:
            if story.scene_recap(scene) is None:
                await self._stand_in(chat, scene, messages, operation)
            raise
        recap = self._scene_recap_of(operation, chat, scene, value, scene_digest(messages))
        label = N_("new recap of scene {n}").format(n=scene.number)

        def unit() -> None:
            for key, answer in answered:
                KeptInStore(self._store).save(key, answer)
            add = partial(self._add_scene_recap, chat, recap, operation)
            self._results.add(spec, label, add)

        await self._results.keep(spec.key, value, unit)
        return outcome

    def _scene_recap_of(
        self,
        operation: Operation,
        chat: OpenChat,
        scene: Scene,
        value: Mapping[str, str],
        source: str,
    ) -> SceneRecap:
        """A result as a recap, with what the user pinned of the one before."""
        anchor, before = operation.spec.anchor, chat.story.scene_recap(scene)
        pinned = pins_in(ProgramSettings(chat.settings()).recap_pins)
        pins = [pin for pin in pinned if pin.subject == anchor]
        return SceneRecap(
            anchor=anchor,
            version=0,
            name=value["name"],
            text=with_pinned(value["text"], pins, before.text if before else ""),
            source_digest=source,
            made_by=_maker(value),
            created=_made(operation),
            stored=value.get("stored", ""),
        )

    async def _fold_beside(self, chat: OpenChat, scene: Scene) -> Merge | None:
        """What the request for this scene's recap may fold in, too; None where nothing is, or it
        was paid for already.
        """
        settings, writing = chat.settings(), self._services.writing()
        spec = fold_beside(chat.story, chat.chat_id, scene, settings, writing)
        earlier = chat.story.scene_ending_at(spec.anchor) if spec is not None else None
        if spec is None or earlier is None:
            return None
        if await self._store.run(lambda: self._store.operations.result(spec.key)) is not None:
            return None
        recap = _recap_to_fold(chat.story, earlier)
        merging = fold_material(spec, chat, earlier, recap, self._count)
        return None if adds_nothing(recap, merging.base) else merging.merge

    async def _length(self, messages: Sequence[Message], spec: OperationSpec) -> int:
        """Tokens that the recap of these messages may take: about a fifth of theirs."""
        least, most = int(spec.params["tokens"]), int(spec.params["most"])
        texts = [message.text for message in messages]
        scene = await asyncio.to_thread(lambda: sum(map(self._count, texts)))
        return scene_recap_length(scene, least, most)

    async def _stand_in(
        self, chat: OpenChat, scene: Scene, messages: tuple[Message, ...], operation: Operation
    ) -> None:
        """Recap a scene without the model, so that one bad answer does not stop the fold."""
        assert scene.closing is not None
        tokens = await self._length(messages, operation.spec)
        written = await self._built_in.scene_recap(messages, previous="", tokens=tokens)
        recap = SceneRecap(
            anchor=scene.closing.anchor,
            version=0,
            name=written.value.name,
            text=written.value.text,
            source_digest=scene_digest(messages),
            made_by=self._stand_in_label(operation.spec.kind),
            created=_made(operation),
        )
        await self._store.run(lambda: self._add_scene_recap(chat, recap, operation))

    def _add_scene_recap(self, chat: OpenChat, recap: SceneRecap, operation: Operation) -> None:
        recaps = self._store.recaps
        existing = recaps.scene_recaps(chat.chat_id).get(recap.anchor, ())
        # Killed between keeping the result and marking the operation as done: once is enough.
        if any(old.text == recap.text and _is_of(operation, old.created) for old in existing):
            return
        recaps.add_scene_recap(chat.chat_id, recap)
        if not recap.is_without_model and any(
            old.is_current and old.is_locked and old.is_stand_in for old in existing
        ):
            self._fold_anew_from(chat, recap.anchor)
        begun, now = operation.started or operation.created, _made(operation)
        for old in existing:
            if old.is_current and old.made_by == "you" and begun <= old.created <= now:
                # What was written by hand meanwhile goes before what was asked for earlier.
                recaps.choose_scene_recap(chat.chat_id, recap.anchor, old.version)

    def _fold_anew_from(self, chat: OpenChat, anchor: str) -> None:
        """What took a stand-in in is made anew with what the model wrote after all; not what the
        user has written a version of since.
        """
        recaps, places = self._store.recaps, chat.story.places
        start = places.get(anchor, -1)
        versions = [
            version
            for version in recaps.running(chat.chat_id).versions
            if not version.is_retired and places.get(version.last_anchor, -1) >= start
        ]
        if any(version.made_by == YOU for version in versions):
            return
        behind = [
            scene.closing.anchor
            for scene in chat.story.scenes
            if scene.closing and scene.last >= start
        ]
        recaps.retire_running(chat.chat_id, [version.version for version in versions])
        recaps.unlock_scene_recaps(chat.chat_id, behind)

    async def _fold(self, operation: Operation, chat: OpenChat) -> Outcome:
        story, spec = chat.story, operation.spec
        scene = _closed_scene(chat, spec.anchor)
        recap = _recap_to_fold(story, scene)
        merging = fold_material(spec, chat, scene, recap, self._count)
        base, pins, merge = merging.base, merging.pins, merging.merge
        writer = self._services.writer(spec.kind)

        async def write() -> Written[dict[str, str]]:
            # What was set aside is not to come back in the words of its answer.
            is_new = await self._store.run(lambda: self._store.operations.result(spec.key)) is None
            kept, on_text = KeptInStore(self._store), self._listener(operation)
            written = await writer.running_recap(
                merge, kept=kept if is_new else None, on_text=on_text
            )
            value = {"content": written.value, "made_by": writer.label}
            value["left_out"] = str(written.left_out)
            return Written(value, written.prompt_tokens, written.output_tokens)

        told = [version.content for version in (base, story.running.current) if version]

        def made(content: str, made_by: str) -> RunningVersion:
            return _folded_in(operation, base, with_pinned(content, pins, *told), made_by)

        def folded(kept: dict[str, str]) -> RunningVersion:
            # Nobody is asked for the first: what rules made of its scene is copied, not written.
            is_copied = base is None and recap.is_without_model
            maker = recap.made_by if is_copied else _maker(kept)
            return made(_with_edits(chat.story, scene, base, kept["content"]), maker)

        def is_wanted(kept: dict[str, str]) -> bool:
            return not was_set_aside(chat.story.running, folded(kept))

        add = partial(self._add_running, chat, story.running.current, base, recap, operation)
        if base is not None and adds_nothing(recap, base):
            unchanged = made(base.content, recap.made_by)
            await self._store.run(lambda: add(unchanged))
            return Outcome()
        try:
            value, outcome = await self._results.once(
                operation, write, reuse=True, is_wanted=is_wanted
            )
        except AnswerUnusable:
            # One bad answer must not keep all later scenes out of the prompt.
            if _standing(story.running, spec.anchor) is not None:
                raise  # what stands in for it is there already
            text = await self._folded_without(merge)
            edited = _with_edits(chat.story, scene, base, text)
            stand_in = made(edited, self._stand_in_label(spec.kind))
            await self._store.run(lambda: add(stand_in))
            raise
        version = folded(value)
        await self._results.keep(spec.key, value, lambda: add(version))
        # An earlier request was for this, too: what this one takes is no measure of others.
        is_told = base is not None and writer.memory is not None and not outcome.prompt_tokens
        return Outcome(backend="kept") if is_told else outcome

    async def _folded_without(self, merge: Merge) -> str:
        """A scene folded in without the model, in the shape that the running recap has."""
        previous, text = merge.previous, merge.scene_text
        if is_headed(previous) or (not previous and is_headed(text)):
            return merged(previous, text, int(merge.tokens * HARD_BOUND), self._count)
        return (await self._built_in.running_recap(merge)).value

    def _stand_in_label(self, kind: OperationKind) -> str:
        return N_("{built_in}, in place of {model}").format(
            built_in=self._built_in.label, model=self._services.writer(kind).label
        )

    def _add_running(
        self,
        chat: OpenChat,
        before: RunningVersion | None,
        base: RunningVersion | None,
        recap: SceneRecap,
        operation: Operation,
        version: RunningVersion,
    ) -> None:
        """Add a version that folded this recap in, which is locked from now on; none where that was
        taken back meanwhile. before: the one in the prompt when that began. base: what it was
        built on.
        """
        store = self._store
        running = store.recaps.running(chat.chat_id)
        # Killed between keeping the result and marking the operation as done: once is enough.
        if any(
            old.last_anchor == version.last_anchor and _is_of(operation, old.created)
            for old in running.versions
        ):
            return
        standing = _standing(running, version.last_anchor)
        if was_taken_back(running, base, standing):
            return
        if standing is not None and standing.is_stand_in:
            # What was folded in behind it tells of the story by what rules made of it.
            self._fold_anew_from(chat, version.last_anchor)
            running = store.recaps.running(chat.chat_id)
        current = running.current
        # A recap that is being rebuilt stays in the prompt until the new one reaches as far, or as
        # far as scenes end: that of its last one may be gone.
        waits = (
            current is not None
            and current.is_retired
            and is_behind(chat, version.last_anchor, current)
        )
        is_chosen = not (waits or _is_overtaken(running, before, version))
        store.recaps.add_running_version(chat.chat_id, version, choose=is_chosen)
        store.recaps.combine_scene_recap(chat.chat_id, recap.anchor, recap.version, version.created)

    def _listener(self, operation: Operation) -> Callable[[str], None]:
        def on_text(text: str) -> None:
            self.progress.emit(OperationProgress(operation.id, text))

        return on_text


def _with_edits(story: Story, scene: Scene, base: RunningVersion | None, text: str) -> str:
    """What was folded with what the user wrote into its base while the model wrote."""
    now = fold_base(story, scene.first + 1)
    if base is None or now is None or now.made_by != YOU or now.version <= base.version:
        return text
    return carried(base.content, now.content, text) if now.last_anchor == base.last_anchor else text


def _folded_in(
    operation: Operation, base: RunningVersion | None, content: str, made_by: str
) -> RunningVersion:
    """The version that an operation makes of its base and one more scene."""
    return RunningVersion(
        version=0,
        content=content,
        scene_count=(base.scene_count if base else 0) + 1,
        first_anchor=base.last_anchor if base else "",
        last_anchor=operation.spec.anchor,
        made_by=made_by,
        created=_made(operation),
    )


def _is_overtaken(
    running: RunningRecap, before: RunningVersion | None, made: RunningVersion
) -> bool:
    """Whether the user chose or wrote another version while this one was made, which knows nothing
    of it. An edit of what it was built on it has taken over. before: the one in the prompt then.
    """
    now = running.current
    if now is None or now.is_retired or now.version == (before.version if before else None):
        return False
    is_taken_over = now.made_by == YOU and now.last_anchor == made.first_anchor
    return not (is_taken_over and before is not None and now.version > before.version)


def _standing(running: RunningRecap, anchor: str) -> RunningVersion | None:
    """The newest version that can be built on of those that end with this scene."""
    of_scene = (v for v in reversed(running.versions) if v.last_anchor == anchor)
    return next((version for version in of_scene if not version.is_retired), None)


def _maker(value: Mapping[str, str]) -> str:
    """Who made a kept result, and how much of it had no room. left_out: not in those of before."""
    left_out = value.get("left_out", "0")
    made_by = value["made_by"]
    return made_by if left_out == "0" else LEFT_OUT.format(model=made_by, n=left_out)


def _made(operation: Operation) -> float:
    """The time of what an operation makes: never before it was asked for, though the clock may have
    been set back since.
    """
    return max(time.time(), operation.created)


def _is_of(operation: Operation, created: float) -> bool:
    """Whether this operation made what bears that time; a clock that was set back since has left
    older ones in its future.
    """
    return operation.created <= created <= _made(operation)


def _closed_scene(chat: OpenChat, anchor: str) -> Scene:
    scene = chat.story.scene_ending_at(anchor)
    if scene is None:
        raise OperationOutdated(
            tr("The scene no longer exists: its break was moved or its messages were deleted.")
        )
    return scene


def _recap_to_fold(story: Story, scene: Scene) -> SceneRecap:
    recap = story.scene_recap(scene)
    if recap is None:
        raise OperationOutdated(
            tr("The scene has no recap to add yet. It is added as soon as it has one.")
        )
    return recap
