"""How the window looks: theme and size of the story's letters."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.core.chosen_scale import NORMAL, SCALES
from app.core.translation import N_, SYSTEM, languages, number, tr
from app.settings.program import ProgramSettings
from app.settings.values import REGISTRY, Settings
from ui.controls.buttons import Button, IconButton
from ui.controls.fields import Segments
from ui.controls.labels import Label
from ui.controls.setting_sections import Section
from ui.settings.fact_row import FactRow
from ui.shell.setting_entries import LANGUAGE, SCALE
from ui.theme.fonts import MEDIUM, ui_font

LANGUAGES = {"en": "English", "de": "Deutsch"}  # each in itself
THEMES = {"system": N_("Same as the system"), "light": N_("Light"), "dark": N_("Dark")}
CONTRASTS = {"system": N_("Same as the system"), "normal": N_("Normal"), "high": N_("High")}
TEXT_STEP = 0.5


class LookSection(Section):
    """Signals:
    chosen: (name, value) of a setting.
    language_chosen: code of a language, or "system". scale_chosen: percent.
    restart_wanted: the program is to be started again.
    """

    chosen = Signal(str, object)
    language_chosen = Signal(str)
    scale_chosen = Signal(int)
    restart_wanted = Signal()

    def __init__(self, chosen_language: str = SYSTEM, chosen_scale: int = NORMAL) -> None:
        super().__init__(tr("Look"), tr("Applies to all chats."))
        self._px = float(REGISTRY["story_text_size"].default)
        self._theme = Segments(tr("Theme"), {key: tr(name) for key, name in THEMES.items()})
        self._theme.chosen.connect(self._on_theme)
        self._contrast = Segments(
            tr("Contrast"), {key: tr(word) for key, word in CONTRASTS.items()}
        )
        self._contrast.chosen.connect(self._on_contrast)
        self._size = Label(font=ui_font(12.5, MEDIUM))
        self._size.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._size.setFixedWidth(64)
        theme_row = FactRow(tr("Theme"), REGISTRY["theme"].help)
        theme_row.row.addWidget(self._theme)
        self.add_row(theme_row)
        contrast_row = FactRow(tr("Contrast"), REGISTRY["contrast"].help)
        contrast_row.row.addWidget(self._contrast)
        self.add_row(contrast_row)
        size_row, smaller = self._add_size_row()
        named = {code: LANGUAGES.get(code, code) for code in languages()}
        self.language = Segments(tr("Language"), {SYSTEM: tr(THEMES["system"]), **named})
        self.language.choose(chosen_language)
        self.language.chosen.connect(self.language_chosen)
        language_row = FactRow(
            tr("Language"), tr("The language of this window, from the next start on.")
        )
        language_row.row.addWidget(self.language)
        self.add_row(language_row)
        self.scale = Segments(tr("Interface size"), {str(s): f"{s} %" for s in SCALES})
        self.scale.choose(str(chosen_scale))
        self.scale.chosen.connect(self._on_scale)
        scale_row = FactRow(
            tr("Interface size"), tr("Text, icons and controls, from the next start on.")
        )
        scale_row.row.addWidget(self.scale)
        self.add_row(scale_row)
        self.restart = Button(tr("Start again"), icon="sync")
        self.restart.clicked.connect(self.restart_wanted)
        self.places: dict[str, tuple[FactRow, QWidget]] = {
            "theme": (theme_row, self._theme),
            "contrast": (contrast_row, self._contrast),
            "story_text_size": (size_row, smaller),
            LANGUAGE: (language_row, self.language),
            SCALE: (scale_row, self.scale),
        }
        restart_row = FactRow(
            tr("Restart now"),
            tr("Restart to apply language and size. Work in progress continues afterwards."),
        )
        restart_row.row.addWidget(self.restart)
        self.add_row(restart_row)

    def _add_size_row(self) -> tuple[FactRow, QWidget]:
        """The row for the story's letters, and the first control in it."""
        row = FactRow(tr("Story text"), tr("Letter size of the story text, 13 to 22 px."))
        smaller = IconButton("minus", tr("Smaller story text"), is_framed=True)
        smaller.clicked.connect(self._on_smaller)
        larger = IconButton("plus", tr("Larger story text"), is_framed=True)
        larger.clicked.connect(self._on_larger)
        sizes = QHBoxLayout()
        sizes.setSpacing(0)
        for widget in (smaller, self._size, larger):
            sizes.addWidget(widget)
        row.row.addLayout(sizes)
        self.add_row(row)
        return row, smaller

    def show_values(self, settings: Settings) -> None:
        """Show what is in force."""
        self._theme.choose(ProgramSettings(settings).theme)
        self._contrast.choose(ProgramSettings(settings).contrast)
        self._px = ProgramSettings(settings).story_text_size
        self._size.setText(f"{number(self._px, 1 if self._px % 1 else 0)} px")

    def _on_theme(self, choice: str) -> None:
        self.chosen.emit("theme", choice)

    def _on_scale(self, scale: str) -> None:
        self.scale_chosen.emit(int(scale))

    def _on_contrast(self, choice: str) -> None:
        self.chosen.emit("contrast", choice)

    def _on_larger(self) -> None:
        self._step(TEXT_STEP)

    def _on_smaller(self) -> None:
        self._step(-TEXT_STEP)

    def _step(self, by: float) -> None:
        setting = REGISTRY["story_text_size"]
        least, most = setting.minimum or 0.0, setting.maximum or 99.0
        self.chosen.emit(setting.name, max(least, min(most, self._px + by)))
