# SPDX-License-Identifier: Apache-2.0
"""What sharing arrays of a GPU with PyTorch, CuPy and JAX takes (README.md)."""

import statistics
import time

import warpshop as ws

ROUNDS = 20
SIZES = (1 << 12, 1 << 26, 1 << 30)  # bytes


def median_us(f, rounds=ROUNDS):
    """The median of a call's time, after one that is not counted."""
    f()
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        f()
        times.append(time.perf_counter() - begin)
    return statistics.median(times) * 1e6


def row(what, size, us):
    """One line of the table."""
    print(f"{what:<44} {size:>10}  {us:10.1f}", flush=True)


def comes_and_goes(x):
    """Theirs for Lua, and back."""
    def once():
        y = ws.from_dlpack(x)
        assert y.device != "host"
        del y
        ws.run("collectgarbage() cuda.synchronize()")
    return once


def leaves_and_returns(x, take):
    """Ours for them, and back."""
    def once():
        y = take(x)
        del y
    return once


def measure(name, make, take):
    """All rows of one library."""
    for size in SIZES:
        row(f"{name}: theirs comes and goes", size, median_us(comes_and_goes(make(size))))
        ours = ws.run("return cuda.device_array({...}, 'f32')", size // 4)
        row(f"{name}: ours leaves and returns", size, median_us(leaves_and_returns(ours, take)))
        del ours
        ws.run("collectgarbage()")


def import_of(name):
    """The module, or None."""
    try:
        return __import__(name)
    except ImportError:
        return None


def main():
    """The table."""
    print(f"{'what':<44} {'bytes':>10}  {'us':>10}")
    ws.run("cuda.device_array({1})")
    row("a call of Lua, nothing shared", 0, median_us(lambda: ws.run("return 1"), 1000))
    torch, cupy, jax = import_of("torch"), import_of("cupy"), import_of("jax")
    if torch:
        one = torch.zeros(1, device="cuda")
        mine = ws.from_dlpack(one)
        row("a call of Lua, something shared", 0, median_us(lambda: ws.run("return 1"), 1000))
        del mine
        ws.run("collectgarbage() cuda.synchronize()")
        measure("PyTorch", lambda n: torch.zeros(n // 4, device="cuda"), torch.from_dlpack)
        x = ws.run("return cuda.device_array({...}, 'f32')", SIZES[1] // 4)
        row("a copy by way of the host", SIZES[1], median_us(
            lambda: torch.from_dlpack(x.__dlpack__(dl_device=(1, 0), max_version=(1, 0))).cuda()))
    if cupy:
        measure("CuPy", lambda n: cupy.zeros(n // 4, "f4"), cupy.from_dlpack)
    if jax:
        measure("JAX", lambda n: jax.numpy.zeros(n // 4, "float32"), jax.dlpack.from_dlpack)


if __name__ == "__main__":
    main()
