// SPDX-License-Identifier: Apache-2.0
// Which memory the instructions of a kernel can reach.
//
// Theory of operation. Every register gets the set of places that its value may
// be an address of: an instruction's result is the union of its sources, until
// nothing changes. Which way the code runs does not matter, so the answer is
// never too small. What is loaded from local memory may be anything that was
// stored there, a 64-bit integer loaded from elsewhere any address at all.
#include "gpu/vgpu/code/reach.h"

#include <stdlib.h>

#include "base/mem.h"
#include "gpu/ptx/ptx.h"
#include "gpu/vgpu/function.h"

struct set {
  uint64_t places;
  uint64_t shared; // bit n: variable n of the list; bit 63: any other
};

enum { OTHER_SHARED = 63 };

struct finder {
  const struct vg_module *module;
  const struct ptx_func *func;
  struct set *regs;
  struct set stored; // in local memory
  bool changed;
  const struct ptx_var *shared[OTHER_SHARED];
  int shared_count;
};

static uint64_t shared_bit(struct finder *f, const struct ptx_var *v) {
  int n = 0;
  while (n < f->shared_count && f->shared[n] != v)
    n++;
  if (n == OTHER_SHARED)
    return UINT64_C(1) << OTHER_SHARED;
  if (n == f->shared_count)
    f->shared[f->shared_count++] = v;
  return UINT64_C(1) << n;
}

static struct set set_of_var(struct finder *f, const struct ptx_var *v) {
  switch (v->space) {
  case PTX_SHARED: return (struct set){VG_REACH_SHARED, shared_bit(f, v)};
  case PTX_LOCAL:
  case PTX_PARAM: return (struct set){VG_REACH_LOCAL, 0};
  default: return (struct set){VG_REACH_VARIABLES, 0};
  }
}

static void join(struct set *to, struct set x) {
  to->places |= x.places;
  to->shared |= x.shared;
}

static struct set set_of_operand(struct finder *f,
                                 const struct ptx_operand *o) {
  struct set s = {0};
  if (o->var)
    join(&s, set_of_var(f, o->var));
  if (o->kind == PTX_VECTOR) {
    for (int n = 0; n < o->dim; n++)
      if (o->regs[n] >= 0)
        join(&s, f->regs[o->regs[n]]);
  } else if (o->reg >= 0 && o->kind != PTX_SPECIAL) {
    join(&s, f->regs[o->reg]);
  }
  return s;
}

static void add_to_register(struct finder *f, int reg, struct set s) {
  if (reg < 0)
    return;
  struct set *to = &f->regs[reg], old = *to;
  join(to, s);
  f->changed |= to->places != old.places || to->shared != old.shared;
}

static void add_to(struct finder *f, const struct ptx_operand *o,
                   struct set s) {
  if (o->kind == PTX_VECTOR)
    for (int n = 0; n < o->dim; n++)
      add_to_register(f, o->regs[n], s);
  else if (o->kind == PTX_REGISTER)
    add_to_register(f, o->reg, s);
}

static bool may_hold_address(const struct ptx_insn *p) {
  return p->type == PTX_U64 || p->type == PTX_B64 || p->type == PTX_S64 ||
         p->type == PTX_B128;
}

// The kernel's own parameter at a fixed place.
static struct set set_of_param(const struct finder *f,
                               const struct ptx_insn *p) {
  const struct ptx_operand *o = &p->operands[1];
  uint64_t at =
      o->var ? (o->var->offset + (uint64_t)o->offset) / 8 : UINT64_MAX;
  if (!f->func->is_entry || !o->var || o->reg >= 0 || o->var->owner != f->func)
    return (struct set){VG_REACH_ANYTHING, 0};
  if (at + p->vec > VG_REACH_PARAMS)
    return (struct set){VG_REACH_ANYTHING, 0};
  struct set s = {0};
  for (int n = 0; n < p->vec; n++)
    s.places |= UINT64_C(1) << (at + (uint64_t)n);
  return s;
}

static bool is_local(uint64_t places) {
  return places && !(places & ~VG_REACH_LOCAL);
}

static struct set set_of_load(struct finder *f, const struct ptx_insn *p) {
  struct set from = set_of_operand(f, &p->operands[1]);
  if (p->space == PTX_PARAM && p->is_entry_param)
    return may_hold_address(p) ? set_of_param(f, p) : (struct set){0};
  if (p->space == PTX_PARAM) {
    struct set s = f->stored; // an argument or a result of a call
    s.places |= may_hold_address(p) ? VG_REACH_ANYTHING : 0;
    return s;
  }
  if (p->space == PTX_LOCAL || is_local(from.places))
    return f->stored;
  struct set s = {may_hold_address(p) ? VG_REACH_ANYTHING : 0, 0};
  if (from.places & VG_REACH_LOCAL)
    join(&s, f->stored);
  return s;
}

static bool is_load(const struct ptx_insn *p) {
  return p->op == PTX_OP_LD || p->op == PTX_OP_LDU;
}

static void follow(struct finder *f, const struct ptx_insn *p) {
  if (p->op == PTX_OP_ST) {
    struct set to = set_of_operand(f, &p->operands[0]);
    if (p->space == PTX_LOCAL || p->space == PTX_PARAM ||
        to.places & VG_REACH_LOCAL) {
      struct set old = f->stored;
      join(&f->stored, set_of_operand(f, &p->operands[1]));
      f->changed |=
          f->stored.places != old.places || f->stored.shared != old.shared;
    }
    return;
  }
  if (p->operand_count < 2 || p->op == PTX_OP_RED || p->op == PTX_OP_CALL)
    return;
  struct set s = {0};
  if (is_load(p)) {
    s = set_of_load(f, p);
  } else if (p->op == PTX_OP_ATOM) {
    s.places = may_hold_address(p) ? VG_REACH_ANYTHING : 0;
  } else {
    for (int n = 1; n < p->operand_count; n++)
      join(&s, set_of_operand(f, &p->operands[n]));
  }
  if (s.places || s.shared) {
    add_to(f, &p->operands[0], s);
    add_to_register(f, p->operands[0].pair, s);
  }
}

// ---- What follows from it ----

static bool may_be_global(const struct ptx_insn *p) {
  return p->space == PTX_GLOBAL || p->space == PTX_GENERIC;
}

// Those whose memory is not that of a load, store or atomic; they may write
// wherever they have an address.
static bool is_block_mover(const struct ptx_insn *p) {
  return p->op == PTX_OP_CP ||
         (p->op == PTX_OP_WMMA && p->matrix->step == PTX_MATRIX_STORE);
}

// Bytes of its access to global memory, 0: none.
static int access_bytes(const struct ptx_insn *p) {
  int bytes = ptx_type_bytes((enum ptx_type)p->type);
  switch (p->op) {
  case PTX_OP_CP: return 4; // or a multiple
  case PTX_OP_WMMA: return bytes ? bytes : 1;
  case PTX_OP_LD:
  case PTX_OP_LDU:
  case PTX_OP_ST:
  case PTX_OP_RED:
  case PTX_OP_ATOM: return may_be_global(p) ? bytes * (p->vec ? p->vec : 1) : 0;
  case PTX_OP_SULD:
  case PTX_OP_SUST:
  case PTX_OP_SURED: return p->is_formatted ? 1 : bytes;
  default: return 0;
  }
}

static void add_written(struct finder *f, struct vg_code *c,
                        const struct ptx_operand *o) {
  struct set to = set_of_operand(f, o);
  // An address made of numbers alone may be anything.
  c->written |= to.places ? to.places : VG_REACH_ANYTHING;
}

static void find_written(struct finder *f, struct vg_code *c) {
  for (int n = 0; n < f->func->code_count; n++) {
    const struct ptx_insn *p = &f->func->code[n];
    bool is_store =
        p->op == PTX_OP_ST || p->op == PTX_OP_RED || p->op == PTX_OP_DISCARD;
    if (p->op == PTX_OP_SUST || p->op == PTX_OP_SURED)
      add_written(f, c, &p->operands[PTX_TEX_HANDLE]);
    if (p->op == PTX_OP_CALL && (!p->callee || p->callee->code_count))
      c->written |= VG_REACH_ANYTHING;
    else if ((is_store || p->op == PTX_OP_ATOM) && may_be_global(p))
      add_written(f, c, &p->operands[is_store ? 0 : 1]);
    for (int k = 0; is_block_mover(p) && k < p->operand_count; k++)
      if (p->operands[k].kind == PTX_ADDRESS)
        add_written(f, c, &p->operands[k]);
  }
}

// The same of shared memory. Of all instructions that no loads, stores and
// atomics are none needs to be known: what it does to part of a word is at most
// looked at more closely.
static int shared_bytes(const struct ptx_insn *p) {
  bool is_access = is_load(p) || p->op == PTX_OP_ST || p->op == PTX_OP_RED ||
                   p->op == PTX_OP_ATOM;
  if (!is_access || (p->space != PTX_SHARED && p->space != PTX_GENERIC))
    return 0;
  return ptx_type_bytes((enum ptx_type)p->type) * (p->vec ? p->vec : 1);
}

// The narrowest that the function itself has; a power of two.
static uint8_t shift_of_least(const struct ptx_func *f, int least,
                              int (*bytes_of)(const struct ptx_insn *p)) {
  for (int n = 0; n < f->code_count; n++) {
    int bytes = bytes_of(&f->code[n]);
    least = bytes && bytes < least ? bytes : least;
  }
  return (uint8_t)__builtin_ctz((unsigned)least);
}

static uint8_t smaller(uint8_t a, uint8_t b) {
  return a < b ? a : b;
}

// Any function of the module that is no kernel may be called.
void vg_reach_spread(struct vg_module *m) {
  uint8_t global = UINT8_MAX, shared = UINT8_MAX;
  for (int i = 0; i < m->ptx->func_count; i++) {
    const struct ptx_func *f = m->ptx->funcs[i];
    if (f->is_entry || !f->code_count)
      continue;
    global = smaller(global, m->codes[i].unit_shift);
    shared = smaller(shared, m->codes[i].shared_shift);
  }
  for (int i = 0; i < m->ptx->func_count; i++) {
    struct vg_code *c = &m->codes[i];
    c->unit_shift = smaller(c->unit_shift, global);
    c->shared_shift = smaller(c->shared_shift, shared);
  }
}

// The one shared variable that an address can be in.
static void find_within(struct finder *f, struct vg_code *c) {
  for (int n = 0; n < c->insn_count; n++) {
    struct vg_insn *i = &c->insns[n];
    const struct ptx_insn *p = i->ptx;
    if (!p || p->space != PTX_SHARED ||
        (!is_load(p) && p->op != PTX_OP_ST && p->op != PTX_OP_ATOM &&
         p->op != PTX_OP_RED))
      continue;
    bool is_store = p->op == PTX_OP_ST || p->op == PTX_OP_RED;
    struct set s = set_of_operand(f, &p->operands[is_store ? 0 : 1]);
    if (s.shared && !(s.shared & (s.shared - 1)) &&
        s.places == VG_REACH_SHARED && !(s.shared >> OTHER_SHARED)) {
      const struct ptx_var *v = f->shared[__builtin_ctzll(s.shared)];
      if (v->is_extern)
        i->dynamic = v->name;
      else
        i->within = v;
    }
  }
}

void vg_reach_find(struct vg_module *m, struct vg_code *c) {
  struct finder f = {.module = m, .func = c->func};
  f.regs = xcalloc((size_t)c->func->reg_count + 1, sizeof *f.regs);
  do {
    f.changed = false;
    for (int n = 0; n < c->func->code_count; n++)
      follow(&f, &c->func->code[n]);
  } while (f.changed);
  find_written(&f, c);
  c->unit_shift = shift_of_least(c->func, 8, access_bytes);
  c->shared_shift = shift_of_least(c->func, 4, shared_bytes);
  find_within(&f, c);
  free(f.regs);
}
