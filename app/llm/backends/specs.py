"""How a backend is written down in settings and on the command line."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

from app.core.errors import UsageError
from app.core.translation import N_, tr

BUILTIN = "builtin"
OLLAMA = "ollama"
OPENAI = "openai"
SILLYTAVERN = "sillytavern"
OLLAMA_URL = "http://127.0.0.1:11434"
LONGEST_NAME = 200

FORMS = N_(
    "builtin, ollama:MODEL, ollama:MODEL@URL, openai:MODEL@URL, sillytavern or sillytavern:PROFILE"
)


@dataclass(frozen=True, slots=True)
class BackendSpec:
    """Which backend, without its key. url: as `clean_url` gives it, "" for the built-in.

    Of SillyTavern's own connection `model` names the connection profile, "" for the one in use.
    """

    kind: str
    model: str = ""
    url: str = ""

    def __str__(self) -> str:
        if self.kind == BUILTIN:
            return BUILTIN
        if self.kind == SILLYTAVERN:
            return f"{SILLYTAVERN}:{self.model}" if self.model else SILLYTAVERN
        if self.kind == OLLAMA and self.url == OLLAMA_URL:
            return f"{OLLAMA}:{self.model}"
        return f"{self.kind}:{self.model}@{self.url}"


@lru_cache(maxsize=64)  # asked of each operation that waits
def parse_spec(text: str) -> BackendSpec:
    """Read builtin, ollama:MODEL[@URL], openai:MODEL@URL, sillytavern[:PROFILE].

    Raises UsageError.

    A model's name may hold colons, slashes and "@"; the URL starts at the last "@" that is
    followed by http://, https://, or by a host with a port.
    """
    text = text.strip()
    if text.lower() in (BUILTIN, "built-in"):
        return BackendSpec(BUILTIN)
    if text.lower() == SILLYTAVERN:
        return BackendSpec(SILLYTAVERN)
    kind, colon, rest = text.partition(":")
    kind = kind.strip().lower()
    if kind == SILLYTAVERN:
        return _page_spec(rest.strip())
    if not colon or kind not in (OLLAMA, OPENAI):
        raise UsageError(tr("That is no backend: use {forms}.", forms=tr(FORMS)))
    model, url = _split_model(rest.strip())
    is_strange = any(c.isspace() or not c.isprintable() for c in model)
    if not model or is_strange or len(model) > LONGEST_NAME:
        raise UsageError(tr("The backend names no model: use {forms}.", forms=tr(FORMS)))
    if url:
        return BackendSpec(kind, model, clean_url(url))
    if kind == OPENAI:
        raise UsageError(tr("openai:MODEL needs the address of its server: openai:MODEL@URL."))
    return BackendSpec(kind, model, OLLAMA_URL)


def _page_spec(profile: str) -> BackendSpec:
    """Names of profiles are the user's: they may hold spaces."""
    if not profile.isprintable() or len(profile) > LONGEST_NAME:
        raise UsageError(
            tr("That is no name of a connection profile: use {forms}.", forms=tr(FORMS))
        )
    return BackendSpec(SILLYTAVERN, profile)


def clean_url(url: str) -> str:
    """The base address: with a scheme, without /v1, paths of calls and trailing slashes.

    Raises UsageError for what is no http address or holds a password.
    """
    if "://" not in url:
        url = f"http://{url}"
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise UsageError(tr("The backend's address is no http address.")) from error
    if parts.scheme.lower() not in ("http", "https") or not host:
        raise UsageError(tr("The backend's address is no http address."))
    if parts.username or parts.password:
        raise UsageError(tr("Keep keys out of the backend's address; give the API key by itself."))
    if any(c.isspace() or not c.isprintable() for c in url) or parts.query or parts.fragment:
        raise UsageError(tr("The backend's address has signs that no address of a server has."))
    path = parts.path.rstrip("/")
    for ending in ("/chat/completions", "/models", "/api/chat", "/api", "/v1"):
        # OpenRouter's own base ends with /api: only Ollama's /api/... is a path of a call.
        if ending == "/api" and "openrouter" in host:
            continue
        path = path.removesuffix(ending).rstrip("/")
    shown = f"[{host}]" if ":" in host else host
    if port is not None:
        shown = f"{shown}:{port}"
    return f"{parts.scheme.lower()}://{shown}{path}"


def _split_model(rest: str) -> tuple[str, str]:
    for at in reversed([i for i, c in enumerate(rest) if c == "@"]):
        after = rest[at + 1 :]
        if after.lower().startswith(("http://", "https://")):
            return rest[:at].strip(), after
    model, at_sign, after = rest.rpartition("@")
    host, colon, port = after.rpartition(":")
    if at_sign and colon and host and port.rstrip("/").isdigit():
        return model.strip(), after
    return rest, ""
