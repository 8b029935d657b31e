#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random programs of frame with what pandas gives, as a Lua table.

Usage: make.py COUNT [SEED] > programs.lua

Each program: frames of random columns (integers, floats, bools, texts; values
missing; keys that come often, once or never; no rows at all), one operation,
pandas' result. The operation is written once as Lua and once as Python; a
result is its columns' names, types and values, and its rows' labels. run.lua
runs them.
"""
import random
import sys
import warnings

import numpy as np
import pandas as pd

warnings.simplefilter("ignore")
TYPES = {"int64": "i64", "float64": "f64", "bool": "bool", "str": "str",
         "object": "object"}


class Program:
    """One random program: what it does in Lua, and pandas' result."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.frames = []

    # ---- Data ----

    def values(self, kind, n):
        r = self.r
        missing = r.choice([0, 0, 0.2, 0.5]) if kind != "plain" else 0
        some = {
            "int": lambda: r.randint(-3, 3),
            "wide": lambda: r.randint(-10**12, 10**12),
            "plain": lambda: r.randint(0, 4),
            "float": lambda: r.choice([r.randint(-3, 3) / 2, r.gauss(0, 100)]),
            "bool": lambda: r.random() < 0.5,
            "text": lambda: r.choice(["a", "b", "B", "ab", "", "\u00e4", "zz"]),
        }[kind]
        return [None if r.random() < missing else some() for _ in range(n)]

    def frame(self, names, n=None):
        r = self.r
        n = r.choice([0, 1, 2, 5, 9, 20, 40]) if n is None else n
        data = {}
        for name in names:
            kind = r.choice(["int", "wide", "plain", "float", "bool", "text"])
            if name.startswith("k"):
                kind = r.choice(["int", "plain", "plain", "text", "text",
                                 "bool", "float"])
            data[name] = (kind, self.values(kind, n))
        return self.add(data)

    def add(self, data):
        columns = {}
        for name, (kind, values) in data.items():
            some = any(v is None for v in values)
            if kind == "bool" and some and all(v is None for v in values):
                kind = "float"
            if kind == "text":
                columns[name] = pd.Series(values, dtype="str")
            elif kind == "bool":
                columns[name] = pd.Series(
                    [np.nan if v is None else v for v in values],
                    dtype=object if some else bool)
            elif kind == "float" or some:
                columns[name] = pd.Series(values, dtype="float64")
            else:
                columns[name] = pd.Series(values, dtype="int64")
        df = pd.DataFrame(columns)
        self.frames.append(df)
        return df

    # ---- Operations: Lua's text and pandas' result ----

    def run(self):
        return self.r.choice([self.groups, self.groups, self.groups, self.merge,
                              self.merge, self.sort, self.mask, self.missing,
                              self.counts, self.concat, self.reduce, self.pivot,
                              self.arithmetic, self.describe])()

    def keys(self, df):
        keys = [c for c in df.columns if c.startswith("k")]
        return self.r.sample(keys, self.r.randint(1, len(keys)))

    def groups(self):
        r = self.r
        df = self.frame(["k1", "k2", "x", "y"])
        keys = self.keys(df)
        f = r.choice(["sum", "mean", "min", "max", "count", "std", "var",
                      "median", "first", "last", "nunique", "size"])
        lua = f"d1:groupby({names(keys)})"
        g = df.groupby(keys if len(keys) > 1 else keys[0])
        if f == "size":
            return lua + ":size()", g.size()
        of = ["x", "y"]
        if f in ("sum", "mean", "std", "var", "median"):
            of = [c for c in of if df[c].dtype != "str"
                  and df[c].dtype != object]
        if not of:
            return lua + ":size()", g.size()
        if r.random() < 0.5:
            return f'{lua}["{of[0]}"]:{f}()', getattr(g[of[0]], f)()
        if r.random() < 0.3 and f not in ("first", "last"):
            got = g[of[0]].agg([f, "count"]) if f != "count" else g[of[0]].agg(
                ["count"])
            wanted = [f, "count"] if f != "count" else ["count"]
            return f'{lua}["{of[0]}"]:agg{names(wanted)}', got
        return f"{lua}[{names(of)}]:{f}()", getattr(g[of], f)()

    def merge(self):
        r = self.r
        left = self.frame(["k1", "k2", "x"])
        right = self.frame(["k1", "k2", "y"])
        keys = [k for k in self.keys(left) if alike(left[k], right[k])]
        if not keys:
            return "d1:isna()", left.isna()
        how = r.choice(["inner", "left", "right", "outer"])
        return (f'd1:merge(d2, {{on = {names(keys)}, how = "{how}"}})',
                left.merge(right, on=keys, how=how))

    def sort(self):
        r = self.r
        df = self.frame(["k1", "k2", "x"])
        keys = self.keys(df)
        keys = [k for k in keys if df[k].dtype != object] or ["x"]
        if df[keys[0]].dtype == object:
            return "d1:tail(3)", df.tail(3)
        up = [r.random() < 0.5 for _ in keys]
        lua = ", ".join(str(u).lower() for u in up)
        return (f"d1:sort_values({names(keys)}, {{ascending = {{{lua}}}}})",
                df.sort_values(keys, ascending=up, kind="stable"))

    def mask(self):
        r = self.r
        df = self.frame(["x", "y", "k1"])
        name = r.choice(["x", "y"])
        c = df[name]
        op = r.choice(["eq", "ne", "lt", "le", "gt", "ge"])
        if c.dtype == "str":
            v, text = "ab", '"ab"'
        elif c.dtype == object or c.dtype == bool:
            return (f'd1[d1["{name}"]:notna()]', df[c.notna()])
        else:
            v, text = 0, "0"
        if r.random() < 0.3:
            n = r.randint(-3, 6)
            return (f'd1[d1["{name}"]:{op}({text})]:head({n})',
                    df[getattr(c, op)(v)].head(n))
        return f'd1[d1["{name}"]:{op}({text})]', df[getattr(c, op)(v)]

    def missing(self):
        r = self.r
        df = self.frame(["x", "y", "z"])
        what = r.choice(["isna", "notna", "any", "all", "subset", "count"])
        if what in ("isna", "notna", "count"):
            return f"d1:{what}()", getattr(df, what)()
        if what == "subset":
            return 'd1:dropna{subset = {"y"}}', df.dropna(subset=["y"])
        return f'd1:dropna{{how = "{what}"}}', df.dropna(how=what)

    def counts(self):
        r = self.r
        df = self.frame(["k1"])
        c = df["k1"]
        what = r.choice(["value_counts", "unique", "nunique", "keep", "part"])
        if what == "unique":
            return 'd1["k1"]:unique()', c.drop_duplicates().reset_index(
                drop=True)
        if what == "nunique":
            return "d1:nunique()", df.nunique()
        if what == "part":
            return ('d1["k1"]:value_counts{normalize = true}',
                    c.value_counts(normalize=True))
        if what == "keep":
            return ('d1["k1"]:value_counts{dropna = false, sort = false}',
                    c.value_counts(dropna=False, sort=False))
        return 'd1["k1"]:value_counts()', c.value_counts()

    def concat(self):
        r = self.r
        a = self.frame(["x", "y"])
        b = self.frame(r.choice([["x", "y"], ["y", "z"], ["y", "x"]]))
        for name in a.columns:
            if name in b.columns and not alike(a[name], b[name]):
                return "d2:notna()", b.notna()
        if not len(a) or not len(b):
            return "d1:isna()", a.isna()
        plain = r.random() < 0.5
        return (f"frame.concat({{d1, d2}}, {{ignore_index = {str(plain).lower()}}})",
                pd.concat([a, b], ignore_index=plain))

    def reduce(self):
        df = self.frame(["x", "y", "z"])
        of = [c for c in df.columns if df[c].dtype in ("int64", "float64")]
        if not of:
            return "d1:count()", df.count()
        f = self.r.choice(["sum", "mean", "min", "max", "std", "var", "median"])
        if f in ("min", "max") and not len(df):
            f = "sum"
        if self.r.random() < 0.3:
            return f'd1[{names(of)}]:{f}()', getattr(df[of], f)()
        return f'd1["{of[0]}"]:{f}()', getattr(df[of[0]], f)()

    def pivot(self):
        df = self.frame(["k1", "k2", "x"])
        if df["x"].dtype not in ("int64", "float64") or not len(df):
            return "d1:head(2)", df.head(2)
        f = self.r.choice(["sum", "mean", "max", "count"])
        got = df.pivot_table(index="k1", columns="k2", values="x", aggfunc=f)
        if not got.shape[1] or got.columns.dtype == "float64" \
                or f == "sum" and df["x"].isna().any():
            return "d1:count()", df.count()
        got.columns = [str(c) for c in got.columns]
        return (f'd1:pivot_table{{index = "k1", columns = "k2", values = "x",'
                f' aggfunc = "{f}"}}', got)

    def arithmetic(self):
        r = self.r
        df = self.frame(["x", "y"])
        for c in df.columns:
            if df[c].dtype not in ("int64", "float64"):
                return "d1:tail(-2)", df.tail(-2)
        op = r.choice(["+", "-", "*", "/", "//", "%"])
        x, y = df["x"], df["y"]
        if op in ("//", "%") and (y == 0).any():
            y = y.where(y != 0)
            return (f'd1["x"] {op} d1["y"]',
                    x // df["y"] if op == "//" else x % df["y"])
        got = {"+": x + y, "-": x - y, "*": x * y, "/": x / y, "//": x // y,
               "%": x % y}[op]
        return f'd1["x"] {op} d1["y"]', got

    def describe(self):
        df = self.frame(["x", "y", "z"])
        of = [c for c in df.columns if df[c].dtype in ("int64", "float64")]
        if not of:
            return "d1:notna()", df.notna()
        return "d1:describe()", df.describe()


def alike(a, b):
    def kind(c):
        return ("text" if c.dtype == "str" else "bool"
                if c.dtype in (bool, object) else "number")
    return kind(a) == kind(b)


# ---- Lua's words ----

def names(list_):
    return "{" + ", ".join(f'"{n}"' for n in list_) + "}"


def number(v):
    if v != v:
        return "N"
    if v in (float("inf"), float("-inf")):
        return "I" if v > 0 else "-I"
    return repr(float(v)) if isinstance(v, float) else str(int(v))


def value(v):
    if v is None or v is pd.NA or v != v:
        return "N"
    if isinstance(v, (bool, np.bool_)):
        return str(bool(v)).lower()
    if isinstance(v, str):
        return '"' + v.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(v, (int, np.integer)):
        return str(int(v))
    return number(float(v))


def column(c, name):
    kind = TYPES.get(str(c.dtype), str(c.dtype))
    values = ",".join(value(v) for v in c.tolist())
    return f'{{"{name}","{kind}",{{{values}}}}}'


def labels(index):
    if isinstance(index, pd.MultiIndex):
        return [pd.Series(index.get_level_values(i))
                for i in range(index.nlevels)]
    return [pd.Series(index)]


def write_frame(df):
    return "{" + ",".join(column(df[c], c) for c in df.columns) + "}"


def write_result(x):
    if isinstance(x, pd.DataFrame):
        columns, index = write_frame(x), x.index
    elif isinstance(x, pd.Series):
        columns, index = "{" + column(x, "") + "}", x.index
        columns += ",series=true"
    else:
        return value(x)
    rows = ",".join("{" + ",".join(value(v) for v in c.tolist()) + "}"
                    for c in labels(index))
    return f"{{columns={columns},labels={{{rows}}}}}"


def main():
    count = int(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    print(f"-- {count} programs, seed {seed}; pandas {pd.__version__}.")
    print("-- Written by tests/frame/make.py; do not edit.")
    print("local N, I = 0/0, math.huge")
    print("local programs = {}")
    print("local function p(t) programs[#programs + 1] = t end")
    for i in range(count):
        program = Program(seed * 1000003 + i)
        lua, got = program.run()
        frames = ",".join(write_frame(f) for f in program.frames)
        print(f"p{{seed={seed * 1000003 + i},lua=[==[{lua}]==],"
              f"frames={{{frames}}},want={write_result(got)}}}")
    print("return programs")


if __name__ == "__main__":
    main()
