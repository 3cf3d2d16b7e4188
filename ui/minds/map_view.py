"""The map: people left and right, propositions between them, a line for each tie."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QFrame,
    QGraphicsItem,
    QGraphicsScene,
    QGraphicsView,
    QToolTip,
    QWidget,
)

from app.core.translation import tr
from app.memory.epistemic.map_view import EpistemicMapView, Stance
from ui.controls.labels import plain_tip
from ui.minds.layout import Layout
from ui.minds.map_items import CARD_HEIGHT, PERSON_DISC, PersonItem, PropositionItem
from ui.minds.ties import Tie, TiesItem
from ui.minds.veil import Veil
from ui.minds.words import VEILED, counts_words, stance_words
from ui.theme import current_tokens, theme
from ui.theme.style import BAR_EXTENT

MARGIN = 18.0
ROWS = (54.0, 88.0)  # px from one proposition to the next
PERSON = 84.0  # px from one person to the next, at least
SIDE = 92.0  # from the edge to the centre of a disc
CARD = (200.0, 420.0)
CARD_SHARE = 0.36  # of the map's width: lines need the rest
NARROWEST = 560.0
PORT = 11.0  # px between two lines where they end
ZOOM_STEP = 1.15
ZOOMS = (0.35, 1.6)
BY_ITSELF = 0.86  # as small as a map is made to be seen whole, unasked


class MapView(QGraphicsView):
    """Signals:
    person_chosen: key, "" for nobody. matter_chosen: number. left: nothing is to be chosen.
    opened: what is chosen is to be read in the pane.
    """

    person_chosen = Signal(str)
    proposition_chosen = Signal(int)
    left = Signal()
    opened = Signal()

    def __init__(self, veil: Veil, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._veil = veil
        self._minds: EpistemicMapView | None = None
        self._layout = Layout()
        self._stances: tuple[Stance, ...] | None = None  # None: of another map
        self._person, self._proposition = "", -1
        self._cursor: PersonItem | PropositionItem | None = None
        self._is_zoomed = False  # by the user
        self._arranged_for = QSize()
        self.people: dict[str, PersonItem] = {}
        self.propositions: dict[int, PropositionItem] = {}
        self.ties: list[Tie] = []
        self._homes: dict[str, float] = {}  # where people stand while all of the map is seen
        self._lines = TiesItem()
        self._scene = QGraphicsScene(self)
        self._scene.addItem(self._lines)
        self.setScene(self._scene)
        self.setAccessibleName(tr("Map of who knows what"))
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

    def show_minds(self, minds: EpistemicMapView, layout: Layout) -> None:
        """Another map, or the same after the story went on."""
        before, self._minds = self._minds, minds
        old = (before.people, before.topics, self._layout) if before is not None else None
        if old == (minds.people, minds.topics, layout):
            return
        self._layout, self._stances = layout, None
        self._cursor = None
        self._scene.removeItem(self._lines)
        self._scene.clear()
        self._scene.addItem(self._lines)
        self.people, self.propositions, self.ties = {}, {}, []
        self._homes = {}
        for place, person in enumerate(minds.people):
            item = PersonItem(person.key, person.name, place)
            self.people[person.key] = item
            self._scene.addItem(item)
        for topic in minds.topics:
            card = PropositionItem(topic)
            self.propositions[topic.number] = card
            self._scene.addItem(card)
        self._show_veil()

    def show_stances(self, stances: Iterable[Stance]) -> None:
        """Who holds what at the moment that is looked at; what stands there already stays."""
        before, self._stances = self._stances, tuple(stances)
        if before == self._stances:
            return
        self.ties = [Tie(stance) for stance in self._stances if stance.person in self.people]
        held: defaultdict[int, list[Stance]] = defaultdict(list)
        for tie in self.ties:
            held[tie.stance.proposition].append(tie.stance)
        for number, card in self.propositions.items():
            own = held.get(number, [])
            card.setVisible(bool(own))
            if own:
                newest = max(s.standing.start for s in own)
                place = f"#{newest}" if newest >= 0 else ""
                card.show_state(counts=counts_words(own), place=place)
        self.arrange()
        self.choose(self._person, self._proposition)

    def choose(self, person: str, proposition: int) -> None:
        """Put a person and a proposition in front; the rest steps back."""
        self._person, self._proposition = person, proposition
        is_any = any(
            tie.stance.person == person or tie.stance.proposition == proposition
            for tie in self.ties
        )
        part: set[str] = set()
        faint = [tie.is_faint for tie in self.ties]
        for tie in self.ties:
            stance = tie.stance
            is_meant = stance.person == person or stance.proposition == proposition
            if is_meant:
                part.add(stance.person)
            tie.is_faint = is_any and not is_meant
        has_ties = {tie.stance.person for tie in self.ties}
        for key, item in self.people.items():
            has_part = key in has_ties and (not is_any or key in part or key == person)
            item.show_part(is_chosen=key == person, has_part=has_part)
        for number, card in self.propositions.items():
            card.show_state(is_chosen=number == proposition)
        if faint != [tie.is_faint for tie in self.ties]:  # to draw all lines takes half a frame
            self._lines.show_ties(self.ties, self._scene.sceneRect())
        self._describe()

    def _show_veil(self) -> None:
        for card in self.propositions.values():
            card.show_state(is_veiled=self._veil.hides(card.topic))
            card.setToolTip(plain_tip(tr(VEILED) if card.is_veiled else card.topic.title))
        self._describe()

    def _describe(self) -> None:
        """Say in words what is chosen, for who does not see it."""
        minds, said = self._minds, []
        if minds is not None and 0 <= self._proposition < len(minds.topics):
            topic = minds.topic(self._proposition)
            title = tr(VEILED) if self._veil.hides(topic) else topic.title
            ties = (tie.stance for tie in self.ties if tie.stance.proposition == self._proposition)
            said = [title, *(stance_words(minds, stance) for stance in ties)]
        self.setAccessibleDescription(". ".join(said))

    # Where it stands

    def arrange(self) -> None:
        """Put everything in its place for the room there is."""
        self._arranged_for = self.size()
        if not self._is_zoomed:
            self._set_zoom(max(BY_ITSELF, min(1.0, self._share_seen())))
        zoom, layout = self.transform().m11(), self._layout
        room = self._room()
        width = max(NARROWEST, room.width() / zoom)
        seen = room.height() / zoom - 2 * MARGIN
        row = min(ROWS[1], max(ROWS[0], seen / max(1, layout.now)))
        longest = max(len(layout.left), len(layout.right))
        height = max(layout.now * row, longest * PERSON)
        top = MARGIN + max(0.0, (seen - height) / 2)
        card = min(CARD[1], max(CARD[0], width * CARD_SHARE))
        first = top + (height - layout.now * row) / 2 + row / 2
        for number, place in layout.row.items():
            self.propositions[number].set_width(card)
            self.propositions[number].setPos(width / 2, first + place * row)
        is_even = height <= 1.6 * seen
        for x, rank in ((SIDE, layout.left), (width - SIDE, layout.right)):
            wanted = {} if is_even else {key: first + own * row for key, own in rank.items()}
            self._homes |= _rank(tuple(rank), wanted, top, height)
            for key in rank:
                self.people[key].setX(x)
        # Rows that only the past has are reached while it is looked at.
        held = [self.propositions[tie.stance.proposition].y() for tie in self.ties]
        foot = max(top + height, max(held, default=0.0) + row / 2) + MARGIN
        area = QRectF(0, 0, width, foot)
        self._scene.setSceneRect(area)
        self._keep_people_seen()
        self._lead_ties()
        self._lines.show_ties(self.ties, area)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        super().scrollContentsBy(dx, dy)
        if dy and self._keep_people_seen():
            self._lead_ties()
            self._lines.show_ties(self.ties, self._scene.sceneRect())

    def _keep_people_seen(self) -> bool:
        """Let people stand where the map is seen, as near to their homes as there is room: a line
        that leads out of the picture says nothing of whose it is. Whether anybody moved.
        """
        seen = self.mapToScene(self.viewport().rect()).boundingRect()
        has_moved = False
        for rank in (self._layout.left, self._layout.right):
            homes = {key: self._homes[key] for key in rank if key in self._homes}
            if len(homes) * PERSON <= seen.height():
                homes = _rank(tuple(homes), homes, seen.top(), seen.height())
            for key, y in homes.items():
                has_moved |= self.people[key].y() != y - 10
                self.people[key].setY(y - 10)
        return has_moved

    def _lead_ties(self) -> None:
        at_person: defaultdict[str, list[Tie]] = defaultdict(list)
        at_card: defaultdict[tuple[int, bool], list[Tie]] = defaultdict(list)
        for tie in self.ties:
            stance = tie.stance
            at_person[stance.person].append(tie)
            at_card[stance.proposition, stance.person in self._layout.left].append(tie)
        starts: dict[int, float] = {}
        ends: dict[int, float] = {}
        for ties in at_person.values():
            ties.sort(key=lambda tie: self._layout.row[tie.stance.proposition])
            _ports(ties, starts, PERSON_DISC - 14)
        for ties in at_card.values():
            ties.sort(key=lambda tie: self.people[tie.stance.person].y())
            _ports(ties, ends, CARD_HEIGHT - 16)
        taken: set[tuple[int, int]] = set()
        for tie in self.ties:
            person, card = self.people[tie.stance.person], self.propositions[tie.stance.proposition]
            way = 1 if person.x() < card.x() else -1
            start = person.x() + way * (PERSON_DISC / 2 + 4), person.y() + starts[id(tie)]
            end = card.x() - way * card.width / 2, card.y() + ends[id(tie)]
            tie.lead(start, end, taken)

    def _room(self) -> QSize:
        """What can be seen, whether or not a bar stands there: by the viewport, a map that fits
        just with a bar and just not without one would never come to rest.
        """
        return QSize(self.width() - BAR_EXTENT, self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._arranged_for != self.size():
            self.arrange()

    def fit(self) -> None:
        """Show the whole map, no larger than it is drawn; once more: as it was at first."""
        if self._is_zoomed:
            self._is_zoomed = False
            self.arrange()
        else:
            self._zoom_to(min(1.0, self._share_seen()))

    def _share_seen(self) -> float:
        """How much of the map's least height can be seen."""
        longest = max(len(self._layout.left), len(self._layout.right))
        least = max(self._layout.now * ROWS[0], longest * PERSON) + 2 * MARGIN
        return self._room().height() / least

    def _zoom_to(self, zoom: float) -> None:
        self._is_zoomed = True
        self._set_zoom(max(ZOOMS[0], min(ZOOMS[1], zoom)))
        self.arrange()

    def _set_zoom(self, zoom: float) -> None:
        if zoom != self.transform().m11():
            self.resetTransform()
            self.scale(zoom, zoom)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            steps = event.angleDelta().y() / 120
            self._zoom_to(self.transform().m11() * ZOOM_STEP**steps)
            event.accept()
            return
        super().wheelEvent(event)

    # Choosing

    def _at(self, point: QPoint) -> PersonItem | PropositionItem | Tie | None:
        item = self.itemAt(point)
        if isinstance(item, PersonItem | PropositionItem):
            return item
        there = self.mapToScene(point)
        hit = [tie for tie in self.ties if tie.is_at(there)]
        return next((tie for tie in hit if not tie.is_faint), hit[0] if hit else None)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            found = self._at(event.pos())
            if isinstance(found, Tie) and self._minds is not None:
                words = stance_words(self._minds, found.stance)
                QToolTip.showText(event.globalPos(), plain_tip(words), self)
                return True
        return super().viewportEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)
            return
        item = self._at(event.position().toPoint())
        self._cursor = None
        if isinstance(item, Tie):
            self.proposition_chosen.emit(item.stance.proposition)
            self.person_chosen.emit(item.stance.person)
        elif item is not None:
            self._choose_item(item)
        else:
            self.left.emit()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self._at(event.position().toPoint()) is not None:
            self.opened.emit()

    def _choose_item(self, item: PersonItem | PropositionItem) -> None:
        if isinstance(item, PersonItem):
            self.person_chosen.emit(item.key)
        else:
            self.proposition_chosen.emit(item.topic.number)

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
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self._person or self._proposition >= 0:
                self.opened.emit()
            return
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
            return
        super().keyPressEvent(event)

    def _step(self, across: int, down: int) -> None:
        """Move on to the nearest person or proposition in a direction, and choose it."""
        shown: list[PersonItem | PropositionItem] = [*self.people.values()]
        shown += (card for card in self.propositions.values() if card.isVisible())
        here = (
            self._cursor
            or self.propositions.get(self._proposition)
            or self.people.get(self._person)
        )
        found: PersonItem | PropositionItem | None
        if here is None or not here.isVisible():
            found = min(shown, key=lambda item: (item.y(), item.x()), default=None)
        else:
            found = _nearest(here, shown, across, down)
        if found is not None:
            self._cursor = found
            self.ensureVisible(found, 24, 24)
            self._choose_item(found)


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


def _ports(ties: Sequence[Tie], found: dict[int, float], room: float) -> None:
    """Where lines end, one under the other around the middle."""
    step = min(PORT, room / max(1, len(ties)))
    for place, tie in enumerate(ties):
        found[id(tie)] = (place - (len(ties) - 1) / 2) * step


def _nearest(
    here: QGraphicsItem, shown: Iterable[PersonItem | PropositionItem], across: int, down: int
) -> PersonItem | PropositionItem | None:
    best: tuple[float, PersonItem | PropositionItem] | None = None
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
