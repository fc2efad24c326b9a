"""How many files this process has open, what is only waiting for the garbage collector not counted."""

import gc
import os


def open_files() -> int:
    """Sockets that earlier tests left in reference cycles are closed first: else they go in the middle of somebody's count.
    What is still in use then need not be looked through the next time, which takes half a second late in a whole run."""
    gc.collect()
    gc.freeze()
    return len(os.listdir("/proc/self/fd"))
