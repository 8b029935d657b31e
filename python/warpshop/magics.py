# SPDX-License-Identifier: Apache-2.0
"""%load_ext warpshop: cells of CUDA C and Lua in IPython and Jupyter, and checks.

%%cuda            compiles the cell; its kernels are Lua's globals by their names
%%lua             runs the cell; its last expression is the cell's value
%lua EXPRESSION   the same of one line
%check EXERCISE   judges the last such cell as that exercise's solution
"""

import os
import shutil
import subprocess
import sys
import tempfile

from ._warpshop import Error
from . import run

COMPILE = """
local source, file = ...
local m = cuda.module(source, {file = file, kernels_only = true})
local made = {}
for i, name in ipairs(m.kernels) do
  local k = m[name]
  _G[name] = k
  made[i] = {name = name, ms = k.compile_ms, is_cached = k.is_cached}
end
return made
"""


class Cells:
    """The magics of one shell, and the cell that %check judges."""

    def __init__(self):
        self.source, self.suffix = None, None
        self.count = 0

    def keep(self, source, suffix):
        """Remembers the cell, and gives its name for messages."""
        self.source, self.suffix = source, suffix
        self.count += 1
        return f"cell {self.count}"

    def cuda(self, line, cell):
        """%%cuda [NAME.cu]: compiles the cell's CUDA C."""
        file = self.keep(cell, ".cu")
        made = tell(run, COMPILE, cell, line.strip() or f"{file}.cu",
                    name="[warpshop] cuda")  # no line of it is anybody's mistake
        if not made:
            print("(no kernel in it: nothing was defined; helpers belong into the "
                  "cell of the kernel that uses them)")
        for kernel in made:
            how = ("found in the cache" if kernel["is_cached"] else
                   f"compiled in {kernel['ms']:.1f} ms")
            print(f"{kernel['name']}: {how}")

    def lua(self, line, cell=None):
        """%%lua: runs the cell. %lua EXPRESSION: the line."""
        if cell is None:
            return tell(run, line, name="%lua")
        return tell(run, cell, name=self.keep(cell, ".lua"))

    def check(self, line):
        """%check EXERCISE: judges the last %%cuda or %%lua cell."""
        if not line.strip():
            print("usage: %check EXERCISE, below a %%cuda or %%lua cell; "
                  "!warpshop exercise list has their names", file=sys.stderr)
        elif self.source is None:
            print("there is no %%cuda or %%lua cell yet that could be judged",
                  file=sys.stderr)
        else:
            judge(line.strip(), self.source, self.suffix)


def tell(function, *args, **named):
    """Calls it; of an error the cell shows what we say, and no lines of Python."""
    try:
        return function(*args, **named)
    except Error as e:
        lines = str(e).splitlines()
        e._render_traceback_ = lambda: lines
        raise


def find_program():
    """The program warpshop: of the tree that this was built in, or of PATH."""
    here = os.path.dirname(os.path.realpath(__file__))
    built = os.path.join(here, "..", "..", "warpshop")
    if os.path.isfile(built) and os.access(built, os.X_OK):
        return os.path.normpath(built)
    return shutil.which("warpshop")


def judge(exercise, source, suffix):
    """Runs the judge, which is a program of its own."""
    program = find_program()
    if not program:
        print("%check needs the program warpshop, which is not on PATH: make "
              "install puts it there", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, exercise.replace("/", "_") + suffix)
        with open(path, "w", encoding="utf-8") as f:
            f.write(source)
        done = subprocess.run([program, "grade", exercise, path], check=False,
                              cwd=folder, capture_output=True, text=True)
    print(done.stdout, end="")
    print(done.stderr, end="", file=sys.stderr)


def load(shell):
    """Registers the magics with IPython's shell."""
    cells = Cells()
    shell.register_magic_function(cells.cuda, "cell", "cuda")
    shell.register_magic_function(cells.lua, "line_cell", "lua")
    shell.register_magic_function(cells.check, "line", "check")
