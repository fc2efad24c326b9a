"""What is attached to the tick: a failure of one is told, and the others are done all the same."""

import traceback

from proxops.facility.duties import Duties


def test_a_failure_is_told_and_the_rest_is_done() -> None:
    told, done = list[str](), list[str]()
    duties = Duties(lambda name, error: told.append(f"{name}: {error}"))
    duties.attach("bad", poll=lambda: [][0])
    duties.attach("good", poll=lambda: done.append("good"))
    duties.poll()
    assert told == ["bad: list index out of range"] and done == ["good"]


def test_an_error_that_is_raised_again_in_every_cycle_does_not_grow() -> None:
    error, depths = RuntimeError("the same object"), list[int]()

    def fail() -> None:
        raise error

    duties = Duties(lambda name, error: depths.append(len(traceback.extract_tb(error.__traceback__))))
    duties.attach("bad", poll=fail)
    for _ in range(50):
        duties.poll()
    assert set(depths) == {2}
