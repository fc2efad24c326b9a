"""What a robot's controller thinks of the times of commands: too old, of the future, overtaken by a newer one, none at
all."""

from __future__ import annotations

from typing import Final

ROUNDING_S: Final = 1e-9


class CommandWatch:
    """A command answers a measurement; ``answered`` is the time of the newest one that was. Silence counts from the
    first command on."""

    def __init__(self, patience_s: float) -> None:
        self.patience_s = patience_s
        self.answered, self.heard = 0.0, False
        self.overtaken = 0  # commands that came behind a newer one, and were left aside

    def timely(self, t: float, answers: float) -> bool:
        return -ROUNDING_S <= t - answers <= self.patience_s

    def welcomes(self, t: float, answers: float) -> bool:
        """Is a command that arrives at ``t`` both timely and the newest?"""
        return self.timely(t, answers) and not (self.heard and answers < self.answered)

    def objection(self, t: float, answers: float) -> str:
        """Against a command that arrives at ``t``; empty if there is none."""
        if self.timely(t, answers):
            return ""
        if not answers <= t:  # such a time would switch off the watch over silence
            return f"command answers a measurement of {answers:g} s, which has not been made"
        return f"command answers a measurement {(t - answers) * 1e3:.0f} ms old, allowed {self.patience_s * 1e3:.0f}"

    def overtakes(self, answers: float) -> bool:
        """Is a command newer than all before? One that is not changes nothing, the watch over silence included."""
        if self.heard and answers < self.answered:
            self.overtaken += 1
            return False
        return True

    def take(self, answers: float) -> None:
        self.answered, self.heard = answers, True

    def silence(self, t: float) -> str:
        """What there is to say about it at ``t``."""
        if self.heard and t - self.answered > self.patience_s + ROUNDING_S:
            return f"no command for {self.patience_s * 1e3:.0f} ms"
        return ""
