"""One line of a chat file, as SillyTavern 1.12 to 1.19 write it."""

from __future__ import annotations

import json
from typing import Any

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from app.core.translation import N_
from app.story.anchors import identities_of, opening_of
from app.story.messages import MessageKind, digest

BOM = b"\xef\xbb\xbf"

# Blocks that recap extensions keep in a message's `extra`, the one to prefer first
# (spec/auto-recap.md §1.1): ST-Auto-Recap, its name until 2025-11, MessageSummarize.
RECAP_NAMESPACES = ("auto_recap_memory", "auto_summarize_memory", "qvink_memory")
MESSAGE_SUMMARIZE = RECAP_NAMESPACES[-1]

# Values of extra.type that mark SillyTavern's own remarks.
NOTICE_TYPES = frozenset(
    {
        "help",
        "welcome",
        "empty",
        "generic",
        "comment",
        "slash_commands",
        "formatting",
        "hotkeys",
        "macros",
        "welcome_prompt",
        "assistant_note",
    }
)

_NO_RECAPS: tuple[bytes, ...] = ()
_NO_NAMES: tuple[str, ...] = ()
# Names of blocks that stand together, each combination once.
_NAMES: dict[tuple[str, ...], tuple[str, ...]] = {}
_SYSTEM_MEMORY = b"_system_memory"
_Loose = str | int | float | bool | None


class ChatLine(Struct, frozen=True, gc=False):
    """A message as it stands in the file.

    sent: date of the swipe shown, as written. first_sent, first_hash: date and content hash of
    the first swipe. identity, weak_identity, content_hash: what anchors are found by. recaps: raw
    JSON of the RECAP_NAMESPACES that are there, in their order (read by message_extras).
    recap_names: theirs.
    """

    name: str
    text: str
    is_user: bool
    is_hidden: bool
    kind: MessageKind
    sent: str
    avatar: str
    swipe: int
    swipes: int
    first_sent: str
    first_hash: str
    content_hash: str
    identity: str
    weak_identity: str
    recaps: tuple[bytes, ...] = ()
    recap_names: tuple[str, ...] = ()

    def opening(self, characters: int) -> str:
        """See story.anchors.Fingerprint."""
        if self.swipe:
            return ""
        return opening_of(self.name, self.is_user, self.text, characters)


class UnreadableLine(Exception):
    """The line is no message; the text says why, to follow "line 7 of the file"."""


class _Extra(Struct, gc=False):
    type: _Loose | Raw | UnsetType = UNSET
    isSmallSys: Any = None  # noqa: N815
    uses_system_ui: Any = None
    auto_recap_memory: Raw | UnsetType = UNSET
    auto_summarize_memory: Raw | UnsetType = UNSET
    qvink_memory: Raw | UnsetType = UNSET


class _Swipe(Struct, gc=False):
    send_date: _Loose = None


class _Message(Struct, gc=False):
    mes: str
    name: _Loose = ""
    is_user: _Loose = False
    is_system: _Loose = False
    send_date: _Loose = ""
    swipe_id: _Loose = 0
    swipes: list[Raw] | None = None
    swipe_info: list[_Swipe | None] | None = None
    original_avatar: _Loose = ""
    is_thoughts: Any = None
    extra: _Extra | None = None


class LineDecoder:
    """Turns lines into ChatLines; names and dates that repeat are kept once."""

    def __init__(self) -> None:
        self._decode = msgspec.json.Decoder(_Message).decode
        self._seen: dict[str, str] = {}

    def decode(self, line: bytes) -> tuple[ChatLine, str]:
        """The message in one line, without its newline, and what is wrong with it or "".

        Raises UnreadableLine.
        """
        try:
            return self._chat_line(self._decode(line)), ""
        except (msgspec.MsgspecError, RecursionError, ValueError):
            return self._decode_sloppily(line)

    def _decode_sloppily(self, line: bytes) -> tuple[ChatLine, str]:
        """Read what other programs, older versions and accidents left."""
        raw, flaw = load_json(line)
        if not isinstance(raw, dict):
            raise UnreadableLine(N_("is not a message"))
        if "mes" not in raw:
            if not any(key in raw for key in ("name", "is_user", "send_date")):
                raise UnreadableLine(N_("is not a message"))
            flaw = flaw or N_("has no text; it is shown as an empty message")
        return self._chat_line(_coerced(raw)), flaw

    def _chat_line(self, raw: _Message) -> ChatLine:
        # Runs for each message of a first reading, hence the checks in line: what is usual costs
        # no call.
        text, sent, name, extra = raw.mes, raw.send_date, raw.name, raw.extra
        sent = sent if type(sent) is str else _text(sent)
        name = self._once(name if type(name) is str else _text(name))
        is_user, is_hidden = bool(raw.is_user), bool(raw.is_system)
        content_hash = first_hash = digest(text)
        first_text, first_sent = text, sent
        swipe, swipes = 0, 1
        if raw.swipes:
            swipes = len(raw.swipes)
            swipe = min(max(_number(raw.swipe_id), 0), swipes - 1)
            if swipe:
                first_text = msgspec.json.decode(raw.swipes[0], type=str)
                first_hash = digest(first_text)
        if raw.swipe_info and raw.swipe_info[0] is not None:
            date = raw.swipe_info[0].send_date
            if date and date != sent:
                first_sent = _text(date)
        identity, weak = identities_of(first_sent, name, is_user, first_text, first_hash)
        kind, recaps, names = MessageKind.CHAT, _NO_RECAPS, _NO_NAMES
        if extra is not None:
            if is_hidden or extra.type == "narrator":
                kind = _kind(extra, is_hidden)
            if not (extra.auto_recap_memory is extra.auto_summarize_memory is extra.qvink_memory):
                recaps, names = _recaps(extra)
                if any(_SYSTEM_MEMORY in block and _is_memory(block) for block in recaps):
                    kind = MessageKind.NOTICE
        if raw.is_thoughts and kind is MessageKind.CHAT:
            kind = MessageKind.THOUGHT
        return ChatLine(
            name,
            text,
            is_user,
            is_hidden,
            kind,
            sent,
            self._once(_text(raw.original_avatar)) if raw.original_avatar else "",
            swipe,
            swipes,
            first_sent,
            first_hash,
            content_hash,
            identity,
            weak,
            recaps,
            names,
        )

    def _once(self, text: str) -> str:
        return self._seen.setdefault(text, text)


def load_json(line: bytes) -> tuple[Any, str]:
    """Any JSON value, however damaged its characters, and what had to be mended or "".

    Raises UnreadableLine.
    """
    flaw = ""
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError:
        text = line.decode("utf-8", "replace")
        flaw = N_("contains bytes that are not UTF-8 text; they are shown as �")
    try:
        return json.loads(text, strict=False), flaw
    except RecursionError:
        raise UnreadableLine(N_("is nested too deeply")) from None
    except ValueError:
        raise UnreadableLine(N_("is cut off or damaged")) from None


def is_header(value: object) -> bool:
    """Whether a first line's JSON is the chat's header; old group chats have none."""
    return isinstance(value, dict) and (
        "chat_metadata" in value
        or ("mes" not in value and ("user_name" in value or "character_name" in value))
    )


def _kind(extra: _Extra, is_hidden: bool) -> MessageKind:
    if extra.type == "narrator":
        return MessageKind.NARRATOR
    # "/sys compact=true" makes a small message that does reach the model, hence is_hidden.
    is_remark = extra.type in NOTICE_TYPES or extra.isSmallSys is True or extra.uses_system_ui
    return MessageKind.NOTICE if is_hidden and is_remark else MessageKind.CHAT


def _recaps(extra: _Extra) -> tuple[tuple[bytes, ...], tuple[str, ...]]:
    """The blocks that are there, and their names."""
    blocks = (extra.auto_recap_memory, extra.auto_summarize_memory, extra.qvink_memory)
    # A Raw is a view of the whole line and would keep it in memory.
    found = {
        name: bytes(block)
        for name, block in zip(RECAP_NAMESPACES, blocks, strict=True)
        if block is not UNSET and bytes(block) != b"null"
    }
    names = tuple(found)
    return tuple(found.values()), _NAMES.setdefault(names, names)


def _is_memory(block: bytes) -> bool:
    """Whether an extension put the message there to hold its memory (spec/auto-recap.md §1.2)."""
    try:
        held = msgspec.json.decode(block)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return False
    return isinstance(held, dict) and any(
        key.endswith("_system_memory") and bool(value) for key, value in held.items()
    )


def _coerced(raw: dict[str, Any]) -> _Message:
    swipes, info, extra = raw.get("swipes"), raw.get("swipe_info"), raw.get("extra")
    return _Message(
        mes=_text(raw.get("mes")),
        name=_text(raw.get("name")),
        is_user=_is_true(raw.get("is_user")),
        is_system=_is_true(raw.get("is_system")),
        send_date=_text(raw.get("send_date")),
        swipe_id=_number(raw.get("swipe_id")),
        swipes=_coerced_swipes(swipes) if isinstance(swipes, list) else None,
        swipe_info=_coerced_info(info) if isinstance(info, list) else None,
        original_avatar=_text(raw.get("original_avatar")),
        is_thoughts=raw.get("is_thoughts"),
        extra=None if extra is None else _coerced_extra(extra),
    )


def _coerced_swipes(swipes: list[Any]) -> list[Raw]:
    return [Raw(msgspec.json.encode(_text(swipe))) for swipe in swipes]


def _coerced_info(info: list[Any]) -> list[_Swipe | None]:
    return [
        _Swipe(_text(swipe.get("send_date"))) if isinstance(swipe, dict) else None
        for swipe in info[:1]
    ]


def _coerced_extra(extra: Any) -> _Extra:
    if not isinstance(extra, dict):
        # What stands there has no room for data: it is as if what is there could not be read.
        return _Extra(auto_recap_memory=Raw(b"0"))
    kind = extra.get("type")
    return _Extra(
        kind if isinstance(kind, str) else None,
        extra.get("isSmallSys"),
        extra.get("uses_system_ui"),
        *(
            Raw(json.dumps(extra[key]).encode()) if extra.get(key) is not None else UNSET
            for key in RECAP_NAMESPACES
        ),
    )


def _text(value: object) -> str:
    if type(value) is str:
        return value if value.isascii() else without_surrogates(value)
    if value is None or isinstance(value, (bool, list, dict)):
        return ""
    return str(value)


def without_surrogates(text: str) -> str:
    """Half characters, which JSON allows, cannot be stored or drawn."""
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _number(value: object) -> int:
    if type(value) is int:
        return value
    try:
        return int(float(value))  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return 0


def _is_true(value: object) -> bool:
    """JavaScript's truth: an empty list or object is true."""
    return value is not None and value is not False and value != "" and value != 0
