# SPDX-License-Identifier: Apache-2.0
# The rows of np.lua in NumPy.
import time

import numpy as np

N = 1000000


def best(f, repeats):
    f()
    least = float("inf")
    for _ in range(5):
        start = time.process_time()
        for _ in range(repeats):
            f()
        least = min(least, (time.process_time() - start) / repeats)
    return least * 1e6


def row(name, f, repeats=4):
    print(f"{name}\t{best(f, repeats):.4f}")


step = np.arange(N)
for t in ("f32", "f64"):
    x = (step * (20 / N) - 10).astype(t.replace("f32", "f4").replace("f64", "f8"))
    y = (step * (1 / N) + 0.5).astype(x.dtype)
    row("exp " + t, lambda: np.exp(x))
    row("log " + t, lambda: np.log(y))
    row("sin " + t, lambda: np.sin(x))
    row("cos " + t, lambda: np.cos(x))
    row("tanh " + t, lambda: np.tanh(x))
    row("power " + t, lambda: np.power(y, x))
    row("add " + t, lambda: x + y)
    row("multiply by 2 " + t, lambda: x * 2)
    row("divide " + t, lambda: x / y)
    row("sqrt " + t, lambda: np.sqrt(y))
    row("maximum " + t, lambda: np.maximum(x, y))
    row("less " + t, lambda: np.less(x, y))
    m = np.less(x, y)
    row("where " + t, lambda: np.where(m, x, y))
    row("sum " + t, lambda: np.sum(x))
    row("sum of columns " + t, lambda: x.reshape(1000, 1000).sum(0))
    row("max " + t, lambda: np.max(x))
    row("x * 2 + y " + t, lambda: x * 2 + y)

i32, f32, f64 = step.astype("i4"), step.astype("f4"), step.astype("f8")
row("add i32", lambda: i32 + i32)
row("f32 to f64", lambda: f32.astype("f8"))
row("f64 to f32", lambda: f64.astype("f4"))
row("f64 to i32", lambda: f64.astype("i4"))
row("i32 to f32", lambda: i32.astype("f4"))
square = f32.reshape(1000, 1000)
row("add a row", lambda: square + square[1])
row("add the transposed", lambda: square + square.T)
row("copy of the transposed", lambda: square.T.copy())

c = np.sin(np.arange(1 << 16))
row("fft of 2^16", lambda: np.fft.fft(c))
row("rfft of 2^16", lambda: np.fft.rfft(c))
lines = np.sin(np.arange(256 * 1024)).reshape(256, 1024)
row("fft of 256 x 1024", lambda: np.fft.fft(lines))
short = np.sin(np.arange(256))
row("fft of 256", lambda: np.fft.fft(short), 200)

at = (step * 7919) % N
mask = np.equal(step % 3, 0)


def put(where):
    f64[where] = 1


row("x[positions]", lambda: f64[at])
row("take", lambda: np.take(f64, at))
row("x[mask]", lambda: f64[mask])
row("rows by position", lambda: square[at[0:1000] % 1000])
row("x[positions] = 1", lambda: put(at))
row("x[mask] = 1", lambda: put(mask))

# Families that nobody tuned for.
f64 = step * (1 / N) + 0.5
f32 = f64.astype("f4")
mixed = np.sin(step * 7919)
mixed32 = mixed.astype("f4")
wide, column = mixed.reshape(1000, 1000), np.arange(1000.0)
for t, name in (("f32", "f4"), ("f64", "f8")):
    x = wide.astype(name)
    flat = mixed.astype(name)
    row("sum of rows " + t, lambda: x.sum(1))
    row("mean of columns " + t, lambda: np.mean(x, 0))
    row("std " + t, lambda: np.std(flat))
    row("max of rows " + t, lambda: x.max(1))
    row("max of columns " + t, lambda: x.max(0))
    row("argmax " + t, lambda: np.argmax(flat))
    row("sort " + t, lambda: np.sort(flat))
    row("argsort " + t, lambda: np.argsort(flat))
    row("cumsum " + t, lambda: np.cumsum(flat))
    row("floor " + t, lambda: np.floor(flat))
    row("absolute " + t, lambda: np.abs(flat))
    row("isnan " + t, lambda: np.isnan(flat))
    row("clip " + t, lambda: np.clip(flat, -0.5, 0.5))
    row("concatenate " + t, lambda: np.concatenate([flat, flat]))
    m = flat[:65536].reshape(256, 256)
    row("matmul 256 " + t, lambda: np.matmul(m, m))
    row("dot " + t, lambda: np.dot(flat, flat))
for t in ("i8", "u8", "i16", "i32", "i64"):
    name = f"{t[0]}{int(t[1:]) // 8}"
    x, y = (step % 100).astype(name), (step % 13 + 1).astype(name)
    row("add " + t + " again", lambda: x + y)
    row("multiply " + t, lambda: x * y)
    row("floor_divide " + t, lambda: x // y)
    row("bitwise_and " + t, lambda: np.bitwise_and(x, y))
    row("maximum " + t, lambda: np.maximum(x, y))
    row("equal " + t, lambda: np.equal(x, y))
    row("sum " + t, lambda: np.sum(x))
    row("max " + t, lambda: np.max(x))
    row(t + " to f64", lambda: x.astype("f8"))
    row("sort " + t, lambda: np.sort(x))
half = mixed.astype("f2")
row("add f16", lambda: half + half)
row("f16 to f32", lambda: half.astype("f4"))
row("f32 to f16", lambda: mixed32.astype("f2"))
row("i64 to i32", lambda: step.astype("i4"))
row("f64 to bool", lambda: mixed.astype("?"))
row("bool to f32", lambda: mask.astype("f4"))
row("column + row", lambda: column.reshape(1000, 1) + column.reshape(1, 1000))
row("every other + 1", lambda: mixed[::2] + 1)
row("subtract a column", lambda: wide - column.reshape(1000, 1))
row("where with a number", lambda: np.where(mask, mixed, 0))
row("any", lambda: np.any(np.zeros(N, "?")))
row("count_nonzero", lambda: np.count_nonzero(mask))
row("nonzero", lambda: np.nonzero(mask))
row("logical_and", lambda: np.logical_and(mask, mask))
row("invert bool", lambda: np.logical_not(mask))
row("flip", lambda: np.flip(mixed).copy())
row("roll", lambda: np.roll(mixed, 7))
row("diff", lambda: np.diff(mixed))
row("repeat", lambda: np.repeat(column, 1000))
row("unique", lambda: np.unique(step % 1000))
row("bincount", lambda: np.bincount(step % 1000))
row("searchsorted", lambda: np.searchsorted(column, mixed))
row("arange", lambda: np.arange(N))
row("zeros", lambda: np.zeros(N))
row("linspace", lambda: np.linspace(0, 1, N))
z = mixed + 1j * f64
row("complex multiply", lambda: z * z)
row("complex absolute", lambda: np.abs(z))

a, b = np.arange(10.0), np.arange(10.0) + 1
few = 20000
row("10: x + y", lambda: a + b, few)
row("10: x * 2", lambda: a * 2, few)
row("10: np.exp(x)", lambda: np.exp(a), few)
row("10: np.sum(x)", lambda: np.sum(a), few)
row("10: x:sum()", lambda: a.sum(), few)
row("10: np.less(x, y)", lambda: np.less(a, b), few)
row("10: np.where", lambda: np.where(a, a, b), few)
row("10: x[2]", lambda: a[2], few)
row("10: reshape", lambda: a.reshape(2, 5), few)
row("10: np.zeros", lambda: np.zeros(10), few)
row("10: x[1:3]", lambda: a[1:3], few)
row("10: astype", lambda: a.astype("f4"), few)
row("10: np.concatenate", lambda: np.concatenate([a, b]), few)
row("10: np.max(x, 0)", lambda: np.max(a, 0), few)
row("10: np.sort(x)", lambda: np.sort(a), few)
row("10: np.dot(x, y)", lambda: np.dot(a, b), few)
