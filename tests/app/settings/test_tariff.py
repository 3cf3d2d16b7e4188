"""Each model costs what the user says of it, the others what is said for all."""

from __future__ import annotations

from datetime import date

import pytest

from app.core.errors import UsageError
from app.core.model_use import ModelUse, Prices, Spent
from app.settings.tariff import OF_MODELS, tariff_of, with_prices
from app.settings.values import Settings

MILLION = Spent(1, 1_000_000, 1_000_000)


def use(backend: str) -> ModelUse:
    return ModelUse(date(2026, 1, 1), "canon", backend, MILLION)


def test_a_model_without_prices_of_its_own_costs_what_all_do() -> None:
    settings = Settings()
    assert not tariff_of(settings).has_any
    assert tariff_of(settings).price([use("m")]) is None
    settings.put("price_prompt_tokens", 1.0)
    settings.put(OF_MODELS, with_prices(settings, "good", Prices(3.0, 15.0)))
    settings.put(OF_MODELS, with_prices(settings, "home", Prices()))
    tariff = tariff_of(settings)
    assert tariff.price([use("good"), use("other"), use("home")]) == pytest.approx(18.0 + 1.0)
    settings.put(OF_MODELS, with_prices(settings, "good", None))
    assert tariff_of(settings).price([use("good")]) == pytest.approx(1.0)


@pytest.mark.parametrize("prices", [Prices(-1.0), Prices(output=1e9), Prices(float("nan"))])
def test_a_price_that_is_none_is_refused(prices: Prices) -> None:
    with pytest.raises(UsageError, match="price"):
        with_prices(Settings(), "m", prices)


@pytest.mark.parametrize("text", ["[]", "{", '{"m": [1]}', '{"m": [-1, 2]}', '{"m": "3"}'])
def test_what_makes_no_sense_is_no_price(text: str) -> None:
    settings = Settings()
    settings.put(OF_MODELS, text)
    assert not tariff_of(settings).has_any
