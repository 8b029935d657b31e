# SPDX-License-Identifier: Apache-2.0
"""Which programs reach a mutant's statement, and what each takes: all are run once over
a build in which each statement notes itself (reached.c)."""
import collections
import fnmatch
import os
import subprocess

import programs
import tree_c
import tree_lua
from folder import WRAP, compiler

NOTES = 65536


def named_by_check(files):
    """What tests/check names for them."""
    said = subprocess.run(
        ["tests/check", "-n", "-"], input="\n".join(files), capture_output=True, text=True, check=True
    ).stdout
    return said.partition(":")[2].partition(" and the lessons ")[0].split()


def matching(names, patterns):
    return [
        name for name in names
        if any(fnmatch.fnmatchcase(name, p) or name.startswith(p + "/") for p in patterns)
    ]


def candidates(files, also, without):
    said = subprocess.run(["tests/run", "-n"], capture_output=True, text=True, check=True)
    names = matching(said.stdout.splitlines(), named_by_check(files) + also)
    unwanted = matching(names, [*without, "source"])
    return [name for name in names if name not in unwanted]


def plant(copy, chosen, texts):
    """The calls, and what they call."""
    by_file = collections.defaultdict(list)
    for number, mutant in enumerate(chosen):
        by_file[mutant.file].append((number, mutant.probe))
    for file, probes in by_file.items():
        way = tree_lua if file.endswith(".lua") else tree_c
        copy.write(file, way.with_probes(texts[file], probes))
    here = os.path.dirname(__file__)
    for name, folder in (("reached.c", "base"), ("reached_lua.c", "lua/bind")):
        with open(f"{here}/{name}", encoding="utf-8") as f:
            copy.write(f"{folder}/{name}", f.read().replace("@NOTES@", notes_of(copy)))


def uproot(copy, chosen, texts):
    for file in {mutant.file for mutant in chosen}:
        copy.write(file, texts[file])
    for name in ("base/reached.c", "lua/bind/reached_lua.c"):
        os.remove(f"{copy.folder}/{name}")


def notes_of(copy):
    return f"{copy.folder}/reached.notes"


def clear(notes):
    with open(notes, "wb") as f:
        f.write(bytes(NOTES))
    os.chmod(notes, 0o666)  # of other users, too


def reached_by(copy, chosen, names, say):
    """[(seconds, program, set of the mutants' numbers)], the quickest first; programs
    that fail without any mistake are left out."""
    found = []
    for name in names:
        clear(notes_of(copy))
        failed, used = programs.run(copy.folder, name, 600)
        if failed is not None:
            say(f"left out: {name} fails without a mistake ({failed})")
            continue
        with open(notes_of(copy), "rb") as f:
            noted = f.read()
        found.append((used, name, {n for n in range(len(chosen)) if noted[n]}))
        say(f"  {name}: {len(found[-1][2])} reached, {used:.1f} s")
    os.remove(notes_of(copy))
    return sorted(found, key=lambda f: f[:2])


def survey(copy, chosen, texts, names, say):
    plant(copy, chosen, texts)
    try:
        if not copy.build(names, [f"CC={compiler()} {WRAP}"]):
            raise SystemExit(copy.said())
        return reached_by(copy, chosen, names, say)
    finally:
        uproot(copy, chosen, texts)

