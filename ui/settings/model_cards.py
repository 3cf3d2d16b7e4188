"""Cards for what may write: each kind of backend, and each model that Ollama has here."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.core.translation import N_, tr
from app.llm.backends.specs import BUILTIN, KINDS, OLLAMA, OLLAMA_URL, SILLYTAVERN, BackendSpec
from app.views.model_trial import FoundModel
from ui.controls.fields import ChoiceCard
from ui.settings.backend_words import card_words, size_fact, size_sentence

OTHER_MODEL = N_("Another model of Ollama")
NO_PAGE = N_("First install the bridge and open SillyTavern's page.")
NONE_FOUND = N_(
    "Ollama was not found on port 11434. Start Ollama first, or enter the name of a model you "
    "will download."
)


class ModelCards(QWidget):
    """by_kind: a card for each kind of backend. found: one for each model that was found here.

    Signals:
        pressed: the user chose a card.
    """

    pressed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.by_kind: dict[str, ChoiceCard] = {}
        self.found: dict[str, ChoiceCard] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        self._models = QVBoxLayout()
        self._models.setSpacing(8)
        for kind in KINDS:
            if kind == OLLAMA:
                column.addLayout(self._models)
            self.by_kind[kind] = self._card(*card_words(kind))
            column.addWidget(self.by_kind[kind])

    def _card(self, title: str, detail: str, fact: str) -> ChoiceCard:
        card = ChoiceCard(title, detail, fact)
        card.clicked.connect(self.pressed)
        return card

    @property
    def kind(self) -> str:
        """Of the card that is chosen."""
        if self.found_name:
            return OLLAMA
        return next((kind for kind, card in self.by_kind.items() if card.isChecked()), BUILTIN)

    @property
    def found_name(self) -> str:
        """Of the model whose own card is chosen, "" where another card is."""
        return next((name for name, card in self.found.items() if card.isChecked()), "")

    @property
    def in_order(self) -> tuple[ChoiceCard, ...]:
        """All cards."""
        built_in, *others = (self.by_kind[kind] for kind in KINDS)
        return (built_in, *self.found.values(), *others)

    def choose(self, spec: BackendSpec) -> None:
        """Turn the card on that stands for it."""
        has_own = spec.kind == OLLAMA and spec.url == OLLAMA_URL and spec.model in self.found
        (self.found[spec.model] if has_own else self.by_kind[spec.kind]).setChecked(True)

    def show_found(self, models: Sequence[FoundModel]) -> None:
        """Offer the models of the Ollama on this machine."""
        names = {model.name for model in models}
        for gone in [gone for gone in self.found if gone not in names]:
            card = self.found.pop(gone)
            self._models.removeWidget(card)
            card.deleteLater()
        for model in models:
            if model.name not in self.found:
                card = self._card(model.name, size_sentence(model), size_fact(model))
                self.found[model.name] = card
                self._models.addWidget(card)
        title, detail, fact = card_words(OLLAMA)
        other = self.by_kind[OLLAMA]
        other.setText(tr(OTHER_MODEL) if models else title)
        other.setAccessibleName(other.text())
        other.set_detail(detail if models else tr(NONE_FOUND), "" if models else fact)

    def show_page(self, *, is_there: bool, is_in_use: bool) -> None:
        """Whether SillyTavern's page is open; what is in use can be chosen again all the same."""
        card, (_, detail, fact) = self.by_kind[SILLYTAVERN], card_words(SILLYTAVERN)
        card.setEnabled(is_there or is_in_use)
        card.set_detail(detail if is_there else tr(NO_PAGE), fact)
