#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""programs.lua in JAX, on the CPU: JAX_PLATFORMS=cpu python3 bench/vgpu/programs.py"""
import time

import jax
import jax.numpy as jnp

KEYS = jax.random.split(jax.random.key(0), 6)


def row(name, rounds, f):
    for _ in range(4):
        jax.block_until_ready(f())
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        jax.block_until_ready(f())
        best = min(best, time.perf_counter() - start)
    print("%s\t%.3g\tms" % (name, best * 1e3), flush=True)


a = jax.random.normal(KEYS[0], (512, 512))
b = jax.random.normal(KEYS[1], (512, 512))
product = jax.jit(jnp.matmul)
row("jnp.matmul 512", 12, lambda: product(a, b))

x = jax.random.normal(KEYS[2], (256, 784))
y = jax.nn.one_hot(jnp.arange(256) % 10, 10)
w1 = jax.random.normal(KEYS[3], (784, 128)) * 0.05
w2 = jax.random.normal(KEYS[4], (128, 10)) * 0.1


def loss(u, v):
    p = jax.nn.log_softmax(jax.nn.relu(x @ u) @ v)
    return -jnp.mean(jnp.sum(p * y, 1))


@jax.jit
def step(u, v):
    du, dv = jax.grad(loss, (0, 1))(u, v)
    return u - du * 0.1, v - dv * 0.1


row("a step of an MLP", 12, lambda: step(w1, w2))
print("# the loss before and after: %.5f %.5f" % (loss(w1, w2), loss(*step(w1, w2))))
