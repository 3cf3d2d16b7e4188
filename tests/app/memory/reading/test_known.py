"""How what is remembered is shown to a model, and found again by number."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.memory.reading.answers import read_answer
from app.memory.reading.known import (
    NOTHING,
    NOTHING_NEW,
    Known,
    KnownForBlock,
    known,
    known_for_block,
)
from app.memory.records import LEDGER_FIELDS, Memory, Tier
from app.memory.tiers.claims import Mention
from app.prompt.tokens import estimate_tokens

PLENTY = 100_000


def memory(name: str, tier: Tier, kind: str, text: str, **fields: object) -> Memory:
    return Memory(name, 1, tier, kind, text, **fields)  # type: ignore[arg-type]


HEIR = memory("heir", Tier.ARCS, "arc", "Where is the missing heir?")
DEBT = memory("debt", Tier.ARCS, "arc", "Kael owes the\nmiller a favour.")
KNOWS = memory("knows", Tier.EPISTEMIC, "knows", "that the vault floods", subject="Ann")
HIDES = memory(
    "hides", Tier.EPISTEMIC, "hiding", "that she has the key", subject="Ann", target="Kael"
)
FACT = memory("fact", Tier.LONG_TERM, "fact", "Kael was born at sea.", importance=3)
DETAIL = memory("detail", Tier.SESSION, "detail", "The third stair creaks.", importance=1)
MOOD = memory("mood", Tier.STATE_LEDGER, "character", "calm", subject="Kael", field="mood")
PLACE = memory("place", Tier.STATE_LEDGER, "character", "the inn", subject="Kael", field="location")
WARM = memory(
    "warm", Tier.RELATIONSHIPS, "feeling", "warm", subject="A", target="B", magnitude="high"
)
WARY = memory("wary", Tier.RELATIONSHIPS, "feeling", "wary", subject="A", target="B")
ALL = (HEIR, KNOWS, DETAIL, MOOD, DEBT, FACT, HIDES, PLACE, WARM, WARY)


def shown(*memories: Memory, limit: int = PLENTY, names: tuple[Mention, ...] = ()) -> Known:
    return known(memories, limit=limit, count=estimate_tokens, names=names)


def block(base: tuple[Memory, ...], now: tuple[Memory, ...], limit: int = PLENTY) -> KnownForBlock:
    return known_for_block(base, now, limit=limit, count=estimate_tokens)


def test_every_tier_has_its_list() -> None:
    told = shown(*ALL, names=(Mention("Kael", "character"), Mention("Ys")))
    assert (
        told.text
        == """Memories:
- [detail] The third stair creaks.
- [fact] Kael was born at sea.

Open arcs:
1. Where is the missing heir?
2. Kael owes the miller a favour.

Who knows what:
1. [knows] Ann | that the vault floods
2. [hiding] Ann from Kael | that she has the key

Feelings:
- A -> B: warm(high), wary(medium)

State:
- Kael (character): location=the inn | mood=calm

Names: Ys"""
    )
    assert told.ids[Tier.ARCS] == ("heir", "debt")
    assert told.ids[Tier.EPISTEMIC] == ("knows", "hides")


def test_nothing_is_said_to_be_nothing() -> None:
    assert shown().text == NOTHING


def test_what_matters_least_is_left_out_first() -> None:
    whole = estimate_tokens(shown(*ALL).text)
    texts = [shown(*ALL, limit=limit).text for limit in range(whole + 60, 20, -1)]

    def last_seen(words: str) -> int:
        return max(i for i, text in enumerate(texts) if words in text)

    assert last_seen("creaks") < last_seen("born at sea") < last_seen("missing heir")
    assert last_seen("born at sea") < last_seen("vault floods") <= last_seen("missing heir")


def test_a_pinned_memory_outlasts_a_weightier_one() -> None:
    pinned = replace(DETAIL, tier=Tier.LONG_TERM, is_pinned=True)
    text = shown(pinned, FACT, limit=36).text
    assert "creaks" in text
    assert "born" not in text


@pytest.mark.real_model(12)
def test_what_came_to_light_is_shown_before_small_lasting_facts() -> None:
    """A model that is not shown it notes it again, and cannot say that it is over."""
    small = [replace(FACT, id=f"s{n}", text=f"Stair {n} creaks.", importance=1) for n in range(40)]
    found = replace(DETAIL, type="revelation", text="Kael is the heir.", importance=3)
    text = shown(*small, found, limit=150).text
    assert "Kael is the heir." in text
    assert "Stair 39" in text


def test_numbers_count_what_is_shown() -> None:
    told = shown(*ALL, limit=35)
    for number, entry in enumerate(told.ids[Tier.ARCS], 1):
        assert f"{number}. {' '.join(next(m.text for m in ALL if m.id == entry).split())}" in (
            told.text
        )


memories = st.lists(
    st.builds(
        lambda tier, text, weight, who, field: Memory(
            "", 1, tier, "character", text, subject=who, target="C", field=field, importance=weight
        ),
        st.sampled_from(Tier),
        st.text(max_size=60),
        st.integers(1, 3),
        st.sampled_from(["A", "B"]),
        st.sampled_from(LEDGER_FIELDS["character"]),
    ),
    max_size=14,
).map(lambda made: tuple(replace(m, id=str(i)) for i, m in enumerate(made)))


@given(memories, st.integers(0, 300))
def test_what_is_known_stays_within_its_limit(made: tuple[Memory, ...], limit: int) -> None:
    told = shown(*made, limit=limit, names=(Mention("Kael"), Mention("Ann", "character")))
    assert told.text == NOTHING or estimate_tokens(told.text) <= limit


def test_the_limit_is_met_by_hundreds_of_entries() -> None:
    many = tuple(replace(KNOWS, id=str(i), text=f"that door {i} is open") for i in range(900))
    told = shown(*many, limit=500)
    assert 300 < estimate_tokens(told.text) <= 500
    assert told.ids[Tier.EPISTEMIC][-1] == "899", "the newest are kept"
    assert len(told.ids[Tier.EPISTEMIC]) < 60


@given(memories, memories)
def test_the_first_part_depends_on_the_base_alone(
    base: tuple[Memory, ...], now: tuple[Memory, ...]
) -> None:
    now = tuple(replace(m, id=f"n{m.id}") for m in now)
    assert block(base, base).base_text == block(base, now).base_text
    assert block(base, base).news_text == NOTHING_NEW


def test_numbers_go_on_in_the_news() -> None:
    told = block((HEIR, KNOWS, FACT), (HEIR, KNOWS, FACT, DEBT, HIDES, DETAIL))
    assert told.base_text == shown(HEIR, KNOWS, FACT).text
    assert told.ids[Tier.ARCS] == ("heir", "debt")
    assert told.ids[Tier.EPISTEMIC] == ("knows", "hides")
    assert (
        told.news_text
        == """Memories:
- [detail] The third stair creaks.

Open arcs:
2. Kael owes the miller a favour.

Who knows what:
2. [hiding] Ann from Kael | that she has the key"""
    )


def test_what_ended_since_is_listed_and_keeps_its_number() -> None:
    told = block(ALL, (DEBT, HIDES, FACT, PLACE, WARM))
    assert told.ids[Tier.ARCS] == ("heir", "debt")
    assert told.ids[Tier.EPISTEMIC] == ("knows", "hides")
    assert (
        told.news_text
        == """Arcs resolved since: 1

Who-knows-what entries that no longer hold: 1

No longer so:
- [detail] The third stair creaks.
- Kael (character): mood (was: calm)
- A -> B: was wary(medium)"""
    )


@pytest.mark.real_model(12)
def test_what_was_noted_since_is_told_so_that_its_change_can_be_noted() -> None:
    tense, hot = replace(MOOD, id="tense", text="tense"), replace(WARM, id="w2", magnitude="low")
    told = block((MOOD, WARM), (tense, hot, FACT))
    assert told.news_text == (
        "Memories:\n- [fact] Kael was born at sea.\n\n"
        "Feelings:\n- A -> B: warm(low)\n\n"
        "State:\n- Kael (character): mood=tense"
    )


SECRET = replace(HIDES, id="secret", text="that the duke was poisoned", target="Mara")
CHATTER = tuple(
    replace(KNOWS, id=f"k{n}", text=f"that number {n} of the passengers snores") for n in range(80)
)


@pytest.mark.real_model(3)
def test_the_oldest_secret_stays_in_sight_behind_any_number_of_entries() -> None:
    told = shown(SECRET, *CHATTER, limit=300)
    assert told.ids[Tier.EPISTEMIC][0] == SECRET.id
    assert 4 < len(told.ids[Tier.EPISTEMIC]) < 40


@pytest.mark.real_model(3)
def test_what_the_messages_speak_of_is_shown_before_what_is_newer() -> None:
    spoken = replace(KNOWS, id="spoken", text="that the bell of the abbey is cracked")
    made = (spoken, *CHATTER)
    assert "spoken" not in shown(*made, limit=300).ids[Tier.EPISTEMIC]
    about = "Mara: The bell of the abbey rings."
    told = known(made, limit=300, count=estimate_tokens, about=about)
    assert "spoken" in told.ids[Tier.EPISTEMIC]


@pytest.mark.real_model(3)
def test_what_only_the_new_messages_speak_of_is_told_beside_it() -> None:
    spoken = replace(KNOWS, id="spoken", text="that the bell of the abbey is cracked")
    made = (spoken, *CHATTER)
    about = "Mara: The bell of the abbey rings."
    told = known_for_block(made, made, limit=300, count=estimate_tokens, now_about=about)
    assert told.ids[Tier.EPISTEMIC][-1] == "spoken"
    assert (
        told.news_text
        == f"Who knows what:\n{len(told.ids[Tier.EPISTEMIC])}. [knows] Ann | {spoken.text}"
    )
    assert told.base_text == known_for_block(made, made, limit=300, count=estimate_tokens).base_text


@pytest.mark.real_model(3)
def test_a_few_memories_that_the_new_messages_speak_of_can_be_ended() -> None:
    """Only what is listed can be said to be over, and the lists were full of other entries."""
    secrets = [
        memory(f"k{n}", Tier.EPISTEMIC, "knows", f"that lamp {n} is out", subject="Ann")
        for n in range(40)
    ]
    stolen = ("brandy", "sugar", "powder", "linen", "pepper", "salt")
    told_of = [
        memory(f"b{n}", Tier.LONG_TERM, "event", f"The {what} was stolen from Odo.")
        for n, what in enumerate(stolen)
    ]
    other = memory("o", Tier.LONG_TERM, "event", "Vera sold a horse.")
    made = (*told_of, other, *secrets)
    about = "Nothing was stolen: Odo has brandy, sugar, powder, linen and pepper in the cellar."
    told = known_for_block(made, made, limit=250, count=estimate_tokens, now_about=about)
    assert told.news_text.count("was stolen from Odo.") == 4
    assert "salt" not in told.news_text
    assert "horse" not in told.news_text


@pytest.mark.real_model(3)
def test_many_entries_leave_room_to_memories_and_state() -> None:
    details = tuple(replace(DETAIL, id=f"d{n}", text=f"Stair {n} creaks.") for n in range(20))
    told = shown(*CHATTER, *details, MOOD, limit=1000)
    assert told.text.count("creaks") == 20
    assert "mood=calm" in told.text


def test_an_entry_whose_text_changed_gets_a_new_number() -> None:
    told = block((HEIR,), (replace(HEIR, text="Where is the lost queen?"),))
    assert told.ids[Tier.ARCS] == ("heir", "heir")
    assert told.news_text == "Open arcs:\n2. Where is the lost queen?\n\nArcs resolved since: 1"


def test_what_was_left_out_of_the_base_is_no_news() -> None:
    limit = 40
    told = block(ALL, ALL, limit)
    assert len(told.base_text) < len(shown(*ALL).text)
    assert told.news_text == NOTHING_NEW


def test_a_list_that_is_copied_into_an_answer_makes_nothing_of_memories() -> None:
    answer = read_answer(shown(FACT, DETAIL).text)
    assert all(not claim.sources for claim in answer.claims), "so they wait for review"


def test_what_is_only_not_kept_any_more_is_not_told_to_be_over() -> None:
    told = known_for_block(
        (FACT, HEIR, WARM, DETAIL),
        (),
        limit=PLENTY,
        count=estimate_tokens,
        still_so={FACT.id, HEIR.id, WARM.id},
    )
    assert told.news_text == "No longer so:\n- [detail] The third stair creaks."
    assert told.ids[Tier.ARCS] == (HEIR.id,)
