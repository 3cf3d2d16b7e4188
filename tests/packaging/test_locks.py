"""The lock files hold exactly what pyproject.toml asks for, with hashes, for every Python."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

CHECKOUT = Path(__file__).resolve().parents[2]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
SYSTEMS = {"linux": "Linux", "darwin": "Darwin", "win32": "Windows"}


@dataclass(frozen=True, slots=True)
class Pin:
    name: str
    version: str
    marker: Marker | None
    hashes: tuple[str, ...]


def pins(lock: str) -> Iterator[Pin]:
    text = (CHECKOUT / "packaging" / "locks" / f"{lock}.txt").read_text(encoding="utf-8")
    for entry in re.split(r"\n(?=\S)", text):
        if entry.startswith("#"):
            continue
        requirement = Requirement(entry.split(" \\")[0].replace("\\\n", "").strip())
        [version] = requirement.specifier
        assert version.operator == "=="
        yield Pin(
            canonicalize_name(requirement.name),
            version.version,
            requirement.marker,
            tuple(re.findall(r"--hash=(sha256:[0-9a-f]{64})", entry)),
        )


def environment(python: str, system: str) -> dict[str, str]:
    return {
        "python_version": python,
        "python_full_version": f"{python}.0",
        "sys_platform": system,
        "platform_system": SYSTEMS[system],
        "platform_python_implementation": "CPython",
        "implementation_name": "cpython",
    }


def wanted(lock: str) -> list[Requirement]:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
    requirements = list(project["project"]["dependencies"])
    if lock == "dev":
        requirements += project["dependency-groups"]["dev"]
    return [Requirement(text) for text in requirements]


@pytest.mark.parametrize("lock", ["run", "dev"])
@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("system", SYSTEMS)
def test_the_lock_satisfies_pyproject(lock: str, python: str, system: str) -> None:
    here = environment(python, system)
    locked = {
        pin.name: pin.version
        for pin in pins(lock)
        if pin.marker is None or pin.marker.evaluate(here)
    }
    for requirement in wanted(lock):
        if requirement.marker is None or requirement.marker.evaluate(here):
            version = locked[canonicalize_name(requirement.name)]
            assert requirement.specifier.contains(version), f"{requirement}: run packaging/lock.py"


def test_the_tests_use_the_versions_that_users_get() -> None:
    def as_set(lock: str) -> set[tuple[str, str]]:
        return {(pin.name, pin.version) for pin in pins(lock)}

    assert as_set("run") <= as_set("dev")


def test_bundles_are_made_of_the_versions_that_are_tested() -> None:
    tested = {pin.name: pin.version for pin in pins("run")}
    assert all(tested.get(pin.name, pin.version) == pin.version for pin in pins("build"))


@pytest.mark.parametrize("lock", ["run", "dev", "build"])
def test_every_pin_has_hashes(lock: str) -> None:
    assert all(pin.hashes for pin in pins(lock))


@pytest.mark.parametrize("lock", ["run", "dev", "build"])
def test_no_lock_names_an_index(lock: str) -> None:
    text = (CHECKOUT / "packaging" / "locks" / f"{lock}.txt").read_text(encoding="utf-8")
    assert "://" not in text
    assert "--index-url" not in text
    assert "--find-links" not in text
