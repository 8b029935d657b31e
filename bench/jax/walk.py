#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""walk.lua in Python, with JAX: python3 bench/jax/walk.py [LARGEST [FLOATS]]"""
import math
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax import device_put, jit, random, vmap

LARGEST = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
FLOATS = int(sys.argv[2]) if len(sys.argv) > 2 else 1000000


def in_units(s):
    if s < 1e-3:
        return "%.1f us" % (s * 1e6)
    return "%.3g ms" % (s * 1e3) if s < 1 else "%.3g s" % s


def seconds(f, calls):
    start = time.perf_counter()
    for _ in range(calls):
        y = f()
    y.block_until_ready()
    return time.perf_counter() - start


def timed(title, f, what=None):
    first = seconds(f, 1)
    calls, once = 1, seconds(f, 1)
    while once * calls < 0.02 and calls < 1 << 16:
        calls *= 2
        once = seconds(f, calls) / calls
    runs = [seconds(f, calls) / calls for _ in range(1 if once > 2 else 7)]
    mean = sum(runs) / len(runs)
    off = math.sqrt(sum((s - mean) ** 2 for s in runs) / len(runs))
    print("%-44s %10s ± %s (%d runs, %d calls each; first %s%s)" % (
        title, in_units(mean), in_units(off), len(runs), calls, in_units(first),
        "; " + what(mean) if what else ""))


print("devices:", jax.devices()[0])
x_np, x_jnp = np.arange(10), jnp.arange(10)
print(x_np, x_jnp)
x_np[0] = 10
print(x_np)
try:
    x_jnp[0] = 10
except TypeError as e:
    print("Sorry:", e)
print(x_jnp.at[0].set(10), x_jnp)

key = random.PRNGKey(0)
for n in (1000, 3000):
    if n <= LARGEST:
        x = device_put(random.normal(key, (n, n)))
        timed("jnp.dot(x, x.T), %d x %d" % (n, n), lambda: jnp.dot(x, x.T),
              lambda s: "%.3g TFLOP/s" % (2 * n**3 / s / 1e12))

x = random.normal(key, (FLOATS,))


def slow_selu(x, alpha=1.67, lmbda=1.05):
    return lmbda * jnp.where(x > 0, x, alpha * jnp.exp(x) - alpha)


fast_selu = jit(slow_selu)
timed("SELU of %d floats, eager" % FLOATS, lambda: slow_selu(x))
timed("SELU of %d floats, jit" % FLOATS, lambda: fast_selu(x))

matrix = random.normal(key, (150, 100))
vectors = random.normal(key, (10, 100))


def times_vector(v):
    return jnp.dot(matrix, v)


by_vmap = vmap(times_vector)
by_jit = jit(by_vmap)
timed("150 x 100 matrix, 10 vectors: loop",
      lambda: jnp.stack([times_vector(v) for v in vectors]))
timed("150 x 100 matrix, 10 vectors: vmap", lambda: by_vmap(vectors))
timed("150 x 100 matrix, 10 vectors: jit(vmap)", lambda: by_jit(vectors))
print(jax.make_jaxpr(by_vmap)(vectors))
