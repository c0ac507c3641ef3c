"""Memory that is kept: what a step frees, the next step takes again.

A step allocates and frees some hundred megabytes. glibc gives what it can back to the system, and every page that comes
from there again is cleared first and costs a fault: 16,000 of them a step of the shape small, a tenth of its time
(docs/experiments.md). Threads have heaps of their own, which are small and given back sooner; so those that begin from
then on share one. But the heap of a thread that began before, as NumPy's do when it is imported, may be given to any
later one, too: who can asks for all this before anything is imported.
"""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache

# Names and numbers of malloc.h.
TRIM_THRESHOLD, MMAP_THRESHOLD, ARENA_MAX = -1, -3, -8
NEVER = -1
# Bytes from which an allocation is the system's own affair; older versions of glibc refuse more than the second.
OWN_MAPPING = (2**30, 2**25)


GIVE_BACK_EVERY = 20  # steps; every five takes three hundredths of their time, most of it for pages that come back
KERNELS = ("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "256")  # read when the first product of matrices is computed


@cache
def keep_memory() -> bool:
    """Ask the allocator of this process to keep what is freed; whether it is one that can be asked (glibc)."""
    os.environ.setdefault(*KERNELS)
    if not sys.platform.startswith("linux"):
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):
        return False
    # First this one: without it, each of the others would leave every tensor a mapping of its own.
    if not any(mallopt(MMAP_THRESHOLD, size) for size in OWN_MAPPING):
        return False
    return bool(mallopt(TRIM_THRESHOLD, NEVER)) and bool(mallopt(ARENA_MAX, 1))


def give_back(step: int) -> None:
    """Give pages that nothing is on back to the system, at every so many steps."""
    if step % GIVE_BACK_EVERY == 0 and keep_memory():
        ctypes.CDLL(None).malloc_trim(0)
