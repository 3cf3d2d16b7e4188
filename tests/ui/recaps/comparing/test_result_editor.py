"""The editor shows exactly what it is given, whatever signs it holds, and keeps its place."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from ui.recaps.comparing.result_editor import ResultEditor, editable

_texts = st.text(
    st.sampled_from("ab \n\u00a0\r\u2028\u2029\0\ufeff\ufffe\ud800😀é\t") | st.characters(),
    max_size=30,
)


@pytest.fixture
def editor(dressed: QApplication) -> ResultEditor:
    return ResultEditor()


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(_texts.map(editable), min_size=1, max_size=4))
def test_each_text_is_held_sign_by_sign(editor: ResultEditor, texts: list[str]) -> None:
    for text in texts:
        editor.show_display(text, [])
        assert editor.text == text


def test_showing_tells_nothing_and_typing_tells_the_whole_text(editor: ResultEditor) -> None:
    told: list[str] = []
    editor.typed.connect(told.append)
    editor.show_display("😀 One.\n\nTwo\u00a0words.", [])
    assert told == []
    editor.show_display("😀 One.\n\nTwo\u00a0words here.", [], cursor=6)
    QTest.keyClicks(editor, "x")  # behind the full stop: the smiley is one sign
    assert told[-1] == "😀 One.x\n\nTwo\u00a0words here."
