"""What a recap tells in the prompt is not told by a memory as well."""

from __future__ import annotations

from dataclasses import replace

from app.languages import load_packs
from app.memory.records import Tier
from app.prompt.choosing.drafts import Draft, Entry
from app.prompt.choosing.retold import behind_what_is_shown, without_retold
from app.prompt.slots import Reason
from app.recall.words import Words
from app.settings.slot_table import SlotName
from tests.app.prompt.remembered import memory, prompt, story, text_of

GERMAN = "Der Müller und die Magd gingen mit dem Korb in die Stadt, und es war spät."
WORDS = Words(load_packs(), "The miller was there, and she went with him to the town.")
RECAP = "Vera showed Odo a light far over the sand, one long and two short, put out years ago."
AGAIN = "Vera saw a light low over the sand, one long and two short, that was put out years ago."
OTHER = "Odo lent Vera his cracked compass against forty silver marks at the ferry."


def of_entries(*texts: str, name: SlotName = SlotName.LONG) -> Draft:
    return Draft(
        name, tuple(Entry(text, (n,), memory=text) for n, text in enumerate(texts)), "", ""
    )


def kept(draft: Draft, *lines: str, words: Words = WORDS) -> list[str]:
    return [entry.text for entry in without_retold(draft, lines, words).entries]


def test_a_memory_that_a_recap_tells_is_left_out_with_its_reason() -> None:
    draft = without_retold(of_entries(AGAIN, OTHER), [RECAP], WORDS)
    assert [entry.text for entry in draft.entries] == [OTHER]
    assert [(one.text, one.reason) for one in draft.left_out] == [(AGAIN, Reason.ELSEWHERE)]


def test_the_same_in_other_forms_of_its_words() -> None:
    words = Words(load_packs(), GERMAN)
    recap = "Jonas verlangte vom Müller dreihundert Taler für das Zerlegen des Werks."
    again = "Jonas verlangt dreihundert Taler, wenn er dem Müller das Werk zerlegt."
    assert kept(of_entries(again), recap, words=words) == []


def test_a_memory_that_tells_much_more_stays() -> None:
    more = (
        "The light over the sand that Vera saw is a wreckers' lantern: Odo's uncle hung it there "
        "each winter, was paid by the harbour master, and drowned three crews with it."
    )
    assert kept(of_entries(more), RECAP) == [more]


def test_a_number_alone_makes_no_line_the_same() -> None:
    lines = [f"On day {n} they came to gate {n} of the wall." for n in range(30)]
    facts = [f"Fact {n} of the old harbour town with its high tower." for n in range(30)]
    assert kept(of_entries(*facts), *lines) == facts


def test_an_open_question_is_asked_though_a_recap_speaks_of_it() -> None:
    question = "Why was the light over the sand, one long and two short, put out forty years ago?"
    assert kept(of_entries(question, name=SlotName(Tier.ARCS)), RECAP) == [question]


def test_few_words_are_nobodys_repetition() -> None:
    assert kept(of_entries("Vera limps."), "Vera limps since the winter feast.") == ["Vera limps."]


def value(subject: str, kind: str, label: str, text: str) -> Entry:
    return Entry(f"{label}: {text}", (0,), row=subject, head=f"{subject} ({kind}): ", memory=text)


def test_a_value_that_a_line_tells_by_the_way_is_left_out() -> None:
    line = "The coach goes on Thursday; Vera Holt has the harbour log in her bag."
    carried = value("Vera Holt", "character", "carried items", "the harbour log in her bag")
    hurt = value("Vera Holt", "character", "injuries", "burnt hand")
    draft = Draft(SlotName(Tier.STATE_LEDGER), (carried, hurt), "", "")
    told = without_retold(draft, [line], WORDS)
    assert told.entries == (hurt,)
    assert [(one.text, one.reason) for one in told.left_out] == [
        (
            "Vera Holt (character): carried items: the harbour log in her bag",
            Reason.ELSEWHERE,
        )
    ]
    noted = value(
        "Vera Holt", "character", "condition", "by her own word: in the bag of the harbour"
    )
    only = Draft(SlotName(Tier.STATE_LEDGER), (noted,), "", "")
    assert without_retold(only, [line], WORDS).entries == (noted,)
    other = "Odo has the harbour log in his bag; Vera Holt looks for it."
    assert without_retold(draft, [other.replace("bag", "coat")], WORDS).entries == draft.entries


def test_a_feeling_that_a_portrait_tells_with_its_reason_is_left_out() -> None:
    felt = Entry("tenderness (medium)", (0,), row="a", head="Vera→Odo: ", memory="f")
    draft = Draft(SlotName(Tier.RELATIONSHIPS), (felt,), "", "")
    reason = "Odo: tenderness, grown from low trust; Vera sewed up his hand"
    assert without_retold(draft, [reason], WORDS).entries == ()
    assert without_retold(draft, ["Odo: trust, since Vera sewed up his hand"], WORDS).entries


def test_what_somebody_knows_is_told_once_and_what_they_do_not_know_always() -> None:
    matter = "that the light over the sand, one long and two short, was put out years ago"
    knows, unaware = (Entry(matter, (n,), group=n, memory=f"{n}") for n in (0, 2))
    draft = Draft(SlotName(Tier.EPISTEMIC), (knows, unaware), "", "")
    assert without_retold(draft, [RECAP], WORDS).entries == (unaware,)


def test_the_prompt_tells_it_once() -> None:
    """Half of what a prompt told twice stood in its recap and in a memory."""
    slots = prompt(
        [memory(AGAIN, importance=3), memory(OTHER)], of=story(running=f"DEVELOPMENTS\n{RECAP}")
    )
    assert text_of(slots, SlotName.LONG).count("sand") == 0
    assert "compass" in text_of(slots, SlotName.LONG)


def test_what_the_newest_messages_show_together_steps_back() -> None:
    """Each of the shown messages held a part of the line, and none of them all of it."""
    said = "They carried the crate up. Odo broke the seal of the hold. Inside lay a brass recorder."
    shown = frozenset(WORDS.of(said))
    entries = (
        Entry("Odo broke the seal of the crate and found a brass recorder inside.", (0,)),
        Entry("Vera once sold a brass recorder to the harbour master of Tarn.", (1,)),
    )
    draft = Draft(SlotName.SESSION, entries, "", "{{x}}")
    told = behind_what_is_shown(draft, shown, WORDS, lambda _: 1.0)
    assert [entry.worth < 1 for entry in told.entries] == [True, False]
    questions = replace(draft, name=SlotName(Tier.ARCS))
    assert behind_what_is_shown(questions, shown, WORDS, lambda _: 1.0) == questions


def test_a_running_recap_in_paragraphs_hides_no_values_and_no_feelings() -> None:
    held = [
        memory("cellar", Tier.STATE_LEDGER, subject="Vera", field="location"),
        memory("fond", Tier.RELATIONSHIPS, subject="Vera", target="You"),
        memory("The gate is open."),
    ]
    recap = "The first evening.\n\n- The gate is open."
    alone, beside = prompt(held), prompt(held, of=story(running=recap))
    for name in (SlotName.STATE_LEDGER, SlotName.RELATIONSHIPS):
        assert text_of(alone, name)
        assert text_of(beside, name) == text_of(alone, name)
    assert text_of(alone, SlotName.LONG)
