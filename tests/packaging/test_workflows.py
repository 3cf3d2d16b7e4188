"""What the workflows promise is what the checkout has; that they are well-formed a linter says."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((CHECKOUT / ".github" / "workflows").glob("*.yml"))
TESTS = CHECKOUT / ".github" / "workflows" / "tests.yml"
RELEASE = CHECKOUT / ".github" / "workflows" / "release.yml"


def jobs_of(workflow: Path) -> dict[str, str]:
    """The text of each job by its name."""
    _, _, jobs = workflow.read_text(encoding="utf-8").partition("\njobs:\n")
    parts = re.split(r"^  ([\w-]+):\n", jobs, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_every_python_that_the_project_promises_is_tested_on_every_system() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["requires-python"] == ">=3.11,<3.15"
    test = jobs_of(TESTS)["test"]
    assert 'python: ["3.11", "3.12", "3.13", "3.14"]' in test
    [systems] = re.findall(r"system: \[(.*)\]", test)
    assert [name.strip().split("-")[0] for name in systems.split(",")] == [
        "ubuntu",
        "windows",
        "macos",
    ]
    assert "fail-fast: false" in test


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_what_a_workflow_runs_is_there(workflow: Path) -> None:
    text = workflow.read_text(encoding="utf-8")
    scripts = re.findall(r"python (packaging/\S+\.py) (\w+)", text)
    assert scripts or workflow == RELEASE
    usage = (CHECKOUT / "packaging" / "bootstrap.py").read_text(encoding="utf-8")
    for script, command in scripts:
        assert (CHECKOUT / script).is_file()
        assert f"bootstrap.py {command}" in usage


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_may_do_no_more_than_it_needs(workflow: Path) -> None:
    """It reads unless a job says more, ends by itself, and uses no moving version."""
    text = workflow.read_text(encoding="utf-8")
    assert "\npermissions:\n  contents: read\n" in text
    assert "-latest" not in text
    for use in re.findall(r"uses: (\S+)", text):
        assert re.fullmatch(r"actions/[\w-]+@v\d+", use)
    for job in jobs_of(workflow).values():
        assert "timeout-minutes:" in job
        # What others wrote, such as a tag's name, must not become a part of a command.
        for command in re.findall(r"^ +run: (?:[|>].*\n(?: {10,}.*\n)*|.*\n)", job, re.MULTILINE):
            assert "${{" not in command


def test_what_is_released_can_be_checked() -> None:
    jobs = jobs_of(RELEASE)
    for name in ("bundle", "wheel"):
        assert "attest-build-provenance@" in jobs[name]
        assert "id-token: write" in jobs[name]
        assert "attestations: write" in jobs[name]
    assert "SHA256SUMS" in jobs["publish"]
    assert "contents: write" in jobs["publish"]
    assert "--draft" in jobs["publish"]
