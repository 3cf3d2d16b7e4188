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
