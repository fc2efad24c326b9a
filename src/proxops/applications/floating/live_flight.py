"""A flight by the wall's clock: pushed over the control channel, watched with the console."""

from __future__ import annotations

import sys

from proxops.applications.floating.application import FloatApplication
from proxops.applications.floating.parts import FloatParts
from proxops.applications.floating.push_verb import push_verb
from proxops.applications.floating.rehearsal import rehearse
from proxops.applications.floating.scene import COUNTER_SHARE
from proxops.ground.row_stream import RowStream
from proxops.runs.announcement import Launch
from proxops.runs.arm_live import live
from proxops.runs.arm_parts import ArmRan


def fly_live(
    parts: FloatParts, control: str | None, stream: RowStream | None = None, console: Launch | None = None
) -> ArmRan[FloatApplication]:
    """``proxops ctl push`` reaches it by the name of ``control``."""
    rehearse(parts.bench, parts.seed)
    file = parts.bench.file
    virtual, share = file.sensor.source == "virtual", COUNTER_SHARE if file.impedance is None else 0.0

    def announce(name: str) -> None:
        print(f"push with: proxops ctl --control {name} push", file=sys.stderr, flush=True)

    verbs = {"push": push_verb(parts.hand, lambda: parts.made.now(), virtual=virtual, counter_share=share)}
    return live(parts, control, stream, console, verbs, announce)
