"""Where the facility listens, and the version and bounds of its control channel: known to both ends."""

from __future__ import annotations

from typing import Final

Address = tuple[str, int]
"""Host and UDP or TCP port."""
LOOPBACK: Final = "127.0.0.1"
SYNC_PORT: Final = 47250
CONTROL_NAME: Final = "hall"  # of the facility on this machine, unless it is told otherwise
BRIDGE_PORT: Final = 47252
FLIGHT_PORT: Final = 47253  # of an on-board computer, unless it is told otherwise
CONSOLE_PORT: Final = 47254  # HTTP
CONTROL_VERSION: Final = 2
REQUEST_BYTES: Final = 8192  # of a control request, at most
REPLY_BYTES: Final = 60_000
ASKER_LENGTH: Final = 40  # letters of who asks, as events tell it
TIME_TO_LIVE_MS: Final = 1000  # of a request, unless it says otherwise
