"""Whether an answer is a model's refusal to do what it was asked for. Pure.

Known by how it begins: an apology in the first person, or that it may not do this. A recap tells
what others did, so it never begins so.
"""

from __future__ import annotations

import re

LONGEST = 400  # characters that are looked at

_REFUSED = (
    # English: sorry, and no more; or not able, and of the request itself.
    r"(?:(?:i['’]m|i am) (?:\w+ )?sorry|sorry|i apologi[sz]e|my apologies|unfortunately)\b.{0,40}?"
    r"\b(?:i (?:can['’]?t|cannot|can not|won['’]?t|will not|must|do not|don['’]t)"
    r"|i(?:['’]m| am) (?:unable|not))\b",
    r"(?:as|i(?:['’]m| am)) (?:just )?an? (?:ai|artificial|large language|language model)\b",
    r"i(?: can['’]?t| cannot| can not| won['’]?t| will not|(?:['’]m| am) (?:unable|not able) to"
    r"| must decline| have to decline)\b.{0,60}?"
    r"\b(?:assist|comply|summari[sz]e|recap|fulfil+|requests?|content"
    r"|help (?:you )?with (?:that|this)"
    r"|(?:this|that|such) (?:material|text|message|scene|story|conversation))\b",
    # German, French, Spanish, Italian, Portuguese, Dutch, Polish, Russian
    r"(?:es )?tut mir (?:sehr )?leid\b.{0,40}?\b(?:ich|kann|darf|nicht)\b",
    r"(?:leider )?(?:kann|darf|werde) ich .{0,60}?\bnicht\b",
    r"ich (?:kann|darf|werde) .{0,60}?\bnicht (?:helfen|weiterhelfen|zusammenfassen|erfüllen"
    r"|nachkommen|unterstützen|beantworten|erstellen)\b",
    r"(?:je suis (?:vraiment )?)?désolée?\b.{0,40}?\bje ne\b",
    r"je ne (?:peux|suis) pas .{0,40}?\b(?:aider|répondre|résumer|traiter|demande|contenu)\b",
    r"(?:lo siento|lo lamento|disculpa|perdona)\b.{0,40}?\bno (?:puedo|me es)\b",
    r"mi (?:dis)?piace\b.{0,40}?\bnon posso\b",
    r"(?:desculpe|sinto muito|lamento)\b.{0,40}?\bnão (?:posso|consigo)\b",
    r"(?:het spijt me|sorry)\b.{0,40}?\b(?:ik kan|kan ik)\b",
    r"przepraszam\b.{0,40}?\bnie mogę\b",
    r"(?:извините|простите|к сожалению|мне жаль)\b.{0,40}?\bне могу\b",
    # Japanese, Chinese, Korean
    r"(?:申し訳|すみません|ごめんなさい).{0,60}?(?:できません|できかね|いたしかね|お手伝い)",
    r"(?:很抱歉|抱歉|对不起|對不起).{0,40}?(?:不能|无法|無法)",
    r"죄송.{0,80}?(?:없습니다|어렵습니다)",
)
_REFUSAL = re.compile(rf"[\s*_#>-]*(?:{'|'.join(_REFUSED)})", re.IGNORECASE | re.DOTALL)


def is_refusal(text: str) -> bool:
    """Whether a text begins as a model does that will not do what it was asked for."""
    return _REFUSAL.match(text[:LONGEST]) is not None
