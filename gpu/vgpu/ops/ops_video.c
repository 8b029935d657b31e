// SPDX-License-Identifier: Apache-2.0
// Video instructions: vadd, vsub, vabsdiff, vmin, vmax, vshl, vshr, vset on
// one value, and on two or four packed ones. Each lane's values become
// wide numbers, where nothing overflows.
//
// PTX ISA: "Scalar Video Instructions", "SIMD Video Instructions". Operands
// with selectors (a.b0) and masks (d.h1) are refused by the parser.
#include "gpu/vgpu/ops/ops.h"

#include "gpu/vgpu/lanes.h"

enum video { ADD, SUB, ABSDIFF, AVRG, MIN, MAX, SHL, SHR, SET };

static const struct {
  uint8_t op, what, parts;
} rows[] = {{PTX_OP_VADD, ADD, 1},          {PTX_OP_VSUB, SUB, 1},
            {PTX_OP_VABSDIFF, ABSDIFF, 1},  {PTX_OP_VMIN, MIN, 1},
            {PTX_OP_VMAX, MAX, 1},          {PTX_OP_VSHL, SHL, 1},
            {PTX_OP_VSHR, SHR, 1},          {PTX_OP_VSET, SET, 1},
            {PTX_OP_VADD2, ADD, 2},         {PTX_OP_VSUB2, SUB, 2},
            {PTX_OP_VAVRG2, AVRG, 2},       {PTX_OP_VABSDIFF2, ABSDIFF, 2},
            {PTX_OP_VMIN2, MIN, 2},         {PTX_OP_VMAX2, MAX, 2},
            {PTX_OP_VSET2, SET, 2},         {PTX_OP_VADD4, ADD, 4},
            {PTX_OP_VSUB4, SUB, 4},         {PTX_OP_VAVRG4, AVRG, 4},
            {PTX_OP_VABSDIFF4, ABSDIFF, 4}, {PTX_OP_VMIN4, MIN, 4},
            {PTX_OP_VMAX4, MAX, 4},         {PTX_OP_VSET4, SET, 4}};

static int row_of(int op) {
  for (size_t n = 0; n < sizeof rows / sizeof *rows; n++)
    if (rows[n].op == op)
      return (int)n;
  return -1;
}

static bool compare(int cmp, int64_t x, int64_t y) {
  switch (cmp) {
  case PTX_EQ: return x == y;
  case PTX_NE: return x != y;
  case PTX_LT: return x < y;
  case PTX_LE: return x <= y;
  case PTX_GT: return x > y;
  default: return x >= y;
  }
}

static __int128 compute(const struct vg_insn *i, enum video what, int64_t x,
                        int64_t y) {
  int64_t n = i->flag ? (y > 32 ? 32 : y) : y & 31;
  switch (what) {
  case ADD: return x + y;
  case SUB: return x - y;
  case ABSDIFF: return x > y ? x - y : y - x;
  case AVRG: return (x + y + (x + y >= 0)) >> 1;
  case MIN: return x < y ? x : y;
  case MAX: return x > y ? x : y;
  case SHL: return (__int128)x * ((__int128)1 << n);
  case SHR: return x >> n;
  default: return compare(i->cmp, x, y);
  }
}

// The lowest `bits` of v, as a number of that sign.
static int64_t part(uint32_t v, int bits, bool is_signed) {
  uint64_t up = (uint64_t)v << (64 - bits);
  return is_signed ? (int64_t)up >> (64 - bits) : (int64_t)(up >> (64 - bits));
}

static __int128 saturate(__int128 v, int bits, bool is_signed) {
  int64_t max = (INT64_C(1) << (bits - is_signed)) - 1;
  int64_t min = is_signed ? -max - 1 : 0;
  return v < min ? min : v > max ? max : v;
}

// On 33 bits, of which c has the sign that its type gives it.
static uint32_t second(const struct vg_insn *i, int64_t r, int64_t c) {
  switch (i->sub) {
  case PTX_ATOM_ADD: return (uint32_t)r + (uint32_t)c;
  case PTX_ATOM_MIN: return (uint32_t)(r < c ? r : c);
  case PTX_ATOM_MAX: return (uint32_t)(r < c ? c : r);
  default: return (uint32_t)r;
  }
}

// "a signed 34-bit intermediate result"
static int64_t intermediate(__int128 v) {
  return (int64_t)((uint64_t)v << 30) >> 30;
}

static uint32_t one(const struct vg_insn *i, uint32_t a, uint32_t b,
                    uint32_t c) {
  const struct ptx_insn *p = i->ptx;
  int row = row_of(p->op), parts = rows[row].parts, bits = 32 / parts;
  bool is_set = rows[row].what == SET; // has no type of its result
  bool sd = !is_set && p->type == PTX_S32;
  bool sa = (is_set ? p->type : p->type2) == PTX_S32;
  bool sb = (is_set ? p->type2 : p->type3) == PTX_S32;
  uint32_t low = bits == 32 ? VG_ALL : (1u << bits) - 1;
  uint32_t packed = 0, sum = c;
  for (int n = 0; n < parts; n++) {
    __int128 r =
        compute(i, (enum video)rows[row].what, part(a >> n * bits, bits, sa),
                part(b >> n * bits, bits, sb));
    if (parts == 1)
      r = intermediate(r);
    if (i->sat)
      r = saturate(r, bits, sd);
    if (parts == 1)
      return second(i, (int64_t)r, part(c, 32, sd));
    packed |= ((uint32_t)r & low) << n * bits;
    sum += (uint32_t)r; // all its bits
  }
  return i->sub == PTX_ATOM_ADD ? sum : packed;
}

static void op_video(struct vg_warp *w, const struct vg_insn *i, vg_mask m){
    LANES3(uint32_t, uint32_t, uint32_t, uint32_t, one(i, x, y, z))}

vg_handler vg_find_video(const struct ptx_insn *p) {
  int row = row_of(p->op);
  if (row < 0 || (rows[row].parts == 1 &&
                  (p->operand_count == 4) != (p->sub != PTX_ATOM_NONE)))
    return NULL; // merging into a part of d
  return op_video;
}
