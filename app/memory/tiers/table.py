"""All tiers, each by its row; what matters longest comes first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from app.memory.records import Tier
from app.memory.tiers.arcs import ARCS
from app.memory.tiers.epistemic import EPISTEMIC
from app.memory.tiers.long_term import LONG_TERM
from app.memory.tiers.relationships import RELATIONSHIPS
from app.memory.tiers.session import SESSION
from app.memory.tiers.state_ledger import STATE_LEDGER
from app.memory.tiers.tier import TierSpec

TIERS: Mapping[Tier, TierSpec] = MappingProxyType(
    {spec.tier: spec for spec in (LONG_TERM, SESSION, ARCS, RELATIONSHIPS, EPISTEMIC, STATE_LEDGER)}
)


def tiers_where(is_so: Callable[[TierSpec], object]) -> frozenset[Tier]:
    """Those of which something is true."""
    return frozenset(tier for tier, spec in TIERS.items() if is_so(spec))


PLAIN = tiers_where(lambda spec: spec.is_plain)
NUMBERED = tiers_where(lambda spec: spec.is_numbered)
KEYED = tiers_where(lambda spec: spec.key)
THREADS = tiers_where(lambda spec: spec.is_thread)
KEPT_BY_CHARACTER = tiers_where(lambda spec: spec.is_kept_by_character)
