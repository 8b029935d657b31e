// SPDX-License-Identifier: Apache-2.0
// Numbers that a function declares without a value and only updates ("float sum;
// ... sum += x[j];"), read off the source: the compiler may make of such a sum
// what it likes, and then nothing is left that a device could find. Only what
// cannot be meant otherwise is told; a variable whose address is taken, that is
// passed on, captured or named by a macro is nobody's here.
#include "gpu/finding/finding_unset.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/finding/finding_place.h"
#include "gpu/finding/finding_value.h"

enum { MAX_OPEN = 64, NAME_BYTES = sizeof((struct finding_unset *)0)->name };

static bool is_letter(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

static const char *skip(const char *c) {
  return c + strspn(c, " \t\r\n");
}

// The last character before `c` that is no blank; NULL: there is none.
static const char *last_before(const char *code, const char *c) {
  while (c > code && isspace((unsigned char)c[-1]))
    c--;
  return c > code ? c - 1 : NULL;
}

static struct finding_span word_at(const char *c) {
  struct finding_span w = {c, 0};
  while (is_letter(c[w.length]))
    w.length++;
  return w;
}

// The word that ends with the character `c`; length 0: it is no word's.
static struct finding_span word_that_ends(const char *code, const char *c) {
  const char *from = c + 1;
  while (from > code && is_letter(from[-1]))
    from--;
  return (struct finding_span){from, (int)(c + 1 - from)};
}

static bool is_one_of(struct finding_span w, const char *const *list) {
  for (; *list; list++)
    if (finding_is_span(w, *list))
      return true;
  return false;
}

static const char *find_word(const char *from, const char *end,
                             struct finding_span name) {
  for (const char *c = from; c + name.length <= end; c++)
    if (!memcmp(c, name.text, (size_t)name.length) && !is_letter(c[-1]) &&
        !is_letter(c[name.length]))
      return c;
  return NULL;
}

static int line_of(const char *code, const char *at) {
  int line = 1;
  for (; code < at; code++)
    line += *code == '\n';
  return line;
}

// ---- The source ----

struct text {
  char *code;       // comments, texts and preprocessor lines are blank
  char *directives; // the preprocessor lines alone
  size_t bytes;
};

static void free_text(struct text *t) {
  free(t->code);
  free(t->directives);
}

// False: it has what is not read here.
static bool read_text(const char *source, struct text *t) {
  size_t n = strlen(source);
  *t = (struct text){xmalloc(n + 2), NULL, n + 1};
  t->code[0] = '\n'; // a character before each name
  memcpy(t->code + 1, source, n + 1);
  bool is_readable = !strstr(source, "R\"") && !strstr(source, "##");
  finding_blank_words(t->code);
  t->directives = xstrdup(t->code);
  bool is_directive = false;
  for (size_t i = 1; i < t->bytes; i++) {
    char *c = &t->code[i];
    if (c[-1] == '\n')
      is_directive = (i > 1 && is_directive &&
                      (t->directives[i - 2] == '\\' ||
                       (i > 2 && t->directives[i - 2] == '\r' &&
                        t->directives[i - 3] == '\\'))) ||
                     *(c + strspn(c, " \t")) == '#';
    if (*c != '\n')
      *(is_directive ? c : &t->directives[i]) = ' ';
  }
  return is_readable;
}

// Do conditions of the preprocessor stand around `at`?
static bool is_conditional(const struct text *t, const char *at) {
  int depth = 0;
  const char *end = t->directives + (at - t->code);
  for (const char *c = t->directives; (c = strchr(c, '#')) && c < end; c++) {
    struct finding_span w = word_at(c + 1 + strspn(c + 1, " \t"));
    depth += w.length >= 2 && !memcmp(w.text, "if", 2);
    depth -= finding_is_span(w, "endif");
  }
  return depth != 0;
}

// Directives other than #pragma from `from` to `end`?
static bool has_directives(const struct text *t, const char *from,
                           const char *end) {
  const char *c = t->directives + (from - t->code);
  end = t->directives + (end - t->code);
  for (; (c = memchr(c, '#', (size_t)(end - c))); c++)
    if (!finding_is_span(word_at(c + 1 + strspn(c + 1, " \t")), "pragma"))
      return true;
  return false;
}

static bool is_in_macro(const struct text *t, struct finding_span name) {
  return find_word(t->directives + 1, t->directives + t->bytes, name) != NULL;
}

// ---- Uses ----

// Functions whose arguments are values, where the source has none of that name.
static const char *const by_value[] = {
    "min",  "max",  "fminf",  "fmaxf",  "fmin",      "fmax",      "fmaf",
    "fma",  "fabs", "fabsf",  "sqrtf",  "sqrt",      "expf",      "logf",
    "abs",  "powf", "pow",    "printf", "atomicAdd", "atomicMax", "atomicMin",
    "sinf", "cosf", "rsqrtf", NULL};
static const char *const statements[] = {"return", "else", "do", "case", NULL};
static const char *const conditions[] = {"if", "while", "switch", "return",
                                         NULL};

enum use {
  USE_NONE,    // another thing of that name
  USE_READ,    //
  USE_UPDATE,  // and nothing else
  USE_BOTH,    // an update whose value is used
  USE_GIVEN,   // a value: plain "="
  USE_UNKNOWN, // whatever else: it may get a value
};

struct variable {
  const struct text *text;
  struct finding_span name;
  const char *from, *end; // its scope, behind the declaration
};

static bool is_own_function(const struct text *t, struct finding_span f) {
  if (is_in_macro(t, f))
    return true;
  const char *end = t->code + t->bytes;
  for (const char *c = t->code + 1; (c = find_word(c, end, f)); c += f.length) {
    const char *last = last_before(t->code, c);
    bool is_called = *skip(c + f.length) == '(';
    if (is_called && last && (*last == '&' || *last == '*'))
      return true;
    struct finding_span w = word_that_ends(t->code, last ? last : t->code);
    if (is_called && w.length && !is_one_of(w, statements))
      return true;
  }
  return false;
}

// The "(" or "{" that is open at `c`, or where the statement begins.
static const char *opening(const char *code, const char *c) {
  int depth = 0;
  while (c > code) {
    c--;
    depth += *c == ')' || *c == ']' || *c == '}';
    if (*c == '(' || *c == '[' || *c == '{')
      if (depth-- == 0)
        return c;
    if (*c == ';' && depth == 0)
      return c;
  }
  return c;
}

// A whole argument of a function, or in brackets of its own: only its value?
static bool is_value(const struct variable *v, const char *at) {
  const char *code = v->text->code, *open = opening(code, at);
  const char *last = last_before(code, open);
  if (*open != '(' || !last)
    return false;
  struct finding_span f = word_that_ends(code, last);
  if (f.length)
    return is_one_of(f, conditions) ||
           (is_one_of(f, by_value) && !is_own_function(v->text, f));
  const char *close = skip(at + v->name.length) + 1, *next = skip(close);
  return strchr("+-*/", *last) && skip(open + 1) == at && close[-1] == ')' &&
         (*next != '=' || next[1] == '=');
}

// "s = s + x" and "m = fmaxf(m, x)" read what was there. `value` stands behind
// the "=".
static bool reads_itself(const struct variable *v, const char *value) {
  int n = v->name.length;
  size_t length = strcspn(value, ";");
  const char *end = value + length, *c = skip(value);
  for (const char *p = value; p < end; p++)
    if (*p == '?' || *p == '{' || (*p == p[1] && (*p == '&' || *p == '|')))
      return false;
  const char *own = find_word(value, end, v->name);
  if (!own || find_word(own + n, end, v->name))
    return false;
  const char *next = skip(own + n);
  if (own == c)
    return *next && strchr("+-*/", *next) && next[1] != *next &&
           next[1] != '=' && *skip(next + 1) != '0';
  struct finding_span f = word_at(c);
  const char *open = skip(c + f.length);
  return f.length && *open == '(' && is_one_of(f, by_value) &&
         opening(v->text->code, own) == open && is_value(v, own);
}

// An update by "+=" and its kin, whose value must not be the variable's own.
static enum use read_compound(const struct variable *v, const char *next) {
  const char *value = skip(next + 2);
  if (!strchr("+-*/|^", *next))
    return USE_UNKNOWN;
  const char *end = value + strcspn(value, ";");
  bool is_plain = *value != '0' || strchr("+-", *next);
  return is_plain && !find_word(value, end, v->name) ? USE_UPDATE : USE_UNKNOWN;
}

// "float &r = c ? sum : x": does the statement before `at` name a reference?
static bool binds_reference(const char *code, const char *at) {
  const char *from = at;
  while (from > code && !strchr(";{}", from[-1]))
    from--;
  for (const char *c = from; c < at; c++) {
    struct finding_span w = word_at(skip(c + 1));
    const char *next = skip(w.text + w.length);
    bool is_single = *c == '&' && c[1] != '&' && c[-1] != '&';
    if (*c == '&' && w.length &&
        ((*next == '=' && next[1] != '=') ||
         (is_single && (*next == '(' || *next == '{'))))
      return true;
  }
  return false;
}

// What stands before the use makes it another thing, or one that is not read
// here; else USE_READ.
static enum use read_left(const struct variable *v, const char *at) {
  const char *code = v->text->code, *last = last_before(code, at);
  if (!last || *last == '.' || (*last == '>' && last[-1] == '-') ||
      (*last == ':' && last[-1] == ':'))
    return USE_NONE;
  const char *next = skip(at + v->name.length);
  if ((*last == '&' && last[-1] != '&') || *last == ']' ||
      (*last == '>' && last[-1] == '>') || binds_reference(code, at) ||
      (*last == '>' && strchr(";,=({[", *next)))
    return USE_UNKNOWN;
  const char *left = *last == '&' || *last == '*' ? last : NULL;
  while (left && strchr("&*", *left))
    left = last_before(code, left);
  struct finding_span w = word_that_ends(code, left ? left : last);
  bool is_another = left ? finding_is_type(w) || finding_is_span(w, "auto")
                         : w.length && !is_one_of(w, statements);
  return is_another ? USE_UNKNOWN : USE_READ;
}

static bool is_statement(const char *last) {
  return strchr(";{}):,", *last) || is_letter(*last);
}

// Is the variable that was just updated handed on: "f(++sum)"?
static bool is_passed(const struct variable *v, const char *at,
                      const char *last) {
  const char *code = v->text->code, *open = opening(code, at);
  const char *before = *open == '(' ? last_before(code, open) : NULL;
  struct finding_span f = word_that_ends(code, before ? before : code);
  return last && strchr("(,", *last) && before && !finding_is_span(f, "for") &&
         !is_one_of(f, conditions);
}

// How the variable is used at `at`.
static enum use read_use(const struct variable *v, const char *at) {
  enum use use = read_left(v, at);
  if (use != USE_READ)
    return use;
  const char *last = last_before(v->text->code, at);
  const char *next = skip(at + v->name.length);
  bool is_stepped = (*last == '+' || *last == '-') && last[-1] == *last;
  if (is_stepped || ((*next == '+' || *next == '-') && next[1] == *next)) {
    last = is_stepped ? last_before(v->text->code, last - 1) : last;
    return is_passed(v, at, last)       ? USE_UNKNOWN
           : last && is_statement(last) ? USE_UPDATE
                                        : USE_BOTH;
  }
  if (*next == '=' && next[1] != '=')
    return reads_itself(v, next + 1) ? USE_UPDATE : USE_GIVEN;
  if (*next && strchr("+-*/%&|^", *next) && next[1] == '=') {
    use = is_passed(v, at, last) ? USE_UNKNOWN : read_compound(v, next);
    return use == USE_UPDATE && !is_statement(last) ? USE_BOTH : use;
  }
  bool is_shift = (*next == '<' || *next == '>') && next[1] == *next;
  if (strchr("({[", *next) || (is_shift && next[2] == '='))
    return USE_UNKNOWN;
  if (strchr("({,", *last) && strchr(",)}", *next))
    return is_value(v, at) ? USE_READ : USE_UNKNOWN;
  if (*last == ',' && *opening(v->text->code, at) != '(')
    return USE_UNKNOWN; // float a, sum;
  bool is_nothing = last - v->text->code > 5 && !memcmp(last - 5, "(void)", 6);
  return is_nothing ? USE_NONE : USE_READ;
}

// ---- Variables ----

// The line asked for, and what it may do: 0: any, and no value may be given.
struct question {
  int line;
  bool is_on_line;
  int updates, reads;
  bool all_products, any_product;
  const char *first; // use
};

// "if (x > m) m = x;" in the line asked for reads m first.
static bool is_read_first(const struct variable *v, const struct question *q,
                          const char *at) {
  const char *line = at;
  while (line[-1] != '\n')
    line--;
  const char *end = line + strcspn(line, "\n");
  for (const char *c = line; c < end; c++)
    if (*c == '?' || (*c == c[1] && (*c == '&' || *c == '|')))
      return false;
  const char *own = find_word(line, end, v->name);
  return q->line && line_of(v->text->code, at) - 1 == q->line && own < at &&
         read_use(v, own) == USE_READ;
}

static void note_update(const struct variable *v, struct question *q,
                        const char *at) {
  const char *next = skip(at + v->name.length);
  if (*next == '=') // s = s * x
    next = skip(skip(next + 1) + v->name.length);
  bool is_product = *next == '*' || *next == '/';
  q->all_products &= is_product;
  q->any_product |= is_product || !strchr("+-|^;)", *next);
  q->first = q->first ? q->first : at;
  q->updates++;
}

// Does nothing give it a value?
static bool is_unset(const struct variable *v, struct question *q) {
  int n = v->name.length;
  for (const char *c = v->from; (c = memchr(c, '[', (size_t)(v->end - c))); c++)
    if (*skip(c + 1) == '&')
      return false; // a lambda's capture
  for (const char *c = v->from; (c = find_word(c, v->end, v->name)); c += n) {
    enum use use = read_use(v, c);
    bool is_update = use == USE_UPDATE || use == USE_BOTH;
    if (use == USE_UNKNOWN || (use == USE_GIVEN && !is_read_first(v, q, c)))
      return false;
    q->is_on_line |=
        use != USE_NONE && line_of(v->text->code, c) - 1 == q->line;
    if (is_update)
      note_update(v, q, c);
    q->reads += use == USE_READ || use == USE_BOTH;
    if (is_update && *skip(c + n) == '=') // its own value again
      c = find_word(c + n, v->end, v->name);
  }
  return !has_directives(v->text, v->from, v->end) &&
         !is_conditional(v->text, v->from) && !is_in_macro(v->text, v->name);
}

static const char *end_of_scope(const char *c) {
  int depth = 1;
  for (; *c; c++) {
    depth += (*c == '{') - (*c == '}');
    if (!depth)
      return c;
  }
  return c;
}

struct search {
  struct text text;
  int line; // 0: those that are only updated, in all lines
  struct finding_unset *out;
  int count, most;
};

static void look_at(struct search *s, struct finding_span name,
                    const char *behind) {
  struct variable v = {&s->text, name, behind, end_of_scope(behind)};
  struct question q = {.line = s->line, .all_products = true};
  if (s->count == s->most || name.length >= NAME_BYTES || !is_unset(&v, &q) ||
      (s->line ? !q.is_on_line : !q.updates || !q.reads))
    return;
  const char *code = s->text.code, *line = q.first ? q.first : behind;
  const char *start = line;
  while (start[-1] != '\n')
    start--;
  struct finding_unset *u = &s->out[s->count++];
  *u = (struct finding_unset){.declared = line_of(code, name.text) - 1,
                              .last = line_of(code, v.end) - 1,
                              .line = line_of(code, line) - 1,
                              .column = (int)(line - start) + 1,
                              .start = !q.any_product   ? "0"
                                       : q.all_products ? "1"
                                                        : NULL};
  memcpy(u->name, name.text, (size_t)name.length);
}

// ---- Declarations ----

bool finding_is_type(struct finding_span w) {
  static const char *const types[] = {
      "float",    "double",   "int",      "unsigned", "signed",
      "short",    "long",     "char",     "bool",     "size_t",
      "int8_t",   "int16_t",  "int32_t",  "int64_t",  "uint8_t",
      "uint16_t", "uint32_t", "uint64_t", NULL};
  return is_one_of(w, types);
}

// "float a, b = 1, *p;" at `c`: the names that get nothing.
static void read_declaration(struct search *s, const char *c) {
  struct finding_span w = word_at(c);
  while (finding_is_type(w)) {
    c = skip(c + w.length);
    w = word_at(c);
  }
  while (w.length) {
    const char *next = skip(c + w.length);
    int depth = 0;
    for (c = next; *c && (depth > 0 || !strchr(",;", *c)); c++)
      depth += (*c == '(' || *c == '{' || *c == '[') -
               (*c == ')' || *c == '}' || *c == ']');
    if (c == next && *c)
      look_at(s, w, c);
    if (*c != ',')
      return;
    c = skip(c + 1);
    while (*c == '*' || *c == '&') {
      const char *name = skip(c + 1);
      c = name + strcspn(name, ",;");
      c = *c == ',' ? skip(c + 1) : "";
    }
    w = word_at(c);
  }
}

// Do statements stand in this "{"? `is_inside`: they do around it.
static bool holds_statements(const char *code, const char *open,
                             bool is_inside) {
  static const char *const leads[] = {"else", "do", "const", "mutable", NULL};
  const char *last = last_before(code, open);
  return last &&
         (*last == ')' || is_one_of(word_that_ends(code, last), leads) ||
          (is_inside && strchr(";{}:", *last)));
}

static void search(struct search *s) {
  bool holds[MAX_OPEN] = {false};
  int depth = 0;
  char last = '\n';
  const char *code = s->text.code;
  for (const char *c = code; *c && depth < MAX_OPEN - 1; c++) {
    if (strchr(";{}", last) && is_letter(*c) && holds[depth] &&
        finding_is_type(word_at(c)))
      read_declaration(s, c);
    if (*c == '{' || *c == '(') {
      depth++;
      holds[depth] = *c == '{' && holds_statements(code, c, holds[depth - 1]);
    }
    depth -= depth > 0 && (*c == '}' || *c == ')');
    last = isspace((unsigned char)*c) ? last : *c;
  }
}

int finding_find_unset(const char *source, struct finding_unset *out,
                       int most) {
  struct search s = {.out = out, .most = most};
  if (read_text(source, &s.text))
    search(&s);
  free_text(&s.text);
  return s.count;
}

bool finding_find_unset_at(const char *source, int line,
                           struct finding_unset *out) {
  struct finding_unset all[2];
  struct search s = {.line = line, .out = all, .most = 2};
  if (read_text(source, &s.text))
    search(&s);
  free_text(&s.text);
  *out = all[0];
  return s.count == 1;
}
