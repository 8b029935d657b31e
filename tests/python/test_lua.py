# SPDX-License-Identifier: Apache-2.0
"""warpshop in Python: Lua's values, errors, output, threads, Ctrl-C."""

import contextlib
import io
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

import warpshop as ws
from tap import raises, run

HANG_S = float(os.environ.get("HANG_S", 300))


def test_values():
    """values come as Python's"""
    assert ws.run("return 1, 2.5, 'a', true, nil") == (1, 2.5, "a", True, None)
    assert ws.run("return {1, 2, {3}}") == [1, 2, [3]]
    assert ws.run("return {a = 1, [7] = {b = 'c'}}") == {"a": 1, 7: {"b": "c"}}
    assert ws.run("return {1, nil, 3, x = 2}")["x"] == 2
    assert ws.run("return {}") == []
    assert ws.run("x = 1") is None
    assert ws.run("return '\\xff\\xfe'") == b"\xff\xfe"
    assert ws.run("return math.mininteger") == -(2**63)
    assert type(ws.run("return 2.0")) is float


def test_last_value():
    """the last expression is the value"""
    assert ws.run("1 + 1") == 2
    assert ws.run("local a = 20\na * 2") == 40
    assert ws.eval("1 + 2") == 3
    assert "lua:1" in str(raises(ws.Error, ws.eval, "x = 1"))


def test_arguments():
    """values go to Lua"""
    same = "return ..."
    for value in (1, -2.5, "a", b"\xff\x00", True, None, [1, [2, 3]],
                  {"a": [1], 2: "b"}, 2**63 - 1):
        assert ws.run(same, value) == value, value
    assert ws.run(same, (1, 2)) == [1, 2]
    assert ws.run("local a, b = ... return a - b", 5, 3) == 2
    ws.set("given", {"n": 3})
    assert ws.eval("given.n") == 3
    assert "64 bits" in str(raises(OverflowError, ws.set, "n", 2**63))
    assert "given" not in str(raises(ValueError, ws.set, "a b", 1))
    e = raises(TypeError, ws.set, "n", object())
    assert "__dlpack__" in str(e) and "object" in str(e), e
    raises(TypeError, ws.run, same, {None: 1})


def test_no_end():
    """what holds itself is an error"""
    assert "in itself" in str(raises(ValueError, ws.run, "t = {} t.t = t return t"))
    loop = []
    loop.append(loop)
    assert "in itself" in str(raises(ValueError, ws.set, "loop", loop))


def test_functions():
    """functions of Lua can be called, and given back"""
    add = ws.run("return function(a, b) return a + b, a * b end")
    assert isinstance(add, ws.Value) and add(2, 3) == (5, 6)
    assert "function" in repr(add)
    assert ws.run("local f = ... return (f(1, 2))", add) == 3
    raises(TypeError, add, a=1)
    assert "no number" in str(raises(ws.Error, ws.eval("error"), "no number"))
    before = ws.eval("collectgarbage('count')")
    for _ in range(1000):
        ws.run("return function() end")
    ws.run("collectgarbage()")
    assert ws.eval("collectgarbage('count')") < before + 200


def test_errors():
    """errors have kind, message, diagnostics"""
    e = raises(ws.Error, ws.run, "local a = 1\nnp.arange(3):reshape(2)")
    assert e.kind == "argument" and "lua:2" in str(e) and "reshape" in e.message, e
    e = raises(ws.Error, ws.run, "error('mine')", name="cell 3")
    assert e.kind == "lua" and str(e) == "cell 3:1: mine" and e.diagnostics is None
    e = raises(ws.Error, ws.run, "return 1 +")
    assert "lua:1" in str(e), e
    e = raises(ws.Error, ws.run,
               "cuda.module[==[ __global__ void k(float *x) { y = 1; } ]==]")
    assert e.kind == "compile" and e.diagnostics[0]["line"] == 1, e.diagnostics
    e = raises(ws.Error, ws.run, "error({1})")
    assert isinstance(e, Exception)
    raises(ws.Error, ws.run, "error(setmetatable({}, {__tostring = error}))")


def test_kernel():
    """a kernel runs on the device, and a mistake in it is told"""
    ws.run("""
        add = cuda.kernel[==[
        __global__ void add(const float *x, float *out, int n) {
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i < n) out[i] = x[i] + 1;
        }]==]
        x, out = np.arange(100, "f32"), np.zeros(100, "f32")
        add[{1, 128}](x, out, 100)""")
    assert ws.eval("out[99]") == 100.0
    e = raises(ws.Error, ws.run, "add[{1, 128}](x, out, 120)")
    assert e.kind == "out-of-bounds" and e.diagnostics[0]["array"] == "x", e
    assert isinstance(ws.eval("add"), ws.Value)


def test_print():
    """print writes to sys.stdout, whatever stands there"""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        ws.run("print('one', 2) print({1, 2})")
        ws.run("""
            local k = cuda.kernel[==[
              __global__ void hello() { printf("hello %d\\n", threadIdx.x); }]==]
            k[{1, 2}]() cuda.synchronize()""")
    assert out.getvalue() == "one\t2\n{1, 2}\nhello 0\nhello 1\n", out.getvalue()


def test_print_to_warpshop():
    """what Lua prints to cannot call Lua; afterwards it can"""
    said = []

    class Loop:
        def write(self, text):
            said.append(raises(RuntimeError, ws.eval, "1"))

    with contextlib.redirect_stdout(Loop()):
        ws.run("print(1)")
    assert "cannot call" in str(said[0]) and ws.eval("1") == 1


def test_missing_fft():
    """np.fft says why it is not there"""
    e = raises(ws.Error, ws.run, "np.fft.fft(np.arange(4))")
    assert e.kind == "unsupported" and "FFTW" in str(e), e


def test_missing_workers():
    """scale's workers are the program, and not whatever Python finds by their name"""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "scale-worker"), "w", encoding="ascii") as f:
            f.write("open('was-run', 'w')")
        before = os.getcwd()
        os.chdir(folder)
        try:
            e = raises(ws.Error, ws.run, "scale.Client{n_workers = 1}")
            ws.run("x = scale.array(np.arange(10), {chunks = {5}})")
            assert e.kind == "unsupported" and ws.run("return x:sum():compute()") == 45, e
            ws.run("scale.Client{devices = 1}")
            assert ws.run("return x:sum():compute()") == 45
        finally:
            os.chdir(before)
        assert os.listdir(folder) == ["scale-worker"]


def test_threads():
    """threads take turns, and Python goes on meanwhile"""
    results, went_on = [], threading.Event()

    def work(i):
        results.append(ws.run("local s = 0 for i = 1, 1e5 do s = s + ... end return s", i))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sorted(results) == [0, 1e5, 2e5, 3e5]
    # Lua waits for what another thread of Python does.
    ws.run("go_on = false")
    read, write = os.pipe()
    t = threading.Thread(target=lambda: (os.write(write, b"x\n"), went_on.set()))
    ws.set("path", f"/dev/fd/{read}")
    t.start()
    assert ws.run("return io.open(path):read()") == "x"
    t.join()
    assert went_on.is_set()


def test_interrupt():
    """Ctrl-C stops Lua and is KeyboardInterrupt"""
    code = ("import warpshop as ws\n"
            "try:\n"
            "    ws.run('print(1) io.stderr:write(\"x\") while true do end')\n"
            "except KeyboardInterrupt:\n"
            "    print('stopped', ws.eval('1 + 1'), flush=True)\n")
    p = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE)
    assert p.stderr.read(1) == b"x"
    p.send_signal(signal.SIGINT)
    try:
        out, err = p.communicate(timeout=HANG_S)
    finally:
        p.kill()
    assert out.split() == [b"1", b"stopped", b"2"], (out, err)
    assert p.returncode == 0


def test_interrupt_of_python():
    """Ctrl-C between two calls is Python's alone"""
    ws.run("x = 1")
    raises(KeyboardInterrupt, signal.raise_signal, signal.SIGINT)
    assert ws.run("local s = 0 for i = 1, 10 do s = s + i end return s") == 55


def test_fork():
    """a forked process is told that it shares no device"""
    ws.run("x = 1")
    pid = os.fork()
    if pid == 0:
        try:
            ws.run("x = 2")
        except RuntimeError as e:
            os._exit(0 if "spawn" in str(e) else 2)
        os._exit(1)
    assert os.waitpid(pid, 0)[1] == 0


def is_server(pid):
    """Is process `pid` still a device server?"""
    try:
        return os.readlink(f"/proc/{pid}/exe").endswith("warpshop-device")
    except OSError:
        return False


def test_end():
    """the device server ends with Python"""
    code = ("import warpshop as ws\n"
            "ws.run('cuda.to_device(np.arange(3))')\n"
            "import subprocess\n"
            "import os\n"
            "print(subprocess.run(['pgrep', '-P', str(os.getpid()), '-f', 'server'],"
            "capture_output=True, text=True).stdout)")
    p = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    pids = p.stdout.split()
    assert pids and p.returncode == 0, p
    until = time.monotonic() + HANG_S
    while any(is_server(pid) for pid in pids):
        assert time.monotonic() < until, pids
        time.sleep(0.01)


if __name__ == "__main__":
    sys.exit(run(sys.modules[__name__]))
