# SPDX-License-Identifier: Apache-2.0
"""What arithmetic instructions compute, after the PTX ISA 9.0 manual.

meaning(op, words) gives the types of the results and operands and a function
from operands to results, all as bits; None for what is tested by hand.
"""
import math
from fractions import Fraction

import exact
from exact import BF16, F16, F32, F64, FORMATS, INF, NAN

BITS = {'pred': 1, 's34': 34, 'u4': 4, 's4': 4, 'u2': 2, 's2': 2}
for letter in 'bus':
    for n in (8, 16, 32, 64, 128):
        BITS['%s%d' % (letter, n)] = n
for name in ('f16', 'bf16', 'e4m3x2', 'e5m2x2'):
    BITS[name] = 16
for name in ('f16x2', 'bf16x2', 'u16x2', 's16x2', 'f32', 'tf32'):
    BITS[name] = 32
BITS['f64'] = 64
TYPES = set(BITS) - {'s34'}
ROUNDS = ('rn', 'rz', 'rm', 'rp')
OUT_OF_BOUNDS = 0x7FFF


def mask(n):
    return (1 << n) - 1


def row_mask(t):
    """Of the register: 8-bit results are extended to 32 bits."""
    return mask(32 if BITS[t] < 16 else BITS[t])


def is_signed(t):
    return t[0] == 's'


def value(t, bits):
    n = BITS[t]
    bits &= mask(n)
    return bits - (1 << n) if is_signed(t) and bits >> (n - 1) else bits


def clamp(t, v):
    n = BITS[t]
    low, high = (-(1 << (n - 1)), mask(n - 1)) if is_signed(t) else (0, mask(n))
    return min(max(v, low), high)


def base(t):
    """f16x2 -> f16."""
    return t[:-2] if t.endswith('x2') else t


def pairwise(t, f):
    """Applies f to each half of packed operands."""
    if not t.endswith('x2'):
        return f

    def run(*args):
        low = f(*[a & 0xFFFF for a in args])
        return f(*[a >> 16 for a in args]) << 16 | low
    return run


def one(r):
    return lambda *a: [r(*a)]


def own(r):
    """What a real GPU need not, or does not give: see DIFFERS."""
    return r if isinstance(r, str) else '~0x%x' % r


# Why, by mnemonic. ptxas is that of CUDA 13.0, for an H200.
PATCHED = ('there is no such instruction since sm_50, and what ptxas puts in '
           'its place does not do what the manual says here: ')
DIFFERS = {
    'bfe': PATCHED + 'it takes more than 8 bits of pos and len',
    'bfi': PATCHED + 'it takes more than 8 bits of pos and len',
    'cvt': 'ptxas leaves .ftz out of cvt.f16.f32, and its cvt.rna.tf32 makes '
           'numbers of some NaN',
    'ex2': 'the stated error cannot hold among subnormal results: half a unit '
           'is more',
    'ld': 'ptxas reads the lower half of 128 bits that a function was given, and '
          'makes the upper one zero',
    'st': 'ptxas widens st.param.s8 over bytes beside its own',
}
for name in ('vadd', 'vsub', 'vabsdiff', 'vmin', 'vmax', 'vshl', 'vshr'):
    DIFFERS[name] = PATCHED + (
        'it takes the upper half of an intermediate result from bit 31, '
        'compares it as dtype, and clamps u32 below only')
DIFFERS['vset'] = PATCHED + 'it takes c as a signed number'


class Words:
    def __init__(self, words):
        self.types = [w for w in words if w in TYPES]
        self.mods = [w for w in words if w not in TYPES]
        self.round = next((w for w in self.mods if w in ROUNDS), 'rn')

    def __contains__(self, word):
        return word in self.mods


# ---- Integers ----

def int_op(f, n_in=2):
    def make(w):
        t = w.types[0]
        def run(*a):
            return [f(t, *[value(t, x) for x in a]) & mask(BITS[t])]
        return [t], [t] * n_in, run
    return make


def quotient(t, x, y):
    if y == 0:
        return -1  # "unspecified, machine-specific": all ones on an H200
    q = abs(x) // abs(y)
    return -q if (x < 0) != (y < 0) else q


def remainder(t, x, y):
    return -1 if y == 0 else x - y * quotient(t, x, y)  # as quotient


def pick(is_max):
    def f(w):
        t = w.types[0]
        if base(t) in FORMATS:
            return float_least(w, is_max)
        b = base(t)
        def run(*a):
            r = (max if is_max else min)(*[value(b, x) for x in a])
            if 'relu' in w:
                r = max(r, 0)
            return r & mask(BITS[b])
        return [t], [t] * 2, one(pairwise(t, run))
    return f


def add_like(sign):
    def f(w):
        t = w.types[0]
        if base(t) in FORMATS:
            if sign > 0:
                return float_op(w, 2, exact.add)
            return float_op(w, 2, lambda m, a, b, r: exact.add(
                m, a, b if exact.is_nan(m, b) else exact.neg(m, b), r))
        b, n = base(t), BITS[base(t)]
        if 'cc' in w:  # shown by an addc of zeros behind it
            def run(x, y):
                r = x + y if sign > 0 else x - y
                return [r & mask(n), int(r >> n != 0)]
            return [t, 'carry'], [t, t], run
        def run(x, y):
            r = value(b, x) + sign * value(b, y)
            return (clamp(b, r) if 'sat' in w else r) & mask(n)
        return [t], [t, t], one(pairwise(t, run))
    return f


def with_carry(sign):
    def f(w):
        t, n = w.types[0], BITS[w.types[0]]
        def run(x, y, c):
            r = x + sign * (y + c)
            out = [r & mask(n)]
            return out + [int(r >> n != 0)] if 'cc' in w else out
        return ([t, 'carry'] if 'cc' in w else [t]), [t, t, 'carry'], run
    return f


def product_part(w, t, x, y):
    p, n = value(t, x) * value(t, y), BITS[t]
    return p >> n if 'hi' in w else p


def mul(w):
    t = w.types[0]
    if base(t) in FORMATS:
        return float_op(w, 2, exact.mul)
    if 'wide' in w:
        wide = t[0] + str(BITS[t] * 2)
        return [wide], [t, t], one(lambda x, y: value(t, x) * value(t, y)
                                   & mask(BITS[wide]))
    return [t], [t, t], one(lambda x, y: product_part(w, t, x, y)
                            & mask(BITS[t]))


def mad(w):
    t, n = w.types[0], BITS[w.types[0]]
    if t in FORMATS:
        return float_op(w, 3, exact.fma)
    if 'wide' in w:
        wide = t[0] + str(n * 2)
        return [wide], [t, t, wide], one(
            lambda x, y, z: (value(t, x) * value(t, y) + z) & mask(2 * n))
    if 'cc' in w:
        def run(x, y, z):
            r = (product_part(w, t, x, y) & mask(n)) + z
            return [r & mask(n), r >> n]
        return [t, 'carry'], [t, t, t], run
    def run(x, y, z):
        r = product_part(w, t, x, y) + value(t, z)
        return [(clamp(t, r) if 'sat' in w else r) & mask(n)]
    return [t], [t, t, t], run


def madc(w):
    t, n = w.types[0], BITS[w.types[0]]
    def run(x, y, z, c):
        r = (product_part(w, t, x, y) & mask(n)) + z + c
        return [r & mask(n)] + ([r >> n] if 'cc' in w else [])
    return ([t, 'carry'] if 'cc' in w else [t]), [t, t, t, 'carry'], run


def mul24(adds):
    def f(w):
        t = w.types[0]
        def low(v):
            v &= mask(24)
            return v - (1 << 24) if is_signed(t) and v >> 23 else v
        def run(x, y, z=0):
            p = low(x) * low(y)
            p = p >> 16 if 'hi' in w else p  # bits 47..16
            if 'sat' in w:
                return [clamp(t, value(t, p) + value(t, z)) & mask(32)]
            return [(p + z) & mask(32)]
        return [t], [t] * (2 + adds), run
    return f


def sad(t, a, b, c):
    return c + abs(a - b)


def bits_of(f, out=None):
    def make(w):
        t = w.types[0]
        n = BITS[t]
        return [out or t], [t], one(lambda x: f(w, t, n, x))
    return make


def reverse(w, t, n, x):
    return int(format(x, '0%db' % n)[::-1], 2)


def find_top(w, t, n, x):
    if is_signed(t) and x >> (n - 1):
        x ^= mask(n)
    if not x:
        return mask(32)
    at = x.bit_length() - 1
    return n - 1 - at if 'shiftamt' in w else at


def bfe(w):
    t, n = w.types[0], BITS[w.types[0]]
    def run(a, b, c):  # the manual's own loop
        pos, length = b & 255, c & 255
        sign = 0
        if is_signed(t) and length:
            sign = a >> min(pos + length - 1, n - 1) & 1
        d = 0
        for i in range(n):
            inside = i < length and pos + i < n
            d |= (a >> (pos + i) & 1 if inside else sign) << i
        return own(d) if n == 64 and max(b, c) > 255 else d
    return [t], [t, 'u32', 'u32'], one(run)


def bfi(w):
    t, n = w.types[0], BITS[w.types[0]]
    def run(a, b, c, d):
        pos, length, f = c & 255, d & 255, b
        for i in range(length):
            if pos + i < n:
                f = f & ~(1 << (pos + i)) | (a >> i & 1) << (pos + i)
        return own(f) if n == 64 and max(c, d) > 255 else f
    return [t], [t, t, 'u32', 'u32'], one(run)


def bmsk(w):
    def run(a, b):
        a, b = (min(a, 32), min(b, 32)) if 'clamp' in w else (a & 31, b & 31)
        return mask(b) << a & mask(32)
    return ['b32'], ['u32', 'u32'], one(run)


def szext(w):
    t = w.types[0]
    def run(a, b):
        n = min(b, 32) if 'clamp' in w else b & 31
        if n == 0:
            return 0
        v = a & mask(n)
        if is_signed(t) and v >> (n - 1):
            v |= mask(32) & ~mask(n)
        return v
    return [t], [t, 'u32'], one(run)


def fns(w):
    def run(m, first, offset):
        offset = value('s32', offset)
        if first > 31:
            return None
        if offset == 0:
            return first if m >> first & 1 else mask(32)
        step, left = (1, offset) if offset > 0 else (-1, -offset)
        at = first
        while 0 <= at < 32:
            if m >> at & 1:
                left -= 1
                if left == 0:
                    return at
            at += step
        return mask(32)
    return ['b32'], ['b32', 'u32', 's32'], one(run)


def dot(parts):
    def f(w):
        ta, tb = w.types
        def run(a, b, c):
            total = c
            for i in range(parts):
                wide = 32 // parts
                x = value(ta[0] + str(wide), a >> (i * wide))
                at = i + (2 if parts == 2 and 'hi' in w else 0)
                total += x * value(tb[0] + '8', b >> (at * 8))
            return total & mask(32)
        out = 's32' if 's32' in w.types else 'u32'
        return [out], [ta, tb, out], one(run)
    return f


def logic(f, n_in=2):
    def make(w):
        t = w.types[0]
        return [t], [t] * n_in, one(lambda *a: f(*a) & mask(BITS[t]))
    return make


def shl(w):
    t = w.types[0]
    return [t], [t, 'u32'], one(lambda a, b: a << min(b, 64) & mask(BITS[t]))


def shr(w):
    t = w.types[0]
    return [t], [t, 'u32'], one(
        lambda a, b: value(t, a) >> min(b, 64) & mask(BITS[t]))


def shf(w):
    def run(a, b, c):
        n = min(c, 32) if 'clamp' in w else c & 31
        both = b << 32 | a
        return (both >> (32 - n) if 'l' in w else both >> n) & mask(32)
    return ['b32'], ['b32', 'b32', 'u32'], one(run)


def lop3(w):
    table = 0xE4 if 'and' in w else 0x1E
    def f(a, b, c):
        r = 0
        for i in range(8):
            if table >> i & 1:
                r |= ((a if i & 4 else ~a) & (b if i & 2 else ~b)
                      & (c if i & 1 else ~c))
        return r & mask(32)
    if 'or' in w or 'and' in w:
        def run(a, b, c, q):
            r = f(a, b, c)
            yes = int(r != 0)
            return [r, yes | q if 'or' in w else yes & q]
        return ['b32', 'pair'], ['b32'] * 3 + ['table', 'pred'], run
    return ['b32'], ['b32'] * 3 + ['table'], one(f)


def prmt(w):
    def run(a, b, c):
        source = [(b << 32 | a) >> (8 * i) & 255 for i in range(8)]
        s = c & 3
        rows = {  # the manual's table, from the most significant byte
            'f4e': [(3, 2, 1, 0), (4, 3, 2, 1), (5, 4, 3, 2), (6, 5, 4, 3)],
            'b4e': [(5, 6, 7, 0), (6, 7, 0, 1), (7, 0, 1, 2), (0, 1, 2, 3)],
            'rc8': [(0,) * 4, (1,) * 4, (2,) * 4, (3,) * 4],
            'ecl': [(3, 2, 1, 0), (3, 2, 1, 1), (3, 2, 2, 2), (3,) * 4],
            'ecr': [(0,) * 4, (1, 1, 1, 0), (2, 2, 1, 0), (3, 2, 1, 0)],
            'rc16': [(1, 0, 1, 0), (3, 2, 3, 2)] * 2}
        for mode in rows:
            if mode in w:
                r = 0
                for i in rows[mode][s]:
                    r = r << 8 | source[i]
                return r
        r = 0
        for i in range(4):
            select = c >> (4 * i) & 15
            byte = source[select & 7]
            if select & 8:
                byte = 255 if byte >> 7 else 0
            r |= byte << (8 * i)
        return r
    return ['b32'], ['b32', 'b32', 'b32'], one(run)


def selp(w):
    t = w.types[0]
    return [t], [t, t, 'pred'], one(lambda a, b, c: a if c else b)


def slct(w):
    t, s = w.types
    def run(a, b, c):
        if s == 's32':
            return a if value('s32', c) >= 0 else b
        if exact.is_nan(F32, c):
            return b
        c = exact.flush(F32, c) if 'ftz' in w else c
        return a if exact.compare(F32, c, 0) >= 0 else b
    return [t], [t, t, s], one(run)


# ---- Floating point ----

def is_least(fmt, r):
    """The smallest normal number, to which a tiny one may have been rounded."""
    return r & (fmt.sign - 1) == 1 << fmt.f


def float_op(w, n_in, f):
    t = w.types[0]
    fmt = FORMATS[base(t)]
    def run(*a):
        if 'ftz' in w:
            a = [exact.flush(fmt, x) for x in a]
        r = f(fmt, *a, w.round)
        if 'ftz' in w and exact.flush(fmt, r) == r and not exact.is_nan(
                fmt, r) and is_least(fmt, r):
            x, negative, mode = fmt.exact
            r = r & fmt.sign if exact.is_tiny(fmt, abs(x), negative,
                                              mode) else r
        if 'ftz' in w:
            r = exact.flush(fmt, r)
        if 'sat' in w:
            r = exact.saturate(fmt, r)
        if 'relu' in w and not exact.is_nan(fmt, r) and r & fmt.sign:
            r = 0
        return r
    return [t], [t] * n_in, one(pairwise(t, run))


def fma(w):
    if 'oob' not in w:
        return float_op(w, 3, exact.fma)
    # 0 where a or b is the NaN that marks what lies out of bounds
    t = w.types[0]
    fmt = FORMATS[base(t)]
    def run(a, b, c):
        if OUT_OF_BOUNDS in (a, b, c):
            return 0
        r = exact.fma(fmt, a, b, c)
        negative = 'relu' in w and not exact.is_nan(fmt, r) and r & fmt.sign
        return 0 if negative else r
    return [t], [t] * 3, one(pairwise(t, run))


def float_least(w, is_max):
    t = w.types[0]
    fmt = FORMATS[base(t)]
    def run(a, b):
        if 'ftz' in w:
            a, b = exact.flush(fmt, a), exact.flush(fmt, b)
        if 'xorsign' in w:
            # The sign is the exclusive or of both; magnitudes are compared.
            sign = (a ^ b) & fmt.sign
            r = exact.least(fmt, a & ~fmt.sign, b & ~fmt.sign, 'NaN' in w,
                            is_max)
            return r if exact.is_nan(fmt, r) else r | sign
        return exact.least(fmt, a, b, 'NaN' in w, is_max)
    return [t], [t, t], one(pairwise(t, run))


def sign_op(is_abs):
    def f(w):
        t = w.types[0]
        if base(t) not in FORMATS:
            return int_op(lambda t, x: abs(x) if is_abs else -x, 1)(w)
        fmt = FORMATS[base(t)]
        def run(a):
            if exact.is_nan(fmt, a):  # "NaN inputs yield an unspecified NaN"
                return fmt.nan if fmt.bits == 16 else 'nan%d' % fmt.bits
            return bits(a)
        def bits(a):
            if 'ftz' in w:
                a = exact.flush(fmt, a)
            return a & ~fmt.sign if is_abs else a ^ fmt.sign
        return [t], [t], one(pairwise(t, run))
    return f


def copysign(w):
    fmt = FORMATS[w.types[0]]
    def run(a, b):
        return (a & fmt.sign) | (b & ~fmt.sign)
    return w.types, w.types * 2, one(run)


def testp(w):
    t = w.types[0]
    fmt = FORMATS[t]
    def run(a):
        magnitude = a & (fmt.sign - 1)
        nan, inf = magnitude > fmt.inf, magnitude == fmt.inf
        tiny = magnitude < 1 << fmt.f
        return int({'finite': not nan and not inf, 'infinite': inf,
                    'number': not nan, 'notanumber': nan,
                    # zero is normal to testp
                    'normal': not (nan or inf or (tiny and magnitude)),
                    'subnormal': tiny and magnitude != 0}[w.mods[0]])
    return ['pred'], [t], one(run)


def double_of(fmt, bits):
    negative, x = exact.decode(fmt, bits)
    if x == NAN:
        return math.nan
    v = math.inf if x == INF else float(x)
    return -v if negative else v


def bits_from(fmt, v):
    """A double rounded to the format."""
    if v != v:
        return fmt.nan
    if math.isinf(v):
        return exact.encode(fmt, INF, v < 0)
    return exact.encode(fmt, Fraction(v), math.copysign(1, v) < 0)


def approximate(f):
    """A function of one number that has an error: see `within`."""
    def make(w):
        t = w.types[0]
        fmt = FORMATS[base(t)]
        def run(a):
            if 'ftz' in w:
                a = exact.flush(fmt, a)
            r = f(fmt, a)
            return exact.flush(fmt, r) if 'ftz' in w else r
        def is_subnormal(r):
            return 0 < r & (fmt.sign - 1) < 1 << fmt.f
        def whole(a):
            r = pairwise(t, run)(a)
            if base(t) == 'f16' and (is_subnormal(r) or
                                     t != 'f16' and is_subnormal(r >> 16)):
                return own(r)
            return r
        return [t], [t], one(whole)
    return make


def of_double(f):
    def run(fmt, a):
        x = double_of(fmt, a)
        try:
            return bits_from(fmt, f(x))
        except (ValueError, OverflowError):
            return fmt.nan
    return run


def lg2(x):
    return -math.inf if x == 0 else math.log2(x)


def ex2(x):
    return math.inf if x >= 1024 else 0.0 if x < -1100 else 2.0 ** x


def rsqrt(fmt, a):
    negative, x = exact.decode(fmt, a)
    if x == 0:
        return exact.encode(fmt, INF, negative)
    if x == INF and not negative:
        return 0
    if x == NAN or negative:
        return fmt.nan
    # sqrt in 128 bits of fraction, then one division
    wide = exact.Format(15, 112, 0)
    root = exact.decode(wide, exact.sqrt(
        wide, exact.encode(wide, x, False)))[1]
    return exact.encode(fmt, 1 / root, False)


def rcp(w):
    t = w.types[0]
    fmt = FORMATS[t]
    unit = exact.encode(fmt, Fraction(1), False)
    return float_op(w, 1, lambda m, a, r: exact.div(m, unit, a, r))


def divide(w):
    t = w.types[0]
    if t in FORMATS:
        return float_op(w, 2, exact.div)
    return int_op(quotient)(w)


# ---- Comparison ----

def test_of(cmp, t, a, b, ftz):
    if base(t) in FORMATS:
        fmt = FORMATS[base(t)]
        if ftz:
            a, b = exact.flush(fmt, a), exact.flush(fmt, b)
        order = exact.compare(fmt, a, b)
    else:
        a, b = value(t, a), value(t, b)
        order = (a > b) - (a < b)
    if cmp in ('num', 'nan'):
        return (order is None) == (cmp == 'nan')
    if cmp[-1] == 'u':
        if order is None:
            return True
        cmp = cmp[:-1]
    if order is None:
        return False
    return {'eq': order == 0, 'ne': order != 0, 'lt': order < 0,
            'le': order <= 0, 'gt': order > 0, 'ge': order >= 0,
            'lo': order < 0, 'ls': order <= 0, 'hi': order > 0,
            'hs': order >= 0}[cmp]


def combine(w, p, q):
    if 'and' in w:
        return p & q
    if 'or' in w:
        return p | q
    return p ^ q if 'xor' in w else p


def has_bool(w):
    return any(b in w for b in ('and', 'or', 'xor'))


def setp(w):
    t = w.types[0]
    cmp = w.mods[0]
    def run(a, b, c=0):
        if t.endswith('x2'):
            both = [test_of(cmp, t, a & 0xFFFF, b & 0xFFFF, 'ftz' in w),
                    test_of(cmp, t, a >> 16, b >> 16, 'ftz' in w)]
        else:
            p = test_of(cmp, t, a, b, 'ftz' in w)
            both = [p, not p]
        both = [combine(w, int(x), c) for x in both]
        return both[:1] if t in ('f16', 'bf16') else both
    outs = ['pred'] if t in ('f16', 'bf16') else ['pred', 'pair']
    return outs, [t, t] + ['pred'] * has_bool(w), run


def set_(w):
    d, t = w.types
    cmp = w.mods[0]
    yes = {'f32': 0x3F800000, 'f16': 0x3C00, 'bf16': 0x3F80, 'f16x2': 0x3C00,
           'bf16x2': 0x3F80}.get(d)
    def run(a, b, c=0):
        if t.endswith('x2'):
            r = 0
            for shift in (0, 16):
                p = combine(w, int(test_of(cmp, t, a >> shift & 0xFFFF,
                                           b >> shift & 0xFFFF, 'ftz' in w)),
                            c)
                r |= (p and (yes or 0xFFFF)) << shift
            return r
        p = combine(w, int(test_of(cmp, t, a, b, 'ftz' in w)), c)
        return p and (yes or mask(BITS[d]))
    return [d], [t, t] + ['pred'] * has_bool(w), one(run)


# ---- cvt ----

class Small:
    """8-bit formats: e4m3 has no infinity and one NaN, e5m2 is IEEE's."""

    def __init__(self, name):
        self.name = name
        self.fmt = exact.Format(4, 3, 0x7F) if name == 'e4m3' else \
            exact.Format(5, 2, 0x7F)
        self.max = 0x7E if name == 'e4m3' else 0x7B

    def decode(self, bits):
        if self.name == 'e5m2':
            return exact.decode(self.fmt, bits)
        negative, magnitude = bool(bits & 0x80), bits & 0x7F
        if magnitude == 0x7F:
            return negative, NAN
        e, f = magnitude >> 3, magnitude & 7
        f |= 8 if e else 0
        return negative, Fraction(f) * Fraction(2) ** (max(e, 1) - 10)

    def encode(self, negative, x):
        sign = 0x80 if negative else 0
        if x == NAN:
            return 0x7F
        if x == INF:
            return sign | self.max
        if x == 0:
            return sign
        e = max(exact.log2_floor(x), self.fmt.min_exp)
        n = exact.steps(x / Fraction(2) ** (e - self.fmt.f), 'rn', negative)
        bits = n + ((e - self.fmt.min_exp) << self.fmt.f)
        return sign | min(bits, self.max)


def cvt_small(w):
    d, s = w.types
    if d in ('e4m3x2', 'e5m2x2'):
        small = Small(d[:-2])
        fmt = F32 if s == 'f32' else F16
        def narrow(bits):
            negative, x = exact.decode(fmt, bits)
            if 'relu' in w and x != NAN and negative:
                return 0
            return small.encode(negative, x)
        if s == 'f32':
            return [d], [s, s], one(lambda a, b: narrow(a) << 8 | narrow(b))
        return [d], [s], one(
            lambda a: narrow(a >> 16) << 8 | narrow(a & 0xFFFF))
    small = Small(s[:-2])
    def wide(bits):
        negative, x = small.decode(bits)
        if x != NAN and 'relu' in w and negative:
            return 0
        return exact.encode(F16, x, negative)
    return [d], [s], one(lambda a: wide(a >> 8) << 16 | wide(a & 255))


def cvt_pack(w):
    d, n = w.types[0], BITS[w.types[0]]
    if len(w.types) == 2:
        return ['b32'], ['s32', 's32'], one(
            lambda a, b: (clamp(d, value('s32', a)) & mask(n)) << n |
            (clamp(d, value('s32', b)) & mask(n)))
    return ['b32'], ['s32', 's32', 'b32'], one(
        lambda a, b, c: ((clamp(d, value('s32', a)) & mask(n)) << n |
                         (clamp(d, value('s32', b)) & mask(n)) |
                         c << 2 * n) & mask(32))


def cvt(w):
    if 'pack' in w:
        return cvt_pack(w)
    d, s = w.types
    if 'e4m3x2' in w.types or 'e5m2x2' in w.types:
        return cvt_small(w)
    mode = next((m for m in w.mods if m in ROUNDS + ('rna',)), 'rn')
    whole = next((m for m in w.mods if m in ('rni', 'rzi', 'rmi', 'rpi')), None)
    if s not in FORMATS and d not in FORMATS:
        def from_int(a):
            v = value(s, a)
            v = clamp(d, v) if 'sat' in w else v
            return value(d, v) & row_mask(d)
        return [d], [s], one(from_int)
    if s not in FORMATS:
        fmt = FORMATS[d]
        def to_float(a):
            v = value(s, a)
            r = exact.encode(fmt, Fraction(v), v < 0, mode)
            return exact.saturate(fmt, r) if 'sat' in w else r
        return [d], [s], one(to_float)
    source = FORMATS[s]
    if d not in FORMATS and d not in ('f16x2', 'bf16x2', 'tf32'):
        def to_int(a):
            if 'ftz' in w:
                a = exact.flush(source, a)
            negative, x = exact.decode(source, a)
            if x == NAN:
                return nan_to_int(d, s)
            if x == INF:
                v = clamp(d, -(1 << 70) if negative else 1 << 70)
            else:
                v = clamp(d, exact.whole(-x if negative else x, whole))
            return value(d, v) & row_mask(d)
        return [d], [s], one(to_int)
    out = F32 if d == 'tf32' else FORMATS[base(d)]
    def to_float(a):
        if 'ftz' in w and source.e == 8:
            a = exact.flush(source, a)
        negative, x = exact.decode(source, a)
        if x == NAN:
            return 0 if 'sat' in w else nan_of(w, a)
        if 'relu' in w and negative:
            return 0
        if x == INF:
            r = exact.encode(out, x, negative)
        elif whole:
            n = exact.whole(-x if negative else x, whole)
            r = exact.encode(out, Fraction(n), negative)
        elif d == 'tf32':
            r = exact.encode(exact.Format(8, 10, 0), x, negative, mode) << 13
        else:
            r = exact.encode(out, x, negative, mode)
        if 'satfinite' in w:
            top = exact.encode(exact.Format(8, 10, 0), INF, False) - 1 << 13 \
                if d == 'tf32' else out.inf - 1
            r = (r & out.sign) | min(r & ~out.sign, top)
        if 'ftz' in w and out.e == 8 and x != INF and exact.is_tiny(
                out, x, negative, mode):
            r &= out.sign
        return exact.saturate(out, r) if 'sat' in w else r
    if (d, s) == ('f16', 'f32') and 'ftz' in w:
        def with_flush(a):
            r = to_float(a)
            is_flushed = exact.flush(source, a) != a
            return own(r) if is_flushed and mode in ('rm', 'rp') else r
        return [d], [s], one(with_flush)
    if d.endswith('x2'):
        return [d], [s, s], one(lambda a, b: to_float(a) << 16 | to_float(b))
    return [d], [s], one(to_float)


def nan_of(w, a):
    """The manual leaves the bits open; these are an H200's. A wider type gives
    the narrower its sign and upper bits, made quiet; cvt.f32.f32 and
    cvt.f32.bf16 without modifiers are moves."""
    d, s = w.types
    out = F32 if d == 'tf32' else FORMATS[base(d)]
    quiet = 1 << (out.f - 1)
    if s == 'f64' and d != 'f64':
        payload = a & mask(52)
        return a >> 63 << (out.bits - 1) | out.inf | quiet | \
            payload >> (52 - out.f)
    if d == 'tf32':
        r = (a & 0xFFFFE000) - (0x2000 if 'satfinite' in w else 0)
        if 'rna' not in w:
            return 0x7FFFE000
        return r if exact.is_nan(F32, r) else own(0x7FFFFFFF)
    if d == 'f32' and not [m for m in w.mods if m not in ROUNDS]:
        if s == 'f32':
            return a
        if s == 'bf16':
            return a << 16
    return out.nan


def nan_to_int(d, s):
    """PTX ISA, cvt: zero, "if source is not .f64 and destination is not .s64,
    .u64. Otherwise 1 << (BitWidth(dst) - 1)"."""
    if s == 'f64' or BITS[d] == 64:
        return value(d, 1 << (BITS[d] - 1)) & row_mask(d)
    return 0


# ---- Video instructions ----

def clamp_video(t, n, v, sat):
    t = t[0] + str(n)
    return clamp(t, v) if sat else v


def video(name):
    lanes = int(name[-1]) if name[-1] in '24' else 1
    kind = name.rstrip('24')[1:]
    n = 32 // lanes

    def compute(w, x, y):
        if kind == 'add':
            return x + y
        if kind == 'sub':
            return x - y
        if kind == 'absdiff':
            return abs(x - y)
        if kind == 'min':
            return min(x, y)
        if kind == 'max':
            return max(x, y)
        if kind == 'avrg':
            return (x + y + (1 if x + y >= 0 else 0)) >> 1
        if kind in ('shl', 'shr'):
            y = min(y, 32) if 'clamp' in w else y & 31
            return x << y if kind == 'shl' else x >> y
        raise KeyError(kind)

    def make(w):
        if kind == 'set':
            d, ta, tb = 'u32', w.types[0], w.types[1]
        else:
            d, ta, tb = w.types
        second = next((m for m in ('add', 'min', 'max') if m in w), None)
        def scalar(a, b, c):
            """The manual's steps: a result of 34 bits, clamped; a second
            operation on 33 bits."""
            r = lane(a, b)
            if second == 'add':
                r += value(d, c)
            elif second:
                r = (min if second == 'min' else max)(r, value(d, c))
            return own(r & mask(32)) if is_own(a, b, c) else r & mask(32)
        def is_own(a, b, c):
            if kind == 'set':
                return second in ('min', 'max') and ta == 's32' and c >> 31
            x = compute(w, value(ta, a), value(tb, b))
            if 'sat' in w and d == 'u32' and kind != 'shl' and x >> 32 > 0:
                return True
            if second not in ('min', 'max'):
                return False
            if 'sat' not in w and clamp(d, x) != x:
                return True
            return d == 'u32' and lane(a, b) >> 31
        def lane(a, b):
            x, y = value(ta[0] + str(n), a), value(tb[0] + str(n), b)
            if kind == 'set':
                order = (x > y) - (x < y)
                return int({'eq': order == 0, 'ne': order != 0,
                            'lt': order < 0, 'le': order <= 0,
                            'gt': order > 0, 'ge': order >= 0}[w.mods[0]])
            r = compute(w, x, y)
            if lanes == 1:
                r = value('s34', r)
            return clamp_video(d, n, r, 'sat' in w)
        def run(a, b, c=0):
            if lanes == 1:
                return scalar(a, b, c)
            parts = [lane(a >> (i * n), b >> (i * n)) for i in range(lanes)]
            if second:
                return (sum(parts) + c) & mask(32)  # all bits of each
            r = 0
            for i, p in enumerate(parts):
                r |= (p & mask(n)) << (i * n)
            return r
        ins = [ta, tb]
        if second or lanes > 1:
            ins.append(d)
        return [d], ins, one(run)
    return make


MEANINGS = {
    'add': add_like(1), 'sub': add_like(-1), 'mul': mul, 'mad': mad,
    'madc': madc, 'addc': with_carry(1), 'subc': with_carry(-1),
    'mul24': mul24(0), 'mad24': mul24(1), 'sad': int_op(sad, 3),
    'div': divide, 'rem': int_op(remainder), 'abs': sign_op(True),
    'neg': sign_op(False), 'min': pick(False), 'max': pick(True),
    'popc': bits_of(lambda w, t, n, x: bin(x).count('1'), 'u32'),
    'clz': bits_of(lambda w, t, n, x: n - x.bit_length(), 'u32'),
    'brev': bits_of(reverse), 'bfind': bits_of(find_top, 'u32'),
    'fns': fns, 'bfe': bfe, 'bfi': bfi, 'bmsk': bmsk, 'szext': szext,
    'dp4a': dot(4), 'dp2a': dot(2), 'fma': fma, 'rcp': rcp,
    'sqrt': lambda w: float_op(w, 1, exact.sqrt),
    'rsqrt': approximate(rsqrt), 'sin': approximate(of_double(math.sin)),
    'cos': approximate(of_double(math.cos)),
    'lg2': approximate(of_double(lg2)), 'ex2': approximate(of_double(ex2)),
    'tanh': approximate(of_double(math.tanh)), 'testp': testp,
    'copysign': copysign, 'set': set_, 'setp': setp, 'selp': selp,
    'slct': slct, 'and': logic(lambda a, b: a & b),
    'or': logic(lambda a, b: a | b), 'xor': logic(lambda a, b: a ^ b),
    'not': logic(lambda a: ~a, 1), 'cnot': logic(lambda a: a == 0, 1),
    'lop3': lop3, 'shl': shl, 'shr': shr, 'shf': shf, 'prmt': prmt,
    'mov': logic(lambda a: a, 1), 'cvt': cvt,
}
for family in ('add', 'sub', 'absdiff', 'min', 'max', 'set'):
    for suffix in ('', '2', '4'):
        MEANINGS['v' + family + suffix] = video('v' + family + suffix)
for suffix in ('2', '4'):
    MEANINGS['vavrg' + suffix] = video('vavrg' + suffix)
for kind in ('vshl', 'vshr'):
    MEANINGS[kind] = video(kind)


def meaning(op, words):
    w = Words(words)
    if op not in MEANINGS or 'b128' in words:
        return None
    if op == 'mov' and ('v2' in words or 'v4' in words):
        return None  # of vector registers: by hand
    return MEANINGS[op](w)
