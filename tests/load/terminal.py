# SPDX-License-Identifier: Apache-2.0
# A terminal of 80x24 of this process's own (nobody, as a shell would, puts it right),
# what programs do to it, and all processes that they start.
import ctypes, fcntl, os, pty, re, resource, select, signal, struct, subprocess, sys, termios, time

hang_s = float(os.environ.get("HANG_S", 300))
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36

# What a program may switch, and how it is where none has: xterm's ctlseqs.
SWITCHES = {b"47": b"l", b"1047": b"l", b"1049": b"l", b"1": b"l", b"25": b"h", b"2004": b"l", b"1000": b"l",
            b"1002": b"l", b"1003": b"l", b"1006": b"l", b"7": b"h", b"12": b"l"}
SWITCH = re.compile(rb"\x1b(?:\[\?([0-9;]+)([hl])|([=>])|\[([0-9;]*)m)")


def left_on(output):
    """Names of what output has switched and not put back."""
    now = dict(SWITCHES, keypad=b">", colour=b"")
    for names, to, keypad, colour in SWITCH.findall(output):
        for name in names.split(b";") if names else []:
            now[name] = to
        if keypad:
            now["keypad"] = keypad
        elif not names:
            now["colour"] = b"" if colour in (b"", b"0", b"39;49") else colour
    usual = dict(SWITCHES, keypad=b">", colour=b"")
    return [name if isinstance(name, str) else name.decode() for name, value in now.items() if usual.get(name) != value]


def own_session():
    """In a process of its own, whose orphans come back to it."""
    child = os.fork()
    if child:
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    os.setsid()
    prctl = ctypes.CDLL(None).prctl
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    for number in (signal.SIGINT, signal.SIGQUIT):  # which a shell ignores behind "&"
        signal.signal(number, signal.SIG_DFL)


class Terminal:
    def __init__(self):
        self.master, self.slave = pty.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
        self.found = termios.tcgetattr(self.slave)
        self.marks = 0
        self.forget()

    def forget(self):
        self.seen, self.at = b"", 0  # what came, and how much of it was awaited

    def start(self, command, environment, folder):
        def in_front():
            os.setpgid(0, 0)
            os.tcsetpgrp(0, os.getpid())
            signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        return subprocess.Popen(command, stdin=self.slave, stdout=self.slave, stderr=self.slave, cwd=folder,
                                env=environment, preexec_fn=in_front)

    def type(self, keys):
        os.write(self.master, keys)

    def read_for(self, seconds):
        end = time.time() + seconds
        while select.select([self.master], [], [], max(0, end - time.time()))[0]:
            self.seen += os.read(self.master, 65536)

    def read_until(self, pattern, process=None):
        """Behind what was awaited before."""
        end = time.time() + hang_s
        while not (match := re.compile(pattern).search(self.seen, self.at)):
            if time.time() > end or (process and process.poll() is not None):
                raise RuntimeError("missing: %r in %r" % (pattern, self.seen[self.at:][-900:]))
            self.read_for(0.02)
        self.at = match.end()

    def children(self):
        return subprocess.getoutput("ps -o pid,stat,wchan:20,pending,blocked,ignored,caught,args --ppid %d" % os.getpid())

    def ended(self, process):
        """Its exit status, once all that it started has ended, too."""
        end = time.time() + hang_s
        while process.poll() is None and time.time() < end:
            self.read_for(0.005)
        while time.time() < end:
            try:
                if os.waitpid(-1, os.WNOHANG)[0] == 0:
                    self.read_for(0.005)
            except ChildProcessError:
                break
        else:
            raise RuntimeError("still there: " + self.children())
        os.tcsetpgrp(self.slave, os.getpgrp())
        # What was written comes after a while; this comes behind it.
        self.marks += 1
        mark = b"\x1b_mark %d\x1b\\" % self.marks
        os.write(self.slave, mark)
        self.read_until(re.escape(mark))
        self.seen = self.seen.replace(mark, b"")
        self.at = len(self.seen)
        return process.poll()

    def differs(self):
        """What is not as it was found; it is made so for the next one."""
        modes = termios.tcgetattr(self.slave)
        wrong = left_on(self.seen) + (["modes"] if modes != self.found else [])
        termios.tcsetattr(self.slave, termios.TCSANOW, self.found)
        termios.tcflush(self.slave, termios.TCIFLUSH)
        return wrong
