"""Tables of the experiment ``servo``: a hand led to a handrail by a camera that sees a marker beside it."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from proxops.core.camera import CameraSpec, MarkerSpec
from proxops.core.experiment import ArmExperimentFile, CircularOrbitTable
from proxops.core.joint_table import JointsTable, check_friction
from proxops.core.strict_table import Finite, Share, Strict, Triple, Whole, within
from proxops.core.task_law_table import Bound, LawTable

Length = Annotated[Finite, within(1e-6, 10)]
Seconds = Annotated[Finite, within(0.01, 1000)]


class ServoLaw(LawTable):
    """A law of paper 003, Table 1. ``mean_error_m``: bound of the mean tracking error; ``median_error_m`` has no use here."""

    final_error_m: Bound | None = None  # criterion: hand from the grasp at the end, in truth, with the right model


class IndirectTable(Strict):
    gain_1_s: Annotated[Finite, within(1e-3, 100)] = 1.0  # K
    drive_hz: Annotated[Finite, within(0.1, 50)] = 5.0  # bandwidth of the joints' velocity drives


class CameraTable(Strict):
    """A pinhole on the base; see ``core/camera.py``."""

    frame: str = "camera"  # of the URDF: z along the line of sight, x right, y down
    width: Annotated[Whole, within(64, 4096)] = 640
    height: Annotated[Whole, within(64, 4096)] = 480
    vertical_fov_deg: Annotated[Finite, within(5, 150)] = 50.0
    noise: Annotated[Finite, within(0, 100)] = 2.0  # grey levels of 255, one standard deviation
    rate_hz: Annotated[Finite, within(0.1, 1000)] = 20.0
    delay_s: Annotated[Finite, within(0, 0.9)] = 0.05
    log_hz: Annotated[Finite, within(0, 1000)] = 2.0  # images of one servo in the log, each second at most; 0: none
    blind_s: tuple[tuple[Finite, Finite], ...] = ()  # from … to: nothing is found in images of this time

    def spec(self) -> CameraSpec:
        return CameraSpec(self.width, self.height, self.vertical_fov_deg, self.noise, self.rate_hz, self.delay_s)


class MarkerTable(Strict):
    """Fixed at the station. Pose in the axes of the base at the start; without a turn upright and facing the robot."""

    side_m: Annotated[Finite, within(0.15, 1)] = 0.20
    dictionary: str = "DICT_4X4_50"
    number: Annotated[Whole, within(0, 1023)] = 7
    place_m: Triple
    turn_deg: Triple = (0.0, 0.0, 0.0)  # rotation vector

    def spec(self) -> MarkerSpec:
        return MarkerSpec(self.side_m, self.dictionary, self.number)


class GraspTable(Strict):
    """Pose of the tool at the grasp, in the marker's frame: fixed and known."""

    place_m: Triple
    turn_deg: Triple = (0.0, 0.0, 0.0)


class DriftTable(Strict):
    """Motion of the whole craft at the start, in the axes of the base; nobody tells the flight software."""

    speed_m_s: Triple = (0.0, 0.0, 0.0)
    turn_deg_s: Triple = (0.0, 0.0, 0.0)


class GuidanceTable(Strict):
    """See ``onboard/visual_guidance.py``."""

    arrive_s: Seconds
    look_s: Annotated[Finite, within(0, 100)] = 0.5
    horizon_s: Annotated[Finite, within(0.05, 10)] = 0.5
    gap_s: Annotated[Finite, within(0.01, 10)] = 0.3
    stop_s: Annotated[Finite, within(0.05, 10)] = 1.0
    speed_m_s: Length = 0.2
    turn_deg_s: Annotated[Finite, within(0.1, 360)] = 45.0


class TrackTable(Strict):
    """What the flight software thinks of its sightings. Wander: of the marker in inertial axes, and as seen from the base."""

    noise_m: Length = 5e-4
    noise_deg: Annotated[Finite, within(1e-4, 10)] = 0.1
    drift_m_s: Length = 0.01
    drift_deg_s: Annotated[Finite, within(1e-4, 10)] = 0.5
    wander_m_s2: Length = 0.002
    wander_deg_s2: Annotated[Finite, within(1e-4, 100)] = 0.1
    base_wander_m_s2: Length = 0.02
    base_wander_deg_s2: Annotated[Finite, within(1e-4, 100)] = 2.0


class WrongModelTable(Strict):
    """All once more with a flight software whose model of the craft is off."""

    share: Annotated[Finite, within(0, 0.9)] = 0.10
    seed: Annotated[Whole, within(0, 2**32)] = 1


class ServoFile(ArmExperimentFile):
    """The whole file."""

    kind: Literal["servo"]
    start_deg: tuple[Finite, ...]
    posture_deg: tuple[Finite, ...] | None = None  # q_s; the start unless given
    rate_hz: Annotated[Finite, within(100, 10_000)] = 1000.0
    end_s: Seconds
    seed: Annotated[Whole, within(0, 2**32)] = 1  # of the images' noise
    found_share: Share | None = None  # criterion: images in which the marker is found, at least
    law: Annotated[tuple[ServoLaw, ...], Field(min_length=0, max_length=4)]
    indirect: IndirectTable | None = None
    camera: CameraTable = CameraTable()
    marker: MarkerTable
    grasp: GraspTable
    drift: DriftTable = DriftTable()
    guidance: GuidanceTable
    track: TrackTable = TrackTable()
    wrong_model: WrongModelTable | None = None
    orbit: CircularOrbitTable | None = None
    joints: JointsTable | None = None  # encoders, motors, bearings: ideal unless given

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        check_friction(self.arm.friction, self.joints)
        numbers = [row.number for row in self.law]
        if len(set(numbers)) != len(numbers):
            _complain("law", numbers, "each number once")
        if not self.law and self.indirect is None:
            _complain("law", numbers, "at least one law, or [indirect]")
        if self.camera.rate_hz > self.rate_hz:
            _complain("camera.rate_hz", self.camera.rate_hz, f"at most rate_hz = {self.rate_hz:g}")
        if self.guidance.gap_s > self.guidance.horizon_s:
            _complain("guidance.gap_s", self.guidance.gap_s, f"at most horizon_s = {self.guidance.horizon_s:g}")
        return self

    @property
    def duration_s(self) -> float:
        return self.end_s


def _complain(key: str, value: Any, bound: str) -> None:
    raise PydanticCustomError("servo", "not usable", {"key": key, "value": value, "bound": bound})


FILE = ServoFile
