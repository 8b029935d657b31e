# SPDX-License-Identifier: Apache-2.0
"""Arrays between warpshop and PyTorch, CuPy, JAX and Numba, on the CPU and on a GPU: for
a machine with one, and any of them installed. Speaks TAP; those that are not installed,
or see no GPU, are skipped.

    make all python
    PYTHONPATH=build/python:tests/python python3 tests/gpu/exchange.py
"""

import ctypes
import gc
import subprocess
import sys
import warnings

import warpshop as ws
from tap import Skip, needs, run
from test_arrow import OnDevice, Producer

COUNT = 1 << 20


def gpu(ready, name):
    """Skips where the library sees no GPU."""
    if not ready():
        raise Skip(f"{name} sees no GPU")


def check_comes(theirs, total, total_now=None):
    """Theirs on the GPU, handed to Lua: the same memory. total_now() is its sum."""
    before = ws.copied_bytes()
    with warnings.catch_warnings():
        warnings.simplefilter("error", ws.CopyWarning)
        ws.set("theirs", theirs)
    assert ws.eval("theirs.device").startswith("cuda:"), ws.eval("theirs.device")
    assert ws.run("return theirs:copy_to_host():sum()") == total
    if total_now:
        ws.run("theirs:fill(3)")
        assert total_now() == 3 * COUNT
    assert ws.copied_bytes() == before
    ws.run("theirs = nil collectgarbage() cuda.synchronize()")
    ws.run("cuda.synchronize()")


def check_leaves(take, total_of, write=None):
    """Ours of the GPU, taken by them: the same memory, whoever drops it first."""
    before = ws.copied_bytes()
    ours = ws.run("x = cuda.device_array({...}, 'f64') x:fill(1) return x", COUNT)
    theirs = take(ours)
    assert total_of(theirs) == COUNT
    ws.run("x:fill(2)")
    assert total_of(theirs) == 2 * COUNT  # they see what Lua does
    if write:
        write(theirs)
        assert ws.run("return x:copy_to_host()[2]") == 5
    total = total_of(theirs)
    assert ws.copied_bytes() == before
    del ours
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
        check_comes(theirs, 100 * COUNT, lambda: float(theirs.sum()))
    def write(theirs):
        theirs[2] = 5
        torch.cuda.synchronize()

    check_leaves(torch.from_dlpack, lambda t: float(t.sum()), write)
    with torch.cuda.stream(torch.cuda.Stream()):
        check_leaves(torch.from_dlpack, lambda t: float(t.sum()), write)
    check_leaves(lambda x: torch.as_tensor(x, device="cuda"), lambda t: float(t.sum()), write)


def test_columns():
    """a column of PyTorch's by Arrow's device interface stays on the GPU"""
    torch = needs("torch")
    gpu(torch.cuda.is_available, "PyTorch")
    theirs = torch.arange(COUNT, device="cuda", dtype=torch.float64)
    ready = torch.cuda.Event()
    for _ in range(100):
        theirs += 1
    ready.record()
    p = Producer([0.0], b"g", ctypes.c_double)
    p.buffers[1] = theirs.data_ptr()
    p.array.rows = COUNT
    event = (ctypes.c_void_p * 1)(ready.cuda_event)
    before = ws.copied_bytes()
    s = ws.run("s = ... return s", OnDevice(p, kind=2, device=theirs.device.index,
                                            event=ctypes.addressof(event)))
    assert s.device.startswith("cuda:") and ws.copied_bytes() == before
    assert ws.run("return s:sum()") == COUNT * (COUNT - 1) / 2 + 100 * COUNT
    del s
    ws.run("s = nil collectgarbage() cuda.synchronize()")
    ws.run("cuda.synchronize()")
    assert sorted(p.released) == ["array", "schema"]


def test_group():
    """what PyTorch had and let go of is carried into a group of two GPUs"""
    torch = needs("torch")
    gpu(lambda: torch.cuda.device_count() > 1, "PyTorch with a second")
    ours = ws.run("x = cuda.device_array({...}, 'f64') x:fill(4) return x", COUNT)
    theirs = torch.from_dlpack(ours)
    join = "return tostring(cuda.comm{'cuda:0', 'cuda:1'})"
    assert "cuda:0 is shared" in ws.run(join)
    del theirs
    gc.collect()
    assert "by NCCL" in ws.run(join), ws.run(join)
    assert float(torch.from_dlpack(ours).sum()) == 4 * COUNT


def test_cupy():
    """CuPy"""
    cupy = needs("cupy")
    gpu(cupy.is_available, "CuPy")
    x = cupy.arange(COUNT, dtype="f8")
    check_comes(x, COUNT * (COUNT - 1) / 2, lambda: float(x.sum()))
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
    theirs = jax.numpy.ones(COUNT, "float32")
    check_comes(theirs, COUNT)
    ws.set("theirs", theirs)
    try:
        ws.run("theirs:fill(3)")
        raise AssertionError("an array of JAX's was written to")
    except ws.Error:
        pass
    jax.config.update("jax_enable_x64", True)
    check_leaves(jax.dlpack.from_dlpack, lambda t: float(t.sum()))


def test_numba():
    """Numba"""
    needs("numba")
    from numba import cuda
    gpu(cuda.is_available, "Numba")
    x = cuda.to_device(needs("numpy").ones(COUNT))
    check_comes(x, COUNT, lambda: float(x.copy_to_host().sum()))

    def write(theirs):
        theirs[2:3].copy_to_device(needs("numpy").array([5.0]))  # no kernel of its own
        cuda.synchronize()

    check_leaves(cuda.as_cuda_array, lambda t: float(t.copy_to_host().sum()), write)


def test_refused():
    """CuPy's stream-ordered pool: a copy, counted and said"""
    cupy = needs("cupy")
    gpu(cupy.is_available, "CuPy")
    with cupy.cuda.using_allocator(cupy.cuda.MemoryAsyncPool().malloc):
        x = cupy.arange(COUNT, dtype="f8")
    before = ws.copied_bytes()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ws.CopyWarning)
        assert ws.run("local x = ... return x:sum()", x) == COUNT * (COUNT - 1) / 2
    assert ws.copied_bytes() == before + 8 * COUNT


PENDING = """
import os, subprocess, torch, warpshop as ws
torch.zeros(1, device="cuda")
ws.run('''
spin = cuda.kernel [==[
__global__ void spin(float *x, long long clocks) {
  long long begin = clock64();
  while (clock64() - begin < clocks) ;
  x[0] = 1;
}
]==]
x = cuda.to_device(np.zeros(1000000, "f32"))
spin[{1, 1}](x, 1000) cuda.synchronize()''')
x = ws.run("spin[{1, 1}](x, 3000000000) return x")
with torch.cuda.stream(torch.cuda.Stream()):
    t = torch.from_dlpack(x)
    if WHO == "server":
        pid = subprocess.run(["pgrep", "-P", str(os.getpid()), "-f", "server 3 cuda:0"],
                             capture_output=True, text=True).stdout.split()[0]
        os.kill(int(pid), 9)
    total = float(t.sum())
    assert WHO == "server" or total == 1, total
print("done", flush=True)
os._exit(0)
"""


def check_pending(who):
    """Work of Lua's is not done when theirs asks for its array."""
    torch = needs("torch")
    gpu(torch.cuda.is_available, "PyTorch")
    text = PENDING.replace("WHO", repr(who))
    try:
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True,
                              timeout=60, check=False)
    except subprocess.TimeoutExpired as e:
        raise AssertionError(f"they wait for ever: {e.stdout} {e.stderr}") from None
    assert done.stdout.endswith("done\n"), done.stdout + done.stderr


def test_pending():
    """they get an array once a kernel of ours is done with it"""
    check_pending("nobody")


def test_pending_death():
    """the server is killed while they have its array: they go on"""
    check_pending("server")


class Over:
    """Memory of a GPU. It is only read, but PyTorch takes none that is read-only."""

    def __init__(self, address, count):
        self.__cuda_array_interface__ = {"shape": (count,), "typestr": "<f8",
                                         "data": (address, False), "version": 3}


def test_arrow():
    """a frame's columns by Arrow's device interface: where they lie, and done with"""
    from test_arrow import Array, pointer_of
    torch = needs("torch")
    gpu(torch.cuda.is_available, "PyTorch")
    torch.zeros(1, device="cuda")
    f = ws.run("""
      late = cuda.kernel [==[
      __global__ void late(double *x, long long n) {
        long long from = clock64();
        while (clock64() - from < n) {}
        x[threadIdx.x] = 7;
      }]==]
      df = frame.DataFrame{{'x', np.ones(32)}, {'y', np.arange(32.0)}}:to_device()
      return df""")
    before = ws.copied_bytes()
    ws.run("late[{1, 32}](df.x.values, 1000000000)")
    _, capsule = f.__arrow_c_device_array__()
    at = pointer_of(capsule, b"arrow_device_array")
    a = Array.from_address(at)
    x, y = (torch.as_tensor(Over(a.children[i].contents.buffers[1], 32), device="cuda")
            for i in range(2))
    with torch.cuda.stream(torch.cuda.Stream()):
        assert float(x.sum()) == 7 * 32 and float(y.sum()) == 31 * 16
    assert ws.copied_bytes() == before
    ws.run("df.y.values:fill(2)")
    assert float(y.sum()) == 64
    del f
    ws.run("df = nil collectgarbage() collectgarbage()")
    ws.run("for i = 1, 8 do cuda.to_device(np.zeros(32, 'f64')) end")
    assert float(x.sum()) == 7 * 32


def test_faults():
    """a kernel of ours faults while they have the array: they go on, and Lua says so"""
    torch = needs("torch")
    gpu(torch.cuda.is_available, "PyTorch")
    x = ws.run("x = cuda.to_device(np.full({1000}, 4, 'f64')) return x")
    theirs = torch.from_dlpack(x)
    try:
        ws.run("""
          bad = cuda.kernel [==[
          __global__ void bad(double *x) { x[1000000000 + threadIdx.x] = 1; }
          ]==]
          bad[{1, 32}](x)""")
        raise AssertionError("nobody said that the kernel faulted")
    except ws.Error:
        pass
    assert float(theirs.sum()) == 4000
    y = torch.from_dlpack(ws.run("return cuda.to_device(np.full({1000}, 5, 'f64'))"))
    assert float(y.sum() + theirs.sum()) == 9000


if __name__ == "__main__":
    sys.exit(run(sys.modules[__name__]))
