"""What the work page says of the use of models: tasks, days, sums and the cap."""

from __future__ import annotations

from datetime import date

from app.health import count_of
from app.model_use import DayCap, Prices, Spent
from app.operations import OperationKind
from app.work.metering import AWAY, TRIAL
from ui.work.model import KIND_WORDS

OTHER_WORDS = {AWAY: "What happened before", TRIAL: "Tests of a model"}
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
EMPTY = (
    "No model was asked yet. What one is asked is counted here, by day and by task; the built-in "
    "way asks none."
)
ESTIMATED = "Their tokens were counted here, since the server does not tell them."


def task_words(task: str) -> str:
    """A task by the name that the queue gives it."""
    if task in OTHER_WORDS:
        return OTHER_WORDS[task]
    return KIND_WORDS[OperationKind(task)] if task in set(OperationKind) else task


def day_words(day: date, today: date) -> str:
    """Today, yesterday, 14 Mar, 14 Mar 2025."""
    gone = (today - day).days
    if gone in (0, 1):
        return ("Today", "Yesterday")[gone]
    words = f"{day.day} {MONTHS[day.month - 1]}"
    return words if day.year == today.year else f"{words} {day.year}"


def price_words(spent: Spent, prices: Prices) -> str:
    """What it cost by today's prices, "" where there are none."""
    price = prices.of(spent.prompt_tokens, spent.output_tokens)
    return "" if price is None else f"{price:,.2f}"


def sum_words(spent: Spent, prices: Prices) -> str:
    """A sum in one line: "37 requests, 38,112 tokens read, 3,096 written, 0.42 by your prices"."""
    parts = [
        count_of(spent.requests, "request"),
        f"{spent.prompt_tokens:,} tokens read",
        f"{spent.output_tokens:,} written",
    ]
    if price := price_words(spent, prices):
        parts.append(f"about {price} by your prices")
    return ", ".join(parts)


def estimate_words(spent: Spent) -> str:
    """How many of the requests have tokens that were only counted here, "" for none."""
    if not spent.estimated:
        return ""
    if spent.estimated == spent.requests:
        return f"About: {ESTIMATED[0].lower()}{ESTIMATED[1:]}"
    return f"About for {spent.estimated:,} of {spent.requests:,} requests. {ESTIMATED}"


def cap_words(cap: DayCap) -> str:
    """How far the day is from its cap."""
    if not cap.limit:
        return "No cap: work goes on however much it takes."
    words = f"{cap.used:,} of {cap.limit:,} {cap.unit} today"
    if cap.is_lifted and cap.used >= cap.limit:
        return f"{words}; it goes on today since you said so"
    return words


def chart_words(days: list[tuple[date, Spent]], today: date) -> str:
    """What the bars show, for who cannot see them."""
    used = [(day, spent) for day, spent in days if spent.requests]
    if not used:
        return f"Nothing in {len(days)} days."
    day, most = max(used, key=lambda pair: pair[1].tokens)
    return (
        f"{count_of(len(used), 'day')} with requests among {len(days)}. "
        f"The most on {day_words(day, today)}: {most.tokens:,} tokens."
    )
