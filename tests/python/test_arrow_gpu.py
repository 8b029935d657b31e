# SPDX-License-Identifier: Apache-2.0
"""Columns on a GPU by Arrow's C device data interface, with a driver whose GPUs' memory
is the host's (test_gpu_share.py)."""

import ctypes
import gc
import sys

from test_gpu_share import driver, numbers, value, ws  # first: it sets the environment
from tap import run
from test_arrow import Array, Release, Schema, opened, pointer_of
from test_exchange import collect, warned

COUNT = 100000
LENT = ("return frame.DataFrame{{'x', np.arange(%d, 'f32')}, {'n', np.arange(%d)}}"
        ":to_device()" % (COUNT, COUNT))


def told(capsule):
    """The array, its device and its kind."""
    at = pointer_of(capsule, b"arrow_device_array")
    behind = at + ctypes.sizeof(Array)
    return (Array.from_address(at), ctypes.c_int64.from_address(behind).value,
            ctypes.c_int32.from_address(behind + 8).value)


def test_before():
    """where no library has loaded a driver, a copy on the CPU leaves"""
    f = ws.run(LENT)
    (_, array), said = warned(f.__arrow_c_device_array__)
    assert told(array)[1:] == (-1, 1) and len(said) == 1 and "cuda:0" in said[0]


def test_lend():
    """numbers are lent where they lie"""
    driver()
    f = ws.run("df = (function() %s end)() return df" % LENT)
    (schema, array), said = warned(f.__arrow_c_device_array__, None)
    a, device, kind = told(array)
    assert (device, kind, said) == (0, 2, []) and a.rows == COUNT
    names = opened(schema, Schema, b"arrow_schema")
    assert [names.children[i].contents.format for i in range(2)] == [b"f", b"l"]
    assert [names.children[i].contents.name for i in range(2)] == [b"x", b"n"]
    x = a.children[0].contents
    assert x.buffers[0] is None and x.missing == 0
    theirs = numbers(x.buffers[1], COUNT)
    assert theirs[COUNT - 1] == COUNT - 1 and value("fake_copies") == 0
    ws.run("df.x.values:fill(3)")
    assert theirs[5] == 3
    schema, array = f["n"].__arrow_c_device_array__()
    a, device, kind = told(array)
    assert (device, kind) == (0, 2)
    assert (ctypes.c_int64 * COUNT).from_address(a.buffers[1])[7] == 7


def test_lifetimes():
    """the memory lives until the last who has it lets go"""
    driver()
    gc.collect()
    collect()
    ws.run("df = nil collectgarbage() collectgarbage()")
    before = driver().fake_blocks()
    f = ws.run(LENT)
    _, array = f.__arrow_c_device_array__()
    a = told(array)[0]
    child = Array()
    ctypes.pointer(child)[0] = a.children[0].contents
    a.children[0].contents.release = Release()
    del f, array, a
    collect()
    ws.run("collectgarbage() collectgarbage()")
    assert driver().fake_blocks() > before
    assert numbers(child.buffers[1], COUNT)[9] == 9
    child.release(ctypes.addressof(child))
    collect()
    assert driver().fake_blocks() == before


def test_copies():
    """what has bits or texts beside it leaves as a copy on the CPU"""
    driver()
    f = ws.run("return frame.DataFrame{{'s', {'a', 'b'}}, {'x', {1, 2}}}:to_device()")
    (_, array), _ = warned(f.__arrow_c_device_array__)
    a, device, kind = told(array)
    assert (device, kind, a.count) == (-1, 1, 2)
    _, array = f["x"].__arrow_c_device_array__()
    assert told(array)[1:] == (0, 2)
    f = ws.run("return frame.DataFrame{{'b', {true, false}}}:to_device()")
    assert told(f.__arrow_c_device_array__()[1])[1:] == (-1, 1)
    f = ws.run("return frame.DataFrame{{'x', {1, 2}}}")
    assert told(f.__arrow_c_device_array__()[1])[1:] == (-1, 1)


if __name__ == "__main__":
    sys.exit(run(sys.modules[__name__]))
