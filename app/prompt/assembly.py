"""Story, memories and settings become the slots of a turn: the one place that decides what goes
where. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from app.memory.records import Tier
from app.memory.similarity import NO_VECTORS, Vectors
from app.prompt.adaptive import turn_kind
from app.prompt.budgets import (
    MOST_OF_CONTEXT,
    NINE,
    Budgets,
    levelled,
    room_in,
)
from app.prompt.drafts import Draft, Entry, dealt_out, shown_within
from app.prompt.framing import one_line
from app.prompt.memory_slots import (
    SECONDHAND,
    CalledUp,
    arcs_draft,
    call_up,
    long_draft,
    session_draft,
    triggered_draft,
)
from app.prompt.occasion import Occasion, Recollection, Turn
from app.prompt.people_slots import epistemic_draft, relationships_draft, state_ledger_draft
from app.prompt.placement import IN_BLOCK, MACROS, NEVER, Placement, placement_of
from app.prompt.recap_slots import included_recaps, message_recaps_slot, running_recap_slot
from app.prompt.slots import (
    LeftOut,
    Position,
    Reason,
    Role,
    Slot,
    SlotContent,
    SlotName,
    SlotSet,
    TurnKind,
)
from app.prompt.text_slots import (
    canon_draft,
    profiles_draft,
    repair_draft,
    scenes_draft,
    short_draft,
)
from app.prompt.turn_budgets import (
    borrowers_of,
    high_water,
    lent,
    turn_budgets,
    with_what_is_left,
)
from app.prompt.unread import fallen_out, kept_for_messages
from app.story.scene_cues.language import LanguagePack
from app.story.story import Story

NO_BOUND = 1_000_000_000
SEPARATOR, SEPARATOR_TOKENS = "\n\n", 2  # between texts in one block
BEGINNING = 5  # messages of a young chat that the head tells of
READ_LATE = 10  # messages that may pass before what was said is remembered
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
    """

    count: Count
    packs: Sequence[LanguagePack] = ()
    full: Mapping[str, int] = field(default_factory=dict)
    vectors: Vectors = NO_VECTORS
    profile: str = "a"


def assemble(
    story: Story,
    settings: Mapping[str, Any],
    *,
    count: Count,
    total: int | None = None,
) -> tuple[Slot, ...]:
    """The slots of a story of which nothing but recaps is kept."""
    return assembled(story, settings, Means(count), total=total).slots


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
        _visible_from(story, settings, turn) if told else None,
        fallen_out(story, told.unread_from, for_messages, means.packs),
    )
    placement = _placement(occasion)
    if told:
        occasion = replace(occasion, horizon=_horizon(occasion, placement))
    return Prepared(occasion, means, placement, room)


@dataclass(frozen=True)
class Prepared:
    """A turn whose slots can be made under one set of budgets after another: what they might tell
    is ranked once.
    """

    occasion: Occasion
    means: Means
    placement: Placement
    room: int | None

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
    def told_by_slots(self) -> tuple[str, ...]:
        """Parts of a running recap that slots of memory tell as well, and more exactly."""
        occasion = self.occasion
        return tuple(
            part
            for part, tier, is_on in TOLD_TWICE
            if occasion.is_on(is_on) and occasion.active(tier)
        )

    @cached_property
    def recap_lines(self) -> str:
        """The message recaps that count."""
        return included_recaps(self.occasion.story, self.occasion.settings)

    @cached_property
    def called_up(self) -> CalledUp:
        return call_up(self.occasion)

    @cached_property
    def _drafts(self) -> dict[str, tuple[Draft, ...]]:
        return {}

    @cached_property
    def _triggered(self) -> dict[frozenset[str], Draft]:
        return {}

    def drafts(self, running: str) -> tuple[Draft, ...]:
        """What each slot might tell but for what the moment calls up. running: the running recap's
        slot.
        """
        if running not in self._drafts:
            self._drafts[running] = _drafts(self.occasion, self.placement, running)
        return self._drafts[running]

    def triggered(self, told: Collection[str]) -> Draft:
        """What the moment calls up. told: ids of memories that the long-term slot holds."""
        key = frozenset(told)
        if key not in self._triggered:
            self._triggered[key] = triggered_draft(self.occasion, self.called_up, key)
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
            self._spoken[id(draft)] = draft, tuple(map(_words, draft.entries))
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
        if not settings["slots_enabled"]:
            nothing = {**settings, "running_recap_enabled": False, "message_recaps_inject": False}
            return SlotSet(_recap_slots(self, nothing, "", NO_ROOMS))
        if not self.occasion.told:
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
    if borrowers:
        fitting |= lent(drafts, fitting, borrowers, budgets, settings, count)
    shown = dealt_out(drafts, fitting, weights, room, count)
    texts = {d.name: text for d in drafts if (text := d.render(shown[d.name]))}
    contents = tuple(
        _content(d, fitting[d.name], shown[d.name], budgets[d.name], count) for d in drafts
    )
    told = tuple(content for content in contents if content.full_tokens or content.left_out)
    return SlotSet(
        (*recaps, *_placed(settings, placement, texts, told, count)),
        responder=occasion.responder,
        turn=kind,
        contents=told,
        warnings=placement.warnings(texts),
        full=full,
        notes=notes,
    )


def _placement(occasion: Occasion) -> Placement:
    settings, turn = occasion.settings, occasion.turn
    is_unified = bool(settings["slots_unified"]) if turn.is_unified is None else turn.is_unified
    mode = str(settings["slots_macros"]) if turn.serves_macros else NEVER
    return placement_of(mode, turn.card or (), is_unified=is_unified)


def _recap_slots(
    turn: Prepared, settings: Mapping[str, Any], lines: str | None, rooms: Rooms
) -> tuple[Slot, ...]:
    """The slots of recaps. lines: message recaps that count, None for those of the story. rooms:
    of the running recap, and of both together, None for no bound.
    """
    story, count = turn.occasion.story, turn.means.count
    alone, both = (NO_BOUND if room is None else room for room in rooms)
    budget = min(int(settings["running_recap_budget"]), alone)
    running = running_recap_slot(
        story, settings, budget=budget, count=count, spare=turn.told_by_slots
    )
    if not settings["message_recaps_inject"]:
        return (running,)
    budget = min(int(settings["message_recaps_budget"]), both - running.tokens)
    lines = turn.recap_lines if lines is None else lines
    return running, message_recaps_slot(lines, settings, budget=budget, count=count)


def _drafts(occasion: Occasion, placement: Placement, running: str) -> tuple[Draft, ...]:
    """What each slot might tell but for what the moment calls up, in the order of SlotName."""
    drafts = (
        canon_draft(occasion),
        profiles_draft(occasion),
        long_draft(occasion),
        short_draft(occasion, running),
        scenes_draft(occasion, running),
        relationships_draft(occasion),
        session_draft(occasion),
        arcs_draft(occasion),
        epistemic_draft(occasion),
        state_ledger_draft(occasion),
        repair_draft(occasion),
    )
    return tuple(d for d in drafts if _is_sent(occasion, placement, d.name))


def _is_sent(occasion: Occasion, placement: Placement, name: SlotName) -> bool:
    """Whether it would reach a prompt, or the lorebook's eyes at least."""
    if name is SlotName.REPAIR or placement.is_in_block(name) or name in placement.by_macro:
        return True
    settings = occasion.settings
    is_nowhere = Position(settings[f"slot_{name}_position"]) is Position.NONE
    return not is_nowhere or bool(settings[f"slot_{name}_scan"])


def _horizon(occasion: Occasion, placement: Placement) -> int | None:
    """The message up to which the head of the prompt tells: it moves in steps, some messages late,
    so that what is read meanwhile does not change what it has told; of a young chat, only how it
    began. None where it tells all: in one block with what changes anyway, and where there is no
    place for the rest.
    """
    every, count = int(occasion.settings["slots_head_every"]), len(occasion.story.messages)
    is_head = SlotName.LONG in placement.by_macro or (
        Position(occasion.settings["slot_long_position"]) is not Position.IN_CHAT
    )
    has_rest = _is_sent(occasion, placement, SlotName.TRIGGERED)
    if not (every and is_head and has_rest) or placement.is_unified:
        return None
    return max(BEGINNING, (count - READ_LATE) // every * every)


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
    demands = [sum(wanted) + budgets[SlotName.TRIGGERED], *(slot.tokens for slot in recaps)]
    recap_budgets = ("running_recap_budget", "message_recaps_budget")
    has_short = any(draft.entries and draft.name is SlotName.SHORT for draft in drafts)
    memory_weight = sum(budgets[name] for name in NINE)
    if has_short and not (turn.occasion.unread and turn.occasion.is_read):
        memory_weight += budgets[SlotName.SHORT]
    weights = [memory_weight, *(int(settings[b]) for b in recap_budgets)]
    if sum(demands) <= room:
        return tuple(recaps), room - sum(demands[1:])
    memory, *shares = levelled(demands, weights[: len(demands)], room)
    slots = _recap_slots(turn, settings, lines, (shares[0], sum(shares)))
    return slots, memory


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
        if name is SlotName.TRIGGERED and _is_sent(occasion, placement, name):
            draft = turn.triggered(memories)
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


def _without_repeats(turn: Prepared, draft: Draft, said: Collection[str]) -> Draft:
    """The draft without what was said before; values and feelings say nothing by themselves."""
    seen = set(said)
    repeats: list[int] = []
    for place, spoken in enumerate(turn.spoken(draft)):
        if spoken in seen:
            repeats.append(place)
        elif spoken:
            seen.add(spoken)
    return turn.without(draft, tuple(repeats)) if repeats else draft


def _words(entry: Entry) -> str:
    """What an entry says, "" for one that says nothing by itself."""
    return "" if entry.row else entry.text.removeprefix("- ").removeprefix(SECONDHAND).casefold()


def _content(draft: Draft, fitting: int, shown: int, budget: int, count: Count) -> SlotContent:
    """What became of a draft."""
    entries = draft.entries
    cut = [
        LeftOut(entry.head + entry.text, reason, entry.memory)
        for part, reason in (
            (entries[shown:fitting], Reason.TOTAL),
            (entries[fitting:], Reason.BUDGET),
        )
        for entry in part
    ]
    tokens = count(draft.render(shown))
    return SlotContent(
        key=draft.name.key,
        shown=tuple(entry.memory for entry in entries[:shown] if entry.memory),
        left_out=(*cut, *draft.left_out),
        tokens=tokens,
        budget=max(budget, tokens),
        full_tokens=count(draft.render(len(entries))),
    )


def _placed(
    settings: Mapping[str, Any],
    placement: Placement,
    texts: Mapping[SlotName, str],
    contents: Iterable[SlotContent],
    count: Count,
) -> Iterator[Slot]:
    """The slots: each text exactly once, in its slot, in the block, or by its macro."""
    by_key = {content.key: content for content in contents}
    block = [texts[name] for name in IN_BLOCK if placement.is_unified and name in texts]
    for name in SlotName:
        content = by_key.get(name.key)
        if content is not None and content.full_tokens and not placement.is_in_block(name):
            yield _slot(
                settings,
                placement,
                name,
                texts.get(name, ""),
                (content.tokens, content.budget, content.full_tokens),
            )
    if block:
        text = SEPARATOR.join(block)
        parts = [by_key[name.key] for name in IN_BLOCK if name.key in by_key]
        sizes = (
            count(text),
            sum(part.budget for part in parts),
            sum(part.full_tokens for part in parts),
        )
        yield _slot(settings, placement, SlotName.UNIFIED, text, sizes)


def _slot(
    settings: Mapping[str, Any],
    placement: Placement,
    name: SlotName,
    text: str,
    sizes: tuple[int, int, int],
) -> Slot:
    """A slot by its settings; the repair note's place is fixed."""
    tokens, budget, full_tokens = sizes
    place = f"slot_{name}"
    if name is SlotName.REPAIR:
        at = (Position.IN_CHAT, 0, Role.SYSTEM, False)
    else:
        at = (
            Position(settings[f"{place}_position"]),
            min(int(settings[f"{place}_depth"]), int(settings["slots_deepest"])),
            Role(settings[f"{place}_role"]),
            bool(settings[f"{place}_scan"]),
        )
    macro = MACROS[name] if name in placement.by_macro else ""
    position, depth, role, scan = at
    position = Position.NONE if macro else position
    return Slot(name.key, position, depth, role, scan, text, tokens, budget, full_tokens, macro)


def _visible_from(story: Story, settings: Mapping[str, Any], turn: Turn) -> int | None:
    """Index of the first message that the prompt still holds itself, as far as can be told."""
    if not settings["slots_leave_out_visible"]:
        return None
    room = (turn.context or int(settings["context_tokens"])) // MOST_OF_CONTEXT
    for index in range(len(story.messages) - 1, -1, -1):
        if not story.messages[index].is_hidden:
            room -= story.message_tokens[index] if index < len(story.message_tokens) else 0
        if room < 0:
            return index + 1
    return 0
