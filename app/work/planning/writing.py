"""Who writes: the part of an operation's identity that is not the story's. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.core.operations import OperationKind
from app.story.messages import combined_digest


@dataclass(frozen=True, slots=True)
class Writing:
    """Who writes: the part of an operation's identity that is not the story's.

    spec: backend. prompt_version: as the writer says it. is_free: costs no request.
    context_tokens: of the model, None while unknown. versions: prompt versions of single kinds of
    work, in place of prompt_version. reasoning_tokens: before an answer, as seen so far.
    write_speed: tokens a second in a test of the model, None where it was not tested.
    others: who writes kinds of work that the user gave to another model. folds_beside: see
    RecapWriter.
    """

    spec: str
    prompt_version: str
    is_free: bool
    context_tokens: int | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    reasoning_tokens: int = 0
    write_speed: float | None = None
    others: Mapping[OperationKind, Writing] = field(default_factory=dict)
    folds_beside: bool = False

    def of(self, kind: OperationKind) -> Writing:
        """Who does this kind of work."""
        return self.others.get(kind, self)

    @property
    def asks_nobody(self) -> bool:
        """Whether no kind of work costs a request."""
        return self.is_free and all(other.is_free for other in self.others.values())

    @property
    def specs(self) -> str:
        """The backends of all kinds of work; that of one for everything as it is."""
        others = [f"{kind}={other.spec}" for kind, other in sorted(self.others.items())]
        return "|".join((self.spec, *others))

    def version_of(self, work: str) -> str:
        """Prompt version of one kind of work: a prompt that it does not need does not count."""
        return self.versions.get(work, self.prompt_version)

    def key(self, kind: OperationKind, *inputs: str) -> str:
        """Idempotency key: kind, inputs, backend and prompt version (design.md, decision 5)."""
        by = self.of(kind)
        return combined_digest(kind.value, by.spec, by.version_of(kind.value), *inputs)
