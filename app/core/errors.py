"""Every error of Tavernkeep's own, on one page.

Each message is a sentence for the user: what failed, what was kept, what to do.

TavernkeepError
├── TavernError               a SillyTavern data folder or file
│   ├── NoTavern              the path holds no SillyTavern data
│   ├── ChatUnreadable        a chat cannot be opened at all
│   ├── ForeignTooNew         another program's data are of a version that is not known
│   └── WriteRefused          the guarded writer declined to write
├── StoreError                our own database
│   ├── StoreTooNew           written by a newer Tavernkeep
│   └── AlreadyRunning        another program works in the data folder
├── BackendError              a language model
│   ├── BackendUnreachable    nobody answers, may pass (transient)
│   │   └── BackendAway       gone until somebody comes back; waited for without end
│   ├── BackendBusy           overloaded or rate limited (transient)
│   ├── BackendRefused        final: wrong key, unknown model, bad request
│   │   └── PromptTooLong     prompt and answer do not fit the model's context
│   └── AnswerUnusable        it answered, but not with what was asked for
├── PromptUnusable            a prompt file, mostly the user's own
├── BridgeError               the extension or its socket
│   └── CopyRefused           a page sent a chat that must not be taken
├── ReleasesUnknown           which version is the newest could not be found out
├── OperationOutdated         queued work whose story has changed meanwhile
└── UsageError                a command was called wrongly
"""

from __future__ import annotations


class TavernkeepError(Exception):
    """Something the user can understand and act on."""


class TavernError(TavernkeepError):
    """A SillyTavern data folder or file is not as needed."""


class NoTavern(TavernError):
    """The path holds no SillyTavern data."""


class ChatUnreadable(TavernError):
    """A chat cannot be opened at all; its file is untouched."""


class ForeignTooNew(TavernError):
    """Another program's data are of a newer version than is known; none of them was used."""


class WriteRefused(TavernError):
    """The guarded writer declined; the file is as it was."""


class StoreError(TavernkeepError):
    """Our own database cannot be used as it is."""


class StoreTooNew(StoreError):
    """The database was written by a newer Tavernkeep."""


class AlreadyRunning(StoreError):
    """Another program that stays works in the data folder. is_ending: it is about to let go."""

    def __init__(self, sentence: str, *, is_ending: bool = False) -> None:
        super().__init__(sentence)
        self.is_ending = is_ending


class BackendError(TavernkeepError):
    """A language model did not give what was asked for.

    is_transient: the same request may succeed a little later. was_sent: the model had it already,
    and may take something for it. cause: what is the matter. advice: what the user can do then,
    where nothing is tried again by itself.
    """

    is_transient = False
    was_sent = False

    def __init__(
        self, cause: str, *, retry_after_seconds: float | None = None, advice: str = ""
    ) -> None:
        super().__init__(f"{cause} {advice}".rstrip())
        self.cause = cause
        self.retry_after_seconds = retry_after_seconds


class BackendUnreachable(BackendError):
    """Nobody answers at the address, or the connection broke."""

    is_transient = True


class BackendAway(BackendUnreachable):
    """It is not there now, as a closed page or a server that was not started; it comes back when
    the user does.
    """


class BackendBusy(BackendError):
    """The server is overloaded or limits the rate."""

    is_transient = True


class BackendRefused(BackendError):
    """The server will not answer this request: wrong key, unknown model, bad request."""


class KeyRefused(BackendRefused):
    """The server wants an API key, or another one."""


class PromptTooLong(BackendRefused):
    """Prompt and answer do not fit the model's context."""


class GenerationTooLong(PromptTooLong):
    """The prompt may fit, with less to be generated; less is asked for from now on."""


class AnswerUnusable(BackendError):
    """The model answered, but not with what was asked for."""


class PromptUnusable(TavernkeepError):
    """A prompt file cannot be used as it is."""


class BridgeError(TavernkeepError):
    """The bridge extension or its socket failed."""


class CopyRefused(BridgeError):
    """A page of another machine's SillyTavern sent what must not be taken; nothing was written."""


class ReleasesUnknown(TavernkeepError):
    """Which version is the newest could not be found out; this one goes on as it is."""


class OperationOutdated(TavernkeepError):
    """What an operation was about is gone; nothing was lost."""


class UsageError(TavernkeepError):
    """A command was called with arguments that make no sense."""


def reason_of(error: OSError) -> str:
    """Why something could not be done, as the system says it; Python's own errors have only words
    of their own, or not even these.
    """
    return error.strerror or str(error) or type(error).__name__
