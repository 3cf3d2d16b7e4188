"""How far a command is, told to a terminal and to nobody else."""

from __future__ import annotations

import io
import json
from pathlib import Path

from app.commands.terminal.progress_line import CLEARED, line_of, progress_shown
from app.companion import open_companion
from app.core.paths import user_folders
from app.views.catch_up import CatchUpPlan
from tests.fakes import MODEL, FakeLlm
from tests.labelled import WrittenTavern

ANSWER = json.dumps({"name": "Name", "recap": {"developments": ["Something happened."]}})


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


async def told(tavern: WrittenTavern, data: Path, out: io.StringIO) -> str:
    with FakeLlm(lambda _: ANSWER) as model:
        async with open_companion(
            user_folders(data),
            tavern=tavern.user_folder,
            llm=f"openai:{MODEL}@{model.url}",
            watch=False,
        ) as companion:
            companion.settings.put("scene_detector", "heuristic")
            with progress_shown(companion, tavern.chat, out=out):
                await companion.open_story(tavern.chat)
                await companion.finished(tavern.chat)
    return out.getvalue()


async def test_a_terminal_is_told_and_left_as_it_was(
    demo_tavern: WrittenTavern, tmp_path: Path
) -> None:
    lines = (await told(demo_tavern, tmp_path / "own", Terminal())).split(CLEARED)
    assert lines[-1] == ""
    assert lines[1].startswith("Recap of scene 1, 0 of ")
    assert any(line.endswith(" left") for line in lines)
    assert not any("Something" in line for line in lines)


async def test_a_pipe_is_told_nothing(demo_tavern: WrittenTavern, tmp_path: Path) -> None:
    assert await told(demo_tavern, tmp_path / "own", io.StringIO()) == ""


def test_the_line_says_what_is_known() -> None:
    plan = CatchUpPlan(5, 0, 80, 9, 11_000, 1_000, folds=4, seconds=130.0)
    assert line_of("Recap of scene 2", 3, plan, 75.0) == (
        "Recap of scene 2, 3 of 12 done, 1:15, about 2 min left"
    )
    assert line_of("Recap of scene 2", 3, None, 75.0) == "Recap of scene 2, 1:15"
