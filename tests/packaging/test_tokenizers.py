"""The tokenizer ranks in resources/ are the real ones and need no network."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from app.core.resources import RESOURCES

# Any try to reach the network ends the process at once.
COUNT = """
import socket, sys
def refuse(*arguments, **options):
    raise SystemExit("tried to reach the network")
socket.socket.connect = socket.getaddrinfo = socket.create_connection = refuse
import tiktoken
encoding = tiktoken.get_encoding(sys.argv[1])
print(len(encoding.encode_ordinary("The lamp went out. Niemand sprach. 暗くなった。")))
"""


@pytest.mark.parametrize(("encoding", "count"), [("cl100k_base", 18), ("o200k_base", 14)])
def test_an_encoding_loads_without_network(encoding: str, count: int) -> None:
    """tiktoken itself checks the sha256 of the file, and would load a wrong one again."""
    done = subprocess.run(
        [sys.executable, "-c", COUNT, encoding],
        env=os.environ | {"TIKTOKEN_CACHE_DIR": str(RESOURCES / "tokenizers")},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == count
