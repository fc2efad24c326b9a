"""A facility that cannot be built leaves nothing open: neither ports nor rings."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from proxops.bridge.settings import BridgeSettings
from proxops.core.clock import LockstepClock
from proxops.core.errors import BadInput
from proxops.core.ring import Ring, shared_folder
from proxops.facility.build import build
from proxops.lab.cell import Cell


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Files of the rings that are made from now on."""
    files, create = list[Path](), Ring.create

    def noted(*given: object) -> Ring:
        ring = create(*given)  # type: ignore[arg-type]
        files.append(ring.path)
        return ring

    monkeypatch.setattr(Ring, "create", noted)
    return files


def test_a_bridge_whose_port_is_taken_frees_the_synchronous_one_and_the_rings(cell: Cell, made: list[Path]) -> None:
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free,
    ):
        taken.bind(("127.0.0.1", 0))
        free.bind(("127.0.0.1", 0))
        sync = free.getsockname()
        free.close()
        with pytest.raises(BadInput, match="cannot open the bridge"):
            build(
                cell, LockstepClock(), seed=0, record=None, sync=sync, bridge=BridgeSettings(), bridge_at=taken.getsockname()
            )  # fmt: skip
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as again:
        again.bind(sync)
    assert len(made) == 2 and shared_folder() in made[0].parents
    assert not [path for path in made if path.exists()]


def test_a_recorder_that_does_not_start_frees_the_ports_and_the_rings(
    cell: Cell, made: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*given: object, **more: object) -> None:
        raise OSError("no process more")

    monkeypatch.setattr("proxops.facility.build.start_recorder", fails)
    with pytest.raises(OSError, match="no process more"):
        build(cell, LockstepClock(), seed=0, record=Path("never.mcap"), sync=("127.0.0.1", 0))
    assert len(made) == 2 and not [path for path in made if path.exists()]
