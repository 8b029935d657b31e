# SPDX-License-Identifier: Apache-2.0
"""Writes PATH: ROWS (2,000,000) rows by 12 columns, and PATH.right to merge."""
import os
import sys

import numpy as np
import pandas as pd

rows = int(os.environ.get("ROWS", 2_000_000))
rng = np.random.default_rng(0)
names = ["Alice", "Bob", "Charlie", "Dan", "Edith", "Frank", "Grace", "Heidi"]
data = {"id": np.arange(rows), "name": rng.choice(names, rows),
        "balance": np.round(rng.normal(100, 30, rows), 2),
        "key": rng.integers(0, rows, rows)}
for i in range(5):
    data[f"x{i}"] = np.round(rng.random(rows), 6)
for i in range(3):
    data[f"k{i}"] = rng.integers(0, 1000 ** i + 1, rows)
pd.DataFrame(data).to_csv(sys.argv[1], index=False)
few = rows // 2
pd.DataFrame({"key": rng.permutation(rows)[:few], "w": rng.random(few)}).to_csv(
    sys.argv[1] + ".right", index=False)
