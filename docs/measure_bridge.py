"""Prints the figures that docs/bridge.md gives for the bridge: how exact the mapping is, what the hall can show, what a spinning
target does to the chaser, how small steps and noise come through, how thick yellow is, how often Coal is asked.

Run: python docs/measure_bridge.py
"""

import math

import numpy as np
from numpy.typing import NDArray

from proxops.applications.scripted.application import Application
from proxops.bridge import clutch as clutches
from proxops.bridge import estimate as estimates
from proxops.bridge.cost import cost_gradient, cost_of, value_of
from proxops.bridge.descent import FREE_DTYPE, begin, follow_line
from proxops.bridge.mapping import N_FREE, OK, PLACE_DTYPE, line_in_chaser, place, rig_of
from proxops.bridge.posture import PostureSearch
from proxops.bridge.settings import BridgeSettings, settings_of
from proxops.core.clock import LockstepClock
from proxops.core.messages import PERIOD_S
from proxops.core.scenario import load_scenario
from proxops.core.vocabulary import Zone
from proxops.facility.build import build
from proxops.lab.any_cell import load_cell
from proxops.lab.coordinates import port_poses
from proxops.maths.rotation import matrix_from_rotation_vector, quat_from_matrix
from proxops.runs.bridged_run import BridgedRun
from proxops.safety.distance import Placed
from proxops.safety.zone_watch import ZoneWatch

Vector = NDArray[np.float64]
CELL = load_cell()
ZONES = ZoneWatch(CELL)
NONE = np.zeros(6)
RIG = rig_of(CELL)
X, Y = np.eye(3)[:2]


def exactness() -> None:
    """Random poses and parameters: axes put back through the kinematics, and the gradient against differences of the cost."""
    rng, rig, free = np.random.default_rng(3), rig_of(CELL), np.zeros(1, FREE_DTYPE)
    found, other, gradient, cost = np.zeros(1, PLACE_DTYPE), np.zeros(1, PLACE_DTYPE), np.empty(N_FREE), cost_of(CELL)
    cost[0]["sun_weight"] = 1.0
    placed, off, slope_off = 0, 0.0, 0.0
    for _ in range(4000):
        u = rng.normal(size=3) * (1.0, 0.3, 0.3)
        R = matrix_from_rotation_vector(0.5 * rng.normal(size=3))
        pose = np.concatenate([rng.uniform(1.0, 22.0) * u / np.linalg.norm(u), quat_from_matrix(R)])
        arms = rng.uniform((-40.0, -120.0, 60.0) * 2, (40.0, -60.0, 120.0) * 2)
        begin(rig, pose, np.radians([*arms, rng.uniform(-180.0, 180.0)]), free)
        x, reference = free[0]["x"], free[0]["reference"]
        if place(CELL.hall, rig, pose, x, reference, CELL.home, found) != OK:
            continue
        placed += 1
        q = found[0]["q"].copy()
        T1, T2 = port_poses(CELL.hall, q)
        off = max(off, float(np.abs((np.linalg.inv(T2) @ T1)[:3, 3] - pose[:3]).max()))
        cost_gradient(CELL.hall, cost.copy(), found, gradient)
        for j in range(N_FREE) if placed <= 400 else ():
            values = []
            for step in (1e-6, -1e-6):
                y = x.copy()
                y[j] += step
                place(CELL.hall, rig, pose, y, reference, q, other)
                values.append(value_of(CELL.hall, cost.copy(), other))
            difference = abs((values[0] - values[1]) / 2e-6 - gradient[j])
            slope_off = max(slope_off, difference / max(1.0, float(np.abs(gradient).max())))
    print(f"{placed} random postures: relative position off by {off:.1e} m; gradient of 400 off by {slope_off:.0e}")


def questions_to_coal(name: str) -> None:
    """How many exact distances a run asks for, cycle by cycle."""
    scenario, clock = load_scenario(name), LockstepClock()
    hall = build(CELL, clock, seed=scenario.seed, record=None, bridge=settings_of(scenario.bridge))
    run, asked, counts = BridgedRun(hall, Application(scenario)), [0], []
    zones = hall.facility.zones
    exact, cycle = zones.path._exact, run.loop.cycle

    def counted(number: int, at: Placed) -> float:
        asked[0] += 1
        return exact(number, at)

    def counting() -> None:
        before = asked[0]
        cycle()
        if hall.facility.guard.moving:
            counts.append(asked[0] - before)

    for memory in (zones.path, zones._commanded, zones._actual, zones._ahead, zones._rest):
        memory._exact = counted
    run.loop.cycle = counting  # type: ignore[method-assign]
    run.run(scenario.duration_s)
    hall.close()
    moving = np.array(counts)
    print(f"{name}: Coal is asked in {(moving > 0).mean():.1%} of the cycles in motion, at most {moving.max()} times")


def can_show(pose: Vector) -> bool:
    """Is there a posture with room to begin with, and green?"""
    search = PostureSearch(CELL, cost_of(CELL), pose, CELL.home.copy())
    search.run()
    found = search.best(CELL.home)[:4]
    return any(ZONES.commanded(posture.q).zone is Zone.GREEN for posture in found)


def looking(distance_m: float, angle_deg: float, about_deg: float) -> Vector:
    """A chaser ``angle_deg`` off the target's +x, turned there from parallel axes by the smallest rotation."""
    a, b = math.radians(angle_deg), math.radians(about_deg)
    u = np.array([math.cos(a), math.sin(a) * math.cos(b), math.sin(a) * math.sin(b)])
    R = matrix_from_rotation_vector(a * np.array([0.0, -math.sin(b), math.cos(b)]))
    return np.concatenate([distance_m * u, quat_from_matrix(R)])


def limits_of_the_hall() -> None:
    near = next(d for d in np.arange(1.0, 2.0, 0.005) if can_show(looking(d, 0.0, 0.0)))
    far = next(d for d in np.arange(25.0, 20.0, -0.01) if can_show(looking(d, 0.0, 0.0)))
    print(f"parallel axes: {near:.3f} m to {far:.2f} m between the ports")
    for distance_m in (1.5, 2.0, 3.0, 5.0, 8.0, 12.0, 18.0, 22.0, 23.5):
        widest = 0
        for angle in range(0, 181, 5):
            if not all(can_show(looking(distance_m, angle, about)) for about in range(0, 360, 45)):
                break
            widest = angle
        print(f"{distance_m:5.1f} m: up to {widest} deg off the target's +x, all round")


def spin(axis: Vector, carried: bool) -> tuple[float, Vector]:
    """A target 5 m away turns once about ``axis``: by how much the chaser turns in the lab (deg), and the spans of its
    wrist axes. Not carried: the reference is fixed on the target instead."""
    pose = looking(5.0, 0.0, 0.0)
    search = PostureSearch(CELL, cost_of(CELL), pose, CELL.home.copy())
    search.run()
    best = search.best(CELL.home)[0]
    rig, free, found = rig_of(CELL, best.signs), np.zeros(1, FREE_DTYPE), np.zeros(1, PLACE_DTYPE)
    begin(rig, pose, best.free, free)
    on_target, q, turned, line, wrists = free[0]["reference"].copy(), best.q, 0.0, np.empty(3), []
    before = None
    for angle in np.linspace(0.0, 2.0 * math.pi, 18_001):
        R = matrix_from_rotation_vector(-angle * axis)
        pose = np.concatenate([R @ np.array([5.0, 0.0, 0.0]), quat_from_matrix(R)])
        follow_line(rig, pose, free)
        reference = free[0]["reference"]
        if not carried:
            line_in_chaser(rig, pose, line)
            reference = R.T @ on_target
            reference -= (reference @ line) * line
            reference /= np.linalg.norm(reference)
        if place(CELL.hall, rig, pose, free[0]["x"], reference, q, found) != OK:
            break
        q, now = found[0]["q"].copy(), found[0]["R1"].copy()
        if before is not None:
            turned += math.acos(min(max(0.5 * (np.trace(now @ before.T) - 1.0), -1.0), 1.0))
        before = now
        wrists.append(np.degrees(q[4:7]))
    return math.degrees(turned), np.ptp(wrists, axis=0)


def spinning_targets() -> None:
    tilted = np.array([math.cos(math.radians(10.0)), 0.0, math.sin(math.radians(10.0))])
    for name, axis in (("line of sight", np.eye(3)[0]), ("10 deg off it", tilted), ("across it", np.eye(3)[2])):
        for carried in (True, False):
            turned, spans = spin(axis, carried)
            how = "carried on the chaser" if carried else "fixed on the target"
            spans_text = ", ".join(f"A{4 + k} {span:.0f}" for k, span in enumerate(spans))
            print(
                f"one turn about {name}, reference {how}: chaser turns {turned:.0f} deg in the lab; spans {spans_text} deg"
            )


def overshoot_m(step_m: float) -> float:
    est, clutch = np.zeros(1, estimates.ESTIMATE_DTYPE), np.zeros(1, clutches.CLUTCH_DTYPE)
    pose, limits, most = looking(5.0, 0.0, 0.0), BridgeSettings().limits, 0.0
    estimates.seat(est, pose, NONE, False)
    clutches.seat(RIG, clutch, pose, X, Y)
    pose[0] += step_m
    for _ in range(1500):
        estimates.predict(est)
        estimates.observe(est, pose, NONE, False)
        clutches.advance(RIG, clutch, est, limits, 1.0, 1.0)
        most = max(most, float(clutch[0]["pose"][0]) - pose[0])
    return most


def noise(sigma_m: float, cycles: int) -> None:
    """White noise through estimate and clutch at rest, a packet every ``cycles`` ticks."""
    rng, limits = np.random.default_rng(1), BridgeSettings().limits
    est, clutch = np.zeros(1, estimates.ESTIMATE_DTYPE), np.zeros(1, clutches.CLUTCH_DTYPE)
    true = looking(5.0, 0.0, 0.0)
    estimates.seat(est, true, NONE, False)
    clutches.seat(RIG, clutch, true, X, Y)
    shown, hardest, before = [], 0.0, 0.0
    for tick in range(40_000):
        estimates.predict(est)
        if tick % cycles == 0:
            pose = true.copy()
            pose[:3] += rng.normal(0.0, sigma_m, 3)
            estimates.observe(est, pose, NONE, False)
        clutches.advance(RIG, clutch, est, limits, 1.0, 1.0)
        if tick > 2000:
            shown.append(clutch[0]["pose"][1])
            hardest = max(hardest, abs(float(clutch[0]["L_rate"][0]) - before) / PERIOD_S)
        before = float(clutch[0]["L_rate"][0])
    print(
        f"noise of {1e3 * sigma_m:g} mm every {4 * cycles} ms: {1e3 * np.std(shown):.3f} mm shown, "
        f"accelerations up to {hardest:.2f} m/s2"
    )


def main() -> None:
    exactness()
    limits_of_the_hall()
    spinning_targets()
    worst = max(overshoot_m(step) for step in np.linspace(1e-4, 1.999e-3, 40))
    largest = max(overshoot_m(step) for step in (2.1e-3, 0.01, 0.1, 1.0))
    print(f"steps below the gate overshoot by up to {1e3 * worst:.2f} mm, larger ones by {1e3 * largest:.2g} mm")
    noise(2e-4, 1)
    noise(2e-4, 5)
    for closing in (0.05, 0.2, 0.5, 1.0):
        way = closing * (
            0.25 * math.pi * closing / float(CELL.hall[0]["acceleration"][0]) + float(CELL.lags_s[0]) + PERIOD_S
        )
        print(f"yellow between the craft of a pose that closes in at {closing:g} m/s: {1e3 * max(way, 0.05):.0f} mm")
    print(f"{len(ZONES.path.names)} pairs are watched")
    for name in ("overshoot", "straight"):
        questions_to_coal(name)


if __name__ == "__main__":
    main()
