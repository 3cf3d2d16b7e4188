"""Says how the way to SillyTavern's page is doing, in the words of the status bar. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from app.core.part_health import HealthItem, Light
from app.core.translation import N_, tr, trn
from app.sillytavern.bridge.bridge_socket import Page
from app.views.bridge import PORT_TAKEN, WAITS, BridgeState

TAKEN = N_(
    "Another program uses port {port}, which SillyTavern's page needs to find Tavernkeep. Close "
    "it, or pair again with a code"
)


# 7 parameters: all that can go wrong on the way, by name.
def bridge_health(
    pages: Sequence[Page],
    bridges: Mapping[Path, BridgeState],
    *,
    is_listening: bool,
    is_seeking: bool,
    unplaced: Sequence[str],
    unreached: Sequence[str],
    taken_ports: Sequence[int] = (),
) -> HealthItem:
    """How the way to SillyTavern's page is doing.

    bridges: how it stands in each user folder. is_seeking: we have just begun, and no page had the
    time to come yet. unplaced: macros that were to tell something and stand in no prompt.
    unreached: sentences on taverns that have the bridge and cannot be told where we are.
    taken_ports: where pages of taverns elsewhere look for us, and another program is.
    """
    if unplaced:
        return _unplaced(unplaced)
    if any(bridges.get(page.user_folder) is BridgeState.ABSENT for page in pages):
        sentence = tr("The bridge was removed from SillyTavern; its page loses it when reloaded")
        return HealthItem("bridge", Light.BAD, sentence, BridgeState.ABSENT)
    if pages:
        version = pages[-1].version
        sentence = trn(
            "Bridge {version}, {n} page", "Bridge {version}, {n} pages", len(pages), version=version
        )
        return HealthItem("bridge", Light.GOOD, sentence)
    if taken_ports:
        return HealthItem("bridge", Light.BAD, tr(TAKEN, port=taken_ports[0]), PORT_TAKEN)
    if unreached:
        return HealthItem("bridge", Light.OFF, unreached[0])
    states = set(bridges.values()) if bridges or not is_listening else {BridgeState.PAIRED}
    if BridgeState.UNPAIRED in states:
        sentence = tr("SillyTavern's page has a different password than Tavernkeep. Rewrite it")
        return HealthItem("bridge", Light.BAD, sentence, BridgeState.UNPAIRED)
    if BridgeState.PAIRED in states and is_seeking:
        return HealthItem("bridge", Light.IDLE, tr("Bridge is looking for SillyTavern's page"))
    if BridgeState.PAIRED in states:
        sentence = tr("Bridge is waiting: open or reload SillyTavern's page")
        return HealthItem("bridge", Light.IDLE, sentence, WAITS)
    if BridgeState.SWITCHED_OFF in states:
        sentence = tr("The bridge is switched off in SillyTavern's extensions")
        return HealthItem("bridge", Light.BAD, sentence, BridgeState.SWITCHED_OFF)
    return HealthItem("bridge", Light.OFF, tr("Bridge not installed"), BridgeState.ABSENT)


def _unplaced(names: Sequence[str]) -> HealthItem:
    macro, more = f"{{{{{names[0]}}}}}", len(names) - 1
    sentence = (
        trn(
            "The prompt contains no {macro} and {n} more macro, so their texts are lost",
            "The prompt contains no {macro} and {n} more macros, so their texts are lost",
            more,
            macro=macro,
        )
        if more
        else tr("The prompt contains no {macro}, so its text is lost", macro=macro)
    )
    return HealthItem("bridge", Light.BAD, sentence)
