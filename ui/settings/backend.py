"""Choosing what writes recaps: no model, Ollama on this machine, SillyTavern's own connection, or
a server that speaks OpenAI's protocol."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.core.errors import UsageError
from app.core.translation import N_, tr
from app.llm.backends.specs import (
    BUILTIN,
    KINDS,
    OLLAMA,
    OLLAMA_URL,
    SILLYTAVERN,
    BackendSpec,
    parse_spec,
)
from app.views.model_trial import FoundModel
from ui.controls.buttons import Button, ButtonRole
from ui.controls.fields import Choice, ChoiceCard, Field
from ui.controls.labels import ToneLabel, body, section
from ui.settings.backend_words import card_words
from ui.settings.kept_fields import KeptFields
from ui.settings.model_cards import ModelCards
from ui.settings.server_key import HELP, KeyOf, ServerKey
from ui.settings.trial import TrialPanel
from ui.theme.fonts import ui_font

SUCH_AS = N_("Address, such as localhost:8080")
IN_USE = N_("The connection in use")


class BackendChoice(QWidget):
    """Cards, the fields that the chosen one needs, a test, and one button that names the choice.

    Signals:
        chosen: spec of the backend, as `parse_spec` reads it.
        test_wanted: spec to be tried.
        models_wanted: address of a server whose models are to be listed.
        confirmed: the button was pressed for what is in use already.
        key_entered: a key was typed and Enter pressed.
        changed: the button says something else, or can be pressed now or no more.
        key_removed: address of a server whose key is to be forgotten.

    key_of: as of ServerKey.
    """

    chosen = Signal(str)
    confirmed = Signal()
    key_entered = Signal()
    changed = Signal()
    test_wanted = Signal(str)
    models_wanted = Signal(str)
    key_removed = Signal(str)

    def __init__(
        self, key_of: KeyOf, parent: QWidget | None = None, *, use: Button | None = None
    ) -> None:
        """use: the button that names the choice, where it stands elsewhere and always."""
        super().__init__(parent)
        self.title = tr("Model")
        self._is_alone = use is None
        self._current = BackendSpec(BUILTIN)
        self._cards = ModelCards()
        self._cards.pressed.connect(self._show_kind)
        self._tried: BackendSpec | None = None
        self.trial = TrialPanel()
        self.trial.ended.connect(self._show_kind)
        self._model = Field(tr("Name of the model"), placeholder=tr("Model, such as llama3.1:8b"))
        self._url = Field(tr("Address of the server"), placeholder=tr(SUCH_AS))
        self.typed = KeptFields(BUILTIN, self._model, self._url)
        self._profile = Choice(tr("Connection profile of SillyTavern"))
        self._profile.addItem(tr(IN_USE))
        self._profile.activated.connect(self._show_kind)
        self._list = Button(tr("Find its models"), icon="search")
        self._list.clicked.connect(self._on_list)
        self._unlisted = ("", "")  # address that gave no models, and why
        self._offer = Choice(tr("Models of the server"))
        self._offer.activated.connect(self._on_offer)
        self._offer.setPlaceholderText(tr("Its models"))  # while another name is written
        self._model.textChanged.connect(self._follow_name)
        self._offer.hide()
        self._server_key = ServerKey(key_of)
        self.key = self._server_key.field
        self.key.textEdited.connect(self._ask_anew)
        self.key.returnPressed.connect(self.key_entered)
        self._server_key.forget.clicked.connect(lambda: self.key_removed.emit(self._address))
        self._wrong = ToneLabel(font=ui_font(12))
        self._test = Button(tr("Test it"), icon="play")
        self._test.clicked.connect(self._on_test)
        self._use = use or Button(tr("Use no model"), role=ButtonRole.MAIN)
        self._use.clicked.connect(self._on_use)
        for field in (self._model, self._url):
            field.textChanged.connect(self._show_kind)
            field.returnPressed.connect(self._on_use)
        self._lay_out()
        self.show_spec(BUILTIN)
        self.show_profiles(None)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        if self._is_alone:
            column.addWidget(section(tr("Model")))
            column.addWidget(
                body(
                    tr(
                        "The model that reads scenes and writes recaps. Tavernkeep also works "
                        "without one."
                    )
                )
            )
        column.addWidget(self._cards)
        self._fields = QWidget()
        row = QHBoxLayout(self._fields)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._url, 3)
        row.addWidget(self._list)
        row.addWidget(self._model, 2)
        row.addWidget(self._offer)
        column.addWidget(self._fields)
        column.addWidget(self._profile)
        keys = QHBoxLayout()
        keys.setSpacing(8)
        keys.addWidget(self.key, 1)
        keys.addWidget(self._server_key.forget)
        column.addLayout(keys)
        column.addWidget(self._wrong)  # beneath all fields: it moves none of them
        column.addWidget(self._server_key.words)
        commands = QHBoxLayout()
        commands.setSpacing(8)
        commands.addStretch(1)
        commands.addWidget(self._test)
        if self._is_alone:
            commands.addWidget(self._use)
        column.addLayout(commands)
        column.addWidget(self.trial)

    def matches(self, text: str) -> bool:
        """Whether the section is about the text; `text` is casefolded."""
        words = " ".join(" ".join(card_words(kind)) for kind in KINDS)
        return text in f"{tr('model backend test key')} {words} {tr(HELP)}".casefold()

    def show_spec(self, text: str) -> None:
        """Show the backend that is in use."""
        try:
            spec = parse_spec(text)
        except UsageError:
            spec = BackendSpec(BUILTIN)
        self._current = spec
        self._cards.choose(spec)
        self.typed.turn_to(spec.kind)
        if KINDS[spec.kind].asks_model:
            self._model.setText(spec.model)
            self._url.setText(spec.url if KINDS[spec.kind].asks_url else "")
        elif spec.kind == SILLYTAVERN:
            self._cards.by_kind[SILLYTAVERN].setEnabled(True)
            self._choose_profile(spec.model)
        self._show_kind()

    def show_found(self, models: Sequence[FoundModel]) -> None:
        """Offer the models of the Ollama on this machine."""
        models = [model for model in models if "embed" not in model.name.casefold()]
        kind, name = self._cards.kind, self._model_name()
        self._cards.show_found(models)
        # What the user chose meanwhile stays chosen, under its own name where it has one now.
        chosen = BackendSpec(kind, name, OLLAMA_URL if kind == OLLAMA else "")
        self._cards.choose(chosen)
        if kind == OLLAMA:
            self._model.setText(name)
        self._show_kind()

    def show_profiles(self, profiles: Sequence[str] | None) -> None:
        """Offer the connection profiles of SillyTavern's page; None where no page is open."""
        chosen = self._profile_name()
        self._profile.clear()
        self._profile.addItems([tr(IN_USE), *(profiles or ())])
        self._choose_profile(chosen)
        is_in_use = self._current.kind == SILLYTAVERN
        self._cards.show_page(is_there=profiles is not None, is_in_use=is_in_use)
        self._show_kind()

    def _choose_profile(self, name: str) -> None:
        if name and self._profile.findText(name) < 1:
            self._profile.addItem(name)
        self._profile.setCurrentIndex(max(0, self._profile.findText(name)) if name else 0)

    def _profile_name(self) -> str:
        return self._profile.currentText() if self._profile.currentIndex() > 0 else ""

    def show_offered(self, models: Sequence[str]) -> None:
        """Offer the models of the server at the address; the server's own first one is put in,
        since by their names a large and dear one may come first.
        """
        self._offer.clear()
        self._offer.addItems(sorted(models))
        self._offer.setVisible(bool(models))
        if models and self._model.text().strip() not in models:
            self._model.setText(models[0])
        self._follow_name(self._model.text())

    def _follow_name(self, name: str) -> None:
        """Two names side by side would be one too many."""
        self._offer.setCurrentIndex(self._offer.findText(name.strip()))

    def show_unlisted(self, url: str, why: str) -> None:
        """Say under the address why its server named no models."""
        self._unlisted = url, why
        self._show_kind()

    def choose(self, kind: str, *, model: str = "", url: str = "") -> None:
        """Select a card and fill its fields, as a user would."""
        self._cards.by_kind[kind].setChecked(True)
        self.typed.turn_to(kind)
        if KINDS[kind].asks_profile:
            self._choose_profile(model)
        else:
            self._model.setText(model)
            self._url.setText(url)
        self._show_kind()

    def use(self) -> None:
        """Press the button."""
        self._on_use()

    def test(self) -> None:
        """Press the other button."""
        self._on_test()

    @property
    def has_found(self) -> bool:
        """Whether the Ollama on this machine has models."""
        return bool(self._cards.found)

    @property
    def choices(self) -> tuple[ChoiceCard, ...]:
        """All cards in their order."""
        return self._cards.in_order

    @property
    def offers(self) -> tuple[str, ...]:
        """Specs of all models that are known here, and of what is entered."""
        found = [f"{OLLAMA}:{name}" for name in self._cards.found]
        pages: list[str] = []
        if self._cards.by_kind[SILLYTAVERN].isEnabled():
            names = [self._profile.itemText(n) for n in range(1, self._profile.count())]
            pages = [str(BackendSpec(SILLYTAVERN, name)) for name in ("", *names)]
        listed: list[str] = []
        entered, _ = self._parsed()
        if entered is not None and KINDS[entered.kind].asks_url:
            names = [self._offer.itemText(n) for n in range(self._offer.count())]
            listed = [str(BackendSpec(entered.kind, name, entered.url)) for name in names]
        current = (str(self._current), *((str(entered),) if entered is not None else ()))
        return tuple(dict.fromkeys((BUILTIN, *found, *pages, *current, *listed)))

    @property
    def _address(self) -> str:
        """As it was typed; else where a server of this kind mostly is, "" for nowhere."""
        return self._url.text().strip() or KINDS[self._cards.kind].url

    def _model_name(self) -> str:
        return self._cards.found_name or self._model.text().strip()

    def _spec_text(self) -> str:
        kind, model, url = self._cards.kind, self._model_name(), self._address
        asked = KINDS[kind]
        if not asked.asks_model:
            return str(BackendSpec(kind, self._profile_name() if asked.asks_profile else ""))
        if not asked.asks_url:
            return f"{kind}:{model}"
        full = url if "://" in url or not url else f"http://{url}"
        return f"{kind}:{model}@{full}" if full else f"{kind}:{model}"

    def _show_kind(self) -> None:
        self.typed.turn_to(kind := self._cards.kind)
        model, asked = self._model_name(), KINDS[kind]
        is_server = asked.asks_url
        # What was found here is named by its card.
        needs_name = asked.asks_model and not self._cards.found_name
        self._fields.setVisible(needs_name)
        self._model.setVisible(needs_name)
        self._url.setVisible(is_server)
        self._list.setVisible(is_server)
        self._url.setPlaceholderText(asked.url or tr(SUCH_AS))
        self._list.setEnabled(bool(self._address))
        self._offer.setVisible(is_server and self._offer.count() > 0)
        self._show_key()
        self._profile.setVisible(asked.asks_profile and self._profile.count() > 1)
        if kind == BUILTIN:
            command = tr("Use no model")
        elif kind == SILLYTAVERN:
            command = tr("Use SillyTavern's connection")
        else:
            command = tr("Use {model}", model=model) if model else tr("Use this model")
        spec, sentence = self._parsed()
        # How another model did would be read as how this one does.
        is_of_this = self._tried is not None and self._tried == spec
        if is_of_this and self.trial.is_refused:
            command = tr("Use it anyway")
        self._use.set_text(command)
        self._use.setEnabled(spec is not None)
        if self._is_alone:
            self._use.setVisible(spec != self._current)
        self._test.setEnabled(spec is not None)
        self._test.setVisible(kind != BUILTIN)
        is_asked = needs_name and bool(model) and (not is_server or bool(self._address))
        unlisted = self._unlisted[1] if is_server and self._unlisted[0] == self._address else ""
        self._wrong.show_words(unlisted or (sentence if is_asked else ""), "failed")
        self._wrong.setVisible(bool(self._wrong.text()))
        self.trial.setVisible(is_of_this or self.trial.is_running)
        self.changed.emit()

    @property
    def command(self) -> str:
        """What the button says."""
        return self._use.text()

    @property
    def destination(self) -> tuple[str, str]:
        """Where stories would go by what is chosen now: kind of backend, and its address if any."""
        kind = self._cards.kind
        url = self._address if KINDS[kind].asks_url else ""
        return kind, url if "://" in url or not url else f"http://{url}"

    @property
    def is_ready(self) -> bool:
        """Whether the button can be pressed."""
        return self._use.isEnabled()

    def _show_key(self) -> None:
        is_server = KINDS[self._cards.kind].asks_url
        self._server_key.show_for(self._address if is_server else None)

    def take_key(self) -> tuple[str, str]:
        """Address and key that the user typed, once; the key is "" where there is none."""
        if not KINDS[self._cards.kind].asks_url:
            return self._address, ""  # what was typed for a server stays until that is used
        return self._address, self._server_key.take()

    def show_keys(self) -> None:
        """What is kept may be different now."""
        self._show_key()

    def _ask_anew(self) -> None:
        """What the server refused to a key that was missing or wrong says nothing of this one."""
        if self._unlisted[1]:
            self._unlisted = ("", "")
            self._show_kind()

    def _parsed(self) -> tuple[BackendSpec | None, str]:
        try:
            return parse_spec(self._spec_text()), ""
        except UsageError as error:
            return None, str(error)

    def _on_use(self) -> None:
        spec, sentence = self._parsed()
        if spec is None:
            self._wrong.show_words(sentence, "failed")
            self._wrong.show()
            return
        if spec != self._current:
            self.chosen.emit(str(spec))
        else:
            self.confirmed.emit()

    def _on_test(self) -> None:
        spec, _ = self._parsed()
        if spec is not None:
            self._tried = spec
            self.test_wanted.emit(str(spec))

    def _on_list(self) -> None:
        self._unlisted = "", ""
        self._show_kind()
        self.models_wanted.emit(self._address)

    def _on_offer(self, row: int) -> None:
        self._model.setText(self._offer.itemText(row))
