// SPDX-License-Identifier: Apache-2.0
// Theory of operation. In a kernel that does the same to each element every
// integer is either the same for all threads or grows by a fixed step from one
// thread to the next, so integers need no lanes: a value is its first thread's
// and the step. What is left for each thread are loads and stores of words one
// behind the other, and arithmetic on 32-bit values. These work on long rows
// that hold many blocks' threads, with the handlers of gangs: a row is dealt to
// warps that exist for nothing else. Two of the arrays can be rows themselves,
// so that their words are not copied first.
//
// A block whose threads do not all pass the guard, or an access that is not
// wholly allowed and defined, is left to the engine proper, which says what is
// wrong. Threads cannot race: each has words of its own (vg_flat_begin looks).
#include "gpu/vgpu/grid/grid.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/vgpu/grid/flat_plan.h"
#include "gpu/vgpu/machine/machine.h"
#include "gpu/vgpu/memory/memory.h"

// ---- Numbers ----

struct number {
  uint64_t first;
  int64_t step;
};

// The rows of a host thread, and the registers' numbers.
struct vg_flat_state {
  uint8_t *rows;
  struct vg_warp *warps;
  struct vg_block block; // theirs: what handlers charge is put to it
  struct number *numbers;
  struct number *filled; // what a spread row holds
  bool *is_filled;
  int guard_pass; // outcome of the last comparison: all threads, or not
};

struct run {
  const struct vg_grid *grid;
  const struct vg_flat *flat;
  struct vg_flat_state *s;
  uint64_t thread; // the first of the chunk
  uint32_t count;  // its threads
};

static int width_of(int type) {
  return ptx_type_bytes((enum ptx_type)type);
}

static bool is_signed(int type) {
  return type == PTX_S32 || type == PTX_S64;
}

static struct number number_of(const struct run *r,
                               const struct ptx_operand *o) {
  if (o->kind == PTX_REGISTER)
    return r->s->numbers[o->reg];
  if (o->kind == PTX_IMMEDIATE)
    return (struct number){.first = o->bits};
  const uint32_t *size =
      o->reg == PTX_SREG_NTID ? r->grid->launch.block : r->grid->launch.grid;
  return (struct number){.first = size[o->dim]};
}

// The values of all threads as 64-bit integers of a type, which must not wrap
// on the way; false when they do.
static bool widen(const struct run *r, struct number v, int type,
                  struct number *out) {
  __int128 first =
      is_signed(type) ? (__int128)(int64_t)v.first : (__int128)v.first;
  __int128 low = 0, high = (__int128)1 << 64;
  if (width_of(type) == 4) {
    first = is_signed(type) ? (int32_t)v.first : (__int128)(uint32_t)v.first;
    high = (__int128)1 << 32;
  }
  if (is_signed(type)) {
    low = -high / 2;
    high /= 2;
  }
  __int128 last = first + (__int128)v.step * (r->count - 1);
  *out = (struct number){(uint64_t)first, v.step};
  return last >= low && last < high;
}

static void keep(const struct run *r, int reg, struct number v) {
  if (width_of(r->flat->func->reg_types[reg]) == 4)
    v.first = (uint32_t)v.first;
  r->s->numbers[reg] = v;
}

static struct number param(const struct run *r, const struct ptx_insn *p) {
  struct number v = {0};
  memcpy(&v.first,
         r->grid->params + p->operands[1].var->offset + p->operands[1].offset,
         (size_t)width_of(p->type));
  return v;
}

// Is it the index of the thread itself?
static bool is_index(const struct vg_flat *f, const struct ptx_insn *p) {
  for (int k = 1; k < p->operand_count; k++)
    if (vg_flat_kind(f, &p->operands[k]) == THREAD_INDEX)
      return true;
  return false;
}

static bool compute(const struct run *r, const struct ptx_insn *p) {
  int to = p->operands[0].reg;
  enum kind kind = (enum kind)r->flat->kinds[to];
  struct number a, b = {0}, c = {0}, v;
  if (kind != NUMBER)
    return true; // part of the thread's index
  if (p->op == PTX_OP_LD) {
    keep(r, to, param(r, p));
    return true;
  }
  if (is_index(r->flat, p)) {
    keep(r, to, (struct number){r->thread, 1});
    return true;
  }
  a = number_of(r, &p->operands[1]);
  if (p->operand_count > 2)
    b = number_of(r, &p->operands[2]);
  if (p->operand_count > 3)
    c = number_of(r, &p->operands[3]);
  switch (p->op) {
  case PTX_OP_MOV:
  case PTX_OP_CVTA: v = a; break;
  case PTX_OP_CVT:
    if (!widen(r, a, p->type2, &v))
      return false;
    break;
  case PTX_OP_ADD:
    v = (struct number){a.first + b.first, a.step + b.step};
    break;
  case PTX_OP_SUB:
    v = (struct number){a.first - b.first, a.step - b.step};
    break;
  case PTX_OP_SHL:
    if (b.step || b.first > 63)
      return false;
    v = (struct number){a.first << b.first, a.step * (INT64_C(1) << b.first)};
    break;
  default: // mul, mad
    if (p->part == PTX_WIDE &&
        (!widen(r, a, p->type, &a) || !widen(r, b, p->type, &b)))
      return false;
    if (a.step && b.step)
      return false;
    v = (struct number){a.first * b.first + c.first,
                        a.step * (int64_t)b.first + b.step * (int64_t)a.first +
                            c.step};
  }
  keep(r, to, v);
  return true;
}

// Do all threads compare alike? 1 yes, 0 no, -1 they differ.
static int compare(const struct run *r, const struct ptx_insn *p) {
  struct number a, b;
  if (!widen(r, number_of(r, &p->operands[1]), p->type, &a) ||
      !widen(r, number_of(r, &p->operands[2]), p->type, &b))
    return -1;
  int outcome = -1;
  uint64_t last = r->count - 1;
  for (int end = 0; end < 2; end++) {
    uint64_t x = a.first + (end ? (uint64_t)a.step * last : 0);
    uint64_t y = b.first + (end ? (uint64_t)b.step * last : 0);
    bool less = is_signed(p->type) ? (int64_t)x < (int64_t)y : x < y, is;
    switch (p->cmp) {
    case PTX_LT:
    case PTX_LO: is = less; break;
    case PTX_LE:
    case PTX_LS: is = less || x == y; break;
    case PTX_GT:
    case PTX_HI: is = !less && x != y; break;
    case PTX_GE:
    case PTX_HS: is = !less; break;
    default: return -1; // equality says nothing of those in between
    }
    if (end && is != outcome)
      return -1;
    outcome = is;
  }
  return outcome;
}

// ---- Rows ----

static uint8_t *row_at(const struct run *r, int row) {
  return r->s->rows + (size_t)row * ROW_BYTES;
}

static void spread(const struct run *r, int reg, int row) {
  struct number v = r->s->numbers[reg], *had = &r->s->filled[row];
  if (r->s->is_filled[row] && had->first == v.first && had->step == v.step)
    return;
  uint32_t *to = (uint32_t *)(void *)row_at(r, row);
  uint32_t first = (uint32_t)v.first, step = (uint32_t)v.step;
  for (uint32_t t = 0; t < CHUNK; t++)
    to[t] = first + t * step;
  *had = v;
  r->s->is_filled[row] = true;
}

static void spread_all(const struct run *r, const struct flat_insn *x) {
  for (int n = 0; n < 3; n++)
    if (x->fill[n] >= 0)
      spread(r, x->fill[n], x->fill_row[n]);
}

// Where the threads' words lie, NULL when they are not all there as they must.
static uint8_t *words_at(const struct run *r, const struct ptx_insn *p) {
  bool is_store = p->op == PTX_OP_ST;
  const struct ptx_operand *o = address_of(p);
  struct number at = r->s->numbers[o->reg];
  uint64_t address = at.first + (uint64_t)o->offset;
  uint64_t bytes = (uint64_t)r->count * 4, offset;
  struct vg_alloc *a = vg_slot(r->grid->memory, address >> VG_SLOT_BITS);
  if (at.step != 4 || address & 3 || !a || !a->data ||
      (is_store && !vg_is_writable(a)))
    return NULL;
  offset = address & (VG_WINDOW(1) - 1);
  if (offset > a->bytes || bytes > a->bytes - offset)
    return NULL;
  if (r->grid->is_checked && a->defined && !a->is_defined) {
    if (!is_store && !vg_all_defined(a, offset, bytes))
      return NULL;
    if (is_store)
      vg_define(a, offset, bytes);
  }
  return a->data + offset;
}

// ---- Running ----

static void add_rows(struct vg_flat_state *s, const struct vg_grid *g,
                     const struct vg_flat *f) {
  s->rows = aligned_alloc(64, (size_t)ROW_BYTES * (size_t)(f->row_count + 1));
  s->warps = aligned_alloc(64, sizeof *s->warps * CHUNK_WARPS);
  if (!s->rows || !s->warps)
    abort(); // as xmalloc; less than a megabyte
  memset(s->rows, 0, (size_t)ROW_BYTES * (size_t)(f->row_count + 1));
  memset(s->warps, 0, sizeof *s->warps * CHUNK_WARPS);
  for (int n = 0; n < CHUNK_WARPS; n++) {
    s->warps[n].block = &s->block;
    s->warps[n].bank[VG_REGISTERS] = s->rows + n * VG_LANES * 4;
    s->warps[n].bank[VG_CONSTANTS] = g->code->constants;
  }
}

// `has_rows`: not only to compute numbers.
static struct vg_flat_state *state_new(const struct vg_grid *g,
                                       const struct vg_flat *f, bool has_rows) {
  struct vg_flat_state *s = xcalloc(1, sizeof *s);
  size_t regs = (size_t)f->func->reg_count + 1;
  if (has_rows)
    add_rows(s, g, f);
  s->numbers = xcalloc(regs, sizeof *s->numbers);
  s->filled = xcalloc((size_t)f->row_count + 1, sizeof *s->filled);
  s->is_filled = xcalloc((size_t)f->row_count + 1, sizeof *s->is_filled);
  return s;
}

void vg_flat_worker_free(struct vg_worker *k) {
  struct vg_flat_state *s = k->flat;
  if (!s)
    return;
  free(s->rows);
  free(s->warps);
  free(s->numbers);
  free(s->filled);
  free(s->is_filled);
  free(s);
  k->flat = NULL;
}

// Everything but stores that other threads could see is done twice without
// harm, so that a chunk is left to the engine as late as its first store.
static bool is_allowed(const struct run *r) {
  for (int n = 0; n < r->flat->count; n++) {
    const struct flat_insn *x = &r->flat->insns[n];
    switch (x->act) {
    case COMPUTE:
      if (!compute(r, x->ptx))
        return false;
      break;
    case COMPARE: {
      r->s->guard_pass = compare(r, x->ptx);
      if (r->s->guard_pass < 0)
        return false;
      break;
    }
    case LEAVE:
      if (r->s->guard_pass != (x->ptx->guard_negate ? 1 : 0))
        return false;
      break;
    case LOAD:
    case STORE:
      if (!words_at(r, x->ptx))
        return false;
      break;
    default: break;
    }
  }
  return true;
}

static void place_arrays(const struct run *r, uint32_t warps) {
  for (int d = 0; d < r->flat->direct_count; d++) {
    uint8_t *at = words_at(r, r->flat->direct[d]);
    for (uint32_t n = 0; n < warps; n++)
      r->s->warps[n].bank[direct_banks[d]] = at + n * VG_LANES * 4;
  }
}

static void run_chunk(const struct run *r) {
  uint32_t warps = (r->count + VG_LANES - 1) / VG_LANES;
  bool is_direct = r->count % VG_LANES == 0; // no lane lies behind an array
  if (is_direct)
    place_arrays(r, warps);
  for (int n = 0; n < r->flat->count; n++) {
    const struct flat_insn *x = &r->flat->insns[n];
    size_t bytes = (size_t)r->count * 4;
    if (is_direct && x->is_direct)
      continue;
    switch (x->act) {
    case LOAD: memcpy(row_at(r, x->row), words_at(r, x->ptx), bytes); break;
    case STORE:
      spread_all(r, x);
      memcpy(words_at(r, x->ptx), row_at(r, x->row), bytes);
      break;
    case VECTOR:
      spread_all(r, x);
      x->insn.together(r->s->warps, warps, is_direct ? &x->direct : &x->insn);
      break;
    default: break;
    }
  }
}

uint64_t vg_flat_run(struct vg_worker *k, uint64_t first, uint64_t count) {
  struct vg_grid *g = k->grid;
  const struct vg_flat *f = g->flat;
  if (!f || g->threads > CHUNK)
    return 0;
  if (!k->flat)
    k->flat = state_new(g, f, true);
  k->flat->block.executed = 0;
  uint64_t done = 0, each = CHUNK / g->threads;
  uint32_t warps = (g->threads + VG_LANES - 1) / VG_LANES;
  while (done < count) {
    uint64_t now = count - done < each ? count - done : each;
    struct run r = {.grid = g,
                    .flat = f,
                    .s = k->flat,
                    .thread = (first + done) * g->threads,
                    .count = (uint32_t)(now * g->threads)};
    if (!is_allowed(&r))
      break;
    run_chunk(&r);
    for (uint64_t b = 0; b < now; b++)
      vg_place_did(g, first + done + b, (uint32_t)f->count * warps);
    done += now;
  }
  atomic_fetch_add(&g->executed,
                   done * (uint64_t)f->count * warps + k->flat->block.executed);
  return done;
}

// ---- Apart ----

struct extent {
  uint64_t from, to;
  bool is_store;
};

static bool collide(const struct extent *a, const struct extent *b) {
  return (a->is_store || b->is_store) && a->from != b->from &&
         a->from < b->to && b->from < a->to;
}

// A launch whose threads each have words of their own: two accesses are of the
// same words, or of none in common.
static bool is_apart(const struct run *r) {
  struct extent all[MAX_ACCESSES];
  int count = 0;
  for (int n = 0; n < r->flat->count; n++) {
    const struct flat_insn *x = &r->flat->insns[n];
    if (x->act == COMPUTE && !compute(r, x->ptx))
      return false;
    if (x->act != LOAD && x->act != STORE)
      continue;
    const struct ptx_operand *o = address_of(x->ptx);
    struct number at = r->s->numbers[o->reg];
    uint64_t from = at.first + (uint64_t)o->offset;
    if (at.step != 4)
      return false;
    all[count++] = (struct extent){
        from, from + r->grid->block_count * r->grid->threads * 4,
        x->act == STORE};
  }
  for (int a = 0; a < count; a++)
    for (int b = 0; b < a; b++)
      if (collide(&all[a], &all[b]))
        return false;
  return true;
}

void vg_flat_begin(struct vg_grid *g) {
  const struct gpu_launch *l = &g->launch;
  const struct vg_flat *f = g->code->flat;
  uint64_t threads = g->block_count * g->threads;
  if (!f || l->block[1] != 1 || l->block[2] != 1 || l->grid[1] != 1 ||
      l->grid[2] != 1 || g->counts || g->slice || g->seed ||
      threads > INT32_MAX)
    return;
  struct vg_flat_state *s = state_new(g, f, false);
  struct run r = {.grid = g, .flat = f, .s = s, .count = 1};
  struct vg_worker k = {.grid = g, .flat = s};
  g->flat = is_apart(&r) ? f : NULL;
  vg_flat_worker_free(&k);
}
