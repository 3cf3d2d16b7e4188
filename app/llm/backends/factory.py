"""Makes the backend of a spec."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from app.core.errors import UsageError
from app.core.translation import tr
from app.llm.backends.backend import Backend, ListsModels
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
            raise UsageError(tr("The API key contains characters that no key has."))
    make = _MAKERS.get(spec.kind)
    if make is None:
        raise UsageError(tr("The built-in rules cannot answer prompts."))
    return make(spec, Access(api_key or None, context_tokens, page))


async def offered_models(spec: BackendSpec, *, api_key: str | None = None) -> tuple[str, ...]:
    """Names of the models that the server of a spec offers; none where its kind has no list.
    Raises UsageError, BackendError.
    """
    backend = make_backend(spec, api_key=api_key)
    try:
        return await backend.list_models() if isinstance(backend, ListsModels) else ()
    finally:
        await backend.aclose()


@dataclass(frozen=True, slots=True)
class Access:
    """What a backend is made with beside its spec; see `make_backend`."""

    api_key: str | None
    context_tokens: int | None
    page: PageLine | None


# Each imports its module when it is made: a client for HTTP takes a while, and not all need one.
def _ollama(spec: BackendSpec, access: Access) -> Backend:
    from app.llm.backends.ollama import OllamaBackend

    return OllamaBackend(
        spec.model, spec.url, api_key=access.api_key, context_tokens=access.context_tokens
    )


def _openai(spec: BackendSpec, access: Access) -> Backend:
    from app.llm.backends.openai_compatible import OpenAiBackend

    return OpenAiBackend(
        spec.model, spec.url, api_key=access.api_key, context_tokens=access.context_tokens
    )


def _sillytavern(spec: BackendSpec, access: Access) -> Backend:
    from app.llm.backends.sillytavern_page import PageBackend

    return PageBackend(spec.model, access.page, context_tokens=access.context_tokens)


_MAKERS: Mapping[str, Callable[[BackendSpec, Access], Backend]] = {
    OLLAMA: _ollama,
    OPENAI: _openai,
    SILLYTAVERN: _sillytavern,
}
