"""Datagrams under a key: byte by byte as described, every flipped bit noticed, ports and sessions kept apart."""

from __future__ import annotations

import hashlib
import hmac

import pytest

from proxops.core.datagram import Malformed, Refusal
from proxops.core.errors import BadInput
from proxops.core.keyed_datagram import (
    BRIDGE_LABEL,
    CHALLENGE_SIZE,
    SYNC_LABEL,
    TRAILER_SIZE,
    ClientSeal,
    is_genuine,
    is_keyed,
    pack_challenge,
    port_key,
    seal,
)

KEY = b"sixteen bytes or more"
BODY = bytes(range(100))


def test_a_trailer_lies_as_documented() -> None:
    key = port_key(KEY, SYNC_LABEL)
    assert key == hmac.new(KEY, b"proxops sync", hashlib.sha256).digest()
    data = seal(BODY, key, 0x0102030405060708, 0x1112131415161718)
    assert len(data) == 100 + TRAILER_SIZE == 136
    assert data[:104] == BODY + b"PXKT"
    assert data[104:112] == bytes(range(8, 0, -1))
    assert data[112:120] == bytes(range(0x18, 0x10, -1))
    assert data[120:] == hmac.new(key, data[:120], hashlib.sha256).digest()[:16]


def test_a_challenge_lies_as_documented() -> None:
    key = port_key(KEY, BRIDGE_LABEL)
    data = pack_challenge(key, 3, 4)
    assert len(data) == CHALLENGE_SIZE == 40
    assert data[:24] == b"PXKC" + bytes([18, 0, 0, 0, 3, *bytes(7), 4, *bytes(7)])
    assert data[24:] == hmac.new(key, data[:24], hashlib.sha256).digest()[:16]


def test_every_flipped_bit_and_every_other_port_is_noticed() -> None:
    key = port_key(KEY, SYNC_LABEL)
    good = seal(BODY, key, 3, 4)
    assert is_keyed(good, 100) and is_genuine(good, key)
    assert not is_genuine(good, port_key(KEY, BRIDGE_LABEL))
    for at in range(len(good)):
        for bit in range(8):
            damaged = bytearray(good)
            damaged[at] ^= 1 << bit
            assert not is_genuine(bytes(damaged), key)


def test_a_client_believes_its_own_session_only() -> None:
    key, client = port_key(KEY, BRIDGE_LABEL), ClientSeal(KEY, BRIDGE_LABEL)
    assert client.session != 0 and client.challenge == 0
    assert client.open(pack_challenge(key, client.session, 9)) is None
    assert client.challenge == 9
    assert client.open(seal(BODY, key, client.session, 11)) == BODY
    assert client.challenge == 11
    for data, refusal in (
        (BODY, Refusal.KEY), (b"", Refusal.KEY), (seal(BODY, key, client.session ^ 1, 12), Refusal.CODE),
        (pack_challenge(key, client.session ^ 1, 12), Refusal.CODE), (seal(BODY, bytes(32), client.session, 12), Refusal.CODE),
    ):  # fmt: skip
        with pytest.raises(Malformed) as caught:
            client.open(data)
        assert caught.value.refusal is refusal
    assert client.challenge == 11


def test_a_short_key_is_refused() -> None:
    with pytest.raises(BadInput, match="16 bytes"):
        port_key(b"fifteen bytes..", SYNC_LABEL)
