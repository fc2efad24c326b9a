"""The experiment ``servo``: a hand led to a handrail by images of a marker, by direct laws and by the indirect servo.

All runs see the same station, the same drift at the start and the same noise in the images. Then once more with a
flight software whose model of the craft is off, because that is where laws with dynamics can lose.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from proxops.applications.servo.eye import Eye, Shown, open_camera
from proxops.applications.servo.flight import servo_of
from proxops.applications.servo.result import PICTURED, Runs, result_of, series_of
from proxops.applications.servo.run import ServoBench
from proxops.applications.servo.setting import ServoSetting, names_of, prepared
from proxops.applications.servo.side_by_side import ServosSideBySide, empty_rows
from proxops.applications.servo.viewer import ServoViewer
from proxops.arms.model import ArmModel, Floats
from proxops.arms.model_error import mistaken
from proxops.core.experiment import Experiment
from proxops.core.experiment_result import LEAST_ROWS, ExperimentResult, Progress
from proxops.core.interruption import noted_interrupt
from proxops.ground.row_stream import RowStream
from proxops.sensors.marker_camera import MarkerCamera


def run(
    experiment: Experiment, progress: Progress, seed: int | None = None, stream: RowStream | None = None
) -> ExperimentResult:
    """``seed``: of the images' noise. Ctrl-C ends it as a failure: what the servos have by then is kept. ``stream``: for the rows
    with the right model, and a camera's images."""
    setting = prepared(experiment)
    file, noise = setting.file, setting.file.seed if seed is None else seed
    with open_camera(file) as camera, noted_interrupt() as stopped:
        runs = _Runs(setting, camera, noise, stopped, progress)
        right = runs.right(stream)
        interrupted = any(one.interrupted for one in right.values())
        return result_of(file, setting.craft, setting.ahead, setting.every, right, {} if interrupted else runs.wrong())


class _Runs:
    """All of them. Those with the right model go side by side, those with the wrong one, of which no rows are kept, in turn."""

    def __init__(
        self, setting: ServoSetting, camera: MarkerCamera, seed: int, stopped: Callable[[], bool], progress: Progress
    ) -> None:
        self._setting, self._camera, self._seed, self._stopped = setting, camera, seed, stopped
        self._names, self._progress = names_of(setting.file), progress
        self._all_s = len(self._names) * setting.file.end_s * (1 if setting.file.wrong_model is None else 2)

    def right(self, stream: RowStream | None) -> Runs:
        """KeyboardInterrupt if they are interrupted before there is anything to tell."""
        setting, names = self._setting, self._names
        file, every = setting.file, setting.every
        cycles = round(file.end_s * file.rate_hz)
        rows, viewer = (
            empty_rows(names, setting.craft.n, cycles, every, file.rate_hz),
            ServoViewer(file.camera, setting.station),
        )
        pictured = PICTURED if PICTURED in names else names[0]
        benches = {
            name: self._bench(name, setting.craft, rows[name], viewer.image if name == pictured else _unseen)
            for name in names
        }

        def tell(cycle: int) -> None:
            self._progress("right model", len(names) * cycle * setting.dt, self._all_s)

        together = ServosSideBySide(
            benches, rows, lambda rows: series_of(names, setting.craft.n, rows), every, pictured
        )
        together.run(cycles, self._stopped, tell, stream, viewer)
        out = {name: bench.told() for name, bench in benches.items()}
        if any(one.interrupted and np.isfinite(one.record[:, -1]).sum() < LEAST_ROWS for one in out.values()):
            raise KeyboardInterrupt
        return out

    def wrong(self) -> Runs:
        """Up to one that was interrupted."""
        setting, table, out = self._setting, self._setting.file.wrong_model, Runs()
        if table is None:
            return out
        belief = mistaken(setting.craft, table.share, np.random.default_rng(table.seed))
        cycles = round(setting.file.end_s * setting.file.rate_hz)
        for count, name in enumerate(self._names, len(self._names)):
            self._progress(f"{name}, wrong model", count * setting.file.end_s, self._all_s)
            record = empty_rows([name], setting.craft.n, cycles, setting.every, setting.file.rate_hz)[name]
            out[name] = self._bench(name, belief, record, _unseen).run(self._stopped)
            if out[name].interrupted:
                break
        return out

    def _bench(self, name: str, belief: ArmModel, record: Floats, shown: Shown) -> ServoBench:
        """``belief``: the flight software's model."""
        setting, station = self._setting, self._setting.station
        eye = Eye(setting.file, self._camera, station.T_inertial_marker, station.T_marker_grasp, self._seed, shown)
        servo, q = servo_of(setting, name, belief), setting.craft.configuration(setting.start)
        return ServoBench(setting.file, setting.craft, q, station, servo, eye, setting.every, record)


def _unseen(t: float, image: NDArray[np.uint8]) -> None:
    """No viewer looks on."""
