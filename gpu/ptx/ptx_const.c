// SPDX-License-Identifier: Apache-2.0
// Constant expressions (PTX ISA, "Constants"): C's operators on 64-bit integers,
// signed ones and unsigned ones, and on doubles.
#include "gpu/ptx/ptx_const.h"

#include <string.h>

#include "gpu/ptx/ptx_lex.h"
#include "gpu/ptx/ptx_token.h"

static bool parse_ternary(struct parser *p, struct ptx_constant *out,
                          int depth);

static double double_of(const struct ptx_constant *c) {
  double d;
  memcpy(&d, &c->bits, sizeof d);
  return c->is_float      ? d
         : c->is_unsigned ? (double)c->bits
                          : (double)(int64_t)c->bits;
}

static struct ptx_constant from_double(double d) {
  struct ptx_constant c = {.is_float = true};
  memcpy(&c.bits, &d, sizeof d);
  return c;
}

static struct ptx_constant truth(bool b) {
  return (struct ptx_constant){.bits = b};
}

static bool is_zero(const struct ptx_constant *c) {
  return c->is_float ? double_of(c) == 0 : !c->bits;
}

// ---- Operators ----

// By how tightly they bind; "<<" comes before "<", which it begins with.
static const struct operator{
  char text[3];
  uint8_t rank;
}
operators[] = {{"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<<", 8},
               {">>", 8}, {"<=", 7}, {">=", 7}, {"<", 7},  {">", 7},
               {"|", 3},  {"^", 4},  {"&", 5},  {"+", 9},  {"-", 9},
               {"*", 10}, {"/", 10}, {"%", 10}};

// The operator that the text goes on with, or NULL.
static const struct operator* find_operator(const struct parser *p) {
  char second = p->lex.at < p->lex.end ? *p->lex.at : 0;
  bool is_rest = is_word(p, "%"); // it begins names, too
  char first = is_rest ? '%' : p->token.mark;
  if (p->token.kind != TOKEN_MARK && !is_rest)
    return NULL;
  for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
    if (operators[i].text[0] == first &&
        (!operators[i].text[1] || operators[i].text[1] == second))
      return &operators[i];
  return NULL;
}

static bool combine_floats(struct parser *p, const char *op,
                           struct ptx_constant *a,
                           const struct ptx_constant *b) {
  double x = double_of(a), y = double_of(b);
  switch (op[0]) {
  case '+': *a = from_double(x + y); return true;
  case '-': *a = from_double(x - y); return true;
  case '*': *a = from_double(x * y); return true;
  case '/': *a = from_double(x / y); return true;
  case '=': *a = truth(x == y); return true;
  case '!': *a = truth(x != y); return true;
  default: break;
  }
  if (op[0] != '<' && op[0] != '>')
    return fail(p, ERR_COMPILE, "\"%s\" of floating constants", op);
  *a =
      truth(op[0] == '<' ? (op[1] ? x <= y : x < y) : (op[1] ? x >= y : x > y));
  return true;
}

static int compare(const struct ptx_constant *a, const struct ptx_constant *b,
                   bool is_unsigned) {
  int64_t x = (int64_t)a->bits, y = (int64_t)b->bits;
  return is_unsigned ? (a->bits > b->bits) - (a->bits < b->bits)
                     : (x > y) - (x < y);
}

// The type of a shift is its left side's; as far as 64 bits and more, nothing
// is left of the number.
static void shift(struct ptx_constant *a, uint64_t by, bool is_left) {
  bool is_minus = !a->is_unsigned && (int64_t)a->bits < 0;
  uint64_t fill = is_minus && !is_left ? ~(uint64_t)0 : 0;
  if (by >= 64)
    a->bits = fill;
  else if (is_left)
    a->bits <<= by;
  else if (by)
    a->bits = a->bits >> by | fill << (64 - by);
}

static uint64_t magnitude(uint64_t bits, bool is_minus) {
  return is_minus ? 0 - bits : bits;
}

static bool divide(struct parser *p, struct ptx_constant *a, uint64_t y,
                   bool is_unsigned, bool wants_rest) {
  bool a_minus = !is_unsigned && (int64_t)a->bits < 0;
  bool b_minus = !is_unsigned && (int64_t)y < 0;
  uint64_t n = magnitude(a->bits, a_minus), d = magnitude(y, b_minus);
  if (!d)
    return fail(p, ERR_COMPILE, "a constant divided by zero");
  a->bits = wants_rest ? magnitude(n % d, a_minus)
                       : magnitude(n / d, a_minus != b_minus);
  return true;
}

static bool combine_integers(struct parser *p, const char *op,
                             struct ptx_constant *a,
                             const struct ptx_constant *b) {
  bool is_unsigned = a->is_unsigned || b->is_unsigned;
  uint64_t y = b->bits;
  int order = compare(a, b, is_unsigned);
  if (op[0] == op[1] && (op[0] == '<' || op[0] == '>')) {
    shift(a, y, op[0] == '<');
    return true;
  }
  a->is_unsigned = is_unsigned;
  switch (op[0]) {
  case '+': a->bits += y; return true;
  case '-': a->bits -= y; return true;
  case '*': a->bits *= y; return true;
  case '&': a->bits &= y; return true;
  case '|': a->bits |= y; return true;
  case '^': a->bits ^= y; return true;
  case '=': *a = truth(order == 0); return true;
  case '!': *a = truth(order != 0); return true;
  case '<': *a = truth(op[1] ? order <= 0 : order < 0); return true;
  case '>': *a = truth(op[1] ? order >= 0 : order > 0); return true;
  default: return divide(p, a, y, is_unsigned, op[0] == '%');
  }
}

static bool combine(struct parser *p, const char *op, struct ptx_constant *a,
                    const struct ptx_constant *b) {
  if (!strcmp(op, "&&") || !strcmp(op, "||")) {
    bool x = !is_zero(a), y = !is_zero(b);
    *a = truth(op[0] == '&' ? x && y : x || y);
    return true;
  }
  if (a->is_float != b->is_float)
    return fail(p, ERR_COMPILE, "\"%s\" of an integer and a floating constant",
                op);
  return a->is_float ? combine_floats(p, op, a, b)
                     : combine_integers(p, op, a, b);
}

// ---- The grammar ----

static bool parse_literal(struct parser *p, struct ptx_constant *out) {
  *out = (struct ptx_constant){.bits = p->token.bits};
  if (p->token.kind == TOKEN_FLOAT) {
    out->is_float = true;
    out->is_single = p->token.is_single;
  } else if (p->token.kind == TOKEN_INT) {
    out->is_unsigned = p->token.is_unsigned || (int64_t)p->token.bits < 0;
  } else if (is_word(p, "WARP_SZ")) {
    out->bits = 32;
  } else {
    return fail(p, ERR_COMPILE, "expected a number, found \"%.*s\"", shown(p),
                p->token.text);
  }
  next(p);
  return true;
}

// 0f3F800000 is a float's bits, which are kept; computed with, it is a double.
static void widen(struct ptx_constant *c) {
  uint32_t low = (uint32_t)c->bits;
  float f;
  memcpy(&f, &low, sizeof f);
  if (c->is_single)
    *c = from_double((double)f);
}

static void negate(struct ptx_constant *c) {
  if (c->is_float)
    c->bits ^= c->is_single ? (uint64_t)1 << 31 : (uint64_t)1 << 63;
  else
    c->bits = 0 - c->bits;
}

// ( expression ) | ( .s64 | .u64 ) unary
static bool parse_parenthesis(struct parser *p, struct ptx_constant *out,
                              int depth);

static bool parse_unary(struct parser *p, struct ptx_constant *out, int depth) {
  if (depth > MAX_DEPTH)
    return fail(p, ERR_COMPILE, "a constant that is nested too deep");
  if (take_mark(p, '('))
    return parse_parenthesis(p, out, depth + 1);
  char op = p->token.kind == TOKEN_MARK ? p->token.mark : 0;
  if (!op || !strchr("+-~!", op))
    return parse_literal(p, out);
  next(p);
  if (!parse_unary(p, out, depth + 1))
    return false;
  if (op == '~' && out->is_float)
    return fail(p, ERR_COMPILE, "\"~\" of a floating constant");
  if (op == '-')
    negate(out);
  else if (op == '~')
    out->bits = ~out->bits;
  else if (op == '!')
    *out = truth(is_zero(out));
  return true;
}

static bool parse_parenthesis(struct parser *p, struct ptx_constant *out,
                              int depth) {
  bool to_unsigned = is_word(p, ".u64");
  if (!to_unsigned && !is_word(p, ".s64"))
    return parse_ternary(p, out, depth) && expect_mark(p, ')');
  next(p);
  if (!expect_mark(p, ')') || !parse_unary(p, out, depth))
    return false;
  if (out->is_float)
    return fail(p, ERR_COMPILE, "a floating constant as an integer");
  out->is_unsigned = to_unsigned;
  return true;
}

static bool parse_binary(struct parser *p, struct ptx_constant *out, int rank,
                         int depth) {
  if (!parse_unary(p, out, depth + 1))
    return false;
  for (;;) {
    const struct operator* o = find_operator(p);
    struct ptx_constant right;
    if (!o || o->rank < rank)
      return true;
    next(p);
    if (o->text[1])
      next(p);
    if (!parse_binary(p, &right, o->rank + 1, depth + 1))
      return false;
    widen(out);
    widen(&right);
    if (!combine(p, o->text, out, &right))
      return false;
  }
}

static bool parse_ternary(struct parser *p, struct ptx_constant *out,
                          int depth) {
  struct ptx_constant yes, no;
  if (depth > MAX_DEPTH)
    return fail(p, ERR_COMPILE, "a constant that is nested too deep");
  if (!parse_binary(p, out, 1, depth))
    return false;
  if (!take_mark(p, '?'))
    return true;
  if (!parse_ternary(p, &yes, depth + 1) || !expect_mark(p, ':') ||
      !parse_ternary(p, &no, depth + 1))
    return false;
  *out = is_zero(out) ? no : yes;
  return true;
}

bool parse_constant(struct parser *p, struct ptx_constant *out) {
  return parse_ternary(p, out, 0);
}

bool parse_integer(struct parser *p, uint64_t *out) {
  struct ptx_constant c;
  if (!parse_constant(p, &c))
    return false;
  *out = c.bits;
  return !c.is_float || fail(p, ERR_COMPILE, "expected an integer");
}

// ---- Of a type ----

static uint64_t float_bits(double d, bool is_wide) {
  uint64_t bits = 0;
  float f = (float)d;
  memcpy(&bits, is_wide ? (void *)&d : (void *)&f, is_wide ? 8 : 4);
  return bits;
}

// A floating constant takes its operand's type; by its bits it may stand where
// as many untyped ones do. Matrix instructions, whose operands have types of
// their own, have it as an f32.
bool constant_bits(struct parser *p, const struct ptx_constant *c,
                   enum ptx_type type, uint64_t *out) {
  struct ptx_constant wide = *c;
  type = type == PTX_NOTYPE && c->is_float ? PTX_F32 : type;
  bool is_real = type >= PTX_F16 && type <= PTX_TF32;
  *out = c->bits;
  if (type == PTX_B32 ? c->is_single : type == PTX_B64 && !c->is_single)
    return true;
  if (c->is_float != is_real || (is_real && type != PTX_F32 && type != PTX_F64))
    return fail(p, ERR_COMPILE, "%s constant as a .%s",
                c->is_float ? "a floating" : "an integer",
                type ? ptx_type_name(type) : "number");
  if (!c->is_float || (c->is_single && type == PTX_F32))
    return true; // a NaN's bits are kept
  widen(&wide);
  *out = float_bits(double_of(&wide), type == PTX_F64);
  return true;
}
