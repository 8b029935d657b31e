#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# From a key to what it shows, in a pseudo-terminal of 80x24: a letter until it stands in
# the line; the key that turns a page until nothing more is drawn. Keys come at random
# intervals of 20 to 120 ms. The rows take turns, ROUNDS (3) times, KEYS keys in each.
# `cat`, which leaves the echo to the kernel, is the floor; the processor time that the
# program took for a key is what neighbours change least. Where IPYTHON names an ipython
# it is measured, too. Usage: bench/echo.py [ROUNDS [KEYS [ROW...]]]
import fcntl, os, pty, random, re, select, shutil, signal, struct, sys, tempfile, termios, time

rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
keys = int(sys.argv[2]) if len(sys.argv) > 2 else 150
wanted = sys.argv[3:]
root = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))
program = os.path.join(root, os.environ.get("BUILD", "build"), "warpshop")
course = root + "/tests/fixtures/workbook/course"
scratch = tempfile.mkdtemp()
LETTERS = b"qvwxyz"  # none of these ends an escape sequence of ours
ESCAPES = re.compile(rb"\x1b(\[[0-9;?]*[@-~]|\(.|[=>])")
WAIT_S, QUIET_S = 60, 0.06

SPIN = """__global__ void spin(int *a) {
  for (long i = 0; i < 4000000000L; i++)
    a[threadIdx.x] += i;
}
"""
COMPILES = (b't = (" a[1] = sinf(a[2]) + K;"):rep(400)\r',
            b'for i = 1, 1e9 do cuda.module("__global__ void big(float *a) {" .. t:gsub("K", i) .. "}") end\r')
WRONG = "__global__ void twice(const int *x, int *out, int n) {}\n"
ENDLESS = """__global__ void twice(const int *x, int *out, int n) {
  for (volatile int k = 0; k >= 0; k += 0) out[threadIdx.x] = k;
}
"""


class Row:
    def __init__(self, name, command, steps, kind="echo", again=None, rows=24):
        """steps: what is awaited, and typed or done then. kind: echo, or the keys that turn
        pages, one after the other. again: when this shows, that is typed, until this."""
        self.name, self.command, self.steps, self.kind = name, command, steps, kind
        self.again, self.rows = again, rows
        self.times, self.used = [], []


PROMPT = rb"[0-9]> "
SHOP = [(PROMPT, b"")]
LAUNCH = SHOP + [(b"", b":load spin.cu\r"), (rb"spin: (compiled|found)", b""), (PROMPT, b"")]
BLOCK = b"__global__ void f(float *a) {\r" + b"".join(b"a[%d] = a[%d] * 2 + 1;\r" % (i, i + 1) for i in range(18))
IPYTHON = os.environ.get("IPYTHON")
THREAD = b"import threading; threading.Thread(target=exec, args=('while True: %s',), daemon=True).start()\r"
READY = [(rb"In .*\[", b"")]

ROWS = [
    Row("cat (the floor)", ["cat"], []),
    Row("bash, readline alone", ["bash", "--norc", "--noprofile"], [(rb"\$ |# ", b"")]),
    Row("prompt, at rest", [program, "repl"], SHOP),
    Row("prompt, in a kernel of 20 lines", [program, "repl"], SHOP + [(b"", BLOCK), (rb"17.*\n.*\. +", b"")]),
    Row("prompt, a launch behind it", [program, "repl"], LAUNCH + [
        (b"", b"d = cuda.to_device(np.zeros(32, 'i32'))\r"), (PROMPT, b"spin[{64, 32}](d)\r"), (PROMPT, b"")]),
    Row("prompt, a launch that it waits for", [program, "repl"], LAUNCH + [
        (b"", b"spin[{64, 32}](np.zeros(32, 'i32'))\r"), (rb"\n", b"")]),
    Row("prompt, while it compiles", [program, "repl"], [(PROMPT, COMPILES[0]), (PROMPT, COMPILES[1]), (rb"\n", b"")]),
    Row("workbook, what is looked for", [program, "learn", course], [(rb" keys", b"/"), (rb"find", b"")]),
    Row("lesson's page at the prompt", [program, "learn", "--prompt", course, "2"],
        SHOP, kind=[b":next\r", b":back\r"]),
    Row("pager of :help", [program, "repl"], SHOP + [(b"", b":help\r"), (rb"-- more --", b"")], kind=[b" "],
        again=(PROMPT, b":help\r", rb"-- more --")),
    Row("workbook, the next page", [program, "learn", course, "2"], [(rb"page 1", b"")], kind=[b"n", b"p"]),
    Row("workbook, a screen down", [program, "learn", "1"], [(rb"page 1", b"")], kind=[b"\x1b[6~", b"\x1b[5~"]),
    Row("workbook's exercise, while it judges", [program, "learn", course], [
        (b"", lambda: write("twice.cu", WRONG)), (rb" keys", b"e"), (rb"saved", b"hh"), (rb"One thread", b"sy"),
        (rb"int i = ", lambda: write("twice.cu", ENDLESS)), (rb"judging", b"")],
        kind=[b"\x1b[F", b"\x1b[H"], again=(rb"tries", b"r", rb"judging"), rows=16),
]
if IPYTHON:
    ROWS += [
        Row("IPython 9, at rest", [IPYTHON], READY),
        Row("IPython 9, a Python thread runs", [IPYTHON], READY + [(b"", THREAD % b"pass"), (rb"2.*\]", b"")]),
        Row("IPython 9, a thread in long calls", [IPYTHON], READY + [
            (b"", THREAD % b"pow(3, 3000000)"), (rb"2.*\]", b"")]),
        Row("IPython 9, a cell that it waits for", [IPYTHON], READY + [
            (b"", b"exec('print(\"be\" \"gun\")\\nwhile True: pass')\r"), (rb"begun", b"")]),
    ]


class Program:
    def __init__(self, row):
        self.seen, self.at = b"", 0
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", row.rows, 80, 0, 0))
            home = tempfile.mkdtemp(dir=scratch)
            os.chdir(scratch)
            os.environ.update(TERM="xterm", LC_ALL="C.UTF-8", WARPSHOP_HOME=root, WARPSHOP_DEVICE="virtual:0",
                              HOME=home, XDG_STATE_HOME=home, XDG_DATA_HOME=home,
                              XDG_CACHE_HOME=scratch + "/cache", XDG_RUNTIME_DIR=scratch, IPYTHONDIR=home)
            os.execvp(row.command[0], row.command)
        for awaited, typed in row.steps:
            self.wait_for(awaited)
            typed() if callable(typed) else os.write(self.fd, typed)
        self.read(1)
        while self.read(QUIET_S):
            pass
        self.seen, self.at = b"", 0

    def read(self, seconds):
        """Whether anything came, which is read."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return False
        self.seen += os.read(self.fd, 65536)
        return True

    def wait_for(self, awaited):
        end = time.time() + WAIT_S
        while awaited and not (match := re.compile(awaited).search(self.seen, self.at)):
            if time.time() > end:
                raise SystemExit("missing %r in %r" % (awaited, self.seen[self.at:]))
            self.read(0.05)
        self.at = match.end() if awaited else self.at

    def used_ms(self):
        """Processor time of its first thread."""
        with open("/proc/%d/schedstat" % self.pid) as f:
            return int(f.read().split()[0]) / 1e6

    def pause(self, again=None):
        end = time.monotonic() + random.uniform(0.02, 0.12)
        while (rest := end - time.monotonic()) > 0:
            self.read(rest)
        is_again = again and re.search(again[0], self.seen)
        if is_again:
            os.write(self.fd, again[1])
            self.at = len(self.seen)
            self.wait_for(again[2])
            self.read(QUIET_S)
        self.seen, self.at = b"", 0
        return is_again

    def echo(self, n):
        if n % 30 == 29:
            os.write(self.fd, b"\x15")
            self.pause()
        letter = LETTERS[n % len(LETTERS):][:1]
        start = time.monotonic()
        os.write(self.fd, letter)
        while letter not in ESCAPES.sub(b"", self.seen) and time.monotonic() - start < WAIT_S:
            self.read(1)
        return time.monotonic() - start

    def turn(self, key):
        start = last = time.monotonic()
        os.write(self.fd, key)
        while not self.seen and last - start < WAIT_S:
            self.read(1)
            last = time.monotonic()
        while self.read(QUIET_S):
            last = time.monotonic()
        return last - start

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.close(self.fd)
        os.waitpid(self.pid, 0)


def measure(row):
    p, at = Program(row), -1
    for n in range(keys):
        at = 0 if p.pause(row.again) else at + 1  # from the first page
        before = p.used_ms()
        seconds = p.echo(n) if row.kind == "echo" else p.turn(row.kind[at % len(row.kind)])
        row.times.append(1000 * seconds)
        row.used.append(p.used_ms() - before)
    p.end()


def write(name, text):
    with open(os.path.join(scratch, name), "w") as f:
        f.write(text)


try:
    write("spin.cu", SPIN)
    rows = [row for row in ROWS if not wanted or any(w in row.name for w in wanted)]
    for _ in range(rounds):
        for row in rows:
            measure(row)
    print("load %.1f %.1f %.1f on %d cores" % (*os.getloadavg(), os.cpu_count()))
    print("| what | keys | median ms | 99 % ms | worst ms | processor ms, median | 99 % |\n|---|---|---|---|---|---|---|")
    for row in rows:
        times, used = sorted(row.times), sorted(row.used)
        half, most = len(times) // 2, int(len(times) * 0.99)
        print("| %s | %d | %.1f | %.1f | %.1f | %.1f | %.1f |" % (row.name, len(times), times[half], times[most],
                                                               times[-1], used[half], used[most]))
finally:
    shutil.rmtree(scratch, ignore_errors=True)
