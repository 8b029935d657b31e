# SPDX-License-Identifier: Apache-2.0
"""device.lua's rows by pyarrow (to the host), pandas, CuPy, PyTorch and scikit-learn:
"WHO: NAME<tab>milliseconds", the best of five."""
import sys
import time

import numpy as np

path, matrix = sys.argv[1:]


def row(who, name, f, settle=lambda: None, rounds=5):
    f()
    best = float("inf")
    for _ in range(rounds):
        settle()
        start = time.perf_counter()
        kept = f()
        settle()
        best = min(best, time.perf_counter() - start)
        del kept
    print("%s: %s\t%.4f" % (who, name, best * 1e3), flush=True)


import pyarrow.csv  # noqa: E402

row("pyarrow", "read_csv", lambda: pyarrow.csv.read_csv(path))

import pandas as pd  # noqa: E402

df, other = pd.read_csv(path), pd.read_csv(path + ".right")
row("pandas", "groupby text, mean", lambda: df.groupby("name").balance.mean())
row("pandas", "groupby many, max", lambda: df.groupby("k2").balance.max())
row("pandas", "merge, inner", lambda: df[["key", "balance"]].merge(other, on="key"))
row("pandas", "sort_values, float", lambda: df[["balance", "x0"]].sort_values("balance"))

import cupy as cp  # noqa: E402

settle = cp.cuda.Device().synchronize
codes = cp.asarray(df.name.astype("category").cat.codes.to_numpy().astype("i4"))
balance, x0 = cp.asarray(df.balance.to_numpy()), cp.asarray(df.x0.to_numpy())
row("cupy", "groupby by bincount, mean",
    lambda: cp.bincount(codes, balance) / cp.bincount(codes), settle)


def by_balance():
    order = cp.argsort(balance)
    return balance[order], x0[order]


row("cupy", "sort_values, float", by_balance, settle)

import torch  # noqa: E402

host = np.load(matrix)
X = torch.tensor(host, device="cuda", dtype=torch.float32)


def kmeans():
    c = X[:8].clone()
    for _ in range(20):
        near = torch.cdist(X, c).argmin(1)
        sums = torch.zeros_like(c).index_add_(0, near, X)
        c = sums / torch.bincount(near, minlength=8)[:, None]
    return c


row("torch", "KMeans, 8 centers, 20 rounds, f32", kmeans, torch.cuda.synchronize)

from sklearn.cluster import KMeans  # noqa: E402

start = time.perf_counter()
km = KMeans(8, init=host[:8], n_init=1, max_iter=20, tol=0, algorithm="lloyd").fit(host)
print("scikit-learn: KMeans, 8 centers, 20 rounds\t%.4f" % ((time.perf_counter() - start) * 1e3))
print("# inertia, scikit-learn: %.10g" % km.inertia_)
