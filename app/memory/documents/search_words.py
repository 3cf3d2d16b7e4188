"""The words of a search that are no words to find, in the window's language. Pure.

English ones count in every language, as commands and help name them.
"""

from __future__ import annotations

import re

from app.core.translation import tr_in

_QUOTES = str.maketrans("“”„«»", '"""""')  # as people type them
_FIELD = re.compile(r'"[^"]*"|(?<!\S)(?P<sign>-?)(?P<word>\w+):')


def with_fields(text: str) -> str:
    """A query with its fields and quotation marks as code has them: "wer:Mara", in German, is
    "who:Mara".
    """
    fields = _fields()

    def called(found: re.Match[str]) -> str:
        if found["word"] is None:  # quoted
            return found[0]
        return f"{found['sign']}{fields.get(found['word'].casefold(), found['word'])}:"

    return _FIELD.sub(called, text.translate(_QUOTES))


def _fields() -> dict[str, str]:
    return {
        tr_in("a word before a colon in a search", "who"): "who",
        tr_in("a word before a colon in a search", "of"): "of",
        tr_in("a word before a colon in a search", "kind"): "kind",
        tr_in("a word before a colon in a search", "type"): "type",
        tr_in("a word before a colon in a search", "tier"): "tier",
        tr_in("a word before a colon in a search", "is"): "is",
        tr_in("a word before a colon in a search", "before"): "before",
        tr_in("a word before a colon in a search", "after"): "after",
        tr_in("a word before a colon in a search", "scene"): "scene",
        tr_in("a word before a colon in a search", "in"): "in",
    }


def state_called(word: str) -> str:
    """What `is:` is followed by, as code calls it."""
    called = {
        tr_in("after is: in a search", "stale"): "stale",
        tr_in("after is: in a search", "pinned"): "pinned",
        tr_in("after is: in a search", "yours"): "yours",
        tr_in("after is: in a search", "merged"): "merged",
        tr_in("after is: in a search", "lost"): "lost",
        tr_in("after is: in a search", "active"): "active",
        tr_in("after is: in a search", "ended"): "ended",
        tr_in("after is: in a search", "aside"): "aside",
        tr_in("after is: in a search", "waiting"): "waiting",
        tr_in("after is: in a search", "rejected"): "rejected",
    }
    return called.get(word, word)


def letters_of(word: str) -> str:
    """Its letters and digits, casefolded: "plot-threads" is "Plot threads"."""
    return "".join(sign for sign in word.casefold() if sign.isalnum())


def place_called(word: str) -> str:
    """What `in:` or `kind:` is followed by, where code has a word for it."""
    called = {
        tr_in("after in: in a search", "here"): "here",
        tr_in("after tier: in a search", "messages"): "messages",
    }
    return called.get(word.casefold(), word)
