# SPDX-License-Identifier: Apache-2.0
"""What a mutant is, and the one place where each kind of change is named."""
import dataclasses

KINDS = ("operator", "bound", "constant", "condition", "statement")

# What stands in an operator's place. Bounds move by one; the others mean another thing.
BOUNDS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
C_OPERATORS = {
    "==": "!=", "!=": "==", "+": "-", "-": "+", "*": "/", "/": "*", "%": "*",
    "&": "|", "|": "&", "^": "&", "<<": ">>", ">>": "<<", "&&": "||", "||": "&&",
    "+=": "-=", "-=": "+=", "*=": "+=", "/=": "*=", "|=": "&=", "&=": "|=",
    "^=": "|=", "<<=": ">>=", ">>=": "<<=", "++": "--", "--": "++",
}
LUA_OPERATORS = {
    "==": "~=", "~=": "==", "+": "-", "-": "+", "*": "/", "/": "*", "//": "*",
    "%": "*", "^": "*", "&": "|", "|": "&", "~": "&", "<<": ">>", ">>": "<<",
    "and": "or", "or": "and",
}


@dataclasses.dataclass(frozen=True)
class Probe:
    """Where a call goes that notes that the mutant's statement is reached: before
    `begin`, or, where `end` is given, in braces around the statement."""

    begin: int
    end: int | None = None


@dataclasses.dataclass(frozen=True)
class Mutant:
    """`file` with text[begin:end] replaced by `new`, which has as many line breaks."""

    file: str
    kind: str
    begin: int
    end: int
    new: str
    probe: Probe

    def apply(self, text):
        return text[: self.begin] + self.new + text[self.end :]

    def lines(self, text, more=0):
        """The lines that differ, before and after, with `more` lines around them."""
        first = text.rfind("\n", 0, self.begin) + 1
        last = text.find("\n", self.end)
        for _ in range(more):
            first = text.rfind("\n", 0, max(first - 1, 0)) + 1
            last = text.find("\n", last + 1)
        old = text[first:last]
        return old, old[: self.begin - first] + self.new + old[self.end - first :]

    def row(self, text):
        """What tests/mutate/*.txt say of it: the fewest lines that are there once."""
        for more in range(60):
            old, new = self.lines(text, more)
            if text.count(old) == 1:
                break
        return old, new

    def name(self, text):
        line = text.count("\n", 0, self.begin) + 1
        old = " ".join(text[self.begin : self.end].split())
        new = self.new.strip() or "(nothing)"
        return f"{self.file}:{line} {self.kind}: {old} -> {new}"


def kept_breaks(text, new=""):
    """`new` in place of `text`: later lines keep their numbers."""
    return new + "\n" * text.count("\n")


def next_number(word):
    """The constant in its place; None where there is none."""
    body = word.rstrip("uUlLfF") if not word.lower().startswith("0x") else word.rstrip("uUlL")
    suffix = word[len(body) :]
    try:
        number = int(body, 0) if not (len(body) > 1 and body[0] == "0" and body.isdigit()) else int(body, 8)
    except ValueError:
        try:
            number = float(body)
        except ValueError:
            return None
        return ("1.0" if number == 0 else repr(number * 2)) + suffix
    if number == 1:
        return "0" + suffix
    return (hex(number + 1) if body.lower().startswith("0x") else str(number + 1)) + suffix
