"""Tries a model on the tasks of memory, with scenes of which it is known what is in them.

Spec: smart-memory.md §18, MTEST. Every tier is tried whatever the settings say, one request each;
nothing of it is kept.
"""

from __future__ import annotations

import asyncio
import re
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from app.core.errors import BackendError
from app.core.resources import RESOURCES
from app.core.translation import N_, number, tr, trn
from app.llm.writers.memory_model import MemoryModel
from app.memory.entities.name_finder import bare
from app.memory.reading.answers import read_answer
from app.memory.reading.extraction import grounded
from app.memory.reading.known import NOTHING, line_of
from app.memory.records import EPISTEMIC_TYPES, Memory, Tier
from app.memory.similarity import jaccard
from app.memory.tiers.claims import Claim, ReadAnswer
from app.memory.tiers.table import TIERS
from app.views.memory_trial import ORDER, MemoryTrial, TierTrial, TrialScene

SCENES = RESOURCES / "model_test.toml"
WANTED: Mapping[Tier, tuple[int, int]] = {  # entries, at least and at most
    Tier.LONG_TERM: (5, 20),
    Tier.SESSION: (4, 20),
    Tier.ARCS: (3, 5),
    Tier.STATE_LEDGER: (4, 16),
    Tier.EPISTEMIC: (5, 16),
}
HINTS: Mapping[Tier, str] = {  # what a good answer holds
    Tier.LONG_TERM: N_(
        "At least five lasting facts, bonds and events; nothing that is still open is reported "
        "as done."
    ),
    Tier.SESSION: N_(
        "At least four details of this evening: what changed hands, who said what, what could be "
        "seen."
    ),
    Tier.ARCS: N_("Three or four open threads. Nothing here is resolved."),
    Tier.STATE_LEDGER: N_(
        "Only what is visible: nothing of Captain Varro, nothing of the Ashen Court, and never "
        '"unknown".'
    ),
    Tier.EPISTEMIC: N_(
        "Most of the five kinds: Maelis knows and hides, Tamsin suspects, Brida believes and is "
        "unaware, Denning hides."
    ),
}
TIER_SECONDS = 240.0
SAME_PROPOSITION = 0.5
ABSENT = ("Captain Varro", "the Ashen Court")  # shown as names, and with no state in the scene
PLACEHOLDER = re.compile(
    r"=\s*(?:unknown|none(?: mentioned)?|not (?:mentioned|specified|applicable)|n/?a|unspecified)"
    r"\s*(?=$|[|\]])",
    re.IGNORECASE | re.MULTILINE,
)


async def try_memory(
    model: MemoryModel,
    on_result: Callable[[TierTrial], None] | None = None,
    *,
    seconds: float = TIER_SECONDS,
) -> MemoryTrial:
    """Try each tier in turn; one that fails ends nothing. on_result hears each as it is done.

    seconds: for one answer. Cancelling ends it at once; what was heard stays true.
    """
    done = []
    for tier in ORDER:
        trial = await _tried(model, tier, seconds)
        done.append(trial)
        if on_result is not None:
            on_result(trial)
    return MemoryTrial(model.label, tuple(done))


async def _tried(model: MemoryModel, tier: Tier, seconds: float) -> TierTrial:
    scene, hint = trial_scene(ORDER[tier]), HINTS[tier]
    inputs = {"window": scene.window.text, "known": scene.known or NOTHING, "new_from": "1"}
    began = time.monotonic()

    def failed(sentence: str) -> TierTrial:
        took = time.monotonic() - began
        return TierTrial(tier, hint, scene, seconds=took, remarks=(sentence,), error=sentence)

    try:
        async with asyncio.timeout(seconds):
            answer = await model.answer(TIERS[tier].prompt, inputs)
    except TimeoutError:
        return failed(tr("No answer within {n} seconds.", n=number(seconds)))
    except BackendError as error:
        return failed(str(error))
    took = time.monotonic() - began
    read = read_answer(answer.text, (tier,))
    score, remarks = rated(tier, read, answer.text, scene)
    if answer.truncated:
        remarks = (*remarks, tr("The answer was longer than allowed."))
    return TierTrial(
        tier,
        hint,
        scene,
        raw=answer.text,
        reasoning_characters=len(answer.reasoning),
        items=tuple(map(_shown, read.claims)) + tuple(e.text or e.field for e in read.ends),
        skipped=read.skipped,
        seconds=took,
        prompt_tokens=answer.prompt_tokens or 0,
        output_tokens=answer.output_tokens or 0,
        score=score,
        remarks=remarks,
    )


def rated(
    tier: Tier, answer: ReadAnswer, raw: str, scene: TrialScene
) -> tuple[float, tuple[str, ...]]:
    """A score from 0 to 1 and why it is not 1. Each fault takes its share; none cancels another."""
    claims, window = answer.claims, scene.window
    if not claims:
        return 0.0, (tr("Nothing in the answer has the requested form."),)
    shares: list[float] = []
    remarks: list[str] = []

    def take(share: float, remark: str) -> None:
        shares.append(share)
        if share < 1:
            remarks.append(remark)

    lines = len(claims) + len(answer.ends) + len(answer.skipped)
    parsed = 1 - len(answer.skipped) / lines
    unread = tr("{n} of {lines} lines could not be read.", n=len(answer.skipped), lines=lines)
    take(parsed, unread)
    least, most = WANTED[tier]
    count = len(claims)
    wanted = trn(
        "{n} entry; {least} to {most} would be good.",
        "{n} entries; {least} to {most} would be good.",
        count,
        least=least,
        most=most,
    )
    take(min(1.0, count / least, most / count), wanted)
    firm = sum(not grounded(claim, window)[1] for claim in claims)
    loose = trn(
        "{n} entry does not name its source.",
        "{n} entries do not name their source.",
        count - firm,
    )
    take(firm / count, loose)
    for share, remark in _FAULTS.get(tier, _no_faults)(answer, raw):
        take(share, remark)
    score = 1.0
    for share in shares:
        score *= share
    return round(score, 3), tuple(remarks)


Faults = Iterator[tuple[float, str]]


def _no_faults(answer: ReadAnswer, raw: str) -> Faults:
    yield from ()


def _arc_faults(answer: ReadAnswer, raw: str) -> Faults:
    resolved = len(answer.ends)
    said = trn(
        "{n} thread is reported as resolved, but none is.",
        "{n} threads are reported as resolved, but none is.",
        resolved,
    )
    yield 1 / (1 + resolved), said


def _ledger_faults(answer: ReadAnswer, raw: str) -> Faults:
    empty = len(PLACEHOLDER.findall(raw))
    said = trn(
        "{n} value says nothing, like “unknown”.",
        "{n} values say nothing, like “unknown”.",
        empty,
    )
    yield 0.0 if empty else 1.0, said
    named = {bare(claim.subject) for claim in answer.claims}
    absent = [name for name in ABSENT if bare(name) in named]
    placed = tr("It gives a state to {names}, who has none here.", names=", ".join(absent))
    yield 1 / (1 + len(absent)), placed


def _epistemic_faults(answer: ReadAnswer, raw: str) -> Faults:
    kinds = {claim.type for claim in answer.claims}
    missing = [kind for kind in EPISTEMIC_TYPES if kind not in kinds]
    said = tr("Nothing about {kinds}.", kinds=", ".join(missing))
    yield 1 - len(missing) / len(EPISTEMIC_TYPES), said
    confused = sum(_is_known_to(hidden, answer.claims) for hidden in answer.claims)
    said = trn(
        "{n} secret is hidden from somebody who knows it.",
        "{n} secrets are hidden from somebody who knows them.",
        confused,
    )
    yield 1 / (1 + confused), said


def _is_known_to(hidden: Claim, claims: Sequence[Claim]) -> bool:
    return hidden.type == "hiding" and any(
        claim.type == "knows"
        and bare(claim.subject) == bare(hidden.target)
        and jaccard(claim.text, hidden.text) >= SAME_PROPOSITION
        for claim in claims
    )


_FAULTS: Mapping[Tier, Callable[[ReadAnswer, str], Faults]] = {
    Tier.ARCS: _arc_faults,
    Tier.STATE_LEDGER: _ledger_faults,
    Tier.EPISTEMIC: _epistemic_faults,
}


def _shown(claim: Claim) -> str:
    """An entry as lists of memories show it."""
    return line_of(
        Memory(
            "",
            0,
            claim.tier,
            claim.type,
            claim.text,
            subject=claim.subject,
            target=claim.target,
            field=claim.field,
            magnitude=claim.magnitude,
        )
    )


def trial_scene(name: str) -> TrialScene:
    """One of the scenes: main, epistemic or state."""
    data = _contents()[name]
    lines = tuple((speaker, text) for speaker, text in data["lines"])
    return TrialScene(data["title"], lines, data.get("known", ""))


@cache
def _contents(path: Path = SCENES) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))
