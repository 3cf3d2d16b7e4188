"""Story, memories and settings become the slots of a turn: the one place that decides what goes
where. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.prompt.budgeting.budgets import MOST_OF_CONTEXT, Budgets, levelled, room_in
from app.prompt.choosing.choice import for_scarce_room, with_floors
from app.prompt.choosing.drafts import Draft, dealt_out, shown_within, tokens_of
from app.prompt.choosing.framing import one_line
from app.prompt.choosing.unread import fallen_out, kept_for_messages
from app.prompt.generation import Turn
from app.prompt.material import NO_BOUND, Material, Means
from app.prompt.occasion import Occasion
from app.prompt.placement import IN_BLOCK
from app.prompt.recollection import Recollection
from app.prompt.room import floors_in, least_for_recap, most_of_total, worth_telling
from app.prompt.set_slots import SEPARATOR_TOKENS, content_of, slots_set
from app.prompt.slots import Slot, SlotSet, TurnKind
from app.prompt.telling import (
    horizon_of,
    is_sent,
    placement_on,
    sent_from,
    surely_from,
    visible_from,
)
from app.prompt.turn_budgets import (
    borrowers_of,
    lent,
    pressed,
    turn_budgets,
    with_what_is_left,
)
from app.settings.recaps import RecapSettings
from app.settings.slot_table import NINE, SlotName
from app.settings.slots import SlotSettings
from app.story.recaps import BUILT_IN
from app.story.story import Story

FIRST_OF_ALL = 1_000_000  # weight of what must not wait for its turn
# Percent of the recaps' weight where the total is too small for all: what they tell at length,
# memories tell in fewer words. Measured with tests/answers.
RECAP_PRESSED = 35
NOTHING_TOLD, ANY_TURN = Recollection(), Turn()


def assembled(
    story: Story,
    settings: Mapping[str, Any],
    means: Means,
    *,
    told: Recollection = NOTHING_TOLD,
    turn: Turn = ANY_TURN,
    total: int | None = None,
) -> SlotSet:
    """The slots of a turn, in the order in which they are set.

    settings: as they hold for the chat. total: tokens that all slots may take together, None for
    no bound but their own budgets and the turn's context. The running recap's slot is always
    there, so that what stood in it before is cleared when it is switched off.
    """
    return prepared(story, settings, means, told=told, turn=turn, total=total).under(settings)


def prepared(
    story: Story,
    settings: Mapping[str, Any],
    means: Means,
    *,
    told: Recollection = NOTHING_TOLD,
    turn: Turn = ANY_TURN,
    total: int | None = None,
) -> Prepared:
    """A turn of which all is known but its budgets; arguments as for `assembled`."""
    room = room_in(turn.context, total, turn.fixed)
    for_messages = (turn.context or RecapSettings(settings).context_tokens) // MOST_OF_CONTEXT
    whole = total or (turn.context or RecapSettings(settings).context_tokens) - turn.fixed
    if total:
        for_messages = kept_for_messages(story, told.unread_from, total)
        room = min(room or total, total - for_messages)
    occasion = Occasion(
        story,
        told,
        turn,
        settings,
        frozenset().union(*(pack.stopwords for pack in means.packs)) if told else frozenset(),
        means.vectors,
        means.profile,
        visible_from(story, settings, turn),
        fallen_out(
            story, told.unread_from, for_messages, means.packs, total=total or 0, whole=whole
        ),
        packs=means.packs,
        index=means.index,
        sent_from=sent_from(story, settings, turn, total),
        meant=means.meant,
    )
    placement = placement_on(occasion)
    if told:
        occasion = replace(occasion, horizon=horizon_of(occasion, placement))
    if told and room is not None and occasion.is_read:
        worth = worth_telling(occasion, whole, takes_free=not total)
        room = min(room, worth or room, most_of_total(total) if total else room)
    if (total or turn.fixed) and room is not None and occasion.is_read:
        # What the slots never take is the messages'.
        sure = surely_from(story, whole - room)
        before = occasion.visible_from
        occasion = replace(occasion, visible_from=sure if before is None else min(before, sure))
    return Prepared(occasion, means, placement, room, whole)


@dataclass(frozen=True)
class Prepared(Material):
    """A turn whose slots can be made under one set of budgets after another."""

    def under(
        self,
        settings: Mapping[str, Any],
        kind: TurnKind | None = None,
        *,
        recap_lines: str | None = None,
    ) -> SlotSet:
        """The slots. settings: those it was prepared with, or with other budgets. kind: of turn,
        None for what it is like. recap_lines: message recaps that count, None for the story's.
        """
        made = self._made(settings, kind, recap_lines)
        return replace(made, whole_recap=self.whole_recap) if self.whole_recap else made

    def _made(
        self, settings: Mapping[str, Any], kind: TurnKind | None, recap_lines: str | None
    ) -> SlotSet:
        if not SlotSettings(settings).slots_enabled:
            nothing = {**settings, "running_recap_enabled": False, "message_recaps_inject": False}
            return SlotSet(self.recap_slots(nothing, ""))
        if not (self.occasion.told or self.passages or self.tells_scenes):
            return SlotSet(self.recap_slots(settings, recap_lines, (self.room, self.room)))
        return _with_memory(self, settings, kind, recap_lines)


def _with_memory(
    turn: Prepared, settings: Mapping[str, Any], given: TurnKind | None, lines: str | None
) -> SlotSet:
    occasion, placement, room = turn.occasion, turn.placement, turn.room
    count, kind = turn.means.count, given or turn.kind
    recaps = turn.recap_slots(settings, lines)
    drafts, full = turn.drafts(recaps[0].text), turn.full
    budgets, notes = turn_budgets(settings, full, kind, turn.head_kinds(given))
    budgets = with_what_is_left(budgets, drafts, count, has_fresh=occasion.horizon is not None)
    if room is not None:
        recaps, room = _levelled(turn, settings, lines, recaps, drafts, budgets)
        drafts = turn.drafts(recaps[0].text)
    borrowers = borrowers_of(settings, placement)
    if room is not None and occasion.is_read:
        drafts = with_floors(drafts, floors_in(turn.whole))
    drafts, fitting = _fitted(turn, drafts, budgets, borrowers, recaps)
    if room is not None and placement.is_unified:
        room = max(0, room - SEPARATOR_TOKENS * len(IN_BLOCK))
    weights = {**budgets, SlotName.REPAIR: FIRST_OF_ALL}
    if occasion.unread and occasion.is_read:
        weights[SlotName.SHORT] = budgets[SlotName.SESSION]  # the end of the story, not all of it
    if _is_noted_better(occasion):
        weights[SlotName.SCENES] //= 4
    if room is not None and occasion.is_read:
        weights = pressed(weights)
    if borrowers:
        fitting |= lent(drafts, fitting, borrowers, budgets, settings, count)
    if room is not None and tokens_of(drafts, fitting, count) > room:
        called = [memory.id for memory in turn.called_up.best_first]
        is_untold = bool(occasion.unread) and not occasion.is_read
        drafts = for_scarce_room(drafts, fitting, called, has_notes_first=is_untold)
    shown = dealt_out(drafts, fitting, weights, room, count)
    texts = {d.name: text for d in drafts if (text := d.render(shown[d.name]))}
    contents = tuple(
        content_of(d, fitting[d.name], shown[d.name], budgets[d.name], count) for d in drafts
    )
    told = tuple(content for content in contents if content.full_tokens or content.left_out)
    return SlotSet(
        (*recaps, *slots_set(settings, placement, texts, told, count)),
        responder=occasion.responder,
        turn=kind,
        contents=told,
        warnings=placement.warnings(texts),
        full=full,
        notes=notes,
    )


def _levelled(
    turn: Prepared,
    settings: Mapping[str, Any],
    lines: str | None,
    recaps: Sequence[Slot],
    drafts: Sequence[Draft],
    budgets: Budgets,
) -> tuple[tuple[Slot, ...], int]:
    """The recaps' slots within their part of the room, and what is left of it for the others."""
    count, room = turn.means.count, turn.room or 0
    full = ((d.name, count(d.render(len(d.entries)))) for d in drafts)
    borrowers = borrowers_of(settings, turn.placement)
    wanted = (wants if d in borrowers else min(wants, budgets[d]) for d, wants in full)
    called = 0
    if is_sent(turn.occasion, turn.placement, SlotName.TRIGGERED):
        draft = turn.triggered((), ())
        called = count(draft.render(len(draft.entries)))
    called = min(called, budgets[SlotName.TRIGGERED])
    demands = [sum(wanted) + called, *(slot.tokens for slot in recaps)]
    recaps_of = RecapSettings(settings)
    recap_budgets = (recaps_of.running_recap_budget, recaps_of.message_recaps_budget)
    has_short = any(draft.entries and draft.name is SlotName.SHORT for draft in drafts)
    memory_weight = sum(budgets[name] for name in NINE)
    if has_short and not (turn.occasion.unread and turn.occasion.is_read):
        memory_weight += budgets[SlotName.SHORT]
    weights = [memory_weight, *(budget * RECAP_PRESSED // 100 for budget in recap_budgets)]
    if _is_noted_better(turn.occasion):
        weights[1] = 1
    if sum(demands) <= room:
        return tuple(recaps), room - sum(demands[1:])
    memory, *shares = levelled(demands, weights[: len(demands)], room)
    more = min(demands[1], least_for_recap(room, turn.whole)) - shares[0]
    if more > 0 and not _is_noted_better(turn.occasion):
        memory, shares[0] = memory - more, shares[0] + more
    slots = turn.recap_slots(settings, lines, (shares[0], sum(shares)))
    return slots, memory


def _is_noted_better(occasion: Occasion) -> bool:
    """Whether the running recap holds but sentences of what the notes of unread messages tell in
    fewer words.
    """
    running = occasion.story.running.current
    is_extract = running is not None and running.made_by == BUILT_IN
    return bool(occasion.unread) and not occasion.is_read and is_extract


def _fitted(
    turn: Prepared,
    drafts: Iterable[Draft],
    budgets: Budgets,
    borrowers: Collection[SlotName],
    recaps: Iterable[Slot],
) -> tuple[tuple[Draft, ...], dict[SlotName, int]]:
    """The drafts with that of called-up memories in its place, and how many entries of each fit
    its budget. What a draft before tells, or a recap, is not told again, in the same words or by
    the same memory.
    """
    occasion, placement, count = turn.occasion, turn.placement, turn.means.count
    given = {draft.name: draft for draft in drafts}
    kept: list[Draft] = []
    fitting: dict[SlotName, int] = {}
    memories: set[str] = set()
    said = {one_line(line).casefold() for slot in recaps for line in slot.text.splitlines()}
    for name in SlotName:
        draft = given.get(name)
        if name is SlotName.TRIGGERED and is_sent(occasion, placement, name):
            draft = turn.triggered(memories, _lines_beside(turn, given, budgets, said))
        if draft is None:
            continue
        draft = _without_repeats(turn, draft, said)
        separator = SEPARATOR_TOKENS if placement.is_in_block(name) else 0
        budget = NO_BOUND if name in borrowers else budgets[name] - separator
        fitting[name] = shown_within(draft, budget, count)
        shown = draft.entries[: fitting[name]]
        memories |= {entry.memory for entry in shown}
        said.update(filter(None, turn.spoken(draft)[: fitting[name]]))
        kept.append(draft)
    return tuple(kept), fitting


def _lines_beside(
    turn: Prepared, given: Mapping[SlotName, Draft], budgets: Budgets, said: Collection[str]
) -> frozenset[str]:
    """What was told before what the moment calls up, and what is going to be behind it; an open
    question tells nothing of what it asks for.
    """
    names = list(SlotName)
    names = [n for n in names[names.index(SlotName.TRIGGERED) :] if n is not SlotName.ARCS]
    behind = (given[n] for n in names if n in given)
    told = (
        spoken
        for draft in behind
        for spoken in turn.spoken(draft)[
            : shown_within(draft, budgets[draft.name], turn.means.count)
        ]
    )
    return frozenset((*said, *filter(None, told)))


def _without_repeats(turn: Prepared, draft: Draft, said: Collection[str]) -> Draft:
    """The draft without what was said before; values and feelings say nothing by themselves."""
    seen = set(said)
    repeats: list[int] = []
    for place, spoken in enumerate(turn.spoken(draft)):
        if not spoken:
            continue
        if spoken in seen:
            repeats.append(place)
        seen.add(spoken)
    return turn.without(draft, tuple(repeats)) if repeats else draft
