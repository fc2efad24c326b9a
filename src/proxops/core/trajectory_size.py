"""How large a trajectory file may be, for whoever reads one that comes from outside."""

from __future__ import annotations

from typing import Final

LARGEST_BYTES: Final = 64 * 1024 * 1024
MOST_LINES: Final = 1_500_000  # 100 minutes
