# SPDX-License-Identifier: Apache-2.0
"""Columns on a GPU by Arrow's C device data interface, with a driver whose GPUs' memory
is the host's (test_gpu_share.py)."""

import ctypes
import gc
import sys

from test_gpu_share import allocate, driver, end_loans, stream, numbers, value, ws  # first: it sets the environment
from tap import raises, run
from test_arrow import (Array, DeviceBatches, OnDevice, Producer, Release, Schema, frame_of,
                        missing_at, opened, pointer_of, texts_of)
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
    raises(NotImplementedError, f.__arrow_c_device_array__, some=3)
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


def column_there(count, ordinal=0, first=0, event=None):
    """A column of float32 in the fake's memory: 0, 1, 2 ..."""
    at = allocate(4 * count)
    numbers(at, count)[:] = range(count)
    p = Producer([0], b"f", ctypes.c_float)
    p.buffers[1], p.at = at, at
    p.array.rows, p.array.first = count - first, first
    return OnDevice(p, kind=2, device=ordinal, event=event)


def test_borrow():
    """numbers of theirs on a GPU stay there"""
    driver()
    before = value("fake_copies"), ws.copied_bytes()
    p = column_there(COUNT, first=3)
    s = ws.run("s = ... return s", p)
    assert s.device == "cuda:0" and s.dtype == "f32" and len(s) == COUNT - 3
    assert (value("fake_copies"), ws.copied_bytes()) == before
    numbers(p.p.at)[4] = 70
    assert ws.run("return s.values:copy_to_host()[1]") == 70
    assert not p.released
    assert "immutable" in str(raises(ws.Error, ws.run, "s.values:fill(3)"))
    del s
    ws.run("s = nil")
    end_loans()
    assert sorted(p.released) == ["array", "schema"]
    p = column_there(10)
    whole = frame_of(p.p, 7)
    whole.array.first = 2
    f = ws.run("f = ... return f", OnDevice(whole, kind=2, device=0))
    assert f.shape == (7, 1) and f.device == "cuda:0"
    assert ws.run("return f.n.values:copy_to_host():tolist()") == list(range(2, 9))
    del f
    ws.run("f = nil")
    end_loans()
    assert sorted(whole.released) == ["array", "schema"]
    both = DeviceBatches(column_there(5), kind=2)
    assert ws.run("return (...).values:copy_to_host():sum()", both) == 10
    assert len(ws.run("return ...", OnDevice(Producer([]), kind=2, device=0))) == 0
    end_loans()


def test_borrow_order():
    """what their event was recorded behind is done before Lua reads"""
    driver()
    event = (ctypes.c_void_p * 1)(0x7000)
    p = column_there(10, event=ctypes.addressof(event))
    waits = value("fake_waits")
    ws.run("return ...", p)
    assert value("fake_waits") == waits + 1 and stream() == 1
    end_loans()


def test_borrow_refused():
    """what cannot stay on the GPU is not read there"""
    driver()
    away = ctypes.c_uint64(1 << 40)  # nobody's: who looked at it would crash
    for make, said in (
            (lambda: missing_at(column_there(5).p, 1), "may be missing"),
            (lambda: texts_of([0, 1]), "only numbers can stay there"),
            (lambda: Producer([1], b"b"), "only numbers can stay there"),
            (lambda: Producer([1]), "cannot be shared")):
        p = make()
        if p.buffers[0]:
            p.buffers[0] = away.value
        else:
            p.buffers[1] = away.value
        e = raises(BufferError, ws.run, "return ...", OnDevice(p, kind=2, device=0))
        assert 'column "n" is on cuda:0' in str(e) and said in str(e), e
        end_loans()
        assert sorted(p.released) == ["array", "schema"], said
    both = DeviceBatches(column_there(5), column_there(5), kind=2)
    assert "several batches" in str(raises(BufferError, ws.run, "return ...", both))
    end_loans()
    there, here = column_there(5), OnDevice(Producer([7, 8]))
    e = raises(BufferError, ws.run, "return ...", DeviceBatches(there, here, kind=2))
    assert "on several devices" in str(e), e
    end_loans()
    assert sorted(there.released) == ["array", "schema"] and here.released == ["array"]
    p = column_there(5)
    p.given.array.rows = -1
    assert "it has -1 rows" in str(raises(ValueError, ws.run, "return ...", p))


if __name__ == "__main__":
    sys.exit(run(sys.modules[__name__]))
