"""Logs as they were before there were columns: every record a protobuf message, chunks packed with LZ4."""

from __future__ import annotations

from pathlib import Path

import lz4.frame
import numpy as np
import pytest
from numpy.typing import NDArray
from small_log import NO_EVENTS, SMALL_BLOCK

from proxops.ground.blocks import CHANNELS, SCHEMAS, Interleaver
from proxops.ground.mcap_file import McapFile, Preamble


def write_old_log(path: Path, pool: NDArray[np.void], events: NDArray[np.void] = NO_EVENTS) -> Path:
    """A whole log of the old kind."""
    interleaver = Interleaver(most=SMALL_BLOCK)
    interleaver.add(pool, events)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(McapFile, "_packed", lambda self, chunk, size: ("lz4", lz4.frame.compress(chunk.data)))
        file = McapFile(path)
        file.begin(Preamble(SCHEMAS[:2], CHANNELS[:2]))
        for block in interleaver.blocks(last=True):
            file.add(block.messages())
        file.finish()
        file.close()
    return path
