# SPDX-License-Identifier: Apache-2.0
"""Do the tests notice mistakes that nobody chose? Draws mutants from the syntax trees of
an area's files, and runs for each the programs that reach it, the quickest first, until
one fails. README.md says more. From the checkout's root:
    tests/mutate/sample/main.py [--seed N] [--count N] [--area FOLDER] [--jobs N]
    tests/mutate/sample/main.py --again [--area FOLDER] [--with PROGRAM...]
--copy names another folder than build-mutate-sampled, for two at a time."""
import argparse
import json
import multiprocessing
import os
import shutil
import sys
import time

import programs
import reach
from draw import Drawer
from folder import Copy
from mutants import KINDS

HERE = os.path.dirname(__file__)
EQUAL = "tests/mutate/sampled.txt"


def say(text):
    print(text, flush=True)


# ---- The tables ----

def areas(wanted):
    """[(folder, also, without)]"""
    found = []
    with open(f"{HERE}/areas.txt", encoding="utf-8") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                folder, _, rest = line.strip().partition(" also")
                also, _, without = rest.partition("without")
                found.append((folder, also.split(), without.split()))
    names = [a[0] for a in found]
    if wanted and wanted not in names:
        raise SystemExit(f"no area '{wanted}'; there are: {' '.join(names)}")
    return [a for a in found if wanted in (None, a[0])]


def equal_rows():
    """[(file, old, new, why)] of the changes that make no difference."""
    rows, row = [], None
    with open(EQUAL, encoding="utf-8") as f:
        for line in f.read().splitlines():
            word, _, rest = line.partition(" ")
            if word == "file:":
                row = [rest, [], []]
            elif word in ("-", "+") and row:
                row[1 if word == "-" else 2].append(rest)
            elif word == "equal:" and row:
                rows.append((row[0], "\n".join(row[1]), "\n".join(row[2]), rest))
    return rows


def why_equal(mutant, text, rows):
    for file, old, new, why in rows:
        if file == mutant["file"] and text.count(old) == 1:
            if text.replace(old, new) == changed(mutant, text):
                return why
    return None


# ---- One mutant, as it is kept ----

def kept(mutant, text, of):
    old, new = mutant.row(text)
    return {
        "area": of, "file": mutant.file, "name": mutant.name(text), "kind": mutant.kind,
        "old": old, "new": new,
    }


def changed(mutant, text):
    return text.replace(mutant["old"], mutant["new"])


def table_row(mutant):
    lines = [f"    file: {mutant['file']}"]
    lines += [f"    - {line}" for line in mutant["old"].split("\n")]
    lines += [f"    + {line}" for line in mutant["new"].split("\n")]
    return "\n".join(lines)


def first_that_fails(copy, mutant, killers):
    """'program: test' of the first, or None."""
    for used, name in killers:
        if not mutant["file"].endswith(".lua") and not copy.build([name]):
            return "it does not link"
        failed, _ = programs.run(copy.folder, name, 10 * used + 20)
        if failed is not None:
            return f"{name}: {failed}"
    return None


def try_one(copy, mutant):
    """Says and returns how it went: killed, equal, unreached or survived."""
    begin, text = time.monotonic(), copy.read(mutant["file"])
    why = why_equal(mutant, text, equal_rows())
    if why:
        return "equal", 0, why
    if text.count(mutant["old"]) != 1:
        return "gone", 0, "its text is no longer there"
    if not mutant["killers"]:
        return "unreached", 0, "no program runs it"
    try:
        copy.write(mutant["file"], changed(mutant, text))
        killer = first_that_fails(copy, mutant, mutant["killers"])
    finally:
        copy.write(mutant["file"], text)
    took = round(time.monotonic() - begin)
    if killer:
        return "killed", took, killer
    return "survived", took, " ".join(name for _, name in mutant["killers"])


# ---- All of them ----

def work(folder, mutants, number, jobs, results):
    programs.be_reaper()
    copy = Copy(folder)
    for mutant in mutants[number::jobs]:
        results.put((mutant, *try_one(copy, mutant)))


def try_all(copy, mutants, jobs):
    """Yields (mutant, how, seconds, more). Each job has a copy of its own."""
    folders = [copy.folder] + [f"{copy.folder}.{i}" for i in range(1, jobs)]
    for folder in folders[1:]:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(copy.folder, folder, symlinks=True)
    results = multiprocessing.Queue()
    workers = [
        multiprocessing.Process(target=work, args=(folder, mutants, i, jobs, results), daemon=True)
        for i, folder in enumerate(folders)
    ]
    for worker in workers:
        worker.start()
    for _ in mutants:
        yield results.get()
    for worker in workers:
        worker.join()


def report(mutant, how, took, more):
    word = how if how in ("killed", "equal", "gone") else how.upper()
    say(f"{word:9} {took:4} s  {mutant['name']} ({more})")
    if word.isupper():
        say(table_row(mutant))


def with_killers(copy, texts, chosen, area):
    """Each mutant as it is kept, with the programs that reach it."""
    folder, also, without = area
    names = reach.candidates(sorted({m.file for m in chosen}), also, without)
    say(f"{folder}: {len(names)} programs are asked which they reach")
    found = reach.survey(copy, chosen, texts, names, say)
    mutants = []
    for number, mutant in enumerate(chosen):
        entry = kept(mutant, texts[mutant.file], folder)
        entry["killers"] = killers_of(mutant.file, [f[:2] for f in found if number in f[2]])
        mutants.append(entry)
    return mutants


def draw(copy, seed, count, area):
    drawer = Drawer(copy, area[0], seed)
    chosen = drawer.draw(count)
    say(f"{area[0]}: {len(chosen)} drawn, {drawer.left_out} others do not compile or change nothing")
    return with_killers(copy, drawer.texts, chosen, area)


def draw_left(copy, known, area):
    """Those that were not killed, as the files are now, with the programs of now."""
    drawer, chosen = Drawer(copy, area[0], 0), []
    for mutant in filter(is_left, known):
        text = drawer.texts.get(mutant["file"], "")
        of_file = drawer.mutants_of(mutant["file"]) if text.count(mutant["old"]) == 1 else {}
        chosen += [
            m for of_kind in of_file.values() for m in of_kind
            if m.row(text) == (mutant["old"], mutant["new"])
        ][:1]
    now = {(m["file"], m["old"], m["new"]): m for m in with_killers(copy, drawer.texts, chosen, area)}
    for mutant in filter(is_left, known):
        found = now.get((mutant["file"], mutant["old"], mutant["new"]))
        mutant["killers"] = found["killers"] if found else []


def is_left(mutant):
    return mutant.get("how") not in ("killed", "equal", "gone")


WORK_S = 60  # what the programs of one mutant may take together


def killers_of(file, reaching):
    """Those of the file's own row in tests/check first, then the quickest, as many as a
    mutant's time allows."""
    own = reach.matching([name for _, name in reaching], reach.named_by_check([file]))
    chosen, left = [], WORK_S
    for used, name in sorted(reaching, key=lambda r: (r[1] not in own, r[0])):
        if not chosen or used <= left:
            chosen.append((used, name))
            left -= used
    return chosen


def is_sound(copy, name):
    """A program that fails without a mistake proves nothing."""
    if not copy.build([name]):
        raise SystemExit(copy.said())
    failed, _ = programs.run(copy.folder, name, 600)
    if failed is not None:
        say(f"left out: {name} fails without a mistake ({failed})")
    return failed is None


class State:
    """What is known of each area's last sample, kept beside the copy."""

    def __init__(self, copy):
        self.path = f"{copy.folder}/.git/sampled.json"
        try:
            with open(self.path, encoding="utf-8") as f:
                self.areas = json.load(f)
        except (OSError, ValueError):
            self.areas = {}

    def keep(self):
        with open(f"{self.path}.new", "w", encoding="utf-8") as f:
            json.dump(self.areas, f, indent=1)
        os.replace(f"{self.path}.new", self.path)


def tried(copy, state, area, jobs):
    """Tries those of an area that are not known to be killed."""
    mutants = state.areas[area]
    todo = list(filter(is_left, mutants))
    by_name = {m["name"]: m for m in mutants}
    for mutant, how, took, more in try_all(copy, todo, jobs):
        by_name[mutant["name"]].update(how=how, more=more)
        state.keep()
        report(mutant, how, took, more)


def total(state, names):
    say(f"{'area':12} mutants killed equal gone left  killed of those that differ")
    sums = [0, 0, 0, 0]
    for name in [*names, "all"]:
        of = [m.get("how") for m in state.areas.get(name, [])]
        row = sums if name == "all" else [len(of), *map(of.count, ("killed", "equal", "gone"))]
        if name != "all":
            sums = [a + b for a, b in zip(sums, row)]
        differ = row[0] - row[2] - row[3]
        share = f"{100 * row[1] / differ:.0f} %" if differ else "-"
        say(f"{name:12} {row[0]:7} {row[1]:6} {row[2]:5} {row[3]:4} {differ - row[1]:4}  {share}")
    return sums[0] - sum(sums[1:])


def arguments():
    asked = argparse.ArgumentParser()
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--count", type=int, default=210)
    asked.add_argument("--area")
    asked.add_argument("--jobs", type=int, default=os.cpu_count())
    asked.add_argument("--copy", default="build-mutate-sampled")
    asked.add_argument("--again", action="store_true")
    asked.add_argument("--with", nargs="*", default=[], dest="these")
    return asked.parse_args()


def main():
    given = arguments()
    copy = Copy(os.path.abspath(given.copy))
    programs.be_reaper()
    copy.refresh()
    if not programs.can_shut_in(copy.folder):
        raise SystemExit(
            "a mutant may signal or delete anything that you could, and this machine does not "
            "let `unshare` shut it in: run this where namespaces are allowed (man unshare)"
        )
    if not copy.build(["cli/run"]):
        raise SystemExit(copy.said())
    chosen, state = areas(given.area), State(copy)
    these = [(WORK_S, name) for name in given.these if is_sound(copy, name)]
    each = -(-given.count // len(chosen))
    for area in chosen:
        if not given.again:
            state.areas[area[0]] = draw(copy, given.seed, each, area)
            state.keep()
        elif given.these:
            for mutant in state.areas.get(area[0], []):
                mutant["killers"] = these
        else:
            draw_left(copy, state.areas.get(area[0], []), area)
        tried(copy, state, area[0], given.jobs)
    sys.exit(1 if total(state, [a[0] for a in chosen]) else 0)


if __name__ == "__main__":
    main()
