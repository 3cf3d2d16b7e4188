"""What the slots of a turn are made of: each might tell this, in this order. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from app.memory.epistemic.withheld import NOTHING_WITHHELD
from app.memory.reading.windows import is_told
from app.memory.records import Tier
from app.memory.similarity import NO_VECTORS, Vectors
from app.memory.standing import Status
from app.prompt.budgeting.adaptive import turn_kind
from app.prompt.choosing.choice import chosen, own_first
from app.prompt.choosing.drafts import Draft
from app.prompt.choosing.framing import one_line
from app.prompt.choosing.retold import behind_what_is_shown, without_retold
from app.prompt.choosing.secrets import kept_secret, lines_kept_secret
from app.prompt.occasion import LONGEST_READ, Occasion
from app.prompt.placement import RECAP_MACRO, Placement
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
    recap_shown,
    running_recap_slot,
)
from app.prompt.set_slots import words_of
from app.prompt.slots import LeftOut, Reason, RecapShown, Slot, TurnKind
from app.prompt.telling import (
    drafts_of,
    is_sent,
)
from app.prompt.turn_budgets import (
    high_water,
)
from app.recall.meanings import Meant
from app.recall.messages import MessageIndex
from app.settings.recaps import RecapSettings
from app.settings.slot_table import Position, SlotName
from app.story.scene_cues.language import LanguagePack

JUST_SAID = 1500  # tokens of the newest messages that are looked at for what they show
NO_BOUND = 1_000_000_000
HEAD_GOES_BY = 8  # of the last messages that the head of the prompt tells of
# Part of a running recap, and the tier that tells it as well.
TOLD_TWICE = (
    ("state", Tier.STATE_LEDGER),
    ("open", Tier.ARCS),
)

Count = Callable[[str], int]
Rooms = tuple[int | None, int | None]
NO_ROOMS: Rooms = (None, None)


@dataclass(frozen=True)
class Means:
    """What an assembly works with beside its story and settings.

    packs: languages. full: the most that each slot ever wanted, by key. profile: of hardware.
    index, meant: of the story's messages, their words and what they mean; None where not kept.
    """

    count: Count
    packs: Sequence[LanguagePack] = ()
    full: Mapping[str, int] = field(default_factory=dict)
    vectors: Vectors = NO_VECTORS
    profile: str = "a"
    index: MessageIndex | None = None
    meant: Meant | None = None


@dataclass(frozen=True)
class Material:
    """What the slots of a turn might tell, ranked once, whatever budgets they are made under. room:
    tokens for all slots, None for no bound. whole: for them and the messages. spare: tokens beyond
    the room for slots that stand in the chat, as nobody else needs them.
    """

    occasion: Occasion
    means: Means
    placement: Placement
    room: int | None
    whole: int
    spare: int = 0

    @cached_property
    def kind(self) -> TurnKind:
        """What the turn is like."""
        return self.occasion.turn.kind or turn_kind(self.occasion.last_text, self.means.packs)

    def head_kinds(self, given: TurnKind | None) -> tuple[TurnKind, ...] | None:
        """By which kinds of turns the head of the prompt shares its budgets: those of the last
        messages that it tells of, so that it stays from turn to turn. None, for the turn's own,
        where that is given, or the head tells all.
        """
        if self.occasion.horizon is None or given or self.occasion.turn.kind:
            return None
        return self._kinds_before_horizon

    @cached_property
    def _kinds_before_horizon(self) -> tuple[TurnKind, ...]:
        messages = self.occasion.story.messages[: self.occasion.horizon]
        told = [m.text for m in messages[-2 * HEAD_GOES_BY :] if is_told(m)]
        return tuple(turn_kind(text, self.means.packs) for text in told[-HEAD_GOES_BY:])

    @cached_property
    def full(self) -> Mapping[str, int]:
        """The most tokens that each slot ever wanted, by key."""
        if not self.occasion.told:
            return {}
        running = self.recap_slots(self.occasion.settings, None)[0]
        return high_water(self.means.full, self.drafts(running.text), self.means.count)

    @cached_property
    def tells_scenes(self) -> bool:
        """Whether there are recaps of scenes to tell of, whatever is remembered."""
        return self.occasion.slots.scenes_enabled and any(self.occasion.story.recaps.values())

    @cached_property
    def told_by_slots(self) -> tuple[str, ...]:
        """Parts of a running recap that slots of memory tell as well, and more exactly: also where
        all that they told has ended.
        """
        occasion = self.occasion
        noted = {
            s.memory.tier
            for s in occasion.told.standings
            if s.status in (Status.ACTIVE, Status.ENDED)
        }
        return tuple(
            part for part, tier in TOLD_TWICE if occasion.memory.is_enabled(tier) and tier in noted
        )

    @cached_property
    def whole_recap(self) -> int:
        """Tokens of the running recap with what it leaves to the messages that the prompt holds; 0
        where it leaves nothing to them.
        """
        occasion, settings = self.occasion, self.occasion.settings
        if occasion.visible_from is None or not occasion.slots.slots_enabled:
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
                headings=occasion.headings,
            )
            for start in (None, occasion.visible_from)
        )
        return whole.tokens if whole.text != told.text else 0

    @cached_property
    def recap(self) -> RecapShown | None:
        """What of the running recap is told; None where nothing is."""
        occasion = self.occasion
        if not occasion.slots.slots_enabled:
            return None
        return recap_shown(
            occasion.story,
            occasion.settings,
            self.told_by_slots,
            occasion.visible_from,
            count=self.means.count,
            headings=occasion.headings,
        )

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
            kept = [self._behind_shown(draft) for draft in kept]
            made = chosen(kept, lines, self.means.count)
            self._drafts[running] = own_first(made, self.occasion.told.of_other_chats)
        return self._drafts[running]

    def triggered(self, told: Collection[str], lines: Iterable[str]) -> Draft:
        """What the moment calls up. told: ids of memories that the long-term slot holds. lines:
        that the prompt tells otherwise.
        """
        key = frozenset(told), frozenset(lines)
        if key not in self._triggered:
            draft = triggered_draft(self.occasion, self.called_up, key[0])
            draft = with_passages(draft, self.passages, key[1], self.occasion)
            draft = kept_secret(draft, self.occasion.withheld)
            draft = without_retold(draft, key[1], self.occasion.words)
            draft = self._behind_shown(draft)
            self._triggered[key] = with_called_gains(draft)
        return self._triggered[key]

    def _behind_shown(self, draft: Draft) -> Draft:
        index = self.means.index
        if index is None:
            return draft
        return behind_what_is_shown(draft, self._shown, self.occasion.words, index.rarity)

    @cached_property
    def _shown(self) -> frozenset[str]:
        """The terms of what was just said, as far as the prompt holds it for certain."""
        story, first = self.occasion.story, self.occasion.visible_from
        room, terms = JUST_SAID, set[str]()
        for index in range(len(story.messages) - 1, (first or 0) - 1, -1):
            if first is None or index >= len(story.message_tokens) or room < 0:
                break
            message = story.messages[index]
            if not message.is_hidden:
                room -= story.message_tokens[index]
                terms.update(self.occasion.words.of(message.text[:LONGEST_READ]))
        return frozenset(terms)

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

    def beside(self, draft: Draft, lines: frozenset[str]) -> Draft:
        """A draft without what lines that are told before it tell in other words."""
        key = (id(draft), lines)  # as above
        if key not in self._beside:
            self.spoken(draft)
            self._beside[key] = without_retold(draft, lines, self.occasion.words)
        return self._beside[key]

    @cached_property
    def _beside(self) -> dict[tuple[int, frozenset[str]], Draft]:
        return {}

    def spoken(self, draft: Draft) -> tuple[str, ...]:
        """The words of each of a draft's entries."""
        if id(draft) not in self._spoken:
            self._spoken[id(draft)] = draft, tuple(map(words_of, draft.entries))
        return self._spoken[id(draft)][1]

    def recap_slots(
        self, settings: Mapping[str, Any], lines: str | None, rooms: Rooms = NO_ROOMS
    ) -> tuple[Slot, ...]:
        """The slots of recaps. lines: message recaps that count, None for those of the story.
        rooms: of the running recap, and of both together, None for no bound.
        """
        story, count = self.occasion.story, self.means.count
        alone, both = (NO_BOUND if room is None else room for room in rooms)
        budget = min(RecapSettings(settings).running_recap_budget, alone)
        occasion = self.occasion
        running = running_recap_slot(
            story,
            settings,
            budget=budget,
            count=count,
            spare=self.told_by_slots,
            withheld=occasion.withheld if occasion.told else NOTHING_WITHHELD,
            visible_from=occasion.visible_from,
            headings=occasion.headings,
        )
        if self.placement.has_recap_macro:
            running = replace(running, position=Position.NONE, macro=RECAP_MACRO)
        if not RecapSettings(settings).message_recaps_inject:
            return (running,)
        budget = min(RecapSettings(settings).message_recaps_budget, both - running.tokens)
        lines = self.recap_lines if lines is None else lines
        told = message_recaps_slot(
            lines, settings, budget=budget, count=count, headings=occasion.headings
        )
        return running, told
