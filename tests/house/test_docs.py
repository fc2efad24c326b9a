"""Pages tell the truth: tables on safety, bridge and scenarios equal the code, byte layouts equal the packer, links and commands
exist."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import itertools
import math
import re
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from pydantic import ValidationError
from pydantic_core import PydanticUndefined

import proxops
from proxops.applications.catalogue import shelf
from proxops.applications.scripted.application import Application
from proxops.bridge.bridged import Bridged
from proxops.bridge.cost import COST_DTYPE, cost_of
from proxops.bridge.settings import settings_of
from proxops.core import scenario, segments
from proxops.core.clock import LockstepClock
from proxops.core.datagram import ANSWER_SIZE, COMMAND_SIZE, Refusal
from proxops.core.ending import EndReason
from proxops.core.frames import FRAMES
from proxops.core.scenario import BridgeTable, ClientTable, NetworkTable, ScenarioFile, parse_scenario, shipped
from proxops.core.sealed_datagram import HEAD, SEAL_BYTES, SMALLEST, DatagramKind
from proxops.core.strict_table import Strict
from proxops.core.vocabulary import Mode, Phase, Standstill, Zone
from proxops.facility.build import build
from proxops.facility.control import network as network_control
from proxops.facility.control import port as control_port
from proxops.facility.control import stop_port
from proxops.facility.control.roles import LEAST
from proxops.facility.desk import desk_verbs
from proxops.facility.events import ALARMS
from proxops.facility.facility import Facility
from proxops.lab.any_cell import load_cell
from proxops.lab.cell import Cell
from proxops.runs.bridged_run import BridgedRun
from proxops.safety.interlocks import DRIVES_DROP, KINDS
from proxops.safety.modes import NEXT
from proxops.safety.rules import LIMITS, RULES, Category
from proxops.safety.zones import LOGIC

ROOT = Path(__file__).parents[2]
SAFETY = (ROOT / "docs" / "safety.md").read_text()
INTERFACES = (ROOT / "docs" / "interfaces.md").read_text()
BRIDGE = (ROOT / "docs" / "bridge.md").read_text()
SCENARIOS = (ROOT / "docs" / "scenarios.md").read_text()
COMMANDS = (
    "run", "list", "play", "convert", "serve", "ctl", "log", "doctor", "check", "orbit", "arm", "ft", "report",
)  # fmt: skip
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def rows(text: str, heading: str) -> list[list[str]]:
    """Cells of the first table under a heading, without its head."""
    lines = text.split(f"## {heading}\n", 1)[1].splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("|---"))
    table = []
    for line in lines[start + 1 :]:
        if not line.startswith("|"):
            break
        table.append([cell.strip() for cell in line.strip("|").split("|")])
    return table


def test_every_rule_is_on_the_page_with_its_number_and_what_it_does_to_the_drives() -> None:
    told = {(r[0], r[1], r[2], r[4]) for r in rows(SAFETY, "Rules")}
    known = {
        (str(int(rule)), rule.name, entry.text, "off" if entry.category is Category.DRIVES_OFF else "on")
        for rule, entry in RULES.items()
    }
    assert told == known


def test_every_transition_is_on_the_page() -> None:
    assert {tuple(r) for r in rows(SAFETY, "Modes")} == {(m.name, e.value, n.name) for (m, e), n in NEXT.items()}


def test_every_kind_of_interlock_and_every_alarm_is_on_the_page() -> None:
    told = {(r[0], r[1], r[3]) for r in rows(SAFETY, "Interlocks")}
    assert told == {(kind, rule.name, "off" if kind in DRIVES_DROP else "on") for kind, (rule, _) in KINDS.items()}
    assert [r[0] for r in rows(SAFETY, "Alarms")] == list(ALARMS)


def test_every_way_a_log_ends_is_on_the_page() -> None:
    assert [r[0] for r in rows(SAFETY, "How a log ends")] == list(EndReason)


@pytest.mark.parametrize(("name", "size"), [("Command", COMMAND_SIZE), ("Answer", ANSWER_SIZE)])
def test_byte_layouts_are_gapless_and_as_long_as_the_packer_says(name: str, size: int) -> None:
    part = INTERFACES.split(f"**{name}, {size} bytes**", 1)[1]
    fields = re.findall(r"^\| (\d+) \| (\d+) \|", part.split("\n\n", 2)[1], re.MULTILINE)
    at = 0
    for offset, length in fields:
        assert int(offset) == at
        at += int(length)
    assert at == size


def test_refusals_and_modes_are_named_on_the_page() -> None:
    for refusal in Refusal:
        if refusal:
            assert re.search(rf"\b{int(refusal)} {refusal.name}\b", INTERFACES)
    for mode in Mode:
        assert f"{int(mode)} {mode.name}" in INTERFACES


def test_every_verb_is_on_the_page_with_its_least_role() -> None:
    told = [(r[0], r[1]) for r in rows(INTERFACES, "Who may ask for what")]
    assert told == [(verb, least.name.lower()) for verb, least in LEAST.items()]
    assert set(desk_verbs(None, lambda: None)) <= set(LEAST)  # type: ignore[arg-type]


def test_the_sealed_datagram_is_laid_out_as_the_page_says() -> None:
    told = [(int(r[0]), int(r[1])) for r in rows(INTERFACES, "Over the network, with a key")]
    at = 0
    for offset, length in told:
        assert offset == at
        at += length
    assert at == SMALLEST == HEAD.size + SEAL_BYTES
    for kind in DatagramKind:
        assert f"{int(kind)} {kind.name}" in INTERFACES


def test_the_time_of_each_control_port_is_on_the_page() -> None:
    told = [(r[0], r[1]) for r in rows(SAFETY, "How a stop gets through")]
    assert told == [
        ("stop", f"{stop_port.BUDGET_NS / 1e6:g} ms, {stop_port.DOOR} new connections"),
        ("control", f"{control_port.BUDGET_NS / 1e6:g} ms, {control_port.REQUESTS} requests"),
        (
            "control over the network",
            f"{network_control.REQUEST_BUDGET_NS / 1e6:g} ms, {network_control.REQUESTS} requests; "
            f"stops {network_control.STOP_BUDGET_NS / 1e6:g} ms",
        ),
    ]


def test_every_frame_is_on_the_page() -> None:
    page = (ROOT / "docs" / "frames.md").read_text()
    for frame in FRAMES:
        assert re.search(rf"\b{frame}\b", page), frame


# --- zones, halts


def test_table_1_and_the_rules_that_only_halt_the_bridge_are_on_the_page() -> None:
    told = [tuple(r) for r in rows(SAFETY, "Zones")]
    known = {(commanded.name, actual.name, "go" if go else "stop") for (commanded, actual), go in LOGIC.items()}
    assert len(told) == len(known) == len(Zone) ** 2
    assert set(told) == known
    assert {tuple(r) for r in rows(SAFETY, "What only halts the bridge")} == {(r.name, str(int(r))) for r in LIMITS}


# --- the bridge


@pytest.fixture(scope="module")
def epos() -> Cell:
    return load_cell()


def test_phases_and_causes_are_on_the_page() -> None:
    assert [r[0] for r in rows(BRIDGE, "Phases")] == [f"{int(p)} {p.name}" for p in Phase]
    assert [r[0] for r in rows(BRIDGE, "Causes")] == [f"{int(c)} {c.name}" for c in Standstill]


SHORT_RUN = """
name = "short"
about = "Every phase in sixteen seconds"
seed = 1
motion = [
    { kind = "hold", duration_s = 9.0 },
    { kind = "silence", duration_s = 0.6 },
    { kind = "hold", duration_s = 1.0 },
    { kind = "jump", distance_m = 4.1 },
    { kind = "hold", duration_s = 3.0 },
    { kind = "jump", distance_m = 40.0 },
    { kind = "hold", duration_s = 3.0 },
]
start = { distance_m = 4.0 }
"""


def phases_of_a_run(cell: Cell) -> Iterator[Phase]:
    """The bridge's phase after every cycle."""
    short, clock = parse_scenario(SHORT_RUN, Path("short.toml")), LockstepClock()
    hall = build(cell, clock, seed=short.seed, record=None, bridge=settings_of(short.bridge))
    run = BridgedRun(hall, Application(short))
    try:
        yield Phase.IDLE
        run.start()
        for _ in range(round(250 * short.duration_s)):
            run.loop.cycle()
            motion = hall.facility.motion
            yield motion.phase if isinstance(motion, Bridged) else Phase.IDLE
    finally:
        hall.close()


def test_phases_lead_where_the_page_says(epos: Cell) -> None:
    told = {(r[0].split()[1], after) for r in rows(BRIDGE, "Phases") for after in r[2].split(", ")}
    assert {name for pair in told for name in pair} == {p.name for p in Phase}
    seen = list(phases_of_a_run(epos))
    changes = {(a.name, b.name) for a, b in itertools.pairwise(seen) if a is not b}
    assert {name for pair in changes for name in pair} == {p.name for p in Phase}, (
        "the run is too short to prove anything"
    )
    assert changes - told == set()


def deg(value: float) -> str:
    return f"{math.degrees(value):.6g} deg"


def metres(value: float) -> str:
    return f"{value:.6g} m"


def same(values: NDArray[np.float64]) -> float:
    """The one value of a group that shares a row."""
    (value,) = set(np.asarray(values).ravel().tolist())
    return float(value)


def test_the_fences_of_the_cost_are_those_of_the_page(epos: Cell) -> None:
    c = cost_of(epos)[0]
    both, ends = [1, 3, 4, 6, 7, 9], [2, 8]
    groups: list[tuple[str, Callable[[float], str], Any, Any]] = [
        ("rail", metres, c["axis_soft"][0], c["axis_weight"][0]),
        ("A2 of both arms", deg, c["axis_soft"][ends], c["axis_weight"][ends]),
        ("A1, A3 of both arms, A4, A6 of robot 1", deg, c["axis_soft"][both], c["axis_weight"][both]),
        ("straight wrist", deg, c["wrist_soft"], c["wrist_weight"]),
        ("folded wrist", deg, c["wrist_max_soft"], c["wrist_weight"]),
        ("stretched elbow", deg, c["elbow_soft"], c["elbow_weight"]),
        ("wrist centre over axis 1", metres, c["shoulder_soft"], c["shoulder_weight"]),
        ("ports' x and y", metres, c["range_soft"][:, :2], c["range_weight"][:, :2]),
        ("ports' z", metres, c["range_soft"][:, 2], c["range_weight"][:, 2]),
        ("roll of robot 1's plate", deg, c["range_soft"][0, 3], c["range_weight"][0, 3]),
        ("pitch and yaw of both plates", deg, c["range_soft"][:, 4:], c["range_weight"][:, 4:]),
        ("spacecraft's boxes", metres, c["wall_soft"], c["wall_weight"]),
        ("lateral offset", lambda value: f"{value:.6g} L", c["lateral_soft"], c["lateral_weight"]),
    ]
    told = [(r[0], r[2], r[3]) for r in rows(BRIDGE, "Cost")]
    assert told == [(name, unit(same(soft)), f"{same(weight):.6g}") for name, unit, soft, weight in groups]
    limits = {r[0]: r[1] for r in rows(BRIDGE, "Cost")}
    assert limits["folded wrist"] == f"A5 = ±{deg(c['wrist_max'])}"
    assert limits["lateral offset"] == f"{c['lateral_max']:.6g} L"
    # Axes and angles that no row speaks of have no fence there.
    assert not np.delete(c["axis_weight"], [0, *both, *ends]).any()
    assert c["range_weight"][1, 3] == 0.0


def test_the_pulls_of_the_cost_are_those_of_the_page(epos: Cell) -> None:
    c = cost_of(epos)[0]
    told = {
        r[0]: (r[1].replace("−", "-"), r[2]) for r in rows(BRIDGE.replace("| pull |", "## Pulls\n| pull |"), "Pulls")
    }
    rest = np.degrees(c["rest"]).round(9)
    assert same(rest[:3] - rest[3:]) == 0.0
    assert told["A1, A2, A3 of both arms"] == (
        ", ".join(f"{a:g}" for a in rest[:3]) + " deg",
        f"{same(c['pull']):g} per rad²",
    )
    assert c["centre_weight"][0] == 0.0
    for k, name in ((1, "y"), (2, "z")):
        assert told[f"{name} of the chaser's port"] == (metres(c["centre"][k]), f"{c['centre_weight'][k]:g} per m²")
    assert c["sun_weight"] == 0.0
    assert told["sun"][0] == "the cell's lamp"
    assert np.cross(c["lamp"], epos.file.lamp.towards_lab) == pytest.approx(0.0, abs=1e-12)


def test_no_part_of_the_cost_is_without_a_row() -> None:
    """A term that is added to the record has to come to the page."""
    fences = {
        f"{k}_{part}"
        for k in ("axis", "wrist", "elbow", "shoulder", "range", "wall", "lateral")
        for part in ("soft", "weight")
    }
    pulls = {"rest", "pull", "centre", "centre_weight", "sun", "lamp", "sun_weight"}
    assert set(COST_DTYPE.names or ()) == fences | pulls | {
        "wrist_max",
        "wrist_max_soft",
        "lateral_max",
        "box_middle",
        "box_half",
        "box_radius",
        "room",
        "roll",
        "phi_fixed",
    }


def test_the_hall_shows_the_distances_that_the_page_says() -> None:
    spec = importlib.util.spec_from_file_location("measure_bridge", ROOT / "docs" / "measure_bridge.py")
    assert spec
    assert spec.loader
    measure = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(measure)
    near, far = map(float, re.search(r"ports can be ([\d.]+) to ([\d.]+) m apart", BRIDGE).groups())  # type: ignore[union-attr]
    for distance_m, shown in ((near, True), (near - 0.02, False), (far, True), (far + 0.02, False)):
        assert measure.can_show(measure.looking(distance_m, 0.0, 0.0)) is shown, distance_m


# --- scenarios

MINIMAL: dict[str, tuple[type[Strict], dict[str, Any]]] = {
    "The file": (
        ScenarioFile,
        {
            "name": "a",
            "about": "b",
            "seed": 1,
            "start": {"distance_m": 1.0},
            "motion": [{"kind": "hold", "duration_s": 1.0}],
        },
    ),
    "Client": (ClientTable, {}),
    "Network": (NetworkTable, {}),
    "Bridge": (BridgeTable, {}),
    "Expect": (scenario.Expect, {}),
    "Start": (segments.ScriptStart, {"distance_m": 1.0}),
    "hold": (segments.Hold, {"kind": "hold", "duration_s": 1.0}),
    "approach": (segments.Approach, {"kind": "approach", "to_m": 1.0, "speed_m_s": 0.1}),
    "fly_around": (
        segments.FlyAround,
        {"kind": "fly_around", "angle_deg": 1.0, "rate_deg_s": 1.0, "axis": [0.0, 0.0, 1.0]},
    ),
    "tumble": (segments.Tumble, {"kind": "tumble", "duration_s": 9.0, "spin_deg_s": 1.0, "axis": [1.0, 0.0, 0.0]}),
    "overshoot": (segments.Overshoot, {"kind": "overshoot", "speed_m_s": 0.1, "duration_s": 1.0}),
    "jump": (segments.Jump, {"kind": "jump", "distance_m": 1.0}),
    "silence": (segments.Silence, {"kind": "silence", "duration_s": 1.0}),
}


def test_every_table_of_a_scenario_has_a_section() -> None:
    models = [m for module in (segments, scenario) for m in vars(module).values() if isinstance(m, type)]
    known = {m for m in models if issubclass(m, Strict) and m is not Strict}
    assert {model for model, _ in MINIMAL.values()} == known
    for model, table in MINIMAL.values():
        model.model_validate(table)


def allowed(model: type[Strict], table: dict[str, Any], key: str) -> str:
    """What the reader itself says is allowed, when it is given nonsense; empty where it names no bound."""
    for nonsense in ("nonsense", ["nonsense"] * 3):
        with pytest.raises(ValidationError) as caught:
            model.model_validate({**table, key: nonsense})
        for error in caught.value.errors():
            context = error.get("ctx", {})
            if error["loc"][0] == key and ("bound" in context or "expected" in context):
                return str(context.get("bound") or context["expected"])
    return ""


def default(model: type[Strict], key: str) -> str:
    """As the page writes it; empty where the page may say it in words."""
    field = model.model_fields[key]
    if field.is_required():
        return "–"
    value = field.get_default()
    if isinstance(value, Strict):
        return "all defaults"
    if isinstance(value, tuple):
        return f"[{', '.join(f'{v:g}' for v in value)}]"
    if value is None or value is PydanticUndefined:
        return ""
    return (
        {True: "true", False: "false"}[value]
        if isinstance(value, bool)
        else value
        if isinstance(value, str)
        else f"{value:g}"
    )


@pytest.mark.parametrize("heading", MINIMAL)
def test_keys_ranges_and_defaults_of_a_scenario_are_on_the_page(heading: str) -> None:
    model, table = MINIMAL[heading]
    told = {r[0].strip("`"): r for r in rows(SCENARIOS, heading)}
    assert set(told) == set(model.model_fields)
    for key, (_, kind, bounds, otherwise, _) in told.items():
        if kind in ("number", "integer", "three numbers") or key == "frame":
            assert bounds == allowed(model, table, key), key
        if default(model, key):
            assert otherwise == default(model, key), key


def test_what_the_bridge_chooses_itself_is_on_the_page() -> None:
    text = SHORT_RUN.replace('name = "short"', 'name = "silent"')
    s = settings_of(parse_scenario(text, Path("silent.toml")).bridge)
    told = {r[0].strip("`"): r[3] for r in rows(SCENARIOS, "Bridge")}
    speed, acceleration, rate, turning = s.limits.tolist()
    chosen = {
        "speed_m_s": speed, "acceleration_m_s2": acceleration, "rate_deg_s": math.degrees(rate),
        "angular_acceleration_deg_s2": math.degrees(turning), "timeout_ms": 1e3 * s.timeout_s,
    }  # fmt: skip
    assert {key: told[key] for key in chosen} == {key: f"{value:g}" for key, value in chosen.items()}
    assert s.phi_rad is None
    assert [r[1] for r in rows(BRIDGE, "Clutch")] == [
        f"{speed:g} m/s", f"{acceleration:g} m/s²", f"{math.degrees(rate):g} deg/s",
        f"{math.degrees(turning):g} deg/s²",
    ]  # fmt: skip


def test_the_example_is_a_scenario_and_the_shipped_ones_are_listed() -> None:
    example = SCENARIOS.split("```toml\n", 1)[1].split("```", 1)[0]
    assert parse_scenario(example, Path("example.toml")).name == "example"
    told = [(r[0].strip("`"), r[1]) for r in rows(SCENARIOS, "Shipped scenarios")]
    assert told == [(s.name, f"{s.duration_s:.0f} s") for s in shipped()]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        assert target.startswith("http") or (page.parent / target).exists(), target


@pytest.fixture(scope="module")
def exits() -> dict[str, int]:
    """Of commands that were asked for help: what stands on many pages is asked once."""
    return {}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_commands_on_the_pages_exist(
    run: Callable[..., tuple[int, str, str]], page: Path, exits: dict[str, int]
) -> None:
    """Every `proxops …` on a page is a command with that name."""
    words = set(re.findall(r"proxops (ctl [a-z][a-z-]*|(?:log|arm|ft) [a-z]+|[a-z]+)", page.read_text()))
    for word in sorted(words):
        if word.split()[0] not in COMMANDS:
            continue  # prose
        if word not in exits:
            exits[word] = run(*word.split(), "--help")[0]
        assert exits[word] == 0, word


@pytest.fixture(scope="module")
def there() -> set[str]:
    """Names of all that can be run; every file of it is read for that."""
    return {item.name for item in shelf()}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_what_the_pages_run_is_shipped(page: Path, there: set[str]) -> None:
    """Every scenario, test file, benchmark and name of the Python API on a page is there."""
    text = page.read_text()
    for words in re.findall(r"proxops (?:run|check|orbit) ([a-z_0-9][a-z_0-9|\\]*)\b(?![./])", text):
        assert set(re.split(r"[|\\]+", words)) <= there, words
    for file in re.findall(r"\btests/[\w/]+(?:\.py)?", text):
        assert (ROOT / file).exists(), file
    for name in re.findall(r"python -m benchmarks\.studies\.(\w+)", text):
        assert (ROOT / "benchmarks" / "studies" / f"{name}.py").exists(), name
    for name in re.findall(r"python -m benchmarks (\w+)", text):
        found = [*(ROOT / "benchmarks").glob(f"{name}.py"), *(ROOT / "benchmarks").glob(f"{name}_*.py")]
        assert found, name  # one, or what a name stands for
    assert set(re.findall(r"`proxops\.(\w+)[`(]", text)) - {"Pool", "ImageFacts"} <= set(proxops.__all__)


def test_the_readme_fits_one_screen() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 50


def test_files_named_on_the_architecture_page_exist() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    named = re.findall(r"`([\w/]+\.(?:py|toml))`", page)
    assert len(named) > 40
    assert not {name for name in named if not any((at / name).exists() for at in (ROOT, ROOT / "src" / "proxops"))}


def test_the_loop_on_the_architecture_page_is_the_loop() -> None:
    """Word for word, but for its remarks."""
    page = (ROOT / "docs" / "architecture.md").read_text()
    shown = page.split("```python\n", 1)[1].split("```", 1)[0]
    assert ast.dump(ast.parse(shown)) == ast.dump(ast.parse(textwrap.dedent(inspect.getsource(Facility.tick))))


def test_python_on_the_readme_uses_what_there_is() -> None:
    for code in re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL):
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "proxops":
                assert node.attr in proxops.__all__


def test_the_citation_names_this_version() -> None:
    assert f"\nversion: {proxops.__version__}\n" in (ROOT / "CITATION.cff").read_text()
