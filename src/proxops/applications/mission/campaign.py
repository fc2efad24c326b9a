"""Many runs of one mission, seed after seed, on all cores: every run's figures, and the worst of each. Run k is the same as
``proxops run NAME --seed k``."""

from __future__ import annotations

import gc
import json
import multiprocessing
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from proxops.applications.mission.flight_loading import let_go, load_flight_software
from proxops.applications.mission.report.words import QUANTITIES
from proxops.applications.mission.run import run_mission
from proxops.applications.mission.run_figures import BINS_M, NEES_95, RunFigures, figures_of
from proxops.applications.mission.software_flight import fly_in_software
from proxops.core.docking_standard import CONTACT_LIMITS
from proxops.core.errors import BadInput, ProxopsError
from proxops.core.mission import Mission, parse_mission
from proxops.ground.results import SUMMARY, write_results
from proxops.ground.section import RunReport, RunVerdict, Section, Table
from proxops.ground.words import told
from proxops.lab.cell import Cell
from proxops.runs.folder import prepare_folder


def fly(
    cell: Cell, mission: Mission, seed: int, software: str | None, use_hall: bool | None, inside: bool = False
) -> RunFigures:  # fmt: skip
    """One run, unrecorded."""
    if mission.file.hall.use if use_hall is None else use_hall:
        both = run_mission(
            cell, mission, None, seed=seed, software=software, inside=inside, use_hall=True, interruptible=False
        )
        out, stop = both.outcome, both.ran.stop
    else:
        out, stop = fly_in_software(mission, seed, software, inside), None
    return figures_of(mission, seed, out, stop)


# ---------------------------------------------------------------------- many of them
_work: dict[str, Any] = {}


def _prepare(cell: Cell, text: str, source: Path, software: str | None, use_hall: bool | None, inside: bool) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who collects
    _work.update(cell=cell, mission=parse_mission(text, source), software=software, use_hall=use_hall, inside=inside)


def _fly_one(seed: int) -> RunFigures:
    try:
        return fly(_work["cell"], _work["mission"], seed, _work["software"], _work["use_hall"], _work["inside"])
    finally:
        gc.collect()  # a hall is a knot of references with 23 MB of shared memory: not to be left to chance 200 times


def fly_all(
    cell: Cell,
    mission: Mission,
    seeds: range,
    software: str | None,
    use_hall: bool | None,
    workers: int | None = None,
    inside: bool = False,
) -> Iterator[RunFigures]:
    """The runs as they come in."""
    count = min(workers or os.cpu_count() or 1, len(seeds))
    context = multiprocessing.get_context("spawn")
    given = (cell, mission.text, mission.source, software, use_hall, inside)
    # The end of the pool ends the workers, wherever they are.
    with context.Pool(count, initializer=_prepare, initargs=given) as pool:
        yield from pool.imap_unordered(_fly_one, seeds)


def campaign_session(
    cell: Cell, mission: Mission, folder: Path, *, runs: int, first_seed: int | None, software: str | None,
    use_hall: bool | None, quiet: bool, inside: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Fly them all; ``runs.json`` and the summary."""
    from proxops.runs.progress import count_bar

    prepare_folder(folder)
    if software and software.startswith("udp:"):
        raise BadInput(
            "--runs: one on-board computer flies one mission at a time", value=software, way_out="give a class"
        )
    let_go(load_flight_software(software, mission.file, inside=inside))  # what cannot be used is said at once, by us
    first = mission.file.seed if first_seed is None else first_seed
    found: list[RunFigures] = []
    with count_bar(quiet, "runs", runs) as done, (folder / "runs.jsonl").open("w") as file, suppress(KeyboardInterrupt):
        for row in fly_all(cell, mission, range(first, first + runs), software, use_hall, inside=inside):
            found.append(row)
            file.write(json.dumps(asdict(row)) + "\n")  # each as it comes: an interrupted campaign keeps what it has
            file.flush()
            done()
    if not found:
        raise ProxopsError("interrupted before the first run was over")
    found.sort(key=lambda row: row.seed)
    summary = summarise(mission, found)
    summary["asked"], summary["passed"] = runs, summary["passed"] and len(found) == runs
    write_results(folder, campaign_report(summary), page=None, quiet=quiet, told=("runs.jsonl", SUMMARY))
    return summary


def summarise(mission: Mission, rows: list[RunFigures]) -> dict[str, Any]:
    """The worst of every figure and whose it is; how many met all limits; consistency of the filter."""
    ends = {end: sum(row.end == end for row in rows) for end in sorted({row.end for row in rows})}
    worst = {name: _worst(rows, name, bound) for name, bound in CONTACT_LIMITS.items()}
    return {
        "scenario": mission.name,
        "runs": len(rows),
        "first_seed": rows[0].seed,
        "ends": ends,
        "within_limits": sum(row.within for row in rows),
        "outside": [row.seed for row in rows if not row.within],
        "worst": worst,
        "propellant_kg": _spread([row.propellant_kg for row in rows]),
        "duration_s": _spread([row.t_s for row in rows]),
        "hall_share_min": min(row.hall_share for row in rows),
        "audit_max": max(row.audit for row in rows),
        "images": _images([row.images for row in rows if row.images is not None]),
        "consistency": [_consistency(rows, k, bin_m) for k, bin_m in enumerate(BINS_M)],
        "failures": sorted({row.failure for row in rows if row.failure}),
        "passed": all(row.within and row.audit < 1e-9 for row in rows),
    }


def _worst(rows: list[RunFigures], name: str, bound: float) -> dict[str, Any]:
    met = [(abs(value), row.seed) for row in rows if (value := getattr(row, name)) is not None]
    value, seed = max(met) if met else (None, None)
    return {
        "value": value,
        "bound": bound,
        "seed": seed,
        "median": float(np.median([v for v, _ in met])) if met else None,
    }


def _images(rows: list[tuple[int, int, int]]) -> dict[str, int] | None:
    """Of all flights together; None where no images were navigated by."""
    return dict(zip(("accepted", "refused", "wrong"), map(sum, zip(*rows, strict=True)), strict=True)) if rows else None


def _spread(values: list[float]) -> dict[str, float]:
    return {"min": min(values), "median": float(np.median(values)), "max": max(values)}


def _consistency(rows: list[RunFigures], k: int, bin_m: tuple[float, float]) -> dict[str, Any]:
    last = [row.nees[k] for row in rows if row.nees[k] is not None]
    inside = [share for row in rows if (share := row.nees_inside[k]) is not None]
    return {
        "range_m": list(bin_m),
        "runs": len(last),
        "inside_95": float(np.mean([NEES_95[0] <= v <= NEES_95[1] for v in last if v is not None])) if last else None,
        "below": float(np.mean([v < NEES_95[0] for v in last if v is not None])) if last else None,
        "mean_nees": float(np.mean([v for v in last if v is not None])) if last else None,
        "samples_inside_95": float(np.mean(inside)) if inside else None,
    }


def campaign_report(s: dict[str, Any]) -> RunReport:
    """The worst, not the best."""
    ends = ", ".join(f"{count} {end}" for end, count in s["ends"].items())
    used, took = s["propellant_kg"], s["duration_s"]
    detail = (
        f"propellant {used['min']:.3f} … {used['max']:.3f} kg, duration {took['min']:.0f} … {took['max']:.0f} s, "
        f"measurements from the hall at least {100 * s['hall_share_min']:.1f} %, audit at most {s['audit_max']:.1e}"
    )
    if s["images"]:
        images = s["images"]
        detail += f", images {images['accepted']} accepted ({images['wrong']} wrong), {images['refused']} refused"
    if s["outside"]:
        detail += f"; outside: seeds {', '.join(map(str, s['outside']))}"
    headline = f"{s['runs']} runs, {ends}; {s['within_limits']} within all limits at contact"
    sections = [Section("", [_contact_table(s["worst"])]), Section("", [_consistency_table(s["consistency"])])]
    return RunReport(s["scenario"], "", RunVerdict(s["passed"], headline, detail), s, sections, sections)


def _contact_table(worst: dict[str, Any]) -> Table:
    rows = []
    for name, row in worst.items():
        label, scale, unit, decimals = QUANTITIES[name]
        found, median, bound = (told(row[key], scale, decimals=decimals) for key in ("value", "median", "bound"))
        rows.append((f"{label} [{unit}]", found, str(row["seed"]), median, bound))
    return Table(("at contact", "worst", "of seed", "median", "limit"), rows)


def _consistency_table(ranges: list[dict[str, Any]]) -> Table:
    rows = []
    for row in ranges:
        if row["runs"]:
            last, every = (told(row[key], 100.0, "%", 1) for key in ("inside_95", "samples_inside_95"))
            low, high = row["range_m"]
            rows.append((f"{low:g} … {high:g}", str(row["runs"]), last, told(row["mean_nees"], decimals=1), every))
    head = ("range [m]", "runs", "last estimate inside 95 %", "its mean NEES (12)", "all estimates inside")
    return Table(head, rows)
