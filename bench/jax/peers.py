# SPDX-License-Identifier: Apache-2.0
"""Answers requests of bench/jax/run with JAX or CuPy: peers.py jax|cupy.

One request a line, "NAME [SEED]"; the answer is one number, microseconds of
one call (of `compile`: milliseconds). ours.lua answers the same.
"""
import os
import sys
import time

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
import numpy as np


def filled(shape, scale):
    x = np.arange(np.prod(shape), dtype=np.float32)
    return (np.sin(x * np.float32(12.9898)) * np.float32(scale)).reshape(shape)


def per_call(f, wait):
    wait(f())
    count = 1
    while True:
        start = time.perf_counter()
        for _ in range(count):
            y = f()
        wait(y)
        us = (time.perf_counter() - start) * 1e6
        if us > 5000 or count >= 4096:
            return us / count
        count *= 8 if us < 500 else 2


class Jax:
    def __init__(self):
        import jax
        import jax.numpy as jnp

        if jax.default_backend() == "cpu":
            raise RuntimeError("JAX has no GPU")
        self.jax, self.jnp = jax, jnp
        self.small = jnp.array(filled((4096,), 3))
        self.wait = jax.block_until_ready

    def selu(self, count):
        jnp, x = self.jnp, self.jnp.array(filled((count,), 3))
        f = self.jax.jit(
            lambda x: 1.05 * jnp.where(x > 0, x, 1.67 * jnp.exp(x) - 1.67)
        )
        return lambda: f(x)

    def selu_1m(self):
        return self.selu(1 << 20)

    def selu_64m(self):
        return self.selu(1 << 26)

    def copy_64m(self):
        x = self.jnp.zeros(1 << 26, "float32")
        return lambda: self.jnp.copy(x)

    def matvec(self):
        A, v = self.jnp.array(filled((150, 100), 1)), self.jnp.array(filled((10, 100), 1))
        f = self.jax.jit(self.jax.vmap(lambda x: A @ x))
        return lambda: f(v)

    def gradient(self, precision):
        jax, jnp = self.jax, self.jnp
        X, W = jnp.array(filled((1024, 512), 1)), jnp.array(filled((512, 512), 0.1))
        Y = jnp.array(filled((1024, 512), 1))

        def loss(W):
            return jnp.mean((jnp.tanh(jnp.dot(X, W, precision=precision)) - Y) ** 2)

        f = jax.jit(jax.grad(loss))
        return lambda: f(W)

    def grad_f32(self):
        return self.gradient("float32")

    def grad_tf32(self):
        return self.gradient("tensorfloat32")

    def product(self, precision):
        a, b = (self.jnp.array(filled((4096, 4096), 1)) for _ in range(2))
        f = self.jax.jit(lambda a, b: self.jnp.dot(a, b, precision=precision))
        return lambda: f(a, b)

    def matmul_f32(self):
        return self.product("float32")

    def matmul_tf32(self):
        return self.product("tensorfloat32")

    def sum_64m(self):
        x = self.jnp.array(filled((1 << 26,), 1))
        f = self.jax.jit(self.jnp.sum)
        return lambda: f(x)

    def softmax(self):
        x = self.jnp.array(filled((8192, 4096), 3))
        f = self.jax.jit(lambda x: self.jax.nn.softmax(x, axis=1))
        return lambda: f(x)

    def columns(self):
        x = self.jnp.array(filled((8192, 4096), 1))
        f = self.jax.jit(lambda x: x.sum(0))
        return lambda: f(x)

    def transpose(self):
        x = self.jnp.array(filled((8192, 4096), 1))
        f = self.jax.jit(lambda x: (x * 2).T + 1)
        return lambda: f(x)

    def compile(self, seed):
        jnp, a = self.jnp, 1.05 + seed * 1e-6
        start = time.perf_counter()
        f = self.jax.jit(
            lambda x: a * jnp.where(x > 0, x, 1.67 * jnp.exp(x) - 1.67)
        )
        self.wait(f(self.small))
        return (time.perf_counter() - start) * 1e3


class Cupy:
    def __init__(self):
        import cupy

        self.cp = cupy
        cupy.cuda.runtime.getDeviceCount()
        self.small = cupy.asarray(filled((4096,), 3))

    def wait(self, _):
        self.cp.cuda.Device().synchronize()

    def selu(self, count):
        cp, x = self.cp, self.cp.asarray(filled((count,), 3))

        @cp.fuse()
        def f(x):
            return np.float32(1.05) * cp.where(
                x > 0, x, np.float32(1.67) * cp.exp(x) - np.float32(1.67)
            )

        return lambda: f(x)

    def selu_1m(self):
        return self.selu(1 << 20)

    def selu_64m(self):
        return self.selu(1 << 26)

    def copy_64m(self):
        x = self.cp.zeros(1 << 26, "float32")
        y = self.cp.empty_like(x)
        return lambda: y.data.copy_from_device_async(
            x.data, x.nbytes, self.cp.cuda.Stream.null
        )

    def matvec(self):
        A, v = self.cp.asarray(filled((150, 100), 1)), self.cp.asarray(filled((10, 100), 1))
        return lambda: v @ A.T

    def matmul_f32(self):
        a, b = (self.cp.asarray(filled((4096, 4096), 1)) for _ in range(2))
        return lambda: a @ b

    def sum_64m(self):
        x = self.cp.asarray(filled((1 << 26,), 1))
        return lambda: x.sum()

    def columns(self):
        x = self.cp.asarray(filled((8192, 4096), 1))
        return lambda: x.sum(0)

    def transpose(self):
        x = self.cp.asarray(filled((8192, 4096), 1))
        return lambda: (x * 2).T + 1


def main():
    peer = {"jax": Jax, "cupy": Cupy}[sys.argv[1]]()
    name = None
    print("ready", flush=True)
    for line in sys.stdin:
        words = line.split()
        try:
            if words[0] == "compile":
                answer = peer.compile(int(words[1]))
            else:
                if words[0] != name:
                    call = None
                    call, name = getattr(peer, words[0])(), words[0]
                answer = per_call(call, peer.wait)
            print("%.4g" % answer, flush=True)
        except AttributeError:
            print("-", flush=True)
        except Exception as e:
            print(e, file=sys.stderr)
            print("-", flush=True)


main()
