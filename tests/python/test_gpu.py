# SPDX-License-Identifier: Apache-2.0
"""Other libraries' arrays in a GPU's memory, with a driver whose GPU is the host
(tests/fixtures/fake_libcuda.c). tests/gpu/exchange.py is the same with real ones."""

import ctypes
import os
import sys

import warpshop as ws
from tap import raises, run
from test_exchange import Lent, collect, warned

FAKE = os.path.join(os.environ.get("BUILD", "build"), "tests/unit/fake_libcuda.so")
state = {}


class Interface:
    """What Numba's arrays are: no __dlpack__."""

    def __init__(self, values, **other):
        self.data = (ctypes.c_float * len(values))(*values)
        self.__cuda_array_interface__ = {
            "shape": (len(values),), "typestr": "<f4", "version": 3,
            "data": (ctypes.addressof(self.data), False), "strides": None, **other}


def driver():
    """The fake, loaded as PyTorch or CuPy load the real one."""
    if "driver" not in state:
        state["driver"] = ctypes.CDLL(FAKE)
    return state["driver"]


def value(name):
    """A variable of the fake's."""
    return ctypes.c_int.in_dll(driver(), name)


def test_no_driver():
    """where no library has loaded a driver, that is said"""
    e = raises(BufferError, ws.from_dlpack, Lent([1, 2], device=(2, 0)))
    assert "driver" in str(e), e
    raises(BufferError, ws.from_dlpack, Lent([1, 2], device=(8, 0)))


def test_dlpack():
    """an array on a GPU comes as a copy, which is said once"""
    driver()
    lent = Lent([1, 2, 3, 4, 5, 6], shape=(2, 3), device=(2, 1))
    x, said = warned(ws.from_dlpack, lent)
    assert len(said) == 1 and "cuda:1" in said[0], said
    assert x.tolist() == [[1, 2, 3], [4, 5, 6]] and x.device == "host"
    ws.run("local x = ... x[\"0, 0\"] = 9", x)
    assert lent.data[0] == 1 and value("fake_copies").value == 1
    assert driver().fake_is_left()
    assert warned(ws.array, lent)[1] == []


def test_orders():
    """turned, reversed, with gaps, read-only"""
    driver()
    turned = Lent([1, 2, 3, 4, 5, 6], shape=(3, 2), strides=(1, 3), device=(2, 0))
    assert ws.from_dlpack(turned).tolist() == [[1, 4], [2, 5], [3, 6]]
    back = Lent([1, 2, 3], strides=(-1,), offset=8, device=(2, 0), flags=1)
    x = ws.from_dlpack(back)
    ws.run("local x = ... x[0] = 30", x)  # ours
    assert x.tolist() == [30, 2, 1]
    gaps = Lent([1, 2, 3, 4, 5], shape=(3,), strides=(2,), device=(2, 0))
    assert ws.from_dlpack(gaps).tolist() == [1, 3, 5]
    assert ws.from_dlpack(Lent([1], shape=(0, 2), device=(2, 0))).shape == (0, 2)


def test_interface():
    """the CUDA array interface, of who has no __dlpack__"""
    driver()
    assert ws.array(Interface([1, 2, 3])).tolist() == [1, 2, 3]
    every_other = Interface([1, 2, 3, 4], shape=(2,), strides=(8,))
    assert ws.run("local x = ... return x:sum()", every_other) == 4
    assert ws.array(Interface([1], shape=(0,))).shape == (0,)
    for wrong, kind in (({"typestr": ">f4"}, TypeError), ({"typestr": "<c8"}, TypeError),
                        ({"shape": None}, ValueError), ({"data": None}, ValueError),
                        ({"shape": ("a",)}, TypeError)):
        raises(kind, ws.array, Interface([1, 2], **wrong))
    value("fake_ordinal").value = 1
    assert ws.array(Interface([5])).tolist() == [5]
    value("fake_ordinal").value = 0


def test_failure():
    """what the driver refuses is an error, and nothing stays behind"""
    driver()
    lent = Lent([1, 2], device=(2, 0))
    value("fake_fails").value = 1
    assert "700" in str(raises(BufferError, ws.from_dlpack, lent))
    value("fake_fails").value = 0
    assert "101" in str(raises(BufferError, ws.from_dlpack, Lent([1], device=(2, 5))))
    collect()
    assert driver().fake_is_left() and ws.from_dlpack(lent).tolist() == [1, 2]


if __name__ == "__main__":
    sys.exit(run(sys.modules[__name__]))
