#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mesh.lua in JAX: python3 bench/mesh/mesh.py DEVICES [PART]"""
import os
import sys
import time

os.environ["NCCL_NVLS_ENABLE"] = "0"
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P  # noqa: E402

COUNT = int(sys.argv[1])
PART = int(sys.argv[2]) if len(sys.argv) > 2 else 1
MESH = Mesh(jax.devices()[:COUNT], ("i",))
jax.config.update("jax_default_matmul_precision", "tensorfloat32")


def row(name, seconds):
    print("JAX %s on %d\t%.4g\tms" % (name, COUNT, seconds * 1e3), flush=True)


def laid(x, *spec):
    return jax.device_put(x, NamedSharding(MESH, P(*spec)))


def seconds(f, state, calls):
    state = jax.block_until_ready(f(state))
    best = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(calls):
            state = f(state)
        jax.block_until_ready(state)
        best = min(best, (time.perf_counter() - start) / calls)
    return best, state


def step():
    rows, inner, outer = 65536 // PART, 4096 // PART, 1024 // PART
    keys = jax.random.split(jax.random.key(0), 4)
    x = laid(jax.random.normal(keys[0], (rows, outer)), "i")
    y = laid(jax.random.normal(keys[1], (rows, outer)), "i")
    w1 = laid(jax.random.normal(keys[2], (outer, inner)) / 32)
    w2 = laid(jax.random.normal(keys[3], (inner, outer)) / 64)

    def loss(a, b, some, want):
        return jnp.mean((jnp.maximum(some @ a, 0) @ b - want) ** 2)

    def one(a, b, some, want):
        da, db = jax.grad(loss, (0, 1))(a, b, some, want)
        return a - da * (0.1 / COUNT), b - db * (0.1 / COUNT)

    f = jax.jit(jax.shard_map(one, mesh=MESH, in_specs=(P(), P(), P("i"), P("i")),
                              out_specs=(P(), P())))
    s, state = seconds(lambda w: f(w[0], w[1], x, y), (w1, w2), 10)
    row("training step", s)
    print("# the weights' sums: %.6g %.6g" % tuple(float((w ** 2).sum()) for w in state))


def transposed():
    n = 16384 // PART
    x = laid(jax.random.normal(jax.random.key(1), (n, n)), "i")
    f = jax.jit(lambda y: y + y.T - y.mean(0), out_shardings=NamedSharding(MESH, P("i")))
    print("# a sum: %.6g" % float(jnp.sum(f(x) ** 2)))
    row("x + x.T - mean", seconds(lambda _: f(x), None, 10)[0])


print("# JAX %s" % jax.__version__)
step()
transposed()
