"""What is wrong with a drawing, and what goes on all the same, is said once."""

from __future__ import annotations

from pathlib import Path

from proxops.core.scenery_table import Scenery
from proxops.lab.any_cell import load_cell
from proxops.sensors.drawing_notes import drawing_notes

HOLED = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n"  # a tetrahedron without its slanted face


def test_holes_are_told_and_shipped_drawings_are_silent(tmp_path: Path) -> None:
    path = tmp_path / "mine.obj"
    path.write_text(HOLED)
    (note,) = drawing_notes(Scenery(client=str(path)), None)
    assert "mine.obj" in note and "hole" in note
    assert not drawing_notes(Scenery(client="client_full.urdf"), load_cell())
