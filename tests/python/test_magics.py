# SPDX-License-Identifier: Apache-2.0
"""%load_ext warpshop: the cells by themselves, and in IPython where it is installed."""

import contextlib
import io
import os
import sys
import tempfile

import warpshop as ws
from tap import needs, raises, run

RIGHT = """
__global__ void add(const float *x, const float *y, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}
"""
WRONG = RIGHT.replace("if (i < n)", "if (i < n - 1)")


class Shell:
    """What IPython's shell is to an extension."""

    def __init__(self):
        self.magics = {}

    def register_magic_function(self, function, kind, name):
        """Keeps it by its name."""
        self.magics[name] = function


def loaded():
    """The magics of a new shell."""
    shell = Shell()
    ws.load_ipython_extension(shell)
    return shell.magics


def said_by(f, *args):
    """What f writes to the two streams."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        f(*args)
    return out.getvalue(), err.getvalue()


def test_cuda():
    """%%cuda defines kernels by their names"""
    cuda = loaded()["cuda"]
    out, _ = said_by(cuda, "", "__global__ void a(int *x) { *x = 5; }\n"
                     "__global__ void b(int *x) { *x = 6; }\n")
    assert out.startswith("a: ") and "\nb: " in out, out
    ws.run("n = np.zeros(1, 'i32') b[{1, 1}](n)")
    assert ws.eval("n[0]") == 6
    out, _ = said_by(cuda, "", "#define N 3\n")
    assert "no kernel" in out, out


def test_cuda_error():
    """what is wrong is shown as the prompt shows it, without lines of Python"""
    cuda = loaded()["cuda"]
    e = raises(ws.Error, cuda, "mine.cu", "__global__ void a(int *x) { *y = 5; }\n")
    lines = e._render_traceback_()
    assert lines[0].startswith("mine.cu:1:") and "undefined" in lines[0], lines
    assert "^" in "\n".join(lines) and "Traceback" not in "\n".join(lines)
    e = raises(ws.Error, cuda, "", "int;\n__global__ void a() { z }\n")
    assert str(e).startswith("cell 2.cu:2:"), e


def test_lua():
    """%%lua runs the cell, %lua a line"""
    lua = loaded()["lua"]
    assert lua("", "local a = 2\na * 3") == 6
    assert lua("1 + 1") == 2
    e = raises(ws.Error, lua, "", "\nnope()")
    assert str(e).startswith("cell 2:2:"), e
    e = raises(ws.Error, lua, "nope()")
    assert str(e).startswith("%lua:1:"), e


def test_check():
    """%check judges the cell before it"""
    magics = loaded()
    assert "no %%cuda" in said_by(magics["check"], "vector-add")[1]
    said_by(magics["cuda"], "", WRONG)
    out, _ = said_by(magics["check"], "vector-add")
    assert "fail" in out and "out[" in out, out
    said_by(magics["cuda"], "", RIGHT)
    out, err = said_by(magics["check"], "vector-add")
    assert "pass" in out and not err, (out, err)
    assert "usage" in said_by(magics["check"], " ")[1]
    _, err = said_by(magics["check"], "no-such-exercise")
    assert "no-such-exercise" in err, err


def test_check_without_program():
    """%check says what it needs"""
    from warpshop import magics as m
    cells = loaded()
    said_by(cells["lua"], "", "1")
    path, find = os.environ["PATH"], m.os.path.isfile
    with tempfile.TemporaryDirectory() as nothing:
        os.environ["PATH"] = nothing
        m.os.path.isfile = lambda path: False
        try:
            _, err = said_by(cells["check"], "vector-add")
        finally:
            os.environ["PATH"], m.os.path.isfile = path, find
    assert "make install" in err, err


def test_ipython():
    """in IPython"""
    needs("IPython")
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config
    from IPython.utils.capture import capture_output
    with tempfile.TemporaryDirectory() as home:
        os.environ["IPYTHONDIR"] = home
        config = Config()
        config.HistoryManager.enabled = False
        shell = InteractiveShell.instance(config=config)
        shell.run_cell("%load_ext warpshop")
        with capture_output() as said:
            done = shell.run_cell("%%cuda\n" + RIGHT)
        assert done.success and "add: " in said.stdout, said.stdout
        with capture_output() as said:
            done = shell.run_cell("%%lua\nx = np.ones(3, 'f32')\nx * 2")
        assert done.success and done.result.tolist() == [2, 2, 2], said.stdout
        assert "array([2, 2, 2], f32)" in said.stdout, said.stdout
        with capture_output() as said:
            done = shell.run_cell("%%cuda\n__global__ void a() { nope; }")
        text = said.stdout + said.stderr
        assert not done.success and "undefined" in text, text
        assert "Traceback" not in text and "magics.py" not in text, text
        with capture_output() as said:
            done = shell.run_cell("%check vector-add")
        assert "compile-error" in said.stdout, said.stdout


if __name__ == "__main__":
    sys.exit(run(sys.modules[__name__]))
