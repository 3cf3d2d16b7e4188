"""Makes the backend of a spec."""

from __future__ import annotations

from app.core.errors import UsageError
from app.core.translation import tr
from app.llm.backends.backend import Backend
from app.llm.backends.page_line import PageLine
from app.llm.backends.specs import OLLAMA, OPENAI, SILLYTAVERN, BackendSpec


def make_backend(
    spec: BackendSpec,
    *,
    api_key: str | None = None,
    context_tokens: int | None = None,
    page: PageLine | None = None,
) -> Backend:
    """The backend of a spec; opens no connection yet.

    api_key: sent as a bearer key, never stored or logged. context_tokens: else what the server
    says. page: where SillyTavern's own connection is asked. Raises UsageError for the built-in,
    which generates no text, and for a key that no header can hold.
    """
    if api_key is not None:
        api_key = api_key.strip()
        if not api_key.isascii() or not api_key.isprintable():
            raise UsageError(tr("The API key has signs that no key has."))
    if spec.kind == OLLAMA:
        from app.llm.backends.ollama import OllamaBackend

        return OllamaBackend(
            spec.model, spec.url, api_key=api_key or None, context_tokens=context_tokens
        )
    if spec.kind == OPENAI:
        from app.llm.backends.openai_compatible import OpenAiBackend

        return OpenAiBackend(
            spec.model, spec.url, api_key=api_key or None, context_tokens=context_tokens
        )
    if spec.kind == SILLYTAVERN:
        from app.llm.backends.sillytavern_page import PageBackend

        return PageBackend(spec.model, page, context_tokens=context_tokens)
    raise UsageError(tr("The built-in way answers no prompts."))
