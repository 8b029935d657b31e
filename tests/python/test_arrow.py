# SPDX-License-Identifier: Apache-2.0
"""Frames and series by Arrow's C data interface: with a consumer and a producer written
here, and with pyarrow, pandas and polars where they are installed."""

import ctypes
import gc
import random
import sys
import tempfile
import threading
import warnings
import weakref

import warpshop as ws
from tap import needs, raises, run

# ---- The interface's structures ----


class Schema(ctypes.Structure):
    """ArrowSchema."""


class Array(ctypes.Structure):
    """ArrowArray."""


class Stream(ctypes.Structure):
    """ArrowArrayStream."""


Release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
Schema._fields_ = [
    ("format", ctypes.c_char_p), ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p), ("flags", ctypes.c_int64),
    ("count", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.POINTER(Schema)), ("release", Release),
    ("own", ctypes.c_void_p)]
Array._fields_ = [
    ("rows", ctypes.c_int64), ("missing", ctypes.c_int64),
    ("first", ctypes.c_int64), ("buffer_count", ctypes.c_int64),
    ("count", ctypes.c_int64), ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))),
    ("dictionary", ctypes.POINTER(Array)), ("release", Release),
    ("own", ctypes.c_void_p)]
Stream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p,
                                    ctypes.POINTER(Schema))),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p,
                                  ctypes.POINTER(Array))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p)),
    ("release", Release), ("own", ctypes.c_void_p)]



class DeviceArray(ctypes.Structure):
    """ArrowDeviceArray."""
    _fields_ = [("array", Array), ("device", ctypes.c_int64), ("kind", ctypes.c_int32),
                ("event", ctypes.c_void_p), ("reserved", ctypes.c_int64 * 3)]


class DeviceStream(ctypes.Structure):
    """ArrowDeviceArrayStream."""


DeviceStream._fields_ = [
    ("kind", ctypes.c_int32),
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p,
                                    ctypes.POINTER(Schema))),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p,
                                  ctypes.POINTER(DeviceArray))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p)),
    ("release", Release), ("own", ctypes.c_void_p)]

pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
pointer_of.restype = ctypes.c_void_p
pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]
new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def opened(capsule, kind, name):
    """The structure in a capsule."""
    return kind.from_address(pointer_of(capsule, name))


def numbers(a, i, kind):
    """Buffer i of an array's numbers as a list."""
    at = ctypes.cast(a.buffers[i], ctypes.POINTER(kind))
    return [at[a.first + k] for k in range(a.rows)]


ALIVE = []  # what was handed over: its callbacks may be called at any time


class Producer:
    """A column of i64, or of another format, as others hand them over."""

    def __init__(self, values, fmt=b"l", kind=ctypes.c_int64, first=0):
        self.released = []
        self.kept = (kind * len(values))(*values)
        self.buffers = (ctypes.c_void_p * 2)(None, ctypes.addressof(self.kept))
        self.schema = Schema(format=fmt, name=b"n", flags=2,
                             release=self.make_release("schema", Schema))
        self.array = Array(rows=len(values) - first, first=first, buffer_count=2,
                           buffers=self.buffers,
                           release=self.make_release("array", Array))

    def make_release(self, what, kind):
        """A release callback that notes it was called."""
        released = self.released

        def release(at):
            released.append(what)
            kind.from_address(at).release = Release()
        self.callbacks = getattr(self, "callbacks", []) + [Release(release)]
        return self.callbacks[-1]

    def __arrow_c_array__(self, requested_schema=None):
        ALIVE.append(self)
        return (new_capsule(ctypes.addressof(self.schema), b"arrow_schema", None),
                new_capsule(ctypes.addressof(self.array), b"arrow_array", None))


class OnDevice:
    """A producer that has the device interface alone."""

    def __init__(self, p, kind=1, device=-1, event=None):
        self.p = p
        self.given = DeviceArray(p.array, device, kind, event)
        self.released = p.released

    def __arrow_c_device_array__(self, requested_schema=None, **named):
        ALIVE.append(self)
        return (new_capsule(ctypes.addressof(self.p.schema), b"arrow_schema", None),
                new_capsule(ctypes.addressof(self.given), b"arrow_device_array", None))


class DeviceBatches:
    """A stream of them, all of one schema."""

    def __init__(self, *batches, kind=1):
        self.batches, self.released = list(batches), []
        kinds = dict(DeviceStream._fields_)

        def get_schema(_, out):
            ctypes.pointer(out)[0][0] = batches[0].p.schema
            return 0

        def get_next(_, out):
            out[0] = self.batches.pop(0).given if self.batches else DeviceArray()
            return 0

        def release(at):
            self.released.append("stream")
            DeviceStream.from_address(at).release = Release()
        self.stream = DeviceStream(
            kind=kind, get_schema=kinds["get_schema"](get_schema),
            get_next=kinds["get_next"](get_next), release=Release(release))

    def __arrow_c_device_stream__(self, requested_schema=None, **named):
        ALIVE.append(self)
        return new_capsule(ctypes.addressof(self.stream), b"arrow_device_array_stream", None)


class Through:
    """Nothing but the interface."""

    def __init__(self, f):
        self.__arrow_c_stream__ = f.__arrow_c_stream__


FRAME = """return frame.DataFrame{
    {"x", {1, 2, 3}}, {"f", {0.5, frame.NA, 2}}, {"s", {"a", frame.NA, "b"}},
    {"b", {true, false, true}}, {"o", {true, frame.NA, false}},
    {"u", np.array({1, 2, 255}, "u8")}}"""


# ---- Types ----


def test_types():
    """frames and series are types of their own"""
    f = ws.run(FRAME)
    assert type(f) is ws.Frame and len(f) == 3 and f.shape == (3, 6)
    assert f.columns == ["x", "f", "s", "b", "o", "u"] and f.device == "host"
    assert repr(f) == str(ws.run("return tostring(...)", f))
    s = f["f"]
    assert type(s) is ws.Series and s.dtype == "f64" and s.name == "f"
    assert s.shape == (3,) and len(s) == 3
    assert "no column" in str(raises(ws.Error, lambda: f["y"]))
    raises(TypeError, lambda: f[0])
    assert type(ws.run("return frame")) is ws.Value
    assert not hasattr(ws.run("return print"), "__arrow_c_stream__")
    assert ws.run("local a = ... return a.x:sum()", f) == 6
    made = ws.frame({"x": [1, 2], "s": ["a", "b"]})
    assert made.columns == ["s", "x"]
    assert "a table or a dict" in str(raises(TypeError, ws.frame, 3))


# ---- Ours for others ----


def test_lend_array():
    """a column's numbers are lent where they lie"""
    s = ws.run("x = np.arange(4) return frame.Series(x, {name = 'x'})")
    schema, array = s.__arrow_c_array__()
    told = opened(schema, Schema, b"arrow_schema")
    a = opened(array, Array, b"arrow_array")
    assert (told.format, told.name, told.count) == (b"l", b"x", 0)
    assert numbers(a, 1, ctypes.c_int64) == [0, 1, 2, 3]
    assert (a.missing, a.buffers[0]) == (0, None)
    ws.run("x[1] = 40")
    assert numbers(a, 1, ctypes.c_int64) == [0, 40, 2, 3]
    before = ws.copied_bytes()
    s.__arrow_c_array__()
    assert ws.copied_bytes() == before


def test_lend_frame():
    """a frame is a struct; bits, dictionaries and what is missing"""
    f = ws.run(FRAME)
    schema, array = f.__arrow_c_array__(requested_schema=None)
    told = opened(schema, Schema, b"arrow_schema")
    a = opened(array, Array, b"arrow_array")
    assert (told.format, told.count, a.count, a.rows) == (b"+s", 6, 6, 3)
    formats = [told.children[i].contents.format for i in range(6)]
    assert formats == [b"l", b"g", b"i", b"b", b"b", b"C"]
    missing = [a.children[i].contents.missing for i in range(6)]
    assert missing == [0, 1, 1, 0, 1, 0]
    bits = [ctypes.cast(a.children[i].contents.buffers[0],
                        ctypes.POINTER(ctypes.c_uint8))[0] for i in (1, 2, 4)]
    assert bits == [5, 5, 5]
    values = ctypes.cast(a.children[4].contents.buffers[1],
                         ctypes.POINTER(ctypes.c_uint8))[0]
    assert values == 1
    texts = a.children[2].contents
    assert told.children[2].contents.dictionary.contents.format == b"u"
    words = texts.dictionary.contents
    assert ctypes.string_at(words.buffers[2], 2) == b"ab" and words.rows == 2
    assert numbers(texts, 1, ctypes.c_int32)[::2] == [0, 1]


def test_lend_strided():
    """values with gaps between them are put together"""
    s = ws.run("return frame.Series(np.arange(6)[':: 2'])")
    _, array = s.__arrow_c_array__()
    a = opened(array, Array, b"arrow_array")
    assert numbers(a, 1, ctypes.c_int64) == [0, 2, 4]
    before = ws.copied_bytes()
    s.__arrow_c_array__()
    assert ws.copied_bytes() == before + 24


def test_lend_lifetimes():
    """the memory lives until the last who has it lets go"""
    f = ws.run("return frame.DataFrame{{'x', np.arange(100000)}}")
    schema, array = f.__arrow_c_array__()
    a = opened(array, Array, b"arrow_array")
    child = Array()
    ctypes.pointer(child)[0] = a.children[0].contents  # moved, as a consumer may
    a.children[0].contents.release = Release()
    del f, schema, array
    gc.collect()
    ws.run("collectgarbage() collectgarbage()")
    ws.run("y = np.full(100000, 7)")
    assert numbers(child, 1, ctypes.c_int64)[99999] == 99999
    done = threading.Thread(target=lambda: child.release(ctypes.addressof(child)))
    done.start()
    done.join()
    assert not child.release


def test_lend_stream():
    """a stream gives all rows once"""
    f = ws.run(FRAME)
    capsule = f.__arrow_c_stream__()
    stream = opened(capsule, Stream, b"arrow_array_stream")
    at = ctypes.addressof(stream)
    for _ in range(2):
        told = Schema()
        assert stream.get_schema(at, told) == 0 and told.count == 6
        told.release(ctypes.addressof(told))
    first, second = Array(), Array()
    assert stream.get_next(at, first) == 0 and first.rows == 3
    assert stream.get_next(at, second) == 0 and not second.release
    del capsule, stream
    gc.collect()
    assert numbers(first.children[0].contents, 1, ctypes.c_int64) == [1, 2, 3]
    first.release(ctypes.addressof(first))


def request(*formats, names=None, fmt=b"+s", words=None):
    """A capsule of a schema that asks for those; with words[i], for codes into that."""
    children = []
    for i, one in enumerate(formats):
        child = Schema(format=one, name=(names or "xfsbou")[i].encode())
        if words and words.get(i):
            child.dictionary = ctypes.pointer(Schema(format=words[i]))
        children.append(ctypes.pointer(child))
    pointers = (ctypes.POINTER(Schema) * (len(children) + 1))(*children)
    whole = Schema(format=fmt, count=len(children), children=pointers,
                   release=Release(lambda at: None))
    ALIVE.append((children, pointers, whole))
    return new_capsule(ctypes.addressof(whole), b"arrow_schema", None)


def told_of(f, capsule):
    """What is given where that is asked for: formats, and the arrays."""
    schema, array = f.__arrow_c_array__(capsule)
    told = opened(schema, Schema, b"arrow_schema")
    ALIVE.append((schema, array))
    formats = [told.children[i].contents.format for i in range(told.count)]
    a = opened(array, Array, b"arrow_array")
    return formats, [a.children[i].contents for i in range(a.count)]


def test_lend_asked():
    """the forms that a consumer asks for, where all values have them"""
    f = ws.run(FRAME)
    formats, arrays = told_of(f, request(b"i", b"f", b"u", b"b", b"b", b"L"))
    assert formats == [b"i", b"f", b"u", b"b", b"b", b"L"]
    x, half, texts, _, _, wide = arrays
    assert numbers(x, 1, ctypes.c_int32) == [1, 2, 3]
    assert numbers(half, 1, ctypes.c_float)[::2] == [0.5, 2] and half.missing == 1
    assert numbers(wide, 1, ctypes.c_uint64) == [1, 2, 255]
    assert texts.buffer_count == 3 and texts.missing == 1 and not texts.dictionary
    at = ctypes.cast(texts.buffers[1], ctypes.POINTER(ctypes.c_int32))
    assert at[0:4] == [0, 1, 1, 2] and ctypes.string_at(texts.buffers[2], 2) == b"ab"
    # Whole numbers where some are missing; large texts; codes of another width.
    f = ws.run("return frame.DataFrame{{'x', {1, frame.NA, -3}}, {'s', {'a', frame.NA, 'b'}}}")
    for kind, narrow in ((ctypes.c_int8, b"c"), (ctypes.c_int64, b"l")):
        formats, (x, texts) = told_of(f, request(narrow, b"U", names="xs"))
        assert formats == [narrow, b"U"]
        assert numbers(x, 1, kind)[::2] == [1, -3] and x.missing == 1
        at = ctypes.cast(texts.buffers[1], ctypes.POINTER(ctypes.c_int64))
        assert at[0:4] == [0, 1, 1, 2]
    formats, (x, texts) = told_of(f, request(b"e", b"S", names="xs", words={1: b"U"}))
    assert formats == [b"e", b"S"] and numbers(x, 1, ctypes.c_uint16)[::2] == [0x3c00, 0xc200]
    assert numbers(texts, 1, ctypes.c_uint16)[::2] == [0, 1]
    words = texts.dictionary.contents
    assert ctypes.cast(words.buffers[1], ctypes.POINTER(ctypes.c_int64))[0:3] == [0, 1, 2]
    f = ws.run("return frame.DataFrame{{'s', {'a', frame.NA, ('q'):rep(20), 'a'}}}")
    formats, (views,) = told_of(f, request(b"vu", names="s"))
    assert formats == [b"vu"] and (views.buffer_count, views.missing) == (4, 1)
    assert ctypes.cast(views.buffers[3], ctypes.POINTER(ctypes.c_int64))[0] == 21
    got = ws.run("return (...):tolist()", ws.run("return ...", Through(f))["s"])
    assert got[0] == got[3] == "a" and got[2] == 20 * "q"
    series = ws.run("return frame.Series({1, 2})")
    schema, array = series.__arrow_c_array__(requested_schema=request(fmt=b"s"))
    assert opened(schema, Schema, b"arrow_schema").format == b"s"
    assert numbers(opened(array, Array, b"arrow_array"), 1, ctypes.c_int16) == [1, 2]
    capsule = f.__arrow_c_stream__(request(b"u", names="s"))
    told = Schema()
    stream = opened(capsule, Stream, b"arrow_array_stream")
    stream.get_schema(ctypes.addressof(stream), told)
    assert told.children[0].contents.format == b"u"
    told.release(ctypes.addressof(told))


def test_lend_asked_in_vain():
    """forms that some values have not: all columns come as they are"""
    f = "return frame.DataFrame{{'x', %s}, {'s', {'a', 'b'}}}"
    for values, fmt, own in (
            ("{1, 300}", b"c", b"l"), ("{1, 128}", b"c", b"l"), ("{1, -129}", b"c", b"l"),
            ("{1, -1}", b"L", b"l"), ("{0, (1 << 53) + 1}", b"g", b"l"),
            ("{0, (1 << 24) + 1}", b"f", b"l"), ("{0, 0x7fffffffffffffff}", b"g", b"l"),
            ("{0.5, 1}", b"l", b"g"), ("{1e19, 1}", b"l", b"g"), ("{-1.0, 0.0}", b"C", b"g"),
            ("{1e300, 1}", b"f", b"g"), ("{1.0, 1/0}", b"l", b"g"),
            ("np.array({1, 2^64 - 2048}, 'u64')", b"l", b"L"), ("{true, false}", b"c", b"b"),
            ("{1, 2}", b"tsu:", b"l"), ("{1, 2}", b"u", b"l"), ("{1, 2}", b"z", b"l")):
        formats, arrays = told_of(ws.run(f % values), request(fmt, b"u", names="xs"))
        assert formats == [own, b"i"] and arrays[1].dictionary, (values, fmt, formats)
    for values, fmt in (("{1, -128}", b"c"), ("{1, 255}", b"C"), ("{0, 1 << 60}", b"g"),
                        ("{0, -(1 << 62)}", b"f"), ("{1e18, -1e18}", b"l"), ("{0.1, 1/0}", b"f"),
                        ("np.array({1, 2^64 - 2048}, 'u64')", b"g")):
        formats, _ = told_of(ws.run(f % values), request(fmt, b"u", names="xs"))
        assert formats == [fmt, b"u"], (values, fmt, formats)
    for fmt, words in ((b"f", b"u"), (b"c", b"l"), (b"z", None)):
        formats, _ = told_of(ws.run(f % "{1, 2}"),
                             request(b"i", fmt, names="xs", words={1: words}))
        assert formats == [b"l", b"i"]
    many = ws.run("local t = {} for i = 1, 200 do t[i] = 'w' .. i end"
                  " return frame.DataFrame{{'s', t}}")
    assert told_of(many, request(b"c", names="s", words={0: b"u"}))[0] == [b"i"]
    assert told_of(many, request(b"C", names="s", words={0: b"u"}))[0] == [b"C"]


def test_lend_asked_wrongly():
    """other columns are no form of these"""
    f = ws.run("return frame.DataFrame{x = {1, 2}}")
    e = raises(ValueError, f.__arrow_c_array__, request(b"i", b"i", names="xy"))
    assert "has 2 columns, and the frame 1" in str(e)
    e = raises(ValueError, f.__arrow_c_stream__, request(b"i", names="y"))
    assert 'column 0 is "y", and the frame\'s "x"' in str(e)
    assert "a frame is no single column" in str(
        raises(ValueError, f.__arrow_c_array__, request(fmt=b"i")))
    assert "a series is no struct" in str(
        raises(ValueError, f["x"].__arrow_c_array__, request(b"i", names="x")))
    raises(TypeError, f.__arrow_c_array__, 3)
    raises(TypeError, f.__arrow_c_array__, some=None)
    e = raises(ValueError, f.__arrow_c_array__, request(None, names="x"))
    assert "has no type" in str(e)
    f.__arrow_c_device_array__(requested_schema=None, some=None)
    raises(NotImplementedError, f.__arrow_c_device_array__, some=3)


def test_lend_device():
    """device columns leave as a copy on the CPU, which is said once"""
    f = ws.run("return frame.DataFrame{x = {1, 2}}:to_device()")
    assert f.device != "host"
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        _, array = f.__arrow_c_device_array__()
        before = ws.copied_bytes()
        f.__arrow_c_stream__()
        assert ws.copied_bytes() == before + 16
    assert [w.category for w in said] == [ws.CopyWarning]
    assert f.device in str(said[0].message)
    at = pointer_of(array, b"arrow_device_array")
    a = Array.from_address(at)
    assert numbers(a.children[0].contents, 1, ctypes.c_int64) == [1, 2]
    behind = at + ctypes.sizeof(Array)
    assert ctypes.c_int64.from_address(behind).value == -1
    assert ctypes.c_int32.from_address(behind + 8).value == 1  # the CPU


# ---- Others' for us ----


def test_borrow_lifetimes():
    """numbers stay where they are, and go back when the last array is gone"""
    p = Producer([5, 6, 7, 8], first=1)
    before = ws.copied_bytes()
    s = ws.run("s = ... return s", p)
    assert ws.copied_bytes() == before
    assert type(s) is ws.Series and s.name == "n"
    assert ws.eval("s.values:sum()") == 21
    p.kept[1] = 60
    assert ws.eval("s.values[0]") == 60
    assert "immutable" in str(raises(ws.Error, ws.run, "s.values[0] = 1"))
    kept = ws.run("t = s.values['1:'] s = nil return t")
    del s
    ws.run("collectgarbage() collectgarbage()")
    assert not p.released and kept.tolist() == [7, 8]
    del kept
    ws.run("t = nil collectgarbage() collectgarbage()")
    assert sorted(p.released) == ["array", "schema"]


def test_borrow_copies():
    """what is no column of ours as it lies is copied, and given back at once"""
    p = Producer([0b101], b"b", ctypes.c_uint8)
    p.array.rows = 3
    before = ws.copied_bytes()
    s = ws.run("return ...", p)
    assert ws.copied_bytes() == before + 3
    assert ws.run("return (...):tolist()", s) == [True, False, True]
    ws.run("collectgarbage()")
    assert sorted(p.released) == ["array", "schema"]


def test_borrow_refused():
    """types that frame lacks, and capsules that were taken before"""
    p = Producer([1], b"+l")
    e = raises(ws.Error, ws.run, "return ...", p)
    assert e.kind == "unsupported" and 'column "n": its type is list' in str(e)
    ws.run("collectgarbage() collectgarbage()")
    assert sorted(p.released) == ["array", "schema"]
    p = Producer([1])
    ws.run("return ...", p)
    assert "taken over" in str(raises(ValueError, ws.run, "return ...", p))

    class Other:
        """Something else."""
        def __arrow_c_stream__(self, requested_schema=None):
            return 3
    raises(ValueError, ws.run, "return ...", Other())

    class Failing:
        """An exception of its own."""
        def __arrow_c_stream__(self, requested_schema=None):
            raise KeyError("mine")
    assert "mine" in str(raises(KeyError, ws.run, "return ...", Failing()))


def memory_of(values, kind):
    """The address of such numbers, which stay."""
    ALIVE.append((kind * len(values))(*values))
    return ctypes.addressof(ALIVE[-1])


def texts_of(offsets, text=b"abcdef", fmt=b"u", kind=ctypes.c_int32):
    """A column of texts with those offsets."""
    p = Producer(offsets, fmt, kind)
    p.buffers = (ctypes.c_void_p * 3)(None, ctypes.addressof(p.kept),
                                      memory_of(text, ctypes.c_char))
    p.array.rows = len(offsets) - 1
    p.array.buffers, p.array.buffer_count = p.buffers, 3
    return p


def views_of(views, texts=b"abcdefghijklmnopqrstuvwxyz"):
    """A column of views of texts: lists of four int32."""
    p = Producer([n for view in views for n in view], b"vu", ctypes.c_int32)
    p.buffers = (ctypes.c_void_p * 4)(None, ctypes.addressof(p.kept),
                                      memory_of(texts, ctypes.c_char),
                                      memory_of([len(texts)], ctypes.c_int64))
    p.array.rows = len(views)
    p.array.buffers, p.array.buffer_count = p.buffers, 4
    return p


def codes_of(codes):
    """Codes into the texts a, bc."""
    p, words = Producer(codes, b"i", ctypes.c_int32), texts_of([0, 1, 3])
    p.schema.dictionary = ctypes.pointer(words.schema)
    p.array.dictionary = ctypes.pointer(words.array)
    p.words = words
    return p


def frame_of(p, rows):
    """A frame of one column."""
    whole = Producer([], b"+s")
    children = (ctypes.POINTER(Schema) * 1)(ctypes.pointer(p.schema))
    arrays = (ctypes.POINTER(Array) * 1)(ctypes.pointer(p.array))
    whole.schema.count, whole.schema.children = 1, children
    whole.array.count, whole.array.children = 1, arrays
    whole.array.rows, whole.array.buffer_count = rows, 1
    whole.child = p, children, arrays
    return whole


def test_borrow_whole():
    """what the liars below are made of is right"""
    for p, wanted in ((texts_of([0, 1, 1, 6]), ["a", "", "bcdef"]),
                      (views_of([[1, 97, 0, 0], [13, 0, 0, 2]]), ["a", "cdefghijklmno"]),
                      (codes_of([1, 0, 1]), ["bc", "a", "bc"]),
                      (texts_of([0]), [])):
        assert ws.run("return (...):tolist()", p) == (wanted or [])
    assert ws.run("return (...).n:tolist()", frame_of(Producer([4, 5, 6]), 2)) == [4, 5]
    p = Producer([1, 2, 3])
    p.buffers[0] = memory_of([0b101], ctypes.c_uint8)
    p.array.missing = -1
    assert ws.run("return (...):count()", p) == 2
    p = texts_of([0])
    p.buffers[1] = p.buffers[2] = None
    assert ws.run("return #...", p) == 0


def of_array(p, **fields):
    """The producer, whose array says something else."""
    for name, given in fields.items():
        setattr(p.array, name, given)
    return p


def of_schema(p, **fields):
    """The producer, whose schema says something else."""
    for name, given in fields.items():
        setattr(p.schema, name, given)
    return p


def without(p, i):
    """The producer, which lacks a buffer."""
    p.buffers[i] = None
    return p


def missing_at(p, count):
    """The producer, of whose values the second is missing, or so many."""
    p.buffers[0] = memory_of([0b11111101], ctypes.c_uint8)
    return of_array(p, missing=count)


LIES = [
    ('batch 0: it has -1 rows', lambda: of_array(Producer([1]), rows=-1)),
    ('batch 0: it has 1 rows from row -1', lambda: of_array(Producer([1]), first=-1)),
    ('batch 0: it has 1152921504606846976 rows', lambda: of_array(Producer([1]), rows=1 << 60)),
    ('batch 0: 2 of 1 values are missing', lambda: of_array(Producer([1]), missing=2)),
    ('batch 0: -2 of 1 values are missing', lambda: of_array(Producer([1]), missing=-2)),
    ('column "n", batch 0: 1 values are missing, and nothing says which',
     lambda: of_array(Producer([1]), missing=1)),
    ('column "n", batch 0: 0 values are said to be missing, and 1 are',
     lambda: missing_at(Producer([1, 2]), 0)),
    ('column "n", batch 0: 2 values are said to be missing, and 1 are',
     lambda: missing_at(Producer([1, 2]), 2)),
    ('column "n", batch 0: it has 1 buffers, and int64 has 2',
     lambda: of_array(Producer([1]), buffer_count=1)),
    ('column "n", batch 0: it has 2 buffers, and string has 3',
     lambda: of_array(texts_of([0, 1]), buffer_count=2)),
    ('column "n", batch 0: it has 2 buffers, and string_view has 3 or more',
     lambda: of_array(views_of([[0] * 4]), buffer_count=2)),
    ('batch 0: it has 2 buffers, which are not there',
     lambda: of_array(Producer([1]), buffers=None)),
    ('column "n", batch 0: its values are not there', lambda: without(Producer([1]), 1)),
    ('column "n", batch 0: its values are not there', lambda: without(texts_of([0, 1]), 1)),
    ('column "n", batch 0: its texts are not there', lambda: without(texts_of([0, 1]), 2)),
    ('column "n", batch 0: its texts begin at -1', lambda: texts_of([-1, 2])),
    ('column "n", batch 0: the text of row 1 goes from 3 to 2', lambda: texts_of([0, 3, 2, 6])),
    ('column "n", batch 0: the text of row 0 goes from 0 to -4',
     lambda: texts_of([0, -4], fmt=b"U", kind=ctypes.c_int64)),
    ('column "n", batch 0: the text of row 1 goes from 3 to 2',
     lambda: missing_at(texts_of([0, 3, 2]), 1)),
    ('column "n", batch 0: buffer 0 of its texts has -1 bytes',
     lambda: changed(views_of([[13, 0, 0, 2]]), 3, [-1])),
    ('column "n", batch 0: 1 buffers of texts are not there',
     lambda: without(views_of([[13, 0, 0, 2]]), 3)),
    ('column "n", batch 0: buffer 0 of its texts has 26 bytes',
     lambda: without(views_of([[13, 0, 0, 2]]), 2)),
    ('column "n", batch 0: its dictionary is not there',
     lambda: of_array(codes_of([1]), dictionary=None)),
    ('the dictionary has no type', lambda: of_words(codes_of([1]), "schema", format=None)),
    ('column "n", batch 0: it has -1 rows', lambda: of_words(codes_of([1]), "array", rows=-1)),
    ("the columns' schema is not there", lambda: of_schema(Producer([1]), format=None)),
    ('the schema has -1 columns', lambda: of_schema(frame_of(Producer([1]), 1), count=-1)),
    ('the schema has 1 columns', lambda: of_schema(frame_of(Producer([1]), 1), children=None)),
    ('column 0 of the schema has no type',
     lambda: frame_of(of_schema(Producer([1]), format=None), 1)),
    ('batch 0: it has 0 columns, and the schema 1',
     lambda: of_array(frame_of(Producer([1]), 1), count=0)),
    ('batch 0: it has 1 columns, and the schema 1',
     lambda: of_array(frame_of(Producer([1]), 1), children=None)),
    ('column "n", batch 0: it has 3 rows, and the batch 4',
     lambda: frame_of(Producer([1, 2, 3]), 4)),
    ('column "n", batch 0: it has 3 rows, and the batch 4',
     lambda: of_array(frame_of(Producer([1, 2, 3]), 2), first=2)),
    ('column "n", batch 0: it is not there, or was taken before',
     lambda: frame_of(of_array(Producer([1]), release=Release()), 1)),
    ('batch 0: rows that are missing as a whole',
     lambda: missing_at(frame_of(Producer([1, 2]), 2), -1)),
    # What is only seen where values are read.
    ('column "n", row 2: a code is not in its dictionary', lambda: codes_of([0, 1, 2])),
    ('column "n", row 1: a code is not in its dictionary', lambda: codes_of([0, -1])),
    ('column "n", row 0: a text lies outside of it', lambda: views_of([[13, 0, 0, 14]])),
    ('column "n", row 1: a text lies outside of it',
     lambda: views_of([[1, 0, 0, 0], [13, 0, 1, 0]])),
    ('column "n", row 0: a text lies outside of it', lambda: views_of([[-1, 0, 0, 0]])),
    ('column "n": its type is string', lambda: of_schema(codes_of([0]), format=b"g")),
]


def changed(p, i, values):
    """The producer, of which a buffer of int64 is another."""
    p.buffers[i] = memory_of(values, ctypes.c_int64)
    return p


def of_words(p, what, **fields):
    """The producer, whose dictionary says something else."""
    for name, given in fields.items():
        setattr(getattr(p.words, what), name, given)
    return p


def test_borrow_lies():
    """a producer's lies are errors that name the column, the batch and the row"""
    for said, make in LIES:
        p = make()
        e = raises((ValueError, ws.Error), ws.run, "return ...", p)
        assert said in str(e), (said, str(e))
        ws.run("collectgarbage() collectgarbage()")
        assert sorted(p.released) == ["array", "schema"], said


def test_borrow_device():
    """who has the device interface alone, on the CPU: arrays and streams"""
    p = OnDevice(Producer([5, 6, 7]))
    s = ws.run("s = ... return s", p)
    assert s.name == "n" and ws.eval("s.values:sum()") == 18 and not p.released
    p.p.kept[1] = 60
    assert ws.eval("s.values[1]") == 60  # where it lies
    del s
    ws.run("s = nil collectgarbage() collectgarbage()")
    assert sorted(p.released) == ["array", "schema"]
    f = ws.run("return ...", OnDevice(frame_of(Producer([4, 5, 6]), 2), kind=3))
    assert f.shape == (2, 1) and ws.run("return (...).n:sum()", f) == 9
    batches = [OnDevice(Producer(x)) for x in ([1, 2], [3], [])]
    both = DeviceBatches(*batches)
    assert ws.run("return (...):tolist()", both) == [1, 2, 3]
    ws.run("collectgarbage() collectgarbage()")
    assert both.released == ["stream"]
    assert [b.released.count("array") for b in batches] == [1, 1, 1]
    for kind, event, said in ((10, None, "neither the CPU"), (3, 77, "not there yet")):
        p = OnDevice(Producer([1]), kind=kind, event=event)
        assert said in str(raises(BufferError, ws.run, "return ...", p))
        ws.run("collectgarbage() collectgarbage()")
        assert sorted(p.released) == ["array", "schema"]
    both = DeviceBatches(OnDevice(Producer([1])))
    ws.run("return ...", both)
    assert "read before" in str(raises(ValueError, ws.run, "return ...", both))
    p = OnDevice(Producer([1], b"+l"))
    assert "its type is list" in str(raises(ws.Error, ws.run, "return ...", p))


def test_round():
    """ours, handed over by its interface alone, comes back as it was"""
    f = ws.run(FRAME)
    got = ws.run("return ...", Through(f))
    assert type(got) is ws.Frame and repr(got) == repr(f)
    lists = ws.run("local d = ... return d.s:tolist(), d.o:tolist()", got)
    assert lists[0][::2] == ["a", "b"] and lists[1][::2] == [True, False]
    s = ws.run("return ...", Through(f["s"]))
    assert type(s) is ws.Series and s.name == "s" and s.dtype == "str"


def test_labels():
    """row labels go along"""
    f = ws.run("local d = frame.DataFrame{x = {1, 2, 3}} return d[d.x:gt(1)]")
    assert ws.run("return (...).index:tolist()", Through(f)) == [1, 2]


# ---- Libraries ----


def test_pyarrow():
    """pyarrow: tables both ways, numbers not copied"""
    pa = needs("pyarrow")
    f = ws.run(FRAME)
    t = pa.table(f)
    t.validate(full=True)
    assert t.column_names == f.columns
    assert t["x"].to_pylist() == [1, 2, 3]
    assert t["f"].to_pylist() == [0.5, None, 2]
    assert t["s"].to_pylist() == ["a", None, "b"]
    assert t["b"].to_pylist() == [True, False, True]
    assert t["o"].to_pylist() == [True, None, False]
    x = ws.run("x = np.arange(1000, 'f64') return frame.Series(x)")
    column = pa.array(x)
    ws.run("x[3] = 0.5")
    assert column[3].as_py() == 0.5
    assert pa.array(f["x"]).to_pylist() == [1, 2, 3]
    batch = pa.record_batch(f)
    assert batch.num_rows == 3
    asked = pa.schema([("x", pa.int16()), ("f", pa.float32()), ("s", pa.string_view()),
                       ("b", pa.bool_()), ("o", pa.bool_()), ("u", pa.int64())])
    for one in (asked, asked.set(2, pa.field("s", pa.large_string())),
                asked.set(2, pa.field("s", pa.dictionary(pa.uint8(), pa.string())))):
        reader = pa.RecordBatchReader.from_stream(f, schema=one)
        assert reader.schema.types == one.types
        t = reader.read_all()
        t.validate(full=True)
        assert t["s"].to_pylist() == ["a", None, "b"] and t["u"].to_pylist() == [1, 2, 255]
        assert t["f"].to_pylist() == [0.5, None, 2]
    whole = pa.array(ws.run("return frame.Series({1, frame.NA, 3})"), type=pa.int64())
    whole.validate(full=True)
    assert whole.to_pylist() == [1, None, 3]
    # theirs
    t = pa.table({"a": pa.array([1, 2, 3]), "s": ["x", None, "y"],
                  "v": pa.array(["p", "q" * 20, None], pa.string_view()),
                  "d": pa.array(["k", "l", "k"]).dictionary_encode()})
    df = ws.frame(t)
    assert ws.run("local d = ... return d.a:tolist(), d.d:tolist()", df) == (
        [1, 2, 3], ["k", "l", "k"])
    assert ws.run("return (...).v:tolist()", df)[:2] == ["p", "q" * 20]
    at = ws.run("return (...).a.values", df).__array_interface__["data"][0]
    assert at == t["a"].chunk(0).buffers()[1].address
    ref = weakref.ref(t)
    del t
    gc.collect()
    assert ref() is None and ws.run("return (...).a:sum()", df) == 6
    class Device:
        """Only that of pyarrow's."""
        def __init__(self, of, name):
            setattr(self, name, getattr(of, name))
    batch = pa.record_batch({"a": [1, 2, None], "s": ["x", "yy", None]})
    got = ws.frame(Device(batch, "__arrow_c_device_array__"))
    assert got.columns == ["a", "s"] and ws.run("return (...).a:sum()", got) == 3
    assert ws.run("return (...).s:tolist()", got)[:2] == ["x", "yy"]
    # in pieces, sliced, none at all
    t = pa.concat_tables([pa.table({"a": [1, 2]}), pa.table({"a": [3, None]})])
    assert ws.run("return (...).a:sum()", t) == 6
    sliced = pa.table({"a": [1, 2, 3, 4], "s": list("wxyz"),
                       "b": [True, False, True, True]}).slice(1, 2)
    assert ws.run("local d = ... return d.a:tolist(), d.s:tolist(), d.b:tolist()",
                  sliced) == ([2, 3], ["x", "y"], [False, True])
    batch = pa.RecordBatch.from_pydict({"a": [1, 2, 3]}).slice(1)
    assert ws.run("return (...).a:tolist()", batch) == [2, 3]
    empty = pa.table({"a": pa.array([], pa.int32()), "s": pa.array([], pa.string())})
    assert ws.frame(empty).shape == (0, 2)
    assert pa.table(ws.frame(empty)).num_rows == 0
    e = raises(ws.Error, ws.frame, pa.table({"l": [[1]]}))
    assert 'column "l": its type is list' in str(e)


def random_column(pa, r, n):
    """A column of some type in pieces, and what frame makes of its values."""
    missing = r.choice([0, 0, 0.3, 1])
    word = lambda: "".join(r.choice("ab\u00e4\u6f22") for _ in range(r.choice([0, 1, 3, 20])))
    kind, value = r.choice([
        (pa.int8(), lambda: r.randint(-128, 127)),
        (pa.uint16(), lambda: r.randint(0, 65535)),
        (pa.int64(), lambda: r.randint(-2**40, 2**40)),
        (pa.float32(), lambda: r.randint(-99, 99) / 4), (pa.float64(), r.random),
        (pa.bool_(), lambda: r.random() < 0.5), (pa.string(), word),
        (pa.large_string(), word), (pa.string_view(), word),
        (pa.dictionary(pa.int8(), pa.string()), word),
        (pa.dictionary(pa.uint32(), pa.int64()), lambda: r.randint(0, 9))])
    values = [None if r.random() < missing else value() for _ in range(n)]
    pieces, at = [], 0
    while at < n or not pieces:
        to = min(n, at + r.choice([1, 7, 8, 9, 64, n]))
        plain = kind.value_type if pa.types.is_dictionary(kind) else kind
        before = [None] * r.choice([0, 0, 1, 8, 13])  # of which it is a slice
        piece = pa.array(before + values[at:to], plain)
        if plain is not kind:
            piece = piece.dictionary_encode().cast(kind)
        pieces.append(piece.slice(len(before)))
        at = to
    return pa.chunked_array(pieces, kind), values


def test_random():
    """random tables of pyarrow's, by the interface and by files, both ways"""
    pa = needs("pyarrow")
    from pyarrow import feather
    r = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        for round_ in range(300):
            n = r.choice([0, 1, 2, 7, 8, 9, 63, 64, 65, 200])
            columns = [random_column(pa, r, n) for _ in range(r.randint(1, 4))]
            t = pa.table([c for c, _ in columns], [f"c{i}" for i in range(len(columns))])
            path = f"{folder}/t.feather"
            packed = r.choice(["uncompressed", "lz4", "zstd"])
            feather.write_feather(t, path, packed, chunksize=r.choice([None, 5]))
            f = ws.frame(t)
            got = [f, ws.run("return frame.read_feather(...)", path)]
            ws.run("local f, path = ... f:to_feather(path)", f, path)
            back = [pa.table(f), feather.read_table(path)]
            for one in back:
                one.validate(full=True)
            for i, (_, values) in enumerate(columns):
                for one in got:
                    assert len(one) == n
                    lua = ws.run("local f, name = ... return f:column(name):tolist()",
                                 one, f"c{i}")
                    lua = [None if v != v else v for v in lua]
                    assert lua == values, (round_, i, t.schema, lua, values)
                for one in back:
                    assert one[f"c{i}"].to_pylist() == values, (round_, i, t.schema)


def test_pandas():
    """pandas: frames both ways"""
    pd = needs("pandas")
    needs("pyarrow")
    d = pd.DataFrame({"k": ["a", "b", None], "x": [1, 2, 3], "y": [0.5, None, 1]})
    f = ws.frame(d)
    assert f.columns == ["k", "x", "y"]
    assert ws.run("return (...).y:sum()", f) == 1.5
    assert ws.run("return (...).x:sum()", d["x"].to_frame()) == 6
    back = pd.DataFrame.from_arrow(f)
    assert back["x"].tolist() == [1, 2, 3]
    assert back["k"].astype("str").tolist()[:2] == ["a", "b"]
    kept = d[d.x > 1]
    assert ws.run("return (...).x:tolist()", kept) == [2, 3]  # without labels


def test_polars():
    """polars: frames both ways"""
    pl = needs("polars")
    d = pl.DataFrame({"k": ["a", "b" * 30, None], "x": [1, 2, 3]})
    f = ws.frame(d)
    assert ws.run("return (...).k:tolist()", f)[:2] == ["a", "b" * 30]
    assert ws.run("return (...):sum()", d["x"]) == 6
    back = pl.DataFrame(ws.run(FRAME))
    assert back["x"].to_list() == [1, 2, 3]
    assert back["s"].cast(pl.String).to_list() == ["a", None, "b"]


if __name__ == "__main__":
    sys.exit(run(sys.modules[__name__]))
