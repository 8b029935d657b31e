# SPDX-License-Identifier: Apache-2.0
"""Tests of what touches memory: ld, st, atom, red and their modifiers.

Every file has the instructions of one row. What the manual says of them is in
few words: the bytes of an element lie lowest first ("Operand Size Exceeding
Instruction-Type Size", "ld", "st", "atom", "red"); hints change nothing.
"""
import exact
from meaning import BITS, DIFFERS, FORMATS, base, mask, own, value

DATA = bytes((0x81, 0x02, 0x93, 0x74, 0xA5, 0xB6, 0x47, 0xC8,
              0x99, 0x1A, 0x2B, 0x8C, 0x3D, 0xFE, 0x5F, 0xE0))
TYPES = set(BITS)


def type_of(words):
    return [w for w in words if w in TYPES][-1]


def lanes_of(words):
    return {'v2': 2, 'v4': 4, 'v8': 8}.get(
        next((w for w in words if w in ('v2', 'v4', 'v8')), ''), 1)


def fits(words):
    """Vectors have 16 bytes at most, and at least one byte an element."""
    n = lanes_of(words)
    return n == 1 or n * BITS[type_of(words)] <= 128


def repair(words):
    """The same modifiers with a type that goes with them."""
    if fits(words):
        return words
    return [('b32' if w == type_of(words) else w) for w in words]


def space_of(words):
    for w in words:
        if w.split('::')[0] in ('global', 'shared', 'local', 'const', 'param'):
            return w.split('::')[0]
    return 'generic'


class Kernel:
    def __init__(self):
        self.count = {'p': 1, 'h': 1, 'r': 1, 'd': 2, 'q': 1}
        self.code = []
        self.want = []
        self.why = ''  # a real GPU differs, see DIFFERS

    def reg(self, bits):
        c = 'h' if bits == 16 else 'd' if bits == 64 else \
            'q' if bits == 128 else 'r'
        self.count[c] += 1
        return '%%%s%d' % (c, self.count[c] - 1)

    def add(self, text):
        self.code.append('  ' + text + ';')

    def put(self, reg, slot, bits):
        self.add('st.global.b%d [%%d1+%d], %s' % (bits, slot * 8, reg))

    def registers(self):
        return ''.join('  .reg .%s %%%s<%d>;\n' % (t, c, self.count[c] + 1)
                       for c, t in (('p', 'pred'), ('h', 'b16'), ('r', 'b32'),
                                    ('d', 'b64'), ('q', 'b128'))
                       if c != 'q' or self.count[c] > 1)


def number(data):
    return int.from_bytes(data, 'little')


def operand(regs):
    return regs[0] if len(regs) == 1 else '{' + ', '.join(regs) + '}'


def tail(k, words):
    if 'L2::cache_hint' not in words:
        return ''
    policy = k.reg(64)
    k.add('createpolicy.fractional.L2::evict_first.b64 ' + policy)
    return ', ' + policy


# ---- ld ----

def load(k, op, words, address, slot):
    """Loads DATA and stores what came; returns the slots used."""
    t, n = type_of(words), lanes_of(words)
    bits = BITS[t]
    width = max(bits, 16) if bits != 8 else 32
    regs = [k.reg(width) for _ in range(n)]
    last = tail(k, words)
    k.add('%s %s, [%s]%s' % ('.'.join([op] + words), operand(regs), address,
                             last))
    used = 0
    for j, reg in enumerate(regs):
        v = number(DATA[j * bits // 8:(j + 1) * bits // 8])
        if bits == 128:
            low, high = k.reg(64), k.reg(64)
            k.add('mov.b128 {%s, %s}, %s' % (low, high, reg))
            k.put(low, slot + used, 64)
            k.put(high, slot + used + 1, 64)
            k.want += [v & mask(64), v >> 64]
            used += 2
            continue
        k.put(reg, slot + used, width)
        k.want.append(value(t, v) & mask(width))
        used += 1
    return used


def fill(k, space, address):
    for half in (0, 8):
        k.add('st.%s.u64 [%s+%d], 0x%x' % (space, address, half,
                                           number(DATA[half:half + 8])))


def array(space, name, data=None):
    init = ' = {%s}' % ', '.join(map(str, data)) if data else ''
    return '.%s .align 16 .b8 %s[16]%s;\n' % (space, name, init)


# ---- st ----

def store(k, op, words, space, address, slot):
    """Stores into 16 zero bytes and reads them back."""
    t, n = type_of(words), lanes_of(words)
    bits = BITS[t]
    plain = space if space != 'generic' else 'global'
    for half in (0, 8):
        k.add('st.%s.u64 [%s+%d], 0' % (plain, address, half))
    regs = []
    for j in range(n):
        v = number(DATA[j * bits // 8:(j + 1) * bits // 8])
        reg = k.reg(32 if bits == 8 else bits)
        if bits == 128:
            low, high = k.reg(64), k.reg(64)
            k.add('mov.b64 %s, 0x%x' % (low, v & mask(64)))
            k.add('mov.b64 %s, 0x%x' % (high, v >> 64))
            k.add('mov.b128 %s, {%s, %s}' % (reg, low, high))
        else:
            k.add('mov.b%d %s, 0x%x' % (32 if bits == 8 else bits, reg, v))
        regs.append(reg)
    last = tail(k, words)
    k.add('%s [%s], %s%s' % ('.'.join([op] + words), address, operand(regs),
                             last))
    size = n * bits // 8
    whole = DATA[:size] + bytes(16 - size)
    for half in (0, 8):
        reg = k.reg(64)
        k.add('ld.%s.u64 %s, [%s+%d]' % (plain, reg, address, half))
        k.put(reg, slot + half // 8, 64)
        k.want.append(number(whole[half:half + 8]))
    return 2


# ---- Files of ld and st ----

def plain_file(op, lists, header, version, sm):
    """All instructions in the kernel, or, for parameters of a function, in
    a function that it calls."""
    k = Kernel()
    is_param = any(w in ('param', 'param::func') for w in lists[0])
    is_load = op in ('ld', 'ldu')
    module = array('global', 'data', DATA if is_load else bytes(16))
    module += array('const', 'fixed', DATA)
    slot = 0
    local = ''
    ready = set()
    if is_param and is_load:
        return param_load(op, lists, header, version, sm)
    for words in lists:
        space = space_of(words)
        if space == 'param' and not is_load:
            slot += param_store(k, op, words, slot)
            continue
        if space in ('global', 'generic'):
            address = k.reg(64)
            k.add('mov.u64 %s, data' % address)
        elif space == 'const':
            address = 'fixed'
        else:
            address = 's' if space == 'shared' else 'l'
            if space not in ready:
                local += '  ' + array(space, address)
                if is_load:
                    fill(k, space, address)
            ready.add(space)
        if is_load:
            slot += load(k, op, words, address, slot)
        else:
            slot += store(k, op, words, space, address, slot)
    if is_param:
        module += CALLEE
    return kernel_text(k, header, module, local, version, sm, 0, slot)


CALLEE = '''.func keep(.param .align 16 .b8 p[16], .param .b64 to)
{
  .reg .b64 %d<4>;
  ld.param.u64 %d0, [p];
  ld.param.u64 %d1, [p+8];
  ld.param.u64 %d2, [to];
  st.global.u64 [%d2], %d0;
  st.global.u64 [%d2+8], %d1;
  ret;
}
'''


def param_store(k, op, words, slot):
    """st.param into an argument; the callee keeps all 16 bytes."""
    t, n = type_of(words), lanes_of(words)
    bits = BITS[t]
    regs = []
    k.add('{ .param .align 16 .b8 q[16]')
    k.add('.param .b64 w')
    for half in (0, 8):
        zero = k.reg(64)
        k.add('mov.b64 %s, 0' % zero)
        k.add('st.param.b64 [q+%d], %s' % (half, zero))
    for j in range(n):
        v = number(DATA[j * bits // 8:(j + 1) * bits // 8])
        reg = k.reg(32 if bits == 8 else bits)
        if bits == 128:
            low, high = k.reg(64), k.reg(64)
            k.add('mov.b64 %s, 0x%x' % (low, v & mask(64)))
            k.add('mov.b64 %s, 0x%x' % (high, v >> 64))
            k.add('mov.b128 %s, {%s, %s}' % (reg, low, high))
        else:
            k.add('mov.b%d %s, 0x%x' % (32 if bits == 8 else bits, reg, v))
        regs.append(reg)
    to = k.reg(64)
    k.add('add.s64 %s, %%d1, %d' % (to, slot * 8))
    k.add('st.param.b64 [w], %s' % to)
    k.add('%s [q], %s' % ('.'.join([op] + words), operand(regs)))
    k.add('call keep, (q, w)')
    k.code.append('  }')
    size = n * bits // 8
    whole = DATA[:size] + bytes(16 - size)
    k.why = DIFFERS[op]
    low = number(whole[:8])
    k.want += [own(low) if t == 's8' and n == 1 else low, number(whole[8:])]
    return 2


def param_load(op, lists, header, version, sm):
    """ld.param in a function that was given DATA."""
    k = Kernel()
    k.add('ld.param.u64 %d1, [to]')
    slot = 0
    for words in lists:
        slot += load(k, op, words, 'p', slot)
        if 'b128' in words:
            k.want[-1] = own(k.want[-1])
    module = '.func look(.param .align 16 .b8 p[16], .param .b64 to)\n{\n' + \
        k.registers() + '\n'.join(k.code) + '\n  ret;\n}\n'
    main = Kernel()
    main.want, main.why = k.want, DIFFERS[op]
    main.add('{ .param .align 16 .b8 q[16]')
    main.add('.param .b64 w')
    for half in (0, 8):
        r = main.reg(64)
        main.add('mov.b64 %s, 0x%x' % (r, number(DATA[half:half + 8])))
        main.add('st.param.b64 [q+%d], %s' % (half, r))
    main.add('st.param.b64 [w], %d1')
    main.add('call look, (q, w)')
    main.code.append('  }')
    return kernel_text(main, header, module, '', version, sm, 0, slot)


def entry_load(op, lists, header, version, sm):
    """ld.param::entry: the address of the inputs, part by part, against the
    same as a whole."""
    k = Kernel()
    k.count['d'] = 3  # %d2 is the whole
    slot = 0
    for words in lists:
        words = list(words)
        t, n = type_of(words), lanes_of(words)
        if n * BITS[t] > 64:
            t2 = 'b16' if n == 4 else 'b32'
            words = [t2 if w == t else w for w in words]
            t = t2
        if BITS[t] > 64:
            continue
        bits = BITS[t]
        width = 32 if bits == 8 else bits
        regs = [k.reg(width) for _ in range(n)]
        k.add('%s %s, [in]' % ('.'.join([op] + words), operand(regs)))
        for j, reg in enumerate(regs):
            part, got, d = k.reg(64), k.reg(64), k.reg(64)
            k.add('shr.u64 %s, %%d2, %d' % (part, j * bits))
            if bits < 64:
                k.add('and.b64 %s, %s, 0x%x' % (part, part, mask(bits)))
            if width == 64:
                k.add('mov.b64 %s, %s' % (got, reg))
            else:
                k.add('cvt.u64.u%d %s, %s' % (width, got, reg))
            if bits < 64:
                k.add('and.b64 %s, %s, 0x%x' % (got, got, mask(bits)))
            k.add('xor.b64 %s, %s, %s' % (d, got, part))
            k.put(d, slot, 64)
            k.want.append(0)
            slot += 1
    first = ['  ld.param.u64 %d2, [in];']
    k.code = first + k.code
    return kernel_text(k, header, '', '', version, sm, 0, slot)


def kernel_text(k, header, module, local, version, sm, ins, outs, cases=None):
    if not cases:
        cases = [((), k.want)]
    lines = []
    for given, want in cases:
        lines.append('// case: %s => %s' % (
            ' '.join('0x%x' % v for v in given),
            ' '.join(v if isinstance(v, str) else '0x%x' % v for v in want)))
    if any('~' in line for line in lines):
        lines.insert(0, '// differs: ' + k.why)
    lines = list(header) + lines
    lines.append('.version %d.%d\n.target sm_%d\n.address_size 64' % (
        *divmod(max(version, 80), 10), max(sm, 80)))
    body = '''%s.visible .entry test(.param .u64 in, .param .u64 out)
{
%s%s  ld.param.u64 %%d0, [in];
  ld.param.u64 %%d1, [out];
  mov.u32 %%r0, %%tid.x;
  mad.wide.u32 %%d0, %%r0, %d, %%d0;
  mad.wide.u32 %%d1, %%r0, %d, %%d1;
%s
  ret;
}
''' % (module, k.registers(), local, 8 * max(ins, 1), 8 * outs,
       '\n'.join(k.code))
    return '\n'.join(lines) + '\n' + body


# ---- atom and red ----

def atom_result(words, t, old, b, c):
    what = next(w for w in words if w in ('add', 'min', 'max', 'and', 'or',
                                          'xor', 'inc', 'dec', 'exch', 'cas'))
    n = BITS[t]
    if t.endswith('x2'):
        h = base(t)
        return atom_result(words, h, old & 0xFFFF, b & 0xFFFF, 0) | \
            atom_result(words, h, old >> 16, b >> 16, 0) << 16
    if t in FORMATS:
        fmt = FORMATS[t]
        if t == 'f32' and what == 'add' and space_of(words) != 'shared':
            # "flushes subnormal inputs and results", outside shared memory
            return exact.flush(fmt, exact.add(fmt, exact.flush(fmt, old),
                                              exact.flush(fmt, b)))
        if what == 'add':
            return exact.add(fmt, old, b)
        if what in ('min', 'max'):
            return exact.least(fmt, old, b, False, what == 'max')
    x, y = value(t, old), value(t, b)
    if what == 'add':
        return x + y & mask(n)
    if what in ('min', 'max'):
        return (min if what == 'min' else max)(x, y) & mask(n)
    if what == 'inc':
        return 0 if old >= b else old + 1
    if what == 'dec':
        return b if old == 0 or old > b else old - 1
    return {'and': old & b, 'or': old | b, 'xor': old ^ b, 'exch': b,
            'cas': c if old == b else old}[what]


def atom_values(t, rng):
    n = BITS[t]
    if base(t) in FORMATS:
        fmt = FORMATS[base(t)]
        def one():
            x = exact.Fraction(rng.randrange(-4000, 4000), 16)
            return exact.encode(fmt, x, x < 0)
        special = [fmt.sign, fmt.inf, fmt.inf | 1 << (fmt.f - 1), 0]
        def pick():
            return rng.choice(special) if rng.random() < .3 else one()
        return pick() | pick() << 16 if t.endswith('x2') else pick()
    return rng.choice([0, 1, 5, mask(n), mask(n - 1), rng.getrandbits(n),
                       rng.getrandbits(min(n, 4))])


LANES_OF_ATOM = 8  # threads of a file


def atom_file(op, lists, header, version, sm, rng):
    """Each thread has a cell of its own: 16 bytes of its inputs, or of shared
    memory. In: old (2 slots), b (2 slots), c (2 slots)."""
    k = Kernel()
    cases = []
    for _ in range(LANES_OF_ATOM):
        shape = max(lists, key=lambda w: lanes_of(w) * BITS[type_of(w)])
        t = type_of(shape)
        def vector():
            n, v = BITS[t], 0
            for j in range(128 // n):
                v |= (atom_values(t, rng) & mask(n)) << (j * n)
            return v
        old, b, c = vector(), vector(), vector()
        if rng.random() < .4:
            b = old  # what cas waits for
        cases.append((old, b, c))
    wants = [[] for _ in cases]
    code_address = {'global': '%d0'}
    uses_shared = any(space_of(w) == 'shared' for w in lists)
    local = ''
    if uses_shared:
        local = '  .shared .align 16 .b8 s[%d];\n' % (16 * LANES_OF_ATOM)
        base_reg, lane = k.reg(64), k.reg(64)
        k.add('mov.u64 %s, s' % base_reg)
        k.add('mad.wide.u32 %s, %%r0, 16, %s' % (lane, base_reg))
        code_address['shared'] = lane
    old_regs = [k.reg(64), k.reg(64)]
    b_regs = [k.reg(64), k.reg(64)]
    c_regs = [k.reg(64), k.reg(64)]
    for n, regs in enumerate((old_regs, b_regs, c_regs)):
        for half in (0, 1):
            k.add('ld.global.u64 %s, [%%d0+%d]' % (regs[half],
                                                   n * 16 + half * 8))
    slot = 0
    for words in lists:
        t, n = type_of(words), lanes_of(words)
        bits = BITS[t]
        space = space_of(words)
        plain = 'shared' if space == 'shared' else 'global'
        address = code_address[plain]
        for half in (0, 1):
            k.add('st.%s.u64 [%s+%d], %s' % (plain, address, half * 8,
                                             old_regs[half]))
        parts = {}
        for name, regs in (('b', b_regs), ('c', c_regs)):
            if bits == 128:
                q = k.reg(128)
                k.add('mov.b128 %s, {%s, %s}' % (q, *regs))
                parts[name] = [q]
                continue
            parts[name] = []
            for j in range(n):
                # Not cut out of 64 bits: ptxas 13.0 then takes the upper half
                # of a shared f16x2 from another register.
                r = k.reg(bits)
                at = (16 if name == 'b' else 32) + j * bits // 8
                k.add('ld.global.b%d %s, [%%d0+%d]' % (bits, r, at))
                parts[name].append(r)
        target = [k.reg(bits) for _ in range(n)]
        last = tail(k, words)
        text = '.'.join([op] + words) + ' '
        if op == 'atom':
            text += operand(target) + ', '
        text += '[%s], %s' % (address, operand(parts['b']))
        if 'cas' in words:
            text += ', ' + operand(parts['c'])
        k.add(text + last)
        if op == 'atom':
            for j, r in enumerate(target[:2]):
                if bits == 128:
                    low, high = k.reg(64), k.reg(64)
                    k.add('mov.b128 {%s, %s}, %s' % (low, high, r))
                    k.put(low, slot, 64)
                    k.put(high, slot + 1, 64)
                    for i, (old, b, c) in enumerate(cases):
                        wants[i] += [old & mask(64), old >> 64]
                    slot += 2
                    continue
                k.put(r, slot, bits)
                for i, (old, b, c) in enumerate(cases):
                    wants[i].append(old >> (j * bits) & mask(bits))
                slot += 1
        for half in (0, 1) if n * bits > 64 else (0,):
            r = k.reg(64)
            k.add('ld.%s.u64 %s, [%s+%d]' % (plain, r, address, half * 8))
            k.put(r, slot, 64)
            slot += 1
        for i, (old, b, c) in enumerate(cases):
            new = old
            for j in range(n):
                at = j * bits
                r = atom_result(words, t, old >> at & mask(bits),
                                b >> at & mask(bits), c >> at & mask(bits))
                if r == 'nan64':
                    wants[i].append(r)
                    break
                new = new & ~(mask(bits) << at) | r << at
            else:
                wants[i].append(new & mask(64))
                if n * bits > 64:
                    wants[i].append(new >> 64)
    given = [[v >> s & mask(64) for v in case for s in (0, 64)]
             for case in cases]
    return kernel_text(k, header, '', local, version, sm, 6, slot,
                       list(zip(given, wants)))


def room(op, words):
    """Slots that one instruction needs."""
    n, bits = lanes_of(words), BITS[type_of(words)]
    if op in ('ld', 'ldu'):
        return n * (2 if bits == 128 else 1)
    if op == 'st':
        return 2
    back = (2 if bits == 128 else min(n, 2)) if op == 'atom' else 0
    return back + (2 if n * bits > 64 else 1)
