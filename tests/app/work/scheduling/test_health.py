"""The light of the work is red only where something went wrong."""

from __future__ import annotations

import pytest

from app.core.model_use import CAPPED
from app.core.operations import Operation, OperationKind, OperationSpec, OperationStatus
from app.core.part_health import Light
from app.work.scheduling.health import queue_health

SPEC = OperationSpec(OperationKind.SCENE_RECAP, 1, "key", "anchor", "Recap of scene 1")


@pytest.mark.parametrize(
    ("error", "held", "light"),
    [
        ("", "", Light.IDLE),  # it begins in a moment
        ("", CAPPED, Light.IDLE),
        ("Nobody answers.", "", Light.BAD),
        ("", "Needs “Recap of scene 1”, which failed.", Light.BAD),
    ],
)
def test_waiting_is_red_only_when_something_keeps_it(error: str, held: str, light: Light) -> None:
    waits = Operation(1, SPEC, OperationStatus.PENDING, error=error, held=held)
    assert queue_health((waits,)).light is light
