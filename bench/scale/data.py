# SPDX-License-Identifier: Apache-2.0
"""Writes FOLDER/x.npy and FOLDER/x.csv with ROWS rows, by pieces."""

import sys

import numpy as np

folder, rows = sys.argv[1], int(sys.argv[2])
rng = np.random.default_rng(0)
names = np.array(["Alice", "Bob", "Charlie", "Dan", "Edith", "Frank", "Grace", "Heidi"])
PIECE = 1_000_000
x = np.lib.format.open_memmap(f"{folder}/x.npy", "w+", "f8", (rows, 8))
with open(f"{folder}/x.csv", "w", encoding="ascii") as f:
    f.write("id,name,balance\n")
    for at in range(0, rows, PIECE):
        count = min(PIECE, rows - at)
        x[at:at + count] = rng.random((count, 8))
        if len(sys.argv) > 3:
            continue  # the array alone
        name = names[rng.integers(0, 8, count)]
        balance = np.round(rng.normal(100, 30, count), 2)
        f.writelines(f"{at + i},{a},{b}\n"
                     for i, (a, b) in enumerate(zip(name, balance.tolist())))
x.flush()
