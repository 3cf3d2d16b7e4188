"""Story, memories and settings become the slots of a turn: the one place that decides what goes
where. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from app.memory.epistemic.withheld import NOTHING_WITHHELD
from app.memory.records import Tier
from app.memory.similarity import NO_VECTORS, Vectors
from app.prompt.budgeting.adaptive import turn_kind
from app.prompt.budgeting.budgets import (
    MOST_OF_CONTEXT,
    NINE,
    Budgets,
    levelled,
    room_in,
)
from app.prompt.choosing.choice import chosen, for_scarce_room
from app.prompt.choosing.drafts import Draft, dealt_out, shown_within, tokens_of
from app.prompt.choosing.framing import one_line
from app.prompt.choosing.retold import without_retold
from app.prompt.choosing.secrets import kept_secret, lines_kept_secret
from app.prompt.choosing.unread import fallen_out, kept_for_messages
from app.prompt.occasion import Occasion, Recollection, Turn
from app.prompt.placement import IN_BLOCK, RECAP_MACRO, Placement
from app.prompt.rendering.memory_slots import (
    CalledUp,
    call_up,
    triggered_draft,
    with_called_gains,
)
from app.prompt.rendering.passages import Passage, passages, with_passages
from app.prompt.rendering.recap_slots import (
    included_recaps,
    message_recaps_slot,
    running_recap_slot,
)
from app.prompt.room import least_for_recap, most_of_total, worth_telling
from app.prompt.set_slots import SEPARATOR_TOKENS, content_of, slots_set, words_of
from app.prompt.slots import (
    LeftOut,
    Position,
    Reason,
    Slot,
    SlotName,
    SlotSet,
    TurnKind,
)
from app.prompt.telling import (
    drafts_of,
    horizon_of,
    is_sent,
    placement_on,
    sent_from,
    visible_from,
)
from app.prompt.turn_budgets import (
    borrowers_of,
    high_water,
    lent,
    pressed,
    turn_budgets,
    with_what_is_left,
)
from app.recall.messages import MessageIndex
from app.story.recaps import BUILT_IN
from app.story.scene_cues.language import LanguagePack
from app.story.story import Story

NO_BOUND = 1_000_000_000
# Percent of the recaps' weight where the total is too small for all: what they tell at length,
# memories tell in fewer words. Measured with tests/answers.
RECAP_PRESSED = 35
FIRST_OF_ALL = 1_000_000  # weight of what must not wait for its turn
# Part of a running recap, the tier that tells it as well, and the tier's switch.
TOLD_TWICE = (
    ("state", Tier.STATE_LEDGER, "state_ledger_enabled"),
    ("open", Tier.ARCS, "arcs_enabled"),
)
NOTHING_TOLD, ANY_TURN = Recollection(), Turn()

Count = Callable[[str], int]
Rooms = tuple[int | None, int | None]
NO_ROOMS: Rooms = (None, None)


@dataclass(frozen=True)
class Means:
    """What an assembly works with beside its story and settings.

    packs: languages. full: the most that each slot ever wanted, by key. profile: of hardware.
    index: of the story's messages, None where none is kept.
    """

    count: Count
    packs: Sequence[LanguagePack] = ()
    full: Mapping[str, int] = field(default_factory=dict)
    vectors: Vectors = NO_VECTORS
    profile: str = "a"
    index: MessageIndex | None = None


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
    for_messages = (turn.context or int(settings["context_tokens"])) // MOST_OF_CONTEXT
    whole = total or (turn.context or int(settings["context_tokens"])) - turn.fixed
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
    )
    placement = placement_on(occasion)
    if told:
        occasion = replace(occasion, horizon=horizon_of(occasion, placement))
    if told and room is not None and occasion.is_read:
        worth = worth_telling(occasion, whole, takes_free=not total)
        room = min(room, worth or room, most_of_total(total) if total else room)
    return Prepared(occasion, means, placement, room, whole)


@dataclass(frozen=True)
class Prepared:
    """A turn whose slots can be made under one set of budgets after another: what they might tell
    is ranked once. room: tokens for all slots, None for no bound. whole: for them and the messages.
    """

    occasion: Occasion
    means: Means
    placement: Placement
    room: int | None
    whole: int

    @cached_property
    def kind(self) -> TurnKind:
        """What the turn is like."""
        return self.occasion.turn.kind or turn_kind(self.occasion.last_text, self.means.packs)

    def keeps_head(self, given: TurnKind | None) -> bool:
        """Whether the head of the prompt has the same budgets whatever the turn is like; not where
        its kind is given.
        """
        return self.occasion.horizon is not None and not (given or self.occasion.turn.kind)

    @cached_property
    def full(self) -> Mapping[str, int]:
        """The most tokens that each slot ever wanted, by key."""
        if not self.occasion.told:
            return {}
        running = _recap_slots(self, self.occasion.settings, None, NO_ROOMS)[0]
        return high_water(self.means.full, self.drafts(running.text), self.means.count)

    @cached_property
    def tells_scenes(self) -> bool:
        """Whether there are recaps of scenes to tell of, whatever is remembered."""
        return self.occasion.is_on("scenes_enabled") and any(self.occasion.story.recaps.values())

    @cached_property
    def told_by_slots(self) -> tuple[str, ...]:
        """Parts of a running recap that slots of memory tell as well, and more exactly."""
        occasion = self.occasion
        return tuple(
            part
            for part, tier, is_on in TOLD_TWICE
            if occasion.is_on(is_on) and occasion.active(tier)
        )

    @cached_property
    def whole_recap(self) -> int:
        """Tokens of the running recap with what it leaves to the messages that the prompt holds; 0
        where it leaves nothing to them.
        """
        occasion, settings = self.occasion, self.occasion.settings
        if not occasion.visible_from or not settings["slots_enabled"]:
            return 0
        withheld = occasion.withheld if occasion.told else NOTHING_WITHHELD
        whole, told = (
            running_recap_slot(
                occasion.story,
                settings,
                budget=NO_BOUND,
                count=self.means.count,
                withheld=withheld,
                visible_from=start,
            )
            for start in (None, occasion.visible_from)
        )
        return whole.tokens if whole.text != told.text else 0

    @cached_property
    def recap_lines(self) -> str:
        """The message recaps that count."""
        lines = included_recaps(self.occasion.story, self.occasion.settings)
        if not self.occasion.told:
            return lines
        return lines_kept_secret(lines, self.occasion.withheld)

    @cached_property
    def called_up(self) -> CalledUp:
        return call_up(self.occasion)

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        """Of old messages, that the moment calls up."""
        if not is_sent(self.occasion, self.placement, SlotName.TRIGGERED):
            return ()
        return passages(self.occasion)

    @cached_property
    def _drafts(self) -> dict[str, tuple[Draft, ...]]:
        return {}

    @cached_property
    def _triggered(self) -> dict[tuple[frozenset[str], frozenset[str]], Draft]:
        return {}

    def drafts(self, running: str) -> tuple[Draft, ...]:
        """What each slot might tell but for what the moment calls up. running: the running recap's
        slot.
        """
        if running not in self._drafts:
            made = drafts_of(self.occasion, self.placement, running)
            kept = [kept_secret(draft, self.occasion.withheld) for draft in made]
            lines = tuple(filter(None, (one_line(line) for line in running.splitlines())))
            kept = [without_retold(draft, lines, self.occasion.words) for draft in kept]
            self._drafts[running] = chosen(kept, lines, self.means.count)
        return self._drafts[running]

    def triggered(self, told: Collection[str], lines: Iterable[str]) -> Draft:
        """What the moment calls up. told: ids of memories that the long-term slot holds. lines:
        that the prompt tells otherwise.
        """
        key = frozenset(told), frozenset(lines)
        if key not in self._triggered:
            draft = triggered_draft(self.occasion, self.called_up, key[0])
            draft = with_passages(draft, self.passages, key[1], self.occasion.words)
            draft = kept_secret(draft, self.occasion.withheld)
            draft = without_retold(draft, key[1], self.occasion.words)
            self._triggered[key] = with_called_gains(draft)
        return self._triggered[key]

    @cached_property
    def _shortened(self) -> dict[tuple[int, tuple[int, ...]], Draft]:
        return {}

    @cached_property
    def _spoken(self) -> dict[int, tuple[Draft, tuple[str, ...]]]:
        return {}

    def without(self, draft: Draft, places: tuple[int, ...]) -> Draft:
        """A draft without some of its entries, which another slot tells."""
        key = (id(draft), places)  # what is in here keeps its source: no id is given twice
        if key not in self._shortened:
            gone = frozenset(places)
            kept = tuple(e for place, e in enumerate(draft.entries) if place not in gone)
            told = (draft.entries[place] for place in places)
            left = (LeftOut(e.text, Reason.ELSEWHERE, e.memory) for e in told)
            self.spoken(draft)
            self._shortened[key] = replace(draft, entries=kept, left_out=(*draft.left_out, *left))
        return self._shortened[key]

    def spoken(self, draft: Draft) -> tuple[str, ...]:
        """The words of each of a draft's entries."""
        if id(draft) not in self._spoken:
            self._spoken[id(draft)] = draft, tuple(map(words_of, draft.entries))
        return self._spoken[id(draft)][1]

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
        if not settings["slots_enabled"]:
            nothing = {**settings, "running_recap_enabled": False, "message_recaps_inject": False}
            return SlotSet(_recap_slots(self, nothing, "", NO_ROOMS))
        if not (self.occasion.told or self.passages or self.tells_scenes):
            return SlotSet(_recap_slots(self, settings, recap_lines, (self.room, self.room)))
        return _with_memory(self, settings, kind, recap_lines)


def _with_memory(
    turn: Prepared, settings: Mapping[str, Any], given: TurnKind | None, lines: str | None
) -> SlotSet:
    occasion, placement, room = turn.occasion, turn.placement, turn.room
    count, kind = turn.means.count, given or turn.kind
    recaps = _recap_slots(turn, settings, lines, NO_ROOMS)
    drafts, full = turn.drafts(recaps[0].text), turn.full
    budgets, notes = turn_budgets(settings, full, kind, keeps_head=turn.keeps_head(given))
    budgets = with_what_is_left(budgets, drafts, count, has_fresh=occasion.horizon is not None)
    if room is not None:
        recaps, room = _levelled(turn, settings, lines, recaps, drafts, budgets)
        drafts = turn.drafts(recaps[0].text)
    borrowers = borrowers_of(settings, placement)
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


def _recap_slots(
    turn: Prepared, settings: Mapping[str, Any], lines: str | None, rooms: Rooms
) -> tuple[Slot, ...]:
    """The slots of recaps. lines: message recaps that count, None for those of the story. rooms:
    of the running recap, and of both together, None for no bound.
    """
    story, count = turn.occasion.story, turn.means.count
    alone, both = (NO_BOUND if room is None else room for room in rooms)
    budget = min(int(settings["running_recap_budget"]), alone)
    occasion = turn.occasion
    running = running_recap_slot(
        story,
        settings,
        budget=budget,
        count=count,
        spare=turn.told_by_slots,
        withheld=occasion.withheld if occasion.told else NOTHING_WITHHELD,
        visible_from=occasion.visible_from,
    )
    if turn.placement.has_recap_macro:
        running = replace(running, position=Position.NONE, macro=RECAP_MACRO)
    if not settings["message_recaps_inject"]:
        return (running,)
    budget = min(int(settings["message_recaps_budget"]), both - running.tokens)
    lines = turn.recap_lines if lines is None else lines
    return running, message_recaps_slot(lines, settings, budget=budget, count=count)


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
    recap_budgets = ("running_recap_budget", "message_recaps_budget")
    has_short = any(draft.entries and draft.name is SlotName.SHORT for draft in drafts)
    memory_weight = sum(budgets[name] for name in NINE)
    if has_short and not (turn.occasion.unread and turn.occasion.is_read):
        memory_weight += budgets[SlotName.SHORT]
    weights = [memory_weight, *(int(settings[b]) * RECAP_PRESSED // 100 for b in recap_budgets)]
    if _is_noted_better(turn.occasion):
        weights[1] = 1
    if sum(demands) <= room:
        return tuple(recaps), room - sum(demands[1:])
    memory, *shares = levelled(demands, weights[: len(demands)], room)
    more = min(demands[1], least_for_recap(room, turn.whole)) - shares[0]
    if more > 0 and not _is_noted_better(turn.occasion):
        memory, shares[0] = memory - more, shares[0] + more
    slots = _recap_slots(turn, settings, lines, (shares[0], sum(shares)))
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
