# SPDX-License-Identifier: Apache-2.0
"""Arrays between warpshop and PyTorch, CuPy, JAX and Numba, on the CPU and on a GPU: for
a machine with one, and any of them installed. Speaks TAP; those that are not installed,
or see no GPU, are skipped.

    make all python
    PYTHONPATH=build/python:tests/python python3 tests/gpu/exchange.py
"""

import gc
import sys
import warnings

import warpshop as ws
from tap import Skip, needs, run

COUNT = 1 << 20


def gpu(ready, name):
    """Skips where the library sees no GPU."""
    if not ready():
        raise Skip(f"{name} sees no GPU")


def check_comes(theirs, total):
    """Theirs on the GPU, handed to Lua: a copy with their values."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ws.CopyWarning)
        assert ws.run("local x = ... return x:sum()", theirs) == total
        ws.set("theirs", theirs)
        ws.run("d = cuda.to_device(theirs) d = d * 2")
    assert ws.run("return d:copy_to_host():sum()") == 2 * total


def check_leaves(take, total_of, write=None):
    """Ours of the GPU, taken by them: the same memory, whoever drops it first."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", ws.CopyWarning)
        calls = ws.run("""
          x = cuda.device_array({...}, "f64")
          x:fill(1)
          return x""", COUNT)
        theirs = take(calls)
    assert total_of(theirs) == COUNT
    ws.run("x:fill(2) cuda.synchronize()")
    assert total_of(theirs) == 2 * COUNT  # they see what Lua does
    if write:
        write(theirs)
        assert ws.run("return x:copy_to_host()[2]") == 5
    total = total_of(theirs)
    del calls
    ws.run("x = nil collectgarbage()")
    gc.collect()
    ws.run("for i = 1, 8 do cuda.to_device(np.zeros(..., 'f64')) end", COUNT)
    assert total_of(theirs) == total  # and have it for as long as they want


def check_host(take, write):
    """Ours on the host, taken by them: the same memory, whoever dies first."""
    x = ws.run("a = np.zeros(4, 'f32') return a")
    theirs = take(x)
    write(theirs)
    assert ws.eval("a[2]") == 5.0
    del x
    ws.run("a = nil collectgarbage()")
    gc.collect()
    assert float(theirs[2]) == 5.0


def set_third(x):
    """x[2] = 5, of who can."""
    x[2] = 5


def test_torch_host():
    """PyTorch on the CPU: one memory"""
    torch = needs("torch")
    check_host(torch.from_dlpack, set_third)
    theirs = torch.zeros(4)
    ws.set("t", theirs)
    ws.run("t[1] = 3")
    assert float(theirs[1]) == 3


def test_torch_gpu():
    """PyTorch on the GPU, with work still going on"""
    torch = needs("torch")
    gpu(torch.cuda.is_available, "PyTorch")
    with torch.cuda.stream(torch.cuda.Stream()):
        theirs = torch.zeros(COUNT, device="cuda", dtype=torch.float64)
        for _ in range(100):
            theirs += 1
        check_comes(theirs, 100 * COUNT)
    def write(theirs):
        theirs[2] = 5
        torch.cuda.synchronize()

    check_leaves(torch.from_dlpack, lambda t: float(t.sum()), write)
    with torch.cuda.stream(torch.cuda.Stream()):
        check_leaves(torch.from_dlpack, lambda t: float(t.sum()), write)
    check_leaves(lambda x: torch.as_tensor(x, device="cuda"), lambda t: float(t.sum()), write)


def test_cupy():
    """CuPy"""
    cupy = needs("cupy")
    gpu(cupy.is_available, "CuPy")
    check_comes(cupy.arange(COUNT, dtype="f8"), COUNT * (COUNT - 1) / 2)
    check_comes(cupy.ones((COUNT, 2))[:, 0], COUNT)
    def write(theirs):
        theirs[2] = 5
        cupy.cuda.Device().synchronize()

    check_leaves(cupy.from_dlpack, lambda t: float(t.sum()), write)
    check_leaves(cupy.asarray, lambda t: float(t.sum()), write)
    with cupy.cuda.Stream(non_blocking=True):
        check_leaves(cupy.from_dlpack, lambda t: float(t.sum()), write)


def test_jax():
    """JAX"""
    jax = needs("jax")
    gpu(lambda: jax.default_backend() == "gpu", "JAX")
    check_comes(jax.numpy.ones(COUNT, "float32"), COUNT)
    jax.config.update("jax_enable_x64", True)
    check_leaves(jax.dlpack.from_dlpack, lambda t: float(t.sum()))


def test_numba():
    """Numba"""
    needs("numba")
    from numba import cuda
    gpu(cuda.is_available, "Numba")
    check_comes(cuda.to_device(needs("numpy").ones(COUNT)), COUNT)

    def write(theirs):
        theirs[2] = 5
        cuda.synchronize()

    check_leaves(cuda.as_cuda_array, lambda t: float(t.copy_to_host().sum()), write)


if __name__ == "__main__":
    sys.exit(run(sys.modules[__name__]))
