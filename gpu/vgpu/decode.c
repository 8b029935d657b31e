// SPDX-License-Identifier: Apache-2.0
// From parsed PTX to what warps run: every operand gets its place, every
// instruction its handler, once per module.
//
// Where a register is wider or narrower than the instruction's type (PTX lets
// ld, st and cvt do that), a move is put before or after, so that handlers see
// one lane width per type.
#include "gpu/vgpu/engine.h"
#include "gpu/vgpu/matrix.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/region.h"
#include "gpu/vgpu/reach.h"

enum { MAX_FRAME_BYTES = 512 << 10 }; // CUDA's limit of local memory

struct decoder {
  struct vg_module *module;
  struct vg_code *code;
  const struct ptx_func *func;
  struct err_info *e;
  enum err err;
  vg_place *reg_at;
  struct vg_insn *insns; // grows
  int count, capacity;
  int *first; // emitted index of each PTX instruction
  uint8_t *constants;
  uint32_t constant_bytes, constant_capacity;
  uint32_t temp_bytes; // registers behind the function's own
  struct {
    vg_place from, to;
    int width;
    bool is_signed;
  } after[VG_MAX_VECTOR + 2]; // widening moves to put behind
  int after_count;
};

static bool fail(struct decoder *d, const struct ptx_insn *p,
                 const char *what) {
  if (d->err)
    return false;
  const struct ptx_module *m = d->module->ptx;
  const char *file =
      p->file >= 0 && p->file < m->file_count ? m->files[p->file] : NULL;
  const char *type = p->type ? ptx_type_name((enum ptx_type)p->type) : "";
  d->err = err_set_at(d->e, ERR_UNSUPPORTED, file, p->line, p->column,
                      "the virtual GPU does not execute %s%s%s yet%s%s "
                      "(PTX line %d, in %s)",
                      ptx_op_name((enum ptx_op)p->op), *type ? "." : "", type,
                      *what ? ": " : "", what, p->ptx_line, d->func->name);
  return false;
}

// ---- Places ----

static uint32_t row_bytes(int type_bytes) {
  return VG_LANES * (uint32_t)(type_bytes <= 4 ? 4 : type_bytes);
}

static int lane_width(enum ptx_type t) {
  int n = ptx_type_bytes(t);
  return n <= 4 ? 4 : n;
}

static void place_registers(struct decoder *d) {
  const struct ptx_func *f = d->func;
  d->reg_at = region_alloc(d->module->region,
                           sizeof *d->reg_at * (size_t)(f->reg_count + 1));
  uint32_t at = 4; // behind VG_CARRY
  for (int i = 0; i < f->reg_count; i++)
    if (f->reg_types[i] == PTX_PRED) {
      d->reg_at[i] = at;
      at += 4;
    }
  at = (at + 63) & ~63u;
  for (int i = 0; i < f->reg_count; i++)
    if (f->reg_types[i] != PTX_PRED) {
      d->reg_at[i] = at;
      at += row_bytes(ptx_type_bytes((enum ptx_type)f->reg_types[i]));
    }
  d->temp_bytes = at;
}

// A row of registers of the decoder's own, for values between two of its
// instructions.
static vg_place new_temp(struct decoder *d, int width) {
  vg_place at = d->temp_bytes;
  d->temp_bytes += row_bytes(width);
  return at;
}

static vg_place add_constant(struct decoder *d, const void *row,
                             uint32_t bytes) {
  for (uint32_t at = 64; at + bytes <= d->constant_bytes; at += 64)
    if (!memcmp(d->constants + at, row, bytes))
      return at | VG_CONSTANTS;
  uint32_t at = d->constant_bytes, room = (bytes + 63) & ~63u;
  if (at + room > d->constant_capacity) {
    d->constant_capacity = (at + room) * 2;
    d->constants = xrealloc(d->constants, d->constant_capacity);
  }
  memset(d->constants + at, 0, room);
  memcpy(d->constants + at, row, bytes);
  d->constant_bytes = at + room;
  return at | VG_CONSTANTS;
}

static vg_place constant(struct decoder *d, uint64_t bits, int width) {
  uint64_t row[VG_LANES * 2] = {0};
  for (int l = 0; l < VG_LANES; l++)
    if (width == 4)
      ((uint32_t *)row)[l] = (uint32_t)bits;
    else if (width == 8)
      row[l] = bits;
    else
      row[l * 2] = bits;
  return add_constant(d, row, row_bytes(width));
}

// A row of zeros that every function has, for operands that are not there.
enum { ZERO_ROW = 64 | VG_CONSTANTS };

static vg_place constant_mask(struct decoder *d, bool value) {
  uint32_t mask = value ? VG_ALL : 0;
  return value ? 0 | VG_CONSTANTS : add_constant(d, &mask, sizeof mask);
}

static struct vg_insn *emit(struct decoder *d, const struct ptx_insn *p) {
  if (d->count == d->capacity) {
    d->capacity = d->capacity ? d->capacity * 2 : 64;
    d->insns = xrealloc(d->insns, sizeof *d->insns * (size_t)d->capacity);
  }
  struct vg_insn *i = &d->insns[d->count++];
  memset(i, 0, sizeof *i);
  i->guard = 0 | VG_CONSTANTS;
  i->dst = i->dst2 = VG_NOWHERE;
  for (int s = 0; s < 4; s++)
    i->src[s] = ZERO_ROW;
  i->ptx = p;
  return i;
}

static void emit_move(struct decoder *d, const struct ptx_insn *p,
                      vg_handler run, vg_place to, vg_place from) {
  struct vg_insn *i = emit(d, p);
  i->run = run;
  i->dst = to;
  i->src[0] = from;
}

static bool is_predicate(const struct decoder *d, int reg) {
  return reg >= 0 && d->func->reg_types[reg] == PTX_PRED;
}

// The register's row as lanes of `width`, narrowed or widened if need be.
static vg_place source_register(struct decoder *d, const struct ptx_insn *p,
                                int reg, int width) {
  if (reg < 0)
    return ZERO_ROW;
  enum ptx_type t = (enum ptx_type)d->func->reg_types[reg];
  vg_place at = d->reg_at[reg];
  if (t != PTX_PRED && lane_width(t) == width)
    return at;
  if (t == PTX_PRED || lane_width(t) > 8 || width > 8) {
    fail(d, p, "a register of another width");
    return at;
  }
  vg_place temp = new_temp(d, width);
  emit_move(d, p, width == 4 ? vg_op_narrow : vg_op_widen, temp, at);
  return temp;
}

static vg_place target_register(struct decoder *d, const struct ptx_insn *p,
                                int reg, int width, bool is_signed) {
  if (reg < 0)
    return VG_NOWHERE;
  enum ptx_type t = (enum ptx_type)d->func->reg_types[reg];
  if (t != PTX_PRED && lane_width(t) == width)
    return d->reg_at[reg];
  if (t == PTX_PRED || lane_width(t) > 8 || width > 8 ||
      d->after_count == (int)(sizeof d->after / sizeof *d->after)) {
    fail(d, p, "a register of another width");
    return d->reg_at[reg];
  }
  vg_place temp = new_temp(d, width);
  d->after[d->after_count].from = temp;
  d->after[d->after_count].to = d->reg_at[reg];
  d->after[d->after_count].width = lane_width(t);
  d->after[d->after_count++].is_signed = is_signed;
  return temp;
}

static vg_place special(struct decoder *d, const struct ptx_insn *p,
                        const struct ptx_operand *o, int width) {
  static const int row[PTX_SREG_COUNT] = {
      [PTX_SREG_TID] = VG_TID_X,
      [PTX_SREG_NTID] = VG_NTID_X,
      [PTX_SREG_CTAID] = VG_CTAID_X,
      [PTX_SREG_NCTAID] = VG_NCTAID_X,
      [PTX_SREG_LANEID] = VG_LANEID,
      [PTX_SREG_WARPID] = VG_WARPID,
      [PTX_SREG_NWARPID] = VG_NWARPID,
      [PTX_SREG_SMID] = VG_SMID,
      [PTX_SREG_NSMID] = VG_NSMID,
      [PTX_SREG_GRIDID] = VG_GRIDID,
      [PTX_SREG_LANEMASK_EQ] = VG_LANEMASK_EQ,
      [PTX_SREG_LANEMASK_LE] = VG_LANEMASK_LE,
      [PTX_SREG_LANEMASK_LT] = VG_LANEMASK_LT,
      [PTX_SREG_LANEMASK_GE] = VG_LANEMASK_GE,
      [PTX_SREG_LANEMASK_GT] = VG_LANEMASK_GT,
      [PTX_SREG_DYNAMIC_SMEM] = VG_DYNAMIC_SHARED,
      [PTX_SREG_TOTAL_SMEM] = VG_TOTAL_SHARED,
  };
  int s = o->reg;
  vg_place at;
  switch (s) {
  case PTX_SREG_CLOCK:
  case PTX_SREG_CLOCK_HI:
  case PTX_SREG_CLOCK64:
  case PTX_SREG_GLOBALTIMER:
  case PTX_SREG_GLOBALTIMER_LO:
  case PTX_SREG_GLOBALTIMER_HI:
    at = new_temp(d, width);
    emit_move(d, p, vg_op_clock, at, 0);
    d->insns[d->count - 1].sub = (uint8_t)s;
    d->insns[d->count - 1].bytes = (uint8_t)width;
    return at;
  case PTX_SREG_ENVREG0:
  case PTX_SREG_ENVREG1:
  case PTX_SREG_ENVREG2:
  case PTX_SREG_ENVREG3:
    fail(d, p, "grid-wide synchronisation of a cooperative launch");
    return 0;
  default:
    // A register without a row must not read row 0, which is %tid.x.
    if ((s != PTX_SREG_TID && !row[s]) || (o->dim && s > PTX_SREG_NCTAID)) {
      fail(d, p, "this special register");
      return 0;
    }
    at = (vg_place)(row[s] + o->dim) * VG_LANES * 4 | VG_SPECIALS;
  }
  if (width == 4)
    return at;
  vg_place temp = new_temp(d, 8);
  emit_move(d, p, vg_op_widen, temp, at);
  return temp;
}

// ---- Variables ----

static int index_of(const struct ptx_func *f, const struct ptx_var *v) {
  for (int i = 0; i < f->local_count; i++)
    if (f->locals[i] == v)
      return i;
  return -1;
}

static uint32_t align_up(uint64_t n, uint32_t align) {
  align = align ? align : 1;
  return (uint32_t)((n + align - 1) / align * align);
}

// A variable in the thread's frame: its offset there.
static bool frame_offset(const struct vg_code *c, const struct ptx_var *v,
                         uint64_t *offset) {
  const struct ptx_func *f = c->func;
  if (v == f->result) {
    *offset = c->result_at;
    return true;
  }
  if (!f->is_entry)
    for (int i = 0; i < f->param_count; i++)
      if (f->params[i] == v) {
        *offset = v->offset;
        return true;
      }
  int n = index_of(f, v);
  if (n < 0 || (v->space != PTX_LOCAL && v->space != PTX_PARAM))
    return false;
  *offset = c->local_at[n];
  return true;
}

// Parameters first (as the parser laid them out), then the result, then the
// function's own.
static enum err place_frame(struct vg_module *m, struct vg_code *c,
                            struct err_info *e) {
  const struct ptx_func *f = c->func;
  uint64_t at = f->is_entry ? 0 : f->param_bytes;
  if (f->result) {
    at = c->result_at = align_up(at, 16);
    at += f->result->bytes;
  }
  c->local_at = region_alloc(m->region, sizeof *c->local_at *
                                            (size_t)(f->local_count + 1));
  for (int i = 0; i < f->local_count; i++) {
    const struct ptx_var *v = f->locals[i];
    if (v->space != PTX_LOCAL && v->space != PTX_PARAM)
      continue;
    if (at > MAX_FRAME_BYTES || v->bytes > MAX_FRAME_BYTES) {
      at = MAX_FRAME_BYTES + UINT64_C(1);
      break;
    }
    at = align_up(at, v->align > 8 ? v->align : 8);
    c->local_at[i] = (uint32_t)at;
    at += v->bytes;
  }
  if (at > MAX_FRAME_BYTES)
    return err_set(e, ERR_LAUNCH,
                   "a thread needs more local memory than the %d bytes that it "
                   "can have: a large array belongs in global memory",
                   MAX_FRAME_BYTES);
  if (f->is_entry && f->param_bytes > GPU_MAX_PARAM_BYTES)
    return err_set(e, ERR_LAUNCH,
                   "the kernel has %u bytes of parameters; at most %d can be "
                   "passed",
                   f->param_bytes, GPU_MAX_PARAM_BYTES);
  c->frame_bytes = align_up(at, 16);
  return ERR_OK;
}

// Dynamic shared memory lies behind the kernel's static variables.
uint32_t vg_dynamic_shared_at(const struct ptx_func *f) {
  return align_up(f->shared_bytes, 16);
}

// The address that a symbol stands for, in its own space; `in_frame` when the
// frame's place comes on top.
static uint64_t symbol_address(struct decoder *d, const struct ptx_insn *p,
                               const struct ptx_operand *o, bool *in_frame) {
  const struct ptx_module *m = d->module->ptx;
  *in_frame = false;
  if (o->func) {
    for (int i = 0; i < m->func_count; i++)
      if (m->funcs[i] == o->func)
        return VG_WINDOW(VG_SLOT_CODE) + (uint64_t)(i + 1) * 16;
  }
  const struct ptx_var *v = o->var;
  uint64_t at;
  if (v && frame_offset(d->code, v, &at)) {
    *in_frame = true;
    return at;
  }
  if (v && v->space == PTX_SHARED && v->is_extern) {
    if (!d->func->is_entry)
      fail(d, p, "dynamic shared memory in a function that is not inlined");
    return vg_dynamic_shared_at(d->func);
  }
  if (v && v->space == PTX_SHARED)
    return v->offset;
  if (v && v->space == PTX_PARAM)
    return v->offset;
  for (int i = 0; v && i < m->var_count; i++)
    if (m->vars[i] == v)
      return d->module->var_at[i];
  fail(d, p, "this symbol");
  return 0;
}

// ---- Operands ----

// Lane width of the n-th source.
static int source_width(const struct ptx_insn *p, int n) {
  int own = lane_width((enum ptx_type)p->type);
  int other = lane_width((enum ptx_type)(p->type2 ? p->type2 : p->type));
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
  case PTX_OP_SET: return other;
  case PTX_OP_SLCT: return n == 2 ? other : own;
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
  case PTX_OP_ACTIVEMASK:
  case PTX_OP_VOTE: return 4;
  default: break;
  }
  return p->type ? lane_width((enum ptx_type)p->type) : 4;
}

static bool is_signed(int t) {
  return t >= PTX_S8 && t <= PTX_S64;
}

static vg_place symbol_row(struct decoder *d, const struct ptx_insn *p,
                           const struct ptx_operand *o, int width) {
  bool in_frame;
  uint64_t at = symbol_address(d, p, o, &in_frame);
  vg_place row = constant(d, at + (uint64_t)o->offset, width);
  if (!in_frame)
    return row;
  vg_place temp = new_temp(d, width);
  emit_move(d, p, vg_op_frame_address, temp, row);
  d->insns[d->count - 1].bytes = (uint8_t)width;
  return temp;
}

static vg_place source(struct decoder *d, const struct ptx_insn *p,
                       const struct ptx_operand *o, int width) {
  switch (o->kind) {
  case PTX_REGISTER: return source_register(d, p, o->reg, width);
  case PTX_IMMEDIATE: return constant(d, o->bits, width);
  case PTX_SPECIAL: return special(d, p, o, width);
  case PTX_SYMBOL: return symbol_row(d, p, o, width);
  default: fail(d, p, "this operand"); return 0;
  }
}

// Operands that are predicates, by their place in the text.
static bool wants_predicate(const struct ptx_insn *p, int n) {
  switch (p->op) {
  case PTX_OP_SETP: return n == 0 || n == 3;
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

static vg_place predicate(struct decoder *d, const struct ptx_insn *p,
                          const struct ptx_operand *o) {
  if (o->kind == PTX_IMMEDIATE)
    return constant_mask(d, o->bits != 0);
  if (o->kind == PTX_REGISTER && is_predicate(d, o->reg))
    return d->reg_at[o->reg];
  fail(d, p, "an operand that is no predicate");
  return 0;
}

// A destination; what goes to "_" gets a row that nobody reads.
static vg_place target(struct decoder *d, const struct ptx_insn *p,
                       const struct ptx_operand *o, int width) {
  if (o->kind == PTX_REGISTER && o->reg >= 0)
    return target_register(d, p, o->reg, width, is_signed(p->type));
  if (o->kind != PTX_SINK)
    fail(d, p, "a destination that is no register");
  return new_temp(d, 16);
}

static const struct vg_place_list *vector_places(struct decoder *d,
                                                 const struct ptx_insn *p,
                                                 const struct ptx_operand *o,
                                                 int width, bool is_target) {
  struct vg_place_list *v = region_alloc(d->module->region, sizeof *v);
  v->count = o->kind == PTX_VECTOR ? o->dim : 1;
  if (o->kind != PTX_VECTOR) {
    if (is_target)
      v->at[0] = o->kind == PTX_SINK
                     ? VG_NOWHERE
                     : target_register(d, p, o->reg, width, is_signed(p->type));
    else
      v->at[0] = source(d, p, o, width);
    return v;
  }
  for (int i = 0; i < o->dim && i < VG_MAX_VECTOR; i++)
    if (is_target)
      v->at[i] = target_register(d, p, o->regs[i], width, is_signed(p->type));
    else if (o->regs[i] == -2)
      v->at[i] = constant(d, o->reg_bits[i], width);
    else
      v->at[i] = source_register(d, p, o->regs[i], width);
  return v;
}

// ---- One instruction ----

// What takes the place of "emit": operands may emit moves first, so the
// instruction itself is filled aside.
static void decode_address(struct decoder *d, const struct ptx_insn *p,
                           const struct ptx_operand *o, struct vg_insn *i) {
  i->offset = o->offset;
  if (o->var || o->func) {
    i->src[0] = constant(d, symbol_address(d, p, o, &i->in_frame), 8);
    return;
  }
  if (o->reg < 0) {
    i->src[0] = constant(d, o->bits, 8);
    return;
  }
  if (is_predicate(d, o->reg)) {
    fail(d, p, "a predicate as an address");
    return;
  }
  i->is_narrow = lane_width((enum ptx_type)d->func->reg_types[o->reg]) == 4;
  i->src[0] = d->reg_at[o->reg];
}

static uint8_t access_space(const struct decoder *d, const struct ptx_insn *p,
                            const struct vg_insn *i) {
  if (p->space != PTX_PARAM)
    return p->space;
  return i->in_frame || !d->func->is_entry ? PTX_LOCAL : PTX_PARAM;
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

static void decode_memory(struct decoder *d, const struct ptx_insn *p,
                          struct vg_insn *i) {
  int width = lane_width((enum ptx_type)p->type);
  bool is_store = p->op == PTX_OP_ST || p->op == PTX_OP_RED;
  decode_address(d, p, &p->operands[is_store ? 0 : 1], i);
  i->space = access_space(d, p, i);
  i->bytes = (uint8_t)ptx_type_bytes((enum ptx_type)p->type);
  i->is_ordered = p->sem > PTX_WEAK;
  if (p->op == PTX_OP_ATOM || p->op == PTX_OP_RED) {
    int n = is_store ? 1 : 2;
    if (!is_store && p->operands[0].kind == PTX_REGISTER)
      i->dst =
          target_register(d, p, p->operands[0].reg, width, is_signed(p->type));
    for (int s = 1; n < p->operand_count && s < 4; n++, s++)
      i->src[s] = source(d, p, &p->operands[n], width);
    return;
  }
  const struct ptx_operand *data = &p->operands[is_store ? 1 : 0];
  i->vector = vector_places(d, p, data, width, !is_store);
  i->vec = i->vector->count;
  if (is_fixed_param(d, p, i)) {
    i->offset += (int64_t)p->operands[1].var->offset;
    i->run = vg_op_ld_param;
  }
}

static void decode_plain(struct decoder *d, const struct ptx_insn *p,
                         struct vg_insn *i) {
  const struct ptx_operand *o = p->operands;
  int n = 0, width = target_width(p);
  bool has_target = p->op != PTX_OP_BAR && p->op != PTX_OP_BARRIER &&
                    p->op != PTX_OP_NANOSLEEP;
  if ((p->op == PTX_OP_BAR || p->op == PTX_OP_BARRIER) &&
      p->sub >= PTX_BAR_RED_POPC && p->sub <= PTX_BAR_RED_OR)
    has_target = true;
  if (has_target) {
    if (!wants_predicate(p, 0))
      i->dst = target(d, p, &o[0], width);
    else if (o[0].kind == PTX_REGISTER)
      i->dst = predicate(d, p, &o[0]);
    if (o[0].pair >= 0 && is_predicate(d, o[0].pair))
      i->dst2 = d->reg_at[o[0].pair];
    n = 1;
  }
  for (int s = 0; n < p->operand_count && s < 4; n++, s++) {
    if (wants_predicate(p, n)) {
      i->src[s] = predicate(d, p, &o[n]);
      i->flip = o[n].negate ? VG_ALL : 0;
    } else {
      i->src[s] = source(d, p, &o[n], source_width(p, s));
    }
  }
}

// mov d, {a, b, ...} and mov {a, b, ...}, d.
static void decode_pack(struct decoder *d, const struct ptx_insn *p,
                        struct vg_insn *i) {
  const struct ptx_operand *o = p->operands;
  int whole = lane_width((enum ptx_type)p->type);
  bool is_pack = o[1].kind == PTX_VECTOR;
  const struct ptx_operand *parts = &o[is_pack ? 1 : 0];
  int bytes = ptx_type_bytes((enum ptx_type)p->type) / parts->dim;
  i->bytes = (uint8_t)bytes;
  i->vec = parts->dim;
  i->type = p->type;
  i->vector = vector_places(d, p, parts, bytes <= 4 ? 4 : bytes, !is_pack);
  if (is_pack) {
    i->dst = target(d, p, &o[0], whole);
    i->run = vg_op_pack;
  } else {
    i->src[0] = source(d, p, &o[1], whole);
    i->run = vg_op_unpack;
  }
}

// ---- Textures and surfaces ----

static void coordinate_places(struct decoder *d, const struct ptx_insn *p,
                              const struct ptx_operand *o,
                              struct vg_place_list *out) {
  if (o->kind != PTX_NONE)
    *out = *vector_places(d, p, o, 4, false);
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
  t->has_sampler = o[PTX_TEX_SAMPLER].kind != PTX_NONE;
  i->texture = t;
  i->bytes = (uint8_t)ptx_type_bytes((enum ptx_type)p->type);
  i->src[0] = source(d, p, &o[PTX_TEX_HANDLE], 8);
  if (t->has_sampler)
    i->src[1] = source(d, p, &o[PTX_TEX_SAMPLER], 8);
  coordinate_places(d, p, &o[PTX_TEX_COORDS], &t->coords);
  coordinate_places(d, p, &o[PTX_TEX_OFFSET], &t->offset);
  i->vector = vector_places(d, p, &o[PTX_TEX_DATA],
                            lane_width((enum ptx_type)p->type), is_load);
  i->vec = i->vector->count;
  if (o[PTX_TEX_DATA].pair >= 0)
    i->dst2 = d->reg_at[o[PTX_TEX_DATA].pair];
}

static bool is_texture(const struct ptx_insn *p) {
  switch (p->op) {
  case PTX_OP_TEX:
  case PTX_OP_TLD4:
  case PTX_OP_TXQ:
  case PTX_OP_SULD:
  case PTX_OP_SUST:
  case PTX_OP_SURED:
  case PTX_OP_SUQ: return true;
  default: return false;
  }
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
    if (!frame_offset(d->code, v, &at)) {
      fail(d, p, "an argument that is not a .param variable");
      return;
    }
    to = align_up(to, v->align);
    c->args[n] = (struct vg_copy){(uint32_t)at, to, (uint32_t)v->bytes};
    to += (uint32_t)v->bytes;
  }
  if (p->call_result) {
    frame_offset(d->code, p->call_result, &at);
    c->has_result = true;
    c->result.to = (uint32_t)at;
    c->result.bytes = (uint32_t)p->call_result->bytes;
  }
  i->call = c;
  if (p->callee && !has_body) {
    i->run = vg_find_syscall(p->callee->name);
    if (!i->run)
      fail(d, p, p->callee->name);
    return;
  }
  c->callee = callee;
  i->run = vg_op_call;
  if (callee) {
    if (callee->func->param_bytes < to ||
        (c->has_result && (!callee->func->result ||
                           callee->func->result->bytes < c->result.bytes)))
      fail(d, p, "a call that does not fit its function");
    return;
  }
  // An indirect call: the address is the first operand.
  i->src[0] = source(d, p, &p->operands[0], 8);
}

// ---- Matrix and asynchronous instructions ----

static void decode_fragment(struct decoder *d, const struct ptx_insn *p,
                            const struct ptx_operand *o, int type, bool target_,
                            struct vg_fragment *f) {
  int bits = ptx_element_bits((enum ptx_element)type);
  f->type = (uint8_t)type;
  f->is_wide = bits == 64;
  f->per_place = (uint8_t)(bits == 64 ? 1 : 32 / bits);
  const struct vg_place_list *v =
      vector_places(d, p, o, f->is_wide ? 8 : 4, target_);
  f->count = v->count;
  memcpy(f->at, v->at, sizeof f->at);
}

// All elements of the matrix have a place: as many registers as PTX says.
static void check_fragment(struct decoder *d, const struct ptx_insn *p,
                           const struct vg_fragment *f, int rows, int cols,
                           bool may_repeat) {
  int have = f->count * f->per_place * VG_LANES, all = rows * cols;
  if (!all || all % VG_LANES || have < all || have % all ||
      (have > all && !may_repeat))
    fail(d, p, "a fragment of so many registers");
}

static bool is_shape(const struct ptx_matrix *x, int m, int n, int k) {
  return x->m == m && x->n == n && x->k == k;
}

// mma.m16n8k* and mma.m8n8k*: a 32-bit register of A holds 4 lanes' share of a
// row, so k is a multiple of what four registers hold.
static bool is_mma_shape(const struct ptx_matrix *x,
                         const struct vg_matrix *y) {
  int step = 4 * y->a.per_place;
  bool is_wide = x->m == 16 && x->n == 8;
  if (!is_wide && !(x->m == 8 && x->n == 8 && x->k == step))
    return false;
  return x->k && x->k % step == 0 && x->k <= (y->a.is_wide ? 4 : 2) * step;
}

static bool is_wmma_shape(const struct ptx_matrix *x, int type) {
  switch (type) {
  case PTX_EL_TF32: return is_shape(x, 16, 16, 8);
  case PTX_EL_F64: return is_shape(x, 8, 8, 4);
  case PTX_EL_S4:
  case PTX_EL_U4: return is_shape(x, 8, 8, 32);
  case PTX_EL_B1: return is_shape(x, 8, 8, 128);
  default:
    return is_shape(x, 16, 16, 16) || is_shape(x, 32, 8, 16) ||
           is_shape(x, 8, 32, 16);
  }
}

// Do the types of a product go together?
static bool are_mma_types(int d, int a, int b, int c) {
  bool is_small = a >= PTX_EL_S8 && a <= PTX_EL_U4;
  switch (a) {
  case PTX_EL_F16:
    return b == a && (d == PTX_EL_F16 || d == PTX_EL_F32) &&
           (c == PTX_EL_F16 || c == PTX_EL_F32);
  case PTX_EL_F64: return b == a && d == a && c == a;
  case PTX_EL_BF16:
  case PTX_EL_TF32: return b == a && d == PTX_EL_F32 && c == d;
  case PTX_EL_E4M3:
  case PTX_EL_E5M2:
    return (b == PTX_EL_E4M3 || b == PTX_EL_E5M2) && d == c &&
           (d == PTX_EL_F32 || d == PTX_EL_F16);
  case PTX_EL_B1: return b == a && d == PTX_EL_S32 && c == d;
  default:
    return is_small && b >= PTX_EL_S8 && b <= PTX_EL_U4 &&
           (a >= PTX_EL_S4) == (b >= PTX_EL_S4) && d == PTX_EL_S32 && c == d;
  }
}

static void decode_product(struct decoder *d, const struct ptx_insn *p,
                           struct vg_matrix *y) {
  const struct ptx_matrix *x = p->matrix;
  const struct ptx_operand *o = p->operands;
  int td = x->types[0], ta = x->types[1], tb = x->types[2], tc = x->types[3];
  if (x->type_count == 2) { // wmma's f16 products name d and c only
    tc = ta;
    ta = tb = PTX_EL_F16;
  } else if (x->type_count != 4) {
    fail(d, p, "a matrix product of these types");
    return;
  }
  if (!are_mma_types(td, ta, tb, tc) || x->layout_count != 2 ||
      (ta == PTX_EL_B1) != (x->bit_op != PTX_BITS_NONE)) {
    fail(d, p, "a matrix product of these types");
    return;
  }
  decode_fragment(d, p, &o[1], ta, false, &y->a);
  decode_fragment(d, p, &o[2], tb, false, &y->b);
  decode_fragment(d, p, &o[3], tc, false, &y->c);
  decode_fragment(d, p, &o[0], td, true, &y->d);
  bool is_wmma = y->layout == VG_LAYOUT_WMMA;
  if (is_wmma ? !is_wmma_shape(x, ta)
              : !is_mma_shape(x, y) || x->is_col[0] || !x->is_col[1]) {
    fail(d, p, "a matrix product of this shape");
    return;
  }
  bool repeats = is_wmma && ta == PTX_EL_F16;
  check_fragment(d, p, &y->a, x->m, x->k, repeats);
  check_fragment(d, p, &y->b, x->k, x->n, repeats);
  check_fragment(d, p, &y->c, x->m, x->n, false);
  check_fragment(d, p, &y->d, x->m, x->n, false);
}

// wmma.load.{a,b,c} d, [p]{, stride} and wmma.store.d [p], d{, stride}.
static void decode_wmma_memory(struct decoder *d, const struct ptx_insn *p,
                               struct vg_insn *i, struct vg_matrix *y) {
  const struct ptx_matrix *x = p->matrix;
  const struct ptx_operand *o = p->operands;
  bool is_store = x->step == PTX_MATRIX_STORE;
  int type = x->types[0], rows, cols;
  y->fragment = (enum ptx_fragment)(is_store ? PTX_FRAGMENT_C : x->fragment);
  if (x->type_count != 1 || x->layout_count != 1 ||
      o[is_store ? 0 : 1].kind != PTX_ADDRESS) {
    fail(d, p, "a fragment of these types");
    return;
  }
  rows = y->fragment == PTX_FRAGMENT_B ? x->k : x->m;
  cols = y->fragment == PTX_FRAGMENT_A ? x->k : x->n;
  y->is_col = x->is_col[0];
  bool is_tiny = ptx_element_bits((enum ptx_element)type) < 8;
  if (is_tiny && y->is_col != (y->fragment == PTX_FRAGMENT_B)) {
    fail(d, p, "a fragment of this layout");
    return;
  }
  decode_address(d, p, &o[is_store ? 0 : 1], i);
  i->space = access_space(d, p, i);
  decode_fragment(d, p, &o[is_store ? 1 : 0], type, !is_store,
                  is_store ? &y->c : &y->d);
  check_fragment(d, p, is_store ? &y->c : &y->d, rows, cols,
                 type == PTX_EL_F16 && y->fragment != PTX_FRAGMENT_C);
  y->stride = p->operand_count > 2
                  ? source(d, p, &o[2], 4)
                  : constant(d, (uint64_t)(y->is_col ? rows : cols), 4);
}

// ldmatrix d, [p]; stmatrix [p], d; movmatrix d, a.
static void decode_eights(struct decoder *d, const struct ptx_insn *p,
                          struct vg_insn *i, struct vg_matrix *y) {
  const struct ptx_matrix *x = p->matrix;
  const struct ptx_operand *o = p->operands;
  bool is_move = p->op == PTX_OP_MOVMATRIX, is_load = p->op == PTX_OP_LDMATRIX;
  int count = is_move ? 1 : x->count;
  if (x->type_count != 1 || x->types[0] != PTX_EL_B16 || x->m != 8 ||
      x->n != 8 || x->k || !count ||
      (!is_move && o[is_load ? 1 : 0].kind != PTX_ADDRESS)) {
    fail(d, p, "matrices of this shape");
    return;
  }
  if (!is_move) {
    decode_address(d, p, &o[is_load ? 1 : 0], i);
    i->space = access_space(d, p, i);
  }
  if (is_load || is_move)
    decode_fragment(d, p, &o[0], PTX_EL_B16, true, &y->d);
  if (!is_load)
    decode_fragment(d, p, &o[1], PTX_EL_B16, false, &y->c);
  if ((is_load ? y->d : y->c).count != count)
    fail(d, p, "so many registers");
}

static void decode_matrix(struct decoder *d, const struct ptx_insn *p,
                          struct vg_insn *i) {
  struct vg_matrix *y = region_alloc(d->module->region, sizeof *y);
  y->ptx = p->matrix;
  y->layout = p->op == PTX_OP_WMMA ? VG_LAYOUT_WMMA : VG_LAYOUT_MMA;
  y->stride = constant(d, 0, 4);
  i->matrix = y;
  if (p->op == PTX_OP_MMA ||
      (p->op == PTX_OP_WMMA && p->matrix->step == PTX_MATRIX_MMA))
    decode_product(d, p, y);
  else if (p->op == PTX_OP_WMMA)
    decode_wmma_memory(d, p, i, y);
  else
    decode_eights(d, p, i, y);
}

// An address operand as an access of its own.
static const struct vg_insn *decode_access(struct decoder *d,
                                           const struct ptx_insn *p,
                                           const struct ptx_operand *o,
                                           int space, int bytes) {
  struct vg_insn *i = region_alloc(d->module->region, sizeof *i);
  *i = (struct vg_insn){.guard = 0 | VG_CONSTANTS,
                        .dst = VG_NOWHERE,
                        .dst2 = VG_NOWHERE,
                        .space = (uint8_t)space,
                        .bytes = (uint8_t)bytes,
                        .vec = 1,
                        .ptx = p};
  if (o->kind != PTX_ADDRESS)
    fail(d, p, "an operand that is no address");
  else
    decode_address(d, p, o, i);
  return i;
}

// Behind [to], [from] and the size of cp.async: how much of it is read, or a
// predicate that says none is; a cache policy changes nothing.
static void decode_copy_source(struct decoder *d, const struct ptx_insn *p,
                               const struct ptx_operand *o,
                               struct vg_async *x) {
  if (o->kind == PTX_REGISTER && is_predicate(d, o->reg)) {
    x->ignore = predicate(d, p, o);
    x->ignore_flip = o->negate ? VG_ALL : 0;
  } else if (o->kind != PTX_REGISTER ||
             lane_width((enum ptx_type)d->func->reg_types[o->reg]) == 4) {
    x->source = source(d, p, o, 4);
  }
}

static void decode_copy(struct decoder *d, const struct ptx_insn *p,
                        struct vg_async *x) {
  const struct ptx_operand *o = p->operands;
  int count = p->operand_count, n = 0;
  bool is_bulk = p->mods & PTX_MOD_BULK;
  if (p->mods &
      (PTX_MOD_PREFETCH | PTX_MOD_L2 | PTX_MOD_COMMIT_GROUP | PTX_MOD_WAIT_ALL))
    return;
  if (p->mods & PTX_MOD_WAIT_GROUP) {
    if (count != 1)
      fail(d, p, "it wants a number of groups");
    else
      x->value = source(d, p, &o[0], 4);
    return;
  }
  if (p->mods & PTX_MOD_MBARRIER) {
    if (count != 1)
      fail(d, p, "it wants an mbarrier");
    else
      x->barrier = decode_access(d, p, &o[0], PTX_SHARED, 8);
    return;
  }
  bool to_shared = p->mods & PTX_MOD_TO_SHARED;
  if (count < 3) {
    fail(d, p, "it wants two addresses and a size");
    return;
  }
  uint64_t bytes = is_bulk ? 16 : o[2].bits;
  if (!is_bulk && (!to_shared || o[2].kind != PTX_IMMEDIATE ||
                   (bytes != 4 && bytes != 8 && bytes != 16))) {
    fail(d, p, "a copy of this size");
    return;
  }
  x->to = decode_access(d, p, &o[n++], to_shared ? PTX_SHARED : PTX_GLOBAL,
                        (int)bytes);
  x->from = decode_access(
      d, p, &o[n++], p->mods & PTX_MOD_FROM_SHARED ? PTX_SHARED : PTX_GLOBAL,
      (int)bytes);
  x->bytes = source(d, p, &o[n++], 4);
  if (p->mods & PTX_MOD_TX_BYTES) {
    if (count < 4)
      fail(d, p, "it wants an mbarrier");
    else
      x->barrier = decode_access(d, p, &o[n++], PTX_SHARED, 8);
  }
  if (!is_bulk && count > n)
    decode_copy_source(d, p, &o[n], x);
}

static void decode_mbarrier(struct decoder *d, const struct ptx_insn *p,
                            struct vg_insn *i, struct vg_async *x) {
  const struct ptx_operand *o = p->operands;
  int n = 0, count = p->operand_count;
  bool tests = p->mods & (PTX_MOD_TEST_WAIT | PTX_MOD_TRY_WAIT);
  if (p->mods & PTX_MOD_PENDING) {
    i->dst = target(d, p, &o[0], 4);
    x->value = source(d, p, &o[1], 8);
    return;
  }
  if (o[0].kind != PTX_ADDRESS) {
    if (tests && o[0].kind == PTX_REGISTER)
      i->dst = predicate(d, p, &o[0]);
    else if (!tests && o[0].kind == PTX_REGISTER)
      i->dst = target(d, p, &o[0], 8);
    n = 1;
  }
  if (n >= count || (tests && count < 3)) {
    fail(d, p, "so few operands");
    return;
  }
  x->barrier = decode_access(d, p, &o[n++], PTX_SHARED, 8);
  if (n < count)
    x->value =
        source(d, p, &o[n], tests && !(p->mods & PTX_MOD_PARITY) ? 8 : 4);
}

static void decode_async(struct decoder *d, const struct ptx_insn *p,
                         struct vg_insn *i) {
  struct vg_async *x = region_alloc(d->module->region, sizeof *x);
  x->mods = p->mods;
  x->source = x->ignore = x->value = VG_NOWHERE;
  x->bytes = constant(d, 0, 4);
  i->async = x;
  if (p->op == PTX_OP_CP)
    decode_copy(d, p, x);
  else if (p->op == PTX_OP_MBARRIER)
    decode_mbarrier(d, p, i, x);
}

// Operations on predicates themselves; no other knows their rows.
static bool takes_predicates(const struct ptx_insn *p) {
  return p->op == PTX_OP_MOV || p->op == PTX_OP_AND || p->op == PTX_OP_OR ||
         p->op == PTX_OP_XOR || p->op == PTX_OP_NOT || p->op == PTX_OP_VOTE ||
         p->op == PTX_OP_BAR || p->op == PTX_OP_BARRIER;
}

typedef vg_handler (*finder)(const struct ptx_insn *p);

// Families of handlers that exist for several instruction sets.
struct isa {
  finder alu, floats, cvt, memory;
};

#ifdef VG_HAS_WIDE
#  define DECLARE(isa)                                                         \
    vg_handler vg_find_alu##isa(const struct ptx_insn *p);                     \
    vg_handler vg_find_float##isa(const struct ptx_insn *p);                   \
    vg_handler vg_find_cvt##isa(const struct ptx_insn *p);                     \
    vg_handler vg_find_memory##isa(const struct ptx_insn *p);
DECLARE(_v3)
DECLARE(_v4)
#  undef DECLARE

static bool has_v3(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi2");
}

static bool has_v4(void) {
  return has_v3() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512cd");
}
#endif

static struct isa choose_isa(void) {
#ifdef VG_HAS_WIDE
  if (has_v4())
    return (struct isa){vg_find_alu_v4, vg_find_float_v4, vg_find_cvt_v4,
                        vg_find_memory_v4};
  if (has_v3())
    return (struct isa){vg_find_alu_v3, vg_find_float_v3, vg_find_cvt_v3,
                        vg_find_memory_v3};
#endif
  return (struct isa){vg_find_alu, vg_find_float, vg_find_cvt, vg_find_memory};
}

static vg_handler find_handler(const struct ptx_insn *p) {
  struct isa isa = choose_isa();
  enum { FAMILIES = 11 };
  const finder families[FAMILIES] = {
      isa.alu,         isa.floats,     vg_find_half, isa.cvt,
      isa.memory,      vg_find_atom,   vg_find_warp, vg_find_flow,
      vg_find_texture, vg_find_matrix, vg_find_async};
  if (p->type == PTX_PRED && !takes_predicates(p))
    return NULL;
  for (int f = 0; f < FAMILIES; f++) {
    vg_handler h = families[f](p);
    if (h)
      return h;
  }
  return NULL;
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
    emit_move(d, p, run, d->after[n].to, d->after[n].from);
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
    fail(d, p, "a branch to nowhere");
}

static void decode_one(struct decoder *d, const struct ptx_insn *p) {
  struct vg_insn i = {
      .guard = 0 | VG_CONSTANTS, .dst = VG_NOWHERE, .dst2 = VG_NOWHERE};
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
    i.run = find_handler(p);
    if (!i.run) {
      fail(d, p, "");
      return;
    }
    if (i.ptx->matrix)
      decode_matrix(d, p, &i);
    else if (p->op >= PTX_OP_CP && p->op <= PTX_OP_GRIDDEPCONTROL)
      decode_async(d, p, &i);
    else if (is_memory(p))
      decode_memory(d, p, &i);
    else if (is_texture(p))
      decode_texture(d, p, &i);
    else if (p->op == PTX_OP_BRA)
      check_target(d, p);
    else if (p->op != PTX_OP_PREFETCH && p->op != PTX_OP_PREFETCHU &&
             p->operand_count)
      decode_plain(d, p, &i);
  }
  *emit(d, p) = i;
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
           p->operands[1].reg >= PTX_SREG_CLOCK &&
           p->operands[1].reg <= PTX_SREG_GLOBALTIMER_HI;
  default: return false;
  }
}

static void resolve_targets(struct decoder *d) {
  struct vg_insn *code = d->insns;
  for (int n = 0; n < d->count; n++) {
    const struct ptx_insn *p = code[n].ptx;
    if (!p || p->op != PTX_OP_BRA || code[n].target)
      continue;
    code[n].target = &code[d->first[p->operands[0].target]];
    code[n].reconverge = &code[d->first[p->reconverge]];
  }
}

static enum err decode_function(struct vg_module *m, struct vg_code *c,
                                struct err_info *e) {
  const struct ptx_func *f = c->func;
  struct decoder d = {.module = m, .code = c, .func = f, .e = e};
  place_registers(&d);
  uint32_t yes = VG_ALL;
  add_constant(&d, &yes, sizeof yes); // VG_CONSTANTS:0
  constant(&d, 0, 16);                // ZERO_ROW
  d.first = xcalloc((size_t)f->code_count + 1, sizeof *d.first);
  for (int n = 0; n < f->code_count && !d.err; n++) {
    d.first[n] = d.count;
    decode_one(&d, &f->code[n]);
    c->is_ordered |= is_order_sensitive(&f->code[n]);
  }
  d.first[f->code_count] = d.count;
  struct vg_insn *end = emit(&d, NULL);
  end->run = vg_op_return;
  c->insns = region_alloc(m->region, sizeof *c->insns * (size_t)d.count);
  memcpy(c->insns, d.insns, sizeof *c->insns * (size_t)d.count);
  c->insn_count = d.count;
  c->constants = aligned_alloc(64, (d.constant_bytes + 63) & ~63u);
  if (!c->constants)
    abort(); // as xmalloc; a few rows for each immediate
  memcpy(c->constants, d.constants, d.constant_bytes);
  c->register_bytes = d.temp_bytes;
  c->reg_at = d.reg_at;
  free(d.insns);
  free(d.constants);
  if (!d.err) {
    d.insns = c->insns;
    resolve_targets(&d);
    vg_reach_find(m, c);
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

enum err vg_module_decode(struct vg_module *m, struct err_info *e) {
  int count = m->ptx->func_count;
  m->codes = region_alloc(m->region, sizeof *m->codes * (size_t)(count + 1));
  for (int i = 0; i < count; i++) {
    m->codes[i].func = m->ptx->funcs[i];
    m->codes[i].module = m;
    enum err err = place_frame(m, &m->codes[i], e);
    if (err)
      return err;
  }
  for (int i = 0; i < count; i++) {
    if (!m->ptx->funcs[i]->code_count)
      continue;
    enum err err = decode_function(m, &m->codes[i], e);
    if (err)
      return err;
  }
  spread_order(m);
  return ERR_OK;
}

struct vg_code *vg_code_at(struct vg_module *m, uint64_t address) {
  uint64_t n = (address - VG_WINDOW(VG_SLOT_CODE)) / 16;
  if (address % 16 || n < 1 || n > (uint64_t)m->ptx->func_count ||
      !m->ptx->funcs[n - 1]->code_count)
    return NULL;
  return &m->codes[n - 1];
}
