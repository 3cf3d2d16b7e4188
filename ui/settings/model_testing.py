"""Asks the Companion which models there are, and lets one be tried before it is chosen."""

from __future__ import annotations

import asyncio

from PySide6.QtCore import QObject, QTimer

from app.core.errors import TavernkeepError
from app.core.part_health import Health, HealthItem
from app.core.translation import N_, tr
from app.llm.backends.specs import KINDS, parse_spec
from app.settings.program import ProgramSettings
from ui.core.session import Session
from ui.settings.backend import BackendChoice

LOOK_AGAIN_MS = 3000


class ModelTesting(QObject):
    """Stands between the choice of a model and the session; one test at a time."""

    def __init__(self, session: Session, choice: BackendChoice) -> None:
        super().__init__(choice)
        self._session = session
        self._choice = choice
        self._running: asyncio.Task[None] | None = None
        self._bridge: HealthItem | None = None
        session.health_changed.connect(self._on_health_changed)
        choice.test_wanted.connect(self._on_test)
        choice.models_wanted.connect(self._on_models)
        choice.key_removed.connect(self._on_key_removed)
        choice.key_entered.connect(self._on_key_entered)
        choice.trial.stop_wanted.connect(self.stop)
        choice.typed.restore(ProgramSettings(session.companion.settings).backend_typed)
        choice.typed.changed.connect(self._on_typed)
        self._again = QTimer(self)
        self._again.setInterval(LOOK_AGAIN_MS)
        self._again.timeout.connect(self._on_look_again)
        self._again.start()

    def _on_typed(self, typed: str) -> None:
        """Keep it, also of a kind that is not in use: an address is long to type."""
        put = self._session.companion.put_setting("backend_typed", typed)
        self._session.do(put, name=N_("keeping what was typed"))

    async def keep_key(self) -> None:
        """Keep the key that the user typed, if any. Raises UsageError, StoreError."""
        url, key = self._choice.take_key()
        if key:
            await self._change_key(url, key, N_("saving an API key"))

    async def _change_key(self, url: str, key: str, name: str) -> None:
        """Undo brings back the one before: many a provider shows a key only once."""
        keep = self._session.companion.models.keep_key
        before = await keep(url, key)
        self._choice.show_keys()

        async def bring_back() -> None:
            await keep(url, before)
            self._choice.show_keys()

        if before not in ("", key):
            await self._session.can_take_back(name, bring_back)

    def _on_key_entered(self) -> None:
        async def keep() -> None:
            await self.keep_key()
            self._session.told.emit(tr("A key is saved"))

        if self._choice.key.text().strip():
            self._session.do(keep(), name=N_("saving an API key"))

    def _on_key_removed(self, url: str) -> None:
        name = N_("deleting an API key")

        async def forget() -> None:
            await self._change_key(url, "", name)
            self._session.told.emit(tr("The key was deleted. Undo brings it back."))

        self._session.do(forget(), name=name)

    def look_for_models(self) -> None:
        """Look once more which models Ollama and SillyTavern's page have."""
        self._look_at_ollama()
        self._look_at_page()

    def _look_at_ollama(self) -> None:
        async def look() -> None:
            self._choice.show_found(await self._session.companion.models.found())

        self._session.do(look(), name=N_("looking for models"))

    def _on_look_again(self) -> None:
        """Whoever is told to start Ollama first need not come back for it to be seen."""
        if self._choice.isVisible() and not self._choice.has_found:
            self._look_at_ollama()

    def _look_at_page(self) -> None:
        async def look() -> None:
            self._choice.show_profiles(await self._session.companion.models.profiles_in_page())

        self._session.do(look(), name=N_("looking for SillyTavern's page"))

    def _on_health_changed(self, health: Health) -> None:
        if health.bridge != self._bridge:
            self._bridge = health.bridge
            self._look_at_page()

    def stop(self) -> None:
        """End the test that runs."""
        if self._running is not None:
            self._running.cancel()

    def _on_models(self, url: str) -> None:
        async def look() -> None:
            kind, _ = self._choice.destination
            try:
                await self.keep_key()
                self._choice.show_offered(
                    await self._session.companion.models.offered_at(kind, url)
                )
            except TavernkeepError as error:  # beside the field, where it can be mended
                self._choice.show_offered(())
                self._choice.show_unlisted(url, str(error))

        self._session.do(look(), name=N_("asking the server for its models"))

    def _on_test(self, spec: str) -> None:
        self.stop()
        parsed = parse_spec(spec)
        called = KINDS[parsed.kind].called
        name = tr(called) if called else parsed.model
        self._choice.trial.begin(name)
        self._running = self._session.do(self._test(spec), name=N_("the test of a model"))

    async def _test(self, spec: str) -> None:
        panel = self._choice.trial
        this = asyncio.current_task()
        try:
            await self.keep_key()
            trial = await self._session.companion.models.test(spec, on_text=panel.show_text)
        except (asyncio.CancelledError, TavernkeepError):
            if self._running is this:
                panel.end(None)
            raise
        if self._running is this:
            panel.end(trial)
