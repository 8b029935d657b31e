// SPDX-License-Identifier: Apache-2.0
// What an expression of the learner's source is worth to a thread: computed from
// the thread's place, the launch's shape, the kernel's numbers and variables that
// get one value only.
#include "gpu/finding/finding_value.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/finding/finding_use.h"

enum { MAX_NESTING = 32 };

struct reader {
  const struct finding_view *view;
  const char *at, *end;
  int nesting;
  bool is_unknown;
};

static int64_t read_choice(struct reader *r);

static bool is_letter(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

static void skip_space(struct reader *r) {
  while (r->at < r->end && isspace((unsigned char)*r->at))
    r->at++;
}

static int64_t unknown(struct reader *r) {
  r->is_unknown = true;
  r->at = r->end;
  return 0;
}

static bool is_name(const char *at, size_t n, const char *name) {
  return strlen(name) == n && !memcmp(at, name, n);
}

// threadIdx.x and its kin; false: another name.
static bool read_builtin(struct reader *r, const char *name, size_t n,
                         int64_t *out) {
  const struct gpu_place *p = r->view->at;
  const struct {
    const char *name;
    const uint32_t *part;
    bool is_size; // 0 is not known
  } all[] = {{"threadIdx", p->thread, false},
             {"blockIdx", p->block, false},
             {"blockDim", r->view->scene->block, true},
             {"gridDim", r->view->scene->grid, true}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (!is_name(name, n, all[i].name))
      continue;
    int part = r->end - r->at >= 2 && *r->at == '.' ? r->at[1] - 'x' : -1;
    if (part < 0 || part > 2 || (all[i].is_size && !all[i].part[part])) {
      unknown(r);
    } else {
      r->at += 2;
      *out = all[i].part[part];
    }
    return true;
  }
  return false;
}

// Does an assignment to the variable stand behind its name?
bool finding_is_assigned(const char *after) {
  while (*after == ' ')
    after++;
  if ((after[0] == '+' && after[1] == '+') ||
      (after[0] == '-' && after[1] == '-'))
    return true;
  if (*after == '<' || *after == '>')
    return after[0] == after[1] && after[2] == '=';
  after += *after && strchr("+-*/%&|^", *after) != NULL;
  return after[0] == '=' && after[1] != '=';
}

static bool is_stepped(const char *source, const char *at) {
  return at - source >= 2 &&
         ((at[-1] == '+' && at[-2] == '+') ||
          (at[-1] == '-' && at[-2] == '-') || at[-1] == '&');
}

// The text behind the one "=" that the variable ever gets, up to `*end`; NULL
// where there is none, or `*count` others.
static const char *find_value(const char *source, const char *name, size_t n,
                              const char **end, int *count) {
  const char *found = NULL;
  *count = 0;
  for (const char *c = source; (c = strstr(c, name)); c += n) {
    if ((c > source && is_letter(c[-1])) || is_letter(c[n]))
      continue;
    if (is_stepped(source, c))
      *count += 2;
    if (!finding_is_assigned(c + n))
      continue;
    const char *value = c + n + strspn(c + n, " ");
    ++*count;
    found = *value == '=' ? value + 1 : NULL;
  }
  if (*count != 1 || !found)
    return NULL;
  *end = found;
  for (int depth = 0; **end && **end != ';' && (depth || **end != ','); ++*end)
    depth += (**end == '(') - (**end == ')');
  return found;
}

struct finding_span finding_value_of(const char *source,
                                     struct finding_span name) {
  char own[64];
  const char *end;
  int count;
  if (name.length >= (int)sizeof own)
    return (struct finding_span){0};
  memcpy(own, name.text, (size_t)name.length);
  own[name.length] = 0;
  const char *value =
      find_value(source, own, (size_t)name.length, &end, &count);
  return value ? (struct finding_span){value, (int)(end - value)}
               : (struct finding_span){0};
}

// "#define NAME 16"; length 0 where there is none.
static struct finding_span find_define(const char *source, const char *name) {
  static const char word[] = "#define ";
  size_t n = strlen(name);
  for (const char *c = source; (c = strstr(c, word)); c++) {
    const char *at = c + strlen(word);
    at += strspn(at, " ");
    if (!strncmp(at, name, n) && at[n] == ' ')
      return (struct finding_span){at + n, (int)strcspn(at + n, "\n")};
  }
  return (struct finding_span){0};
}

static int64_t read_variable(struct reader *r, const char *name, size_t n) {
  const struct finding_view *v = r->view;
  const struct finding_scene *c = v->scene;
  char own[64];
  const char *end;
  int count;
  if (v->known && (int)n == v->known_length && !memcmp(v->known, name, n))
    return v->value;
  if (n >= sizeof own || !c->source || r->nesting > MAX_NESTING)
    return unknown(r);
  memcpy(own, name, n);
  own[n] = 0;
  const char *value = find_value(c->source, own, n, &end, &count);
  for (int i = 0; i < c->number_count && !count; i++)
    if (!strcmp(own, c->numbers[i].name))
      return c->numbers[i].value;
  struct finding_span macro = find_define(c->source, own);
  if (!count && macro.length) {
    value = macro.text;
    end = value + macro.length;
  }
  if (!value)
    return unknown(r);
  struct reader inner = {v, value, end, r->nesting + 1, false};
  int64_t x = read_choice(&inner);
  skip_space(&inner);
  return inner.is_unknown || inner.at < inner.end ? unknown(r) : x;
}

// "sizeof(float)", behind its word.
static int64_t read_size(struct reader *r) {
  skip_space(r);
  const char *open = r->at,
             *close = r->at < r->end
                          ? memchr(r->at, ')', (size_t)(r->end - r->at))
                          : NULL;
  if (!close || *open != '(')
    return unknown(r);
  int bytes = finding_type_bytes(open + 1, (size_t)(close - open - 1));
  r->at = close + 1;
  return bytes ? bytes : unknown(r);
}

// "min(a, b)", behind its word.
static int64_t read_limit(struct reader *r, bool is_max) {
  skip_space(r);
  if (r->at >= r->end || *r->at++ != '(')
    return unknown(r);
  int64_t x = read_choice(r);
  skip_space(r);
  if (r->at >= r->end || *r->at++ != ',')
    return unknown(r);
  int64_t y = read_choice(r);
  skip_space(r);
  if (r->at >= r->end || *r->at++ != ')')
    return unknown(r);
  return (x > y) == is_max ? x : y;
}

static int64_t read_word(struct reader *r) {
  const char *name = r->at;
  int64_t x = 0;
  while (r->at < r->end && is_letter(*r->at))
    r->at++;
  size_t n = (size_t)(r->at - name);
  if (is_name(name, n, "sizeof"))
    return read_size(r);
  bool is_max = is_name(name, n, "max");
  if (is_max || is_name(name, n, "min"))
    return read_limit(r, is_max);
  return read_builtin(r, name, n, &x) ? x : read_variable(r, name, n);
}

static int64_t read_number(struct reader *r) {
  char *after;
  long long x = strtoll(r->at, &after, 0);
  while (after < r->end && strchr("uUlL", *after))
    after++;
  if (after > r->end ||
      (after < r->end && (is_letter(*after) || *after == '.')))
    return unknown(r);
  r->at = after;
  return x;
}

// How long the cast to an integer type at `r` is: "(int)"; 0: there is none.
static int cast_length(const struct reader *r) {
  static const char *const types[] = {"(int)",       "(unsigned)",
                                      "(size_t)",    "(long)",
                                      "(long long)", "(unsigned int)"};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    size_t n = strlen(types[i]);
    if ((size_t)(r->end - r->at) > n && !memcmp(r->at, types[i], n))
      return (int)n;
  }
  return 0;
}

static int64_t read_unary(struct reader *r) {
  skip_space(r);
  if (r->at >= r->end || ++r->nesting > MAX_NESTING)
    return unknown(r);
  int64_t x;
  char c = *r->at;
  int cast = c == '(' ? cast_length(r) : 0;
  if (cast) {
    r->at += cast;
    x = (int64_t)read_unary(r);
  } else if (c == '(') {
    r->at++;
    x = read_choice(r);
    skip_space(r);
    if (r->at >= r->end || *r->at++ != ')')
      return unknown(r);
  } else if (c == '-' || c == '~' || c == '!') {
    r->at++;
    x = read_unary(r);
    x = c == '-' ? (int64_t)(0 - (uint64_t)x) : c == '!' ? !x : ~x;
  } else if (isdigit((unsigned char)c)) {
    x = read_number(r);
  } else {
    x = is_letter(c) ? read_word(r) : unknown(r);
  }
  r->nesting--;
  return x;
}

enum op {
  OP_OR,
  OP_AND,
  OP_BIT_OR,
  OP_XOR,
  OP_BIT_AND,
  OP_SAME,
  OP_OTHER,
  OP_LESS_SAME,
  OP_MORE_SAME,
  OP_LEFT,
  OP_RIGHT,
  OP_LESS,
  OP_MORE,
  OP_ADD,
  OP_SUB,
  OP_MUL,
  OP_DIV,
  OP_MOD,
};

// C's binary operators of integers, by how tightly they bind; of two that begin
// alike the longer one comes first.
static const struct binary {
  const char text[3];
  int rank;
  enum op op;
} operators[] = {
    {"||", 0, OP_OR},        {"&&", 1, OP_AND},       {"==", 5, OP_SAME},
    {"!=", 5, OP_OTHER},     {"<<", 7, OP_LEFT},      {">>", 7, OP_RIGHT},
    {"<=", 6, OP_LESS_SAME}, {">=", 6, OP_MORE_SAME}, {"|", 2, OP_BIT_OR},
    {"^", 3, OP_XOR},        {"&", 4, OP_BIT_AND},    {"<", 6, OP_LESS},
    {">", 6, OP_MORE},       {"+", 8, OP_ADD},        {"-", 8, OP_SUB},
    {"*", 9, OP_MUL},        {"/", 9, OP_DIV},        {"%", 9, OP_MOD},
};

// The operator that stands next, or NULL.
static const struct binary *find_operator(struct reader *r) {
  skip_space(r);
  char first = r->at < r->end ? r->at[0] : 0;
  char second = r->end - r->at > 1 ? r->at[1] : 0;
  for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
    const char *text = operators[i].text;
    if (text[0] == first && (!text[1] || text[1] == second))
      return operators + i;
  }
  return NULL;
}

static int64_t combine(struct reader *r, enum op op, int64_t x, int64_t y) {
  uint64_t a = (uint64_t)x, b = (uint64_t)y;
  bool is_shift = op == OP_LEFT || op == OP_RIGHT;
  bool is_division = op == OP_DIV || op == OP_MOD;
  if ((is_shift && (y < 0 || y > 31)) || (is_division && y <= 0))
    return unknown(r);
  switch (op) {
  case OP_OR: return x || y;
  case OP_AND: return x && y;
  case OP_BIT_OR: return x | y;
  case OP_XOR: return x ^ y;
  case OP_BIT_AND: return x & y;
  case OP_SAME: return x == y;
  case OP_OTHER: return x != y;
  case OP_LESS: return x < y;
  case OP_LESS_SAME: return x <= y;
  case OP_MORE: return x > y;
  case OP_MORE_SAME: return x >= y;
  case OP_LEFT: return (int64_t)(a << b);
  case OP_RIGHT: return x >> y;
  case OP_ADD: return (int64_t)(a + b);
  case OP_SUB: return (int64_t)(a - b);
  case OP_MUL: return (int64_t)(a * b);
  case OP_DIV: return x / y;
  case OP_MOD: return x % y;
  }
  return unknown(r);
}

// Operators that bind at least as tightly as `rank`.
static int64_t read_binary(struct reader *r, int rank) {
  int64_t x = read_unary(r);
  for (const struct binary *o; (o = find_operator(r)) && o->rank >= rank;) {
    r->at += strlen(o->text);
    x = combine(r, o->op, x, read_binary(r, o->rank + 1));
  }
  return x;
}

static int64_t read_choice(struct reader *r) {
  int64_t x = read_binary(r, 0);
  skip_space(r);
  if (r->at >= r->end || *r->at != '?')
    return x;
  r->at++;
  int64_t yes = read_choice(r);
  skip_space(r);
  if (r->at >= r->end || *r->at++ != ':')
    return unknown(r);
  int64_t no = read_choice(r);
  return x ? yes : no;
}

bool finding_evaluate(const struct finding_view *v, const char *text,
                      int length, int64_t *out) {
  struct reader r = {v, text, text + length, 0, false};
  if (length <= 0)
    return false;
  *out = read_choice(&r);
  skip_space(&r);
  return !r.is_unknown && r.at >= r.end;
}

// ---- Names ----

struct finding_span finding_next_name(struct finding_span *rest) {
  const char *c = rest->text, *end = c + rest->length;
  while (c < end && !isalpha((unsigned char)*c) && *c != '_')
    c += *c == '.' || isdigit((unsigned char)*c)
             ? 1 + strspn(c + 1, "abcdefghijklmnopqrstuvwxyz"
                                 "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")
             : 1;
  struct finding_span name = {c, 0};
  while (c < end && is_letter(*c))
    c++;
  name.length = c < end + 1 && name.text < end ? (int)(c - name.text) : 0;
  static const char *const built_in[] = {"threadIdx", "blockIdx", "blockDim",
                                         "gridDim"};
  for (size_t i = 0; i < sizeof built_in / sizeof *built_in; i++)
    if (finding_is_span(name, built_in[i]) && end - c >= 2 && *c == '.') {
      name.length += 2;
      c += 2;
    }
  *rest = (struct finding_span){c, c < end ? (int)(end - c) : 0};
  return name;
}

bool finding_is_span(struct finding_span a, const char *text) {
  return is_name(a.text, (size_t)a.length, text);
}

bool finding_are_equal(struct finding_span a, struct finding_span b) {
  return a.length == b.length && !memcmp(a.text, b.text, (size_t)a.length);
}

bool finding_has_name(const struct finding_names *names, const char *name) {
  for (int i = 0; i < names->count; i++)
    if (finding_is_span(names->names[i], name))
      return true;
  return false;
}

static bool has_span(const struct finding_names *names, struct finding_span n) {
  for (int i = 0; i < names->count; i++)
    if (finding_are_equal(names->names[i], n))
      return true;
  return false;
}

void finding_collect_names(const char *source, struct finding_span text,
                           struct finding_names *out) {
  for (int i = 0; i < text.length; i++)
    out->loads += text.text[i] == '[';
  for (;;) {
    struct finding_span name = finding_next_name(&text);
    if (!name.length || out->count == FINDING_NAMES)
      return;
    if (has_span(out, name))
      continue;
    out->names[out->count++] = name;
    finding_collect_names(source, finding_value_of(source, name), out);
  }
}
