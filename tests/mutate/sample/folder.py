# SPDX-License-Identifier: Apache-2.0
"""The copy of the sources and its build: ../copy.sh, and single objects."""
import os
import re
import shlex
import shutil
import subprocess

WRAP = "-Wl,--wrap=luaopen_string"


class Copy:
    def __init__(self, folder):
        self.folder, self.commands, self.originals = folder, {}, {}

    def shell(self, words, flags=()):
        script = f". tests/mutate/copy.sh; make_flags=({shlex.join(flags)}); {words}"
        env = {**os.environ, "copy": self.folder}
        return subprocess.run(["nice", "-n", "10", "bash", "-c", script], env=env).returncode == 0

    def refresh(self):
        if not self.shell("make_copy && refresh_copy"):
            raise SystemExit(f"no copy of the sources could be made in {self.folder}")

    def build(self, programs, flags=()):
        return self.shell("build " + shlex.join(programs), flags)

    def said(self):
        with open(f"{self.folder}/.git/said", errors="replace") as f:
            return f.read()

    # ---- Files ----

    @staticmethod
    def encoding(file):
        """A C file's characters are its bytes, as clang counts; Lua's are those of UTF-8."""
        return "utf-8" if file.endswith(".lua") else "latin-1"

    def read(self, file):
        with open(f"{self.folder}/{file}", encoding=self.encoding(file), newline="") as f:
            return f.read()

    def write(self, file, text):
        with open(f"{self.folder}/{file}", "w", encoding=self.encoding(file), newline="") as f:
            f.write(text)

    def ask(self, *command):
        return subprocess.run(command, cwd=self.folder, capture_output=True)

    # ---- One object ----

    def command(self, file):
        """The words that compile a C file, as make calls them."""
        if file not in self.commands:
            said = self.ask("make", "-n", "-W", file, f"CC={compiler()}", object_of(file))
            line = next(l for l in said.stdout.decode().splitlines() if f" -c {file} " in l)
            self.commands[file] = shlex.split(line)
        return self.commands[file]

    def clang_flags(self, file):
        return [w for w in self.command(file) if re.match(r"-(I|D|std)", w)]

    def compile(self, file):
        """What becomes of a file as it is: its object without what debuggers need, or its
        bytes of Lua; None where it does not compile."""
        if file.endswith(".lua"):
            answer = self.ask("build/warpshop", "run", "tests/mutate/sample/compile.lua", file)
            return answer.stdout if answer.returncode == 0 else None
        bare = f"{self.folder}/build/mutant.o"
        if self.ask(*self.command(file)).returncode != 0:
            return None
        self.ask("objcopy", "--strip-debug", object_of(file), bare)
        with open(bare, "rb") as f:
            return f.read()

    def makes_a_difference(self, mutant, text):
        """Does it compile, to something else than the file does without it? The file and
        its object are as before then, so that make has nothing to do."""
        file = mutant.file
        if file not in self.originals:
            self.originals[file] = self.compile(file)
        paths = [file] + ([] if file.endswith(".lua") else [object_of(file)])
        for path in paths:
            shutil.copy2(f"{self.folder}/{path}", f"{self.folder}/{path}.kept")
        self.write(file, mutant.apply(text))
        result = self.compile(file)
        for path in paths:
            os.replace(f"{self.folder}/{path}.kept", f"{self.folder}/{path}")
        return result is not None and result != self.originals[file]


def object_of(file):
    return f"build/{file[:-2]}.o"


def compiler():
    return "ccache cc" if shutil.which("ccache") else "cc"
