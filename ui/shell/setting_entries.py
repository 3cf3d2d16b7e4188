"""Settings as rows of the command palette: each leads to its place on the settings page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from app.core.translation import N_, tr
from app.settings.models import MODEL_SETTINGS
from app.settings.values import REGISTRY
from ui.shell.entries import Entry

MOST_SETTINGS = 8
# Of the machine, so not among the registry's.
LANGUAGE, SCALE, AT_LOGIN = "language", "scale", "at login"
FILE, TRIAL = "settings file", "memory test"  # commands of the page
PROGRAM = "this program"  # has a place there, and a command of its own
API_KEY = "api key"  # kept outside of the settings
# What some can be set to, by which they are looked for.
_CHOICES = {
    "theme": (N_("Light"), N_("Dark")),
    "contrast": (N_("High"),),
    LANGUAGE: ("English", "Deutsch"),
}
# Settings that have a place of their own on the page: what they are called there, and in which
# section.
_OWN_PLACES = {
    "tavern": (N_("SillyTavern folder"), "SillyTavern"),
    "backend": (N_("Model"), N_("Model")),
    API_KEY: (N_("API key of the server"), N_("Model")),
    **{setting.name: (setting.label_text, N_("Models by task")) for setting in MODEL_SETTINGS},
    "theme": (N_("Theme"), N_("Look")),
    "contrast": (N_("Contrast"), N_("Look")),
    "story_text_size": (N_("Story text size"), N_("Look")),
    LANGUAGE: (N_("Language"), N_("Look")),
    SCALE: (N_("Interface size"), N_("Look")),
    AT_LOGIN: (N_("Start with the system"), N_("About this program")),
    FILE: (N_("Export or import settings"), N_("Settings file")),
    TRIAL: (N_("Try a model on all memory tasks"), N_("Memory test")),
}


class SettingEntries(NamedTuple):
    """called: by their name and section. told: by what their help says."""

    called: tuple[Entry, ...] = ()
    told: tuple[Entry, ...] = ()


def setting_entries(words: Sequence[str]) -> SettingEntries:
    """Settings that hold all of these words, casefolded; none for no words."""
    called: list[Entry] = []
    told: list[Entry] = []
    for name, label, section, meaning in _places() if words else ():
        entry = Entry(label, section, "settings", value=name)
        title = f"{label} {section}".casefold()
        own = f"{label} {' '.join(map(tr, _CHOICES.get(name, ())))}".casefold()
        if all(word in f"{title} {own}" for word in words) and any(w in own for w in words):
            called.append(entry)
        elif all(word in f"{title} {meaning}".casefold() for word in words):
            told.append(entry)
    shown = called[:MOST_SETTINGS]
    return SettingEntries(tuple(shown), tuple(told[: MOST_SETTINGS - len(shown)]))


def _places() -> list[tuple[str, str, str, str]]:
    """Name, label, title of the section and help of each setting that can be shown."""
    found = [
        (name, tr(label), tr(section), REGISTRY[name].help if name in REGISTRY else "")
        for name, (label, section) in _OWN_PLACES.items()
    ]
    for name, setting in REGISTRY.items():
        if setting.section is not None:
            found.append((name, setting.label, setting.section.title, setting.help))
    return found
