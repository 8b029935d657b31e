# SPDX-License-Identifier: Apache-2.0
"""make FOLDER: files of long floats, of texts of which most differ, and of fields within
quotes. read THREADS FILES: pyarrow's half, as csv.lua's."""
import csv
import os
import sys
import time

ROWS = 1_000_000


def make(folder):
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(1)
    order = rng.permutation(ROWS)
    frames = {
        "floats": {f"x{i}": rng.normal(0, 10.0 ** i, ROWS) for i in range(5)},
        "texts": {
            "user": [f"user_{i}" for i in order],
            "item": [f"{i:08x}-item" for i in rng.integers(0, 2**31, ROWS)],
            "answer": np.where(rng.random(ROWS) < 0.5, "yes", "no"),
            "k": np.where(rng.random(ROWS) < 0.01, np.nan, rng.integers(0, 100, ROWS))},
        "quotes": {
            "a": rng.integers(0, 1000, ROWS),
            "name": [f"name, number {i % 5000}" for i in order],
            "c": rng.random(ROWS).round(4)}}
    for name, columns in frames.items():
        pd.DataFrame(columns).to_csv(
            os.path.join(folder, name + ".csv"), index=False,
            quoting=csv.QUOTE_ALL if name == "quotes" else csv.QUOTE_MINIMAL)


def read(threads, paths):
    import pyarrow
    import pyarrow.csv

    pyarrow.set_cpu_count(threads)
    for path in paths:
        pyarrow.csv.read_csv(path)
        start, busy = time.perf_counter(), time.process_time()
        table = pyarrow.csv.read_csv(path)
        wall, busy = time.perf_counter() - start, time.process_time() - busy
        name = os.path.basename(path).removesuffix(".csv")
        print(f"{name}\tpyarrow\t{wall * 1e3:.3f}\t{busy * 1e3:.3f}\t{os.path.getsize(path)}")
        del table


if sys.argv[1] == "make":
    make(sys.argv[2])
else:
    read(int(sys.argv[2]), sys.argv[3:])
