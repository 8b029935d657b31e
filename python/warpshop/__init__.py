# SPDX-License-Identifier: Apache-2.0
"""warpshop in Python: Lua with np, cuda and jax, on a GPU or a virtual one.

    import warpshop as ws
    ws.run("return np.arange(3) * 2")     # -> Array
    ws.set("x", numpy.ones(4))            # shared, not copied
    ws.eval("np.sum(x)")                  # -> 4.0

docs/python.md has more.
"""

import os
import sys

from ._warpshop import (Array, CopyWarning, Error, Frame, Series, Value,
                        copied_bytes, from_dlpack, set)
from . import _warpshop

__all__ = ["Array", "CopyWarning", "Error", "Frame", "Series", "Value", "array",
           "copied_bytes", "eval", "frame", "from_dlpack", "load_ipython_extension", "run", "set"]

# NVRTC may come from a wheel of this environment, which need not be activated.
if sys.prefix != sys.base_prefix:
    os.environ.setdefault("VIRTUAL_ENV", sys.prefix)


def run(source, *args, name="lua"):
    """Runs Lua and gives what it returns, or its last expression's value.

    `args` are `...` in it; `name` stands in messages for a file's name.
    """
    return _warpshop.run(source, args, name)


def eval(expression, name="lua"):
    """The value of an expression in Lua."""
    return _warpshop.eval(expression, name)


def array(x, dtype=None):
    """An Array: over the memory of x where that has __dlpack__, else a copy.

    With a dtype ("float32", "f32") that is not x's: a copy.
    """
    if isinstance(x, (bool, int, float, list, tuple)):
        return run("return np.array(...)", x, dtype)
    shared = from_dlpack(x)
    if dtype is None:
        return shared
    return run("local x, t = ... return x:astype(t)", shared, dtype)


def frame(x):
    """A Frame of a table (of pyarrow, pandas, polars ...) or of a dict of columns.

    Numbers that lie in one piece and are all there are shared, read-only.
    """
    made = run("""local x = ...
        return type(x) == "table" and getmetatable(x) == nil
          and frame.DataFrame(x) or x""", x)
    if not isinstance(made, Frame):
        raise TypeError(f"a table or a dict of columns, not {type(x).__name__}")
    return made


def load_ipython_extension(shell):
    """%load_ext warpshop: %%cuda, %%lua and %check."""
    from . import magics

    magics.load(shell)
