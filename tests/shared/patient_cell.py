"""A shipped cell for tests by the wall clock, on machines that hold a process up for longer than robots could bear."""

from __future__ import annotations

import re
from pathlib import Path

from proxops.lab.any_cell import HALL, cell_source

HURRY = "move_to_start_share = 0.25 ", "move_to_start_share = 0.9 "
PATIENCE = {
    r"patience_cycles = \d+ ": "patience_cycles = 250\nstall_ms = 1000.0 ",
    r"sync_timeout_ms = 20\.0 ": "sync_timeout_ms = 1000.0 ",
}


def hurried(text: str) -> str:
    """A cell file of the hall whose robots go fast to where a motion begins."""
    usual, fast = HURRY
    assert usual in text
    return text.replace(usual, fast)


def patient_cell(folder: Path, name: str = HALL, *, hurry: bool = False) -> Path:
    """A cell file in ``folder``: stalls of a second are borne, and so is a synchronous client's silence."""
    text = cell_source(name).read_text()
    if hurry:
        text = hurried(text)
    for key, patient in PATIENCE.items():
        assert re.search(key, text) or name != HALL
        text = re.sub(key, patient, text)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "patient.toml"
    path.write_text(text)
    return path
