# SPDX-License-Identifier: Apache-2.0
"""scikit-learn's side of run: NAME<tab>milliseconds of processor time."""
import sys
import time
import warnings

import numpy as np
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression
from sklearn.metrics import silhouette_score
from sklearn.neighbors import NearestNeighbors

warnings.simplefilter("ignore")
X = np.load(sys.argv[1])


def timed(name, f):
    begin = time.process_time()
    out = f()
    print("%s\t%.3f" % (name, (time.process_time() - begin) * 1e3))
    return out


km = timed("KMeans, 8 centers, 20 rounds", lambda: KMeans(
    8, init=X[:8], n_init=1, max_iter=20, tol=0, algorithm="lloyd").fit(X))
timed("predict", lambda: km.predict(X))
timed("transform", lambda: km.transform(X))
timed("k-means++, one round", lambda: KMeans(
    8, n_init=1, max_iter=1, random_state=1).fit(X))
timed("PCA, 2 components", lambda: PCA(2).fit(X))
y = X @ np.arange(10.0) + 1
timed("LinearRegression", lambda: LinearRegression().fit(X, y))
timed("5 neighbours of 2,000 among 20,000", lambda: NearestNeighbors(
    n_neighbors=5, algorithm="brute").fit(X[:20000]).kneighbors(X[-2000:]))
timed("silhouette of 4,000 rows",
      lambda: silhouette_score(X[:4000], km.labels_[:4000]))
print("inertia\t%.17g" % km.inertia_)
