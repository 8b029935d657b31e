# SPDX-License-Identifier: Apache-2.0
"""Copies from cuda:0 to cuda:1 by PyTorch: for each line of the input one, and a line with
its seconds. Usage: peer.py MIB"""

import sys
import time

import torch

x = torch.full((int(sys.argv[1]) << 18,), 1.5, device="cuda:0")
y = torch.empty_like(x, device="cuda:1")
y.copy_(x)
print("ready", flush=True)
for _ in sys.stdin:
    torch.cuda.synchronize(0)
    torch.cuda.synchronize(1)
    begin = time.perf_counter()
    y.copy_(x)
    torch.cuda.synchronize(0)
    torch.cuda.synchronize(1)
    print(f"{time.perf_counter() - begin:.9f}", flush=True)
