// SPDX-License-Identifier: Apache-2.0
// From parsed PTX to what warps run: every operand gets its place, every
// instruction its handler, once per module.
#include "gpu/vgpu/code/decode.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/region.h"
#include "gpu/vgpu/check/check.h"
#include "gpu/vgpu/code/code.h"
#include "gpu/vgpu/code/handlers.h"
#include "gpu/vgpu/code/reach.h"
#include "gpu/vgpu/ops/ops.h"

// ---- One instruction ----

// Lane width of the n-th source.
static int source_width(const struct ptx_insn *p, int n) {
  int own = vg_lane_width((enum ptx_type)p->type);
  int other = vg_lane_width((enum ptx_type)(p->type2 ? p->type2 : p->type));
  switch (p->op) {
  case PTX_OP_SHL:
  case PTX_OP_SHR:
  case PTX_OP_BFE: return n ? 4 : own;
  case PTX_OP_BFI: return n >= 2 ? 4 : own;
  case PTX_OP_MUL:
  case PTX_OP_MAD:
  case PTX_OP_MADC:
    if (p->part == PTX_WIDE && n == 2)
      return ptx_type_bytes((enum ptx_type)p->type) * 2 <= 4 ? 4 : 8;
    return own;
  case PTX_OP_CVT:
  case PTX_OP_SET: return p->pack ? 4 : other;
  case PTX_OP_SLCT: return n == 2 ? other : own;
  case PTX_OP_ELECT: return 4;
  case PTX_OP_ISSPACEP: return 8;
  case PTX_OP_SHFL:
  case PTX_OP_VOTE:
  case PTX_OP_BAR:
  case PTX_OP_BARRIER:
  case PTX_OP_NANOSLEEP:
  case PTX_OP_LOP3:
  case PTX_OP_PRMT:
  case PTX_OP_SHF: return 4;
  case PTX_OP_MATCH:
  case PTX_OP_REDUX: return n ? 4 : own;
  default: return own;
  }
}

static int target_width(const struct ptx_insn *p) {
  switch (p->op) {
  case PTX_OP_MUL:
  case PTX_OP_MAD:
    if (p->part == PTX_WIDE)
      return ptx_type_bytes((enum ptx_type)p->type) * 2 <= 4 ? 4 : 8;
    break;
  case PTX_OP_POPC:
  case PTX_OP_CLZ:
  case PTX_OP_BFIND:
  case PTX_OP_MATCH:
  case PTX_OP_GETCTARANK:
  case PTX_OP_ACTIVEMASK:
  case PTX_OP_VOTE: return 4;
  default: break;
  }
  return p->type && !p->pack ? vg_lane_width((enum ptx_type)p->type) : 4;
}

// Operands that are predicates, by their place in the text.
static bool wants_predicate(const struct ptx_insn *p, int n) {
  switch (p->op) {
  case PTX_OP_SETP: return n == 0 || n == 3;
  case PTX_OP_LOP3: return n == 5;
  case PTX_OP_SET:
  case PTX_OP_SELP: return n == 3;
  case PTX_OP_TESTP:
  case PTX_OP_ISSPACEP: return n == 0;
  case PTX_OP_VOTE: return n == 1 || (n == 0 && p->sub != PTX_VOTE_BALLOT);
  case PTX_OP_BAR:
  case PTX_OP_BARRIER:
    return p->sub >= PTX_BAR_RED_POPC && p->sub <= PTX_BAR_RED_OR &&
           (n == p->operand_count - 1 ||
            (n == 0 && p->sub != PTX_BAR_RED_POPC));
  default: return p->type == PTX_PRED;
  }
}

// ld.param of the kernel's own, at a place that is known now and lies inside.
static bool is_fixed_param(const struct decoder *d, const struct ptx_insn *p,
                           const struct vg_insn *i) {
  if (p->op != PTX_OP_LD || i->space != PTX_PARAM || !p->operands[1].var ||
      i->bytes > 8)
    return false;
  uint64_t at = p->operands[1].var->offset + (uint64_t)i->offset;
  uint64_t bytes = (uint64_t)i->bytes * i->vec, all = d->func->param_bytes;
  return at <= all && bytes <= all - at && at % bytes == 0;
}

static bool is_wide_atom(const struct ptx_insn *p) {
  return p->vec > 1 || p->type == PTX_B128;
}

static void decode_wide_atom(struct decoder *d, const struct ptx_insn *p,
                             struct vg_insn *i, int width) {
  struct vg_wide *x = region_alloc(d->module->region, sizeof *x);
  const struct ptx_operand *o = p->operands;
  bool is_red = p->op == PTX_OP_RED;
  if (!is_red)
    x->old = *vg_vector_places(d, p, &o[0], width, true);
  x->b = *vg_vector_places(d, p, &o[is_red ? 1 : 2], width, false);
  if (p->sub == PTX_ATOM_CAS && p->operand_count == 4)
    x->c = *vg_vector_places(d, p, &o[3], width, false);
  i->wide = x;
  i->vec = p->vec;
}

static void decode_memory(struct decoder *d, const struct ptx_insn *p,
                          struct vg_insn *i) {
  int width = vg_lane_width((enum ptx_type)p->type);
  bool is_store = p->op == PTX_OP_ST || p->op == PTX_OP_RED;
  vg_decode_address(d, p, &p->operands[is_store ? 0 : 1], i);
  i->space = vg_access_space(d, p, i);
  i->bytes = (uint8_t)ptx_type_bytes((enum ptx_type)p->type);
  i->is_ordered = p->sem > PTX_WEAK;
  if (p->op == PTX_OP_ATOM || p->op == PTX_OP_RED) {
    int n = is_store ? 1 : 2;
    if (is_wide_atom(p)) {
      decode_wide_atom(d, p, i, width);
      return;
    }
    if (!is_store && p->operands[0].kind == PTX_REGISTER)
      i->dst = vg_target_register(d, p, p->operands[0].reg, width,
                                  vg_is_signed(p->type));
    for (int s = 1; n < p->operand_count && s < 4; n++, s++)
      i->src[s] = vg_source_place(d, p, &p->operands[n], width);
    return;
  }
  const struct ptx_operand *data = &p->operands[is_store ? 1 : 0];
  i->vector = vg_vector_places(d, p, data, width, !is_store);
  i->vec = i->vector->count;
  if (is_fixed_param(d, p, i)) {
    i->offset += (int64_t)p->operands[1].var->offset;
    i->run = vg_op_ld_param;
  }
}

// The carry is a predicate as any other: what the sum begins with, and what it
// leaves. A difference, a + ~b, begins with 1.
static void place_carry(const struct ptx_insn *p, struct vg_insn *i) {
  bool takes =
      p->op == PTX_OP_ADDC || p->op == PTX_OP_SUBC || p->op == PTX_OP_MADC;
  if (takes)
    i->src[3] = VG_CARRY;
  else if (p->cc && p->op == PTX_OP_SUB)
    i->src[3] = 0 | VG_CONSTANTS; // always true
  if (p->cc)
    i->dst2 = VG_CARRY;
}

static void decode_plain(struct decoder *d, const struct ptx_insn *p,
                         struct vg_insn *i) {
  const struct ptx_operand *o = p->operands;
  int n = 0, width = target_width(p);
  bool has_target = p->op != PTX_OP_BAR && p->op != PTX_OP_BARRIER &&
                    p->op != PTX_OP_NANOSLEEP && p->op != PTX_OP_PMEVENT;
  if ((p->op == PTX_OP_BAR || p->op == PTX_OP_BARRIER) &&
      p->sub >= PTX_BAR_RED_POPC && p->sub <= PTX_BAR_RED_OR)
    has_target = true;
  if (has_target) {
    if (!wants_predicate(p, 0))
      i->dst = vg_target_place(d, p, &o[0], width);
    else if (o[0].kind == PTX_REGISTER)
      i->dst = vg_predicate_place(d, p, &o[0]);
    if (o[0].pair >= 0 && vg_is_predicate(d, o[0].pair))
      i->dst2 = d->reg_at[o[0].pair];
    n = 1;
  }
  for (int s = 0; n < p->operand_count && s < 4; n++, s++) {
    if (p->op == PTX_OP_LOP3 && p->boolop && n == 4)
      n++; // the handler takes the table from the instruction
    if (wants_predicate(p, n)) {
      i->src[s] = vg_predicate_place(d, p, &o[n]);
      i->flip = o[n].negate ? VG_ALL : 0;
    } else {
      i->src[s] = vg_source_place(d, p, &o[n], source_width(p, s));
    }
  }
  place_carry(p, i);
}

// mov d, {a, b, ...} and mov {a, b, ...}, d.
static void decode_pack(struct decoder *d, const struct ptx_insn *p,
                        struct vg_insn *i) {
  const struct ptx_operand *o = p->operands;
  int whole = vg_lane_width((enum ptx_type)p->type);
  bool is_pack = o[1].kind == PTX_VECTOR;
  const struct ptx_operand *parts = &o[is_pack ? 1 : 0];
  int bytes = ptx_type_bytes((enum ptx_type)p->type) / parts->dim;
  i->bytes = (uint8_t)bytes;
  i->vec = parts->dim;
  i->type = p->type;
  i->vector = vg_vector_places(d, p, parts, bytes <= 4 ? 4 : bytes, !is_pack);
  if (is_pack) {
    i->dst = vg_target_place(d, p, &o[0], whole);
    i->run = vg_op_pack;
  } else {
    i->src[0] = vg_source_place(d, p, &o[1], whole);
    i->run = vg_op_unpack;
  }
}

// ---- Textures and surfaces ----

static void coordinate_places(struct decoder *d, const struct ptx_insn *p,
                              const struct ptx_operand *o,
                              struct vg_place_list *out) {
  if (o->kind != PTX_NONE)
    *out = *vg_vector_places(d, p, o, 4, false);
}

// Levels and gradients choose among mipmaps, and no array has more than one.
static void decode_texture(struct decoder *d, const struct ptx_insn *p,
                           struct vg_insn *i) {
  const struct ptx_operand *o = p->operands;
  struct vg_tex *t = region_alloc(d->module->region, sizeof *t);
  bool is_load = p->op != PTX_OP_SUST && p->op != PTX_OP_SURED;
  t->geometry = p->geometry;
  t->bound = p->bound;
  t->is_formatted = p->is_formatted;
  t->is_whole = p->type2 == PTX_S32;
  i->texture = t;
  i->bytes = (uint8_t)ptx_type_bytes((enum ptx_type)p->type);
  i->src[0] = vg_source_place(d, p, &o[PTX_TEX_HANDLE], 8);
  coordinate_places(d, p, &o[PTX_TEX_COORDS], &t->coords);
  coordinate_places(d, p, &o[PTX_TEX_OFFSET], &t->offset);
  i->vector = vg_vector_places(d, p, &o[PTX_TEX_DATA],
                               vg_lane_width((enum ptx_type)p->type), is_load);
  i->vec = i->vector->count;
  if (o[PTX_TEX_DATA].pair >= 0)
    i->dst2 = d->reg_at[o[PTX_TEX_DATA].pair];
}

static struct vg_code *code_of(struct vg_module *m, const struct ptx_func *f) {
  for (int i = 0; i < m->ptx->func_count; i++)
    if (m->ptx->funcs[i] == f)
      return &m->codes[i];
  return NULL;
}

static void decode_call(struct decoder *d, const struct ptx_insn *p,
                        struct vg_insn *i) {
  struct vg_call *c = region_alloc(d->module->region, sizeof *c);
  struct vg_code *callee = p->callee ? code_of(d->module, p->callee) : NULL;
  bool has_body = callee && callee->func->code_count > 0;
  c->arg_count = p->call_arg_count;
  c->args = region_alloc(d->module->region,
                         sizeof *c->args * (size_t)(c->arg_count + 1));
  uint64_t at;
  uint32_t to = 0;
  for (int n = 0; n < c->arg_count; n++) {
    const struct ptx_var *v = p->call_args[n];
    if (!vg_frame_offset(d->code, v, &at)) {
      vg_decode_fail(d, p, "an argument that is not a .param variable");
      return;
    }
    to = vg_align_up(to, v->align);
    c->args[n] = (struct vg_copy){(uint32_t)at, to, (uint32_t)v->bytes};
    to += (uint32_t)v->bytes;
  }
  if (p->call_result) {
    vg_frame_offset(d->code, p->call_result, &at);
    c->has_result = true;
    c->result.to = (uint32_t)at;
    c->result.bytes = (uint32_t)p->call_result->bytes;
  }
  i->call = c;
  if (p->callee && !has_body) {
    i->run = vg_find_syscall(p->callee->name);
    if (!i->run)
      vg_decode_fail(d, p, p->callee->name);
    return;
  }
  c->callee = callee;
  i->run = vg_op_call;
  if (callee) {
    if (callee->func->param_bytes < to ||
        (c->has_result && (!callee->func->result ||
                           callee->func->result->bytes < c->result.bytes)))
      vg_decode_fail(d, p, "a call that does not fit its function");
    return;
  }
  // An indirect call: the address is the first operand.
  i->src[0] = vg_source_place(d, p, &p->operands[0], 8);
}

static void fill_modifiers(const struct ptx_insn *p, struct vg_insn *i) {
  i->ptx = p;
  i->round = p->round;
  i->cmp = p->cmp;
  i->sub = p->sub;
  i->part = p->part;
  i->boolop = p->boolop;
  i->type = p->type;
  i->type2 = p->type2;
  i->ftz = p->ftz;
  i->sat = p->sat;
  i->flag = p->clamp || p->shiftamt || p->nan;
}

static void emit_after(struct decoder *d, const struct ptx_insn *p,
                       const struct vg_insn *i) {
  for (int n = 0; n < d->after_count; n++) {
    vg_handler run = d->after[n].width == 4  ? vg_op_narrow
                     : d->after[n].is_signed ? vg_op_widen_signed
                                             : vg_op_widen;
    vg_emit_move(d, p, run, d->after[n].to, d->after[n].from);
    d->insns[d->count - 1].guard = i->guard;
    d->insns[d->count - 1].guard_flip = i->guard_flip;
  }
  d->after_count = 0;
}

static bool is_memory(const struct ptx_insn *p) {
  return p->op == PTX_OP_LD || p->op == PTX_OP_LDU || p->op == PTX_OP_ST ||
         p->op == PTX_OP_ATOM || p->op == PTX_OP_RED;
}

static bool is_pack(const struct ptx_insn *p) {
  return p->op == PTX_OP_MOV && (p->operands[0].kind == PTX_VECTOR ||
                                 p->operands[1].kind == PTX_VECTOR);
}

static void check_target(struct decoder *d, const struct ptx_insn *p) {
  int end = d->func->code_count, to = p->operands[0].target;
  if (p->operands[0].kind != PTX_LABEL || to < 0 || to > end ||
      p->reconverge < 0 || p->reconverge > end)
    vg_decode_fail(d, p, "a branch to nowhere");
}

// Hints to caches: their operands are not looked at.
static bool is_hint(const struct ptx_insn *p) {
  return p->op == PTX_OP_PREFETCH || p->op == PTX_OP_PREFETCHU ||
         p->op == PTX_OP_APPLYPRIORITY;
}

// A generic address that is not in global memory is none of its either.
static void decode_discard(struct decoder *d, const struct ptx_insn *p,
                           struct vg_insn *i) {
  vg_decode_address(d, p, &p->operands[0], i);
  i->space = PTX_GLOBAL;
  i->bytes = VG_DISCARD_BYTES;
}

static void decode_one(struct decoder *d, const struct ptx_insn *p) {
  struct vg_insn i = {.guard = 0 | VG_CONSTANTS,
                      .dst = VG_NOWHERE,
                      .dst2 = VG_NOWHERE,
                      .src = {ZERO_ROW, ZERO_ROW, ZERO_ROW, ZERO_ROW}};
  fill_modifiers(p, &i);
  i.is_main = true;
  if (p->guard >= 0) {
    i.guard = d->reg_at[p->guard];
    i.guard_flip = p->guard_negate ? VG_ALL : 0;
  }
  if (p->op == PTX_OP_CALL) {
    decode_call(d, p, &i);
  } else if (is_pack(p)) {
    decode_pack(d, p, &i);
  } else {
    i.run = vg_find_handler(p);
    if (!i.run) {
      vg_decode_fail(d, p, "");
      return;
    }
    if (i.ptx->matrix)
      vg_decode_matrix(d, p, &i);
    else if (p->op >= PTX_OP_CP && p->op <= PTX_OP_GRIDDEPCONTROL)
      vg_decode_async(d, p, &i);
    else if (is_memory(p))
      decode_memory(d, p, &i);
    else if (ptx_op_is_texture(p->op))
      decode_texture(d, p, &i);
    else if (p->op == PTX_OP_DISCARD)
      decode_discard(d, p, &i);
    else if (p->op == PTX_OP_BRA)
      check_target(d, p);
    else if (p->op == PTX_OP_BRX)
      i.src[0] = vg_source_place(d, p, &p->operands[0], 4);
    else if (!is_hint(p) && p->operand_count)
      decode_plain(d, p, &i);
  }
  *vg_emit(d, p) = i;
  emit_after(d, p, &i);
}

// What makes a kernel's blocks see each other's work in progress.
static bool is_order_sensitive(const struct ptx_insn *p) {
  bool is_shared = p->space == PTX_SHARED || p->space == PTX_LOCAL;
  switch (p->op) {
  case PTX_OP_ATOM:
  case PTX_OP_RED: return !is_shared;
  case PTX_OP_SURED: return true;
  case PTX_OP_LD:
  case PTX_OP_ST: return p->sem > PTX_WEAK && !is_shared;
  case PTX_OP_MEMBAR:
  case PTX_OP_FENCE: return p->scope != PTX_CTA;
  case PTX_OP_CALL: return !p->callee || !p->callee->code_count;
  case PTX_OP_MOV:
    return p->operand_count == 2 && p->operands[1].kind == PTX_SPECIAL &&
           ((p->operands[1].reg >= PTX_SREG_CLOCK &&
             p->operands[1].reg <= PTX_SREG_GLOBALTIMER_HI) ||
            p->operands[1].reg == PTX_SREG_SMID);
  default: return false;
  }
}

static const struct vg_ways *find_ways(struct decoder *d,
                                       const struct ptx_insn *p) {
  size_t count = (size_t)p->target_count;
  struct vg_ways *w =
      region_alloc(d->module->region, sizeof *w + count * sizeof *w->to);
  w->count = (uint32_t)p->target_count;
  for (int k = 0; k < p->target_count; k++)
    w->to[k] = &d->insns[d->first[p->targets[k]]];
  return w;
}

static void resolve_targets(struct decoder *d) {
  struct vg_insn *code = d->insns;
  for (int n = 0; n < d->count; n++) {
    const struct ptx_insn *p = code[n].ptx;
    if (!p || !code[n].is_main || (p->op != PTX_OP_BRA && p->op != PTX_OP_BRX))
      continue;
    if (p->op == PTX_OP_BRX) {
      code[n].ways = find_ways(d, p);
      code[n].reconverge = &code[d->first[p->reconverge]];
      continue;
    }
    code[n].target = &code[d->first[p->operands[0].target]];
    code[n].reconverge = &code[d->first[p->reconverge]];
  }
}

static enum err decode_function(struct vg_module *m, struct vg_code *c,
                                struct err_info *e) {
  const struct ptx_func *f = c->func;
  struct decoder d = {.module = m, .code = c, .func = f, .e = e};
  vg_place_registers(&d);
  uint32_t yes = VG_ALL;
  vg_add_constant(&d, &yes, sizeof yes); // VG_CONSTANTS:0
  vg_constant_row(&d, 0, 16);            // ZERO_ROW
  d.first = xcalloc((size_t)f->code_count + 1, sizeof *d.first);
  for (int n = 0; n < f->code_count && !d.err; n++) {
    d.first[n] = d.count;
    decode_one(&d, &f->code[n]);
    c->is_ordered |= is_order_sensitive(&f->code[n]);
  }
  d.first[f->code_count] = d.count;
  struct vg_insn *end = vg_emit(&d, NULL);
  end->run = vg_op_return;
  c->insns = region_alloc(m->region, sizeof *c->insns * (size_t)d.count);
  memcpy(c->insns, d.insns, sizeof *c->insns * (size_t)d.count);
  c->insn_count = d.count;
  c->constants = aligned_alloc(64, (d.constant_bytes + 63) & ~63u);
  if (!c->constants)
    abort(); // as xmalloc; a few rows for each immediate
  memcpy(c->constants, d.constants, d.constant_bytes);
  c->register_bytes = d.temp_bytes;
  c->uniform_bytes = d.uniform_bytes;
  c->widths = region_alloc(m->region, d.temp_bytes / 4 + 1);
  memcpy(c->widths, d.widths,
         d.width_count < d.temp_bytes / 4 ? d.width_count : d.temp_bytes / 4);
  free(d.widths);
  c->reg_at = d.reg_at;
  free(d.insns);
  free(d.constants);
  if (!d.err) {
    d.insns = c->insns;
    resolve_targets(&d);
    vg_find_waits(c);
    vg_find_bypasses(c);
    vg_find_trip_counts(c);
    vg_gang_prepare(c);
    for (int n = 0; n < c->insn_count; n++) {
      c->insns[n].is_return = c->insns[n].run == vg_op_return;
      c->insns[n].is_param_load = c->insns[n].run == vg_op_ld_param;
    }
    vg_reach_find(m, c);
    vg_reach_find_local(m, c);
  }
  free(d.first);
  return d.err;
}

// A kernel is as order-sensitive as any function of its module that could run
// in it.
static void spread_order(struct vg_module *m) {
  bool any = false;
  for (int i = 0; i < m->ptx->func_count; i++)
    any |= !m->ptx->funcs[i]->is_entry && m->codes[i].is_ordered;
  for (int i = 0; any && i < m->ptx->func_count; i++) {
    const struct ptx_func *f = m->ptx->funcs[i];
    for (int n = 0; n < f->code_count; n++)
      m->codes[i].is_ordered |= f->code[n].op == PTX_OP_CALL;
  }
}

static bool is_straight(const struct vg_code *c) {
  for (int n = 0; n < c->insn_count; n++) {
    const struct vg_insn *i = &c->insns[n];
    int op = i->ptx ? (int)i->ptx->op : -1;
    if (op == PTX_OP_CALL || op == PTX_OP_BRX || op == PTX_OP_NANOSLEEP ||
        op == PTX_OP_MBARRIER || (op == PTX_OP_BRA && i->target <= i))
      return false;
  }
  return true;
}

// A chain of calls that comes back to where it began has one to a function that
// is not above its own caller, or through a pointer. Compilers put what is
// called first, so that most modules have neither.
static bool may_recurse(const struct vg_module *m) {
  for (int i = 0; i < m->ptx->func_count; i++)
    for (int n = 0; n < m->codes[i].insn_count; n++) {
      const struct vg_insn *c = &m->codes[i].insns[n];
      if (c->run == vg_op_call &&
          (!c->call->callee || c->call->callee >= &m->codes[i]))
        return true;
    }
  return false;
}

static bool has_call(const struct vg_code *c) {
  for (int n = 0; n < c->insn_count; n++)
    if (c->insns[n].run == vg_op_call)
      return true;
  return false;
}

// A warp's registers of one call are bounded, and so are those of all calls
// that are open at a time: a frame on the stack, which has an end, takes a
// share of them.
static enum err bound_registers(struct vg_code *c, struct err_info *e) {
  enum { MOST = 32 << 20, A_STACK_BYTE = 1024 };
  uint32_t bytes = c->register_bytes + c->uniform_bytes;
  if (bytes > MOST)
    return err_set(e, ERR_UNSUPPORTED,
                   "%s has too many registers: those of a warp would take "
                   "%u MiB; at most %d are supported",
                   c->func->name, bytes >> 20, MOST >> 20);
  uint32_t least = (c->register_bytes / A_STACK_BYTE + 16) & ~15u;
  if (!c->func->is_entry && c->frame_bytes < least)
    c->frame_bytes = least;
  return ERR_OK;
}

enum err vg_module_decode(struct vg_module *m, struct err_info *e) {
  int count = m->ptx->func_count;
  m->codes = region_alloc(m->region, sizeof *m->codes * (size_t)(count + 1));
  vg_place_dynamic_shared(m);
  for (int i = 0; i < count; i++) {
    m->codes[i].func = m->ptx->funcs[i];
    m->codes[i].module = m;
    enum err err = vg_place_frame(m, &m->codes[i], e);
    if (err)
      return err;
  }
  for (int i = 0; i < count; i++) {
    if (!m->ptx->funcs[i]->code_count)
      continue;
    enum err err = decode_function(m, &m->codes[i], e);
    if (!err)
      err = bound_registers(&m->codes[i], e);
    if (err)
      return err;
  }
  spread_order(m);
  vg_reach_spread(m);
  for (int i = 0; i < count; i++)
    m->codes[i].is_straight = is_straight(&m->codes[i]);
  bool recurses = may_recurse(m);
  for (int i = 0; i < count; i++) {
    m->codes[i].may_recurse = recurses && has_call(&m->codes[i]);
    m->codes[i].is_foreign = vg_site_is_foreign(&m->codes[i]);
  }
  return ERR_OK;
}
