"""docs/touch.md tells the truth: byte layout, bounds of the certificate, times of the watch and limits are the code's."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import numpy as np

from proxops.applications.catalogue import parse_experiment
from proxops.applications.docking.tables import TouchLimitsTable
from proxops.applications.floating.push_verb import LONGEST_S, MOST_NS, SHORTEST_S
from proxops.applications.floating.tables import FloatFile, FloatSensorTable
from proxops.core.force_datagram import LAYOUT, MAGIC, SIZE
from proxops.touch.fidelity import LEAST_ERROR, MOST_B, MOST_DEAD, MOST_OMEGA_TAU, MOST_OVERLOAD
from proxops.touch.force_watch import StreamTraits

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "touch.md").read_text()


def test_the_bytes_of_a_force_datagram() -> None:
    told = re.findall(r"^\| (\d+) \| ([^|]+) \| ([^|]+) \|$", PAGE.split("| byte | type | field |")[1], re.MULTILINE)
    at, wanted = 0, []
    for _, code in LAYOUT:
        wanted.append(at)
        at += struct.calcsize("<" + code)
    assert [int(row[0]) for row in told] == [*wanted, SIZE - 4]
    assert MAGIC.decode() in told[0][2]
    assert f"{SIZE} bytes. The wrench" in PAGE
    assert f"`sensor.port` ({FloatSensorTable().port})" in PAGE


def test_bounds_of_the_certificate() -> None:
    table = PAGE.split("| figure | bound | beyond it |")[1].split("\n\n")[0]
    told = [float(row.split("|")[2]) for row in table.splitlines()[2:]]
    assert told == [MOST_OMEGA_TAU, MOST_DEAD, MOST_B, MOST_OVERLOAD, 1.0]
    assert f"≤ max({LEAST_ERROR:g}, B)" in PAGE


def test_times_of_the_watch() -> None:
    t = StreamTraits(np.ones(6), np.ones(6), np.zeros(6), 250.0)
    for words in (
        f"exactly the same for {1e3 * t.stuck_s:g} ms",
        f"no new reading for {1e3 * t.patience_s:g} ms",
        f"over {t.rate_window} readings",
        f"off by more than {100 * t.rate_share:g} %",
    ):
        assert words in PAGE


def test_limits_of_force_and_of_pushes() -> None:
    d, f = TouchLimitsTable(), FloatSensorTable()
    assert (
        f"retract ({d.retract_N:,.0f} N, {d.retract_Nm:g} N m) or stop ({d.stop_N:,.0f} N, {d.stop_Nm:g} N m)" in PAGE
    )
    assert f"the arm stops ({f.stop_N:g} N, {f.stop_Nm:g} N m" in PAGE
    assert f"a push of more than {MOST_NS:g} N s or outside of {SHORTEST_S:g} … {LONGEST_S:g} s" in PAGE


def test_the_example_is_an_experiment() -> None:
    path = ROOT / "examples" / "my_object.toml"
    assert isinstance(parse_experiment(path.read_text(), path).file, FloatFile)
