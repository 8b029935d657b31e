// SPDX-License-Identifier: Apache-2.0
// Which kernels are flat (flat.c), and what each of their instructions is then.
#include "gpu/vgpu/grid/flat_plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/vgpu/function.h"
#include "gpu/vgpu/ops/ops.h"

static bool is_word(int type) {
  return type == PTX_F32 || type == PTX_S32 || type == PTX_U32 ||
         type == PTX_B32;
}

static bool is_integer(int type) {
  return type == PTX_S32 || type == PTX_U32 || type == PTX_B32 ||
         type == PTX_S64 || type == PTX_U64 || type == PTX_B64;
}

enum kind vg_flat_kind(const struct vg_flat *f, const struct ptx_operand *o) {
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
    if (vg_flat_kind(f, &p->operands[k]) == BLOCK_INDEX &&
        is_block_size(f, &p->operands[3 - k], defined_at))
      return true;
  return false;
}

// What an integer instruction makes of its sources.
static enum kind integer_kind(const struct vg_flat *f, const struct ptx_insn *p,
                              const int *defined_at) {
  enum kind a = vg_flat_kind(f, &p->operands[1]);
  enum kind b =
      p->operand_count > 2 ? vg_flat_kind(f, &p->operands[2]) : NUMBER;
  enum kind c =
      p->operand_count > 3 ? vg_flat_kind(f, &p->operands[3]) : NUMBER;
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

// Of integers: what is wrong with it is told of a thread (divide.c).
static bool is_division(const struct ptx_insn *p) {
  return (p->op == PTX_OP_DIV || p->op == PTX_OP_REM) && p->type != PTX_F32;
}

static bool plan_vector(struct vg_flat *f, struct flat_insn *x,
                        const struct vg_insn *i) {
  const struct ptx_insn *p = i->ptx;
  const struct ptx_operand *d = &p->operands[0];
  if (!i->together || !is_word(p->type) || (p->type2 && !is_word(p->type2)) ||
      p->op == PTX_OP_SELP || is_division(p) || d->kind != PTX_REGISTER ||
      d->pair >= 0 || !is_word(f->func->reg_types[d->reg]) ||
      p->operand_count > 4)
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
           vg_flat_kind(f, &p->operands[1]) == NUMBER &&
           vg_flat_kind(f, &p->operands[2]) == NUMBER;
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

// ---- Arrays as rows ----

static bool reads_row(const struct flat_insn *x, int row) {
  bool is = x->act == STORE && x->row == row;
  for (int k = 1; k < x->ptx->operand_count && x->act == VECTOR; k++)
    is |= x->insn.src[k - 1] == place_of_row(row);
  return is;
}

// The number of the bank for these words; -1 when there is none left.
static int direct_bank(struct vg_flat *f, const struct ptx_insn *p) {
  const struct ptx_operand *o = address_of(p);
  for (int n = 0; n < f->direct_count; n++) {
    const struct ptx_operand *d = address_of(f->direct[n]);
    if (d->reg == o->reg && d->offset == o->offset)
      return n;
  }
  if (f->direct_count == MAX_DIRECT)
    return -1;
  f->direct[f->direct_count] = p;
  return f->direct_count++;
}

// What is loaded is read where it lies, unless a store comes before its last
// use.
static void plan_direct_load(struct vg_flat *f, int n) {
  struct flat_insn *load = &f->insns[n];
  bool has_stored = false;
  for (int k = n + 1; k < f->count; k++) {
    const struct flat_insn *x = &f->insns[k];
    if (reads_row(x, load->row) && (has_stored || x->act == STORE))
      return;
    has_stored |= x->act == STORE;
  }
  int bank = direct_bank(f, load->ptx);
  if (bank < 0)
    return;
  load->is_direct = true;
  for (int k = n + 1; k < f->count; k++)
    for (int s = 0; s < 4 && f->insns[k].act == VECTOR; s++)
      if (f->insns[k].insn.src[s] == place_of_row(load->row))
        f->insns[k].direct.src[s] = direct_banks[bank];
}

// What is computed right before it is stored, and not used any more, is
// computed where it will lie.
static void plan_direct_store(struct vg_flat *f, int n) {
  struct flat_insn *store = &f->insns[n];
  int from = n - 1;
  while (from >= 0 &&
         (f->insns[from].act == COMPUTE || f->insns[from].act == SKIP))
    from--;
  if (from < 0 || f->insns[from].act != VECTOR ||
      f->insns[from].insn.dst != place_of_row(store->row))
    return;
  for (int k = n + 1; k < f->count; k++)
    if (reads_row(&f->insns[k], store->row))
      return;
  int bank = direct_bank(f, store->ptx);
  if (bank < 0)
    return;
  store->is_direct = true;
  f->insns[from].direct.dst = direct_banks[bank];
}

static void plan_direct(struct vg_flat *f) {
  for (int n = 0; n < f->count; n++)
    f->insns[n].direct = f->insns[n].insn;
  for (int n = 0; n < f->count; n++)
    if (f->insns[n].act == LOAD)
      plan_direct_load(f, n);
  for (int n = 0; n < f->count; n++)
    if (f->insns[n].act == STORE)
      plan_direct_store(f, n);
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
  if (plan_all(f, c)) {
    plan_direct(f);
    return f;
  }
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
