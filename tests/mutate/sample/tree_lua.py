# SPDX-License-Identifier: Apache-2.0
"""Mutants of a Lua file, from the tree of luacheck's parser (parse.lua prints it)."""
import json
import subprocess

from mutants import BOUNDS, LUA_OPERATORS, Mutant, Probe, kept_breaks, next_number

WORDS = {
    "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "~=", "add": "+",
    "sub": "-", "mul": "*", "div": "/", "idiv": "//", "mod": "%", "pow": "^",
    "band": "&", "bor": "|", "bxor": "~", "shl": "<<", "shr": ">>", "and": "and", "or": "or",
}
UNARY = {"not": "not", "unm": "-", "bnot": "~"}
DELETED = {"Set", "Call", "Invoke", "Break", "Return", "Goto"}


class Reader:
    def __init__(self, file, text):
        self.file, self.text, self.found = file, text, {}

    def add(self, kind, begin, end, new, probe):
        mutant = Mutant(self.file, kind, begin, end, new, probe)
        self.found.setdefault((begin, end, new), mutant)

    def span(self, node):
        return node["offset"] - 1, node["end_offset"]

    def operation(self, node, probe):
        word, operands = WORDS.get(node["name"]), node["inner"]
        if len(operands) == 1:
            word, begin = UNARY.get(node["name"]), node["offset"] - 1
            if word and self.text.startswith(word, begin):
                self.add("operator", begin, begin + len(word), "", probe)
            return
        end = len(self.text[: operands[1]["offset"] - 1].rstrip())
        begin = end - len(word or "")
        if not word or self.text[begin:end] != word:
            return
        if word in BOUNDS:
            self.add("bound", begin, end, BOUNDS[word], probe)
            turned = {"<": ">=", ">=": "<", ">": "<=", "<=": ">"}[word]
            self.add("operator", begin, end, turned, probe)
        else:
            self.add("operator", begin, end, LUA_OPERATORS[word], probe)

    def constant(self, node, probe):
        begin, end = self.span(node)
        word = self.text[begin:end]
        other = {"true": "false", "false": "true"}.get(word) or next_number(word)
        if other:
            self.add("constant", begin, end, other, probe)

    def negate(self, node, probe):
        begin, end = self.span(node)
        self.add("condition", begin, end, f"not ({self.text[begin:end]})", probe)

    def block(self, statements, is_main=False):
        for node in statements:
            probe = Probe(node["offset"] - 1)
            is_end = is_main and node["tag"] == "Return"
            if node["tag"] in DELETED and not is_end:
                begin, end = self.span(node)
                self.add("statement", begin, end, kept_breaks(self.text[begin:end]), probe)
            self.walk(node, probe)

    def walk(self, node, probe):
        tag, inner = node.get("tag"), node.get("inner", [])
        if tag == "Op":
            self.operation(node, probe)
        elif tag in ("Number", "True", "False"):
            self.constant(node, probe)
        elif tag == "If":
            for child in inner:
                if child.get("tag"):
                    self.negate(child, probe)
        elif tag == "While":
            self.negate(inner[0], probe)
        elif tag == "Repeat":
            self.negate(inner[1], probe)
        for child in inner:
            if child.get("block"):
                self.block(child["inner"])
            else:
                self.walk(child, probe)


def mutants(copy, file, text):
    command = ["build/warpshop", "run", "tests/mutate/sample/parse.lua", file]
    answer = subprocess.run(command, cwd=copy, capture_output=True, text=True)
    if answer.returncode != 0:
        raise SystemExit(f"luacheck's parser cannot read {file}:\n{answer.stderr}{answer.stdout}")
    reader = Reader(file, text)
    reader.block(json.loads(answer.stdout), is_main=True)
    return list(reader.found.values())


def with_probes(text, probes):
    """The text with a call that notes N at each (N, Probe), on the same lines."""
    for number, probe in sorted(probes, key=lambda p: p[1].begin, reverse=True):
        call = f'do local r=("").mutation_reached if r then r({number}) end end '
        text = text[: probe.begin] + call + text[probe.begin :]
    return text
