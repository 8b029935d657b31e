// SPDX-License-Identifier: Apache-2.0
// ld, st, ldu, discard, cvta, isspacep, prefetch, and packing moves.
//
// PTX ISA: "Data Movement and Conversion Instructions".
#include "gpu/vgpu/memory/memory.h"
#include "gpu/vgpu/ops/ops.h"

#include "gpu/vgpu/check/check.h"
#include "gpu/vgpu/cost.h"
#include "gpu/vgpu/lanes.h"
#include "gpu/vgpu/launch.h"
#include "gpu/vgpu/ops/access.h"
#include "gpu/vgpu/run/run.h"

static bool is_signed_type(int t) {
  return t >= PTX_S8 && t <= PTX_S64;
}

static bool in_shared(const struct vg_warp *w, const uint8_t *p) {
  return w->block->shadow &&
         (uint64_t)(p - w->block->shared) < w->block->shared_bytes;
}

static bool may_be_shared(const struct vg_insn *i) {
  return i->space == PTX_SHARED || i->space == PTX_GENERIC;
}

// ---- Loads ----

#define LOAD_ROW(T, D)                                                         \
  {                                                                            \
    D *d = VG_AT(w, dst);                                                      \
    T row[VG_LANES];                                                           \
    if (pattern == VG_SAME) {                                                  \
      T v;                                                                     \
      memcpy(&v, p, sizeof v);                                                 \
      for (int l = 0; l < VG_LANES; l++)                                       \
        row[l] = v;                                                            \
    } else if (m == VG_ALL) {                                                  \
      memcpy(row, p, sizeof row);                                              \
    } else {                                                                   \
      int a = __builtin_ctz(m), b = 32 - __builtin_clz(m);                     \
      memcpy(row + a, p, (size_t)(b - a) * sizeof *row);                       \
    }                                                                          \
    if (m == VG_ALL)                                                           \
      for (int l = 0; l < VG_LANES; l++)                                       \
        d[l] = (D)row[l];                                                      \
    else                                                                       \
      for (int l = 0; l < VG_LANES; l++)                                       \
        if (m >> l & 1)                                                        \
          d[l] = (D)row[l];                                                    \
  }

static void load_row(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                     vg_place dst, const uint8_t *p, enum vg_pattern pattern) {
  bool is_signed = is_signed_type(i->type);
  switch (i->bytes) {
  case 1:
    if (is_signed)
      LOAD_ROW(int8_t, int32_t)
    else
      LOAD_ROW(uint8_t, uint32_t)
    break;
  case 2:
    if (is_signed)
      LOAD_ROW(int16_t, int32_t)
    else
      LOAD_ROW(uint16_t, uint32_t)
    break;
  case 4: LOAD_ROW(uint32_t, uint32_t) break;
  default: LOAD_ROW(uint64_t, uint64_t)
  }
}

// A kernel's own parameter at a fixed place, the same for all lanes.
void vg_op_ld_param(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  const uint8_t *p = w->block->grid->params + i->offset;
  for (int v = 0; v < i->vec; v++)
    if (i->vector->at[v] != VG_NOWHERE)
      load_row(w, i, m, i->vector->at[v], p + (size_t)v * i->bytes, VG_SAME);
}

static void load_lane(struct vg_warp *w, const struct vg_insn *i, int l,
                      vg_place dst, const uint8_t *p) {
  bool is_signed = is_signed_type(i->type);
  uint32_t *d4 = VG_AT(w, dst);
  uint16_t h;
  switch (i->bytes) {
  case 1: d4[l] = is_signed ? (uint32_t)(int8_t)*p : *p; break;
  case 2:
    memcpy(&h, p, sizeof h);
    d4[l] = is_signed ? (uint32_t)(int16_t)h : h;
    break;
  case 4: memcpy(&d4[l], p, 4); break;
  case 8: memcpy((uint64_t *)VG_AT(w, dst) + l, p, 8); break;
  default: memcpy((uint8_t *)VG_AT(w, dst) + (size_t)l * 16, p, 16);
  }
}

// When all lanes read one place, its first and last reader stand for all: two
// different threads, so that any writer finds another one.
static vg_mask who_to_look_at(vg_mask m, uint8_t *const p[VG_LANES]) {
  int first = __builtin_ctz(m), last = 31 - __builtin_clz(m);
  uintptr_t differs = 0;
  for (int l = 0; l < VG_LANES; l++)
    differs |= (m >> l & 1) ? (uintptr_t)p[l] ^ (uintptr_t)p[first] : 0;
  return differs ? m : 1u << first | 1u << last;
}

static void look_at_shared(struct vg_warp *w, const struct vg_insn *i,
                           vg_mask ok, uint8_t *const p[VG_LANES],
                           uint32_t bytes) {
  vg_mask m = ok ? who_to_look_at(ok, p) : 0;
  if (bytes == 4 && i->space == PTX_SHARED) {
    uint32_t offset[VG_LANES];
    for (int l = 0; l < VG_LANES; l++)
      offset[l] = (uint32_t)(p[l] - w->block->shared);
    m = vg_on_shared_words(w, i, m, offset);
  }
  for (; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    if (!in_shared(w, p[l]))
      continue;
    uint32_t offset = (uint32_t)(p[l] - w->block->shared);
    vg_on_shared(w, i, l, offset, bytes, GPU_READ);
    w->has_undefined |= !vg_is_shared_defined(w->block, offset, bytes);
  }
}

// Element `v` of each lane. Lanes that must not read get the poison.
static void load_each(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                      vg_mask ok, uint8_t *const p[VG_LANES], int v) {
  vg_place dst = i->vector->at[v];
  size_t offset = (size_t)v * i->bytes;
  if (ok == VG_ALL && i->bytes == 4) {
    uint32_t *d = VG_AT(w, dst);
    for (int l = 0; l < VG_LANES; l++)
      memcpy(&d[l], p[l] + offset, 4);
    return;
  }
  const uint64_t poison[2] = {VG_POISON, VG_POISON};
  for (int l = 0; l < VG_LANES; l++)
    if (m >> l & 1)
      load_lane(w, i, l, dst,
                ok >> l & 1 ? p[l] + offset : (const uint8_t *)poison);
}

static void load(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                 const uint64_t *a) {
  uint8_t *p[VG_LANES], *first;
  if (i->vec == 1 && i->bytes <= 8 && i->vector->at[0] != VG_NOWHERE) {
    struct vg_spans s = {a, i->bytes, GPU_READ};
    enum vg_pattern pattern = vg_access_row(w, i, m, s, &first);
    if (pattern) {
      load_row(w, i, m, i->vector->at[0], first, pattern);
      return;
    }
  }
  uint32_t bytes = (uint32_t)i->bytes * i->vec;
  vg_mask ok = vg_access(w, i, m, (struct vg_spans){a, bytes, GPU_READ}, p);
  if (w->block->shadow && may_be_shared(i)) {
    vg_charge(w, VG_SHADOW_COST);
    look_at_shared(w, i, ok, p, bytes);
  }
  for (int v = 0; v < i->vec; v++)
    if (i->vector->at[v] != VG_NOWHERE)
      load_each(w, i, m, ok, p, v);
  if (w->has_undefined)
    vg_on_load(w, i, ok, a);
  if (ok != m && w->block->grid->is_checked)
    vg_on_load_refused(w, i, m & ~ok);
}

static void op_ld(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  uint64_t a[VG_LANES];
  vg_addresses(w, i, a);
  if (i->is_ordered)
    vg_on_strong(w, i, m, a, GPU_READ);
  load(w, i, m, a);
  if (i->is_ordered && i->space != PTX_LOCAL)
    vg_schedule_read(w);
}

// ---- Stores ----

// The value of one lane's element, as bytes.
static const void *lane_value(struct vg_warp *w, const struct vg_insn *i, int v,
                              int l) {
  uint8_t *row = VG_AT(w, i->vector->at[v]);
  return row + (size_t)l * (i->bytes <= 4 ? 4 : i->bytes);
}

#define STORE_ROW(T, S)                                                        \
  {                                                                            \
    const S *s = VG_AT(w, i->vector->at[0]);                                   \
    T row[VG_LANES];                                                           \
    for (int l = 0; l < VG_LANES; l++)                                         \
      row[l] = (T)s[l];                                                        \
    if (m == VG_ALL) {                                                         \
      memcpy(p, row, sizeof row);                                              \
    } else {                                                                   \
      int a = __builtin_ctz(m);                                                \
      for (int l = a; l < VG_LANES; l++)                                       \
        if (m >> l & 1)                                                        \
          memcpy(p + (size_t)(l - a) * sizeof(T), &row[l], sizeof(T));         \
    }                                                                          \
  }

static void store_row(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                      uint8_t *p) {
  switch (i->bytes) {
  case 1: STORE_ROW(uint8_t, uint32_t) break;
  case 2: STORE_ROW(uint16_t, uint32_t) break;
  case 4: STORE_ROW(uint32_t, uint32_t) break;
  default: STORE_ROW(uint64_t, uint64_t)
  }
}

static void op_st(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  uint64_t a[VG_LANES];
  uint8_t *p[VG_LANES], *first;
  vg_addresses(w, i, a);
  if (i->is_ordered)
    vg_on_strong(w, i, m, a, GPU_WRITE);
  if (i->vec == 1 && i->bytes <= 8 &&
      vg_access_row(w, i, m, (struct vg_spans){a, i->bytes, GPU_WRITE},
                    &first)) {
    store_row(w, i, m, first);
    return;
  }
  uint32_t bytes = (uint32_t)i->bytes * i->vec;
  vg_mask ok = vg_access(w, i, m, (struct vg_spans){a, bytes, GPU_WRITE}, p);
  for (int l = 0; l < VG_LANES; l++) {
    if (!(ok >> l & 1))
      continue;
    if (in_shared(w, p[l]))
      vg_on_shared(w, i, l, (uint32_t)(p[l] - w->block->shared), bytes,
                   GPU_WRITE);
    for (int v = 0; v < i->vec; v++) {
      uint8_t *to = p[l] + (size_t)v * i->bytes;
      const void *value = lane_value(w, i, v, l);
      memcpy(to, value, i->bytes);
    }
  }
}

// A write of no value: what is there afterwards is undefined.
static void op_discard(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  const uint64_t poison = VG_POISON;
  uint64_t a[VG_LANES];
  uint8_t *p[VG_LANES];
  vg_addresses(w, i, a);
  m = vg_access(w, i, m, (struct vg_spans){a, i->bytes, GPU_WRITE}, p);
  vg_charge(w, VG_PLACE_COST * (uint64_t)__builtin_popcount(m));
  for (; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    for (uint32_t n = 0; n < i->bytes; n += sizeof poison)
      memcpy(p[l] + n, &poison, sizeof poison);
    if (w->block->grid->is_checked)
      vg_on_discard(w, i, l, a[l]);
  }
}

static void op_nothing(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  (void)w, (void)i, (void)m;
}

// A policy is opaque, and what takes one looks at none.
static void op_createpolicy(struct vg_warp *w, const struct vg_insn *i,
                            vg_mask m) {
  LANES_RUN(uint64_t, r = 0)
}

// ---- Generic addresses ----

static uint64_t window_of(int space) {
  return space == PTX_SHARED  ? VG_WINDOW(VG_SLOT_SHARED)
         : space == PTX_LOCAL ? VG_WINDOW(VG_SLOT_LOCAL)
         : space == PTX_PARAM ? VG_WINDOW(VG_SLOT_PARAM)
                              : 0;
}

// Global and constant addresses are generic ones already.
static void op_cvta(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  uint64_t add = window_of(i->ptx->space);
  if (i->ptx->to)
    add = -add;
  LANES1(uint64_t, uint64_t, x + add)
}

static void op_isspacep(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  int space = i->ptx->space;
  const struct vg_memory *memory = w->block->grid->memory;
  const uint64_t *a = VG_AT(w, i->src[0]);
  vg_mask yes = 0;
  for (int l = 0; l < VG_LANES; l++) {
    uint64_t slot = a[l] >> VG_SLOT_BITS;
    const struct vg_alloc *g = vg_slot(memory, slot);
    bool is = space == PTX_SHARED  ? slot == VG_SLOT_SHARED
              : space == PTX_LOCAL ? slot == VG_SLOT_LOCAL
              : space == PTX_PARAM ? slot == VG_SLOT_PARAM
              : space == PTX_CONST ? g && g->is_read_only
                                   : g && !g->is_read_only;
    yes |= (vg_mask)is << l;
  }
  set_predicate(w, i->dst, m, yes);
}

// A cluster is one block, whose rank is 0.
static void op_getctarank(struct vg_warp *w, const struct vg_insn *i,
                          vg_mask m) {
  LANES_RUN(uint32_t, r = 0)
}

// The address of something in the thread's frame.
void vg_op_frame_address(struct vg_warp *w, const struct vg_insn *i,
                         vg_mask m) {
  uint32_t base = w->leaf->frame->local_base;
  if (i->bytes == 8)
    LANES1(uint64_t, uint64_t, x + base)
  else
    LANES1(uint32_t, uint32_t, x + base)
}

// ---- Rows of another width ----

void vg_op_narrow(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  LANES1(uint32_t, uint64_t, (uint32_t)x)
}

void vg_op_widen(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  LANES1(uint64_t, uint32_t, x)
}

void vg_op_widen_signed(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  LANES1(uint64_t, int32_t, (uint64_t)(int64_t)x)
}

void vg_op_pack(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  int part = i->bytes, whole = part * i->vec;
  int to = whole <= 4 ? 4 : whole, from = part <= 4 ? 4 : part;
  uint8_t *d = VG_AT(w, i->dst);
  for (int l = 0; l < VG_LANES; l++) {
    if (!(m >> l & 1))
      continue;
    uint8_t v[16] = {0};
    for (int n = 0; n < i->vec; n++)
      if (i->vector->at[n] != VG_NOWHERE)
        memcpy(v + n * part, (uint8_t *)VG_AT(w, i->vector->at[n]) + l * from,
               (size_t)part);
    memcpy(d + (size_t)l * (size_t)to, v, (size_t)to);
  }
}

void vg_op_unpack(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  int part = i->bytes, whole = part * i->vec;
  int to = part <= 4 ? 4 : part, from = whole <= 4 ? 4 : whole;
  const uint8_t *s = VG_AT(w, i->src[0]);
  for (int l = 0; l < VG_LANES; l++) {
    if (!(m >> l & 1))
      continue;
    uint8_t v[16];
    memcpy(v, s + (size_t)l * (size_t)from, (size_t)from);
    for (int n = 0; n < i->vec; n++) {
      if (i->vector->at[n] == VG_NOWHERE)
        continue;
      uint8_t *d = (uint8_t *)VG_AT(w, i->vector->at[n]) + l * to;
      memset(d, 0, (size_t)to);
      memcpy(d, v + n * part, (size_t)part);
    }
  }
}

vg_handler vg_find_memory(const struct ptx_insn *p) {
  switch (p->op) {
  case PTX_OP_LD:
  case PTX_OP_LDU: return op_ld;
  case PTX_OP_ST: return op_st;
  case PTX_OP_CVTA: return op_cvta;
  case PTX_OP_ISSPACEP: return op_isspacep;
  case PTX_OP_GETCTARANK: return op_getctarank;
  case PTX_OP_CREATEPOLICY: return op_createpolicy;
  case PTX_OP_DISCARD: return op_discard;
  case PTX_OP_APPLYPRIORITY:
  case PTX_OP_PREFETCH:
  case PTX_OP_PREFETCHU: return op_nothing;
  default: return NULL;
  }
}

// ---- For gangs ----

// How the 16 lanes of half a warp access words of 4 bytes.
enum half { HALF_APART, HALF_ROW, HALF_SAME };

typedef uint64_t wide __attribute__((vector_size(VG_NATIVE_BYTES)));
typedef uint32_t narrow __attribute__((vector_size(VG_NATIVE_BYTES)));

static inline bool is_zero(const wide *v) {
  uint64_t any = 0;
  for (size_t k = 0; k < sizeof *v / 8; k++)
    any |= (*v)[k];
  return !any;
}

static const uint64_t wide_row[] = {0,  4,  8,  12, 16, 20, 24, 28,
                                    32, 36, 40, 44, 48, 52, 56, 60};
static const uint32_t narrow_row[] = {0,  4,  8,  12, 16, 20, 24, 28,
                                      32, 36, 40, 44, 48, 52, 56, 60};

// The first two lanes say what it can be.
#define HALF_OF(T, V, ROW)                                                     \
  T first = r[0], step = r[1] - first;                                         \
  V bad = {0}, on = bad - (T)(step == 4);                                      \
  for (size_t l = 0; l < VG_LANES / 2; l += sizeof(V) / sizeof(T)) {           \
    V v, row;                                                                  \
    memcpy(&v, r + l, sizeof v);                                               \
    memcpy(&row, (ROW) + l, sizeof row);                                       \
    bad |= (v - first) ^ (row & on);                                           \
  }                                                                            \
  wide bits = (wide)bad;                                                       \
  return !is_zero(&bits) ? HALF_APART : step ? HALF_ROW : HALF_SAME;

static inline enum half half_of_wide(const uint64_t *r) {
  HALF_OF(uint64_t, wide, wide_row)
}

static inline enum half half_of_narrow(const uint32_t *r) {
  HALF_OF(uint32_t, narrow, narrow_row)
}

// Where the half's words lie; NULL when that takes a closer look.
static inline uint8_t *half_place(struct vg_warp *w, const struct vg_insn *i,
                                  int lane, uint64_t address, uint64_t bytes,
                                  bool is_store) {
  struct vg_block *b = w->block;
  bool is_checked = b->grid->is_checked;
  if (address & 3)
    return NULL;
  if (i->space == PTX_SHARED) {
    const struct ptx_var *one = is_checked ? i->within : NULL;
    uint64_t from = one ? one->offset : 0;
    uint64_t end = one ? from + one->bytes : b->shared_bytes;
    if (address < from || address > end || bytes > end - address)
      return NULL;
    uint32_t t = w->first_thread + (uint32_t)lane + 1;
    bool is_fine =
        !is_checked ||
        (bytes > 4 ? vg_shared_spy_row(b, t, (uint32_t)address, is_store)
                   : vg_shared_spy_same(b, (uint32_t)address));
    return is_fine ? b->shared + address : NULL;
  }
  struct vg_alloc *a = vg_slot(b->grid->memory, address >> VG_SLOT_BITS);
  uint64_t offset = address & (VG_WINDOW(1) - 1);
  if (!a || !a->data || offset > a->bytes || bytes > a->bytes - offset)
    return NULL;
  if (is_store && !vg_is_writable(a))
    return NULL;
  if (is_checked && (a->watched || (a->defined && !a->is_defined)))
    return NULL;
  return a->data + offset;
}

// The kinds and places of both halves; false when one takes a closer look.
static inline bool find_halves(struct vg_warp *w, const struct vg_insn *i,
                               bool is_store, enum half kind[2],
                               uint8_t *place[2]) {
  for (int h = 0; h < 2; h++) {
    uint64_t at;
    if (i->is_narrow) {
      const uint32_t *r = (const uint32_t *)VG_AT(w, i->src[0]) + 16 * h;
      kind[h] = half_of_narrow(r);
      at = (uint32_t)(*r + (uint32_t)i->offset);
    } else {
      const uint64_t *r = (const uint64_t *)VG_AT(w, i->src[0]) + 16 * h;
      kind[h] = half_of_wide(r);
      at = *r + (uint64_t)i->offset;
    }
    if (kind[h] == HALF_APART || (is_store && kind[h] == HALF_SAME))
      return false;
    place[h] =
        half_place(w, i, 16 * h, at, kind[h] == HALF_ROW ? 64 : 4, is_store);
    if (!place[h])
      return false;
  }
  return true;
}

static bool has_words(const struct vg_insn *i) {
  return i->bytes == 4 && i->vec == 1 && !i->in_frame && !i->is_ordered &&
         (i->space == PTX_GLOBAL || i->space == PTX_SHARED) &&
         i->vector->at[0] != VG_NOWHERE;
}

static void all_ld(struct vg_warp *w, uint32_t count, const struct vg_insn *i) {
  bool words = has_words(i);
  for (const struct vg_warp *end = w + count; w < end; w++) {
    enum half kind[2];
    uint8_t *place[2];
    if (!words || !find_halves(w, i, false, kind, place)) {
      op_ld(w, i, VG_ALL);
      continue;
    }
    uint32_t *d = VG_AT(w, i->vector->at[0]);
    for (int h = 0; h < 2; h++, d += VG_LANES / 2) {
      uint32_t v;
      if (kind[h] == HALF_ROW) {
        memcpy(d, place[h], 64);
        continue;
      }
      memcpy(&v, place[h], sizeof v);
      for (int l = 0; l < VG_LANES / 2; l++)
        d[l] = v;
    }
  }
}

static void all_st(struct vg_warp *w, uint32_t count, const struct vg_insn *i) {
  bool words = has_words(i);
  for (const struct vg_warp *end = w + count; w < end; w++) {
    enum half kind[2];
    uint8_t *place[2];
    if (!words || !find_halves(w, i, true, kind, place)) {
      op_st(w, i, VG_ALL);
      continue;
    }
    const uint8_t *s = VG_AT(w, i->vector->at[0]);
    memcpy(place[0], s, 64);
    memcpy(place[1], s + 64, 64);
  }
}

static void all_ld_param(struct vg_warp *w, uint32_t count,
                         const struct vg_insn *i) {
  for (const struct vg_warp *end = w + count; w < end; w++)
    vg_op_ld_param(w, i, VG_ALL);
}

static void all_cvta(struct vg_warp *w, uint32_t count,
                     const struct vg_insn *i) {
  uint64_t add = window_of(i->ptx->space);
  if (i->ptx->to)
    add = -add;
  WARPS1(uint64_t, uint64_t, x + add)
}

const struct vg_pair vg_pairs_memory[] = {{op_ld, all_ld},
                                          {op_st, all_st},
                                          {vg_op_ld_param, all_ld_param},
                                          {op_cvta, all_cvta},
                                          {NULL, NULL}};
