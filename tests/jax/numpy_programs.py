#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random programs of np, jnp and jax with what NumPy and JAX make of them.

  numpy_programs.py --seed S --count N > programs.jsonl

One line a program: its Lua text, its inputs, the values, types and weak types
wanted with how far each element may be off, or the error that was raised.
numpy_programs.lua compares."""
import argparse
import json
import random
import re
import warnings

import numpy_rows as rows
from numpy_terms import Form, Var, bounds, dtype_of, jax, jnp, leaves, np, pack

warnings.simplefilter("ignore")
INTS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
SHAPES = ((), (0,), (1,), (3,), (4,), (7,), (2, 3), (3, 4), (3, 3), (1, 4),
          (3, 1), (0, 3), (2, 1, 3), (2, 3, 4))
# Fewer where each shape is compiled.
JAX_SHAPES = ((), (0,), (3,), (4,), (2, 3), (3, 3), (2, 3, 4))


class Refused(Exception):
    """The program as drawn raises an error; node is it."""

    def __init__(self, node, error):
        self.node, self.error = node, error


class Unfit(Exception):
    """Not a program that both languages can say."""


class Draw:
    def __init__(self, seed, xp):
        self.r, self.xp = random.Random(seed), xp
        self.inputs = {}
        self.is_exact = True

    def chance(self, p):
        return self.r.random() < p

    def pick(self, things):
        return self.r.choice(list(things))

    # ---- Inputs ----

    def numbers(self, dtype, n):
        r = self.r
        if dtype == "bool":
            return [r.random() < 0.5 for _ in range(n)]
        if dtype in INTS:
            info = np.iinfo(dtype_of(dtype))
            low = max(info.min, -10)
            list_ = [r.randint(low, 10) for _ in range(n)]
            if r.random() < 0.15 and n:
                list_[r.randrange(n)] = r.choice((info.min, info.max))
            return list_
        list_ = [r.randint(-64, 64) / 16 for _ in range(n)]
        if r.random() < 0.3:
            list_ = [v + r.random() for v in list_]
        if r.random() < 0.15 and n:
            list_[r.randrange(n)] = r.choice(
                (np.nan, np.inf, -np.inf, -0.0, 1e4, -0.0, 1e-3))
        return list_

    def array(self, kind="A", shape=None, dtype=None):
        """kind: A any, F floats, I integers, B masks, N no masks, P positive."""
        if dtype is None:
            floats = ("f32", "f32", "f32", "f16", "f64") + (
                ("bf16", "f32") if self.xp == "jnp" else ("f64", "f64"))
            pools = {"F": floats, "P": floats, "I": INTS + ("i32", "i64"),
                     "B": ("bool",), "N": floats + floats + INTS,
                     "A": floats + floats + INTS + ("bool",),
                     "S": ("f32",) if self.xp == "jnp" else ("f32", "f64")}
            dtype = self.pick(pools[kind])
        shape = shape if shape is not None else self.pick(
            SHAPES if self.xp == "np" else JAX_SHAPES)
        n = int(np.prod(shape))
        list_ = self.numbers(dtype, n)
        if kind == "P":
            list_ = [abs(v) + 0.25 for v in list_]
        if kind == "S":  # for derivatives: tame
            list_ = [self.r.randint(1, 40) / 16 * self.r.choice((-1, 1)) +
                     self.r.random() / 8 for v in list_]
        v = np.array(list_, dtype_of(dtype)).reshape(shape)
        name = "abcdefghpqstuvw"[len(self.inputs)]
        value = v if self.xp == "np" else jnp.asarray(v)
        self.inputs[name] = v
        node = Var(name, value)
        node.value = value
        return self.viewed(node) if self.chance(0.15) else node

    def viewed(self, x):
        n = x.value.ndim
        if n == 0:
            return x
        text = self.pick(("::-1", "1:", ":-1", "::2", "::-2"))
        if n > 1 and self.chance(0.5):
            if self.chance(0.5):
                return self.settle(Form("%s.T", lambda v: v.T, x))
            text = ":, " + text
        return self.settle(Form("%%s['%s']" % text,
                                lambda v: v[index(text)], x))

    def near(self, x):
        """An array that meets x: of its shape, or that broadcasts, or a number."""
        r, shape = self.r.random(), np.shape(x.value)
        t = str(x.value.dtype)
        kind = ("I" if "int" in t else "B" if t == "bool" else "F")
        if r < 0.25:
            return self.number(x)
        if r < 0.35:
            return self.array("A", shape)
        if r < 0.75:
            same = rows.SHORT.get(t)
            return self.array(kind, shape, same)
        if r < 0.9 and len(shape) > 0:
            cut = self.pick((shape[1:], (1,) + tuple(shape)[1:],
                             tuple(shape)[:-1] + (1,)))
            return self.array(kind, cut, rows.SHORT.get(t))
        return self.array(kind)

    def number(self, x=None):
        r = self.r
        return self.pick((r.randint(-5, 9), r.randint(-5, 9), 2, 0, 1,
                          r.randint(-30, 30) / 8, 0.5, 2.5,
                          self.pick((True, 300, -1, 1e10, 70000, -3))))

    # ---- Programs ----

    def settle(self, node):
        """Gives a node its value; what is refused or cannot be said ends it."""
        if getattr(node, "units", 0) or getattr(node, "back", 0):
            self.is_exact = False
        env = dict(self.values())
        if rows.kills_jax(node):
            raise Unfit(node.lua())
        try:
            with np.errstate(all="ignore"):
                node.value = node.run(env, None)
        except Unfit:
            raise
        except Exception as e:
            raise Refused(node, e) from None
        if rows.is_each_machines_own(node):
            raise Unfit(node.lua())
        for x in leaves(node.value):
            if str(x.dtype) not in rows.SHORT or x.size > 600:
                raise Unfit(str(x.dtype))
        if isinstance(node.value, (bool, int, float)):
            node.value = np.asarray(node.value)
        return node

    def values(self):
        return {k: v if self.xp == "np" else jnp.asarray(v)
                for k, v in self.inputs.items()}

    def term(self, kind, depth):
        """An array of this kind: an input, or an operation that gives one."""
        if depth > 0 and self.chance(0.6):
            smooth = kind == "S"
            x = self.operation(depth - 1, smooth=smooth, inner=True)
            if hasattr(x.value, "dtype") and fits(kind, x.value) and \
               (self.xp == "jnp" or np.ndim(x.value)):  # Lua's numbers else
                return x
        return self.array(kind)

    def operation(self, depth, smooth=False, inner=False):
        row = self.pick_row(smooth, inner)
        node = row.draw(self, self.xp, depth, smooth)
        return self.settle(node)

    def pick_row(self, smooth, inner):
        while True:
            row = self.r.choice(rows.ROWS)
            if self.xp in row.where and (not smooth or row.smooth) and \
               (not inner or not row.root):
                return row

    def transformation(self):
        depth = self.r.randint(1, 3)
        body = self.operation(depth, smooth=True)
        inputs = [Var(k, jnp.asarray(v)) for k, v in self.inputs.items()
                  if str(v.dtype) == "float32"]
        if not inputs or not hasattr(body.value, "dtype"):
            raise Unfit("no floats")
        self.is_exact = False
        return self.settle(rows.transformed(self, body, inputs))


def index(text):
    return eval("np.s_[%s]" % text, {"np": np})


def fits(kind, v):
    t = str(v.dtype)
    return kind == "A" or kind == "N" and t != "bool" or \
        kind in "FP" and rows.is_float(t) and kind != "P" or \
        kind == "S" and t == "float32" or \
        kind == "I" and "int" in t or kind == "B" and t == "bool"


# ---- Lines ----

def line(seed, family):
    xp = "np" if family in ("np", "rng") else "jnp"
    d = Draw(seed, xp)
    try:
        if family == "transform":
            node = d.transformation()
        elif family in ("rng", "random"):
            node = d.settle(rows.randoms(d, family))
        else:
            node = d.operation(d.pick((0, 0, 1, 1, 2)))
    except Refused as e:
        if not rows.is_refusal(e.error) or d.chance(0.4):
            return None
        return {"lua": e.node.lua(), "args": inputs_of(d, e.node),
                "raises": type(e.error).__name__}
    except (Unfit, RecursionError):
        return None
    want = leaves(node.value)
    row = {"lua": node.lua(), "args": inputs_of(d, node)}
    with np.errstate(all="ignore"):
        off = bounds(node, d.values(), want, d.is_exact)
    row["want"] = [pack(np.asarray(x)) for x in want]
    row["off"] = off
    if xp == "jnp":
        row["weak"] = [bool(getattr(x, "weak_type", False)) and
                       str(x.dtype) != "bool" for x in want]
    return row


def inputs_of(d, node):
    used = set(re.findall(r"\b[a-w]\b", node.lua()))
    return {k: pack(v) for k, v in d.inputs.items() if k in used}


FAMILIES = ("np",) * 12 + ("jnp",) * 4 + ("rng", "transform", "random")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--count", type=int, default=1000)
    p.add_argument("--family")
    p.add_argument("--x64", action="store_true")
    a = p.parse_args()
    jax.config.update("jax_enable_x64", a.x64)
    print(json.dumps({"made_by": "numpy %s, jax %s" %
                      (np.__version__, jax.__version__), "seed": a.seed, "x64": a.x64}))
    made, n = 0, 0
    while made < a.count:
        n += 1
        family = a.family or random.Random("%d/%d" % (a.seed, n)).choice(FAMILIES)
        row = line("%d.%d" % (a.seed, n), family)
        if row is None or len(json.dumps(row)) > 60000:
            continue
        made += 1
        print(json.dumps({"id": "%d.%d" % (a.seed, n), "family": family, **row},
                         separators=(",", ":")))


if __name__ == "__main__":
    main()
