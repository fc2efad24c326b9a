"""A scenario: who flies how, over which network, and how the bridge shall follow. One TOML file, read strictly."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from proxops.core.errors import BadInput
from proxops.core.segments import DAY_S, Leg, ScriptStart, Segment, legs_of
from proxops.core.strict_table import Direction, Finite, Share, Strict, Truth, Whole, read_table, within
from proxops.core.toml_text import toml_text

Milliseconds = Annotated[Finite, within(0, 10_000)]
Frame = Literal["lab", "eci", "lvlh"]


class ClientTable(Strict):
    """The simulated client: how often and in which frame it speaks, and its noise (standard deviations, white)."""

    rate_hz: Annotated[Finite, within(40, 1000)] = 250.0
    frame: Frame = "lab"
    velocities: Truth = False  # packets carry velocities
    sun: Direction | None = None  # towards the sun, in the client's frame
    position_noise_mm: Annotated[Finite, within(0, 1000)] = 0.0
    attitude_noise_deg: Annotated[Finite, within(0, 10)] = 0.0


class NetworkTable(Strict):
    """What happens to packets on the way. Shares are of all packets."""

    drift: Annotated[Finite, within(-0.02, 0.02)] = 0.0  # by which share the client's clock runs fast
    delay_ms: Milliseconds = 0.0
    jitter_ms: Milliseconds = 0.0
    loss: Annotated[Finite, within(0, 0.9)] = 0.0
    burst: Annotated[Finite, within(1, 1000)] = 1.0  # mean number of packets lost in a row
    duplicate: Share = 0.0
    reorder: Share = 0.0  # packets that are held back by reorder_ms, so that later ones overtake them
    reorder_ms: Milliseconds = 8.0

    @property
    def perfect(self) -> bool:
        """Nothing happens to packets."""
        return self.delay_ms == self.jitter_ms == self.loss == self.duplicate == self.reorder == 0.0

    @property
    def mean_delay_s(self) -> float:
        """What it adds to the way between application and hall, on average."""
        return (self.delay_ms + 0.5 * self.jitter_ms) * 1e-3


class BridgeTable(Strict):
    """Wishes to the bridge; what is not given is the bridge's own choice."""

    speed_m_s: Annotated[Finite, within(0.005, 2)] | None = None  # at less, joining would take hours
    acceleration_m_s2: Annotated[Finite, within(0.001, 1)] | None = None
    rate_deg_s: Annotated[Finite, within(0.2, 180)] | None = None
    angular_acceleration_deg_s2: Annotated[Finite, within(0.01, 500)] | None = None
    timeout_ms: Annotated[Finite, within(4, 10_000)] | None = None
    scale: Annotated[Finite, within(0.001, 1)] = 1.0  # hall metres per orbit metre
    sun_weight: Annotated[Finite, within(0, 1000)] = 0.0  # 0: the sun's direction is ignored
    phi_deg: Annotated[Finite, within(-360, 360)] | None = None
    chaser_on: Annotated[Whole, within(1, 2)] = 1  # robot that shows the chaser; the other one shows the target


class Expect(Strict):
    """What the run is judged by, beside that nothing went wrong."""

    shown_share: Share = 0.25  # at least, of the time in which the client asks for a pose; joining takes part of it


class ScenarioFile(Strict):
    """The whole TOML file."""

    kind: Literal["scripted"] = "scripted"
    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
    about: Annotated[str, Field(pattern=r"^[^\n]{1,120}$")]
    seed: Annotated[Whole, within(0, 2**63 - 1)]
    duration_s: Annotated[Finite, within(0.1, DAY_S)] | None = None
    client: ClientTable = ClientTable()
    network: NetworkTable = NetworkTable()
    bridge: BridgeTable = BridgeTable()
    expect: Expect = Expect()
    start: ScriptStart
    motion: Annotated[tuple[Segment, ...], Field(min_length=1, max_length=1000)]


@dataclass(frozen=True)
class Scenario:
    """A loaded scenario: the file's tables, and the motion with its times."""

    name: str
    about: str
    seed: int
    duration_s: float
    client: ClientTable
    network: NetworkTable
    bridge: BridgeTable
    expect: Expect
    start: ScriptStart
    legs: tuple[Leg, ...]
    source: Path
    text: str = field(repr=False)  # the file as it was read, for the log

    @property
    def kind(self) -> str:
        return "scripted"


def load_scenario(path_or_name: Path | str) -> Scenario:
    """Read ``some/where.toml``, or one that is shipped by its name."""
    path = located(path_or_name, scenario_paths())
    return parse_scenario(toml_text(path, "the scenario"), path)


def located(path_or_name: Path | str, shipped: dict[str, Path]) -> Path:
    """The file itself, or the one that is shipped under this name."""
    path, name = Path(path_or_name), str(path_or_name)
    if path.suffix == ".toml":
        return path
    if name not in shipped:
        raise BadInput("no such scenario", value=name, bound=", ".join(shipped), way_out="or a path that ends in .toml")
    return shipped[name]


def parse_scenario(text: str, source: Path) -> Scenario:
    """A scenario from its text; ``source`` is named in complaints."""
    file = read_table(text, ScenarioFile, source)
    legs = legs_of(file.start, file.motion, str(source))
    motion_s = legs[-1].start_s + legs[-1].duration_s
    duration_s = motion_s if file.duration_s is None else file.duration_s
    if not 0.1 <= duration_s <= DAY_S:
        raise BadInput(
            "motion: lasts too short or too long", where=str(source), value=f"{duration_s:g} s",
            bound=f"0.1 … {DAY_S} s", way_out="give duration_s or change the motion",
        )  # fmt: skip
    return Scenario(
        file.name, file.about, file.seed, duration_s,
        file.client, file.network, file.bridge, file.expect, file.start, legs, source, text,
    )  # fmt: skip


def shipped() -> list[Scenario]:
    """All scenarios of the package, by name."""
    return [load_scenario(path) for path in scenario_paths().values()]


def scenario_paths() -> dict[str, Path]:
    folder = Path(str(files("proxops").joinpath("scenarios")))
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}
