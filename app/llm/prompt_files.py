"""The prompt files: one Markdown file for each task of a model, with a header.

A file is a header between two lines of `---`, then a section `# System` and one `# User`:

    ---
    task: scene_recap
    version: 1
    inputs: messages, tokens
    output: JSON object {"name", "recap"}
    max_output_tokens: 2048
    ---

`{{name}}` stands for an input. It is replaced as it is: nothing inside the replaced text is read
again, and no sign in it has a meaning. The system section holds what stays the same from call to
call, so that a server can keep it; what changes most stands last in the user section.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from app.errors import PromptUnusable
from app.paths import RESOURCES
from app.story.messages import combined_digest

SHIPPED = RESOURCES / "prompts"
TASKS = ("scene_recap", "running_recap", "detect_breaks", "message_recap")
HEADER_KEYS = frozenset({"task", "version", "inputs", "output", "max_output_tokens"})
PLACEHOLDER = re.compile(r"\{\{\s{0,8}([A-Za-z_][A-Za-z0-9_]{0,60})\s{0,8}\}\}")
SECTION = re.compile(r"^#[ \t]+(system|user)[ \t]*$", re.IGNORECASE | re.MULTILINE)
LARGEST_FILE = 200_000


@dataclass(frozen=True, slots=True)
class Prompt:
    """One task's prompt. digest: of its whole file; another digest writes other texts."""

    task: str
    version: str
    inputs: frozenset[str]
    output: str
    max_output_tokens: int
    system: str
    user: str
    digest: str

    def render(self, inputs: Mapping[str, str]) -> tuple[str, str]:
        """System and user text. Raises PromptUnusable when an input is missing or unknown."""
        given = frozenset(inputs)
        if given != self.inputs:
            names = ", ".join(sorted(given ^ self.inputs))
            raise PromptUnusable(f"The prompt {self.task} and its task disagree about: {names}.")
        return _filled(self.system, inputs), _filled(self.user, inputs)


@dataclass(frozen=True, slots=True)
class Prompts:
    """The prompts of all tasks."""

    by_task: Mapping[str, Prompt]

    def __getitem__(self, task: str) -> Prompt:
        return self.by_task[task]

    @property
    def version(self) -> str:
        """Short digest of all files together."""
        return combined_digest(*(self.by_task[task].digest for task in sorted(self.by_task)))[:12]


def load_prompts(user_dir: Path | None = None, shipped_dir: Path = SHIPPED) -> Prompts:
    """Read all prompts; a file of the same name in `user_dir` replaces the shipped one.

    Raises PromptUnusable. A user's file may leave inputs out; it cannot have others than the
    shipped one.
    """
    prompts: dict[str, Prompt] = {}
    for task in TASKS:
        shipped = read_prompt(shipped_dir / f"{task}.md", task)
        prompts[task] = shipped
        own = user_dir / f"{task}.md" if user_dir is not None else None
        if own is not None and own.is_file():
            prompts[task] = _adapted(read_prompt(own, task), shipped, own)
    return Prompts(prompts)


def read_prompt(path: Path, task: str) -> Prompt:
    """Read one file. Raises PromptUnusable."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise PromptUnusable(f"The prompt file {path.name} is too large.")
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise PromptUnusable(f"The prompt file {path.name} cannot be read.") from error
    return parse_prompt(text, task)


def parse_prompt(text: str, task: str) -> Prompt:
    """Read the text of a prompt file. Raises PromptUnusable."""
    text = text.replace("\r\n", "\n")
    header, body = _split_header(text, task)
    if header["task"] != task:
        raise PromptUnusable(f"The prompt file {task}.md is for another task: {header['task']}.")
    sections = _sections(body, task)
    inputs = frozenset(name.strip() for name in header["inputs"].split(",") if name.strip())
    used = frozenset(PLACEHOLDER.findall(sections["system"] + sections["user"]))
    if used != inputs:
        names = ", ".join(sorted(used ^ inputs))
        raise PromptUnusable(f"Header and text of the prompt {task} disagree about: {names}.")
    try:
        max_output_tokens = int(header["max_output_tokens"])
    except ValueError:
        max_output_tokens = 0
    if not 16 <= max_output_tokens <= 65_536:
        raise PromptUnusable(f"max_output_tokens of the prompt {task} has to be 16 to 65536.")
    return Prompt(
        task=task,
        version=header["version"],
        inputs=inputs,
        output=header["output"],
        max_output_tokens=max_output_tokens,
        system=sections["system"],
        user=sections["user"],
        digest=combined_digest(text),
    )


def _adapted(own: Prompt, shipped: Prompt, path: Path) -> Prompt:
    unknown = own.inputs - shipped.inputs
    if unknown:
        names = ", ".join(sorted(unknown))
        raise PromptUnusable(f"Your prompt file {path.name} asks for unknown inputs: {names}.")
    return own


def _split_header(text: str, task: str) -> tuple[dict[str, str], str]:
    lines = text.split("\n")
    if lines[0].strip() != "---" or "---" not in (line.strip() for line in lines[1:40]):
        raise PromptUnusable(f"The prompt {task} has no header between two lines of ---.")
    end = next(i for i, line in enumerate(lines[1:], 1) if line.strip() == "---")
    header: dict[str, str] = {}
    for line in lines[1:end]:
        key, colon, value = line.partition(":")
        if colon and not line.lstrip().startswith("#"):
            header[key.strip()] = value.strip()
    missing = HEADER_KEYS - header.keys()
    if missing:
        names = ", ".join(sorted(missing))
        raise PromptUnusable(f"The header of the prompt {task} lacks: {names}.")
    return header, "\n".join(lines[end + 1 :])


def _sections(body: str, task: str) -> dict[str, str]:
    heads = list(SECTION.finditer(body))
    if [head[1].lower() for head in heads] != ["system", "user"]:
        raise PromptUnusable(f"The prompt {task} needs one section System, then one section User.")
    system = body[heads[0].end() : heads[1].start()].strip()
    user = body[heads[1].end() :].strip()
    return {"system": system, "user": user}


def _filled(template: str, inputs: Mapping[str, str]) -> str:
    return PLACEHOLDER.sub(lambda found: inputs[found[1]], template)
