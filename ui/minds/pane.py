"""At the right: the world as one person knows it, or one proposition and all it concerns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.core.translation import N_, tr, trn
from app.memory.epistemic.map_view import STATE_WORDS, Attitude, EpistemicMapView, Stance, Topic
from app.memory.standing import Standing
from app.memory.tiers.epistemic import title_of
from ui.controls.labels import Label, body, meta
from ui.controls.surfaces import Line, scrolling
from ui.memories.pane.pieces import Link
from ui.minds.parts import AttitudeHead, Entry, Row, Veiled, person_head
from ui.minds.veil import Veil
from ui.minds.words import briefly, counts_words, holding_words, how_words, step_how, step_words
from ui.theme.fonts import story_font

MOST = 12  # entries of a kind until more are asked for
NOTHING = N_(
    "Choose a person to see the world through their eyes, or a matter to see who knows what "
    "about it."
)
PERSON_WORDS = {
    Attitude.KNOWS: N_("Knows"),
    Attitude.SUSPECTS: N_("Suspects"),
    Attitude.BELIEVES: N_("Believes, wrongly"),
    Attitude.HIDING: N_("Hides"),
    Attitude.UNAWARE: N_("Does not know"),
    Attitude.KEPT: N_("Must not learn of"),
}
PROPOSITION_WORDS = {
    Attitude.KNOWS: N_("Who knows it"),
    Attitude.SUSPECTS: N_("Who suspects it"),
    Attitude.BELIEVES: N_("Who is wrong about it"),
    Attitude.HIDING: N_("Who hides it"),
    Attitude.UNAWARE: N_("Who does not know it"),
    Attitude.KEPT: N_("Who must not learn of it"),
}


class MindPane(QWidget):
    """Signals:
    person_asked: key. matter_asked: number. message_asked: index.
    """

    person_asked = Signal(str)
    proposition_asked = Signal(int)
    message_asked = Signal(int)

    def __init__(self, veil: Veil, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._veil = veil
        self._minds: EpistemicMapView | None = None
        self._at = 0
        self._person, self._proposition = "", -1
        self._opened: set[str] = set()  # kinds of which all entries are shown
        self._holder = QWidget()
        self._column = QVBoxLayout(self._holder)
        self._column.setContentsMargins(16, 14, 14, 16)
        self._column.setSpacing(6)
        self._parts: list[QWidget] = []
        self.area = scrolling(self._holder, name=tr("Person or matter"))
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.area)
        veil.changed.connect(self._refresh)
        self._refresh()

    def show_nothing(self) -> None:
        """Nothing is chosen."""
        self._person, self._proposition = "", -1
        self._refresh()

    def show_person(self, minds: EpistemicMapView, person: str, at: int) -> None:
        """The world of a person at a message."""
        self._show(minds, person, -1, at)

    def show_proposition(self, minds: EpistemicMapView, number: int, at: int) -> None:
        """Who holds what of a proposition at a message, and how it got there."""
        self._show(minds, "", number, at)

    def _show(self, minds: EpistemicMapView, person: str, proposition: int, at: int) -> None:
        if (person, proposition) != (self._person, self._proposition):
            self._opened.clear()
            self.area.verticalScrollBar().setValue(0)
        self._minds, self._person, self._proposition, self._at = minds, person, proposition, at
        self._refresh()

    def _refresh(self) -> None:
        self._holder.setUpdatesEnabled(False)
        while (item := self._column.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for part in self._made():
            self._column.addWidget(part)
        self._column.addStretch(1)
        self._holder.setUpdatesEnabled(True)

    def _made(self) -> Iterator[QWidget]:
        minds = self._minds
        if minds is not None and self._person:
            yield from self._person_parts(minds)
        elif minds is not None and 0 <= self._proposition < len(minds.topics):
            yield from self._proposition_parts(minds, minds.topic(self._proposition))
        else:
            yield body(tr(NOTHING))

    # A person

    def _person_parts(self, minds: EpistemicMapView) -> Iterator[QWidget]:
        world = minds.world(self._person, self._at)
        groups: list[tuple[Attitude, Sequence[Standing]]] = [
            (Attitude.KNOWS, world.knows),
            (Attitude.HIDING, world.hides),
            (Attitude.SUSPECTS, world.suspects),
            (Attitude.BELIEVES, world.believes),
            (Attitude.UNAWARE, world.unaware),
            (Attitude.KEPT, world.kept_from),
        ]
        place = next((n for n, p in enumerate(minds.people) if p.key == self._person), 0)
        held = sum(len(standings) for _, standings in groups)
        words = trn("At #{at}: {n} matter", "At #{at}: {n} matters", held, at=self._at)
        yield person_head(minds.name(self._person), place, words)
        yield _gap(4)
        if not held:
            yield body(
                tr(
                    "Nothing is known of what {name} knew at #{at}.",
                    name=minds.name(self._person),
                    at=self._at,
                )
            )
        for attitude, standings in groups:
            if standings:
                yield AttitudeHead(tr(PERSON_WORDS[attitude]), attitude)
                yield from self._entries(minds, attitude, standings)
        if world.minds:
            yield AttitudeHead(tr("Thinks of others"), icon="people")
            for inner in world.minds[:MOST]:
                state = tr(STATE_WORDS.get(inner.state, inner.state))
                said = f"{inner.holder} {state}: {title_of(inner.text)}"
                yield self._entry(minds, said, inner.standing, how_words(inner.standing))

    def _entries(
        self, minds: EpistemicMapView, attitude: Attitude, standings: Sequence[Standing]
    ) -> Iterator[QWidget]:
        most = len(standings) if attitude in self._opened else MOST
        for standing in standings[:most]:
            memory = standing.memory
            how = how_words(standing)
            is_before = standing.start < 0
            if attitude is Attitude.HIDING and memory.target:
                since = N_("From {target}") if is_before else N_("From {target}, since")
                how = tr(since, target=memory.target)
            elif attitude is Attitude.KEPT:
                since = N_("By {subject}") if is_before else N_("By {subject}, since")
                how = tr(since, subject=memory.subject)
            yield self._entry(minds, title_of(memory.text), standing, how)
        if len(standings) > most:
            yield self._more(attitude.value, len(standings) - most)

    def _entry(self, minds: EpistemicMapView, text: str, standing: Standing, how: str) -> Entry:
        topic = minds.topic_of(standing)
        entry = Entry(text, how, standing.start, is_veiled=self._veil.hides(topic))
        entry.message_asked.connect(self.message_asked)
        entry.proposition_asked.connect(lambda: self.proposition_asked.emit(topic.number))
        entry.shown.connect(lambda: self._veil.show(topic))
        return entry

    def _more(self, kind: str, count: int) -> QWidget:
        link = Link(trn("{n} more", "{n} more", count), tr("Show all of them."))
        link.clicked.connect(lambda: self._open(kind))
        return link

    def _open(self, kind: str) -> None:
        self._opened.add(kind)
        self._refresh()

    # A proposition

    def _proposition_parts(self, minds: EpistemicMapView, topic: Topic) -> Iterator[QWidget]:
        yield meta(tr("A secret") if topic.is_secret else tr("A matter"))
        if self._veil.hides(topic):
            veil = Veiled(topic.title, indent=2)
            veil.clicked.connect(lambda: self._veil.show(topic))
            yield veil
        else:
            yield Label(topic.title, font=story_font(16), wraps=True)
        stances = minds.stances_to(minds.knowledge.propositions[topic.number], self._at)
        yield meta(
            tr(
                "At #{at}: {counts}",
                at=self._at,
                counts=counts_words(stances) or tr("nobody knows of it"),
            ),
            wraps=True,
        )
        yield _gap(4)
        for attitude in PERSON_WORDS:
            own = [stance for stance in stances if stance.attitude is attitude]
            if own:
                yield AttitudeHead(tr(PROPOSITION_WORDS[attitude]), attitude)
                yield from self._holders(minds, own)
        if topic.is_secret:
            yield _gap(2)
            yield from self._risk_parts(minds, topic)
        yield from self._chain_parts(minds, topic)

    def _holders(self, minds: EpistemicMapView, stances: Sequence[Stance]) -> Iterator[QWidget]:
        for stance in stances:
            how = briefly(stance.standing)
            row = Row(holding_words(stance, minds), how, stance.standing.start)
            row.message_asked.connect(self.message_asked)
            row.person_asked.connect(lambda key=stance.person: self.person_asked.emit(key))
            yield row

    def _risk_parts(self, minds: EpistemicMapView, topic: Topic) -> Iterator[QWidget]:
        risk = minds.risk(topic.number, self._at)
        keys = dict.fromkeys(map(minds.key, (*risk.hidden_from, *risk.unaware)))
        yield Line()
        yield AttitudeHead(tr("Whom it can still hurt"), icon="bolt")
        if not keys:
            words = (
                tr("Nobody: everyone it was hidden from knows it now.")
                if risk.keepers
                else tr("Nobody any more.")
            )
            yield _indented(words)
            return
        for key in keys:
            row = Row(minds.name(key), "", -1)
            row.person_asked.connect(lambda key=key: self.person_asked.emit(key))
            yield row
        if risk.keepers:
            yield _indented(tr("Kept by {names}.", names=", ".join(risk.keepers)))

    def _chain_parts(self, minds: EpistemicMapView, topic: Topic) -> Iterator[QWidget]:
        steps = minds.chain(topic.number, self._at)
        if not steps:
            return
        yield _gap(2)
        yield Line()
        yield AttitudeHead(tr("Who told whom"), icon="link")
        most = len(steps) if "chain" in self._opened else MOST
        for step in steps[:most]:
            row = Row(step_words(minds, step), step_how(step), step.message)
            row.message_asked.connect(self.message_asked)
            key = minds.key(step.learner)
            row.person_asked.connect(lambda key=key: self.person_asked.emit(key))
            yield row
        if len(steps) > most:
            yield self._more("chain", len(steps) - most)


def _gap(height: int) -> QWidget:
    gap = QWidget()
    gap.setFixedHeight(height)
    return gap


def _indented(text: str) -> QWidget:
    label = meta(text, wraps=True)
    label.setContentsMargins(24, 0, 0, 0)
    return label
