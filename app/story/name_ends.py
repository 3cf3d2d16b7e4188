"""Where a name may end: behind a word that something can end with. Pure."""

from __future__ import annotations

# As they are written within a name; a capital is a name of its own, as in "Plan A".
_LEADING = frozenset(
    {"a", "an", "the", "of", "and", "or"}
    | {"ein", "eine", "einen", "einem", "einer", "eines"}
    | {"der", "das", "dem", "den", "des", "und", "oder"}
)
# Only in front of one of those, or where the name was cut: "What she lives on" is whole.
_JOINING = frozenset(
    {"to", "with", "at", "by", "for", "from", "in", "into", "on", "onto", "over", "under", "as"}
    | {"but", "his", "her", "their", "its", "this", "that"}
    | {"mit", "bei", "von", "für", "aus", "im", "ins", "auf", "an", "am", "über", "unter", "zu"}
    | {"zum", "zur", "als", "aber", "sein", "seine", "ihr", "ihre"}
)
_MARKS = " ,;:–—-"


def name_ended(name: str, *, is_cut: bool = False) -> str:
    """The name without the words at its end that only lead to a further one. is_cut: it went on."""
    words = name.split(" ")
    end, is_open = len(words), is_cut
    while end > 1:
        last = words[end - 1].rstrip(_MARKS)
        if last and last not in _LEADING and not (is_open and last in _JOINING):
            break
        end, is_open = end - 1, True
    is_shorter = is_cut or end < len(words)
    return " ".join(words[:end]).rstrip(_MARKS) if is_shorter else name
