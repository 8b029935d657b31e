# SPDX-License-Identifier: Apache-2.0
"""The rows of pandas, pyarrow, Dask and scikit-learn, as tables.lua's."""

import gc
import sys
import time

import numpy as np
import pandas as pd

path, which = sys.argv[1:3]
names = ["balance", "x0", "x1", "x2", "x3", "x4"]


def timed(section, what, f):
    """Prints its time and, of what it gives, the second."""
    gc.collect()
    begin = time.perf_counter()
    out, said = f()
    print(f"{section}\t{what}\t{time.perf_counter() - begin:.2f}\t{said}", flush=True)
    return out


def table_import():
    """Reading alone, and with a question that needs the rows."""
    import dask.dataframe as dd
    import pyarrow.compute
    import pyarrow.csv

    def pandas():
        df = pd.read_csv(path)
        return df, f"{df.balance.max():.6g}"

    def arrow():
        table = pyarrow.csv.read_csv(path)
        return table, f"{pyarrow.compute.max(table['balance']).as_py():.6g}"

    timed("import", "pandas.read_csv", pandas)
    timed("import", "pyarrow.csv.read_csv", arrow)
    timed("import", "dask.dataframe.read_csv, the plan", lambda: (dd.read_csv(path), ""))
    timed("import", "the same, and a maximum",
          lambda: (None, f"{dd.read_csv(path).balance.max().compute():.6g}"))


def table_kmeans():
    """Eight centers; a choice among seven k."""
    from sklearn.cluster import KMeans
    from sklearn.metrics import silhouette_score
    from sklearn.preprocessing import StandardScaler

    X = StandardScaler().fit_transform(pd.read_csv(path)[names].to_numpy())

    def fit(k):
        return KMeans(k, init=X[:k], n_init=1, max_iter=20, tol=0).fit(X)

    def choose():
        scores = {k: silhouette_score(X[:2000], fit(k).labels_[:2000])
                  for k in range(2, 9)}
        return None, f"k = {max(scores, key=scores.get)}"

    timed("k-means", "k = 8, 20 rounds", lambda: (None, f"{fit(8).inertia_:.6g}"))
    timed("k-means", "choosing k from 2 to 8", choose)


def table_pipeline():
    """Load, prepare, convert, train: one behind the other."""
    from sklearn.linear_model import LinearRegression

    df = timed("pipeline", "load", lambda: (pd.read_csv(path), ""))

    def prepare():
        some = df[df.balance > 40]
        return some.assign(sum=some.x0 + some.x1, low=some.balance * 0.5), ""

    df = timed("pipeline", "prepare", prepare)
    X, y = timed("pipeline", "convert", lambda: (
        (np.ascontiguousarray(df[names].to_numpy()), df["sum"].to_numpy()), ""))

    def train():
        model = LinearRegression().fit(X, y)
        return None, f"{model.score(X, y):.6g}"

    timed("pipeline", "train", train)


{"import": table_import, "kmeans": table_kmeans, "pipeline": table_pipeline}[which]()
