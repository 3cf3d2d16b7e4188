"""Token counters from the shipped tiktoken ranks; the only module that loads tiktoken."""

from __future__ import annotations

import hashlib
import logging
import os
import threading
from functools import cache
from pathlib import Path

from app.core.resources import RESOURCES
from app.prompt.tokens import CachingCounter, EstimatingCounter, TokenCounter, estimate_tokens

log = logging.getLogger(__name__)

RANKS = RESOURCES / "tokenizers"
# tiktoken looks for sha1(address of the rank file) in its cache folder, checks sha256, and deletes
# a file that differs to load it from the network. So the bytes are checked here first.
KNOWN_RANKS = {
    "cl100k_base": (
        "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
    "o200k_base": (
        "fb374d419588a4632f3f557e76b4b70aebbca790",
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    ),
}
CACHE_VARIABLE = "TIKTOKEN_CACHE_DIR"
# One call takes at most this much: tiktoken is quadratic on some long runs of one kind of
# character, and a large C call keeps every other thread waiting.
SLICE = 20_000
RUST = "pyo3_runtime"  # where the type of a panic says that it comes from


class TiktokenCounter:
    """Counts with tiktoken, loaded at the first count (160 ms); estimates when that fails."""

    def __init__(self, encoding: str, ranks: Path) -> None:
        self.encoding = encoding
        self._ranks = ranks
        self._lock = threading.Lock()
        self._counter: TokenCounter | None = None

    @property
    def is_exact(self) -> bool:
        return self._loaded().is_exact

    def count(self, text: str) -> int:
        """Tokens of `text`."""
        counter = self._counter
        return (self._loaded() if counter is None else counter).count(text)

    def _loaded(self) -> TokenCounter:
        if self._counter is None:
            with self._lock:
                if self._counter is None:
                    self._counter = _load(self.encoding, self._ranks)
        return self._counter


@cache
def counter_for(encoding: str = "cl100k_base", ranks: Path = RANKS) -> TokenCounter:
    """The one counter for `encoding`; nothing is read before the first count.

    Never raises and never asks the network: an unknown encoding, or ranks that are missing or
    damaged, give estimates with is_exact false.
    """
    return TiktokenCounter(encoding, ranks)


def _load(encoding: str, ranks: Path) -> TokenCounter:
    known = KNOWN_RANKS.get(encoding)
    if known is None or not _is_intact(ranks / known[0], known[1]):
        log.warning("No ranks for %s; token counts are estimates", encoding)
        return EstimatingCounter()
    before = os.environ.get(CACHE_VARIABLE)
    os.environ[CACHE_VARIABLE] = str(ranks)
    try:
        import tiktoken

        loaded = tiktoken.get_encoding(encoding)
    except Exception:  # tiktoken raises whatever its plugins and its reader raise
        log.exception("tiktoken cannot load %s; token counts are estimates", encoding)
        return EstimatingCounter()
    finally:
        if before is None:
            os.environ.pop(CACHE_VARIABLE, None)
        else:
            os.environ[CACHE_VARIABLE] = before

    def count(text: str) -> int:
        try:
            if len(text) <= SLICE:  # nearly all: to go through its one slice costs a tenth more
                return len(loaded.encode_ordinary(text))
            return sum(
                len(loaded.encode_ordinary(text[at : at + SLICE]))
                for at in range(0, len(text), SLICE)
            )
        except BaseException as error:  # a panic in its Rust part is no Exception
            if not isinstance(error, Exception) and type(error).__module__ != RUST:
                raise
            log.exception("tiktoken failed on a text of %d characters", len(text))
            return estimate_tokens(text)

    return CachingCounter(count, encoding=encoding)


def _is_intact(path: Path, sha256: str) -> bool:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest() == sha256
    except OSError:
        return False
