"""Recorded answers become notes with places in the story, and the notes model answers from them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.answers.merging import Judgement, merged
from tests.answers.notes import (
    Note,
    NotesUnreadable,
    RecapAnswer,
    RecordedNotes,
    SceneNote,
    read_notes,
    write_notes,
)
from tests.answers.notes_model import NotesModel
from tests.answers.recording import recorded_in
from tests.answers.request_counts import Exchange, costs_of
from tests.answers.shown import Places
from tests.fakes import RecordedRequest

TEXTS = ("Hello.", "Yes.", "The key is in the blue jar, I say.", "Yes.", "Odo took it.", "Yes.")
NAMES = ("Vera", "Odo")
STORY = {
    "messages": [{"name": NAMES[n % 2], "mes": text} for n, text in enumerate(TEXTS)],
}
KEY = Note("fact:3:permanent:entity=Vera/character", "The key is in the blue jar.", (2,), 3)
SECRET = Note("hiding", "Odo from Vera | that Odo has the key", (4,), 5)
ASKED = Note("arc", "Where is the key?", (1, 2), 3)
FOUND = Note("resolved", "Odo has it.", (4,), 5, ("Where is the key?",))
OPEN = RecapAnswer(("Vera hid the key.",), ("Where is the key?",), ("Vera is at home.",))
SCENE = SceneNote(0, 3, "The jar", OPEN)
RECORDED = RecordedNotes((KEY, SECRET, ASKED, FOUND), (SCENE,))


def words(text: str) -> int:
    return len(text.split())


def window(first: int, last: int, new_from: int, known: str = "Nothing yet.") -> str:
    told = "\n\n".join(
        f"[{n - first + 1}] {STORY['messages'][n]['name']}: {TEXTS[n]}"
        for n in range(first, last + 1)
    )
    return (
        f"<known>\n{known}\n</known>\n\n<messages>\n{told}\n</messages>\n\n"
        f"Messages before [{new_from}] only help to understand the rest: note nothing of them. "
        "Write every kind of entry."
    )


def scene(first: int, last: int) -> str:
    told = "\n\n".join(f"[CHARACTER: Vera]\n{TEXTS[n]}" for n in range(first, last + 1))
    return f"<scene>\n{told}\n</scene>\n\nWrite the JSON object for this scene."


def answer(text: str, model: NotesModel | None = None) -> str:
    model = model or NotesModel(STORY, RECORDED, words)
    return model.reply(RecordedRequest("/", {"prompt": text}, 0.0))


def folder_of(path: Path, *asked: tuple[str, str]) -> Path:
    for number, (user, given) in enumerate(asked, 1):
        text = f"# request {number} {{}}\n=== system ===\nForms.\n=== user ===\n{user}\n"
        (path / f"req-{number:04}.txt").write_text(text, "utf-8")
        (path / f"ans-{number:04}.txt").write_text(given, "utf-8")
    return path


def test_messages_that_come_twice_are_found_near_the_others() -> None:
    places = Places(STORY["messages"])
    assert places.of(["Yes.", "Odo took it.", "Yes."]) == [3, 4, 5]
    assert places.of(["The key is in the blue jar, I say.", "Never said."]) == [2, None]


def test_answers_become_notes_with_the_numbers_of_the_story(tmp_path: Path) -> None:
    known = "Open arcs:\n1. Where is the key?"
    folder = folder_of(
        tmp_path,
        (window(0, 3, 1), f"[{KEY.tag.replace(':entity', ':sources=3:entity')}] {KEY.text}"),
        (window(2, 5, 3, known), "[resolved:sources=3] 1 | Odo has it.\n[retire:sources=3] 9"),
        (scene(0, 3), json.dumps({"name": "The jar", "recap": OPEN.as_json()})),
    )
    assert recorded_in(folder, STORY) == RecordedNotes((KEY, FOUND), (SCENE,))


def test_a_request_without_an_answer_is_no_note(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, (window(0, 3, 1), "NONE"))
    (folder / "ans-0001.txt").unlink()
    assert recorded_in(folder, STORY) == RecordedNotes(())


def test_notes_are_read_as_they_were_written_and_as_a_bare_list(tmp_path: Path) -> None:
    path = tmp_path / "notes.json"
    write_notes(path, RECORDED)
    assert read_notes(path) == RECORDED
    bare = json.loads(path.read_text("utf-8"))["notes"]
    bare[-1]["ends"].append(None)  # an end of what was not listed
    path.write_text(json.dumps(bare), "utf-8")
    assert read_notes(path) == RecordedNotes(RECORDED.notes)
    path.write_text("{}", "utf-8")
    with pytest.raises(NotesUnreadable):
        read_notes(path)


def test_a_pass_gets_the_notes_of_its_new_messages_with_its_own_numbers() -> None:
    assert answer(window(1, 3, 1)).splitlines() == [
        "[fact:3:permanent:sources=2:entity=Vera/character] The key is in the blue jar.",
        "[arc:sources=1,2] Where is the key?",
    ]
    assert "[arc:sources=1] Where" in answer(window(2, 3, 1)), "its first source is out of sight"
    assert answer(window(0, 1, 1)) == "NONE", "what it says was not said yet"
    assert answer(window(2, 3, 2)) == "NONE"


def test_an_end_names_what_the_request_lists_and_nothing_else() -> None:
    model = NotesModel(STORY, RECORDED, words)
    listed = window(2, 5, 3, "Open arcs:\n1. Who is Odo?\n2. Where is the key?")
    assert "[resolved:sources=3] 2 | Odo has it." in answer(listed, model)
    assert "resolved" not in answer(window(2, 5, 3), model)
    assert model.ends == {"told": 1, "not shown": 1}


def test_a_scene_gets_its_recorded_answer_also_when_its_ends_moved() -> None:
    for first, last in ((0, 3), (0, 2), (0, 4)):
        assert json.loads(answer(scene(first, last))) == {
            "name": "The jar",
            "recap": OPEN.as_json(),
        }
    other = json.loads(answer(scene(4, 5)))["recap"]
    assert other["developments"] == ["Odo has it."]


def test_the_running_recap_keeps_what_holds_and_drops_what_is_settled() -> None:
    model = NotesModel(STORY, RECORDED, words)
    new = json.loads(answer(scene(4, 5), model))["recap"]["developments"][0]
    request = (
        "<recap>\nDEVELOPMENTS\n1. Vera hid the key.\n\nOPEN\n2. Where is the key?\n</recap>\n"
        f"<scene>\nDEVELOPMENTS\n{new}\n</scene>\nWrite the JSON object of the merged recap. "
        "All entries together take at most 900 tokens."
    )
    recap = json.loads(answer(request, model))["recap"]
    assert recap["developments"] == ["Vera hid the key.", "Odo has it."]
    assert recap["open"] == []


def test_a_merge_stays_within_its_limit_and_drops_what_matters_least() -> None:
    before = RecapAnswer(("Vera hid the key.", "It rained.", "Odo saw her hide the key."), (), ())
    judgement = Judgement(frozenset(("Vera",)), (), lambda text: 1 if "rain" in text else 2)
    whole = merged(before, RecapAnswer(("Odo left the house.",)), judgement, 15, words)
    assert whole.developments == (
        "Vera hid the key.",
        "Odo saw her hide the key.",
        "Odo left the house.",
    )


def test_the_newer_of_two_states_of_one_thing_stays() -> None:
    judgement = Judgement(frozenset(("Vera", "Odo")), (), lambda text: 2)
    before = RecapAnswer(state=("Vera sleeps at the mill.", "Odo is at the mill."))
    after = merged(before, RecapAnswer(state=("Vera has left the mill.",)), judgement, 99, words)
    assert after.state == ("Odo is at the mill.", "Vera has left the mill.")


def test_a_request_counts_as_repeated_as_far_as_one_of_its_kind_began_alike() -> None:
    same = "word " * 100
    asked = [Exchange("pass", same + end, "one two") for end in ("a b", "c d")]
    cost = costs_of([*asked, Exchange("recap", same, "")], words)
    assert cost["pass"].requests == 2
    assert cost["pass"].repeated == 100
    assert cost["pass"].answer == 4
    assert cost["recap"].repeated == 0


LOOK = (
    "<entries>\nOpen arcs:\n1. Where is the key? (scene 1)\n\nState:\n"
    "2. key (object): location=blue jar\n</entries>\n\n<scenes>\n"
    "Scene 1: DEVELOPMENTS\nVera hid the key.\n\nScene 2: DEVELOPMENTS\nOdo took the key.\n"
    "</scenes>\n\nSay which notes no longer hold, a line for each."
)


def test_a_look_through_tells_what_was_noted_as_over_by_the_end_of_its_scenes() -> None:
    looked = Note("upkeep", "Odo took the key.", (), 5, ("key (object): location=blue jar",))
    taken = SceneNote(4, 5, "Taken", RecapAnswer(("Odo took the key.",)))
    model = NotesModel(STORY, RecordedNotes((FOUND, looked), (SCENE, taken)), words)
    assert answer(LOOK, model) == "NONE"  # no scene was recapped yet
    answer(scene(0, 3), model)
    assert answer(LOOK, model) == "NONE"
    answer(scene(4, 5), model)
    assert answer(LOOK, model) == "1 | 2 | Odo has it.\n2 | 2 | Odo took the key."


def test_what_a_look_through_ended_is_recorded_with_the_end_of_its_scene(tmp_path: Path) -> None:
    recap = {"name": "Taken", "recap": {"developments": ["Odo took the key."]}}
    for number, asked, said in (
        (1, scene(4, 5), json.dumps(recap)),
        (2, LOOK, "1, 2 | 2 | Odo took the key.\n7 | 9 | Nothing."),
    ):
        (tmp_path / f"req-000{number}.txt").write_text(f"# {number}\n=== user ===\n{asked}\n")
        (tmp_path / f"ans-000{number}.txt").write_text(said)
    (note,) = recorded_in(tmp_path, STORY).notes
    ends = ("Where is the key?", "key (object): location=blue jar")
    assert note == Note("upkeep", "Odo took the key.", (), 5, ends)
