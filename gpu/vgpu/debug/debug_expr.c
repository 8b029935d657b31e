// SPDX-License-Identifier: Apache-2.0
// Expressions over source variables: C's operators with C's conversions
// ("usual arithmetic conversions", C11 6.3.1.8). A recursive descent parser
// that evaluates as it reads; what && || and ?: leave out is read but not
// evaluated, so that `p && p->x` is safe.
#include "gpu/vgpu/debug/debug_expr.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/vgpu/debug/debug_line.h"
#include "gpu/vgpu/debug/debug_print.h"
#include "gpu/vgpu/debug/debug_value.h"

enum { MAX_DEPTH = 64, MAX_WORD = 128 };

struct parse {
  const struct vg_view *v;
  const char *at;
  struct err_info *e;
  enum err err;
  int depth;
  int skipping; // inside what is not evaluated
};

// A number after promotion.
struct number {
  enum { I32, U32, I64, U64, F32, F64 } kind;
  int64_t i; // of I32 to U64, as bits
  double f;  // of F32 and F64
};

#define FAIL(p, code, ...)                                                     \
  ((p)->err = (p)->err ? (p)->err : err_set((p)->e, code, __VA_ARGS__), false)

// ---- Numbers and values ----

static void set_bytes(struct vg_value *out, const struct ptx_dtype *t,
                      const void *from, size_t bytes) {
  *out = (struct vg_value){.type = t};
  memcpy(out->bytes, from, bytes);
}

static struct vg_value value_of(struct number n) {
  struct vg_value out;
  float single = (float)n.f;
  switch (n.kind) {
  case I32: set_bytes(&out, &vg_type_int, &n.i, 4); break;
  case U32: set_bytes(&out, &vg_type_uint, &n.i, 4); break;
  case I64: set_bytes(&out, &vg_type_long, &n.i, 8); break;
  case U64: set_bytes(&out, &vg_type_ulong, &n.i, 8); break;
  case F32: set_bytes(&out, &vg_type_float, &single, 4); break;
  default: set_bytes(&out, &vg_type_double, &n.f, 8); break;
  }
  return out;
}

static struct number integer(bool is_unsigned, unsigned bytes, uint64_t bits) {
  struct number n = {.i = (int64_t)bits};
  if (bytes <= 4) {
    n.kind = is_unsigned ? U32 : I32;
    n.i = is_unsigned ? (int64_t)(uint32_t)bits : (int64_t)(int32_t)bits;
  } else {
    n.kind = is_unsigned ? U64 : I64;
  }
  return n;
}

static struct number truth(bool b) {
  return (struct number){.kind = I32, .i = b};
}

static struct number floating(double f, bool is_single) {
  return (struct number){.kind = is_single ? F32 : F64, .f = f};
}

static bool load(struct parse *p, const struct vg_value *x, uint64_t *bits,
                 uint64_t *bytes) {
  const uint8_t *at = vg_value_bytes(p->v, x);
  *bytes = ptx_dtype_bytes(x->type);
  *bits = 0;
  if (!at)
    return FAIL(p, ERR_OUT_OF_BOUNDS, "there is no memory at 0x%" PRIx64,
                x->address);
  memcpy(bits, at, *bytes < 8 ? *bytes : 8);
  if (x->bit_count && x->bit_count < 64)
    *bits = *bits >> x->bit_at % 64 & ((UINT64_C(1) << x->bit_count) - 1);
  return true;
}

// Follows a reference.
static bool follow(struct parse *p, struct vg_value *x) {
  const struct ptx_dtype *t = ptx_dtype_plain(x->type);
  uint64_t bits, bytes;
  if (!t || t->kind != PTX_D_REFERENCE)
    return true;
  if (!load(p, x, &bits, &bytes))
    return false;
  *x = (struct vg_value){.type = t->inner, .is_memory = true, .address = bits};
  return true;
}

static bool number_of(struct parse *p, const struct vg_value *x,
                      struct number *out) {
  const struct ptx_dtype *t = ptx_dtype_plain(x->type);
  uint64_t bits, bytes;
  float single;
  *out = truth(false);
  if (p->skipping)
    return true;
  if (t && t->kind == PTX_D_ARRAY && x->is_memory) {
    *out = (struct number){.kind = U64, .i = (int64_t)x->address};
    return true;
  }
  if (!t || t->kind == PTX_D_STRUCT || t->kind == PTX_D_UNION ||
      t->kind == PTX_D_VOID || t->kind == PTX_D_ARRAY)
    return FAIL(p, ERR_ARGUMENT, "a structure or an array is no number");
  if (!load(p, x, &bits, &bytes))
    return false;
  unsigned shift = bytes && bytes < 8 ? 64 - 8 * (unsigned)bytes : 0;
  if (x->bit_count && x->bit_count < 64)
    shift = 64 - x->bit_count;
  int64_t wide = (int64_t)(bits << shift) >> shift;
  switch (t->kind) {
  case PTX_D_FLOAT:
    memcpy(&single, &bits, sizeof single);
    *out = floating(single, bytes == 4);
    if (bytes == 8)
      memcpy(&out->f, &bits, sizeof bits);
    break;
  case PTX_D_BOOL: *out = truth(bits & 0xFF); break;
  case PTX_D_INT:
  case PTX_D_CHAR:
  case PTX_D_ENUM:
    *out = integer(false, (unsigned)bytes, (uint64_t)wide);
    break;
  case PTX_D_UCHAR: *out = truth(false), out->i = (int64_t)(bits & 0xFF); break;
  case PTX_D_UINT:
    *out = bytes < 4 ? integer(false, 4, bits)
                     : integer(true, (unsigned)bytes, bits);
    break;
  default: *out = (struct number){.kind = U64, .i = (int64_t)bits}; break;
  }
  return true;
}

static bool is_floating(struct number n) {
  return n.kind == F32 || n.kind == F64;
}

static double as_double(struct number n) {
  return is_floating(n)  ? n.f
         : n.kind == U64 ? (double)(uint64_t)n.i
                         : (double)n.i;
}

static bool is_nonzero(struct number n) {
  return is_floating(n) ? n.f != 0 : n.i != 0;
}

// Is it a number that is not 0?
static bool is_true(const struct vg_view *v, const struct vg_value *x) {
  struct err_info e;
  struct parse p = {.v = v, .e = &e};
  struct number n;
  return number_of(&p, x, &n) && is_nonzero(n);
}

// ---- Words ----

static void skip_space(struct parse *p) {
  while (isspace((unsigned char)*p->at))
    p->at++;
}

// The operator, if it stands here and is not the beginning of a longer one.
static bool take(struct parse *p, const char *op) {
  skip_space(p);
  size_t n = strlen(op);
  if (strncmp(p->at, op, n) != 0)
    return false;
  char after = p->at[n];
  if (n == 1 && strchr("<>&|=!", *op) && (after == *op || after == '='))
    return false;
  if (n == 1 && *op == '-' && after == '>')
    return false;
  p->at += n;
  return true;
}

static bool take_name(struct parse *p, char out[MAX_WORD]) {
  skip_space(p);
  size_t n = 0;
  while (
      isalnum((unsigned char)p->at[n]) || p->at[n] == '_' ||
      (p->at[n] == ':' && (p->at[n + 1] == ':' || (n && p->at[n - 1] == ':'))))
    n++;
  if (!n || isdigit((unsigned char)*p->at) || n >= MAX_WORD)
    return false;
  memcpy(out, p->at, n);
  out[n] = 0;
  p->at += n;
  return true;
}

static bool parse_number(struct parse *p, struct vg_value *out) {
  char *end, *end_float;
  uint64_t bits = strtoull(p->at, &end, 0);
  double f = strtod(p->at, &end_float);
  bool is_hex = p->at[0] == '0' && (p->at[1] | 32) == 'x';
  if (end_float > end && !is_hex) {
    p->at = end_float;
    bool is_single = (*p->at | 32) == 'f';
    p->at += is_single;
    *out = value_of(floating(f, is_single));
    return true;
  }
  bool is_unsigned = false, is_long = bits > INT32_MAX;
  for (p->at = end; *p->at && strchr("uUlL", *p->at); p->at++)
    if ((*p->at | 32) == 'u')
      is_unsigned = true;
    else
      is_long = true;
  *out =
      value_of(integer(is_unsigned || bits > INT64_MAX, is_long ? 8 : 4, bits));
  return true;
}

static bool parse_char(struct parse *p, struct vg_value *out) {
  static const char escapes[] = "n\nt\t0\0r\r";
  char c = *++p->at;
  if (c == '\\') {
    c = *++p->at;
    for (size_t i = 0; i + 1 < sizeof escapes; i += 2)
      if (escapes[i] == c) {
        c = escapes[i + 1];
        break;
      }
  }
  if (!*p->at || p->at[1] != '\'')
    return FAIL(p, ERR_ARGUMENT, "a character without its end");
  p->at += 2;
  *out = value_of(integer(false, 4, (uint64_t)(int64_t)c));
  return true;
}

// ---- Primaries ----

static bool parse_expr(struct parse *p, struct vg_value *out);

static bool parse_name(struct parse *p, struct vg_value *out) {
  char name[MAX_WORD];
  if (!take_name(p, name))
    return FAIL(p, ERR_ARGUMENT,
                *p->at ? "\"%.20s\" is no expression"
                       : "the expression ends too early%s",
                p->at);
  if (!strcmp(name, "true") || !strcmp(name, "false")) {
    *out = value_of(truth(*name == 't'));
    return true;
  }
  struct err_info e;
  if (p->skipping && vg_knows_variable(p->v, name)) {
    *out = value_of(truth(false));
    return true;
  }
  enum err err = vg_find_variable(p->v, name, out, &e);
  if (err)
    return FAIL(p, err, "%s", e.text);
  return follow(p, out);
}

static bool parse_primary(struct parse *p, struct vg_value *out) {
  skip_space(p);
  if (take(p, "("))
    return parse_expr(p, out) &&
           (take(p, ")") || FAIL(p, ERR_ARGUMENT, "a \")\" is missing"));
  if (*p->at == '\'')
    return parse_char(p, out);
  if (isdigit((unsigned char)*p->at) ||
      (*p->at == '.' && isdigit((unsigned char)p->at[1])))
    return parse_number(p, out);
  return parse_name(p, out);
}

// What a pointer or an array holds at an index.
static bool element(struct parse *p, struct vg_value *x, int64_t index) {
  const struct ptx_dtype *t = ptx_dtype_plain(x->type);
  uint64_t base = x->address, bytes;
  if (p->skipping)
    return true;
  if (!t || (t->kind != PTX_D_ARRAY && t->kind != PTX_D_POINTER))
    return FAIL(p, ERR_ARGUMENT, "only arrays and pointers have elements");
  if (t->kind == PTX_D_ARRAY && t->count &&
      (index < 0 || (uint64_t)index >= t->count))
    return FAIL(p, ERR_OUT_OF_BOUNDS,
                "index %" PRId64 " of an array of %" PRIu64, index, t->count);
  if (t->kind == PTX_D_POINTER && !load(p, x, &base, &bytes))
    return false;
  uint64_t each = ptx_dtype_bytes(t->inner);
  if (!each)
    return FAIL(p, ERR_ARGUMENT, "the elements have no size");
  *x = (struct vg_value){.type = t->inner,
                         .is_memory = true,
                         .address = base + (uint64_t)index * each};
  return follow(p, x);
}

static const struct ptx_dfield *find_field(const struct ptx_dtype *t,
                                           const char *name, uint64_t *base,
                                           int depth) {
  for (int i = 0; depth < 8 && i < t->field_count; i++) {
    const struct ptx_dfield *f = &t->fields[i];
    const struct ptx_dtype *inner = ptx_dtype_plain(f->type);
    if (!strcmp(f->name, name))
      return f;
    if (*f->name || !inner ||
        (inner->kind != PTX_D_STRUCT && inner->kind != PTX_D_UNION))
      continue;
    uint64_t at = *base + f->offset;
    const struct ptx_dfield *found = find_field(inner, name, &at, depth + 1);
    if (found) {
      *base = at;
      return found;
    }
  }
  return NULL;
}

static bool member(struct parse *p, struct vg_value *x) {
  char name[MAX_WORD];
  if (!take_name(p, name))
    return FAIL(p, ERR_ARGUMENT, "a member's name is missing");
  const struct ptx_dtype *t = ptx_dtype_plain(x->type);
  if (p->skipping)
    return true;
  uint64_t base = 0;
  const struct ptx_dfield *f =
      t && (t->kind == PTX_D_STRUCT || t->kind == PTX_D_UNION)
          ? find_field(t, name, &base, 0)
          : NULL;
  if (!f)
    return FAIL(p, ERR_NOT_FOUND, "there is no member %s", name);
  base += f->offset;
  uint64_t bytes = ptx_dtype_bytes(f->type);
  x->type = f->type;
  x->bit_count = f->bit_count;
  x->bit_at = (uint8_t)f->bit_at;
  if (x->is_memory) {
    x->address += base;
  } else {
    if (base + bytes > sizeof x->bytes)
      return FAIL(p, ERR_NOT_FOUND, "%s has no place here", name);
    memmove(x->bytes, x->bytes + base, bytes);
  }
  return follow(p, x);
}

// primary { [expr] | .name | ->name }
static bool parse_postfix(struct parse *p, struct vg_value *out) {
  if (!parse_primary(p, out))
    return false;
  for (;;) {
    if (take(p, "[")) {
      struct vg_value index;
      struct number n;
      if (!parse_expr(p, &index) || !number_of(p, &index, &n))
        return false;
      if (!take(p, "]"))
        return FAIL(p, ERR_ARGUMENT, "a \"]\" is missing");
      if (is_floating(n))
        return FAIL(p, ERR_ARGUMENT, "an index must be a whole number");
      if (!element(p, out, n.i))
        return false;
    } else if (take(p, "->")) {
      if (!element(p, out, 0) || !member(p, out))
        return false;
    } else if (*p->at == '.' && !isdigit((unsigned char)p->at[1])) {
      p->at++;
      if (!member(p, out))
        return false;
    } else {
      return true;
    }
  }
}

// The pointer type of an address that & took, kept with the launch.
static bool address_of(struct parse *p, struct vg_value *x) {
  if (p->skipping)
    return true;
  if (!x->is_memory)
    return FAIL(p, ERR_ARGUMENT, "it is in a register: it has no address");
  uint64_t address = x->address;
  *x = (struct vg_value){.type = vg_pointer_type(p->v->d, x->type)};
  memcpy(x->bytes, &address, sizeof address);
  return true;
}

// (type) or (type *) before a value; NULL where none stands here.
static const struct ptx_dtype *take_cast(struct parse *p) {
  const char *before = p->at;
  char word[MAX_WORD], name[MAX_WORD] = "";
  if (!take(p, "("))
    return NULL;
  size_t used = 0;
  while (take_name(p, word) && used < sizeof name)
    used += (size_t)snprintf(name + used, sizeof name - used, "%s%s",
                             used ? " " : "", word);
  const struct ptx_dtype *t = used ? vg_named_type(p->v->d, name) : NULL;
  while (t && take(p, "*"))
    t = vg_pointer_type(p->v->d, t);
  if (t && take(p, ")"))
    return t;
  p->at = before;
  return NULL;
}

static bool convert(struct parse *p, const struct ptx_dtype *to,
                    struct vg_value *x) {
  const struct ptx_dtype *t = ptx_dtype_plain(to);
  uint64_t bytes = ptx_dtype_bytes(t);
  struct number n;
  if (!t || bytes > 8 || t->kind == PTX_D_STRUCT || t->kind == PTX_D_UNION ||
      t->kind == PTX_D_VOID)
    return FAIL(p, ERR_ARGUMENT, "no value can be made a %s",
                to->name ? to->name : "?");
  if (!number_of(p, x, &n))
    return false;
  double f = as_double(n);
  float single = (float)f;
  // Out of range, C leaves the result open.
  bool fits = f > -9.2e18 && f < 9.2e18;
  int64_t i = !is_floating(n) ? n.i : fits ? (int64_t)f : 0;
  if (t->kind == PTX_D_BOOL)
    i = is_nonzero(n);
  *x = (struct vg_value){.type = to};
  if (t->kind == PTX_D_FLOAT && bytes == 4)
    memcpy(x->bytes, &single, sizeof single);
  else if (t->kind == PTX_D_FLOAT)
    memcpy(x->bytes, &f, sizeof f);
  else
    memcpy(x->bytes, &i, bytes);
  return true;
}

// (type) unary | [- + ! ~ * &] unary
static bool parse_unary(struct parse *p, struct vg_value *out) {
  static const char ops[] = "-+!~*&";
  skip_space(p);
  const struct ptx_dtype *cast = take_cast(p);
  const char *op = *p->at && !cast ? strchr(ops, *p->at) : NULL;
  if (!op && !cast)
    return parse_postfix(p, out);
  p->at += op != NULL;
  if (++p->depth > MAX_DEPTH)
    return FAIL(p, ERR_ARGUMENT, "the expression is nested too deep");
  struct number n;
  bool right = parse_unary(p, out);
  p->depth--;
  if (!right)
    return false;
  if (cast)
    return convert(p, cast, out);
  if (*op == '*')
    return element(p, out, 0);
  if (*op == '&')
    return address_of(p, out);
  if (!number_of(p, out, &n))
    return false;
  if (*op == '!')
    n = truth(!is_nonzero(n));
  else if (*op == '~')
    n.i = ~n.i;
  else if (*op == '-' && is_floating(n))
    n.f = -n.f;
  else if (*op == '-')
    n.i = (int64_t)(0 - (uint64_t)n.i);
  if (!is_floating(n))
    n = integer(n.kind == U32 || n.kind == U64,
                n.kind == I32 || n.kind == U32 ? 4 : 8, (uint64_t)n.i);
  *out = value_of(n);
  return true;
}

// ---- Binary operators ----

// From the ones that bind tightest; of one row, longer ones first.
static const char *const levels[][5] = {
    {"*", "/", "%"}, {"+", "-"}, {"<<", ">>"}, {"<=", ">=", "<", ">"},
    {"==", "!="},    {"&"},      {"^"},        {"|"},
    {"&&"},          {"||"},
};
enum { LEVELS = sizeof levels / sizeof *levels };

static bool compare(const char *op, double a, double b) {
  switch (*op) {
  case '<': return op[1] ? a <= b : a < b;
  case '>': return op[1] ? a >= b : a > b;
  case '=': return a == b;
  default: return a != b;
  }
}

static bool is_comparison(const char *op) {
  return (strchr("<>", *op) && op[1] != *op) || *op == '=' || *op == '!';
}

static bool apply_float(struct parse *p, const char *op, struct number a,
                        struct number b, struct number *out) {
  double x = as_double(a), y = as_double(b);
  bool is_single = a.kind != F64 && b.kind != F64;
  if (is_comparison(op)) {
    *out = truth(compare(op, x, y));
    return true;
  }
  switch (*op) {
  case '*': *out = floating(x * y, is_single); return true;
  case '/': *out = floating(x / y, is_single); return true;
  case '+': *out = floating(x + y, is_single); return true;
  case '-': *out = floating(x - y, is_single); return true;
  default: return FAIL(p, ERR_ARGUMENT, "%s needs whole numbers", op);
  }
}

static bool compare_integers(const char *op, bool is_unsigned, int64_t a,
                             int64_t b) {
  uint64_t flip = is_unsigned ? UINT64_C(1) << 63 : 0;
  int64_t x = (int64_t)((uint64_t)a ^ flip), y = (int64_t)((uint64_t)b ^ flip);
  switch (*op) {
  case '<': return op[1] ? x <= y : x < y;
  case '>': return op[1] ? x >= y : x > y;
  case '=': return x == y;
  default: return x != y;
  }
}

static bool divide(struct parse *p, char op, bool is_unsigned, int64_t a,
                   int64_t b, uint64_t *out) {
  if (!b)
    return p->skipping || FAIL(p, ERR_ARGUMENT, "a division by zero");
  if (is_unsigned)
    *out = op == '/' ? (uint64_t)a / (uint64_t)b : (uint64_t)a % (uint64_t)b;
  else if (b == -1) // INT64_MIN / -1 has no result
    *out = op == '/' ? 0 - (uint64_t)a : 0;
  else
    *out = (uint64_t)(op == '/' ? a / b : a % b);
  return true;
}

static bool apply(struct parse *p, const char *op, struct number a,
                  struct number b, struct number *out) {
  if (is_floating(a) || is_floating(b))
    return apply_float(p, op, a, b, out);
  bool is_shift = (*op == '<' || *op == '>') && op[1] == *op;
  unsigned kind = is_shift || a.kind > b.kind ? a.kind : b.kind;
  bool is_unsigned = kind == U32 || kind == U64;
  unsigned bytes = kind >= I64 ? 8 : 4;
  uint64_t x = (uint64_t)integer(is_unsigned, bytes, (uint64_t)a.i).i;
  uint64_t y = (uint64_t)integer(is_unsigned, bytes, (uint64_t)b.i).i, r = 0;
  if (is_comparison(op)) {
    *out = truth(compare_integers(op, is_unsigned, (int64_t)x, (int64_t)y));
    return true;
  }
  unsigned by = (unsigned)b.i & (bytes * 8 - 1);
  switch (*op) {
  case '*': r = x * y; break;
  case '+': r = x + y; break;
  case '-': r = x - y; break;
  case '&': r = x & y; break;
  case '^': r = x ^ y; break;
  case '|': r = x | y; break;
  case '<': r = x << by; break;
  case '>': r = is_unsigned ? x >> by : (uint64_t)((int64_t)x >> by); break;
  default:
    if (!divide(p, *op, is_unsigned, (int64_t)x, (int64_t)y, &r))
      return false;
  }
  *out = integer(is_unsigned, bytes, r);
  return true;
}

// pointer + n, pointer - n
static bool move_pointer(struct parse *p, const char *op, struct vg_value *x,
                         struct number n) {
  const struct ptx_dtype *t = ptx_dtype_plain(x->type);
  bool is_pointer = t && (t->kind == PTX_D_POINTER || t->kind == PTX_D_ARRAY) &&
                    (*op == '+' || *op == '-') && !op[1] && !is_floating(n);
  struct number base;
  if (!is_pointer || p->skipping || !number_of(p, x, &base))
    return false;
  uint64_t by = (uint64_t)n.i * ptx_dtype_bytes(t->inner);
  uint64_t address = (uint64_t)base.i + (*op == '+' ? by : 0 - by);
  *x = (struct vg_value){.type = vg_pointer_type(p->v->d, t->inner)};
  memcpy(x->bytes, &address, sizeof address);
  return true;
}

static const char *take_operator(struct parse *p, int level) {
  for (int i = 0; i < 5 && levels[level][i]; i++)
    if (take(p, levels[level][i]))
      return levels[level][i];
  return NULL;
}

static bool parse_level(struct parse *p, int level, struct vg_value *out) {
  if (level < 0)
    return parse_unary(p, out);
  if (!parse_level(p, level - 1, out))
    return false;
  const char *op;
  while ((op = take_operator(p, level))) {
    struct vg_value right;
    struct number a, b;
    bool is_logic = level >= LEVELS - 2;
    if (is_logic && !number_of(p, out, &a))
      return false;
    bool is_decided = is_logic && is_nonzero(a) == (*op == '|');
    p->skipping += is_decided;
    bool fine = parse_level(p, level - 1, &right) && number_of(p, &right, &b);
    p->skipping -= is_decided;
    if (!fine)
      return false;
    if (!is_logic && move_pointer(p, op, out, b))
      continue;
    if (!is_logic && (!number_of(p, out, &a) || !apply(p, op, a, b, &a)))
      return false;
    if (is_logic)
      a = truth(is_decided ? *op == '|' : is_nonzero(b));
    *out = value_of(a);
  }
  return true;
}

// level [ ? expr : expr ]
static bool parse_expr(struct parse *p, struct vg_value *out) {
  struct vg_value other;
  struct number n;
  if (++p->depth > MAX_DEPTH)
    return FAIL(p, ERR_ARGUMENT, "the expression is nested too deep");
  bool right = parse_level(p, LEVELS - 1, out);
  if (right && take(p, "?")) {
    right = number_of(p, out, &n);
    bool is_first = is_nonzero(n);
    p->skipping += !is_first;
    right = right && parse_expr(p, out);
    p->skipping += is_first ? 1 : -1;
    right = right &&
            (take(p, ":") || FAIL(p, ERR_ARGUMENT, "a \":\" is missing")) &&
            parse_expr(p, &other);
    p->skipping -= is_first;
    if (!is_first)
      *out = other;
  }
  p->depth--;
  return right;
}

static enum err parse_all(struct parse *p, struct vg_value *out) {
  if (!parse_expr(p, out))
    return p->err;
  skip_space(p);
  if (*p->at == '=')
    return err_set(p->e, ERR_ARGUMENT,
                   "values cannot be changed here; \"==\" compares");
  if (*p->at)
    return err_set(p->e, ERR_ARGUMENT, "\"%.20s\" is left over", p->at);
  return ERR_OK;
}

enum err vg_eval(const struct vg_view *v, const char *text,
                 struct vg_value *out, struct err_info *e) {
  struct parse p = {.v = v, .at = text, .e = e};
  return parse_all(&p, out);
}

enum err vg_check_expression(struct vg_debug *d, const struct vg_insn *at,
                             const char *text, struct err_info *e) {
  const struct vg_code *c = vg_debug_code(d, at);
  struct vg_view v = {.d = d,
                      .focus = d->focus,
                      .code = c,
                      .func = ptx_debug_func(d->module->ptx->debug, c->func)};
  struct parse p = {.v = &v, .at = text, .e = e, .skipping = 1};
  struct vg_value x;
  // Instructions of our own stand between those of the PTX.
  v.at = at->ptx ? (int)(at->ptx - c->func->code) : c->func->code_count;
  return parse_all(&p, &x);
}

// ---- Conditions ----

// Where a variable has no value yet, the condition is not true; one that makes
// no sense stops the launch and says why.
bool vg_break_holds(struct vg_debug *d, const struct vg_break *b,
                    const struct vg_warp *w, int lane) {
  struct vg_focus f = {w->block->number, w->number, lane};
  struct vg_view v;
  struct vg_value x;
  struct err_info e;
  if (!b->condition)
    return true;
  enum err err = vg_view_open(d, &f, 0, &v, &e);
  if (!err)
    err = vg_eval(&v, b->condition, &x, &e);
  if (err && err != ERR_UNINITIALISED && !d->text.len)
    str_addf(&d->text, "the condition of breakpoint %d: %s\n", b->number,
             e.text);
  return err ? err != ERR_UNINITIALISED : is_true(&v, &x);
}
