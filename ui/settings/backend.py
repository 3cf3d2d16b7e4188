"""Choosing what writes recaps: no model, Ollama on this machine, or a server that speaks OpenAI's
protocol."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.errors import UsageError
from app.llm.specs import BUILTIN, OLLAMA, OPENAI, BackendSpec, parse_spec
from ui.controls.buttons import Button, ButtonRole
from ui.controls.fields import ChoiceCard, Field
from ui.controls.labels import Label, body, section
from ui.theme.fonts import ui_font
from ui.theme.palette import T2_ROLE

CARDS = {
    BUILTIN: (
        "Scenes and quoted recaps only",
        "No model. Finds breaks, names and time marks; recaps are sentences taken from the story.",
        "Instant",
    ),
    OLLAMA: (
        "Ollama on this machine",
        "Nothing leaves this machine.",
        "Needs Ollama",
    ),
    OPENAI: (
        "A server at an address",
        "Whatever speaks OpenAI's protocol. A key is taken from TAVERNKEEP_API_KEY.",
        "Costs what it costs there",
    ),
}


class BackendChoice(QWidget):
    """Three cards, the fields that the chosen one needs, and one button that names the choice.

    Signals:
        chosen: spec of the backend, as `parse_spec` reads it.
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._current = BackendSpec(BUILTIN)
        self._cards: dict[str, ChoiceCard] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(section("Model"))
        column.addWidget(body("What reads scenes and writes recaps. It works without any, too."))
        for kind, (title, detail, fact) in CARDS.items():
            card = ChoiceCard(title, detail, fact)
            card.clicked.connect(self._show_kind)
            self._cards[kind] = card
            column.addWidget(card)
        self._model = Field("Name of the model", placeholder="Model, such as llama3.1:8b")
        self._url = Field("Address of the server", placeholder="Address, such as localhost:8080")
        self._wrong = Label(font=ui_font(12), tone=T2_ROLE, wraps=True)
        self._use = Button("Use no model", role=ButtonRole.MAIN)
        self._use.clicked.connect(self._on_use)
        for field in (self._model, self._url):
            field.textChanged.connect(self._show_kind)
            field.returnPressed.connect(self._on_use)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self._model, 2)
        row.addWidget(self._url, 3)
        row.addStretch(0)
        row.addWidget(self._use)
        column.addLayout(row)
        column.addWidget(self._wrong)
        self.show_spec(BUILTIN)

    def show_spec(self, text: str) -> None:
        """Show the backend that is in use."""
        try:
            spec = parse_spec(text)
        except UsageError:
            spec = BackendSpec(BUILTIN)
        self._current = spec
        self._cards[spec.kind].setChecked(True)
        self._model.setText(spec.model)
        self._url.setText(spec.url if spec.kind == OPENAI else "")
        self._show_kind()

    def choose(self, kind: str, *, model: str = "", url: str = "") -> None:
        """Select a card and fill its fields, as a user would."""
        self._cards[kind].setChecked(True)
        self._model.setText(model)
        self._url.setText(url)
        self._show_kind()

    def use(self) -> None:
        """Press the button."""
        self._on_use()

    def _kind(self) -> str:
        return next((kind for kind, card in self._cards.items() if card.isChecked()), BUILTIN)

    def _spec_text(self) -> str:
        kind, model, url = self._kind(), self._model.text().strip(), self._url.text().strip()
        if kind == BUILTIN:
            return BUILTIN
        if kind == OLLAMA:
            return f"{OLLAMA}:{model}"
        full = url if "://" in url or not url else f"http://{url}"
        return f"{OPENAI}:{model}@{full}"

    def _show_kind(self) -> None:
        kind = self._kind()
        self._model.setVisible(kind != BUILTIN)
        self._url.setVisible(kind == OPENAI)
        model = self._model.text().strip()
        self._use.set_text("Use no model" if kind == BUILTIN else f"Use {model or 'this model'}")
        spec, sentence = self._parsed()
        self._use.setEnabled(spec is not None)
        self._use.setVisible(spec != self._current)
        is_asked = kind != BUILTIN and bool(model) and (kind == OLLAMA or bool(self._url.text()))
        self._wrong.setText(sentence if is_asked else "")
        self._wrong.setVisible(bool(self._wrong.text()))

    def _parsed(self) -> tuple[BackendSpec | None, str]:
        try:
            return parse_spec(self._spec_text()), ""
        except UsageError as error:
            return None, str(error)

    def _on_use(self) -> None:
        spec, sentence = self._parsed()
        if spec is None:
            self._wrong.setText(sentence)
            self._wrong.show()
            return
        if spec != self._current:
            self.chosen.emit(str(spec))
