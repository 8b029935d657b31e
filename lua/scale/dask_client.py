# SPDX-License-Identifier: Apache-2.0
"""Between scale and Dask: a process of ours that is a client of Dask's scheduler.

Started by dask.lua with a socket as its file 3; a message is its length, in eight
bytes, and a value as pack.lua writes it. Tasks are texts that warpshop in Dask's
workers understands (python/warpshop/scale.py); results stay there until they are
asked for.
"""

import ctypes
import logging
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import traceback

sys.path.pop(0)  # this file's folder holds no modules

MOST_SAID = 40  # lines of srun's that are kept

# ---- Values, as pack.lua writes them ----


class Reader:
    def __init__(self, text):
        self.text, self.at, self.tables = text, 0, []

    def take(self, form):
        value = struct.unpack_from(form, self.text, self.at)[0]
        self.at += struct.calcsize(form)
        return value

    def table(self):
        table = {}
        self.tables.append(table)
        while self.text[self.at:self.at + 1] != b"E":
            key = self.value()
            table[key.decode() if isinstance(key, bytes) else key] = self.value()
        self.at += 1
        return table

    def value(self):
        letter = self.text[self.at:self.at + 1]
        self.at += 1
        if letter == b"s":
            size = self.take("<q")
            self.at += size
            return self.text[self.at - size:self.at]
        if letter == b"T":
            return self.table()
        if letter == b"R":
            return self.tables[self.take("<I") - 1]
        if letter in b"id":
            return self.take("<q" if letter == b"i" else "<d")
        return {b"n": None, b"t": True, b"f": False}[letter]


def write(out, value):
    if isinstance(value, bool):
        out.append(b"t" if value else b"f")
    elif isinstance(value, int):
        out.append(struct.pack("<cq", b"i", value))
    elif isinstance(value, (str, bytes)):
        data = value.encode() if isinstance(value, str) else value
        out += [struct.pack("<cq", b"s", len(data)), data]
    elif isinstance(value, (list, dict)):
        pairs = enumerate(value, 1) if isinstance(value, list) else value.items()
        out.append(b"T")
        for key, one in pairs:
            write(out, key)
            write(out, one)
        out.append(b"E")
    else:
        raise TypeError(f"{type(value).__name__} is no part of a message")


def texts(table):
    """A list of Lua's."""
    return [table[i] for i in range(1, len(table) + 1)]


# ---- The socket ----

line = socket.socket(fileno=3)
writing = threading.Lock()


def say(what, **fields):
    out = []
    write(out, {"what": what, **fields})
    text = b"".join(out)
    try:
        with writing:
            line.sendall(struct.pack("=Q", len(text)) + text)
    except OSError:
        os._exit(0)  # nobody is there any more


def exactly(size):
    data = bytearray()
    while len(data) < size:
        more = line.recv(min(size - len(data), 1 << 24))
        if not more:
            os._exit(0)
        data += more
    return bytes(data)


def hear():
    return Reader(exactly(struct.unpack("=Q", exactly(8))[0])).value()


# ---- In Dask's workers ----

# What goes there goes as code, for this file is not there.


def run_there(version, label, text, *inputs):
    """One task; raises RuntimeError("warpshop", kind, text, label)."""
    from distributed import get_worker

    try:
        from warpshop import scale
    except ImportError as e:
        raise RuntimeError(
            "warpshop", "not-found", f"the worker {get_worker().address} of Dask's has"
            f" no warpshop in its Python ({e}): pip install ./python there, in"
            " warpshop's sources", label) from None
    return scale.run(version, label, text, inputs, get_worker().address)


def give_there(kept):
    """A result as bytes."""
    return kept.give()


# ---- Tasks ----


class Tasks:
    def __init__(self, client, address, version):
        self.client, self.address, self.version = client, address, version
        self.kept = {}  # futures by their tasks' numbers
        self.runs = {}  # futures of calls that are waited for, by their numbers
        self.stopped = set()
        self.token = os.urandom(4).hex()
        self.lock = threading.RLock()

    def key(self, label, run, number):
        return f"{label}-{self.token}-{run}-{number}"

    def graph(self, m):
        """Submits tasks: of `give` the results are wanted, those of `keep` stay."""
        run, graph, keys = m["run"], {}, {}
        tasks = texts(m["tasks"])
        for t in tasks:
            keys[t["id"]] = self.key(t["label"].decode(), run, t["id"])
        with self.lock:
            for t in tasks:
                inputs = [keys.get(i) or self.kept[i] for i in texts(t["inputs"])]
                graph[keys[t["id"]]] = (run_there, self.version, t["label"].decode(),
                                        t["text"], *inputs)
            wanted = {}
            for number in texts(m["give"]):
                key = self.key("give", run, number)
                graph[key] = (give_there, keys.get(number) or self.kept[number])
                wanted[key] = ("give", number)
            for number in texts(m["keep"]):
                wanted[keys[number]] = ("keep", number)
            futures = self.client.get(graph, list(wanted), sync=False)
            for (how, number), future in zip(wanted.values(), futures):
                if how == "keep":
                    self.kept[number] = future
            if m["shows"]:
                self.runs[run] = list(futures)
        if not self.client.scheduler_info()["workers"]:
            say("waits")
        if m["shows"]:
            self.show(run, futures)
        for (how, number), future in zip(wanted.values(), futures):
            future.add_done_callback(lambda f, h=how, n=number: self.ended(run, h, n, f))

    def show(self, run, futures):
        """Says how many tasks are left, now and then."""
        from distributed.diagnostics.progressbar import ProgressBar

        class Left(ProgressBar):
            def _draw_bar(self, remaining=0, **_):
                say("left", run=run, count=remaining)

        bar = Left(futures, self.client.scheduler.address, "200ms")
        self.client.loop.add_callback(bar.listen)

    def ended(self, run, how, number, future):
        try:
            with self.lock:
                if run in self.stopped:
                    return
            if future.status == "finished" and how == "give":
                say("given", run=run, id=number, value=future.result())
            elif future.status == "finished":
                say("kept", run=run, id=number)
            elif future.status == "error":
                with self.lock:
                    self.kept.pop(number, None)
                say("failed", run=run, id=number, **failure(future.exception()))
            else:
                lost(self.address)
        except Exception as e:  # pylint: disable=broad-except
            if self.client.status != "running":
                lost(self.address)
            say("failed", run=run, id=number, **failure(e))

    def drop(self, m):
        with self.lock:
            for number in texts(m["ids"]):
                self.kept.pop(number, None)

    def end(self, m):
        """A call is over: what still runs for it is stopped."""
        with self.lock:
            futures = self.runs.pop(m["run"], [])
            if m["stops"]:
                self.stopped.add(m["run"])
                self.client.cancel([f for f in futures if not f.done()])

    def workers(self, _):
        found = self.client.scheduler_info(n_workers=-1)["workers"]
        say("workers", list=[{"name": str(w["name"]), "address": address,
                              "threads": w["nthreads"]}
                             for address, w in sorted(found.items())])


def lost(address):
    say("lost", text=f"scale: Dask's scheduler at {address} is gone, and what it had"
        " is lost: scale.connect reaches another, scale.Client() computes here")
    os._exit(0)


def failure(e):
    """What a task's exception says, as tasks.lua has it."""
    if isinstance(e, RuntimeError) and len(e.args) == 4 and e.args[0] == "warpshop":
        return {"kind": e.args[1], "text": e.args[2], "label": e.args[3]}
    if type(e).__name__ == "KilledWorker":
        return {"kind": "out-of-memory", "label": str(e.args[0]).split("-", 1)[0],
                "text": f"its worker was killed, {e.args[2] + 1} times: is there"
                        " memory enough?"}
    told = "".join(traceback.format_exception_only(type(e), e)).strip()
    return {"kind": "io", "text": f"scale: Dask says: {told}", "label": "of Dask's"}


# ---- Connecting ----


def refuse(kind, text):
    say("refused", kind=kind, text=text)
    os._exit(0)


def import_dask(what):
    try:
        import distributed
    except ImportError as e:
        refuse("not-found", f"{what}: {sys.executable} has no Dask ({e}): `python3 -m pip"
               " install distributed`, or activate an environment that has it")
    logging.getLogger("distributed").setLevel(logging.CRITICAL + 1)
    return distributed


def check_protocol(what, protocol):
    """Can Dask here speak it? Of UCX it has the name alone, and a library the rest."""
    if protocol not in ("ucx", "ucxx"):
        return
    try:
        from distributed.comm.registry import get_backend

        get_backend(protocol).get_connector()
    except (ImportError, TypeError, ValueError, RuntimeError) as e:
        refuse("not-found", f"{what}: Dask speaks {protocol} by distributed-ucxx, which"
               f" {sys.executable} has not ({e}): `python3 -m pip install"
               " distributed-ucxx-cu12` here and where the workers run, or tcp")


def client_of(distributed, what, address, seconds):
    try:
        return distributed.Client(address, timeout=seconds, set_as_default=False,
                                  name="warpshop")
    except Exception as e:  # pylint: disable=broad-except
        # Of each protocol others: tls:// wants a configuration, ucx:// a library.
        refuse("io", f"{what}: no scheduler of Dask's answers at {address} ({e}):"
               " `dask scheduler` starts one and says its address")


def connect(m):
    """To a scheduler that runs."""
    distributed, address = import_dask("connect"), m["address"].decode()
    check_protocol("connect", address.split("://")[0])
    client = client_of(distributed, "connect", address, m["seconds"])
    return Tasks(client, address, m["version"].decode())


# ---- A cluster of our own ----


class Job:
    """srun and its tasks (dask_node.py), which it ends when this process does."""

    def __init__(self, words):
        self.said = []
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, start_new_session=True, preexec_fn=end_with_parent)
        self.reader = threading.Thread(target=self.read_errors, daemon=True)
        self.reader.start()

    def read_errors(self):
        for text in self.process.stderr:
            self.said = (self.said + [text.rstrip()])[-MOST_SAID:]

    def address(self):
        """Of the scheduler, once it runs."""
        for text in self.process.stdout:
            if text.startswith("scheduler "):
                return text.split()[1]
            sys.stdout.write(text)
        self.refuse()

    def refuse(self):
        self.process.wait()
        self.reader.join(1)
        told = [text for text in self.said if text]
        absent = [text for text in told if "no Dask: " in text]
        if absent:
            where = absent[0].split("no Dask: ", 1)[1]
            refuse("not-found", f"cluster: no Dask on a node ({where}): `python3 -m pip"
                   " install distributed` there, or activate an environment that has it")
        errors = [text for text in told if "rror" in text] or told or ["no word"]
        refuse("io", f"cluster: srun ended: {errors[-1].strip()}")

    def pass_on(self):
        """What tasks print."""
        for text in self.process.stdout:
            sys.stdout.write(text)
            sys.stdout.flush()


def end_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


def cluster(m):
    """With a scheduler and workers that srun starts."""
    distributed = import_dask("cluster")
    check_protocol("cluster", m["protocol"].decode())
    job = Job([word.decode() for word in texts(m["words"])])
    say("asked")
    address = job.address()
    job.process.stdin.write(address + "\n")
    job.process.stdin.flush()
    threading.Thread(target=job.pass_on, daemon=True).start()
    client = client_of(distributed, "cluster", address, m["seconds"])
    while len(client.scheduler_info(n_workers=-1)["workers"]) < m["workers"]:
        if job.process.poll() is not None:
            job.refuse()
        time.sleep(0.1)
    return Tasks(client, address, m["version"].decode())


# ---- The process ----


def main():
    import warnings

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is for who sits at the terminal
    warnings.simplefilter("ignore")
    m = hear()
    try:
        tasks = (connect if m["what"] == b"connect" else cluster)(m)
    except Exception as e:  # pylint: disable=broad-except
        refuse("io", failure(e)["text"])
    say("here", address=tasks.address)
    while True:
        m = hear()
        if tasks.client.status != "running":
            lost(tasks.address)
        try:
            getattr(tasks, m["what"].decode())(m)
        except Exception as e:  # pylint: disable=broad-except
            if tasks.client.status != "running":
                lost(tasks.address)
            say("broken", **failure(e))


main()
