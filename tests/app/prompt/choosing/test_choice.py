"""What the prompt tells is chosen by what each line adds, and by what holds now."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from app.memory.records import DocumentKind, Ending, EndReason, Memory, Source, Tier
from app.prompt.choosing.choice import by_gain, for_scarce_room, with_floors
from app.prompt.choosing.drafts import Draft, Entry, dealt_out
from app.prompt.generation import Turn
from app.prompt.room import floors_in
from app.prompt.slots import Reason, SlotSet
from app.settings.slot_table import SlotName
from app.story.recaps import RunningRecap, RunningVersion, SceneRecap
from app.story.scenes import BreakOrigin, SceneBreak, scenes_of
from app.story.story import ChatKind, Story
from tests.app.prompt.remembered import (
    CHAT,
    COUNTER,
    document,
    memory,
    prompt,
    story,
    text_of,
    whole,
)

GROUP = ChatKind.GROUP
KILLED = "Odo poisoned the old duke at the winter feast"


def secret(**values: Any) -> Memory:
    """What Odo hides from Vera."""
    fields: dict[str, Any] = {
        "type": "hiding",
        "subject": "Odo",
        "target": "Vera",
        "id": "secret",
    } | values
    return memory(f"that {KILLED}", Tier.EPISTEMIC, **fields)


def left_out(slots: SlotSet, reason: Reason) -> set[str]:
    return {one.memory for c in slots.contents for one in c.left_out if one.reason is reason}


def test_of_two_lines_that_say_the_same_the_second_waits() -> None:
    lines = ("Odo hid the ledger in the mill.", "Odo hid his ledger in the mill.", "Vera limps.")
    entries = tuple(Entry(text, (n,)) for n, text in enumerate(lines))
    (draft,) = by_gain([Draft(SlotName.SESSION, entries, "", "{{x}}")])
    assert [entry.place[0] for entry in draft.entries][-1] in (0, 1)
    assert draft.entries[-1].gain < draft.entries[0].gain


def test_what_another_slot_tells_is_not_told_before_what_nobody_tells() -> None:
    told = memory("Odo hid the ledger under the mill wheel.", importance=3)
    again = memory(
        "Odo hid his ledger under the wheel of the mill.", Tier.SESSION, type="detail", importance=3
    )
    other = memory("Vera carries a cracked brass compass.", Tier.SESSION, type="detail")
    newest = memory("Rain falls on both of them.", Tier.SESSION, type="detail", at=3)
    tight: dict[str, Any] = {
        "budget_mode": "advanced",
        "budgets_adaptive": False,
        "budget_session": 38,
    }
    text = text_of(
        prompt([told, again, other, newest], slots_head_every=0, **tight), SlotName.SESSION
    )
    assert "compass" in text
    assert "wheel" not in text


def test_what_is_told_already_in_other_words_waits_for_whatever_is_new() -> None:
    """Half of a small prompt told once more what its recap told, in the words of a memory."""
    recap = "Vera admitted that she took the brass compass from the safe when the screens died."
    entries = (
        Entry("She took the brass compass from the safe when the screens died.", (0,)),
        Entry("Odo limps on the left.", (1,), worth=0.15),
    )
    (draft,) = by_gain([Draft(SlotName.SESSION, entries, "", "{{x}}")], [recap])
    assert [entry.place[0] for entry in draft.entries] == [1, 0]
    (alone,) = by_gain([Draft(SlotName.SESSION, entries, "", "{{x}}")])
    assert [entry.place[0] for entry in alone.entries] == [0, 1]


@pytest.mark.real_model(5)
def test_the_scene_now_is_told_by_what_is_of_now() -> None:
    """Details of the story's first quarter stood under "The scene now" at its end."""
    of = story(*(f"Line {n} of the day." for n in range(80)))
    old = [
        memory(f"Something old {kind}.", Tier.SESSION, type=kind, at=n, hash="")
        for n, kind in enumerate(("scene", "development", "detail", "revelation"))
    ]
    new = memory("They stand on the bridge.", Tier.SESSION, type="scene", at=78, hash="")
    text = text_of(prompt([*old, new], of=of), SlotName.SESSION)
    now = text.partition("\n\n")[0]
    assert "bridge" in now
    assert "Something old" not in now


@pytest.mark.real_model(5)
def test_what_was_overtaken_steps_back_behind_what_holds() -> None:
    """The long-term slot told where a thing was put, and not that it was taken back."""
    placed = memory("Odo laid the silver ring into the well.", importance=3, id="placed")
    by = Source(CHAT, "m2", "")
    was = memory(
        "the well", Tier.STATE_LEDGER, type="object", subject="silver ring", field="location"
    )
    was = replace(was, endings=(Ending(EndReason.SUPERSEDED, sources=(by,)),))
    back = memory("Vera fetched the ring back from down there.", id="back", at=2, hash="")
    tight: dict[str, Any] = {
        "budget_mode": "advanced",
        "budgets_adaptive": False,
        "budget_long": 22,
    }
    slots = prompt([placed, was, back], slots_head_every=0, **tight)
    assert text_of(slots, SlotName.LONG).endswith("Vera fetched the ring back from down there.")


def test_a_word_that_is_rare_in_what_was_said_gives_a_secret_away() -> None:
    """Of "forged the order" half of the memories had the one word, and each message the other."""
    of = story(*(f"An order is an order, on day {n}." for n in range(30)), kind=GROUP)
    hidden = replace(secret(hash=""), text="that Odo forged the order")
    forged = ("the seal", "a coin", "the map", "a letter", "the will", "a pass", "two keys")
    known = [memory(f"Somebody forged {what}.", hash="", id=what) for what in forged]
    line = memory("Midge overheard Odo confess the forgery aloud.", hash="", id="line")
    slots = prompt([hidden, line, *known], of=of, turn=Turn("Vera"), is_indexed=True)
    assert left_out(slots, Reason.UNKNOWN) == {"line"}


@pytest.mark.parametrize("tier", [Tier.LONG_TERM, Tier.SESSION, Tier.ARCS])
@pytest.mark.real_model(9)
def test_no_slot_tells_the_one_who_answers_what_is_hidden_from_them(tier: Tier) -> None:
    line = memory(f"At the winter feast {KILLED} with wine.", tier, id="line")
    slots = prompt([secret(), line], of=story(kind=GROUP), turn=Turn("Vera"))
    assert "poisoned" not in whole(slots).replace(f"Vera does not know that {KILLED}", "")
    assert left_out(slots, Reason.UNKNOWN) == {"line"}
    keeper = whole(prompt([secret(), line], of=story(kind=GROUP), turn=Turn("Odo")))
    assert "with wine" in keeper


@pytest.mark.parametrize("has_members", [True, False])
def test_a_text_for_whoever_of_a_group_answers_tells_only_what_each_may_know(
    has_members: bool,
) -> None:
    """SillyTavern did not wait, and Vera got what had been made for nobody in particular."""
    of = with_scene(story(kind=GROUP), f"{KILLED}. Vera slept.")
    if not has_members:
        of = replace(of, chat=replace(of.chat, speakers=()))
    line = memory(f"At the winter feast {KILLED} with wine.", id="line")
    seen = memory("Odo counted the silver.", id="seen", witnessed_by=("Odo",))
    told = [secret(), line, seen, memory("Rain fell on the harbour.", id="rain")]
    text = whole(prompt(told, of=of))
    assert "poisoned" not in text
    assert "silver" not in text
    assert "Rain fell" in text
    assert "Vera slept" in text
    assert "silver" in whole(prompt(told, of=of, turn=Turn("Odo")))


@pytest.mark.real_model(9)
def test_what_was_heard_of_a_secret_is_no_line_either() -> None:
    """Vera's prompt told beside what she did not know, marked as heard from others."""
    line = memory(f"At the winter feast {KILLED} with wine.", id="line", witnessed_by=("Odo",))
    rain = memory("Rain fell on the harbour.", id="rain", witnessed_by=("Odo",))
    told = [secret(), line, rain]
    text = whole(prompt(told, of=story(kind=GROUP), turn=Turn("Vera"), secondhand_marked=True))
    assert "with wine" not in text
    assert "[secondhand] Rain fell" in text


@pytest.mark.real_model(9)
def test_no_text_of_a_slot_tells_a_secret() -> None:
    of = with_scene(story(kind=GROUP), f"{KILLED}. Vera slept.")
    feels = memory(f"afraid since {KILLED}", Tier.RELATIONSHIPS, subject="Vera", target="Odo")
    value = memory(KILLED, Tier.STATE_LEDGER, type="place", subject="hall", field="damage")
    documents = [
        document(
            DocumentKind.PROFILE, "", subject="Vera", sections={"world_state": f"past: {KILLED}"}
        ),
        document(DocumentKind.SUMMARY, f"{KILLED}. Vera came by sea.", until="m1"),
    ]
    told = {
        name: whole(prompt([secret(), feels, value], of=of, documents=documents, turn=Turn(name)))
        for name in ("Odo", "Vera")
    }
    assert told["Odo"].count("poisoned") > 3
    marked = f"Vera does not know that {KILLED}"
    assert "poisoned" not in told["Vera"].replace(marked, "")
    assert "Vera slept" in told["Vera"]
    assert "came by sea" in told["Vera"]


@pytest.mark.parametrize("total", [None, 1000, 60])
@pytest.mark.real_model(9)
def test_what_the_user_hides_from_the_only_character_is_in_none_of_its_slots(
    total: int | None,
) -> None:
    """The line that marks it as hidden was cut for want of room, and the plain fact stayed."""
    kin = "the ferryman is the father of Vera"
    hidden = memory(f"that {kin}", Tier.EPISTEMIC, type="hiding", subject="You", target="Vera")
    fact = memory(f"By an old letter {kin}.", importance=3, id="fact")
    canon = document(DocumentKind.CANON, f"By birth {kin}. Vera guards the gate.", subject="Vera")
    slots = prompt([hidden, fact], documents=[canon], turn=Turn("Vera"), total=total)
    marked = f"Vera does not know that {kin}"
    assert "father" not in whole(slots).replace(marked, "")
    if total != 60:
        assert marked in whole(slots)
        assert "guards the gate" in whole(slots)


@pytest.mark.real_model(9)
def test_recap_and_canon_tell_no_secret_either() -> None:
    of = story(running=f"DEVELOPMENTS\n{KILLED}.\nVera came home.", kind=GROUP)
    canon = document(DocumentKind.CANON, f"{KILLED}. Vera grew up in the mill.", subject="Vera")
    text = whole(
        prompt([secret()], of=of, documents=[canon], turn=Turn("Vera"), epistemic_unaware=False)
    )
    assert "poisoned" not in text
    assert "came home" in text
    assert "grew up" in text


@pytest.mark.real_model(9)
def test_what_somebody_does_not_know_says_so_in_its_own_line() -> None:
    unaware = memory(f"that {KILLED}", Tier.EPISTEMIC, type="unaware", subject="Vera")
    text = text_of(prompt([unaware], of=story(kind=GROUP), turn=Turn("Vera")), SlotName.EPISTEMIC)
    assert text == f"- Vera does not know that {KILLED}"


def test_what_they_learned_is_no_secret_any_more() -> None:
    learned = memory(f"that {KILLED}", Tier.EPISTEMIC, type="knows", subject="Vera", id="knows")
    line = memory(f"At the winter feast {KILLED} with wine.", id="line")
    text = whole(prompt([secret(), learned, line], of=story(kind=GROUP), turn=Turn("Vera")))
    assert "with wine" in text


def with_scene(of: Story, text: str) -> Story:
    """With a scene of two messages, and this its recap."""
    breaks = {"m1": SceneBreak("m1", BreakOrigin.HAND)}
    recaps: dict[str, tuple[SceneRecap, ...]] = {
        "m1": (SceneRecap("m1", 0, "", text, "", "model", 1.0),)
    }
    return replace(of, recaps=recaps, breaks=breaks, scenes=scenes_of(of.messages, breaks))


def with_versions(length: int) -> Story:
    """A story of scenes of ten messages, each folded in, with a version for each."""
    of = story(*(f"Line {n} of the day." for n in range(length)))
    ends = range(9, length - 1, 10)
    breaks = [SceneBreak(f"m{end}", BreakOrigin.HAND) for end in ends]
    versions = tuple(
        RunningVersion(
            number,
            "DEVELOPMENTS\n"
            + "\n".join(f"Deed {n}." for n in range(number + 1))
            + f"\n\nSTATE\nVera is at place {number}.",
            number + 1,
            f"m{end - 10}" if number else "",
            f"m{end}",
            "model",
            1.0,
        )
        for number, end in enumerate(ends)
    )
    scenes = scenes_of(of.messages, {b.anchor: b for b in breaks})
    return replace(of, running=RunningRecap(versions, len(versions) - 1), scenes=scenes)


def test_scenes_are_told_where_nothing_is_remembered() -> None:
    of = with_versions(30)
    recaps: dict[str, tuple[SceneRecap, ...]] = {
        "m19": (SceneRecap("m19", 0, "", "Vera slept.", "", "model", 1.0),)
    }
    of = replace(of, recaps=recaps, running=RunningRecap())
    assert "Vera slept." in text_of(prompt(of=of), SlotName.SCENES)
    assert not text_of(prompt(of=of, scenes_enabled=False), SlotName.SCENES)


def test_a_recap_in_the_markdown_of_another_extension_is_told_in_plain_words() -> None:
    markdown = (
        "## Current situation\nVera is at the **inn**.\n\n## Key developments\n- **Vera** slept.\n"
        "* It rained.\n## Pending threads\n- Who took it?"
    )
    recaps: dict[str, tuple[SceneRecap, ...]] = {
        "m19": (SceneRecap("m19", 0, "", markdown, "", "model", 1.0),)
    }
    of = replace(with_versions(30), recaps=recaps, running=RunningRecap())
    told = text_of(prompt(of=of), SlotName.SCENES)
    assert told.splitlines()[1].endswith(": Vera slept. It rained.")


def test_a_scene_that_the_running_recap_covers_is_not_told_again_in_other_words() -> None:
    of = with_versions(60)
    recaps: dict[str, tuple[SceneRecap, ...]] = {
        scene.closing.anchor: (
            SceneRecap(scene.closing.anchor, 0, "", f"Told anew {scene.number}.", "", "model", 1.0),
        )
        for scene in of.scenes
        if scene.closing is not None
    }
    held = [memory("Vera is tall.")]
    before = replace(of, recaps=recaps, running=replace(of.running, current_version=2))
    text = text_of(prompt(held, of=before), SlotName.SCENES)
    assert [n for n in range(1, 7) if f"Told anew {n}." in text] == [4, 5]
    off = text_of(prompt(held, of=before, running_recap_enabled=False), SlotName.SCENES)
    assert "Told anew 3." in off


@pytest.mark.real_model(10)
def test_the_recap_tells_what_happened_before_the_messages_that_are_sent() -> None:
    """With a context of 16,000 it told again what stood below it, word for word."""
    of = with_versions(60)
    tokens = of.message_tokens[0]
    sent = Turn(context=2 * 25 * tokens)  # half of it is taken to be the chat's
    text = prompt(of=of, turn=sent).slots[0].text
    assert "Deed 3." in text
    assert "Deed 4." not in text
    assert "Vera is at place 4." in text
    everything = prompt(of=of).slots[0].text
    assert "Deed 4." in everything


def test_the_recap_never_goes_behind_what_the_user_wrote() -> None:
    of = with_versions(60)
    *others, last = of.running.versions
    edited = replace(last, version=5, content="DEVELOPMENTS\nMine.", made_by="you", reason="edit")
    of = replace(of, running=RunningRecap((*others, last, edited), 5))
    sent = Turn(context=2 * 25 * of.message_tokens[0])
    assert "Mine." in prompt(of=of, turn=sent).slots[0].text


def test_a_false_belief_is_told_without_the_truth_about_it() -> None:
    belief = memory(
        "that the duke died of fever",
        Tier.EPISTEMIC,
        type="believes",
        subject="Vera",
        detail=f"that the duke died of fever; in truth {KILLED}",
    )
    text = whole(prompt([secret(), belief], of=story(kind=GROUP), turn=Turn("Vera")))
    assert "- that the duke died of fever" in text
    assert "in truth" not in text


@pytest.mark.real_model(6)
def test_the_telling_goes_before_what_all_others_say_too() -> None:
    """Words that memories share made a memory rank high, so the general outranked the telling."""
    general = [
        memory(text, id=f"g{n}")
        for n, text in enumerate(
            (
                "Vera and Odo walk through the harbour town.",
                "Vera and Odo talk in the harbour town.",
                "Vera walks with Odo and they talk.",
            )
        )
    ]
    telling = memory("Vera owes Madame Quist forty crowns.", id="t")
    tight: dict[str, Any] = {
        "budget_mode": "advanced",
        "budgets_adaptive": False,
        "budget_long": 24,
    }
    text = text_of(prompt([*general, telling], slots_head_every=0, **tight), SlotName.LONG)
    assert "forty crowns" in text


@pytest.mark.real_model(10)
def test_the_scene_now_is_not_told_by_what_the_messages_of_the_prompt_say() -> None:
    """It said first of all what stood a few lines below it."""
    of = story(*(f"Line {n} of the day." for n in range(80)))
    of = replace(of, message_tokens=(60,) * 80)
    seen = memory("They stand on the bridge.", Tier.SESSION, type="scene", at=79, hash="")
    told = [memory(f"Fact {n} of the old harbour.", id=f"{n}", hash="") for n in range(40)]
    shared = text_of(prompt([seen, *told], of=of, total=2000), SlotName.SESSION)
    alone = text_of(prompt([seen, *told], of=of), SlotName.SESSION)
    assert alone.startswith("The scene now:")
    assert "The scene now:" not in shared


TIGHT: dict[str, Any] = {
    "budget_mode": "advanced",
    "budgets_adaptive": False,
    "budgets_lend": False,
}


@pytest.mark.real_model(5)
def test_of_two_details_the_one_of_now_is_told_first() -> None:
    """Of a long story the details of its first quarter were told at its end."""
    of = story(*(f"Line {n} of the day." for n in range(80)))
    fields: dict[str, Any] = {"type": "detail", "hash": ""}
    old = memory("The barn lost its door.", Tier.SESSION, at=3, importance=3, **fields)
    new = memory("The mill lost its roof.", Tier.SESSION, at=55, **fields)
    newest = memory("The hut lost its lamp.", Tier.SESSION, at=79, **fields)
    slots = prompt([old, new, newest], of=of, **TIGHT)
    (content,) = (c for c in slots.contents if c.key == SlotName.SESSION.key)
    assert content.shown == (newest.id, new.id, old.id)


@pytest.mark.real_model(10)
def test_what_the_sent_messages_do_not_say_is_told_first() -> None:
    of = story(*(f"Line {n} of the day." for n in range(80)))
    of = replace(of, message_tokens=(60,) * 80)
    unseen = memory("The mill lost its whole roof.", Tier.SESSION, type="detail", at=30, hash="")
    seen = memory("Odo limps a bit.", Tier.SESSION, type="detail", at=79, hash="")
    slots = prompt([unseen, seen], of=of, turn=Turn(context=4000), **TIGHT)
    (content,) = (c for c in slots.contents if c.key == SlotName.SESSION.key)
    assert content.shown == (unseen.id, seen.id)


@pytest.mark.real_model(6)
def test_in_scarce_room_the_long_term_slot_tells_first_what_is_spoken_of() -> None:
    """Its order went by what a memory is worth at all, whatever was being asked for."""
    entries = (
        Entry("Pinned.", (0,), memory="pinned", rank=0, gain=0.5),
        Entry("Weighty.", (1,), memory="weighty", rank=2, gain=1.5),
        Entry("Spoken of.", (2,), memory="spoken", rank=2, gain=1.0),
        Entry("Beyond its budget.", (3,), memory="beyond", rank=2, gain=1.4),
    )
    drafts = [Draft(SlotName.LONG, entries, "", "{{x}}")]
    (told,) = for_scarce_room(
        drafts, {SlotName.LONG: 3}, ["spoken", "beyond"], has_notes_first=False
    )
    assert [e.memory for e in told.entries] == ["pinned", "spoken", "weighty", "beyond"]
    assert told.entries[1].gain > told.entries[2].gain, "so that it outlasts other slots' lines"


@pytest.mark.real_model(6)
def test_of_what_is_called_up_the_most_spoken_of_comes_before_the_weightiest() -> None:
    """What a memory is worth by itself decided, and not what was being spoken of."""
    told = [memory(f"Fact {n} of the old harbour.", id=f"{n}", hash="") for n in range(40)]
    stung = ("wasp", "sting", "poison")
    bees = memory("Vera dreads all bees.", id="bees", hash="", triggers=stung)
    honey = memory("Odo keeps old honey.", id="honey", hash="", importance=3, triggers=("wasp",))
    of = story("It rains.", "All wait.", "They wait.", "A wasp! Its sting is full of poison.")
    slots = prompt([*told, honey, bees], of=of, **TIGHT, budget_long=1, budget_triggered=300)
    (content,) = (c for c in slots.contents if c.key == SlotName.TRIGGERED.key)
    assert content.shown[0] == "bees"
    assert "honey" in content.shown


def test_the_moment_decides_which_values_are_told() -> None:
    """A lantern that burnt in another scene was told, and not whose neck the key hung from."""
    lines = [*(f"Line {n} of the day." for n in range(30)), "Whose neck is it around now?"]
    values = [
        memory(value, Tier.STATE_LEDGER, type="object", subject=thing, field=field, at=at, hash="")
        for thing, field, value, at in (
            ("Brass key", "location", "around the neck of Vera", 20),
            ("Violet lantern", "status", "burning bright in the far window", 21),
        )
    ]
    of = story(*lines)
    tight: dict[str, Any] = {
        "budget_mode": "advanced",
        "budgets_adaptive": False,
        "budget_state_ledger": 22,
    }
    text = text_of(prompt(values, of=of, is_indexed=True, **tight), SlotName.STATE_LEDGER)
    assert "neck" in text
    assert "burning" not in text


def test_what_one_feels_for_whom_one_talks_to_hardly_waits() -> None:
    """A reply was written without a word of what its writer felt, in a prompt of many notes."""
    notes = tuple(Entry(f"Fact {n} of the old harbour", (n,), gain=1.5) for n in range(40))
    felt = (Entry("grateful(high)", (0,), row="v", head="Vera→You: ", gain=0.4),)
    drafts = (Draft(SlotName.LONG, notes, "", "{{x}}"), Draft(SlotName.RELATIONSHIPS, felt, "", ""))
    fitting = {draft.name: len(draft.entries) for draft in drafts}
    budgets = dict.fromkeys(fitting, 400)

    def told(given: tuple[Draft, ...]) -> int:
        return dealt_out(given, fitting, budgets, 120, COUNTER.count)[SlotName.RELATIONSHIPS]

    assert told(drafts) == 0
    assert told(with_floors(drafts, floors_in(2000))) == 1


def test_a_line_costs_its_beginning_too() -> None:
    long_head = "The honourable Lady Amaranthe of Upper Quay (character): "
    entries = (
        Entry("mood: calm now", (0,), row="a", head=long_head),
        Entry("mood: tense now", (1,), row="b", head="Bo: "),
    )
    (draft,) = by_gain([Draft(SlotName.STATE_LEDGER, entries, "", "{{x}}")], [long_head, "Bo"])
    assert [entry.place[0] for entry in draft.entries] == [1, 0]


LAMPS = "red blue green brass iron tall low bent old new"
DOORS = "oak elm ash lime fir pine larch birch beech yew"


def test_the_newest_scene_is_told_as_the_running_recap_is_that_does_not_reach_it() -> None:
    """The turn of a story stood in the last scene's recap, of which a small prompt told a line."""
    turn = (
        "Odo threw the crown of the ferry king into the furnace.",
        "Vera swore before the assembled harbour that she was his daughter.",
        "The bailiff let the smugglers go for a barrel of tar.",
        "Midge burned the ledger with every debt of the quarter.",
    )
    of = with_versions(60)
    closing = of.scenes[4].closing
    assert closing is not None
    recap = SceneRecap(closing.anchor, 0, "", "\n".join(turn), "", "model", 1.0)
    of = replace(of, recaps={closing.anchor: (recap,)})
    of = replace(of, running=replace(of.running, current_version=2))
    old = [memory(f"Old matter {n} of quay {n} and rope {n}.", at=n) for n in range(1, 20)]
    details = [
        memory(f"The {lamp} lamp hangs by the {door} door.", Tier.SESSION, type="detail", at=n)
        for n, (lamp, door) in enumerate(zip(LAMPS.split(), DOORS.split(), strict=True), 1)
    ]
    told = prompt([*old, *details], of=of, total=300)
    assert sum(line in text_of(told, SlotName.SCENES) for line in turn) == len(turn)


def test_what_the_moment_calls_up_of_messages_that_the_prompt_holds_comes_last() -> None:
    """The last messages called up what had been noted of them, before what nobody could read."""
    lines = [f"Line {n} of the long day on the quay, with rain on the water." for n in range(60)]
    lines[58] = "Vera paints the lantern green and hangs the lantern on the ferry."
    lines[59] = "“Where did the lantern come from?” asks Odo."
    hidden = memory("Odo hid the brass lantern below the third stair.", at=40, hash="")
    shown = memory("Vera painted the lantern green and hung it on the ferry.", at=58, hash="")
    told = prompt([shown, hidden], of=story(*lines), turn=Turn(context=400))
    (called,) = (one for one in told.contents if one.key == SlotName.TRIGGERED.key)
    assert called.shown == (hidden.id, shown.id)
