# SPDX-License-Identifier: Apache-2.0
"""Mutants of a C file, from the tree that clang prints as JSON.

A node counts where its text is written in the file itself: what comes from a header or
out of a macro has other places. Functions' bodies only; tables are data."""
import json
import re
import subprocess

from mutants import BOUNDS, C_OPERATORS, Mutant, Probe, kept_breaks, next_number

COMPOUND = {"IfStmt", "ForStmt", "WhileStmt", "DoStmt", "SwitchStmt", "CompoundStmt"}
LABELS = {"LabelStmt", "CaseStmt", "DefaultStmt"}
DELETED = {"CallExpr", "CompoundAssignOperator", "BreakStmt", "ContinueStmt", "GotoStmt"}
SKIPPED = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|//[^\n]*|/\*.*?\*/', re.S)


def tree(copy, file, flags):
    command = ["clang", "-fsyntax-only", "-w", *flags, "-Xclang", "-ast-dump=json", file]
    answer = subprocess.run(command, cwd=copy, capture_output=True, text=True)
    if answer.returncode != 0:
        raise SystemExit(f"clang cannot read {file}:\n{answer.stderr}")
    return json.loads(answer.stdout)


def place(where, expanded=False):
    """(offset, length) of a location in the file itself, else None; of a macro's use
    where `expanded`."""
    if "expansionLoc" in where:
        if not expanded:
            return None
        where = where["expansionLoc"]
    if "offset" not in where or "includedFrom" in where:
        return None
    return where["offset"], where["tokLen"]


def begin_of(node, expanded=True):
    found = place(node.get("range", {}).get("begin", {}), expanded)
    return found and found[0]


def span(node):
    """[begin, end) of a node that is all written in the file; None of others."""
    ends = node.get("range", {})
    first, last = place(ends.get("begin", {})), place(ends.get("end", {}))
    return (first[0], last[0] + last[1]) if first and last else None


class Reader:
    def __init__(self, file, text):
        self.file, self.text, self.found = file, text, {}
        # The same length, without what is in strings and comments.
        self.bare = SKIPPED.sub(lambda m: re.sub(r"[^\n]", "_", m.group()), text)

    def add(self, kind, begin, end, new, probe):
        if probe and self.text[begin:end] != new:
            mutant = Mutant(self.file, kind, begin, end, new, probe)
            self.found.setdefault((begin, end, new), mutant)

    def closing(self, at):
        """Behind the parenthesis that closes the first one from `at` on."""
        depth = 0
        for i in range(at, len(self.bare)):
            depth += {"(": 1, ")": -1}.get(self.bare[i], 0)
            if depth == 0 and self.bare[i] == ")":
                return i + 1
        return None

    def semicolon(self, at):
        """Behind the one that ends the simple statement at `at`."""
        depth = 0
        for i in range(at, len(self.bare)):
            depth += {"(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1}.get(self.bare[i], 0)
            if depth < 0:
                return None
            if depth == 0 and self.bare[i] == ";":
                return i + 1
        return None

    # ---- Expressions ----

    def binary(self, node, probe):
        word, right = node["opcode"], begin_of(node["inner"][1])
        if right is None:
            return
        end = len(self.bare[:right].rstrip())
        begin = end - len(word)
        if begin < 0 or self.bare[begin:end] != word:
            return
        if word in BOUNDS:
            self.add("bound", begin, end, BOUNDS[word], probe)
            turned = {"<": ">=", ">=": "<", ">": "<=", "<=": ">"}[word]
            self.add("operator", begin, end, turned, probe)
        elif word in C_OPERATORS:
            self.add("operator", begin, end, C_OPERATORS[word], probe)

    def unary(self, node, probe):
        word, at = node["opcode"], span(node)
        if at is None or word not in ("!", "-", "~", "++", "--"):
            return
        begin = at[1] - len(word) if node.get("isPostfix") else at[0]
        if self.text[begin : begin + len(word)] == word:
            self.add("operator", begin, begin + len(word), C_OPERATORS[word] if len(word) == 2 else "", probe)

    def number(self, node, probe):
        where = node["range"]["begin"]
        at = place(where, expanded=True)
        if at is None:
            return
        word = self.text[at[0] : at[0] + at[1]]
        other = {"true": "false", "false": "true"}.get(word)
        if other is None and "expansionLoc" not in where:
            other = next_number(word)
        if other:
            self.add("constant", at[0], at[0] + at[1], other, probe)

    def negate(self, begin, end, probe):
        self.add("condition", begin, end, f"!({self.text[begin:end]})", probe)

    def condition(self, node, probe):
        kind, inner = node["kind"], node.get("inner", [])
        begin = begin_of(node, expanded=False)
        if kind in ("IfStmt", "WhileStmt") and begin is not None:
            opened, closed = self.bare.find("(", begin), self.closing(begin)
            if closed:
                self.negate(opened + 1, closed - 1, probe)
            return
        index = {"DoStmt": 1, "ForStmt": 2, "ConditionalOperator": 0}.get(kind)
        at = span(inner[index]) if index is not None and index < len(inner) else None
        if at:
            self.negate(*at, probe)

    # ---- Statements ----

    def delete(self, node, probe, is_last):
        kind = node["kind"]
        wanted = (
            kind in DELETED
            or (kind == "BinaryOperator" and node.get("opcode") == "=")
            or (kind == "UnaryOperator" and node.get("opcode") in ("++", "--"))
            or (kind == "CStyleCastExpr" and node["inner"][0]["kind"] == "CallExpr")
            or (kind == "ReturnStmt" and not is_last)
        )
        begin = begin_of(node, expanded=False)
        end = begin is not None and wanted and self.semicolon(begin)
        if end:
            self.add("statement", begin, end, kept_breaks(self.text[begin:end], ";"), probe)

    def statement(self, node, is_last):
        """One that stands in braces, where a call can go before it."""
        while node.get("kind") in LABELS and node.get("inner"):
            node = node["inner"][-1]
        begin = begin_of(node)
        self.walk_statement(node, begin is not None and Probe(begin), is_last)

    def walk_statement(self, node, probe, is_last):
        if probe:
            self.delete(node, probe, is_last)
        self.walk(node, probe, is_last)

    def branch(self, node, probe):
        """What an if or a loop runs: a statement alone gets braces for its call."""
        if node.get("kind") in COMPOUND or not node.get("kind"):
            return self.walk(node, probe, False)
        begin = begin_of(node, expanded=False)
        end = begin is not None and self.semicolon(begin)
        self.walk_statement(node, Probe(begin, end) if end else probe, False)

    def walk(self, node, probe, is_last):
        kind, inner = node.get("kind"), node.get("inner", [])
        if kind == "CompoundStmt":
            for i, child in enumerate(inner):
                self.statement(child, is_last and i == len(inner) - 1)
            return
        if kind in ("BinaryOperator", "CompoundAssignOperator") and len(inner) == 2:
            self.binary(node, probe)
        elif kind == "UnaryOperator":
            self.unary(node, probe)
        elif kind in ("IntegerLiteral", "FloatingLiteral"):
            self.number(node, probe)
        elif kind in COMPOUND or kind == "ConditionalOperator":
            self.condition(node, probe)
        own = {"IfStmt": 1, "WhileStmt": 1, "ForStmt": 4, "DoStmt": 0}.get(kind)
        for i, child in enumerate(inner):
            is_branch = own is not None and (i >= own if kind != "DoStmt" else i == 0)
            self.branch(child, probe) if is_branch else self.walk(child, probe, False)


def mutants(copy, file, text, flags):
    reader = Reader(file, text)
    for node in tree(copy, file, flags)["inner"]:
        if node["kind"] != "FunctionDecl" or begin_of(node) is None:
            continue
        for child in node.get("inner", []):
            if child["kind"] == "CompoundStmt":
                reader.walk(child, None, True)
    return list(reader.found.values())


def with_probes(text, probes):
    """The text with `mutation_reached(N)` at each (N, Probe)."""
    inserted = []
    for number, probe in probes:
        call = f"mutation_reached({number});"
        if probe.end is None:
            inserted.append((probe.begin, 1, call))
        else:
            inserted += [(probe.begin, 0, "{" + call), (probe.end, 2, "}")]
    for at, _, what in sorted(inserted, reverse=True):
        text = text[:at] + what + text[at:]
    return "void mutation_reached(int);\n#line 1\n" + text
