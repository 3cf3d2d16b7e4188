from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from app.core.tasks import TaskSupervisor
from app.store.store import Store


@pytest_asyncio.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = Store(tmp_path / "story.sqlite3")
    await opened.open()
    yield opened
    await opened.aclose()


@pytest_asyncio.fixture
async def tasks() -> AsyncIterator[TaskSupervisor]:
    supervisor = TaskSupervisor()
    yield supervisor
    await supervisor.aclose()
