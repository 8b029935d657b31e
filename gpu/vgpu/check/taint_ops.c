// SPDX-License-Identifier: Apache-2.0
// What an instruction makes of undefined values. Moves, shifts, logic, byte
// permutations and conversions are exact to the bit, since bit-fields are made
// of them; of all others the whole result is undefined when any source bit is.
//
// PTX ISA: the sections that ptx_ops.def names.
#include "gpu/vgpu/check/taint.h"

#include <string.h>

#include "gpu/vgpu/state.h"

// ---- Bytes and bits ----

static uint32_t to_bytes(uint64_t bits) {
  uint32_t r = 0;
  for (int b = 0; b < 8; b++)
    if (bits >> b * 8 & 0xFF)
      r |= 1u << b;
  return r;
}

static uint32_t all_bytes(int width) {
  return width >= 32 ? ~0u : (1u << width) - 1;
}

// ---- Sources ----

struct lane {
  const struct vg_taint_view *v;
  const struct vg_insn *i;
  int lane, width;  // of the result
  uint32_t from[4]; // undefined bytes of the sources
  uint64_t bits[4]; // and their bits, of registers of 4 and 8 bytes
};

static uint64_t value_of(const struct lane *x, int n) {
  vg_place p = x->i->src[n];
  const uint8_t *row = VG_AT(x->v->w, p);
  bool is_wide =
      (p & 3) == VG_REGISTERS ? vg_taint_width(x->v, p) == 8 : x->width == 8;
  return is_wide ? ((const uint64_t *)row)[x->lane]
                 : ((const uint32_t *)row)[x->lane];
}

// An amount or a place of bits: a word, whatever is shifted.
static uint32_t word_of(const struct lane *x, int n) {
  return ((const uint32_t *)VG_AT(x->v->w, x->i->src[n]))[x->lane];
}

static uint64_t spread(const struct lane *x) {
  uint32_t any = x->from[0] | x->from[1] | x->from[2] | x->from[3];
  return any ? ~UINT64_C(0) : 0;
}

static bool is_float(int type) {
  return (type >= PTX_F16 && type <= PTX_F64) || type == PTX_TF32;
}

static bool is_signed(int type) {
  return type >= PTX_S8 && type <= PTX_S64;
}

// ---- By kind ----

static bool predicate_of(const struct lane *x, int n) {
  vg_mask p = *(const vg_mask *)VG_AT(x->v->w, x->i->src[n]);
  return p >> x->lane & 1;
}

// One side that is defined may decide alone.
static uint64_t of_predicates(const struct lane *x) {
  int op = x->i->ptx->op;
  bool decides = op == PTX_OP_OR;
  if (op == PTX_OP_AND || op == PTX_OP_OR)
    for (int n = 0; n < 2; n++)
      if (!x->from[n] && predicate_of(x, n) == decides)
        return 0;
  return spread(x);
}

// A comparison, and a predicate that may decide alone.
static uint64_t of_setp(const struct lane *x) {
  int op = x->i->boolop;
  bool decides = op == PTX_BOOL_OR;
  if ((op == PTX_BOOL_AND || op == PTX_BOOL_OR) && !x->from[2] &&
      (predicate_of(x, 2) ^ (x->i->flip & 1)) == decides)
    return 0;
  return spread(x);
}

static uint64_t all_bits(int bytes) {
  return bytes >= 8 ? ~UINT64_C(0) : (UINT64_C(1) << bytes * 8) - 1;
}

// Bits that one side forces, whatever the undefined ones of the other are: zeros
// of an `and`, ones of an `or`.
static uint64_t forced(const struct lane *x, int n, bool value) {
  uint64_t v = value_of(x, n);
  return (value ? v : ~v) & ~x->bits[n];
}

static uint64_t of_logic(const struct lane *x) {
  uint64_t any = x->bits[0] | x->bits[1];
  int op = x->i->ptx->op;
  if (x->i->type == PTX_PRED)
    return of_predicates(x);
  if (op == PTX_OP_AND || op == PTX_OP_OR)
    any &= ~forced(x, 0, op == PTX_OP_OR) & ~forced(x, 1, op == PTX_OP_OR);
  return any;
}

// The bits that are not the same for all that the undefined ones can be.
static uint64_t of_lop3(const struct lane *x) {
  uint32_t table = (uint32_t)value_of(x, 3), least = ~0u, most = 0;
  for (int k = 0; k < 8; k++) {
    uint32_t in[3], r = 0;
    for (int n = 0; n < 3; n++) {
      uint32_t undefined = (uint32_t)x->bits[n];
      in[n] = ((uint32_t)value_of(x, n) & ~undefined) |
              (k >> n & 1 ? undefined : 0);
    }
    for (int t = 0; t < 8; t++)
      if (table >> t & 1)
        r |= (t & 4 ? in[0] : ~in[0]) & (t & 2 ? in[1] : ~in[1]) &
             (t & 1 ? in[2] : ~in[2]);
    least &= r;
    most |= r;
  }
  return least ^ most;
}

static uint64_t of_shift(const struct lane *x) {
  uint64_t bits = x->bits[0], by = word_of(x, 1);
  int op = x->i->ptx->op, n = ptx_type_bytes((enum ptx_type)x->i->type) * 8;
  if (x->from[1])
    return ~UINT64_C(0);
  if (op == PTX_OP_SHL)
    return by >= (uint64_t)n ? 0 : bits << by;
  bits &= all_bits(n / 8);
  bool top = bits >> (n - 1) & 1 && is_signed(x->i->type);
  if (by >= (uint64_t)n)
    return top ? ~UINT64_C(0) : 0;
  return bits >> by | (top ? ~UINT64_C(0) << (n - 1 - (int)by) : 0);
}

static uint64_t of_bfe(const struct lane *x) {
  uint64_t at = word_of(x, 1) & 0xFF, count = word_of(x, 2) & 0xFF;
  if (x->from[1] | x->from[2])
    return ~UINT64_C(0);
  if (at > 63 || is_signed(x->i->type))
    return spread(x);
  uint64_t r = x->bits[0] >> at;
  return count < 64 ? r & ((UINT64_C(1) << count) - 1) : r;
}

static uint64_t of_bfi(const struct lane *x) {
  uint64_t at = word_of(x, 2) & 0xFF, count = word_of(x, 3) & 0xFF;
  if (x->from[2] | x->from[3] || at > 63)
    return spread(x);
  uint64_t mask = count < 64 ? (UINT64_C(1) << count) - 1 : ~UINT64_C(0);
  return (x->bits[0] & mask) << at | (x->bits[1] & ~(mask << at));
}

static uint64_t of_prmt(const struct lane *x) {
  uint64_t both = (x->bits[0] & UINT32_MAX) | x->bits[1] << 32, r = 0;
  uint64_t select = value_of(x, 2);
  if (x->from[2] || x->i->sub != PTX_PRMT_INDEX)
    return spread(x);
  for (int b = 0; b < 4; b++) {
    uint64_t part = both >> (select >> b * 4 & 7) * 8 & 0xFF;
    if (select >> b * 4 & 8) // its sign, eight times
      part = part >> 7 ? 0xFF : 0;
    r |= part << b * 8;
  }
  return r;
}

static uint64_t of_cvt(const struct lane *x) {
  int to = x->i->type, from = x->i->type2 ? x->i->type2 : to;
  if (is_float(to) || is_float(from) || x->i->sat)
    return spread(x);
  int from_bytes = ptx_type_bytes((enum ptx_type)from);
  int to_size = ptx_type_bytes((enum ptx_type)to);
  uint64_t r = x->bits[0] & all_bits(from_bytes);
  if (is_signed(from) && r >> (from_bytes * 8 - 1) & 1)
    r |= ~all_bits(from_bytes);
  r &= all_bits(to_size);
  // A narrow result fills its register.
  if (is_signed(to) && to_size < x->width && r >> (to_size * 8 - 1) & 1)
    r |= ~all_bits(to_size);
  return r;
}

// A carry makes the bits above undefined, too.
static uint64_t of_sum(const struct lane *x) {
  uint64_t any = x->bits[0] | x->bits[1];
  if (!any || is_float(x->i->type) || x->i->sat)
    return spread(x);
  return ~UINT64_C(0) << __builtin_ctzll(any);
}

static uint64_t of_select(const struct lane *x, uint32_t *note) {
  vg_mask p = *(const vg_mask *)VG_AT(x->v->w, x->i->src[2]) ^ x->i->flip;
  int n = p >> x->lane & 1 ? 0 : 1;
  if (x->from[2])
    n = 2;
  *note = vg_taint_note(x->v, x->i->src[n], x->lane);
  return n == 2 ? ~UINT64_C(0) : x->bits[n];
}

// Moves that the decoder put in, between rows of 4 and of 8 bytes.
static uint64_t of_resize(const struct lane *x) {
  uint64_t r = x->bits[0];
  if (x->width == 8 && vg_taint_width(x->v, x->i->src[0]) == 4 && r >> 31 & 1)
    r |= ~UINT64_C(0) << 32;
  return r;
}

static uint32_t of_pack(const struct lane *x, uint64_t *bits, uint32_t *note) {
  uint32_t r = 0, from;
  *bits = 0;
  for (int n = 0; n < x->i->vec; n++) {
    vg_place p = x->i->vector->at[n];
    uint32_t part = vg_taint_get(x->v, p, x->lane, &from);
    part &= all_bytes(x->i->bytes);
    r |= part << n * x->i->bytes;
    if (x->width <= 8)
      *bits |= (vg_taint_bits(x->v, p, x->lane) & all_bits(x->i->bytes))
               << n * x->i->bytes * 8;
    *note = part && !*note ? from : *note;
  }
  return r;
}

// Does it hand on bytes as they are?
static bool is_copy(const struct vg_insn *i) {
  if (!i->is_main)
    return true;
  switch (i->ptx->op) {
  case PTX_OP_MOV:
  case PTX_OP_AND:
  case PTX_OP_OR:
  case PTX_OP_XOR:
  case PTX_OP_LOP3:
  case PTX_OP_SHL:
  case PTX_OP_SHR:
  case PTX_OP_BFE:
  case PTX_OP_BFI:
  case PTX_OP_PRMT:
  case PTX_OP_CVT:
  case PTX_OP_SELP: return true;
  default: return false;
  }
}

// Of rows of 4 and 8 bytes and of predicates; bits beyond the row mean nothing.
static uint64_t result_of(const struct lane *x, uint32_t *note) {
  const struct vg_insn *i = x->i;
  if (!i->is_main)
    return of_resize(x);
  switch (i->ptx->op) {
  case PTX_OP_MOV:
  case PTX_OP_CVTA: return x->bits[0];
  case PTX_OP_AND:
  case PTX_OP_OR:
  case PTX_OP_XOR:
  case PTX_OP_NOT: return of_logic(x);
  case PTX_OP_LOP3: return of_lop3(x);
  case PTX_OP_SHL:
  case PTX_OP_SHR: return of_shift(x);
  case PTX_OP_BFE: return of_bfe(x);
  case PTX_OP_BFI: return of_bfi(x);
  case PTX_OP_PRMT: return of_prmt(x);
  case PTX_OP_CVT:
    if (i->ptx->operand_count == 2)
      return of_cvt(x);
    break;
  case PTX_OP_ADD:
  case PTX_OP_SUB: return of_sum(x);
  case PTX_OP_SETP: return of_setp(x);
  case PTX_OP_SELP: return of_select(x, note);
  default: break;
  }
  return spread(x);
}

// Rows of 16 bytes are moved or made of parts.
static uint32_t wide_result_of(const struct lane *x) {
  if (!x->i->is_main || x->i->ptx->op == PTX_OP_MOV)
    return x->from[0];
  return spread(x) ? all_bytes(x->width) : 0;
}

static void look_at_sources(struct lane *x, const bool any[4],
                            uint32_t rows[4][VG_LANES]) {
  for (int n = 0; n < 4; n++) {
    vg_place p = x->i->src[n];
    x->from[n] = any[n] ? rows[n][x->lane] : 0;
    x->bits[n] = !x->from[n] ? 0
                 : vg_taint_width(x->v, p) == 1
                     ? ~UINT64_C(0)
                     : vg_taint_bits(x->v, p, x->lane);
  }
}

bool vg_taint_results(const struct vg_taint_view *v, const struct vg_insn *i,
                      vg_mask m, uint32_t bytes[VG_LANES],
                      uint64_t bits[VG_LANES], uint32_t note[VG_LANES]) {
  struct lane x = {.v = v, .i = i};
  uint32_t rows[4][VG_LANES];
  bool any[4], is_pack = i->vector && i->dst != VG_NOWHERE;
  x.width = vg_taint_width(v, i->dst == VG_NOWHERE ? i->dst2 : i->dst);
  for (int n = 0; n < 4; n++)
    any[n] = !is_pack && vg_taint_row(v, i->src[n], rows[n]);
  for (; m; m &= m - 1) {
    int l = x.lane = __builtin_ctz(m);
    bytes[l] = note[l] = 0;
    bits[l] = 0;
    if (is_pack) {
      bytes[l] = of_pack(&x, &bits[l], &note[l]);
      continue;
    }
    look_at_sources(&x, any, rows);
    if (!(x.from[0] | x.from[1] | x.from[2] | x.from[3]))
      continue;
    if (x.width <= 8) {
      bits[l] = result_of(&x, &note[l]) & all_bits(x.width);
      bytes[l] = to_bytes(bits[l]);
    } else {
      bytes[l] = wide_result_of(&x);
    }
    if (!bytes[l] || note[l])
      continue;
    int n = 0;
    while (!x.from[n])
      n++;
    note[l] = vg_taint_note(v, i->src[n], l);
    if (i->is_main && i->ptx->op != PTX_OP_MOV)
      vg_taint_read(v->w, i, note[l]);
    if (!is_copy(i))
      vg_taint_computed(v->w, note[l]);
  }
  return x.width <= 8;
}
