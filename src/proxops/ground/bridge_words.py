"""How a run of the bridge went, in words and tables for people: mm, deg, s."""

from __future__ import annotations

from typing import Any, Final

from proxops.ground.words import DEG, MISSING, count, told

Summary = dict[str, Any]
Rows = list[tuple[str, ...]]
HALTS_NAMED: Final = 3


def how_it_followed(s: Summary) -> tuple[str, str]:
    """Headline and detail: did it follow, for how long, and what halted it."""
    share = f"{told(100.0 * s['converged_share'], decimals=0)} % of {told(s['run_s'], unit='s', decimals=0)}"
    if not s["converged_s"]:
        causes = ", ".join(s["standstill_s"]) or "nothing held it back"
        return "Stood by", f"never converged in {told(s['run_s'], unit='s', decimals=0)}: {causes}"
    return "Followed", f"converged {share}; {_halted(s['halts'])}"


def _halted(halts: list[dict[str, Any]]) -> str:
    if not halts:
        return "never halted"
    named = [f"{_why(halt)} at {told(halt['at_s'], unit='s', decimals=1)}" for halt in halts[:HALTS_NAMED]]
    more = f" and {count(len(halts) - HALTS_NAMED)} times more" if len(halts) > HALTS_NAMED else ""
    return f"halted by {', '.join(named)}{more}"


def _why(halt: dict[str, Any]) -> str:
    return f"{halt['cause']} ({halt['rule']})" if halt["rule"] else str(halt["cause"])


def bridge_rows(s: Summary) -> Rows:
    """What one wants to know first of a run of the bridge."""
    travel = ", ".join(f"{axis} {told(value, unit='m', decimals=3)}" for axis, value in s["chaser_travel_m"].items())
    red = "entered red" if s["entered_red"] else "never red"
    nearest = f"{told(s['actual_clearance_min_m'], 1e3, 'mm', 1)} to red, {red}"
    return [
        ("run", told(s["run_s"], unit="s")),
        ("first converged", told(s["first_converged_s"], unit="s")),
        ("asked for by the client", _asked(s)),
        ("converged", f"{told(s['converged_s'], unit='s')}, {told(s['converged_share'], 100.0, '%', 1)}"),
        ("relative pose error", _error(s, "")),
        ("… robots' delay off", _error(s, "_delay_removed")),
        ("distance of the ports", f"at least {told(s['distance_min_m'], unit='m', decimals=4)}"),
        ("port 1's travel", travel if s["converged_s"] else MISSING),
        ("clearance", nearest),
        ("nearest pair", s["actual_clearance_min_pair"] or MISSING),
        ("axis limits used", _used(s)),
        ("packets", _packets(s["input"])),
    ]


def _asked(s: Summary) -> str:
    possible, shown = (told(s[name], 100.0, "%", 1) for name in ("possible_share", "shown_share"))
    return f"{told(s['asked_s'], unit='s')}, {possible} possible, {shown} shown"


def _error(s: Summary, suffix: str) -> str:
    position, attitude = (f"relative_{what}_error{suffix}_max" for what in ("position", "attitude"))
    if s[f"{position}_m"] is None:
        return MISSING
    return f"up to {told(s[f'{position}_m'], 1e3, 'mm', 3)} and {told(s[f'{attitude}_rad'], DEG, 'deg', 4)}"


def _used(s: Summary) -> str:
    speed, acceleration = (told(s[f"setpoint_{what}_share_max"], 100.0, "%", 1) for what in ("speed", "acceleration"))
    return f"speed {speed}, acceleration {acceleration}"


def _packets(counted: dict[str, int]) -> str:
    return f"{count(counted['taken'])} taken, {count(counted['lost'])} lost, {count(counted['refused'])} refused"


PHASE_HEAD: Final = ("phase", "time", "of the run")


def phase_rows(s: Summary) -> Rows:
    """How long the bridge was in each phase."""
    return [
        (name.lower(), told(seconds, unit="s"), told(seconds / s["run_s"], 100.0, "%", 1))
        for name, seconds in s["phase_s"].items()
        if seconds
    ]


STANDSTILL_HEAD: Final = ("cause", "phase", "from", "for")
STANDSTILLS_SHOWN: Final = 40


def standstill_rows(s: Summary) -> Rows:
    """Why and when it did not move the hall."""
    return [
        (row["cause"], row["phase"].lower(), told(row["begin_s"], unit="s"), told(row["duration_s"], unit="s"))
        for row in s["standstills"][:STANDSTILLS_SHOWN]
    ]


_INPUT_WORDS: Final = {
    "taken": "packets taken",
    "lost": "packets that never came",
    "extrapolated": "cycles filled by extrapolation",
    "stale": "packets that came too late or twice",
    "doubled": "cycles with two packets or more",
    "refused": "datagrams not taken",
}
INPUT_HEAD: Final = ("input filter", "number", "of the packets")


def input_rows(s: Summary) -> Rows:
    """What the input filter counted until the end of the run."""
    sent = max(1, s["input"]["taken"] + s["input"]["lost"])
    return [
        (words, count(s["input"][name]), told(s["input"][name] / sent, 100.0, "%", 3))
        for name, words in _INPUT_WORDS.items()
    ]
