"""What pages are told of an uploaded file: whether it is being judged, what was found, whether it may run."""

from __future__ import annotations

from typing import Any, Final

NONE: Final[dict[str, Any]] = {
    "kind": "upload", "phase": "none", "number": 0, "name": "", "lines": 0, "duration_s": 0.0, "errors": [], "errors_more": 0,
    "feasible": False, "verdict": "", "findings": [],
}  # fmt: skip
FINDINGS: Final = 50


def told(about: dict[str, Any]) -> dict[str, Any]:
    """What the page shows of a check."""
    answer = about["answer"] or {}
    stops = about["preflight"]
    found = [{"where": f"line {f['line']}", "what": f["text"]} for f in stops]
    found += [{"where": f"bridge, {f['t_s']:.2f} s", "what": f["text"]} for f in answer.get("findings", [])]
    return NONE | {
        "phase": "checked", "name": about["name"], "lines": about["lines"], "duration_s": about["duration_s"],
        "errors": about["errors"], "errors_more": about["errors_more"], "feasible": about["may_run"],
        "verdict": _verdict(about, answer), "findings": found[:FINDINGS],
    }  # fmt: skip


def _verdict(about: dict[str, Any], answer: dict[str, Any]) -> str:
    if about["errors"]:
        count = len(about["errors"]) + about["errors_more"]
        return (
            f"{count} {'line is not as it' if count == 1 else 'lines are not as they'} should be; nothing was loaded."
        )
    as_file = "can be played as it is written" if about["may_run"] else "cannot be played"
    return f"As a file: {as_file}. Its relative motion through the bridge: {answer.get('verdict', 'not judged')}."
