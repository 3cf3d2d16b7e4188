"""Everything in the context as one linear bar: card, memory by slot, chat, free."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import ceil

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolTip, QVBoxLayout, QWidget

from app.core.translation import N_, number, tr, tr_in, trn
from app.prompt.slot_names import slot_name
from app.prompt.slots import MESSAGE_RECAPS_KEY, RUNNING_RECAP_KEY, TurnKind
from app.settings.slot_table import SlotName
from app.views.budget_preview import Outlook
from ui.budgets import words
from ui.controls.fields import Segments
from ui.core.slot_words import used_words
from ui.story.lettering import Letters, letters
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, display_font
from ui.theme.tokens import Tokens

BAR = 32
LABELS = 28
RADIUS = 7
BESIDE_TURNS = 150  # px at each side of them, at least
NAME_GAP = 6
INDENT, BETWEEN = 4, 8
HUE_OF_KEY = {name.key: hue for name, hue in words.HUES.items()}
ANY = "any"
CARD, MEMORY, CHAT, REST, FREE = "card", "memory", "chat", "rest", "free"
OF_OPENAI = ("cl100k_base", "o200k_base")  # tokenizers whose names tell a player nothing
WITHOUT_CONTEXT = N_(
    "SillyTavern has not reported its context size yet; the size in the settings is used."
)


@dataclass(frozen=True, slots=True)
class Part:
    """One piece of the bar. group: which label it is under. tip: what it is."""

    group: str
    tokens: int
    tip: str
    hue: str = ""
    is_recap: bool = False


def parts_of(outlook: Outlook, who: str) -> tuple[Part, ...]:
    """The pieces in the order in which they are drawn."""
    found = []
    if outlook.card:
        tokens = words.tokens_words(outlook.card)
        if who:
            tip = tr("{who}'s card: {tokens}, including example messages.", who=who, tokens=tokens)
        else:
            tip = tr("The character card: {tokens}, including example messages.", tokens=tokens)
        found.append(Part(CARD, outlook.card, tip))
    for slot in sorted(outlook.slots.slots, key=lambda s: -s.tokens):
        if slot.tokens:
            name = slot_name(slot.key)
            tip = f"{name}: {used_words(slot)}."
            is_recap = slot.key in (RUNNING_RECAP_KEY, MESSAGE_RECAPS_KEY)
            hue = HUE_OF_KEY.get(slot.key, "")
            if slot.key in (SlotName.UNIFIED.key, SlotName.REPAIR.key):
                hue = "long-term"
            found.append(Part(MEMORY, slot.tokens, tip, hue, is_recap))
    if outlook.chat:
        tip = trn(
            "The newest message: about {tokens}.",
            "The newest {n} messages: about {tokens}.",
            outlook.newest,
            tokens=words.tokens_words(outlook.chat),
        )
        found.append(Part(CHAT, outlook.chat, tip))
    if outlook.rest:
        tip = tr(
            "{tokens} too few for another message: the next older one is "
            "longer, or SillyTavern counts differently.",
            tokens=words.tokens_words(outlook.rest),
        )
        found.append(Part(REST, outlook.rest, tip))
    if outlook.free:
        tip = tr("{tokens} are left.", tokens=words.tokens_words(outlook.free))
        found.append(Part(FREE, outlook.free, tip))
    return tuple(found)


class PromptBar(QWidget):
    """The figure, the words beside it, kinds of turn, and the bar with its labels."""

    def __init__(self) -> None:
        super().__init__()
        self.figure = _Figure()
        self.note = _Note()
        self.bar = _Bar()
        turns = {kind.value: tr(word) for kind, word in words.TURN_WORDS.items()}
        self.turns = Segments(tr("Turn"), {ANY: tr("Detected"), **turns})
        self.turns.choose(ANY)
        self.turns.setToolTip(tr("Shows the next turn as if it were of this kind."))
        self._top = QHBoxLayout()
        self._top.setSpacing(10)
        self._top.addWidget(self.figure, 3)
        self._top.addWidget(self.turns, 0, Qt.AlignmentFlag.AlignVCenter)
        self._top.addWidget(self.note, 3)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(24, 12, 24, 0)
        self._column.setSpacing(8)
        self._column.addLayout(self._top)
        self._column.addWidget(self.bar)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_turns()

    def _place_turns(self) -> None:
        """Where there is no room beside the figure, the kinds of turn stand beneath it."""
        is_beneath = self._column.indexOf(self.turns) >= 0
        margins = self._column.contentsMargins()
        beside = max(BESIDE_TURNS, self.figure.least + self._top.spacing())
        needed = self.turns.sizeHint().width() + 2 * beside + margins.left() + margins.right()
        if (self.width() < needed) is not is_beneath:
            middle = Qt.AlignmentFlag.AlignVCenter
            if is_beneath:
                self._column.removeWidget(self.turns)
                self._top.insertWidget(1, self.turns, 0, middle)
            else:
                self._top.removeWidget(self.turns)
                self._column.insertWidget(1, self.turns, 0, Qt.AlignmentFlag.AlignLeft)

    def show_outlook(self, outlook: Outlook, who: str, *, is_said: bool, counter: str) -> None:
        """is_said: SillyTavern said the context. counter: what tokens are counted with."""
        said = tr("Context size as reported by SillyTavern.") if is_said else tr(WITHOUT_CONTEXT)
        spoken = outlook.context - outlook.free - outlook.rest
        self.figure.say(
            number(spoken),
            tr("of {context} tokens in use", context=number(outlook.context)),
            said,
            briefly=tr("of {budget} tokens", budget=number(outlook.context)),
        )
        free, tip = tr("{free} free", free=number(outlook.free)), said
        if outlook.rest:  # as the bar shows it; nothing is free while older messages wait
            free = tr("{tokens} left over", tokens=number(outlook.rest))
        if counter == "estimate":
            how = tr("estimated")
        else:
            is_openai = counter in OF_OPENAI
            how = tr("counted like OpenAI's models") if is_openai else tr("counted like the model")
            tip = f"{said} {tr('Tokenizer: {counter}.', counter=counter)}"
        if not is_said:
            how = tr("context size from the settings, until SillyTavern reports it")
        self.note.say("", f"{free}, {how}", tip, briefly=free)
        self.bar.show_parts(parts_of(outlook, who), outlook)
        self._place_turns()

    def show_kind(self, kind: TurnKind | None) -> None:
        """What the next turn is like by itself."""
        self.turns.set_word(
            ANY,
            tr("Detected: {kind}", kind=tr(words.TURNS_IN_SENTENCES[kind]))
            if kind
            else tr("Detected"),
        )
        self._place_turns()


class _Figure(QWidget):
    """A number and words on one line; painted, so that a new number moves nothing else."""

    def __init__(self) -> None:
        super().__init__()
        self.figure, self.words = "", ""
        self._briefly = ""
        self.setFixedHeight(30)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def say(self, figure: str, said: str, tip: str, *, briefly: str) -> None:
        """briefly: what is said where there is no room for more."""
        if (figure, said) != (self.figure, self.words):
            self.figure, self.words, self._briefly = figure, said, briefly
            self.setAccessibleName(f"{figure} {said}".strip())
            self.setToolTip(tip)
            self.update()

    @property
    def least(self) -> int:
        """Px that the figure needs with the fewest words."""
        return ceil(loud_figure().width(self.figure) + 11 + letters(12.5).width(self._briefly))

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        middle = self.height() / 2 + 1
        end = loud_figure().draw(painter, self.figure, t.t1, 0, middle)
        room = self.width() - end - 11
        words = self._fitting(letters(12.5), room)
        letters(12.5).draw(painter, words, t.t2, end + 11, middle + 2, room)

    def _fitting(self, face: Letters, room: float) -> str:
        return self.words if face.width(self.words) <= room else self._briefly


class _Note(_Figure):
    """The same in small, at the right."""

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        face = letters(12)
        said = self._fitting(face, self.width())
        said = face.metrics.elidedText(said, Qt.TextElideMode.ElideRight, self.width())
        face.draw_right(QPainter(self), said, t.t3, self.width(), self.height() / 2 + 3)


@cache
def loud_figure() -> Letters:
    """A headline figure."""
    return Letters(display_font(24))


class _Bar(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self._parts: tuple[Part, ...] = ()
        self._context = 1
        self._newest = 0
        self._hovered = -1
        self._named: set[str] = set()
        self.setFixedHeight(BAR + LABELS)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(600, BAR + LABELS)

    @property
    def parts(self) -> tuple[Part, ...]:
        """The pieces, from left to right."""
        return self._parts

    def show_parts(self, parts: tuple[Part, ...], outlook: Outlook) -> None:
        self._parts, self._newest = parts, outlook.newest
        self._context = max(1, outlook.context, sum(part.tokens for part in parts))
        self.setAccessibleName(
            tr("The next prompt: {parts}", parts=" ".join(part.tip for part in parts))
        )
        self.update()

    @property
    def named(self) -> frozenset[str]:
        """Groups whose names stood under the bar when it was painted last."""
        return frozenset(self._named)

    def _areas(self) -> list[QRectF]:
        """Where each piece lies."""
        areas, left, unit = [], 0.0, self.width() / self._context
        for part in self._parts:
            areas.append(QRectF(left, 0, part.tokens * unit, BAR))
            left += part.tokens * unit
        return areas

    def _at(self, point: QPointF) -> int:
        if point.y() > BAR:
            return -1
        areas = self._areas()
        return next((n for n, a in enumerate(areas) if a.left() <= point.x() < a.right()), -1)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        hovered = self._at(event.position())
        if hovered != self._hovered:
            self._hovered = hovered
            self.update()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hovered = -1
        self.update()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            number = self._at(QPointF(event.pos()))
            tip = self._parts[number].tip if number >= 0 else ""
            QToolTip.showText(event.globalPos(), tip, self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        frame = QRectF(0, 0, self.width(), BAR)
        path = QPainterPath()
        path.addRoundedRect(frame.adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
        painter.setClipPath(path)
        painter.fillRect(frame, t.well)
        areas = self._areas()
        for place, (part, area) in enumerate(zip(self._parts, areas, strict=True)):
            fill = _fill(t, part)
            if place == self._hovered:
                fill = fill.lighter(112) if t.is_dark else fill.darker(106)
            painter.fillRect(area, fill)
            # Two neighbours are told apart by a gap, whatever their colours.
            painter.fillRect(QRectF(area.right() - 1, 0, 1, BAR), t.stage)
        painter.setClipping(False)
        painter.setPen(QPen(t.line2, 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(path)
        self._paint_labels(painter, t, areas)

    def _paint_labels(self, painter: QPainter, t: Tokens, areas: list[QRectF]) -> None:
        """Under the first piece of each group; a figure, then a name give way where room ends."""
        starts: dict[str, float] = {}
        for part, area in zip(self._parts, areas, strict=True):
            starts.setdefault(part.group, area.left())
        face, figures = letters(11.5, MEDIUM), letters(11.5)
        middle = BAR + 6 + (LABELS - 6) / 2
        right = float(self.width())
        moved = self._room_for_card(starts, face, figures)
        self._named.clear()
        for group in reversed(starts):
            tokens = sum(p.tokens for p in self._parts if p.group == group)
            name, figure = _label(group, self._newest), number(tokens)
            short = INDENT + face.width(name)
            whole = short + NAME_GAP + figures.width(figure)
            at_end = starts[group] + whole > self.width()
            left = min(starts[group] + (moved if group == MEMORY else 0.0), self.width() - whole)
            painter.fillRect(QRectF(round(starts[group]), BAR + 4, 1, 5), t.line2)
            if left + short > right:
                continue
            self._named.add(group)
            ink = t.t1 if group in (MEMORY, CHAT) else t.t2
            after = face.draw(painter, name, ink, left + INDENT, middle)
            if left + whole <= right:
                figures.draw(painter, figure, t.t3, after + NAME_GAP, middle)
            right = (left if at_end or moved else starts[group]) - BETWEEN

    def _room_for_card(self, starts: dict[str, float], face: Letters, figures: Letters) -> float:
        """Px by which the label of the memory moves over its own piece, so that the first piece,
        which is narrow, can be named as well; 0 where that is not needed or not possible.
        """
        if CARD not in starts or MEMORY not in starts:
            return 0.0
        tokens = {group: sum(p.tokens for p in self._parts if p.group == group) for group in starts}

        def room(group: str) -> float:
            name = face.width(_label(group, self._newest))
            return INDENT + name + NAME_GAP + figures.width(number(tokens[group])) + BETWEEN

        wanted = room(CARD) - (starts[MEMORY] - starts[CARD])
        end = min(
            (starts[group] for group in (CHAT, REST, FREE) if group in starts), default=self.width()
        )
        return wanted if 0 < wanted <= end - starts[MEMORY] - room(MEMORY) else 0.0


def _fill(t: Tokens, part: Part) -> QColor:
    if part.group in (REST, FREE):
        return QColor(t.well)
    if part.group in (CARD, CHAT):
        return QColor(t.line2 if part.group == CARD else t.line)
    if part.is_recap:
        return QColor(t.included.fill)
    return QColor(t.slot_hues[part.hue]) if part.hue else QColor(t.ctl)


def _label(group: str, newest: int) -> str:
    if group == CHAT:
        return (
            tr("Chat, the newest message")
            if newest == 1
            else tr("Chat, newest {newest} messages", newest=number(newest))
        )
    return {
        CARD: tr("Card"),
        MEMORY: tr_in("tokens of the prompt", "Memory"),
        REST: tr("Left over"),
        FREE: tr("Free"),
    }[group]
