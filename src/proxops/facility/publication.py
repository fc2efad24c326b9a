"""What is told of every cycle besides, in a hall and in a cell of arms."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from proxops.core.pool import Pool
from proxops.core.vocabulary import System
from proxops.facility.published import Publication as Publication
from proxops.facility.published import Published
from proxops.facility.sources import CommandSource
from proxops.lab.any_cell import AnyCell
from proxops.lab.arm_cell import ArmCell
from proxops.lab.cell import Cell
from proxops.lab.chain import ChainTable, chain_of, put_poses
from proxops.lab.coordinates import POV, POV_AT_LAB, values_from_axes
from proxops.lab.observation import observe
from proxops.maths.kernel import kernel
from proxops.maths.rotation import copy_to
from proxops.safety.limits import AXIS_SHARE, SPEED_LEFT

Floats = NDArray[np.float64]


class HallPublication(Publication):
    """What is told of a hall besides. ``system`` and ``pov``: the coordinates in which the newest command was given, and in which
    actual values are answered."""

    def __init__(self, facility: Published, pool: Pool, cell: Cell) -> None:
        super().__init__(facility, pool)
        self._hall = cell.hall
        self.pov, self.system = POV_AT_LAB.copy(), int(System.IJT)
        self._write_command = pool.writer("command", 3)
        self._command_values, self.answer = pool.run("command", "c1"), pool.run("answer")
        self.ports = pool.run("commanded_port1", count=28)  # both commanded and both actual poses
        self.truth = pool.run("hall_truth")
        self._other_answer = np.zeros(22)
        self._told_sequence = -1

    def _fill_kind(self) -> None:
        f = self._f
        self.guarded[:] = f.guard.told
        if f.commands is not None and f.commands.system:
            self._fill_command(f.commands)
        observe(
            self._hall, f.guard.setpoint, self.actual, f.link.positioning_error, self.system, self.pov, self.ports,
            self.answer, self.truth,
        )  # fmt: skip

    def _fill_command(self, commands: CommandSource) -> None:
        system, sequence = commands.system, commands.sequence
        self._write_command(system, sequence != self._told_sequence, sequence)
        self._command_values[:] = commands.values
        self.system, self._told_sequence = system, sequence
        if system == System.CLW:
            self.pov[:] = commands.values[POV : POV + 7]

    def forget_command(self) -> None:
        self._write_command(0, False, -1)

    def answer_in(self, system: int) -> NDArray[np.float64]:
        """Actual values in ``system``: those of this cycle's command, or converted for a sender that speaks another."""
        if system == self.system:
            return self.answer
        values_from_axes(self._hall, system, self.actual, self.pov, self._other_answer)
        return self._other_answer


class ArmPublication(Publication):
    """What is told of a cell of arms besides: where its flanges are."""

    def __init__(self, facility: Published, pool: Pool, cell: ArmCell) -> None:
        super().__init__(facility, pool)
        self._tree, self._poses = chain_of(cell.links)
        numbers = {link.name: i for i, link in enumerate(cell.links)}
        self._tips = np.array([numbers[f"robot{k}/{arm.tip}"] for k, arm in enumerate(cell.file.arms, 1)])
        self.flanges = {
            name: pool.run(f"{name}_flange1", count=7 * len(self._tips)).reshape(-1, 7)
            for name in ("commanded", "actual")
        }
        self._shown = pool.run("margin")
        self._flanges = (
            self.actual,
            self._tree,
            self._tips,
            self._poses,
            self.flanges["commanded"],
            self.flanges["actual"],
        )
        pool.writer("cell")(len(self._tips), cell.n_axes)

    def _fill_kind(self) -> None:
        guard = self._f.guard
        tell_arms(guard.told, self.guarded, guard.setpoint, *self._flanges, guard.margins, self._shown)

    def forget_command(self) -> None:
        """Commands are a hall's."""


@kernel
def tell_arms(
    told: Floats, guarded: Floats, setpoint: Floats, actual: Floats, tree: ChainTable, tips: NDArray[np.int64], poses: Floats,
    commanded_flanges: Floats, actual_flanges: Floats, margins: Floats, shown: Floats,
) -> None:  # fmt: skip
    """What the guard ``told`` into the pool (``guarded``), where the flanges are at set-point and ``actual`` axes, and the two
    margins that are ``shown`` of arms."""
    copy_to(told, guarded)
    put_poses(tree, setpoint, tips, poses, commanded_flanges)
    put_poses(tree, actual, tips, poses, actual_flanges)
    shown[0], shown[1] = margins[AXIS_SHARE], margins[SPEED_LEFT]


def publication(facility: Published, pool: Pool, cell: AnyCell) -> Publication:
    """What is told of the kind of cell that it is."""
    return ArmPublication(facility, pool, cell) if isinstance(cell, ArmCell) else HallPublication(facility, pool, cell)


def hall_told(told: Publication) -> HallPublication:
    """Of a facility whose cell is a hall."""
    if not isinstance(told, HallPublication):
        raise TypeError("this cell is no hall of two arms and a rail")
    return told
