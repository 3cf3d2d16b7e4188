"""A real SillyTavern on loopback, run as spec/sillytavern.md §1 and §8 found it to work."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.fakes import MODEL, FakeLlm

CHARACTER = "default_Seraphina"
USER_NAME = "Mira"
START_SECONDS = 120.0  # the first start ever bundles the page's libraries

CONFIG = """\
dataRoot: {data_root}
listen: {listens}
listenAddress: {{ipv4: {address}}}
port: {port}
browserLaunch: {{enabled: false}}
whitelistDockerHosts: false
enableDownloadableTokenizers: false
extensions: {{enabled: true, autoUpdate: false, models: {{autoDownload: false}}}}
enableServerPlugins: false
backups: {{chat: {{enabled: false}}}}
"""


def find_sillytavern() -> Path | None:
    """SillyTavern's server folder, from TAVERNKEEP_TEST_SILLYTAVERN or the cache."""
    cache = Path.home() / ".cache/tavernkeep/sillytavern-1.19.0/node_modules/sillytavern"
    folder = Path(os.environ.get("TAVERNKEEP_TEST_SILLYTAVERN") or cache)
    return folder if (folder / "server.js").exists() and shutil.which("node") else None


def find_chromium() -> Path | None:
    """Chromium's program, from TAVERNKEEP_TEST_CHROMIUM or the usual places."""
    named = os.environ.get("TAVERNKEEP_TEST_CHROMIUM")
    usual = [shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome")]
    found = next((path for path in [named, *usual] if path), None)
    return Path(found) if found else None


def free_port() -> int:
    """A port that nobody uses at this moment.

    None of those that systems give to whoever wants any: tests beside this one ask for many, and
    could be given it before SillyTavern listens there.
    """
    while True:
        port = random.SystemRandom().randrange(20_000, 32_000)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


@dataclass(slots=True)
class Server:
    """A SillyTavern process over its own data root, which can be killed and started anew."""

    package: Path
    options: tuple[str, ...]
    url: str
    log: Path
    process: subprocess.Popen[bytes] = field(init=False)

    def start(self) -> None:
        """Start it and wait until it answers."""
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                ["node", "server.js", *self.options],
                cwd=self.package,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                with urllib.request.urlopen(f"{self.url}/csrf-token", timeout=5):
                    return
            except urllib.error.HTTPError as error:
                if error.code == 401:  # it asks for a password
                    return
                time.sleep(0.1)
            except (urllib.error.URLError, OSError):
                time.sleep(0.1)
        self.stop()
        raise AssertionError(f"SillyTavern did not start:\n{self.log.read_text()[-3000:]}")

    def kill(self) -> None:
        """End it without a chance to finish anything."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(10)

    def stop(self) -> None:
        """End it as a user's Ctrl+C does, harder when it does not listen."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.kill()


def start_server(
    package: Path, data_root: Path, folder: Path, address: str = "127.0.0.1", *, more: str = ""
) -> Server:
    """Start SillyTavern and wait until it answers. folder: for its configuration and log. more:
    further lines of its configuration.
    """
    port = free_port()
    data_root.mkdir(parents=True, exist_ok=True)
    config = folder / "config.yaml"
    listens = str(address != "127.0.0.1").lower()
    config.write_text(
        CONFIG.format(data_root=data_root, port=port, listens=listens, address=address) + more
    )
    options = ("--configPath", str(config), "--dataRoot", str(data_root))
    server = Server(package, options, f"http://{address}:{port}", folder / "sillytavern.log")
    server.start()
    return server


def patch_settings(user_folder: Path, llm: FakeLlm) -> None:
    """Make the page open the test character and talk to the fake model, without any questions."""
    path = user_folder / "settings.json"
    settings = json.loads(path.read_text())
    settings.update(
        firstRun=False,
        username=USER_NAME,
        active_character=f"{CHARACTER}.png",
        active_group=None,
        main_api="openai",
    )
    settings["power_user"].update(
        personas={"user-default.png": USER_NAME}, auto_connect=True, auto_load_chat=True
    )
    settings["oai_settings"].update(
        chat_completion_source="custom",
        custom_url=llm.url,
        custom_model=MODEL,
        stream_openai=False,
        openai_max_context=8000,
        openai_max_tokens=300,
    )
    path.write_text(json.dumps(settings))


def write_chat(path: Path, messages: Sequence[Mapping[str, Any]], *, integrity: str = "") -> None:
    """Write a chat file as SillyTavern 1.19 does. messages: name, is_user and mes at least.
    integrity: what tells it from all chats but its copies.
    """
    header = {
        "chat_metadata": {"integrity": integrity or f"test-{path.stem}"},
        "user_name": "unused",
        "character_name": "unused",
    }
    lines: list[Mapping[str, Any]] = [header]
    for index, message in enumerate(messages):
        date = f"2026-05-01T10:{index // 60:02}:{index % 60:02}.000Z"
        lines.append({"is_system": False, "send_date": date, "extra": {}, **message})
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(json.dumps(line) for line in lines))


def write_group(user_folder: Path, name: str, members: Sequence[str], chat: str) -> None:
    """Write a group whose members answer one after the other. members: card file names."""
    group = {
        "id": name,
        "name": name,
        "members": list(members),
        "avatar_url": "",
        "allow_self_responses": False,
        "activation_strategy": 1,
        "generation_mode": 0,
        "disabled_members": [],
        "fav": False,
        "chat_id": chat,
        "chats": [chat],
        "auto_mode_delay": 5,
    }
    (user_folder / "groups" / f"{name}.json").write_text(json.dumps(group))


def dialogue(*texts: str) -> list[dict[str, Any]]:
    """Messages in turn, the character's first."""
    names = ("Seraphina", USER_NAME)
    return [
        {"name": names[index % 2], "is_user": bool(index % 2), "mes": text}
        for index, text in enumerate(texts)
    ]
