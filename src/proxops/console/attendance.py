"""Who is here and who holds control: one at a time, taken and released in everybody's sight; all others watch."""

from __future__ import annotations

import hmac
from typing import Any, Final

from proxops.console.doorstep import Doorstep
from proxops.console.gallery import Gallery
from proxops.console.viewer import Viewer, packed_message
from proxops.core.channel import ASKER_LENGTH
from proxops.core.errors import Refused

MOST: Final = 32  # viewers at a time


class Attendance:
    """The viewers and the holder among them."""

    def __init__(self) -> None:
        self.viewers: dict[int, Viewer] = {}
        self.holder: Viewer | None = None
        self.said = ""
        self.doorstep = Doorstep()
        self.gallery = Gallery()  # for all to look at
        self.refused = 0  # connections that were sent away
        self._number = 0

    def make_room(self) -> bool:
        """True when one more may enter. A full hall loses the viewer that has been deaf for longest, never the holder."""
        if len(self.viewers) < MOST:
            return True
        deaf = [viewer for viewer in self.viewers.values() if viewer.deaf and viewer is not self.holder]
        if not deaf:
            return False
        hung = max(deaf, key=lambda viewer: viewer.deaf_s)
        hung.dismissed.set()
        self.leave(hung)
        return True

    def by_secret(self, secret: str) -> Viewer | None:
        """The viewer whose page was told this."""
        offered = secret.encode()
        return next((v for v in self.viewers.values() if hmac.compare_digest(v.secret.encode(), offered)), None)

    def enter(self, name: str) -> Viewer:
        """A new viewer under ``name``, told apart where another has the same."""
        self._number += 1
        viewer = Viewer(self._number, "", self.gallery)
        viewer.name = self._free_name(name)
        self.viewers[viewer.id] = viewer
        self._say(f"{viewer.name} watches")
        return viewer

    def leave(self, viewer: Viewer) -> bool:
        """Gone; True when it held control, which is free now. Who has left already is not missed again."""
        if self.viewers.pop(viewer.id, None) is None:
            return False
        held = self.holder is viewer
        if held:
            self.holder = None
        self._say(f"{viewer.name} has left" + (" and released control" if held else ""))
        return held

    def rename(self, viewer: Viewer, name: str) -> None:
        before = viewer.name
        viewer.name = ""
        viewer.name = self._free_name(name)
        self._say(f"{before} is {viewer.name}")

    def take(self, viewer: Viewer, over: bool) -> bool:
        """Give control to ``viewer``; True when somebody else loses it. From another only with ``over``."""
        other = self.holder
        if other is viewer:
            return False
        if other is not None and not over:
            raise Refused(f"{other.name} holds control: ask for its release, or take over")
        self.holder = viewer
        self._say(f"{viewer.name} has taken control" + (f" over from {other.name}" if other else ""))
        return other is not None

    def release(self, viewer: Viewer) -> None:
        self.demand(viewer)
        self.holder = None
        self._say(f"{viewer.name} has released control")

    def demand(self, viewer: Viewer) -> None:
        """Refuse who does not hold control."""
        if self.holder is not viewer:
            held = f"{self.holder.name} holds control" if self.holder else "take control first"
            raise Refused(f"not possible while watching: {held}")

    def state(self) -> dict[str, Any]:
        """For the pages."""
        holder = self.holder
        return {
            "kind": "control",
            "holder": {"id": holder.id, "name": holder.name} if holder else None,
            "viewers": [{"id": v.id, "name": v.name} for v in self.viewers.values()],
            "said": self.said,
        }

    def tell_all(self, message: dict[str, Any]) -> None:
        """News of a state, to everybody."""
        data = packed_message(message)
        for viewer in self.viewers.values():
            viewer.keep(message["kind"], data)

    def _say(self, text: str) -> None:
        self.said = text
        self.tell_all(self.state())

    def _free_name(self, name: str) -> str:
        wanted = "".join(c for c in name if c.isprintable()).strip()[:ASKER_LENGTH] or f"viewer {self._number}"
        taken = {viewer.name for viewer in self.viewers.values()}
        return next(n for n in (wanted, *(f"{wanted} ({k})" for k in range(2, MOST + 3))) if n not in taken)
