"""Each light has its next step, and a report tells nothing of a story, a place or a key."""

from __future__ import annotations

import pytest

from app.core.part_health import PARTS, Health, HealthItem, Light
from app.settings.values import Settings
from app.views.bridge import WAITS
from app.views.health_report import Facts, Remedy, remedy_for, report_of


@pytest.mark.parametrize(
    ("part", "light", "has_tavern", "is_paused", "remedy"),
    [
        ("sillytavern", Light.OFF, False, False, Remedy.CHOOSE_FOLDER),
        ("sillytavern", Light.OFF, True, False, None),
        ("bridge", Light.OFF, True, False, Remedy.INSTALL_BRIDGE),
        ("bridge", Light.OFF, False, False, None),
        ("bridge", Light.BAD, True, False, Remedy.SEE_PROMPT),
        ("bridge", Light.IDLE, True, False, None),
        ("reading", Light.OFF, True, False, Remedy.CHOOSE_CHAT),
        ("reading", Light.BAD, True, False, Remedy.READ_AGAIN),
        ("queue", Light.IDLE, True, True, Remedy.GO_ON),
        ("queue", Light.BAD, True, False, Remedy.SEE_WORK),
        ("queue", Light.WORKING, True, False, None),
        ("backend", Light.BAD, True, False, Remedy.CHOOSE_MODEL),
        ("backend", Light.GOOD, True, False, None),
    ],
)
def test_each_light_has_its_next_step(
    part: str, light: Light, has_tavern: bool, is_paused: bool, remedy: Remedy | None
) -> None:
    item = HealthItem(part, light, "…")
    assert remedy_for(item, has_tavern=has_tavern, is_paused=is_paused) is remedy


def test_a_page_that_is_waited_for_can_be_opened_where_there_is_a_tavern() -> None:
    waits = HealthItem("bridge", Light.IDLE, "…", WAITS)
    assert remedy_for(waits, has_tavern=True, is_paused=False) is Remedy.OPEN_PAGE
    assert remedy_for(waits, has_tavern=False, is_paused=False) is None


def test_a_report_holds_no_sentence_no_path_and_no_text() -> None:
    secret = "Ada of /home/ada"
    lights = {part: HealthItem(part, Light.BAD, secret) for part in PARTS}
    settings = Settings()
    for name, value in (
        ("tavern", secret),
        ("backend", f"openai:{secret}@http://host"),
        ("running_recap_budget", 700),
        ("theme", "dark"),
        ("scene_breaks_auto", False),
    ):
        settings.put(name, value)
    settings.put("running_recap_template", secret)
    facts = Facts({"Tavernkeep": "1.0"}, 1, 7, 2, 145, (), settings.for_all())
    report = report_of(Health(**lights), facts)
    assert "Ada" not in report
    assert "host" not in report
    for line in (
        "bridge: bad",
        "setting running_recap_budget: 700",
        "setting theme: dark",
        "setting scene_breaks_auto: False",
        "messages of the chat that is shown: 145",
    ):
        assert line in report.splitlines()
