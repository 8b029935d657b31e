// SPDX-License-Identifier: Apache-2.0
// One instruction: [@[!]p] mnemonic operands ; (PTX ISA, "Instruction
// Operands" and "Control Flow Instructions: call").
#include <string.h>

#include "gpu/ptx/ptx_internal.h"

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

static int text_length(const struct parser *p) {
  return (int)(p->token.bytes < 60 ? p->token.bytes : 60);
}

// ---- Registers and special registers ----

// The register that a word names, or -1 with `p->err` unset when it is none.
static int find_register(struct parser *p) {
  struct symbol *s = find_symbol(p, p->token.text, p->token.bytes);
  if (!s)
    return -1;
  if (s->kind == SYMBOL_REGISTER)
    return s->reg;
  if (s->kind != SYMBOL_RANGE)
    return -1;
  const char *end = p->token.text + p->token.bytes, *digit = end;
  while (digit[-1] >= '0' && digit[-1] <= '9')
    digit--;
  int64_t n = 0;
  while (digit < end && n < MAX_REGISTERS)
    n = n * 10 + (*digit++ - '0');
  return n < s->count ? s->reg + (int)n : -1;
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
    if (has_parts ? rest != 2 || dot[1] < 'x' || dot[1] > 'z' : rest != 0)
      return fail(p, ERR_COMPILE,
                  has_parts ? "%.*s: this register has the parts .x, .y and .z"
                            : "%.*s: this register has no parts",
                  text_length(p), text);
    o->kind = PTX_SPECIAL;
    o->reg = i;
    o->dim = rest ? (uint8_t)(dot[1] - 'x') : 0;
    next(p);
    return true;
  }
  return fail(p, ERR_UNSUPPORTED,
              "the virtual GPU does not know the register %.*s", text_length(p),
              text);
}

// ---- Immediates ----

static uint64_t double_to(double d, bool is_wide) {
  uint64_t bits = 0;
  float f = (float)d;
  memcpy(&bits, is_wide ? (void *)&d : (void *)&f, is_wide ? 8 : 4);
  return bits;
}

// A floating literal takes the instruction's type; 0f... in a .b32 mov stands
// for its bits.
static bool parse_float(struct parser *p, const struct ptx_insn *insn,
                        bool minus, struct ptx_operand *o) {
  enum ptx_type type = insn->type;
  if (insn->op == PTX_OP_SET || insn->op == PTX_OP_CVT ||
      insn->op == PTX_OP_SLCT)
    type = insn->type2 ? insn->type2 : insn->type;
  uint64_t bits = p->token.bits;
  bool is_wide = ptx_type_bytes(type) == 8; // .b64 takes a double's bits
  bool as_is = p->token.is_single != is_wide;
  if (!as_is || minus) {
    double d;
    if (p->token.is_single) {
      uint32_t low = (uint32_t)bits;
      float f;
      memcpy(&f, &low, sizeof f);
      d = (double)f;
    } else {
      memcpy(&d, &bits, sizeof d);
    }
    if (p->token.is_single && !is_wide)
      bits ^= 0x80000000u; // negated as it stands, NaN or not
    else
      bits = double_to(minus ? -d : d, is_wide);
  }
  o->kind = PTX_IMMEDIATE;
  o->bits = bits;
  next(p);
  return true;
}

static bool parse_number(struct parser *p, const struct ptx_insn *insn,
                         struct ptx_operand *o) {
  bool minus = take_mark(p, '-');
  if (p->token.kind == TOKEN_FLOAT)
    return parse_float(p, insn, minus, o);
  bool inverted = !minus && take_mark(p, '~');
  if (p->token.kind != TOKEN_INT)
    return fail(p, ERR_COMPILE, "expected a number, found \"%.*s\"",
                text_length(p), p->token.text);
  o->kind = PTX_IMMEDIATE;
  o->bits = minus      ? 0 - p->token.bits
            : inverted ? ~p->token.bits
                       : p->token.bits;
  next(p);
  return true;
}

// ---- Operands ----

void clear_operand(struct ptx_operand *o) {
  *o = (struct ptx_operand){.reg = -1, .pair = -1, .target = -1};
}

// register | variable | function | special register | "_" | WARP_SZ
static bool parse_word(struct parser *p, struct ptx_operand *o) {
  if (take_word(p, "_")) {
    o->kind = PTX_SINK;
    return true;
  }
  if (take_word(p, "WARP_SZ")) {
    o->kind = PTX_IMMEDIATE;
    o->bits = 32;
    return true;
  }
  int reg = find_register(p);
  if (reg >= 0) {
    o->kind = PTX_REGISTER;
    o->reg = reg;
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

static bool parse_offset(struct parser *p, struct ptx_operand *o) {
  while (is_mark(p, '+') || is_mark(p, '-')) {
    take_mark(p, '+');
    bool minus = take_mark(p, '-');
    if (p->token.kind != TOKEN_INT)
      return fail(p, ERR_COMPILE, "expected an offset, found \"%.*s\"",
                  text_length(p), p->token.text);
    uint64_t n = p->token.bits;
    o->offset = (int64_t)((uint64_t)o->offset + (minus ? 0 - n : n));
    next(p);
  }
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
  if (o->kind == PTX_SPECIAL || o->kind == PTX_SINK || o->func)
    return fail(p, ERR_COMPILE, "this cannot be an address");
  if (o->kind == PTX_IMMEDIATE)
    o->offset = (int64_t)o->bits;
  o->kind = PTX_ADDRESS;
  return parse_offset(p, o) && expect_mark(p, ']');
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
    bool right = p->token.kind == TOKEN_WORD ? parse_word(p, &item)
                                             : parse_number(p, insn, &item);
    if (!right)
      return false;
    if (item.kind == PTX_SYMBOL || item.kind == PTX_SPECIAL)
      return fail(p, ERR_COMPILE, "only registers and numbers make a vector");
    regs[n] = item.kind == PTX_IMMEDIATE ? -2 : item.reg;
    bits[n++] = item.bits;
    if (!take_mark(p, ','))
      break;
  }
  if (!expect_mark(p, '}'))
    return false;
  o->kind = PTX_VECTOR;
  o->dim = (uint8_t)n;
  o->regs = region_alloc(p->region, sizeof regs);
  o->reg_bits = region_alloc(p->region, sizeof bits);
  memcpy(o->regs, regs, sizeof regs);
  memcpy(o->reg_bits, bits, sizeof bits);
  return true;
}

// p|q: the second destination of setp, shfl and match
bool parse_pair(struct parser *p, struct ptx_operand *o) {
  if (!take_mark(p, '|'))
    return true;
  if (take_word(p, "_"))
    return true;
  o->pair = p->token.kind == TOKEN_WORD ? find_register(p) : -1;
  if (o->pair < 0)
    return fail(p, ERR_COMPILE, "expected a predicate, found \"%.*s\"",
                text_length(p), p->token.text);
  next(p);
  return true;
}

bool parse_operand(struct parser *p, const struct ptx_insn *insn,
                   struct ptx_operand *o) {
  clear_operand(o);
  if (is_mark(p, '['))
    return parse_address(p, o);
  if (is_mark(p, '{'))
    return parse_vector(p, insn, o);
  if (is_mark(p, '!')) {
    next(p);
    o->negate = true;
    return p->token.kind == TOKEN_WORD
               ? parse_word(p, o)
               : fail(p, ERR_COMPILE, "expected a predicate behind \"!\"");
  }
  if (p->token.kind != TOKEN_WORD)
    return parse_number(p, insn, o);
  if (!parse_word(p, o))
    return false;
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

// ---- Calls ----

static struct ptx_var *parse_param_name(struct parser *p) {
  struct symbol *s = p->token.kind == TOKEN_WORD
                         ? find_symbol(p, p->token.text, p->token.bytes)
                         : NULL;
  if (!s || s->kind != SYMBOL_VAR || s->var->space != PTX_PARAM) {
    fail(p, ERR_UNSUPPORTED,
         "a call with \"%.*s\", which is no .param variable", text_length(p),
         p->token.text);
    return NULL;
  }
  next(p);
  return s->var;
}

static bool parse_call_args(struct parser *p, struct ptx_insn *insn) {
  struct ptx_var *args[MAX_CALL_ARGS];
  int n = 0;
  if (!expect_mark(p, '('))
    return false;
  while (!is_mark(p, ')')) {
    if (n == MAX_CALL_ARGS)
      return fail(p, ERR_UNSUPPORTED, "a call with more than %d arguments",
                  MAX_CALL_ARGS);
    args[n] = parse_param_name(p);
    if (!args[n++])
      return false;
    if (!take_mark(p, ','))
      break;
  }
  insn->call_arg_count = (uint8_t)n;
  insn->call_args = region_alloc(p->region, (size_t)n * sizeof *args + 1);
  memcpy(insn->call_args, args, (size_t)n * sizeof *args);
  return expect_mark(p, ')');
}

// The callee: a function, or a register that holds its address.
static bool parse_callee(struct parser *p, struct ptx_insn *insn) {
  struct ptx_operand *o = region_alloc(p->region, sizeof *o);
  clear_operand(o);
  if (p->token.kind != TOKEN_WORD || !parse_word(p, o))
    return fail(p, ERR_COMPILE, "expected a function to call");
  if (o->kind == PTX_SYMBOL && o->func) {
    insn->callee = o->func;
  } else if (o->kind == PTX_REGISTER) {
    insn->operands = o;
    insn->operand_count = 1;
  } else {
    return fail(p, ERR_COMPILE, "this cannot be called");
  }
  return true;
}

// call [(result),] callee [, (arguments)] [, prototype or list] ;
static bool parse_call(struct parser *p, struct ptx_insn *insn) {
  if (take_mark(p, '(')) {
    insn->call_result = parse_param_name(p);
    if (!insn->call_result || !expect_mark(p, ')') || !expect_mark(p, ','))
      return false;
  }
  if (!parse_callee(p, insn))
    return false;
  if (take_mark(p, ',')) {
    if (is_mark(p, '(') && !parse_call_args(p, insn))
      return false;
    take_mark(p, ',');
    if (p->token.kind == TOKEN_WORD)
      next(p); // the prototype of an indirect call
  }
  return expect_mark(p, ';');
}

// ---- Instructions ----

static bool parse_guard(struct parser *p, struct ptx_insn *insn) {
  if (!take_mark(p, '@'))
    return true;
  insn->guard_negate = take_mark(p, '!');
  insn->guard = p->token.kind == TOKEN_WORD ? find_register(p) : -1;
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
  bool right = insn.op == PTX_OP_CALL  ? parse_call(p, &insn)
               : insn.op == PTX_OP_BRX ? parse_branch_by_index(p, &insn)
               : ptx_op_is_texture(insn.op)
                   ? parse_texture_operands(p, &insn)
                   : parse_operands(p, &insn, p->insns.count);
  if (!right || !check_insn(p, &insn))
    return false;
  insn.is_entry_param = p->func->is_entry && is_own_param(p, &insn);
  *(struct ptx_insn *)list_add(&p->insns, sizeof insn) = insn;
  *(int *)list_add(&p->insn_places, sizeof(int)) = p->place;
  return true;
}
