# SPDX-License-Identifier: Apache-2.0
"""CuPy's own sum, sort and matrix product at the sizes of run.lua's ladders:
medians of nine rounds by events, as there. No CuPy: one line says so."""
import sys

try:
    import cupy
except ImportError as error:
    print("# no CuPy:", error)
    sys.exit(0)

ROUNDS, SPAN_MS = 9, 20


def ms_of(f, calls):
    start, stop = cupy.cuda.Event(), cupy.cuda.Event()
    start.record()
    for _ in range(calls):
        f()
    stop.record()
    stop.synchronize()
    return cupy.cuda.get_elapsed_time(start, stop) / calls


def show(what, f, work, unit):
    """work: of one call, in 10^6 of the unit's counts."""
    try:
        ms_of(f, 3)
        calls = max(1, int(SPAN_MS / ms_of(f, 3)))
        times = sorted(ms_of(f, calls) for _ in range(ROUNDS))
    except Exception as error:  # one that fails does not stop the others
        print("# CuPy %s: %s" % (what, error))
        return
    print(
        "# CuPy %s %s: %.4f ms, %.4f..%.4f; %.2f %s"
        % (cupy.__version__, what, times[4], times[2], times[6],
           work / times[4], unit)
    )


def sums():
    for log in (26, 28):
        x = cupy.ones(1 << log, cupy.float32)
        size = x.nbytes / 1e6
        show("sum of 2^%d floats" % log, lambda: x.sum(), size, "GB/s")
        y = cupy.empty_like(x)
        show("copy of 2^%d floats" % log,
             lambda: y.data.copy_from_device_async(
                 x.data, x.nbytes, cupy.cuda.get_current_stream()),
             2 * size, "GB/s")


def sorts():
    for log in (20, 24, 26):
        keys = cupy.random.randint(0, 1 << 32, 1 << log, dtype=cupy.uint32)
        got = cupy.sort(keys)
        assert bool((got[1:] >= got[:-1]).all())
        show("sort of 2^%d u32" % log, lambda: cupy.sort(keys), keys.size / 1e6,
             "10^9 keys a second")


def products():
    for n in (4096, 8192):
        for dtype in (cupy.float32, cupy.float16):
            a = cupy.random.uniform(-1, 1, (n, n)).astype(dtype)
            b = cupy.random.uniform(-1, 1, (n, n)).astype(dtype)
            c = cupy.empty((n, n), dtype)
            show("%s product, n = %d" % (a.dtype, n),
                 lambda: cupy.matmul(a, b, out=c), 2 * n**3 / 1e9, "TFLOP/s")


sums()
sorts()
products()
