"""Texts that can be asked for, each with what it takes, or why there is nothing to make it of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from app.core.translation import roughly, tr, trn
from app.views.text_offers import TextOffer, TextRequest
from ui.controls.buttons import Button
from ui.controls.labels import Label, meta
from ui.controls.surfaces import Surface


def cost_words(offer: TextOffer) -> str:
    """What it takes, or why it cannot be had."""
    if offer.why_not:
        return offer.why_not
    cost = trn(
        "{n} request, about {tokens} tokens",
        "at most {n} requests, about {tokens} tokens",
        offer.requests,
        tokens=roughly(offer.tokens),
    )
    if offer.reaches is None:
        return cost
    return tr(
        "{cost}; it gets to #{reaches} of #{last}, the rest takes further requests",
        cost=cost,
        reaches=offer.reaches,
        last=offer.last,
    )


class TextOffers(Surface):
    """A row for each text: a button that asks for it, and what it takes. actions: what they do."""

    def __init__(
        self, actions: Mapping[TextRequest, QAction], parent: QWidget | None = None
    ) -> None:
        super().__init__("raised", edge="line", parent=parent)
        self._actions = actions
        self.buttons: dict[TextRequest, Button] = {}
        self.costs: dict[TextRequest, Label] = {}
        grid = QGridLayout(self)
        grid.setContentsMargins(14, 12, 14, 12)
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(1, 1)
        for row, (request, action) in enumerate(actions.items()):
            button = Button(action.text())
            button.setToolTip(action.toolTip())
            button.clicked.connect(action.trigger)
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            button.setEnabled(False)  # until it is known what it takes
            cost = meta("", wraps=True)
            grid.addWidget(button, row, 0)
            grid.addWidget(cost, row, 1)
            self.buttons[request], self.costs[request] = button, cost
        self.why_none = meta("", wraps=True)
        self.why_none.hide()
        grid.addWidget(self.why_none, len(actions), 0, 1, 2)

    def show_offers(self, offers: Sequence[TextOffer], *, can_change: bool) -> None:
        """Show what each text takes now. What keeps all of them is said once."""
        reasons = {offer.why_not for offer in offers}
        why_none = reasons.pop() if len(reasons) == 1 else ""
        self.why_none.setText(why_none)
        self.why_none.setVisible(bool(why_none))
        for offer in offers:
            purpose = self._actions[offer.request].toolTip()
            cost = "" if why_none else cost_words(offer)
            self.costs[offer.request].setText(f"{purpose}\n{cost}".strip())
            is_there = can_change and not offer.why_not
            self.buttons[offer.request].setEnabled(is_there)
            self._actions[offer.request].setEnabled(is_there)
