"""What ties the chosen one to others: whom it is remembered with, how often, and in what."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QFrame,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from app.core.translation import N_, number, tr, trn
from app.memory.documents.browsing import sentence_of
from app.memory.entities.bonds import Bond, Bonds
from app.memory.records import Entity
from app.memory.standing import Standing
from app.memory.tiers.table import TIERS
from ui.controls.labels import plain_tip
from ui.memories.listing.delegate import tier_hue
from ui.memories.words import kind_words, stored_word
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, SEMIBOLD, ui_font
from ui.theme.style import rounded

Index = QModelIndex | QPersistentModelIndex
NAME = N_("Remembered together, by person or thing")
ROW, BAR, COUNT = 30, 120.0, 40.0
ENTITY_ROLE, STANDING_ROLE, SHARE_ROLE = (Qt.ItemDataRole.UserRole + n for n in range(3))
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class BondsTree(QTreeWidget):
    """A row for each one that something is remembered of together, the memories under it. Enter or
    a double-click leads to a memory, or to the other one.

    Signals:
        entity_asked: id of the other one.
        memory_asked: id of the memory.
    """

    entity_asked = Signal(str)
    memory_asked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr(NAME))
        self.setColumnCount(1)
        self.setHeaderHidden(True)
        self.header().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformRowHeights(True)
        self.setExpandsOnDoubleClick(False)  # it leads there; the arrow and the keys expand
        self.setIndentation(20)
        self.setTabKeyNavigation(False)
        self.setVerticalScrollMode(QTreeWidget.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        self.setItemDelegate(_BondDelegate(self))
        self.itemActivated.connect(self._on_activated)
        self._shown: tuple[str, Bonds] | None = None

    def show_bonds(self, entity: Entity | None, bonds: Bonds) -> None:
        """Show what ties one to the others; what was unfolded stays so while it is the same one."""
        entity_id = entity.id if entity is not None else ""
        if self._shown == (entity_id, bonds):
            return
        is_same = self._shown is not None and self._shown[0] == entity_id
        unfolded = {item.data(0, ENTITY_ROLE) for item in self.rows if item.isExpanded()}
        self._shown = (entity_id, bonds)
        self.clear()
        most = max((len(bond.memories) for bond in bonds.others), default=1)
        for bond in bonds.others:
            self._add(bond, len(bond.memories) / most)
        if bonds.alone:
            self._add(None, len(bonds.alone) / max(most, len(bonds.alone)), bonds.alone)
        for item in self.rows:
            item.setExpanded(is_same and item.data(0, ENTITY_ROLE) in unfolded)

    @property
    def rows(self) -> tuple[QTreeWidgetItem, ...]:
        """A row for each of the others, and the last for what names nobody else."""
        places = range(self.topLevelItemCount())
        return tuple(item for place in places if (item := self.topLevelItem(place)) is not None)

    def _add(self, bond: Bond | None, share: float, alone: tuple[Standing, ...] = ()) -> None:
        memories = bond.memories if bond is not None else alone
        name = bond.entity.name if bond is not None else tr("nobody else")
        count = len(memories)
        item = QTreeWidgetItem(self, [name])
        item.setData(0, ENTITY_ROLE, bond.entity.id if bond is not None else "")
        item.setData(0, SHARE_ROLE, (share, count))
        said = trn("{name}: {n} memory", "{name}: {n} memories", count, name=name)
        item.setData(0, Qt.ItemDataRole.AccessibleTextRole, said)
        item.setToolTip(0, plain_tip(said))
        if bond is not None and bond.entity.type != "unknown":
            item.setData(0, Qt.ItemDataRole.StatusTipRole, stored_word(bond.entity.type))
        for standing in memories:
            words = sentence_of(standing.memory)
            child = QTreeWidgetItem(item, [words])
            child.setData(0, STANDING_ROLE, standing)
            kind = kind_words(standing.memory)
            tier = tr(TIERS[standing.memory.tier].words.name)
            spoken = ", ".join(filter(None, (words, tier, kind)))
            child.setData(0, Qt.ItemDataRole.AccessibleTextRole, spoken)

    def _on_activated(self, item: QTreeWidgetItem, _column: int) -> None:
        standing = item.data(0, STANDING_ROLE)
        if isinstance(standing, Standing):
            self.memory_asked.emit(standing.memory.id)
        elif item.data(0, ENTITY_ROLE):
            self.entity_asked.emit(item.data(0, ENTITY_ROLE))
        else:
            item.setExpanded(not item.isExpanded())


class _BondDelegate(QStyledItemDelegate):
    """An entity with a bar as long as what is remembered of both is much; a memory with the dot of
    its tier.
    """

    def __init__(self, view: QTreeWidget) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(80, ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        t = current_tokens()
        area = QRectF(option.rect)
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(area, t.accent_soft)
            lamp = t.ring if self._view.hasFocus() else t.t3
            painter.fillRect(QRectF(area.x(), area.y(), 3, area.height()), lamp)
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(area, t.hover)
        standing = index.data(STANDING_ROLE)
        if isinstance(standing, Standing):
            hue = tier_hue(t, standing.memory.tier)
            rounded(painter, QRectF(area.x() + 8, area.center().y() - 3.5, 7, 7), 3.5, hue)
            painter.setFont(ui_font(12.5))
            painter.setPen(t.t2)
            _write(painter, area.adjusted(24, 0, -16, 0), str(index.data()))
        else:
            self._paint_entity(painter, area, index)
        painter.restore()

    def _paint_entity(self, painter: QPainter, area: QRectF, index: Index) -> None:
        t = current_tokens()
        share, count = index.data(SHARE_ROLE)
        is_other = bool(index.data(ENTITY_ROLE))
        painter.setFont(ui_font(12.5, SEMIBOLD if is_other else MEDIUM))
        painter.setPen(t.t1 if is_other else t.t3)
        room = area.adjusted(8, 0, -(BAR + COUNT + 24), 0)
        end = _write(painter, room, str(index.data()))
        painter.setPen(t.t3)
        painter.setFont(ui_font(12))
        kind = index.data(Qt.ItemDataRole.StatusTipRole)
        if kind:
            _write(painter, room.adjusted(end + 8, 0, 0, 0), str(kind))
        bar = QRectF(area.right() - 16 - COUNT - BAR, area.center().y() - 3, BAR, 6)
        rounded(painter, bar, 3, t.line)
        bar.setWidth(max(6.0, BAR * share))
        rounded(painter, bar, 3, t.t2 if is_other else t.t3)
        painter.setPen(t.t2)
        painter.setFont(ui_font(12, SEMIBOLD))
        painter.drawText(area.adjusted(0, 0, -16, 0), _RIGHT, number(count))


def _write(painter: QPainter, area: QRectF, text: str) -> float:
    """Words, cut where the area ends; gives how wide they are."""
    metrics = painter.fontMetrics()
    room = max(0, int(area.width()))
    text = metrics.elidedText(" ".join(text.split()), Qt.TextElideMode.ElideRight, room)
    painter.drawText(area, _LEFT, text)
    return float(metrics.horizontalAdvance(text))
