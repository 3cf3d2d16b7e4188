"""Where SillyTavern's page is opened, by its own configuration."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.sillytavern.page_address import page_address


@pytest.mark.parametrize(
    ("said", "address"),
    [
        (None, "http://127.0.0.1:8000"),
        ("dataRoot: ./data\nport: 8123\n# port: 1\n", "http://127.0.0.1:8123"),
        ("port: 8001 # ours\nssl:\n  # on\n  enabled: true\n", "https://127.0.0.1:8001"),
        ("ssl:\n  enabled: false\n  port: 5\nother:\n  enabled: true\n", "http://127.0.0.1:8000"),
        ("port: 99999", "http://127.0.0.1:8000"),
        ("port: http://elsewhere", "http://127.0.0.1:8000"),
    ],
)
def test_the_port_is_that_of_its_configuration(
    tmp_path: Path, said: str | None, address: str
) -> None:
    if said is not None:
        (tmp_path / "config.yaml").write_text(said)
    assert page_address(tmp_path / "data" / "default-user") == address


def test_what_is_no_text_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_bytes(b"port: 9\xff\n")
    assert page_address(tmp_path / "data" / "default-user") == "http://127.0.0.1:8000"
