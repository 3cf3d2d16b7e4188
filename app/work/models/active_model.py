"""The model that writes now: chosen by the settings, exchanged without losing paid work."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from app.core.errors import TavernkeepError, UsageError
from app.core.operations import Operation, OperationKind, OperationStatus
from app.core.signals import Signal
from app.core.tasks import TaskSupervisor
from app.core.translation import tr
from app.llm.backends.api_keys import ApiKeys
from app.llm.backends.hardware_profile import setting_warnings
from app.llm.backends.reasoning import mark_pairs
from app.llm.backends.specs import BUILTIN, parse_spec
from app.llm.writers.asking import Generating
from app.llm.writers.correction import Corrections
from app.llm.writers.factory import make_writer
from app.llm.writers.memory_model import MemoryModel
from app.llm.writers.memory_trial import try_memory
from app.llm.writers.meter import Meter
from app.llm.writers.spacing import Spacing
from app.llm.writers.writer import RecapWriter
from app.llm.writers.written import OnText
from app.prompt.tokens import TokenCounter
from app.settings.models import AS_ABOVE, KIND_MODELS
from app.settings.program import ProgramSettings
from app.settings.values import Settings
from app.story.scene_cues.language import LanguagePack
from app.views.memory_trial import MemoryTrial, TierTrial
from app.views.model_trial import FoundModel, ModelTrial
from app.work.models.metering import ModelMeter, TrialMeter
from app.work.models.model_trial import models_at, models_here, try_writer
from app.work.pages.link import BridgeLink
from app.work.planning.kinds import MODEL_OF
from app.work.planning.writing import Writing
from app.work.queue.operation_queue import OperationQueue

RETIRE_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class _Tested:
    """What a test showed. speed: tokens written a second. context: of the model, in tokens."""

    speed: float | None = None
    context: int | None = None


def _is_free(writer: RecapWriter) -> bool:
    return parse_spec(writer.spec).kind == BUILTIN


def _writing_of(writer: RecapWriter, tested: _Tested) -> Writing:
    return Writing(
        writer.spec,
        writer.prompt_version,
        is_free=_is_free(writer),
        context_tokens=writer.context_tokens or tested.context,
        versions=writer.versions,
        reasoning_tokens=writer.memory.reasoning_tokens if writer.memory else 0,
        write_speed=tested.speed,
        folds_beside=writer.folds_beside,
    )


@dataclass(frozen=True, slots=True)
class WriterServices:
    """What a writer of any backend is made with. prompts_dir: the user's own prompt files. link: by
    which SillyTavern's own connection is asked. meter: hears of every request. keys: of servers.
    """

    counter: TokenCounter
    prompts_dir: Path
    link: BridgeLink
    meter: ModelMeter
    keys: ApiKeys
    packs: Sequence[LanguagePack]


class ActiveModel:
    """Which model writes, which others there are, and how one does before it is chosen.

    given: the backend to begin with in place of the setting. problem: a sentence when the setting
    made no sense, so that the built-in way stands in. since: when the writers in force were made
    in this run (seconds since the epoch), 0 for with the start.

    Signals:
        tested: the spec of a model of which a test showed how fast it is.
    """

    def __init__(
        self,
        given: str | None,
        settings: Settings,
        services: WriterServices,
        queue: OperationQueue,
        tasks: TaskSupervisor,
    ) -> None:
        self._given = given
        self._is_for_all = given is not None
        self._settings = settings
        self._services = services
        self._queue = queue
        self._tasks = tasks
        self._meter = services.meter
        self.keys = services.keys
        self.corrections = Corrections()
        self.spacing = Spacing(lambda: ProgramSettings(settings).request_pause)
        self.problem = ""
        self.since = 0.0
        self.tested: Signal[str] = Signal("tested")
        self._tested: dict[str, _Tested] = {}  # by backend
        self._writer = self._first()
        self._others = self._first_others()

    # --- what writes now

    def writer(self, kind: OperationKind | None = None) -> RecapWriter:
        """The writer in force for a kind of work, else for everything; asked for at each use."""
        spec = self._spec_for(MODEL_OF[kind]) if kind is not None else ""
        return self._others.get(spec, self._writer)

    def is_free(self, kind: OperationKind) -> bool:
        """Whether a kind of work costs no request."""
        return _is_free(self.writer(kind))

    @property
    def spec(self) -> str:
        """The backend of the writer in force."""
        return self._writer.spec

    @property
    def setting_warnings(self) -> Mapping[str, str]:
        """What to say of settings, where they are on, by the profile that holds; by name."""
        return setting_warnings(self._settings.for_all(), self.spec)

    @property
    def labels(self) -> Mapping[str, str]:
        """Labels of the writers of those kinds of work that another model does, by setting."""
        given = {name: self._others.get(self._spec_for(name)) for name in sorted(KIND_MODELS)}
        return {name: writer.label for name, writer in given.items() if writer is not None}

    def writing(self) -> Writing:
        """How the writers in force write, for those who plan their work."""
        main = self._writing_of(self._writer)
        if not self._others:
            return main
        of_spec = {spec: self._writing_of(writer) for spec, writer in self._others.items()}
        found = {kind: of_spec.get(self._spec_for(name)) for kind, name in MODEL_OF.items()}
        others = {kind: writing for kind, writing in found.items() if writing is not None}
        return replace(main, others=others)

    def _writing_of(self, writer: RecapWriter) -> Writing:
        return _writing_of(writer, self._tested.get(writer.spec, _Tested()))

    def idle_memory(self) -> MemoryModel | None:
        """The model for memory, where it has nothing else to do."""
        memory = self.writer(OperationKind.MEMORY_PASS).memory
        is_busy = any(op.status is OperationStatus.RUNNING for op in self._queue.operations)
        return None if is_busy or self._meter.cap.is_reached else memory

    def renew(self, *, is_chosen: bool, is_of_kind: bool = False) -> None:
        """Write by the settings as they are now; is_chosen: what was given at first holds no more;
        is_of_kind: not for every kind of work.

        Raises PromptUnusable, or UsageError for a setting that makes no sense any more; then
        nothing is changed.
        """
        if is_chosen:
            self._given = None
        if is_chosen or is_of_kind:
            self._is_for_all = False
        writer = self._make(self._spec)
        others = self._make_others()
        old = (self._writer, *self._others.values())
        self._writer, self._others, self.since = writer, others, time.time()
        for one in old:
            self._tasks.spawn(self._retire(one), name="closing a writer")

    async def keep_key(self, url: str, key: str) -> str:
        """Keep a server's API key, "" to forget it, and use it at once, also for what was refused;
        gives the one that was kept before, "" for none.

        Raises UsageError, StoreError, PromptUnusable.
        """
        before = await self.keys.keep(url, key)
        self.renew(is_chosen=False)
        if key:
            self._queue.try_refused()
        return before

    async def aclose(self) -> None:
        """Close the writers, whatever they write."""
        for writer in (self._writer, *self._others.values()):
            await writer.aclose()

    # --- other models

    async def found(self) -> tuple[FoundModel, ...]:
        """Models of an Ollama on this machine; waits two seconds at most."""
        return await models_here()

    async def offered_at(self, kind: str, url: str) -> tuple[str, ...]:
        """Names of the models that a server of a kind offers. Raises UsageError, BackendError."""
        return await models_at(kind, url, api_key=self.keys.find(url))

    async def profiles_in_page(self) -> tuple[str, ...] | None:
        """Connection profiles that SillyTavern's page has; None where no page is open."""
        return await self._services.link.profiles()

    async def test(self, spec: str, *, on_text: OnText | None = None) -> ModelTrial:
        """Let a model write one recap of a sample, within 20 seconds. Raises UsageError."""
        writer = self._make(spec, TrialMeter(self._meter))
        try:
            trial = await try_writer(writer, on_text=on_text)
            if trial.text and not trial.error and trial.seconds > 0:
                tokens = trial.output_tokens or self._services.counter.count(trial.text)
                self._tested[writer.spec] = _Tested(tokens / trial.seconds, writer.context_tokens)
                self.tested.emit(writer.spec)
                if writer.spec in {self._writer.spec, *self._others}:
                    self._queue.try_refused()  # whatever kept it from answering is over
            return trial
        finally:
            await writer.aclose()

    async def test_memory(
        self, spec: str, on_result: Callable[[TierTrial], None] | None = None
    ) -> MemoryTrial:
        """Try a model on every task of memory; keeps nothing. Raises UsageError for no model."""
        writer = self._make(spec, TrialMeter(self._meter))
        try:
            if writer.memory is None:
                raise UsageError(tr("There is no model to test."))
            return await try_memory(writer.memory, on_result)
        finally:
            await writer.aclose()

    # --- inside

    @property
    def _spec(self) -> str:
        """The backend in force: the one given at the start, until another is chosen."""
        return self._given or ProgramSettings(self._settings).backend

    def _first(self) -> RecapWriter:
        """The writer by the settings; without a model where they make no sense any more."""
        if self._given is not None:
            return self._make(self._given)
        try:
            return self._make(self._spec)
        except TavernkeepError as error:
            self.problem = str(error)
            return self._make(BUILTIN)

    def _spec_for(self, name: str) -> str:
        """The backend that the user set for kinds of work, "" for that of everything.

        What was given at the start is for everything.
        """
        return "" if self._is_for_all else str(self._settings[name])

    def _make_others(self) -> dict[str, RecapWriter]:
        """The writers beside the one for everything, by their backends."""
        wanted = {self._spec_for(name) for name in KIND_MODELS} - {AS_ABOVE, self._spec}
        return {spec: self._make(spec) for spec in sorted(wanted)}

    def _first_others(self) -> dict[str, RecapWriter]:
        """Likewise at the start; the one for everything stands in where they make no sense."""
        try:
            return self._make_others()
        except TavernkeepError as error:
            self.problem = self.problem or str(error)
            return {}

    def _make(self, spec: str, meter: Meter | None = None) -> RecapWriter:
        return make_writer(
            spec,
            count_tokens=self._services.counter.count,
            api_key=self.keys.find(parse_spec(spec).url),
            prompts_dir=self._services.prompts_dir,
            page=self._services.link,
            meter=meter or self._meter,
            corrections=self.corrections,
            packs=self._services.packs,
            generating=Generating(
                ProgramSettings(self._settings).generation_budget,
                mark_pairs(ProgramSettings(self._settings).reasoning_marks),
                self.spacing,
            ),
        )

    async def _retire(self, writer: RecapWriter) -> None:
        """Close a writer once what it is writing now has ended: it was paid for."""
        ended = asyncio.Event()
        operations = self._queue.operations
        running = {op.id for op in operations if op.status is OperationStatus.RUNNING}

        def look(operations: tuple[Operation, ...]) -> None:
            now = {op.id for op in operations if op.status is OperationStatus.RUNNING}
            if running.isdisjoint(now):
                ended.set()

        self._queue.changed.connect(look)
        try:
            look(operations)
            async with asyncio.timeout(RETIRE_SECONDS):
                await ended.wait()
        except TimeoutError:
            pass
        finally:
            self._queue.changed.disconnect(look)
            await writer.aclose()
