"""A flight software under the host: what is right passes as it is, everything wrong is named, nothing hangs."""

from __future__ import annotations

import math
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from cycle_data import PERIOD_S, THRUSTERS, WHEELS, idle, measured

from proxops.applications.mission.flight_host import FlightHost, FlightSoftwareFailed
from proxops.core.errors import EXIT_STOPPED, ProxopsError
from proxops.core.flight import Commands, Estimate, Telemetry
from proxops.core.vocabulary import AbortCause, MissionPhase

NOW = measured()
ESTIMATE = Estimate(np.ones(3), np.ones(3), np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(3), np.eye(12))


def software(step: Callable[[Any], Any]) -> Any:
    return SimpleNamespace(step=step)


def host(step: Callable[[Any], Any], limit_s: float = 5.0, start_s: float = 0.0) -> FlightHost:
    return FlightHost(software(step), THRUSTERS, WHEELS, PERIOD_S, limit_s, start_s)


def cause(answer: Any) -> str:
    """Why an answer is refused."""
    with pytest.raises(FlightSoftwareFailed) as caught:
        host(lambda _: answer).step(NOW)
    return caught.value.cause


def filled(size: int, at: int, value: float) -> np.ndarray:
    values = np.zeros(size)
    values[at] = value
    return values


@pytest.fixture(autouse=True)
def timer_is_left_alone() -> Iterator[None]:
    """Whatever a test does, the handler and the timer are afterwards what they were."""
    before = signal.getsignal(signal.SIGALRM)
    yield
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


# --- what is right


def test_good_commands_pass_as_they_are_and_measurements_too() -> None:
    seen, answer = [], idle(PERIOD_S)
    judge = host(lambda m: seen.append(m) or answer)
    assert judge.step(NOW) is answer
    assert seen[0] is NOW
    assert judge.cycles == 1


def test_all_that_is_optional_may_be_there() -> None:
    told = Telemetry(MissionPhase.HOLD, AbortCause.NONE, 3, ESTIMATE, np.zeros(3), 0.5, 2, 1)
    answer = Commands(np.zeros(THRUSTERS), np.zeros(WHEELS), np.zeros(THRUSTERS, bool), told)
    assert host(lambda _: answer).step(NOW) is answer


def test_lists_and_whole_numbers_are_taken_for_what_they_say() -> None:
    answer = Commands([0] * THRUSTERS, np.ones(WHEELS, np.float32), [True] * THRUSTERS)  # type: ignore[arg-type]
    got = host(lambda _: answer).step(NOW)
    assert got.on_time_s.dtype == got.wheel_torque.dtype == np.float64
    assert got.isolated is not None
    assert got.isolated.all()


def test_rounding_is_rounded_and_nothing_more() -> None:
    on_s = filled(THRUSTERS, 0, -0.9e-9)
    on_s[1] = PERIOD_S + 0.9e-9
    got = host(lambda _: Commands(on_s, np.zeros(WHEELS))).step(NOW).on_time_s
    assert got.min() == 0.0
    assert got.max() == PERIOD_S
    assert on_s[0] < 0.0, "the software's own array stays as it is"


# --- what is wrong, by name


def boom(_: Any) -> Commands:
    raise ZeroDivisionError("no mass left")


def test_an_exception_is_named_with_the_line() -> None:
    with pytest.raises(FlightSoftwareFailed) as caught:
        host(boom).step(NOW)
    line = boom.__code__.co_firstlineno + 1
    assert caught.value.cause == f"raised ZeroDivisionError: no mass left ({__file__}:{line} in boom)"
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert isinstance(caught.value, ProxopsError)
    assert caught.value.exit_code == EXIT_STOPPED


def singular(_: Any) -> Commands:
    np.linalg.inv(np.zeros((3, 3)))
    return idle()


def test_an_exception_inside_a_library_names_the_users_line() -> None:
    with pytest.raises(FlightSoftwareFailed) as caught:
        host(singular).step(NOW)
    assert caught.value.cause.startswith("raised LinAlgError")
    assert f"{__file__}:{singular.__code__.co_firstlineno + 1} in singular" in caught.value.cause


def test_a_software_that_leaves_is_told_and_does_not_end_the_program() -> None:
    with pytest.raises(FlightSoftwareFailed, match="raised SystemExit: 3"):
        host(lambda _: sys.exit(3)).step(NOW)


def test_the_operators_interruption_goes_through() -> None:
    def interrupted(_: Any) -> Commands:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        host(interrupted).step(NOW)


def test_a_step_that_takes_no_measurements_is_told() -> None:
    with pytest.raises(FlightSoftwareFailed, match=r"raised TypeError: .*takes 0 positional arguments"):
        FlightHost(software(lambda: idle()), THRUSTERS, WHEELS, PERIOD_S, 1.0).step(NOW)


def test_no_answer_and_another_answer() -> None:
    assert cause(None) == "returned None: step must end in return Commands(...)"
    assert cause((np.zeros(THRUSTERS), np.zeros(WHEELS))) == "returned a tuple, not Commands"


TYPES = [
    ({"on_time_s": None}, "wrong type: on_time_s holds object"),
    ({"on_time_s": np.zeros(THRUSTERS, complex)}, "wrong type: on_time_s holds complex128"),
    ({"on_time_s": [[1.0], [2.0, 3.0]]}, "wrong type: on_time_s is a list that makes no array"),
    ({"wheel_torque": ["0.1"] * WHEELS}, "wrong type: wheel_torque holds"),
    ({"isolated": np.zeros(THRUSTERS)}, "wrong type: isolated holds float64"),
    ({"telemetry": None}, "wrong type: telemetry is a NoneType"),
    ({"telemetry": Telemetry(phase=2)}, "wrong type: telemetry has phase 2"),  # type: ignore[arg-type]
    ({"telemetry": Telemetry(step=-1)}, "wrong type: step of the telemetry is -1"),
    ({"telemetry": Telemetry(accepted=0.5)}, "wrong type: accepted of the telemetry is 0.5"),  # type: ignore[arg-type]
    ({"telemetry": Telemetry(estimate=3)}, "wrong type: estimate is a int"),  # type: ignore[arg-type]
]
SHAPES = [
    ({"on_time_s": np.zeros(THRUSTERS - 1)}, "wrong shape: on_time_s has (23,), expected (24,)"),
    ({"on_time_s": np.zeros((THRUSTERS, 1))}, "wrong shape: on_time_s has (24, 1), expected (24,)"),
    ({"on_time_s": 0.0}, "wrong shape: on_time_s has (), expected (24,)"),
    ({"wheel_torque": np.zeros(3)}, "wrong shape: wheel_torque has (3,), expected (4,)"),
    ({"isolated": np.zeros(3, bool)}, "wrong shape: isolated has (3,), expected (24,)"),
    ({"telemetry": Telemetry(goal=np.zeros(2))}, "wrong shape: goal has (2,), expected (3,)"),
    (
        {"telemetry": Telemetry(estimate=replace(ESTIMATE, covariance=np.eye(6)))},
        "wrong shape: covariance of the estimate has (6, 6), expected (12, 12)",
    ),
]
NUMBERS = [
    ({"on_time_s": filled(THRUSTERS, 4, math.nan)}, "not finite: on_time_s of thruster 5 is nan"),
    ({"on_time_s": filled(THRUSTERS, 23, math.inf)}, "not finite: on_time_s of thruster 24 is inf"),
    ({"on_time_s": filled(THRUSTERS, 0, -2e-9)}, "on_time_s of thruster 1 is negative: -2e-09 s"),
    ({"on_time_s": filled(THRUSTERS, 2, 0.101)}, "on_time_s of thruster 3 is longer than a cycle: 0.101 s, allowed"),
    ({"wheel_torque": filled(WHEELS, 3, -math.inf)}, "not finite: wheel_torque of wheel 4 is -inf"),
    ({"wheel_torque": filled(WHEELS, 0, -1e5)}, "wheel_torque of wheel 1 is absurd: -100000 N m, allowed: up to 1000"),
    ({"telemetry": Telemetry(goal=filled(3, 0, math.nan))}, "not finite: goal holds NaN"),
    ({"telemetry": Telemetry(corridor=math.nan)}, "not finite: corridor of the telemetry is nan"),
    (
        {"telemetry": Telemetry(estimate=replace(ESTIMATE, covariance=np.full((12, 12), math.nan)))},
        "not finite: covariance of the estimate holds NaN",
    ),
    (
        {"telemetry": Telemetry(estimate=replace(ESTIMATE, q_eci_target=np.ones(4)))},
        "q_eci_target of the estimate has length 2, allowed: 1",
    ),
]


@pytest.mark.parametrize(("change", "told"), [*TYPES, *SHAPES, *NUMBERS], ids=lambda v: v if isinstance(v, str) else "")
def test_everything_wrong_in_the_commands_is_named(change: dict[str, Any], told: str) -> None:
    assert cause(replace(idle(), **change)).startswith(told)


# --- time


def endless(_: Any) -> Commands:
    while True:
        pass


def swallowing(_: Any) -> Commands:
    for _ in range(3):  # even who catches everything is struck again
        try:
            while True:
                pass
        except:  # noqa: E722
            continue
    return idle()


def test_an_endless_loop_is_interrupted_and_its_line_named() -> None:
    with pytest.raises(FlightSoftwareFailed) as caught:
        host(endless, limit_s=0.02).step(NOW)
    assert caught.value.cause.startswith(f"took longer than 0.02 s ({__file__}:")
    assert caught.value.cause.endswith("in endless)")


def test_who_swallows_the_interruption_is_still_too_slow() -> None:
    with pytest.raises(FlightSoftwareFailed, match=r"took longer than 0\.02 s"):
        host(swallowing, limit_s=0.02).step(NOW)


def test_who_comes_back_too_late_is_told_the_time() -> None:
    # Between the limit and the alarm: the limit is judged by the clock, the alarm is for those who do not come back.
    with pytest.raises(FlightSoftwareFailed, match=r"took longer than 0\.4 s"):
        host(lambda _: time.sleep(0.42) or idle(), limit_s=0.4).step(NOW)


def test_outside_of_the_main_thread_time_is_measured_afterwards() -> None:
    told: list[str] = []

    def work() -> None:
        try:
            host(lambda _: time.sleep(0.05) or idle(), limit_s=0.01).step(NOW)
        except FlightSoftwareFailed as failed:
            told.append(failed.cause)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert len(told) == 1
    assert told[0].startswith("took longer than 0.01 s: 0.")


def test_the_first_call_may_take_longer() -> None:
    watched = host(lambda _: time.sleep(0.05) or idle(), limit_s=0.01, start_s=20.0)
    watched.step(NOW)
    with pytest.raises(FlightSoftwareFailed, match=r"took longer than 0\.01 s"):
        watched.step(NOW)


def test_somebody_elses_timer_goes_on_running() -> None:
    struck: list[int] = []
    former = signal.signal(signal.SIGALRM, lambda number, _: struck.append(number))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        host(lambda _: idle()).step(NOW)
        assert not struck
        for _ in range(500):
            if struck:
                break
            time.sleep(0.01)
        assert struck == [signal.SIGALRM]
    finally:
        signal.signal(signal.SIGALRM, former)


def test_a_failure_with_its_own_cause_goes_through() -> None:
    def silent(_: Any) -> Commands:
        raise FlightSoftwareFailed("no answer within 1 s")

    with pytest.raises(FlightSoftwareFailed) as caught:
        host(silent).step(NOW)
    assert caught.value.cause == "no answer within 1 s"


# --- the end


def test_software_with_a_close_is_told_the_end_and_others_are_left_alone() -> None:
    told: list[str] = []
    FlightHost(SimpleNamespace(step=boom, close=lambda: told.append("end")), THRUSTERS, WHEELS, PERIOD_S, 1.0).close()
    host(boom).close()
    assert told == ["end"]


def test_a_close_that_fails_is_named() -> None:
    failing: Any = SimpleNamespace(step=boom, close=lambda: boom(None))
    with pytest.raises(FlightSoftwareFailed, match="raised ZeroDivisionError: no mass left"):
        FlightHost(failing, THRUSTERS, WHEELS, PERIOD_S, 1.0).close()
