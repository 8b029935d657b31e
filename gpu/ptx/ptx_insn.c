// SPDX-License-Identifier: Apache-2.0
// One instruction: [@[!]p] mnemonic operands ; (PTX ISA, "Instruction
// Operands" and "Control Flow Instructions: call").
#include "gpu/ptx/ptx_insn.h"

#include <string.h>

#include "gpu/ptx/ptx_call.h"
#include "gpu/ptx/ptx_check.h"
#include "gpu/ptx/ptx_const.h"
#include "gpu/ptx/ptx_label.h"
#include "gpu/ptx/ptx_lex.h"
#include "gpu/ptx/ptx_make.h"
#include "gpu/ptx/ptx_suffix.h"
#include "gpu/ptx/ptx_texture.h"
#include "gpu/ptx/ptx_token.h"

static const struct {
  uint8_t fewest, most;
} counts[] = {
#define OP(name, text, group, fewest, most, anchor) {fewest, most},
#include "gpu/ptx/ptx_ops.def"
#undef OP
};

static const struct {
  const char *text;
  uint8_t type;
} sregs[] = {
#define SREG(name, text, type) {text, PTX_##type},
#include "gpu/ptx/ptx_sregs.def"
#undef SREG
};

enum ptx_type ptx_sreg_type(int sreg) {
  return (enum ptx_type)sregs[sreg].type;
}

static int text_length(const struct parser *p) {
  return (int)(p->token.bytes < 60 ? p->token.bytes : 60);
}

// ---- Registers and special registers ----

static int register_of(struct parser *p, const char *text, size_t bytes,
                       int *lanes) {
  struct symbol *s = find_symbol(p, text, bytes);
  if (!s || (s->kind != SYMBOL_REGISTER && s->kind != SYMBOL_RANGE))
    return -1;
  *lanes = s->lanes;
  if (s->kind == SYMBOL_REGISTER)
    return s->reg;
  int64_t n = number_behind(text, bytes);
  return n < s->count ? s->reg + (int)n * s->lanes : -1;
}

// v.x or v.r of a vector of registers
static int part_of_register(struct parser *p, const char *text, size_t bytes) {
  const char *const parts[] = {"xyzw", "rgba"};
  int lanes;
  if (bytes < 3 || text[bytes - 2] != '.')
    return -1;
  int reg = register_of(p, text, bytes - 2, &lanes);
  for (int i = 0; reg >= 0 && lanes > 1 && i < 2; i++) {
    const char *c = strchr(parts[i], text[bytes - 1]);
    if (c && c - parts[i] < lanes)
      return reg + (int)(c - parts[i]);
  }
  return -1;
}

int find_register(struct parser *p, int *lanes) {
  int reg = register_of(p, p->token.text, p->token.bytes, lanes);
  if (reg >= 0)
    return reg;
  *lanes = 1;
  return part_of_register(p, p->token.text, p->token.bytes);
}

// The same of one register.
static int find_scalar(struct parser *p) {
  int lanes;
  int reg = p->token.kind == TOKEN_WORD ? find_register(p, &lanes) : -1;
  return reg >= 0 && lanes == 1 ? reg : -1;
}

static bool parse_sreg(struct parser *p, struct ptx_operand *o) {
  const char *text = p->token.text;
  const char *dot = memchr(text, '.', p->token.bytes);
  size_t n = dot ? (size_t)(dot - text) : p->token.bytes;
  for (int i = 0; i < PTX_SREG_COUNT; i++) {
    if (strlen(sregs[i].text) != n || memcmp(sregs[i].text, text, n) != 0)
      continue;
    size_t rest = p->token.bytes - n;
    bool has_parts = i <= PTX_SREG_NCTAID;
    const char *part = rest == 2 ? strchr("xyzw", dot[1]) : NULL;
    if (has_parts ? rest && !part : rest != 0)
      return fail(p, ERR_COMPILE,
                  has_parts ? "%.*s: this register has the parts .x, .y and .z"
                            : "%.*s: this register has no parts",
                  text_length(p), text);
    o->kind = part && *part == 'w' ? PTX_IMMEDIATE : PTX_SPECIAL; // .w is 0
    o->reg = o->kind == PTX_SPECIAL ? i : -1;
    o->dim = has_parts ? PTX_WHOLE : 0;
    if (part)
      o->dim = (uint8_t)(dot[1] - 'x');
    next(p);
    return true;
  }
  return fail(p, ERR_UNSUPPORTED,
              "the virtual GPU does not know the register %.*s", text_length(p),
              text);
}

// ---- Immediates ----

// The type that a constant takes as the instruction's n-th operand.
static enum ptx_type constant_type(const struct ptx_insn *insn, int n) {
  if (ptx_op_is_texture(insn->op) && n == PTX_TEX_OFFSET)
    return PTX_S32;
  bool has_source = insn->op == PTX_OP_SET || insn->op == PTX_OP_CVT ||
                    (insn->op == PTX_OP_SLCT && n == 3) ||
                    ptx_op_is_texture(insn->op);
  return has_source && insn->type2 ? insn->type2 : insn->type;
}

static bool parse_number(struct parser *p, const struct ptx_insn *insn,
                         struct ptx_operand *o) {
  struct ptx_constant c;
  o->kind = PTX_IMMEDIATE;
  return parse_constant(p, &c) &&
         constant_bits(p, &c, constant_type(insn, p->operand), &o->bits);
}

// ---- Operands ----

void clear_operand(struct ptx_operand *o) {
  *o = (struct ptx_operand){.reg = -1, .pair = -1, .target = -1};
}

static void make_vector(struct parser *p, struct ptx_operand *o,
                        const int32_t *regs, const uint64_t *bits, int n) {
  o->kind = PTX_VECTOR;
  o->dim = (uint8_t)n;
  o->reg = -1;
  o->regs = region_alloc(p->region, sizeof *regs * MAX_VECTOR);
  o->reg_bits = region_alloc(p->region, sizeof *bits * MAX_VECTOR);
  memcpy(o->regs, regs, sizeof *regs * (size_t)n);
  memcpy(o->reg_bits, bits, sizeof *bits * (size_t)n);
}

// A vector of registers is the same as its parts in braces.
static void take_registers(struct parser *p, int reg, int lanes,
                           struct ptx_operand *o) {
  int32_t regs[MAX_VECTOR];
  uint64_t bits[MAX_VECTOR] = {0};
  for (int n = 0; n < lanes; n++)
    regs[n] = reg + n;
  o->kind = PTX_REGISTER;
  o->reg = reg;
  if (lanes > 1)
    make_vector(p, o, regs, bits, lanes);
}

// register | variable | function | special register | "_"
bool parse_word(struct parser *p, struct ptx_operand *o) {
  if (take_word(p, "_")) {
    o->kind = PTX_SINK;
    return true;
  }
  int lanes, reg = find_register(p, &lanes);
  if (reg >= 0) {
    take_registers(p, reg, lanes, o);
    next(p);
    return true;
  }
  struct symbol *s = find_symbol(p, p->token.text, p->token.bytes);
  if (s && (s->kind == SYMBOL_VAR || s->kind == SYMBOL_FUNC)) {
    o->kind = PTX_SYMBOL;
    o->var = s->var;
    o->func = s->func;
    next(p);
    return true;
  }
  if (p->token.text[0] == '%')
    return parse_sreg(p, o);
  return fail(p, ERR_COMPILE, "\"%.*s\" is not declared", text_length(p),
              p->token.text);
}

// + constant, which may begin with "-"
static bool parse_offset(struct parser *p, struct ptx_operand *o) {
  uint64_t n = 0;
  if (take_mark(p, '+') && !parse_integer(p, &n))
    return false;
  o->offset = (int64_t)((uint64_t)o->offset + n);
  return true;
}

// [register + n] | [variable + n] | [number]
static bool parse_address(struct parser *p, struct ptx_operand *o) {
  next(p);
  if (p->token.kind == TOKEN_INT) {
    o->offset = (int64_t)p->token.bits;
    next(p);
  } else if (p->token.kind != TOKEN_WORD || !parse_word(p, o)) {
    return fail(p, ERR_COMPILE, "expected an address, found \"%.*s\"",
                text_length(p), p->token.text);
  }
  if (o->kind == PTX_SPECIAL || o->kind == PTX_SINK || o->kind == PTX_VECTOR ||
      o->func)
    return fail(p, ERR_COMPILE, "this cannot be an address");
  if (o->kind == PTX_IMMEDIATE)
    o->offset = (int64_t)o->bits;
  o->kind = PTX_ADDRESS;
  return parse_offset(p, o) && expect_mark(p, ']');
}

static bool is_name(const struct parser *p) {
  return p->token.kind == TOKEN_WORD && !is_word(p, "WARP_SZ");
}

// { a, b, c, d }: registers, "_" or numbers
static bool parse_vector(struct parser *p, const struct ptx_insn *insn,
                         struct ptx_operand *o) {
  int32_t regs[MAX_VECTOR];
  uint64_t bits[MAX_VECTOR] = {0};
  int n = 0;
  next(p);
  while (!is_mark(p, '}')) {
    struct ptx_operand item;
    clear_operand(&item);
    if (n == MAX_VECTOR)
      return fail(p, ERR_COMPILE, "a vector of more than %d", MAX_VECTOR);
    bool right =
        is_name(p) ? parse_word(p, &item) : parse_number(p, insn, &item);
    if (!right)
      return false;
    if (item.kind == PTX_SYMBOL || item.kind == PTX_SPECIAL ||
        item.kind == PTX_VECTOR)
      return fail(p, ERR_COMPILE, "only registers and numbers make a vector");
    regs[n] = item.kind == PTX_IMMEDIATE ? -2 : item.reg;
    bits[n++] = item.bits;
    if (!take_mark(p, ','))
      break;
  }
  if (!expect_mark(p, '}'))
    return false;
  make_vector(p, o, regs, bits, n);
  return true;
}

// p|q: the second destination of setp, shfl and match
bool parse_pair(struct parser *p, struct ptx_operand *o) {
  if (!take_mark(p, '|'))
    return true;
  if (take_word(p, "_"))
    return true;
  o->pair = find_scalar(p);
  if (o->pair < 0)
    return fail(p, ERR_COMPILE, "expected a predicate, found \"%.*s\"",
                text_length(p), p->token.text);
  next(p);
  return true;
}

static bool is_name_ahead(const struct parser *p) {
  struct lexer ahead = p->lex;
  struct token t;
  lex_next(&ahead, &t);
  return t.kind == TOKEN_WORD;
}

bool parse_operand(struct parser *p, const struct ptx_insn *insn,
                   struct ptx_operand *o) {
  clear_operand(o);
  if (is_mark(p, '['))
    return parse_address(p, o);
  if (is_mark(p, '{'))
    return parse_vector(p, insn, o);
  if (is_mark(p, '!') && is_name_ahead(p)) {
    next(p);
    o->negate = true;
    return parse_word(p, o);
  }
  if (!is_name(p))
    return parse_number(p, insn, o);
  if (!parse_word(p, o))
    return false;
  if (o->kind == PTX_SYMBOL && is_mark(p, '['))
    return parse_element(p, insn, o);
  if (o->kind == PTX_REGISTER && is_mark(p, '+'))
    return add_to_register(p, insn, o);
  // mov may take the address of an element: symbol + offset.
  if (o->kind == PTX_SYMBOL && !parse_offset(p, o))
    return false;
  return parse_pair(p, o);
}

static bool is_branch(const struct ptx_insn *i) {
  return i->op == PTX_OP_BRA;
}

static bool parse_operands(struct parser *p, struct ptx_insn *insn, int index) {
  struct ptx_operand operands[MAX_OPERANDS];
  int n = 0;
  while (!is_mark(p, ';')) {
    if (n == MAX_OPERANDS)
      return fail(p, ERR_COMPILE, "more than %d operands", MAX_OPERANDS);
    p->operand = n;
    if (is_branch(insn)) {
      clear_operand(&operands[n]);
      operands[n].kind = PTX_LABEL;
      if (!parse_label_use(p, index, n++))
        return false;
    } else if (!parse_operand(p, insn, &operands[n++])) {
      return false;
    }
    if (!take_mark(p, ','))
      break;
  }
  if (!expect_mark(p, ';'))
    return false;
  // A cache policy changes no result.
  if (insn->hint && n > 1 && operands[n - 1].kind == PTX_REGISTER)
    n--;
  if (n < counts[insn->op].fewest || n > counts[insn->op].most)
    return fail(p, ERR_COMPILE, "%s with %d operands", ptx_op_name(insn->op),
                n);
  insn->operand_count = (uint8_t)n;
  insn->operands = region_alloc(p->region, (size_t)n * sizeof *operands + 1);
  memcpy(insn->operands, operands, (size_t)n * sizeof *operands);
  return true;
}

// brx.idx index, list ;
static bool parse_branch_by_index(struct parser *p, struct ptx_insn *insn) {
  insn->operands = region_alloc(p->region, sizeof *insn->operands);
  insn->operand_count = 1;
  if (!parse_operand(p, insn, insn->operands) || !expect_mark(p, ','))
    return false;
  struct symbol *s = p->token.kind == TOKEN_WORD
                         ? find_symbol(p, p->token.text, p->token.bytes)
                         : NULL;
  if (!s || s->kind != SYMBOL_BRANCHES)
    return fail(p, ERR_COMPILE, "expected a list of labels, found \"%.*s\"",
                text_length(p), p->token.text);
  insn->targets = s->branches->targets;
  insn->target_count = s->branches->count;
  next(p);
  return expect_mark(p, ';');
}

// ---- Instructions ----

static bool parse_guard(struct parser *p, struct ptx_insn *insn) {
  if (!take_mark(p, '@'))
    return true;
  insn->guard_negate = take_mark(p, '!');
  insn->guard = find_scalar(p);
  uint8_t *types = p->reg_types.items;
  if (insn->guard < 0 || types[insn->guard] != PTX_PRED)
    return fail(p, ERR_COMPILE, "expected a predicate behind \"@\"");
  next(p);
  return true;
}

static bool is_own_param(const struct parser *p, const struct ptx_insn *i) {
  const struct ptx_var *v = i->op == PTX_OP_LD ? i->operands[1].var : NULL;
  return v && v->space == PTX_PARAM && v->owner == p->func;
}

void keep_insn(struct parser *p, const struct ptx_insn *insn) {
  *(struct ptx_insn *)list_add(&p->insns, sizeof *insn) = *insn;
  *(int *)list_add(&p->insn_places, sizeof(int)) = p->place;
}

static bool parse_what(struct parser *p, struct ptx_insn *insn) {
  p->operand = 0;
  if (insn->op == PTX_OP_BRX)
    return parse_branch_by_index(p, insn);
  return ptx_op_is_texture(insn->op) ? parse_texture_operands(p, insn)
                                     : parse_operands(p, insn, p->insns.count);
}

bool parse_insn(struct parser *p) {
  struct ptx_insn insn = {.guard = -1, .ptx_line = p->token.line};
  if (!parse_guard(p, &insn))
    return false;
  if (p->token.kind != TOKEN_WORD)
    return fail(p, ERR_COMPILE, "expected an instruction, found \"%.*s\"",
                text_length(p), p->token.text);
  insn.ptx_line = p->token.line;
  if (!parse_mnemonic(p, p->token.text, p->token.bytes, &insn))
    return false;
  next(p);
  if (insn.op == PTX_OP_CALL)
    return parse_call(p, &insn);
  if (!parse_what(p, &insn))
    return false;
  if (insn.op == PTX_OP_MOV && insn.vec > 1)
    return make_vector_mov(p, &insn) && p->registers_left >= 0;
  if (!check_insn(p, &insn))
    return false;
  if (insn.op == PTX_OP_RET)
    give_register_results(p, &insn);
  insn.is_entry_param = p->func->is_entry && is_own_param(p, &insn);
  keep_insn(p, &insn);
  return true;
}
