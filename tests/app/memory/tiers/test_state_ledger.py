"""Lines of the state ledger (spec/smart-memory.md §8.7, §25)."""

from __future__ import annotations

import pytest

from app.memory.reading.answers import read_answer
from app.memory.records import LEDGER_FIELDS
from app.memory.tiers.state_ledger import SYNONYMS, field_of


def values(text: str) -> dict[tuple[str, str, str], str]:
    return {(c.subject, c.type, c.field): c.text for c in read_answer(text).claims}


def test_several_lines_of_one_entity_merge_under_its_first_spelling() -> None:
    assert values(
        "[state:Kael:character] location=dungeon | Outfit Disguise=guard cloak | mood=unknown\n"
        "[state:kael:Character] mood=tense"
    ) == {
        ("Kael", "character", "location"): "dungeon",
        ("Kael", "character", "outfit_disguise"): "guard cloak",
        ("Kael", "character", "mood"): "tense",
    }


def test_the_later_of_two_values_from_the_same_messages_counts() -> None:
    answer = read_answer(
        "[state:Kael:character:sources=4] mood=tense\n[state:Kael:character:sources=4] mood=calm"
    )
    assert [claim.text for claim in answer.claims] == ["calm"]


def test_values_from_different_messages_are_all_kept() -> None:
    answer = read_answer(
        "[state:Kael:character:sources=4] location=inn\n"
        "[state:Kael:character:sources=9] location=vault"
    )
    assert [(claim.text, claim.sources) for claim in answer.claims] == [
        ("inn", (4,)),
        ("vault", (9,)),
    ]


@pytest.mark.parametrize(
    "value",
    ["unknown", "None", "none mentioned", "not specified", "N/A", "na", "unspecified", "", "None."],
)
def test_a_value_that_says_nothing_is_dropped(value: str) -> None:
    answer = read_answer(f"[state:Kael:character] mood={value} | location=inn")
    assert [claim.field for claim in answer.claims] == ["location"]
    assert not answer.ends


@pytest.mark.parametrize("sign", ["-", "–", "—", "(cleared)"])
def test_a_dash_clears_a_field(sign: str) -> None:
    answer = read_answer(f"[state:Kael:character:sources=4] injuries={sign} | mood=calm")
    (end,) = answer.ends
    assert (end.subject, end.type, end.field, end.sources) == (
        *("Kael", "character", "injuries"),
        (4,),
    )
    assert [claim.field for claim in answer.claims] == ["mood"]


@pytest.mark.parametrize(
    ("kind", "said", "field"),
    [
        ("character", "goal", "active_goal"),
        ("character", "outfit", "outfit_disguise"),
        ("character", "Inventory", "carried_items"),
        ("character", "carried items", "carried_items"),
        ("object", "held by", "owner"),
        ("faction", "leader", "leadership"),
        ("faction", "goal", "objective"),
        ("place", "dangers", "hazards"),
        ("character", "hostility", ""),
        ("object", "mood", ""),
        ("character", "favourite colour", ""),
    ],
)
def test_other_words_for_a_field_are_folded_and_unknown_ones_refused(
    kind: str, said: str, field: str
) -> None:
    assert field_of(said, kind) == field


def test_every_synonym_means_a_field_of_its_type() -> None:
    for kind, words in SYNONYMS.items():
        assert set(words.values()) <= set(LEDGER_FIELDS[kind])
        assert not words.keys() & set(LEDGER_FIELDS[kind])


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("[state:Kael:person] location=inn", ("Kael", "character", "location")),
        ("[state:sources=4:Kael:character] location=inn", ("Kael", "character", "location")),
        ("[state:character:Kael] location=inn", ("Kael", "character", "location")),
        ("[state:Kael] mood=calm", ("Kael", "character", "mood")),
        ("Now: [state:Kael:character] mood=calm", ("Kael", "character", "mood")),
        ("[state:Kael:character] mood: calm", ("Kael", "character", "mood")),
        ("[state:the Iron Vault:place] hazards=fire", ("the Iron Vault", "place", "hazards")),
    ],
)
def test_tags_and_fields_are_read_in_every_spelling(line: str, found: tuple[str, str, str]) -> None:
    assert set(values(line)) == {found}


def test_commas_separate_fields_only_where_a_field_follows() -> None:
    assert values("[state:Kael:character] location=inn, by the fire, mood=calm, even glad") == {
        ("Kael", "character", "location"): "inn, by the fire",
        ("Kael", "character", "mood"): "calm, even glad",
    }


@pytest.mark.parametrize(
    "line",
    [
        "[state:Kael:concept] location=inn",
        "[state:everyone:character] location=inn",
        "[state:<A>:character] location=inn",
        "[state:Kael:character] shoe_size=44",
        "[state:Kael:character] location=<place>",
        "[state:Kael:character]",
        "[state] location=inn",
        "- Kael (character): location=inn",
    ],
)
def test_what_is_not_in_the_schema_is_refused(line: str) -> None:
    assert values(line) == {}


def test_a_field_that_a_type_does_not_have_is_left_out_and_ends_the_value_before_it() -> None:
    answer = read_answer("[state:Kael:character] mood=calm, hostility_level=high")
    assert [(claim.field, claim.text) for claim in answer.claims] == [("mood", "calm")]
