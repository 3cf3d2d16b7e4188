"""A page needs a row in the table of pages, and signals that somebody follows."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QMetaMethod, QObject

from ui.core.actions import PAGE_ACTIONS
from ui.program import pages
from ui.program.main_window import MainWindow


def signals_of(speaker: QObject) -> set[str]:
    """Names of the signals that the class itself declares."""
    meta = speaker.metaObject()
    own = (meta.method(at) for at in range(meta.methodOffset(), meta.methodCount()))
    return {
        bytes(method.name().data()).decode()
        for method in own
        if method.methodType() is QMetaMethod.MethodType.Signal
    }


def test_every_page_has_an_action_and_every_action_a_page() -> None:
    assert [spec.key.removeprefix("page.") for spec in PAGE_ACTIONS] == list(pages.PAGES)


@pytest.mark.parametrize("key", pages.PAGES)
async def test_the_desk_follows_all_that_a_page_wants(demo_window: MainWindow, key: str) -> None:
    demo_window.show_page(key)
    page, desk = demo_window.frame.stack.currentWidget(), demo_window.desk
    assert desk is not None
    assert page is not None
    speaker = page.speaker if isinstance(page, pages.HasSpeaker) else page
    assert signals_of(speaker) <= desk.wants.keys()


async def test_a_page_brings_its_commands_into_the_palette(demo_window: MainWindow) -> None:
    for key in pages.PAGES:
        demo_window.show_page(key)
        page = demo_window.frame.stack.currentWidget()
        assert pages.command_icons(page)
