# SPDX-License-Identifier: Apache-2.0
"""One row of Dask's (arrays) or pandas' (frames) side of run, as growth.lua's."""

import gc
import sys
import time

kind, n, path = sys.argv[1], int(sys.argv[2]), (sys.argv + [""])[3]
ELEMENTS = 1_000_000


def array():
    """Rows of a file that is read by chunks."""
    x = da.from_array(np.load(path, mmap_mode="r"), chunks=(100_000, -1))
    return (x + 1).mean(0).sum().compute()


def frame():
    """All of a file at once."""
    return pd.read_csv(path).groupby("name").balance.mean().sum()


def chunks():
    """The same array in more and more chunks."""
    x = da.from_array(np.arange(ELEMENTS, dtype="f8"), chunks=-(-ELEMENTS // n))
    return (x * 2 + 1).sum().compute()


def peak_mb():
    """Of this process."""
    with open("/proc/self/status", encoding="ascii") as f:
        text = f.read()
    return int(text.split("VmHWM:")[1].split()[0]) / 1024


if kind == "frame":
    import pandas as pd
else:
    import dask
    import dask.array as da
    import numpy as np

    dask.config.set(scheduler="synchronous")  # one core, as scale's own process
least = float("inf")
for _ in range(3):
    gc.collect()
    begin = time.process_time()
    result = {"array": array, "frame": frame, "chunks": chunks}[kind]()
    least = min(least, (time.process_time() - begin) * 1e3)
print(f"{least:.4g}\t{peak_mb():.0f}\t{result:.6g}")
