"""Drawings of a docking with contact: the way of the ball, forces, force over depth, energy, and the law as it was found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from proxops.core.toml_text import read_toml
from proxops.ground.log import Log
from proxops.ground.plot_style import GREY, INK, RAIL, ROBOT1, ROBOT2, new_figure, styled
from proxops.ground.recorded import Floats
from proxops.ground.section import Drawing

BESIDE_S: Final = 0.15  # round the contacts, in the drawings that show only those
FLIGHT: Final = 2  # stage of the log from which on the spacecraft fly


def draw(log: Log, about: dict[str, Any]) -> Iterator[Drawing]:
    """For the report."""
    t = log.values("docking.t")
    flying = log.values("docking.stage") >= FLIGHT
    if not flying.any():
        return
    touching = log.values("docking.true_depth") > 0.0
    yield Drawing(
        _motion(log, t, flying, touching),
        (
            "The ball seen from the client. Left: distance from its seat along the docking axis and beside it, as "
            "computed and as the robots "
            "showed it; grey: hardware in touch. Right: its way, and the shape it meets as the ball's centre sees it."
        ),
    )
    if touching.any():
        yield Drawing(
            _forces(log, t, flying, touching),
            (
                "Left: force by the sensor (load and zero taken off), by the law found so far at the shown pose, and "
                "truly. Right: force over "
                "depth: the area inside is what the hardware takes out of the motion."
            ),
        )
    yield Drawing(
        _books(log, t, flying, touching),
        (
            "Left: relative kinetic energy: dips while the hardware is pressed in, and is never more after a contact "
            "than before. Middle: stiffness and damping as found so far. Right: what the "
            "commanded position still differs from the corrected state; a correction opens it within a cycle and the "
            "command closes it slowly: the command itself does not jump."
        ),
    )


def _shade(axes: Any, t: Floats, touching: Any) -> None:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], touching.astype(int), [0]])))
    for first, last in zip(edges[::2], edges[1::2], strict=True):
        axes.axvspan(t[first], t[min(last, len(t) - 1)], color=GREY, alpha=0.25, lw=0)


def _motion(log: Log, t: Floats, flying: Any, touching: Any) -> Any:
    shape = read_toml(log.metadata["scenario_file"], log.path)["shape"]
    seat = float(shape.get("seat_m", 0.735))
    with styled():
        figure = new_figure(11.0, 4.0)
        left, right = figure.subplots(1, 2, width_ratios=(1.6, 1.0))
        for name, style in (("shown", {"lw": 3.0, "alpha": 0.4}), ("ball", {"lw": 1.2})):
            x = 1e3 * (log.values(f"{name}.x") - seat)
            beside = 1e3 * np.hypot(log.values(f"{name}.y"), log.values(f"{name}.z"))
            which = "shown" if name == "shown" else "computed"
            left.plot(t[flying], x[flying], color=ROBOT1, label=f"along, {which}", **style)
            left.plot(t[flying], beside[flying], color=ROBOT2, label=f"beside, {which}", **style)
            right.plot(x[flying], 1e3 * log.values(f"{name}.y")[flying], color=ROBOT1, **style)
        _shade(left, t[flying], touching[flying])
        left.set(xlabel="t [s]", ylabel="[mm]", title="Ball from its seat")
        left.legend(loc="upper right", ncols=2)
        _outline(right, shape)
        right.set(xlabel="x from the seat [mm]", ylabel="y [mm]", title="Way of the ball's centre")
        right.set_aspect("equal", adjustable="datalim")
        figure.tight_layout()
    return figure


def _outline(axes: Any, shape: dict[str, Any]) -> None:
    """Where the ball's centre just touches: bowl, wall, rim; or the plate."""
    if shape["kind"] == "plate":
        axes.axvline(0.0, color=INK, lw=1.0)
        return
    ball, bowl, mouth = float(shape["ball_mm"]), float(shape.get("bowl_mm", 30.0)), float(shape.get("mouth_mm", 100.0))
    half = np.radians(float(shape.get("half_angle_deg", 40.0)))
    u = np.linspace(0.0, np.pi / 2.0 - half, 40)
    play = bowl - ball
    x, y = play * (1.0 - np.cos(u)), play * np.sin(u)
    run = (mouth - bowl * np.cos(half)) / np.sin(half)  # along the wall
    x, y = np.append(x, x[-1] + run * np.cos(half)), np.append(y, y[-1] + run * np.sin(half))
    # The flat flange round the mouth, a ball's radius before it.
    rim = play + (mouth * np.cos(half) - bowl) / np.sin(half) + ball
    for sign in (1.0, -1.0):
        axes.plot(x, sign * y, color=INK, lw=1.0)
        axes.plot([rim, rim], [sign * mouth, sign * 1.5 * mouth], color=INK, lw=1.0)


def _near(t: Floats, touching: Any) -> Any:
    when = t[touching]
    return (t >= when[0] - BESIDE_S) & (t <= when[-1] + BESIDE_S)


def _forces(log: Log, t: Floats, flying: Any, touching: Any) -> Any:
    near = _near(t, touching) & flying
    with styled():
        figure = new_figure(11.0, 3.6)
        left, right = figure.subplots(1, 2, width_ratios=(1.6, 1.0))
        for name, style in (
            ("true_wrench", {"color": GREY, "lw": 3.0, "label": "truly"}),
            ("felt", {"color": ROBOT1, "lw": 1.0, "label": "by the sensor"}),
            ("modelled", {"color": ROBOT2, "lw": 1.0, "label": "by the law found"}),
        ):
            force = np.sqrt(sum(log.values(f"{name}.f{axis}") ** 2 for axis in "xyz"))
            left.plot(t[near], force[near], **style)
        left.set(xlabel="t [s]", ylabel="|force| [N]", title="Force")
        left.legend(loc="best")
        depth = 1e3 * log.values("docking.true_depth")
        force = np.sqrt(sum(log.values(f"felt.f{axis}") ** 2 for axis in "xyz"))
        inside = near & (depth > -0.1)
        for part in np.split(np.flatnonzero(inside), np.flatnonzero(np.diff(np.flatnonzero(inside)) > 1) + 1):
            right.plot(depth[part], force[part], ".-", ms=3.0, lw=0.6, color=ROBOT1)
        right.set(xlabel="depth [mm]", ylabel="force felt [N]", title="Force over depth")
        figure.tight_layout()
    return figure


def _books(log: Log, t: Floats, flying: Any, touching: Any) -> Any:
    with styled():
        figure = new_figure(11.0, 3.2)
        energy, law, blend = figure.subplots(1, 3)
        energy.plot(t[flying], 1e3 * log.values("books.relative")[flying], color=ROBOT1)
        _shade(energy, t[flying], touching[flying])
        energy.set(xlabel="t [s]", ylabel="[mJ]", title="Relative kinetic energy", ylim=(0.0, None))
        law.plot(t[flying], 1e-3 * log.values("law.stiffness")[flying], color=ROBOT1, label="stiffness [N/mm]")
        law.plot(t[flying], 0.1 * log.values("law.damping")[flying], color=RAIL, label="damping / 10 [N s/m]")
        law.set(xlabel="t [s]", title="Law as found", ylim=(0.0, 1.5 * law.get_ylim()[1]))
        law.legend(loc="upper left")
        off = 1e3 * np.sqrt(sum(log.values(f"blend.d{i}") ** 2 for i in range(3)))
        blend.plot(t[flying], off[flying], color=ROBOT2)
        blend.set(xlabel="t [s]", ylabel="[mm]", title="Command from state")
        figure.tight_layout()
    return figure
