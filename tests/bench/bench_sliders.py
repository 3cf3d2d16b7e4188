"""What a step of a slider costs: rows and colours of the budgets page, and the recount alone."""

from __future__ import annotations

import os
import random
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QObject, QPointF, Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from app.languages import load_packs
from app.llm.tokenizer import counter_for
from app.memory.records import LEDGER_FIELDS, Memory, Source, Tier
from app.memory.standing import Ground, standings
from app.prompt.assembly import prepared
from app.prompt.material import Means
from app.prompt.recollection import Recollection
from app.settings.recaps import RecapSettings
from app.settings.values import REGISTRY, ValueInForce
from app.story.inclusion import InclusionRules, include
from app.story.inclusion_preview import InclusionPreview
from app.story.messages import MessageRecap
from app.story.story import Story
from app.views.budget_preview import BudgetPreview
from tests.bench.bench_story_page import FRAME_MS, long_story
from tests.bench.table import Aim, Row
from ui.budgets.page import BudgetsPage
from ui.theme import theme
from ui.theme.fonts import load_fonts
from ui.theme.style import InstrumentStyle

SIZES = (10_000, 100_000)
CONTEXT = 32_768
STEPS = 60
AIM = Aim(most=FRAME_MS)
COUNT = counter_for().count
# Memories of a long story by tier, with their types.
HELD = {
    Tier.LONG_TERM: (300, ("fact", "relationship", "preference", "event")),
    Tier.SESSION: (120, ("detail", "development", "scene", "revelation")),
    Tier.ARCS: (40, ("arc",)),
    Tier.RELATIONSHIPS: (40, ("feeling",)),
    Tier.EPISTEMIC: (80, ("knows", "suspects", "unaware", "hiding")),
    Tier.STATE_LEDGER: (60, tuple(LEDGER_FIELDS)),
}
WORDS = (
    *("wick", "oil", "lamp", "vault", "stair", "harbour", "captain", "letter", "debt", "knife"),
    *("chapel", "bell", "tide", "ferry", "guild", "widow", "ledger", "seal", "key", "storm"),
    *("cellar", "ropewalk", "lantern", "oath", "brother", "wreck", "smoke", "salt", "quay"),
)
SLIDERS = ("budget_long", "budget_session", "budget_epistemic", "inclusion_limit", "budget_short")


def measure() -> list[Row]:
    """All figures; nothing else shows a prompt while its budgets move."""
    application = QApplication.instance() or QApplication([])
    assert isinstance(application, QApplication)
    load_fonts()
    application.setStyle(InstrumentStyle(theme))
    rows: list[Row] = []
    for count in SIZES:
        preview = previewed(count)
        rows += _dragged(application, preview, count)
        rows += _recounted(preview, count)
    return rows


def previewed(count: int) -> BudgetPreview:
    """A chat with a recap of each message and some hundred memories."""
    settings = {name: setting.default for name, setting in REGISTRY.items()}
    settings |= {"budget_mode": "advanced", "message_recaps_inject": True}
    settings |= {"message_recaps_budget": 3_000}
    story = with_recaps(long_story(count), RecapSettings(settings).inclusion_rules(CONTEXT))
    told = Recollection(standings(memories(story), Ground.of(1, story.messages)), chat=1)
    turn = prepared(story, settings, Means(COUNT, load_packs()), told=told)
    preview = BudgetPreview(turn, InclusionPreview(story, COUNT), settings, CONTEXT, True, 800)
    preview.under()
    return preview


def with_recaps(story: Story, rules: InclusionRules) -> Story:
    dice = random.Random(11)
    recaps = {
        message.anchor: MessageRecap(sentence(dice, 12), source_hash=message.content_hash)
        for message in story.messages
    }
    inclusion = include(
        story.messages, recaps, rules, message_tokens=story.message_tokens, count=COUNT
    )
    return replace(story, message_recaps=recaps, inclusion=inclusion)


def memories(story: Story) -> list[Memory]:
    dice = random.Random(5)
    made = []
    for tier, (number, types) in HELD.items():
        for place in range(number):
            anchor = story.messages[dice.randrange(len(story.messages))].anchor
            type_ = types[place % len(types)]
            made.append(
                Memory(
                    f"{tier}{place}",
                    1,
                    tier,
                    type_,
                    sentence(dice, 14),
                    importance=dice.randint(1, 3),
                    subject=dice.choice(("Wren", "Master Ode", "Bert")),
                    target="Wren",
                    field=LEDGER_FIELDS[type_][0] if tier is Tier.STATE_LEDGER else "",
                    created=float(place),
                    sources=(Source(1, anchor),),
                )
            )
    return made


def sentence(dice: random.Random, words: int) -> str:
    return " ".join(dice.choices(WORDS, k=words)).capitalize() + "."


class _Companion(QObject):
    """What the page asks about a chat that stands still."""

    chat_opened = Signal(object)
    story_changed = Signal(object)
    slots_changed = Signal(object)
    counter_name = "cl100k_base"

    def __init__(self, story: Story) -> None:
        super().__init__()
        self.story, self.path = story, story.chat.path
        self.companion = self.budgets = self
        self.count_tokens = COUNT

    def setting(self, name: str, *, path: object) -> ValueInForce:
        default = REGISTRY[name].default
        return ValueInForce(default, default, is_own=False)

    def do(self, coroutine: Any, *, name: str) -> None:
        coroutine.close()


def _dragged(application: QApplication, preview: BudgetPreview, count: int) -> list[Row]:
    """A hand moves sliders from end to end and back: events, rows, colours and paint."""
    page = BudgetsPage(_Companion(preview.story))  # type: ignore[arg-type]
    page.resize(1_200, 740)
    page.show_preview(preview)
    page.show()
    application.processEvents()
    times: list[float] = []
    first: list[float] = []
    for name in SLIDERS:
        row = next(r for r in page.board.rows.values() if r.facts and r.facts.setting == name)
        for round_ in range(2):
            steps = _drag(application, row.track)
            (first if round_ == 0 else times).extend(steps)
    page.close()
    page.deleteLater()
    application.processEvents()
    size = f"{count:,} messages"
    late = 100 * sum(ms > FRAME_MS for ms in times) / len(times)
    return [
        Row(f"slider, a step for the first time, median, {size}", statistics.median(first)),
        Row(f"slider, a step, median, {size}", statistics.median(times), aim=AIM),
        Row(
            f"slider, a step, 95 of 100, {size} ({late:.1f} % over {FRAME_MS} ms)",
            statistics.quantiles(times, n=20)[-1],
            aim=AIM,
        ),
    ]


def _drag(application: QApplication, track: Any) -> Iterable[float]:
    """Milliseconds of each step of one drag that ends where it began."""
    begin = track.thumb.center()
    places = [track.span * step / STEPS for step in (*range(STEPS), *range(STEPS, -1, -1))]
    _mouse(track, QMouseEvent.Type.MouseButtonPress, begin)
    for place in places:
        point = QPointF(place, begin.y())
        yield _timed(partial(_moved, application, track, point))
    track.cancel()
    application.processEvents()


def _moved(application: QApplication, track: Any, point: QPointF) -> None:
    _mouse(track, QMouseEvent.Type.MouseMove, point)
    application.processEvents()


def _mouse(track: Any, kind: QMouseEvent.Type, point: QPointF) -> None:
    left = Qt.MouseButton.LeftButton
    event = QMouseEvent(
        kind, point, track.mapToGlobal(point), left, left, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(track, event)


def _recounted(preview: BudgetPreview, count: int) -> list[Row]:
    """The sums alone, as the page asks for them."""
    limits = [*range(0, 40, 2), *range(40, -1, -2)]
    for limit in limits:
        preview.under({"inclusion_limit": limit})
    recaps = [_timed(partial(preview.under, {"inclusion_limit": n})) for n in limits]
    budgets = [_timed(partial(preview.under, {"budget_long": n})) for n in range(100, 2_000, 50)]
    half, size = Aim(most=FRAME_MS / 2), f"{count:,} messages"
    return [
        Row(f"recount of message recaps, a step, {size}", statistics.median(recaps), aim=half),
        Row(f"recount of a slot, a step, {size}", statistics.median(budgets), aim=half),
    ]


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000
