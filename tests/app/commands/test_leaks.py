"""`leaks`, on a story that a model has read before."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest

from app.commands import main
from tests.fakes import FakeLlm
from tests.labelled import write_tavern
from tests.oracle.gold import Gold
from tests.oracle.server import Oracle

STORY = Path(__file__).parents[2] / "data" / "stories" / "lantern-district.json"
LEAK = "You forged my signature four years ago, Pasco."


@pytest.fixture
def story() -> Gold:
    """The first messages of a story, in the last of which somebody says what is hidden from her."""
    whole = dict(copy.deepcopy(Gold.read(STORY).story))
    speaker = whole["characters"][0]["name"]
    leak = {"name": speaker, "is_user": False, "kind": "chat", "mes": f'*She nods.* "{LEAK}"'}
    whole["messages"] = [*whole["messages"][:16], leak]
    return Gold(whole)


def test_a_leak_is_named_with_its_entry_and_where_it_was_learned(
    story: Gold, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chat = write_tavern(story.story, tmp_path / "data" / "default-user").chat
    before = chat.read_bytes()
    common = [str(chat), "--data-dir", str(tmp_path / "own"), "--json"]
    with FakeLlm(Oracle(story).reply) as llm:
        spec = ["--llm", f"openai:oracle@{llm.url}"]
        assert main(["leaks", *common, *spec]) == 0
        found = json.loads(capsys.readouterr().out)
        asked = len(llm.requests)
        assert main(["leaks", *common, *spec, "--message", "10"]) == 0
        harmless = json.loads(capsys.readouterr().out)
        assert len(llm.requests) == asked
    assert found["message"] == 16
    (leak,) = found["leaks"]
    assert (leak["kind"], leak["sentence"]) == ("hidden", LEAK)
    assert leak["entry"]["holder"] == "Pasco Dunnock"
    assert leak["learned_at"] == 1
    assert harmless == {"message": 10, "leaks": [], "told": []}
    assert chat.read_bytes() == before


def test_what_was_told_in_a_scene_without_the_speaker_is_named_without_a_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = dict(copy.deepcopy(Gold.read(STORY).story))
    said = "The seal is lavender wax, broken, with no crest pressed into it."
    reply = {"name": "Midge Reck", "is_user": False, "kind": "chat", "mes": f'"{said}"'}
    whole["messages"] = [*whole["messages"][:20], reply]
    chat = write_tavern(whole, tmp_path / "data" / "default-user").chat
    common = [str(chat), "--data-dir", str(tmp_path / "own"), "--llm", "builtin", "--json"]
    assert main(["leaks", *common]) == 0
    (leak,) = json.loads(capsys.readouterr().out)["leaks"]
    assert (leak["kind"], leak["speaker"], leak["learned_at"]) == ("absent", "Midge Reck", 2)
    assert "no crest pressed into it" in leak["entry"]["text"]


def test_a_message_that_is_not_there_is_wrong_usage(
    story: Gold, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chat = write_tavern(story.story, tmp_path / "data" / "default-user").chat
    common = [str(chat), "--data-dir", str(tmp_path / "own"), "--llm", "builtin"]
    assert main(["leaks", *common, "--message", "99"]) == 2
    assert "no message 99" in capsys.readouterr().err
