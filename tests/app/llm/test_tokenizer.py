"""Tokens are counted with the shipped ranks, never from the network, and estimated without them."""

from __future__ import annotations

import os
import shutil
import socket
from pathlib import Path

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from app.llm.tokenizer import CACHE_VARIABLE, KNOWN_RANKS, RANKS, TiktokenCounter
from app.prompt.tokens import CachingCounter, estimate_tokens


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.mark.parametrize("encoding", sorted(KNOWN_RANKS))
def test_shipped_ranks_count_exactly(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, "/elsewhere")
    counter = TiktokenCounter(encoding, RANKS)
    assert counter.count("hello world") == 2
    assert counter.count("<|endoftext|>") > 1
    assert counter.count("") == 0
    assert counter.count("\ud800 lone") > 0
    assert counter.is_exact
    assert os.environ[CACHE_VARIABLE] == "/elsewhere"


@pytest.mark.expects_log("app.llm.tokenizer")
def test_damaged_ranks_are_left_alone_and_counts_are_estimates(tmp_path: Path) -> None:
    name = KNOWN_RANKS["cl100k_base"][0]
    shutil.copy(RANKS / name, tmp_path / name)
    with (tmp_path / name).open("ab") as ranks:
        ranks.write(b"more\n")
    counter = TiktokenCounter("cl100k_base", tmp_path)
    assert counter.count("hello world") == estimate_tokens("hello world")
    assert not counter.is_exact
    assert (tmp_path / name).exists()


@pytest.mark.expects_log("app.llm.tokenizer")
@pytest.mark.parametrize("encoding", ["cl100k_base", "unheard_of"])
def test_missing_ranks_give_estimates(encoding: str, tmp_path: Path) -> None:
    assert not TiktokenCounter(encoding, tmp_path).is_exact


@pytest.mark.expects_log("app.llm.tokenizer")
def test_a_panic_of_the_tokenizer_gives_an_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    holed = tiktoken.Encoding("x", pat_str=r"\w+", mergeable_ranks={b"a": 0}, special_tokens={})
    monkeypatch.setattr(tiktoken, "get_encoding", lambda _name: holed)
    counter = TiktokenCounter("cl100k_base", RANKS)
    assert counter.count("aaa") == 3
    assert counter.count("hello world") == estimate_tokens("hello world")


def test_each_text_is_counted_once() -> None:
    asked: list[str] = []

    def count(text: str) -> int:
        asked.append(text)
        return len(text)

    counter = CachingCounter(count, encoding="x")
    for text in ("short", "long " * 100, "short", "long " * 100):
        assert counter.count(text) == len(text)
    assert len(asked) == 2


@given(st.text())
def test_an_estimate_is_zero_only_for_nothing(text: str) -> None:
    assert (estimate_tokens(text) == 0) == (text == "")
