"""Which model does which kind of work, beneath the one for everything."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from app.core.errors import TavernkeepError, UsageError
from app.core.translation import N_, tr
from app.llm.backends.specs import BUILTIN, KINDS, SILLYTAVERN, parse_spec
from app.settings.models import AS_ABOVE, MODEL_SETTINGS
from app.settings.setting import Setting
from ui.controls.buttons import Button
from ui.controls.fields import Choice
from ui.controls.labels import Label, safe_tip
from ui.controls.setting_sections import Row, Section
from ui.core.session import Session
from ui.settings.trial import TrialPanel
from ui.theme.fonts import MEDIUM, ui_font
from ui.theme.palette import T3_ROLE

TITLE = N_("Models by task")
SENTENCE = N_(
    "Message recaps can use a small model while a good one writes the running recap. Give each "
    "task the model chosen above, or one already in use."
)
AS_ABOVE_WORDS = N_("As above")
CHOICE_LETTERS = 14


class KindRow(Row):
    """One kind of work: what it is called, its model, and a test of that.

    Signals:
        chosen: (setting, spec) by the user; "" for the model for everything.
        test_wanted: spec to be tried.
    """

    chosen = Signal(str, object)
    test_wanted = Signal(str)

    def __init__(self, setting: Setting[Any]) -> None:
        super().__init__()
        self.setting = setting
        self.choice = Choice(setting.label)
        # A long name of a model must not make the page wider than a narrow window.
        self.choice.setSizeAdjustPolicy(
            Choice.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.choice.setMinimumContentsLength(CHOICE_LETTERS)
        self.choice.setAccessibleDescription(setting.help)
        self.choice.activated.connect(self._on_activated)
        self.test = Button(tr("Test it"), icon="play")
        self.test.setAccessibleName(tr("Test it: {label}", label=setting.label))
        self.test.clicked.connect(self._on_test)
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addWidget(Label(setting.label, font=ui_font(12.5, MEDIUM), wraps=True))
        words.addWidget(Label(setting.help, font=ui_font(11.5), tone=T3_ROLE, wraps=True))
        line = QHBoxLayout(self)
        line.setContentsMargins(14, 9, 14, 9)
        line.setSpacing(8)
        line.addLayout(words, 1)
        line.addSpacing(8)
        for control in (self.choice, self.test):
            line.addWidget(control, 0, Qt.AlignmentFlag.AlignVCenter)

    def matches(self, text: str) -> bool:
        """Whether what is looked for may be here; `text` is casefolded."""
        return text in f"{self.setting.label}\n{self.setting.help}\n{tr(TITLE)}".casefold()

    def show_value(self, spec: str, offers: Sequence[str]) -> None:
        """Show the model in force among those that are offered."""
        known = [AS_ABOVE, *dict.fromkeys((*offers, *((spec,) if spec else ())))]
        with QSignalBlocker(self.choice):
            if known != [self.choice.itemData(n) for n in range(self.choice.count())]:
                self.choice.clear()
                for one in known:
                    self.choice.addItem(spec_words(one), one)
            self.choice.setCurrentIndex(known.index(spec))
        self.choice.setToolTip(safe_tip(spec_words(spec)))
        can_be_tried = spec not in (AS_ABOVE, BUILTIN)
        self.test.setEnabled(can_be_tried)
        why = tr("The model above has its own test.") if spec == AS_ABOVE else ""
        self.test.setToolTip(
            "" if can_be_tried else why or tr("Without a model there is nothing to test.")
        )

    def choose(self, spec: str) -> None:
        """Choose one of those that are offered, as a user would."""
        self.choice.setCurrentIndex(self.choice.findData(spec))
        self._on_activated()

    def _on_activated(self) -> None:
        self.chosen.emit(self.setting.name, self.choice.currentData())

    def _on_test(self) -> None:
        self.test_wanted.emit(self.choice.currentData())


class KindModels(Section):
    """The table. keep_key: keeps the key that was typed above, before a model is asked.

    Signals:
        chosen: (setting, spec) by the user.
    """

    chosen = Signal(str, object)

    def __init__(self, session: Session, keep_key: Callable[[], Awaitable[None]]) -> None:
        super().__init__(tr(TITLE), tr(SENTENCE))
        self._session = session
        self._keep_key = keep_key
        self._running: asyncio.Task[None] | None = None
        self.by_name: dict[str, KindRow] = {}
        for setting in MODEL_SETTINGS:
            row = KindRow(setting)
            row.chosen.connect(self.chosen)
            row.test_wanted.connect(self._on_test)
            self.by_name[setting.name] = row
            self.add_row(row)
        self.trial = TrialPanel()
        self.trial.stop_wanted.connect(self.stop)
        column = self.layout()
        assert column is not None
        column.addWidget(self.trial)

    def refresh(self, offers: Sequence[str]) -> None:
        """Show the values in force, and offer these models."""
        settings = self._session.companion.settings
        own = [str(settings[name]) for name in self.by_name]
        known = [*offers, *filter(None, own)]
        for name, row in self.by_name.items():
            row.show_value(str(settings[name]), known)

    def stop(self) -> None:
        """End the test that runs."""
        if self._running is not None:
            self._running.cancel()

    def _on_test(self, spec: str) -> None:
        self.stop()
        self.trial.begin(spec_words(spec))
        self._running = self._session.do(self._test(spec), name=N_("the test of a model"))

    async def _test(self, spec: str) -> None:
        this = asyncio.current_task()
        models = self._session.companion.models
        try:
            await self._keep_key()
            trial = await models.test(spec, on_text=self.trial.show_text)
        except (asyncio.CancelledError, TavernkeepError):
            if self._running is this:
                self.trial.end(None)
            raise
        if self._running is this:
            self.trial.end(trial)


def spec_words(text: str) -> str:
    """What a backend is called where there are several."""
    if text == AS_ABOVE:
        return tr(AS_ABOVE_WORDS)
    try:
        spec = parse_spec(text)
    except UsageError:
        return text
    if spec.kind == BUILTIN:
        return tr("No model")
    if spec.kind == SILLYTAVERN:
        words = tr("SillyTavern's connection")
        return f"{words}: {spec.model}" if spec.model else words
    place = KINDS[spec.kind].place or urlsplit(spec.url).netloc or spec.url
    return tr("{model}, at {place}", model=spec.model, place=place)
