from app.languages import load_packs
from app.memory.lifecycle.state_change import Wording
from app.memory.records import Grounding, Memory, Tier
from app.memory.standing import Standing, Status
from app.prompt.choosing.corrections import corrected, is_changed

LITTLE = frozenset({"the", "a", "in", "of", "on"})


def value(subject: str, field: str, text: str, at: int, kind: str = "character") -> Standing:
    memory = Memory(
        id=f"{subject} {field}",
        chat=1,
        tier=Tier.STATE_LEDGER,
        type=kind,
        text=text,
        subject=subject,
        field=field,
        grounding=Grounding.DIRECT,
    )
    return Standing(memory, Status.ACTIVE, at)


def test_a_thing_that_lies_elsewhere_since_is_carried_no_longer() -> None:
    carried = value("Odo", "carried_items", "a lamp, the brass key", 3)
    key = value("Brass key", "location", "around Vera's neck", 8, "object")
    assert corrected([carried, key], LITTLE) == {"Odo carried_items": "a lamp"}


def test_a_thing_that_somebody_else_carries_since_is_carried_no_longer() -> None:
    odo = value("Odo", "carried_items", "the brass key", 3)
    vera = value("Vera", "carried_items", "brass key、a rope", 8)
    assert corrected([odo, vera], LITTLE) == {"Odo carried_items": ""}


def test_a_thing_that_somebody_took_is_no_longer_where_it_was() -> None:
    key = value("Brass key", "location", "under the mat", 2, "object")
    odo = value("Odo", "carried_items", "the brass key", 3)
    assert corrected([key, odo], LITTLE) == {"Brass key location": ""}


def test_what_agrees_or_is_older_corrects_nothing() -> None:
    odo = value("Odo Finch", "carried_items", "the brass key, a lamp", 3)
    named = value("Brass key", "location", "in Odo's pocket", 8, "object")
    older = value("Lamp", "location", "on the wall", 3, "object")
    other = value("Vera", "carried_items", "a lamp with a blue shade", 9)
    assert corrected([odo, named, older, other], LITTLE) == {}


def test_an_owner_is_not_who_carries_it() -> None:
    key = value("Brass key", "owner", "Vera", 2, "object")
    odo = value("Odo", "carried_items", "the brass key", 3)
    assert corrected([key, odo], LITTLE) == {}


def told(text: str, at: int) -> Standing:
    return Standing(
        Memory(id=text, chat=1, tier=Tier.SESSION, type="detail", text=text), Status.ACTIVE, at
    )


def test_a_value_of_a_thing_that_is_otherwise_now_is_past() -> None:
    stopped = value("Tower clock", "condition", "stopped", 3, "object")
    wording = Wording(tuple(pack for pack in load_packs() if pack.code == "en"))
    now = told("The tower clock is now going again.", 9)
    assert is_changed(stopped, [now], wording, LITTLE)
    assert not is_changed(
        stopped, [told("The tower clock is now going again.", 2)], wording, LITTLE
    )
    assert not is_changed(stopped, [told("Odo looks at the tower clock.", 9)], wording, LITTLE)
    assert not is_changed(stopped, [told("The tower clock has now stopped.", 9)], wording, LITTLE)
