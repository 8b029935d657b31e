# SPDX-License-Identifier: Apache-2.0
"""Writes tests/ptx/made: for every row of gpu/ptx/ptx_forms.def that
meaning.py knows, a test of all its modifiers.

    python3 tests/ptx/make/make.py [--ptxas] [--into FOLDER]

from the root; --ptxas: let NVIDIA's assembler read them. `tests/source.sh made`
compares tests/ptx/made with what this writes.
"""
import itertools
import os
import random
import re
import struct
import subprocess
import sys
import zlib

sys.path.insert(0, os.path.dirname(__file__))
import exact
import forms
import memory
from meaning import BITS, DIFFERS, FORMATS, TYPES, base, is_signed, meaning

FOLDER = 'tests/ptx/made'
if '--into' in sys.argv:
    FOLDER = sys.argv[sys.argv.index('--into') + 1]
HEAD = '''.version {version}
.target sm_{sm}
.address_size 64
.visible .entry test(.param .u64 in, .param .u64 out)
{{
  .reg .pred %p<{p}>;
  .reg .b16 %h<{h}>;
  .reg .b32 %r<{r}>;
  .reg .b64 %d<{d}>;
  ld.param.u64 %d0, [in];
  ld.param.u64 %d1, [out];
  mov.u32 %r0, %tid.x;
  mad.wide.u32 %d0, %r0, {ins}, %d0;
  mad.wide.u32 %d1, %r0, {outs}, %d1;
'''

# What the manual states of functions that it does not define to the last bit:
# (relative, absolute) errors, by mnemonic and type.
WITHIN = {
    ('div', 'f32'): (2 ** -22, 0), ('rcp', 'f32'): (2 ** -22.9, 0),
    ('sqrt', 'f32'): (2 ** -22.9, 0), ('rsqrt', 'f32'): (2 ** -22.4, 0),
    ('sin', 'f32'): (0, 2 ** -20.5), ('cos', 'f32'): (0, 2 ** -20.5),
    ('lg2', 'f32'): (2 ** -22, 2 ** -22), ('ex2', 'f32'): (2 ** -22, 0),
    ('tanh', 'f32'): (2 ** -11, 0), ('rcp', 'f64'): (2 ** -20, 0),
    ('rsqrt', 'f64'): (2 ** -20, 0), ('ex2', 'f16'): (2 ** -9.9, 0),
    ('ex2', 'bf16'): (2 ** -7, 0), ('tanh', 'f16'): (0, 2 ** -10.987),
    ('tanh', 'bf16'): (0, 2 ** -8),
}


def f32(x):
    return struct.unpack('<I', struct.pack('<f', x))[0]


# ---- Operands worth trying ----

def float_pool(t):
    m = FORMATS[t]
    one = m.bias << m.f
    least = 1 << m.f
    pool = [0, m.sign, one, one | m.sign, one + 1, one - 1, m.inf,
            m.inf | m.sign, m.inf | 1 << (m.f - 1), least, least | m.sign,
            1, m.sign | 1, least - 1, m.inf - 1, m.inf - 1 | m.sign]
    for x in (1.5, -2.5, 0.5, -0.5, 3.0, 1 / 3, -7.25, 100.625, 0.7):
        pool.append(exact.encode(m, exact.Fraction(x), x < 0))
    return pool


def int_pool(bits):
    top = 1 << (bits - 1)
    return [0, 1, 2, 3, top, top - 1, 2 * top - 1, 2 * top - 2, top + 1,
            0x5A & (2 * top - 1), top >> 1, 0x123456789ABCDEF0 % (2 * top)]


def pool_of(t, rng):
    if t in ('pred', 'carry'):
        return [0, 1]
    if t == 'count':
        return [0, 1, 5, 16, 31, 32, 33, 63, 64, 255, 256, 0x80000000]
    if t in FORMATS:
        m = FORMATS[t]
        return float_pool(t) + [rng.getrandbits(m.bits) for _ in range(8)]
    if base(t) in FORMATS and t.endswith('x2'):
        halves = float_pool(base(t))
        return [rng.choice(halves) << 16 | h for h in halves] + [
            rng.getrandbits(32) for _ in range(8)]
    n = BITS[t]
    return int_pool(n) + [rng.getrandbits(n) for _ in range(8)]


SHIFTED = ('shl', 'shr', 'shf', 'bfe', 'bfi', 'bmsk', 'szext', 'fns')
DOMAIN = {'sin': (-3.2, 3.2), 'cos': (-3.2, 3.2), 'ex2': (-20, 20),
          'tanh': (-4, 4)}


def pools(op, words, ins, rng):
    out = []
    for n, t in enumerate(ins):
        if op in SHIFTED and t == 'u32' and n > 0:
            t = 'count'
        p = pool_of(t, rng)
        if op in DOMAIN and base(t) in FORMATS:
            low, high = DOMAIN[op]
            m = FORMATS[base(t)]
            near = [exact.encode(m, abs(exact.Fraction(x)), x < 0)
                    for x in (rng.uniform(low, high) for _ in range(24))]
            special = [0, m.sign, m.bias << m.f, m.inf | 1 << (m.f - 1)]
            if op not in ('sin', 'cos'):
                special += [m.inf, m.inf | m.sign]
            p = near + special
            if t.endswith('x2'):
                p = [rng.choice(p) << 16 | h for h in p]
        if op == 'fns':
            p = [0xF0F00001, 0xFFFFFFFF, 0, 0x80000001] if n == 0 else \
                [0, 4, 15, 31] if n == 1 else [0, 1, 2, 0xFFFFFFFF, 0xFFFFFFFD]
        if op == 'div' and 'approx' in words or op == 'div' and 'full' in words:
            # "2 ulp" is stated for divisors in [2^-126, 2^126]
            m = exact.F32
            p = [x for x in p if x & 0x7FFFFFFF >= 1 << 23 and
                 x & 0x7FFFFFFF <= 0x7E800000 or x & 0x7FFFFFFF in (0,)
                 or exact.is_nan(m, x)]
        out.append(p)
    return out


# Products between the largest subnormal number and the smallest normal one.
NEAR_LEAST = {'f16': [(0x0400, 0x3BFF), (0x0401, 0x3BFE)],
              'f32': [(0x00800000, 0x3F7FFFFF), (0x00800001, 0x3F7FFFFE)]}
# Quiet and signalling, positive and negative, with and without a payload.
NANS = {'f32': [0x7FC00000, 0xFFC00000, 0x7FD55555, 0x7F800001, 0xFFAAAAAA,
                0x7FFFFFFF],
        'f64': [0x7FF8000000000000, 0xFFF8000000000000, 0x7FFAAAAAAAAAAAAA,
                0x7FF0000000000001, 0xFFF5555555555555, 0x7FFFFFFFFFFFFFFF,
                0x380FFFFFFFFFFFFF, 0x380FFFFFF0000000, 0xB80FFFFFE0000000],
        'bf16': [0x7FC0, 0xFFC0, 0x7FD5, 0x7F81, 0xFFAA, 0x7FFF],
        'f16': [0x7E00, 0xFE00, 0x7EAA, 0x7C01, 0xFD55, 0x7FFF]}


def product_ties(t):
    """(1 + 3 units) * 1.5 lies between an even and an odd number."""
    m = FORMATS[t]
    one = m.bias << m.f
    return [(one + 3, one | 1 << (m.f - 1))]


def cvt_ties(words, t):
    """Between an even and an odd number of the result's type, either sign."""
    d = base(next(w for w in words if w in TYPES))
    if d not in FORMATS and d != 'tf32':
        return []
    f = 10 if d == 'tf32' else FORMATS[d].f
    if t in FORMATS:
        m = FORMATS[t]
        x = (m.bias << m.f) + (1 << (m.f - f - 1)) if m.f > f else 0
        return [x, x | m.sign] if x else []
    x = (1 << (f + 1)) + 1
    if x >= 1 << (BITS[t] - is_signed(t)):
        return []
    return [x, (1 << BITS[t]) - x] if is_signed(t) else [x]


def further_cases(op, words, ins):
    t = ins[0]
    if op in ('mul', 'fma', 'mad') and t in FORMATS:
        rest = (0,) * (len(ins) - 2)
        return [p + rest for p in NEAR_LEAST.get(t, []) + product_ties(t)]
    if op == 'cvt' and len(ins) == 1:
        return [(x,) for x in NANS.get(t, []) + cvt_ties(words, t)]
    return []


def choose_cases(op, words, ins, limit, rng):
    all_pools = pools(op, words, ins, rng)
    if len(ins) == 1:
        return [(x,) for x in all_pools[0]][:limit]
    if len(ins) == 2 and ins[1] not in ('pred', 'carry'):
        core = [(x, y) for x in all_pools[0][:9] for y in all_pools[1][:9]]
        rng.shuffle(core)
        core = core[:limit * 2 // 3]
    else:
        core = []
    while len(core) < limit:
        core.append(tuple(rng.choice(p) for p in all_pools))
    return list(dict.fromkeys(core))


# ---- Cases that tell modifiers apart ----

def odd_float(m, rng, pool):
    """Near 1, near the least number, or one worth trying."""
    kind, sign = rng.randrange(4), rng.choice((0, m.sign))
    if kind == 0:
        return sign | (m.bias + rng.randrange(-3, 4)) << m.f | \
            rng.getrandbits(m.f)
    if kind == 1:
        return sign | rng.getrandbits(m.f)
    if kind == 2:
        return sign | (1 << m.f) + rng.getrandbits(m.f)
    return rng.choice(pool)


def odd(t, rng, pool):
    if base(t) in FORMATS and t.endswith('x2'):
        m, halves = FORMATS[base(t)], float_pool(base(t))
        return odd_float(m, rng, halves) << 16 | odd_float(m, rng, halves)
    if t in FORMATS:
        return odd_float(FORMATS[t], rng, pool)
    if t not in BITS or rng.random() < .5:
        return rng.choice(pool)
    return rng.getrandbits(rng.randrange(1, BITS[t] + 1))


def odd_case(ins, rng, all_pools):
    """Operands of one type are often equal, or almost, or opposite."""
    case = [odd(ins[0], rng, all_pools[0])]
    for t, pool in zip(ins[1:], all_pools[1:]):
        near = rng.randrange(6)
        if t != ins[0] or t not in BITS or near > 2 or isinstance(case[0], str):
            case.append(odd(t, rng, pool))
        else:
            change = (0, 1, 1 << (BITS[t] - 1))[near]
            case.append(case[0] ^ change)
    return tuple(case)


TRIES, MOST_FURTHER = 400, 16


def telling_cases(op, cases, ins, runs, all_pools, rng):
    """More cases, until no two instructions of the file have the same results
    throughout, or until none can be found: what a test does not tell apart, a
    wrong modifier would pass."""
    def results(case):
        out = [run(*[case[i] for i in at]) for run, at in runs]
        usable = not any(v is None or isinstance(v, str) and v[0] == '~'
                         for r in out for v in r)
        return out if usable else None
    same = {(a, b) for a in range(len(runs)) for b in range(a)}
    def split(out):
        return {(a, b) for a, b in same if out[a][:1] != out[b][:1]}
    for case in cases:
        out = results(case)
        same -= split(out) if out else set()
    more = []
    for _ in range(TRIES):
        if not same or len(more) == MOST_FURTHER:
            break
        case = odd_case(ins, rng, all_pools)
        out = results(case)
        found = split(out) if out else set()
        if found:
            same -= found
            more.append(case)
    return more


# ---- Which modifiers meet in a test ----

def combinations(groups, keys):
    """Word lists in which every alternative of every group occurs."""
    fixed = []
    free = []
    key_at = 0
    for n, (kind, words) in enumerate(groups):
        if kind == '.':
            fixed.append((n, words[0]))
        elif kind == '{':
            fixed.append((n, keys[key_at]))
            key_at += 1
        else:
            free.append((n, words if kind == '(' else [None] + words))
    def words_of(choice):
        both = fixed + [(n, c) for (n, _), c in zip(free, choice) if c]
        return [w for _, w in sorted(both)]
    total = 1
    for _, words in free:
        total *= len(words)
    if total <= 20:
        return [words_of(c) for c in itertools.product(*[w for _, w in free])]
    out = []
    most = max(len(w) for _, w in free)
    for k in range(most):
        out.append(words_of([w[k % len(w)] for _, w in free]))
    # And each beside the plainest; a hint tells the row from its neighbour.
    plain = [words[5] if 'L1::no_allocate' in words else words[0]
             for _, words in free]
    for at, (_, words) in enumerate(free):
        for word in words[1:]:
            out.append(words_of([word if n == at else w
                                 for n, w in enumerate(plain)]))
    unique = []
    for words in out:
        if words not in unique:
            unique.append(words)
    return unique


def rows(groups):
    return itertools.product(*[w for kind, w in groups if kind == '{'])


# ---- One file ----

class Writer:
    def __init__(self):
        self.count = {'p': 1, 'h': 1, 'r': 1, 'd': 2}
        self.code = []

    def new(self, t):
        if t in ('pred', 'pair'):
            c = 'p'
        elif t == 'carry':
            c = 'r'
        else:
            n = BITS[t]
            c = 'h' if n == 16 else 'd' if n == 64 else 'r'
        self.count[c] += 1
        return '%%%s%d' % (c, self.count[c] - 1)

    def add(self, text):
        self.code.append('  ' + text + ';')

    def load(self, t, slot):
        reg = self.new(t)
        if t == 'pred':
            r = self.new('b32')
            self.add('ld.global.b32 %s, [%%d0+%d]' % (r, slot * 8))
            self.add('setp.ne.u32 %s, %s, 0' % (reg, r))
        else:
            width = {'h': 16, 'r': 32, 'd': 64}[reg[1]]
            self.add('ld.global.b%d %s, [%%d0+%d]' % (width, reg, slot * 8))
        return reg

    def store(self, reg, slot):
        if reg[1] == 'p':
            r = self.new('b32')
            self.add('selp.u32 %s, 1, 0, %s' % (r, reg))
            reg = r
        width = {'h': 16, 'r': 32, 'd': 64}[reg[1]]
        self.add('st.global.b%d [%%d1+%d], %s' % (width, slot * 8, reg))


def emit(w, op, words, outs, ins, regs, slot):
    """One instruction and the stores of its results; returns their count."""
    less = op.startswith('sub')
    args = []
    for t, reg in zip(ins, regs):
        if t == 'carry':
            temp = w.new('b32')
            w.add('sub.cc.u32 %s, 0, %s' % (temp, reg) if less else
                  'add.cc.u32 %s, %s, 0xFFFFFFFF' % (temp, reg))
        elif t == 'table':
            args.append('0xE4' if 'and' in words else '0x1E')
        else:
            args.append(reg)
    results = [w.new(t) for t in outs]
    target = results[0]
    if 'pair' in outs:
        target += '|' + results[outs.index('pair')]
    w.add('.'.join([op] + words) + ' ' + ', '.join([target] + args))
    if 'carry' in outs:
        carry = results[outs.index('carry')]
        if less:
            w.add('subc.u32 %s, 0, 0' % carry)
            w.add('neg.s32 %s, %s' % (carry, carry))
        else:
            w.add('addc.u32 %s, 0, 0' % carry)
    for n, reg in enumerate(results):
        w.store(reg, slot + n)
    return len(results)


def anchors():
    out = {}
    for line in open('gpu/ptx/ptx_ops.def'):
        m = re.match(r'OP\((\w+), *"(\w+)".*"([a-z0-9-]+)"\)', line)
        if m:
            out[m.group(2)] = (m.group(1), m.group(3))
    return out


def hexes(values):
    return ' '.join(v if isinstance(v, str) else '0x%x' % v for v in values)


def differs(op, lines):
    is_needed = any('~' in line for line in lines)
    return ['// differs: ' + DIFFERS[op]] if is_needed else []


def is_approximate(op, words):
    return 'approx' in words or 'full' in words


def within_lines(op, words, outs, slot):
    if not is_approximate(op, words):
        return []
    t = outs[0]
    rel, abs_ = WITHIN[(op, base(t))]
    if op == 'rsqrt' and t == 'f64' and 'ftz' not in words:
        rel = 2 ** -51
    return ['// within: %d %s relative %.3g absolute %.3g' % (slot, t, rel,
                                                              abs_)]


MAX_SLOTS = 32


def write_row(name, op, lists, isa, sm, anchor, limit=28):
    """Returns the file's name, or None where no meaning is known."""
    shape = meaning(op, lists[0])
    if not shape:
        return None
    rng = random.Random(zlib.crc32(name.encode()))
    # Instructions of one row may take different operands.
    longest = max((meaning(op, words)[1] for words in lists), key=len)
    ins = [t for t in longest if t != 'table']
    cases = choose_cases(op, lists[0], ins, limit, rng)
    w = Writer()
    regs = [w.load(t, n) for n, t in enumerate(ins)]
    slot, runs, notes = 0, [], []
    for words in lists:
        outs, own, run = meaning(op, words)
        if slot + len(outs) > MAX_SLOTS:
            raise SystemExit('%s: too many outputs' % name)
        given = [t for t in own if t != 'table']
        at = [n if ins[n] == t else ins.index(t)
              for n, t in enumerate(given)]
        full, k = [], 0
        for t in own:
            full.append(None if t == 'table' else regs[at[k]])
            k += t != 'table'
        notes += within_lines(op, words, outs, slot)
        slot += emit(w, op, words, outs, own, full, slot)
        runs.append((run, at))
    lines = ['// SPDX-License-Identifier: Apache-2.0',
             '// Made by tests/ptx/make/make.py.',
             '// op: %s (PTX ISA, %s)' % anchor] + notes
    cases += [c for c in further_cases(op, lists[0], ins) if c not in cases]
    if not is_approximate(op, lists[0]) and op not in SHIFTED:
        rng = random.Random(zlib.crc32(name.encode()) + 1)
        cases += telling_cases(op, cases, ins, runs,
                               pools(op, lists[0], ins, rng), rng)
    made = []
    for case in cases:
        want = []
        for run, at in runs:
            want += run(*[case[i] for i in at])
        if None in want:
            continue
        made.append('// case: %s => %s' % (hexes(case), hexes(want)))
    lines += differs(op, made) + made
    version = max(isa, 80)
    counts = {k: v + 1 for k, v in w.count.items()}
    body = HEAD.format(version='%d.%d' % divmod(version, 10), sm=max(sm, 80),
                       ins=8 * len(ins), outs=8 * slot, **counts)
    path = os.path.join(FOLDER, name + '.ptx')
    with open(path, 'w') as f:
        f.write('\n'.join(lines) + '\n' + body + '\n'.join(w.code) +
                '\n  ret;\n}\n')
    return path


def write_memory(name, op, lists, isa, sm, anchor):
    header = ['// SPDX-License-Identifier: Apache-2.0',
              '// Made by tests/ptx/make/make.py.',
              '// op: %s (PTX ISA, %s)' % anchor]
    if any('L2::cache_hint' in words for words in lists):
        isa, sm = max(isa, 74), max(sm, 80)
    if any('b128' in words for words in lists):
        isa, sm = max(isa, 84), max(sm, 90)
    if any('cluster' in w for words in lists for w in words):
        isa, sm = max(isa, 78), max(sm, 90)
    if op in ('atom', 'red'):
        rng = random.Random(zlib.crc32(name.encode()))
        text = memory.atom_file(op, lists, header, isa, sm, rng)
    elif any('param::entry' in words for words in lists):
        text = memory.entry_load(op, lists, header, isa, sm)
    else:
        text = memory.plain_file(op, lists, header, isa, sm)
    path = os.path.join(FOLDER, name + '.ptx')
    with open(path, 'w') as f:
        f.write(text)
    return path


MEMORY = ('ld', 'ldu', 'st', 'atom', 'red')


def chunks(op, lists):
    """Instructions of one row, so many that their results fit."""
    out, room = [[]], MAX_SLOTS
    for words in lists:
        n = memory.room(op, words) if op in MEMORY else \
            len(meaning(op, words)[0])
        if n > room:
            out.append([])
            room = MAX_SLOTS
        out[-1].append(words)
        room -= n
    return out


def main():
    os.makedirs(FOLDER, exist_ok=True)
    for old in os.listdir(FOLDER):
        os.remove(os.path.join(FOLDER, old))
    anchor = anchors()
    made, seen, skipped = [], {}, set()
    for op, groups, isa, sm in forms.parse():
        if op not in anchor:
            continue
        for keys in rows(groups):
            lists = combinations(groups, keys)
            if op in MEMORY:
                lists = [memory.repair(words) for words in lists]
            elif not meaning(op, lists[0]):
                skipped.add(op)
                continue
            fixed = [w for kind, words in groups if kind == '.'
                     for w in words]
            name = '_'.join([op] + [w for w in fixed if w not in TYPES] +
                            list(keys) + [w for w in fixed if w in TYPES])
            name = name.replace('::', '_')
            for part in chunks(op, lists):
                n = seen[name] = seen.get(name, 0) + 1
                write = write_memory if op in MEMORY else write_row
                path = write(name if n == 1 else '%s_%d' % (name, n), op,
                                 part, isa, sm, anchor[op])
                made.append(path)
    print('%d files; by hand: %s' % (len(made), ' '.join(sorted(skipped))))
    if '--ptxas' in sys.argv:
        for path in made:
            r = subprocess.run(['ptxas', '-arch=sm_90', '-o', '/dev/null',
                                path], capture_output=True, text=True)
            if r.returncode:
                print(path, r.stderr.split('\n')[0])


main()
