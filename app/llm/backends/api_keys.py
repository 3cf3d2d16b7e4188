"""API keys of servers: in the system's keyring, else in a file that only this user can read."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from app.core.errors import StoreError, UsageError, reason_of
from app.core.translation import tr
from app.llm.backends.specs import clean_url

API_KEY_VARIABLE = "TAVERNKEEP_API_KEY"
SERVICE = "Tavernkeep"
KEYRING_SECONDS = 20.0  # a locked keyring may ask its user first
LONGEST_KEY = 4096


class ApiKeys:
    """Keys by server. What the environment says (TAVERNKEEP_API_KEY) goes before all of them.

    file: names the servers that have a key in the keyring, and holds the keys themselves where
    there is no keyring.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._keys: dict[str, str] = {}
        self._in_file: set[str] = set()
        self._in_keyring: set[str] = set()  # also what it would not give just now
        self.problem = ""

    async def load(self) -> None:
        """Read what is kept; costs nothing where nobody ever gave a key. What cannot be read is
        told in `problem`.
        """
        try:
            kept = await asyncio.to_thread(self._read_file)
        except StoreError as error:
            self.problem = str(error)
            return
        for origin, key in kept.items():
            found = key or await self._from_keyring(origin)
            if found:
                self._keys[origin] = found
            (self._in_file if key else self._in_keyring).add(origin)

    def find(self, url: str) -> str | None:
        """The key for the server of an address."""
        given = os.environ.get(API_KEY_VARIABLE, "").strip()
        return given or self._keys.get(_origin(url))

    def is_in_file(self, url: str) -> bool:
        """Whether the server's key lies in the file, for want of a keyring."""
        return _origin(url) in self._in_file

    @property
    def file(self) -> Path:
        """Where keys lie that no keyring took."""
        return self._file

    async def keep(self, url: str, key: str) -> str:
        """Keep a server's key from now on; "" forgets it. Gives what was kept before, "" for none.
        Raises UsageError, StoreError.
        """
        origin, key = _origin(clean_url(url)), key.strip()
        if not key.isascii() or not key.isprintable() or len(key) > LONGEST_KEY:
            raise UsageError(tr("This is not an API key: it contains characters that no key has."))
        is_in_keyring = await self._to_keyring(origin, key)
        for places in (self._in_file, self._in_keyring):
            places.discard(origin)
        before = self._keys.pop(origin, "")
        if key:
            self._keys[origin] = key
            (self._in_keyring if is_in_keyring else self._in_file).add(origin)
        kept = dict.fromkeys(self._in_keyring, "")
        kept |= {origin: self._keys[origin] for origin in self._in_file}
        await asyncio.to_thread(self._write_file, kept)
        self.problem = ""
        return before

    async def _from_keyring(self, origin: str) -> str:
        def ask() -> str | None:
            import keyring  # 40 ms that nobody waits for who never gave a key

            try:
                return keyring.get_password(SERVICE, origin)
            except keyring.errors.KeyringError:
                return None

        try:
            async with asyncio.timeout(KEYRING_SECONDS):
                return await asyncio.to_thread(ask) or ""
        except TimeoutError:
            return ""

    async def _to_keyring(self, origin: str, key: str) -> bool:
        def tell() -> bool:
            import keyring

            try:
                if key:
                    keyring.set_password(SERVICE, origin, key)
                    return keyring.get_password(SERVICE, origin) == key
                keyring.delete_password(SERVICE, origin)
            except keyring.errors.KeyringError:
                return False
            return True

        try:
            async with asyncio.timeout(KEYRING_SECONDS):
                return await asyncio.to_thread(tell)
        except TimeoutError:
            return False

    def _read_file(self) -> Mapping[str, str]:
        try:
            return msgspec.json.decode(self._file.read_bytes(), type=dict[str, str])
        except FileNotFoundError:
            return {}
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise StoreError(
                tr(
                    "The API keys in {file} cannot be read. Move the file away and enter the "
                    "keys again.",
                    file=self._file,
                )
            ) from error

    def _write_file(self, kept: Mapping[str, str]) -> None:
        temporary = self._file.with_name(f"{self._file.name}.{secrets.token_hex(6)}")
        try:
            # Nobody else may read it at any moment, so not even before the rename.
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(msgspec.json.encode(kept))
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(self._file)
        except OSError as error:
            with contextlib.suppress(OSError):  # a disk that takes nothing removes nothing
                temporary.unlink()
            raise StoreError(
                tr(
                    "The API key could not be saved in {file}: {reason}.",
                    file=self._file,
                    reason=reason_of(error),
                )
            ) from error


def _origin(url: str) -> str:
    parts = urlsplit(url if "://" in url else f"http://{url}")
    return f"{parts.scheme.lower()}://{parts.netloc.lower()}"
