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
- What is stored stays English: `N_("running recap v{version}").format(version=3)` where it is
  written, `retold(stored)` where it is shown.
What stays English: prompts and whatever else a model reads, log lines, names of settings, commands
and their options, what is written into SillyTavern's files.
"""

from __future__ import annotations

import gettext
import locale
import os
import re
import string
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import NamedTuple

from app.core.resources import RESOURCES

TRANSLATIONS = RESOURCES / "translations"
ENGLISH = "en"
SYSTEM = "system"
MOST_INSIDE = 4  # texts of ours that stand in fields of one another
GROUPED = re.compile(r"\d{1,3}(,\d{3})+")  # a number as English groups its digits
SMALLEST_DECIMALS = 6  # of a price
CONTEXT_END = "\x04"  # between context and text in a catalogue


class _Template(NamedTuple):
    """A text with fields. own: what stands before, between and behind them. letters: of these."""

    text: str
    own: tuple[str, ...]
    names: tuple[str, ...]
    letters: int


_texts: gettext.NullTranslations = gettext.NullTranslations()
_templates: tuple[_Template, ...] = ()  # texts with fields, the ones that say most first
_language = ENGLISH
_separators = {"group": ",", "decimal": "."}
# What is said to a page whose language is another one than the window's.
_aside: ContextVar[gettext.NullTranslations | None] = ContextVar("_aside", default=None)


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
    global _language
    code = system_language() if language == SYSTEM else language
    _language = code if code in languages() else ENGLISH
    if _language == ENGLISH:
        use_texts(gettext.NullTranslations())
        return
    use_texts(_catalogue(code))


def _catalogue(code: str) -> gettext.NullTranslations:
    with (TRANSLATIONS / f"{code}.mo").open("rb") as file:
        return gettext.GNUTranslations(file)


@cache
def _catalogue_of(locale_: str) -> gettext.NullTranslations:
    """Of a locale like "de-de"; English for one that there is no translation to."""
    code = locale_[:2].lower()
    known = code in languages() and code != ENGLISH
    return _catalogue(code) if known else gettext.NullTranslations()


@contextmanager
def speaking(locale_: str) -> Iterator[None]:
    """Within it texts are of another language, as SillyTavern's page has one of its own. locale_:
    "de-de"; "" changes nothing. Nothing is awaited or told to others within it.
    """
    if not locale_:
        yield
        return
    before = _aside.set(_catalogue_of(locale_))
    try:
        yield
    finally:
        _aside.reset(before)


def language() -> str:
    """Code of the language in use."""
    return _language


def use_texts(texts: gettext.NullTranslations) -> None:
    """From here on texts come from this catalogue."""
    global _texts, _templates
    _texts = texts
    known = (text for text in getattr(texts, "_catalog", {}) if isinstance(text, str))
    with_fields = (text for text in known if "{" in text and CONTEXT_END not in text)
    templates = sorted(map(_template_of, with_fields), key=_how_exact, reverse=True)
    _templates = tuple(template for template in templates if template.letters and template.names)
    _separators.update(_separators_now())


def _separators_now() -> dict[str, str]:
    is_point = tr_in("between thousands: a comma or a point", ",") == "."
    return {"group": ".", "decimal": ","} if is_point else {"group": ",", "decimal": "."}


def tr(text: str, /, **values: object) -> str:
    """The text in the language in use, with its fields filled in."""
    found = (_aside.get() or _texts).gettext(text) if text else ""
    return found.format(**values) if values else found


def tr_in(context: str, text: str, /, **values: object) -> str:
    """As tr, where the same English means different things: context says which is meant."""
    found = (_aside.get() or _texts).pgettext(context, text)
    return found.format(**values) if values else found


def trn(one: str, many: str, count: int, /, **values: object) -> str:
    """The form that fits the count, with `{n}` as the count in the language's digits."""
    texts = _aside.get() or _texts
    return texts.ngettext(one, many, count).format(n=number(count), **values)


def retold(stored: str) -> str:
    """A text of ours that was stored in English, with its fields filled in.

    Of the texts that it could be, the one with the most letters of its own is taken. Fields that
    it puts in “quotes” hold the user's own words. Takes a time that grows with the length only.
    """
    return _retold(stored, MOST_INSIDE)


def _retold(stored: str, deeper: int) -> str:
    if GROUPED.fullmatch(stored):
        return number(int(stored.replace(",", "")))
    told = tr(stored)
    if told != stored or not deeper:
        return told
    for template in _templates:
        fields = _fields_in(stored, template)
        if fields is not None:
            own = {n: value for n, value in fields.items() if f"“{{{n}}}”" in template.text}
            inside = {name: _retold(value, deeper - 1) for name, value in fields.items()}
            return tr(template.text, **inside | own)
    return stored


def _fields_in(stored: str, text: _Template) -> dict[str, str] | None:
    """What stands for the fields of a text, each as short as can be; None for another text.

    Not by a pattern: a few fields in the user's words could take one for minutes.
    """
    head, *between, tail = text.own
    at, end = len(head), len(stored) - len(tail)
    if not stored.startswith(head) or not stored.endswith(tail):
        return None
    found: dict[str, str] = {}
    for place, name in enumerate(text.names):
        following = between[place] if place < len(between) else ""
        stop = stored.find(following, at + 1, end) if place < len(between) else end
        value = stored[at:stop]
        if stop <= at or found.setdefault(name, value) != value or _cuts_a_quotation(value):
            return None
        at = stop + len(following)
    return found


def _cuts_a_quotation(value: str) -> bool:
    """Whether it ends or begins within “words of others” or „fremden Worten“: none of our text
    has its own words there.
    """
    opening, closing = ("„", "“") if "„" in value else ("“", "”")
    return value.count(opening) != value.count(closing)


def _template_of(text: str) -> _Template:
    own, names = [""], []
    for before, name, *_ in string.Formatter().parse(text):
        own[-1] += before
        if name is not None:
            names.append(name)
            own.append("")
    letters = sum(letter.isalpha() for part in own for letter in part)
    return _Template(text, tuple(own), tuple(names), letters)


def _how_exact(template: _Template) -> tuple[int, int]:
    """Letters of its own, then all its signs: "{a}: {b}" goes before "{a} {b}"."""
    return template.letters, sum(map(len, template.own))


def N_(text: str) -> str:  # noqa: N802 - gettext's own name
    """Marks a text that is translated where it is shown."""
    return text


def number(value: float, decimals: int = 0) -> str:
    """Digits grouped as the language has it: "12,345.6", "12.345,6"."""
    plain = f"{value:,.{decimals}f}"
    signs = _separators if _aside.get() is None else _separators_now()
    return plain.translate({ord(","): signs["group"], ord("."): signs["decimal"]})


def amount(price: float) -> str:
    """A price: "1.20"; less than a hundredth as exact as says something: "0.004"."""
    decimals = 2
    while decimals < SMALLEST_DECIMALS and 0 < price < 0.5 * 10**-decimals:
        decimals += 1
    return number(price, decimals)


def roughly(value: float) -> str:
    """A number that is only expected, as exact as that is: "2,300", "54,000", "1.7 million"."""
    if value >= 999_500:
        millions = round(value / 1e6, 1 if value < 9_950_000 else 0)
        return tr("{n} million", n=number(millions, 0 if millions.is_integer() else 1))
    digits = 3 if value >= 9_950 else 2 if value >= 995 else 1 if value >= 100 else 0
    return number(round(value / 10**digits) * 10**digits)
