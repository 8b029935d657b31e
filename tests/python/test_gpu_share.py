# SPDX-License-Identifier: Apache-2.0
"""Arrays that Python's libraries and a device server share without a copy: a real server,
with a driver whose GPUs' memory is the host's (tests/fixtures/fake_libcuda.c), here and
there. tests/gpu/exchange.py is the same with real ones."""

import ctypes
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

FAKE = os.path.abspath(os.path.join(os.environ.get("BUILD", "build"),
                                    "tests/unit/fake_libcuda.so"))
FOLDER = tempfile.TemporaryDirectory()
os.symlink(FAKE, os.path.join(FOLDER.name, "libcuda.so.1"))
os.environ["LD_LIBRARY_PATH"] = FOLDER.name  # of the server
os.environ["FAKE_SLOW_US"] = "20000"  # what is not waited for is not there
os.environ["FAKE_NCCL_BLOCKS"] = "1"
os.environ["WARPSHOP_DEVICE"] = "cuda:0"

import warpshop as ws  # pylint: disable=wrong-import-position
from tap import raises, run  # pylint: disable=wrong-import-position
from test_exchange import Lent, collect, take, warned  # pylint: disable=wrong-import-position

state = {}
COUNT = 300000


def driver():
    """The fake, loaded as PyTorch or CuPy load the real one."""
    if "driver" not in state:
        state["driver"] = ctypes.CDLL(FAKE)
    return state["driver"]


def value(name):
    """A variable of the fake's."""
    return ctypes.c_int.in_dll(driver(), name).value


def stream():
    """The stream of the last wait or record."""
    return ctypes.c_void_p.in_dll(driver(), "fake_stream").value


def numbers(address, count=COUNT):
    """Floats that lie in the fake's memory."""
    return (ctypes.c_float * count).from_address(address)


def device_array(count=COUNT):
    """An array of Lua's, `a`, on the GPU."""
    return ws.run("a = cuda.to_device(np.arange(..., 'f32')) return a", count)


def server():
    """The process of the device server."""
    found = subprocess.run(["pgrep", "-P", str(os.getpid()), "-f", "server 3 cuda:0"],
                           capture_output=True, text=True, check=True)
    return int(found.stdout.split()[0])


def kill_server():
    """It has ended, and Lua has not noticed yet."""
    pid = server()
    os.kill(pid, 9)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)


def test_before():
    """where no library has loaded a driver, a copy on the CPU leaves"""
    x = device_array()
    assert x.__dlpack_device__() == (1, 0)
    raises(AttributeError, lambda: x.__cuda_array_interface__)
    capsule, said = warned(x.__dlpack__, max_version=(1, 0))
    assert len(said) == 1 and "copy on the CPU" in said[0], said
    managed, give_back = take(capsule)
    assert managed.tensor.device_type == 1
    give_back()


def test_lend():
    """an array of the GPU is lent where it lies, both ways"""
    driver()
    x = device_array()
    assert x.__dlpack_device__() == (2, 0)
    capsule, said = warned(x.__dlpack__, stream=1, max_version=(1, 0))
    assert said == []
    managed, give_back = take(capsule)
    t = managed.tensor
    assert (t.device_type, t.device_id, t.ndim, t.shape[0], t.strides[0]) == (2, 0, 1, COUNT, 1)
    assert (t.code, t.bits, managed.flags) == (2, 32, 0)
    theirs = numbers(t.data + t.byte_offset)
    assert theirs[5] == 5 and theirs[COUNT - 1] == COUNT - 1
    theirs[7] = 70
    assert ws.run("return a:copy_to_host()[7]") == 70
    ws.run("a:fill(3)")  # is done when it returns
    assert theirs[COUNT - 1] == 3 and value("fake_copies") == 0
    give_back()


def test_views():
    """views, types, sizes, and an array whose block is shared"""
    driver()
    x = ws.run("b = cuda.to_device(np.arange(12, 'i16'):reshape{3, 4}) return b['1:, ::2']")
    managed, give_back = take(x.__dlpack__(max_version=(1, 0)))
    t = managed.tensor
    assert [t.shape[i] for i in range(2)] + [t.strides[i] for i in range(2)] == [2, 2, 4, 2]
    assert (t.code, t.bits) == (0, 16)
    assert (ctypes.c_int16 * 8).from_address(t.data)[0:7:2] == [4, 6, 8, 10]
    give_back()
    del x
    collect()
    before = driver().fake_blocks()
    others = [ws.run("return jnp.asarray(np.full({5}, ..., 'f32'))", i) for i in range(9)]
    assert others[0].device == "cuda:0"
    lent = [take(x.__dlpack__(max_version=(1, 0))) for x in others]
    assert driver().fake_blocks() == before + 1  # one allocation, mapped once
    for i, (managed, give_back) in enumerate(lent):
        assert list(numbers(managed.tensor.data, 5)) == [i] * 5
        give_back()
    others = x = None
    collect()
    assert driver().fake_blocks() == before


def test_idle():
    """a call that queues nothing waits for nothing, whatever is shared"""
    driver()
    x = device_array()
    _, give_back = take(x.__dlpack__(max_version=(1, 0)))
    ws.run("a:fill(3)")  # all is done
    pid = server()
    hung = threading.Timer(float(os.environ.get("HANG_S", 300)), os.kill,
                           (pid, signal.SIGCONT))
    hung.start()
    os.kill(pid, signal.SIGSTOP)  # it answers nobody
    assert [ws.run("return ... + 1", i) for i in range(20)] == list(range(1, 21))
    assert hung.is_alive()
    hung.cancel()
    os.kill(pid, signal.SIGCONT)
    managed, give_back_2 = take(x.__dlpack__(max_version=(1, 0)))
    ws.run("a:fill(5)")
    assert numbers(managed.tensor.data)[COUNT - 1] == 5
    give_back()
    give_back_2()
    del x
    ws.run("a = nil")
    collect()


def test_streams():
    """whatever stream the consumer names, our work is done before; none waits for us"""
    driver()
    waits = value("fake_waits")
    for n, given in enumerate((None, 1, 2, 0x7000, 0)):
        x = None
        ws.run("x = nil")
        collect()  # nothing is shared: Lua returns before its work is done
        x = ws.run("""x = cuda.device_array({(...)}, 'f32')
                      x:fill(select(2, ...)) return x""", COUNT, n)
        managed, give_back = take(x.__dlpack__(stream=given, max_version=(1, 0)))
        assert numbers(managed.tensor.data)[COUNT - 1] == n
        give_back()
    assert value("fake_waits") == waits
    x = device_array()
    take(x.__dlpack__(stream=-1, max_version=(1, 0)))[1]()
    raises(TypeError, x.__dlpack__, stream="1")


def test_wanted():
    """a copy on the CPU or on the GPU, where it is wanted; other devices are refused"""
    driver()
    x = device_array()
    managed, give_back = take(x.__dlpack__(dl_device=(1, 0), max_version=(1, 0)))
    assert managed.tensor.device_type == 1 and managed.flags & 2
    give_back()
    managed, give_back = take(x.__dlpack__(copy=True, max_version=(1, 0)))
    assert managed.tensor.device_type == 2 and managed.flags & 2
    theirs = numbers(managed.tensor.data)
    assert theirs[9] == 9
    theirs[9] = 1
    assert ws.run("return a:copy_to_host()[9]") == 9
    give_back()
    for device in ((2, 1), (2, 7), (8, 0)):
        e = raises(BufferError, x.__dlpack__, dl_device=device, max_version=(1, 0))
        assert "(2, 0)" in str(e), e
    raises(BufferError, x.__dlpack__, dl_device=(1, 0), stream=1)


def test_readonly():
    """an array of jax's is read-only, which older consumers do not see"""
    driver()
    x = ws.run("return jnp.asarray(np.ones(1000, 'f32'))")
    assert x.device == "cuda:0"
    managed, give_back = take(x.__dlpack__(max_version=(1, 0)))
    assert managed.flags == 1 and numbers(managed.tensor.data, 1000)[999] == 1
    give_back()
    assert "read-only" in str(raises(BufferError, x.__dlpack__))


def test_interface():
    """the CUDA array interface"""
    driver()
    x = device_array()
    told = x.__cuda_array_interface__
    assert (told["shape"], told["typestr"], told["version"]) == ((COUNT,), "<f4", 3), told
    assert told["data"][1] is False and told.get("stream") is None
    theirs = numbers(told["data"][0])
    ws.run("a:fill(8)")
    assert theirs[COUNT - 1] == 8
    raises(AttributeError, lambda: x.__array_interface__)
    raises(AttributeError, lambda: ws.run("return np.ones(3)").__cuda_array_interface__)
    half = ws.run("return cuda.to_device(np.ones(3, 'bf16'))")
    raises(AttributeError, lambda: half.__cuda_array_interface__)
    assert half.__dlpack_device__() == (2, 0)


def test_from_lua():
    """x:to_dlpack() of an array on the GPU, and np.from_dlpack of what comes"""
    driver()
    device_array()
    managed, give_back = take(ws.run("return a:to_dlpack()"))
    assert managed.tensor.device_type == 2 and numbers(managed.tensor.data)[9] == 9
    give_back()
    lent = theirs_at(allocate(4000), 1000)
    ws.run("b = np.from_dlpack(...)", lent.__dlpack__())
    assert ws.run("return b.device, b:copy_to_host()[999]") == ("cuda:0", 999)
    ws.run("b = nil")
    end_loans()
    assert lent.given_back == 1
    ws.run("c = cuda.to_device(np.ones(3)):to('virtual:0')")
    e = raises(ws.Error, ws.run, "c:to_dlpack()")
    assert "copy_to_host" in str(e), e


def test_lifetimes():
    """whoever is done last: memory is unmapped by the deleter, on any thread"""
    driver()
    collect()
    before = driver().fake_blocks()
    x = device_array()
    managed, give_back = take(x.__dlpack__(max_version=(1, 0)))
    theirs = numbers(managed.tensor.data)
    del x
    ws.run("a = nil")
    collect()
    ws.run("for i = 1, 20 do cuda.to_device(np.zeros(300000, 'f32')) end")
    assert theirs[COUNT - 1] == COUNT - 1  # nobody else got the memory
    assert driver().fake_blocks() == before + 1
    thread = threading.Thread(target=give_back)
    thread.start()
    thread.join()
    assert driver().fake_blocks() == before
    x = device_array()
    capsule = x.__dlpack__(max_version=(1, 0))  # that nobody takes
    del capsule, x
    collect()
    assert driver().fake_blocks() == before


def test_free():
    """a:free() of what is lent leaves the memory to who has it"""
    driver()
    x = ws.run("a = jnp.asarray(np.arange(10, 'f32')) return a")
    managed, give_back = take(x.__dlpack__(max_version=(1, 0)))
    theirs = numbers(managed.tensor.data, 10)
    ws.run("a:free() b = {} for i = 1, 50 do b[i] = jnp.asarray(np.zeros(10, 'f32')) end")
    assert theirs[9] == 9  # the pool has not given it to another
    raises(ws.Error, x.tolist)
    give_back()
    del x
    ws.run("a, b = nil")
    collect()


def test_free_comes_back():
    """a:free() of what is lent takes effect when it comes back, if not before"""
    driver()
    x = ws.run("a = cuda.to_device(np.zeros(..., 'f32')) return a", 1 << 20)
    _, give_back = take(x.__dlpack__(max_version=(1, 0)))
    used = "return cuda.memory_stats().bytes_in_use"
    before = ws.run("b = a:copy() b:free() " + used)
    ws.run("a:free()")
    assert ws.run(used) == before
    del x
    collect()
    give_back()
    assert ws.run(used) == before - (4 << 20)  # Lua's `a` is still there
    ws.run("a = nil")
    collect()
    assert ws.run(used) == before - (4 << 20)


def test_asked():
    """who has only asked where an array is keeps its memory from others as well"""
    driver()
    collect()
    x = ws.run("a = jnp.asarray(np.zeros(..., 'f32')) return a", COUNT)
    assert x.__dlpack_device__() == (2, 0)
    ws.run("a:free() cuda.synchronize() cuda.empty_cache()")
    ws.run("cuda.synchronize() cuda.synchronize()")
    others = [ws.run("return jnp.asarray(np.full({...}, 4, 'f32'))", COUNT) for _ in range(4)]
    for y in others:
        managed, give_back = take(y.__dlpack__(max_version=(1, 0)))
        assert numbers(managed.tensor.data)[COUNT - 1] == 4
        give_back()
    x = y = others = None
    ws.run("a = nil")
    collect()


def test_lost_in_lua():
    """x:to_dlpack() that hears of the server's end holds nothing"""
    driver()
    kill_server()
    os.environ["FAKE_SLOW_US"] = "100000000"  # a fill goes on until the server ends
    try:
        ws.run("cuda.synchronize()")
    except ws.Error:
        pass
    collect()
    before = driver().fake_blocks()
    x = device_array()
    assert x.__dlpack_device__() == (2, 0)
    assert driver().fake_blocks() == before + 1
    os.environ["FAKE_SLOW_US"] = "20000"
    raises(ws.Error, ws.run, """a:fill(3) os.execute("kill -9 " .. ...)
                                a:to_dlpack()""", server())
    del x
    ws.run("a = nil")
    collect()
    assert driver().fake_blocks() == before


def test_foreign_thread():
    """a deleter on a thread that Python does not know, while another has Python's lock"""
    driver()
    libc = ctypes.PyDLL(None)  # keeps Python's lock
    x = device_array()
    managed, _ = take(x.__dlpack__(max_version=(1, 0)))
    thread, until = ctypes.c_ulong(), (ctypes.c_long * 2)(int(time.time()) + 60, 0)
    deleter = ctypes.cast(managed.deleter, ctypes.c_void_p)
    assert libc.pthread_create(ctypes.byref(thread), None, deleter, ctypes.byref(managed)) == 0
    assert libc.pthread_timedjoin_np(thread, None, until) == 0
    del x
    ws.run("a = nil")
    collect()


def is_shared():
    """Something on the first GPU is, by what a group says."""
    return "cuda:0 is shared" in ws.run("return tostring(cuda.comm{'cuda:0', 'cuda:1'})")


def test_groups():
    """devices with arrays that are shared join no group, which would part the two"""
    driver()
    x = device_array()
    managed, give_back = take(x.__dlpack__(max_version=(1, 0)))
    theirs = theirs_at(allocate(4096), 10)
    y = ws.from_dlpack(theirs)
    for _ in range(2):
        said = ws.run("return tostring(cuda.comm{'cuda:0', 'cuda:1'})")
        assert "cuda:0 is shared" in said, said
        e = raises(ws.Error, ws.run, "cuda.comm({'cuda:0', 'cuda:1'}, {transport = 'nccl'})")
        assert "let go" in str(e), e
    ws.run("a:fill(8)")
    assert numbers(managed.tensor.data)[COUNT - 1] == 8 and y.tolist()[9] == 9
    give_back()
    del y
    end_loans()
    assert not is_shared()  # it was lent, and came back
    assert x.__dlpack_device__() == (2, 0) and not is_shared()
    _, give_back = take(x.__dlpack__(max_version=(1, 0)))
    managed, give_back_2 = take(x.__dlpack__(max_version=(1, 0)))
    threading.Thread(target=give_back).run()
    assert is_shared() and numbers(managed.tensor.data)[COUNT - 1] == 8
    give_back_2()
    assert not is_shared()
    del managed
    assert x.__cuda_array_interface__["shape"] == (COUNT,)
    collect()
    assert is_shared()  # nobody says when they are done
    del x
    collect()
    assert not is_shared() and ws.run("return a:copy_to_host()[9]") == 8


def test_server_dies():
    """the server is killed: what they have stays, and ours is lost or comes anew"""
    driver()
    x = device_array()
    managed, give_back = take(x.__dlpack__(max_version=(1, 0)))
    theirs = numbers(managed.tensor.data)
    os.kill(server(), 9)
    for _ in range(3):
        try:
            ws.run("cuda.synchronize()")
        except ws.Error:
            pass
    assert theirs[COUNT - 1] == COUNT - 1
    raises(ws.Error, x.__dlpack__, max_version=(1, 0))  # it was lent: it is lost
    y = device_array()
    managed2, give_back2 = take(y.__dlpack__(max_version=(1, 0)))
    assert numbers(managed2.tensor.data)[9] == 9 and theirs[9] == 9
    theirs[9] = 5
    assert ws.run("return a:copy_to_host()[9]") == 9
    give_back()
    give_back2()


# ---- Theirs ----


def end_loans():
    """What nobody holds is gone, and the server has let go of it."""
    collect()
    ws.run("cuda.synchronize()")
    ws.run("cuda.synchronize()")


def allocate(size):
    """Memory of theirs, as most libraries allocate it."""
    address = ctypes.c_uint64()
    assert driver().cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(size)) == 0
    return address.value


def make_mapped(size, handles):
    """Memory of theirs, by the virtual memory calls, to be exported by those handles."""
    api, handle, address = driver(), ctypes.c_uint64(), ctypes.c_uint64()
    wide = ctypes.c_size_t(size), ctypes.c_uint64(0)
    prop = (ctypes.c_int * 8)(1, handles, 1, 0)
    assert api.cuMemCreate(ctypes.byref(handle), wide[0], prop, wide[1]) == 0
    assert api.cuMemAddressReserve(ctypes.byref(address), wide[0], ctypes.c_size_t(0),
                                   wide[1], wide[1]) == 0
    assert api.cuMemMap(address, wide[0], ctypes.c_size_t(0), handle, wide[1]) == 0
    return address.value


def theirs_at(address, count, ordinal=0, **named):
    """An array of theirs there, of so many float32: 0, 1, 2 ..."""
    numbers(address, count)[:] = range(count)
    lent = Lent([0], shape=(count,), code=2, device=(2, ordinal), **named)
    lent.managed.tensor.data = address
    return lent


class Interface:
    """What Numba's arrays are."""

    def __init__(self, address, count, readonly=False, stream=None):
        self.__cuda_array_interface__ = {
            "shape": (count,), "typestr": "<f4", "version": 3, "strides": None,
            "data": (address, readonly), "stream": stream}


def test_comes():
    """theirs comes as it is: Lua reads and writes their memory"""
    driver()
    base = allocate(4 * COUNT)
    lent = theirs_at(base, COUNT)
    copies, records = value("fake_copies"), value("fake_records")
    x, said = warned(ws.from_dlpack, lent)
    assert value("fake_records") == records + 1 and stream() == 1
    assert said == [] and x.device == "cuda:0" and x.shape == (COUNT,)
    assert lent.asked == [{"max_version": (1, 0), "stream": 1}], lent.asked
    numbers(base)[7] = 70
    assert ws.run("local x = ... return x:copy_to_host()[7]", x) == 70
    ws.run("t = ... t:fill(4)", x)  # is done when it returns
    assert numbers(base)[COUNT - 1] == 4 and value("fake_copies") == copies
    before = ws.copied_bytes()
    ws.run("t:fill(5)")
    assert before == ws.copied_bytes()
    assert lent.given_back == 0
    assert driver().fake_sharers(ctypes.c_uint64(base)) == 2
    del x
    ws.run("t = nil")
    end_loans()
    assert lent.given_back == 1 and numbers(base)[0] == 5
    assert driver().fake_sharers(ctypes.c_uint64(base)) == 1
    assert driver().cuMemFree_v2(ctypes.c_uint64(base)) == 0


def test_parts():
    """several of one allocation, which the server opens once; views; what is read-only"""
    driver()
    base = allocate(4 * COUNT)
    a, b = theirs_at(base, 100), theirs_at(base + 4096, 50, flags=1)
    x, y = ws.from_dlpack(a), ws.from_dlpack(b)
    raises(ws.Error, ws.run, "local x = ... x:fill(1)", y)
    raises(ws.Error, ws.run, "local x = ... x:copy_from(np.ones(50, 'f32'))", y)
    z = ws.from_dlpack(Interface(base + 8192, 10))
    assert ws.run("local x, y = ... return x:copy_to_host():sum() + y:copy_to_host():sum()",
                  x, y) == 4950 + 1225
    gaps = theirs_at(base + 16384, 3, strides=(2,))
    numbers(base + 16384, 6)[:] = range(6)
    g, said = warned(ws.from_dlpack, gaps)
    assert said == [] and g.tolist() == [0, 2, 4]
    ws.run("local x = ... x:fill(6)", z)
    assert list(numbers(base + 8192, 10)) == [6] * 10
    del x
    end_loans()
    assert (a.given_back, b.given_back) == (1, 0) and y.tolist()[49] == 49
    y = z = g = None
    end_loans()
    assert b.given_back == 1 and gaps.given_back == 1
    again = ws.from_dlpack(theirs_at(base, 100))  # opened anew
    assert again.tolist()[99] == 99


def test_made_as_files():
    """memory of the virtual memory calls: as a file where it was made so, else a copy"""
    driver()
    address = make_mapped(4 << 20, 1)
    lent = theirs_at(address + 512, 1000)
    x, said = warned(ws.from_dlpack, lent)
    assert said == [] and x.device == "cuda:0"
    ws.run("local x = ... x:fill(2)", x)
    assert numbers(address + 512, 1000)[999] == 2
    del x
    end_loans()
    assert lent.given_back == 1
    before = ws.copied_bytes()
    address = make_mapped(4 << 20, 0)
    lent = theirs_at(address, 1000)
    x, said = warned(ws.from_dlpack, lent)
    assert len(said) == 1 and "copied to the host" in said[0], said
    assert x.device == "host" and x.tolist()[999] == 999
    assert ws.copied_bytes() == before + 4000
    end_loans()
    assert lent.given_back == 1


def test_their_streams():
    """the CUDA array interface names a stream; ours waits for what is on it"""
    driver()
    base = allocate(4096)
    for given, want in ((None, 1), (1, 1), (2, 2), (0x7000, 0x7000)):
        records = value("fake_records")
        x = ws.array(Interface(base, 10, stream=given))
        assert value("fake_records") == records + 1 and stream() == want, (given, stream())
        del x
        end_loans()
    x = ws.array(Interface(base, 10))
    records = value("fake_records")
    ws.run("return 1")  # what they did meanwhile comes before
    assert value("fake_records") == records + 1 and stream() == 1
    del x
    end_loans()
    records = value("fake_records")
    ws.run("return 1")
    assert value("fake_records") == records  # nothing is shared any more


def test_other_gpu():
    """an array of the second GPU lives on the second"""
    driver()
    base = allocate(4096)
    x = ws.from_dlpack(theirs_at(base, 10, ordinal=1))
    assert x.device == "cuda:1" and x.tolist() == list(range(10))
    raises(BufferError, ws.from_dlpack, theirs_at(base, 10, ordinal=5))


def test_server_dies_with_theirs():
    """the server is killed: theirs is whole, ours is lost, and comes again"""
    driver()
    base = allocate(4 * COUNT)
    lent = theirs_at(base, COUNT)
    x = ws.from_dlpack(lent)
    ws.run("local x = ... x:fill(3)", x)
    os.kill(server(), 9)
    for _ in range(3):
        try:
            ws.run("cuda.synchronize()")
        except ws.Error:
            pass
    raises(ws.Error, x.tolist)
    assert numbers(base)[COUNT - 1] == 3
    y = ws.from_dlpack(theirs_at(base, COUNT))
    assert y.tolist()[5] == 5
    del x
    end_loans()
    assert lent.given_back == 1


# ---- Both ----


class Random:
    """Arrays shared both ways, dropped in any order, with servers that are killed."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.bases = [allocate(1 << 16) for _ in range(4)]
        self.ours, self.theirs, self.lents = [], [], []

    def lend(self):
        """Ours, filled with a number; its Array lives on or not."""
        count, number = self.rng.choice([1, 10, 1000, COUNT]), self.rng.randrange(100)
        try:
            x = ws.run("""local x = cuda.device_array({(...)}, "f32")
                          x:fill(select(2, ...)) return x""", count, number)
            managed, give_back = take(x.__dlpack__(max_version=(1, 0)))
        except ws.Error:  # the server was killed
            return
        values = numbers(managed.tensor.data, count)
        assert values[count - 1] == number
        self.ours.append((values, number, give_back, self.rng.random() < 0.5 and x))

    def borrow(self):
        """Theirs, of some allocation."""
        lent = theirs_at(self.rng.choice(self.bases) + 4096 * self.rng.randrange(8), 100)
        self.lents.append(lent)
        try:
            self.theirs.append((ws.from_dlpack(lent), lent))
        except ws.Error:
            pass

    def drop(self):
        """One of either goes: what they have of ours is still there."""
        if self.ours and self.rng.random() < 0.5:
            values, number, give_back, _ = self.ours.pop(self.rng.randrange(len(self.ours)))
            assert values[len(values) - 1] == number
            thread = threading.Thread(target=give_back)
            thread.start()
            thread.join()
        elif self.theirs:
            self.theirs.pop(self.rng.randrange(len(self.theirs)))

    def use(self):
        """Lua writes to some of theirs."""
        for x, lent in self.rng.sample(self.theirs, min(3, len(self.theirs))):
            try:
                ws.run("local x = ... x:fill(7)", x)
            except ws.Error:  # of a server before
                continue
            assert numbers(lent.managed.tensor.data, 100)[50] == 7

    def kill(self):
        """The server ends."""
        os.kill(server(), 9)
        for _ in range(3):
            try:
                ws.run("cuda.synchronize()")
            except ws.Error:
                pass
        ws.run("cuda.device_array({1})")

    def run(self, steps):
        """All of it at random; at the end nothing is left."""
        self.kill()
        for _ in range(steps):
            self.rng.choices([self.lend, self.borrow, self.drop, self.use, self.kill],
                             [30, 25, 30, 13, 2])[0]()
        while self.ours or self.theirs:
            self.drop()
        end_loans()
        assert [lent.given_back for lent in self.lents] == [1] * len(self.lents)
        assert [driver().fake_sharers(ctypes.c_uint64(b)) for b in self.bases] == [1] * 4


def test_random():
    """at random, with servers that die"""
    driver()
    os.environ["FAKE_SLOW_US"] = "300"
    before = driver().fake_blocks()
    for seed in range(3):
        Random(seed).run(150)
    assert driver().fake_blocks() == before + 3 * 4


def test_joined():
    """what came back from others is carried into a group; nothing of it stays behind"""
    driver()
    before = driver().fake_blocks()
    x = device_array()
    _, give_back = take(x.__dlpack__(max_version=(1, 0)))
    give_back()
    assert driver().fake_blocks() == before + 1  # for the next who asks
    os.environ["WARPSHOP_NCCL"] = FAKE.replace("libcuda", "nccl")
    assert "NCCL 2" in ws.run("return cuda.comm{'cuda:0', 'cuda:1'}.transport")
    ws.run("cuda.synchronize()")
    assert driver().fake_blocks() == before
    managed, give_back = take(x.__dlpack__(max_version=(1, 0)))
    theirs = numbers(managed.tensor.data)
    ws.run("a:copy_from(a:copy_to_host() + 1)")
    assert theirs[COUNT - 1] == COUNT and driver().fake_blocks() == before + 1
    give_back()
    del x
    collect()
    assert driver().fake_blocks() == before


if __name__ == "__main__":
    sys.exit(run(sys.modules[__name__]))
