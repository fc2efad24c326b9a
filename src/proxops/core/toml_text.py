"""The one way from a TOML text to its values: judged by a cheap look first, so that no text takes long or much to read.

The standard reader calls itself for every bracket and takes time with the square of the parts of a dotted key; digits in
hexadecimal make numbers of any size. None of that is needed in a file that a person writes.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, Final

from proxops.core.errors import BadInput
from proxops.core.user_file import read_text

LARGEST_BYTES: Final = 1_000_000  # 150 times the largest that is shipped
DEEPEST: Final = 16  # brackets in brackets
MOST_PARTS: Final = 8  # of a dotted key
LONGEST_WORD: Final = 128  # of a number or a key without quotation marks
# What matters to the look: strings and comments (left out whole), words, brackets, dots, and what ends a key. A string
# without its end is one up to the end of the line or text: what was read once is never read again.
_TOKEN: Final = re.compile(
    r'"""(?s:[^\\]|\\.)*?(?:"{3,5}|\Z)' r"|'''(?s:.)*?(?:'{3,5}|\Z)" r'|"(?:[^"\\\n]|\\.)*+"?' r"|'[^'\n]*+'?"
    r"|\#[^\n]*+"
    r"|[A-Za-z0-9_+-]++|[\[\]{}.=,\n]"
)  # fmt: skip


def load_toml(path: Path, what: str) -> dict[str, Any]:
    """Values of a TOML file; ``what`` is how complaints call it ("the cell")."""
    return read_toml(toml_text(path, what), path)


def toml_text(path: Path, what: str) -> str:
    """Text of a TOML file, not yet judged."""
    return read_text(path, what, LARGEST_BYTES)


def read_toml(text: str, source: Path) -> dict[str, Any]:
    """Values of a TOML text; ``source`` is named in complaints."""
    if len(text) > LARGEST_BYTES:
        raise BadInput("too large", where=str(source), value=f"{len(text)} bytes", bound=f"{LARGEST_BYTES} bytes")
    _look_through(text, source)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"not TOML: {error}", where=str(source)) from None
    except (ValueError, RecursionError) as error:  # dates that are none; and should the look have missed something
        raise BadInput(f"not TOML that can be read: {error}", where=str(source)) from None


def _look_through(text: str, source: Path) -> None:
    """Depth, parts of keys and lengths of words."""
    depth = parts = 0
    for found in _TOKEN.finditer(text):
        token = found[0]
        if token in "[{":
            depth, parts = depth + 1, 0
        elif token in "]}":
            depth, parts = max(depth - 1, 0), 0
        elif token == ".":
            parts += 1
        elif token in "=,\n":
            parts = 0
        elif token[0] not in "\"'#" and len(token) > LONGEST_WORD:
            raise _refusal("a number or a key is too long", len(token), f"{LONGEST_WORD} characters", found, source)
        if depth > DEEPEST:
            raise _refusal("brackets are nested too deep", depth, str(DEEPEST), found, source)
        if parts >= MOST_PARTS:
            raise _refusal("a dotted key has too many parts", parts + 1, str(MOST_PARTS), found, source)


def _refusal(what: str, value: int, bound: str, found: re.Match[str], source: Path) -> BadInput:
    line = found.string.count("\n", 0, found.start()) + 1
    return BadInput(what, where=f"{source}, line {line}", value=f"{value} or more", bound=f"at most {bound}")
