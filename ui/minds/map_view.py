"""The map: people left and right, matters between them, a line for each who has to do with one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QFrame, QGraphicsItem, QGraphicsScene, QGraphicsView, QWidget

from app.memory.minds import MindMap, Stance
from ui.minds.layout import Layout
from ui.minds.map_items import CARD_HEIGHT, PERSON_DISC, GlyphItem, MatterItem, PersonItem, TieItem
from ui.minds.veil import Veil
from ui.minds.words import VEILED, counts_words, stance_words
from ui.theme import current_tokens, theme

MARGIN = 24.0
ROWS = (62.0, 88.0)  # px from one matter to the next
PERSON = 92.0  # px from one person to the next, at least
SIDE = 92.0  # from the edge to the centre of a disc
CARD = (200.0, 272.0)
NARROWEST = 560.0
PORT = 11.0  # px between two lines where they end
ZOOM_STEP = 1.15
ZOOMS = (0.35, 1.6)
DOTS = 16


class MapView(QGraphicsView):
    """Signals:
    person_chosen: key, "" for nobody. matter_chosen: number.
    """

    person_chosen = Signal(str)
    matter_chosen = Signal(int)
    left = Signal()

    def __init__(self, veil: Veil, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._veil = veil
        self._minds: MindMap | None = None
        self._layout = Layout()
        self._person, self._matter = "", -1
        self._cursor: PersonItem | MatterItem | None = None
        self.people: dict[str, PersonItem] = {}
        self.matters: dict[int, MatterItem] = {}
        self.ties: list[TieItem] = []
        self._scene = QGraphicsScene(self)
        self.setScene(self._scene)
        self.setAccessibleName("Map of who knows what")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.setDragMode(QGraphicsView.DragMode.NoDrag)
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.MinimalViewportUpdate)
        self.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignHCenter)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._paint_ground()
        theme.changed.connect(self._paint_ground)
        veil.changed.connect(self._show_veil)

    def _paint_ground(self, _tokens: object = None) -> None:
        self.setBackgroundBrush(current_tokens().well)
        for item in self._scene.items():
            item.update()

    # What is shown

    def show_minds(self, minds: MindMap, layout: Layout) -> None:
        """Another map, or the same after the story went on."""
        self._minds, self._layout = minds, layout
        self._cursor = None
        self._scene.clear()
        self.people, self.matters, self.ties = {}, {}, []
        for place, person in enumerate(minds.people):
            item = PersonItem(person.key, person.name, place)
            self.people[person.key] = item
            self._scene.addItem(item)
        for topic in minds.topics:
            card = MatterItem(topic)
            self.matters[topic.number] = card
            self._scene.addItem(card)
        self._show_veil()

    def show_stances(self, stances: Iterable[Stance]) -> None:
        """Who holds what at the moment that is looked at."""
        for tie in self.ties:
            self._scene.removeItem(tie.glyph_item)
            self._scene.removeItem(tie)
        self.ties = [TieItem(stance) for stance in stances if stance.person in self.people]
        held: defaultdict[int, list[Stance]] = defaultdict(list)
        for tie in self.ties:
            held[tie.stance.matter].append(tie.stance)
            self._scene.addItem(tie)
            self._scene.addItem(tie.glyph_item)
        for number, card in self.matters.items():
            own = held.get(number, [])
            card.setVisible(bool(own))
            if own:
                card.counts = counts_words(own)
                newest = max(s.standing.start for s in own)
                card.place = f"#{newest}" if newest >= 0 else ""
                card.update()
        self._show_veil()
        self.arrange()
        self.choose(self._person, self._matter)

    def choose(self, person: str, matter: int) -> None:
        """Put a person and a matter in front; the rest steps back."""
        self._person, self._matter = person, matter
        is_any = bool(person) or matter >= 0
        part: set[str] = set()
        for tie in self.ties:
            stance = tie.stance
            is_meant = stance.person == person or stance.matter == matter
            if is_meant:
                part.add(stance.person)
            tie.set_faint(is_any and not is_meant)
        has_ties = {tie.stance.person for tie in self.ties}
        for key, item in self.people.items():
            item.is_chosen = key == person
            item.has_part = key in has_ties and (not is_any or key in part or key == person)
            item.update()
        for number, card in self.matters.items():
            card.is_chosen = number == matter
            card.update()
        self._describe()

    def _show_veil(self) -> None:
        for card in self.matters.values():
            card.is_veiled = self._veil.hides(card.topic)
            card.setToolTip(VEILED if card.is_veiled else card.topic.title)
            card.update()
        if self._minds is not None:
            for tie in self.ties:
                tie.glyph_item.setToolTip(f"{stance_words(self._minds, tie.stance)}.")
                tie.setToolTip(tie.glyph_item.toolTip())
        self._describe()

    def _describe(self) -> None:
        """Say in words what is chosen, for who does not see it."""
        minds, said = self._minds, []
        if minds is not None and 0 <= self._matter < len(minds.topics):
            topic = minds.topic(self._matter)
            title = VEILED if self._veil.hides(topic) else topic.title
            ties = (tie.stance for tie in self.ties if tie.stance.matter == self._matter)
            said = [title, *(stance_words(minds, stance) for stance in ties)]
        self.setAccessibleDescription(". ".join(said))

    # Where it stands

    def arrange(self) -> None:
        """Put everything in its place for the width there is."""
        zoom, layout = self.transform().m11(), self._layout
        width = max(NARROWEST, self.viewport().width() / zoom)
        seen = self.viewport().height() / zoom - 2 * MARGIN
        row = min(ROWS[1], max(ROWS[0], seen / max(1, layout.rows)))
        longest = max(len(layout.left), len(layout.right))
        height = max(layout.rows * row, longest * PERSON)
        top = MARGIN + max(0.0, (seen - height) / 2)
        card = min(CARD[1], max(CARD[0], width * 0.36))
        first = top + (height - layout.rows * row) / 2 + row / 2
        for number, place in layout.row.items():
            self.matters[number].set_width(card)
            self.matters[number].setPos(width / 2, first + place * row)
        is_even = height <= 1.6 * seen
        for x, rank in ((SIDE, layout.left), (width - SIDE, layout.right)):
            wanted = {} if is_even else {key: first + own * row for key, own in rank.items()}
            for key, y in _rank(tuple(rank), wanted, top, height).items():
                self.people[key].setPos(x, y - 10)
        self._lead_ties()
        self._scene.setSceneRect(QRectF(0, 0, width, height + top + MARGIN))

    def _lead_ties(self) -> None:
        at_person: defaultdict[str, list[TieItem]] = defaultdict(list)
        at_card: defaultdict[tuple[int, bool], list[TieItem]] = defaultdict(list)
        for tie in self.ties:
            stance = tie.stance
            at_person[stance.person].append(tie)
            at_card[stance.matter, stance.person in self._layout.left].append(tie)
        starts: dict[int, float] = {}
        ends: dict[int, float] = {}
        for ties in at_person.values():
            ties.sort(key=lambda tie: self._layout.row[tie.stance.matter])
            _ports(ties, starts, PERSON_DISC - 14)
        for ties in at_card.values():
            ties.sort(key=lambda tie: self.people[tie.stance.person].y())
            _ports(ties, ends, CARD_HEIGHT - 16)
        taken: set[tuple[int, int]] = set()
        for tie in self.ties:
            person, card = self.people[tie.stance.person], self.matters[tie.stance.matter]
            way = 1 if person.x() < card.x() else -1
            start = person.pos() + QPointF(way * (PERSON_DISC / 2 + 4), starts[id(tie)])
            end = card.pos() + QPointF(-way * card.width / 2, ends[id(tie)])
            tie.lead(start, end, taken)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.arrange()

    def fit(self) -> None:
        """Show the whole map, no larger than it is drawn."""
        self.resetTransform()
        self.arrange()
        whole = self._scene.sceneRect().height()
        share = min(1.0, self.viewport().height() / max(1.0, whole))
        self._zoom_to(max(ZOOMS[0], share))

    def _zoom_to(self, zoom: float) -> None:
        zoom = max(ZOOMS[0], min(ZOOMS[1], zoom))
        self.resetTransform()
        self.scale(zoom, zoom)
        self.arrange()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            steps = event.angleDelta().y() / 120
            self._zoom_to(self.transform().m11() * ZOOM_STEP**steps)
            event.accept()
            return
        super().wheelEvent(event)

    # Choosing

    def _item_at(self, event: QMouseEvent) -> QGraphicsItem | None:
        return self.itemAt(event.position().toPoint())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)
            return
        item = self._item_at(event)
        self._set_cursor_item(None)
        if isinstance(item, TieItem | GlyphItem):
            self.matter_chosen.emit(item.stance.matter)
            self.person_chosen.emit(item.stance.person)
        elif isinstance(item, PersonItem | MatterItem):
            self._choose_item(item)
        else:
            self.left.emit()

    def _choose_item(self, item: PersonItem | MatterItem) -> None:
        if isinstance(item, PersonItem):
            self.person_chosen.emit(item.key)
        else:
            self.matter_chosen.emit(item.topic.number)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = {
            Qt.Key.Key_Left: (-1, 0),
            Qt.Key.Key_Right: (1, 0),
            Qt.Key.Key_Up: (0, -1),
            Qt.Key.Key_Down: (0, 1),
        }
        if event.key() in keys:
            self._step(*keys[Qt.Key(event.key())])
            return
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._cursor is not None:
            self._choose_item(self._cursor)
            return
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
            return
        super().keyPressEvent(event)

    def _step(self, across: int, down: int) -> None:
        """Move on to the nearest person or matter in a direction, and choose it."""
        shown: list[PersonItem | MatterItem] = [*self.people.values()]
        shown += (card for card in self.matters.values() if card.isVisible())
        here = self._cursor or self.matters.get(self._matter) or self.people.get(self._person)
        found: PersonItem | MatterItem | None
        if here is None or not here.isVisible():
            found = min(shown, key=lambda item: (item.y(), item.x()), default=None)
        else:
            found = _nearest(here, shown, across, down)
        if found is not None:
            self._set_cursor_item(found)
            self.ensureVisible(found, 24, 24)
            self._choose_item(found)

    def _set_cursor_item(self, item: PersonItem | MatterItem | None) -> None:
        self._cursor = item


def _rank(
    people: Sequence[str], wanted: Mapping[str, float], top: float, height: float
) -> dict[str, float]:
    """One rank from top to bottom: as near to where they want to be as there is room, or evenly."""
    if not wanted:
        step = height / max(1, len(people))
        return {key: top + (place + 0.5) * step for place, key in enumerate(people)}
    found: dict[str, float] = {}
    free = top + PERSON / 2
    for place, key in enumerate(people):
        rest = (len(people) - place - 1) * PERSON
        found[key] = min(max(wanted[key], free), top + height - rest - PERSON / 2)
        free = found[key] + PERSON
    return found


def _ports(ties: list[TieItem], found: dict[int, float], room: float) -> None:
    """Where lines end, one under the other around the middle."""
    step = min(PORT, room / max(1, len(ties)))
    for place, tie in enumerate(ties):
        found[id(tie)] = (place - (len(ties) - 1) / 2) * step


def _nearest(
    here: QGraphicsItem, shown: Iterable[PersonItem | MatterItem], across: int, down: int
) -> PersonItem | MatterItem | None:
    best: tuple[float, PersonItem | MatterItem] | None = None
    for item in shown:
        dx, dy = item.x() - here.x(), item.y() - here.y()
        ahead, aside = (dx * across, abs(dy)) if across else (dy * down, abs(dx))
        if item is here or ahead < 8:
            continue
        if down and aside > 40:  # stays in its rank
            continue
        far = ahead + 2 * aside
        if best is None or far < best[0]:
            best = (far, item)
    return best[1] if best else None
