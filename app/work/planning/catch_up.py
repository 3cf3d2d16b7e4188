"""What recapping a story that was never looked after takes, and how far it is. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from statistics import median
from typing import Any

from app.core.model_use import Prices
from app.core.operations import MEMORY, RECAPS, Operation, OperationKind, OperationSpec, Worked
from app.settings.recaps import RecapSettings
from app.story.break_search import SearchCost
from app.story.recap_texts.recap_length import scene_recap_length
from app.story.scenes import Scene
from app.story.story import Story
from app.views.catch_up import CatchUpPlan, CatchUpProgress, ReadingCost
from app.work.planning.folding import fold_base, scenes_to_fold
from app.work.planning.planner import PRIORITY_NEWEST, recap_bounds, recap_room
from app.work.planning.recap_costs import message_recaps_cost

# Instructions of a request beside the story's own text, about.
INSTRUCTION_TOKENS = 700
# Of a recap in stages: what its first stage gathers, and the lore of one scene.
GATHERED_TOKENS, LORE_TOKENS = 900, 250
CHANGES_TOKENS = 250  # of an answer that says what changes in the running recap
NO_SEARCH = SearchCost()
NO_READING = ReadingCost()
NO_OTHERS: Mapping[OperationKind, int] = {}
KINDS = (
    OperationKind.DETECT_BREAKS,
    OperationKind.SCENE_RECAP,
    OperationKind.RUNNING_RECAP,
    OperationKind.MEMORY_PASS,
)
# So many of the last operations of a kind say how long one takes: what was measured longer ago
# was another computer, or another load.
MEASURED = 20
# A kind that was done less often than this is held beside all others: its one slow answer may have
# been a model that was loaded first.
FEW = 3
# The last FEW that each took so many times as long as usual, or as short, show another pace.
CHANGED_TIMES = 2
# What takes so many times as long as usual, and so long at least, may as well hang.
LONGEST_USUAL, SURELY_SLOW_SECONDS = 3.0, 90.0
# Tokens a second of a middling model, to say something before it was measured.
READ_SPEED, WRITE_SPEED = 800.0, 30.0


@dataclass(frozen=True, slots=True)
class _Form:
    """What the recap of one scene takes at most, its messages left out."""

    requests: int
    prompt_tokens: int
    output_tokens: int


def _form(settings: Mapping[str, Any], recap: int, *, is_staged: bool) -> _Form:
    """recap: tokens of a scene's recap, on average."""
    room = recap_room(settings)
    if not is_staged:
        return _Form(1, INSTRUCTION_TOKENS + room, recap)
    organised = 2 * recap
    # Gathered facts, put in order with lore; compared with the running recap, and with known lore.
    prompt = 4 * INSTRUCTION_TOKENS + GATHERED_TOKENS + organised + room + 2 * LORE_TOKENS
    return _Form(4, prompt, GATHERED_TOKENS + organised + recap + 2 * LORE_TOKENS)


def parts_of(plan: CatchUpPlan) -> Mapping[str, CatchUpPlan]:
    """Recaps with the search for scene breaks, and reading for memory, each as a plan of its own;
    empty where there is only one of them.
    """
    if not plan.has_parts:
        return {}
    reading = plan.reading
    recaps = replace(
        plan,
        requests=plan.requests - reading.requests,
        prompt_tokens=plan.prompt_tokens - reading.prompt_tokens,
        output_tokens=plan.output_tokens - reading.output_tokens,
        reading=NO_READING,
        texts=0,
        text_tokens=0,
    )
    memory = replace(
        plan,
        scenes=0,
        first=reading.first,
        last=reading.last,
        requests=reading.requests,
        prompt_tokens=reading.prompt_tokens,
        output_tokens=reading.output_tokens,
        folds=0,
        beside=0,
        fold_tokens=(0, 0),
        search=NO_SEARCH,
        messages=0,
        message_tokens=(0, 0),
    )
    return {RECAPS: recaps, MEMORY: memory}


@dataclass(frozen=True, slots=True)
class Pace:
    """How long one backend takes for one operation of each kind, in seconds; as measured. usual:
    for one of any kind, None when nothing was measured.
    """

    seconds: Mapping[OperationKind, float] = field(default_factory=dict)
    usual: float | None = None

    def of(self, kind: OperationKind) -> float | None:
        """Of a kind that was never done, what is usual; None when nothing was."""
        return self.seconds.get(kind, self.usual)

    def expected(self, plan: CatchUpPlan) -> float | None:
        """Seconds that a plan takes, None while nothing was measured."""
        counts = {
            OperationKind.SCENE_RECAP: plan.scenes,
            OperationKind.RUNNING_RECAP: plan.folds - plan.beside,
            OperationKind.DETECT_BREAKS: plan.search.requests,
            OperationKind.MEMORY_PASS: plan.reading.passes,
            OperationKind.MESSAGE_RECAP: plan.messages,
        }
        total = 0.0
        for kind, count in counts.items():
            seconds = self.of(kind)
            if seconds is None:
                return None
            total += seconds * count
        return total


def pace_of(*measured: Sequence[tuple[OperationKind, float]]) -> Pace:
    """The pace that the last operations had, newest first, of each backend that did them: the
    middle of each kind, and of all. Of a kind that was done FEW times, what is usual counts as one
    more; of one whose last FEW show another pace, only those count.

    Not the mean: a model that was loaded first took minutes once.
    """
    by_kind: dict[OperationKind, list[float]] = {}
    for kind, seconds in chain.from_iterable(map(_as_now, measured)):
        of_kind = by_kind.setdefault(kind, [])
        if len(of_kind) < MEASURED and seconds >= 0:
            of_kind.append(seconds)
    taken = {kind: seconds for kind, seconds in by_kind.items() if seconds}
    if not taken:
        return Pace()
    usual = median(chain.from_iterable(taken.values()))

    def middle(seconds: list[float]) -> float:
        if len(seconds) < FEW:
            return median([*seconds, usual])
        before = seconds[FEW:]
        is_other = bool(before) and _is_another([(now, median(before)) for now in seconds[:FEW]])
        return median(seconds[:FEW] if is_other else seconds)

    return Pace({kind: middle(seconds) for kind, seconds in taken.items()}, usual)


def _is_another(pairs: Sequence[tuple[float, float]]) -> bool:
    """Whether all of these show another pace. pairs: seconds, and what was usual before."""
    slower = all(now > CHANGED_TIMES * before for now, before in pairs)
    return slower or all(now * CHANGED_TIMES < before for now, before in pairs)


def _as_now(measured: Sequence[tuple[OperationKind, float]]) -> list[tuple[OperationKind, float]]:
    """What one backend took, newest first; what kinds took that were done when its pace was
    another is changed by as much as others changed since. A server that lets everybody wait for a
    second does so for every kind of work.
    """
    newest = measured[:FEW]
    places = {kind: place for place, (kind, _) in reversed(list(enumerate(measured)))}
    changes: dict[OperationKind, float] = {}
    for kind, place in places.items():
        before: dict[OperationKind, list[float]] = {}
        for other, seconds in measured[place:]:
            before.setdefault(other, []).append(seconds)
        pairs = [(now, median(before[other])) for other, now in newest if other in before]
        if place >= FEW and len(pairs) == FEW and _is_another(pairs):
            changes[kind] = median(now - was for now, was in pairs)
    least = min((seconds for _, seconds in newest), default=0.0)
    return [
        (kind, max(seconds + changes.get(kind, 0.0), min(seconds, least)))
        for kind, seconds in measured
    ]


def with_measured_folds(
    plan: CatchUpPlan, taken: float | None, reasoning_tokens: int = 0
) -> CatchUpPlan:
    """The plan with folds that take what the last ones took, where that is more than what one
    request takes: a model that does not shorten is asked twice each time. taken: tokens of one with
    its reasoning, None while too few were measured.
    """
    alone = plan.folds - plan.beside
    if taken is None or not alone:
        return plan
    read, written = plan.fold_tokens
    more = max(0, int(alone * (taken - reasoning_tokens)) - read - written)
    return replace(
        plan, prompt_tokens=plan.prompt_tokens + more, fold_tokens=(read + more, written)
    )


def estimated(
    plan: CatchUpPlan,
    pace: Pace,
    prices: Callable[[OperationKind], Prices],
    reasoning_tokens: int = 0,
    *,
    by_kind: Mapping[OperationKind, int] = NO_OTHERS,
    write_speed: float | None = None,
) -> CatchUpPlan:
    """The plan with the time and the price that are to be expected. prices: of who does a kind of
    work. reasoning_tokens: that the model writes before an answer, as seen so far. by_kind:
    likewise of other models. write_speed: tokens a second in a test of it, None where it was not
    tested.
    """
    reasoning = {kind: n * by_kind.get(kind, reasoning_tokens) for kind, n in plan.by_kind.items()}
    output = plan.output_tokens + sum(reasoning.values())
    found = [
        prices(kind).of(read, written + reasoning[kind])
        for kind, (read, written) in plan.tokens.items()
        if read or written or reasoning[kind]
    ]
    told = [price for price in found if price is not None]
    measured = pace.expected(plan)
    middling = plan.prompt_tokens / READ_SPEED + output / WRITE_SPEED
    guess = middling * WRITE_SPEED / write_speed if write_speed else middling
    return replace(
        plan,
        output_tokens=output,
        text_tokens=plan.text_tokens + plan.texts * reasoning_tokens,
        seconds=guess if measured is None else measured,
        is_guessed=measured is None and not write_speed,
        is_tested=measured is None and bool(write_speed),
        price=sum(told) if told else None,
    )


# 9 parameters: what is left, and how it was at the beginning.
def catch_up_progress(
    chat: int,
    title: str,
    *,
    left: CatchUpPlan | None,
    worked: Worked,
    running: Operation | None,
    pace: Pace,
    now: float,
    is_stopping: bool = False,
    is_held: bool = False,
) -> CatchUpProgress:
    """How far it is now (seconds since the epoch). left: what is planned still, None: nothing.

    running: the operation of this catch-up that runs. is_held: as in CatchUpProgress.
    """
    ahead = left.requests if left is not None else 0
    remaining = pace.expected(left) if left is not None else 0.0
    elapsed = worked.seconds
    if is_stopping:
        ahead = 1 if running is not None else 0
        remaining = pace.of(running.spec.kind) if running is not None else 0.0
    if running is not None and running.started is not None:
        ran = max(0.0, now - running.started)
        elapsed += ran
        # What takes longer than usual does not make the rest any shorter.
        usual = pace.of(running.spec.kind)
        if remaining is not None and usual is not None:
            remaining = max(0.0, remaining - min(ran, usual))
        if usual is not None and ran > max(LONGEST_USUAL * usual, SURELY_SLOW_SECONDS):
            remaining = None  # whoever hangs does not end in a moment
    done, failed = left.requests_in(worked) if left and worked.by_kind else _ended(worked)
    if is_held:
        remaining = None
    return CatchUpProgress(
        chat, title, done, failed, ahead, elapsed, remaining, is_stopping, is_held
    )


def _ended(worked: Worked) -> tuple[int, int]:
    return worked.done, worked.failed


# 8 parameters: what there is to do, and how it is done.
def catch_up_plan(
    story: Story,
    specs: Sequence[OperationSpec],
    settings: Mapping[str, Any],
    *,
    search: SearchCost = NO_SEARCH,
    reading: ReadingCost = NO_READING,
    free: Collection[OperationKind] = (),
    are_folds_beside: bool = False,
    are_folds_wanted: bool = False,
) -> CatchUpPlan | None:
    """What the planned scene recaps and folds, and the folds behind them, take; None without any.

    search: of the scene breaks, where that is planned too. reading: for memory, likewise. free:
    kinds of work that ask no model, and are left out. are_folds_beside: a request for a recap asks
    for a fold, too, where it can. are_folds_wanted: folds are counted though no recap is planned.
    """
    wanted = {spec.anchor for spec in specs if spec.kind is OperationKind.SCENE_RECAP}
    scenes = [scene for scene in story.scenes if scene.closing and scene.closing.anchor in wanted]
    folded = _to_fold(story, settings)
    if OperationKind.SCENE_RECAP in free:
        scenes = []
    if OperationKind.RUNNING_RECAP in free:
        folded = []
    is_folding = are_folds_wanted or any(s.kind is OperationKind.RUNNING_RECAP for s in specs)
    if not scenes and not is_folding:
        folded = []
    if not scenes and not folded and not search.requests and not reading.requests:
        return None
    recap_tokens, room = _recap_tokens(story, settings, scenes or folded), recap_room(settings)
    is_staged = any(spec.params.get("staged") for spec in specs)
    form = _form(settings, recap_tokens, is_staged=is_staged)
    prompt = sum(sum(story.message_tokens[s.first : s.last + 1]) for s in scenes)
    prompt += len(scenes) * form.prompt_tokens
    beside = _beside(story, specs, scenes, folded, settings) if are_folds_beside else 0
    # What came before is shown once then, and what both ask for is said once.
    folding = len(folded) * (INSTRUCTION_TOKENS + room + recap_tokens)
    folding -= beside * (INSTRUCTION_TOKENS // 2 + room)
    prompt += folding
    told = scenes or folded
    requests = len(scenes) * form.requests + len(folded) - beside
    written = len(scenes) * form.output_tokens + len(folded) * CHANGES_TOKENS
    return CatchUpPlan(
        scenes=len(scenes),
        first=told[0].first if told else 0,
        last=told[-1].last if told else len(story.messages) - 1,
        requests=requests + search.requests + reading.requests,
        prompt_tokens=prompt + search.prompt_tokens + reading.prompt_tokens,
        output_tokens=written + search.output_tokens + reading.output_tokens,
        folds=len(folded),
        beside=beside,
        fold_tokens=(folding, len(folded) * CHANGES_TOKENS),
        search=search,
        reading=reading,
        of_each={
            OperationKind.SCENE_RECAP: form.requests,
            OperationKind.RUNNING_RECAP: 0 if are_folds_beside else 1,
            OperationKind.MEMORY_PASS: max(1, reading.requests // max(1, reading.passes)),
        },
    )


def with_messages(
    plan: CatchUpPlan | None,
    story: Story,
    specs: Sequence[OperationSpec],
    settings: Mapping[str, Any],
) -> CatchUpPlan | None:
    """The plan with the recaps of messages that are among these."""
    recaps = (spec for spec in specs if spec.kind is OperationKind.MESSAGE_RECAP)
    anchors = chain.from_iterable(spec.params["anchors"] for spec in recaps)
    indexes = [index for anchor in anchors if (index := story.places.get(anchor)) is not None]
    if not indexes:
        return plan
    cost = message_recaps_cost(story, indexes, settings, 0)
    if plan is None:
        plan = CatchUpPlan(0, min(indexes), max(indexes), 0, 0, 0)
    return replace(
        plan,
        requests=plan.requests + cost.requests,
        prompt_tokens=plan.prompt_tokens + cost.prompt_tokens,
        output_tokens=plan.output_tokens + cost.output_tokens,
        messages=cost.requests,
        message_tokens=(cost.prompt_tokens, cost.output_tokens),
    )


def _beside(
    story: Story,
    specs: Sequence[OperationSpec],
    scenes: Sequence[Scene],
    folded: Sequence[Scene],
    settings: Mapping[str, Any],
) -> int:
    """How many of the folds are asked for with the recap of a scene right behind, or of nobody as
    that of a first scene: all but those before a scene that is recapped ahead of the others.
    """
    early = {spec.anchor for spec in specs if spec.priority == PRIORITY_NEWEST}
    recapped = {s.number for s in scenes if s.closing and s.closing.anchor not in early}
    is_first = bool(folded) and fold_base(story, folded[0].first + 1) is None
    ahead = max(1, RecapSettings(settings).running_recap_leave_out)
    return is_first + sum(
        any(scene.number + more in recapped for more in range(1, ahead + 1))
        for scene in folded[is_first:]
    )


def _recap_tokens(story: Story, settings: Mapping[str, Any], scenes: Sequence[Scene]) -> int:
    """Tokens of the recap of one of these scenes, on average."""
    least, most = recap_bounds(settings)
    lengths = [
        scene_recap_length(sum(story.message_tokens[s.first : s.last + 1]), least, most)
        for s in scenes
    ]
    return sum(lengths) // len(lengths) if lengths else most


def _to_fold(story: Story, settings: Mapping[str, Any]) -> list[Scene]:
    """The scenes that the running recap is to tell, and does not."""
    if not RecapSettings(settings).running_recap_auto:
        return []
    return list(scenes_to_fold(story, settings))
