"""Writes the tables of docs/missions.md and docs/experiments.md from the scenarios' own classes: ``python docs/list_keys.py``.
What stands between the marks is replaced; a house test compares. Meanings are the comments beside the keys."""

import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pydantic import BeforeValidator
from pydantic_core import PydanticUndefined

from proxops.applications.kinds import experiments, tables_of
from proxops.core import (
    craft,
    dispersion_table,
    experiment,
    fault_table,
    floating_object,
    imaging_table,
    joint_table,
    mission,
    orbit_table,
    own_sensor_table,
    scenery_table,
    sensor_table,
    task_law_table,
    tool_load_file,
    vision_table,
)
from proxops.core.strict_table import Strict

BEGIN, END = "<!-- keys: begin -->", "<!-- keys: end -->"
Tables = list[tuple[str, type[Strict]]]
MISSION: Tables = [
    ("The file", mission.MissionFile), ("[orbit] kind = \"numerical\"", orbit_table.NumericalOrbit),
    ("[orbit] kind = \"kepler\"", orbit_table.KeplerOrbit), ("[orbit] kind = \"tle\"", orbit_table.TleOrbit),
    ("[orbit] kind = \"path\"", orbit_table.PathOrbit), ("[[orbit.point]]", orbit_table.WayPoint),
    ("[environment]", orbit_table.Environment), ("[start]", orbit_table.MissionStart), ("[target]", craft.Body),
    ("[target.attitude], [chaser.attitude]", craft.Attitude), ("[chaser]", craft.ChaserBody),
    ("[chaser.thrusters]", craft.Thrusters), ("[[chaser.thrusters.each]]", craft.Thruster),
    ("[chaser.wheels]", craft.ChaserWheels), ("[sensor], [[sensor]] kind = \"pose\"", sensor_table.Sensor),
    ("[[sensor]] kind = \"camera\"", imaging_table.CameraSensor),
    ("[[sensor]] kind = \"fiducial\"", imaging_table.FiducialSensor),
    ("[[sensor]] kind = \"tof\"", imaging_table.TofSensor),
    ("[[sensor]] kind = \"lidar\"", imaging_table.LidarSensor),
    ("[[sensor]] kind = \"folder\"", own_sensor_table.FolderSensor),
    ("[[sensor]] kind = \"network\"", own_sensor_table.NetworkSensor),
    ("[[sensor]] kind = \"genicam\"", own_sensor_table.GenicamSensor), ("[scenery]", scenery_table.Scenery),
    ("[scenery.illuminator]", scenery_table.Illuminator), ("[scenery.model_error]", scenery_table.ModelError),
    ("[vision]", vision_table.Vision), ("[[vision.designate]]", vision_table.Designate),
    ("[avionics]", sensor_table.Avionics),
    ("plan: hold", mission.HoldStep), ("plan: approach", mission.ApproachStep), ("plan: fly_around", mission.FlyAroundStep),
    ("plan: final", mission.FinalStep), ("[corridor]", mission.Corridor), ("[abort]", mission.Abort),
    ("fault: sensor_outage", fault_table.SensorOutage), ("fault: image_fault", fault_table.ImageFault),
    ("fault: stuck_open", fault_table.StuckOpen),
    ("fault: stuck_closed", fault_table.StuckClosed), ("fault: push", fault_table.PushFault),
    ("[dispersion]", dispersion_table.Dispersion), ("[knowledge]", dispersion_table.Knowledge), ("[flight]", mission.Flight),
    ("[hall]", mission.HallUse),
]  # fmt: skip


SHARED: Tables = [
    ("tracking: [[law]], grasp: [law]", task_law_table.LawTable),
    ("tracking, servo: [joints]", joint_table.JointsTable), ("[joints.encoder]", joint_table.EncoderTable),
    ("[joints.motor]", joint_table.MotorTable), ("[joints.friction]", joint_table.FrictionTable),
    ("float: [box]", floating_object.BoxTable), ("float: [object]", floating_object.ObjectTable),
    ("float: [[obstacle]]", floating_object.ObstacleTable), ("float: [turn_limit]", floating_object.TurnLimitTable),
    ("float: [mock_up], docking: [tool]", tool_load_file.ToolLoadFile),
    ("[mock_up.identified], [tool.identified]", tool_load_file.Identified),
]  # fmt: skip


def experiment_tables() -> Tables:
    """Of every kind of experiment: the file, then its tables by the names of their classes; last those from elsewhere."""
    found: Tables = [("[arm]", experiment.ArmTable)]
    for word in experiments():
        file = tables_of(word)
        own = import_module(file.__module__)
        found.append((f'kind = "{word}"', file))
        for other, thing in vars(own).items():
            ours = inspect.isclass(thing) and issubclass(thing, Strict) and thing.__module__ == own.__name__
            if ours and thing is not file:
                found.append((f"{word}: {other.removesuffix('Table').removeprefix(word.capitalize())}", thing))
    return found + SHARED


def tables(rows_of: Tables) -> str:
    """All of them, as they belong on the page."""
    parts = []
    for title, kind in rows_of:
        about = inspect.cleandoc(kind.__doc__ or "").replace("\n", " ")
        rows = [
            _row(kind, name) for name, field in kind.model_fields.items() if name != "kind" or _open(field.annotation)
        ]
        parts.append(
            f"### {title}\n\n{about}\n\n| key | range | default | meaning |\n|---|---|---|---|\n" + "\n".join(rows)
        )
    return "\n\n".join(parts)


def _row(kind: type[Strict], name: str) -> str:
    field = kind.model_fields[name]
    of_parts = [
        check for part in get_args(field.annotation) for check in getattr(part, "__metadata__", ())
    ]  # a range, or none
    checks = [
        check for check in (*field.metadata, *of_parts) if isinstance(check, BeforeValidator) and check.func.__closure__
    ]
    low_high = _bounds(checks[0]) if checks else _choices(field.annotation)
    default = field.default
    if default is PydanticUndefined:
        told = "–"
    elif isinstance(default, Strict):
        told = "all defaults"
    elif isinstance(default, tuple) and default and isinstance(default[0], Strict):
        told = f"one of kind {default[0].kind}"
    else:
        told = "none" if default is None else ('""' if default == "" else str(default).replace("'", '"').lower())
    if len(told) > 60:
        told = "see the code" if kind.__module__.startswith("proxops.core.experiment") else "a pyramid of four"
    return f"| `{field.alias or name}` | {low_high} | {told} | {_comment(kind, name)} |"


def _open(kind: Any) -> bool:
    """Whether a key ``kind`` leaves a choice; if not, it stands in the heading."""
    return len(get_args(kind)) > 1


def _choices(kind: Any) -> str:
    """Of a literal, alone or beside something else; the only other thing there is beside one is a direction."""
    parts = [kind, *get_args(kind)]
    found = [value for part in parts if get_origin(part) is Literal for value in get_args(part)]
    told = " \\| ".join(f'"{value}"' if isinstance(value, str) else str(value) for value in found)
    return f"a direction, or {told}" if any(get_origin(part) is tuple for part in parts[1:]) and found else told


def _bounds(check: Any) -> str:
    found = dict(zip(check.func.__code__.co_freevars, (c.cell_contents for c in check.func.__closure__), strict=True))
    low, high = found["low"], found["high"]
    return f"{low:g} … {high:g}" if isinstance(high, float) or high < 1e7 else f"{low} … {high}"


def _comment(kind: type[Strict], name: str) -> str:
    for cls in kind.__mro__:
        if issubclass(cls, Strict) and name in cls.__annotations__:
            found = re.search(rf"^    {name}: .*?#\s*(.*)$", inspect.getsource(cls), re.MULTILINE)
            return found[1].replace("|", "\\|") if found else ""
    return ""


def page(name: str, text: str) -> str:
    """The page with its tables as they should be."""
    head, rest = text.split(BEGIN)
    told = tables(MISSION if name == "missions.md" else experiment_tables())
    return f"{head}{BEGIN}\n{told}\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    for name in ("missions.md", "experiments.md"):
        path = Path(__file__).with_name(name)
        path.write_text(page(name, path.read_text()))
