"""Editing what models do not read of messages, tried on the chat that is open while one writes."""

from __future__ import annotations

from collections.abc import Sequence

from app.core.translation import N_, number, tr, trn
from app.story.left_out_text import read_rules, spans_left_out
from ui.controls.labels import Label
from ui.controls.setting_template import TemplateEditor
from ui.theme.fonts import ui_font
from ui.theme.palette import T2_ROLE

NO_CHAT = N_("Open a chat to try this on its messages.")
LONGEST_SHOWN = 80


class RulesEditor(TemplateEditor):
    """The text of the rules, and what they leave out of the newest messages."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "")
        self._texts: tuple[str, ...] = ()
        self.tried = Label(font=ui_font(11.5), tone=T2_ROLE, wraps=True)
        column = self.layout()
        assert column is not None
        column.addWidget(self.tried)
        self.text.textChanged.connect(self._try)
        self._try()

    def try_on(self, texts: Sequence[str]) -> None:
        """Texts of messages on which the rules are tried."""
        if tuple(texts) != self._texts:
            self._texts = tuple(texts)
            self._try()

    def _try(self) -> None:
        self.tried.setText(trial_words(self.text.toPlainText(), self._texts))


def trial_words(rules_text: str, texts: Sequence[str]) -> str:
    """What rules leave out of these texts."""
    rules = read_rules(rules_text)
    if not rules:
        return ""
    if not texts:
        return tr(NO_CHAT)
    found = [text[a:b] for text in texts for a, b in spans_left_out(text, rules)]
    if not found:
        return trn(
            "Nothing of the newest {n} message is left out.",
            "Nothing of the newest {n} messages is left out.",
            len(texts),
        )
    last = " ".join(found[-1].split())
    shown = last if len(last) <= LONGEST_SHOWN else f"{last[:LONGEST_SHOWN]}…"
    passages = trn("{n} passage", "{n} passages", len(found))
    return trn(
        "Left out of the newest {n} message: {passages}, {size} characters; last “{shown}”.",
        "Left out of the newest {n} messages: {passages}, {size} characters; last “{shown}”.",
        len(texts),
        passages=passages,
        size=number(sum(map(len, found))),
        shown=shown,
    )
