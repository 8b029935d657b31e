# SPDX-License-Identifier: Apache-2.0
"""scale.connect: tasks of scale run by Dask's scheduler and workers, which this test
starts; what it says where there is none. With Dask in PYTHON (distributed)."""

import os
import re
import signal
import subprocess
import sys
import tempfile

from dask_cluster import HANG_S, Cluster, until
from tap import needs, raises, run

shop = os.path.join(os.environ.get("BUILD", "build"), "warpshop")
there = "127.0.0.1:9"  # nobody listens


def started(code, **more):
    """The program with this Lua."""
    env = {**os.environ, "VIRTUAL_ENV": sys.prefix, **more}
    return subprocess.Popen([shop, "run", "-e", code], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, env=env)


def ran(code, **more):
    """Its exit status and what it printed, both ways."""
    p = started(code, **more)
    out, err = p.communicate(timeout=HANG_S)
    return p.returncode, out, err


def with_client(cluster, code):
    """What it prints, with a client c; it must not fail."""
    status, out, err = ran(f'c = scale.connect("{cluster.address}") {code}')
    assert (status, err) == (0, ""), (status, out, err, cluster.said()[-3000:])
    return out


# ---- Without Dask ----


def fake(folder, name, text):
    """A module that hides another."""
    with open(os.path.join(folder, name + ".py"), "w", encoding="utf-8") as f:
        f.write(text)
    return os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")])


def test_absent():
    """a Python without Dask: exit status 3, and the way out"""
    with tempfile.TemporaryDirectory() as folder:
        path = fake(folder, "distributed", "raise ImportError('none here')")
        status, _, err = ran(f'scale.connect("tcp://{there}")', PYTHONPATH=path)
    assert status == 3 and "(none here): `python3 -m pip install distributed" in err, err


def test_broken_library():
    """a Dask that fails when it is loaded: what it says, and no traceback"""
    with tempfile.TemporaryDirectory() as folder:
        path = fake(folder, "distributed", "raise ValueError('two versions')")
        status, _, err = ran(f'scale.connect("tcp://{there}")', PYTHONPATH=path)
    assert status == 1 and "scale: Dask says: ValueError: two versions" in err, err
    assert "Traceback" not in err and "no Python runs" not in err, err


def test_no_python():
    """no Python: the same"""
    status, _, err = ran(f'scale.connect("tcp://{there}")', VIRTUAL_ENV="", PATH="")
    assert status == 3 and "no Python runs as python3" in err, err


def test_addresses():
    """what is no address"""
    for given, told in (("3", "not a number"), ('"localhost"', 'not "localhost"')):
        status, _, err = ran(f"scale.connect({given})")
        assert status == 1 and told in err and "tcp://localhost:8786" in err, err


# ---- With it ----


def test_unreachable():
    """no scheduler at the address"""
    needs("distributed")
    status, _, err = ran(f'scale.connect("tcp://{there}")')
    assert status == 1 and f"no scheduler of Dask's answers at tcp://{there}" in err, err
    status, _, err = ran(f'scale.connect("tls://{there}")')  # without its configuration
    assert status == 1 and f"no scheduler of Dask's answers at tls://{there}" in err, err
    assert "Traceback" not in err, err


programs = """
local programs = dofile("tests/lua/scale_programs.lua")
local function result(seed)
  local p = programs.make(seed, {on_host = true})
  return programs.run(p, function(node)
    return scale.array(node.value,
      {chunks = programs.random_chunks(p.random, node.shape)})
  end):compute()
end
local theirs = {}
for seed = 1, 20 do theirs[seed] = np.asarray(result(seed)) end
c:close()
for seed = 1, 20 do
  local ours = np.asarray(result(seed))
  assert(ours.dtype == theirs[seed].dtype)
  if not np.array_equal(ours, theirs[seed], {equal_nan = true}) then print(seed) end
end"""

frames = """
local names = {}
for i = 1, 60 do names[i] = ({"Bob", "Alice", "Eve"})[i % 3 + 1] end
local rows = frame.DataFrame{{"name", names}, {"x", np.arange(60, "f64") / 7}}
rows:to_csv("rows.csv", {index = false})
np.save("x.npy", np.arange(24, "f32"):reshape{4, 6})
local function all()
  local a = scale.frame.from_frame(rows, {npartitions = 4})
  local b = scale.frame.read_csv("rows.csv", {blocksize = 200})
  return tostring(a:groupby("name"):agg{x = {"mean", "max"}}:compute())
    .. tostring(b:assign{y = b.x * 2}[b.x:gt(2)]:compute()) .. b.x:mean()
    .. tostring((scale.from_npy("x.npy", {chunks = 2}) + 1):sum(0):compute())
end
local theirs = all()
c:close()
print(theirs == all())"""

futures = """
local k, list = 10, {2, {a = np.ones(3)}}
local fs = scale.map(function(n) return n * k + list[1] end, {1, 2, 3})
print(table.unpack(scale.gather(fs)))
print(scale.submit(function(a, b) return list[2].a * (a + b) end, fs[1], fs[2]):result())
print(scale.submit(function() return nil end):result(), fs[1]:done(), fs[1])
local df = scale.submit(function() return frame.DataFrame{x = {1, 2}} end):result()
print(df.x:sum())
local y = scale.array(np.arange(6, "f64"), {chunks = 2}):persist()
print(#y:graph():tasks(), y:sum():compute(), (y + 1):graph():tasks()[1].place)
print(#c:workers(), c:workers()[1].threads, c:counts().ran > 5)
print(c)
local was = c
scale.Client()
print(y:sum():compute(), was, scale.get_client())"""


def test_results():
    """arrays, frames, futures: what this process computes, to the last bit"""
    needs("distributed")
    with Cluster(2) as cluster, tempfile.TemporaryDirectory() as folder:
        assert with_client(cluster, programs) == ""
        at = f'local here = "{folder}/"'
        text = frames.replace('"rows.csv"', 'here .. "rows.csv"')
        text = text.replace('"x.npy"', 'here .. "x.npy"')
        assert with_client(cluster, at + text) == "true\n"
        a = cluster.address
        assert with_client(cluster, futures) == (
            "12\t22\t32\narray([34, 34, 34], f64)\n"
            "nil\ttrue\tscale.Future: done\n3\n"
            f"0\t15.0\t{a}\n2\t1\ttrue\nscale.Client: {a}\n"
            f"15.0\tscale.Client: {a}, closed\tscale.Client: host\n")


def test_folders():
    """a file's name is one from the folder of the program, not of the workers"""
    needs("distributed")
    name = "dask_test.npy"
    with Cluster(1) as cluster:
        try:
            assert with_client(cluster, f"""np.save("{name}", np.ones(4))
                print(scale.from_npy("{name}"):sum():compute())""") == "4.0\n"
        finally:
            os.remove(name)


errors = """
local function said(f, ...)
  local is_fine, e = pcall(function(...) return scale.submit(f, ...):result() end, ...)
  print(is_fine, type(e) == "table" and e.kind, e)
end
said(function(a)
  return a + nil
end, 1)
said(function() return np.zeros(3) + np.zeros(4) end)
said(function() error({kind = "argument", message = "of my own"}) end)
said(function() return function() end end)
local x = scale.array(np.ones{4, 4}, {chunks = 2})
print(pcall(function()
  return x:map_blocks(function(b) return b["0"] end):sum():compute()
end))
local g = io.stdout
print(pcall(scale.submit, function() g:write("") end))
print(x:sum():compute())"""


def test_errors():
    """a task's error comes back with its text and its place"""
    needs("distributed")
    with Cluster(1) as cluster:
        lines = with_client(cluster, errors).splitlines()
    assert lines[0].startswith("false\tfalse\t(-e):7: attempt to perform arithmetic on"
                               " a nil value") and "(task submit)" in lines[0], lines
    assert lines[1].startswith("false\targument\t") and lines[1].endswith(
        "add: shapes (3,) and (4,) do not broadcast: axis 0 has 3 and 4 (task submit)")
    assert lines[2].endswith(": of my own (task submit)"), lines
    assert lines[3].startswith("false\targument\t") and lines[3].endswith(
        "a part of a task's result is a function, which cannot be brought back"
        " (task submit)"), lines
    assert "map_blocks: the function gives" in lines[4], lines
    assert 'the upvalue "g" is a' in lines[5], lines
    assert lines[6] == "16.0", lines


# Each leaves a file that tells which process works on it.
busy = """
local function slow(n)
  local mark = io.open(("FOLDER/%d"):format(type(n) == "number" and n or n[0]), "w")
  mark:write(io.open("/proc/self/stat"):read("n")) mark:close()
  if io.open("FOLDER/go") then return n end
  local begin = os.clock()
  repeat until io.open("FOLDER/go") or os.clock() - begin > 60
  return n
end
"""


def marks(folder):
    """The processes that work, of the marks that are written to their end."""
    found = []
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), encoding="utf-8") as f:
            text = f.read()
        if name != "go" and text:
            found.append(int(text))
    return found


def go(folder):
    """Lets all tasks end."""
    with open(os.path.join(folder, "go"), "w", encoding="utf-8"):
        pass


def test_worker_killed():
    """a worker that is killed: the same result"""
    needs("distributed")
    with Cluster(2) as cluster, tempfile.TemporaryDirectory() as folder:
        p = started(f'scale.connect("{cluster.address}")' + busy.replace("FOLDER", folder)
                    + """local sum = 0
            for _, n in ipairs(scale.gather(scale.map(slow, {1, 2, 3, 4, 5, 6}))) do
              sum = sum + n
            end
            print(sum)""")
        until(lambda: len(marks(folder)) == 2, "tasks that run")
        os.kill(marks(folder)[0], signal.SIGKILL)
        go(folder)
        assert p.communicate(timeout=HANG_S) == ("21\n", "")


def test_interrupt():
    """Ctrl-C ends the wait and takes the tasks back"""
    needs("distributed")
    with Cluster(1) as cluster, tempfile.TemporaryDirectory() as folder:
        p = started(f'scale.connect("{cluster.address}")' + busy.replace("FOLDER", folder)
                    + """local x = scale.array(np.arange(8, "f64"), {chunks = 1})
            print(pcall(function() return x:map_blocks(slow):compute() end))
            io.open("FOLDER/go", "w"):close()
            print(x:sum():compute())""".replace("FOLDER", folder))
        until(lambda: marks(folder), "a task that runs")
        p.send_signal(signal.SIGINT)
        out, err = p.communicate(timeout=HANG_S)
        first, second = out.splitlines()
        assert "stopped by Ctrl-C" in first and second == "28.0", (out, err)
        assert len(marks(folder)) <= 2, marks(folder)


def test_progress():
    """on a terminal: how far it is, with a rate and an estimate"""
    needs("distributed")
    with Cluster(1) as cluster, tempfile.TemporaryDirectory() as folder:
        ours, theirs = os.openpty()
        p = subprocess.Popen([shop, "run", "-e", f"""
            c = scale.connect("{cluster.address}")
            x = scale.array(np.arange(400, "f64"), {{chunks = 1}})
            x:map_blocks(function(b)
              local begin = os.clock()
              repeat until io.open("{folder}/go") or os.clock() - begin > 0.05
              return b
            end):compute()"""], stdout=theirs, stderr=theirs, stdin=theirs,
            env={**os.environ, "VIRTUAL_ENV": sys.prefix, "TERM": "screen",
                 "LC_ALL": "C.UTF-8"})
        said = b""
        os.close(theirs)  # or nobody would see that it has ended
        told = rb"[1-9][0-9]* of 800 tasks \xc2\xb7 [0-9.]+ a second \xc2\xb7 about [0-9]+"
        while not re.search(told, said):
            try:
                said += os.read(ours, 4096)
            except OSError:
                raise AssertionError(said) from None
        go(folder)
        try:
            while os.read(ours, 4096):
                pass
        except OSError:
            pass  # so Linux says that a terminal's last program has ended
        assert p.wait(HANG_S) == 0, said
        os.close(ours)


def test_scheduler_gone():
    """the scheduler dies: an error that says so, and no wait"""
    needs("distributed")
    with Cluster(1) as cluster, tempfile.TemporaryDirectory() as folder:
        p = started(f'scale.connect("{cluster.address}")' + busy.replace("FOLDER", folder)
                    + """print(pcall(function() return scale.submit(slow, 1):result() end))
            print(pcall(function() return scale.submit(slow, 2):result() end))
            scale.Client()
            print(scale.array(np.ones(4)):sum():compute())""")
        until(lambda: marks(folder), "a task that runs")
        cluster.scheduler.kill()
        out, err = p.communicate(timeout=HANG_S)
        lost = (f"scale: Dask's scheduler at {cluster.address} is gone, and what it"
                " had is lost: scale.connect reaches another, scale.Client() computes"
                " here")
        lines = out.splitlines()
        assert lost in lines[0] and lost in lines[1] and lines[2] == "4.0", (out, err)


def test_worker_without():
    """a worker whose Python has no warpshop: which, and what to do there"""
    needs("distributed")
    with tempfile.TemporaryDirectory() as folder:
        fake(folder, "warpshop", "raise ImportError('none here')")
        with Cluster(1, path=folder) as cluster:
            status, _, err = ran(f'scale.connect("{cluster.address}")'
                                 " scale.array(np.ones(4)):sum():compute()")
    assert status == 3 and "of Dask's has no warpshop in its Python (none here): pip" \
        " install ./python there" in err, (status, err)


def test_version():
    """a worker with another version: both are named"""
    from warpshop import _warpshop, scale

    e = raises(RuntimeError, scale.run, "0.0", "add", b"", (), "tcp://there:1")
    assert e.args[:2] == ("warpshop", "argument") and e.args[3] == "add"
    assert "the worker tcp://there:1 of Dask's has warpshop " \
        f"{_warpshop.version}, and this is 0.0" in e.args[2], e


def test_no_worker():
    """no worker is there: it says so, and waits"""
    needs("distributed")
    with Cluster(0) as cluster:
        p = started(f'scale.connect("{cluster.address}")'
                    " print(scale.array(np.ones(4)):sum():compute())")
        told = p.stderr.readline()
        assert f"no worker has come to {cluster.address} yet" in told, told
        cluster.start("worker", cluster.address, "--nthreads", "1",
                      "--local-directory", cluster.folder.name)
        assert p.communicate(timeout=HANG_S)[0] == "4.0\n"


# ---- A cluster: tests/slurm/dask has a real one ----


def paper(folder):
    """What tests/cli/node has in the place of Slurm's commands, and its own folder."""
    fake_srun = os.path.abspath("tests/cli/fake_srun")
    for name in ("srun", "squeue"):
        os.symlink(fake_srun, os.path.join(folder, name))
    return {"FAKE": folder, "PATH": folder + os.pathsep + os.environ["PATH"]}


def test_cluster():
    """scale.cluster asks srun for tasks of ours, which begin Dask, and end with it"""
    needs("distributed")
    with tempfile.TemporaryDirectory() as folder:
        more = paper(folder)
        status, out, err = ran("""c = scale.cluster{time = "1:00:00", gpu = 1, mem = "2G"}
            print(scale.array(np.arange(10), {chunks = 3}):sum():compute(), #c:workers())
            print(scale.submit(function() print("from there") return 7 end):result())
            """, **more)
        with open(os.path.join(folder, "words"), encoding="utf-8") as f:
            words = f.read()
    lines = sorted(out.splitlines())
    assert status == 0 and lines == ["45\t1", "7", "from there"], (status, out, err)
    assert "--ntasks=1 --no-kill --cpus-per-task=1 " in words, words
    assert "--time=1:00:00 --gres=gpu:1 --mem=2G " in words, words
    assert words.endswith("lua/scale/dask_node.py tcp\n"), words


def test_cluster_refused():
    """what srun says as it refuses; a node without Dask"""
    needs("distributed")
    with tempfile.TemporaryDirectory() as folder:
        more = paper(folder)
        with open(os.path.join(folder, "refuses"), "w", encoding="utf-8") as f:
            f.write("Unable to allocate resources: Invalid partition")
        status, _, err = ran("scale.cluster{}", **more)
        assert status == 1 and "cluster: srun ended: srun: error: Unable to allocate" \
            " resources: Invalid partition" in err, err
        os.remove(os.path.join(folder, "refuses"))
        os.remove(os.path.join(folder, "srun"))
        with open(os.path.join(folder, "srun"), "w", encoding="utf-8") as f:
            f.write("#!/bin/sh\necho 'no Dask: python3 on n1: No module' >&2\nexit 3\n")
        os.chmod(os.path.join(folder, "srun"), 0o755)
        status, _, err = ran("scale.cluster{}", **more)
        assert status == 3 and "no Dask on a node (python3 on n1: No module)" in err, err


def test_cluster_gpus():
    """a worker for each GPU, which srun is asked for; virtual ones need none"""
    needs("distributed")
    asks = """c = scale.cluster{gpus = 1}
        local x = scale.array(np.arange(12, "f32"), {chunks = 5})
        print(scale.submit(function() return cuda.device().id end):result(),
          os.getenv("CUDA_VISIBLE_DEVICES"))
        print(x:map_blocks(function(a) return a.device == "host" and a - 1 or a * 2 end)
          :sum():compute())"""
    with tempfile.TemporaryDirectory() as folder:
        more = paper(folder)
        status, out, err = ran(asks, WARPSHOP_VIRTUAL_DEVICES="3", SLURM_LOCALID="5", **more)
        assert (status, out) == (0, "virtual:2\tnil\n132.0\n"), (status, out, err)
        ran("scale.cluster{gpus = 1}", **more)
        with open(os.path.join(folder, "words"), encoding="utf-8") as f:
            words = f.read().splitlines()
    assert "--gpus-per-task=1" not in words[0] and words[0].endswith(" tcp+virtual"), words
    assert "--gpus-per-task=1 " in words[1] and words[1].endswith(" tcp+gpu"), words


def test_which_gpu():
    """a worker's GPU is the one that Slurm shows it, or its own of those of the step"""
    import importlib.util
    path, before = list(sys.path), dict(os.environ)
    spec = importlib.util.spec_from_file_location("dask_node", "lua/scale/dask_node.py")
    node = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(node)
    sys.path[:] = path
    try:
        for kind, local, visible, count, own, device in (
                ("gpu", "1", "4,6,7", "2", "6", "cuda:0"),
                ("gpu", "2", "GPU-5", "2", "GPU-5", "cuda:0"),
                ("gpu", "4", "4,6,7", "2", "6", "cuda:0"), ("gpu", "3", "", "2", "3", "cuda:0"),
                ("virtual", "5", "4,6", "2", "4,6", "virtual:1"),
                # As the program takes it: one at least, and not without an end.
                ("virtual", "5", "4", "0", "4", "virtual:0"),
                ("virtual", "5", "4", "many", "4", "virtual:0"),
                ("virtual", "13", "4", "100", "4", "virtual:5")):
            os.environ.update(SLURM_LOCALID=local, CUDA_VISIBLE_DEVICES=visible,
                              WARPSHOP_VIRTUAL_DEVICES=count)
            node.choose_device(kind)
            got = os.environ["CUDA_VISIBLE_DEVICES"], os.environ["WARPSHOP_WORKER_DEVICE"]
            assert got == (own, device) and os.environ["WARPSHOP_DEVICE"] == device, got
    finally:
        os.environ.clear()
        os.environ.update(before)


def test_ucx():
    """UCX is a library's, and who lacks it is told so"""
    needs("distributed")
    try:
        import distributed_ucxx  # pylint: disable=unused-import
        return
    except ImportError:
        pass
    for given in ('scale.connect("ucx://localhost:8786")', 'scale.connect("ucxx://n1:1")'):
        status, _, err = ran(given)
        assert status == 3 and "connect: Dask speaks ucx" in err, err
        assert "pip install distributed-ucxx-cu12" in err, err
    with tempfile.TemporaryDirectory() as folder:
        more = paper(folder)
        status, _, err = ran('scale.cluster{protocol = "ucx"}', **more)
        assert status == 3 and "cluster: Dask speaks ucx by distributed-ucxx" in err, err
        assert not os.path.exists(os.path.join(folder, "words"))  # nothing was asked for


def test_no_slurm():
    """no srun here: exit status 3, and what needs none"""
    for given, name in (("", "slurm"), ("gpu = 1", "slurm:gpu=1")):
        status, _, err = ran(f"scale.cluster{{{given}}}", PATH="")
        assert status == 3 and f"cluster: {name}: there is no srun here" in err, err
        assert "(scale.Client{n_workers = 4} needs none)" in err, err


def test_cluster_options():
    """options that are none"""
    number = "n_workers is a number of processes, 1 to 65536, not "
    for given, told in (("n_workers = 0", number + "0"),
                        ("n_workers = 4294967297", number + "4294967297"),
                        ('protocol = "mpi"', 'protocol is "tcp" or "ucx", not "mpi"'),
                        ("gpus = 0", "gpus is a number of GPUs, not 0"),
                        ("gpus = 2, n_workers = 3", "n_workers says another number"),
                        ("gpus = 2, gpu = 1", "one of both"),
                        ('gpus = 2, mem = "1G,gpu=1"', 'mem is "1G,gpu=1", and behind a comma'),
                        ('nodelist = "n1,n2"', "nodes in a row are n[1-4]"),
                        ("tme = 5", 'did you mean "time"?'),
                        ('time = "never"', "time takes minutes")):
        status, _, err = ran(f"scale.cluster{{{given}}}")
        assert status == 1 and told in err, err


if __name__ == "__main__":
    sys.exit(run(sys.modules[__name__]))
