"""A small checkout with the real set-up, whose only dependency is a wheel made here."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

PACKAGING = Path(__file__).resolve().parents[2] / "packaging"

PROGRAM = """
import json, sys
import {module}
print(json.dumps({{"arguments": sys.argv[1:], "version": {module}.VERSION}}))
sys.exit(7)
"""


@dataclass(frozen=True, slots=True)
class SmallCheckout:
    """A checkout whose program prints its arguments as JSON and ends with exit code 7."""

    folder: Path
    wheels: Path
    cache: Path

    @property
    def environment(self) -> Path:
        return self.folder / ".venv"

    def require(self, version: str) -> None:
        """Lock the only dependency, `smallthing`, to a version that is made for this."""
        wheel = self.wheels / f"smallthing-{version}-py3-none-any.whl"
        about = f"smallthing-{version}.dist-info"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr("smallthing.py", f"VERSION = {version!r}\n")
            archive.writestr(
                f"{about}/METADATA",
                f"Metadata-Version: 2.1\nName: smallthing\nVersion: {version}\n",
            )
            archive.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
            archive.writestr(f"{about}/RECORD", "")
        self.lock(version, digest=hashlib.sha256(wheel.read_bytes()).hexdigest())

    def lock(self, version: str, *, digest: str) -> None:
        lock = self.folder / "packaging" / "locks" / "run.txt"
        lock.write_text(f"smallthing=={version} --hash=sha256:{digest}\n", encoding="utf-8")

    def start(
        self, *arguments: str, cwd: Path | None = None, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Run its bootstrap.py with these arguments."""
        environ = os.environ | {
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": self.wheels.as_uri(),
            "XDG_CACHE_HOME": str(self.cache),
            "LOCALAPPDATA": str(self.cache),
            "QT_QPA_PLATFORM": "offscreen",
        }
        return subprocess.run(
            [sys.executable, str(self.folder / "packaging" / "bootstrap.py"), *arguments],
            cwd=cwd or self.cache,
            env=environ | variables,
            capture_output=True,
            text=True,
            timeout=120,
        )


@pytest.fixture
def small_checkout(tmp_path: Path) -> SmallCheckout:
    folder = tmp_path / "a checkout with späces"
    ignored = shutil.ignore_patterns("__pycache__", "locks")
    shutil.copytree(PACKAGING, folder / "packaging", ignore=ignored)
    (folder / "packaging" / "locks").mkdir()
    (folder / "ui").mkdir()
    program = PROGRAM.format(module="smallthing")
    (folder / "ui" / "__main__.py").write_text(program, encoding="utf-8")
    (tmp_path / "wheels").mkdir()
    (tmp_path / "cache").mkdir()
    checkout = SmallCheckout(folder, tmp_path / "wheels", tmp_path / "cache")
    checkout.require("1.0")
    return checkout
