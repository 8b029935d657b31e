#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Ends each of warpshop's screens at random moments, by SIGKILL and by signals that can
# be caught. Behind those the terminal must be as it was found; behind SIGKILL the next
# start puts it right. What was typed is in the history, a draft is the old text or the
# new one, what was shown as passed is recorded; no process and no file is left over, and
# the next start says nothing odd. Speaks TAP.
# Usage: tests/load/killed.py [ROUNDS [SEED [SCREEN...]]]
import os, random, re, shutil, signal, subprocess, sys, tempfile, time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from screens import BEGUN, COURSE, HALF, INCLUDE, SCREENS, SOURCES, STARTER
from terminal import Terminal, own_session

rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 200
seed = sys.argv[2] if len(sys.argv) > 2 else str(int(time.time()))
wanted = sys.argv[3:]
root = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
build = os.path.join(root, os.environ.get("BUILD", "build"))
program = build + "/warpshop"
ENDS = [signal.SIGKILL] * 5 + [signal.SIGTERM] * 3 + [signal.SIGHUP, signal.SIGQUIT, signal.SIGINT, signal.SIGSEGV]
DRAFT = r"/drafts/.*\.cu$"
TEMPORARY = re.compile(r"\.[A-Za-z0-9]{6}$")


class Place:
    """The folders of one screen's rounds."""

    def __init__(self, scratch, screen):
        self.folder = os.path.join(scratch, screen.name)
        self.work, self.saved = self.folder + "/work", []
        for name in ("work", "run", "tmp"):
            os.makedirs(os.path.join(self.folder, name), mode=0o700)
        for name, text in SOURCES.items():
            self.write("work/" + name, text)
        self.write("inputrc", "set enable-keypad on\n")
        self.environment = dict(
            os.environ, TERM="xterm", LC_ALL="C.UTF-8", WARPSHOP_DEVICE="virtual:0", WARPSHOP_HOME=root,
            XDG_STATE_HOME=self.folder + "/state", XDG_DATA_HOME=self.folder + "/data",
            XDG_RUNTIME_DIR=self.folder + "/run", TMPDIR=self.folder + "/tmp", INPUTRC=self.folder + "/inputrc",
            XDG_CACHE_HOME=scratch + "/cache", EDITOR="true",
            WARPSHOP_NVML=build + "/tests/unit/fake_nvml_top.so", WARPSHOP_TURNSTILE=self.folder + "/queue")
        for name in ("WARPSHOP_PLAIN", "WARPSHOP_COURSE", "WARPSHOP_COURSES", "NO_COLOR", "VISUAL"):
            self.environment.pop(name, None)
        self.arguments = [os.path.join(root, a) if a == COURSE else a for a in screen.arguments]
        if screen.name == "desk":
            group = subprocess.getoutput("id -gn")
            self.run("class", "new", "room", "--group", group)
            self.run("class", "join", "room")
        self.version = self.run("version")

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w") as f:
            f.write(text)

    def run(self, *arguments):
        return subprocess.run([program, *arguments], env=self.environment, cwd=self.work, check=True,
                              stdin=subprocess.DEVNULL, capture_output=True).stdout

    def files(self, *below):
        for name in below:
            for folder, _, names in os.walk(os.path.join(self.folder, name)):
                yield from (os.path.join(folder, name) for name in names)

    def text(self, of):
        """All text of the files whose path ends so."""
        parts = []
        for path in self.files("state", "data"):
            if re.search(of, path):
                with open(path, encoding="utf-8", errors="replace") as f:
                    parts.append(f.read())
        return parts

    def passes(self):
        return sum(text.count("\tpass\n") for text in self.text(r"/progress/[^/]*\.log$"))

    def left_over(self):
        """A whole file that waits for the next writer of its name (base/file.c) is none."""
        over = list(self.files("run", "tmp"))
        return over + [path for path in self.files("state", "data", "work") if TEMPORARY.search(path)]


def end(process, chance):
    """Sends the signal; its number. Behind SIGINT, which may only stop what runs, SIGTERM."""
    number = chance.choice(ENDS)
    process.send_signal(number)
    if number == signal.SIGINT:
        time.sleep(chance.choice([0.001, 0.02]) * chance.random())
        process.send_signal(signal.SIGTERM)
    return number


class Round:
    def __init__(self, terminal, place, screen, n, chance):
        self.t, self.place, self.screen, self.n, self.chance = terminal, place, screen, n, chance
        self.drafts = place.text(DRAFT)
        self.passes = place.passes()

    def come_there(self):
        if self.place.saved:  # one that has passed would lead on to the next exercise
            os.unlink(os.path.join(self.place.work, self.screen.saved[0]))
        self.process = self.t.start([program, *self.place.arguments], self.place.environment, self.place.work)
        for awaited, typed in self.screen.steps:
            if awaited:
                self.t.read_until(awaited, self.process)
            self.t.type(typed % {b"n": self.n} if b"%(" in typed else typed)

    def end(self):
        if self.screen.saved:
            self.place.saved.append(self.screen.save(self.place.work, self.n, self.chance))
            if self.chance.random() < 0.4:
                self.t.read_until(rb"saved [0-9]", self.process)
        last = self.chance.choice(self.screen.last)
        self.what = repr(last)
        self.t.type(last % {b"n": self.n} if b"%(" in last else last)
        self.t.read_for(self.chance.random() * self.screen.span)  # the moment that nobody chose
        self.number = end(self.process, self.chance)
        self.status = self.t.ended(self.process)

    def wrong_status(self):
        right = [-self.number]
        if self.number in (signal.SIGTERM, signal.SIGINT):
            right += [-signal.SIGTERM, *self.screen.caught]
        return None if self.status in right else "ended with %s" % self.status

    def wrong_start(self):
        """What the next start says that it does not say else."""
        if self.number != signal.SIGKILL:
            return None
        before = len(self.t.seen)
        self.t.ended(self.t.start([program, "version"], self.place.environment, self.place.work))
        said = self.t.seen[before:].replace(b"\r\n", b"\n")
        return None if said.endswith(self.place.version) and b"warpshop: " not in said else "then: %r" % said

    def wrong_terminal(self):
        wrong = self.t.differs()
        return "left otherwise: " + " ".join(wrong) if wrong else None

    def wrong_draft(self):
        known = self.drafts + list(SOURCES.values()) + [HALF % self.n, INCLUDE] + self.place.saved[-2:]
        if self.screen.saved:  # what r judges, where the end comes before the save is seen
            known.append(STARTER % self.screen.saved[1])
        if self.number == signal.SIGINT:  # it gives up what stands there by then
            known += [BEGUN[:i] for i in range(1, len(BEGUN))]
        known = ["".join(text.split()) for text in known]
        torn = [text for text in self.place.text(DRAFT) if "".join(text.split()) not in known]
        return "a draft is %r" % torn[0] if torn else None

    def wrong_progress(self):
        self.has_passed = bool(self.screen.saved) and self.screen.saved[-1] in self.t.seen
        lost = self.has_passed and self.place.passes() == self.passes
        return "a pass was shown and is not recorded" if lost else None

    def wrong_history(self):
        typed = [r"kept_%(n)d = 'ke' .. 'pt'; kept_%(n)d", "print('ran_%(n)d') while true do end"]
        came = [b'"kept"' in self.t.seen, b"\nran_%d\r" % self.n in self.t.seen]
        history = "".join(self.place.text(r"/history$"))
        lost = [line % {"n": self.n} for line, is_shown in zip(typed, came) if is_shown]
        lost = [line for line in lost if line + "\n" not in history]
        return "not in the history: " + lost[0] if lost else None

    def wrong_files(self):
        over = self.place.left_over()
        for path in over:
            os.unlink(path)
        return "left over: " + " ".join(over) if over else None

    def go(self):
        """What went wrong, or nothing."""
        self.t.forget()
        self.come_there()
        said = b"warpshop: " in self.t.seen
        self.end()
        wrong = [self.wrong_status(), self.wrong_start(), self.wrong_terminal(), self.wrong_draft(),
                 self.wrong_progress(), self.wrong_history(), self.wrong_files(), "its start says more" if said else None]
        return ["%s at %s: %s" % (self.number.name, self.what, why) for why in wrong if why]


def all_rounds(terminal, scratch, screen):
    chance = random.Random("%s %s" % (seed, screen.name))
    place, wrong, passes = Place(scratch, screen), [], 0
    for n in range(rounds):
        r = Round(terminal, place, screen, n, chance)
        try:
            why = r.go()
            passes += r.has_passed
        except RuntimeError as error:
            r.process.kill()
            terminal.ended(r.process)
            terminal.differs()
            why = [str(error)]
        wrong += why
        for line in why:
            print("# round %d, %s" % (n, line), flush=True)
    return wrong, passes


own_session()
print("# seed", seed, flush=True)
scratch, failed, count = tempfile.mkdtemp(), 0, 0
try:
    terminal = Terminal()
    for screen in SCREENS:
        if wanted and screen.name not in wanted:
            continue
        wrong, passes = all_rounds(terminal, scratch, screen)
        count, failed = count + 1, failed + bool(wrong)
        shown = ", %d times with a pass" % passes if screen.saved else ""
        print("%s %d - %s ended %d times%s" % ("not ok" if wrong else "ok", count, screen.name, rounds, shown), flush=True)
    print("1..%d" % count)
finally:
    shutil.rmtree(scratch, ignore_errors=True)
sys.exit(failed != 0)
