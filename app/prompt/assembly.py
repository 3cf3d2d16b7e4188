"""Story, memories and settings become the slots of a turn: the one place that decides what goes
where. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.prompt.budgeting.budgets import MOST_OF_CONTEXT, Budgets, levelled, room_in
from app.prompt.choosing.choice import AT_HEAD, OF_THREADS, for_scarce_room, with_floors
from app.prompt.choosing.drafts import Draft, Entry, dealt_out, shown_within, tokens_of
from app.prompt.choosing.framing import one_line
from app.prompt.choosing.unread import fallen_out, kept_for_messages
from app.prompt.generation import Turn
from app.prompt.material import Material, Means
from app.prompt.occasion import Occasion
from app.prompt.placement import IN_BLOCK
from app.prompt.recollection import Recollection
from app.prompt.room import (
    floors_in,
    free_beside,
    least_for_recap,
    most_of_total,
    worth_telling,
)
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
    in_chat,
    lent,
    pressed,
    turn_budgets,
    weights_of_total,
    with_what_is_left,
)
from app.settings.recaps import RecapSettings
from app.settings.slot_table import SHARING, SlotName
from app.settings.slots import SlotSettings
from app.story.recaps import BUILT_IN
from app.story.story import Story

FIRST_OF_ALL = 1_000_000  # weight of what must not wait for its turn
# Percent of the recaps' weight where the total is too small for all: what they tell at length,
# memories tell in fewer words. Measured with tests/answers.
RECAP_PRESSED = 35
MOST_DEALS = 5  # two settle nearly all
NOTHING_TOLD, ANY_TURN = Recollection(), Turn()


def prepared(
    story: Story,
    settings: Mapping[str, Any],
    means: Means,
    *,
    told: Recollection = NOTHING_TOLD,
    turn: Turn = ANY_TURN,
    total: int | None = None,
) -> Prepared:
    """A turn of which all is known but its budgets.

    settings: as they hold for the chat. total: tokens that all slots may take together, None for
    no bound but their own budgets and the turn's context.
    """
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
    spare = 0
    if told and room is not None and occasion.is_read:
        most, worth = room, worth_telling(occasion, whole, takes_free=not total)
        room = min(room, worth or room, most_of_total(total) if total else room)
        if turn.fixed and not total:
            spare = min(most - room, free_beside(occasion, room, whole))
    if (total or turn.fixed) and room is not None and occasion.is_read:
        # What the slots never take is the messages'.
        sure = surely_from(story, whole - room)
        before = occasion.visible_from
        occasion = replace(occasion, visible_from=sure if before is None else min(before, sure))
    return Prepared(occasion, means, placement, room, whole, spare)


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
        who = self.occasion.responder
        return replace(made, responder=who, whole_recap=self.whole_recap, recap=self.recap)

    def _made(
        self, settings: Mapping[str, Any], kind: TurnKind | None, recap_lines: str | None
    ) -> SlotSet:
        if not SlotSettings(settings).slots_enabled:
            nothing = {**settings, "running_recap_enabled": False, "message_recaps_inject": False}
            return SlotSet(self.recap_slots(nothing, ""))
        if not (self.occasion.told or self.occasion.unread or self.passages or self.tells_scenes):
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
    if room is not None and placement.is_unified:
        room = max(0, room - SEPARATOR_TOKENS * len(IN_BLOCK))
    weights = {**budgets, SlotName.REPAIR: FIRST_OF_ALL}
    if occasion.unread and occasion.is_read:
        weights[SlotName.SHORT] = budgets[SlotName.SESSION]  # the end of the story, not all of it
    if _is_noted_better(occasion):
        weights[SlotName.SCENES] //= 4
    if room is not None and occasion.is_read:
        weights = pressed(weights)
    late = in_chat(settings, placement)
    lending = weights_of_total(settings, full, kind, turn.head_kinds(given))
    deal = _Deal(settings, budgets, weights, borrowers, lending, room, late, turn.spare)
    drafts, fitting, shown = _dealt(turn, drafts, deal, recaps)
    texts = {d.name: text for d in drafts if (text := d.render(shown[d.name]))}
    elsewhere = occasion.told.told_elsewhere
    contents = tuple(
        content_of(d, fitting[d.name], shown[d.name], budgets[d.name], count, elsewhere)
        for d in drafts
    )
    told = tuple(content for content in contents if content.full_tokens or content.left_out)
    return SlotSet(
        (*recaps, *slots_set(settings, placement, texts, told, count)),
        turn=kind,
        contents=told,
        warnings=placement.warnings(texts),
        full=full,
        notes=notes,
    )


@dataclass(frozen=True, slots=True)
class _Deal:
    """What the drafts of a turn have to share. lending: weights of the borrowers. room: tokens of
    all together, None for no bound. late, spare: names of those that may use so many more.
    """

    settings: Mapping[str, Any]
    budgets: Budgets
    weights: Mapping[SlotName, int]
    borrowers: Collection[SlotName]
    lending: Budgets
    room: int | None
    late: Collection[SlotName]
    spare: int


Fitting = dict[SlotName, int]


def _dealt(
    turn: Prepared, drafts: Sequence[Draft], deal: _Deal, recaps: Sequence[Slot]
) -> tuple[tuple[Draft, ...], Fitting, Fitting]:
    """The drafts, how many entries of each fit its budget, and how many of these are shown. What
    one does not tell because of another is told after all where that one lost its line for room.
    """
    told: dict[SlotName, frozenset[str]] | None = None
    for _ in range(MOST_DEALS):
        found, fitting, shown = _dealt_once(turn, drafts, deal, recaps, told)
        now = {d.name: frozenset(e.text for e in d.entries[: shown[d.name]]) for d in found}
        if told is not None:  # what lost its line once gives no other its place again
            now = {name: texts & told.get(name, frozenset()) for name, texts in now.items()}
        if shown == fitting or now == told:
            break
        told = now
    return found, fitting, shown


def _dealt_once(
    turn: Prepared,
    drafts: Sequence[Draft],
    deal: _Deal,
    recaps: Sequence[Slot],
    told: Mapping[SlotName, Collection[str]] | None = None,
) -> tuple[tuple[Draft, ...], Fitting, Fitting]:
    """As above. told: texts that each draft tells for certain, None for all that fit."""
    count, room = turn.means.count, deal.room
    found, fitting = _fitted(turn, drafts, deal, recaps, told)
    if deal.borrowers:
        lending = deal.borrowers, deal.budgets, deal.lending, deal.settings
        fitting |= lent(found, fitting, *lending, count)
    if room is not None and tokens_of(found, fitting, count) > room:
        called = [memory.id for memory in turn.called_up.best_first]
        is_untold = bool(turn.occasion.unread) and not turn.occasion.is_read
        found = for_scarce_room(found, fitting, called, has_notes_first=is_untold)
    shown = dealt_out(found, fitting, deal.weights, room, count)
    if room is not None and deal.spare and shown != fitting:
        late = [draft for draft in found if draft.name in deal.late]
        left = room - tokens_of((d for d in found if d.name not in deal.late), shown, count)
        wanted = {draft.name: fitting[draft.name] for draft in late}
        shown |= dealt_out(late, wanted, deal.weights, left + deal.spare, count)
    return found, fitting, shown


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
    memory_weight = sum(budgets[name] for name in SHARING)
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
    deal: _Deal,
    recaps: Iterable[Slot],
    told: Mapping[SlotName, Collection[str]] | None,
) -> tuple[tuple[Draft, ...], Fitting]:
    """The drafts with that of called-up memories in its place, and how many entries of each fit
    its budget. What a draft before tells, or a recap, is not told again, in the same words or by
    the same memory.
    """
    occasion, placement, count = turn.occasion, turn.placement, turn.means.count
    given = {draft.name: draft for draft in drafts}
    kept: list[Draft] = []
    fitting: Fitting = {}
    memories: set[str] = set()
    said = {one_line(line).casefold() for slot in recaps for line in slot.text.splitlines()}
    for name in SlotName:
        draft = given.get(name)
        if name is SlotName.TRIGGERED and is_sent(occasion, placement, name):
            beside = _lines_beside(turn, given, deal.budgets, said, told)
            draft = turn.triggered(memories, beside)
        if draft is None:
            continue
        draft = _without_repeats(turn, draft, said)
        if name not in AT_HEAD:
            draft = turn.beside(draft, frozenset(said))
        separator = SEPARATOR_TOKENS if placement.is_in_block(name) else 0
        fitting[name] = shown_within(draft, deal.budgets[name] - separator, count)
        if name in deal.borrowers:
            # Nothing is lent for what another chat says.
            own = sum(not entry.is_elsewhere for entry in draft.entries)
            fitting[name] = max(fitting[name], own)
        for entry, spoken in _telling(turn, draft, fitting[name], told):
            memories.add(entry.memory)
            said.add(spoken)
        said.discard("")
        kept.append(draft)
    return tuple(kept), fitting


def _telling(
    turn: Prepared, draft: Draft, first: int, told: Mapping[SlotName, Collection[str]] | None
) -> Iterator[tuple[Entry, str]]:
    """The first entries of a draft with their words, of these only such as it tells for certain."""
    for entry, spoken in zip(draft.entries[:first], turn.spoken(draft), strict=False):
        if told is None or entry.text in told.get(draft.name, ()):
            yield entry, spoken


def _lines_beside(
    turn: Prepared,
    given: Mapping[SlotName, Draft],
    budgets: Budgets,
    said: Collection[str],
    told: Mapping[SlotName, Collection[str]] | None,
) -> frozenset[str]:
    """What was told before what the moment calls up, and what is going to be behind it; an open
    question tells nothing of what it asks for.
    """
    names = list(SlotName)
    names = [n for n in names[names.index(SlotName.TRIGGERED) :] if n not in OF_THREADS]
    behind = (given[n] for n in names if n in given)
    lines = (
        spoken
        for draft in behind
        for _, spoken in _telling(
            turn, draft, shown_within(draft, budgets[draft.name], turn.means.count), told
        )
    )
    return frozenset((*said, *filter(None, lines)))


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
