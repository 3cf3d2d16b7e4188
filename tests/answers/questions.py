"""The questions of a labelled story, and whether a text holds what answers them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Question:
    """One question that somebody could ask after a message of the story.

    place: index of that message. keywords: in small letters; a text that holds all answers it.
    """

    place: int
    text: str
    answer: str
    keywords: tuple[str, ...]
    kind: str

    def is_answered_by(self, text: str) -> bool:
        """Whether all keywords stand in the text."""
        folded = text.casefold()
        return all(keyword in folded for keyword in self.keywords)


def questions_of(story: Mapping[str, Any]) -> tuple[Question, ...]:
    """The questions that have an answer in the story, in the order in which they can be asked."""
    found = (
        Question(
            one["ask_after"],
            one["q"],
            one["a"],
            tuple(keyword.casefold() for keyword in one["answer_keywords"]),
            one["kind"],
        )
        for one in story["gold"].get("qa", ())
    )
    return tuple(sorted((q for q in found if q.keywords), key=lambda q: q.place))


def told(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """Messages as a prompt shows them; notices are in none."""
    return [f"{m['name']}: {m['mes']}" for m in messages if m["kind"] != "system"]
