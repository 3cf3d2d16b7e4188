"""Who and what has a name: types, other names, how often each is remembered, and with whom."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QSignalBlocker,
    Qt,
    Signal,
)
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QSplitter,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from app.core.translation import N_, number, tr
from app.memory.entities.bonds import Bonds, Named, bonds_of, memories_by_entity
from app.memory.records import ENTITY_TYPES, Entity
from app.memory.standing import Ground, Standing
from ui.controls.buttons import Button, IconButton
from ui.controls.fields import Choice
from ui.controls.labels import ElidedLabel, body
from ui.controls.surfaces import Line
from ui.memories.listing.bonds import BondsTree
from ui.memories.listing.delegate import PlainDelegate
from ui.memories.listing.table import Header
from ui.memories.words import stored_word
from ui.theme.fonts import SEMIBOLD, ui_font

Index = QModelIndex | QPersistentModelIndex
HEADERS = (
    N_("Name"),
    N_("Also called"),
    N_("What it is"),
    N_("First seen"),
    N_("Last seen"),
    N_("Memories"),
)
WIDTHS = (0, 0, 100, 88, 88, 88)
EMPTY = N_("No names here yet. They come with the first memories.")
ROW = 40
SHARES = (320, 220)  # of the height: names, and what ties the chosen one to others


class Column(IntEnum):
    """What stands in each column."""

    NAME = 0
    ALIASES = 1
    TYPE = 2
    FIRST = 3
    LAST = 4
    MEMORIES = 5


class EntityModel(QAbstractTableModel):
    """Entities by how often they are remembered.

    Signals:
        renamed: (entity id, name), by an edit in the row.
    """

    renamed = Signal(str, str)

    def __init__(self) -> None:
        super().__init__()
        self.can_edit = False
        self.entities: tuple[Entity, ...] = ()
        self.named: Named = {}
        self._ground: Ground | None = None

    def show_entities(
        self, entities: Sequence[Entity], memories: Sequence[Standing], ground: Ground
    ) -> None:
        """Show who and what has a name."""
        named = memories_by_entity(entities, memories)
        self.beginResetModel()
        self.named, self._ground = named, ground
        self.entities = tuple(sorted(entities, key=lambda e: (-self.count(e), e.name.casefold())))
        self.endResetModel()

    def count(self, entity: Entity) -> int:
        """How many memories that hold name it."""
        return len(self.named.get(entity.id, ()))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.entities)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(Column)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return tr(HEADERS[section])
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        is_name = index.isValid() and index.column() == Column.NAME
        if is_name and self.can_edit and not self.entities[index.row()].is_locked:
            flags |= Qt.ItemFlag.ItemIsEditable
        return flags

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if not index.isValid() or role != Qt.ItemDataRole.EditRole:
            return False
        entity, name = self.entities[index.row()], " ".join(str(value).split())
        if name and name != entity.name:
            self.renamed.emit(entity.id, name)
        return True  # the companion says when it is so

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        entity, column = self.entities[index.row()], Column(index.column())
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return self._cell(entity, column)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(filter(None, (self._cell(entity, c) for c in Column)))
        return None

    def _cell(self, entity: Entity, column: Column) -> str:
        match column:
            case Column.NAME:
                return entity.name
            case Column.ALIASES:
                return ", ".join(entity.aliases)
            case Column.TYPE:
                return tr("not known") if entity.type == "unknown" else stored_word(entity.type)
            case Column.FIRST:
                return self._place(entity.first_seen)
            case Column.LAST:
                return self._place(entity.last_seen)
            case Column.MEMORIES:
                return number(self.count(entity))

    def _place(self, anchor: str) -> str:
        place = self._ground.places.get(anchor) if self._ground is not None else None
        return f"#{place}" if place is not None else ""


class PeoplePane(QWidget):
    """Signals:
    type_asked: (entity id, type).
    merge_asked: (entity id, id of the one that it is).
    name_asked: (entity id, name).
    delete_asked: entity id.
    memories_asked: name of whom memories are to be shown.
    memory_asked: id of a memory that is to be shown.
    """

    type_asked = Signal(str, str)
    merge_asked = Signal(str, str)
    name_asked = Signal(str, str)
    delete_asked = Signal(str)
    memories_asked = Signal(str)
    memory_asked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = EntityModel()
        self.can_change = False
        self._name = ElidedLabel(font=ui_font(13, SEMIBOLD))
        self.types = Choice(tr("What it is"))
        for name in ENTITY_TYPES:
            self.types.addItem(tr("not known") if name == "unknown" else stored_word(name), name)
        self.merge = Choice(tr("The same as"))
        self.see = Button(tr("Show memories"), icon="layers")
        self.delete = IconButton("trash", tr("Delete this name; memories of it stay."))
        self._nothing = body(tr(EMPTY))
        self._nothing.setContentsMargins(16, 16, 16, 16)
        self.table = _table(self.model)
        self.bonds = BondsTree()
        self._rows = QSplitter(Qt.Orientation.Vertical)
        self._rows.setChildrenCollapsible(False)
        self._rows.addWidget(self.table)
        self._together = ElidedLabel(font=ui_font(12, SEMIBOLD))
        self._rows.addWidget(_under(self._together, self.bonds))
        self._rows.setSizes(SHARES)
        head = QHBoxLayout()
        head.setContentsMargins(16, 10, 16, 10)
        head.setSpacing(8)
        head.addWidget(self._name, 1)
        head.addWidget(self.types)
        head.addWidget(self.merge)
        head.addWidget(self.see)
        head.addWidget(self.delete)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addLayout(head)
        outer.addWidget(Line())
        outer.addWidget(self._nothing)
        outer.addWidget(self._rows, 1)
        self.table.selectionModel().selectionChanged.connect(self._show_chosen)
        self.model.renamed.connect(self.name_asked)
        self.delete.clicked.connect(self._on_delete)
        self.types.activated.connect(self._on_type)
        self.merge.activated.connect(self._on_merge)
        self.see.clicked.connect(self._on_see)
        self.bonds.memory_asked.connect(self.memory_asked)
        self.bonds.entity_asked.connect(self.choose)

    def show_entities(
        self,
        entities: Sequence[Entity],
        memories: Sequence[Standing],
        ground: Ground,
        *,
        can_change: bool,
    ) -> None:
        """Show who and what has a name; the chosen one stays chosen."""
        chosen = self.chosen
        self.can_change = self.model.can_edit = can_change
        self.model.show_entities(entities, memories, ground)
        ids = [entity.id for entity in self.model.entities]
        self._nothing.setVisible(not ids)
        self._rows.setVisible(bool(ids))
        if ids:
            row = ids.index(chosen.id) if chosen is not None and chosen.id in ids else 0
            self.table.selectRow(row)
        self._show_chosen()

    @property
    def chosen(self) -> Entity | None:
        """The entity that the cursor is on."""
        rows = self.table.selectionModel().selectedRows()
        place = rows[0].row() if rows else -1
        return self.model.entities[place] if 0 <= place < len(self.model.entities) else None

    def choose(self, entity_id: str) -> None:
        """Put the cursor on an entity."""
        for row, entity in enumerate(self.model.entities):
            if entity.id == entity_id:
                self.table.selectRow(row)

    def _show_chosen(self) -> None:
        entity = self.chosen
        model = self.model
        tied = bonds_of(entity, model.entities, model.named) if entity is not None else Bonds()
        self.bonds.show_bonds(entity, tied)
        is_free = entity is not None and self.can_change and not entity.is_locked
        for widget in (self.types, self.see):
            widget.setVisible(entity is not None)
        for control in (self.merge, self.delete):
            control.setVisible(is_free)
        if entity is None:
            self._name.setText(tr("People and things"))
            return
        self._name.setText(entity.name)
        self._together.setText(tr("Remembered together with {name}", name=entity.name))
        self.types.setEnabled(is_free)
        self.types.setToolTip(
            "" if is_free else tr("Has a character card, or is you: this cannot be changed.")
        )
        with QSignalBlocker(self.types):
            self.types.setCurrentIndex(max(0, self.types.findData(entity.type)))
        others = [(one.name, one.id) for one in model.entities if one.id != entity.id]
        self.merge.fill(lambda: self._fill_merge(others))

    def _fill_merge(self, others: Sequence[tuple[str, str]]) -> None:
        self.merge.clear()
        self.merge.addItem(tr("Is the same as …"), "")
        for name, entity_id in others:
            self.merge.addItem(name, entity_id)

    def _on_type(self, _place: int) -> None:
        entity = self.chosen
        if entity is not None and self.types.currentData() != entity.type:
            self.type_asked.emit(entity.id, str(self.types.currentData()))

    def _on_merge(self, _place: int) -> None:
        entity, other = self.chosen, str(self.merge.currentData())
        if entity is not None and other:
            self.merge_asked.emit(entity.id, other)

    def _on_delete(self) -> None:
        entity = self.chosen
        if entity is not None:
            self.delete_asked.emit(entity.id)

    def _on_see(self) -> None:
        entity = self.chosen
        if entity is not None:
            self.memories_asked.emit(entity.name)


def _under(head: QWidget, below: QWidget) -> QWidget:
    part = QWidget()
    column = QVBoxLayout(part)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    column.addWidget(Line())
    row = QHBoxLayout()
    row.setContentsMargins(16, 10, 16, 6)
    row.addWidget(head)
    column.addLayout(row)
    column.addWidget(below, 1)
    return part


def _table(model: EntityModel) -> QTableView:
    table = QTableView()
    table.setModel(model)
    table.setAccessibleName(tr("People and things"))
    table.setItemDelegate(PlainDelegate(table, numbers=(Column.MEMORIES,)))
    table.setFrameShape(QFrame.Shape.NoFrame)
    table.setShowGrid(False)
    table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QTableView.SelectionMode.SingleSelection)
    table.setTabKeyNavigation(False)
    table.setEditTriggers(
        QTableView.EditTrigger.EditKeyPressed | QTableView.EditTrigger.DoubleClicked
    )
    table.setVerticalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
    table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    table.viewport().setAutoFillBackground(False)
    table.verticalHeader().hide()
    table.verticalHeader().setDefaultSectionSize(ROW)
    header = Header(table, left=16, numbers=(Column.MEMORIES,))
    header.setSectionsClickable(False)
    table.setHorizontalHeader(header)
    for column, width in zip(Column, WIDTHS, strict=True):
        mode = QHeaderView.ResizeMode.Fixed if width else QHeaderView.ResizeMode.Stretch
        header.setSectionResizeMode(column, mode)
        if width:
            table.setColumnWidth(column, max(width, header.width_of(column)))
    return table
