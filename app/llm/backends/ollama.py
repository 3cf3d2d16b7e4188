"""Ollama, over its own API."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from app.core.errors import BackendError, BackendRefused
from app.core.translation import N_
from app.llm.backends.answer_collecting import Collector
from app.llm.backends.backend import Answer, Request
from app.llm.backends.faults import HOPELESS, broken_off_fault, form_fault, web_page_fault
from app.llm.backends.generation import GenerationRoom
from app.llm.backends.specs import KEEP_LOADED, OLLAMA, OLLAMA_URL, BackendSpec
from app.llm.backends.streams import Limits, ModelServer
from app.views.model_trial import FoundModel

DEFAULT_CONTEXT = 8192  # what fits beside a 8B model into 8 GB
CONTEXT_STEP = 4096  # a model is loaded anew for each other context
TEMPERATURE = 0.3


class OllamaBackend:
    """A model of an Ollama server.

    context_tokens: as given, else 8192 or what the model was made for, whichever is less. A context
    is sent with each request: without it the server cuts long prompts off at its own default and
    says nothing (spec/smart-memory.md §4, GO). It grows to what prompt and generation need, where
    the model reasons, and never shrinks again, so that the model is seldom loaded anew.
    """

    def __init__(
        self,
        model: str,
        url: str = OLLAMA_URL,
        *,
        api_key: str | None = None,
        context_tokens: int | None = None,
        limits: Limits | None = None,
    ) -> None:
        self._server = ModelServer(url, model, api_key=api_key, limits=limits)
        self._spec = BackendSpec(OLLAMA, model, url)
        self._wanted_context = context_tokens
        self._room = GenerationRoom(context_tokens or DEFAULT_CONTEXT, told=context_tokens)
        self._loaded = 0  # the largest context that was sent
        self._can_think: bool | None = None  # None: the server did not say
        self._is_prepared = False

    @property
    def label(self) -> str:
        return self._spec.model

    @property
    def spec(self) -> str:
        return str(self._spec)

    @property
    def context_tokens(self) -> int:
        return self._room.context_tokens

    async def prepare(self) -> None:
        """Ask once what the model can do. Raises BackendError when nobody answers.

        A server that refuses to tell is asked the question itself, whose refusal says more.
        """
        if self._is_prepared:
            return
        shown: Any = None
        with suppress(BackendRefused):
            shown = await self._server.get_json("/api/show", {"model": self._spec.model})
        self._is_prepared = True
        if not isinstance(shown, dict):
            return
        longest = _context_length(shown.get("model_info"))
        if longest is not None:
            self._room.context = min(self._wanted_context or DEFAULT_CONTEXT, longest)
            self._room.told = min(self._wanted_context or longest, longest)
        capabilities = shown.get("capabilities")
        if isinstance(capabilities, list):
            self._can_think = "thinking" in capabilities

    async def generate(
        self, request: Request, *, on_text: Callable[[str], None] | None = None
    ) -> Answer:
        """Answer the request; see Backend.generate."""
        await self.prepare()
        before = self._loaded
        try:
            answer = await self._answer(request, on_text)
        except BackendRefused as error:
            if not (HOPELESS.search(str(error)) and self._is_grown):
                raise
            # The machine has no memory for so large a context.
            self._room.told = max(before, self._room.context)
            self._loaded = before
            answer = await self._answer(request, on_text)
        self._room.learn(answer)
        return answer

    async def list_models(self) -> tuple[str, ...]:
        """Names of the models this server has, sorted."""
        return await list_models(self._server)

    async def aclose(self) -> None:
        """Give back connections."""
        await self._server.aclose()

    async def _answer(self, request: Request, on_text: Callable[[str], None] | None) -> Answer:
        context, allowed = self._sizes(request)
        collector = Collector(request, on_text, allowed)
        body = self._body(request, context, allowed)
        async with self._server.ask("/api/chat", body) as stream:
            if stream.is_html:
                raise web_page_fault(self._server.url)
            unread: list[bytes] = []
            async for line in stream.lines():
                if not line.strip():
                    continue
                if not self._take(line, collector):
                    unread.append(line)
                    if not collector.has_text:
                        continue
                    break
                if collector.is_complete or collector.is_full:
                    break
            if unread and not collector.has_text:
                self._take_whole(b"\n".join(unread), collector)
            collector.is_cut = collector.is_cut or stream.overflowed
        if not (collector.is_complete or collector.is_cut or collector.is_full):
            raise broken_off_fault(self._server.url)
        return collector.answer(can_be_longer=self._room.can_exceed(request, allowed))

    @property
    def _is_grown(self) -> bool:
        """Whether the context that was sent last is larger than prompts and answers need."""
        return self._loaded > self._room.context

    def _sizes(self, request: Request) -> tuple[int, int]:
        """The context of a request, and the tokens that it may generate.

        A model that is known not to reason is given what its answers need, and keeps its context;
        of one that nothing is known of, the reasoning has what is left of it.
        """
        reasons = self._room.has_reasoned or bool(self._can_think)
        answer = request.max_output_tokens * (2 if request.is_longer else 1)
        wanted = max(answer, request.generation_tokens) if reasons else answer
        needed = request.prompt_estimate + wanted
        context = max(self._room.context, self._loaded)
        if needed > context:
            context = -(-needed // CONTEXT_STEP) * CONTEXT_STEP
        if self._room.told is not None:
            context = min(context, self._room.told)
        self._loaded = context
        if not reasons and self._can_think is None:
            wanted = max(answer, request.generation_tokens)
        allowed = min(wanted, context - request.prompt_estimate)
        return context, max(request.max_output_tokens, allowed)

    def _body(self, request: Request, context: int, allowed: int) -> dict[str, Any]:
        messages = [{"role": "user", "content": request.prompt}]
        if request.system:
            messages.insert(0, {"role": "system", "content": request.system})
        body: dict[str, Any] = {
            "model": self._spec.model,
            "messages": messages,
            "stream": True,
            "keep_alive": KEEP_LOADED,
            "options": {
                "num_ctx": context,
                "num_predict": allowed,
                "temperature": TEMPERATURE,
            },
            # Newer servers then refuse a prompt that is too long, instead of cutting its start.
            "truncate": False,
        }
        if self._can_think:
            # Recaps gain little from reasoning and wait long for it; some models do it anyway.
            body["think"] = False
        if request.json:
            body["format"] = "json"
        return body

    def _take(self, line: bytes, collector: Collector) -> bool:
        """Read one line of the stream; false for what is no object."""
        part = self._server.object_in(line)
        if part is None:
            return False
        message = part.get("message")
        if isinstance(message, dict):
            collector.add(message.get("content"), message.get("thinking"))
        if part.get("done") is True:
            collector.is_complete = True
            collector.is_cut = part.get("done_reason") == "length"
            collector.count(part.get("prompt_eval_count"), part.get("eval_count"))
        return True

    def _take_whole(self, body: bytes, collector: Collector) -> None:
        """Read an answer that came in one piece, on several lines."""
        if body.lstrip()[:1] == b"<":
            raise web_page_fault(self._server.url)
        if not self._take(body, collector):
            raise form_fault(self._server.url, N_("Ollama's"))


async def list_models(server: ModelServer) -> tuple[str, ...]:
    """Names that GET /api/tags tells, sorted. Raises BackendError."""
    return tuple(model.name for model in await _tags(server))


async def found_models(url: str = OLLAMA_URL) -> tuple[FoundModel, ...]:
    """Models of an Ollama on this machine; empty when there is none. Waits two seconds at most."""
    server = ModelServer(url, "", limits=Limits(connect_seconds=2.0, lookup_seconds=2.0))
    try:
        with suppress(BackendError):
            return await _tags(server)
        return ()
    finally:
        await server.aclose()


async def _tags(server: ModelServer) -> tuple[FoundModel, ...]:
    tags = await server.get_json("/api/tags")
    models = tags.get("models") if isinstance(tags, dict) else None
    found: dict[str, FoundModel] = {}
    for model in models if isinstance(models, list) else []:
        name = model.get("name") if isinstance(model, dict) else None
        if isinstance(name, str) and name.strip():
            found[name] = FoundModel(name, _size(model))
    return tuple(found[name] for name in sorted(found))


def _size(model: dict[str, Any]) -> int:
    size = model.get("size")
    return size if isinstance(size, int) and size > 0 else 0


def _context_length(model_info: object) -> int | None:
    if not isinstance(model_info, dict):
        return None
    for key, value in model_info.items():
        if str(key).endswith(".context_length") and isinstance(value, int) and value > 0:
            return value
    return None
