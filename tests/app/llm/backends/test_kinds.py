"""Every kind of backend can be written down, and made where it answers prompts."""

from __future__ import annotations

import pytest

from app.llm.backends.factory import make_backend
from app.llm.backends.specs import BUILTIN, KINDS, parse_spec


@pytest.mark.parametrize("form", [form for kind in KINDS.values() for form in kind.forms])
def test_each_form_of_a_kind_can_be_read_and_written(form: str) -> None:
    text = form.replace("MODEL", "small:1b").replace("URL", "http://127.0.0.1:9")
    spec = parse_spec(text.replace("PROFILE", "Work"))
    assert spec.kind == form.partition(":")[0]
    assert parse_spec(str(spec)) == spec


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != BUILTIN])
async def test_each_kind_is_made_without_asking_anybody(kind: str) -> None:
    row = KINDS[kind]
    url = "@http://127.0.0.1:9" if row.asks_url else ""
    backend = make_backend(parse_spec(f"{kind}:small{url}"))
    assert parse_spec(backend.spec).kind == kind
    await backend.aclose()
