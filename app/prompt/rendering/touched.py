"""How much the last messages of a turn speak of what is remembered. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.memory.keywords.calling import Called, called
from app.memory.names import folded
from app.memory.records import Memory, Tier
from app.prompt.occasion import Occasion

ASIDE, SPOKEN_OF = 0.6, 2.0  # worth of what is not spoken of at all, and of what is the most


def calls(occasion: Occasion, memories: Sequence[Memory]) -> dict[str, Called]:
    """How much each is called up, by id."""
    return called(
        memories,
        occasion.words,
        occasion.recent,
        entities=occasion.told.entities,
        rarity=occasion.index.rarity if occasion.index is not None else None,
        where=_where(occasion),
    )


def _where(occasion: Occasion) -> str:
    """Where those are who speak, as far as it was noted of the scene that goes on."""
    scenes = occasion.story.scenes
    first = scenes[-1].first if scenes else 0
    return " ".join(
        standing.memory.text
        for standing in occasion.active(Tier.STATE_LEDGER)
        if standing.memory.field == "location"
        and standing.start >= first
        and folded(standing.memory.subject) in occasion.speaking
    )


def worth_now(occasion: Occasion, memories: Sequence[Memory]) -> dict[str, float]:
    """What the moment makes of each one's worth, by id: a factor."""
    return weighed(calls(occasion, memories))


def weighed(found: Mapping[str, Called]) -> dict[str, float]:
    """What being called up so much makes of each one's worth, by id: a factor."""
    best = max((one.score for one in found.values()), default=0.0) or 1.0
    return {id_: ASIDE + (SPOKEN_OF - ASIDE) * one.score / best for id_, one in found.items()}
