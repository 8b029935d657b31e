#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Ends the prompt with SIGTERM or SIGKILL at random moments: at its line, in a text, at
# -- more --, while Lua runs. Behind SIGTERM the terminal must be as it was found; behind
# SIGKILL the next start puts it right. What was typed is in the history, always. Speaks
# TAP. Usage: tests/load/kill_prompt.py [ROUNDS [SEED]]
import fcntl, os, pty, random, select, shutil, signal, struct, subprocess, sys, tempfile, termios, time

rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 200
seed = int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time())
hang_s = float(os.environ.get("HANG_S", 300))
os.chdir(os.path.dirname(os.path.abspath(__file__)) + "/../..")
program = os.path.abspath(os.environ.get("BUILD", "build") + "/warpshop")
scratch = tempfile.mkdtemp()
environment = dict(os.environ, TERM="xterm", LC_ALL="C.UTF-8", WARPSHOP_DEVICE="virtual:0", WARPSHOP_HOME=os.getcwd(),
                   XDG_STATE_HOME=scratch + "/state", XDG_DATA_HOME=scratch + "/data", XDG_RUNTIME_DIR=scratch)
environment.pop("WARPSHOP_PLAIN", None)
states = {"prompt": b'x = "half a li', "block": b"__global__ void half(int *a) {\ra[0] = 1;\r", "pager": b":help\r",
          "running": b"while true do end\r"}
random.seed(seed)
print("# seed", seed)

# The terminal is this process's own: nobody, as a shell would, puts it right.
master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
if os.getpid() == os.getpgrp():  # of a group's leader no session can be made
    if os.fork():
        sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))
os.setsid()
fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
found = termios.tcgetattr(slave)


def in_front(child):
    def set_group():
        os.setpgid(0, 0)
        os.tcsetpgrp(0, os.getpid())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
    return subprocess.Popen(child, stdin=slave, stdout=slave, stderr=slave, env=environment, preexec_fn=set_group)


def read_until(seen, text):
    end = time.time() + hang_s
    while text not in seen:
        if time.time() > end:
            raise RuntimeError("missing: %r in %r" % (text, seen[-400:]))
        if select.select([master], [], [], 0.2)[0]:
            seen += os.read(master, 65536)
    return seen


def drain():
    seen = b""
    while select.select([master], [], [], 0)[0]:
        seen += os.read(master, 65536)
    return seen


def ended(process):
    end = time.time() + hang_s
    while process.poll() is None and time.time() < end:
        if select.select([master], [], [], 0.01)[0]:
            drain_to.append(os.read(master, 65536))
    os.tcsetpgrp(slave, os.getpgrp())
    return process.poll()


drain_to = []


def one(n):
    state, number = random.choice(list(states)), random.choice([signal.SIGTERM, signal.SIGKILL])
    del drain_to[:]
    p = in_front([program, "repl"])
    read_until(b"", b"virtual:0> ")
    os.write(master, b"kept_%d = 'ke' .. 'pt'; kept_%d\r" % (n, n))
    seen = read_until(b"", b'"kept"')
    os.write(master, states[state])
    time.sleep(random.random() * 0.05)  # the moment that nobody chose
    os.kill(p.pid, number)
    status = ended(p)
    seen += b"".join(drain_to) + drain()
    if status != -number:
        return "%s in %s ended with %s" % (number.name, state, status)
    if number == signal.SIGKILL:
        v = in_front([program, "version"])
        ended(v)
        seen += b"".join(drain_to) + drain()
    if termios.tcgetattr(slave) != found:
        termios.tcsetattr(slave, termios.TCSANOW, found)
        return "%s in %s left other modes" % (number.name, state)
    if seen.rfind(b"\x1b[?2004h") > seen.rfind(b"\x1b[?2004l"):
        return "%s in %s left the marks of pasting on" % (number.name, state)
    return None


def history():
    with open(scratch + "/state/warpshop/history", encoding="utf-8") as f:
        return f.read()


failed = []
try:
    for n in range(rounds):
        why = one(n)
        if why:
            failed.append(why)
            print("#", why)
    print("%s 1 - the terminal is right behind %d ends" % ("not ok" if failed else "ok", rounds))
    kept = history()
    lost = [n for n in range(rounds) if "kept_%d = 'ke' .. 'pt'; kept_%d\n" % (n, n) not in kept]
    print("%s 2 - all that was typed is in the history" % ("not ok" if lost else "ok"))
    if lost:
        print("# lost:", lost, kept[-300:])
    print("1..2")
finally:
    shutil.rmtree(scratch, ignore_errors=True)
sys.exit(1 if failed or lost else 0)
