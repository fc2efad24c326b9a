"""The one way from an XML file (a URDF) to its elements: bounded in size and depth, without entities."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Final

from proxops.core.errors import BadInput
from proxops.core.user_file import read_bytes

LARGEST_BYTES: Final = 4_000_000  # 180 times the largest that is shipped
DEEPEST: Final = 64  # elements in elements; what walks them calls itself for each


def load_xml(path: Path, what: str) -> ET.Element:
    """The root; ``what`` is how complaints call the file ("the robot model")."""
    data = read_bytes(path, what, LARGEST_BYTES)
    if b"<!ENTITY" in data:  # a few lines of them can stand for gigabytes
        raise BadInput(f"{what} declares entities", where=str(path), way_out="write out what they stand for")
    root: ET.Element | None = None
    depth = 0
    try:
        for event, element in ET.iterparse(io.BytesIO(data), events=("start", "end")):
            root = element if root is None else root
            depth += 1 if event == "start" else -1
            if depth > DEEPEST:
                bound = f"at most {DEEPEST}"
                raise BadInput("elements are nested too deep", where=str(path), value=f"{depth} or more", bound=bound)
    except (ET.ParseError, LookupError, ValueError) as reason:
        raise BadInput(f"cannot read {what}: {reason}", where=str(path)) from None
    if root is None:
        raise BadInput(f"cannot read {what}: it is empty", where=str(path))
    return root
