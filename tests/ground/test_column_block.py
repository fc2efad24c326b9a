"""Blocks of columns: every bit comes back, whatever the numbers; strange bytes end in ValueError and cost little memory."""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from proxops.core.messages import POOL_DTYPE
from proxops.ground.block_bounds import BlockBounds
from proxops.ground.column_block import HELD, MOST_ROWS, MULTIPLE, RATE, STILL
from proxops.ground.column_decoder import PackedBlocks, decode_block
from proxops.ground.column_kernels import DOUBLE, LONG
from proxops.ground.column_packer import ColumnPacker
from proxops.ground.column_rows import column_rows
from proxops.ground.wire import pool_layout

Whole = NDArray[np.int64]
ROWS = st.sampled_from([0, 1, 2, 4, 5, 6, 7, 29, 250])
NAN_WITH_A_MESSAGE = 0x7FF8_0000_DEAD_BEEF


def columns(rng: np.random.Generator, rows: int) -> dict[str, NDArray[np.generic]]:
    """One of each kind that a log has, and some that it should not have."""
    t, noise = np.arange(rows) * 0.004, rng.standard_normal(rows)
    smooth, steps = np.sin(0.3 * t) + 1.0, np.repeat(rng.standard_normal(rows // 25 + 1), 25)[:rows]
    odd = noise.copy()
    odd[::3], odd[1::7], odd[2::11] = np.nan, np.inf, -0.0
    return {
        "counter": np.arange(rows) + 10**12, "stamps": 1_767_225_600_000_000_000 + np.arange(rows) * 4_000_000,
        "bits": rng.integers(-(2**63), 2**63 - 1, rows), "ends": np.where(noise > 0, np.int64(2**63 - 1), np.int64(-(2**63))),
        "still": np.full(rows, -7), "mode": (noise > 2.0).astype(np.int64),
        "smooth": smooth, "noisy": smooth + 1e-6 * noise, "noise": noise, "steps": steps, "odd": odd, "tiny": 1e-310 * noise,
        "still float": np.full(rows, 0.1), "nan": np.full(rows, np.nan), "through zero": np.sin(t - 0.5),
        "crash": np.exp(100 * noise),
    }  # fmt: skip


def bits_of(table: dict[str, NDArray[np.generic]]) -> tuple[Whole, NDArray[np.bool_]]:
    floats = np.array([column.dtype.kind == "f" for column in table.values()])
    return np.stack([np.ascontiguousarray(column).view(np.int64) for column in table.values()]), floats


def packer_of(floats: NDArray[np.bool_]) -> ColumnPacker:
    """For records of nothing but 64-bit numbers."""
    return ColumnPacker(np.arange(floats.size) * 8, np.where(floats, DOUBLE, LONG).astype(np.uint8))


def encode_block(bits: Whole, floats: NDArray[np.bool_], packer: ColumnPacker | None = None) -> bytes:
    """A message of columns, as the recorder makes it of records that have them."""
    rows = np.ascontiguousarray(bits.T).view(np.uint8).reshape(bits.shape[1], 8 * len(bits))
    return b"".join((packer or packer_of(floats)).pack(rows).pieces)


def forms_in(data: bytes) -> NDArray[np.uint8]:
    return np.frombuffer(data, np.uint8, struct.unpack_from("<I", data, 8)[0], 16)


VERSION_1 = (
    "c-muRU|^5{Vm2UV1Y&kJ1|}9pMh*rb1o18B1}$>CKhd563|J0;6fuGUSRk2+1xT(rek7g&8*odqJA_qYx|4S!RtY(`&KX!G^q2dYV3k<Cn&CfIi6"
    "cv<_hOZ(2Lh=3!GICsbp|Zv)Ds~B1RpR&iov7;m=p$+t-Krzyu6^`Vq#-sV!#EAG1zMQ&$Xkgn}IC*U7HM9h}U@Md9d#<>+L|+s(;+q9ucq6cE_H"
    "s-#>2xS##a5D6kW+QM9D4Yu2JWhYufCRb2m#GXV&Q)41sFCF8qX1wW7XTbD7Zo4-9UAr2TrjA(!XIR!x2U3O0&@ZG+)#qNjg8F7UpU1^_o0RS^xO"
    "$h"
)
"""Of a block of the first version, as its packer made it of ``columns_of_version_1``: packed, in base 85."""


def columns_of_version_1() -> list[NDArray[np.generic]]:
    """Of each form that it knew, but for rates."""
    row = np.arange(24)
    wave = np.sin(0.01 * row)
    steps, odd = np.repeat(np.arange(4) * 0.1, 6), np.where(row == 7, np.nan, -0.0)
    return [wave, np.degrees(wave), np.full(24, -2.5), steps, row * row - 50, odd]


def test_blocks_of_the_first_version_are_read() -> None:
    bits, floats = bits_of({str(i): column for i, column in enumerate(columns_of_version_1())})
    data = zlib.decompress(base64.b85decode(VERSION_1))
    assert data[0] == 1 and decode_block(data, floats).tobytes() == bits.tobytes()


def test_what_changes_in_few_rows_costs_its_steps() -> None:
    rng = np.random.default_rng(7)
    steps = np.repeat(rng.standard_normal((100, 50)), 5, axis=1)
    bits, floats = steps.view(np.int64), np.ones(100, np.bool_)
    data = encode_block(bits, floats)
    assert (forms_in(data) == HELD).all() and len(data) == 16 + 100 * (3 + 8 + 32 + 49 * 8)
    assert (decode_block(data, floats) == bits).all()


def test_noise_stands_last() -> None:
    """A fine piece for a disk: what is before it can be packed, and it cannot."""
    rng = np.random.default_rng(8)
    bits, floats = bits_of({str(i): np.sin(np.arange(250) * 0.01) + 1e-6 * rng.standard_normal(250) for i in range(60)})
    packer = packer_of(floats)
    rows = np.ascontiguousarray(bits.T).view(np.uint8).reshape(250, 480)
    noise = packer.pack(rows).pieces[-1]
    assert len(noise) > 60 * 245 and len(zstandard.compress(bytes(noise))) > 0.99 * len(noise)
    assert (decode_block(encode_block(bits, floats), floats) == bits).all()


@settings(deadline=None, max_examples=40)
@given(ROWS, st.integers(0, 2**32))
def test_every_bit_comes_back(rows: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    bits, floats = bits_of(columns(rng, rows))
    bits[rng.integers(len(bits)), : rows // 2] = NAN_WITH_A_MESSAGE
    shuffled = rng.permutation(len(bits))
    data = encode_block(bits[shuffled], floats[shuffled])
    assert (decode_block(data, floats[shuffled]) == bits[shuffled]).all()
    assert data == encode_block(bits[shuffled].copy(), floats[shuffled]), "the same records give the same bytes"


@settings(deadline=None, max_examples=40)
@given(st.lists(ROWS, min_size=1, max_size=4), st.integers(0, 2**32))
def test_a_plan_made_for_other_blocks_loses_nothing(lengths: list[int], seed: int) -> None:
    """Columns begin to move, stand still, follow no longer; a block encoded again is the same."""
    rng = np.random.default_rng(seed)
    packer = packer_of(bits_of(columns(rng, 1))[1])
    for rows in lengths:
        bits, floats = bits_of(columns(rng, rows))
        bits = bits[:, :1] + np.where(rng.random(len(bits)) < 0.3, 0, 1)[:, None] * (bits - bits[:, :1])
        bits[9] = bits[6] if rng.random() < 0.5 else bits[8]
        packer.renew(int(rng.integers(2)))
        data = encode_block(bits, floats, packer)
        assert (decode_block(data, floats) == bits).all()
        assert data == encode_block(bits, floats, packer)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 9), st.integers(0, 40), st.data())
def test_any_bits_as_any_columns(count: int, rows: int, data: st.DataObject) -> None:
    raw = data.draw(st.binary(min_size=8 * count * rows, max_size=8 * count * rows))
    bits = np.frombuffer(raw, np.int64).reshape(count, rows)
    floats = np.array(data.draw(st.lists(st.booleans(), min_size=count, max_size=count)), np.bool_)
    assert (decode_block(encode_block(bits, floats), floats) == bits).all()


def test_every_type_of_the_pool_and_its_bounds() -> None:
    """Records as they lie in the ring; bounds as a reader finds them, where NaN counts only if there is nothing else."""
    rng, rows = np.random.default_rng(7), column_rows(pool_layout())
    raw = rng.integers(0, 256, (250, POOL_DTYPE.itemsize), np.uint8)
    records = raw.view(POOL_DTYPE)[:, 0]
    records["actual"]["rail"], records["setpoint"]["rail"], records["actual"]["robot1_a1"] = np.nan, -np.inf, 0.5
    records["actual"]["robot1_a2"][::2] = np.nan
    packed = ColumnPacker.of(POOL_DTYPE).columns_of(records)
    assert packed is not None
    assert (decode_block(b"".join(packed.pieces), rows.floats) == rows.columns(records)).all()
    low, high = BlockBounds(POOL_DTYPE).of(records)
    assert np.array_equal(packed.low, low, equal_nan=True) and np.array_equal(packed.high, high, equal_nan=True)


def test_what_says_the_same_again_costs_nothing() -> None:
    """Copies, degrees of radians, millimetres and rates: as a facility's records have them beside what they say again."""
    rng = np.random.default_rng(4)
    q = np.cumsum(rng.standard_normal((5, 250)), axis=1) * 1e-3 + 0.7
    rate = np.diff(q, axis=1, prepend=q[:, :1]) / 0.004
    table = [np.degrees(q), q * 1000.0, q.copy(), q, rate]
    bits, floats = np.concatenate(table).view(np.int64), np.ones(25, np.bool_)
    data, alone = encode_block(bits, floats), encode_block(bits[15:20], floats[:5])
    assert (decode_block(data, floats) == bits).all()
    assert len(zstandard.compress(data, 1)) < 1.3 * len(zstandard.compress(alone, 1)), "five times as many columns"
    assert np.count_nonzero(forms_in(data) == RATE) == 5 and np.count_nonzero(forms_in(data) == MULTIPLE) == 15


def test_a_relation_that_breaks_costs_bytes_and_no_bits() -> None:
    rng = np.random.default_rng(5)
    first = np.cumsum(rng.standard_normal(250))
    second = first.copy()
    second[200:230] = rng.standard_normal(30)
    bits = np.stack([first, second]).view(np.int64)
    assert (decode_block(encode_block(bits, np.ones(2, np.bool_)), np.ones(2, np.bool_)) == bits).all()


def test_what_stands_still_costs_its_value() -> None:
    bits = np.repeat(np.random.default_rng(6).integers(-9, 9, (300, 1)), 250, axis=1)
    data = encode_block(bits, np.zeros(300, np.bool_))
    assert len(data) == 16 + 300 * (1 + 1 + 1 + 8) and (forms_in(data) == STILL).all()


def test_a_smooth_motion_is_small() -> None:
    bits, floats = bits_of({"smooth": np.sin(np.arange(250) * 0.004) + 2.0})
    assert len(encode_block(bits, floats)) < 250 * 2.5


@pytest.mark.parametrize("seed", range(4))
def test_strange_bytes_are_refused_or_read(seed: int) -> None:
    rng = np.random.default_rng(seed)
    bits, floats = bits_of(columns(rng, 250))
    good = encode_block(bits, floats)
    for _ in range(150):
        raw = bytearray(good)
        for _ in range(int(rng.integers(1, 4))):
            raw[int(rng.integers(min(len(raw), 400)))] = int(rng.integers(256))
        data = bytes(raw[: int(rng.integers(len(raw)))] if rng.random() < 0.2 else raw)
        try:
            assert decode_block(data, floats).shape[0] == len(bits)
        except ValueError:
            continue


@pytest.mark.parametrize(
    ("head", "says"),
    [
        (b"", "without its head"),
        (struct.pack("<B3xIII", 0, 5, 1, 0), "version 0"),
        (struct.pack("<B3xIII", 3, 5, 1, 0), "version 3"),
        (struct.pack("<B3xIII", 1, MOST_ROWS + 1, 1, 0), "rows"),
        (struct.pack("<B3xIII", 1, 4096, 65_536, 0), "rows"),
        (struct.pack("<B3xIII", 1, 2**32 - 1, 2**32 - 1, 2**32 - 1), "rows"),
        (struct.pack("<B3xIII", 1, 5, 2, 0), "2 columns where there are 1"),
        (struct.pack("<B3xIII", 1, 4096, 1, 0) + b"\x01\x08", "too early"),
        (struct.pack("<B3xIII", 1, 4096, 1, 0) + b"\x09\x08", "does not exist"),
        (struct.pack("<B3xIII", 1, 1, 1, 1) + b"\x07\x00" + bytes(4 + 8 + 8), "follows from none"),
        (struct.pack("<B3xIII", 1, 1, 1, 0) + bytes(2 + 8 + 1), "too many bytes"),
        (struct.pack("<B3xIII", 2, 4096, 1, 0) + b"\x0a\x08\x00", "does not exist"),
        (struct.pack("<B3xIII", 2, 9, 1, 0) + b"\x01\x02\x03", "does not exist"),  # more noise than bytes
        (struct.pack("<B3xIII", 2, 9, 1, 0) + b"\x09\x00\x00" + bytes(8 + 1), "too early"),
        (struct.pack("<B3xIII", 2, 9, 1, 0) + b"\x09\x00\x00" + bytes(8) + b"\x02\x00" + bytes(7), "too early"),
        (struct.pack("<B3xIII", 2, 9, 1, 0) + b"\x09\x00\x00" + bytes(8) + b"\x02\x00" + bytes(9), "too many bytes"),
    ],
)
def test_what_a_head_may_not_say(head: bytes, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        decode_block(head, np.ones(1, np.bool_))


def test_some_columns_of_many_blocks_are_those_of_all() -> None:
    tables = [bits_of(columns(np.random.default_rng(rows), rows)) for rows in (250, 7, 0, 3, 29)]
    floats, whole = tables[0][1], np.concatenate([bits for bits, _ in tables], axis=1)
    blocks = PackedBlocks([encode_block(bits, floats) for bits, _ in tables], floats)
    assert blocks.count == whole.shape[1]
    for wanted in (np.arange(0), np.array([3]), np.array([7, 2, 11]), np.arange(len(whole))):
        assert (blocks.columns(wanted) == whole[wanted]).all()


def test_one_bad_block_among_good_ones_is_refused() -> None:
    bits, floats = bits_of(columns(np.random.default_rng(8), 29))
    good = encode_block(bits, floats)
    with pytest.raises(ValueError, match="too many bytes"):
        PackedBlocks([good, good + b"\0", good], floats)
