"""The colours of message recaps where none of them goes into the prompt."""

from __future__ import annotations

from dataclasses import replace

from ui.theme.tokens import Tokens, Tone, faded


def neutral(tokens: Tokens) -> Tokens:
    """The same palette with grey for every state that says where a recap goes.

    Icons and forms still tell them apart; what failed or changed keeps its colour, since that says
    whether to trust a recap.
    """
    grey = Tone(tokens.ctl, tokens.t3)
    return replace(
        tokens,
        included=grey,
        long_term=grey,
        out_of_budget=grey,
        lagging=Tone(faded(tokens.ctl, 0.42), tokens.t3),
    )
