# SPDX-License-Identifier: Apache-2.0
"""What a worker of Dask's does for scale.connect: tasks of scale, run by warpshop."""

from . import _warpshop
from ._warpshop import Error

guest = _warpshop.scale()


def called(label, *args):
    """What Lua gives; what it raises as a RuntimeError("warpshop", kind, text, label)."""
    try:
        return guest(*args)
    except Error as e:
        raise RuntimeError("warpshop", e.kind, e.message, label) from None


class Kept:
    """A task's result, in Lua's memory; as bytes where Dask moves or spills it."""

    __slots__ = ("label", "value", "size")

    def __init__(self, label, value, size):
        self.label, self.value, self.size = label, value, size

    def packed(self):
        """Its bytes behind a mark."""
        return called(self.label, "give", self.value)

    def give(self):
        """Its bytes, as scale reads them."""
        return bytes(memoryview(self.packed())[1:])

    def __reduce__(self):
        return take, (self.label, self.packed())

    def __sizeof__(self):
        return self.size


def take(label, text):
    """A result again, from its bytes."""
    return Kept(label, *guest("take", text))


def run(version, label, text, inputs, here):
    """One task, of a program with this version, in the worker `here`."""
    if version != _warpshop.version:
        raise RuntimeError(
            "warpshop", "argument", f"scale: the worker {here} of Dask's has warpshop"
            f" {_warpshop.version}, and this is {version}: install the same on both",
            label)
    result = called(label, "run", text, *(one.value for one in inputs))
    if result[0] is None:
        raise RuntimeError("warpshop", result[1], result[2], label)
    return Kept(label, *result)
