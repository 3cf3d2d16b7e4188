"""How standard controls are drawn: Fusion with our own buttons, fields, checks and scroll bars."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import (
    QProxyStyle,
    QStyle,
    QStyleHintReturn,
    QStyleOption,
    QStyleOptionComboBox,
    QStyleOptionComplex,
    QStyleOptionFrame,
    QStyleOptionSlider,
    QWidget,
)

from ui.theme.source import ThemeSource
from ui.theme.tokens import Tokens

CONTROL_RADIUS = 7.0
CHECK_RADIUS = 4.0
BAR_THICKNESS = 5
BAR_EXTENT = 11
BAR_MINIMUM = 32
RING_GAP = 2
LIST_BEFORE, LIST_AFTER = 9, 24  # px beside the word of a closed list; its arrow is after it

State = QStyle.StateFlag
Primitive = QStyle.PrimitiveElement
Control = QStyle.ControlElement
Complex = QStyle.ComplexControl
Metric = QStyle.PixelMetric
Sub = QStyle.SubControl
Contents = QStyle.ContentsType
Hint = QStyle.StyleHint

_METRICS = {
    Metric.PM_ScrollBarExtent: BAR_EXTENT,
    Metric.PM_ScrollBarSliderMin: BAR_MINIMUM,
    Metric.PM_DefaultFrameWidth: 1,
    Metric.PM_ButtonShiftHorizontal: 0,
    Metric.PM_ButtonShiftVertical: 0,
    Metric.PM_IndicatorWidth: 16,
    Metric.PM_IndicatorHeight: 16,
    Metric.PM_ExclusiveIndicatorWidth: 16,
    Metric.PM_ExclusiveIndicatorHeight: 16,
    Metric.PM_CheckBoxLabelSpacing: 8,
    Metric.PM_RadioButtonLabelSpacing: 8,
    Metric.PM_FocusFrameHMargin: RING_GAP + 2,
    Metric.PM_FocusFrameVMargin: RING_GAP + 2,
    Metric.PM_SplitterWidth: 5,
    Metric.PM_ToolTipLabelFrameWidth: 6,
    Metric.PM_MenuVMargin: 5,
    Metric.PM_MenuHMargin: 4,
    Metric.PM_MenuPanelWidth: 1,
    Metric.PM_HeaderMargin: 5,  # as cells have
}
_HINTS = {
    Hint.SH_ScrollBar_Transient: 0,
    Hint.SH_ComboBox_Popup: 0,
    Hint.SH_ToolTip_WakeUpDelay: 500,
    Hint.SH_EtchDisabledText: 0,
    Hint.SH_FocusFrame_Mask: 0,
    Hint.SH_FocusFrame_AboveWidget: 1,
    Hint.SH_DitherDisabledText: 0,
    Hint.SH_ItemView_ShowDecorationSelected: 1,
}


def rounded(
    painter: QPainter,
    rect: QRect | QRectF,
    radius: float,
    fill: QColor | None,
    edge: QColor | None = None,
    width: float = 1.0,
) -> None:
    """A rounded rectangle whose edge lies inside `rect`, on whole pixels."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    inset = width / 2 if edge is not None else 0.0
    painter.setPen(QPen(edge, width) if edge is not None else Qt.PenStyle.NoPen)
    painter.setBrush(fill if fill is not None else Qt.BrushStyle.NoBrush)
    area = QRectF(rect).adjusted(inset, inset, -inset, -inset)
    painter.drawRoundedRect(area, radius - inset, radius - inset)
    painter.restore()


def tick(painter: QPainter, rect: QRect | QRectF, colour: QColor) -> None:
    """A check mark inside a 16 px box."""
    box = QRectF(rect)
    points = [(0.25, 0.54), (0.43, 0.72), (0.76, 0.32)]
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(
        QPen(colour, 1.8, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
    )
    painter.drawPolyline(
        QPolygonF(
            [QPointF(box.x() + x * box.width(), box.y() + y * box.height()) for x, y in points]
        )
    )
    painter.restore()


class InstrumentStyle(QProxyStyle):
    """Draws with the tokens in use at that moment, so a theme change needs only a repaint."""

    def __init__(self, source: ThemeSource) -> None:
        super().__init__("Fusion")
        self._source = source

    @property
    def _tokens(self) -> Tokens:
        return self._source.tokens

    def pixelMetric(
        self,
        metric: QStyle.PixelMetric,
        option: QStyleOption | None = None,
        widget: QWidget | None = None,
    ) -> int:
        known = _METRICS.get(metric)
        return known if known is not None else super().pixelMetric(metric, option, widget)

    def styleHint(
        self,
        hint: QStyle.StyleHint,
        option: QStyleOption | None = None,
        widget: QWidget | None = None,
        returnData: QStyleHintReturn | None = None,  # noqa: N803
    ) -> int:
        known = _HINTS.get(hint)
        return known if known is not None else super().styleHint(hint, option, widget, returnData)

    def drawPrimitive(
        self,
        element: QStyle.PrimitiveElement,
        option: QStyleOption,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        match element:
            case Primitive.PE_PanelButtonCommand | Primitive.PE_PanelButtonTool:
                self._draw_button(option, painter)
            case Primitive.PE_PanelLineEdit | Primitive.PE_FrameLineEdit:
                # The field inside a spin box or list has no frame of its own.
                if not isinstance(option, QStyleOptionFrame) or option.lineWidth > 0:
                    self._draw_field(option, painter)
            case Primitive.PE_IndicatorCheckBox:
                self._draw_check(option, painter)
            case Primitive.PE_IndicatorRadioButton:
                self._draw_radio(option, painter)
            case Primitive.PE_FrameFocusRect:
                return  # the ring is a frame of its own (ui/theme/focus.py) or the delegate's
            case Primitive.PE_PanelMenu | Primitive.PE_FrameMenu | Primitive.PE_PanelTipLabel:
                t = self._tokens
                painter.fillRect(option.rect, t.float_)
                painter.setPen(t.line2)
                painter.drawRect(option.rect.adjusted(0, 0, -1, -1))
            case _:
                super().drawPrimitive(element, option, painter, widget)

    def drawControl(
        self,
        element: QStyle.ControlElement,
        option: QStyleOption,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        if element == Control.CE_FocusFrame:
            rounded(
                painter,
                option.rect,
                CONTROL_RADIUS + RING_GAP + 2,
                None,
                self._tokens.ring,
                self._tokens.ring_width,
            )
        elif element == Control.CE_ShapedFrame and option.rect.width() <= 0:
            return
        elif element in (Control.CE_HeaderSection, Control.CE_HeaderEmptyArea):
            self._draw_header(option, painter)
        else:
            super().drawControl(element, option, painter, widget)

    def drawComplexControl(
        self,
        control: QStyle.ComplexControl,
        option: QStyleOptionComplex,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        if control == Complex.CC_ScrollBar and isinstance(option, QStyleOptionSlider):
            self._draw_scroll_bar(option, painter, widget)
        elif control == Complex.CC_ComboBox and isinstance(option, QStyleOptionComboBox):
            self._draw_combo(option, painter)
        elif control == Complex.CC_SpinBox:
            self._draw_field(option, painter)  # numbers are typed or stepped with the arrow keys
        else:
            super().drawComplexControl(control, option, painter, widget)

    def subControlRect(
        self,
        control: QStyle.ComplexControl,
        option: QStyleOptionComplex,
        sub: QStyle.SubControl,
        widget: QWidget | None = None,
    ) -> QRect:
        if control == Complex.CC_ScrollBar and isinstance(option, QStyleOptionSlider):
            return self._scroll_part(option, sub)
        if control == Complex.CC_ComboBox and sub == Sub.SC_ComboBoxEditField:
            return option.rect.adjusted(LIST_BEFORE, 1, -LIST_AFTER, -1)
        return super().subControlRect(control, option, sub, widget)  # type: ignore[arg-type]

    def sizeFromContents(
        self,
        contents: QStyle.ContentsType,
        option: QStyleOption,
        size: QSize,
        widget: QWidget | None = None,
    ) -> QSize:
        wanted = super().sizeFromContents(contents, option, size, widget)  # type: ignore[arg-type]
        if contents == Contents.CT_ComboBox:
            # Fusion draws a word with 1 px on each side.
            wanted.setWidth(size.width() + LIST_BEFORE + LIST_AFTER + 2)
        return wanted

    def _draw_button(self, option: QStyleOption, painter: QPainter) -> None:
        t = self._tokens
        enabled = bool(option.state & State.State_Enabled)
        is_down = bool(option.state & (State.State_Sunken | State.State_On))
        fill: QColor | None = t.raised
        if not enabled:
            fill = None
        elif is_down:
            fill = t.well
        elif option.state & State.State_MouseOver:
            fill = t.hover
        rounded(painter, option.rect, CONTROL_RADIUS, fill, t.line2 if enabled else t.line)

    def _draw_field(self, option: QStyleOption, painter: QPainter) -> None:
        t = self._tokens
        has_focus = bool(option.state & State.State_HasFocus)
        rounded(painter, option.rect, CONTROL_RADIUS, t.well, t.ring if has_focus else t.line2)

    def _draw_header(self, option: QStyleOption, painter: QPainter) -> None:
        t, area = self._tokens, option.rect
        painter.fillRect(area, t.stage)
        painter.fillRect(QRect(area.left(), area.bottom(), area.width(), 1), t.line2)

    def _draw_check(self, option: QStyleOption, painter: QPainter) -> None:
        t = self._tokens
        if option.state & State.State_On:
            rounded(painter, option.rect, CHECK_RADIUS, t.accent)
            tick(painter, option.rect, t.accent_ink)
        else:
            rounded(painter, option.rect, CHECK_RADIUS, t.well, t.ctl, 1.35)

    def _draw_radio(self, option: QStyleOption, painter: QPainter) -> None:
        t = self._tokens
        area = QRectF(option.rect)
        if option.state & State.State_On:
            rounded(painter, area, area.width() / 2, t.accent)
            dot = area.adjusted(5, 5, -5, -5)
            rounded(painter, dot, dot.width() / 2, t.accent_ink)
        else:
            rounded(painter, area, area.width() / 2, t.well, t.ctl, 1.35)

    def _draw_combo(self, option: QStyleOptionComboBox, painter: QPainter) -> None:
        self._draw_button(option, painter)
        t = self._tokens
        x, y = option.rect.right() - 13, option.rect.center().y() + 0.5
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(t.t2, 1.35, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawPolyline(
            QPolygonF([QPointF(x - 3.5, y - 1.5), QPointF(x, y + 2), QPointF(x + 3.5, y - 1.5)])
        )
        painter.restore()

    def _scroll_part(self, option: QStyleOptionSlider, sub: QStyle.SubControl) -> QRect:
        rect = option.rect
        is_upright = option.orientation == Qt.Orientation.Vertical
        length = rect.height() if is_upright else rect.width()
        span = option.maximum - option.minimum
        thumb = length
        if span > 0:
            thumb = max(BAR_MINIMUM, length * option.pageStep // (span + option.pageStep))
            thumb = min(thumb, length)
        start = QStyle.sliderPositionFromValue(
            option.minimum,
            option.maximum,
            option.sliderPosition,
            length - thumb,
            option.upsideDown,
        )
        first, second = 0, 0
        match sub:
            case Sub.SC_ScrollBarGroove:
                first, second = 0, length
            case Sub.SC_ScrollBarSlider:
                first, second = start, thumb
            case Sub.SC_ScrollBarSubPage:
                first, second = 0, start
            case Sub.SC_ScrollBarAddPage:
                first, second = start + thumb, length - start - thumb
            case _:
                return QRect()
        if is_upright:
            return QRect(rect.x(), rect.y() + first, rect.width(), second)
        return QRect(rect.x() + first, rect.y(), second, rect.height())

    def _draw_scroll_bar(
        self, option: QStyleOptionSlider, painter: QPainter, widget: QWidget | None
    ) -> None:
        if option.maximum <= option.minimum:
            return
        t = self._tokens
        thumb = QRectF(self._scroll_part(option, Sub.SC_ScrollBarSlider))
        gap = (BAR_EXTENT - BAR_THICKNESS) / 2
        if option.orientation == Qt.Orientation.Vertical:
            thumb = thumb.adjusted(gap, 1, -gap, -1)
        else:
            thumb = thumb.adjusted(1, gap, -1, -gap)
        is_lit = option.state & State.State_MouseOver or option.state & State.State_Sunken
        rounded(painter, thumb, BAR_THICKNESS / 2, t.ctl if is_lit else t.line2)
