"""Step three: what writes the recaps, with a test on a sample scene."""

from __future__ import annotations

from pathlib import Path

from app.core.translation import N_, tr
from app.llm.backends.specs import BUILTIN, SILLYTAVERN, parse_spec
from app.settings.program import ProgramSettings
from ui.controls.buttons import Button
from ui.core.session import Session
from ui.first_run.step import Step
from ui.settings.backend import BackendChoice
from ui.settings.model_testing import ModelTesting


class ModelStep(Step):
    """The choice of the settings, whose button stands at the foot of the window."""

    name = N_("Model")
    hint = N_("Who writes the recaps")
    title = N_("Choose a model")
    sentence = N_(
        "It reads scenes and writes recaps and memories. A mid-sized model on this computer is "
        "enough."
    )

    def __init__(self, session: Session, use: Button) -> None:
        super().__init__(session)
        self._is_chosen = False
        self.choice = BackendChoice(self._key_of, use=use)
        self.choice.chosen.connect(self._on_chosen)
        self.choice.confirmed.connect(self._on_kept)
        self.choice.changed.connect(self.changed)
        self.testing = ModelTesting(session, self.choice)
        self.column.addWidget(self.choice)
        self.column.addStretch(1)

    @property
    def found(self) -> str:
        if not self._is_chosen:
            return ""
        spec = parse_spec(ProgramSettings(self.session.companion.settings).backend)
        if spec.kind == BUILTIN:
            return tr("No model")
        return tr("SillyTavern's own connection") if spec.kind == SILLYTAVERN else spec.model

    @property
    def command(self) -> str:
        return self.choice.command

    @property
    def is_ready(self) -> bool:
        return self.choice.is_ready

    def enter(self) -> None:
        self.choice.show_spec(ProgramSettings(self.session.companion.settings).backend)
        self.testing.look_for_models()

    def do(self) -> None:
        """Nothing: the choice has the button itself."""

    def _key_of(self, url: str) -> tuple[bool, Path | None]:
        keys = self.session.companion.models.keys
        return keys.find(url) is not None, keys.file if keys.is_in_file(url) else None

    def _on_chosen(self, spec: str) -> None:
        self.session.do(self._put(spec), name=N_("choosing a model"))

    async def _put(self, spec: str) -> None:
        await self.testing.keep_key()
        await self.session.companion.put_setting("backend", spec)
        self.choice.show_spec(spec)
        self._on_kept()

    def _on_kept(self) -> None:
        self._is_chosen = True
        self.testing.stop()
        self.changed.emit()
        self.over.emit()
