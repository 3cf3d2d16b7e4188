"""What the cards of the choice of a model say: of each kind of backend, and of a model's size."""

from __future__ import annotations

from app.core.translation import N_, number, tr
from app.llm.backends.specs import KINDS
from app.views.model_trial import FoundModel

GIGABYTE = 1_000_000_000


def card_words(kind: str) -> tuple[str, str, str]:
    """Title, detail and fact of a card."""
    row = KINDS[kind]
    return tr(row.title), tr(row.detail), tr(row.fact)


def size_sentence(model: FoundModel) -> str:
    """What a model's size means for whoever chooses one."""
    size = model.size_bytes / GIGABYTE
    if not size:
        return tr("Nothing leaves this computer.")
    if size < 2.5:
        return tr("Small and quick; misses details of long scenes.")
    if size < 7:
        return tr("A good size for most computers.")
    sentence = (
        N_("Better recaps; needs about {size} GB of memory.")
        if size < 16
        else N_("Slow on most computers; needs about {size} GB of memory.")
    )
    return tr(sentence, size=number(size * 1.2))


def size_fact(model: FoundModel) -> str:
    """ "4.9 GB", "" where it is not known."""
    if not model.size_bytes:
        return ""
    return tr("{size} GB", size=number(model.size_bytes / GIGABYTE, 1))
