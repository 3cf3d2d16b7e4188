"""The two text hashes that SillyTavern's extensions store next to their data."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

# What JavaScript's trim() removes; str.strip() knows some other characters as space.
_JS_SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def recap_hash(text: str) -> str:
    """ST-Auto-Recap's hash of a scene recap (spec/auto-recap.md §1.4): of the trimmed text."""
    units = _utf16(text.strip(_JS_SPACE))
    # h = 31 h + unit for each unit is a polynomial; uint32 wraps as JavaScript's int32 does.
    powers = np.ones(len(units), dtype=np.uint32)
    powers[1:] = 31
    powers = np.multiply.accumulate(powers, dtype=np.uint32)[::-1]
    value = int((units.astype(np.uint32) * powers).sum(dtype=np.uint32))
    return _base36(value if value < 1 << 31 else (1 << 32) - value)


def string_hashes(texts: Sequence[str]) -> list[int]:
    """SillyTavern's getStringHash (53 bits, seed 0) of each text, which old recaps keep.

    The hash goes unit by unit, so all texts are hashed side by side.
    """
    if not texts:
        return []
    units = [_utf16(text) for text in texts]
    longest_first = sorted(range(len(units)), key=lambda at: -len(units[at]))
    lengths = np.array([len(units[at]) for at in longest_first])
    row = np.concatenate([units[at] for at in longest_first]).astype(np.uint32)
    starts = np.cumsum(lengths) - lengths
    first = np.full(len(texts), 0xDEADBEEF, dtype=np.uint32)
    second = np.full(len(texts), 0x41C6CE57, dtype=np.uint32)
    active = len(texts)
    for place in range(int(lengths[0])):
        while lengths[active - 1] <= place:
            active -= 1
        unit = row[starts[:active] + place]
        first[:active] = (first[:active] ^ unit) * np.uint32(2654435761)
        second[:active] = (second[:active] ^ unit) * np.uint32(1597334677)
    first, second = _mixed(first, second)
    values = [0] * len(texts)
    for at, low, high in zip(longest_first, first.tolist(), second.tolist(), strict=True):
        values[at] = ((high & 0x1FFFFF) << 32) + low
    return values


def _mixed(
    first: NDArray[np.uint32], second: NDArray[np.uint32]
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    a, b = np.uint32(2246822507), np.uint32(3266489909)
    near, far = np.uint32(13), np.uint32(16)
    first = ((first ^ (first >> far)) * a) ^ ((second ^ (second >> near)) * b)
    second = ((second ^ (second >> far)) * a) ^ ((first ^ (first >> near)) * b)
    return first, second


def _utf16(text: str) -> NDArray[np.uint16]:
    return np.frombuffer(text.encode("utf-16-le", "surrogatepass"), dtype="<u2")


def _base36(value: int) -> str:
    digits = ""
    while True:
        value, digit = divmod(value, 36)
        digits = _DIGITS[digit] + digits
        if not value:
            return digits
