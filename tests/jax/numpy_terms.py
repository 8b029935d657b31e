# SPDX-License-Identifier: Apache-2.0
"""Programs as trees: their Lua text, their value by NumPy or JAX, and how far
the value may move when every inexact operation is off by its own error."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "fixtures", "jax"))
from cases import DTYPES, FLOATS, SHORT, dtype_of, jax, jnp, np, pack  # noqa

RUNS = 4  # with other noise each

# The last place of each float type, relative to the value.
EPS = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23,
       "float64": 2.0**-52}


class Node:
    """value: what it is with the inputs, as numpy or jax gives it."""
    value = None


class Var(Node):
    def __init__(self, name, value):
        self.name, self.value = name, value

    def lua(self):
        return self.name

    def run(self, env, noise):
        return env[self.name]


class Text(Node):
    """A constant that both languages name: np.inf."""

    def __init__(self, text, value):
        self.text, self.value = text, value

    def lua(self):
        return self.text

    def run(self, env, noise):
        return self.value


def literal(v):
    """Lua's text of a Python value or a tree."""
    if isinstance(v, Node):
        return v.lua()
    if v is None:
        return "nil"
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, str):
        return "'%s'" % v
    if isinstance(v, (tuple, list)):
        return "{" + ", ".join(literal(x) for x in v) + "}"
    if isinstance(v, float) and v != v:
        return "(0/0)"
    if isinstance(v, float) and v in (float("inf"), float("-inf")):
        return "math.huge" if v > 0 else "-math.huge"
    return "(%r)" % v if v < 0 else repr(v)


def run(v, env, noise):
    if isinstance(v, Node):
        return v.run(env, noise)
    if isinstance(v, list):
        return [run(x, env, noise) for x in v]
    if isinstance(v, tuple):
        return tuple(run(x, env, noise) for x in v)
    return v


class Noise:
    """Moves floats by `units` of their last place, at random."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def moved(self, x, units, by_largest=False):
        if isinstance(x, float):  # a generator's single number
            x = np.float64(x)
        t = str(getattr(x, "dtype", ""))
        if not units or t not in EPS:
            return x
        sign = self.random.choice([-1.0, 1.0], size=np.shape(x))
        if isinstance(x, (np.ndarray, np.generic)):
            wide = np.asarray(x, np.float64)
            size = np.max(np.abs(wide), initial=0) if by_largest else wide
            return (wide + size * units * EPS[t] * sign).astype(x.dtype)
        if not isinstance(x, jax.core.Tracer):  # without compiling anything
            return x if x.weak_type else jnp.asarray(
                self.moved(np.asarray(x), units, by_largest))
        return x + x * jnp.asarray(sign * units * EPS[t]).astype(x.dtype)


def common_type(values):
    """np's arrays of two types meet as in JAX (docs/np.md)."""
    types = {str(v.dtype) for v in values if hasattr(v, "dtype")}
    if len(types) < 2:
        return None
    with jax.enable_x64(True):
        return np.dtype(jnp.promote_types(*types) if len(types) == 2 else
                        jnp.result_type(*[jnp.dtype(t) for t in types]))


def meet(args):
    flat = [x for a in args for x in (a if isinstance(a, (list, tuple)) else [a])]
    t = common_type(flat)
    if t is None:
        return args

    def cast(x):
        return x.astype(t) if hasattr(x, "dtype") else x
    return [type(a)(cast(x) for x in a) if isinstance(a, (list, tuple))
            else cast(a) for a in args]


class Call(Node):
    """A function by its path ("np.linalg.norm"), arguments and options.

    style: how Lua writes it: "function", "method" or an operator; `place` of the
    options stand in their places. f: what Python calls where that is another thing.
    units: the error of one operation, in last places, of the result (of its largest
    element) and, with `back`, of what goes in."""

    def __init__(self, path, args, options=None, style="function", f=None,
                 units=0, back=0, meets=False, place=0,
                 by_largest=False):
        self.path, self.args, self.options = path, args, options or {}
        self.style, self.f, self.units, self.back = style, f, units, back
        self.meets, self.place = meets, place
        self.by_largest = by_largest

    def lua(self):
        args = [literal(a) for a in self.args]
        options = {k: literal(v) for k, v in self.options.items()}
        keys = list(options)
        for k in keys[:self.place]:  # options that stand in their place
            args.append(options.pop(k))
        if options:
            args.append("{" + ", ".join("%s = %s" % p for p in
                                        options.items()) + "}")
        path = self.path.replace(".repeat", ".repeat_")  # Lua's own word
        if self.style == "method":
            return "%s:%s(%s)" % (args[0], path.split(".")[-1],
                                  ", ".join(args[1:]))
        if self.style != "function":
            return "(%s %s %s)" % (args[0], self.style, args[1])
        return "%s(%s)" % (path, ", ".join(args))

    def run(self, env, noise):
        args = [run(a, env, noise) for a in self.args]
        options = {k: run(v, env, noise) for k, v in self.options.items()}
        if self.meets and self.path.startswith("np."):
            n = 1 if self.path == "np.where" else 0  # the condition
            args = args[:n] + meet(args[n:])
        if noise and self.back and options.get("dtype") == "float16":
            args = [a.astype("float16") if is_wide_float(a) else a for a in args]
        if noise and self.back:
            args = [[noise.moved(x, self.back) for x in a]
                    if isinstance(a, list) else noise.moved(a, self.back)
                    for a in args]
        f = self.f or find(self.path)
        out = f(*args, **options)
        if noise and self.units:
            out = jax.tree.map(lambda x: noise.moved(x, self.units,
                                                     self.by_largest), out)
        return out


def is_wide_float(a):
    return str(getattr(a, "dtype", "")) in ("float32", "float64")


def find(path):
    space = {"np": np, "jnp": jnp, "jax": jax, "lax": jax.lax, "nn": jax.nn}
    parts = path.split(".")
    x = space[parts[0]]
    for p in parts[1:]:
        x = getattr(x, p)
    return x


class Form(Node):
    """Lua's text with %s for each part, and Python's function of the parts."""

    def __init__(self, lua, f, *parts, units=0, back=0):
        self.text, self.f, self.parts = lua, f, parts
        self.units, self.back = units, back

    def lua(self):
        return self.text % tuple(literal(p) for p in self.parts)

    def run(self, env, noise):
        args = [run(p, env, noise) for p in self.parts]
        if noise and self.back:
            args = [noise.moved(a, self.back) for a in args]
        out = self.f(*args)
        if noise and self.units:
            out = jax.tree.map(lambda x: noise.moved(x, self.units), out)
        return out


class Transformed(Node):
    """A function of the inputs, by their own names, within `wrap`: Lua's text with
    {f} for the function, {x} for the names, {e[0]} for what else goes in.
    f(function, inputs, *extra) is Python's."""

    def __init__(self, wrap, f, body, inputs, extra=()):
        self.wrap, self.f, self.body = wrap, f, body
        self.inputs, self.extra = inputs, extra

    def lua(self):
        names = ", ".join(v.name for v in self.inputs)
        text = "function(%s) return %s end" % (names, self.body.lua())
        return self.wrap.format(f=text, x=names,
                                e=[literal(e) for e in self.extra])

    def run(self, env, noise):
        def function(*args):
            inner = dict(env)
            inner.update(zip([v.name for v in self.inputs], args))
            out = self.body.run(inner, noise)  # which `wrap` sums
            return noise.moved(out, 4) if noise else out
        return self.f(function, [env[v.name] for v in self.inputs],
                      *[run(e, env, noise) for e in self.extra])


# ---- Bounds ----

def leaves(out):
    return [x if hasattr(x, "dtype") and hasattr(x, "shape") else np.asarray(x)
            for x in jax.tree.leaves(out)]


def wide(x):
    return np.asarray(x).astype(np.float64)


def bounds(node, env, want, is_exact):
    """For each result how far each element may be off: None where it must be
    equal, "unstable" where the last place of an operation decides it."""
    if is_exact or not want:
        return [None] * len(want)
    runs = []
    for k in range(RUNS):
        try:
            runs.append(leaves(node.run(env, Noise(k))))
        except Exception:  # the last place decides whether it is allowed
            return ["unstable"] * len(want)
    out = []
    for i, w in enumerate(want):
        t = str(w.dtype)
        if any(len(r) != len(want) or r[i].shape != w.shape for r in runs):
            return ["unstable"] * len(want)
        a, rest = wide(w), [wide(r[i]) for r in runs]
        finite = np.isfinite(a)
        if any((np.isfinite(r) != finite).any() or
               (t not in EPS and (r != a).any()) or
               (a[~finite & ~np.isnan(a)] != r[~finite & ~np.isnan(a)]).any()
               for r in rest):
            out.append("unstable")
        elif t not in EPS:
            out.append(None)
        else:
            off = np.max([np.abs(r - a) for r in rest], axis=0)
            tiny = 1e-37 if t in ("float32", "bfloat16") else 1e-300
            off = 4 * off + 2 * EPS[t] * np.abs(a) + tiny
            if t == "float16":
                off += 2.0**-24
            out.append([float(v) if np.isfinite(v) else 0.0
                        for v in off.reshape(-1)])
    return out
