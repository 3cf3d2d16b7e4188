"""Models that were found, and how one did on a sample."""

from __future__ import annotations

from dataclasses import dataclass

from app.core.translation import N_, tr
from app.story.answers.refusals import is_refusal


@dataclass(frozen=True, slots=True)
class FoundModel:
    """A model that a server has. size_bytes: of its file, 0 where unknown."""

    name: str
    size_bytes: int = 0


# In the program's language, or nobody could tell from it how a model writes in theirs.
SAMPLE = N_(
    "The last ferry was gone, so Ada paid the miller two coins for a bed in the loft and asked "
    'him to wake her before the bell. "The road to Harrow is shut," he said. "You will need '
    'the ford." She hid the sealed letter under the straw and did not tell him about it.'
)

# Of a recap of the sample, in whichever language: at least one of these stands in it.
TOLD = ("ada", "harrow", "miller", "ferry", "letter", "müller", "fähre", "brief")
FEWEST_WORDS = 3
SLOW_SECONDS, SLOW_SPEED = 12.0, 5.0  # tokens a second


@dataclass(frozen=True, slots=True)
class ModelTrial:
    """How a model did on a sample. text: what it wrote, "" for nothing. error: a sentence, "" when
    all went well. seconds: how long it took. output_tokens: 0 where nobody counted.
    """

    text: str = ""
    seconds: float = 0.0
    error: str = ""
    output_tokens: int = 0

    @property
    def verdict(self) -> Verdict:
        """Whether what it wrote is usable as a recap, why not, and how fast it is."""
        return verdict_of(self)


@dataclass(frozen=True, slots=True)
class Verdict:
    """is_usable: as a recap. is_slow: it is, but long scenes take patience. sentence: all of it."""

    is_usable: bool
    is_slow: bool
    sentence: str


def verdict_of(trial: ModelTrial) -> Verdict:
    """What a trial comes to."""
    why = _fault_of(trial)
    if why:
        return Verdict(False, False, tr("Not usable: {why}", why=why))
    speed = trial.output_tokens / trial.seconds if trial.seconds and trial.output_tokens else None
    is_slow = bool(trial.error) or trial.seconds > SLOW_SECONDS
    is_slow = is_slow or (speed is not None and speed < SLOW_SPEED)
    if is_slow:
        return Verdict(True, True, tr("Usable as a recap, but slow: long scenes take minutes."))
    return Verdict(True, False, tr("Usable as a recap, and fast enough to play with."))


def _fault_of(trial: ModelTrial) -> str:
    """Why the text is no recap of the sample, "" where it is one."""
    text = " ".join(trial.text.split())
    if not text:
        return trial.error or tr("It wrote nothing.")
    if is_refusal(text):
        return tr("It refused to write about the scene.")
    if "<think" in text.casefold():
        return tr(
            "Its answer contains its reasoning. Enter its tags in the settings under “Usage of "
            "the model”."
        )
    if len(text.split()) < FEWEST_WORDS:
        return tr("It wrote next to nothing.")
    if not any(word in text.casefold() for word in TOLD):
        return tr("It does not tell the scene.")
    if len(text) >= len(tr(SAMPLE)):
        return tr("It is as long as the scene itself.")
    return ""
