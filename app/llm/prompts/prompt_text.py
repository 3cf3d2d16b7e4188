"""What of a prompt is edited, what is wrong with it, and the file that it makes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches

from app.core.translation import number, tr
from app.llm.prompts.prompt_files import LARGEST_FILE, PLACEHOLDER, SECTION, Prompt

BRACES = re.compile(r"\{\{[^{}\"\n]{0,80}\}\}")
LEAST_TOKENS, MOST_TOKENS = 16, 65_536


@dataclass(frozen=True, slots=True)
class PromptText:
    """system: what stays the same from call to call. user: what changes, with inputs. Both are
    without white space at their ends once they are in a file.
    """

    system: str
    user: str
    max_output_tokens: int

    @property
    def inputs(self) -> tuple[str, ...]:
        """What it asks for, by name."""
        return tuple(sorted(set(PLACEHOLDER.findall(f"{self.system}\n{self.user}"))))

    def is_as(self, other: PromptText) -> bool:
        """Whether a model would see the same."""
        return _bare(self) == _bare(other)


@dataclass(frozen=True, slots=True)
class Findings:
    """problem: why the text cannot be used, "" when it can. remarks: what may not be meant so.

    Each is a sentence.
    """

    problem: str = ""
    remarks: tuple[str, ...] = ()


def text_of(prompt: Prompt) -> PromptText:
    """What of a prompt is edited."""
    return PromptText(prompt.system, prompt.user, prompt.max_output_tokens)


def file_of(text: PromptText, shipped: Prompt) -> str:
    """The file of an own prompt; everything in its header but the size is ours."""
    return (
        f"---\ntask: {shipped.task}\ntitle: {shipped.title}\nversion: {shipped.version}\n"
        f"inputs: {', '.join(text.inputs)}\noutput: {shipped.output}\n"
        f"max_output_tokens: {text.max_output_tokens}\n---\n\n"
        f"# System\n{text.system.strip()}\n\n# User\n{text.user.strip()}\n"
    )


def findings(text: PromptText, shipped: Prompt) -> Findings:
    """Look a text over as it is written."""
    problem = _problem(text, shipped)
    if problem:
        return Findings(problem)
    about = dict(shipped.about)
    remarks = []
    for name in sorted(shipped.inputs - set(text.inputs)):
        told = about.get(name, "")
        if told:
            remarks.append(
                tr(
                    "{input} is missing, so the model is not told: {what}",
                    input=_shown(name),
                    what=_begun(tr(told)),
                )
            )
        else:
            remarks.append(tr("{input} is missing.", input=_shown(name)))
    whole = f"{text.system}\n{text.user}"
    remarks += [
        tr("{odd} is not the name of an input and is sent as it is.", odd=odd)
        for odd in dict.fromkeys(BRACES.findall(whole))
        if not PLACEHOLDER.fullmatch(odd)
    ]
    if PLACEHOLDER.search(text.system) and not PLACEHOLDER.search(shipped.system):
        remarks.append(
            tr(
                "An input in the upper part changes it with each request, so servers that cache "
                "the unchanged part have to read everything again."
            )
        )
    return Findings("", tuple(remarks))


def _problem(text: PromptText, shipped: Prompt) -> str:
    unknown = sorted(set(text.inputs) - shipped.inputs)
    if unknown:
        near = get_close_matches(unknown[0], sorted(shipped.inputs), n=1, cutoff=0.5)
        names = tr(" and ").join(map(_shown, unknown[:3]))
        if near and len(unknown) == 1:
            return tr(
                "This task has no input {name}. Did you mean {near}?",
                name=names,
                near=_shown(near[0]),
            )
        if len(unknown) == 1:
            return tr(
                "This task has no input {name}. It has {inputs}.",
                name=names,
                inputs=_listed(shipped),
            )
        return tr(
            "This task has no inputs {names}. It has {inputs}.",
            names=names,
            inputs=_listed(shipped),
        )
    if not text.user.strip():
        return tr("The lower part is empty: the model would be asked nothing.")
    # As they stand in the file: a heading counts at the beginning of a line only.
    heading = SECTION.search(text.system.strip()) or SECTION.search(text.user.strip())
    if heading is not None:
        return tr(
            "A line that says only “{heading}” splits the file. Write it differently.",
            heading=heading[0].strip(),
        )
    if not LEAST_TOKENS <= text.max_output_tokens <= MOST_TOKENS:
        return tr(
            "The longest answer must be {least} to {most} tokens.",
            least=LEAST_TOKENS,
            most=number(MOST_TOKENS),
        )
    if any("\ud800" <= sign <= "\udfff" for sign in text.system + text.user):
        return tr("The text contains characters that cannot be saved.")
    if len(text.system) + len(text.user) > LARGEST_FILE // 4:
        return tr(
            "The text is too long: {most} characters at most.", most=number(LARGEST_FILE // 4)
        )
    return ""


def _bare(text: PromptText) -> tuple[str, str, int]:
    return text.system.strip(), text.user.strip(), text.max_output_tokens


def _shown(name: str) -> str:
    return f"{{{{{name}}}}}"


def _listed(shipped: Prompt) -> str:
    names = [_shown(name) for name in sorted(shipped.inputs)]
    return (
        tr(" and ").join(filter(None, (", ".join(names[:-1]), names[-1]))) if names else tr("none")
    )


def _begun(sentence: str) -> str:
    """A sentence, to stand in the middle of another."""
    return sentence[:1].lower() + sentence[1:] if sentence else "it."
