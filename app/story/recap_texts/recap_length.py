"""How long a scene's recap may be: about a fifth of the scene, in what a model can count. Pure."""

from __future__ import annotations

from app.story.recap_texts.recap_text import Recap

SHARE = 5  # a scene has so many times the tokens of its recap
ENTRY_TOKENS = 20  # of an entry, about; a language that takes more gets as many entries
LEAST_ENTRIES = 3
SHORTEST = 60  # tokens: less than that holds no recap at all
SLACK = 1.5  # times the entries or the tokens that were asked for: more is asked for once more


def scene_recap_length(scene: int, least: int, most: int) -> int:
    """Tokens of the recap of a scene that has `scene` tokens.

    least, most: the bounds that are set. A recap is not longer than its scene either.
    """
    return min(max(least, min(scene // SHARE, most)), max(SHORTEST, scene))


def most_entries(tokens: int) -> int:
    """Entries that a recap of so many tokens has at most."""
    return max(LEAST_ENTRIES, tokens // ENTRY_TOKENS)


def entries_in(recap: Recap) -> int:
    """How many entries a recap has, under all of its headings."""
    return len(recap.developments) + len(recap.open) + len(recap.state) + len(recap.resolved)


def entries_asked_again(recap: Recap, recap_tokens: int, tokens: int) -> int | None:
    """To how many entries a recap is to be shortened; None where it is short enough.

    recap_tokens: of the recap. tokens: what was asked for. Few entries that are long count as well.
    """
    had, most = entries_in(recap), most_entries(tokens)
    if had <= most * SLACK and recap_tokens <= max(tokens, SHORTEST) * 2 * SLACK:
        return None
    return max(LEAST_ENTRIES, min(most, had * tokens * 2 // max(1, recap_tokens)))
