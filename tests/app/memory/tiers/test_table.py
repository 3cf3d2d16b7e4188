"""Every tier has a row, and what its row names is there."""

from __future__ import annotations

import pytest

from app.core.resources import RESOURCES
from app.memory.reading.answers import read_answer
from app.memory.records import Tier
from app.memory.tiers.table import TIERS
from app.memory.tiers.tier import Identity
from app.settings.values import REGISTRY


def test_every_tier_has_one_row() -> None:
    assert set(TIERS) == set(Tier)
    assert all(spec.tier is tier for tier, spec in TIERS.items())


@pytest.mark.parametrize("tier", Tier)
def test_what_a_row_names_is_there(tier: Tier) -> None:
    spec = TIERS[tier]
    assert (RESOURCES / "prompts" / f"{spec.prompt}.md").is_file()
    assert REGISTRY[f"{tier.value}_enabled"].default is True
    assert not spec.most or spec.most in REGISTRY
    assert spec.types


def test_no_tag_belongs_to_two_tiers() -> None:
    tags = [tag for spec in TIERS.values() for tag in spec.tags]
    spelled = [word for spec in TIERS.values() for _, words in spec.spellings for word in words]
    assert len(set(tags)) == len(tags)
    assert len(set(spelled)) == len(spelled)
    for spec in TIERS.values():
        assert {tag for tag, _ in spec.spellings} <= {*spec.tags}


@pytest.mark.parametrize("tier", Tier)
def test_entries_end_by_number_or_by_key_or_in_words(tier: Tier) -> None:
    spec = TIERS[tier]
    assert spec.is_numbered == bool(spec.ended_heading)
    assert (spec.key is not None) == (spec.identity is Identity.KEY)


def test_a_tag_is_read_for_the_tiers_that_are_asked_for_only() -> None:
    line = "[arc:sources=1] Will Mara find the ring of her mother?"
    assert [claim.tier for claim in read_answer(line).claims] == [Tier.ARCS]
    assert read_answer(line, {Tier.SESSION}).claims == ()
