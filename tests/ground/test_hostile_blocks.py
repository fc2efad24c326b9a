"""Blocks of columns that say what they are not: the decoder, run as plain Python, reads no byte that is not there.

Compiled code does not look whether an index is in its array, so what it is shown here is what it may be asked for there."""

from __future__ import annotations

import importlib.util
import struct
from types import ModuleType

import numpy as np
import pytest

from proxops.ground import column_block, column_decoder
from proxops.maths import kernel

BLOCKS = 1500


@pytest.fixture
def plain_decoder(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The decoder, not compiled."""
    monkeypatch.setattr(kernel, "kernel", lambda function: function)
    spec = importlib.util.spec_from_file_location("plain_decoder", column_decoder.__file__)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def hostile_block(draw: np.random.Generator) -> tuple[bytes, np.ndarray]:
    """Of a right version and nearly of the right size, with forms, widths and sources as they come."""
    version = int(draw.choice([column_block.VERSION_1, column_block.VERSION]))
    last = column_block.RATE if version == column_block.VERSION_1 else column_block.HELD
    columns, rows = int(draw.integers(1, 7)), int(draw.choice([0, 1, 3, 5, 6, 9]))
    forms, widths = draw.integers(0, last + 2, columns), draw.integers(0, 10, columns)
    if draw.random() < 0.9:  # else one of them does not exist
        forms, widths = np.minimum(forms, last), np.minimum(widths, 8)
    noise = np.minimum(draw.integers(0, 9, columns), widths + (draw.random() < 0.05))
    follows = (forms >= column_block.MULTIPLE) & (forms <= column_block.RATE)
    related = min(columns, int(follows.sum()) + int(draw.random() < 0.2))
    sources = draw.choice([0, 1, 2, columns - 1, columns, 2**32 - 1], related).astype("<u4")
    held = forms == column_block.HELD
    moving, head = (forms != column_block.STILL) & ~held, min(rows, column_block.HEAD_ROWS)
    still = 8 * int((~moving).sum()) if rows else 0
    changes = draw.integers(0, 256, int(held.sum()) * ((rows + 7) // 8), np.uint8)
    still_values = draw.integers(0, 256, still, np.uint8)
    size = (
        8 * int(np.unpackbits(changes).sum()) + 8 * int(moving.sum()) * head + int(widths[moving].sum()) * (rows - head)
    )
    body = draw.integers(0, 256, max(0, size + int(draw.choice([0, 0, 0, 0, 1, -1]))), np.uint8)
    factors = draw.choice([0.0, 1.0, np.nan, np.inf, -2.5], related)
    begin = struct.pack("<B3xIII", version, rows, columns, related)
    told = (forms, widths) if version == column_block.VERSION_1 else (forms, widths, noise)
    begin += b"".join(bytes(each.tolist()) for each in told)
    parts = sources, factors, still_values, changes, body
    return begin + b"".join(part.tobytes() for part in parts), draw.random(columns) < 0.8


def test_nothing_is_read_beyond_a_block(plain_decoder: ModuleType) -> None:
    draw, refused = np.random.default_rng(1), 0
    with np.errstate(all="ignore"):
        for _ in range(BLOCKS):
            data, floats = hostile_block(draw)
            try:
                plain_decoder.decode_block(data, floats)  # IndexError: beyond its end
            except ValueError:
                refused += 1
    assert 0.1 * BLOCKS < refused < 0.9 * BLOCKS  # both happen
