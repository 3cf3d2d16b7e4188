"""What a conftest of tests with a window takes over: nothing runs in it while their loop pauses."""

from __future__ import annotations

import inspect
from collections.abc import Generator

import pytest
import pytestqt.plugin


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Between the phases of a coroutine test no Qt event is worked off.

    pytest-qt would do so, and the tasks of the paused loop would step without a running loop.
    """
    is_coroutine = inspect.iscoroutinefunction(getattr(item, "obj", None))
    with pytest.MonkeyPatch.context() as patch:
        if is_coroutine:
            patch.setattr(pytestqt.plugin, "_process_events", lambda: None)
        return (yield)
