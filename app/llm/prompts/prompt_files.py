"""The prompt files: one Markdown file for each task of a model, with a header.

A file is a header between two lines of `---`, then a section `# System` and one `# User`:

    ---
    task: scene_recap
    title: Recap of a scene
    version: 1
    inputs: messages, tokens
    output: JSON object {"name", "recap"}
    max_output_tokens: 2048
    purpose: Recaps a scene when it has ended.
    input messages: The scene.
    ---

What it is for and what each input holds are told to whoever edits it, never to a model. A user's
own file need not say it, and may say `based_on: VERSION DIGEST`: which of ours it was made from.

`{{name}}` stands for an input. It is replaced as it is: nothing inside the replaced text is read
again, and no sign in it has a meaning. Only a tag that the prompt itself sets around an input, such
as <messages>, is shown with other signs where an input holds it: no text of a story may end its
own part of the prompt. The system section holds what stays the same from call to
call, so that a server can keep it; what changes most stands last in the user section.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from app.core.errors import PromptUnusable
from app.core.resources import RESOURCES
from app.core.translation import tr
from app.memory.records import Tier
from app.memory.tiers.table import TIERS
from app.story.messages import combined_digest

SHIPPED = RESOURCES / "prompts"
STAGES = ("scene_extract", "scene_organise", "scene_filter", "scene_lore")
DOUBTFUL_BREAKS = "doubtful_breaks"
SCENE_AND_FOLD = "scene_and_fold"  # a scene's recap and an earlier fold with one request
MEMORY_PASS = "memory_pass"  # all kinds of memory with one request
MEMORY_TASKS = tuple(TIERS[tier].prompt for tier in Tier)
RECONCILIATION_TASKS = ("memory_question", "memory_consolidation")  # of what a pass claims
# Longer texts that are made of memories, and keywords for them.
DOCUMENT_TASKS = tuple(
    f"memory_{kind}"
    for kind in (
        *("summary", "triggers", "arc_summary", "profile", "canon"),
        *("continuity", "repair", "away", "upkeep"),
    )
)
TASKS = (
    *("scene_recap", "running_recap", SCENE_AND_FOLD, "detect_breaks", DOUBTFUL_BREAKS),
    *("message_recap", *STAGES),
    *(MEMORY_PASS, *MEMORY_TASKS, *RECONCILIATION_TASKS, *DOCUMENT_TASKS),
)
STAGED_RECAP = "staged_recap"
# What each kind of work asks for: a changed prompt makes anew what it writes, and nothing else.
TASKS_OF = {
    # A long scene's parts are merged.
    "scene_recap": ("scene_recap", "running_recap", SCENE_AND_FOLD),
    "running_recap": ("running_recap",),
    "detect_breaks": ("detect_breaks",),
    DOUBTFUL_BREAKS: (DOUBTFUL_BREAKS,),
    "message_recap": ("message_recap",),
    STAGED_RECAP: STAGES,
    MEMORY_PASS: (MEMORY_PASS, *MEMORY_TASKS, *RECONCILIATION_TASKS),
    **{
        kind: (f"memory_{kind}",)
        for kind in ("summary", "triggers", "arc_summary", "profile", "canon", "upkeep")
    },
    "continuity": ("memory_continuity", "memory_repair"),
}
ABOUT = "input "  # begins the key of a line that explains an input
HEADER_KEYS = frozenset({"task", "version", "inputs", "output", "max_output_tokens"})
PLACEHOLDER = re.compile(r"\{\{\s{0,8}([A-Za-z_][A-Za-z0-9_]{0,60})\s{0,8}\}\}")
SECTION = re.compile(r"^#[ \t]+(system|user)[ \t]*$", re.IGNORECASE | re.MULTILINE)
TAG = re.compile(r"^</?([a-z_]{1,40})>$", re.MULTILINE)  # around an input
LARGEST_FILE = 200_000
LONGEST_HEADER = 40  # lines


@dataclass(frozen=True, slots=True)
class Prompt:
    """One task's prompt.

    digest: of all that a model sees of it; another digest writes other texts. based_on: version
    and digest of the shipped one that a user's was made from, "" when that is not known. purpose:
    one sentence on when it is used. about: each input that the header explains, and its sentence.
    is_own: the user's, which may ask for something else than ours.
    """

    task: str
    version: str
    inputs: frozenset[str]
    output: str
    max_output_tokens: int
    system: str
    user: str
    digest: str
    title: str = ""
    based_on: str = ""
    purpose: str = ""
    about: tuple[tuple[str, str], ...] = ()
    is_own: bool = False

    @property
    def mark(self) -> str:
        """What an own file says that it was made from when it was made from this one."""
        return f"{self.version} {self.digest[:16]}"

    def render(self, inputs: Mapping[str, str]) -> tuple[str, str]:
        """System and user text. Raises PromptUnusable when an input is missing or unknown."""
        given = frozenset(inputs)
        if given != self.inputs:
            names = ", ".join(sorted(given ^ self.inputs))
            raise PromptUnusable(
                tr(
                    "The prompt {task} does not match its task: {names}.",
                    task=self.task,
                    names=names,
                )
            )
        tags = frozenset(TAG.findall(f"{self.system}\n{self.user}"))
        shown = {name: _without_tags(text, tags) for name, text in inputs.items()}
        return _filled(self.system, shown), _filled(self.user, shown)


@dataclass(frozen=True, slots=True)
class Prompts:
    """The prompts of all tasks. problems: sentences on the user's files that were passed over."""

    by_task: Mapping[str, Prompt]
    problems: tuple[str, ...] = ()

    def __getitem__(self, task: str) -> Prompt:
        return self.by_task[task]

    @property
    def version(self) -> str:
        """Short digest of all prompts together."""
        return self._version_of(sorted(self.by_task))

    @property
    def versions(self) -> dict[str, str]:
        """The same of those prompts that each kind of work needs."""
        return {work: self._version_of(tasks) for work, tasks in TASKS_OF.items()}

    def _version_of(self, tasks: Iterable[str]) -> str:
        return combined_digest(*(self.by_task[task].digest for task in tasks))[:12]


def load_prompts(user_dir: Path | None = None, shipped_dir: Path = SHIPPED) -> Prompts:
    """Read all prompts; a usable file of the same name in `user_dir` replaces the shipped one.

    A user's file may leave inputs out; it cannot have others than the shipped one. Raises
    PromptUnusable for a shipped file only: where a user's cannot be used, ours is.
    """
    prompts: dict[str, Prompt] = {}
    problems = list[str]()
    for task in TASKS:
        shipped = read_prompt(shipped_dir / f"{task}.md", task)
        prompts[task] = shipped
        own = user_dir / f"{task}.md" if user_dir is not None else None
        if own is not None and own.is_file():
            try:
                prompts[task] = replace(adapted(read_prompt(own, task), shipped), is_own=True)
            except PromptUnusable as error:
                problems.append(tr("{error} The original is used.", error=error))
    return Prompts(prompts, tuple(problems))


def read_prompt(path: Path, task: str) -> Prompt:
    """Read one file. Raises PromptUnusable."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise PromptUnusable(tr("The prompt file {name} is too large.", name=path.name))
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise PromptUnusable(
            tr("The prompt file {name} cannot be read.", name=path.name)
        ) from error
    return parse_prompt(text, task)


def parse_prompt(text: str, task: str) -> Prompt:
    """Read the text of a prompt file. Raises PromptUnusable."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    header, body = _split_header(text, task)
    if header["task"] != task:
        raise PromptUnusable(
            tr(
                "The prompt file {task}.md is for another task: {other}.",
                task=task,
                other=header["task"],
            )
        )
    sections = _sections(body, task)
    inputs = frozenset(name.strip() for name in header["inputs"].split(",") if name.strip())
    used = frozenset(PLACEHOLDER.findall(sections["system"] + sections["user"]))
    if used != inputs:
        names = ", ".join(sorted(used ^ inputs))
        raise PromptUnusable(
            tr(
                "The header and the text of the prompt {task} do not match: {names}.",
                task=task,
                names=names,
            )
        )
    try:
        max_output_tokens = int(header["max_output_tokens"])
    except ValueError:
        max_output_tokens = 0
    if not 16 <= max_output_tokens <= 65_536:
        raise PromptUnusable(
            tr("max_output_tokens of the prompt {task} must be 16 to 65536.", task=task)
        )
    return Prompt(
        task=task,
        version=header["version"],
        inputs=inputs,
        output=header["output"],
        max_output_tokens=max_output_tokens,
        system=sections["system"],
        user=sections["user"],
        digest=combined_digest(
            header["version"], str(max_output_tokens), sections["system"], sections["user"]
        ),
        title=header.get("title") or task,
        based_on=header.get("based_on", ""),
        purpose=header.get("purpose", ""),
        about=tuple(
            (key.removeprefix(ABOUT).strip(), value)
            for key, value in header.items()
            if key.startswith(ABOUT)
        ),
    )


def adapted(own: Prompt, shipped: Prompt) -> Prompt:
    """A user's prompt, if it asks for nothing that there is not. Raises PromptUnusable."""
    unknown = own.inputs - shipped.inputs
    if unknown:
        names = ", ".join(sorted(unknown))
        raise PromptUnusable(
            tr(
                "Your prompt file {task}.md asks for unknown inputs: {names}.",
                task=own.task,
                names=names,
            )
        )
    return own


def based_on(text: str, shipped: Prompt) -> str:
    """The text of an own file, noting in its header that it was made from this shipped prompt.

    Raises PromptUnusable where there is no header.
    """
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    end = _header_end(lines, shipped.task)
    header = [line for line in lines[1:end] if line.partition(":")[0].strip() != "based_on"]
    return "\n".join([lines[0], *header, f"based_on: {shipped.mark}", *lines[end:]])


def _split_header(text: str, task: str) -> tuple[dict[str, str], str]:
    lines = text.split("\n")
    end = _header_end(lines, task)
    header: dict[str, str] = {}
    for line in lines[1:end]:
        key, colon, value = line.partition(":")
        if colon and not line.lstrip().startswith("#"):
            header[key.strip()] = value.strip()
    missing = HEADER_KEYS - header.keys()
    if missing:
        names = ", ".join(sorted(missing))
        raise PromptUnusable(
            tr("The header of the prompt {task} is missing: {names}.", task=task, names=names)
        )
    return header, "\n".join(lines[end + 1 :])


def _header_end(lines: Sequence[str], task: str) -> int:
    """Index of the line that ends the header."""
    ends = [i for i, line in enumerate(lines[:LONGEST_HEADER]) if i and line.strip() == "---"]
    if lines[0].strip() != "---" or not ends:
        raise PromptUnusable(
            tr("The prompt {task} has no header between two lines of ---.", task=task)
        )
    return ends[0]


def _sections(body: str, task: str) -> dict[str, str]:
    heads = list(SECTION.finditer(body))
    if [head[1].lower() for head in heads] != ["system", "user"]:
        raise PromptUnusable(
            tr("The prompt {task} needs one section System, then one section User.", task=task)
        )
    system = body[heads[0].end() : heads[1].start()].strip()
    user = body[heads[1].end() :].strip()
    return {"system": system, "user": user}


def _without_tags(text: str, tags: frozenset[str]) -> str:
    """The text without these tags, opening or closing, in any spelling that a model takes so."""
    if not tags or "<" not in text:
        return text
    spelled = "|".join(sorted(tags))
    return re.sub(rf"<(\s{{0,4}}/?\s{{0,4}}(?:{spelled})\s{{0,4}})>", r"‹\1›", text, flags=re.I)


def _filled(template: str, inputs: Mapping[str, str]) -> str:
    return PLACEHOLDER.sub(lambda found: inputs[found[1]], template)
