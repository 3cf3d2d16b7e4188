"""Draws and writes a SillyTavern character card: a PNG that carries the character as text."""

from __future__ import annotations

import base64
import colorsys
import hashlib
import json
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

WIDTH, HEIGHT = 400, 600
HORIZON = 400
SIGNATURE = b"\x89PNG\r\n\x1a\n"
# PNG's per-row filter that stores the difference to the row above: smooth pictures get small.
FILTER_UP = 2


def write_card(
    path: Path,
    *,
    name: str,
    description: str,
    first_message: str = "",
    chat: str = "",
    created: str = "",
    fields: Mapping[str, str] | None = None,
) -> None:
    """Write a card with the chunks `chara` (version 2) and `ccv3` (version 3) and a picture.

    chat: name of the chat that SillyTavern opens with this character, without extension. fields:
    others of the card, by name.
    """
    more = dict(fields or {})
    data = {
        "name": name,
        "description": description,
        "personality": "",
        "scenario": "",
        "first_mes": first_message,
        "mes_example": "",
        "creator_notes": "",
        "system_prompt": "",
        "post_history_instructions": "",
        "alternate_greetings": [],
        "tags": [],
        "creator": "",
        "character_version": "",
        "extensions": {"talkativeness": "0.5", "fav": False, "world": ""},
    } | more
    first_version = {
        "name": name,
        "description": description,
        "personality": "",
        "scenario": "",
        "first_mes": first_message,
        "mes_example": "",
        "creatorcomment": "",
        "avatar": "none",
        "chat": chat,
        "talkativeness": "0.5",
        "fav": False,
        "tags": [],
        "create_date": created,
    } | {name: text for name, text in more.items() if name != "system_prompt"}
    second = first_version | {"spec": "chara_card_v2", "spec_version": "2.0", "data": data}
    third = first_version | {
        "spec": "chara_card_v3",
        "spec_version": "3.0",
        "data": data | {"group_only_greetings": []},
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    texts = {"chara": _encoded(second), "ccv3": _encoded(third)}
    path.write_bytes(png(lantern_over_water(name), texts))


def lantern_over_water(name: str) -> npt.NDArray[np.uint8]:
    """A light over dark water, in a colour that follows from the name. Shape (600, 400, 3)."""
    # From teal to violet: what a night may look like.
    hue = 0.52 + 0.24 * hashlib.sha256(name.encode()).digest()[0] / 255
    night, dusk = (np.array(colorsys.hsv_to_rgb(hue, 0.62, v)) for v in (0.12, 0.42))
    glow = np.array(colorsys.hsv_to_rgb(0.11, 0.45, 1.0))
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float64)
    height = np.clip(y / HORIZON, 0, 1)[..., None]
    picture = night + (dusk - night) * height**2
    water = (y >= HORIZON)[..., None]
    depth = np.clip((y - HORIZON) / (HEIGHT - HORIZON), 0, 1)[..., None]
    picture = np.where(water, dusk * (0.62 - 0.5 * depth), picture)

    lamp_x, lamp_y = WIDTH / 2, HORIZON * 0.58
    distance = np.hypot(x - lamp_x, y - lamp_y)
    halo = 0.85 * np.exp(-((distance / 46) ** 2)) + 0.25 * np.exp(-distance / 110)
    ripple = 0.5 + 0.5 * np.sin(2.1 * np.clip(y - HORIZON, 0, None) ** 0.7)
    spread = 16 + 70 * depth[..., 0]
    gleam = 0.55 * ripple * (1 - depth[..., 0]) * np.exp(-(((x - lamp_x) / spread) ** 2))
    light = np.where(y < HORIZON, halo, gleam)[..., None]
    picture = picture + (glow - picture) * np.clip(light, 0, 1)
    rounded: npt.NDArray[np.uint8] = np.round(np.clip(picture, 0, 1) * 255).astype(np.uint8)
    return rounded


def png(pixels: npt.NDArray[np.uint8], texts: dict[str, str]) -> bytes:
    """An 8-bit RGB PNG of `pixels` (height, width, 3), with a `tEXt` chunk for each of `texts`."""
    height, width, _ = pixels.shape
    rows = pixels.reshape(height, width * 3)
    differences = np.diff(rows, axis=0, prepend=np.zeros((1, width * 3), np.uint8))
    filtered = np.insert(differences, 0, FILTER_UP, axis=1)
    return b"".join(
        (
            SIGNATURE,
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
            *(_chunk(b"tEXt", f"{key}\0{text}".encode("latin-1")) for key, text in texts.items()),
            _chunk(b"IDAT", zlib.compress(filtered.tobytes(), 9)),
            _chunk(b"IEND", b""),
        )
    )


def _chunk(kind: bytes, content: bytes) -> bytes:
    checksum = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", checksum)


def _encoded(card: dict[str, Any]) -> str:
    return base64.b64encode(json.dumps(card, ensure_ascii=False).encode()).decode("ascii")
