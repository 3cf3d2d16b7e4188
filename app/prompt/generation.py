"""One generation of SillyTavern: who answers, how, and what the prompt holds besides. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from app.prompt.slots import TurnKind

IMPERSONATE = "impersonate"
REPLACING = frozenset({"swipe", "regenerate"})
UNHEARD = 2  # messages that may have come since the story was read


@dataclass(frozen=True, slots=True)
class Turn:
    """One generation.

    responder: display name of whoever answers, "" when not known. generation: SillyTavern's type
    (normal, swipe, regenerate, continue, impersonate, quiet). kind: what the turn is like, None:
    to be read from the last message. context: tokens that the prompt may take, None: not known.
    is_unified: all in one block, None: as the settings say. card: names of the macros that stand in
    the responder's card, None: not known. serves_macros: whether the page can fill them. fixed:
    tokens of the prompt that are neither slots nor chat, 0 while unknown. is_behind: a reply has
    come that the story does not hold yet. said: the newest messages, the last one last,
    which the story may not hold yet either (name, text, whether it is the user's).
    """

    responder: str = ""
    generation: str = "normal"
    kind: TurnKind | None = None
    context: int | None = None
    is_unified: bool | None = None
    card: tuple[str, ...] | None = None
    serves_macros: bool = True
    fixed: int = 0
    is_behind: bool = False
    said: tuple[tuple[str, str, bool], ...] = ()
