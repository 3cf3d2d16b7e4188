"""A chat as a page of SillyTavern holds it: changed like there, saved as a whole like there."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

from tests.chat_files import jsonl, save_like_sillytavern

START = datetime(2026, 11, 20, 8, tzinfo=UTC)


class Clock:
    """Gives dates that grow. is_exact: as 1.16 and newer write them, else to the minute."""

    def __init__(self, *, is_exact: bool) -> None:
        self.is_exact = is_exact
        self._ticks = count()

    def now(self) -> str:
        tick = next(self._ticks)
        moment = START + timedelta(seconds=25 * tick)
        if self.is_exact:
            return f"{moment:%Y-%m-%dT%H:%M:%S}.{tick % 1000:03d}Z"
        half = "am" if moment.hour < 12 else "pm"
        clock = f"{moment.hour % 12 or 12}:{moment:%M}{half}"
        return f"{moment:%B} {moment.day}, {moment.year} {clock}"


@dataclass(slots=True)
class Held:
    """A message in the page. who: a number for life, which no file ever holds."""

    who: int
    data: dict[str, Any]

    @property
    def looks(self) -> tuple[object, ...]:
        """What a message can be recognised by; twins look the same."""
        data = self.data
        first = data.get("swipes", [data["mes"]])[0]
        info = data.get("swipe_info", [data])
        return info[0]["send_date"], data["name"], data["is_user"], first


@dataclass
class ChatPage:
    """One chat. The commands change what is held; `save` writes the file, whole, by renaming."""

    path: Path
    clock: Clock
    integrity: str
    numbers: count[int] = field(default_factory=count)
    messages: list[Held] = field(default_factory=list)
    metadata: dict[str, Any] = field(default_factory=dict)
    written: bytes = b""

    def save(self) -> None:
        header = {
            "chat_metadata": {"integrity": self.integrity} | self.metadata,
            "user_name": "unused",
            "character_name": "unused",
        }
        self.written = jsonl([header, *(held.data for held in self.messages)])
        save_like_sillytavern(self.path, self.written)

    # --- what the user does there; `at` is an index

    def send(self, text: str, reply: str) -> None:
        self.messages += [self._made(text, is_user=True), self._made(reply)]

    def insert(self, at: int, text: str, *, is_user: bool) -> int:
        """`/send at=N`, or a pasted message."""
        self.messages.insert(at, self._made(text, is_user=is_user))
        return at

    def edit(self, at: int, text: str) -> None:
        self._show(at, text)

    def swipe(self, at: int, text: str) -> None:
        """A new swipe; it copies the old one's `extra`."""
        data = self.messages[at].data
        infos = data.setdefault("swipe_info", [_info(data)])
        data.setdefault("swipes", [data["mes"]])
        date = self.clock.now()
        data["swipes"].append(text)
        data.update(mes=text, send_date=date, swipe_id=len(infos))
        infos.append(_info(data))

    def swipe_to(self, at: int, swipe: int) -> None:
        data = self.messages[at].data
        data.update(
            mes=data["swipes"][swipe],
            send_date=data["swipe_info"][swipe]["send_date"],
            swipe_id=swipe,
        )

    def continue_reply(self, text: str) -> None:
        """The last message goes on, whoever wrote it, and is dated anew."""
        data = self.messages[-1].data
        self._show(len(self.messages) - 1, data["mes"] + text)
        data["send_date"] = self.clock.now()
        if "swipe_info" in data:
            data["swipe_info"][data["swipe_id"]]["send_date"] = data["send_date"]

    def regenerate(self, text: str) -> None:
        del self.messages[-1]
        self.messages.append(self._made(text))

    def move(self, at: int, to: int) -> None:
        self.messages.insert(to, self.messages.pop(at))

    def hide(self, at: int, *, is_hidden: bool) -> None:
        self.messages[at].data["is_system"] = is_hidden

    def rename(self, path: Path) -> None:
        self.path.rename(path)
        self.path = path

    def branch(self, path: Path, length: int, *, integrity: str) -> ChatPage:
        """The first `length` messages as a chat of their own, with the parent's metadata."""
        return ChatPage(
            path=path,
            clock=self.clock,
            integrity=integrity,
            numbers=self.numbers,
            messages=copy.deepcopy(self.messages[:length]),
            metadata=self.metadata | {"main_chat": self.path.stem},
        )

    def _show(self, at: int, text: str) -> None:
        data = self.messages[at].data
        data["mes"] = text
        if "swipes" in data:
            data["swipes"][data["swipe_id"]] = text

    def _made(self, text: str, *, is_user: bool = False) -> Held:
        date, extra = self.clock.now(), {} if is_user else {"api": "openai", "model": "a-model"}
        data: dict[str, Any] = {
            "name": "Ana" if is_user else "Mira",
            "is_user": is_user,
            "is_system": False,
            "send_date": date,
            "mes": text,
            "extra": extra,
        }
        if not is_user:
            data |= {"swipe_id": 0, "swipes": [text], "swipe_info": [_info(data)]}
        return Held(next(self.numbers), data)


def _info(data: dict[str, Any]) -> dict[str, Any]:
    return {"send_date": data["send_date"], "extra": dict(data["extra"])}
