"""What other extensions left of a chat and is not known here, by extension, with what is not
taken and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.core.translation import trn
from app.memory.lifecycle.by_hand import LONGEST_TEXT
from app.memory.records import Grounding, Memory, MemoryChange, Tier
from app.sillytavern.extensions.char_memory import RememberedLine
from app.sillytavern.extensions.ranged_recaps import Omission
from app.story.messages import combined_digest
from app.work.chats.importing.extension_recaps import Left

CHAR_MEMORY = "CharMemory"


@dataclass(frozen=True, slots=True)
class Finding:
    """What one extension left. whose: its name. left_out: how much is not taken, and why."""

    whose: str
    left: Left = field(default_factory=Left)
    memories: MemoryChange = field(default_factory=MemoryChange)
    left_out: Mapping[Omission, int] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Whether there is something to take in."""
        return bool(self.left or self.memories)

    @property
    def parts(self) -> tuple[str, ...]:
        """What there is to take in, in words."""
        count = len(self.memories.memories)
        memories = (trn("{n} memory", "{n} memories", count),) if count else ()
        return (*self.left.parts, *memories)

    @property
    def reasons(self) -> tuple[str, ...]:
        """What is not taken, and why, in words."""
        return tuple(omitted_words(why, count) for why, count in self.left_out.items() if count)


@dataclass(frozen=True, slots=True)
class Findings:
    """What all of them left, those of which something is told alone."""

    of: tuple[Finding, ...] = ()

    def __bool__(self) -> bool:
        return any(self.of)

    @property
    def parts(self) -> tuple[str, ...]:
        """What there is to take in of all of them, in words."""
        return tuple(part for finding in self.of for part in finding.parts)

    @property
    def whose(self) -> tuple[str, ...]:
        """Of which extensions something is to be taken in."""
        return tuple(finding.whose for finding in self.of if finding)


def omitted_words(why: Omission, count: int) -> str:
    """How many are not taken, and why."""
    match why:
        case Omission.NO_RANGE:
            return trn(
                "{n} that does not say which messages it tells",
                "{n} that do not say which messages they tell",
                count,
            )
        case Omission.BEHIND_END:
            return trn(
                "{n} of messages that this chat does not hold",
                "{n} of messages that this chat does not hold",
                count,
            )
        case Omission.OVERLAP:
            return trn(
                "{n} of messages that another one tells already",
                "{n} of messages that others tell already",
                count,
            )
        case Omission.OTHER_CHAT:
            return trn("{n} of another chat", "{n} of other chats", count)
        case Omission.HIGHER:
            return trn("{n} that sums up others", "{n} that sum up others", count)
        case Omission.OFF:
            return trn("{n} that is switched off there", "{n} that are switched off there", count)
        case Omission.EMPTY:
            return trn("{n} without words", "{n} without words", count)
        case Omission.TOO_LONG:
            return trn("{n} that is too long", "{n} that are too long", count)
        case Omission.CROSSES:
            return trn(
                "{n} of messages that are cut into other scenes here",
                "{n} of messages that are cut into other scenes here",
                count,
            )


def memories_from(lines: Sequence[RememberedLine], chat_id: int, character: str) -> Finding:
    """Lines of CharMemory as long-term memories. The same lines always give the same ids.

    character: key of who keeps them across chats, "" for the chat alone.
    """
    holder = character or f"chat {chat_id}"
    fitting = [line for line in lines if len(line.text) <= LONGEST_TEXT]
    made = tuple(
        Memory(
            combined_digest(CHAR_MEMORY, holder, line.text),
            chat_id,
            Tier.LONG_TERM,
            "fact",
            line.text,
            character,
            is_consolidated=True,
            last_confirmed=line.created,
            entities=line.names,
            grounding=Grounding.IMPORTED,
            made_by=CHAR_MEMORY,
            created=line.created,
        )
        for line in fitting
    )
    too_long = len(lines) - len(fitting)
    left_out = {Omission.TOO_LONG: too_long} if too_long else {}
    return Finding(CHAR_MEMORY, memories=MemoryChange(made), left_out=left_out)
