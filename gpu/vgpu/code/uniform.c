// SPDX-License-Identifier: Apache-2.0
// Which registers of a kernel hold the same value in all threads of a block
// that execute the same instruction: what comes from parameters, constants and
// the block's own coordinates, computed where lanes do not part. Such registers
// lie in a bank of their own, and a gang computes them once (gang.c).
//
// Every register is thought uniform until one of its definitions is not: because
// of a source, or because lanes that parted may stand there. Branches by which
// threads only leave the kernel part nobody: those who stay agree.
#include "gpu/vgpu/code/code.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/vgpu/code/decode.h"

enum { LONGEST = 4096 }; // instructions; regions are marked branch by branch

struct uniform {
  const struct ptx_func *func;
  bool *is_uniform; // of each register
  bool *is_parted;  // of each instruction: lanes may have parted
  bool *is_done;    // of each branch: its region is marked
  bool has_changed;
};

static bool is_computed(const struct ptx_insn *p) {
  switch (p->op) {
  case PTX_OP_ADD:
  case PTX_OP_SUB:
  case PTX_OP_MUL:
  case PTX_OP_MAD:
  case PTX_OP_FMA:
  case PTX_OP_DIV:
  case PTX_OP_REM:
  case PTX_OP_NEG:
  case PTX_OP_ABS:
  case PTX_OP_MIN:
  case PTX_OP_MAX:
  case PTX_OP_AND:
  case PTX_OP_OR:
  case PTX_OP_XOR:
  case PTX_OP_NOT:
  case PTX_OP_SHL:
  case PTX_OP_SHR:
  case PTX_OP_CVT:
  case PTX_OP_CVTA:
  case PTX_OP_SETP:
  case PTX_OP_SELP:
  case PTX_OP_MOV: return !p->cc;
  case PTX_OP_LD: return p->is_entry_param && p->vec == 1;
  default: return false;
  }
}

static bool is_uniform_source(const struct uniform *u,
                              const struct ptx_operand *o) {
  switch (o->kind) {
  case PTX_REGISTER: return o->reg >= 0 && u->is_uniform[o->reg];
  case PTX_IMMEDIATE: return true;
  case PTX_SPECIAL:
    return o->reg == PTX_SREG_NTID || o->reg == PTX_SREG_CTAID ||
           o->reg == PTX_SREG_NCTAID;
  case PTX_ADDRESS: return o->reg < 0; // of a parameter
  default: return false;
  }
}

static bool is_uniform_insn(const struct uniform *u, int n) {
  const struct ptx_insn *p = &u->func->code[n];
  if (u->is_parted[n] || !is_computed(p) ||
      p->operands[0].kind != PTX_REGISTER ||
      (p->guard >= 0 && !u->is_uniform[p->guard]))
    return false;
  for (int k = 1; k < p->operand_count; k++)
    if (!is_uniform_source(u, &p->operands[k]))
      return false;
  return true;
}

static void differs(struct uniform *u, int reg) {
  if (reg >= 0 && u->is_uniform[reg]) {
    u->is_uniform[reg] = false;
    u->has_changed = true;
  }
}

// No register that the instruction writes is uniform. That it may only read
// some of them does no harm.
static void differ_all(struct uniform *u, const struct ptx_insn *p) {
  for (int k = 0; k < p->operand_count && k < 1; k++) {
    const struct ptx_operand *o = &p->operands[k];
    if (o->kind == PTX_REGISTER)
      differs(u, o->reg);
    differs(u, o->pair);
    for (int r = 0; o->kind == PTX_VECTOR && r < o->dim; r++)
      differs(u, o->regs[r]);
  }
}

static bool leaves(const struct ptx_func *f, int n) {
  return n >= f->code_count || f->code[n].op == PTX_OP_RET ||
         f->code[n].op == PTX_OP_EXIT;
}

// Marks what lies between a branch and where its ways meet again.
static void mark_region(struct uniform *u, int branch) {
  const struct ptx_func *f = u->func;
  const struct ptx_insn *p = &f->code[branch];
  int target = p->operands[0].target, count = 0;
  bool part_for_good = leaves(f, target) || leaves(f, branch + 1);
  if (leaves(f, p->reconverge) && part_for_good)
    return; // some leave the kernel here, the others stay together
  int *todo = xmalloc(sizeof *todo * (size_t)(2 * f->code_count + 2));
  bool *seen = xcalloc((size_t)f->code_count + 1, sizeof *seen);
  todo[count++] = target;
  todo[count++] = branch + 1;
  while (count) {
    int n = todo[--count];
    if (n >= f->code_count || n == p->reconverge || seen[n])
      continue;
    seen[n] = true;
    if (!u->is_parted[n])
      u->has_changed = u->is_parted[n] = true;
    const struct ptx_insn *q = &f->code[n];
    if (q->op == PTX_OP_BRA)
      todo[count++] = q->operands[0].target;
    bool goes_on =
        q->guard >= 0 ||
        (q->op != PTX_OP_BRA && q->op != PTX_OP_RET && q->op != PTX_OP_EXIT);
    if (goes_on)
      todo[count++] = n + 1;
  }
  free(todo);
  free(seen);
}

static void look_at(struct uniform *u, int n) {
  const struct ptx_insn *p = &u->func->code[n];
  if (p->op == PTX_OP_BRA) {
    if (p->guard >= 0 && !u->is_uniform[p->guard] && !u->is_done[n]) {
      u->is_done[n] = true;
      mark_region(u, n);
    }
  } else if (!is_uniform_insn(u, n)) {
    differ_all(u, p);
  }
}

static bool is_too_much(const struct ptx_func *f) {
  if (!f->is_entry || f->code_count > LONGEST)
    return true;
  for (int n = 0; n < f->code_count; n++)
    if (f->code[n].op == PTX_OP_BRX || f->code[n].op == PTX_OP_CALL)
      return true;
  return false;
}

bool *vg_find_uniform(const struct ptx_func *f, const bool *is_unwritten) {
  struct uniform u = {.func = f};
  u.is_uniform = xcalloc((size_t)f->reg_count + 1, sizeof *u.is_uniform);
  if (is_too_much(f))
    return u.is_uniform;
  u.is_parted = xcalloc((size_t)f->code_count + 1, sizeof *u.is_parted);
  u.is_done = xcalloc((size_t)f->code_count + 1, sizeof *u.is_done);
  for (int r = 0; r < f->reg_count; r++)
    u.is_uniform[r] = !is_unwritten[r];
  do {
    u.has_changed = false;
    for (int n = 0; n < f->code_count; n++)
      look_at(&u, n);
  } while (u.has_changed);
  free(u.is_parted);
  free(u.is_done);
  return u.is_uniform;
}
