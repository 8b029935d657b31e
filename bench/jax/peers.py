# SPDX-License-Identifier: Apache-2.0
"""Answers requests of bench/jax/run with JAX or CuPy: peers.py jax|cupy.

One request a line, "NAME [SEED]". The answer is "WALL [DEVICE]": microseconds
of one call, with its share of the host's work and by the device's own clock
(which JAX does not show); of `compile...`, milliseconds of the first call of a
function that nobody has seen. A row that is not here answers "-". ours.lua
answers the same, from the same functions.
"""
import math
import os
import sys
import time

# JAX takes memory as it needs it, since others share the GPU.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
import numpy as np

SMALL = "BENCH_SMALL" in os.environ  # to try this file out
PERIOD = 1 << 20
WARM_S, SPAN_S, MOST_CALLS = 0.03, 0.02, 1 << 14


def size(n, small):
    return small if SMALL else n


def filled(shape, scale):
    count = math.prod(shape)
    x = np.arange(min(count, PERIOD), dtype=np.float32) * np.float32(12.9898)
    x = np.sin(x) * np.float32(scale)
    return np.resize(x, count).reshape(shape)


def seconds(f, wait, calls):
    start = time.perf_counter()
    for _ in range(calls):
        y = f()
    wait(y)
    return time.perf_counter() - start


def per_call(f, wait):
    count, spent = 1, 0.0
    while spent < WARM_S:
        s = seconds(f, wait, count)
        spent += s
        if s < SPAN_S / 2:
            count = min(count * 2, MOST_CALLS)
    while True:
        s = seconds(f, wait, count)
        if s >= SPAN_S or count >= MOST_CALLS or SMALL:
            return s * 1e6 / count
        count = min(MOST_CALLS, math.ceil(count * SPAN_S / s * 1.2))


class Jax:
    def __init__(self):
        import jax
        import jax.numpy as jnp

        if jax.default_backend() == "cpu" and not SMALL:
            raise RuntimeError("JAX has no GPU")
        self.jax, self.jnp = jax, jnp
        self.small = jnp.array(filled((4096,), 3))
        self.wait = jax.block_until_ready
        self.title = "JAX " + jax.__version__
        # JAX's own default on such a GPU is TF32.
        self.f32 = jax.lax.Precision.HIGHEST
        self.tf32 = jax.lax.Precision.DEFAULT

    def on_device(self, f, wall_us):
        return None

    def selu(self, count):
        jnp, x = self.jnp, self.jnp.array(filled((count,), 3))
        f = self.jax.jit(
            lambda x: 1.05 * jnp.where(x > 0, x, 1.67 * jnp.exp(x) - 1.67)
        )
        return lambda: f(x)

    def selu_1m(self):
        return self.selu(size(1 << 20, 1 << 14))

    def selu_64m(self):
        return self.selu(size(1 << 26, 1 << 16))

    def copy_64m(self):
        x = self.jnp.zeros(size(1 << 26, 1 << 16), "float32")
        return lambda: self.jnp.copy(x)

    def matvec(self):
        A = self.jnp.array(filled((150, 100), 1))
        v = self.jnp.array(filled((10, 100), 1))
        f = self.jax.jit(self.jax.vmap(lambda x: self.jnp.dot(A, x)))
        return lambda: f(v)

    def gradient(self, precision):
        jax, jnp = self.jax, self.jnp
        n, k, m = size(1024, 64), size(512, 32), size(512, 32)
        X, W = jnp.array(filled((n, k), 1)), jnp.array(filled((k, m), 0.1))
        Y = jnp.array(filled((n, m), 1))

        def loss(w):
            p = jnp.tanh(jnp.matmul(X, w, precision=precision))
            return jnp.mean((p - Y) ** 2)

        f = jax.jit(jax.grad(loss))
        return lambda: f(W)

    def grad_f32(self):
        return self.gradient(self.f32)

    def grad_tf32(self):
        return self.gradient(self.tf32)

    def product(self, precision):
        jnp, n = self.jnp, size(4096, 64)
        a, b = (jnp.array(filled((n, n), 1)) for _ in range(2))
        f = self.jax.jit(lambda a, b: jnp.matmul(a, b, precision=precision))
        return lambda: f(a, b)

    def matmul_f32(self):
        return self.product(self.f32)

    def matmul_tf32(self):
        return self.product(self.tf32)

    def sum_64m(self):
        x = self.jnp.array(filled((size(1 << 26, 1 << 16),), 1))
        f = self.jax.jit(lambda a: self.jnp.sum(a))
        return lambda: f(x)

    def of_matrix(self, f):
        x = self.jnp.array(filled((size(8192, 64), size(4096, 64)), 3))
        f = self.jax.jit(f)
        return lambda: f(x)

    def softmax(self):
        return self.of_matrix(lambda x: self.jax.nn.softmax(x, axis=1))

    def columns(self):
        return self.of_matrix(lambda x: self.jnp.sum(x, axis=0))

    def transpose(self):
        return self.of_matrix(lambda x: self.jnp.transpose(x * 2.0) + 1.0)

    # ---- Compiling ----

    def timed(self, body):
        start = time.perf_counter()
        self.wait(self.jax.jit(body)(self.small))
        return (time.perf_counter() - start) * 1e3

    def compile(self, a):
        jnp = self.jnp
        return self.timed(lambda x: a * jnp.where(x > 0, x, 1.67 * jnp.exp(x) - 1.67))

    def compile_chain(self, a):
        def chain(x):
            y = x
            for i in range(1, 11):
                y = self.jnp.sin(y * (a + i)) + x / (i + a)
            return y

        return self.timed(chain)

    def compile_rows(self, a):
        jax, jnp = self.jax, self.jnp
        return self.timed(lambda x: jax.nn.softmax(jnp.reshape(x, (64, 64)) * a, axis=1))

    def compile_slope(self, a):
        jnp = self.jnp
        return self.timed(self.jax.grad(lambda x: jnp.mean(jnp.tanh(x * a) ** 2)))


class Cupy:
    def __init__(self):
        import cupy as cp

        self.cp = cp
        self.wait = lambda _: cp.cuda.Device().synchronize()
        self.title = "CuPy " + cp.__version__
        cp.zeros(1)
        self.delay_from = self.delay_to = None

    def delay(self):
        if self.delay_from is None:
            self.delay_from = self.cp.zeros(1 << 26, "float32")
            self.delay_to = self.cp.zeros(1 << 26, "float32")
        for _ in range(16):
            self.copy(self.delay_to, self.delay_from)

    def on_device(self, f, wall_us):
        """As on_device of ours.lua."""
        calls = max(5, min(100, int(SPAN_S * 1e6 / wall_us)))
        start, stop = self.cp.cuda.Event(), self.cp.cuda.Event()
        self.delay()
        start.record()
        for _ in range(calls):
            y = f()
        stop.record()
        stop.synchronize()
        return self.cp.cuda.get_elapsed_time(start, stop) * 1e3 / calls

    def selu(self, count):
        cp, x = self.cp, self.cp.asarray(filled((count,), 3))

        @cp.fuse()
        def f(x):
            return cp.float32(1.05) * cp.where(
                x > 0, x, cp.float32(1.67) * cp.exp(x) - cp.float32(1.67)
            )

        return lambda: f(x)

    def selu_1m(self):
        return self.selu(size(1 << 20, 1 << 14))

    def selu_64m(self):
        return self.selu(size(1 << 26, 1 << 16))

    def copy(self, y, x):
        y.data.copy_from_device_async(x.data, x.nbytes, self.cp.cuda.Stream.null)

    def copy_64m(self):
        x = self.cp.zeros(size(1 << 26, 1 << 16), "float32")
        y = self.cp.empty_like(x)
        return lambda: self.copy(y, x)

    def matvec(self):
        A = self.cp.asarray(filled((150, 100), 1))
        v = self.cp.asarray(filled((10, 100), 1))
        return lambda: v @ A.T

    def matmul_f32(self):
        n = size(4096, 64)
        a, b = (self.cp.asarray(filled((n, n), 1)) for _ in range(2))
        return lambda: a @ b

    def sum_64m(self):
        x = self.cp.asarray(filled((size(1 << 26, 1 << 16),), 1))
        return lambda: x.sum()

    def of_matrix(self, f):
        x = self.cp.asarray(filled((size(8192, 64), size(4096, 64)), 3))
        return lambda: f(x)

    def columns(self):
        return self.of_matrix(lambda x: x.sum(0))

    def transpose(self):
        return self.of_matrix(lambda x: (x * 2).T + 1)


def main():
    peer = {"jax": Jax, "cupy": Cupy}[sys.argv[1]]()
    call, name = None, None
    print("ready", peer.title, flush=True)
    for line in sys.stdin:
        words = line.split()
        try:
            row = getattr(peer, words[0], None)
            if row is None:
                answer = "-"
            elif words[0].startswith("compile"):
                answer = "%.5g" % row(1.05 + int(words[1]) * 1e-6)
            else:
                if words[0] != name:
                    call = None  # one at a time, so that memory is not short
                    call, name = row(), words[0]
                wall = per_call(call, peer.wait)
                device = peer.on_device(call, wall)
                answer = "%.5g" % wall if device is None else "%.5g %.5g" % (wall, device)
        except Exception as e:
            print("%s: %s" % (words[0], str(e).split("\n")[0]), file=sys.stderr, flush=True)
            answer, name = "-", None
        print(answer, flush=True)


main()
