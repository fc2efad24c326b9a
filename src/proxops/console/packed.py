"""Tables of numbers for the page: a JSON head, then float64 arrays one after another. The other side is page/src/packed.ts."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proxops.console.json_text import json_text


def pack(head: dict[str, Any], arrays: Mapping[str, NDArray[np.float64]]) -> bytes:
    """u32 length of the head, four zero bytes, the head (padded to 8 bytes with blanks), the arrays in the order named there."""
    names = [[name, int(array.size)] for name, array in arrays.items()]
    text = json_text({**head, "arrays": names}).encode()
    text += b" " * (-len(text) % 8)
    body = b"".join(np.ascontiguousarray(array, "<f8").tobytes() for array in arrays.values())
    return struct.pack("<II", len(text), 0) + text + body
