// SPDX-License-Identifier: Apache-2.0
// Theory of operation. In a kernel that does the same to each element every
// integer is either the same for all threads or grows by a fixed step from one
// thread to the next, so integers need no lanes: a value is its first thread's
// and the step. What is left for each thread are loads and stores of words one
// behind the other, and arithmetic on 32-bit values. These work on long rows
// that hold many blocks' threads, with the handlers of gangs: a row is dealt to
// warps that exist for nothing else.
//
// A block whose threads do not all pass the guard, or an access that is not
// wholly allowed and defined, is left to the engine proper, which says what is
// wrong. Threads cannot race: each has words of its own (vg_flat_begin looks).
#include "gpu/vgpu/flat.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/vgpu/placement.h"

enum {
  CHUNK = 4096, // threads of a row
  CHUNK_WARPS = CHUNK / VG_LANES,
  ROW_BYTES = CHUNK * 4,
  MAX_CODE = 512,
  MAX_ROWS = 128,
  MAX_ACCESSES = 16
};

// ---- Plans ----

enum kind {
  NOTHING,
  BLOCK_INDEX, // blockIdx.x
  BLOCK_START, // blockIdx.x * blockDim.x
  THREAD_INDEX,
  NUMBER, // first value and step
  ROW,
  GUARD
};

enum act { SKIP, COMPUTE, COMPARE, LEAVE, LOAD, STORE, VECTOR, DONE };

struct flat_insn {
  enum act act;
  const struct ptx_insn *ptx;
  struct vg_insn insn; // VECTOR: with rows for places
  uint16_t row;        // of what is loaded, stored or computed
  int16_t fill[3];     // VECTOR, STORE: registers to be spread to rows first
  uint16_t fill_row[3];
};

struct vg_flat {
  const struct ptx_func *func;
  struct flat_insn *insns;
  int count;
  uint8_t *kinds; // of registers
  int16_t *rows;  // of registers, -1: none
  int row_count;
  int accesses;
};

static bool is_word(int type) {
  return type == PTX_F32 || type == PTX_S32 || type == PTX_U32 ||
         type == PTX_B32;
}

static bool is_integer(int type) {
  return type == PTX_S32 || type == PTX_U32 || type == PTX_B32 ||
         type == PTX_S64 || type == PTX_U64 || type == PTX_B64;
}

static enum kind kind_of(const struct vg_flat *f, const struct ptx_operand *o) {
  switch (o->kind) {
  case PTX_REGISTER: return (enum kind)f->kinds[o->reg];
  case PTX_IMMEDIATE: return NUMBER;
  case PTX_SPECIAL:
    if (o->reg == PTX_SREG_NTID || o->reg == PTX_SREG_NCTAID)
      return NUMBER;
    if (o->dim)
      return NOTHING;
    return o->reg == PTX_SREG_CTAID ? BLOCK_INDEX
           : o->reg == PTX_SREG_TID ? THREAD_INDEX
                                    : NOTHING;
  default: return NOTHING;
  }
}

// Is it blockDim.x, or a register that holds nothing else?
static bool is_block_size(const struct vg_flat *f, const struct ptx_operand *o,
                          const int *defined_at) {
  if (o->kind == PTX_REGISTER && defined_at[o->reg] >= 0) {
    const struct ptx_insn *p = &f->func->code[defined_at[o->reg]];
    return p->op == PTX_OP_MOV && is_block_size(f, &p->operands[1], defined_at);
  }
  return o->kind == PTX_SPECIAL && o->reg == PTX_SREG_NTID && !o->dim;
}

// blockIdx.x * blockDim.x, as two operands of a product.
static bool is_start(const struct vg_flat *f, const struct ptx_insn *p,
                     const int *defined_at) {
  for (int k = 1; k <= 2; k++)
    if (kind_of(f, &p->operands[k]) == BLOCK_INDEX &&
        is_block_size(f, &p->operands[3 - k], defined_at))
      return true;
  return false;
}

// What an integer instruction makes of its sources.
static enum kind integer_kind(const struct vg_flat *f, const struct ptx_insn *p,
                              const int *defined_at) {
  enum kind a = kind_of(f, &p->operands[1]);
  enum kind b = p->operand_count > 2 ? kind_of(f, &p->operands[2]) : NUMBER;
  enum kind c = p->operand_count > 3 ? kind_of(f, &p->operands[3]) : NUMBER;
  bool numbers = a == NUMBER && b == NUMBER && c == NUMBER;
  switch (p->op) {
  case PTX_OP_MOV: return a;
  case PTX_OP_CVTA: return numbers ? NUMBER : NOTHING;
  case PTX_OP_CVT: return numbers && is_integer(p->type2) ? NUMBER : NOTHING;
  case PTX_OP_ADD:
    if ((a == BLOCK_START && b == THREAD_INDEX) ||
        (b == BLOCK_START && a == THREAD_INDEX))
      return NUMBER;
    return numbers ? NUMBER : NOTHING;
  case PTX_OP_SUB:
  case PTX_OP_SHL: return numbers ? NUMBER : NOTHING;
  case PTX_OP_MUL:
    if (p->part == PTX_LO_PART && is_start(f, p, defined_at))
      return BLOCK_START;
    return numbers && p->part != PTX_HI_PART ? NUMBER : NOTHING;
  case PTX_OP_MAD:
    if (p->part == PTX_LO_PART && c == THREAD_INDEX &&
        is_start(f, p, defined_at))
      return NUMBER;
    return numbers && p->part != PTX_HI_PART ? NUMBER : NOTHING;
  default: return NOTHING;
  }
}

static int row_of(struct vg_flat *f, int reg) {
  if (f->rows[reg] < 0 && f->row_count < MAX_ROWS)
    f->rows[reg] = (int16_t)f->row_count++;
  return f->rows[reg];
}

static vg_place place_of_row(int row) {
  return (vg_place)row * ROW_BYTES | VG_REGISTERS;
}

// The sources of a VECTOR or STORE; numbers will be spread to rows.
static bool plan_source(struct vg_flat *f, struct flat_insn *x, int n,
                        const struct ptx_operand *o, vg_place *place) {
  x->fill[n] = -1;
  if (o->kind == PTX_IMMEDIATE)
    return true; // its row of constants stands in the instruction
  if (o->kind != PTX_REGISTER || !is_word(f->func->reg_types[o->reg]))
    return false;
  int row = row_of(f, o->reg);
  if (row < 0)
    return false;
  if (f->kinds[o->reg] == NUMBER) {
    x->fill[n] = (int16_t)o->reg;
    x->fill_row[n] = (uint16_t)row;
  } else if (f->kinds[o->reg] != ROW) {
    return false;
  }
  *place = place_of_row(row);
  return true;
}

static bool plan_vector(struct vg_flat *f, struct flat_insn *x,
                        const struct vg_insn *i) {
  const struct ptx_insn *p = i->ptx;
  const struct ptx_operand *d = &p->operands[0];
  if (!i->together || !is_word(p->type) || (p->type2 && !is_word(p->type2)) ||
      p->op == PTX_OP_SELP || d->kind != PTX_REGISTER || d->pair >= 0 ||
      !is_word(f->func->reg_types[d->reg]) || p->operand_count > 4)
    return false;
  x->act = VECTOR;
  x->insn = *i;
  for (int k = 1; k < p->operand_count; k++)
    if (!plan_source(f, x, k - 1, &p->operands[k], &x->insn.src[k - 1]))
      return false;
  int row = row_of(f, d->reg);
  f->kinds[d->reg] = ROW;
  x->insn.dst = place_of_row(row);
  return row >= 0;
}

static bool plan_access(struct vg_flat *f, struct flat_insn *x,
                        const struct vg_insn *i) {
  const struct ptx_insn *p = i->ptx;
  bool is_store = p->op == PTX_OP_ST;
  const struct ptx_operand *address = &p->operands[is_store ? 0 : 1];
  const struct ptx_operand *data = &p->operands[is_store ? 1 : 0];
  vg_place ignored;
  if (p->space != PTX_GLOBAL || !is_word(p->type) || p->vec != 1 ||
      i->is_ordered || i->is_narrow || address->reg < 0 ||
      f->kinds[address->reg] != NUMBER || data->kind != PTX_REGISTER ||
      ++f->accesses > MAX_ACCESSES)
    return false;
  if (is_store && !plan_source(f, x, 0, data, &ignored))
    return false;
  x->act = is_store ? STORE : LOAD;
  if (!is_store)
    f->kinds[data->reg] = ROW;
  int row = row_of(f, data->reg);
  x->row = (uint16_t)row;
  return row >= 0 && is_word(f->func->reg_types[data->reg]);
}

static bool plan_insn(struct vg_flat *f, const struct vg_code *c, int n,
                      int *defined_at) {
  const struct vg_insn *i = &c->insns[n];
  const struct ptx_insn *p = i->ptx;
  struct flat_insn *x = &f->insns[n];
  const struct ptx_operand *d = p->operand_count ? &p->operands[0] : NULL;
  x->ptx = p;
  x->fill[0] = x->fill[1] = x->fill[2] = -1;
  if (p->guard >= 0 && p->op != PTX_OP_BRA)
    return false;
  bool has_target = d && d->kind == PTX_REGISTER && d->reg >= 0;
  switch (p->op) {
  case PTX_OP_RET:
  case PTX_OP_EXIT: x->act = DONE; return true;
  case PTX_OP_BRA:
    x->act = LEAVE;
    return p->guard >= 0 && f->kinds[p->guard] == GUARD &&
           (d->target >= f->func->code_count ||
            f->func->code[d->target].op == PTX_OP_RET);
  case PTX_OP_SETP:
    if (!has_target)
      return false;
    x->act = COMPARE;
    f->kinds[d->reg] = GUARD;
    return is_integer(p->type) && p->boolop == PTX_BOOL_NONE && d->pair < 0 &&
           kind_of(f, &p->operands[1]) == NUMBER &&
           kind_of(f, &p->operands[2]) == NUMBER;
  case PTX_OP_ST: return plan_access(f, x, i);
  case PTX_OP_LD:
    if (!p->is_entry_param)
      return plan_access(f, x, i);
    if (!has_target)
      return false;
    x->act = COMPUTE;
    f->kinds[d->reg] = NUMBER;
    return p->vec == 1 && i->bytes >= 4 && i->bytes <= 8 &&
           i->run == vg_op_ld_param;
  default: break;
  }
  if (!has_target)
    return false;
  if (is_integer(p->type) && !p->sat && !p->cc) {
    enum kind k = integer_kind(f, p, defined_at);
    if (k != NOTHING) {
      x->act = COMPUTE;
      f->kinds[d->reg] = (uint8_t)k;
      defined_at[d->reg] = n;
      return true;
    }
  }
  return plan_vector(f, x, i);
}

// Every register has one definition, and the code is one line but for the guard.
static bool plan_all(struct vg_flat *f, const struct vg_code *c) {
  const struct ptx_func *func = f->func;
  bool fits = c->insn_count == func->code_count + 1;
  int *defined_at = xmalloc(sizeof *defined_at * (size_t)(func->reg_count + 1));
  bool *seen = xcalloc((size_t)func->reg_count + 1, sizeof *seen);
  for (int r = 0; r < func->reg_count; r++)
    defined_at[r] = -1;
  for (int n = 0; n < func->code_count && fits; n++) {
    const struct ptx_insn *p = &func->code[n];
    fits = plan_insn(f, c, n, defined_at);
    bool writes = fits && p->op != PTX_OP_ST && p->op != PTX_OP_BRA &&
                  p->operand_count && p->operands[0].kind == PTX_REGISTER;
    if (writes && seen[p->operands[0].reg])
      fits = false;
    if (writes)
      seen[p->operands[0].reg] = true;
    if (f->insns[n].act == DONE) {
      f->count = n + 1;
      break;
    }
  }
  free(defined_at);
  free(seen);
  return fits && f->count && f->accesses;
}

struct vg_flat *vg_flat_plan(const struct vg_code *c) {
  const struct ptx_func *func = c->func;
  if (!func->is_entry || func->code_count > MAX_CODE || c->is_ordered)
    return NULL;
  struct vg_flat *f = xcalloc(1, sizeof *f);
  f->func = func;
  f->insns = xcalloc((size_t)func->code_count + 1, sizeof *f->insns);
  f->kinds = xcalloc((size_t)func->reg_count + 1, sizeof *f->kinds);
  f->rows = xmalloc(sizeof *f->rows * (size_t)(func->reg_count + 1));
  for (int r = 0; r < func->reg_count; r++)
    f->rows[r] = -1;
  if (plan_all(f, c))
    return f;
  vg_flat_free(f);
  return NULL;
}

void vg_flat_free(struct vg_flat *f) {
  if (!f)
    return;
  free(f->insns);
  free(f->kinds);
  free(f->rows);
  free(f);
}

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
    if (kind_of(f, &p->operands[k]) == THREAD_INDEX)
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
  const struct ptx_operand *o = &p->operands[is_store ? 0 : 1];
  struct number at = r->s->numbers[o->reg];
  uint64_t address = at.first + (uint64_t)o->offset;
  uint64_t bytes = (uint64_t)r->count * 4, offset;
  struct vg_alloc *a = vg_slot(r->grid->memory, address >> VG_SLOT_BITS);
  if (at.step != 4 || address & 3 || !a || !a->data ||
      (is_store && a->is_read_only))
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

static struct vg_flat_state *state_new(const struct vg_grid *g,
                                       const struct vg_flat *f) {
  struct vg_flat_state *s = xcalloc(1, sizeof *s);
  size_t regs = (size_t)f->func->reg_count + 1;
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

static void run_chunk(const struct run *r) {
  uint32_t warps = (r->count + VG_LANES - 1) / VG_LANES;
  for (int n = 0; n < r->flat->count; n++) {
    const struct flat_insn *x = &r->flat->insns[n];
    size_t bytes = (size_t)r->count * 4;
    switch (x->act) {
    case LOAD: memcpy(row_at(r, x->row), words_at(r, x->ptx), bytes); break;
    case STORE:
      spread_all(r, x);
      memcpy(words_at(r, x->ptx), row_at(r, x->row), bytes);
      break;
    case VECTOR:
      spread_all(r, x);
      x->insn.together(r->s->warps, warps, &x->insn);
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
    k->flat = state_new(g, f);
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
    const struct ptx_operand *o = &x->ptx->operands[x->act == STORE ? 0 : 1];
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

bool vg_flat_begin(struct vg_grid *g) {
  const struct gpu_launch *l = &g->launch;
  const struct vg_flat *f = g->code->flat;
  uint64_t threads = g->block_count * g->threads;
  if (!f || l->block[1] != 1 || l->block[2] != 1 || l->grid[1] != 1 ||
      l->grid[2] != 1 || g->counts || g->seed || threads > INT32_MAX)
    return false;
  struct vg_flat_state *s = state_new(g, f);
  struct run r = {.grid = g, .flat = f, .s = s, .count = 1};
  struct vg_worker k = {.grid = g, .flat = s};
  bool is = is_apart(&r);
  vg_flat_worker_free(&k);
  g->flat = is ? f : NULL;
  return is;
}
