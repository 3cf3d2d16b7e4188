"""The key that a server asks for: typed once, said to be kept, and deleted again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from app.core.translation import N_, tr
from ui.controls.buttons import Button
from ui.controls.fields import Field
from ui.controls.labels import body

HELP = N_(
    "If the server needs an API key, it is stored in your system's keyring and sent only to this "
    "server. It is never shown again and never written to a log or report."
)
NO_KEY = N_("API key, if the server asks for one")
KEPT = N_("A key for this server is saved. Enter another to replace it.")
IN_FILE = N_(
    "Your system's keyring did not accept the key, so it is stored unencrypted in {file}, which "
    "only your user account can read."
)
KeyOf = Callable[[str], tuple[bool, Path | None]]


class ServerKey:
    """A field, a button that deletes what is kept, and what is said of it; who owns them lays them
    out. key_of: whether a key is kept for an address, and in which file where no keyring took it.
    """

    def __init__(self, key_of: KeyOf) -> None:
        self._key_of = key_of
        self.field = Field(tr("API key of the server"), placeholder=tr(NO_KEY))
        self.field.setObjectName("api key")
        self.field.setEchoMode(Field.EchoMode.Password)
        self.forget = Button(tr("Delete the key"), icon="trash")
        self.forget.setObjectName("forget the key")
        self.words = body(tr(HELP))
        self.words.setObjectName("about the key")

    def show_for(self, address: str | None) -> None:
        """Say what is kept for the server there; None where no server is asked."""
        is_server = address is not None
        is_kept, file = self._key_of(address) if address is not None else (False, None)
        self.field.setVisible(is_server)
        self.forget.setVisible(is_server and is_kept)
        self.words.setVisible(is_server)
        # Dots as of a password that is there: what is kept is never shown itself.
        kept = f"{'•' * 12}  {tr('A key is saved')}"
        self.field.setPlaceholderText(kept if is_kept else tr(NO_KEY))
        said = tr(KEPT) if is_kept else tr(HELP)
        self.words.setText(tr(IN_FILE).format(file=file) if file else said)

    def take(self) -> str:
        """What the user typed, once; "" for nothing."""
        key = self.field.text().strip()
        self.field.clear()
        return key
