"""Processes of ours below another, found by the module that they run: to be killed by their number and no others."""

from __future__ import annotations

from pathlib import Path


def pid_below(ancestor: int, module: str) -> int:
    """Of a descendant that runs ``module``; 0 if there is none."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and ancestor in lineage(int(entry.name)):
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if module.encode() in words:
                return int(entry.name)
    return 0


def lineage(pid: int) -> list[int]:
    """Its parents, as far as they can be found."""
    found: list[int] = []
    while pid > 1:
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            break
        found.append(pid)
    return found
