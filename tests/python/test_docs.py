# SPDX-License-Identifier: Apache-2.0
"""docs/python.md: every example in it gives what it says."""

import doctest
import io
import os
import re
import sys

from tap import needs, run

HERE = os.path.dirname(os.path.abspath(__file__))


def blocks(word):
    """The examples of the fences that begin with ```python and the word, and how many
    fences of Python there are."""
    with open(os.path.join(HERE, "../../docs/python.md"), encoding="utf-8") as f:
        text = f.read()
    found = re.findall(r"^```(python.*?)\n(.*?)^```$", text, re.M | re.S)
    return "\n".join(body for name, body in found if name == word), len(found)


def check(text, names):
    """Runs the examples in order."""
    test = doctest.DocTestParser().get_doctest(text, names, "docs/python.md", None, 0)
    assert test.examples
    said = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    runner.run(test, out=said.write)
    assert runner.failures == 0, said.getvalue()


def test_examples():
    """the examples that need no library"""
    check(blocks("python")[0], {})


def test_examples_with_numpy():
    """those with NumPy"""
    needs("numpy")
    check(blocks("python numpy")[0], {"ws": __import__("warpshop")})


def test_examples_with_pandas():
    """those with pandas"""
    needs("pandas")
    needs("pyarrow")
    ws = __import__("warpshop")
    f = ws.frame({"name": ["Bob", "Alice", "Bob"], "balance": [30, 120, 5]})
    check(blocks("python pandas")[0], {"ws": ws, "f": f})


def test_all_are_run():
    """no block is left out"""
    with_numpy = blocks("python numpy")[0].count(">>>")
    with_pandas = blocks("python pandas")[0].count(">>>")
    assert blocks("python")[1] == 6 and with_numpy > 5 and with_pandas == 4


if __name__ == "__main__":
    sys.exit(run(sys.modules[__name__]))
