"""The language that people read: sentences go through gettext on their way to the eye.

English stands in the code; resources/translations/LANGUAGE.po holds the rest, and
`python packaging/translations.py` keeps it in step with the code.

How a text is written:
- In a function: `tr("{name} is away.", name=name)`. Never an f-string, never sentences glued from
  parts: word order differs from language to language.
- With a number: `trn("{n} scene", "{n} scenes", count)`; n is put in as `number(count)`.
- In a table that is made at import: `N_("Scenes")`, and `tr(TABLE[key])` where it is shown, since
  the language is chosen later.
- A word that another language needs two words for: `tr_in("a state", "open")`.
What stays English: prompts and whatever else a model reads, log lines, names of settings, commands
and their options, what is written into SillyTavern's files.
"""

from __future__ import annotations

import gettext
import locale
import os

from app.paths import RESOURCES

TRANSLATIONS = RESOURCES / "translations"
ENGLISH = "en"
SYSTEM = "system"

_texts: gettext.NullTranslations = gettext.NullTranslations()
_separators = {"group": ",", "decimal": "."}


def languages() -> tuple[str, ...]:
    """Codes of what there is, English first."""
    return (ENGLISH, *sorted(path.stem for path in TRANSLATIONS.glob("*.mo")))


def system_language() -> str:
    """The user's own language if there is a translation, else English."""
    wanted = [os.environ.get(name, "") for name in ("LC_ALL", "LC_MESSAGES", "LANG")]
    code = next((name for name in wanted if name), locale.getlocale()[0] or "")[:2].lower()
    return code if code in languages() else ENGLISH


def use(language: str) -> None:
    """From here on texts are of this language: a code of `languages`, or "system"."""
    code = system_language() if language == SYSTEM else language
    if code == ENGLISH or code not in languages():
        use_texts(gettext.NullTranslations())
        return
    with (TRANSLATIONS / f"{code}.mo").open("rb") as file:
        use_texts(gettext.GNUTranslations(file))


def use_texts(texts: gettext.NullTranslations) -> None:
    """From here on texts come from this catalogue."""
    global _texts
    _texts = texts
    is_point = tr_in("between thousands: a comma or a point", ",") == "."
    _separators.update(
        {"group": ".", "decimal": ","} if is_point else {"group": ",", "decimal": "."}
    )


def tr(text: str, /, **values: object) -> str:
    """The text in the language in use, with its fields filled in."""
    found = _texts.gettext(text) if text else ""
    return found.format(**values) if values else found


def tr_in(context: str, text: str, /, **values: object) -> str:
    """As tr, where the same English means different things: context says which is meant."""
    found = _texts.pgettext(context, text)
    return found.format(**values) if values else found


def trn(one: str, many: str, count: int, /, **values: object) -> str:
    """The form that fits the count, with `{n}` as the count in the language's digits."""
    return _texts.ngettext(one, many, count).format(n=number(count), **values)


def N_(text: str) -> str:  # noqa: N802 - gettext's own name
    """Marks a text that is translated where it is shown."""
    return text


def number(value: float, decimals: int = 0) -> str:
    """Digits grouped as the language has it: "12,345.6", "12.345,6"."""
    plain = f"{value:,.{decimals}f}"
    return plain.translate({ord(","): _separators["group"], ord("."): _separators["decimal"]})
