// SPDX-License-Identifier: Apache-2.0
// Which local variable an access of code built with -G means.
//
// The compiler puts all local variables of a function into one block, and the
// debug information says where each lies. The address of one is made in one way
// alone: add.u64 of a number to the block's start (that of an element or a field
// is made from it, by add.s64). From there it is followed through the code's
// registers, whichever way the code runs, as in reach.c. An access whose address
// can come from one variable alone has that one's bounds. Where anything is not
// certain, an access has none:
// - an address, as any 64-bit value, that was read from memory or handed over by
//   a call may be that of any variable;
// - variables of inlined functions may lie in what is their caller's;
// - 8 bytes may be said to be a pointer where what it points at lies: the place
//   of a value that is itself an address is written in the same way;
// - what nothing is known to lie behind may be larger than it is said to be.
#include "gpu/vgpu/code/reach.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/region.h"
#include "gpu/ptx/ptx.h"
#include "gpu/vgpu/code/decode.h"

// What a register may hold: a number, the block's start, the address of
// something in a variable of the list, or several of these or anything.
enum { NUMBER = 0, MANY = -1, BLOCK = -2 }; // variables are numbered from 1
enum { ADDRESS_BYTES = 8, MOST_ALIGNED = 16 };

struct finder {
  const struct ptx_func *code;
  const struct ptx_dfunc *func;
  const struct ptx_var *block;
  int *holds; // of each register
  bool changed;
};

static int join(int a, int b) {
  return a == NUMBER || a == b ? b : b == NUMBER ? a : MANY;
}

// ---- Variables ----

// The function's one block of local variables; NULL where it has several.
static const struct ptx_var *block_of(const struct ptx_func *f) {
  const struct ptx_var *found = NULL;
  for (int n = 0; n < f->local_count; n++)
    if (f->locals[n]->space == PTX_LOCAL) {
      if (found)
        return NULL;
      found = f->locals[n];
    }
  return found;
}

// Where a variable lies in the block; -1 where it does not, or not always.
static int64_t place_of(const struct finder *f, const struct ptx_dvar *v) {
  const struct ptx_dlocation *l = v->locations;
  bool is_there = v->location_count == 1 && l->kind == PTX_AT_VARIABLE &&
                  l->var == f->block && l->offset >= 0 && l->from == v->from &&
                  l->to == v->to && !v->is_inlined;
  return is_there && ptx_dtype_bytes(v->type) ? l->offset : -1;
}

// Adds a number to the block's start: that is the address of a whole variable.
static bool makes_address(const struct finder *f, const struct ptx_insn *p) {
  const struct ptx_operand *from = &p->operands[1];
  return p->op == PTX_OP_ADD && p->type == PTX_U64 &&
         from->kind == PTX_REGISTER && from->reg >= 0 &&
         f->holds[from->reg] == BLOCK && p->operands[2].kind == PTX_IMMEDIATE;
}

// Where the next variable behind `at` begins, or the block ends.
static uint64_t next_after(const struct finder *f, uint64_t at) {
  uint64_t next = f->block->bytes;
  for (int n = 0; n < f->func->var_count; n++) {
    int64_t place = place_of(f, &f->func->vars[n]);
    if (place > (int64_t)at && (uint64_t)place < next)
      next = (uint64_t)place;
  }
  for (int n = 0; n < f->code->code_count; n++) {
    const struct ptx_insn *p = &f->code->code[n];
    if (makes_address(f, p) && p->operands[2].bits > at &&
        p->operands[2].bits < next)
      next = p->operands[2].bits;
  }
  return next;
}

// Does the variable reach to what lies behind it, but for what alignment needs?
static bool is_whole(const struct finder *f, int64_t place, uint64_t bytes) {
  uint64_t next = next_after(f, (uint64_t)place);
  uint64_t end = (uint64_t)place + bytes, align = next & -next;
  return end <= next &&
         next - end < (align < MOST_ALIGNED ? align : MOST_ALIGNED);
}

// The variable that begins at `offset` of the block; MANY where several do.
static int variable_at(const struct finder *f, uint64_t offset) {
  int found = NUMBER;
  for (int n = 0; n < f->func->var_count; n++)
    if (place_of(f, &f->func->vars[n]) == (int64_t)offset)
      found = join(found, n + 1);
  if (found <= 0)
    return MANY;
  uint64_t bytes = ptx_dtype_bytes(f->func->vars[found - 1].type);
  bool is_sure = bytes != ADDRESS_BYTES && is_whole(f, (int64_t)offset, bytes);
  return is_sure ? found : MANY;
}

// ---- Registers ----

static int holds_operand(const struct finder *f, const struct ptx_operand *o) {
  int all = NUMBER;
  if (o->kind == PTX_REGISTER)
    return o->reg >= 0 ? f->holds[o->reg] : NUMBER;
  for (int n = 0; o->kind == PTX_VECTOR && n < o->dim; n++)
    if (o->regs[n] >= 0)
      all = join(all, f->holds[o->regs[n]]);
  return all;
}

static int joined(const struct finder *f, const struct ptx_insn *p) {
  int all = NUMBER;
  for (int n = 1; n < p->operand_count; n++)
    all = join(all, holds_operand(f, &p->operands[n]));
  return all == BLOCK ? MANY : all;
}

static int difference(const struct finder *f, const struct ptx_insn *p) {
  int x = holds_operand(f, &p->operands[1]);
  int y = holds_operand(f, &p->operands[2]);
  if (x > 0 && x == y)
    return NUMBER; // how far one is from the other, in one variable
  return x && y ? MANY : joined(f, p);
}

static bool is_wide(const struct finder *f, int reg) {
  enum ptx_type t = (enum ptx_type)f->code->reg_types[reg];
  return ptx_type_bytes(t) >= ADDRESS_BYTES;
}

// What is read from memory, or put together of parts, may be any address; but a
// kernel's parameters hold none of a local variable.
static bool may_be_any(const struct ptx_insn *p) {
  switch (p->op) {
  case PTX_OP_LD: return !p->is_entry_param;
  case PTX_OP_LDU:
  case PTX_OP_ATOM: return true;
  default: return p->operands[1].kind == PTX_VECTOR;
  }
}

static int result_of(const struct finder *f, const struct ptx_insn *p,
                     int reg) {
  const struct ptx_operand *from = &p->operands[1];
  if (may_be_any(p))
    return is_wide(f, reg) ? MANY : NUMBER;
  switch (p->op) {
  case PTX_OP_MOV:
    if (from->var && from->var->space == PTX_LOCAL)
      return from->var == f->block && !from->offset ? BLOCK : MANY;
    return joined(f, p);
  case PTX_OP_CVTA: // of the block's start that start, as a generic address
    return holds_operand(f, from);
  case PTX_OP_ADD:
    return makes_address(f, p) ? variable_at(f, p->operands[2].bits)
                               : joined(f, p);
  case PTX_OP_SUB: return difference(f, p);
  case PTX_OP_LD:
  case PTX_OP_SETP: return NUMBER;
  default: return joined(f, p);
  }
}

static void follow_into(struct finder *f, const struct ptx_insn *p, int reg) {
  if (reg < 0)
    return;
  int now = join(f->holds[reg], result_of(f, p, reg));
  f->changed |= now != f->holds[reg];
  f->holds[reg] = now;
}

static void follow(struct finder *f, const struct ptx_insn *p) {
  const struct ptx_operand *to = &p->operands[0];
  if (p->operand_count < 2 || p->op == PTX_OP_CALL || !ptx_has_destination(p))
    return;
  if (to->kind == PTX_REGISTER)
    follow_into(f, p, to->reg);
  for (int n = 0; to->kind == PTX_VECTOR && n < to->dim; n++)
    follow_into(f, p, to->regs[n]);
}

static void follow_all(struct finder *f) {
  do {
    f->changed = false;
    for (int n = 0; n < f->code->code_count; n++)
      follow(f, &f->code->code[n]);
  } while (f->changed);
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

// Has the block ended that declares the variable? Then the access stands behind
// it both in the code and in the source: the code of a loop's head does not.
static bool is_gone(const struct finder *f, const struct ptx_dvar *v,
                    const struct ptx_insn *at) {
  int last = INT32_MAX;
  if (at - f->code->code < v->to)
    return false;
  for (int n = v->from; n < v->to && n < f->code->code_count; n++) {
    const struct ptx_insn *p = &f->code->code[n];
    if (p->file == at->file && p->line > 0 &&
        (last == INT32_MAX || p->line > last))
      last = p->line;
  }
  return at->line > last;
}

// A variable whose block has ended has no bytes left.
static const struct ptx_var *bounds_of(const struct finder *f,
                                       struct vg_code *c, int variable,
                                       const struct ptx_insn *at) {
  const struct ptx_dvar *v = &f->func->vars[variable - 1];
  uint64_t start;
  if (!vg_frame_offset(c, f->block, &start))
    return NULL;
  struct ptx_var *x = region_alloc(c->module->region, sizeof *x);
  *x = (struct ptx_var){.name = v->name,
                        .space = PTX_LOCAL,
                        .offset = start + (uint64_t)place_of(f, v),
                        .bytes =
                            is_gone(f, v, at) ? 0 : ptx_dtype_bytes(v->type)};
  return x;
}

void vg_reach_find_local(struct vg_module *m, struct vg_code *c) {
  const struct ptx_debug *d = m->ptx->debug;
  struct finder f = {.code = c->func,
                     .func = d ? ptx_debug_func(d, c->func) : NULL,
                     .block = block_of(c->func)};
  if (!f.func || !f.block)
    return;
  f.holds = xcalloc((size_t)c->func->reg_count + 1, sizeof *f.holds);
  follow_all(&f);
  for (int n = 0; n < c->insn_count; n++) {
    struct vg_insn *i = &c->insns[n];
    const struct ptx_operand *at =
        i->ptx && i->is_main ? address_of(i->ptx) : NULL;
    int one = at && at->reg >= 0 ? f.holds[at->reg] : NUMBER;
    if (one > 0)
      i->within = bounds_of(&f, c, one, i->ptx);
  }
  free(f.holds);
}
