# SPDX-License-Identifier: Apache-2.0
"""Arrays between warpshop and other libraries: DLPack read and made by hand, so that no
library is needed, and then NumPy and JAX where they are installed."""

import ctypes
import gc
import sys
import threading
import warnings

import warpshop as ws
from tap import needs, raises, run

api = ctypes.pythonapi
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_GetName.restype = ctypes.c_char_p
api.PyCapsule_GetName.argtypes = [ctypes.py_object]
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Tensor(ctypes.Structure):
    """DLPack's tensor."""
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


class Versioned(ctypes.Structure):
    """DLPack 1's managed tensor."""
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32),
                ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
                ("flags", ctypes.c_uint64), ("tensor", Tensor)]


class Plain(ctypes.Structure):
    """The one before."""
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p)]


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
alive = []  # what is lent has to live until it is given back


class Lent:
    """An array of int32 of ours, lent by hand: how often was it given back?"""

    def __init__(self, values, shape=None, strides=None, flags=0, bits=32, code=0,
                 device=(1, 0), major=1, is_plain=False, offset=0):
        self.data = (ctypes.c_int32 * len(values))(*values)
        shape = shape or (len(values),)
        self.shape = (ctypes.c_int64 * max(len(shape), 1))(*shape)
        self.strides = strides and (ctypes.c_int64 * len(strides))(*strides)
        self.given_back, self.asked = 0, []
        alive.append(self)
        self.deleter = DELETER(self.give_back)
        tensor = Tensor(ctypes.addressof(self.data), *device, len(shape), code, bits, 1,
                        self.shape, self.strides or None, offset)
        pointer = ctypes.cast(self.deleter, ctypes.c_void_p)
        self.is_plain, self.device = is_plain, device
        self.managed = (Plain(tensor, None, pointer) if is_plain else
                        Versioned(major, 0, None, pointer, flags, tensor))

    def give_back(self, managed):
        assert managed == ctypes.addressof(self.managed)
        self.given_back += 1

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **named):
        self.asked.append(named)
        if self.is_plain and named:
            raise TypeError("no named arguments")
        return api.PyCapsule_New(ctypes.addressof(self.managed),
                                 b"dltensor" if self.is_plain else b"dltensor_versioned",
                                 None)


def take(capsule):
    """Takes a versioned capsule over: the managed tensor, and what gives it back."""
    managed = Versioned.from_address(
        api.PyCapsule_GetPointer(capsule, b"dltensor_versioned"))
    api.PyCapsule_SetName(capsule, b"used_dltensor_versioned")
    return managed, lambda: DELETER(managed.deleter)(ctypes.addressof(managed))


def collect():
    """What nobody holds is gone, in both."""
    gc.collect()
    ws.run("collectgarbage() collectgarbage()")


def warned(f, *args, **named):
    """What f gives, and the texts of its CopyWarnings."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        result = f(*args, **named)
    return result, [str(w.message) for w in said if w.category is ws.CopyWarning]


# ---- Arrays ----


def test_array():
    """an Array says what it is"""
    x = ws.run("return np.arange(6, 'f32'):reshape{2, 3}")
    assert isinstance(x, ws.Array)
    assert (x.shape, x.dtype, x.ndim, x.size, len(x)) == ((2, 3), "float32", 2, 6, 2)
    assert x.device == "host" and x.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert repr(x) == ws.run("return tostring(...)", x)
    zero = ws.run("return np.array(5)")
    assert zero.shape == () and zero.tolist() == 5
    raises(TypeError, len, zero)
    raises(TypeError, ws.Array)
    assert ws.array([1, 2], "u8").dtype == "uint8"
    assert ws.array([[1.5]]).tolist() == [[1.5]]
    assert ws.array(x, "i32").dtype == "int32"


def test_same_array():
    """an Array that goes back is the same memory"""
    x = ws.run("a = np.zeros(3, 'i32') return a")
    ws.run("local x = ... x[1] = 7", x)
    assert ws.eval("a[1]") == 7 and ws.from_dlpack(x).tolist() == [0, 7, 0]


# ---- Ours for others ----


def test_lend():
    """a host array is lent without a copy, and describes itself"""
    x = ws.run("a = np.arange(6, 'f32'):reshape{2, 3} return a")
    assert x.__dlpack_device__() == (1, 0)
    (capsule, said) = warned(x.__dlpack__, max_version=(1, 0))
    assert not said
    managed, give_back = take(capsule)
    t = managed.tensor
    assert (managed.major, managed.flags) == (1, 0)
    assert (t.device_type, t.ndim, t.code, t.bits, t.lanes) == (1, 2, 2, 32, 1)
    assert t.shape[:2] == [2, 3] and t.strides[:2] == [3, 1]
    data = (ctypes.c_float * 6).from_address(t.data + t.byte_offset)
    data[4] = 40
    assert ws.eval("a[\"1, 1\"]") == 40.0
    ws.run("a[\"0, 0\"] = -1")
    assert data[0] == -1
    view = ws.run("return a[\"::-1, 1\"]")
    managed, give_view_back = take(view.__dlpack__(max_version=(1, 2)))
    assert managed.tensor.strides[0] == -3
    first = ctypes.c_float.from_address(managed.tensor.data + managed.tensor.byte_offset)
    assert first.value == 40
    give_view_back()
    give_back()


def test_lend_types():
    """every type has its code"""
    for name, code, bits in (("bool", 6, 8), ("i8", 0, 8), ("i64", 0, 64), ("u16", 1, 16),
                             ("f16", 2, 16), ("bf16", 4, 16), ("f64", 2, 64)):
        capsule = ws.run("return np.zeros(2, ...)", name).__dlpack__(max_version=(1, 0))
        managed, give_back = take(capsule)
        assert (managed.tensor.code, managed.tensor.bits) == (code, bits), name
        give_back()


def test_lend_unversioned():
    """who does not know DLPack 1 gets the older capsule"""
    x = ws.run("return np.arange(3, 'i32')")
    capsule = x.__dlpack__()
    assert api.PyCapsule_GetName(capsule) == b"dltensor"
    managed = Plain.from_address(api.PyCapsule_GetPointer(capsule, b"dltensor"))
    assert managed.tensor.shape[0] == 3
    assert ws.from_dlpack(capsule).tolist() == [0, 1, 2]
    assert api.PyCapsule_GetName(capsule) == b"used_dltensor"
    assert "before" in str(raises(ValueError, ws.from_dlpack, capsule))


def test_lend_refuses():
    """what cannot be is a BufferError"""
    x = ws.run("return np.arange(3)")
    raises(BufferError, x.__dlpack__, stream=1)
    raises(BufferError, x.__dlpack__, dl_device=(2, 0))
    raises(TypeError, x.__dlpack__, 1)
    assert x.__dlpack__(dl_device=(1, 0), stream=None, copy=False)
    fixed = ws.run("return np.broadcast_to(np.array{1}, {3})")
    assert "read-only" in str(raises(BufferError, fixed.__dlpack__))
    managed, give_back = take(fixed.__dlpack__(max_version=(1, 0)))
    assert managed.flags == 1
    give_back()
    managed, give_back = take(fixed.__dlpack__(max_version=(1, 0), copy=True))
    assert managed.flags == 2
    give_back()


def test_lend_outlives():
    """what was lent outlives Lua's array and the Array, until it is given back"""
    x = ws.run("return np.full(1000, 7, 'i32')")
    managed, give_back = take(x.__dlpack__(max_version=(1, 0)))
    del x
    collect()
    for _ in range(20):
        ws.run("local t = {} for i = 1, 20 do t[i] = np.zeros(1000, 'i32') end")
    data = (ctypes.c_int32 * 1000).from_address(managed.tensor.data)
    assert list(data) == [7] * 1000
    threading.Thread(target=give_back).start()  # on any thread
    capsules = [ws.run("return np.zeros(4)").__dlpack__() for _ in range(100)]
    del capsules  # never taken over
    collect()


def test_lend_memory_comes_back():
    """memory that was given back is used again"""
    before = None
    for i in range(60):
        x = ws.run("return np.zeros(4194304, 'f64')")  # 32 MiB
        _, give_back = take(x.__dlpack__(max_version=(1, 0)))
        del x
        give_back()
        with open("/proc/self/statm", encoding="ascii") as f:
            size = int(f.read().split()[0])
        before = size if i == 10 else before
    assert size - before < 100_000, (size - before)  # pages: 400 MiB of 1.6 GiB


def test_kernel_sees_writes():
    """a launch copies anew what another library may have written"""
    ws.run("""
        twice = cuda.kernel[==[
        __global__ void twice(const int *x, int *out, int n) {
          if (threadIdx.x < n) out[threadIdx.x] = 2 * x[threadIdx.x]; }]==]
        x, out = np.ones(4, "i32"), np.zeros(4, "i32")
        twice[{1, 32}](x, out, 4)""")
    managed, give_back = take(ws.eval("x").__dlpack__(max_version=(1, 0)))
    (ctypes.c_int32 * 4).from_address(managed.tensor.data)[2] = 50
    ws.run("twice[{1, 32}](x, out, 4)")
    assert ws.eval("out").tolist() == [2, 2, 100, 2]
    give_back()
    lent = Lent([1, 2, 3, 4])
    ws.set("y", lent)
    ws.run("twice[{1, 32}](y, out, 4)")
    lent.data[0] = 9
    ws.run("twice[{1, 32}](y, out, 4)")
    assert ws.eval("out").tolist() == [18, 4, 6, 8]
    ws.run("twice[{1, 32}](x, y, 4)")  # into the memory of others
    assert list(lent.data) == [2, 2, 100, 2]


def test_device_array():
    """an array of the virtual GPU leaves as a copy, which is said once"""
    x = ws.run("d = cuda.to_device(np.arange(4, 'i32')) return d")
    assert x.device.startswith("virtual") and x.__dlpack_device__() == (1, 0)
    e = raises(BufferError, x.__dlpack__, copy=False)
    assert "virtual:0" in str(e), e
    capsule, said = warned(x.__dlpack__, max_version=(1, 0))
    assert len(said) == 1 and "virtual:0" in said[0], said
    managed, give_back = take(capsule)
    assert managed.flags == 2
    assert list((ctypes.c_int32 * 4).from_address(managed.tensor.data)) == [0, 1, 2, 3]
    give_back()
    assert warned(x.__dlpack__)[1] == []
    assert not hasattr(x, "__array_interface__")
    assert not hasattr(x, "__cuda_array_interface__")
    fixed = ws.run("return jnp.arange(3)")
    managed, give_back = take(fixed.__dlpack__(max_version=(1, 0)))
    assert managed.tensor.shape[0] == 3
    give_back()
    assert x.tolist() == [0, 1, 2, 3] and fixed.tolist() == [0, 1, 2]


def test_interface():
    """NumPy's array interface is the memory itself"""
    x = ws.run("a = np.arange(6, 'i16'):reshape{2, 3} return a")
    told = x.__array_interface__
    assert told["typestr"] == "<i2" and told["shape"] == (2, 3) and told["version"] == 3
    assert told["strides"] == (6, 2) and told["data"][1] is False
    (ctypes.c_int16 * 6).from_address(told["data"][0])[5] = 50
    assert ws.eval("a[\"1, 2\"]") == 50
    for name, code in (("bool", "|b1"), ("u8", "|u1"), ("f16", "<f2"), ("f64", "<f8")):
        assert ws.run("return np.zeros(2, ...)", name).__array_interface__[
            "typestr"] == code
    assert not hasattr(ws.run("return np.zeros(2, 'bf16')"), "__array_interface__")
    fixed = ws.run("return np.broadcast_to(np.array{1}, {3})")
    assert fixed.__array_interface__["data"][1] is True


# ---- Others' for us ----


def test_borrow():
    """another library's array is used where it lies, and given back once"""
    lent = Lent([1, 2, 3, 4, 5, 6], shape=(2, 3))
    x, said = warned(ws.from_dlpack, lent)
    assert lent.asked == [{"max_version": (1, 0)}] and not said
    assert (x.shape, x.dtype, x.tolist()) == ((2, 3), "int32", [[1, 2, 3], [4, 5, 6]])
    ws.run("local x = ... x[\"1, 0\"] = 40", x)
    assert lent.data[3] == 40
    lent.data[0] = 10
    assert ws.run("local x = ... return x:sum()", x) == 10 + 2 + 3 + 40 + 5 + 6
    ws.run("kept = (...)[0]", x)
    del x
    collect()
    assert lent.given_back == 0 and ws.eval("kept").tolist() == [10, 2, 3]
    ws.run("kept = nil")
    collect()
    assert lent.given_back == 1


def test_borrow_in_lists():
    """arrays in lists, and as arguments"""
    lent = Lent([1, 2])
    assert ws.run("local t = ... return t.a[1]:sum()", {"a": [lent]}) == 3
    collect()
    assert lent.given_back == 1
    assert ws.array(Lent([4, 5])).tolist() == [4, 5]


def test_borrow_plain():
    """an older library's capsule"""
    lent = Lent([1, 2, 3], is_plain=True)
    assert ws.from_dlpack(lent).tolist() == [1, 2, 3]
    assert lent.asked == [{"max_version": (1, 0)}, {}]
    collect()
    assert lent.given_back == 1


def test_borrow_offset():
    """the first element may lie behind the beginning"""
    assert ws.from_dlpack(Lent([1, 2, 3, 4], shape=(2,), offset=8)).tolist() == [3, 4]
    assert "copy" in str(raises(BufferError, ws.from_dlpack,
                                Lent([1, 2, 3, 4], shape=(2,), offset=2)))


def test_borrow_read_only():
    """what is read-only is not written to"""
    lent = Lent([1, 2, 3], flags=1)
    x = ws.from_dlpack(lent)
    raises(ws.Error, ws.run, "local x = ... x[0] = 1", x)
    assert x.__array_interface__["data"][1] is True
    e = raises(ws.Error, ws.run, """
        local k = cuda.kernel"__global__ void set(int *x) { *x = 5; }"
        k[{1, 1}](...)""", x)
    assert "const" in str(e), e
    assert list(lent.data) == [1, 2, 3]


def test_borrow_strides():
    """other orders are shared; gaps are a copy, which is said once"""
    turned = Lent([1, 2, 3, 4, 5, 6], shape=(3, 2), strides=(1, 3))
    x, said = warned(ws.from_dlpack, turned)
    assert x.tolist() == [[1, 4], [2, 5], [3, 6]] and not said
    ws.run("local x = ... x[\"2, 0\"] = 30", x)
    assert turned.data[2] == 30
    back = Lent([1, 2, 3], strides=(-1,), offset=8)
    assert ws.from_dlpack(back).tolist() == [3, 2, 1]
    gaps = Lent([1, 2, 3, 4, 5], shape=(3,), strides=(2,))
    x, said = warned(ws.from_dlpack, gaps)
    assert len(said) == 1 and "gaps" in said[0], said
    assert x.tolist() == [1, 3, 5] and gaps.given_back == 1
    assert warned(ws.from_dlpack, Lent([1, 2], shape=(1,), strides=(7,)))[1] == []
    twice = Lent([1, 2], shape=(2, 2), strides=(0, 1))
    assert ws.from_dlpack(twice).tolist() == [[1, 2], [1, 2]] and twice.given_back == 1


def test_borrow_copy_as_error():
    """a filter of Python's makes the copy an error"""
    code = ("import warnings, warpshop as ws, test_exchange as t\n"
            "warnings.simplefilter('error')\n"
            "lent = t.Lent([1, 2, 3], shape=(2,), strides=(2,))\n"
            "try:\n    ws.from_dlpack(lent)\n"
            "except ws.CopyWarning as e:\n    t.collect(); print(lent.given_back)\n")
    import subprocess
    p = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert p.stdout == "1\n", p


def test_borrow_refuses():
    """what is not to be used is left to its owner"""
    for wrong, kind, word in (
            (Lent([1], device=(8, 0)), BufferError, "GPU"),
            (Lent([1], code=5, bits=64), TypeError, "float16"),
            (Lent([1], bits=48), TypeError, "float16"),
            (Lent([1], major=2), BufferError, "newer"),
            (Lent([1], shape=(1,) * 17), ValueError, "16")):
        assert word in str(raises(kind, ws.from_dlpack, wrong))
        collect()
        assert wrong.given_back == 0
    assert "ws.array" in str(raises(TypeError, ws.from_dlpack, [1, 2]))
    raises(TypeError, ws.set, "x", open)


def test_borrow_nothing():
    """arrays without elements"""
    lent = Lent([1], shape=(0, 3))
    assert ws.from_dlpack(lent).shape == (0, 3)
    assert ws.run("return np.zeros{0, 2}").__array_interface__["shape"] == (0, 2)


def test_in_lua():
    """np.from_dlpack and x:to_dlpack, in Lua"""
    lent = Lent([1, 2, 3])
    ws.set("x", lent.__dlpack__())  # a capsule stands for its array
    assert ws.run("return np.from_dlpack(x):sum()") == 6
    assert ws.run("c = x:to_dlpack() y = np.from_dlpack(c) y[0] = 5 return x[0]") == 5
    e = raises(ws.Error, ws.run, "np.from_dlpack(c)")
    assert e.kind == "argument" and "before" in str(e), e
    assert ws.run("return (pcall(np.from_dlpack, c))") is False
    assert ws.eval("1 + 1") == 2
    e = raises(ws.Error, ws.run, "np.from_dlpack(5)")
    assert "argument 1 is 5" in str(e) or "a number" in str(e), e
    capsule = ws.run("return x:to_dlpack()")
    assert ws.from_dlpack(capsule).tolist() == [5, 2, 3]
    ws.run("x, y, c = nil, nil, nil")
    del capsule
    collect()
    assert lent.given_back == 1
    raises(ws.Error, ws.run, "cuda.to_device(np.ones(2)):to_dlpack()")


# ---- Libraries ----


def test_numpy():
    """NumPy: shared both ways, whoever dies first"""
    numpy = needs("numpy")
    x = ws.run("a = np.arange(6, 'f32'):reshape{2, 3} return a")
    seen, same = numpy.asarray(x), numpy.from_dlpack(x)
    seen[1, 1] = 9
    assert same[1, 1] == 9 and ws.eval("a[\"1, 1\"]") == 9.0
    del x
    ws.run("a = nil")
    collect()
    assert seen.tolist() == [[0, 1, 2], [3, 9, 5]]
    theirs = numpy.arange(4.0)
    ws.set("b", theirs)
    ws.run("b[0] = 5")
    assert theirs[0] == 5
    count = sys.getrefcount(theirs)
    ws.run("b = nil")
    collect()
    assert sys.getrefcount(theirs) == count - 1
    ws.set("b", numpy.arange(3))
    assert ws.eval("b:sum()") == 3
    theirs.flags.writeable = False
    raises(ws.Error, ws.run, "local x = ... x[0] = 1", theirs)
    for name in ("bool", "int8", "uint64", "float16", "float64"):
        assert ws.array(numpy.ones(3, name)).dtype == name
    assert ws.run("return ...", numpy.float32(0.5)) == 0.5
    assert ws.run("return ...", numpy.int64(3)) == 3
    assert numpy.asarray(ws.run("return cuda.to_device(np.ones(3, 'i32'))")).sum() == 3
    assert numpy.asarray(ws.run("return np.ones(2)"), dtype="f4").dtype == "float32"
    raises(TypeError, ws.array, numpy.ones(2, "complex64"))
    assert warned(ws.array, numpy.ones((4, 4)).T)[1] == []


def test_numpy_file():
    """where NumPy's memory is read-only, a kernel cannot write"""
    numpy = needs("numpy")
    fixed = numpy.frombuffer(b"\x01\x00\x00\x00\x02\x00\x00\x00", "int32")
    ws.set("f", fixed)
    assert ws.eval("f:sum()") == 3
    raises(ws.Error, ws.run, "f[0] = 2")


def test_jax():
    """JAX: shared both ways, and never written to"""
    jax = needs("jax")
    numbers = jax.numpy.arange(4)
    ws.set("j", numbers)
    raises(ws.Error, ws.run, "j[0] = 5")
    assert ws.eval("j:sum()") == 6 and ws.eval("j").tolist() == numbers.tolist()
    x = ws.run("return np.arange(1024, 'f32')")
    theirs = jax.dlpack.from_dlpack(x)
    assert float(theirs.sum()) == 1023 * 512
    del x
    collect()
    assert float(theirs[5]) == 5


if __name__ == "__main__":
    sys.exit(run(sys.modules[__name__]))
