"""A network between browser and server that can freeze (nothing gets through, nobody is told), be cut, and mended."""

from __future__ import annotations

import contextlib
import socket
import threading
from types import TracebackType
from typing import Self


class CutLine:
    """Forwards TCP from ``port`` to ``to``."""

    def __init__(self, to: int) -> None:
        self._to = to
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._door.getsockname()[1]
        self._flowing = threading.Event()
        self._flowing.set()
        self._whole = True
        self._ends: list[socket.socket] = []
        self._porter = threading.Thread(target=self._accept, daemon=True)
        self._porter.start()

    def freeze(self) -> None:
        """Nothing gets through from now on; connections stay."""
        self._flowing.clear()

    def cut(self) -> None:
        """Connections end; new ones are refused at once. What was on the way is lost."""
        self._whole = False
        for end in self._ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        self._ends.clear()
        self._flowing.set()

    def mend(self) -> None:
        self._whole = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cut()
        self._door.shutdown(socket.SHUT_RDWR)  # to close it does not wake who waits there
        self._porter.join()
        self._door.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._door.accept()
                if not self._whole:
                    near.close()
                    continue
                far = socket.create_connection(("127.0.0.1", self._to))
                self._ends += [near, far]
                for source, sink in ((near, far), (far, near)):
                    threading.Thread(target=self._forward, args=(source, sink), daemon=True).start()

    def _forward(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                self._flowing.wait()
                if not self._whole:
                    break
                sink.sendall(data)
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
