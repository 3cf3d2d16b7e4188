"""Vectors from servers: in the order asked, complete, or an error that says what is wrong."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from app.core.errors import (
    AnswerUnusable,
    BackendBusy,
    BackendError,
    BackendRefused,
    BackendUnreachable,
    PromptTooLong,
    UsageError,
)
from app.llm.backends.embeddings import BATCH, LONGEST_TEXT, Embedder, make_embedder
from app.llm.backends.specs import OLLAMA, OPENAI, BackendSpec
from app.llm.backends.streams import Limits

PATHS = {OLLAMA: "/api/embed", OPENAI: "/v1/embeddings"}
KINDS = pytest.mark.parametrize("kind", [OLLAMA, OPENAI])


@pytest.fixture
async def open_embedder(llm: Any) -> AsyncIterator[Callable[..., Embedder]]:
    opened: list[Embedder] = []

    def make(kind: str, **more: Any) -> Embedder:
        opened.append(make_embedder(BackendSpec(kind, "embed-model", llm.url), **more))
        return opened[-1]

    yield make
    for embedder in opened:
        await embedder.aclose()


def vector_of(text: str) -> list[float]:
    return [float(len(text)), 1.0]


def answers(kind: str) -> Callable[[Any], Any]:
    """A server that does its work; the OpenAI-compatible one answers backwards and says so."""

    async def answer(exchange: Any) -> None:
        vectors = [vector_of(text) for text in exchange.body["input"]]
        if kind == OLLAMA:
            await exchange.json({"embeddings": vectors})
            return
        data = [{"index": place, "embedding": vector} for place, vector in enumerate(vectors)]
        await exchange.json({"data": data[::-1]})

    return answer


@KINDS
async def test_each_text_gets_its_own_vector(
    llm: Any, open_embedder: Callable[..., Embedder], kind: str
) -> None:
    llm.on(PATHS[kind], answers(kind))
    texts = ["x" * n for n in range(1, BATCH + 6)]
    rows = await open_embedder(kind).embed(texts)
    assert rows.tolist() == [vector_of(text) for text in texts]
    bodies = llm.bodies(PATHS[kind])
    assert [len(body["input"]) for body in bodies] == [BATCH, 5]
    assert all(body["model"] == "embed-model" for body in bodies)
    assert [body.get("truncate") for body in bodies] == [False if kind == OLLAMA else None] * 2


@KINDS
async def test_the_key_is_sent_and_never_told(
    llm: Any, says: Any, open_embedder: Callable[..., Embedder], kind: str
) -> None:
    llm.on(PATHS[kind], says.status(400, "bad key sk-secret"))
    with pytest.raises(BackendRefused) as caught:
        await open_embedder(kind, api_key="sk-secret").embed(["a"])
    assert llm.exchanges[0].headers["authorization"] == "Bearer sk-secret"
    assert "sk-secret" not in str(caught.value)


@KINDS
async def test_no_text_needs_no_request(
    llm: Any, open_embedder: Callable[..., Embedder], kind: str
) -> None:
    assert (await open_embedder(kind).embed([])).shape == (0, 0)
    assert llm.exchanges == []


@KINDS
@pytest.mark.parametrize(
    "answer",
    [
        {},
        [],
        None,
        {"embeddings": [], "data": []},
        {"embeddings": [[1.0]], "data": [{"index": 0, "embedding": [1.0]}]},  # one for two
        {"embeddings": [[1.0], [1.0, 2.0]], "data": [{"embedding": [1.0]}, {"embedding": [1, 2]}]},
        {"embeddings": [["a"], ["b"]], "data": [{"embedding": ["a"]}, {"embedding": ["b"]}]},
        {"embeddings": [[None], [1]], "data": [{"embedding": None}, {"embedding": [1]}]},
        {"embeddings": [[], []], "data": [{"embedding": []}, {"embedding": []}]},
        {"embeddings": [[1e300], [1]], "data": [{"embedding": [1e300]}, {"embedding": [1]}]},
        {
            "embeddings": "text",
            "data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}],
        },
        {"embeddings": 3, "data": [{"index": 7, "embedding": [1]}, {"index": 1, "embedding": [1]}]},
    ],
)
async def test_an_answer_of_another_form_is_refused(
    llm: Any, says: Any, open_embedder: Callable[..., Embedder], kind: str, answer: object
) -> None:
    llm.on(PATHS[kind], says.json(answer))
    with pytest.raises(AnswerUnusable):
        await open_embedder(kind).embed(["one", "two"])


@KINDS
async def test_batches_of_different_length_are_refused(
    llm: Any, open_embedder: Callable[..., Embedder], kind: str
) -> None:
    async def other(exchange: Any) -> None:
        vectors = [[1.0, 2.0, 3.0] for _ in exchange.body["input"]]
        await exchange.json({"embeddings": vectors, "data": [{"embedding": v} for v in vectors]})

    llm.on(PATHS[kind], answers(kind), other)
    with pytest.raises(AnswerUnusable):
        await open_embedder(kind).embed([f"text {n}" for n in range(BATCH + 1)])


@KINDS
@pytest.mark.parametrize(
    ("status", "fault"),
    [
        (401, BackendRefused),
        (404, BackendRefused),
        (429, BackendBusy),
        (503, BackendBusy),
    ],
)
async def test_a_refusal_is_an_error_of_its_kind(
    llm: Any,
    says: Any,
    open_embedder: Callable[..., Embedder],
    kind: str,
    status: int,
    fault: type[BackendError],
) -> None:
    llm.on(PATHS[kind], says.status(status))
    with pytest.raises(fault):
        await open_embedder(kind).embed(["a"])


@KINDS
@pytest.mark.parametrize("how", ["page", "reset", "silent", "endless", "error object"])
async def test_a_server_that_is_none_or_breaks_is_told(
    llm: Any, says: Any, open_embedder: Callable[..., Embedder], kind: str, how: str
) -> None:
    behaviour, fault = {
        "page": (says.raw(b"<html>hello</html>", "text/html"), BackendRefused),
        "reset": (says.reset(), BackendUnreachable),
        "silent": (says.nothing(), BackendUnreachable),
        "endless": (says.endless(b"[1.0, "), BackendError),
        "error object": (says.json({"error": {"message": "no", "code": 400}}), BackendRefused),
    }[how]
    llm.on(PATHS[kind], behaviour)
    with pytest.raises(fault):
        await open_embedder(kind, limits=Limits(lookup_seconds=0.3)).embed(["a"])


@KINDS
async def test_a_long_text_is_cut_until_the_model_takes_it(
    llm: Any, says: Any, open_embedder: Callable[..., Embedder], kind: str
) -> None:
    too_long = says.status(400, "the input length exceeds the context length")
    llm.on(PATHS[kind], too_long, answers(kind))
    rows = await open_embedder(kind).embed(["short", "x" * 9_000])
    assert rows.tolist() == [[5.0, 1.0], [LONGEST_TEXT / 2, 1.0]]
    llm.on(PATHS[kind], too_long)
    with pytest.raises(PromptTooLong):
        await open_embedder(kind).embed(["x" * 9_000])


def test_sillytaverns_own_connection_makes_no_vectors() -> None:
    with pytest.raises(UsageError):
        make_embedder(BackendSpec("sillytavern"))
