"""The process that draws pictures: the same bits as here, and what becomes of it when it cannot, or is killed."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest
from small_eyes import image_bytes, order, small_sensors

from proxops.core.errors import BadInput
from proxops.core.interruption import noted_interrupt
from proxops.core.scenery_table import Scenery
from proxops.ground.image_encoding import decode
from proxops.runs.image_orders import ImageOrders, ImageSetting
from proxops.runs.image_pool import ImagePool
from proxops.sensors.image_generator import ImageGenerator

SENSORS = small_sensors()


def setting(scenery: Scenery | None = None) -> ImageSetting:
    return ImageSetting(SENSORS, (False,) * 3, scenery or Scenery(), 1, None, False)


@pytest.fixture
def orders() -> Iterator[ImageOrders]:
    made = ImageOrders(setting())
    yield made
    made.close()


def test_another_process_draws_the_same_bits_in_the_order_of_the_orders(orders: ImageOrders) -> None:
    orders.wait_ready()
    here = ImageGenerator(SENSORS, (False,) * 3, Scenery(), 1, None)
    numbers = [orders.give(order(index)) for index in (0, 2, 1)]
    assert numbers == [0, 1, 2] and orders.waiting == 3
    for index, number in zip((0, 2, 1), numbers, strict=True):
        drawn = orders.take(block=True)
        assert drawn is not None and (drawn.order, drawn.sensor) == (number, index)
        image, T_sensor_target = here.take(order(index))
        assert image_bytes(drawn.image) == image_bytes(image) == image_bytes(decode(drawn.encoded))
        assert (drawn.T_sensor_target == T_sensor_target).all()
    assert orders.take(block=True) is None and orders.waiting == 0


def test_who_does_not_wait_gets_nothing_half(orders: ImageOrders) -> None:
    orders.wait_ready()
    orders.give(order(0))
    found = None
    while found is None:
        found = orders.take(block=False)
    assert found.order == 0


def test_a_client_that_cannot_be_read_is_refused_before_anything_moves() -> None:
    orders = ImageOrders(setting(Scenery(client="no_such_file.stl")))
    with pytest.raises(BadInput, match="no_such_file"):
        orders.wait_ready()


def test_several_draw_the_same_in_the_order_of_the_orders(orders: ImageOrders) -> None:
    pool = ImagePool(setting(), 2)
    try:
        pool.wait_ready()
        orders.wait_ready()
        for index in (0, 1, 0, 2, 2):
            assert pool.give(order(index, pool.given)) == orders.give(order(index, orders.given))
        for _ in range(5):
            ours, theirs = pool.take(block=True), orders.take(block=True)
            assert ours is not None and theirs is not None
            assert (ours.order, ours.sensor) == (theirs.order, theirs.sensor)
            assert image_bytes(ours.image) == image_bytes(theirs.image)
        assert pool.take(block=True) is None and pool.waiting == 0
    finally:
        pool.close()


def test_a_killed_process_is_named(orders: ImageOrders) -> None:
    orders.wait_ready()
    os.kill(orders.pid, signal.SIGKILL)
    with pytest.raises(BadInput, match="has ended"):
        orders.give(order(0))
        orders.take(block=True)


def test_once_the_end_is_asked_for_nobody_waits_for_a_frozen_process(orders: ImageOrders) -> None:
    orders.wait_ready()
    os.kill(orders.pid, signal.SIGSTOP)
    try:
        orders.give(order(0))
        with noted_interrupt() as asked:
            os.kill(os.getpid(), signal.SIGINT)
            assert orders.take(block=True) is None and asked() and orders.waiting == 1
    finally:
        os.kill(orders.pid, signal.SIGCONT)
    drawn = orders.take(block=True)  # and after that all is as before
    assert drawn is not None and drawn.order == 0


def test_a_frozen_process_is_named_when_it_is_let_go(
    orders: ImageOrders, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    orders.wait_ready()
    monkeypatch.setattr("proxops.runs.work_line.EXIT_S", 0.3)
    os.kill(orders.pid, signal.SIGSTOP)
    orders.close()
    assert "draws pictures was frozen" in capfd.readouterr().err
