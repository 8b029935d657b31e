// SPDX-License-Identifier: Apache-2.0
// The operands of texture and surface instructions (PTX ISA, "Texture
// Instructions" and "Surface Instructions"): an opaque handle, maybe a sampler,
// and coordinates share one pair of brackets.
#include "gpu/ptx/ptx_texture.h"

#include <string.h>

#include "gpu/ptx/ptx_insn.h"
#include "gpu/ptx/ptx_token.h"

bool ptx_op_is_texture(enum ptx_op op) {
  switch (op) {
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

static bool is_query(const struct ptx_insn *i) {
  return i->op == PTX_OP_TXQ || i->op == PTX_OP_SUQ;
}

// Data stands behind the brackets.
static bool is_store(const struct ptx_insn *i) {
  return i->op == PTX_OP_SUST || i->op == PTX_OP_SURED;
}

// ---- Parsing ----

// [ handle {, sampler} {, coordinates} ]
static bool parse_brackets(struct parser *p, const struct ptx_insn *i,
                           struct ptx_operand *o) {
  struct ptx_operand items[3];
  int n = 0, most = is_query(i) ? 1 : 3;
  if (!expect_mark(p, '['))
    return false;
  do {
    if (n == most)
      return fail(p, ERR_COMPILE, "%s: too much stands in its [ ]",
                  ptx_op_name(i->op));
    if (!parse_operand(p, i, &items[n++]))
      return false;
  } while (take_mark(p, ','));
  if (!expect_mark(p, ']'))
    return false;
  if (n == 1 && !is_query(i))
    return fail(p, ERR_COMPILE, "%s: it has no coordinates",
                ptx_op_name(i->op));
  o[PTX_TEX_HANDLE] = items[0];
  if (n == 3)
    o[PTX_TEX_SAMPLER] = items[1];
  if (!is_query(i))
    o[PTX_TEX_COORDS] = items[n - 1];
  return true;
}

// {, lod | dPdx, dPdy} {, offsets}
static bool parse_rest(struct parser *p, const struct ptx_insn *i,
                       struct ptx_operand *o) {
  int wanted = i->mip == PTX_MIP_GRAD ? 2 : i->mip == PTX_MIP_LEVEL;
  for (int n = 0; n < wanted; n++)
    if (!expect_mark(p, ',') || !parse_operand(p, i, &o[PTX_TEX_LOD + n]))
      return false;
  if (is_query(i) || is_store(i) || i->op == PTX_OP_SULD || !take_mark(p, ','))
    return true;
  if (!is_mark(p, '{'))
    return fail(p, ERR_UNSUPPORTED,
                "%s that compares depths: no texture of CUDA's holds depths",
                ptx_op_name(i->op));
  p->operand = PTX_TEX_OFFSET;
  return parse_operand(p, i, &o[PTX_TEX_OFFSET]);
}

bool parse_texture_operands(struct parser *p, struct ptx_insn *insn) {
  struct ptx_operand o[PTX_TEX_OPERANDS];
  for (int n = 0; n < PTX_TEX_OPERANDS; n++)
    clear_operand(&o[n]);
  bool right = is_store(insn)
                   ? parse_brackets(p, insn, o) && expect_mark(p, ',') &&
                         parse_operand(p, insn, &o[PTX_TEX_DATA])
                   : parse_operand(p, insn, &o[PTX_TEX_DATA]) &&
                         parse_pair(p, &o[PTX_TEX_DATA]) &&
                         expect_mark(p, ',') && parse_brackets(p, insn, o);
  if (!right || !parse_rest(p, insn, o) || !expect_mark(p, ';'))
    return false;
  insn->operand_count = PTX_TEX_OPERANDS;
  insn->operands = region_alloc(p->region, sizeof o);
  memcpy(insn->operands, o, sizeof o);
  return true;
}

// ---- Checks ----

// Is every register of the operand `bytes` wide, or wider where `at_least`?
static bool has_width(struct parser *p, const struct ptx_operand *o, int bytes,
                      bool at_least) {
  const uint8_t *types = p->reg_types.items;
  int count = o->kind == PTX_VECTOR ? o->dim : 1;
  if (o->kind != PTX_VECTOR && o->kind != PTX_REGISTER)
    return true;
  for (int n = 0; n < count; n++) {
    int reg = o->kind == PTX_VECTOR ? o->regs[n] : o->reg;
    if (reg < 0)
      continue;
    int have = types[reg] == PTX_PRED ? 0 : ptx_type_bytes(types[reg]);
    if (!have || (at_least ? have < bytes : have != bytes))
      return false;
  }
  return true;
}

static bool is_list(const struct ptx_operand *o, int fewest, int most) {
  if (o->kind == PTX_VECTOR)
    return o->dim >= fewest && o->dim <= most;
  return (o->kind == PTX_REGISTER || o->kind == PTX_IMMEDIATE) && fewest <= 1;
}

// Coordinates that the geometry has.
static int coord_count(const struct ptx_insn *i) {
  static const uint8_t counts[] = {
      [PTX_1D] = 1,  [PTX_2D] = 2,   [PTX_3D] = 3,   [PTX_A1D] = 2,
      [PTX_A2D] = 3, [PTX_CUBE] = 3, [PTX_ACUBE] = 4};
  return counts[i->geometry];
}

static bool check_data(struct parser *p, const struct ptx_insn *i) {
  const struct ptx_operand *o = &i->operands[PTX_TEX_DATA];
  const uint8_t *types = p->reg_types.items;
  if (o->kind != PTX_SINK && !is_list(o, i->vec, i->vec))
    return fail_insn(p, i, "its vector has another length than it says");
  if (!is_store(i) && o->kind == PTX_IMMEDIATE)
    return fail_insn(p, i, "its destination is not a register");
  for (int n = 0; n < o->dim && !is_store(i) && o->kind == PTX_VECTOR; n++)
    if (o->regs[n] == -2)
      return fail_insn(p, i, "its destination is not a register");
  if (!has_width(p, o, ptx_type_bytes(i->type), true))
    return fail_insn(p, i, "a register is too small for its element");
  if (o->pair >= 0 && (is_store(i) || types[o->pair] != PTX_PRED))
    return fail_insn(p, i, "its second result is not a predicate");
  return true;
}

static bool check_types(struct parser *p, const struct ptx_insn *i) {
  bool is_fetch = i->op == PTX_OP_TEX || i->op == PTX_OP_TLD4;
  if (!i->type || i->type == PTX_PRED || ptx_type_bytes(i->type) > 8)
    return fail_insn(p, i, "it has no type");
  if (is_fetch && i->type2 != PTX_F32 && i->type2 != PTX_S32)
    return fail_insn(p, i, "its coordinates are neither .f32 nor .s32");
  if (is_fetch && (ptx_type_bytes(i->type) != 4 ||
                   i->vec != (i->type == PTX_F16X2 ? 2 : 4)))
    return fail_insn(p, i, "its result is no vector of four");
  if (!is_query(i) && !i->geometry)
    return fail_insn(p, i, "it does not say how many dimensions there are");
  return true;
}

bool check_texture(struct parser *p, const struct ptx_insn *i) {
  const struct ptx_operand *o = i->operands;
  if (!check_types(p, i) || !check_data(p, i))
    return false;
  for (int n = PTX_TEX_HANDLE; n <= PTX_TEX_SAMPLER; n++) {
    if (o[n].kind == PTX_NONE)
      continue;
    if (o[n].kind != PTX_REGISTER || !has_width(p, &o[n], 8, false))
      return fail_insn(p, i, "its texture or surface is not a 64-bit register");
  }
  if (is_query(i))
    return has_width(p, &o[PTX_TEX_LOD], 4, false) ||
           fail_insn(p, i, "its level is no 32-bit register");
  int count = coord_count(i), most = count == 3 ? 4 : count;
  if (!is_list(&o[PTX_TEX_COORDS], count, most))
    return fail_insn(p, i, "it has too few or too many coordinates");
  for (int n = PTX_TEX_COORDS; n < PTX_TEX_OPERANDS; n++) {
    if (o[n].kind != PTX_NONE && !is_list(&o[n], 1, 4))
      return fail_insn(p, i, "an operand is no list of numbers");
    if (!has_width(p, &o[n], 4, false))
      return fail_insn(p, i, "a coordinate is not 32 bits wide");
  }
  if (o[PTX_TEX_OFFSET].kind != PTX_NONE &&
      (i->geometry >= PTX_CUBE ||
       o[PTX_TEX_OFFSET].dim < count - (i->geometry >= PTX_A1D)))
    return fail_insn(p, i, "it has too few offsets, or may have none");
  return true;
}
