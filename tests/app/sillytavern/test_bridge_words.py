"""What the bridge says in SillyTavern's page is there in each language that its manifest names."""

from __future__ import annotations

import json
import re

import pytest

from app.sillytavern.bridge.bridge_installer import SOURCE

NAMED = json.loads((SOURCE / "manifest.json").read_text(encoding="utf-8"))["i18n"]
TEMPLATE = re.compile(r"(?<!\w)t`([^`]*)`")


def keys_of(template: str) -> str:
    """As SillyTavern's translator looks it up: values by their place."""
    place = iter(range(99))
    return re.sub(r"\$\{[^{}]*\}", lambda _: f"${{{next(place)}}}", template)


def said() -> set[str]:
    sources = [path.read_text(encoding="utf-8") for path in SOURCE.glob("*.js")]
    return {keys_of(template) for source in sources for template in TEMPLATE.findall(source)}


@pytest.mark.parametrize("name", sorted(set(NAMED.values())))
def test_a_language_of_the_bridge_has_all_texts_with_their_values(name: str) -> None:
    texts = json.loads((SOURCE / name).read_text(encoding="utf-8"))
    assert set(texts) == said()
    for key, text in texts.items():
        assert sorted(re.findall(r"\$\{\d\}", text)) == sorted(re.findall(r"\$\{\d\}", key)), key


def test_german_is_found_by_what_browsers_and_sillytavern_call_it() -> None:
    assert {"de", "de-de"} <= set(NAMED)
