"""Which words a model may use as the name of somebody or something (spec/smart-memory.md §8.1)."""

from __future__ import annotations

import re

LONGEST_NAME = 80
MOST_DIGITS = 0.6  # share of a name's signs


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What belongs to the answer's form, or says that there is no name.
CONTROL_WORDS = _words(
    """the none null nil n/a na tbd unknown unnamed unspecified undefined untitled empty nothing
    name names type types entity entities source sources tag content text field value session scene
    permanent low medium high fact event preference detail arc state score message messages
    character characters place places object objects faction factions concept concepts subject
    holder target concealer true false yes no"""
)
PRONOUNS = _words(
    """i me my mine myself you your yours yourself he him his himself she her hers herself it its
    itself they them their theirs themselves we us our ours ourselves who whom this that these
    those"""
)
# Several at once, or nobody in particular. A secret may be kept from them all the same.
COLLECTIVES = _words(
    """all anyone anybody everyone everybody everything nobody noone someone somebody others other
    people both group party rest crowd strangers passengers crew companions friends players
    participants bystanders onlookers each"""
) | {"no one", "the two", "the three", "each other", "one another", "everyone else"}
# "User" and "Assistant" are not among them: they are what SillyTavern calls a persona or a card
# that was given no better name.
ROLES = _words("npc npcs char persona player protagonist antagonist narrator system") | {
    f"{kind} character"
    for kind in _words("side main minor supporting background other another unnamed unknown your")
}
PLACEHOLDER = re.compile(r"<[^<>]{0,40}>|\{\{[^{}]{0,40}\}\}|\[[^\[\]]{0,40}\]|\.\.\.|…")
ARTICLE = re.compile(r"^(?:the|a|an|all|some|any)\s+", re.IGNORECASE)
AT_THE_ENDS = " \t\"'`“”‘’«»*_~<>[](){}.,;:!?|/\\#=-–—"
NUMBERED = re.compile(r"(?:npc|character|person|entity|speaker|user|guard|man|woman)\s*#?\d{1,4}")


def folded(name: str) -> str:
    """A name for comparison: one kind of apostrophe, one space, no case."""
    return " ".join(name.replace("’", "'").replace("ʼ", "'").split()).casefold()


def name_in(raw: str) -> str:
    """The name as it is kept, "" for what cannot be one: control words, numbers, placeholders,
    collective labels, pronouns, roles (spec §8.1).
    """
    name = party_in(raw)
    return "" if _is_collective(folded(name)) else name


def party_in(raw: str) -> str:
    """The same, with collective labels allowed: from whom a secret is kept."""
    if len(raw) > 4 * LONGEST_NAME or PLACEHOLDER.search(raw.strip()):
        return ""
    # A bracket that is opened in the name belongs to it, and so does the full stop of an initial.
    name = " ".join(" ".join(raw.split()).strip(AT_THE_ENDS).split())
    if name.count("(") > name.count(")") and ")" in raw:
        name += ")"
    if raw.rstrip().endswith(f"{name}.") and re.search(r"(?:^|[\s.])[^\W\d_]$", name):
        name += "."
    return name if name and len(name) <= LONGEST_NAME and _is_specific(name) else ""


def _is_specific(name: str) -> bool:
    signs = [sign for sign in name if sign.isalnum()]
    if not signs or sum(map(str.isdigit, signs)) > MOST_DIGITS * len(signs):
        return False
    plain = folded(name)
    bare = ARTICLE.sub("", plain)
    if "=" in plain or plain in PRONOUNS:
        return False
    return not (bare in CONTROL_WORDS or bare in ROLES or NUMBERED.fullmatch(bare))


def _is_collective(plain: str) -> bool:
    return plain in COLLECTIVES or ARTICLE.sub("", plain) in COLLECTIVES
