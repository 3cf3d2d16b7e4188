"""What a chat lost beside a copy of it, in a sentence. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from app.core.moments import moment_text
from app.core.translation import tr, trn
from app.sillytavern.chat_contents import Contents

LOST_LINES, LOST_SHARE = 10, 0.1  # fewer are taken to be what the user deleted


@dataclass(frozen=True, slots=True)
class Loss:
    """lost: messages that only the copy has."""

    lost: int
    sentence: str


def loss_of(chat: str, then: Contents, moment: float, now: Contents) -> Loss | None:
    """What is wrong with a chat beside a copy of it, None for nothing.

    chat: what it is called. then: what the copy holds, which was made at this moment (seconds since
    the epoch).
    """
    if not then.size:
        return None
    known = {"chat": chat, "clock": moment_text(moment)}
    lost = len(then.missing_in(now.marks))
    if then.begins and not now.begins:
        return Loss(
            lost, tr("“{chat}” can no longer be read. There is a copy from {clock}.", **known)
        )
    if lost >= max(LOST_LINES, LOST_SHARE * then.size):
        if now.size <= then.size - lost:
            sentence = trn(
                "“{chat}” has {n} message fewer than at {clock}. There is a copy from that time.",
                "“{chat}” has {n} messages fewer than at {clock}. There is a copy from that time.",
                lost,
                **known,
            )
            return Loss(lost, sentence)
        sentence = trn(
            "“{chat}” is missing {n} message from {clock}. There is a copy from that time.",
            "“{chat}” is missing {n} messages from {clock}. There is a copy from that time.",
            lost,
            **known,
        )
        return Loss(lost, sentence)
    if then.ends and not now.ends:
        return Loss(
            lost, tr("The end of “{chat}” is broken off. There is a copy from {clock}.", **known)
        )
    if (broken := now.broken - then.broken) > 0:
        sentence = trn(
            "{n} line of “{chat}” can no longer be read. The copy from {clock} still has it.",
            "{n} lines of “{chat}” can no longer be read. The copy from {clock} still has them.",
            broken,
            **known,
        )
        return Loss(lost, sentence)
    return None
