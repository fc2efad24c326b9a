"""A real camera by GenICam (GigE Vision, USB3 Vision): through ``harvesters`` and the maker's GenTL producer, a .cti file.

``pip install proxops[genicam]``. Exposure and gain are set where the device has them (names of the Standard Features Naming
Convention 2.7). Times are the device's, put on our clock by the image that came quickest; where it has none, those of arrival.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.core.images import CameraImage

EXTRA: Final = "pip install 'proxops[genicam]'"
BITS: Final = {"Mono8": 8, "Mono10": 10, "Mono12": 12, "Mono14": 14, "Mono16": 16}
EXPOSURE_US: Final = ("ExposureTime", "ExposureTimeAbs")  # the second of devices from before SFNC 2
GAIN_DB: Final = ("Gain",)  # GainRaw of older devices is in units of their own
TICK_HZ: Final = 1_000_000_000  # of GigE Vision 2 and USB3 Vision


class GenicamCamera:
    """``device``: serial number, or place in the list of those that the producer finds. ``now_s``: the run's clock. ``name``: of
    the sensor. Exposure and gain that the device does not have, or refuses, stand in ``notes``."""

    def __init__(
        self, producer: Path | str, name: str, now_s: Callable[[], float], *, device: str | int = 0,
        exposure_s: float | None = None, gain_db: float | None = None,
    ) -> None:  # fmt: skip
        self.name, self._now_s = name, now_s
        self.notes: list[str] = []
        self._harvester = _harvester(Path(producer))
        self._acquirer: Any = None
        try:
            self._acquirer = self._harvester.create(_chosen(self._harvester.device_info_list, device, str(producer)))
            self._nodes = self._acquirer.remote_device.node_map
            self._set("ExposureAuto", "Off", exposure_s)
            self._set("GainAuto", "Off", gain_db)
            self.exposure_s = 1e-6 * self._given(EXPOSURE_US, None if exposure_s is None else 1e6 * exposure_s)
            self.gain_db = self._given(GAIN_DB, gain_db)
            self._choose_grey()
            self._acquirer.start()
        except BadInput:
            self.close()
            raise
        except Exception as reason:  # a producer's own, of kinds that nobody lists
            self.close()
            raise BadInput(f"the camera cannot be used: {reason}", where=str(producer), value=device) from reason
        self._taken, self._offset_s = 0, math.inf  # from the device's clock to ours

    def fetch(self, patience_s: float = 1.0) -> CameraImage | None:
        """The next image; None if none comes in time. BadInput when the device is gone or sends what is no grey picture."""
        from genicam.gentl import TimeoutException

        try:
            with self._acquirer.fetch(timeout=patience_s) as buffer:
                arrived_s, component = self._now_s(), buffer.payload.components[0]
                pixels, white = _grey(component, self.name), 2 ** BITS.get(component.data_format, 0) - 1
                t = self._time_of(buffer, arrived_s)
        except TimeoutException:
            return None
        except BadInput:
            raise
        except Exception as reason:  # a producer's own
            raise BadInput(f"the camera gives no more images: {reason}", where=self.name) from reason
        self._taken += 1
        return CameraImage(self.name, self._taken - 1, t, self.exposure_s, self.gain_db, white, pixels)

    def close(self) -> None:
        if self._acquirer is not None:
            with suppress(Exception):  # it may be gone, or not have begun
                self._acquirer.stop()
            self._acquirer.destroy()
            self._acquirer = None
        self._harvester.reset()

    def _time_of(self, buffer: Any, arrived_s: float) -> float:
        """Middle of the exposure, on our clock."""
        device_s = _device_s(buffer)
        if device_s is None:
            if not self._taken:
                self.notes.append("the device has no times: images have those of their arrival")
            return arrived_s - 0.5 * self.exposure_s
        # None can come before it is exposed: the quickest so far came at once, as far as we know.
        self._offset_s = min(self._offset_s, arrived_s - device_s - self.exposure_s)
        return device_s + self._offset_s + 0.5 * self.exposure_s

    def _given(self, names: tuple[str, ...], wanted: float | None) -> float:
        """What the device says it uses, 0 if it does not say."""
        found = [name for name in names if self._nodes.has_node(name)]
        if not found:
            if wanted is not None:
                self.notes.append(f"the device has no {names[0]}: {wanted:g} is not set")
            return 0.0
        self._set(found[0], wanted, wanted)
        return float(getattr(self._nodes, found[0]).value)

    def _set(self, name: str, value: object, wanted: object) -> None:
        """If it is asked for and there is such a thing; a refusal is noted."""
        if wanted is None or not self._nodes.has_node(name):
            return
        try:
            getattr(self._nodes, name).value = value
        except Exception as reason:  # out of its bounds, locked: a producer's own kinds
            self.notes.append(f"the device refuses {name} = {value}: {reason}")

    def _choose_grey(self) -> None:
        if self._nodes.PixelFormat.value not in BITS:
            self._set("PixelFormat", "Mono8", True)


def _harvester(producer: Path) -> Any:
    try:
        from harvesters.core import Harvester
    except ImportError as reason:
        raise BadInput(f"a GenICam camera needs harvesters: {reason}", where=str(producer), way_out=EXTRA) from None
    if not producer.is_file():
        raise BadInput("no such GenTL producer (a .cti file of the camera's maker)", where=str(producer))
    harvester = Harvester()
    try:
        harvester.add_file(str(producer))
        harvester.update()
    except Exception as reason:  # a producer's own
        raise BadInput(f"the GenTL producer cannot be loaded: {reason}", where=str(producer)) from reason
    return harvester


def _chosen(devices: Any, device: str | int, where: str) -> int:
    serials = [str(one.serial_number) for one in devices]
    if isinstance(device, str) and device in serials:
        return serials.index(device)
    if isinstance(device, int) and 0 <= device < len(serials):
        return device
    raise BadInput("no such camera", where=where, value=device, bound=f"serial numbers {', '.join(serials) or 'none'}")


def _grey(component: Any, name: str) -> NDArray[np.uint8] | NDArray[np.uint16]:
    """A copy: the buffer goes back to the producer."""
    if component.data_format not in BITS:
        bound = ", ".join(BITS)
        raise BadInput("images are not grey", where=name, value=component.data_format, bound=bound)
    pixels = component.data.reshape(component.height, component.width)
    grey: NDArray[np.uint8] | NDArray[np.uint16] = pixels.astype(
        np.uint8 if BITS[component.data_format] == 8 else np.uint16
    )
    return grey


def _device_s(buffer: Any) -> float | None:
    """The device's own time; None where it has none."""
    from genicam.gentl import GenericException

    try:
        return float(buffer.timestamp_ns) * 1e-9 or None  # 0 says that it has none
    except (GenericException, AttributeError, TypeError):  # the device says its time in ticks, or not at all
        pass
    try:
        return float(buffer.timestamp) / TICK_HZ or None
    except (GenericException, AttributeError, TypeError):
        return None
