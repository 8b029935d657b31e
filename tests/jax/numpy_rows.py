# SPDX-License-Identifier: Apache-2.0
"""The operations that numpy_programs.py draws: what they take, which options,
and how far one of them may be off (`units` and `back`: numpy_terms.Call)."""
from numpy_terms import (Call, EPS, FLOATS, Form, Node, SHORT, Text, Transformed,
                         Var, jax, jnp, np, wide)

BOTH = ("np", "jnp")
TYPES = ("float32", "float64", "int32", "int64", "int8", "uint8", "float16", "bool")


def is_float(t):
    return str(t) in EPS


def is_refusal(e):
    """An error of the library about its arguments, not one of the reference."""
    return isinstance(e, (TypeError, ValueError, IndexError, OverflowError,
                          ZeroDivisionError, np.exceptions.AxisError,
                          np.linalg.LinAlgError, NotImplementedError))


def is_each_machines_own(node):
    """Whether the processor decides: 1 / 0 of integers, the sign of NaN, floats
    out of an integer's range."""
    name = node.path.split(".")[-1] if isinstance(node, Call) else ""
    values = [np.asarray(a.value) for a in getattr(node, "args", ())
              if isinstance(a, Node) and hasattr(a.value, "dtype")]
    if name == "reciprocal":
        return values[0].dtype.kind in "iu" and (values[0] == 0).any()
    if name in ("signbit", "copysign"):
        return any(np.isnan(wide(v)).any() for v in values)
    if name == "full_like" and "dtype" not in node.options:
        v = node.args[1]
        if values[0].dtype.kind not in "iu" or not isinstance(v, float):
            return False
        info = np.iinfo(values[0].dtype)
        return not info.min <= v <= info.max
    return False


def kills_jax(node):
    """XLA divides 0 by 0 of integers while it compiles, and the process ends."""
    return isinstance(node, Call) and node.path == "jnp.mean" and \
        np.size(node.args[0].value) == 0 and \
        np.dtype(node.options.get("dtype", "float32")).kind in "iu"


# ---- Options ----

def axis_of(d, v):
    n = np.ndim(v)
    if d.chance(0.06):
        return n + d.r.randint(0, 1) if d.chance(0.5) else -n - 1
    return d.r.randint(-n, n - 1) if n else None


def axes_of(d, v):
    n = np.ndim(v)
    if n > 1 and d.chance(0.3):
        axes = d.r.sample(range(n), d.r.randint(1, n))
        if d.chance(0.05):
            axes = [0, 0]
        return tuple(a - n if d.chance(0.3) else a for a in axes)
    return axis_of(d, v)


def mask_of(d, v):
    shape = np.shape(v)
    if d.chance(0.3) and shape:
        shape = shape[1:] if d.chance(0.5) else (1,) * len(shape)
    if d.chance(0.06):
        return d.array("I", shape)
    return d.array("B", shape)


def type_for(d, v):
    """A type; of integers one that holds v, since what becomes of other floats
    is each machine's own in NumPy (docs/np.md says what here)."""
    t = d.pick(TYPES)
    if d.xp == "np" and np.dtype(t).kind in "iu" and np.size(v) and \
       np.asarray(v).dtype.kind == "f":
        info = np.iinfo(t)
        v = np.asarray(v, np.float64)
        if not (np.isfinite(v).all() and v.min() >= max(info.min, -2.0**31) and
                v.max() <= min(info.max, 2.0**31 - 1)):
            return "float32"
    return t


OPTIONS = {
    "axis": axis_of,
    "axes": axes_of,
    "keepdims": lambda d, v: d.chance(0.8),
    "dtype": lambda d, v: type_for(d, v),
    "initial": lambda d, v: d.pick((0, 1, 2.5, -3, 100)),
    "where": mask_of,
    "ddof": lambda d, v: d.pick((0, 1, 1, 2)),
    "correction": lambda d, v: d.pick((0, 1)),
    "k": lambda d, v: d.r.randint(-3, 3),
    "offset": lambda d, v: d.r.randint(-2, 2),
    "n": lambda d, v: d.r.randint(0, 3),
    "decimals": lambda d, v: d.r.randint(-1, 3),
    "method": lambda d, v: d.pick(("linear", "lower", "higher", "nearest",
                                   "midpoint")),
    "side": lambda d, v: d.pick(("left", "right")),
    "stable": lambda d, v: True,
    "descending": lambda d, v: d.chance(0.7),
    "return_counts": lambda d, v: True,
    "return_inverse": lambda d, v: True,
    "nan": lambda d, v: d.pick((1.5, -2.0)),
    "posinf": lambda d, v: 7.0,
    "dx": lambda d, v: d.pick((0.5, 2.0)),
    "fill": lambda d, v: d.pick((0, 1, 2.5)),
    "density": lambda d, v: True,
    "bins": lambda d, v: d.r.randint(1, 5),
    "rowvar": lambda d, v: d.chance(0.5),
    "invert": lambda d, v: True,
    "ord": lambda d, v: d.pick((1, 2, Text("np.inf", np.inf), 0, 3)),
    "num": lambda d, v: d.r.randint(0, 6),
    "endpoint": lambda d, v: d.chance(0.5),
    "unpacked": lambda d, v: d.pick(TYPES),
    "keys": lambda d, v: None,
}
# How Python names an option where its kind above is called otherwise.
NAMED = {"axes": "axis"}
# Functions with another argument before the axis.
AXIS_LATER = ("diff", "trapezoid", "linalg.norm")
ROWS = []


class Row:
    def __init__(self, name, takes, options, where, units, back, smooth, root,
                 meets, sign, method, by_largest):
        self.name, self.takes, self.options = name, takes, options
        self.where, self.units, self.back = where, units, back
        self.smooth, self.root, self.meets = smooth, root, meets
        self.sign, self.method = sign, method
        self.by_largest = by_largest

    def draw(self, d, xp, depth, smooth):
        args = []
        for kind in self.takes:
            args.append(argument(d, kind, args, depth, smooth))
        options = {}
        if not smooth or d.chance(0.5):
            for o in self.options:
                if smooth and o in ("dtype", "initial", "where", "ddof"):
                    continue
                if d.chance(0.35 if o in ("axis", "axes") else 0.2):
                    first = args[0]
                    v = OPTIONS[o](d, first.value if isinstance(first, Node)
                                   else [x for x in args if np.ndim(x) == 0])
                    if v is not None:
                        options[NAMED.get(o, o)] = v
        style, place = "function", 0
        if self.sign and d.chance(0.5) and any(
                isinstance(a, Node) for a in args):
            style = self.sign
        elif self.method and isinstance(args[0], Node) and d.chance(0.25):
            style = "method"
        elif "axis" == next(iter(options), None) and d.chance(0.4) and \
                self.name not in AXIS_LATER:
            place = 1
        return Call("%s.%s" % (xp, self.name), args, options, style,
                    units=self.units, back=self.back, meets=self.meets,
                    place=place,
                    by_largest=self.by_largest)


def argument(d, kind, args, depth, smooth):
    if kind == "~":  # meets the first
        if smooth:
            return d.number() if d.chance(0.2) else d.array(
                "S", np.shape(args[0].value))
        return d.near(args[0])
    if kind in "AFINBPS":
        return d.term("S" if smooth else kind, depth)
    return SPECIAL[kind](d, args, depth, smooth)


def shape_for(d, args, depth, smooth):
    n = int(np.size(args[0].value))
    ways = [(n,), (1, n), (n, 1), (-1,), (-1, 1)]
    ways += [(k, n // k) for k in (2, 3, 4) if n and n % k == 0]
    ways += [(-1, 3)] if n % 3 == 0 else []
    return d.pick(ways + [(n + 1,)] * d.chance(0.1))


def order_for(d, args, depth, smooth):
    n = np.ndim(args[0].value)
    axes = list(range(n))
    d.r.shuffle(axes)
    return tuple(a - n if d.chance(0.2) else a for a in axes) or None


def product_for(d, args, depth, smooth):
    """A second factor that fits the first, mostly."""
    a = args[0].value
    t = SHORT[str(a.dtype)] if not smooth else "f32"
    kind = "S" if smooth else "A"
    shape = np.shape(a)
    if not shape:
        return d.array(kind, (), t)
    n = shape[-1]
    if d.chance(0.07):
        n += 1
    return d.array(kind, d.pick(((n,), (n, 2), (n, 3))),
                   t if smooth or d.chance(0.8) else None)


def same_for(d, args, depth, smooth):
    a = args[0].value
    return d.array("S" if smooth else "A", np.shape(a),
                   "f32" if smooth else SHORT[str(a.dtype)])


def vector(d, args, depth, smooth):
    t = SHORT[str(args[0].value.dtype)] if args and isinstance(
        args[0], Node) else None
    return d.array("S" if smooth else "N", d.pick(((1,), (3,), (4,), (7,))),
                   "f32" if smooth else t)


def polynomial(d, args, depth, smooth):
    """Of np no narrow floats, which NumPy widens beside integers."""
    if d.xp == "np":
        return d.array("N", d.pick(((1,), (3,), (4,), (7,))),
                       d.pick(("f64", "f64", "i8", "i32", "i64", "u8", "i16")))
    return vector(d, args, depth, smooth)


def integers(d, args, depth, smooth):
    v = args[0].value
    n = max(1, np.shape(v)[0] if np.ndim(v) else 1)
    shape = d.pick(((), (3,), (2, 2), (0,)))
    name = "abcdefghpqstuvw"[len(d.inputs)]
    values = [d.r.randint(-n, n - 1) for _ in range(int(np.prod(shape)))]
    if d.chance(0.08) and values and d.xp == "np":
        values[0] = n + 2
    v = np.array(values, d.pick(("int32", "int64"))).reshape(shape)
    d.inputs[name] = v
    node = Var(name, v)
    node.value = v if d.xp == "np" else jnp.asarray(v)
    return node


def cube(d, args, depth, smooth):
    n = d.pick((1, 2, 3, 3))
    x = d.array("S", d.pick(((n, n), (n, n), (2, n, n))))
    while np.shape(x.value)[-2:] != (n, n):  # a view of it
        x = d.array("S", (n, n))
    return d.settle(Form("(%s + " + d.xp + ".eye(%s, {dtype = 'float32'}) * 9)"
                         if d.xp == "jnp" else "(%s + np.eye(%s):astype('" +
                         SHORT[str(x.value.dtype)] + "') * 9)", lambda a, k:
                         a + np.eye(k).astype(a.dtype) * 9, x, n))


def sorted_vector(d, args, depth, smooth):
    x = d.array("F", d.pick(((1,), (3,), (7,))), "f32")
    return d.settle(Form(d.xp + ".sort(%s)", lambda a: np.sort(a) if d.xp == "np"
                         else jnp.sort(a), x))


def several(*numbers):
    """A table, which is an array here; JAX takes no lists."""
    return Text("{%s}" % ", ".join(map(repr, numbers)), np.array(numbers))


SPECIAL = {
    "s": shape_for, "o": order_for, "p": product_for, "=": same_for, "v": vector,
    "V": polynomial,
    "i": integers, "c": cube, "w": sorted_vector,
    "#": lambda d, *_: d.number(),
    "k": lambda d, *_: d.r.randint(-4, 4),
    "n": lambda d, *_: d.r.randint(0, 4),
    "x": lambda d, a, *_: axis_of(d, a[0].value) or 0,
    "q": lambda d, *_: d.pick((0.0, 0.25, 0.5, 0.3, 1.0, several(0.1, 0.9))),
    "%": lambda d, *_: d.pick((0, 25, 50, 33.0, 100, several(10, 90))),
    "t": lambda d, a, *_: type_for(d, a[0].value if a and isinstance(
        a[0], Node) else 0),
    "h": lambda d, *_: d.pick(((), (3,), (2, 3), (0, 2), (4,))),
    "b": lambda d, a, *_: (2,) + np.shape(a[0].value)
    if d.chance(0.9) else (5, 5, 5),
    "r": lambda d, a, *_: d.pick((2, (2,), (1, 2), (2, 1, 2))),
    "u": lambda d, a, *_: tuple((d.r.randint(0, 2), d.r.randint(0, 2))
                                for _ in np.shape(a[0].value)) or 1,
    "l": lambda d, a, depth, smooth: [
        d.array("S" if smooth else "A", d.pick(((2, 3),) * 5 + ((1, 3),)),
                "f32" if smooth else d.pick(("f32", "f32", "i32", "f16")))
        for _ in range(d.r.randint(1, 3))],
    "m": lambda d, a, *_: d.array("B", np.shape(a[0].value)),
    "M": lambda d, a, *_: d.term("B", 1),
}


def row(names, takes="A", options="", where=BOTH, units=0, back=0, smooth=False,
        root=False, meets=False, sign=None, method=False,
        by_largest=False):
    for name in names.split():
        ROWS.append(Row(name, takes, options.split(), where, units, back, smooth,
                        root, meets, sign, method, by_largest))


def method(*a, **k):
    row(*a, method=True, **k)


NEAR = {"units": 6}
SUMS = {"units": 2, "back": 4}

# ---- Elementwise ----
# tanh's derivative, 1 - y^2, loses all digits of y where y is near 1.
row("tanh", "F", **NEAR)
row("sin cos exp arctan expm1 sinh cosh arcsinh", "F", smooth=True, **NEAR)
row("sin cos tan exp exp2 log log2 log10 log1p sqrt cbrt arcsin arccos arccosh "
    "arctanh reciprocal deg2rad rad2deg radians degrees", "N", **NEAR)
row("sinc", "N", units=6, back=8)  # pi x is rounded before its sine
row("log sqrt cbrt log1p", "P", **NEAR)
row("negative positive absolute abs sign square", "N")
row("negative square absolute", "A", smooth=True)
row("fabs floor ceil trunc rint isnan isinf isfinite signbit isposinf isneginf "
    "fix", "A")
row("logical_not invert bitwise_count bitwise_not", "A")
row("nan_to_num", "F", "nan posinf")
method("round", "N", "decimals", units=1)
row("add subtract multiply", "A~", meets=True, smooth=True)
for name, sign in (("add", "+"), ("subtract", "-"), ("multiply", "*")):
    row(name, "A~", meets=True, sign=sign, smooth=True)
for name, sign in (("divide", "/"), ("floor_divide", "//"), ("remainder", "%")):
    row(name, "A~", meets=True, sign=sign, where=("np",))
    # By a number JAX may multiply with what is one over it.
    row(name, "A~", meets=True, sign=sign, where=("jnp",),
        units=1 if name == "divide" else 0)
for name, sign in (("bitwise_and", "&"), ("bitwise_or", "|"),
                   ("bitwise_xor", "~")):
    row(name, "I~", meets=True, sign=sign)
    row(name, "A~", meets=True)
row("power", "N~", meets=True, sign="^", **NEAR)
row("maximum minimum fmax fmin", "A~", meets=True, smooth=True)
row("fmod copysign nextafter heaviside mod", "N~", meets=True)
row("logical_and logical_or logical_xor equal not_equal less less_equal greater "
    "greater_equal", "A~", meets=True)
row("arctan2 hypot logaddexp logaddexp2 float_power", "N~", meets=True, **NEAR)
row("left_shift right_shift", "In", meets=True)
row("gcd lcm", "I~", meets=True)
row("ldexp", "Fk")
row("isclose allclose array_equal", "A~", meets=True)
row("divmod", "N~", meets=True, root=True)
row("modf frexp", "F", root=True)
method("clip", "N##", meets=True)
row("where", "MA~", meets=True)

# ---- Reductions ----
method("sum prod", "A", "axes keepdims dtype initial where", **SUMS)
row("sum mean prod", "S", "axes keepdims", smooth=True, **SUMS)
method("mean", "A", "axes keepdims dtype where", **SUMS)
method("std var", "A", "axes keepdims ddof where", units=4, back=8)
method("max min", "A", "axes keepdims", smooth=True)
method("max min", "A", "axes keepdims initial")
method("any all", "A", "axes keepdims where")
method("argmax argmin", "A", "axis keepdims")
row("count_nonzero", "A", "axes keepdims")
row("ptp", "N", "axes keepdims")
row("amax amin nanmax nanmin", "N", "axes keepdims")
row("nansum nanprod nanmean", "A", "axes keepdims", **SUMS)
row("nanstd nanvar", "F", "axes ddof", units=4, back=8)
row("nanargmax nanargmin", "F", "axis")
row("median nanmedian", "N", "axis keepdims", **SUMS)
row("quantile nanquantile", "Nq", "axis keepdims method", **SUMS)
row("percentile nanpercentile", "N%", "axis method", **SUMS)
row("average", "N", "axis", **SUMS)
method("cumsum cumprod", "A", "axis dtype", **SUMS)
row("cumsum", "S", "axis", smooth=True, **SUMS)
row("nancumsum nancumprod", "N", "axis", **SUMS)
row("cumulative_sum", "v", "dtype", **SUMS)
row("trapezoid", "F", "dx axis", **SUMS)

# ---- Order and sets ----
method("sort", "A", "axis descending", where=("jnp",))
method("sort", "A", "axis")
row("sort", "S", "axis", smooth=True)
method("argsort", "v", "axis descending stable", where=("jnp",))
row("searchsorted", "w=", "side")
row("digitize", "vw")
row("unique", "A", where=("np",))
row("unique", "I", "return_counts return_inverse", root=True)
row("intersect1d union1d setdiff1d setxor1d", "A=", meets=True)
row("isin", "A=", "invert", meets=True)
row("nonzero argwhere flatnonzero", "A", root=True)
row("bincount", "I")
row("histogram", "N", "bins density", root=True, **SUMS)

# ---- Shapes ----
method("reshape", "As", smooth=True)
method("transpose", "Ao", smooth=True)
method("swapaxes", "Axx", smooth=True)
row("moveaxis", "Axx")
method("squeeze", "A", "axis")
row("expand_dims", "Ax", smooth=True)
method("ravel", "A", smooth=True)
method("flatten", "A", where=("np",))
row("flip", "A", "axes", smooth=True)
row("fliplr flipud atleast_1d atleast_2d atleast_3d", "A")
row("roll", "Ak", "axis", smooth=True)
row("rot90", "Ak")
row("tile", "Ar", smooth=True)
method("repeat", "An", "axis")
row("broadcast_to", "Ab", smooth=True)
row("concatenate stack", "l", "axis", meets=True, smooth=True)
row("vstack hstack dstack column_stack", "l", meets=True)
row("tril triu", "A", "k", smooth=True)
row("diag", "A", "k")
method("diagonal", "A", "offset", smooth=True)
row("diagflat", "v", "k")
row("diff", "N", "n axis")
row("diff", "S", "axis", smooth=True)
row("ediff1d", "v")
row("pad", "Au", smooth=True)
row("append", "A=", "axis", meets=True)
row("delete", "Ak", "axis")
row("insert", "Ak#", "axis")
method("take", "Ai", "axis")
row("compress", "MA")
row("gradient", "v", units=2)
row("interp", "vw=", units=4, back=4)
row("resize", "Ah")
row("trim_zeros", "v")
row("array_split", "An", "axis", root=True)
row("split", "An", "axis", root=True)

# ---- Creation ----
row("zeros ones", "ht")
row("full", "h#")
row("full_like", "A#", "dtype")
row("zeros_like ones_like", "A", "dtype")
row("arange", "kn", "dtype")
row("linspace", "##", "num endpoint dtype", units=2, by_largest=True)
row("eye tri", "n", "k dtype")
row("vander", "V", units=4)
method("astype", "At")

# ---- Products ----
row("dot matmul inner", "Ap", meets=True, **SUMS)
row("matmul dot", "Sp", meets=True, smooth=True, **SUMS)
row("outer kron", "vv", meets=True)
row("outer", "SS", smooth=True)
row("vdot vecdot", "v=", meets=True, **SUMS)
row("tensordot", "Apn", meets=True, **SUMS)
method("trace", "A", "offset dtype", **SUMS)
row("trace", "S", smooth=True, **SUMS)
row("convolve correlate", "vv", meets=True, **SUMS)
row("polyval polyadd polysub", "vv", meets=True, **SUMS)
row("polymul", "vv", meets=True, **SUMS)
row("polyder", "V")
row("polyint", "V", units=2)
row("cov corrcoef", "F", "rowvar", units=4, back=8)

# ---- Linear algebra ----
row("linalg.det linalg.inv linalg.cholesky linalg.pinv", "c", units=16, back=16, by_largest=True)
row("linalg.matrix_power", "ck", units=16, back=16)
row("linalg.norm", "N", "ord axis keepdims", **SUMS)
row("linalg.eigvalsh", "c", units=16, back=32, by_largest=True)
row("linalg.slogdet", "c", units=16, back=16, root=True)
row("linalg.matrix_rank", "c")


# ---- What has a text of its own ----

class Drawn:
    """A row whose node a function draws."""
    root, method = False, False

    def __init__(self, f, where=BOTH, smooth=False):
        self.draw, self.where, self.smooth = f, where, smooth


def by(f):
    return lambda d, xp, depth, smooth: f(d, xp, d.term(
        "S" if smooth else "A", depth))


def index_text(d, v):
    parts = []
    for n in np.shape(v):
        r = d.r.random()
        if r < 0.35 and n:
            parts.append(str(d.r.randint(-n, n - 1)))
        elif r < 0.8:
            parts.append(d.pick((":", "1:", ":-1", "::2", "::-1", "-2:", ":9",
                                 "5:1:-1")))
        elif r < 0.88:
            parts.append("None")
        elif r < 0.93:
            parts.append("...")
            break
        elif r < 0.96:
            parts.append(str(n + 1))
        else:
            break
    return ", ".join(parts) or "..."


def basic_index(d, xp, x):
    text = index_text(d, x.value)
    return Form("%%s['%s']" % text,
                lambda v: v[eval("np.s_[%s]" % text, {"np": np})], x)


def array_index(d, xp, x):
    if np.ndim(x.value) == 0:
        return basic_index(d, xp, x)
    i = integers(d, [x], 0, False)
    return Form("%s[%s]", lambda v, k: v[k], x, i)


def mask_index(d, xp, x):
    m = d.array("B", np.shape(x.value)[:max(1, d.r.randint(0, np.ndim(x.value)))])
    return Form("%s[%s]", lambda v, k: v[k], x, m)


def compared(d, xp, x):
    name, sign = d.pick((("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">="),
                         ("eq", "=="), ("ne", "!=")))
    y = d.near(x)

    def f(a, b):
        if xp == "np" and hasattr(b, "dtype"):
            from numpy_terms import meet
            a, b = meet([a, b])
        return eval("a %s b" % sign, {"a": a, "b": b})
    return Form("%%s:%s(%%s)" % name, f, x, y)


def at(d, xp, x):
    name = d.pick(("set", "add", "multiply", "min", "max", "subtract"))
    text = index_text(d, x.value)
    where = eval("np.s_[%s]" % text, {"np": np})
    v = d.number(x)
    return Form("%%s.at['%s']:%s(%%s)" % (text, name),
                lambda a, b: getattr(a.at[where], name)(b), x, v)


def at_array(d, xp, x):
    if np.ndim(x.value) == 0:
        return at(d, xp, x)
    name = d.pick(("set", "add", "multiply", "min", "max"))
    i = integers(d, [x], 0, False)
    return Form("%%s.at[%%s]:%s(%%s)" % name, lambda a, k, b:
                getattr(a.at[k], name)(b), x, i, d.number(x), back=2)


def where_test(d, xp, x):
    y = d.near(x)
    lib = np if xp == "np" else jnp
    limit = d.pick((0, 1, 0.5))
    if xp == "np" and hasattr(y, "value"):
        y = d.array("A", np.shape(x.value), SHORT[str(x.value.dtype)])
    return Form(xp + ".where(%s:gt(%s), %s, %s)", lambda a, k, b, c:
                lib.where(a > k, b, c), x, limit, x, y)


def einsum(d, xp, x):
    a, b = d.array("N", (3, 4)), d.array("N", (4, 3))
    text = d.pick(("ij,jk->ik", "ij,jk->", "ij,jk", "ij,ji->i", "ij,jk->ki",
                   "ij,jk->ijk", "ii,jk", "ij,kl->il"))
    lib = np if xp == "np" else jnp

    def f(p, q):
        from numpy_terms import meet
        return lib.einsum(text, *(meet([p, q]) if xp == "np" else [p, q]))
    return Form("%s.einsum('%s', %%s, %%s)" % (xp, text), f, a, b, **SUMS)


for kind in (basic_index, basic_index, array_index, compared, where_test):
    ROWS.append(Drawn(by(kind), smooth=kind in (basic_index, where_test)))
for kind in (mask_index, einsum):
    ROWS.append(Drawn(by(kind)))
for kind in (at, at_array):
    for _ in range(2):
        ROWS.append(Drawn(by(kind), where=("jnp",), smooth=kind is at and _ == 0))
for name in ("relu", "sigmoid", "softplus", "silu", "elu", "leaky_relu"):
    ROWS.append(Drawn(by(lambda d, xp, x, name=name: Call(
        "jax.nn." + name, [x], **NEAR)), where=("jnp",), smooth=True))
for name in ("softmax", "log_softmax", "logsumexp"):
    def soft(d, xp, x, name=name):
        options = {"axis": axis_of(d, x.value)} if d.chance(0.5) else {}
        options = {k: v for k, v in options.items() if v is not None}
        return Call("jax.nn." + name, [x], options, units=8, back=4)
    ROWS.append(Drawn(by(soft), where=("jnp",), smooth=True))


# ---- Transformations ----

def total(f):
    return lambda *a: jnp.sum(f(*a))


def transformed(d, body, inputs):
    ones = "jnp.ones_like(%s)"
    sum_text = "function(...) return jnp.sum(({f})(...)) end"
    first = inputs[0]
    n = d.r.randrange(len(inputs))
    ways = [
        ("jax.jit({f})({x})", lambda f, a: jax.jit(f)(*a)),
        ("jax.grad(%s)({x})" % sum_text, lambda f, a: jax.grad(total(f))(*a)),
        ("jax.grad(%s, %d)({x})" % (sum_text, n),
         lambda f, a: jax.grad(total(f), n)(*a)),
        ("jax.jit(jax.grad(%s, {{argnums = %d}}))({x})" % (sum_text, n),
         lambda f, a: jax.grad(total(f), argnums=n)(*a)),
        ("{{jax.value_and_grad(%s)({x})}}" % sum_text,
         lambda f, a: jax.value_and_grad(total(f))(*a)),
        ("{{jax.jvp({f}, {{{x}}}, {{%s}})}}" %
         ", ".join(ones % v.name for v in inputs),
         lambda f, a: jax.jvp(f, tuple(a), tuple(map(jnp.ones_like, a)))),
        ("(function() local y, back = jax.vjp({f}, {x}) return "
         "{{y, back(jnp.ones_like(y))}} end)()",
         lambda f, a: vjp(f, a)),
        ("(function() local y, move = jax.linearize({f}, {x}) return "
         "{{y, move(%s)}} end)()" % ", ".join(ones % v.name for v in inputs),
         lambda f, a: linearize(f, a)),
        ("jax.hessian(%s)({x})" % sum_text,
         lambda f, a: jax.hessian(total(f))(*a)),
        ("jax.jacrev({f})({x})", lambda f, a: jax.jacrev(f)(*a)),
        ("jax.jacfwd({f})({x})", lambda f, a: jax.jacfwd(f)(*a)),
        ("jax.grad(function(...) return jnp.sum(jax.grad(%s)(...) * %s) end)({x})"
         % (sum_text, first.name),
         lambda f, a: jax.grad(lambda *b: jnp.sum(
             jax.grad(total(f))(*b) * a[0]))(*a)),
        ("jax.checkpoint({f})({x})", lambda f, a: jax.checkpoint(f)(*a)),
    ]
    if all(np.ndim(v.value) for v in inputs):
        ways += [
            ("jax.vmap({f})({x})", lambda f, a: jax.vmap(f)(*a)),
            ("jax.jit(jax.vmap({f}))({x})", lambda f, a: jax.vmap(f)(*a)),
            ("jax.vmap({f}, {{in_axes = -1}})({x})",
             lambda f, a: jax.vmap(f, in_axes=-1)(*a)),
            ("jax.vmap({f}, -1, -1)({x})",
             lambda f, a: jax.vmap(f, -1, -1)(*a)),
            ("jax.vmap(jax.grad(%s))({x})" % sum_text,
             lambda f, a: jax.vmap(jax.grad(total(f)))(*a)),
            ("jax.grad(function(...) return jnp.sum(jax.vmap({f})(...)) end)({x})",
             lambda f, a: jax.grad(total(jax.vmap(f)))(*a)),
        ]
    wrap, f = d.pick(ways)
    return Transformed(wrap, f, body, inputs)


def vjp(f, a):
    y, back = jax.vjp(f, *a)
    return y, back(jnp.ones_like(y))


def linearize(f, a):
    y, move = jax.linearize(f, *a)
    return y, move(*map(jnp.ones_like, a))


# ---- Random numbers ----

def randoms(d, family):
    return generator(d) if family == "rng" else keyed(d)


SIZES = (None, 3, (2, 3), (0,), (2, 0), 1)
# What a method takes, and its error in last places: numbers that go through
# exp and log agree to about 13 digits (docs/np.md).
GENERATOR = (
    ("random", {}, 0), ("standard_normal", {}, 900),
    ("integers", {"low": (5, 10, 2), "high": (12, 300)}, 0),
    ("integers", {"low": (-5, 0), "high": (7, 9), "endpoint": (True, False)}, 0),
    ("integers", {"low": (0, 3), "high": (100, 200),
                  "dtype": ("uint8", "int32", "int64", "uint16")}, 0),
    ("normal", {"loc": (0.0,), "scale": (1.0, 3.5)}, 2000),
    ("uniform", {"low": (-1.0, 0.0), "high": (1.0, 5.0)}, 2),
    ("exponential", {"scale": (1.0, 2.5)}, 8),
    ("gamma", {"shape": (0.5, 2.0), "scale": (1.0, 3.0)}, 900),
    ("beta", {"a": (0.5, 2.0), "b": (1.0, 3.0)}, 900),
    ("poisson", {"lam": (0.5, 4.0, 30.0)}, 0),
    ("binomial", {"n": (5, 20, 100), "p": (0.2, 0.5, 0.9)}, 0),
    ("geometric", {"p": (0.2, 0.7)}, 0),
    ("laplace", {"loc": (0.0, 1.0), "scale": (1.0, 2.0)}, 8),
    ("logistic", {"loc": (0.0, 1.0), "scale": (1.0, 2.0)}, 8),
    ("lognormal", {"mean": (0.0, 1.0), "sigma": (1.0, 0.5)}, 2000),
    ("rayleigh", {"scale": (1.0, 2.0)}, 8), ("weibull", {"a": (1.5, 3.0)}, 8),
    ("gumbel", {"loc": (0.0, 1.0), "scale": (1.0, 2.0)}, 8),
    ("chisquare", {"df": (1.0, 4.0)}, 900), ("standard_t", {"df": (2.0, 5.0)}, 2000),
    ("pareto", {"a": (2.0, 3.0)}, 16), ("power", {"a": (2.0, 3.0)}, 16),
    ("triangular", {"left": (0.0, -1.0), "mode": (1.0, 2.0),
                    "right": (3.0, 4.0)}, 8),
    ("choice", {"a": (5, 10), "size": (3, (2, 2), 5), "replace": (True, False)}, 0),
    ("choice", {"a": (12, 20), "size": (2, 4)}, 0),
    ("permutation", {"x": (6, 9, 1, 0)}, 0),
)


def generator(d):
    name, numbers, units = d.pick(GENERATOR)
    args = {k: d.pick(v) for k, v in numbers.items()}
    if "size" not in args and name != "permutation":
        size = d.pick(SIZES)
        if size is not None:
            args["size"] = size
    seed, keys = d.r.randrange(1000), list(args)
    if "dtype" in args:  # it stands behind the size
        args["dtype"] = args.pop("dtype")
    keys = list(args)
    place = d.r.randint(0 if d.chance(0.3) else min(1, len(keys)), len(keys))
    front = {k: args[k] for k in keys[:place]}
    maker = Call("np.random.default_rng", [seed])
    rest = {k: args[k] for k in keys[place:]}
    return Form("%s:" + name + "(" + ", ".join(["%s"] * len(front)) +
                (", " if front and rest else "") +
                ("{" + ", ".join(k + " = %s" for k in rest) + "}" if rest
                 else "") + ")",
                lambda g, *a: getattr(g, name)(
                    *a[:len(front)], **dict(zip(rest, a[len(front):]))),
                maker, *front.values(), *rest.values(), units=units)


KEYED = (
    ("uniform", {}, 0), ("normal", {}, 8), ("bits", {}, 0),
    ("uniform", {"shape": None, "dtype": ("float32", "float16", "bfloat16"),
                 "minval": (-1.0, 0.0), "maxval": (1.0, 5.0)}, 1),
    ("randint", {"shape": None, "minval": (0, -5), "maxval": (7, 100)}, 0),
    ("bernoulli", {"p": (0.2, 0.5)}, 0), ("exponential", {}, 8),
    ("gumbel", {}, 16), ("laplace", {}, 16), ("logistic", {}, 16),
    ("cauchy", {}, 900), ("rayleigh", {"scale": (1.0, 2.0)}, 16),
    ("truncated_normal", {"lower": (-1.0, -2.0), "upper": (1.0, 2.0)}, 32),
    ("gamma", {"a": (0.5, 2.0)}, 900), ("beta", {"a": (0.5, 2.0), "b": (1.0, 3.0)},
                                       128),
    ("poisson", {"lam": (0.5, 4.0, 20.0)}, 0), ("permutation", {"x": (6, 9)}, 0),
    ("choice", {"a": (5, 10), "shape": None, "replace": (True, False)}, 0),
    ("rademacher", {}, 0), ("pareto", {"b": (2.0, 3.0)}, 32),
    ("weibull_min", {"scale": (1.0, 2.0), "concentration": (1.5, 3.0)}, 32),
    ("t", {"df": (2.0, 5.0)}, 128), ("chisquare", {"df": (2.0, 5.0)}, 128),
    ("geometric", {"p": (0.2, 0.7)}, 0), ("lognormal", {"sigma": (0.5, 1.0)}, 32),
    ("triangular", {"left": (0.0,), "mode": (1.0,), "right": (3.0,)}, 32),
)
SHAPED = ((), (3,), (2, 3), (0,), (5,))


def a_key(d):
    key = Call("jax.random." + d.pick(("key", "PRNGKey")), [d.r.randrange(1000)])
    r = d.r.random()
    if r < 0.2:
        return Call("jax.random.fold_in", [key, d.r.randrange(50)])
    if r < 0.4:
        n = d.r.randrange(2)
        return Form("jax.random.split(%%s)[%d]" % n,
                    lambda k: jax.random.split(k)[n], key)
    return key


def keyed(d):
    name, options, units = d.pick(KEYED)
    if d.chance(0.1):
        return Form("jax.random.key_data(jax.random.split(%s, %s))",
                    lambda k, n: jax.random.key_data(jax.random.split(k, n)),
                    a_key(d), d.pick((1, 3, (2, 2))))
    args = {k: d.pick(SHAPED[1:]) if v is None else d.pick(v)
            for k, v in options.items()}
    if name == "choice":
        args["shape"] = d.pick(((), (3,), (2, 2)))
    elif "shape" not in args and name not in ("permutation",):
        shape = d.pick(SHAPED)
        if name in ("uniform", "normal", "bits", "exponential", "gumbel",
                    "laplace", "logistic", "cauchy", "rademacher"):
            args = {"shape": shape}
        else:
            args["shape"] = shape
    by_name = d.chance(0.4)
    return Call("jax.random." + name,
                [a_key(d)] + ([] if by_name else list(args.values())),
                args if by_name else {}, units=units)
