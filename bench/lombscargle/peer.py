# SPDX-License-Identifier: Apache-2.0
"""CuPy's own Lomb-Scargle periodogram on the samples of ladder.lua, for both
types: medians of nine rounds by events, as there. No CuPy: one line says so."""
import sys

import numpy as np

try:
    import cupy
    from cupyx.scipy.signal import lombscargle
except ImportError as error:
    print("# no CuPy:", error)
    sys.exit(0)

N, M, ROUNDS, SPAN_MS = 1 << 10, 1 << 20, 9, 20
j = np.arange(N, dtype=np.float64)
x = (j + 0.4 * np.sin(j * 12.9898)) * (10 * np.pi / N) + 0.01
y = np.sin(x * 3.7 + 0.5) + 0.5 * np.sin(j * 78.233)
freqs = 0.5 + np.arange(M) * (8 / M)
samples = [a.astype(np.float32) for a in (x, y, freqs)]


def ms_of(f, calls):
    start, stop = cupy.cuda.Event(), cupy.cuda.Event()
    start.record()
    for _ in range(calls):
        result = f()
    stop.record()
    stop.synchronize()
    return cupy.cuda.get_elapsed_time(start, stop) / calls, result


want = None
for dtype in (np.float64, np.float32):
    inputs = [cupy.asarray(a.astype(dtype)) for a in samples]
    call = lambda: lombscargle(*inputs, normalize=True)
    once, result = ms_of(call, 3)
    once, result = ms_of(call, 3)
    calls = max(1, int(SPAN_MS / once))
    times = sorted(ms_of(call, calls)[0] for _ in range(ROUNDS))
    got = cupy.asnumpy(result).astype(np.float64)
    want = got if want is None else want
    print(
        "# CuPy %s lombscargle, %s in, %s out: %.4f ms, %.4f..%.4f; error %.1e"
        % (cupy.__version__, np.dtype(dtype).name, result.dtype, times[4],
           times[2], times[6], np.abs(got - want).max() / want.max())
    )
