#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges every hostile submission of tests/grade/hostile and tests/grade/cheats,
and what is no file where a class's hand-ins lie.

None may pass that should not, none may be an error of ours, no file's or
environment's bytes and no control byte may come out, every form of report must be
well-formed, and each may use 20 s of processor time and 1.5 GiB of memory. Prints
TAP.  Usage: tests/grade/cheats.py [JOBS [NAME...]]
"""
import concurrent.futures
import json
import os
import re
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
import xml.dom.minidom

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHOP = os.path.join(ROOT, os.environ.get("BUILD", "build"), "warpshop")
HERE = os.path.join(ROOT, "tests", "grade")
CANARY = "canary-5b1f0e"  # in a file beside the exercises, and in the environment
MOST_CPU_S, MOST_BYTES = 20, 3 << 29
FORMS = ("junit", "gradescope", "prairielearn", "check50", "exercism")
HANG_S = 600


class Submission:
    def __init__(self, name, exercise, wanted, words, text):
        self.name, self.exercise = name, exercise
        self.wanted, self.words, self.text = wanted, words, text


def bundled(path, suffix):
    """The submissions of one file of tests/grade/cheats."""
    parts = re.split(r"^==== (.*)\n", open(path, encoding="utf-8").read(),
                     flags=re.M)[1:]
    for head, body in zip(parts[::2], parts[1::2]):
        name, exercise, wanted, *words = head.split(" ", 3)
        body = body.replace("<NUL>", "\0").replace("<LONG>", "int a; " * 149000)
        body = body.replace("<SPLICES>", "\\\n" * 500000)
        yield Submission(name + suffix, exercise, wanted, " ".join(words),
                         body.encode())


def alone():
    """Those of tests/grade/hostile, which have a file each."""
    folder = os.path.join(HERE, "hostile")
    for name in sorted(os.listdir(folder)):
        text = open(os.path.join(folder, name), "rb").read()
        head = text.split(b"\n", 1)[0].decode(errors="replace").split(" ", 4)
        # What it must say is tests/grade/submissions's business.
        yield Submission(name, head[2], head[3], "", text)


def all_of_them():
    for name, suffix in (("device", ".cu"), ("compiler", ".cu"), ("lua", ".lua")):
        yield from bundled(os.path.join(HERE, "cheats", name + ".txt"), suffix)
    yield from alone()


def run(args, folder):
    """(exit code, output, processor seconds, bytes) of a command and its own."""
    env = dict(os.environ, WARPSHOP_HOME=ROOT, SECRET_OF_MINE=CANARY,
               NO_COLOR="1", LC_ALL="C.UTF-8")
    for name in ("WARPSHOP_DEVICE", "WARPSHOP_COURSE_SECRET",
                 "WARPSHOP_COURSE_SECRET_FILE"):
        env.pop(name, None)
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen([SHOP, *args], cwd=folder, env=env, stdout=out,
                                 stderr=out, stdin=subprocess.DEVNULL)
        killer = threading.Timer(HANG_S, child.kill)
        killer.start()
        _, status, used = os.wait4(child.pid, 0)
        killer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        return (child.returncode, out.read(), used.ru_utime + used.ru_stime,
                used.ru_maxrss * 1024)


def fits(verdict, wanted):
    if wanted == "any":
        return verdict in ("pass", "fail", "crash", "timeout", "compile-error")
    if wanted == "not-pass":
        return verdict in ("fail", "crash", "timeout", "compile-error")
    return verdict == wanted


def foreign(output):
    """What came out and must not have, or None."""
    try:
        text = output.decode()
    except UnicodeDecodeError as e:
        return f"not UTF-8: {e}"
    bad = re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)
    if bad:
        return f"a control character {bad.group()!r}: {text[bad.start() - 40:bad.end() + 20]!r}"
    for what in (CANARY, "root:x:0", "daemon:x:"):
        if what in text:
            return f"bytes of another file: {what}"
    return None


def holds(words, verdict_text):
    if not words or words == "not <ESC>":  # foreign() looks for those
        return True
    if words.startswith("not "):
        return words[4:] not in verdict_text
    return words in verdict_text


def read_reports(folder):
    """None, or why a report is not well-formed."""
    for form in FORMS:
        path = os.path.join(folder, "report." + form)
        try:
            data = open(path, "rb").read()
            why = foreign(data)
            if why:
                return f"{form}: {why}"
            if form == "junit":
                xml.dom.minidom.parseString(data)
            else:
                json.loads(data)
        except (OSError, ValueError, xml.parsers.expat.ExpatError) as e:
            return f"{form}: {e}"
    return None


def judge(s):
    """None, or what is wrong."""
    folder = tempfile.mkdtemp(prefix="cheat-")
    try:
        path = os.path.join(folder, "own" + os.path.splitext(s.name)[1])
        open(path, "wb").write(s.text)
        open(os.path.join(folder, "notes.h"), "w").write(CANARY)
        exercise = s.exercise
        if "/" in exercise:
            exercise = os.path.join(ROOT, exercise)
        args = ["grade", exercise, path]
        code, page, cpu_s, size = run(args, folder)
        reports = [f"--report={f}={folder}/report.{f}" for f in FORMS]
        json_code, out, json_s, json_size = run(args + ["--json", *reports], folder)
        why = foreign(page) or foreign(out) or read_reports(folder)
        if why:
            return why
        verdict = json.loads(out[:out.rindex(b"}") + 1])["verdict"]
        if not fits(verdict, s.wanted):
            return f"{verdict}, wanted {s.wanted}: {page.decode()[:300]}"
        if code != json_code or code != (0 if verdict == "pass" else 1):
            return f"exit {code} and {json_code} of {verdict}"
        if not holds(s.words, out.decode().replace('\\"', '"')):
            return f"not said, or said: {s.words}: {page.decode()[:300]}"
        if max(cpu_s, json_s) > MOST_CPU_S:
            return f"{max(cpu_s, json_s):.1f} s of processor time"
        if max(size, json_size) > MOST_BYTES:
            return f"{max(size, json_size) >> 20} MiB"
        return None
    except (ValueError, KeyError) as e:
        return f"no JSON ({e}): {out[:300]!r}"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def link(path):
    os.symlink("/etc/passwd", path)


def device(path):
    os.mknod(path, 0o644 | stat.S_IFCHR, os.makedev(1, 5))  # /dev/zero


def socket_file(path):
    with socket.socket(socket.AF_UNIX) as s:
        s.bind(path)


NO_FILES = {"link": link, "loop": lambda path: os.symlink("saxpy.cu", path),
            "fifo": os.mkfifo, "folder": os.mkdir, "socket": socket_file}
if os.geteuid() == 0:
    NO_FILES["device"] = device


def judge_no_files():
    """None, or what is wrong with a class in which all but one hand in no file."""
    folder = tempfile.mkdtemp(prefix="cheat-")
    try:
        for name, make in {"right": None, **NO_FILES}.items():
            os.makedirs(os.path.join(folder, "in", name))
            path = os.path.join(folder, "in", name, "saxpy.cu")
            if make:
                make(path)
            else:
                shutil.copy(os.path.join(ROOT, "exercises/saxpy/solution.cu"), path)
        reports = [f"--report={f}={folder}/report.{f}" for f in ("junit", "canvas")]
        code, out, _, _ = run(["grade", "--from", "in", "--json", *reports], folder)
        told = b"".join(open(f"{folder}/report.{f}", "rb").read()
                        for f in ("junit", "canvas"))
        why = foreign(out) or foreign(told.replace(b"\r\n", b"\n"))
        if why:
            return why
        found = {s["evidence"]["learner"]: s["verdict"]
                 for s in json.loads(out)["submissions"]}
        wanted = dict.fromkeys(NO_FILES, "compile-error") | {"right": "pass"}
        return None if found == wanted and code == 1 else f"exit {code} of {found}"
    except (ValueError, KeyError) as e:
        return f"no JSON ({e}): {out[:300]!r}"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    jobs = int(sys.argv[1]) if len(sys.argv) > 1 else os.cpu_count() or 1
    names = sys.argv[2:]
    chosen = [s for s in all_of_them()
              if not names or s.name in names or s.name.rsplit(".", 1)[0] in names]
    started, failed = time.time(), 0
    was_here = "/tmp/warpshop-was-here"
    if os.path.exists(was_here):
        os.remove(was_here)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for n, (s, why) in enumerate(zip(chosen, pool.map(judge, chosen)), 1):
            failed += why is not None
            print(f"{'not ok' if why else 'ok'} {n} - {s.name}: {s.wanted}")
            if why:
                print("# " + why.replace("\n", "\n# "))
            sys.stdout.flush()
    n = len(chosen) + 1
    if not names or "no-files" in names:
        why = judge_no_files()
        failed += why is not None
        print(f"{'not ok' if why else 'ok'} {n} - no-files: {', '.join(NO_FILES)}")
        if why:
            print("# " + why)
        n += 1
    ran = os.path.exists(was_here)
    failed += ran
    print(f"{'not ok' if ran else 'ok'} {n} - none has run a program of this machine")
    print(f"1..{n}")
    print(f"# {len(chosen)} submissions, {failed} failed, {time.time() - started:.0f} s")
    return 1 if failed else 0


sys.exit(main())
