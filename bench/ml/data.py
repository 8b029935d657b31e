# SPDX-License-Identifier: Apache-2.0
"""Writes the array that both sides read: rows around 12 middles that overlap."""
import os
import sys

import numpy as np

rng = np.random.default_rng(1)
rows = int(os.environ.get("ROWS", 2_000_000))
middle = rng.uniform(-4, 4, (12, 10))
np.save(sys.argv[1], middle[rng.integers(0, 12, rows)] + rng.normal(0, 2, (rows, 10)))
