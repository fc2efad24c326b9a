"""A surface as a Wavefront OBJ: what every reader of models takes, ours too."""

from __future__ import annotations

from pathlib import Path

from proxops.optics.scene.mesh import Mesh


def write_obj(path: Path, surface: Mesh, about: str) -> None:
    """In metres, to a tenth of a millimetre. ``about``: one line."""
    lines = [f"# {about}", *(f"v {x:.4f} {y:.4f} {z:.4f}" for x, y, z in surface.vertices)]
    lines += [f"f {a} {b} {c}" for a, b, c in surface.triangles + 1]
    path.write_text("\n".join(lines) + "\n")
