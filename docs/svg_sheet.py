"""A white card on which docs/draw_bridge.py and docs/draw_pipeline.py draw: plain SVG text, legible on light and dark pages."""

from pathlib import Path

Point = tuple[float, float]
INK, DIM, FAINT = "#1f2937", "#6b7280", "#9ca3af"
CHASER, TARGET, LINE = "#c2410c", "#0e7490", "#7c3aed"
AXES = (("x", "#c62828"), ("y", "#2e7d32"), ("z", "#1565c0"))
STYLE = (
    "text{font-family:'Segoe UI',Helvetica,Arial,sans-serif;font-size:13px;fill:#1f2937}"
    ".s{font-size:12px}.t{font-size:11px;fill:#6b7280}.h{font-size:14px;font-weight:600}"
    ".i{font-style:italic;font-size:14px}.m{font-family:Consolas,Menlo,monospace;font-size:11px;fill:#6b7280}"
)


class Sheet:
    """A white card of SVG elements; all coordinates are pixels, y down."""

    def __init__(self, title: str, width: float, height: float) -> None:
        self.width, self.height = width, height
        self.lines = [f"<title>{title}</title>", "<defs>"]
        for name, colour in (("dim", DIM), ("ink", INK), ("line", LINE), ("chaser", CHASER), ("target", TARGET), *AXES):
            self.lines.append(
                f'<marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
                f'markerUnits="userSpaceOnUse" orient="auto-start-reverse"><path d="M0 1 8 4 0 7z" fill="{colour}"/></marker>'
            )
        card = f'x="0.5" y="0.5" width="{width - 1:.0f}" height="{height - 1:.0f}" rx="10"'
        self.lines.append(f'<clipPath id="card"><rect {card}/></clipPath></defs>')
        self.lines.append(f'<rect {card} fill="#ffffff" stroke="#d1d5db"/>\n<g clip-path="url(#card)">')

    def add(self, element: str) -> None:
        self.lines.append(element)

    def text(self, x: float, y: float, words: str, style: str = "") -> None:
        self.add(f'<text x="{x:.1f}" y="{y:.1f}" {style}>{words}</text>')

    def path(self, points: list[Point], style: str, closed: bool = False) -> None:
        steps = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.add(f'<{"polygon" if closed else "polyline"} points="{steps}" {style}/>')

    def dot(self, at: Point, colour: str, radius: float = 5.0) -> None:
        circle = f'cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="{radius:g}"'
        self.add(f'<circle {circle} fill="#ffffff" stroke="{colour}" stroke-width="2.5"/>')

    def dimension(self, a: Point, b: Point, words: str, at: Point, style: str = "") -> None:
        arrows = f'stroke="{DIM}" fill="none" marker-start="url(#dim)" marker-end="url(#dim)"'
        self.path([a, b], arrows)
        self.text(*at, words, style or 'class="s"')

    def save(self, path: Path) -> None:
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:.0f} {self.height:.0f}" '
        head += f'width="{self.width:.0f}" height="{self.height:.0f}">\n<style>{STYLE}</style>\n'
        path.write_text(head + "\n".join(self.lines) + "\n</g>\n</svg>\n", encoding="utf-8")
