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


class Freezer:
    """Two cgroups: who is moved into the frozen one stands still, and goes on in the other.
    Between them they have all that COMMAND has started."""

    def __init__(self):
        old = "/sys/fs/cgroup/freezer"
        self.top = old if os.path.isdir(old) else "/sys/fs/cgroup"
        self.awake = tempfile.mkdtemp(prefix="awake-", dir=self.top)
        self.frozen = tempfile.mkdtemp(prefix="frozen-", dir=self.top)
        state, word = ("freezer.state", "FROZEN") if self.top == old else ("cgroup.freeze", "1")
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

    def members(self, group):
        with open(f"{group}/cgroup.procs") as file:
            return {int(pid) for pid in file.read().split()}

    def close(self):
        for group in self.frozen, self.awake:
            while members := self.members(group):
                for pid in members:
                    self.move(pid, self.top)
            os.rmdir(group)


def is_of_a_terminal(pid):
    """It has a terminal of its own, or is tmux, or one of our servers."""
    try:
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
    freezer = Freezer()
    child = subprocess.Popen(arguments.command, start_new_session=True,
                             preexec_fn=lambda: freezer.thaw(os.getpid()))
    times, known, looked = [], set(), 0  # of each pid: when it freezes, or goes on
    try:
        while child.poll() is None:
            now = time.monotonic()
            if now - looked > 0.05:
                looked = now
                frozen, awake = freezer.members(freezer.frozen), freezer.members(freezer.awake)
                for pid in awake - known:
                    if is_of_a_terminal(pid):
                        heapq.heappush(times, (now, pid, False))
                        known.add(pid)
                known &= frozen | awake
                for pid in frozen - known:  # it was started as its parent was moved
                    freezer.thaw(pid)
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
