"""Which version of a running recap is told where the chosen one cannot be."""

from __future__ import annotations

from app.story.recaps import BUILT_IN, RunningRecap, RunningVersion, injected_version

PLACES = {"m10": 10, "m20": 20, "m30": 30}


def version(number: int, last: str, reason: str = "fold", **values: object) -> RunningVersion:
    fields = {"made_by": "model", "created": 1.0, "is_retired": reason == "foreign"} | values
    return RunningVersion(number, f"v{number}", 1, "", last, reason=reason, **fields)  # type: ignore[arg-type]


def told(*versions: RunningVersion, current: int) -> str:
    found = injected_version(RunningRecap(versions, current), PLACES)
    return found.content if found else ""


def test_what_was_written_for_another_chat_never_steps_in() -> None:
    foreign, own = version(0, "m30", "foreign"), version(1, "m10")
    assert told(foreign, own, version(2, "gone"), current=2) == "v1"
    assert told(foreign, version(2, "gone"), current=2) == ""
    assert told(foreign, own, current=0) == "v0", "the user chose it"


def test_what_is_to_be_made_anew_steps_in_only_where_there_is_no_other() -> None:
    old = version(0, "m30", is_retired=True)
    assert told(old, version(1, "m10"), version(2, "gone"), current=2) == "v1"
    assert told(old, version(2, "gone"), current=2) == "v0"


def test_another_chats_recap_is_asked_about_until_a_model_or_the_user_told_of_this_one() -> None:
    foreign = version(0, "m30", "foreign")
    built_in = version(1, "m10", made_by=BUILT_IN)
    assert RunningRecap((foreign,), None).set_aside == foreign
    assert RunningRecap((foreign, built_in), 1).set_aside == foreign
    assert RunningRecap((foreign, version(1, "m10")), 1).set_aside is None
    assert RunningRecap((foreign,), 0).set_aside is None
    assert RunningRecap((built_in,), 1).set_aside is None
