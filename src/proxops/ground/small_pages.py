"""Memory for long arrays in small pages, while a report is made.

NumPy asks the system for large pages. To give one, the system first has to make room for it and clears it whole: for arrays that
are written once and dropped, as those of a report are, that takes up to half of the time spent on them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from numpy._core import multiarray


@contextmanager
def small_pages() -> Iterator[None]:
    """As a ``with`` block, or round a function. NumPy's switch is not a public one: where there is none, nothing is changed."""
    switch = getattr(multiarray, "_set_madvise_hugepage", None)
    before = switch(False) if switch else None
    try:
        yield
    finally:
        if switch:
            switch(before)
