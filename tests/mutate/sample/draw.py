# SPDX-License-Identifier: Apache-2.0
"""Which mutants are tried: drawn with a seed, from the files that an area has."""
import random
import subprocess

import tree_c
import tree_lua
from mutants import KINDS


class Drawer:
    def __init__(self, copy, area, seed):
        self.copy, self.random = copy, random.Random(f"{seed} {area}")
        names = subprocess.run(
            ["git", "ls-files", f"{area}/*.c", f"{area}/*.lua"],
            cwd=copy.folder, capture_output=True, text=True, check=True,
        ).stdout.split()
        self.texts = {name: copy.read(name) for name in sorted(names)}
        self.trees, self.seen = {}, set()
        self.left_out = 0

    def mutants_of(self, file):
        """By kind."""
        if file not in self.trees:
            text = self.texts[file]
            if file.endswith(".lua"):
                found = tree_lua.mutants(self.copy.folder, file, text)
            else:
                found = tree_c.mutants(self.copy.folder, file, text, self.copy.clang_flags(file))
            self.trees[file] = {k: [m for m in found if m.kind == k] for k in KINDS}
        return self.trees[file]

    def one(self):
        """A file by its length, a kind, and one of those."""
        files = list(self.texts)
        file = self.random.choices(files, [len(self.texts[f]) for f in files])[0]
        by_kind = {k: m for k, m in self.mutants_of(file).items() if m}
        if not by_kind:
            return None
        return self.random.choice(by_kind[self.random.choice(sorted(by_kind))])

    def draw(self, count):
        """As many as differ from the program as it is; left_out counts the others."""
        chosen = []
        for _ in range(20 * count):
            if len(chosen) == count:
                break
            mutant = self.one()
            if mutant is None or mutant in self.seen:
                continue
            self.seen.add(mutant)
            if self.copy.makes_a_difference(mutant, self.texts[mutant.file]):
                chosen.append(mutant)
            else:
                self.left_out += 1
        return chosen
