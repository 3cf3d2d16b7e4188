"""Checks what a model says for a scene break (spec/auto-recap.md §4.11). Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from app.story.messages import Message
from app.story.scene_cues.language import LanguagePack, common_words, tokens_of
from app.story.scene_cues.reading import ends_of

VETO_REACH = 2  # messages behind the one named that may show the new time, place or company

# What is layout in a text, not in the story: marks, and the words for them.
_LAYOUT = re.compile(
    r"(?:[-*_=~#] ?){3,}"
    r"|\b(?:separators?|dividers?|markdown|formatting|horizontal (?:lines?|rules?)|asterisks"
    r"|(?:scene|section|page|line) breaks? (?:marker|mark|line|symbol)s?"
    r"|chapter (?:\d+|[ivxlc]+|headings?|titles?|breaks?|one|two|three|four|five)"
    r"|trennlinien?|trennzeichen|formatierung|kapitel(?:überschrift| ?\d+)"
    r"|s[ée]parateurs?|separador(?:es)?|separator[ei]|разделител\w*)\b",
    re.IGNORECASE,
)
# What people do or want while time, place and company stay the same.
_MATTER = re.compile(
    r"\b(?:plan(?:s|ned|ning)?|deci[ds]\w*|agree\w*|relationships?|pivot\w*|goals?|objectives?"
    r"|resol[uv]\w*|reali[sz]\w*|reveal\w*|revelations?|confess\w*|promis\w*|emotion\w*"
    r"|tensions?|topics?|subjects?|conversations?|discussions?|moods?|tones?|kiss\w*|trust\w*"
    r"|commit\w*|strateg\w*|focus\w*|turning point|conflicts?|argument\w*|bargain\w*|pact)\b",
    re.IGNORECASE,
)
# Words for a change of time, place or company that no pack has as a phrase of a story.
_CHANGE = re.compile(
    r"\b(?:times?|days?|nights?|hours?|later|mornings?|evenings?|places?|locations?|settings?"
    r"|rooms?|elsewhere|outside|inside|arriv\w*|depart\w*|lea(?:ve|ves|ving)|left|went|exits?"
    r"|exit(?:s|ed|ing)|part(?:s|ed|ing)? (?:ways|company)|they part|separat\w*|joins?|joined"
    r"|alone|company|cast|asleep|sleeps?|wakes?|goodbyes?|farewells?|travel\w*|move[sd]? to"
    r"|returns?|returned|enters?|entered)\b",
    re.IGNORECASE,
)
_TIME = frozenset({"jump", "minutes", "when", "wake", "sleep", "skip"})
_PLACE_OR_CAST = frozenset({"go", "leave", "bye", "fade", "back"})
_CUES = _TIME | _PLACE_OR_CAST


def names_layout(rationale: str) -> bool:
    """Whether lines, stars or headings are given as evidence; they are none."""
    return _LAYOUT.search(rationale) is not None


def lacks_continuity_break(
    rationale: str, messages: Iterable[Message], packs: Sequence[LanguagePack]
) -> bool:
    """Whether a break is only a turn of what people want, while the scene goes on.

    The rationale says nothing else, and the messages show no new time, place or company.
    messages: the one named and the VETO_REACH ones behind it. In a language without a pack
    nothing can be missed, so nothing lacks.
    """
    if _MATTER.search(rationale) is None or _CHANGE.search(rationale) is not None:
        return False
    if any(pack.code == "en" and _shows_change(rationale, pack) for pack in packs):
        return False
    for message in messages:
        pack = _pack_of(message.text, packs)
        if pack is None or _shows_change(message.text, pack):
            return False
    return True


def _pack_of(text: str, packs: Sequence[LanguagePack]) -> LanguagePack | None:
    counts = common_words(tokens_of(ends_of(text)), packs)
    most = max(counts, default=0)
    return packs[counts.index(most)] if most else None


def _shows_change(text: str, pack: LanguagePack) -> bool:
    tokens = tokens_of(ends_of(text))
    return any(hit.cue in _CUES for hit in pack.find(tokens))
