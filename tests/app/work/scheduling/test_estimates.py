"""What a plan is expected to take, by what work took before."""

from __future__ import annotations

from dataclasses import replace

from app.core.model_use import Tariff
from app.core.operations import OperationKind, OperationSpec, OperationStatus
from app.store.store import Store
from app.views.catch_up import CatchUpPlan
from app.work.planning.writing import Writing
from app.work.scheduling.estimates import Estimates

FOLD = OperationKind.RUNNING_RECAP


async def test_folds_are_expected_to_take_what_the_last_ones_of_this_model_took(
    store: Store,
) -> None:
    chat = await store.run(lambda: store.chats.id_of("chat"))
    specs = [OperationSpec(FOLD, chat, f"key {n}", "a", f"Fold {n}") for n in range(5)]

    def unit() -> None:
        for number, operation in enumerate(store.operations.add(specs)):
            taken = 0 if number == 0 else 4_000 + number  # the first asks nobody
            other = "another" if number == 4 else "model"
            done = replace(operation, status=OperationStatus.DONE, started=1.0, finished=2.0)
            store.operations.update(replace(done, prompt_tokens=taken, backend=other))

    estimates = Estimates(store, lambda _: "model", Tariff)
    plan = CatchUpPlan(0, 0, 80, 3, 6_000, 750, folds=3, fold_tokens=(6_000, 750))
    writing = Writing("model", "1", is_free=False)
    await estimates.measure()
    assert estimates.as_measured(plan, writing) == plan
    await store.run(unit)
    await estimates.measure()
    dear = estimates.as_measured(plan, writing)
    assert dear.prompt_tokens + dear.output_tokens == 3 * 4_002


async def test_the_time_expected_counts_what_passes_between_two_requests(store: Store) -> None:
    """256 requests of 2 s each, with the work around them, were "about 1 min"."""
    chat = await store.run(lambda: store.chats.id_of("chat"))
    specs = [OperationSpec(FOLD, chat, f"key {n}", "a", f"Fold {n}") for n in range(6)]

    def unit() -> None:
        for number, operation in enumerate(store.operations.add(specs)):
            # Each asks for half a second; between the third and the fourth, the user was away.
            began = 1_000.0 + 2 * number + (3_600 if number >= 3 else 0)
            done = replace(operation, status=OperationStatus.DONE, backend="model")
            store.operations.update(replace(done, started=began, finished=began + 0.5))

    await store.run(unit)
    estimates = Estimates(store, lambda _: "model", Tariff)
    await estimates.measure()
    assert estimates.pace.of(FOLD) == 2.0
