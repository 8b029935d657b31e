# SPDX-License-Identifier: Apache-2.0
"""pandas' half: NAME<tab>milliseconds."""
import sys
import time

import pandas as pd

path = sys.argv[1]


def row(name, f):
    start = time.process_time()
    x = f()
    print(f"{name}\t{(time.process_time() - start) * 1e3:.3f}", flush=True)
    return x


df = row("read_csv", lambda: pd.read_csv(path))
other = pd.read_csv(path + ".right")
row("groupby text, mean", lambda: df.groupby("name").balance.mean())
row("groupby few, sum of 5", lambda: df.groupby("k1")[
    ["x0", "x1", "x2", "x3", "x4"]].sum())
row("groupby many, max", lambda: df.groupby("k2").balance.max())
row("groupby two keys, mean", lambda: df.groupby(["name", "k1"]).x0.mean())
row("groupby few, median", lambda: df.groupby("k1").x0.median())
row("merge, inner", lambda: df[["key", "balance"]].merge(other, on="key"))
row("sort_values, float", lambda: df[["balance", "x0"]].sort_values("balance"))
row("filter", lambda: df[df.balance > 100])
row("value_counts", lambda: df.k2.value_counts())
row("describe", lambda: df[["balance", "x0"]].describe())
