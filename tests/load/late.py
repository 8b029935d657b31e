#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Are the terminal's tests right however late a process is?

    tests/load/late.py [--seed N] [--frozen MS] [--awake MS] COMMAND...

Runs COMMAND and freezes the processes that it starts in terminals (the program, shells,
its servers) and tmux's server, each on its own, again and again, for up to --frozen
milliseconds (400) between moments awake of --awake on average (300). A test that reads a
screen too early, or types before anybody reads, fails then though nothing is wrong; on a
quiet machine it would fail once in a thousand runs. Needs root and a writable cgroup
freezer, version 1 or 2: no signal is sent, so that nobody is told of a stop.
"""
import argparse
import heapq
import os
import random
import subprocess
import sys
import tempfile
import time

MARK = "WARPSHOP_LATE"


class Freezer:
    """A cgroup that is always frozen: who is moved into it stops, and goes on outside."""

    def __init__(self):
        old = "/sys/fs/cgroup/freezer"
        self.awake = old if os.path.isdir(old) else "/sys/fs/cgroup"
        self.frozen = tempfile.mkdtemp(prefix="late-", dir=self.awake)
        state, word = ("freezer.state", "FROZEN") if self.awake == old else ("cgroup.freeze", "1")
        with open(f"{self.frozen}/{state}", "w") as file:
            file.write(word)

    def move(self, pid, group):
        try:
            with open(f"{group}/cgroup.procs", "w") as file:
                file.write(str(pid))
        except OSError:
            return False  # it has ended
        return True

    def freeze(self, pid):
        return self.move(pid, self.frozen)

    def thaw(self, pid):
        return self.move(pid, self.awake)

    def close(self):
        with open(f"{self.frozen}/cgroup.procs") as file:
            for pid in file.read().split():
                self.thaw(pid)
        os.rmdir(self.frozen)


def is_of_a_terminal(pid, mark):
    """Of COMMAND, and with a terminal of its own, or its tmux, or a device server."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            if mark not in file.read().split(b"\0"):
                return False
        with open(f"/proc/{pid}/stat") as file:
            name, rest = file.read().split("(", 1)[1].rsplit(")", 1)
    except OSError:
        return False
    return rest.split()[4] != "0" or name.startswith(("tmux: server", "warpshop"))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--frozen", type=float, default=400)
    parser.add_argument("--awake", type=float, default=300)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    if not arguments.command:
        parser.error("which command?")
    print(f"# seed {arguments.seed}", flush=True)
    chance = random.Random(arguments.seed)
    mark = f"{MARK}={os.getpid()}"
    freezer = Freezer()
    child = subprocess.Popen(arguments.command, start_new_session=True,
                             env={**os.environ, MARK: str(os.getpid())})
    times, known, looked = [], set(), 0  # of each pid: when it freezes, or goes on
    try:
        while child.poll() is None:
            now = time.monotonic()
            if now - looked > 0.05:
                looked = now
                pids = {int(p) for p in os.listdir("/proc") if p.isdigit()}
                for pid in pids - known:
                    if is_of_a_terminal(pid, mark.encode()):
                        heapq.heappush(times, (now, pid, False))
                        known.add(pid)
                known &= pids
            while times and times[0][0] <= now:
                _, pid, frozen = heapq.heappop(times)
                if not (freezer.thaw if frozen else freezer.freeze)(pid):
                    continue
                wait = chance.expovariate(1 / arguments.awake) if frozen else chance.uniform(0, arguments.frozen)
                heapq.heappush(times, (now + wait / 1000, pid, not frozen))
            time.sleep(0.005)
    finally:
        freezer.close()
    sys.exit(child.returncode)


if __name__ == "__main__":
    main()
