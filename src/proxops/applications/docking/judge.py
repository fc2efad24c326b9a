"""May the loop be closed? Judged before the flight from what is declared, and again at each touch from what it has shown."""

from __future__ import annotations

from proxops.applications.docking.bench import DockingBench
from proxops.space.contact_law import secant_stiffness
from proxops.touch.docking_loop import DockingLoop
from proxops.touch.fidelity import Certificate, admission, first_touch


class DockingJudge:
    """``certificate``: the one that speaks, ``touched``: one for each contact, in its own normal, mass and speed."""

    def __init__(self, bench: DockingBench) -> None:
        self._bench = bench
        self._label = bench.file.loop.beyond_bounds == "label"
        self.certificate: Certificate | None = None
        self.touched: list[Certificate | None] = []
        self._judged = 0  # contacts whose stiffness is known and was judged

    def before(self, delay_s: float) -> str:
        """Why there will be no contact; empty if there may be."""
        given = [admission(contact, self._label) for contact in self._bench.contacts(delay_s)]
        self.certificate = max(given, key=lambda c: (not c.may_touch, len(c.broken), c.compensated))  # the worst speaks
        return "" if self.certificate.may_touch else f"refused before contact: {broken(self.certificate)}"

    def while_touching(self, loop: DockingLoop, delay_s: float) -> str:
        """Why the robots must go back; empty if not. Judged once in a contact, as soon as its stiffness is known."""
        while len(self.touched) < len(loop.touches):
            self.touched.append(None)
        law = loop.found_law
        if law is None or self._judged == len(loop.touches):
            return ""
        low, high = self._bench.file.loop.least_stiffness_N_mm, self._bench.file.loop.most_stiffness_N_mm
        touch = loop.touches[-1]
        if not touch.closing > 0.0:  # caught on the way out: there is no bounce to certify
            self._judged = len(loop.touches)
            return ""
        contact = self._bench.contact(delay_s, touch.state, touch.normal, touch.closing)
        stiffness = 1e-3 * secant_stiffness(contact.mass_kg, contact.speed, law.k, law.n)
        if not low <= stiffness <= high:
            return f"contact stiffness found on touch: {stiffness:.4g} N/mm, allowed {low:g} … {high:g} N/mm"
        found = first_touch(contact, law, self._label)
        if found is None:  # not sure yet
            return ""
        self._judged, self.touched[-1] = len(loop.touches), found
        if self.certificate is None or len(found.broken) >= len(self.certificate.broken):
            self.certificate = found
        return "" if found.may_touch else f"refused on touch: {broken(found)}"


def broken(certificate: Certificate) -> str:
    """The rules that speak against it."""
    return (
        "; ".join(map(str, certificate.broken)) or "no stiffness would be admitted with this delay, noise and dead zone"
    )
