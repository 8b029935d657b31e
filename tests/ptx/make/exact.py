# SPDX-License-Identifier: Apache-2.0
"""Floating-point numbers as exact fractions, rounded as PTX ISA 9.0 says.

A value is its bits; every operation is done without error and rounded once.
"""
import functools
from fractions import Fraction
from math import isqrt


class Format:
    def __init__(self, exponent, fraction, nan):
        self.e, self.f, self.nan = exponent, fraction, nan
        self.bits = 1 + exponent + fraction
        self.sign = 1 << (self.bits - 1)
        self.inf = ((1 << exponent) - 1) << fraction
        self.bias = (1 << (exponent - 1)) - 1
        self.min_exp = 1 - self.bias


# The canonical NaN of a result; f64 results may be any NaN.
F16 = Format(5, 10, 0x7FFF)
BF16 = Format(8, 7, 0x7FFF)
F32 = Format(8, 23, 0x7FFFFFFF)
F64 = Format(11, 52, 'nan64')
FORMATS = {'f16': F16, 'bf16': BF16, 'f32': F32, 'f64': F64}
NAN, INF = 'nan', 'inf'


@functools.lru_cache(maxsize=None)
def power(n):
    """Two to the n."""
    return Fraction(2) ** n


@functools.lru_cache(maxsize=None)
def decode(fmt, bits):
    """(is negative, NAN or INF or a fraction)."""
    negative = bool(bits & fmt.sign)
    bits &= fmt.sign - 1
    if bits >= fmt.inf:
        return negative, NAN if bits > fmt.inf else INF
    exponent, fraction = bits >> fmt.f, bits & ((1 << fmt.f) - 1)
    if exponent:
        fraction |= 1 << fmt.f
    scale = max(exponent, 1) - fmt.bias - fmt.f
    return negative, Fraction(fraction) * power(scale)


def steps(x, mode, negative):
    """x >= 0 rounded to a whole number."""
    low = x.numerator // x.denominator
    rest = x - low
    if rest == 0 or mode == 'rz' or (mode == 'rm' and not negative) or (
            mode == 'rp' and negative):
        return low
    if mode in ('rm', 'rp'):
        return low + 1
    half = Fraction(1, 2)
    up = rest > half or (rest == half and (mode == 'rna' or low & 1))
    return low + up


def log2_floor(x):
    n = x.numerator.bit_length() - x.denominator.bit_length()
    return n if power(n) <= x else n - 1


def is_tiny(fmt, x, negative, mode='rn'):
    """Of x >= 0: is it less than the smallest normal number after it is rounded
    as if there were no least exponent? That is what .ftz flushes."""
    if x == 0:
        return False
    unit = Fraction(2) ** (log2_floor(x) - fmt.f)
    return steps(x / unit, mode, negative) * unit < power(fmt.min_exp)


def encode(fmt, x, negative, mode='rn'):
    """The bits of |x| with that sign; fmt.exact keeps what was rounded."""
    fmt.exact = x, negative, mode
    sign = fmt.sign if negative else 0
    if x == NAN:
        return fmt.nan
    if x == INF:
        return sign | fmt.inf
    x = abs(x)
    if x == 0:
        return sign
    exponent = max(log2_floor(x), fmt.min_exp)
    n = steps(x / power(exponent - fmt.f), mode, negative)
    bits = n + ((exponent - fmt.min_exp) << fmt.f)
    if bits >= fmt.inf:
        down = mode == 'rz' or (mode == 'rm' and not negative) or (
            mode == 'rp' and negative)
        bits = fmt.inf - 1 if down else fmt.inf
    return sign | bits


def is_nan(fmt, bits):
    return bits == fmt.nan or (bits & (fmt.sign - 1)) > fmt.inf


def flush(fmt, bits):
    if isinstance(bits, int) and (bits & (fmt.sign - 1)) < 1 << fmt.f:
        return bits & fmt.sign
    return bits


def signed(v):
    """A decoded value as a number; finite ones only."""
    return -v[1] if v[0] else v[1]


def fma(fmt, a, b, c, mode='rn'):
    x, y, z = decode(fmt, a), decode(fmt, b), decode(fmt, c)
    if NAN in (x[1], y[1], z[1]):
        return fmt.nan
    negative = x[0] != y[0]
    if INF in (x[1], y[1]):
        if 0 in (x[1], y[1]):
            return fmt.nan
        if z[1] == INF and z[0] != negative:
            return fmt.nan
        return encode(fmt, INF, negative)
    if z[1] == INF:
        return encode(fmt, INF, z[0])
    product = signed(x) * signed(y)
    total = product + signed(z)
    if total == 0:
        if product == 0 and z[1] == 0 and negative == z[0]:
            return encode(fmt, Fraction(0), negative)
        return encode(fmt, Fraction(0), mode == 'rm')
    return encode(fmt, total, total < 0, mode)


def add(fmt, a, b, mode='rn'):
    return fma(fmt, a, encode(fmt, Fraction(1), False), b, mode)


def neg(fmt, a):
    return a ^ fmt.sign


def mul(fmt, a, b, mode='rn'):
    x, y = decode(fmt, a), decode(fmt, b)
    negative = x[0] != y[0]
    if NAN in (x[1], y[1]):
        return fmt.nan
    if INF in (x[1], y[1]):
        return fmt.nan if 0 in (x[1], y[1]) else encode(fmt, INF, negative)
    return encode(fmt, x[1] * y[1], negative, mode)


def div(fmt, a, b, mode='rn'):
    x, y = decode(fmt, a), decode(fmt, b)
    negative = x[0] != y[0]
    if NAN in (x[1], y[1]) or x[1] == y[1] == INF or x[1] == y[1] == 0:
        return fmt.nan
    if x[1] == INF or y[1] == 0:
        return encode(fmt, INF, negative)
    if y[1] == INF:
        return encode(fmt, Fraction(0), negative)
    return encode(fmt, x[1] / y[1], negative, mode)


def sqrt(fmt, a, mode='rn'):
    negative, x = decode(fmt, a)
    if x == NAN or (negative and x != 0):
        return fmt.nan
    if x in (0, INF):
        return a
    # Enough digits below the last place, and a sticky one.
    scale = 2 * (fmt.f + 8 - log2_floor(x) // 2)
    big = x * power(scale)
    root = isqrt(big.numerator // big.denominator)
    exact = root * root == big
    r = Fraction(2 * root + (not exact), 2) / power(scale // 2)
    return encode(fmt, r, False, mode)


def saturate(fmt, bits):
    if is_nan(fmt, bits) or bits & fmt.sign:
        return 0
    return min(bits, encode(fmt, Fraction(1), False))


def compare(fmt, a, b):
    """-1, 0, 1, or None when they are not ordered."""
    x, y = decode(fmt, a), decode(fmt, b)
    if NAN in (x[1], y[1]):
        return None
    big = Fraction(2) ** 2000
    x = signed((x[0], big if x[1] == INF else x[1]))
    y = signed((y[0], big if y[1] == INF else y[1]))
    return (x > y) - (x < y)


def least(fmt, a, b, keep_nan, is_max):
    if is_nan(fmt, a) or is_nan(fmt, b):
        if keep_nan or (is_nan(fmt, a) and is_nan(fmt, b)):
            return fmt.nan
        return b if is_nan(fmt, a) else a
    order = compare(fmt, a, b)
    if order == 0:  # -0 is less than +0
        order = (b >= fmt.sign) - (a >= fmt.sign)
    return (a if order > 0 else b) if is_max else (a if order < 0 else b)


def whole(x, mode):
    """A fraction rounded to a whole number: rni, rzi, rmi, rpi."""
    n = steps(abs(x), mode[:2], x < 0)
    return -n if x < 0 else n
