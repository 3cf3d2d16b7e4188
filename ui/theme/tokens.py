"""Every colour of the window: for dark, for light, and both once more in high contrast."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from PySide6.QtGui import QColor

if TYPE_CHECKING:
    from app.story.inclusion import InclusionState

# Of slots and tiers by what their rows name: on dark, on light, and the same in high contrast.
_HUES: dict[str, tuple[str, str, str, str]] = {
    "short-term": ("#4AAEBF", "#0091A4", "#5CD3E8", "#006A78"),
    "canon": ("#78AE7A", "#539156", "#93D996", "#2F6B2D"),
    "arcs": ("#BA9A56", "#9E7A23", "#E6C26E", "#735500"),
    "long-term": ("#CE8D68", "#B46B40", "#F5AC83", "#8A4419"),
    "session": ("#D38686", "#B96365", "#F7A3A3", "#8F3A39"),
    "profiles": ("#C986AC", "#AE648F", "#F0A6D1", "#853866"),
    "scenes": ("#B18ECB", "#946DB1", "#D6B2F5", "#6B4489"),
    "relations": ("#9398D9", "#7478C1", "#B5B9FF", "#4A4E9C"),
    "who knows": ("#70A3D8", "#4984BF", "#8CC8FF", "#1F5C92"),
    "ledger": ("#51B2A1", "#009583", "#66DBC7", "#006B5D"),
}
TIERS = tuple(_HUES)
# Apart from the others, and so far of none: of the next tiers and slots.
_FREE_HUES: dict[str, tuple[str, str, str, str]] = {
    "olive": ("#9FA45B", "#7F8330", "#C9CF77", "#545B00"),
    "orchid": ("#BF8ABF", "#A1679F", "#E6ABE5", "#7A3E79"),
}

NO_FILL = QColor(0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Tone:
    """How one meaning is coloured: `fill` for bars (transparent: outline only), `text` for words
    and icons."""

    fill: QColor
    text: QColor


@dataclass(frozen=True, slots=True)
class CompareTone:
    """Ground and words of one side of a comparison."""

    ground: QColor
    text: QColor


@dataclass(frozen=True, slots=True)
class Tokens:
    """One palette. Surfaces from far to near, then text, accent, meanings.

    is_contrast: for who needs more of it. Then text has at least 7:1 on every surface, edges are
    drawn, focus is thick and nothing recedes.
    """

    name: str
    is_dark: bool
    chrome: QColor
    stage: QColor
    raised: QColor
    float_: QColor
    well: QColor
    hover: QColor
    line: QColor
    line2: QColor
    ctl: QColor
    t1: QColor
    t2: QColor
    t3: QColor
    prose: QColor
    say: QColor
    narr: QColor
    accent: QColor
    accent_ink: QColor
    ring: QColor
    accent_text: QColor
    accent_soft: QColor
    included: Tone
    long_term: Tone
    out_of_budget: Tone
    excluded: Tone
    lagging: Tone
    failed: Tone
    edited: Tone
    stale: Tone
    slot_hues: Mapping[str, QColor]
    compare_left: CompareTone
    compare_right: CompareTone
    is_contrast: bool = False

    @property
    def ring_width(self) -> float:
        """Of the focus ring, in px."""
        return 3.0 if self.is_contrast else 1.6

    @property
    def hatch_width(self) -> float:
        """Of a stroke that says "not as it stands", in px."""
        return 2.0 if self.is_contrast else 1.2

    def receding(self, colour: QColor, share: float) -> QColor:
        """The colour of what stands behind: at `share` (0 to 1), hardly less in high contrast."""
        return faded(colour, max(share, 0.85) if self.is_contrast else share)

    def tone(self, state: InclusionState) -> Tone:
        """The colours of an inclusion state."""
        return {
            "included": self.included,
            "long-term": self.long_term,
            "out of budget": self.out_of_budget,
            "excluded": self.excluded,
            "lagging": self.lagging,
            "failed": self.failed,
        }.get(state.value, Tone(NO_FILL, self.t3))

    def fill(self, state: InclusionState) -> QColor:
        """Fill of a bar; transparent means outline only."""
        return self.tone(state).fill

    def text_tone(self, state: InclusionState) -> QColor:
        """Colour of the icon and the word."""
        return self.tone(state).text


def faded(colour: QColor, alpha: float) -> QColor:
    """The same colour at `alpha` (0 to 1)."""
    result = QColor(colour)
    result.setAlphaF(alpha)
    return result


def _hues(palette: int) -> Mapping[str, QColor]:
    return MappingProxyType(
        {name: QColor(of[palette]) for name, of in (_HUES | _FREE_HUES).items()}
    )


def _tone(fill: str, text: str) -> Tone:
    return Tone(QColor(fill), QColor(text))


DARK = Tokens(
    name="dark",
    is_dark=True,
    chrome=QColor("#0C0E10"),
    stage=QColor("#14171A"),
    raised=QColor("#1B1F23"),
    float_=QColor("#23282D"),
    well=QColor("#0F1113"),
    hover=QColor("#20252A"),
    line=QColor("#23282D"),
    line2=QColor("#363D44"),
    ctl=QColor("#6B747E"),
    t1=QColor("#ECEAE5"),
    t2=QColor("#B7BABF"),
    t3=QColor("#8D939B"),
    prose=QColor("#D6D4CF"),
    say=QColor("#F6E9CF"),
    narr=QColor("#B6B9BD"),
    accent=QColor("#F4AE3D"),
    accent_ink=QColor("#1C1300"),
    ring=QColor("#F4AE3D"),
    accent_text=QColor("#F4AE3D"),
    accent_soft=QColor("#2A2316"),
    included=_tone("#3FA46C", "#62C48F"),
    long_term=_tone("#5B97CB", "#86B8E2"),
    out_of_budget=_tone("#AB4546", "#EC8A84"),
    excluded=Tone(NO_FILL, QColor("#9AA0A7")),
    lagging=Tone(faded(QColor("#3FA46C"), 0.42), QColor("#8D939B")),
    failed=_tone("#FF6F91", "#FF86A3"),
    edited=Tone(NO_FILL, QColor("#BDA4F2")),
    stale=Tone(NO_FILL, QColor("#BDA4F2")),
    slot_hues=_hues(0),
    compare_left=CompareTone(QColor("#4A2226"), QColor("#F6B8B2")),
    compare_right=CompareTone(QColor("#173A2A"), QColor("#A9E5C4")),
)

LIGHT = Tokens(
    name="light",
    is_dark=False,
    chrome=QColor("#E6E5E0"),
    stage=QColor("#FAF9F6"),
    raised=QColor("#FFFFFF"),
    float_=QColor("#FFFFFF"),
    well=QColor("#F1F0EB"),
    hover=QColor("#F0EEE8"),
    line=QColor("#DEDCD5"),
    line2=QColor("#C6C4BB"),
    ctl=QColor("#7C8087"),
    t1=QColor("#1B1D20"),
    t2=QColor("#474C53"),
    t3=QColor("#5E636A"),
    prose=QColor("#26282B"),
    say=QColor("#1B1D20"),
    narr=QColor("#50545A"),
    accent=QColor("#EFA32A"),
    accent_ink=QColor("#1C1300"),
    ring=QColor("#B06E00"),
    accent_text=QColor("#885200"),
    accent_soft=QColor("#FBEFD6"),
    included=_tone("#2E8B57", "#1E6D42"),
    long_term=_tone("#4682B4", "#2A618F"),
    out_of_budget=_tone("#B04A46", "#8B0000"),
    excluded=Tone(NO_FILL, QColor("#555555")),
    lagging=Tone(faded(QColor("#2E8B57"), 0.42), QColor("#5E636A")),
    failed=_tone("#C2184B", "#AE1241"),
    edited=Tone(NO_FILL, QColor("#6740B4")),
    stale=Tone(NO_FILL, QColor("#6740B4")),
    slot_hues=_hues(1),
    compare_left=CompareTone(QColor("#FBDEDB"), QColor("#7E1410")),
    compare_right=CompareTone(QColor("#D5F0E0"), QColor("#0F5431")),
)

CONTRAST_DARK = Tokens(
    name="high contrast dark",
    is_dark=True,
    is_contrast=True,
    chrome=QColor("#000000"),
    stage=QColor("#000000"),
    raised=QColor("#0E0E0E"),
    float_=QColor("#0E0E0E"),
    well=QColor("#000000"),
    hover=QColor("#262626"),
    line=QColor("#8A8A8A"),
    line2=QColor("#E4E4E4"),
    ctl=QColor("#FFFFFF"),
    t1=QColor("#FFFFFF"),
    t2=QColor("#E4E4E4"),
    t3=QColor("#CFCFCF"),
    prose=QColor("#FFFFFF"),
    say=QColor("#FFF3D6"),
    narr=QColor("#E4E4E4"),
    accent=QColor("#FFC247"),
    accent_ink=QColor("#000000"),
    ring=QColor("#FFD166"),
    accent_text=QColor("#FFD166"),
    accent_soft=QColor("#332500"),
    included=_tone("#4FD08A", "#7BE8AC"),
    long_term=_tone("#6FB6F2", "#A9D4FA"),
    out_of_budget=_tone("#F0736D", "#FFB3AD"),
    excluded=Tone(NO_FILL, QColor("#D6D6D6")),
    lagging=Tone(faded(QColor("#4FD08A"), 0.6), QColor("#CFCFCF")),
    failed=_tone("#FF7FA0", "#FFB0C4"),
    edited=Tone(NO_FILL, QColor("#D6C6FF")),
    stale=Tone(NO_FILL, QColor("#D6C6FF")),
    slot_hues=_hues(2),
    compare_left=CompareTone(QColor("#4A0D12"), QColor("#FFD9D5")),
    compare_right=CompareTone(QColor("#00351C"), QColor("#C9FBDF")),
)

CONTRAST_LIGHT = Tokens(
    name="high contrast light",
    is_dark=False,
    is_contrast=True,
    chrome=QColor("#FFFFFF"),
    stage=QColor("#FFFFFF"),
    raised=QColor("#F3F3F3"),
    float_=QColor("#FFFFFF"),
    well=QColor("#FFFFFF"),
    hover=QColor("#E9E9E9"),
    line=QColor("#767676"),
    line2=QColor("#2B2B2B"),
    ctl=QColor("#000000"),
    t1=QColor("#000000"),
    t2=QColor("#1F1F1F"),
    t3=QColor("#383838"),
    prose=QColor("#000000"),
    say=QColor("#000000"),
    narr=QColor("#2B2B2B"),
    accent=QColor("#FFB52E"),
    accent_ink=QColor("#000000"),
    ring=QColor("#7A4A00"),
    accent_text=QColor("#5E3800"),
    accent_soft=QColor("#FFF0CF"),
    included=_tone("#1E7A47", "#0B4D29"),
    long_term=_tone("#2A659B", "#12446F"),
    out_of_budget=_tone("#A52A26", "#7A0000"),
    excluded=Tone(NO_FILL, QColor("#3A3A3A")),
    lagging=Tone(faded(QColor("#1E7A47"), 0.6), QColor("#383838")),
    failed=_tone("#B00F3E", "#86082C"),
    edited=Tone(NO_FILL, QColor("#4A238F")),
    stale=Tone(NO_FILL, QColor("#4A238F")),
    slot_hues=_hues(3),
    compare_left=CompareTone(QColor("#FFE3E0"), QColor("#6B0D0A")),
    compare_right=CompareTone(QColor("#D9F5E4"), QColor("#083F23")),
)
