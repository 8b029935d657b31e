// SPDX-License-Identifier: Apache-2.0
// Which local variable an access of code built with -G means.
//
// The compiler puts all local variables of a function into one block, and the
// debug information says where each lies. An address of one is made by adding
// its place to the block's start; from there it is followed through the code's
// registers, whichever way the code runs, as in reach.c. An access whose address
// can come from one variable alone has that one's bounds. What was read from
// memory, or handed over by a call, may be any variable's, and has none.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/region.h"
#include "gpu/ptx/ptx_debug.h"
#include "gpu/vgpu/reach.h"

// What a register may hold: nothing of interest, the block's start, the
// address of something in a variable of the list, or several of these.
enum { NOTHING = 0, MANY = -1, BLOCK = -2 }; // variables are numbered from 1

struct finder {
  const struct ptx_dfunc *func;
  int *holds; // of each register
  bool changed;
};

static int join(int a, int b) {
  return a == NOTHING || a == b ? b : b == NOTHING ? a : MANY;
}

// ---- Variables ----

static const struct ptx_dlocation *place_of(const struct ptx_dvar *v) {
  const struct ptx_dlocation *l = v->locations;
  bool is_local = v->location_count == 1 && l->kind == PTX_AT_VARIABLE &&
                  l->var->space == PTX_LOCAL && l->offset >= 0;
  return is_local && ptx_dtype_bytes(v->type) ? l : NULL;
}

// The variable that begins at `offset` of the block; MANY where several do.
static int variable_at(const struct finder *f, int64_t offset) {
  int found = NOTHING;
  for (int n = 0; n < f->func->var_count; n++) {
    const struct ptx_dlocation *l = place_of(&f->func->vars[n]);
    if (l && (int64_t)l->var->offset + l->offset == offset)
      found = join(found, n + 1);
  }
  return found ? found : MANY;
}

// ---- Registers ----

static int holds_register(const struct finder *f, const struct ptx_operand *o) {
  return o->kind == PTX_REGISTER && o->reg >= 0 ? f->holds[o->reg] : NOTHING;
}

static int moved(const struct finder *f, const struct ptx_operand *o) {
  if (o->var && o->var->space == PTX_LOCAL)
    return o->offset ? variable_at(f, (int64_t)o->var->offset + o->offset)
                     : BLOCK;
  return holds_register(f, o);
}

static int sum(const struct finder *f, const struct ptx_insn *p) {
  const struct ptx_operand *a = &p->operands[1], *b = &p->operands[2];
  int x = holds_register(f, a), y = holds_register(f, b);
  if (x == BLOCK && b->kind == PTX_IMMEDIATE && p->op == PTX_OP_ADD)
    return variable_at(f, (int64_t)b->bits);
  if (x == BLOCK || y == BLOCK)
    return MANY;
  if (p->op == PTX_OP_SUB && x && y)
    return NOTHING; // how far one is from the other
  return join(x, y);
}

static int result_of(const struct finder *f, const struct ptx_insn *p) {
  int all = NOTHING;
  switch (p->op) {
  case PTX_OP_MOV:
  case PTX_OP_CVTA: return moved(f, &p->operands[1]);
  case PTX_OP_ADD:
  case PTX_OP_SUB: return sum(f, p);
  case PTX_OP_LD:
  case PTX_OP_LDU:
  case PTX_OP_ATOM:
  case PTX_OP_SETP: return NOTHING;
  default:
    for (int n = 1; n < p->operand_count; n++)
      all = join(all, holds_register(f, &p->operands[n]));
    return all == BLOCK ? MANY : all;
  }
}

static void follow(struct finder *f, const struct ptx_insn *p) {
  const struct ptx_operand *to = &p->operands[0];
  if (p->operand_count < 2 || p->op == PTX_OP_ST || p->op == PTX_OP_RED ||
      p->op == PTX_OP_CALL || to->kind != PTX_REGISTER || to->reg < 0)
    return;
  int now = join(f->holds[to->reg], result_of(f, p));
  f->changed |= now != f->holds[to->reg];
  f->holds[to->reg] = now;
}

// ---- Accesses ----

static const struct ptx_operand *address_of(const struct ptx_insn *p) {
  if (p->space != PTX_LOCAL && p->space != PTX_GENERIC)
    return NULL;
  switch (p->op) {
  case PTX_OP_LD:
  case PTX_OP_LDU:
  case PTX_OP_ATOM: return &p->operands[1];
  case PTX_OP_ST:
  case PTX_OP_RED: return &p->operands[0];
  default: return NULL;
  }
}

// A variable whose block has ended has no bytes left. An instruction that no
// line stands for, such as one that sets a whole array to zero, may lie outside.
static const struct ptx_var *bounds_of(struct vg_module *m,
                                       const struct ptx_dvar *v,
                                       const struct ptx_func *f,
                                       const struct ptx_insn *at) {
  const struct ptx_dlocation *l = place_of(v);
  bool is_gone = at->line > 0 && at - f->code >= v->to;
  struct ptx_var *x = region_alloc(m->region, sizeof *x);
  *x = (struct ptx_var){.name = v->name,
                        .space = PTX_LOCAL,
                        .offset = l->var->offset + (uint64_t)l->offset,
                        .bytes = is_gone ? 0 : ptx_dtype_bytes(v->type)};
  return x;
}

void vg_reach_find_local(struct vg_module *m, struct vg_code *c) {
  const struct ptx_debug *d = m->ptx->debug;
  struct finder f = {.func = d ? ptx_debug_func(d, c->func) : NULL};
  if (!f.func)
    return;
  f.holds = xcalloc((size_t)c->func->reg_count + 1, sizeof *f.holds);
  do {
    f.changed = false;
    for (int n = 0; n < c->func->code_count; n++)
      follow(&f, &c->func->code[n]);
  } while (f.changed);
  for (int n = 0; n < c->insn_count; n++) {
    struct vg_insn *i = &c->insns[n];
    const struct ptx_operand *at =
        i->ptx && i->is_main ? address_of(i->ptx) : NULL;
    int one = at && at->reg >= 0 ? f.holds[at->reg] : NOTHING;
    if (one > 0)
      i->within = bounds_of(m, &f.func->vars[one - 1], c->func, i->ptx);
  }
  free(f.holds);
}
