// SPDX-License-Identifier: Apache-2.0
// What an instruction must hold for an engine to run it without looking again:
// destinations are registers, sizes agree (PTX ISA, "Operand Type Checking"),
// predicates are predicates, vectors are as long as they say.
#include "gpu/ptx/ptx_check.h"

#include "gpu/ptx/ptx_insn.h"
#include "gpu/ptx/ptx_matrix.h"
#include "gpu/ptx/ptx_texture.h"
#include "gpu/ptx/ptx_token.h"

static enum ptx_type reg_type(struct parser *p, int reg) {
  return ((uint8_t *)p->reg_types.items)[reg];
}

// Bytes of a register; a predicate counts as 0.
static int reg_bytes(struct parser *p, int reg) {
  enum ptx_type t = reg_type(p, reg);
  return t == PTX_PRED ? 0 : ptx_type_bytes(t);
}

static bool is_real(enum ptx_type t) {
  return t >= PTX_F16 && t <= PTX_TF32;
}

static bool is_whole(enum ptx_type t) {
  return t >= PTX_U8 && t <= PTX_S64;
}

bool is_mixed(enum ptx_type a, enum ptx_type b) {
  return (is_real(a) && is_whole(b)) || (is_whole(a) && is_real(b));
}

bool ptx_has_destination(const struct ptx_insn *i) {
  switch (i->op) {
  case PTX_OP_ST:
  case PTX_OP_RED:
  case PTX_OP_SUST:
  case PTX_OP_SURED:
  case PTX_OP_STMATRIX:
  case PTX_OP_CP:
  case PTX_OP_GRIDDEPCONTROL:
  case PTX_OP_BRA:
  case PTX_OP_BRX:
  case PTX_OP_CALL:
  case PTX_OP_RET:
  case PTX_OP_EXIT:
  case PTX_OP_MEMBAR:
  case PTX_OP_FENCE:
  case PTX_OP_NANOSLEEP:
  case PTX_OP_TRAP:
  case PTX_OP_BRKPT:
  case PTX_OP_PMEVENT:
  case PTX_OP_APPLYPRIORITY:
  case PTX_OP_DISCARD:
  case PTX_OP_PREFETCH:
  case PTX_OP_PREFETCHU: return false;
  case PTX_OP_BAR:
  case PTX_OP_BARRIER:
    return i->sub >= PTX_BAR_RED_POPC && i->sub <= PTX_BAR_RED_OR;
  case PTX_OP_MBARRIER:
  case PTX_OP_WMMA:
    return i->operand_count && i->operands[0].kind != PTX_ADDRESS;
  default: return true;
  }
}

// Does the address operand stand where this instruction has it, and nowhere
// else?
static bool check_addresses(struct parser *p, const struct ptx_insn *i) {
  int at = -1;
  switch (i->op) {
  case PTX_OP_LD:
  case PTX_OP_LDU:
  case PTX_OP_ATOM: at = 1; break;
  case PTX_OP_ST:
  case PTX_OP_RED:
  case PTX_OP_APPLYPRIORITY:
  case PTX_OP_DISCARD:
  case PTX_OP_PREFETCH:
  case PTX_OP_PREFETCHU: at = 0; break;
  default: break;
  }
  for (int k = 0; k < i->operand_count; k++)
    if ((i->operands[k].kind == PTX_ADDRESS) != (k == at))
      return fail_insn(p, i,
                       k == at ? "an address must stand in [ ]"
                               : "an address stands where none may");
  return true;
}

// A variable's address goes with its space: as a generic one, .const and .param
// have none. Numbers are places of .local alone.
static bool check_space(struct parser *p, const struct ptx_insn *i,
                        const struct ptx_operand *o) {
  if (o->kind != PTX_ADDRESS || o->reg >= 0)
    return true;
  if (!o->var)
    return i->space == PTX_LOCAL ||
           fail_insn(p, i, "a number as an address outside of .local memory");
  int space = o->var->space;
  bool fits = i->space == PTX_GENERIC ? space != PTX_CONST && space != PTX_PARAM
                                      : i->space == space;
  return fits || fail_insn(p, i, "its variable lies in another space");
}

static bool is_among(struct ptx_var *const *vars, int count,
                     const struct ptx_var *v) {
  for (int i = 0; i < count; i++)
    if (vars[i] == v)
      return true;
  return false;
}

// A function reads its parameters, and writes its results.
static bool check_own_params(struct parser *p, const struct ptx_insn *i,
                             const struct ptx_operand *o) {
  const struct ptx_func *f = p->func;
  if (i->op == PTX_OP_ST && is_among(f->params, f->param_count, o->var))
    return fail_insn(p, i, "a parameter of this function is only read");
  if (i->op == PTX_OP_LD && is_among(f->results, f->result_count, o->var))
    return fail_insn(p, i, "a result of this function is only written");
  return true;
}

static bool check_destination(struct parser *p, const struct ptx_insn *i) {
  if (!ptx_has_destination(i) || !i->operand_count)
    return true;
  int kind = i->operands[0].kind;
  if (kind != PTX_REGISTER && kind != PTX_VECTOR && kind != PTX_SINK)
    return fail_insn(p, i, "its destination is not a register");
  return true;
}

// mov and cvt alone read them.
static bool check_special_register(struct parser *p, const struct ptx_insn *i,
                                   const struct ptx_operand *o) {
  if (o->dim == PTX_WHOLE)
    return fail_insn(p, i, "this special register has the parts .x, .y and .z");
  if (i->op != PTX_OP_MOV && i->op != PTX_OP_CVT)
    return fail_insn(p, i,
                     "a special register stands where only mov may have one");
  int have = ptx_type_bytes(ptx_sreg_type(o->reg));
  int want = ptx_type_bytes(i->type);
  bool is_cut = (have == 4 && want == 2) || // both once were as small
                (o->reg == PTX_SREG_GRIDID && want == 4);
  if (i->op == PTX_OP_MOV && (is_real(i->type) || (have != want && !is_cut)))
    return fail_insn(p, i, "a special register of another size");
  return true;
}

// Registers of a vector or scalar memory operand must hold the element.
static bool fits(struct parser *p, int reg, enum ptx_type type) {
  return reg < 0 || (reg_bytes(p, reg) >= ptx_type_bytes(type) &&
                     !is_mixed(reg_type(p, reg), type));
}

// Addresses have 64 bits, but for those inside a window.
static bool check_address_bits(struct parser *p, const struct ptx_insn *i) {
  bool is_wide = i->space == PTX_GENERIC || i->space == PTX_GLOBAL ||
                 i->space == PTX_CONST;
  for (int k = 0; k < i->operand_count; k++) {
    const struct ptx_operand *o = &i->operands[k];
    if (is_wide && o->kind == PTX_ADDRESS && o->reg >= 0 &&
        reg_bytes(p, o->reg) < 8)
      return fail_insn(p, i, "an address of 32 bits in memory that needs 64");
  }
  return true;
}

static bool check_memory(struct parser *p, const struct ptx_insn *i) {
  const struct ptx_operand *data =
      &i->operands[i->op == PTX_OP_ST || i->op == PTX_OP_RED];
  const struct ptx_operand *place =
      &i->operands[i->op != PTX_OP_ST && i->op != PTX_OP_RED];
  if (!i->type || i->type == PTX_PRED)
    return fail_insn(p, i, "it has no type");
  if (i->op == PTX_OP_ATOM &&
      i->operand_count != (i->sub == PTX_ATOM_CAS ? 4 : 3))
    return fail_insn(p, i, "it has another number of operands");
  if (!check_space(p, i, place) || !check_own_params(p, i, place))
    return false;
  if (data->kind == PTX_SYMBOL)
    return fail_insn(p, i, "the address of a variable, which mov alone gives");
  if (data->kind == PTX_SPECIAL)
    return check_special_register(p, i, data);
  if (i->vec > 1 && (data->kind != PTX_VECTOR || data->dim != i->vec))
    return fail_insn(p, i, "its vector has another length than it says");
  if (data->kind == PTX_VECTOR) {
    if (data->dim != i->vec)
      return fail_insn(p, i, "its vector has another length than it says");
    for (int k = 0; k < data->dim; k++)
      if (!fits(p, data->regs[k], i->type))
        return fail_insn(p, i, "a register does not fit its element");
  } else if (data->kind == PTX_REGISTER && !fits(p, data->reg, i->type)) {
    return fail_insn(p, i, "a register does not fit its element");
  }
  return check_address_bits(p, i);
}

// mov between a vector of registers and one wide register
static bool check_pack(struct parser *p, const struct ptx_insn *i) {
  for (int k = 0; k < 2; k++) {
    const struct ptx_operand *v = &i->operands[k], *other = &i->operands[!k];
    if (v->kind != PTX_VECTOR)
      continue;
    if (v->dim < 2 || other->kind == PTX_VECTOR || is_real(i->type) ||
        is_whole(i->type))
      return fail_insn(p, i, "this is no packing of registers");
    int part = ptx_type_bytes(i->type) / v->dim;
    for (int n = 0; n < v->dim; n++)
      if (v->regs[n] >= 0 && reg_bytes(p, v->regs[n]) != part)
        return fail_insn(p, i, "the parts do not add up to the whole");
  }
  return true;
}

static bool is_pred(struct parser *p, const struct ptx_operand *o) {
  return o->kind == PTX_SINK || o->kind == PTX_IMMEDIATE ||
         (o->kind == PTX_REGISTER && reg_type(p, o->reg) == PTX_PRED);
}

// Operands that are predicates whatever the type says.
static bool wants_pred(const struct ptx_insn *i, int k) {
  switch (i->op) {
  case PTX_OP_SETP: return k == 0 || k == 3;
  case PTX_OP_LOP3: return k == 5;
  case PTX_OP_SET: return k == 3;
  case PTX_OP_SELP: return k == 3;
  case PTX_OP_TESTP:
  case PTX_OP_ISSPACEP: return k == 0;
  case PTX_OP_VOTE: return k == 1 || (k == 0 && i->sub != PTX_VOTE_BALLOT);
  case PTX_OP_BAR:
  case PTX_OP_BARRIER:
    return ptx_has_destination(i) && (k == i->operand_count - 1 ||
                                      (k == 0 && i->sub != PTX_BAR_RED_POPC));
  default: return i->type == PTX_PRED;
  }
}

// Are all its operands of its type?
static bool is_of_its_type(int op) {
  switch (op) {
  case PTX_OP_ADD:
  case PTX_OP_SUB:
  case PTX_OP_DIV:
  case PTX_OP_REM:
  case PTX_OP_ABS:
  case PTX_OP_NEG:
  case PTX_OP_MIN:
  case PTX_OP_MAX:
  case PTX_OP_BREV:
  case PTX_OP_FMA:
  case PTX_OP_RCP:
  case PTX_OP_SQRT:
  case PTX_OP_RSQRT:
  case PTX_OP_SIN:
  case PTX_OP_COS:
  case PTX_OP_LG2:
  case PTX_OP_EX2:
  case PTX_OP_TANH:
  case PTX_OP_COPYSIGN:
  case PTX_OP_AND:
  case PTX_OP_OR:
  case PTX_OP_XOR:
  case PTX_OP_NOT:
  case PTX_OP_CNOT:
  case PTX_OP_LOP3:
  case PTX_OP_ADDC:
  case PTX_OP_SUBC:
  case PTX_OP_MADC:
  case PTX_OP_SAD:
  case PTX_OP_PRMT: return true;
  default: return false;
  }
}

// Of 32 bits?
static bool is_of_words(int op) {
  if (op >= PTX_OP_VADD && op <= PTX_OP_VSET4)
    return true;
  switch (op) {
  case PTX_OP_SHF:
  case PTX_OP_SHFL:
  case PTX_OP_VOTE:
  case PTX_OP_ACTIVEMASK:
  case PTX_OP_REDUX:
  case PTX_OP_SZEXT:
  case PTX_OP_BMSK:
  case PTX_OP_FNS:
  case PTX_OP_MUL24:
  case PTX_OP_MAD24:
  case PTX_OP_DP4A:
  case PTX_OP_DP2A:
  case PTX_OP_BAR:
  case PTX_OP_BARRIER:
  case PTX_OP_NANOSLEEP: return true;
  default: return false;
  }
}

// Scalar arithmetic: every register is as large as the type (sources of mixed
// instructions as large as theirs).
static int wanted_bytes(const struct ptx_insn *i, int k) {
  int type = ptx_type_bytes(i->type), source = ptx_type_bytes(i->type2);
  if (is_of_its_type(i->op))
    return i->type2 ? 0 : type;
  if (is_of_words(i->op))
    return 4;
  switch (i->op) {
  case PTX_OP_MOV:
  case PTX_OP_SETP: return type;
  case PTX_OP_SET: return k == 0 ? type : source;
  case PTX_OP_MUL:
  case PTX_OP_MAD:
    return i->part == PTX_WIDE && (k == 0 || k == 3) ? 2 * type : type;
  case PTX_OP_SELP: return k < 3 ? type : 0;
  case PTX_OP_SHL:
  case PTX_OP_SHR:
  case PTX_OP_BFE: return k < 2 ? type : 4;
  case PTX_OP_BFI:
  case PTX_OP_SLCT: return k < 3 ? type : 4;
  case PTX_OP_CVTA:
  case PTX_OP_TESTP: return type;
  case PTX_OP_MATCH: return k == 1 ? type : 4;
  case PTX_OP_CVT: return 0; // of that size or larger: check_conversion
  case PTX_OP_POPC:
  case PTX_OP_CLZ:
  case PTX_OP_GETCTARANK:
  case PTX_OP_BFIND: return k == 0 ? 4 : type;
  default: return 0;
  }
}

// The type that a register's must go with; PTX_NOTYPE: any.
static enum ptx_type wanted_type(const struct ptx_insn *i, int k) {
  if (i->op == PTX_OP_CVT && !i->pack)
    return k == 0 ? i->type : i->type2;
  if (i->op == PTX_OP_POPC || i->op == PTX_OP_CLZ || i->op == PTX_OP_BFIND)
    return k == 0 ? PTX_U32 : i->type;
  if ((i->op == PTX_OP_SET && k > 0) || (i->op == PTX_OP_SLCT && k == 3))
    return i->type2;
  return wanted_bytes(i, k) ? i->type : PTX_NOTYPE;
}

// A variable's or a function's address, as a number.
static bool check_symbol(struct parser *p, const struct ptx_insn *i,
                         const struct ptx_operand *o) {
  int space = o->var ? o->var->space : PTX_GENERIC;
  bool takes_one =
      i->op == PTX_OP_MOV || i->op == PTX_OP_CVTA || i->op == PTX_OP_GETCTARANK;
  if (!takes_one || is_real(i->type))
    return fail_insn(p, i, "the address of a variable, which mov alone gives");
  if (i->op == PTX_OP_CVTA && space != i->space)
    return fail_insn(p, i, "its variable lies in another space");
  if (space == PTX_GLOBAL && ptx_type_bytes(i->type) < 8)
    return fail_insn(p, i, "an address of 32 bits in memory that needs 64");
  return true;
}

// The registers of cvt may be larger than its types, but not those of floats.
static bool check_conversion(struct parser *p, const struct ptx_insn *i) {
  for (int k = 0; k < 2 && i->op == PTX_OP_CVT && !i->pack; k++) {
    const struct ptx_operand *o = &i->operands[k];
    enum ptx_type type = k ? i->type2 : i->type;
    if (o->kind == PTX_REGISTER && type &&
        (reg_bytes(p, o->reg) < ptx_type_bytes(type) ||
         (is_real(reg_type(p, o->reg)) && reg_type(p, o->reg) != type)))
      return fail_insn(p, i, "a register's size or kind is not its type's");
  }
  return true;
}

// What must be a number in the text: the table of lop3; and where a barrier has
// numbers, its own and of how many threads.
static bool check_numbers(struct parser *p, const struct ptx_insn *i) {
  const struct ptx_operand *o = i->operands;
  int count = i->operand_count;
  if (i->op == PTX_OP_LOP3 && count > 4 && o[4].kind != PTX_IMMEDIATE)
    return fail_insn(p, i, "its table is not a number");
  if ((i->op != PTX_OP_BAR && i->op != PTX_OP_BARRIER) ||
      i->sub == PTX_BAR_WARP)
    return true;
  if (ptx_has_destination(i)) {
    o++;
    count -= 2; // and without the predicate at the end
  }
  if (count < 1 + (i->sub == PTX_BAR_ARRIVE) || count > 2)
    return fail_insn(p, i, "it has another number of operands");
  if (o[0].kind == PTX_IMMEDIATE && o[0].bits > 15)
    return fail_insn(p, i, "the barriers have the numbers 0 to 15");
  if (count == 2 && o[1].kind == PTX_IMMEDIATE && o[1].bits % 32)
    return fail_insn(p, i,
                     "its number of threads is no multiple of a warp's 32");
  return true;
}

static bool check_scalars(struct parser *p, const struct ptx_insn *i) {
  if (!check_numbers(p, i))
    return false;
  for (int k = 0; k < i->operand_count; k++) {
    const struct ptx_operand *o = &i->operands[k];
    if (wants_pred(i, k)) {
      if (!is_pred(p, o))
        return fail_insn(p, i, "an operand is not a predicate");
      continue;
    }
    if (o->kind == PTX_SPECIAL && !check_special_register(p, i, o))
      return false;
    if (o->kind == PTX_SYMBOL && !check_symbol(p, i, o))
      return false;
    if (o->kind != PTX_REGISTER)
      continue;
    int have = reg_bytes(p, o->reg), want = wanted_bytes(i, k);
    if (!have)
      return fail_insn(p, i, "a predicate stands where a number must");
    if ((want && have != want) ||
        is_mixed(reg_type(p, o->reg), wanted_type(i, k)))
      return fail_insn(p, i, "a register's size or kind is not its type's");
  }
  return check_conversion(p, i);
}

// Only a predicate can be negated, and only where one is read.
static bool check_negated(struct parser *p, const struct ptx_insn *i) {
  for (int k = 0; k < i->operand_count; k++) {
    const struct ptx_operand *o = &i->operands[k];
    if (o->negate && (!wants_pred(i, k) || (k == 0 && ptx_has_destination(i)) ||
                      o->kind != PTX_REGISTER))
      return fail_insn(p, i,
                       "\"!\" stands before something that it cannot negate");
  }
  return true;
}

static bool check_pair(struct parser *p, const struct ptx_insn *i) {
  for (int k = 0; k < i->operand_count; k++) {
    int pair = i->operands[k].pair;
    if (pair >= 0 && (k != 0 || reg_type(p, pair) != PTX_PRED))
      return fail_insn(p, i, "its second result is not a predicate");
  }
  return true;
}

// cp.async of 4, 8 or 16 bytes, .cg of 16 alone, of which at most so many are
// read.
static bool check_copy(struct parser *p, const struct ptx_insn *i) {
  const struct ptx_operand *o = i->operands;
  uint64_t bytes = o[2].bits;
  if (i->operand_count < 3)
    return true; // the forms that wait
  if (o[2].kind != PTX_IMMEDIATE)
    return fail_insn(p, i, "its size is not a number");
  if (i->mods & PTX_MOD_CG ? bytes != 16
                           : bytes != 4 && bytes != 8 && bytes != 16)
    return fail_insn(p, i, "it copies 4, 8 or 16 bytes, with .cg 16 alone");
  if (i->operand_count > 3 && o[3].kind == PTX_IMMEDIATE && o[3].bits > bytes)
    return fail_insn(p, i, "it reads more bytes than it copies");
  return true;
}

// Matrix and asynchronous instructions: addresses where they have them, no
// predicate where a number must be. What else an operand is, the engine asks.
static bool check_special(struct parser *p, const struct ptx_insn *i) {
  bool is_copy = i->op == PTX_OP_CP && !(i->mods & PTX_MOD_BULK);
  for (int k = 0; k < i->operand_count; k++) {
    const struct ptx_operand *o = &i->operands[k];
    if (o->kind == PTX_SYMBOL || o->kind == PTX_LABEL || o->pair >= 0)
      return fail_insn(p, i, "this operand cannot stand here");
    if (o->kind == PTX_ADDRESS && o->reg >= 0 && !reg_bytes(p, o->reg))
      return fail_insn(p, i, "a predicate as an address");
    enum ptx_space space = k ? PTX_GLOBAL : PTX_SHARED;
    if (is_copy && o->kind == PTX_ADDRESS && o->var && o->var->space != space)
      return fail_insn(p, i, "its variable lies in another space");
  }
  return !is_copy || check_copy(p, i);
}

bool check_insn(struct parser *p, const struct ptx_insn *i) {
  if (i->op >= PTX_OP_WMMA && i->op <= PTX_OP_GRIDDEPCONTROL)
    return check_special(p, i);
  if (i->op == PTX_OP_CALL || i->op == PTX_OP_BRA || i->op == PTX_OP_BRX)
    return true;
  if (ptx_op_is_texture(i->op))
    return check_texture(p, i);
  if (!check_destination(p, i) || !check_addresses(p, i) || !check_pair(p, i) ||
      !check_negated(p, i))
    return false;
  switch (i->op) {
  case PTX_OP_LD:
  case PTX_OP_LDU:
  case PTX_OP_ST:
  case PTX_OP_ATOM:
  case PTX_OP_RED: return check_memory(p, i);
  case PTX_OP_MOV:
    if (i->operands[0].kind == PTX_VECTOR || i->operands[1].kind == PTX_VECTOR)
      return check_pack(p, i);
    return check_scalars(p, i);
  default: return check_scalars(p, i);
  }
}
