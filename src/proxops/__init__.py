"""proxops: the open test facility for spacecraft rendezvous, docking and on-orbit servicing.

The short Python API; names are imported when they are first used, so that ``import proxops`` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.7.0"

_WHERE = {
    "load_cell": "proxops.lab.cell",
    "UserTool": "proxops.lab.user_tool",
    "Trajectory": "proxops.lab.trajectory",
    "read_trajectory": "proxops.lab.trajectory",
    "write_trajectory": "proxops.lab.trajectory",
    "convert": "proxops.lab.trajectory",
    "axes_of": "proxops.lab.trajectory",
    "preflight": "proxops.facility.preflight",
    "play": "proxops.facility.play",
    "Log": "proxops.ground.log",
    "summarise": "proxops.ground.summary",
    "write_report": "proxops.ground.report",
    "SyncClient": "proxops.client",
    "ControlClient": "proxops.client",
    "BridgeClient": "proxops.client",
    "FlightComputer": "proxops.client",
    "System": "proxops.core.vocabulary",
    "Mode": "proxops.core.vocabulary",
    "BadInput": "proxops.core.errors",
    "Refused": "proxops.core.errors",
}
__all__ = ["__version__", *_WHERE]

if TYPE_CHECKING:
    from proxops.client import BridgeClient as BridgeClient
    from proxops.client import ControlClient as ControlClient
    from proxops.client import FlightComputer as FlightComputer
    from proxops.client import SyncClient as SyncClient
    from proxops.core.errors import BadInput as BadInput
    from proxops.core.errors import Refused as Refused
    from proxops.core.vocabulary import Mode as Mode
    from proxops.core.vocabulary import System as System
    from proxops.facility.play import play as play
    from proxops.facility.preflight import preflight as preflight
    from proxops.ground.log import Log as Log
    from proxops.ground.report import write_report as write_report
    from proxops.ground.summary import summarise as summarise
    from proxops.lab.cell import load_cell as load_cell
    from proxops.lab.trajectory import Trajectory as Trajectory
    from proxops.lab.trajectory import axes_of as axes_of
    from proxops.lab.trajectory import convert as convert
    from proxops.lab.trajectory import read_trajectory as read_trajectory
    from proxops.lab.trajectory import write_trajectory as write_trajectory
    from proxops.lab.user_tool import UserTool as UserTool


def __getattr__(name: str) -> object:
    if name not in _WHERE:
        raise AttributeError(f"proxops has no {name}; there is {', '.join(_WHERE)}")
    return getattr(import_module(_WHERE[name]), name)
