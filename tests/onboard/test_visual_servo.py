"""Visual servoing without images: plans go on smoothly, bad sightings are refused, gaps end in rest, the hand arrives."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from proxops.arms.model import N_BASE, N_BASE_Q, ArmModel, load_model
from proxops.core.errors import BadInput
from proxops.maths.pose import compose, inverse_pose, pack_pose, pose, pose_from_packed
from proxops.maths.rotation import angle_between, matrix_from_rotation_vector
from proxops.onboard.indirect_servo import IndirectServo
from proxops.onboard.marker_finder import MarkerSighting
from proxops.onboard.marker_track import MarkerTrack, TrackSettings, TrackVerdict
from proxops.onboard.replanned_path import ReplannedPath, rate_of_vector
from proxops.onboard.task_controller import TaskController, TaskGains
from proxops.onboard.visual_guidance import GuidanceSettings, Seen, VisualGuidance
from proxops.onboard.visual_servo import DirectServo, camera_on_base
from proxops.space.free_floating import FreeFloating

Floats = NDArray[np.float64]
DT = 1e-3
TRACK = TrackSettings(noise=(1e-4, 1e-3), drift=(0.01, 0.01), wander=(1e-3, 1e-3))
SETTINGS = GuidanceSettings(
    arrive_s=2.0, look_s=0.1, horizon_s=0.5, gap_s=0.3, stop_s=0.5, speed_m_s=0.5, turn_rad_s=2.0
)  # fmt: skip
HERE = np.eye(4)
AHEAD = pose(matrix_from_rotation_vector(np.array([0.1, -0.2, 0.3])), np.array([0.6, 0.1, 0.2]))


def moved(T: Floats, by: tuple[float, float, float], turn: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Floats:
    out = T.copy()
    out[:3, 3] += by
    out[:3, :3] = matrix_from_rotation_vector(np.array(turn)) @ out[:3, :3]
    return out


def sighting(T_camera_marker: Floats, *, ambiguous: bool = False) -> MarkerSighting:
    packed = np.empty(7)
    pack_pose(T_camera_marker, packed)
    return MarkerSighting(packed, 0.01, np.zeros((4, 2)), ambiguous)


def guidance(settings: GuidanceSettings = SETTINGS, grasp: Floats = HERE) -> VisualGuidance:
    return VisualGuidance(settings, TRACK, HERE, grasp, np.zeros(3), np.eye(3), DT)


class Watch:
    """Runs a guidance that sits on a base at rest and keeps all demands: (24) each."""

    def __init__(self, one: VisualGuidance) -> None:
        self.one, self.cycle = one, 0
        self.demands: list[Floats] = []

    def run(self, until_s: float, marker: Floats | None, every: int = 50, delay: int = 50) -> None:
        while self.cycle * DT < until_s:
            t, seen = self.cycle * DT, None
            if self.cycle % every == 0 and self.cycle >= delay:
                seen = Seen(t - delay * DT, None if marker is None else sighting(marker))
            self.demands.append(self.one.step(t, HERE, seen).flat.copy())
            self.cycle += 1

    def largest_jumps(self) -> tuple[float, float, float]:
        """Between neighbouring cycles: of place, speed and acceleration, m and rad together."""
        rows = np.array(self.demands)
        return tuple(
            float(np.abs(np.diff(rows[:, part], axis=0)).max()) for part in (slice(0, 12), slice(12, 18), slice(18, 24))
        )  # type: ignore[return-value]


# --- the path


def test_new_plan_goes_on_up_to_the_acceleration_and_arrives_with_the_goal() -> None:
    path = ReplannedPath(np.array([0.1, 0.2, 0.3]), matrix_from_rotation_vector(np.array([0.3, 0.2, -0.5])))
    path.lead(0.0, AHEAD, np.zeros(6), 3.0)
    before = path.at(1.3).flat.copy()
    goal = moved(AHEAD, (0.02, -0.05, 0.01), (0.2, 0.1, -0.1))
    twist = np.array([0.01, -0.02, 0.03, 0.02, 0.01, -0.04])
    path.lead(1.3, goal, twist, 2.0)
    assert path.at(1.3).flat == pytest.approx(before, abs=1e-12)
    assert np.abs(before[12:]).max() > 0.1  # it was under way
    end = path.at(path.ends_s)
    assert end.p == pytest.approx(goal[:3, 3], abs=1e-12)
    assert pytest.approx(goal[:3, :3], abs=1e-12) == end.R
    assert end.twist == pytest.approx(twist, abs=1e-12)
    assert end.acceleration[:3] == pytest.approx(np.zeros(3), abs=1e-12)


def test_demands_are_derivatives_of_each_other() -> None:
    """Central differences of pose and twist against twist and acceleration; their error is h²/6 of the third derivative."""
    path, h = ReplannedPath(np.zeros(3), np.eye(3)), 1e-4
    path.lead(0.0, AHEAD, np.array([0.0, 0.0, 0.0, 0.1, 0.0, 0.0]), 2.0)
    for t in (0.3, 1.0, 1.7):
        before, now, after = (path.at(t + shift).flat.copy() for shift in (-h, 0.0, h))
        assert (after[:3] - before[:3]) / (2 * h) == pytest.approx(now[12:15], abs=1e-6)
        assert (after[12:18] - before[12:18]) / (2 * h) == pytest.approx(now[18:24], abs=1e-6)
        R = [one[3:12].reshape(3, 3) for one in (before, now, after)]
        spin = (R[2] - R[0]) @ R[1].T / (2 * h)
        assert np.array([spin[2, 1], spin[0, 2], spin[1, 0]]) == pytest.approx(now[15:18], abs=1e-6)


def test_rate_of_the_rotation_vector_turns_the_attitude() -> None:
    v, w, h = np.array([0.4, -1.1, 0.7]), np.array([0.3, 0.2, -0.5]), 1e-6
    for vector in (v, 1e-3 * v):
        rate = rate_of_vector(vector, w)
        after, before = (matrix_from_rotation_vector(vector + sign * h * rate) for sign in (1.0, -1.0))
        spin = (after - before) @ matrix_from_rotation_vector(vector).T / (2 * h)
        assert np.array([spin[2, 1], spin[0, 2], spin[1, 0]]) == pytest.approx(w, abs=1e-8)


def test_stop_comes_to_rest_without_swinging_back() -> None:
    path = ReplannedPath(np.zeros(3), np.eye(3))
    path.lead(0.0, pose(np.eye(3), np.array([1.0, 0.0, 0.0])), np.zeros(6), 2.0)
    path.stop(1.0, 0.5)  # at the middle, where it is fastest and not accelerated
    speeds = np.array([path.at(1.0 + 0.5 * share).twist[0] for share in np.linspace(0.0, 1.0, 51)])
    assert speeds[0] == pytest.approx(1.875 / 2.0)  # peak of a quintic over 2 s
    assert np.all(np.diff(speeds) <= 1e-12)
    assert speeds[-1] == pytest.approx(0.0, abs=1e-12)
    assert path.at(2.0).p[0] == pytest.approx(0.5 + 0.5 * 0.5 * 1.875 / 2.0)  # half the speed for half a second


def test_plan_without_a_duration_is_refused() -> None:
    with pytest.raises(BadInput, match="duration"):
        ReplannedPath(np.zeros(3), np.eye(3)).lead(0.0, AHEAD, np.zeros(6), 0.0)


# --- the track


def test_track_learns_place_and_drift() -> None:
    """White noise σ on a line of N = 100 points over T = 5 s, nothing forgotten: the slope is known to √12 σ/(√N T), the place
    1 s behind its end to σ/√N √(1 + 12 (3.5/5)²). Bounds are five of these."""
    rng, track = np.random.default_rng(3), MarkerTrack(TrackSettings((1e-4, 1e-3), (0.01, 0.01), (1e-7, 1e-7)))
    speed, spin = np.array([2e-3, -1e-3, 3e-3]), np.array([1e-3, 2e-3, -1e-3])
    for i in range(100):
        t = 0.05 * i
        T = moved(
            AHEAD, tuple(speed * t + 1e-4 * rng.standard_normal(3)), tuple(spin * t + 1e-3 * rng.standard_normal(3))
        )
        assert track.see(t, T) is TrackVerdict.TAKEN
    T, twist = track.at(6.0)
    assert twist[:3] == pytest.approx(speed, abs=5 * 7e-6)
    assert twist[3:] == pytest.approx(spin, abs=5 * 7e-5)
    assert T[:3, 3] == pytest.approx(AHEAD[:3, 3] + 6.0 * speed, abs=5 * 2.6e-5)
    turned = moved(AHEAD, (0.0, 0.0, 0.0), tuple(6.0 * spin))
    assert angle_between(T[:3, :3].copy(), turned[:3, :3].copy()) < 5 * 2.6e-4


def test_track_knows_how_good_it_is() -> None:
    """Squared errors over the filter's own variances, for markers that drift and wander as the settings say: 1 on the average of
    3 x 100 axes, within four of √(2/300)."""
    rng, settings = np.random.default_rng(5), TrackSettings((1e-3, 2e-3), (0.01, 0.02), (0.02, 0.03))
    ratios = []
    for _ in range(100):
        track, place, turn = MarkerTrack(settings), np.zeros(3), np.zeros(3)
        v, w = 0.01 * rng.standard_normal(3), 0.02 * rng.standard_normal(3)
        for i in range(30):
            seen, seen_turn = place + 1e-3 * rng.standard_normal(3), turn + 2e-3 * rng.standard_normal(3)
            track.see(0.05 * i, moved(HERE, tuple(seen), tuple(seen_turn)))
            T, _ = track.at(0.05 * i)
            error, off = T[:3, 3] - place, angle_between(T[:3, :3].copy(), matrix_from_rotation_vector(turn))
            pushes = 0.02 * rng.standard_normal(3), 0.03 * rng.standard_normal(3)
            place, turn = place + 0.05 * v + 0.05**2 / 2 * pushes[0], turn + 0.05 * w + 0.05**2 / 2 * pushes[1]
            v, w = v + 0.05 * pushes[0], w + 0.05 * pushes[1]
        metres, radians = track.deviation()
        ratios.append((error @ error / metres**2 / 3, off**2 / radians**2 / 3))
    for mean in np.mean(ratios, axis=0):
        assert mean == pytest.approx(1.0, abs=4 * np.sqrt(2 / 300))


def test_jump_is_refused_unless_it_lasts() -> None:
    track = MarkerTrack(TRACK)
    for i in range(10):
        track.see(0.05 * i, AHEAD)
    away = moved(AHEAD, (0.05, 0.0, 0.0))
    turned = moved(AHEAD, (0.0, 0.0, 0.0), (0.0, 0.3, 0.0))
    assert track.see(0.50, away) is TrackVerdict.REFUSED
    assert track.see(0.55, turned) is TrackVerdict.REFUSED
    assert track.at(0.6)[0] == pytest.approx(AHEAD, abs=1e-12)
    assert track.see(0.60, AHEAD) is TrackVerdict.TAKEN
    verdicts = [track.see(0.65 + 0.05 * i, away) for i in range(TRACK.restart)]
    assert verdicts == [*[TrackVerdict.REFUSED] * (TRACK.restart - 1), TrackVerdict.RESTARTED]
    assert track.at(1.0)[0] == pytest.approx(away, abs=1e-12)


def test_bad_sightings_that_disagree_never_add_up() -> None:
    track = MarkerTrack(TRACK)
    for i in range(10):
        track.see(0.05 * i, AHEAD)
    for i in range(3 * TRACK.restart):
        side = 0.05 if i % 2 else -0.05
        assert track.see(0.5 + 0.05 * i, moved(AHEAD, (side, 0.0, 0.0))) is TrackVerdict.REFUSED


# --- guidance


def test_nothing_jumps_when_the_target_moves_the_marker_is_lost_and_found() -> None:
    """The largest third derivative of any plan here is below 60·0.7/0.5³ (horizon) for the acceleration's change in a cycle."""
    watch = Watch(guidance())
    watch.run(0.8, AHEAD)
    watch.run(1.2, moved(AHEAD, (2e-4, -3e-4, 1e-4)))  # within the gate
    watch.run(1.7, None)
    assert watch.one.holding
    watch.run(6.0, AHEAD)
    place, speed, acceleration = watch.largest_jumps()
    jerk = 60.0 * 0.7 / 0.5**3
    assert place < 2.0 * DT * 0.7  # fastest: 0.65 m within 1.8 s, peak 0.68 m/s
    assert speed < DT * 5.0
    assert acceleration < DT * jerk
    assert watch.demands[-1][:3] == pytest.approx(AHEAD[:3, 3], abs=2e-4)
    assert watch.one.tally.holds == 1
    assert watch.one.tally.refused == 0


def test_single_bad_sighting_leaves_no_trace_in_the_demand() -> None:
    usual, disturbed = Watch(guidance()), Watch(guidance())
    for watch in (usual, disturbed):
        watch.run(1.0, AHEAD)
    usual.run(1.05, None)
    disturbed.run(1.05, moved(AHEAD, (0.0, 0.1, 0.0)))
    for watch in (usual, disturbed):
        watch.run(1.5, AHEAD)
    assert np.array_equal(np.array(usual.demands), np.array(disturbed.demands))
    assert disturbed.one.tally.refused == 1


def test_gap_ends_in_rest_and_the_way_goes_on_when_the_marker_is_back() -> None:
    watch = Watch(guidance())
    watch.run(1.0, AHEAD)
    assert np.linalg.norm(watch.demands[-1][12:15]) > 0.1
    watch.run(1.25, None)  # shorter than the gap: nothing is noticed
    assert not watch.one.holding
    watch.run(2.5, None)
    assert watch.one.holding
    resting = watch.demands[-1]
    assert resting[12:] == pytest.approx(np.zeros(12), abs=1e-12)
    assert np.linalg.norm(resting[:3] - AHEAD[:3, 3]) > 0.1  # on the way, not there
    watch.run(7.0, AHEAD)
    assert not watch.one.holding
    assert watch.demands[-1][:3] == pytest.approx(AHEAD[:3, 3], abs=1e-4)


def test_no_motion_before_a_clear_sighting() -> None:
    one = guidance()
    for i in range(500):
        seen = Seen(i * DT, sighting(AHEAD, ambiguous=True)) if i % 50 == 0 else None
        demand = one.step(i * DT, HERE, seen)
    assert demand.p == pytest.approx(np.zeros(3), abs=0.0)
    assert (one.tally.found, one.tally.taken, one.tally.refused) == (10, 0, 10)
    assert not one.moving


def test_far_goal_takes_longer_than_asked_for() -> None:
    slow = GuidanceSettings(0.5, 0.0, 0.5, 0.3, 0.5, speed_m_s=0.1, turn_rad_s=2.0)
    watch = Watch(guidance(slow))
    watch.run(20.0, AHEAD)
    speeds = np.linalg.norm(np.array(watch.demands)[:, 12:15], axis=1)
    assert 0.05 < speeds.max() < 0.1 * 1.01
    assert watch.demands[-1][:3] == pytest.approx(AHEAD[:3, 3], abs=1e-4)


def test_sighting_belongs_to_where_the_base_was() -> None:
    """A base that moves at 0.2 m/s, a marker at rest, a delay of 80 ms: without the memory the marker would be 16 mm off."""
    one = guidance()
    for i in range(1000):
        t, seen = i * DT, None
        if i % 50 == 0 and i >= 80:
            then = moved(HERE, (0.2 * (t - 0.08), 0.0, 0.0), (0.0, 0.1 * (t - 0.08), 0.0))
            seen = Seen(t - 0.08, sighting(compose(inverse_pose(then), AHEAD)))
        one.step(t, moved(HERE, (0.2 * t, 0.0, 0.0), (0.0, 0.1 * t, 0.0)), seen)
    marker = one.marker(1.0)
    assert marker == pytest.approx(AHEAD, abs=1e-9)
    assert one.tally.late == 0


def test_image_older_than_the_memory_is_counted_and_left() -> None:
    one = guidance()
    for i in range(1500):
        one.step(i * DT, HERE, None)
    one.step(1.5, HERE, Seen(0.2, sighting(AHEAD)))
    assert (one.tally.late, one.tally.taken) == (1, 0)


def test_gap_longer_than_a_plan_is_refused() -> None:
    with pytest.raises(BadInput, match="gap_s"):
        GuidanceSettings(2.0, 0.1, 0.5, 0.6, 0.5, 0.5, 2.0)


# --- the servos, closed over a floating arm


@pytest.fixture(scope="module")
def humanoid() -> ArmModel:
    return load_model("humanoid", "hand_right", tuple(f"arm_right_{i}" for i in range(1, 8)))


START = np.radians([13.5, -71.0, 15.0, -72.5, 54.5, -17.0, 9.5])
GAINS = {
    1: TaskGains(0.1, 0.5, 0.5),
    2: TaskGains(0.5, 10.0, 1.0, 2.0),
    3: TaskGains(0.5, 10.0, 0.01, 0.02),
    4: TaskGains(0.7, 3.2, 0.5, 0.5),
}
SHORT = GuidanceSettings(1.6, 0.1, 0.4, 0.3, 0.5, 0.5, 2.0)


class Bench:
    """A floating humanoid whose sightings are right to rounding."""

    def __init__(self, model: ArmModel, *, drift: bool) -> None:
        self.model, self.q = model, model.configuration(START)
        v = np.zeros(model.pin.nv)
        if drift:
            v[:6] = 2e-3, -1e-3, 1e-3, 5e-4, 5e-4, -5e-4
        self.plant = FreeFloating(model, self.q, v)
        self.T_base_camera = camera_on_base(model, "camera")
        self.start = self._pose(self.plant.dynamics.tool_pose(self.q))
        self.goal = moved(self.start, (0.06, 0.02, 0.03), (0.0, 0.1, 0.1))
        self.T_marker_grasp = pose(np.eye(3), np.array([0.1, -0.2, 0.1]))
        self.marker = compose(self.goal, inverse_pose(self.T_marker_grasp))

    def guidance(self, wander: float = 5e-3) -> VisualGuidance:
        """``wander``: m/s2 and rad/s2; seen from the base the marker is pushed about by the arm's reaction, ten times as much."""
        p, R = self.start[:3, 3], self.start[:3, :3]
        track = TrackSettings((1e-4, 1e-3), (0.01, 0.01), (wander, wander))
        return VisualGuidance(SHORT, track, self.T_base_camera, self.T_marker_grasp, p, R, DT)

    def run(self, servo: DirectServo | IndirectServo, until_s: float) -> float:
        """Hand from the grasp at the end."""
        waiting: list[Seen] = []
        for i in range(round(until_s / DT)):
            t, plant = i * DT, self.plant
            if i % 50 == 0:
                base = self._pose(np.array([*plant.q[:3], plant.q[6], *plant.q[3:6]]))
                T = compose(inverse_pose(compose(base, self.T_base_camera)), self.marker)
                waiting.append(Seen(t, sighting(T)))
            seen = waiting.pop(0) if waiting and waiting[0].exposed_s <= t - 0.05 + 1e-9 else None
            plant.step(servo.step(t, plant.q[N_BASE_Q:].copy(), plant.v[N_BASE:].copy(), seen), DT)
        hand = self._pose(self.plant.dynamics.tool_pose(self.plant.q))
        assert angle_between(hand[:3, :3].copy(), self.goal[:3, :3].copy()) < 0.2
        return float(np.linalg.norm(hand[:3, 3] - self.goal[:3, 3]))

    @staticmethod
    def _pose(packed: Floats) -> Floats:
        return pose_from_packed(np.ascontiguousarray(packed))


@pytest.mark.parametrize("law", [1, 2, 3, 4])
@pytest.mark.parametrize("drift", [False, True])
def test_direct_servo_brings_the_hand_to_the_grasp(humanoid: ArmModel, law: int, drift: bool) -> None:
    """Right model, perfect sightings: what is left is the path's last part and, with drift, the filter's lag. 0.2 mm is a
    hundredth of what ignoring the base's reaction would cost."""
    bench = Bench(humanoid, drift=drift)
    servo = DirectServo(TaskController(humanoid, law, GAINS[law], START, DT), bench.guidance(), START)
    assert bench.run(servo, 2.4) < (5e-4 if law == 1 else 2e-4)
    believed, wanted = servo.tool[:3], servo.demand.p
    assert np.linalg.norm(believed - wanted) < 3e-4


def test_indirect_servo_lags_behind_but_arrives(humanoid: ArmModel) -> None:
    """First-order lag 1/K behind the path: 7 cm in 1.5 s, so at K = 4 1/s 7 cm · 1.875 / 1.5 s / 4 = 2 cm at its fastest; a
    second and a half after the path's end little is left of it."""
    farthest = 0.0
    for until_s in (0.9, 1.0, 1.1):
        bench = Bench(humanoid, drift=False)
        servo = IndirectServo(humanoid, bench.guidance(0.2), START, DT, gain=4.0, drive_rad_s=30.0)
        bench.run(servo, until_s)
        farthest = max(farthest, float(np.linalg.norm(servo.tool[:3] - servo.demand.p)))
    assert farthest == pytest.approx(0.02, rel=0.4)
    bench = Bench(humanoid, drift=False)
    servo = IndirectServo(humanoid, bench.guidance(0.2), START, DT, gain=4.0, drive_rad_s=30.0)
    assert bench.run(servo, 3.1) < 2e-3
    assert servo.guidance.tally.refused == 0


def test_gains_of_the_indirect_servo_are_checked(humanoid: ArmModel) -> None:
    with pytest.raises(BadInput, match="indirect servo"):
        IndirectServo(humanoid, guidance(), START, DT, gain=0.0, drive_rad_s=30.0)


def test_camera_must_exist_and_sit_on_the_base(humanoid: ArmModel) -> None:
    T = camera_on_base(humanoid, "camera")
    assert T[:3, 3] == pytest.approx([0.086, 0.0, 0.5914])
    assert T[:3, 2] == pytest.approx([1.0, 0.0, 0.0], abs=1e-12)  # looks ahead
    with pytest.raises(BadInput, match="no such camera"):
        camera_on_base(humanoid, "eye")
    with pytest.raises(BadInput, match="on the base"):
        camera_on_base(humanoid, "hand_right")
