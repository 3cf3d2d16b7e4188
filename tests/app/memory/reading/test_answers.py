"""What is read of an answer: every tier's lines, however a model dresses them."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.llm.prompts.prompt_files import MEMORY_PASS, MEMORY_TASKS, load_prompts
from app.memory.reading.answers import MOST_ENTRIES, read_answer
from app.memory.records import (
    ARC,
    EPISTEMIC_TYPES,
    FEELING,
    LEDGER_FIELDS,
    LONG_TERM_TYPES,
    SESSION_TYPES,
    Expiration,
    Tier,
)
from app.memory.tiers.claims import Claim, ClaimedEnd, Mention

WORDS = [
    "Kael",
    "took",
    "the",
    "iron",
    "ring",
    "from",
    "the",
    "flooded",
    "vault",
    "before",
    "dawn",
    "and",
    "nobody",
    "saw",
    "it",
]
NAMES = ("Kael", "Jean-Luc", "Ysolde of Marn", "O'Hara", "D.P.", "Ann", "李明", "Мария")
WHOLE_ANSWER = """[fact:3:permanent:sources=1,2:entity=Kael/character,Ys/place] Kael was born in Ys.
[detail:2:session:sources=4] Kael left the ring under the third stair.
[feels:sources=3] Kael -> Ann: warm(high), !wary
[arc:sources=3] Will Kael find the way out?
[resolved:sources=9] 2 | Ann gave the ring back
[state:Kael:character:sources=4] location=the vault | injuries=-
[knows:sources=5:by=Ann:via=told] Kael | that the vault floods | Ann told Kael so.
[hiding:sources=5] Ann from Kael | that she has the key
[retire:sources=7] 1, 3
"""
NOISE = (
    "Here are the memories:",
    "## Long-term memory",
    "```",
    "```text",
    "---",
    "***",
    "",
    "   ",
    "I hope this helps!",
    "Let me know if more is needed.",
    "**Session memories:**",
    "[1] Kael: I never said that.",
    "<notes>",
    "\nKael walks on.",
    "1. Nothing else happened.",
    "[thought:2] The user wants notes.",
    "- The story goes on.",
    "> Quoted.",
)


def rendered(claim: Claim) -> str:
    """The line that our prompts ask for."""
    cited = f":sources={','.join(map(str, claim.sources))}" if claim.sources else ""
    if claim.tier in (Tier.LONG_TERM, Tier.SESSION):
        named = ",".join(f"{mention.name}/{mention.type}" for mention in claim.entities)
        entity = f":entity={named}" if named else ""
        triggers = f":triggers={','.join(claim.triggers)}" if claim.triggers else ""
        tag = f"{claim.type}:{claim.importance}:{claim.expiration}{cited}{entity}{triggers}"
        return f"[{tag}] {claim.text}"
    if claim.tier is Tier.RELATIONSHIPS:
        felt = f"{claim.text}({claim.magnitude})"
        return f"[feels{cited}] {claim.subject} -> {claim.target}: {felt}"
    if claim.tier is Tier.ARCS:
        return f"[arc{cited}] {claim.text}"
    if claim.tier is Tier.STATE_LEDGER:
        return f"[state:{claim.subject}:{claim.type}{cited}] {claim.field}={claim.text}"
    told = f":by={claim.told_by}" if claim.told_by else ""
    via = f":via={claim.channel}" if claim.channel else ""
    holder = f"{claim.subject} from {claim.target}" if claim.target else claim.subject
    detail = f" | {claim.detail}" if claim.detail else ""
    return f"[{claim.type}{cited}{told}{via}] {holder} | {claim.text}{detail}"


names = st.sampled_from(NAMES)
sources = st.lists(st.integers(0, 99), max_size=4, unique=True).map(tuple)
sentences = st.builds(
    lambda words, mark: " ".join(words) + mark,
    st.lists(st.sampled_from(WORDS), min_size=4, max_size=12),
    st.sampled_from(["", ".", "!", "?", " (twice)", ": so they say.", ', "or so".']),
)
character = st.builds(lambda name: (Mention(name, "character"),), names)


@st.composite
def claims(draw: st.DrawFn) -> Claim:
    """Claims of every tier, as reading makes them."""
    tier = draw(st.sampled_from(Tier))
    cited = draw(sources)
    subject, target = draw(st.lists(names, min_size=2, max_size=2, unique=True))
    if tier in (Tier.LONG_TERM, Tier.SESSION):
        return Claim(
            tier,
            draw(st.sampled_from(LONG_TERM_TYPES if tier is Tier.LONG_TERM else SESSION_TYPES)),
            draw(sentences),
            importance=draw(st.integers(1, 3)),
            expiration=draw(st.sampled_from(Expiration)),
            entities=draw(
                st.lists(
                    st.builds(Mention, names, st.sampled_from(["character", "place", "unknown"])),
                    max_size=3,
                    unique_by=lambda mention: mention.name,
                ).map(tuple)
            ),
            triggers=draw(st.sampled_from([(), ("bees",), ("flood", "iron key")])),
            sources=cited,
        )
    if tier is Tier.RELATIONSHIPS:
        return Claim(
            tier,
            FEELING,
            draw(st.sampled_from(["warm", "ill-at-ease", "in awe", "grateful"])),
            subject=subject,
            target=target,
            magnitude=draw(st.sampled_from(["low", "medium", "high"])),
            entities=(Mention(subject, "character"), Mention(target, "character")),
            sources=cited,
        )
    if tier is Tier.ARCS:
        return Claim(tier, ARC, "Whether " + draw(sentences), sources=cited)
    if tier is Tier.STATE_LEDGER:
        kind = draw(st.sampled_from(sorted(LEDGER_FIELDS)))
        return Claim(
            tier,
            kind,
            draw(sentences),
            subject=subject,
            field=draw(st.sampled_from(LEDGER_FIELDS[kind])),
            entities=(Mention(subject, kind),),
            sources=cited,
        )
    state = draw(st.sampled_from(EPISTEMIC_TYPES))
    return Claim(
        tier,
        state,
        "that " + draw(sentences),
        subject=subject,
        target=target if state == "hiding" else "",
        detail=draw(st.sampled_from(["", "Ann told Kael at the gate."])),
        told_by=draw(st.sampled_from(["", "Ann"])),
        channel=draw(st.sampled_from(["", "saw", "told", "overheard", "read", "inferred"])),
        entities=(Mention(subject, "character"),),
        sources=cited,
    )


@given(claims())
def test_a_rendered_claim_reads_back_as_itself(claim: Claim) -> None:
    answer = read_answer(rendered(claim))
    assert answer.claims == (claim,)
    assert not answer.ends
    assert not answer.skipped


@given(
    st.lists(claims(), min_size=1, max_size=5, unique_by=rendered),
    st.lists(st.tuples(st.integers(0, 5), st.sampled_from(NOISE)), max_size=8),
)
def test_noise_never_changes_what_clean_lines_give(
    said: list[Claim], noise: list[tuple[int, str]]
) -> None:
    clean = [rendered(claim) for claim in said]
    lines = list(clean)
    for place, line in noise:
        lines.insert(place, line)
    noisy = read_answer("\n".join(lines))
    assert noisy.claims == read_answer("\n".join(clean)).claims
    assert not noisy.ends


@given(
    claims(),
    st.sampled_from(
        ["{}", " - {}", "* {}", "3. {}", "12) {}", "**{}**", "> {}", "`{}`", "• **{}**", "→ {}"]
    ),
)
def test_what_stands_around_an_entry_changes_nothing(claim: Claim, dress: str) -> None:
    assert read_answer(dress.format(rendered(claim))).claims == (claim,)


@given(claims())
def test_a_claim_that_is_there_already_is_not_taken_twice(claim: Claim) -> None:
    assert read_answer(f"{rendered(claim)}\n{rendered(claim)}").claims == (claim,)


@given(st.text(max_size=400) | st.text(alphabet='[]:|=>-!()<,. \nabsetfnok123"*`', max_size=400))
@example("[")
@example("[state::]")
@example("[resolved] |")
@example("[feels] -> : ")
@example("[hiding] from | from |")
@example("\x00\ud800[fact] \u2028")
def test_reading_never_raises(text: str) -> None:
    answer = read_answer(text)
    assert not (answer.is_none and (answer.claims or answer.ends))


@pytest.mark.parametrize(
    "unit",
    [
        "[" * 1000,
        "[fact:" * 200,
        "[fact:sources=1," * 100 + "\n",
        "A -> " * 300 + "\n",
        "A->B:" + "x(" * 500 + "\n",
        "[state:A:character] " + "mood=" * 400 + "\n",
        "[state:A:character] " + "mood=a," * 400 + "\n",
        "[state:",
        " from" * 300,
        "[hiding] " + "a from " * 300 + "| x\n",
        "[knows] A thinks " * 80 + "\n",
        "[retire] " + "1," * 900 + "\n",
        "[resolved] " + "1 and " * 300 + "\n",
        "[fact:2:sources=1] fine and good\n",
        "-" * 999 + " ",
        "<" * 999,
        "(sources " * 200,
        "*_ \t" * 300,
        "\n",
        "a\u0301" * 500,
        "[fact:2:sources=1] " + "(" * 900 + "\n",
        '"' * 999 + "\n",
    ],
)
def test_a_megabyte_of_garbage_is_read_in_no_time(unit: str) -> None:
    hostile = unit * (1_000_000 // len(unit))
    begun = time.process_time()
    answer = read_answer(hostile)
    assert time.process_time() - begun < 3
    assert len(answer.claims) <= MOST_ENTRIES
    assert sum(map(len, answer.skipped)) <= 40_000


def test_the_one_pass_answer_gives_every_tier() -> None:
    answer = read_answer(WHOLE_ANSWER)
    assert not answer.skipped
    assert {claim.tier for claim in answer.claims} == set(Tier)
    assert answer.ends == (
        ClaimedEnd(
            Tier.RELATIONSHIPS,
            text="wary",
            subject="Kael",
            target="Ann",
            type=FEELING,
            sources=(3,),
        ),
        ClaimedEnd(Tier.ARCS, (2,), type=ARC, resolution="Ann gave the ring back", sources=(9,)),
        ClaimedEnd(
            Tier.STATE_LEDGER, subject="Kael", field="injuries", type="character", sources=(4,)
        ),
        ClaimedEnd(Tier.EPISTEMIC, (1, 3), sources=(7,)),
    )


@pytest.mark.parametrize("tier", Tier)
def test_entries_of_other_tiers_are_skipped(tier: Tier) -> None:
    answer = read_answer(WHOLE_ANSWER, {tier})
    assert {one.tier for one in answer.claims} | {one.tier for one in answer.ends} == {tier}
    assert answer.skipped


@pytest.mark.parametrize(
    "text",
    [
        *("NONE", "none", "NONE.", "None", " - NONE", "**NONE**", "[NONE]", "```\nNONE\n```"),
        *("NONE (nothing new)", "There is nothing new.\n\nNONE", "[fact] NONE", '"NONE"'),
        *("Long-term:\nNONE\nSession:\nNONE",),
    ],
)
def test_none_says_that_there_is_nothing(text: str) -> None:
    answer = read_answer(text)
    assert answer.is_none
    assert answer.is_usable
    assert not answer.claims


@pytest.mark.pitfall(37)
def test_none_of_one_kind_does_not_hide_the_others() -> None:
    answer = read_answer("NONE\n[arc:sources=1] Will Kael find the way?")
    assert len(answer.claims) == 1
    assert not answer.is_none


@pytest.mark.parametrize("text", ["", "  \n", "None of them came.", "I cannot help with that."])
def test_an_answer_that_says_nothing_is_of_no_use(text: str) -> None:
    assert not read_answer(text).is_usable


def test_lines_that_are_no_entry_are_reported_but_not_headings() -> None:
    answer = read_answer("## Facts\nFacts:\n---\nSure, here they are!\n[fact] The king is dead\n")
    assert answer.skipped == ("Sure, here they are!",)


@pytest.mark.parametrize("task", [MEMORY_PASS, *MEMORY_TASKS])
def test_a_prompt_that_is_copied_into_the_answer_says_nothing(task: str) -> None:
    prompt = load_prompts()[task]
    answer = read_answer(f"{prompt.system}\n{prompt.user}")
    assert not answer.claims
    assert not answer.ends


@pytest.mark.parametrize("cited", ["sources=3", "sources: 3", "source: [3]", "Sources : 3"])
def test_a_citation_is_read_with_a_colon_as_with_an_equals_sign(cited: str) -> None:
    (claim,) = read_answer(f"[arc:{cited}] Will the bell ring before the tide comes in?").claims
    assert claim.sources == (3,)
