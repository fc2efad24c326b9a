"""What the experiment ``grasp`` has found: series, outcome, criteria, pictures."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from proxops.applications.grasp.pictures import Picture
from proxops.applications.grasp.run import GraspRun, series_of
from proxops.applications.grasp.tables import GraspFile
from proxops.arms.model import ArmModel, Floats
from proxops.core.criterion import Criterion
from proxops.core.experiment_result import ExperimentResult, Series
from proxops.onboard.grasp_phases import GraspPhase
from proxops.onboard.path_preview import Preview

MOMENTUM: Final = 1e-6  # of the scale
ENERGY_J: Final = 1e-9  # held forces do exactly f·Δq: what is left is rounding
PULLS: Final = 0.5  # of a finger's force: it holds


def result_of(
    file: GraspFile, craft: ArmModel, ahead: Preview, run: GraspRun, pictures: list[Picture]
) -> ExperimentResult:
    series = series_of(craft.n, run.record)
    told = Findings(file, run, {one.name: one for one in series})
    attachments = {f"moment_{number}.png": image for number, (_, _, image) in enumerate(pictures, 1)}
    return ExperimentResult(
        run.t, series, told.figures(ahead, pictures), told.criteria(), _conventions(file, pictures), (told.table(),),
        run.failure, attachments,
    )  # fmt: skip


class Findings:
    """Numbers of the run, from its record."""

    def __init__(self, file: GraspFile, run: GraspRun, series: dict[str, Series]) -> None:
        self.file, self.run, self._series = file, run, series
        linear, angular = (self._vector("balance", name) for name in ("linear", "angular"))
        self.linear = _share(float(np.linalg.norm(linear, axis=1).max()), run.scale[0])
        self.angular = _share(float(np.linalg.norm(angular, axis=1).max()), run.scale[1])
        self.excess_j = float(self.column("balance", "excess").max())
        self.speed, self.turn = (float(self.column("relative", name)[-1]) for name in ("speed", "turn_rate"))
        arm = self._series["arm"].values
        self.joint = float(np.degrees(np.abs(arm[-1, arm.shape[1] // 3 : 2 * arm.shape[1] // 3]).max()))
        self.bumped = float(np.linalg.norm(run.last.handle_momentum[:3] - run.first.handle_momentum[:3]))
        self.bumped /= file.handle.mass_kg
        self.outcome = self._outcome()

    def column(self, group: str, name: str) -> Floats:
        one = self._series[group]
        return one.values[:, [column for column, _ in one.columns].index(name)]

    def _vector(self, group: str, name: str) -> Floats:
        return np.column_stack([self.column(group, f"{name}_{axis}") for axis in "xyz"])

    def _outcome(self) -> str:
        """Truth, not what the flight software thinks: held if the bar is between fingers that both pull at it."""
        if self.run.phases[-1][1] in (GraspPhase.STOPPED, GraspPhase.HALTED):
            return "stopped"
        if self.run.interrupted:
            return "interrupted"
        gripper, bar = self.file.gripper, self._vector("relative", "bar")[-1]
        between = (
            -gripper.grasp_m <= bar[2] <= gripper.finger_m[2] - gripper.grasp_m
            and abs(bar[0]) < 0.5 * gripper.opening_m
        )
        pulls = min(self.column("contact", name)[-1] for name in ("finger_1", "finger_2")) >= PULLS * gripper.force_n
        if between and pulls:
            return "held"
        return "bumped" if self.run.touched_s is not None else "missed"

    def criteria(self) -> tuple[Criterion, ...]:
        expect, run = self.file.expect, self.run
        out = [Criterion("outcome", self.outcome, expect.outcome, "equal")]
        if expect.outcome == "held":
            out += [
                Criterion("bar against the hand at the end", self.speed, expect.final_speed_m_s, unit="m/s"),
                Criterion("turning against the hand at the end", self.turn, expect.final_turn_deg_s, unit="deg/s"),
                Criterion("fastest joint at the end", self.joint, expect.final_joint_deg_s, unit="deg/s"),
            ]
        if expect.outcome == "bumped":
            out.append(
                Criterion("handle's velocity, changed by contact", self.bumped, expect.bumped_m_s, "at least", "m/s")
            )
        scale = "of the greatest of handle or base"
        return (
            *out,
            Criterion(f"linear momentum of all, error {scale}", self.linear, MOMENTUM),
            Criterion(f"angular momentum of all about the origin, error {scale}", self.angular, MOMENTUM),
            Criterion("energy above the start and the actuators' work", self.excess_j, ENERGY_J, unit="J"),
            Criterion("torque asked for, share of the motors' most", run.torque_share, 1.0),
            Criterion("joint rate, share of the limit", run.rate_share, 1.0),
            Criterion("joints from their limits", float(np.degrees(run.margin_rad)), 0.0, "at least", "deg"),
        )  # fmt: skip

    def figures(self, ahead: Preview, pictures: list[Picture]) -> dict[str, Any]:
        run = self.run
        turn = self._vector("base", "turn")
        return {
            "outcome": self.outcome, "cause": run.cause, "phases": [[t, phase.name.lower()] for t, phase in run.phases],
            "touched_s": run.touched_s, "final_speed_m_s": self.speed, "final_turn_deg_s": self.turn,
            "final_joint_deg_s": self.joint,
            "handle_velocity_change_m_s": self.bumped, "momentum_error": self.linear, "angular_momentum_error": self.angular,
            "momentum_scale": list(run.scale), "energy_excess_j": self.excess_j,
            "work_j": float(self.column("balance", "work")[-1]), "dissipated_j": -float(self.column("balance", "excess")[-1]),
            "peak_force_n": run.force_n, "torque_share": run.torque_share, "rate_share": run.rate_share,
            "joint_margin_deg": float(np.degrees(run.margin_rad)),
            "base_turn_deg": float(np.linalg.norm(turn, axis=1).max()), "physics_steps": run.steps,
            "sigma_min": ahead.sigma_min, "pictures": [[t, words] for t, words, _ in pictures],
            "close_s": self.file.timing.close_s, "arrive_s": self.file.timing.arrive_s,
            "limit_n": self.file.limit.force_n,
        }  # fmt: skip

    def table(self) -> tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]]:
        phases = self.run.phases
        ends = [*(t for t, _ in phases[1:]), float(self.run.t[-1])]
        rows = []
        for (t, phase), end in zip(phases, ends, strict=True):
            span = (self.run.t >= t - 1e-9) & (self.run.t <= end + 1e-9)
            force = np.linalg.norm(self._vector("contact", "on_handle")[span], axis=1).max(initial=0.0)
            speed = self.column("relative", "speed")[span]
            at_end = f"{1e3 * speed[-1]:.2f}" if len(speed) else ""
            rows.append((phase.name.lower(), f"{t:.3f}", f"{end - t:.3f}", at_end, f"{force:.1f}"))
        head = ("phase", "from, s", "for, s", "relative speed at its end, mm/s", "greatest force on the handle, N")
        return "Phases of the catch", head, tuple(rows)


def _share(error: float, scale: float) -> float:
    """A run that ends at once may have moved nothing yet: no error of no momentum."""
    return error / scale if scale > 0.0 else 0.0 if error == 0.0 else float("inf")


def _conventions(file: GraspFile, pictures: list[Picture]) -> tuple[str, ...]:
    timing, sight = file.timing, file.sight
    off = timing.late_s - timing.early_s
    out = [
        "Inertial axes and origin are those of the arm's base at the start. Hand: the gripper's grasp frame, z along the "
        "fingers, x the way they close.",
        "The flight software has joints, base, wrist force and finger opening with noise, and the handle's pose "
        f"{sight.rate_hz:g} times a second with {1e3 * sight.noise_m:g} mm and {sight.noise_deg:g} deg on each axis, until "
        f"{file.approach.blind_s:g} s before the arrival, when the hand hides the bar.",
        f"Planned arrival {timing.arrive_s:g} s; the fingers begin to close at {timing.close_s:g} s"
        + (f", {abs(off):g} s too {'late' if off > 0 else 'early'}." if off else "."),
        "Forces on handle and craft are each from that side's own momentum, means of one row (4 ms); normal forces of fingers "
        "and palm are of the moment.",
        "Relative speed: of the bar's middle against the hand's frame where it is; turning together counts as rest.",
        "Energy: kinetic. Joint torques and finger forces are held over a cycle, so their work is exact. Springs of the contact "
        "count as dissipated while they are pressed.",
    ]
    if not pictures:
        out.append("No pictures: this machine has no OpenGL for offscreen drawing.")
    return tuple(out)
