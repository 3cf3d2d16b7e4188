"""The prices of single models, as they are kept in one setting."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from app.core.errors import UsageError
from app.core.model_use import Prices, Tariff
from app.core.translation import tr
from app.settings.program import ProgramSettings
from app.settings.values import Settings

OF_MODELS = "prices_of_models"
MOST_MODELS = 200
HIGHEST = 100_000.0  # as of the prices for all


def tariff_of(settings: Settings) -> Tariff:
    """What the user pays, as the settings say."""
    for_all = Prices(
        ProgramSettings(settings).price_prompt_tokens, ProgramSettings(settings).price_output_tokens
    )
    return Tariff(for_all, _read(ProgramSettings(settings).prices_of_models))


def with_prices(settings: Settings, backend: str, prices: Prices | None) -> str:
    """The value of the setting with other prices for one model, None for those of all.

    Raises UsageError for prices that are none.
    """
    if prices is not None and not _is_fit(prices):
        raise UsageError(tr("A price is a number from 0 to {most}.", most=int(HIGHEST)))
    own = dict(_read(ProgramSettings(settings).prices_of_models))
    own.pop(backend, None)
    if prices is not None:
        own[backend] = prices
    newest = list(own.items())[-MOST_MODELS:]
    value = {name: (one.prompt, one.output) for name, one in newest}
    return msgspec.json.encode(value).decode() if value else ""


def _read(text: str) -> Mapping[str, Prices]:
    try:
        found = msgspec.json.decode(text or "{}", type=dict[str, tuple[float, float]])
    except msgspec.MsgspecError:
        return {}
    read = {name: Prices(*pair) for name, pair in found.items()}
    return {name: prices for name, prices in read.items() if _is_fit(prices)}


def _is_fit(prices: Prices) -> bool:
    return 0 <= prices.prompt <= HIGHEST and 0 <= prices.output <= HIGHEST
