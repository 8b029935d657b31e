// SPDX-License-Identifier: Apache-2.0
// A plan for a kernel and a block shape, or why there is none.
#include "gpu/vgpu/tier/tier_plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/region.h"
#include "gpu/vgpu/tier/tier_relocate.h"

static bool refuse(struct tier_plan *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static bool refuse(struct tier_plan *p, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  vsnprintf(p->refusal, sizeof p->refusal, fmt, args);
  va_end(args);
  return false;
}

static bool refuse_insn(struct tier_plan *p, const struct ptx_insn *i,
                        const char *why) {
  char line[32] = "";
  if (i->line > 0)
    snprintf(line, sizeof line, " in line %d", i->line);
  return refuse(p, "%s%s%s%s", ptx_op_name((enum ptx_op)i->op),
                *why ? " with " : "", why, line);
}

// A result that nothing reads does not show in which order sums were made.
static bool is_read(const struct ptx_func *f, int reg) {
  int32_t regs[TIER_MOST_OPERANDS];
  for (int n = 0; n < f->code_count; n++) {
    int count = tier_reads(&f->code[n], regs);
    for (int k = 0; k < count; k++)
      if (regs[k] == reg)
        return true;
  }
  return false;
}

static bool takes_all(struct tier_plan *p) {
  const struct ptx_func *f = p->func;
  if (f->code_count > TIER_MOST_CODE || f->reg_count > TIER_MOST_REGISTERS)
    return refuse(p, "it is too large");
  if (!f->code_count)
    return refuse(p, "it has no code");
  for (int n = 0; n < f->code_count; n++) {
    const char *why = tier_refuses(f, &f->code[n]);
    if (!why && p->is_checked)
      why = tier_refuses_checked(&f->code[n]);
    if (why)
      return refuse_insn(p, &f->code[n], why);
    bool is_atomic = f->code[n].op == PTX_OP_ATOM;
    if (is_atomic && is_read(f, tier_atomic_result(&f->code[n])))
      return refuse_insn(p, &f->code[n], "a result whose order shows");
    p->has_warp_ops |= tier_is_warp_op(&f->code[n]);
  }
  return true;
}

// ---- Gangs ----

// A value of a gang is two of NEON's vectors, where that may be: of more LLVM makes code
// that takes it seconds.
static void choose_gang(struct tier_plan *p) {
  uint32_t x = p->shape[0];
  bool is_narrow = TIER_MACHINE == EM_AARCH64;
  p->lanes = is_narrow ? 8 : 16;
  if (p->has_warp_ops || (x % 32 == 0 && !is_narrow))
    p->lanes = 32;
  else if (x % 16 && x % 8 == 0)
    p->lanes = 8;
  p->is_one_row = x % (uint32_t)p->lanes == 0;
}

static bool place_registers(struct tier_plan *p) {
  const struct ptx_func *f = p->func;
  p->registers = region_alloc(p->region, sizeof *p->registers *
                                             (size_t)(f->reg_count + 1));
  for (int r = 0; r < f->reg_count; r++) {
    int bytes = ptx_type_bytes((enum ptx_type)f->reg_types[r]);
    p->registers[r].bits = f->reg_types[r] == PTX_PRED ? 1
                           : bytes <= 4                ? 32
                                                       : 64;
    p->registers[r].v.origin = TIER_ORIGIN_UNKNOWN;
    if (bytes > 8)
      return refuse(p, "a register of 128 bits");
  }
  return true;
}

// ---- What was found ----

static bool has_unwritten(const struct tier_plan *p) {
  for (int w = 0; w < p->register_words; w++)
    if (p->blocks[0].live_in[w])
      return true;
  return false;
}

static bool check_barriers(struct tier_plan *p) {
  for (int b = 0; b < p->block_count; b++)
    for (int w = 0; w < p->block_words && p->blocks[b].barrier; w++)
      if (p->blocks[b].is_reached && p->blocks[b].pending[w])
        return refuse_insn(p, &p->func->code[p->blocks[b].end - 1],
                           "lanes that may have parted");
  return true;
}

static bool is_sum(const struct ptx_insn *i) {
  return i->op == PTX_OP_ATOM || i->op == PTX_OP_RED;
}

// A sum and a maximum in one place show which came first.
static bool check_sum(struct tier_plan *p, const struct ptx_insn *i, int at) {
  uint16_t kind = tier_sum_of(i);
  if (p->sums[at] && p->sums[at] != kind)
    return refuse_insn(p, i, "another kind before, and their order shows");
  p->sums[at] = kind;
  return true;
}

static bool check_address(struct tier_plan *p, const struct ptx_insn *i) {
  bool is_first = i->op == PTX_OP_ST || i->op == PTX_OP_RED;
  const struct ptx_operand *a = &i->operands[is_first ? 0 : 1];
  int origin = p->registers[a->reg].v.origin;
  if (origin < 0 || p->registers[a->reg].bits < 64)
    return refuse_insn(p, i, "an address that no parameter gives");
  if (is_sum(i) && !check_sum(p, i, origin))
    return false;
  if (is_sum(i))
    p->summed |= UINT64_C(1) << origin;
  else if (i->op == PTX_OP_ST)
    p->written |= UINT64_C(1) << origin;
  else
    p->read |= UINT64_C(1) << origin;
  if (i->nc)
    p->fetched |= UINT64_C(1) << origin;
  return true;
}

static bool check_memory(struct tier_plan *p) {
  for (int b = 0; b < p->block_count; b++)
    for (int n = p->blocks[b].first;
         p->blocks[b].is_reached && n < p->blocks[b].end; n++) {
      const struct ptx_insn *i = &p->func->code[n];
      bool is_access = i->op == PTX_OP_LD || i->op == PTX_OP_ST || is_sum(i);
      if (is_access && i->space == PTX_GLOBAL && !check_address(p, i))
        return false;
      if (is_sum(i) && i->space == PTX_SHARED && !check_sum(p, i, TIER_ORIGINS))
        return false;
    }
  return true;
}

static void count_saved(struct tier_plan *p) {
  uint32_t all = 0;
  for (int r = 0; r < p->func->reg_count; r++)
    all += p->registers[r].v.kind != TIER_VARYING
               ? 8
               : (uint32_t)p->lanes * (p->registers[r].bits == 64 ? 8 : 4);
  p->save_bytes = p->barrier_count ? (all + 127) & ~63u : 0;
}

static bool plan(struct tier_plan *p) {
  if (!takes_all(p) || !place_registers(p))
    return false;
  choose_gang(p);
  if (!tier_find_blocks(p))
    return refuse(p, "it is too large");
  if (has_unwritten(p))
    return refuse(p, "a register is read that may not have been written");
  tier_find_kinds(p);
  tier_find_nans(p);
  tier_find_indices(p);
  count_saved(p);
  return check_barriers(p) && check_memory(p) && tier_plan_checks(p);
}

struct tier_plan *tier_plan_new(const struct ptx_func *f,
                                const uint32_t shape[3], uint32_t dynamic_at,
                                const struct tier_decoded *decoded) {
  struct tier_plan *p = xcalloc(1, sizeof *p);
  p->func = f;
  p->region = region_new();
  p->dynamic_at = dynamic_at;
  p->is_checked = decoded != NULL;
  p->decoded = decoded;
  memcpy(p->shape, shape, sizeof p->shape);
  p->threads = shape[0] * shape[1] * shape[2];
  plan(p);
  return p;
}

void tier_plan_free(struct tier_plan *p) {
  if (!p)
    return;
  region_free(p->region);
  free(p);
}
