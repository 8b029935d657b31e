# SPDX-License-Identifier: Apache-2.0
"""Runs test programs, shut in: a mutant may signal, delete or fill whatever it can."""
import ctypes
import os
import re
import resource
import signal
import subprocess
import time

# In namespaces of its own: processes that it can signal are its own, it sees the files
# of this machine without writing any but the copy's, and /tmp is empty. Of devices root
# gets copies: a mutant of class/room.c gave what it took for a folder, its standard
# input, to a group, and nobody else on the machine could open /dev/null any more.
SHUT_IN = (
    'mount -t tmpfs -o size=4g tmpfs /tmp && mount -t tmpfs -o size=4g tmpfs /dev/shm && '
    'for d in null zero full random urandom; do cp -a /dev/$d /tmp/$d 2>/tmp/said && '
    'mount --bind /tmp/$d /dev/$d && rm /tmp/$d; done; rm -f /tmp/said; '
    'mount --bind "$0" "$0" && mount -o remount,bind,ro / && cd "$0" && exec "$@" </dev/null'
)
NAMESPACES = ["unshare", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child"]
TICKS = os.sysconf("SC_CLK_TCK")
IDLE_S = 90  # next to nothing of it has run for so long: it waits for what never comes
IDLE_SHARE = 0.01  # of a processor: who waits looks now and then
MEMORY = 8 << 30


def be_reaper():
    """Orphans become this process's children, so that their time is seen."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)


def shut_in(copy, *command):
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    return [NAMESPACES[0], *user, *NAMESPACES[1:], "sh", "-c", SHUT_IN, copy, *command]


def can_shut_in(copy):
    return subprocess.run(shut_in(copy, "true"), capture_output=True).returncode == 0


def limited():
    os.nice(10)
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))


def descendants(of):
    """{pid: (state, ticks)} of all processes below one."""
    parents, seen = {}, {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat", errors="replace") as f:
                fields = f.read().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(pid)] = int(fields[1])
        seen[int(pid)] = fields[0], sum(map(int, fields[11:15]))
    found, changed = {of}, True
    while changed:
        more = {pid for pid, parent in parents.items() if parent in found} - found
        found |= more
        changed = bool(more)
    return {pid: seen[pid] for pid in found if pid in seen}


class Watch:
    """Says when a program has run for too long, by its own work and not by the clock."""

    def __init__(self, pid, work_s):
        self.pid, self.work_s = pid, work_s
        self.ticks, self.since = -1, time.monotonic()

    def is_over(self):
        below = descendants(self.pid)
        ticks = sum(t for _, t in below.values())
        waiting = all(state in "SZTtI" for state, _ in below.values())
        idle_s = time.monotonic() - self.since
        if ticks - self.ticks > max(1, idle_s * IDLE_SHARE * TICKS) or not waiting:
            self.ticks, self.since, idle_s = ticks, time.monotonic(), 0
        return ticks / TICKS > self.work_s or idle_s > IDLE_S


def run(copy, program, work_s):
    """(what failed or None, seconds of processor time). Nothing of it is left."""
    before = os.times()
    with open(os.path.join(copy, ".git", "said"), "w+b") as said:
        process = subprocess.Popen(
            shut_in(copy, "tests/run", program), stdin=subprocess.DEVNULL, stdout=said,
            stderr=said, preexec_fn=limited, env={**os.environ, "HANG_S": "60", "FIRST_FAILURE_ENDS": "yes"},
        )
        watch, over = Watch(process.pid, work_s), False
        while True:
            try:
                process.wait(timeout=1)
                break
            except subprocess.TimeoutExpired:
                if watch.is_over():
                    over = True
                    os.kill(process.pid, signal.SIGKILL)
        said.seek(0)
        text = said.read().decode(errors="replace")
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    if over:
        return "it never ends", used
    if process.returncode == 0:
        return None, used
    failed = re.search(r"^ *not ok (?:\d+ )?(?:- )?(.*)", text, re.M)
    return failed.group(1) if failed else text.strip()[-200:], used
