"""Which searches for scene breaks by a model a story needs, and what they take. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from app.core.operations import PRIORITY_ASKED, OperationKind, OperationSpec
from app.core.translation import N_
from app.settings.scenes import SceneSettings
from app.story.break_search import (
    BreakSearch,
    ScenesOfMessages,
    SearchCost,
    Searched,
    SearchRules,
    is_choosable,
)
from app.story.doubtful_breaks import ASKED, asked, cost_of_stretches, next_stretch
from app.story.messages import combined_digest
from app.story.recaps import RunningRecap
from app.story.scenes import BreakOrigin, Scene, scenes_of
from app.story.story import Story
from app.work.planning.folding import covered_until
from app.work.planning.planner import recap_room
from app.work.planning.writing import Writing

# Before folds and recaps: what is cut in two needs other recaps.
PRIORITY_SEARCH = 30

HEURISTIC, DOUBTS, MODEL, BOTH = "heuristic", "doubts", "model", "both"
DOUBTFUL_BREAKS = "doubtful_breaks"  # the prompt of a question about a stretch


class SearchExtent(StrEnum):
    """How much of a story is searched.

    OPEN: the open scene, and the range before each break that a search has just set. ALL: every
    scene, because the user said so.
    """

    NONE = "none"
    OPEN = "open"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class SearchState:
    """What calls for a search: the user, messages that came or changed, or that a chat was opened.

    searched: what was searched in the chat before. asked: when the user last wanted it (seconds
    since the epoch). doubts: anchors of the messages that cues cannot say of whether they end a
    scene, as far as the next question may reach.
    """

    searched: Collection[Searched] = ()
    doubts: Collection[str] = ()
    is_wanted: bool = False
    has_news: bool = False
    asked: float = 0.0

    def extent(self, settings: Mapping[str, Any], writing: Writing) -> SearchExtent:
        """How much is searched by these settings; nothing where there is no model."""
        if writing.of(OperationKind.DETECT_BREAKS).is_free:
            return SearchExtent.NONE
        if self.is_wanted:
            return SearchExtent.ALL
        wanted = SceneSettings(settings)
        if wanted.scene_detector in (HEURISTIC, DOUBTS) or not wanted.scene_breaks_auto:
            return SearchExtent.NONE
        is_due = wanted.scene_breaks_on_load or (
            wanted.scene_breaks_on_new_message and self.has_news
        )
        return SearchExtent.OPEN if is_due else SearchExtent.NONE


def search_rules(settings: Mapping[str, Any], writing: Writing, *, batch: int = 1) -> SearchRules:
    """How to search by these settings."""
    return SearchRules(
        minimum=SceneSettings(settings).scene_minimum_length,
        offset=SceneSettings(settings).scene_break_offset,
        speakers=SceneSettings(settings).scene_break_speakers,
        batch=batch,
        context_tokens=writing.of(OperationKind.DETECT_BREAKS).context_tokens,
        previous_tokens=recap_room(settings),
        is_forcing=SceneSettings(settings).scene_break_forced,
        by=searcher(writing),
    )


def stretch_rules(settings: Mapping[str, Any]) -> SearchRules:
    """Which messages a question about a stretch may be about."""
    wanted = SceneSettings(settings)
    return SearchRules(
        minimum=wanted.scene_minimum_length,
        offset=wanted.scene_break_offset,
        speakers=wanted.scene_break_speakers,
    )


def searcher(writing: Writing) -> str:
    """Who searched, as it is kept: another model or prompt may find something else."""
    writing = writing.of(OperationKind.DETECT_BREAKS)
    version = writing.version_of(OperationKind.DETECT_BREAKS)
    return combined_digest(writing.spec, version)[:16]


def search_specs(
    story: Story,
    chat_id: int,
    settings: Mapping[str, Any],
    writing: Writing,
    state: SearchState,
) -> tuple[OperationSpec, ...]:
    """The next question about each scene that is to be searched, or about what is in doubt."""
    extent = state.extent(settings, writing)
    if extent is SearchExtent.NONE:
        return _stretch_specs(story, chat_id, settings, writing, state)
    is_wanted = extent is SearchExtent.ALL
    batch = 1 if is_wanted else SceneSettings(settings).scene_break_batch
    rules = search_rules(settings, writing, batch=batch)
    place = _searchable(story, state)
    specs = []
    for scene in scenes_to_search(story, settings, extent):
        search = place.next_search(scene, rules)
        if search is not None:
            spec = search_spec(place, chat_id, search, rules, writing)
            specs.append(replace(spec, priority=PRIORITY_ASKED) if is_wanted else spec)
    return tuple(specs)


def with_question_under_way(
    searches: Sequence[OperationSpec], running: OperationSpec | None
) -> tuple[OperationSpec, ...]:
    """The questions, of which one that runs stands for the one that begins with the same message:
    a message more has come meanwhile, and its answer is waited for before more is asked. running:
    of the chat, as the story is still asked; None for none.
    """
    if running is None:
        return tuple(searches)
    first = running.params["eligible"][0]
    return tuple(running if spec.params["eligible"][0] == first else spec for spec in searches)


def asks_about_doubts(settings: Mapping[str, Any], writing: Writing) -> bool:
    """Whether a model is asked where the cues leave open what ends."""
    wanted = SceneSettings(settings)
    is_on = wanted.scene_detector == DOUBTS and wanted.scene_breaks_auto
    return is_on and not writing.of(OperationKind.DETECT_BREAKS).is_free


def goes_unasked(
    cost: SearchCost, limit: int, settings: Mapping[str, Any], writing: Writing
) -> bool:
    """Whether so much searching begins before the user said so. limit: requests.

    One stretch in doubt comes up as a chat grows; several are a chat that was never searched.
    """
    return cost.requests <= (min(limit, 1) if asks_about_doubts(settings, writing) else limit)


def _stretch_specs(
    story: Story,
    chat_id: int,
    settings: Mapping[str, Any],
    writing: Writing,
    state: SearchState,
) -> tuple[OperationSpec, ...]:
    """The next question about a stretch in which the cues leave open what ends."""
    if not state.doubts or not asks_about_doubts(settings, writing):
        return ()
    rules, done = stretch_rules(settings), asked(story, state.searched)
    place = _searchable(story, state)
    search = next_stretch(place, story, frozenset(state.doubts), done, rules)
    return () if search is None else (search_spec(place, chat_id, search, rules, writing),)


def search_cost(
    story: Story,
    settings: Mapping[str, Any],
    writing: Writing,
    state: SearchState,
    extent: SearchExtent | None = None,
) -> SearchCost:
    """What searching takes from here on; without an extent, what is searched unasked.

    Nothing without a model.
    """
    extent = state.extent(settings, writing) if extent is None else extent
    total = SearchCost()
    if extent is SearchExtent.NONE and asks_about_doubts(settings, writing):
        done = asked(story, state.searched)
        return cost_of_stretches(story, done, stretch_rules(settings), frozenset(state.doubts))
    if writing.of(OperationKind.DETECT_BREAKS).is_free or extent is SearchExtent.NONE:
        return total
    batch = 1 if extent is SearchExtent.ALL else SceneSettings(settings).scene_break_batch
    rules = search_rules(settings, writing, batch=batch)
    place = _searchable(story, state)
    for scene in scenes_to_search(story, settings, extent):
        total += place.cost(scene, rules)
    return total


def unsearched(story: Story, state: SearchState) -> tuple[Story, SearchState]:
    """The story as though only cues had found breaks in it, and nobody had been asked."""
    found = {a: mark for a, mark in story.breaks.items() if mark.origin is BreakOrigin.HEURISTIC}
    scenes = scenes_of(story.messages, found)
    bare = replace(story, breaks=found, scenes=scenes, running=RunningRecap())
    return bare, replace(state, searched=(), doubts=(), is_wanted=False)


def answers_kept(
    story: Story, settings: Mapping[str, Any], writing: Writing, state: SearchState
) -> tuple[int, int]:
    """How many questions about breaks were answered, and how many of these answers are kept: those
    to the same words, of who is asked now.
    """
    place, by = _searchable(story, state), searcher(writing)
    speakers = SceneSettings(settings).scene_break_speakers

    def is_kept(row: Searched) -> bool:
        shown = place.shown_between((row.shown_first, row.shown_last), speakers)
        is_same = shown is not None and place.digest_of(shown) == row.digest
        return is_same and row.by in (by, f"{ASKED}:{by}")

    rows = list(map(is_kept, state.searched))
    return len(rows), sum(rows)


def scenes_to_search(
    story: Story, settings: Mapping[str, Any], extent: SearchExtent
) -> list[Scene]:
    """The scenes that a model is asked about.

    With both ways only those in which the cues found no break for long. What the running recap
    covers is searched on demand only: its scenes are told already.
    """
    longest = (
        SceneSettings(settings).scene_break_stretch
        if SceneSettings(settings).scene_detector == BOTH
        else 0
    )
    covered = covered_until(story)
    speakers = SceneSettings(settings).scene_break_speakers
    scenes = []
    for scene in story.scenes:
        is_ours = scene.closing is not None and scene.closing.origin is BreakOrigin.MODEL
        is_settled = scene.is_closed and (not is_ours or scene.last <= covered)
        if extent is SearchExtent.OPEN and is_settled:
            continue
        told = sum(is_choosable(m, speakers) for m in story.messages[scene.first : scene.last + 1])
        if told >= longest or is_ours:
            scenes.append(scene)
    return scenes


def search_spec(
    place: ScenesOfMessages,
    chat_id: int,
    search: BreakSearch,
    rules: SearchRules,
    writing: Writing,
) -> OperationSpec:
    """The operation of one question, bound to anchors."""
    anchors = [place.messages[index].anchor for index in search.shown]
    first, last = search.shown.index(search.first), search.shown.index(search.last)
    barred = [place.messages[index].anchor for index in sorted(search.barred)]
    params = {
        "shown": [anchors[0], anchors[-1]],
        "eligible": [anchors[first], anchors[last]],
        "barred": barred,
        "forced": search.is_forced,
        "several": search.takes_several,
        "speakers": rules.speakers,
        "minimum": rules.minimum,
    }
    return OperationSpec(
        kind=OperationKind.DETECT_BREAKS,
        chat=chat_id,
        key=search_key(place, search, writing),
        anchor=anchors[last],
        label=_label(search).format(first=search.first, last=search.last),
        priority=PRIORITY_SEARCH,
        params=params,
    )


def _label(search: BreakSearch) -> str:
    if search.takes_several:
        return N_("Ask where scenes end in #{first}–{last}")
    return N_("Look for a scene break in #{first}–{last}")


def search_key(place: ScenesOfMessages, search: BreakSearch, writing: Writing) -> str:
    """The key of one question: what is shown, what may be chosen, who is asked."""
    places = {index: str(at) for at, index in enumerate(search.shown)}
    return writing.key(
        OperationKind.DETECT_BREAKS,
        place.digest_of(search.shown),
        ",".join(places[index] for index in search.candidates),
        "forced" if search.is_forced else "",
        *((writing.version_of(DOUBTFUL_BREAKS),) if search.takes_several else ()),
    )


def search_of(place: ScenesOfMessages, spec: OperationSpec) -> BreakSearch | None:
    """The question of an operation in the story as it is now, None when it is no more."""
    params = spec.params
    shown = place.shown_between(params["shown"], params["speakers"])
    eligible = place.shown_between(params["eligible"], params["speakers"])
    if not shown or not eligible or not set(eligible) <= set(shown):
        return None
    gone = frozenset(params["barred"])
    barred = frozenset(i for i in eligible if place.messages[i].anchor in gone)
    return BreakSearch(
        shown,
        eligible[0],
        eligible[-1],
        barred,
        bool(params["forced"]),
        bool(params.get("several")),
    )


def _searchable(story: Story, state: SearchState) -> ScenesOfMessages:
    return ScenesOfMessages(story.messages, story.message_tokens, story.breaks, state.searched)
