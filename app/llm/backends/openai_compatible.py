"""Servers that speak OpenAI's chat completions: llama.cpp, LM Studio, vLLM, OpenRouter, others."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from app.core.errors import (
    AnswerUnusable,
    BackendRefused,
    BackendUnreachable,
    GenerationTooLong,
    PromptTooLong,
)
from app.core.translation import N_
from app.llm.backends.answer_collecting import Collector
from app.llm.backends.backend import Answer, Request
from app.llm.backends.faults import broken_off_fault, form_fault, web_page_fault
from app.llm.backends.generation import GenerationRoom
from app.llm.backends.specs import OPENAI, BackendSpec
from app.llm.backends.streams import Limits, LineStream, ModelServer

DEFAULT_CONTEXT = 8192
LARGEST_FOUND_CONTEXT = 32_768  # longer prompts cost more and are read worse; a setting may ask
CONTEXT_KEYS = ("max_model_len", "context_length", "context_window", "max_context_length", "n_ctx")
KOBOLD = "koboldcpp"
TEMPERATURE = 0.3
TOO_MUCH = re.compile(
    r"(?:max_(?:completion_)?tokens|(?:output|completion) tokens).{0,80}?"
    r"(?:too (?:large|many|high)|exceed|at most|less than|maximum|fewer|<=)"
    r"|(?:fewer|exceed|at most|maximum).{0,80}?max_(?:completion_)?tokens",
    re.IGNORECASE,
)
SSE_FIELDS = (b"data:", b"event:", b"id:", b"retry:", b":")


class OpenAiBackend:
    """A model behind POST /v1/chat/completions (spec/smart-memory.md §4, GO2).

    Servers differ in which optional fields they accept. One that a refusal names is left out
    from then on, and the same request is made again.
    """

    def __init__(
        self,
        model: str,
        url: str,
        *,
        api_key: str | None = None,
        context_tokens: int | None = None,
        limits: Limits | None = None,
    ) -> None:
        self._server = ModelServer(url, model, api_key=api_key, limits=limits)
        self._spec = BackendSpec(OPENAI, model, url)
        self._room = GenerationRoom(context_tokens or DEFAULT_CONTEXT, told=context_tokens)
        self._is_prepared = context_tokens is not None
        self._unwanted: set[str] = set()

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
        """Ask once for the model's context; a server that does not tell keeps 8192."""
        if self._is_prepared:
            return
        with suppress(BackendRefused, AnswerUnusable):
            for model in await self._models():
                found = _context_of(model)
                if model.get("id") != self._spec.model:
                    continue
                if found is None and KOBOLD in f"{model.get('owned_by')} {model['id']}".casefold():
                    found = await self._context_of_kobold()
                if found is not None:
                    self._room.context = min(found, LARGEST_FOUND_CONTEXT)
                    self._room.told = found
        self._is_prepared = True

    async def generate(
        self, request: Request, *, on_text: Callable[[str], None] | None = None
    ) -> Answer:
        """Answer the request; see Backend.generate."""
        while True:
            allowed = self._room.allowed(request)
            body = self._body(request, allowed)
            try:
                answer = await self._answer(request, body, on_text, allowed)
            except PromptTooLong as error:
                # What may be generated counts into a context that the server did not tell.
                if self._room.lower(request, str(error)):
                    raise GenerationTooLong(str(error)) from error
                raise
            except BackendRefused as error:
                if TOO_MUCH.search(str(error)) and self._room.lower(request, str(error)):
                    continue
                unwanted = self._named_field(str(error), body)
                if unwanted is None:
                    raise
                self._unwanted.add(unwanted)
            else:
                self._room.learn(answer)
                return answer

    async def list_models(self) -> tuple[str, ...]:
        """Names of the models that GET /v1/models tells, in its order."""
        names = [model.get("id") for model in await self._models()]
        told = (name for name in names if isinstance(name, str) and name.strip())
        return tuple(dict.fromkeys(told))

    async def aclose(self) -> None:
        """Give back connections."""
        await self._server.aclose()

    async def _models(self) -> list[dict[str, Any]]:
        found = await self._server.get_json("/v1/models")
        models = found.get("data") if isinstance(found, dict) else found
        return [m for m in models if isinstance(m, dict)] if isinstance(models, list) else []

    async def _context_of_kobold(self) -> int:
        """It cuts off the beginning of a prompt, without a word, where the generation may be too
        long for its context, which it tells in a place of its own.
        """
        told: Any = None
        with suppress(BackendRefused, AnswerUnusable):
            told = await self._server.get_json("/api/extra/true_max_context_length")
        value = told.get("value") if isinstance(told, dict) else None
        return value if isinstance(value, int) and value >= 512 else DEFAULT_CONTEXT

    def _body(self, request: Request, allowed: int) -> dict[str, Any]:
        messages = [{"role": "user", "content": request.prompt}]
        if request.system:
            messages.insert(0, {"role": "system", "content": request.system})
        optional: dict[str, Any] = {
            "temperature": TEMPERATURE,
            "stream_options": {"include_usage": True},
            "max_tokens": allowed,
        }
        if request.json:
            optional["response_format"] = {"type": "json_object"}
        if "max_tokens" in self._unwanted:
            optional["max_completion_tokens"] = allowed
        return {
            "model": self._spec.model,
            "messages": messages,
            "stream": True,
            **{key: value for key, value in optional.items() if key not in self._unwanted},
        }

    def _named_field(self, refusal: str, body: dict[str, Any]) -> str | None:
        """The optional field a refusal complains of, None when it is about something else."""
        for field in ("response_format", "stream_options", "temperature", "max_tokens"):
            if field in body and field in refusal:
                return field
        return None

    async def _answer(
        self,
        request: Request,
        body: dict[str, Any],
        on_text: Callable[[str], None] | None,
        allowed: int,
    ) -> Answer:
        collector = Collector(request, on_text, allowed)
        try:
            async with self._server.ask("/v1/chat/completions", body) as stream:
                if stream.is_html:
                    raise web_page_fault(self._server.url)
                await self._read(stream, collector)
                collector.is_cut = collector.is_cut or stream.overflowed
        except BackendUnreachable:
            # Some servers say that they are finished, and then keep the connection open.
            if not collector.is_complete:
                raise
        if not (collector.is_complete or collector.is_cut or collector.is_full):
            raise broken_off_fault(self._server.url)
        return collector.answer(can_be_longer=self._room.can_exceed(request, allowed))

    async def _read(self, stream: LineStream, collector: Collector) -> None:
        """Server-sent events, or the whole object of a server that does not stream."""
        whole: list[bytes] = []
        is_stream = False
        async for line in stream.lines():
            line = line.lstrip()
            if not line:
                continue
            if line.startswith(SSE_FIELDS) and not whole:
                is_stream = True
                if line.startswith(b"data:") and not self._take_event(line[5:].strip(), collector):
                    return
            elif is_stream:
                # Some servers write a plain error object into a stream that has begun.
                self._take_part(line, collector)
            else:
                whole.append(line)
            if collector.is_full:
                return
        if whole:
            self._take_whole(b"\n".join(whole), collector)

    def _take_event(self, data: bytes, collector: Collector) -> bool:
        """One event; false at the end of the stream."""
        if data == b"[DONE]":
            collector.is_complete = True
            return False
        if data and not self._take_part(data, collector):
            raise form_fault(self._server.url, N_("OpenAI's"))
        return True

    def _take_whole(self, body: bytes, collector: Collector) -> None:
        if body[:1] == b"<":
            raise web_page_fault(self._server.url)
        if not self._take_part(body, collector):
            raise form_fault(self._server.url, N_("OpenAI's"))

    def _take_part(self, data: bytes, collector: Collector) -> bool:
        """One chunk or one whole answer; false for what is neither."""
        part = self._server.object_in(data)
        if part is None:
            return False
        usage = part.get("usage")
        if isinstance(usage, dict):
            collector.count(usage.get("prompt_tokens"), usage.get("completion_tokens"))
        choices = part.get("choices")
        if not isinstance(choices, list):
            return usage is not None or "object" in part or "id" in part
        for choice in choices[:1]:
            if isinstance(choice, dict):
                _take_choice(choice, collector)
        return True


def _take_choice(choice: dict[str, Any], collector: Collector) -> None:
    said = choice.get("delta")
    if not isinstance(said, dict):
        said = choice.get("message")
    if isinstance(said, dict):
        collector.add(
            _text_of(said.get("content")), said.get("reasoning_content") or said.get("reasoning")
        )
    elif isinstance(choice.get("text"), str):
        collector.add(choice["text"])
    reason = choice.get("finish_reason")
    if isinstance(reason, str) and reason:
        collector.is_complete = True
        collector.is_cut = reason in ("length", "max_tokens", "model_length")
    elif "message" in choice:
        collector.is_complete = True


def _text_of(content: object) -> object:
    """Some servers give a list of parts where others give the text."""
    if not isinstance(content, list):
        return content
    return "".join(
        part["text"]
        for part in content
        if isinstance(part, dict)
        and part.get("type") in (None, "text", "output_text")
        and isinstance(part.get("text"), str)
    )


def _context_of(model: dict[str, Any]) -> int | None:
    meta = model.get("meta")
    for source in (model, meta if isinstance(meta, dict) else {}):
        for key in CONTEXT_KEYS:
            value = source.get(key)
            if isinstance(value, int) and value >= 512:
                return value
    return None
