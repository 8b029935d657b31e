// SPDX-License-Identifier: Apache-2.0
// What PTX writes in one instruction and the engine runs in several: register +
// constant as a source, elements by index (PTX ISA, "Arrays as Operands"), mov
// of whole vectors ("Vectors as Operands").
#include "gpu/ptx/ptx_make.h"

#include <string.h>

#include "gpu/ptx/ptx_check.h"
#include "gpu/ptx/ptx_const.h"
#include "gpu/ptx/ptx_insn.h"
#include "gpu/ptx/ptx_lex.h"
#include "gpu/ptx/ptx_token.h"
#include "gpu/ptx/ptx_var.h"

struct ptx_operand register_operand(int reg) {
  struct ptx_operand o;
  clear_operand(&o);
  o.kind = PTX_REGISTER;
  o.reg = reg;
  return o;
}

static struct ptx_operand immediate(uint64_t bits) {
  struct ptx_operand o;
  clear_operand(&o);
  o.kind = PTX_IMMEDIATE;
  o.bits = bits;
  return o;
}

static enum ptx_type type_of(const struct parser *p, int reg) {
  return ((uint8_t *)p->reg_types.items)[reg];
}

void make_insn(struct parser *p, const struct ptx_insn *like, enum ptx_op op,
               enum ptx_type type, const struct ptx_operand *operands,
               int count) {
  struct ptx_insn insn = {.op = (uint16_t)op,
                          .type = (uint8_t)type,
                          .vec = 1,
                          .guard = like->guard,
                          .guard_negate = like->guard_negate,
                          .ptx_line = like->ptx_line,
                          .operand_count = (uint8_t)count};
  size_t bytes = (size_t)count * sizeof *operands;
  if (op == PTX_OP_LD || op == PTX_OP_ST)
    insn.space = PTX_PARAM;
  if (op == PTX_OP_MUL)
    insn.part = PTX_LO_PART;
  insn.operands = region_alloc(p->region, bytes + 1);
  memcpy(insn.operands, operands, bytes);
  keep_insn(p, &insn);
}

// The register plus `n`, in a register of its own.
static int make_sum(struct parser *p, const struct ptx_insn *like, int reg,
                    enum ptx_type type, uint64_t n) {
  int sum = new_registers(p, type, 1, "");
  struct ptx_operand o[] = {register_operand(sum), register_operand(reg),
                            immediate(n)};
  make_insn(p, like, PTX_OP_ADD, type, o, 3);
  return sum;
}

static enum ptx_type unsigned_of(int bytes) {
  return bytes == 8 ? PTX_U64 : bytes == 4 ? PTX_U32 : PTX_U16;
}

static bool is_float(enum ptx_type t) {
  return t >= PTX_F16 && t <= PTX_TF32;
}

// register + constant, where a source stands
bool add_to_register(struct parser *p, const struct ptx_insn *insn,
                     struct ptx_operand *o) {
  enum ptx_type type = type_of(p, o->reg);
  int bytes = ptx_type_bytes(type);
  uint64_t n;
  if (p->operand == 0 && ptx_has_destination(insn))
    return fail(p, ERR_COMPILE, "%s: its destination is not a register",
                ptx_op_name(insn->op));
  next(p); // the +
  if (!parse_integer(p, &n))
    return false;
  if (type == PTX_PRED || is_float(type) || is_float(insn->type) || bytes < 2 ||
      bytes > 8)
    return fail(p, ERR_UNSUPPORTED,
                "a constant added to an operand that is no integer");
  o->reg = make_sum(p, insn, o->reg, unsigned_of(bytes), n);
  return true;
}

// ---- Elements ----

// The index as a number of bytes, in 64 bits.
static int make_distance(struct parser *p, const struct ptx_insn *like, int reg,
                         uint64_t element) {
  int bytes = ptx_type_bytes(type_of(p, reg));
  int wide = new_registers(p, PTX_B64, 1, "");
  struct ptx_operand o[] = {register_operand(wide), register_operand(reg),
                            immediate(element)};
  if (bytes < 8) {
    make_insn(p, like, PTX_OP_CVT, PTX_S64, o, 2);
    struct ptx_insn *made = (struct ptx_insn *)p->insns.items + p->insns.count;
    made[-1].type2 = bytes == 4 ? PTX_S32 : PTX_S16;
    o[1].reg = wide;
  }
  make_insn(p, like, PTX_OP_MUL, PTX_S64, o, 3);
  return wide;
}

// What mov and cvta get: an address in a register as wide as their type.
static void make_address_value(struct parser *p, const struct ptx_insn *insn,
                               struct ptx_operand *o) {
  int reg = make_sum(p, insn, o->reg, PTX_U64, (uint64_t)o->offset);
  if (ptx_type_bytes(insn->type) == 4) {
    int narrow = new_registers(p, PTX_B32, 1, "");
    struct ptx_operand cut[] = {register_operand(narrow),
                                register_operand(reg)};
    make_insn(p, insn, PTX_OP_CVT, PTX_U32, cut, 2);
    struct ptx_insn *made = (struct ptx_insn *)p->insns.items + p->insns.count;
    made[-1].type2 = PTX_U64;
    reg = narrow;
  }
  *o = register_operand(reg);
}

static void make_element(struct parser *p, const struct ptx_insn *insn,
                         struct ptx_operand *o, int index, uint64_t element) {
  struct ptx_operand symbol = *o;
  int at = make_distance(p, insn, index, element);
  int base = new_registers(p, PTX_B64, 1, "");
  struct ptx_operand start[] = {register_operand(base), symbol};
  struct ptx_operand sum[] = {register_operand(at), register_operand(at),
                              register_operand(base)};
  start[1].offset = 0;
  make_insn(p, insn, PTX_OP_MOV, PTX_U64, start, 2);
  make_insn(p, insn, PTX_OP_ADD, PTX_U64, sum, 3);
  clear_operand(o);
  o->reg = at;
  o->offset = symbol.offset;
}

static bool parse_index(struct parser *p, int *reg, uint64_t *n) {
  int lanes;
  *n = 0;
  *reg = p->token.kind == TOKEN_WORD ? find_register(p, &lanes) : -1;
  if (*reg < 0)
    return parse_integer(p, n);
  int bytes = ptx_type_bytes(type_of(p, *reg));
  if (lanes > 1 || is_float(type_of(p, *reg)) || bytes < 2 || bytes > 8 ||
      type_of(p, *reg) == PTX_PRED)
    return fail(p, ERR_COMPILE, "\"%.*s\" cannot be an index", shown(p),
                p->token.text);
  next(p);
  return !take_mark(p, '+') || parse_integer(p, n);
}

// array [ constant | register [+ constant] ]: in ld and st the element, in mov
// and cvta its address
bool parse_element(struct parser *p, const struct ptx_insn *insn,
                   struct ptx_operand *o) {
  bool is_access =
      insn->op == PTX_OP_LD || insn->op == PTX_OP_LDU || insn->op == PTX_OP_ST;
  uint64_t n, element;
  int reg;
  next(p); // the [
  if (!o->var || !o->var->is_array)
    return fail(p, ERR_COMPILE, "an index behind what is no array");
  if (!is_access && insn->op != PTX_OP_MOV && insn->op != PTX_OP_CVTA)
    return fail(p, ERR_COMPILE, "an element cannot stand here");
  if (!parse_index(p, &reg, &n) || !expect_mark(p, ']'))
    return false;
  element = (uint64_t)ptx_type_bytes(o->var->type) * o->var->lanes;
  o->offset = (int64_t)(n * element);
  if (reg >= 0)
    make_element(p, insn, o, reg, element);
  if (is_access)
    o->kind = PTX_ADDRESS;
  else if (reg >= 0)
    make_address_value(p, insn, o);
  return true;
}

// ---- mov of vectors ----

static struct ptx_operand part_of(const struct ptx_operand *o, int n) {
  struct ptx_operand part = *o;
  if (o->kind == PTX_SPECIAL) {
    part.dim = (uint8_t)n;
    return n < 3 ? part : immediate(0); // %tid.w is zero
  }
  return o->regs[n] == -2 ? immediate(o->reg_bits[n])
                          : register_operand(o->regs[n]);
}

static bool is_vector(const struct ptx_operand *o, int lanes) {
  return (o->kind == PTX_VECTOR && o->dim == lanes) ||
         (o->kind == PTX_SPECIAL && o->dim == PTX_WHOLE && lanes == 4);
}

// mov.v2 and mov.v4: all parts are read before one is written
bool make_vector_mov(struct parser *p, const struct ptx_insn *insn) {
  const struct ptx_operand *to = &insn->operands[0], *from = to + 1;
  int lanes = insn->vec;
  if (to->kind != PTX_VECTOR || !is_vector(to, lanes) ||
      !is_vector(from, lanes))
    return fail(p, ERR_COMPILE, "mov of vectors that have other lengths");
  int held = new_registers(p, insn->type, lanes, "");
  for (int pass = 0; pass < 2; pass++)
    for (int n = 0; n < lanes; n++) {
      struct ptx_operand o[] = {register_operand(held + n), part_of(from, n)};
      struct ptx_operand back[] = {part_of(to, n), register_operand(held + n)};
      struct ptx_insn mov = *insn;
      if (to->regs[n] < 0)
        continue; // the sink
      mov.vec = 1;
      mov.operands = pass ? back : o;
      if (!check_insn(p, &mov))
        return false;
      make_insn(p, insn, PTX_OP_MOV, insn->type, mov.operands, 2);
    }
  return true;
}
