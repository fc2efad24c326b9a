"""Who may move the hall through the bridge: the client that had it may come back, anyone else needs the operator."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from bridge_hall import BridgeHall, at, parked_cell

from proxops.bridge.client_place import INVITATION_NS
from proxops.core.bridge_datagram import BridgeCommand, pack_command
from proxops.core.errors import Refused
from proxops.core.messages import PERIOD_NS, PERIOD_S
from proxops.core.vocabulary import Phase, Standstill
from proxops.facility.desk.status import status
from proxops.lab.cell import Cell
from proxops.lab.hall_file import Clients

OLD, STRANGER, THIRD = ("10.0.0.1", 5000), ("10.0.0.2", 6000), ("10.0.0.3", 7000)


@pytest.fixture(scope="module")
def cell() -> Cell:
    return parked_cell()


class Clients_:
    """A hall and several senders, each with numbers of its own."""

    def __init__(self, hall: BridgeHall) -> None:
        self.hall = hall
        self.numbers = {OLD: 10_000, STRANGER: 1_000_000, THIRD: 0}

    def packet(self, sender: tuple[str, int], chaser: tuple[float, ...]) -> bytes:
        self.numbers[sender] += 1
        number = self.numbers[sender]
        return pack_command(BridgeCommand(number, number * PERIOD_NS, chaser, at(0.0)))

    def send(self, sender: tuple[str, int], chaser: tuple[float, ...], seconds: float) -> float:
        """Way of the fastest axis meanwhile (m or rad)."""
        before = self.hall.facility.guard.setpoint.copy()
        for _ in range(round(seconds / PERIOD_S)):
            self.hall.cycle_of((self.packet(sender, chaser), sender))
        return float(np.abs(self.hall.facility.guard.setpoint - before).max())

    def follow(self, sender: tuple[str, int], chaser: tuple[float, ...]) -> None:
        for _ in range(60 * 250):
            self.hall.cycle_of((self.packet(sender, chaser), sender))
            if self.hall.phase is Phase.FOLLOWING:
                return
        raise AssertionError(f"{self.hall.phase.name} ({self.hall.bridge.cause.name})")


@pytest.fixture
def clients(cell: Cell) -> Iterator[Clients_]:
    hall = BridgeHall(cell)
    yield Clients_(hall)
    hall.close()


def test_a_stranger_after_a_client_that_died_moves_nothing_until_accepted(clients: Clients_) -> None:
    hall = clients.hall
    clients.follow(OLD, at(5.0))  # the first client after select needs no acknowledgement
    hall.silence(3.0)
    assert clients.send(STRANGER, at(4.0), 4.0) == 0.0
    assert hall.phase is Phase.STANDING and hall.bridge.cause is Standstill.NEW_CLIENT
    told = status(hall.desk)["bridge"]
    assert told["client"] == "10.0.0.2:6000" and told["new_client"] is True and told["cause"] == "NEW_CLIENT"
    assert hall.status.cause is Standstill.NEW_CLIENT and hall.status.master
    hall.desk.accept()
    clients.follow(STRANGER, at(4.0))
    assert status(hall.desk)["bridge"]["new_client"] is False


def test_the_same_client_comes_back_by_itself(clients: Clients_) -> None:
    clients.follow(OLD, at(5.0))
    clients.hall.silence(30.0)
    clients.follow(OLD, at(4.8))


def test_the_same_address_that_counts_anew_is_another_client(clients: Clients_) -> None:
    """A process that was restarted on its port: at once, and after its place has become free."""
    hall = clients.hall
    clients.follow(OLD, at(5.0))
    for silent_s in (0.5, 3.0):
        hall.silence(silent_s)
        clients.numbers[OLD] = 0
        assert clients.send(OLD, at(4.0), 2.0) == 0.0
        assert hall.bridge.cause is Standstill.NEW_CLIENT


def test_who_had_the_hall_gets_its_place_back_from_one_that_waits(clients: Clients_) -> None:
    hall = clients.hall
    clients.follow(OLD, at(5.0))
    hall.silence(3.0)
    clients.send(STRANGER, at(4.0), 1.0)
    clients.follow(OLD, at(4.8))
    refused = hall.port.refused
    clients.send(STRANGER, at(4.0), 0.1)
    assert hall.port.master == OLD and hall.port.refused == refused + 25


def test_a_third_one_does_not_take_the_place_of_one_that_waits(clients: Clients_) -> None:
    hall = clients.hall
    clients.follow(OLD, at(5.0))
    hall.silence(3.0)
    clients.send(STRANGER, at(4.0), 0.5)
    clients.send(THIRD, at(4.0), 0.5)
    assert hall.port.master == STRANGER


def test_once_accepted_the_former_one_is_the_stranger(clients: Clients_) -> None:
    hall = clients.hall
    clients.follow(OLD, at(5.0))
    hall.silence(3.0)
    clients.send(STRANGER, at(4.0), 0.5)
    hall.desk.accept()
    clients.follow(STRANGER, at(4.8))
    hall.silence(3.0)
    assert clients.send(OLD, at(4.0), 1.0) == 0.0
    assert hall.bridge.cause is Standstill.NEW_CLIENT


def test_an_acceptance_in_advance_counts_once_and_not_for_ever(clients: Clients_) -> None:
    hall = clients.hall
    clients.follow(OLD, at(5.0))
    hall.silence(3.0)
    with pytest.raises(Refused, match="no new client waits"):
        hall.desk.accept()  # pressed once too often it lets nobody in
    hall.desk.accept(ahead=True)
    clients.follow(STRANGER, at(4.8))
    hall.silence(3.0)
    assert clients.send(THIRD, at(4.0), 1.0) == 0.0
    hall.silence(3.0)
    hall.desk.accept(ahead=True)
    hall.clock.tick += INVITATION_NS // PERIOD_NS + 1
    assert clients.send(THIRD, at(4.0), 1.0) == 0.0


def test_selecting_the_bridge_again_asks_for_whoever_is_there(clients: Clients_) -> None:
    hall = clients.hall
    clients.follow(OLD, at(5.0))
    hall.silence(3.0)
    clients.send(STRANGER, at(4.0), 0.5)
    hall.desk.select("none")
    with pytest.raises(Refused, match="select bridge accepts"):
        for _ in range(500):
            hall.cycle()
        hall.desk.accept()
    clients.send(STRANGER, at(4.8), 0.5)
    hall.desk.select("bridge")
    clients.follow(STRANGER, at(4.8))
    hall.silence(3.0)
    assert clients.send(OLD, at(4.0), 1.0) == 0.0


def test_a_cell_may_take_new_clients(cell: Cell) -> None:
    open_cell = replace(cell, file=cell.file.model_copy(update={"clients": Clients(new="take")}))
    hall = BridgeHall(open_cell)
    try:
        clients = Clients_(hall)
        clients.follow(OLD, at(5.0))
        hall.silence(3.0)
        clients.follow(STRANGER, at(4.8))
    finally:
        hall.close()
