"""What the rows of the queue say of time, cost and makers."""

from __future__ import annotations

from dataclasses import replace

from app.core.operations import Operation, OperationKind, OperationSpec, OperationStatus
from ui.work.model import detail_words, duration_words, state_sentence, token_words


def operation(number: int, status: OperationStatus = OperationStatus.PENDING) -> Operation:
    spec = OperationSpec(
        OperationKind.SCENE_RECAP, 1, f"key {number}", "anchor", f"Recap of scene {number}"
    )
    return Operation(number, spec, status)


def test_what_took_no_time_was_done_at_once() -> None:
    assert duration_words(0.0) == "at once"
    assert duration_words(0.4) == "0.4 s"
    late = replace(operation(1, OperationStatus.WAITING), error="Nobody answers.", not_before=9.99)
    assert state_sentence(late, now=10.0) == "Nobody answers. Again at once."
    # Where another one asks for all of them, it stood there for minutes.
    assert state_sentence(replace(late, held="Nobody answers."), now=10.0) == "Nobody answers."


def test_an_operation_says_what_it_cost_and_who_did_it() -> None:
    done = replace(
        operation(1, OperationStatus.DONE),
        prompt_tokens=1204,
        output_tokens=85,
        backend="qwen3:14b",
        attempts=2,
    )
    assert token_words(done) == "1,204 tokens read, 85 written."
    assert detail_words(done) == "qwen3:14b, attempt 2"
    assert detail_words(replace(done, backend="kept", attempts=1)) == "kept from before"
    assert token_words(operation(2)) == ""
