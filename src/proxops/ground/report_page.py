"""The page of a report: one HTML file that needs nothing else. The same log gives the same bytes."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.ground.panels.sheet import Sheet
from proxops.ground.panels.svg import svg_of
from proxops.ground.plot_style import FORMATS, INK, styled
from proxops.ground.section import Code, Drawing, Part, Picture, RunReport, RunVerdict, Section, SideBySide, Table, Text
from proxops.ground.small_pages import small_pages

CSS: Final = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1b2733; --soft: #5b6874; --line: #d9dfe5;
  --card: #f5f7f9; --good: #1d7f45; --bad: #c22f2a; --plain: #9a6b00; }
@media screen and (prefers-color-scheme: dark) { :root { --paper: #14191e; --ink: #e3e9ee; --soft: #98a5b1;
  --line: #323c45; --card: #1c2329; --good: #55c585; --bad: #ff7d73; --plain: #e5b95c; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.5rem 4rem; max-width: 72rem; background: var(--paper);
  color: var(--ink); font: 15px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
h1 { font-size: 1.7rem; margin: 0; line-height: 1.25; }
h2 { font-size: 1.15rem; margin: 2.4rem 0 .6rem; padding-bottom: .25rem;
  border-bottom: 1px solid var(--line); }
p { margin: .4rem 0; }
.soft, figcaption, caption { color: var(--soft); }
figcaption, caption { font-size: .85rem; text-align: left; }
caption { caption-side: bottom; padding-top: .35rem; }
.verdict { margin: 1.2rem 0; padding: .9rem 1.2rem; border-left: 6px solid var(--tone);
  background: var(--card); border-radius: 4px; }
.verdict strong { font-size: 1.25rem; color: var(--tone); }
.good { --tone: var(--good); } .bad { --tone: var(--bad); } .plain { --tone: var(--plain); }
td.good, td.bad { color: var(--tone); font-weight: 600; white-space: nowrap; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: .92rem; }
th, td { text-align: left; padding: .28rem .9rem .28rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top; }
th, td:first-child { color: var(--soft); font-weight: 400; } th { font-weight: 600; }
td.number { white-space: nowrap; }
.pairs { display: grid; grid-template-columns: repeat(auto-fit, minmax(24rem, 1fr)); column-gap: 2.5rem; }
figure { margin: 1rem 0; } figure > svg { width: 100%; height: auto; display: block; }
.pictures { display: grid; grid-template-columns: repeat(3, 1fr); gap: .8rem; }
.pictures figure { margin: 0; } img { width: 100%; height: auto; display: block; border-radius: 3px; }
code, pre { font: .86rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
pre { background: var(--card); padding: .7rem .9rem; border-radius: 4px; white-space: pre-wrap; }
@media print { body { font-size: 9.5pt; max-width: none; padding: 0; print-color-adjust: exact; }
  h2 { break-after: avoid; } figure, tr, .verdict { break-inside: avoid; } }
"""


TONES: Final = {True: "good", False: "bad", None: "plain"}


def write_page(report: RunReport, out_html: Path) -> None:
    """RunVerdict first, then section after section."""
    try:
        with small_pages():
            out_html.write_text(_page(report), encoding="utf-8")
    except OSError as reason:
        raise BadInput(f"cannot be written: {reason.strerror}", where=str(out_html)) from reason


def _page(report: RunReport) -> str:
    title = f"{report.title}: {report.verdict.headline}"
    parts = (
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title>",
        f"<style>{CSS}</style>",
        "</head>",
        "<body>",
        f"<h1>{escape(report.title)}</h1>",
        *([f'<p class="soft">{escape(report.about)}</p>'] if report.about else []),
        _verdict(report.verdict),
        *(line for section in report.sections for line in _section(section)),
        "</body>",
        "</html>",
    )
    return "\n".join(parts) + "\n"


def _verdict(verdict: RunVerdict) -> str:
    detail = f"<p>{escape(verdict.detail)}</p>" if verdict.detail else ""
    return f'<div class="verdict {TONES[verdict.good]}"><strong>{escape(verdict.headline)}</strong>{detail}</div>'


def _section(section: Section) -> Iterator[str]:
    if section.heading:
        yield f"<h2>{escape(section.heading)}</h2>"
    yield from map(_part, section.parts)


def _part(part: Part) -> str:
    match part:
        case Table():
            return _table(part)
        case Drawing():
            return _drawing(part.figure, part.caption)
        case Picture():
            return _picture(part.rgb, part.caption)
        case SideBySide():
            kind = "pictures" if isinstance(part.parts[0], Picture) else "pairs"
            return f'<div class="{kind}">{"".join(map(_part, part.parts))}</div>'
        case Text((line,)):
            return f'<p class="soft">{escape(line)}</p>'
        case Text():
            return "<ul>" + "".join(f"<li>{escape(line)}</li>" for line in part.lines) + "</ul>"
        case Code():
            code = f"<pre>{escape(part.text)}</pre>"
            return f"<details><summary>{escape(part.folded)}</summary>{code}</details>" if part.folded else code


def _table(table: Table) -> str:
    names = "".join(f"<th>{escape(word)}</th>" for word in table.head)
    head = f"<thead><tr>{names}</tr></thead>" if names else ""
    below = f"<caption>{escape(table.caption)}</caption>" if table.caption else ""
    body = "\n".join(f"<tr>{''.join(_cells(row, table.wraps))}</tr>" for row in table.rows)
    return f'<div class="wide"><table>{below}{head}<tbody>\n{body}\n</tbody></table></div>'


def _cells(row: Sequence[str | bool], wraps: bool) -> Iterator[str]:
    for i, cell in enumerate(row):
        if isinstance(cell, bool):
            yield '<td class="good">✓ met</td>' if cell else '<td class="bad">✗ not met</td>'
        else:
            yield f"<td{'' if i == 0 or wraps else ' class=number'}>{escape(cell)}</td>"


def _drawing(figure: Any, caption: str) -> str:
    """A figure as inline SVG that takes the page's text colour, so it reads on light and on dark paper."""
    svg = svg_of(figure) if isinstance(figure, Sheet) else _of_matplotlib(figure)
    label = escape(caption)
    return f'<figure role="img" aria-label="{label}">{svg}<figcaption>{label}</figcaption></figure>'


def _of_matplotlib(figure: Any) -> str:
    buffer = io.StringIO()
    with styled():
        figure.savefig(buffer, format="svg", transparent=True, **FORMATS[".svg"])
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :].strip().replace(INK, "currentColor")
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    for size in ("width", "height"):  # the page decides; the view box keeps the proportions
        svg = re.sub(rf'(<svg [^>]*?) {size}="[^"]*"', r"\1", svg, count=1)
    return svg


def _picture(rgb: NDArray[np.uint8], caption: str) -> str:
    """A rendered picture, as JPEG: a tenth of a PNG's size and no visible difference."""
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(rgb).save(buffer, format="JPEG", quality=88, optimize=True)
    data, label = base64.b64encode(buffer.getvalue()).decode(), escape(caption)
    image = f'<img alt="{label}" src="data:image/jpeg;base64,{data}">'
    return f"<figure>{image}<figcaption>{label}</figcaption></figure>"
