"""proxops: the open test facility for spacecraft rendezvous, docking and on-orbit servicing.

The Python API. Names are imported when they are first used, so that ``import proxops`` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.7.0"

_WHERE = {
    # the program
    "run": "proxops.api",
    "play": "proxops.api",
    "check": "proxops.api",
    "serve": "proxops.api",
    "dataset": "proxops.applications.mission.dataset.command",
    "inspect": "proxops.applications.mission.inspection.command",
    "pose": "proxops.applications.pose.command",
    "report": "proxops.api",
    "read_log": "proxops.api",
    "Run": "proxops.api",
    # what was recorded
    "Log": "proxops.ground.log",
    "summarise": "proxops.applications.report",
    # the hall and motions
    "load_cell": "proxops.lab.any_cell",
    "UserTool": "proxops.lab.user_tool",
    "Trajectory": "proxops.lab.trajectory",
    "read_trajectory": "proxops.lab.trajectory",
    "write_trajectory": "proxops.lab.trajectory",
    "convert": "proxops.lab.trajectory",
    "axes_of": "proxops.lab.trajectory",
    "preflight": "proxops.facility.trajectories.preflight",
    # clients of a live facility
    "SyncClient": "proxops.client",
    "ControlClient": "proxops.client",
    "BridgeClient": "proxops.client",
    "FlightComputer": "proxops.client",
    # flight software of your own
    "load_mission": "proxops.core.mission",
    "MissionFile": "proxops.core.mission",
    "FlightSoftware": "proxops.core.flight",
    "Measurements": "proxops.core.flight",
    "Commands": "proxops.core.flight",
    "Telemetry": "proxops.core.flight",
    "onboard_data": "proxops.core.flight",
    "R_CHASER_SENSOR": "proxops.core.flight",
    # free-floating arms
    "load_model": "proxops.arms.model",
    "Dynamics": "proxops.arms.dynamics",
    "base_pose": "proxops.arms.dynamics",
    "FreeFloating": "proxops.space.free_floating",
    "PosePath": "proxops.onboard.pose_path",
    "TaskController": "proxops.onboard.task_controller",
    "TaskGains": "proxops.onboard.task_controller",
    # force sensors of your own
    "ForceReading": "proxops.core.force_datagram",
    "pack_force": "proxops.core.force_datagram",
    "ForcePort": "proxops.touch.force_port",
    "ForceWatch": "proxops.touch.force_watch",
    "StreamTraits": "proxops.touch.force_watch",
    # words that all share
    "matrix_from_quat": "proxops.maths.rotation",
    "System": "proxops.core.vocabulary",
    "Mode": "proxops.core.vocabulary",
    "MissionPhase": "proxops.core.vocabulary",
    "BadInput": "proxops.core.errors",
    "Refused": "proxops.core.errors",
}
__all__ = ["__version__", *_WHERE]

if TYPE_CHECKING:
    from proxops.api import Run as Run
    from proxops.api import check as check
    from proxops.api import play as play
    from proxops.api import read_log as read_log
    from proxops.api import report as report
    from proxops.api import run as run
    from proxops.api import serve as serve
    from proxops.applications.mission.dataset.command import dataset as dataset
    from proxops.applications.mission.inspection.command import inspect as inspect
    from proxops.applications.pose.command import pose as pose
    from proxops.applications.report import summarise as summarise
    from proxops.arms.dynamics import Dynamics as Dynamics
    from proxops.arms.dynamics import base_pose as base_pose
    from proxops.arms.model import load_model as load_model
    from proxops.client import BridgeClient as BridgeClient
    from proxops.client import ControlClient as ControlClient
    from proxops.client import FlightComputer as FlightComputer
    from proxops.client import SyncClient as SyncClient
    from proxops.core.errors import BadInput as BadInput
    from proxops.core.errors import Refused as Refused
    from proxops.core.flight import R_CHASER_SENSOR as R_CHASER_SENSOR
    from proxops.core.flight import Commands as Commands
    from proxops.core.flight import FlightSoftware as FlightSoftware
    from proxops.core.flight import Measurements as Measurements
    from proxops.core.flight import Telemetry as Telemetry
    from proxops.core.flight import onboard_data as onboard_data
    from proxops.core.force_datagram import ForceReading as ForceReading
    from proxops.core.force_datagram import pack_force as pack_force
    from proxops.core.mission import MissionFile as MissionFile
    from proxops.core.mission import load_mission as load_mission
    from proxops.core.vocabulary import MissionPhase as MissionPhase
    from proxops.core.vocabulary import Mode as Mode
    from proxops.core.vocabulary import System as System
    from proxops.facility.trajectories.preflight import preflight as preflight
    from proxops.ground.log import Log as Log
    from proxops.lab.any_cell import load_cell as load_cell
    from proxops.lab.trajectory import Trajectory as Trajectory
    from proxops.lab.trajectory import axes_of as axes_of
    from proxops.lab.trajectory import convert as convert
    from proxops.lab.trajectory import read_trajectory as read_trajectory
    from proxops.lab.trajectory import write_trajectory as write_trajectory
    from proxops.lab.user_tool import UserTool as UserTool
    from proxops.maths.rotation import matrix_from_quat as matrix_from_quat
    from proxops.onboard.pose_path import PosePath as PosePath
    from proxops.onboard.task_controller import TaskController as TaskController
    from proxops.onboard.task_controller import TaskGains as TaskGains
    from proxops.space.free_floating import FreeFloating as FreeFloating
    from proxops.touch.force_port import ForcePort as ForcePort
    from proxops.touch.force_watch import ForceWatch as ForceWatch
    from proxops.touch.force_watch import StreamTraits as StreamTraits


def __getattr__(name: str) -> object:
    if name not in _WHERE:
        raise AttributeError(f"proxops has no {name}; there is {', '.join(_WHERE)}")
    return getattr(import_module(_WHERE[name]), name)


def __dir__() -> list[str]:
    """For whoever completes names: each is imported when it is first used."""
    return sorted([*globals(), *_WHERE])
