"""Who looks on at the recorder's ring of images disturbs nobody, and takes nothing for an image that is none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from proxops.core.ring import Ring, bytes_of
from proxops.ground.viewer_message import MOST_BYTES, PIECE, PIECE_BYTES, ViewerMessage, ViewerMessages, pieces
from proxops.ground.viewer_onlooker import ViewerOnlooker

LONG = bytes(range(256)) * 200  # four pieces


@pytest.fixture
def ring() -> Iterator[Ring]:
    made = Ring.create("viewer", PIECE, 16)
    yield made
    made.close()


def push(ring: Ring, *messages: ViewerMessage) -> None:
    for message in messages:
        for piece in pieces(message):
            ring.push(piece)


def message(number: int, body: bytes = LONG) -> ViewerMessage:
    return ViewerMessage(12, number, 1000 * number, body)


def test_what_comes_is_seen_once_and_the_recorder_is_left_alone(ring: Ring) -> None:
    onlooker, recorder = ViewerOnlooker(ring.path), ViewerMessages(ring)
    push(ring, message(1), message(2, b"short"))
    assert list(onlooker.look()) == [message(1), message(2, b"short")]
    assert (ring.tail, ring.lost, ring.heartbeat) == (0, 0, 0)
    assert recorder.read() == 0 and ring.tail == 5  # all of it is still there for it
    assert list(onlooker.look()) == []


def test_who_comes_late_sees_what_the_ring_still_holds(ring: Ring) -> None:
    push(ring, *(message(k) for k in range(10)))
    onlooker = ViewerOnlooker(ring.path)
    seen = [one.tick for one in onlooker.look()]
    assert seen == [7, 8, 9]  # sixteen pieces, of which the oldest may be being overwritten: the message goes with it
    assert ring.lost == 0


def test_who_is_overtaken_goes_on_with_whole_messages(ring: Ring) -> None:
    onlooker = ViewerOnlooker(ring.path)
    push(ring, message(1))
    list(onlooker.look())
    push(ring, *(message(k) for k in range(2, 12)))
    assert [one.tick for one in onlooker.look()] == [9, 10, 11]
    assert onlooker.missed == 40 - 16 + 1 and ring.lost == 0


def piece(size: int, offset: int, tick: int = 1) -> memoryview:
    made = np.zeros(1, PIECE)
    made["size"], made["offset"], made["channel"], made["tick"] = size, offset, 12, tick
    return bytes_of(made)


@pytest.mark.parametrize(
    "wrong",
    [
        [piece(-5, 0)], [piece(0, 0)], [piece(MOST_BYTES + 1, 0)], [piece(2**31 - 1, 0), piece(2**31 - 1, PIECE_BYTES)],
        [piece(100, -16)], [piece(20_000, PIECE_BYTES)], [piece(20_000, 0), piece(20_000, 7)],
        [piece(20_000, 0), piece(30_000, PIECE_BYTES)], [piece(20_000, 0), piece(20_000, PIECE_BYTES, tick=2)],
    ],
    ids=["negative", "empty", "enormous", "never whole", "before", "no beginning", "gap", "two sizes", "of another"],
)  # fmt: skip
def test_pieces_that_do_not_fit_are_left_out(ring: Ring, wrong: list[memoryview]) -> None:
    onlooker = ViewerOnlooker(ring.path)
    push(ring, message(1, b"before"))
    for one in wrong:
        ring.push(one)
    push(ring, message(2))
    assert list(onlooker.look()) == [message(1, b"before"), message(2)]


def test_a_closed_ring_is_seen_to_its_end(ring: Ring) -> None:
    onlooker = ViewerOnlooker(ring.path)
    push(ring, message(1))
    ring.close()
    assert not onlooker.closed
    assert list(onlooker.look()) == [message(1)] and onlooker.closed


def test_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ring").write_bytes(bytes(72 + PIECE.itemsize))
    with pytest.raises(ValueError, match="another version"):
        ViewerOnlooker(tmp_path / "ring")
    with pytest.raises(OSError, match="ring"):
        ViewerOnlooker(tmp_path / "no_ring")
