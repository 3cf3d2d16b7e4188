"""Who knows what: who knows, suspects, believes, does not know and hides what (spec §7, PE)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from app.core.translation import N_, tr, trn
from app.memory.names import name_in, party_in
from app.memory.records import EPISTEMIC_TYPES, Memory, Tier
from app.memory.tiers.claims import Claim, ClaimedEnd, Mention
from app.memory.tiers.lines import Line, content_in, is_copied, numbers_in
from app.memory.tiers.tier import Entries, Identity, Repeat, Say, TierSpec, TierWords, text_line

RETIRE = "retire"  # the tag of an entry that no longer holds
EVERYONE = "everyone"  # from whom something is hidden where nobody is named
LONGEST_TEXT = 500
LONGEST_DETAIL = 1_000

SAW = "saw"  # the channel of who learned it with their own eyes

CHANNELS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("saw", "seen", "see", "sight", "witnessed", "witness", "watched"), SAW),
        **dict.fromkeys(("told", "tell", "said", "heard", "confessed", "asked", "speech"), "told"),
        **dict.fromkeys(("overheard", "eavesdropped", "eavesdropping"), "overheard"),
        **dict.fromkeys(("read", "letter", "reading", "written", "note"), "read"),
        **dict.fromkeys(
            ("inferred", "deduced", "guessed", "concluded", "inference", "realised", "realized"),
            "inferred",
        ),
    }
)
LISTED = re.compile(r"\s*[,;、，；&]\s*(?:and\s+)?|\s+and\s+")
MOST_LISTED, MOST_WORDS = 8, 5  # names of a list, words of a name
FROM = re.compile(r"\s+from\s+", re.IGNORECASE)
# "A thinks that B" as the holder: the entry is A's, and it is about what B knows.
NESTED = re.compile(
    r"(.{1,80}?)\s+(thinks|believes|assumes|suspects|knows)\s+(?:that\s+)?(\S.{0,80})",
    re.IGNORECASE,
)
STATE_OF_VERB: Mapping[str, str] = MappingProxyType(
    {"thinks": "believes", "assumes": "believes"}
    | {word: word for word in ("believes", "suspects", "knows")}
)
VERB_OF_STATE: Mapping[str, str] = MappingProxyType(
    {
        "knows": "knows",
        "suspects": "suspects",
        "believes": "believes",
        "unaware": "does not know",
        "hiding": "hides",
    }
)
SAYS_A_VERB = re.compile(
    r"\s(?:knows|suspects|believes|thinks|hides|conceals|does(?:n't|n’t| not)|is unaware)\b",
    re.IGNORECASE,
)
LEADING_NUMBERS = re.compile(
    r"[\s#]*(?:(?:entry|entries|numbers?|no\.?)\s*)?#?(?:\d{1,4}(?:\s*(?:,|and|&|;|-|–|\s)\s*#?)?)+",
    re.IGNORECASE,
)


def epistemic_claims(line: Line, state: str) -> tuple[Claim, ...]:
    """What a line says of its holders, one claim for each of them and for each from whom they hide
    it: a list of names is nobody's name.
    """
    head, bar, rest = line.content.partition("|")
    if not bar:
        head, bar, rest = line.content.partition(":")
    holders, _, targets = _parted(head) if state == "hiding" else (head, "", "")
    found = [
        epistemic_claim(replace(line, content=f"{holder}{_from(target)} {bar} {rest}"), state)
        for holder in parties_of(holders)
        for target in (parties_of(targets) if targets else ("",))
    ]
    return tuple(claim for claim in found if claim is not None)


def parties_of(text: str) -> tuple[str, ...]:
    """The names of a list of names; the text itself where it is none."""
    parts = [part.strip() for part in LISTED.split(text)]
    named = [part for part in parts if part]
    is_list = len(named) > 1 and all(
        (part[0].isupper() or not part[0].isascii()) and len(part.split()) <= MOST_WORDS
        for part in named
    )
    return tuple(dict.fromkeys(named))[:MOST_LISTED] if is_list else (text.strip(),)


def _parted(head: str) -> tuple[str, str, str]:
    parts = FROM.split(head, maxsplit=1)
    return parts[0], "from", parts[1] if len(parts) > 1 else ""


def _from(target: str) -> str:
    return f" from {target}" if target else ""


def epistemic_claim(line: Line, state: str) -> Claim | None:
    """What a line says of a holder. state: of EPISTEMIC_TYPES.

    Hiding without a target is hiding from everyone. None without a holder and a subject matter.
    """
    head, text, detail = _parts(line.content)
    head, target = _target(head, line) if state == "hiding" else (head, "")
    nested = NESTED.fullmatch(head)
    if nested is not None:
        head, inner = nested[1], nested[3]
        text = (
            f"{inner} {text}"
            if SAYS_A_VERB.search(f" {inner}") or _begins_with_verb(text)
            else f"{inner} {VERB_OF_STATE[state]} {text}"
        )
        state, target = STATE_OF_VERB[nested[2].lower()], ""
    holder = name_in(head)
    if not holder or not any(map(str.isalnum, text)) or len(text) > LONGEST_TEXT:
        return None
    if is_copied(line.content):
        return None
    teller = name_in(line.value("by", "from", "told_by") if state != "hiding" else line.value("by"))
    return Claim(
        Tier.EPISTEMIC,
        state,
        text,
        subject=holder,
        target=target,
        detail=detail[:LONGEST_DETAIL],
        told_by=teller,
        channel=CHANNELS.get(line.value("via", "channel", "how").lower(), ""),
        entities=(Mention(holder, "character"),),
        sources=line.sources,
    )


def retired_entries(line: Line) -> ClaimedEnd | None:
    """Which of the numbered entries no longer hold; as it is listed where there is no number."""
    head = line.content.partition("|")[0].strip()
    leading = LEADING_NUMBERS.match(head)
    numbers = numbers_in(leading[0] if leading else head or " ".join(line.positional))
    if is_copied(line.content) or not (numbers or any(map(str.isalpha, head))):
        return None
    return ClaimedEnd(
        Tier.EPISTEMIC,
        numbers=numbers,
        text="" if numbers else line.content,
        sources=line.sources,
    )


def _parts(content: str) -> tuple[str, str, str]:
    """Holder, what it is about, and the same at length."""
    head, pipe, rest = content.partition("|")
    if not pipe:
        head, _, rest = content.partition(":")
    about, _, detail = rest.partition("|")
    return head.strip(), content_in(about), content_in(detail)


def _target(head: str, line: Line) -> tuple[str, str]:
    """The concealer, and from whom."""
    parts = FROM.split(head, maxsplit=1)
    named = parts[1] if len(parts) > 1 else line.value("from", "target", "to")
    return parts[0], party_in(named) or EVERYONE


def _begins_with_verb(text: str) -> bool:
    return bool(SAYS_A_VERB.match(f" {text}"))


SENTENCES: Mapping[str, tuple[str, str]] = {  # where it does not begin with "that", and where
    "knows": (N_("{who} knows: {what}"), N_("{who} knows {what}")),
    "suspects": (N_("{who} suspects: {what}"), N_("{who} suspects {what}")),
    "believes": (N_("{who} believes: {what}"), N_("{who} believes {what}")),
    "unaware": (N_("{who} does not know: {what}"), N_("{who} does not know {what}")),
    "hiding": (N_("{who} hides: {what}"), N_("{who} hides {what}")),
    "hiding from": (
        N_("{who} hides from {whom}: {what}"),
        N_("{who} hides from {whom} {what}"),
    ),
}


def title_of(text: str) -> str:
    """What an entry is about, as a sentence of its own."""
    words = text.strip()
    if words[:5].casefold() == "that ":
        words = words[5:].lstrip()
    return words[:1].upper() + words[1:]


def _read(line: Line, tag: str) -> Entries:
    if tag == RETIRE:
        end = retired_entries(line)
        return [], [end] if end else []
    return epistemic_claims(line, tag), []


def _line(memory: Memory) -> str:
    holder = f"{memory.subject} from {memory.target}" if memory.target else memory.subject
    return f"[{memory.type}] {holder} | {text_line(memory)}"


def _problem(memory: Memory) -> str:
    if not memory.subject:
        return tr("Say who knows, believes or hides it.")
    if memory.type == "hiding" and not memory.target:
        return tr("Say from whom it is hidden.")
    return ""


def _told(memory: Memory, say: Say, that: str) -> str:
    if memory.type not in SENTENCES:
        return f"{memory.subject} {memory.type}: {memory.text}"
    is_from = memory.type == "hiding" and memory.target
    kind = "hiding from" if is_from else memory.type
    is_clause = memory.text.casefold().startswith(f"{that} ")
    is_english = memory.text[:5].casefold() == "that "
    what = title_of(memory.text) if is_english and not is_clause else memory.text
    return say(SENTENCES[kind][is_clause], who=memory.subject, whom=memory.target, what=what)


def _entry(memory: Memory) -> dict[str, Any]:
    fields = {"holder": memory.subject, "from": memory.target, "detail": memory.detail}
    return {**fields, "told_by": memory.told_by, "channel": memory.channel}


EPISTEMIC = TierSpec(
    tier=Tier.EPISTEMIC,
    types=EPISTEMIC_TYPES,
    words=TierWords(
        name=N_("Who knows what"),
        purpose=N_("Secrets, wrong beliefs, and who has not been told what."),
        count=lambda n: trn("{n} entry on who knows what", "{n} entries on who knows what", n),
        switch_help=N_("Secrets, wrong beliefs, and who has not been told what."),
        title=N_("Who knows what"),
        in_sentence=N_("who knows what"),
        text=N_("What it is about"),
        subject=N_("Who"),
    ),
    hue="who knows",
    prompt="memory_epistemic",
    tags=(*EPISTEMIC_TYPES, RETIRE),
    spellings=(
        ("knows", ("know", "knowing", "aware")),
        ("suspects", ("suspect", "suspecting")),
        ("believes", ("believe", "belief", "believing", "thinks")),
        ("unaware", ("not aware", "does not know", "doesn't know", "unknowing", "ignorant")),
        ("hiding", ("hides", "hidden", "conceals", "concealing", "hide")),
        (RETIRE, ("retired", "retires")),
    ),
    read=_read,
    heading="Who knows what:",
    ended_heading="Who-knows-what entries that no longer hold: ",
    line=_line,
    identity=Identity.ATTITUDE,
    repeats=Repeat.IN_WORDS_AND_SOURCES,
    problem=_problem,
    told=_told,
    entry=_entry,
    is_kept_by_character=True,
    is_open=False,
    is_looked_through=True,
    also="minds",
)
