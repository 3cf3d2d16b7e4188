"""Keep resources/translations in step with the code; needs the development packages.

    python packaging/translations.py update             read the code's texts into each LANGUAGE.po
    python packaging/translations.py compile            write each LANGUAGE.mo
    python packaging/translations.py missing de         texts without a translation, as JSON
    python packaging/translations.py take de FILE.json  put in {English: translation, ...}

In that JSON a text with a number stands under its English singular, its translation as a list of
[singular, plural]; a text with a context as "context\\u0004text", as gettext itself has it. A
translation has to have the fields of its text, else it is refused.
"""

from __future__ import annotations

import ast
import io
import json
import string
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from babel.messages import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

CHECKOUT = Path(__file__).resolve().parent.parent
TRANSLATIONS = CHECKOUT / "resources" / "translations"
PACKAGES = ("app", "ui")
PROMPTS = "resources/prompts"
TEXTS = {"tr": 1, "N_": 1, "trn": 2, "tr_in": 2}  # how many texts each takes at first
CONTEXT_END = "\x04"
ONE_DATE = datetime(2026, 1, 1, tzinfo=UTC)  # of all headers: the same texts give the same files


def texts_of_the_code(checkout: Path = CHECKOUT) -> Catalog:
    """All that app/ and ui/ mark as text for people, and what prompts tell them, with its files."""
    catalog = Catalog(creation_date=ONE_DATE)
    for package in PACKAGES:
        for path in sorted((checkout / package).rglob("*.py")):
            where = [(path.relative_to(checkout).as_posix(), None)]
            for text, context in texts_of_a_module(path.read_text(encoding="utf-8")):
                catalog.add(text, locations=where, context=context)
    for path in sorted((checkout / PROMPTS).glob("*.md")):
        for text in texts_of_a_prompt(path.read_text(encoding="utf-8")):
            catalog.add(text, locations=[(f"{PROMPTS}/{path.name}", None)])
    return catalog


def texts_of_a_module(source: str) -> Iterator[tuple[str | tuple[str, str], str | None]]:
    """(text, or singular and plural; context) of each call, also inside f-strings and calls."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        given = node.args[: TEXTS.get(node.func.id, 0)]
        texts = [one.value for one in given if isinstance(one, ast.Constant)]
        if len(texts) < TEXTS.get(node.func.id, 1) or not all(texts):
            continue
        match node.func.id:
            case "trn":
                yield (str(texts[0]), str(texts[1])), None
            case "tr_in":
                yield str(texts[1]), str(texts[0])
            case _:
                yield str(texts[0]), None


def texts_of_a_prompt(file: str) -> Iterator[str]:
    """What the header of a prompt tells people: its title, its purpose, and of each input."""
    for line in file.split("---", 2)[1].splitlines():
        key, _, value = line.partition(":")
        if key in ("title", "purpose") or key.startswith("input "):
            yield value.strip()


def read_catalog(language: str) -> Catalog:
    """What there is of a language; an empty catalogue if nothing."""
    path = TRANSLATIONS / f"{language}.po"
    if path.exists():
        with path.open("rb") as file:
            catalog = read_po(file, language)
    else:
        catalog = Catalog(language, "Tavernkeep", header_comment=f"# Tavernkeep: {language}")
    catalog.fuzzy = False
    catalog.creation_date = catalog.revision_date = ONE_DATE
    return catalog


def write_catalog(catalog: Catalog) -> None:
    TRANSLATIONS.mkdir(exist_ok=True)
    with (TRANSLATIONS / f"{catalog.locale}.po").open("wb") as file:
        write_po(file, catalog, width=100, sort_output=True, omit_header=False)


def compiled(catalog: Catalog) -> bytes:
    """The catalogue as gettext reads it, without texts that are not translated."""
    file = io.BytesIO()
    write_mo(file, catalog)
    return file.getvalue()


def missing(catalog: Catalog) -> Iterator[Message]:
    """Texts of the code that have no translation."""
    for message in catalog:
        translation = message.string if isinstance(message.string, tuple) else (message.string,)
        if message.id and not all(translation):
            yield message


def key_of(message: Message) -> str:
    text = message.id[0] if isinstance(message.id, tuple) else message.id
    return f"{message.context}{CONTEXT_END}{text}" if message.context else str(text)


def fields_of(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def take(catalog: Catalog, given: Mapping[str, str | list[str]]) -> list[str]:
    """Put translations in. Returns why some were refused."""
    refused = []
    for message in catalog:
        found = given.get(key_of(message)) if message.id else None
        if found is None:
            continue
        texts = tuple(found) if isinstance(found, list) else (found,)
        plurals = message.id if isinstance(message.id, tuple) else (message.id,)
        fields = set().union(*map(fields_of, plurals))
        if len(texts) != len(plurals) or any(fields_of(text) - fields for text in texts):
            refused.append(f"{key_of(message)!r}: the fields or the number of forms differ")
        elif fields_of(texts[-1]) != fields_of(plurals[-1]):
            refused.append(f"{key_of(message)!r}: the fields differ")
        else:
            message.string = texts if isinstance(message.id, tuple) else texts[0]
            message.flags.discard("fuzzy")
    return refused


def languages() -> list[str]:
    return sorted(path.stem for path in TRANSLATIONS.glob("*.po"))


def update(language: str) -> None:
    catalog = read_catalog(language)
    catalog.update(texts_of_the_code(), no_fuzzy_matching=True)
    catalog.obsolete.clear()
    write_catalog(catalog)
    (TRANSLATIONS / f"{language}.mo").write_bytes(compiled(catalog))


def main(arguments: list[str]) -> int:
    match arguments:
        case ["update"]:
            for language in languages():
                update(language)
        case ["compile"]:
            for language in languages():
                path = TRANSLATIONS / f"{language}.mo"
                path.write_bytes(compiled(read_catalog(language)))
        case ["missing", language]:
            left = {key_of(message): message.id for message in missing(read_catalog(language))}
            sys.stdout.write(json.dumps(left, ensure_ascii=False, indent=1) + "\n")
        case ["take", language, name]:
            catalog = read_catalog(language)
            refused = take(catalog, json.loads(Path(name).read_text(encoding="utf-8")))
            write_catalog(catalog)
            (TRANSLATIONS / f"{language}.mo").write_bytes(compiled(catalog))
            sys.stderr.writelines(f"{line}\n" for line in refused)
            return 1 if refused else 0
        case _:
            sys.stderr.write(__doc__ or "")
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
