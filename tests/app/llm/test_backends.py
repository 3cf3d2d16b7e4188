"""Both HTTP backends against a real server that does well, badly and worse."""

from __future__ import annotations

import asyncio
import gc
import gzip
import json
import logging
import sys
import tracemalloc
from dataclasses import replace
from typing import Any

import pytest

from app.core.errors import (
    AnswerUnusable,
    BackendAway,
    BackendBusy,
    BackendError,
    BackendRefused,
    BackendUnreachable,
    KeyRefused,
    PromptTooLong,
)
from app.llm.backends.backend import Request
from app.llm.backends.factory import offered_models
from app.llm.backends.ollama import OllamaBackend, found_models
from app.llm.backends.openai_compatible import OpenAiBackend
from app.llm.backends.specs import OPENAI, BackendSpec
from app.llm.backends.streams import Limits, is_nearby

KINDS = ("ollama", "openai")
PATHS = {"ollama": "/api/chat", "openai": "/v1/chat/completions"}
ASK = Request("be brief", "what now?", max_output_tokens=100)
SHORT = Limits(
    connect_seconds=1,
    first_seconds=0.4,
    idle_seconds=0.2,
    total_seconds=2.0,
    lookup_seconds=1,
    wire_bytes=300_000,
    line_bytes=100_000,
)


def backend_of(kind: str, url: str, limits: Limits | None = None, **options: Any) -> Any:
    kinds: dict[str, Any] = {"ollama": OllamaBackend, "openai": OpenAiBackend}
    return kinds[kind]("m", url, limits=limits or Limits(), **options)


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def asked(llm: Any, says: Any, kind: str) -> Any:
    """Script the chat path, ask once, and give the answer."""
    llm.on("/api/show", says.json({"model_info": {"llama.context_length": 4096}}))
    llm.on("/v1/models", says.json({"data": [{"id": "m", "max_model_len": 4096}]}))

    async def ask(
        *behaviours: Any, limits: Limits | None = None, request: Request = ASK, **options: Any
    ) -> Any:
        llm.on(PATHS[kind], *behaviours)
        backend = backend_of(kind, llm.url, limits, **options)
        try:
            return await backend.generate(request)
        finally:
            await backend.aclose()

    return ask


def good(says: Any, kind: str, *pieces: str, **how: Any) -> Any:
    return getattr(says, kind)(*pieces, **how)


async def test_an_answer_is_put_together_from_its_pieces(asked: Any, says: Any, kind: str) -> None:
    answer = await asked(good(says, kind, "Hel", "lo ", "wörld"))
    assert (answer.text, answer.truncated) == ("Hello wörld", False)
    assert (answer.prompt_tokens, answer.output_tokens) == (11, 7)


async def test_text_is_heard_while_it_comes(llm: Any, says: Any, kind: str) -> None:
    llm.on("/api/show", says.json({}))
    llm.on(PATHS[kind], good(says, kind, "<think>secret</think>", "One.", " Two."))
    backend = backend_of(kind, llm.url)
    heard: list[str] = []
    await backend.generate(ASK, on_text=heard.append)
    await backend.aclose()
    assert heard
    assert not any("secret" in text or "<" in text for text in heard)


async def test_separate_reasoning_never_enters_the_text(asked: Any, says: Any, kind: str) -> None:
    how = {"thinking" if kind == "ollama" else "reasoning": "let me see"}
    answer = await asked(good(says, kind, "Fine.", **how))
    assert (answer.text, answer.reasoning) == ("Fine.", "let me see")


async def test_reasoning_without_an_answer_counts_as_truncated(
    asked: Any, says: Any, kind: str
) -> None:
    how = {"thinking" if kind == "ollama" else "reasoning": "let me see"}
    answer = await asked(good(says, kind, **how, reason="length"))
    assert (answer.text, answer.truncated) == ("", True)


async def test_a_stop_at_the_length_limit_is_told(asked: Any, says: Any, kind: str) -> None:
    assert (await asked(good(says, kind, "Half", reason="length"))).truncated


async def test_an_empty_answer_is_an_empty_text(asked: Any, says: Any, kind: str) -> None:
    assert (await asked(good(says, kind))).text == ""


async def test_half_a_stream_is_a_broken_connection(asked: Any, says: Any, kind: str) -> None:
    with pytest.raises(BackendUnreachable, match="was lost"):
        await asked(good(says, kind, "Hel", done=False))


@pytest.mark.parametrize(
    ("status", "fault"),
    [
        (400, BackendRefused),
        (401, KeyRefused),
        (404, BackendRefused),
        (429, BackendBusy),
        (500, BackendBusy),
        (503, BackendBusy),
        (302, BackendRefused),
    ],
)
async def test_each_status_has_its_fault(
    asked: Any, says: Any, status: int, fault: type[BackendError]
) -> None:
    with pytest.raises(fault) as caught:
        await asked(says.status(status))
    is_busy = fault is BackendBusy
    assert caught.value.is_transient == is_busy
    # Whoever asks again by itself says that, and not that the user has to.
    assert "Try again" not in caught.value.cause
    assert str(caught.value).endswith(" Try again later.") == is_busy


async def test_retry_after_is_passed_on(asked: Any, says: Any) -> None:
    with pytest.raises(BackendBusy) as caught:
        await asked(says.status(429, Retry_After="17"))
    assert caught.value.retry_after_seconds == 17


async def test_a_prompt_that_is_too_long_has_its_own_fault(asked: Any, says: Any) -> None:
    with pytest.raises(PromptTooLong):
        await asked(says.status(400, {"message": "exceeds the available context size"}))


async def test_memory_that_is_missing_is_no_passing_fault(asked: Any, says: Any) -> None:
    with pytest.raises(BackendRefused):
        await asked(says.status(500, "model requires more system memory than is available"))


async def test_a_closed_port_is_unreachable(llm: Any, kind: str) -> None:
    url = llm.url
    await llm.stop()
    backend = backend_of(kind, url, SHORT)
    with pytest.raises(BackendAway, match="No answer from"):  # waited for without end
        await backend.generate(ASK)
    await backend.aclose()
    await llm.start()


async def test_a_reset_is_unreachable(asked: Any, says: Any) -> None:
    with pytest.raises(BackendUnreachable):
        await asked(says.reset())


async def test_silence_ends(asked: Any, says: Any) -> None:
    with pytest.raises(BackendUnreachable, match="sent nothing"):
        await asked(says.nothing(), limits=SHORT)


async def test_a_stream_that_falls_silent_ends(asked: Any, says: Any, kind: str) -> None:
    begin = good(says, kind, "Hel", done=False)

    async def stall(exchange: Any) -> None:
        await begin(exchange)
        await says.nothing()(exchange)

    with pytest.raises(BackendUnreachable, match="sent nothing"):
        await asked(stall, limits=SHORT)


async def test_an_endless_answer_is_cut_and_left(
    llm: Any, asked: Any, says: Any, kind: str
) -> None:
    parts = {"ollama": {"message": {"content": "la " * 50}}}
    parts["openai"] = {"choices": [{"delta": {"content": "la " * 50}}]}  # type: ignore[dict-item]
    prefix = b"data: " if kind == "openai" else b""
    piece = prefix + json.dumps(parts[kind]).encode() + b"\n"
    answer = await asked(says.endless(piece))
    assert answer.truncated
    assert len(answer.text) < 20_000


async def test_an_answer_that_is_left_leaves_nothing_behind(asked: Any, says: Any) -> None:
    """The window's event loop has no hooks that would finalise dropped generators."""
    hooks = sys.get_asyncgen_hooks()
    sys.set_asyncgen_hooks(None, None)
    try:
        await asked(says.endless(b"\n"), limits=SHORT)
        with pytest.raises(BackendRefused):
            await asked(says.raw(b"<html>" + b"x" * 200_000, "text/html"), limits=SHORT)
        with pytest.raises(BackendRefused):
            await asked(says.status(400, "x" * 300_000), limits=SHORT)
        gc.collect()
    finally:
        sys.set_asyncgen_hooks(*hooks)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_nobody_is_led_to_another_server(
    asked: Any, llm: Any, says: Any, kind: str, status: int
) -> None:
    """Who stands between could else have the story and the key sent wherever he likes."""

    async def elsewhere(exchange: Any) -> None:
        await exchange.head(status, Location=f"{llm.url}/caught")

    llm.on("/caught", good(says, kind, "Caught."))
    with pytest.raises(BackendError):
        await asked(elsewhere, api_key="planted-key-of-this-test")
    llm.on("/v1/models", elsewhere)
    with pytest.raises(BackendError):
        await offered_models(BackendSpec(OPENAI, "", llm.url), api_key="planted-key-of-this-test")
    assert llm.bodies("/caught") == []


@pytest.mark.parametrize(
    ("kind", "path", "told"),
    [
        ("ollama", "/api/tags", {"models": [{"name": "small:1b"}]}),
        ("openai", "/v1/models", {"data": [{"id": "small:1b"}]}),
    ],
)
async def test_each_kind_of_server_is_asked_for_its_models_in_its_own_way(
    llm: Any, says: Any, kind: str, path: str, told: object
) -> None:
    llm.on(path, says.json(told))
    assert await offered_models(BackendSpec(kind, "", llm.url)) == ("small:1b",)


async def test_models_of_a_server_come_in_its_own_order(llm: Any, says: Any) -> None:
    """By their names the bigger, dearer one came first, and was put in."""
    llm.on("/v1/models", says.json({"data": [{"id": name} for name in ("s-7b", "s-70b", "s-7b")]}))
    assert await offered_models(BackendSpec("openai", "", llm.url)) == ("s-7b", "s-70b")


def packed(body: bytes, coding: str) -> Any:
    async def answer(exchange: Any) -> None:
        await exchange.head(Content_Encoding=coding)
        await exchange.send(body)

    return answer


BOMB = gzip.compress(gzip.compress(bytes(50_000_000)))


@pytest.mark.parametrize("coding", ["gzip, gzip", "GZIP,gzip", "br", "zstd", "gzip, identity"])
async def test_an_answer_that_could_unfold_without_bound_is_not_read(
    asked: Any, llm: Any, coding: str
) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(BackendRefused, match="compresses its answers"):
            await asked(packed(BOMB, coding))
        llm.on("/v1/models", packed(BOMB, coding))
        with pytest.raises(BackendRefused, match="compresses its answers"):
            await offered_models(BackendSpec(OPENAI, "", llm.url))
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


async def test_an_answer_that_is_packed_once_unasked_is_read_and_bounded(
    asked: Any, kind: str
) -> None:
    piece = {"message": {"content": "Hi"}, "choices": [{"message": {"content": "Hi"}}]}
    body = json.dumps(piece | {"done": True}).encode()
    assert (await asked(packed(gzip.compress(body), "gzip"))).text == "Hi"
    bomb = gzip.compress(b"\n" * 50_000_000)
    with pytest.raises(BackendError):
        await asked(packed(bomb, "gzip"), limits=SHORT)


@pytest.mark.parametrize("piece", [b": ping\n", b"\n", b"x" * 1000], ids=["ping", "empty", "line"])
async def test_an_endless_answer_without_text_ends_too(asked: Any, says: Any, piece: bytes) -> None:
    try:
        answer = await asked(says.endless(piece), limits=SHORT)
    except BackendError:
        return
    assert (answer.text, answer.truncated) == ("", True)


async def test_a_web_page_is_no_model_server(asked: Any, says: Any) -> None:
    with pytest.raises(BackendRefused, match="web page"):
        await asked(says.raw(b"<!doctype html><h1>Hi", "text/html; charset=utf-8"))
    with pytest.raises(BackendRefused, match="web page"):
        await asked(says.raw(b"  <html>\n<body>\n", "text/plain"))


@pytest.mark.parametrize(
    "body",
    [
        b'{"hello": "world"}',
        b"[1, 2]",
        b"nonsense",
        b'{"choices": {"a": 1}}',
        b"\xff\xfe\x00",
        b"[",
    ],
)
async def test_json_of_another_kind_is_no_answer(asked: Any, says: Any, body: bytes) -> None:
    with pytest.raises((AnswerUnusable, BackendUnreachable)):
        await asked(says.raw(body))


async def test_an_error_inside_of_the_stream_is_raised(asked: Any, says: Any, kind: str) -> None:
    start = b"data: " if kind == "openai" else b""
    body = start + json.dumps({"error": {"message": "slots full", "code": 503}}).encode() + b"\n"
    with pytest.raises(BackendBusy, match="slots full"):
        await asked(says.raw(body, "text/event-stream"))


async def test_a_megabyte_is_cut_to_what_was_asked_for(asked: Any, says: Any, kind: str) -> None:
    answer = await asked(good(says, kind, "word " * 200_000))
    assert answer.truncated
    assert 1000 < len(answer.text) <= 100 * 12 + 8192


@pytest.mark.pitfall(55)
async def test_reasoning_takes_no_room_from_the_answer(asked: Any, says: Any, kind: str) -> None:
    """Spec §23: an answer cut to the signs that were asked for was cut in its reasoning."""
    request = replace(ASK, generation_tokens=3000)
    reasoning = says.limited(kind, "let me see " * 500, "yes " * 100)
    answer = await asked(reasoning, request=request, context_tokens=4096)
    assert answer.text.split() == ["yes"] * 100
    assert not answer.truncated
    assert answer.allowed_tokens == 3000


async def test_a_refused_memory_for_a_larger_context_leaves_the_model_as_it_was(
    llm: Any, says: Any
) -> None:
    llm.on("/api/show", says.json({"capabilities": ["thinking"]}))
    refusal = "model requires more system memory (9.1 GiB) than is available (6.0 GiB)"
    llm.on("/api/chat", says.status(500, refusal), says.ollama("ok"))
    backend = OllamaBackend("m", llm.url)
    request = replace(ASK, generation_tokens=9000)
    for _ in range(2):
        assert (await backend.generate(request)).text == "ok"
    await backend.aclose()
    contexts = [body["options"]["num_ctx"] for body in llm.bodies("/api/chat")]
    assert contexts == [12_288, 8192, 8192]


@pytest.mark.pitfall(55)
async def test_no_words_are_sent_that_would_end_an_answer(
    llm: Any, asked: Any, says: Any, kind: str
) -> None:
    """Spec §23: a list of them emptied the answers of some models."""
    await asked(good(says, kind, "Fine."))
    (body,) = llm.bodies(PATHS[kind])
    assert "stop" not in json.dumps(body)


async def test_a_server_that_does_not_stream_is_understood(
    asked: Any, says: Any, kind: str
) -> None:
    message = {"role": "assistant", "content": "All at once."}
    whole: dict[str, Any] = {"message": message, "done": True, "done_reason": "stop"}
    if kind == "openai":
        whole = {"choices": [{"message": message, "finish_reason": "stop"}]}
    for indent in (None, 2):
        answer = await asked(says.raw(json.dumps(whole, indent=indent).encode()))
        assert answer.text == "All at once."


async def test_cancelling_closes_the_request_at_once(llm: Any, says: Any, kind: str) -> None:
    llm.on("/api/show", says.json({}))
    llm.on(PATHS[kind], says.nothing())
    llm.arrived.clear()
    backend = backend_of(kind, llm.url)
    asking = asyncio.get_running_loop().create_task(backend.generate(ASK))
    while not llm.bodies(PATHS[kind]):
        llm.arrived.clear()
        await llm.arrived.wait()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    async with asyncio.timeout(30):
        await llm.exchanges[-1].was_left.wait()
    await backend.aclose()


@pytest.mark.pitfall(9)
async def test_cancelling_one_request_leaves_another_alone(llm: Any, says: Any, kind: str) -> None:
    """Spec §23: what aborts a request was shared, and lost to whoever asked last."""
    may_answer = asyncio.Event()

    async def late(exchange: Any) -> None:
        await may_answer.wait()
        await good(says, kind, "Still here.")(exchange)

    llm.on("/api/show", says.json({}))
    llm.on(PATHS[kind], says.nothing(), late)
    backend = backend_of(kind, llm.url)
    both = []
    for number in (1, 2):
        both.append(asyncio.get_running_loop().create_task(backend.generate(ASK)))
        while len(llm.bodies(PATHS[kind])) < number:
            llm.arrived.clear()
            await llm.arrived.wait()
    both[0].cancel()
    with pytest.raises(asyncio.CancelledError):
        await both[0]
    async with asyncio.timeout(30):
        await next(e for e in llm.exchanges if e.path == PATHS[kind]).was_left.wait()
        may_answer.set()
        assert (await both[1]).text == "Still here."
    await backend.aclose()


async def test_the_key_is_sent_and_never_told(
    llm: Any, asked: Any, says: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="app")
    with pytest.raises(BackendRefused) as caught:
        await asked(says.status(400, "bad key sk-very-secret given"), api_key="sk-very-secret")
    assert llm.exchanges[-1].headers["authorization"] == "Bearer sk-very-secret"
    assert "secret" not in str(caught.value) + caplog.text


async def test_ollama_is_told_context_and_answer_length(llm: Any, says: Any) -> None:
    shown = {"model_info": {"qwen3.context_length": 6000}, "capabilities": ["thinking"]}
    llm.on("/api/show", says.json(shown))
    llm.on("/api/chat", says.ollama("ok"))
    backend = OllamaBackend("m", llm.url)
    await backend.generate(Request("s", "p", max_output_tokens=77, json=True))
    await backend.aclose()
    (body,) = llm.bodies("/api/chat")
    assert body["options"]["num_ctx"] == 6000
    assert body["options"]["num_predict"] == 77
    assert (body["think"], body["format"], body["stream"]) == (False, "json", True)
    assert [m["role"] for m in body["messages"]] == ["system", "user"]


async def test_a_model_that_cannot_think_is_not_told_to(llm: Any, says: Any) -> None:
    llm.on("/api/show", says.json({"capabilities": ["completion"]}))
    llm.on("/api/chat", says.ollama("ok"))
    backend = OllamaBackend("m", llm.url, context_tokens=2048)
    await backend.generate(ASK)
    await backend.aclose()
    (body,) = llm.bodies("/api/chat")
    assert "think" not in body
    assert body["options"]["num_ctx"] == 2048


@pytest.mark.parametrize(("told", "allowed"), [({"value": 6000}, 5000), ({}, 7192)])
async def test_koboldcpp_is_never_asked_for_more_than_its_context_holds(
    llm: Any, says: Any, told: Any, allowed: int
) -> None:
    """It would cut off the beginning of the prompt, and say nothing."""
    llm.on("/v1/models", says.json({"data": [{"id": "m", "owned_by": "koboldcpp"}]}))
    llm.on("/api/extra/true_max_context_length", says.json(told))
    llm.on("/v1/chat/completions", says.openai("ok"))
    backend = OpenAiBackend("m", llm.url)
    await backend.prepare()
    await backend.generate(replace(ASK, generation_tokens=8192, prompt_tokens=1000))
    await backend.aclose()
    (body,) = llm.bodies("/v1/chat/completions")
    assert body["max_tokens"] == allowed


async def test_models_are_told_by_their_names(llm: Any, says: Any) -> None:
    llm.on("/api/tags", says.json({"models": [{"name": "b"}, {"name": ""}, {"name": 3}, {}, 7]}))
    llm.on("/v1/models", says.json({"data": [{"id": "z"}, {"id": "a"}, None]}))
    assert [model.name for model in await found_models(llm.url)] == ["b"]
    backend = OpenAiBackend("m", llm.url)
    assert await backend.list_models() == ("z", "a")
    await backend.aclose()


async def test_no_ollama_means_no_models(llm: Any) -> None:
    url = llm.url
    await llm.stop()
    assert await found_models(url) == ()
    await llm.start()


async def test_a_field_the_server_refuses_is_left_out(llm: Any, says: Any) -> None:
    llm.on(
        "/v1/chat/completions",
        says.status(400, {"message": "'response_format.type' must be 'text'"}),
        says.status(400, {"message": "Unsupported parameter: 'max_tokens'. Use another."}),
        says.openai("ok"),
    )
    backend = OpenAiBackend("m", llm.url)
    request = Request("s", "p", max_output_tokens=9, json=True)
    assert (await backend.generate(request)).text == "ok"
    await backend.generate(request)
    await backend.aclose()
    first, _, third, fourth = llm.bodies("/v1/chat/completions")
    assert first["response_format"] == {"type": "json_object"}
    assert "response_format" not in third
    assert "max_tokens" not in third
    assert third["max_completion_tokens"] == 9
    assert third == fourth


async def test_a_stream_that_says_it_is_finished_need_not_end(llm: Any, says: Any) -> None:
    begin = says.openai("ok", done=False)

    async def stay(exchange: Any) -> None:
        await begin(exchange)
        await exchange.send(b'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n')
        await says.nothing()(exchange)

    llm.on("/v1/chat/completions", stay)
    backend = OpenAiBackend("m", llm.url, limits=SHORT)
    assert (await backend.generate(ASK)).text == "ok"
    await backend.aclose()


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:1",
        "http://127.0.0.1",
        "http://[::1]:5",
        "http://10.0.0.3",
        "http://nas",
        "http://box.local",
    ],
)
def test_a_proxy_is_not_asked_for_what_is_nearby(url: str) -> None:
    assert is_nearby(url)


def test_a_public_host_is_not_nearby() -> None:
    assert not is_nearby("https://openrouter.ai/api")
    assert not is_nearby("http://8.8.8.8")


async def test_a_proxy_of_the_environment_does_not_see_a_local_model(
    asked: Any, says: Any, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    assert (await asked(good(says, kind, "direct"))).text == "direct"
