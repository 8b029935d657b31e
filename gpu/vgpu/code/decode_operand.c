// SPDX-License-Identifier: Apache-2.0
// Where values are: every register, constant, special register and variable of
// a function gets its place, every operand is found there.
//
// Where a register is wider or narrower than the instruction's type (PTX lets
// ld, st and cvt do that), a move is put before or after, so that handlers see
// one lane width per type.
#include "gpu/vgpu/code/decode.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/region.h"
#include "gpu/vgpu/code/code.h"
#include "gpu/vgpu/memory/memory.h"
#include "gpu/vgpu/ops/ops.h"

enum { MAX_FRAME_BYTES = 512 << 10 }; // CUDA's limit of local memory

bool vg_decode_fail(struct decoder *d, const struct ptx_insn *p,
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

int vg_lane_width(enum ptx_type t) {
  int n = ptx_type_bytes(t);
  return n <= 4 ? 4 : n;
}

static void note_width(struct decoder *d, vg_place at, int width) {
  uint32_t n = at / 4;
  if (n >= d->width_count) {
    uint32_t count = (n + 1) * 2;
    d->widths = xrealloc(d->widths, count);
    memset(d->widths + d->width_count, 0, count - d->width_count);
    d->width_count = count;
  }
  d->widths[n] = (uint8_t)width;
}

// The next free row of a bank, for a register of that type.
static vg_place place_register(struct decoder *d, int reg, bool is_uniform,
                               uint32_t at[2]) {
  enum ptx_type t = (enum ptx_type)d->func->reg_types[reg];
  uint32_t *next = &at[is_uniform];
  vg_place place = *next | (is_uniform ? VG_UNIFORM : VG_REGISTERS);
  if (!is_uniform)
    note_width(d, place, t == PTX_PRED ? 1 : vg_lane_width(t));
  *next += t == PTX_PRED ? 4 : row_bytes(ptx_type_bytes(t));
  return place;
}

// The registers that may be read before they are written.
static void list_unwritten(struct decoder *d, const bool *is_unwritten) {
  const struct ptx_func *f = d->func;
  size_t count = 0;
  for (int r = 0; r < f->reg_count; r++)
    count += is_unwritten[r];
  struct vg_unwritten *u = region_alloc(d->module->region, sizeof *u * count);
  d->code->unwritten = u;
  for (int r = 0; r < f->reg_count; r++)
    if (is_unwritten[r])
      u[d->code->unwritten_count++] =
          (struct vg_unwritten){d->reg_at[r], vg_name_unwritten(f, r)};
}

// Predicates first, then rows of whole vectors.
void vg_place_registers(struct decoder *d) {
  const struct ptx_func *f = d->func;
  bool is_known, *is_unwritten = vg_find_unwritten(f, &is_known);
  bool *is_uniform = vg_find_uniform(f, is_unwritten);
  d->reg_at =
      region_alloc(d->module->region, sizeof *d->reg_at * (size_t)f->reg_count);
  uint32_t at[2] = {4, 0}; // behind VG_CARRY
  note_width(d, VG_CARRY, 1);
  for (int i = 0; i < f->reg_count; i++)
    if (f->reg_types[i] == PTX_PRED)
      d->reg_at[i] = place_register(d, i, is_uniform[i], at);
  at[0] = (at[0] + 63) & ~63u;
  at[1] = (at[1] + 63) & ~63u;
  for (int i = 0; i < f->reg_count; i++)
    if (f->reg_types[i] != PTX_PRED)
      d->reg_at[i] = place_register(d, i, is_uniform[i], at);
  d->temp_bytes = at[0];
  d->uniform_bytes = at[1];
  d->code->may_read_any = !is_known;
  list_unwritten(d, is_unwritten);
  free(is_unwritten);
  free(is_uniform);
}

// A row of registers of the decoder's own, for values between two of its
// instructions.
static vg_place new_temp(struct decoder *d, int width) {
  vg_place at = d->temp_bytes;
  note_width(d, at, width <= 4 ? 4 : width);
  d->temp_bytes += row_bytes(width);
  return at;
}

vg_place vg_add_constant(struct decoder *d, const void *row, uint32_t bytes) {
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

vg_place vg_constant_row(struct decoder *d, uint64_t bits, int width) {
  uint64_t row[VG_LANES * 2] = {0};
  for (int l = 0; l < VG_LANES; l++)
    if (width == 4)
      ((uint32_t *)row)[l] = (uint32_t)bits;
    else if (width == 8)
      row[l] = bits;
    else
      row[l * 2] = bits;
  return vg_add_constant(d, row, row_bytes(width));
}

static vg_place constant_mask(struct decoder *d, bool value) {
  uint32_t mask = value ? VG_ALL : 0;
  return value ? 0 | VG_CONSTANTS : vg_add_constant(d, &mask, sizeof mask);
}

struct vg_insn *vg_emit(struct decoder *d, const struct ptx_insn *p) {
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

void vg_emit_move(struct decoder *d, const struct ptx_insn *p, vg_handler run,
                  vg_place to, vg_place from) {
  struct vg_insn *i = vg_emit(d, p);
  i->run = run;
  i->dst = to;
  i->src[0] = from;
}

bool vg_is_predicate(const struct decoder *d, int reg) {
  return reg >= 0 && d->func->reg_types[reg] == PTX_PRED;
}

// The register's row as lanes of `width`, narrowed or widened if need be.
static vg_place source_register(struct decoder *d, const struct ptx_insn *p,
                                int reg, int width) {
  if (reg < 0)
    return ZERO_ROW;
  enum ptx_type t = (enum ptx_type)d->func->reg_types[reg];
  vg_place at = d->reg_at[reg];
  if (t != PTX_PRED && vg_lane_width(t) == width)
    return at;
  if (t == PTX_PRED || vg_lane_width(t) > 8 || width > 8) {
    vg_decode_fail(d, p, "a register of another width");
    return at;
  }
  vg_place temp = new_temp(d, width);
  vg_emit_move(d, p, width == 4 ? vg_op_narrow : vg_op_widen, temp, at);
  return temp;
}

vg_place vg_target_register(struct decoder *d, const struct ptx_insn *p,
                            int reg, int width, bool is_signed) {
  if (reg < 0)
    return VG_NOWHERE;
  enum ptx_type t = (enum ptx_type)d->func->reg_types[reg];
  if (t != PTX_PRED && vg_lane_width(t) == width)
    return d->reg_at[reg];
  if (t == PTX_PRED || vg_lane_width(t) > 8 || width > 8 ||
      d->after_count == (int)(sizeof d->after / sizeof *d->after)) {
    vg_decode_fail(d, p, "a register of another width");
    return d->reg_at[reg];
  }
  vg_place temp = new_temp(d, width);
  d->after[d->after_count].from = temp;
  d->after[d->after_count].to = d->reg_at[reg];
  d->after[d->after_count].width = vg_lane_width(t);
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
      [PTX_SREG_RESERVED_SMEM_BEGIN] = VG_RESERVED_BEGIN,
      [PTX_SREG_RESERVED_SMEM_END] = VG_RESERVED_END,
      [PTX_SREG_RESERVED_SMEM_CAP] = VG_RESERVED_CAP,
      [PTX_SREG_RESERVED_SMEM_0] = VG_RESERVED_BEGIN,
      [PTX_SREG_RESERVED_SMEM_1] = VG_RESERVED_1,
      [PTX_SREG_ENVREG1] = VG_WORKSPACE_HIGH,
      [PTX_SREG_ENVREG2] = VG_WORKSPACE_LOW,
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
    vg_emit_move(d, p, vg_op_clock, at, 0);
    d->insns[d->count - 1].sub = (uint8_t)s;
    d->insns[d->count - 1].bytes = (uint8_t)width;
    return at;
  default:
    d->code->takes_workspace |= s == PTX_SREG_ENVREG1;
    d->module->has_reserved |=
        s >= PTX_SREG_RESERVED_SMEM_BEGIN && s <= PTX_SREG_RESERVED_SMEM_1;
    // A register without a row must not read row 0, which is %tid.x.
    if (s != PTX_SREG_TID && !row[s]) {
      vg_decode_fail(d, p, "this special register");
      return 0;
    }
    at = (vg_place)(row[s] + o->dim) * VG_LANES * 4 | VG_SPECIALS;
  }
  if (width == 4)
    return at;
  vg_place temp = new_temp(d, 8);
  vg_emit_move(d, p, vg_op_widen, temp, at);
  return temp;
}

// ---- Variables ----

static int index_of(const struct ptx_func *f, const struct ptx_var *v) {
  for (int i = 0; i < f->local_count; i++)
    if (f->locals[i] == v)
      return i;
  return -1;
}

uint32_t vg_align_up(uint64_t n, uint32_t align) {
  align = align ? align : 1;
  return (uint32_t)((n + align - 1) / align * align);
}

bool vg_frame_offset(const struct vg_code *c, const struct ptx_var *v,
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

enum err vg_place_frame(struct vg_module *m, struct vg_code *c,
                        struct err_info *e) {
  const struct ptx_func *f = c->func;
  uint64_t at = f->is_entry ? 0 : f->param_bytes;
  if (f->result) {
    at = c->result_at = vg_align_up(at, 16);
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
    at = vg_align_up(at, v->align > 8 ? v->align : 8);
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
  c->frame_bytes = vg_align_up(at, 16);
  return ERR_OK;
}

// Dynamic shared memory lies behind the kernel's static variables; behind those
// of all kernels where a function that any of them may call uses it.
static bool takes_dynamic(const struct ptx_func *f) {
  for (int n = 0; n < f->code_count; n++)
    for (int k = 0; k < f->code[n].operand_count; k++) {
      const struct ptx_var *v = f->code[n].operands[k].var;
      if (v && v->space == PTX_SHARED && v->is_extern)
        return true;
    }
  return false;
}

void vg_place_dynamic_shared(struct vg_module *m) {
  bool is_shared = false;
  uint32_t most = 0;
  for (int i = 0; i < m->ptx->func_count; i++) {
    const struct ptx_func *f = m->ptx->funcs[i];
    is_shared |= !f->is_entry && takes_dynamic(f);
    if (f->is_entry && f->shared_bytes > most)
      most = f->shared_bytes;
  }
  m->dynamic_at = is_shared ? vg_align_up(most, 16) : 0;
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
  if (v && vg_frame_offset(d->code, v, &at)) {
    *in_frame = true;
    return at;
  }
  if (v && v->space == PTX_SHARED && v->is_extern)
    return d->func->is_entry ? vg_dynamic_shared_at(d->code)
                             : d->module->dynamic_at;
  if (v && v->space == PTX_SHARED)
    return v->offset;
  if (v && v->space == PTX_PARAM)
    return v->offset;
  for (int i = 0; v && i < m->var_count; i++)
    if (m->vars[i] == v)
      return d->module->var_at[i];
  vg_decode_fail(d, p, "this symbol");
  return 0;
}

// ---- Operands ----

bool vg_is_signed(int t) {
  return t >= PTX_S8 && t <= PTX_S64;
}

static vg_place symbol_row(struct decoder *d, const struct ptx_insn *p,
                           const struct ptx_operand *o, int width) {
  bool in_frame;
  uint64_t at = symbol_address(d, p, o, &in_frame);
  vg_place row = vg_constant_row(d, at + (uint64_t)o->offset, width);
  if (!in_frame)
    return row;
  vg_place temp = new_temp(d, width);
  vg_emit_move(d, p, vg_op_frame_address, temp, row);
  d->insns[d->count - 1].bytes = (uint8_t)width;
  return temp;
}

vg_place vg_source_place(struct decoder *d, const struct ptx_insn *p,
                         const struct ptx_operand *o, int width) {
  if (width > 8 && o->kind != PTX_REGISTER && o->kind != PTX_IMMEDIATE) {
    vg_decode_fail(d, p, "an operand of fewer than 128 bits");
    return 0;
  }
  switch (o->kind) {
  case PTX_REGISTER: return source_register(d, p, o->reg, width);
  case PTX_IMMEDIATE: return vg_constant_row(d, o->bits, width);
  case PTX_SPECIAL: return special(d, p, o, width);
  case PTX_SYMBOL: return symbol_row(d, p, o, width);
  default: vg_decode_fail(d, p, "this operand"); return 0;
  }
}

vg_place vg_predicate_place(struct decoder *d, const struct ptx_insn *p,
                            const struct ptx_operand *o) {
  if (o->kind == PTX_IMMEDIATE)
    return constant_mask(d, o->bits != 0);
  if (o->kind == PTX_REGISTER && vg_is_predicate(d, o->reg))
    return d->reg_at[o->reg];
  vg_decode_fail(d, p, "an operand that is no predicate");
  return 0;
}

vg_place vg_target_place(struct decoder *d, const struct ptx_insn *p,
                         const struct ptx_operand *o, int width) {
  if (o->kind == PTX_REGISTER && o->reg >= 0)
    return vg_target_register(d, p, o->reg, width, vg_is_signed(p->type));
  if (o->kind != PTX_SINK)
    vg_decode_fail(d, p, "a destination that is no register");
  return new_temp(d, 16);
}

const struct vg_place_list *vg_vector_places(struct decoder *d,
                                             const struct ptx_insn *p,
                                             const struct ptx_operand *o,
                                             int width, bool is_target) {
  struct vg_place_list *v = region_alloc(d->module->region, sizeof *v);
  v->count = o->kind == PTX_VECTOR ? o->dim : 1;
  if (o->kind != PTX_VECTOR) {
    if (is_target)
      v->at[0] =
          o->kind == PTX_SINK
              ? VG_NOWHERE
              : vg_target_register(d, p, o->reg, width, vg_is_signed(p->type));
    else
      v->at[0] = vg_source_place(d, p, o, width);
    return v;
  }
  for (int i = 0; i < o->dim && i < VG_MAX_VECTOR; i++)
    if (is_target)
      v->at[i] =
          vg_target_register(d, p, o->regs[i], width, vg_is_signed(p->type));
    else if (o->regs[i] == -2)
      v->at[i] = vg_constant_row(d, o->reg_bits[i], width);
    else
      v->at[i] = source_register(d, p, o->regs[i], width);
  return v;
}

void vg_decode_address(struct decoder *d, const struct ptx_insn *p,
                       const struct ptx_operand *o, struct vg_insn *i) {
  i->offset = o->offset;
  if (o->var || o->func) {
    i->src[0] = vg_constant_row(d, symbol_address(d, p, o, &i->in_frame), 8);
    return;
  }
  if (o->reg < 0) {
    i->src[0] = vg_constant_row(d, o->bits, 8);
    return;
  }
  if (vg_is_predicate(d, o->reg)) {
    vg_decode_fail(d, p, "a predicate as an address");
    return;
  }
  i->is_narrow = vg_lane_width((enum ptx_type)d->func->reg_types[o->reg]) == 4;
  i->src[0] = d->reg_at[o->reg];
}

uint8_t vg_access_space(const struct decoder *d, const struct ptx_insn *p,
                        const struct vg_insn *i) {
  if (p->space != PTX_PARAM)
    return p->space;
  return i->in_frame || !d->func->is_entry ? PTX_LOCAL : PTX_PARAM;
}
