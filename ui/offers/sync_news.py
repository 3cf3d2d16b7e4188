"""Reads everything again and says in one sentence what was found."""

from __future__ import annotations

from app.companion import Companion
from app.core.translation import tr, trn
from app.story.story import Story
from ui.core.session import Session


async def sync(session: Session) -> str:
    """Look at folders and chats anew; the sentence is about the chat that is shown.

    Raises NoTavern, ChatUnreadable.
    """
    companion, path, before = session.companion, session.path, session.story
    chats = chat_count(companion)
    await companion.sync()
    more = chat_count(companion) - chats
    after = await companion.open_story(path) if path is not None else None
    return news_sentence(before, after, more)


def chat_count(companion: Companion) -> int:
    """How many chats there are in all taverns."""
    return sum(len(tavern.chats) for tavern in companion.taverns)


def news_sentence(before: Story | None, after: Story | None, more_chats: int) -> str:
    """ "2 new messages, 1 changed.", or that everything is as it was. more_chats: fewer below 0."""
    news = _messages(before, after) if before is not None and after is not None else []
    if more_chats:
        if more_chats > 0:
            news.append(trn("{n} new chat", "{n} new chats", more_chats))
        else:
            news.append(trn("{n} chat gone", "{n} chats gone", -more_chats))
    if news:
        return f"{', '.join(news)}."
    if after is not None and after.messages:
        return tr("Up to date: #{n} is the newest message.", n=len(after.messages) - 1)
    return tr("Up to date.")


def _messages(before: Story, after: Story) -> list[str]:
    if before.messages is after.messages:
        return []
    old = {message.anchor: message for message in before.messages}
    new = sum(message.anchor not in old for message in after.messages)
    changed = sum(
        message.anchor in old and message.content_hash != old[message.anchor].content_hash
        for message in after.messages
    )
    gone = len(old) + new - len(after.messages)
    said = (
        (new, trn("{n} new message", "{n} new messages", new)),
        (changed, trn("{n} changed", "{n} changed", changed)),
        (gone, trn("{n} gone", "{n} gone", gone)),
    )
    return [words for count, words in said if count]
