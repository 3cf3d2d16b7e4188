"""Whether an answer is in another language than the text it was made from. Pure.

Small models fall back into the language that they were trained on most. Only what is certain
counts: an answer that is refused wrongly would cost the recap.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.story.scene_cues.language import LanguagePack, common_words, tokens_of

SAMPLE = 4000  # characters from each end of a text
FEWEST_LETTERS = 24  # to know a script by
FEWEST_COMMON = 6  # common words, to know a language by
SMALLEST_SHARE = 0.12  # common words of all words, in a language that is written
OTHERS_SHARE = 0.3  # of that, at most, in a text of another language
MOST_OF_ANOTHER_SCRIPT = 0.1

# Letters of these scripts; one ideograph says as much as two letters.
_SCRIPTS = {
    "latin": re.compile("[A-Za-z\u00c0-\u024f]"),
    "cyrillic": re.compile("[\u0400-\u04ff]"),
    "greek": re.compile("[\u0370-\u03ff]"),
    "hebrew": re.compile("[\u0590-\u05ff]"),
    "arabic": re.compile("[\u0600-\u06ff]"),
    "indic": re.compile("[\u0900-\u0dff]"),
    "thai": re.compile("[\u0e00-\u0e7f]"),
    "hangul": re.compile("[\uac00-\ud7af]"),
    "ideographs": re.compile("[\u3040-\u30ff\u3400-\u9fff]"),
}
_WEIGHTS = {"ideographs": 2, "hangul": 2}


def is_in_another_language(source: str, answer: str, packs: Sequence[LanguagePack]) -> bool:
    """Whether the answer is surely in another language than its source.

    By their scripts, else by the common words of the packs' languages; short texts are never sure.
    """
    source, answer = _ends_of(source), _ends_of(answer)
    return _differ_in_script(source, answer) or _differ_in_words(source, answer, packs)


def _differ_in_script(source: str, answer: str) -> bool:
    of_source, of_answer = _letters(source), _letters(answer)
    if min(sum(of_source.values()), sum(of_answer.values())) < FEWEST_LETTERS:
        return False
    written, answered = (max(of, key=lambda s: of[s]) for of in (of_source, of_answer))
    return (
        written != answered
        and of_source[answered] < MOST_OF_ANOTHER_SCRIPT * sum(of_source.values())
        and of_answer[written] < MOST_OF_ANOTHER_SCRIPT * sum(of_answer.values())
    )


def _differ_in_words(source: str, answer: str, packs: Sequence[LanguagePack]) -> bool:
    ours, theirs = _shares(source, packs), _shares(answer, packs)
    written, answered = _surest(ours), _surest(theirs)
    if written is None or answered is None or written == answered:
        return False
    return (
        ours[answered][1] < OTHERS_SHARE * ours[written][1]
        and theirs[written][1] < OTHERS_SHARE * theirs[answered][1]
    )


def _shares(text: str, packs: Sequence[LanguagePack]) -> list[tuple[int, float]]:
    """Of each pack's language: how many common words there are, and their share of all words."""
    tokens = tokens_of(text)
    return [(count, count / max(1, len(tokens))) for count in common_words(tokens, packs)]


def _surest(shares: Sequence[tuple[int, float]]) -> int | None:
    """Index of the language that a text is written in, None where that is not sure."""
    best = max(range(len(shares)), key=lambda index: shares[index], default=None)
    if best is None:
        return None
    count, share = shares[best]
    return best if count >= FEWEST_COMMON and share >= SMALLEST_SHARE else None


def _letters(text: str) -> dict[str, int]:
    return {
        name: len(script.findall(text)) * _WEIGHTS.get(name, 1) for name, script in _SCRIPTS.items()
    }


def _ends_of(text: str) -> str:
    return text if len(text) <= 2 * SAMPLE else f"{text[:SAMPLE]}\n{text[-SAMPLE:]}"
