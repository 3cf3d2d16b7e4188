"""What the work page says of the use of models: tasks, days, sums and the cap."""

from __future__ import annotations

from datetime import date

from app.core.model_use import TRIAL, DayCap, Spent
from app.core.operations import OperationKind
from app.core.translation import N_, amount, number, tr, trn
from app.settings.values import REGISTRY
from ui.controls.dates import day_words as date_words
from ui.work.model import KIND_WORDS

OTHER_WORDS = {TRIAL: N_("Model tests")}

EMPTY = N_(
    "No model has been asked yet. Each request is counted here, by day and by task. Work without "
    "a model needs none."
)


def task_words(task: str) -> str:
    """A task by the name that the queue gives it."""
    if task in OTHER_WORDS:
        return tr(OTHER_WORDS[task])
    return tr(KIND_WORDS[OperationKind(task)]) if task in set(OperationKind) else task


def day_words(day: date, today: date) -> str:
    """Today, yesterday, 14 Mar, 14 Mar 2025."""
    gone = (today - day).days
    if gone in (0, 1):
        return (tr("Today"), tr("Yesterday"))[gone]
    return date_words(day, with_year=day.year != today.year)


def by_task_words(day: date, today: date) -> str:
    """Over the tasks of one day: "By task, yesterday"."""
    gone = (today - day).days
    if gone in (0, 1):
        return (tr("By task, today"), tr("By task, yesterday"))[gone]
    return tr("By task, {when}", when=day_words(day, today))


def price_words(price: float | None) -> str:
    """What it cost by today's prices, "" where there are none."""
    return "" if price is None else amount(price)


def sum_words(spent: Spent, price: float | None) -> str:
    """A sum in one line: "37 requests, 38,112 tokens read, 3,096 written, 0.42 by your prices"."""
    parts = [
        trn("{n} request", "{n} requests", spent.requests),
        tr("{prompt_tokens} tokens read", prompt_tokens=number(spent.prompt_tokens)),
        tr("{output_tokens} written", output_tokens=number(spent.output_tokens)),
    ]
    if price is not None:
        parts.append(tr("about {price} at your prices", price=price_words(price)))
    return ", ".join(parts)


def estimate_words(spent: Spent) -> str:
    """How many of the requests have tokens that were only counted here, "" for none."""
    if not spent.estimated:
        return ""
    if spent.estimated == spent.requests:
        return tr("Estimated: the server does not report tokens, so they are counted here.")
    return tr(
        "Estimated for {estimated} of {requests} requests: the server did not report tokens, so "
        "they were counted here.",
        estimated=number(spent.estimated),
        requests=number(spent.requests),
    )


def cap_words(cap: DayCap) -> str:
    """How far the day is from its cap."""
    if not cap.limit:
        return tr("No limit: work goes on, whatever it costs.")
    words = tr(
        "{used} of {limit} {unit} today",
        used=number(cap.used),
        limit=number(cap.limit),
        unit=REGISTRY["daily_cap_unit"].word(cap.unit),
    )
    if cap.is_lifted and cap.used >= cap.limit:
        return tr("{words}; continues today because you allowed it", words=words)
    if cap.used > cap.limit and cap.used_before > cap.limit:
        before = number(cap.used_before)
        return tr("{words}; {n} of them before this limit was set", words=words, n=before)
    if cap.used > cap.limit:  # an answer that is of no use is asked for once more
        return tr("{words}; what had begun was still finished", words=words)
    return words


def chart_words(days: list[tuple[date, Spent]], today: date) -> str:
    """What the bars show, for who cannot see them."""
    used = [(day, spent) for day, spent in days if spent.requests]
    if not used:
        return trn("Nothing in {n} day.", "Nothing in {n} days.", len(days))
    day, most = max(used, key=lambda pair: pair[1].tokens)
    counted = trn(
        "Requests on {n} of {days}.",
        "Requests on {n} of {days}.",
        len(used),
        days=len(days),
    )
    when, tokens = day_words(day, today), number(most.tokens)
    return f"{counted} {tr('Most on {day}: {tokens} tokens.', day=when, tokens=tokens)}"
