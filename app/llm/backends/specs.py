"""What kinds of backends there are, and how one is written down in settings and commands.

A new kind costs a module with its `Backend`, a row here, and a line in `factory.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
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
KEEP_LOADED = "15m"  # how long Ollama keeps a model
LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class EmbeddingForm:
    """How a server is asked for vectors. path: of the call. body: beside model and texts. whose:
    form its answers have, as in "not of OpenAI's form".
    """

    path: str
    whose: str
    body: tuple[tuple[str, object], ...] = ()


@dataclass(frozen=True, slots=True)
class BackendKind:
    """One kind of backend. title, detail, fact: of its card where a backend is chosen; English, to
    be translated.

    forms: how it is written down, beginning with its name. asks_model, asks_url, asks_profile: what
    there is to fill in. url: where it is asked unless another address is named. called: in a
    sentence and alone, "" for the model's name. place: as in "llama3 at Ollama", "" for its
    address. runs_small: its models mostly are small ones on this machine. embeddings: None where it
    makes no vectors.
    """

    name: str
    forms: tuple[str, ...]
    title: str
    detail: str
    fact: str
    asks_model: bool = True
    asks_url: bool = False
    asks_profile: bool = False
    url: str = ""
    called: str = ""
    place: str = ""
    runs_small: bool = False
    embeddings: EmbeddingForm | None = None


# In the order in which they are offered.
KINDS: Mapping[str, BackendKind] = {
    kind.name: kind
    for kind in (
        BackendKind(
            BUILTIN,
            (BUILTIN,),
            title=N_("No model: only scenes, and recaps made of quotes"),
            detail=N_("Finds scene breaks, names and times; recaps are sentences from the story."),
            fact=N_("Immediate, free"),
            asks_model=False,
            called=N_("the built-in rules"),
            runs_small=True,
        ),
        BackendKind(
            OLLAMA,
            ("ollama:MODEL", "ollama:MODEL@URL"),
            title=N_("Ollama on this computer"),
            detail=N_("Nothing leaves this computer. Name a model that Ollama has."),
            fact=N_("Needs Ollama"),
            url=OLLAMA_URL,
            place="Ollama",
            runs_small=True,
            embeddings=EmbeddingForm(
                "/api/embed", N_("Ollama's"), (("truncate", False), ("keep_alive", KEEP_LOADED))
            ),
        ),
        BackendKind(
            SILLYTAVERN,
            (SILLYTAVERN, "sillytavern:PROFILE"),
            title=N_("SillyTavern's own connection"),
            detail=N_(
                "What your chat uses, or a connection profile, through the open page. Keys stay "
                "in SillyTavern."
            ),
            fact=N_("Same account as your chat"),
            asks_model=False,
            asks_profile=True,
            called=N_("SillyTavern's connection"),
        ),
        BackendKind(
            OPENAI,
            ("openai:MODEL@URL",),
            title=N_("A server at an address"),
            detail=N_(
                "llama.cpp, LM Studio, OpenRouter and everything else that works like OpenAI's API."
            ),
            fact=N_("Your provider's price"),
            asks_url=True,
            embeddings=EmbeddingForm("/v1/embeddings", N_("OpenAI's")),
        ),
    )
}
FORMS = N_("builtin, {forms}, sillytavern or sillytavern:PROFILE")


@dataclass(frozen=True, slots=True)
class BackendSpec:
    """Which backend, without its key. url: as `clean_url` gives it, "" for the built-in.

    Of SillyTavern's own connection `model` names the connection profile, "" for the one in use.
    """

    kind: str
    model: str = ""
    url: str = ""

    @property
    def server(self) -> str:
        """What all models of one server have in common: who refuses one refuses the others."""
        return f"{self.kind}@{self.url}" if self.url else str(self)

    def __str__(self) -> str:
        if self.url == KINDS[self.kind].url:
            return f"{self.kind}:{self.model}" if self.model else self.kind
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
    if not colon or kind not in KINDS or not KINDS[kind].asks_model:
        raise UsageError(tr("That is not a model address. Use {forms}.", forms=_forms()))
    model, url = _split_model(rest.strip())
    is_strange = any(c.isspace() or not c.isprintable() for c in model)
    if not model or is_strange or len(model) > LONGEST_NAME:
        raise UsageError(tr("The name of the model is missing. Use {forms}.", forms=_forms()))
    if url:
        return BackendSpec(kind, model, clean_url(url))
    if not KINDS[kind].url:
        raise UsageError(
            tr(
                "{kind}:MODEL needs the address of its server: {kind}:MODEL@URL.",
                kind=kind,
            )
        )
    return BackendSpec(kind, model, KINDS[kind].url)


def _forms() -> str:
    servers = (form for kind in KINDS.values() if kind.asks_model for form in kind.forms)
    return tr(FORMS, forms=", ".join(servers))


def _page_spec(profile: str) -> BackendSpec:
    """Names of profiles are the user's: they may hold spaces."""
    if not profile.isprintable() or len(profile) > LONGEST_NAME:
        raise UsageError(
            tr("That is not the name of a connection profile. Use {forms}.", forms=_forms())
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
        raise UsageError(tr("The server address does not start with http.")) from error
    if parts.scheme.lower() not in ("http", "https") or not host:
        raise UsageError(tr("The server address does not start with http."))
    if parts.username or parts.password:
        raise UsageError(tr("Leave keys out of the address; enter the API key separately."))
    if any(c.isspace() or not c.isprintable() for c in url) or parts.query or parts.fragment:
        raise UsageError(tr("The server address contains characters that no address has."))
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
