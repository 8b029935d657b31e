// SPDX-License-Identifier: Apache-2.0
// atom and red. Lanes take their turns in order; blocks that share memory
// through atomics never run at the same time (grid.c), so plain reads and
// writes are enough.
//
// PTX ISA: "atom", "red".
#include "gpu/vgpu/ops/ops.h"

#include "gpu/vgpu/check/check.h"
#include "gpu/vgpu/cost.h"
#include "gpu/vgpu/lanes.h"
#include "gpu/vgpu/launch.h"
#include "gpu/vgpu/ops/access.h"
#include "gpu/vgpu/ops/half.h"
#include "gpu/vgpu/ops/nan64.h"
#include "gpu/vgpu/run/run.h"

static uint64_t row_value(struct vg_warp *w, vg_place at, int bytes, int l) {
  return bytes == 8 ? ((const uint64_t *)VG_AT(w, at))[l]
                    : ((const uint32_t *)VG_AT(w, at))[l];
}

static uint64_t add(int type, uint64_t x, uint64_t y) {
  union {
    uint64_t u;
    float f;
    double d;
  } a = {x}, b = {y};
  switch (type) {
  case PTX_F32:
    // "atom.add.f32" on global memory keeps subnormals, on shared memory too.
    a.f += b.f;
    if (a.f != a.f)
      return 0x7FFFFFFF;
    return (uint32_t)a.u;
  case PTX_F64: a.d = vg_result64(a.d, b.d, a.d + b.d); return a.u;
  case PTX_F16: return vg_half_add((uint16_t)x, (uint16_t)y, VG_F16);
  case PTX_BF16: return vg_half_add((uint16_t)x, (uint16_t)y, VG_BF16);
  case PTX_F16X2:
  case PTX_BF16X2: {
    enum vg_half k = type == PTX_F16X2 ? VG_F16 : VG_BF16;
    return (uint64_t)vg_half_add((uint16_t)(x >> 16), (uint16_t)(y >> 16), k)
               << 16 |
           vg_half_add((uint16_t)x, (uint16_t)y, k);
  }
  default: return x + y;
  }
}

static uint64_t lesser(int type, uint64_t x, uint64_t y) {
  switch (type) {
  case PTX_S32: return (int32_t)x < (int32_t)y ? x : y;
  case PTX_S64: return (int64_t)x < (int64_t)y ? x : y;
  default: return x < y ? x : y;
  }
}

static uint64_t flush32(uint64_t v) {
  return v & 0x7F800000 ? v : v & 0x80000000;
}

// Outside shared memory atom.add.f32 "flushes subnormal inputs and results".
static uint64_t add_at(const struct vg_warp *w, const uint8_t *p,
                       const struct vg_insn *i, uint64_t old, uint64_t b) {
  const struct vg_block *block = w->block;
  if (i->type != PTX_F32 || (uint64_t)(p - block->shared) < block->shared_bytes)
    return add(i->type, old, b);
  return flush32(add(i->type, flush32(old), flush32(b)));
}

static uint64_t combine(const struct vg_insn *i, uint64_t old, uint64_t b,
                        uint64_t c) {
  switch (i->sub) {
  case PTX_ATOM_MIN: return lesser(i->type, old, b);
  case PTX_ATOM_MAX: return lesser(i->type, old, b) == old ? b : old;
  case PTX_ATOM_AND: return old & b;
  case PTX_ATOM_OR: return old | b;
  case PTX_ATOM_XOR: return old ^ b;
  case PTX_ATOM_INC: return old >= b ? 0 : old + 1;
  case PTX_ATOM_DEC: return old == 0 || old > b ? b : old - 1;
  case PTX_ATOM_EXCH: return b;
  default: // cas: c when it was b
    return old == b ? c : old;
  }
}

// What an exchange finds does not matter to what it leaves there.
static void see_swapped(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                        const uint64_t a[VG_LANES], uint32_t bytes) {
  if (i->sub == PTX_ATOM_EXCH && w->block->grid->is_checked)
    vg_on_swap(w, i, m, a, bytes);
}

static void op_atom(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  uint64_t a[VG_LANES];
  uint8_t *p[VG_LANES];
  int bytes = i->bytes, row = bytes == 8 ? 8 : 4;
  uint64_t mask = bytes == 8 ? ~UINT64_C(0) : (UINT64_C(1) << bytes * 8) - 1;
  vg_charge(w, VG_ATOM_COST);
  vg_addresses(w, i, a);
  vg_on_strong(w, i, m, a, GPU_ATOMIC);
  see_swapped(w, i, m, a, (uint32_t)bytes);
  vg_mask ok =
      vg_access(w, i, m, (struct vg_spans){a, (uint32_t)bytes, GPU_ATOMIC}, p);
  bool failed = i->sub == PTX_ATOM_CAS;
  for (int l = 0; l < VG_LANES; l++) {
    if (!(ok >> l & 1))
      continue;
    if (w->block->shadow &&
        (uint64_t)(p[l] - w->block->shared) < w->block->shared_bytes)
      vg_on_shared_atomic(w, i, l,
                          (struct vg_span){a[l], (uint32_t)bytes, GPU_ATOMIC},
                          (uint32_t)(p[l] - w->block->shared));
    uint64_t old = 0;
    memcpy(&old, p[l], (size_t)bytes);
    uint64_t b = row_value(w, i->src[1], row, l) & mask;
    uint64_t c =
        i->sub == PTX_ATOM_CAS ? row_value(w, i->src[2], row, l) & mask : 0;
    uint64_t r = i->sub == PTX_ATOM_ADD ? add_at(w, p[l], i, old, b)
                                        : combine(i, old, b, c);
    memcpy(p[l], &r, (size_t)bytes);
    failed = failed && old != b;
    if (i->dst == VG_NOWHERE)
      continue;
    if (row == 8)
      ((uint64_t *)VG_AT(w, i->dst))[l] = old;
    else
      ((uint32_t *)VG_AT(w, i->dst))[l] = (uint32_t)old;
  }
  if (failed && ok)
    vg_warp_wait(w);
}

// A number of a vector, as a double; NaN counts for nothing beside a number.
static uint64_t half_least(const struct vg_insn *i, uint64_t x, uint64_t y) {
  enum vg_half k =
      i->type == PTX_F16 || i->type == PTX_F16X2 ? VG_F16 : VG_BF16;
  double a = vg_half_to_double((uint16_t)x, k);
  double b = vg_half_to_double((uint16_t)y, k);
  bool is_max = i->sub == PTX_ATOM_MAX;
  if (a != a || b != b)
    return a != a && b != b ? 0x7FFF : a != a ? y : x;
  if (a == b) // -0 is less than +0
    return (x > y) == is_max ? y : x;
  return (a < b) == is_max ? y : x;
}

static uint64_t wide_element(const struct vg_insn *i, uint64_t old,
                             uint64_t b) {
  if (i->type == PTX_F32) // in global memory only
    return flush32(add(i->type, flush32(old), flush32(b)));
  if (i->sub == PTX_ATOM_ADD)
    return add(i->type, old, b);
  if (i->type == PTX_F16 || i->type == PTX_BF16)
    return half_least(i, old, b);
  return half_least(i, old >> 16, b >> 16) << 16 |
         half_least(i, old & 0xFFFF, b & 0xFFFF);
}

// The bytes of a lane in rows of `width` bytes each.
static void gather(struct vg_warp *w, const struct vg_place_list *v, int bytes,
                   int l, uint8_t *out) {
  int width = bytes < 4 ? 4 : bytes;
  for (int n = 0; n < v->count; n++)
    memcpy(out + n * bytes, (uint8_t *)VG_AT(w, v->at[n]) + l * width,
           (size_t)bytes);
}

static void scatter(struct vg_warp *w, const struct vg_place_list *v, int bytes,
                    int l, const uint8_t *from) {
  int width = bytes < 4 ? 4 : bytes;
  for (int n = 0; n < v->count; n++) {
    if (v->at[n] == VG_NOWHERE)
      continue;
    uint8_t *to = (uint8_t *)VG_AT(w, v->at[n]) + l * width;
    memset(to, 0, (size_t)width);
    memcpy(to, from + n * bytes, (size_t)bytes);
  }
}

// What a vector or 128 bits become.
static void wide_result(const struct vg_insn *i, const uint8_t *old,
                        const uint8_t *b, const uint8_t *c, uint8_t *r) {
  size_t bytes = i->bytes, all = bytes * i->vec;
  if (i->type == PTX_B128) {
    bool swaps = i->sub == PTX_ATOM_EXCH || !memcmp(old, b, all);
    memcpy(r, !swaps ? old : i->sub == PTX_ATOM_EXCH ? b : c, all);
    return;
  }
  for (size_t n = 0; n < all; n += bytes) {
    uint64_t x = 0, y = 0;
    memcpy(&x, old + n, bytes);
    memcpy(&y, b + n, bytes);
    x = wide_element(i, x, y);
    memcpy(r + n, &x, bytes);
  }
}

static void op_atom_wide(struct vg_warp *w, const struct vg_insn *i,
                         vg_mask m) {
  uint64_t a[VG_LANES];
  uint8_t *p[VG_LANES];
  uint32_t all = (uint32_t)i->bytes * i->vec;
  vg_charge(w, VG_ATOM_COST);
  vg_addresses(w, i, a);
  vg_on_strong(w, i, m, a, GPU_ATOMIC);
  see_swapped(w, i, m, a, all);
  vg_mask ok = vg_access(w, i, m, (struct vg_spans){a, all, GPU_ATOMIC}, p);
  bool failed = i->sub == PTX_ATOM_CAS;
  for (int l = 0; l < VG_LANES; l++) {
    uint8_t old[16], b[16] = {0}, c[16] = {0}, r[16];
    if (!(ok >> l & 1))
      continue;
    if (w->block->shadow &&
        (uint64_t)(p[l] - w->block->shared) < w->block->shared_bytes)
      vg_on_shared(w, i, l, (uint32_t)(p[l] - w->block->shared), all,
                   GPU_ATOMIC);
    memcpy(old, p[l], all);
    gather(w, &i->wide->b, i->bytes, l, b);
    gather(w, &i->wide->c, i->bytes, l, c);
    wide_result(i, old, b, c, r);
    memcpy(p[l], r, all);
    failed = failed && memcmp(old, b, all) != 0;
    scatter(w, &i->wide->old, i->bytes, l, old);
  }
  if (failed && ok)
    vg_warp_wait(w);
}

static bool is_known(const struct ptx_insn *p) {
  bool is_float = p->type >= PTX_F16 && p->type <= PTX_F64;
  int bytes = ptx_type_bytes((enum ptx_type)p->type);
  if (p->vec > 1 || bytes > 8 || bytes < 2)
    return false;
  return p->sub == PTX_ATOM_ADD || !is_float ||
         (p->sub == PTX_ATOM_EXCH && bytes >= 4);
}

vg_handler vg_find_atom(const struct ptx_insn *p) {
  if (p->op != PTX_OP_ATOM && p->op != PTX_OP_RED)
    return NULL;
  if (p->type == PTX_B128 ||
      (p->vec > 1 && p->type >= PTX_F16 && p->type <= PTX_F32))
    return p->vec * ptx_type_bytes((enum ptx_type)p->type) <= 16 ? op_atom_wide
                                                                 : NULL;
  return is_known(p) ? op_atom : NULL;
}
