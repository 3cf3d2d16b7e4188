"""Backends are written down in one form, read back the same, and nonsense is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import UsageError
from app.llm.backends.factory import make_backend
from app.llm.backends.specs import BackendSpec, parse_spec
from app.llm.writers.builtin import BuiltinWriter
from app.llm.writers.factory import make_writer
from app.llm.writers.model_writer import ModelWriter


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("builtin", BackendSpec("builtin")),
        (" Built-in ", BackendSpec("builtin")),
        ("ollama:llama3.1:8b", BackendSpec("ollama", "llama3.1:8b", "http://127.0.0.1:11434")),
        ("ollama:m@http://nas:11434/", BackendSpec("ollama", "m", "http://nas:11434")),
        ("ollama:m@10.0.0.2:11434", BackendSpec("ollama", "m", "http://10.0.0.2:11434")),
        ("ollama:m@http://h/api/chat", BackendSpec("ollama", "m", "http://h")),
        ("openai:gpt@https://h/v1/", BackendSpec("openai", "gpt", "https://h")),
        (
            "openai:a/b@https://openrouter.ai/api/v1",
            BackendSpec("openai", "a/b", "https://openrouter.ai/api"),
        ),
        (
            "openai:@cf/x@http://h:1/v1/chat/completions",
            BackendSpec("openai", "@cf/x", "http://h:1"),
        ),
        ("sillytavern", BackendSpec("sillytavern")),
        (" SillyTavern: ", BackendSpec("sillytavern")),
        ("sillytavern:My big: one", BackendSpec("sillytavern", "My big: one")),
        ("openai:m@http://[::1]:8080", BackendSpec("openai", "m", "http://[::1]:8080")),
    ],
)
def test_a_spec_is_read(text: str, spec: BackendSpec) -> None:
    assert parse_spec(text) == spec
    assert parse_spec(str(spec)) == spec


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ollama",
        "ollama:",
        "ollama:@http://h",
        "openai:m",
        "claude:x",
        "openai:m@ftp://h",
        "openai:m@http://",
        "openai:m@http://u:p@h",
        "openai:m@http://h?a=b",
        "ollama:a b",
        "openai:m@http://h:99999999",
        "http://h",
        "openai:m@http://h/ x",
        "ollama:a\x00b",
        "sillytavern:a\nb",
        "sillytavern:" + "x" * 201,
    ],
)
def test_nonsense_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(UsageError, match=r"\.$"):
        parse_spec(text)


@given(st.text(max_size=60))
def test_any_text_is_a_spec_or_refused(text: str) -> None:
    try:
        spec = parse_spec(text)
    except UsageError:
        return
    assert parse_spec(str(spec)) == spec


def test_a_refusal_never_tells_the_password() -> None:
    with pytest.raises(UsageError) as caught:
        parse_spec("openai:m@http://user:hunter2@h")
    assert "hunter2" not in str(caught.value)


def test_a_key_no_header_can_hold_is_refused() -> None:
    with pytest.raises(UsageError) as caught:
        make_backend(parse_spec("openai:m@http://h"), api_key="se\ncret")
    assert "cret" not in str(caught.value)


def test_the_built_in_answers_no_prompts() -> None:
    with pytest.raises(UsageError):
        make_backend(BackendSpec("builtin"))


def test_the_writer_fits_the_spec() -> None:
    assert isinstance(make_writer("builtin", count_tokens=len), BuiltinWriter)
    writer = make_writer("ollama:m", count_tokens=len)
    assert isinstance(writer, ModelWriter)
    assert (writer.label, writer.spec) == ("m", "ollama:m")
