"""Damage on the way: a datagram with one of its bits flipped, each in turn."""

from collections.abc import Iterator


def flipped_bits(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Number of the byte, and all of them."""
    for bit in range(8 * len(data)):
        damaged = bytearray(data)
        damaged[bit // 8] ^= 1 << bit % 8
        yield bit // 8, bytes(damaged)
