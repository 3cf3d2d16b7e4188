"""Looking for a newer version: one request, only when told to, and its answer is not trusted."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.commands.entry import main
from app.core.errors import ReleasesUnknown
from app.releases import own_metadata as metadata_module
from app.releases import release_look
from app.releases.own_metadata import OwnMetadata
from app.releases.release_look import ReleaseLook, latest_of
from tests.releases_server import CERTIFICATE, PROJECT, ReleasesServer, releases_server


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ReleasesServer]:
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    with releases_server() as server:
        yield server


def look_at(server: ReleasesServer, own: str = "0.3.1") -> ReleaseLook:
    look = ReleaseLook()
    look.own = OwnMetadata(own, server.page)
    return look


async def why_not(look: ReleaseLook) -> str:
    with pytest.raises(ReleasesUnknown) as caught:
        await look.look()
    return str(caught.value)


@pytest.mark.parametrize(
    ("own", "tag", "is_newer", "sentence"),
    [
        ("0.3.1", "v0.4.0", True, "Version 0.4.0 is available; you have 0.3.1."),
        ("0.9.0", "v0.10.0", True, "Version 0.10.0 is available; you have 0.9.0."),
        ("1.0rc2", "v1.0", True, "Version 1.0 is available; you have 1.0rc2."),
        ("0.3.1", "0.3.1", False, "You have the newest version, 0.3.1."),
        ("0.3.0", "v0.3", False, "You have 0.3.0, newer than the newest release, 0.3."),
        ("0.4.0.dev1", "v0.3.1", False, "newer than the newest release, 0.3.1."),
    ],
)
async def test_versions_are_told_apart_as_packages_are(
    server: ReleasesServer, own: str, tag: str, is_newer: bool, sentence: str
) -> None:
    server.tell(tag, body="What is new.", assets=[])
    newest = await look_at(server, own).look()
    assert newest.is_newer is is_newer
    assert sentence in newest.sentence
    assert newest.page == f"{server.page}/tag/{tag}"


async def test_it_asks_once_and_tells_nothing_of_this_computer(server: ReleasesServer) -> None:
    server.tell("v0.4.0")
    look = look_at(server)
    assert look.host == f"127.0.0.1:{server.port}"
    await asyncio.sleep(0.1)
    assert server.asked == []
    await look.look()
    ((path, headers),) = server.asked
    assert path == f"/api/v1/repos/{PROJECT}/releases/latest"
    assert {name.lower() for name in headers} == {
        *("host", "connection", "accept", "accept-encoding", "user-agent")
    }
    assert headers["User-Agent"] == "Tavernkeep"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>Sign in</html>",
        b"[]",
        b'{"tag_name": 7}',
        b'{"html_url": "https://127.0.0.1/"}',
        b'{"tag_name": "nightly"}',
        b'{"tag_name": "v1.0 <b>now</b>"}',
        b'{"tag_name": "' + b"9" * 100 + b'"}',
        b'{"tag_name": "v0.4.0", "html_url": 7}',
        b"[" * 100_000,
        b"\xff\xfe",
        gzip.compress(b'{"tag_name": "v0.4.0"}'),
        b'{"tag_name": "v0.4.0", "body": "' + b"x" * release_look.MOST_BYTES + b'"}',
    ],
    ids=range(13),
)
async def test_an_answer_that_makes_no_sense_is_no_version(
    server: ReleasesServer, body: bytes
) -> None:
    server.body = body
    assert "makes no sense" in await why_not(look_at(server))


@pytest.mark.parametrize(
    "page",
    [
        "https://evil.example/tag/v0.4.0",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "",
        "{page}",
        "{page}.evil.example/x",
        "{page}/../../../evil",
        "{page}/tag/%0d%0a x",
        "{page}/tag/v0.4.0?next=https://evil.example",
        "{page}/tag/v0.4.0#x",
        "http{rest}/tag/v0.4.0",
    ],
)
async def test_no_page_but_one_of_the_project_is_offered(server: ReleasesServer, page: str) -> None:
    told = page.format(page=server.page, rest=server.page.removeprefix("https"))
    server.tell("v0.4.0", html_url=told)
    assert (await look_at(server).look()).page == server.page


@pytest.mark.parametrize("status", [301, 302, 400, 403, 429, 500, 503])
async def test_a_refusal_is_said(server: ReleasesServer, status: int) -> None:
    server.status = status
    server.headers = {"Location": "https://evil.example/"}
    assert f"({status})" in await why_not(look_at(server))
    assert len(server.asked) == 1


async def test_a_project_without_a_release_is_said(server: ReleasesServer) -> None:
    server.status = 404
    assert "knows of no release" in await why_not(look_at(server))


async def test_who_does_not_answer_is_left(
    server: ReleasesServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(release_look, "LOOK_SECONDS", 0.3)
    server.released.clear()
    assert "could not be reached" in await why_not(look_at(server))


async def test_where_nobody_is_that_is_said(server: ReleasesServer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    look = look_at(server)
    look.own = replace(look.own, releases=f"https://127.0.0.1:{port}/{PROJECT}/releases")
    assert f"127.0.0.1:{port} could not be reached" in await why_not(look)


async def test_who_cannot_prove_who_it_is_is_not_believed(
    server: ReleasesServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    server.tell("v0.4.0")
    assert "could not be reached" in await why_not(look_at(server))
    assert server.asked == []


@pytest.mark.parametrize(
    ("releases", "asked"),
    [
        (
            "https://github.com/somebody/tavernkeep/releases",
            "https://api.github.com/repos/somebody/tavernkeep/releases/latest",
        ),
        (
            "https://codeberg.org/somebody/tavernkeep/releases",
            "https://codeberg.org/api/v1/repos/somebody/tavernkeep/releases/latest",
        ),
        ("http://github.com/somebody/tavernkeep/releases", ""),
        ("https://user:word@github.com/somebody/tavernkeep/releases", ""),
        ("https://github.com/somebody/tavernkeep", ""),
        ("https://github.com/somebody/tavernkeep/releases?x", ""),
        ("", ""),
    ],
)
def test_who_is_asked_follows_from_the_page_of_releases(releases: str, asked: str) -> None:
    assert latest_of(releases) == asked


async def test_a_copy_that_knows_no_place_says_so() -> None:
    look = ReleaseLook()
    look.own = OwnMetadata("0.3.1")
    assert look.host == ""
    assert "does not know where" in await why_not(look)


def test_the_command_tells_it_too(
    server: ReleasesServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    project = f'[project]\nname = "tavernkeep"\nversion = "0.3.1"\nurls.Releases = "{server.page}"'
    (tmp_path / "pyproject.toml").write_text(project, "utf-8")
    monkeypatch.setattr(metadata_module, "RESOURCES", tmp_path / "resources")
    server.tell("v0.4.0")
    assert main(["update-check"]) == 0
    said = capsys.readouterr().out
    assert "Version 0.4.0 is available" in said
    assert f"{server.page}/tag/v0.4.0" in said
    assert main(["update-check", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found == {
        "own": "0.3.1",
        "version": "0.4.0",
        "page": f"{server.page}/tag/v0.4.0",
        "is_newer": True,
    }
    server.status = 503
    assert main(["update-check"]) == 1
    assert "(503)" in capsys.readouterr().err
