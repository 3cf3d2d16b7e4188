"""Asks once which release is the newest, where this copy says that there are some."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from functools import cached_property
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import msgspec
from packaging.version import InvalidVersion, Version

from app.core.errors import ReleasesUnknown
from app.core.translation import N_, tr
from app.llm.backends.streams import leave
from app.releases.own_metadata import OwnMetadata, own_metadata

if TYPE_CHECKING:
    import httpx

LOOK_SECONDS = 15.0
MOST_BYTES = 1024 * 1024
NO_PLACE = N_("This copy does not know where its releases are. Check where you got it from.")
SENSELESS = N_("The answer of {host} makes no sense. Try again later.")

_PLACE = re.compile(r"https://([\w.-]+(?::\d{1,5})?)/([\w.-]+/[\w.-]+)/releases", re.ASCII)
_REST_OF_PAGE = re.compile(r"(/[\w.~+%-]+)+", re.ASCII)


class _Latest(msgspec.Struct):
    """What GitHub, Forgejo and Gitea say of a project's newest release; a preview is never it."""

    tag_name: Annotated[str, msgspec.Meta(max_length=64)]
    html_url: Annotated[str, msgspec.Meta(max_length=500)] = ""


@dataclass(frozen=True, slots=True)
class NewestRelease:
    """What was found. own, version: of this copy and of the release. page: to get the release."""

    own: str
    version: str
    page: str
    is_newer: bool

    @property
    def sentence(self) -> str:
        """For the user."""
        if self.is_newer:
            words = N_("Version {version} is available; you have {own}.")
        elif self.version == self.own:
            words = N_("You have the newest version, {own}.")
        else:
            words = N_("You have {own}, newer than the newest release, {version}.")
        return tr(words, version=self.version, own=self.own)


class ReleaseLook:
    """Looks when it is told to, and never else. own: what this copy says of itself."""

    @cached_property
    def own(self) -> OwnMetadata:
        """Read when somebody wants to know."""
        return own_metadata()

    @property
    def host(self) -> str:
        """Who would be asked, "" where this copy knows no place of releases."""
        return urlsplit(latest_of(self.own.releases)).netloc

    @property
    def why_not(self) -> str:
        """Why nobody can be asked, "" where somebody can."""
        return "" if self.host else tr(NO_PLACE)

    async def look(self) -> NewestRelease:
        """One request, which says nothing of this computer but that it asks.

        Raises ReleasesUnknown, with why nothing could be found out.
        """
        address = latest_of(self.own.releases)
        if not address:
            raise ReleasesUnknown(tr(NO_PLACE))
        return self._read(await _fetched(address, self.host))

    def _read(self, answer: bytes) -> NewestRelease:
        try:
            latest = msgspec.json.decode(answer, type=_Latest)
            version = Version(latest.tag_name)
        except (msgspec.MsgspecError, UnicodeError, RecursionError, InvalidVersion) as error:
            raise ReleasesUnknown(tr(SENSELESS, host=self.host)) from error
        is_newer = version > Version(self.own.version)
        return NewestRelease(self.own.version, str(version), self._page(latest), is_newer)

    def _page(self, latest: _Latest) -> str:
        """The release's own page where that is one of this project, else the one of all."""
        rest = latest.html_url.removeprefix(self.own.releases)
        is_ours = latest.html_url != rest and _REST_OF_PAGE.fullmatch(rest) and ".." not in rest
        return latest.html_url if is_ours else self.own.releases


def latest_of(releases: str) -> str:
    """Where the newest release of a project is told of. releases: https://HOST/OWNER/NAME/releases;
    "" for another.
    """
    place = _PLACE.fullmatch(releases)
    if place is None:
        return ""
    host, project = place.groups()
    api = "api.github.com" if host == "github.com" else f"{host}/api/v1"  # as Forgejo and Gitea
    return f"https://{api}/repos/{project}/releases/latest"


async def _fetched(address: str, host: str) -> bytes:
    import httpx  # takes a fifth of a second, and hardly a start needs it

    # Bare: what is packed may unfold without bound.
    headers = {
        "Accept": "application/json",
        "Accept-Encoding": "identity",
        "User-Agent": "Tavernkeep",
    }
    try:
        async with asyncio.timeout(LOOK_SECONDS):
            # Reading the certificates takes tens of milliseconds: not on the interface's thread.
            client = await asyncio.to_thread(httpx.AsyncClient, headers=headers, timeout=None)
            async with client:
                response = await client.send(client.build_request("GET", address), stream=True)
                return await _read_bounded(response, host)
    except (TimeoutError, httpx.HTTPError, httpx.InvalidURL) as error:
        raise ReleasesUnknown(
            tr(
                "{host} could not be reached to ask for the newest version. Try again later.",
                host=host,
            )
        ) from error


async def _read_bounded(response: httpx.Response, host: str) -> bytes:
    read, chunks = bytearray(), response.aiter_raw()
    try:
        if response.status_code == HTTPStatus.NOT_FOUND:
            raise ReleasesUnknown(tr("{host} knows of no release.", host=host))
        if not response.is_success:
            raise ReleasesUnknown(
                tr(
                    "{host} does not say which version is the newest ({status}). Try again later.",
                    host=host,
                    status=response.status_code,
                )
            )
        async for chunk in chunks:
            read += chunk
            if len(read) > MOST_BYTES:
                raise ReleasesUnknown(tr(SENSELESS, host=host))
        return bytes(read)
    finally:
        await leave(response, chunks)
