# SPDX-License-Identifier: Apache-2.0
"""A scheduler of Dask's and its workers, for tests: processes of this Python."""

import json
import os
import subprocess
import sys
import tempfile
import time

HANG_S = float(os.environ.get("HANG_S", 300))


def until(is_so, what):
    """Waits for it."""
    end = time.monotonic() + HANG_S
    while not is_so():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.02)


class Cluster:
    """with Cluster(workers=2) as c: c.address; `path` leads the workers' modules."""

    def __init__(self, workers=2, path=None):
        self.workers, self.path = workers, path

    def start(self, kind, *words, path=None):
        """A process of Dask's."""
        own = dict(os.environ)
        if path:
            own["PYTHONPATH"] = os.pathsep.join([path, own.get("PYTHONPATH", "")])
        with open(self.log, "ab") as log:
            p = subprocess.Popen(  # ended in __exit__
                [sys.executable, "-m", f"distributed.cli.dask_{kind}", *words,
                 "--no-dashboard"], stdout=log, stderr=log, cwd=self.folder.name,
                env=own)
        self.processes.append(p)
        return p

    def read_address(self, file):
        """Is it there? The scheduler writes its file in pieces."""
        assert self.scheduler.poll() is None, self.said()
        try:
            with open(file, encoding="utf-8") as f:
                self.address = json.load(f)["address"]
        except (OSError, ValueError):
            return False
        return True

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.log = os.path.join(self.folder.name, "log")
        self.processes = []
        file = os.path.join(self.folder.name, "scheduler")
        self.scheduler = self.start("scheduler", "--host", "127.0.0.1", "--port", "0",
                                    "--scheduler-file", file)
        until(lambda: self.read_address(file), "the scheduler")
        if self.workers:
            self.start("worker", self.address, "--nworkers", str(self.workers),
                       "--nthreads", "1", "--local-directory", self.folder.name,
                       path=self.path)
            said = b"Starting established connection to " + self.address.encode()
            until(lambda: self.said().count(said) >= self.workers, "the workers")
        return self

    def said(self):
        """What the processes have written."""
        with open(self.log, "rb") as f:
            return f.read()

    def __exit__(self, *_):
        for p in reversed(self.processes):
            p.terminate()
        for p in self.processes:
            try:
                p.wait(20)
            except subprocess.TimeoutExpired:
                p.kill()
                p.wait()
        self.folder.cleanup()
