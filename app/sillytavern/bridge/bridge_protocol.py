"""The frames that Tavernkeep and the bridge extension exchange, and what names a chat in them."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from app.core.errors import BridgeError
from app.core.translation import tr
from app.prompt.slots import Slot, SlotSet
from app.story.story import ChatKind, ChatRef

# Newest first. A page offers what it speaks as websocket subprotocols, next to its token.
SUBPROTOCOLS = ("tavernkeep.v1",)
PAIRING_SUBPROTOCOL = "tavernkeep.pair.v1"  # of a page that has no token yet, and brings a code
TOKEN_PREFIX = "token."
# Of a page that proves its token instead of sending it: `remote.NONCE`, or `local.NONCE.MARK` of a
# tavern on this computer, whose mark tells which one's token it is.
NONCE_PREFIX, LOCAL_PREFIX = "remote.", "local."
MAX_FRAME_BYTES = 1024 * 1024

Name = Annotated[str, Meta(max_length=512)]
Short = Annotated[str, Meta(max_length=100)]
Count = Annotated[int, Meta(ge=0, le=10_000_000)]
Crc = Annotated[int, Meta(ge=0, le=0xFFFFFFFF)]


class ChatIdentity(Struct, frozen=True, omit_defaults=True):
    """Which chat of a tavern, as the page names it; safe to make a path of by construction.

    avatar: card file name with .png (solo). group: group id (group). chat: file name without
    .jsonl. Raises ValueError for names that could leave their folder.
    """

    kind: Literal["solo", "group"]
    chat: Name
    avatar: Name = ""
    group: Name = ""

    def __post_init__(self) -> None:
        required = self.avatar if self.kind == "solo" else self.group
        for part in (self.chat, required, self.owner):
            _check_file_name(part)

    @classmethod
    def of(cls, chat: ChatRef) -> ChatIdentity | None:
        """The identity of a tavern's chat; None for a file that SillyTavern could not open."""
        try:
            if chat.kind is ChatKind.SOLO:
                return cls(kind="solo", chat=chat.title, avatar=f"{chat.owner}.png")
            if chat.kind is ChatKind.GROUP:
                return cls(kind="group", chat=chat.title, group=chat.owner)
        except ValueError:
            pass  # a name that SillyTavern never gives a file
        return None

    @property
    def owner(self) -> str:
        """Card file name without .png as SillyTavern's server derives it, or the group id."""
        return self.avatar.replace(".png", "", 1) if self.kind == "solo" else self.group

    @property
    def key(self) -> str:
        """The chat's name in the bridge file."""
        return f"{self.kind}/{self.owner}/{self.chat}"

    def to_path(self, user_folder: Path) -> Path:
        """The chat's file; it need not exist."""
        if self.kind == "solo":
            return user_folder / "chats" / self.owner / f"{self.chat}.jsonl"
        return user_folder / "group chats" / f"{self.chat}.jsonl"


def _check_file_name(name: str) -> None:
    # Chat and card names come from a web page: one that names another folder must not get there.
    forbidden = "/\\:" if sys.platform == "win32" else "/\\"
    if not name or name in {".", ".."} or any(c in forbidden or ord(c) < 32 for c in name):
        raise ValueError("not a file name")


class Hello(Struct, frozen=True, tag="hello"):
    """First frame of a page. version: of the extension. page: random, new at each page load.
    language: of SillyTavern's page, like "de-de"; "" where it does not say.
    """

    version: Short
    page: Annotated[str, Meta(min_length=1, max_length=100)]
    sillytavern: Short = ""
    chat: ChatIdentity | None = None
    length: Count = 0
    language: Short = ""


class Pair(Struct, frozen=True, tag="pair"):
    """Only frame of a page that wants to be paired. code: that the user typed there."""

    code: Short


class Prove(Struct, frozen=True, tag="prove"):
    """A page's answer to Challenge, before its Hello: that it knows the token, too."""

    proof: Short


class Event(Struct, frozen=True, tag="event"):
    """Something SillyTavern announced; names as in `EVENTS`.

    length: messages in the chat. index: message it is about. kind: generation or message type.
    subject: the drafted member's avatar, the deleted or new chat's name. previous: old chat name.
    """

    name: Short
    chat: ChatIdentity | None = None
    length: Count = 0
    index: Count | None = None
    kind: Short = ""
    subject: Name = ""
    previous: Name = ""


EVENTS = frozenset(
    {
        "chat_changed",
        "chat_created",
        "chat_deleted",
        "chat_renamed",
        "generation_ended",
        "generation_started",
        "generation_stopped",
        "group_finished",
        "group_started",
        "macros_unplaced",  # subject: names of those whose text the last prompt does not hold
        "member_drafted",
        "message_deleted",
        "message_edited",
        "message_received",
        "message_sent",
        "message_swiped",
        "message_updated",
        "more_loaded",
        "recap_asked",  # /tk-recap
        "refresh_asked",  # /recap-refresh-memory
        "slot_refused",  # subject: key that another extension already fills
        "swipe_deleted",
    }
)


class Changed(Struct, frozen=True, tag="changed"):
    """Messages from `first` on differ from before, also where no event says so."""

    chat: ChatIdentity
    first: Count
    length: Count


class Said(Struct, frozen=True):
    """A message that a turn answers, as the page shows it."""

    name: Name
    text: Annotated[str, Meta(max_length=20_000)]
    is_user: bool = False


class TurnRequest(Struct, frozen=True, tag="turn"):
    """SillyTavern is about to build a prompt and waits for the slots of this turn.

    kind: normal, swipe, regenerate, continue, impersonate or quiet. responder and avatar: name
    and card file of the character that will answer. context: tokens the prompt may take, 0 when
    not known yet. messages: how many SillyTavern considers for the prompt. macros: names of ours
    that stand in what it uses of the card; None from a page that cannot fill any. tokenizer: which
    one counts for its model, "" from an older page. said: the newest messages, () where
    it answers none, and from an older page. asked: when, in seconds since the epoch by the page's
    clock, which is ours; 0 from an older page. A program that hung hears of it late.
    """

    id: Short
    chat: ChatIdentity
    kind: Short = "normal"
    responder: Name = ""
    avatar: Name = ""
    context: Count = 0
    messages: Count = 0
    macros: Annotated[tuple[Short, ...], Meta(max_length=50)] | None = None
    tokenizer: Name = ""
    said: Annotated[tuple[Said, ...], Meta(max_length=4)] = ()
    asked: float = 0.0


class Answer(Struct, frozen=True, tag="answer"):
    """What became of a Request. error: one sentence when it failed, else empty."""

    id: Short
    result: dict[str, Any] = {}
    error: Annotated[str, Meta(max_length=1000)] = ""


class Part(Struct, frozen=True, tag="part"):
    """A piece of what a Request asks for, before its Answer."""

    id: Short
    text: str = ""
    reasoning: str = ""


class PageRequest(Struct, frozen=True, tag="wish"):  # as older pages send it, too
    """What the user asks of the program from within the page; a Reply with this id answers it.

    kind: as in `PAGE_REQUESTS`. index: of the message it is about, 0 and more, None for the newest.
    hash: that message's checksum. before: that of the message before it, None for the first one
    and from an older page. wanted: how it shall be, None for the other way than now. text: what is
    looked for, or which text is to be written.
    """

    id: Short
    kind: Short
    chat: ChatIdentity
    index: Count | None = None
    hash: Crc | None = None
    before: Crc | None = None
    wanted: bool | None = None
    text: Annotated[str, Meta(max_length=500)] = ""


PAGE_REQUESTS = frozenset(
    {
        "check",  # what a message tells that its speaker cannot know
        "marks",  # the page shows the messages from `index` on
        "open",  # show the message in the window
        "order",  # something about the program as a whole; its name is in `text`
        "scene",  # end a scene with the message, or no longer
        "search",  # find words in memories and messages
        "text",  # have a longer text written; its name is in `text`
    }
)


class Pulse(Struct, frozen=True, tag="pulse"):
    """The program asks in short intervals whether the page lives, and the page answers.

    server: whether SillyTavern's own server answers the page; the program says nothing of it.
    """

    server: bool = True


class WireSlot(Struct, frozen=True, omit_defaults=True):
    """A slot as the page sets it. macro: name of the macro that tells its text, "" for none."""

    key: str
    position: int
    depth: int
    role: int
    scan: bool
    text: str
    macro: str = ""

    @classmethod
    def of(cls, slot: Slot) -> WireSlot:
        position, role = int(slot.position), int(slot.role)
        return cls(slot.key, position, slot.depth, role, slot.scan, slot.text, slot.macro)


def wire_slots(slots: SlotSet) -> tuple[WireSlot, ...]:
    """The slots in the order and form in which the page sets them."""
    return tuple(WireSlot.of(slot) for slot in slots.slots)


class WirePart(Struct, frozen=True):
    """A message of the prompt that was sent; see prompt.turns.SentPart."""

    role: Short
    text: str
    length: Count
    mark: Short = ""


class Sent(Struct, frozen=True, tag="sent"):
    """The prompt that a turn was sent with. turn: id of its TurnRequest. slots: as they stood."""

    turn: Short
    chat: ChatIdentity
    wire: Literal["chat", "text"]
    slots: tuple[WireSlot, ...]
    parts: tuple[WirePart, ...]


class Welcome(Struct, frozen=True, tag="welcome"):
    """Answer to Hello. session: new at each start of the program. wait_ms: a turn waits at most.
    macros: names of those that tell what slots would.
    """

    session: str
    version: str
    wait_ms: int
    macros: tuple[str, ...] = ()


class Paired(Struct, frozen=True, tag="paired"):
    """Answer to Pair. token: the page's own from now on, empty where `error` says why not."""

    token: str = ""
    error: str = ""


class Challenge(Struct, frozen=True, tag="challenge"):
    """First frame to a page whose token lies in no file. proof: that the program knows the token:
    another program may have the port. See PairedTavern.
    """

    nonce: str
    proof: str


class Slots(Struct, frozen=True, tag="slots"):
    """The slots of a chat; everything set before that is not in here goes away.

    turn: id of the TurnRequest it answers, else empty. responder: avatar it is meant for, empty
    for whoever answers. kept: avatars whose own slots, as they were sent last, count beside these.
    """

    chat: ChatIdentity
    revision: int
    slots: tuple[WireSlot, ...]
    responder: str = ""
    turn: str = ""
    kept: tuple[str, ...] = ()


class Request(Struct, frozen=True, tag="request"):
    """A question to the page; `id` comes back in its Answer."""

    id: str
    kind: str
    params: dict[str, Any] = {}


class Cancel(Struct, frozen=True, tag="cancel"):
    """Nobody waits for the Answer to this Request any more."""

    id: str


class Reply(Struct, frozen=True, tag="reply"):
    """What became of a PageRequest. error: one sentence for the user when it failed, else empty."""

    id: str
    result: dict[str, Any] = {}
    error: str = ""


PageFrame = (
    Hello
    | Pair
    | Prove
    | Event
    | Changed
    | TurnRequest
    | Answer
    | Part
    | Sent
    | PageRequest
    | Pulse
)
ProgramFrame = Welcome | Paired | Challenge | Slots | Request | Cancel | Reply | Pulse

_decoder = msgspec.json.Decoder(PageFrame)
_encoder = msgspec.json.Encoder()


def decode(data: str | bytes) -> PageFrame:
    """Read a page's frame. Raises BridgeError, which never repeats what the frame said."""
    if len(data) > MAX_FRAME_BYTES:
        raise BridgeError(tr("The bridge extension sent a message that is too large."))
    try:
        frame: PageFrame = _decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        # Without its cause: msgspec quotes field values in some messages.
        raise BridgeError(tr("The bridge extension sent a message that makes no sense.")) from None
    return frame


def encode(frame: ProgramFrame) -> str:
    """Write a frame for the page. Lone surrogates, which JSON cannot carry, become U+FFFD."""
    try:
        return _encoder.encode(frame).decode()
    except UnicodeEncodeError:
        return _encoder.encode(_without_surrogates(msgspec.to_builtins(frame))).decode()


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_surrogates(item) for item in value]
    return value


def negotiate(offered: Iterable[str]) -> str | None:
    """The newest protocol both sides speak, None when there is none."""
    offers = set(offered)
    return next((protocol for protocol in SUBPROTOCOLS if protocol in offers), None)


def offered_token(offered: Iterable[str]) -> str:
    """The pairing token among a page's subprotocols, empty when it brought none."""
    for protocol in offered:
        if protocol.startswith(TOKEN_PREFIX):
            return protocol.removeprefix(TOKEN_PREFIX)
    return ""
