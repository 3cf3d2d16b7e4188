"""What it would take to recap a story that was never looked after, said before it is done. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.operations import OperationKind, OperationSpec
from app.story.break_search import SearchCost
from app.story.story import Story
from app.work.planner import covered_until, recap_room

# Instructions of a request beside the story's own text, about.
INSTRUCTION_TOKENS = 700
# Of a recap in stages: what its first stage gathers, and the lore of one scene.
GATHERED_TOKENS, LORE_TOKENS = 900, 250
NO_SEARCH = SearchCost()


@dataclass(frozen=True, slots=True)
class _Form:
    """What the recap of one scene takes at most, its messages left out."""

    requests: int
    prompt_tokens: int
    output_tokens: int


def _form(settings: Mapping[str, Any], *, is_staged: bool) -> _Form:
    recap, room = int(settings["scene_recap_tokens"]), recap_room(settings)
    if not is_staged:
        return _Form(1, INSTRUCTION_TOKENS + room, recap)
    organised = 2 * recap
    # Gathered facts, put in order with lore; compared with the running recap, and with known lore.
    prompt = 4 * INSTRUCTION_TOKENS + GATHERED_TOKENS + organised + room + 2 * LORE_TOKENS
    return _Form(4, prompt, GATHERED_TOKENS + organised + recap + 2 * LORE_TOKENS)


@dataclass(frozen=True, slots=True)
class CatchUpPlan:
    """Work on a backlog, before it begins; the token counts are estimates.

    scenes: closed scenes without a recap, from message `first` to `last`. requests: calls to the
    model, folds included. search: what looking for scene breaks takes first, counted in; the
    scenes that it finds are not known yet.
    """

    scenes: int
    first: int
    last: int
    requests: int
    prompt_tokens: int
    output_tokens: int
    search: SearchCost = field(default_factory=SearchCost)


def catch_up_plan(
    story: Story,
    specs: Sequence[OperationSpec],
    settings: Mapping[str, Any],
    *,
    search: SearchCost = NO_SEARCH,
) -> CatchUpPlan | None:
    """What the planned scene recaps and the folds behind them take, None without any.

    search: of the scene breaks, where that is planned too.
    """
    wanted = {spec.anchor for spec in specs if spec.kind is OperationKind.SCENE_RECAP}
    scenes = [scene for scene in story.scenes if scene.closing and scene.closing.anchor in wanted]
    if not scenes and not search.requests:
        return None
    if not scenes:
        last = len(story.messages) - 1
        tokens = search.prompt_tokens, search.output_tokens
        return CatchUpPlan(0, 0, last, search.requests, *tokens, search=search)
    form = _form(settings, is_staged=any(spec.params.get("staged") for spec in specs))
    recap_tokens, room = int(settings["scene_recap_tokens"]), recap_room(settings)
    closed = [scene for scene in story.scenes if scene.is_closed]
    foldable = closed[: max(0, len(closed) - int(settings["running_recap_leave_out"]))]
    covered = covered_until(story)
    folds = sum(scene.last > covered for scene in foldable)
    if not settings["running_recap_auto"]:
        folds = 0
    read = sum(sum(story.message_tokens[s.first : s.last + 1]) for s in scenes)
    prompt = read + len(scenes) * form.prompt_tokens
    prompt += folds * (INSTRUCTION_TOKENS + room + recap_tokens)
    return CatchUpPlan(
        scenes=len(scenes),
        first=scenes[0].first,
        last=scenes[-1].last,
        requests=len(scenes) * form.requests + folds + search.requests,
        prompt_tokens=prompt + search.prompt_tokens,
        output_tokens=len(scenes) * form.output_tokens + folds * room + search.output_tokens,
        search=search,
    )
