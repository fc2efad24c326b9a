"""How every summary begins, whatever kind of run it is of: what was run, with what, when, and whether its log is whole."""

from __future__ import annotations

from typing import Any

import numpy as np

from proxops.ground.info import iso_utc
from proxops.ground.log import Log


def summary_head(log: Log) -> dict[str, Any]:
    """From metadata and clock alone; what a log does not tell is None."""
    told, ticks, utc = log.metadata.get, log.values("clock.tick"), log.values("clock.utc_ns")
    steps, seed = np.diff(ticks), told("seed")
    period_s = float(np.median(np.diff(utc))) * 1e-9 if ticks.size > 1 else None
    return {
        "file": log.path.name,
        "kind": kind_of_run(log),
        "scenario": told("scenario"),
        "trajectory": told("trajectory"),
        "cell": told("cell"),
        "user_tool": told("user_tool"),
        "model": told("model") or None,
        "seed": int(seed) if seed else None,
        "clock": told("clock"),
        "proxops_version": told("proxops_version", told("proxops")),
        "start_utc": iso_utc(utc[0]) if utc.size else None,
        "cycles": int(ticks.size),
        "sample_period_s": period_s,
        "duration_s": float(utc[-1] - utc[0]) * 1e-9 + (period_s or 0.0) if utc.size else 0.0,
        "gaps": int(np.count_nonzero(steps != 1)),
        "lost_ticks": int(np.sum(steps[steps > 1] - 1)),
        "complete": log.complete,
        "notes": list(log.notes),
        "ended": log.ended.plain if log.ended else None,
    }


def kind_of_run(log: Log) -> str:
    """As the scenario says; ``play`` and ``serve`` are those without one. Logs of 0.7 tell it by what else they say."""
    told = log.metadata
    if "kind" in told:
        return told["kind"]
    if told.get("mission") == "true":
        return "mission"
    if "trajectory" in told:
        return "play"
    return "scripted" if "scenario" in told else "serve"
