"""Which of two profiles a model works by, and all that depends on it (spec/smart-memory.md §5)."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from app.core.errors import UsageError
from app.core.translation import N_, tr
from app.llm.backends.specs import BUILTIN, KINDS, BackendSpec, parse_spec
from app.memory.similarity import PROFILE_A as THRESHOLDS_A
from app.memory.similarity import PROFILE_B as THRESHOLDS_B
from app.memory.similarity import Thresholds
from app.settings.memory import AUTO, PROFILE_A, PROFILE_B, MemorySettings


@dataclass(frozen=True, slots=True)
class HardwareProfile:
    """What a model can be asked for.

    key: "a" or "b"; ranking has its own figures by it. label: for people. new_per_type: long-term
    memories of one type that a pass may add beside those that shape the story; the others are put
    aside. thresholds: of verification. one_request: all tiers
    are read from one answer. The others say what may be done without being asked for: keywords of
    each memory, checks of each reply, canon when an arc ends, profiles every few messages, looking
    through what is remembered for what no longer holds.
    warns_of_weak_models: the user is told where the ledger and the epistemic map are switched on.
    """

    key: str
    label: str
    new_per_type: int
    thresholds: Thresholds
    one_request: bool
    makes_triggers: bool
    checks_continuity: bool
    writes_canon: bool
    renews_profiles: bool
    looks_through: bool
    warns_of_weak_models: bool


A = HardwareProfile(
    key=PROFILE_A,
    label=N_("A, small local model"),
    new_per_type=6,
    thresholds=THRESHOLDS_A,
    one_request=False,
    makes_triggers=False,
    checks_continuity=False,
    writes_canon=False,
    renews_profiles=False,
    looks_through=False,
    warns_of_weak_models=True,
)
B = HardwareProfile(
    key=PROFILE_B,
    label=N_("B, capable model"),
    new_per_type=12,
    thresholds=THRESHOLDS_B,
    one_request=True,
    makes_triggers=True,
    checks_continuity=True,
    writes_canon=True,
    renews_profiles=True,
    looks_through=True,
    warns_of_weak_models=False,
)
ONLY_CAPABLE = N_("No effect with a small model (A); meant for capable ones.")
OFTEN_WRONG = N_("Small models often get this wrong: check what is noted, or test the model.")
PROFILES: Mapping[str, HardwareProfile] = {profile.key: profile for profile in (A, B)}


@dataclass(frozen=True, slots=True)
class ProfileInForce:
    """The profile that holds, and why. is_chosen: by the user. suggestion: what may fit better,
    "" for nothing; it is shown and never done.
    """

    profile: HardwareProfile
    why: str
    is_chosen: bool = False
    suggestion: str = ""


def profile_for(settings: Mapping[str, Any], backend: str) -> ProfileInForce:
    """The profile by the setting, else by the backend: A for Ollama and without a model, B else.

    backend: as `parse_spec` reads it; what it cannot read is no reason to fail here.
    """
    chosen = MemorySettings(settings).hardware_profile
    spec = _spec(backend)
    if chosen != AUTO:
        return ProfileInForce(PROFILES[chosen], tr("You chose it."), is_chosen=True)
    if spec.kind == BUILTIN:
        return ProfileInForce(A, tr("No model is chosen."))
    kind = KINDS.get(spec.kind)  # none for what cannot be read
    if kind is not None and kind.runs_small:
        return ProfileInForce(
            A, tr("{server} mostly runs small models on this computer.", server=kind.place)
        )
    if kind is not None and kind.asks_url and is_local(spec.url):
        return ProfileInForce(
            B,
            tr("The model runs on its own server."),
            suggestion=tr(
                "This server is on your own computer or network. If its model is small, strength "
                "A asks less of it."
            ),
        )
    return ProfileInForce(B, tr("The model runs on its own server."))


def setting_warnings(settings: Mapping[str, Any], backend: str) -> Mapping[str, str]:
    """What to say of settings, where they are on, by the profile that holds (§5); by name."""
    if _spec(backend).kind == BUILTIN:
        return {}
    profile = profile_for(settings, backend).profile
    idle = {
        "continuity_auto": profile.checks_continuity,
        "canon_auto": profile.writes_canon,
        "profiles_every": profile.renews_profiles,
        "upkeep_enabled": profile.looks_through,
    }
    said = {name: tr(ONLY_CAPABLE) for name, does in idle.items() if not does}
    if profile.warns_of_weak_models:
        said |= dict.fromkeys(("state_ledger_enabled", "epistemic_enabled"), tr(OFTEN_WRONG))
    return said


def is_local(url: str) -> bool:
    """Whether an address is of this machine or of the network at home."""
    host = (urlsplit(url).hostname or "").casefold()
    if host == "localhost" or host.endswith((".local", ".lan", ".localhost")):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return "." not in host and bool(host)  # a bare name is resolved by the network at home
    return address.is_loopback or address.is_private or address.is_link_local


def _spec(backend: str) -> BackendSpec:
    try:
        return parse_spec(backend)
    except UsageError:
        return BackendSpec(backend.partition(":")[0])
