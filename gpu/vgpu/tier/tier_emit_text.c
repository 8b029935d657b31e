// SPDX-License-Identifier: Apache-2.0
// The emitter's text, kept short: it is what a cached object is asked for by, and all
// of it is digested for that.
//
// Theory of operation. What only depends on its operands is written once from one label
// to the next, and a constant of all lanes once, in a block at the function's end that
// runs first. Vectors' types have short names, and lines are not indented.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/vgpu/tier/tier_emit.h"

enum { KNOWN = 4096 }; // a power of two

// A line that was written: the name that it gave, and what of.
struct tier_known {
  size_t at, bytes; // in the text, or, of a constant, in those
  int name;
  uint32_t since; // the label that it stands behind
  bool is_fixed;
};

// ---- Types ----

static const struct {
  const char *scalar, *vector;
} types[] = {{"i1", "%m"},  {"i8", "%b"},    {"i16", "%h"},    {"i32", "%i"},
             {"i64", "%l"}, {"float", "%f"}, {"double", "%d"}, {"ptr", "%p"}};
enum { TYPES = sizeof types / sizeof *types };

struct tier_text tier_type(const struct tier_emitter *e, const char *scalar,
                           bool is_vector) {
  struct tier_text t;
  if (is_vector)
    snprintf(t.s, sizeof t.s, "<%d x %s>", e->p->lanes, scalar);
  else
    snprintf(t.s, sizeof t.s, "%s", scalar);
  for (int n = 0; n < TYPES && is_vector; n++)
    if (!strcmp(types[n].scalar, scalar))
      snprintf(t.s, sizeof t.s, "%s", types[n].vector);
  return t;
}

struct tier_text tier_int(const struct tier_emitter *e, int bits,
                          bool is_vector) {
  char scalar[16];
  snprintf(scalar, sizeof scalar, "i%d", bits);
  return tier_type(e, scalar, is_vector);
}

// ---- Lines ----

// Does the value only depend on what is written there?
static bool is_pure(const char *line) {
  static const char *const others[] = {"load ", "phi ", "alloca ",
                                       "atomicrmw "};
  static const char *const functions[] = {"@llvm.usub.sat.", "@llvm.cttz.",
                                          "@llvm.ctlz.", "@llvm.ctpop."};
  for (size_t n = 0; n < sizeof others / sizeof *others; n++)
    if (str_starts(line, others[n]))
      return false;
  bool is = !str_starts(line, "call ");
  for (size_t n = 0; n < sizeof functions / sizeof *functions && !is; n++)
    is = strstr(line, functions[n]) != NULL;
  return is;
}

// Value number n: no other name begins so.
static struct tier_ir value(int n, bool is_vector) {
  static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz"
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  enum { BASE = sizeof digits - 1 };
  struct tier_ir v = {"%.", is_vector};
  size_t at = 2;
  for (; n; n /= BASE)
    v.s[at++] = digits[n % BASE];
  v.s[at] = '\0';
  return v;
}

// Where a line is looked for.
static struct tier_known *known_of(struct tier_emitter *e, const char *line,
                                   size_t bytes) {
  uint32_t hash = 2166136261u; // FNV
  for (size_t n = 0; n < bytes; n++)
    hash = (hash ^ (unsigned char)line[n]) * 16777619u;
  if (!e->known)
    e->known = xcalloc(KNOWN, sizeof *e->known);
  return &e->known[(hash ^ hash >> 16) % KNOWN];
}

static bool is_known(const struct tier_emitter *e, const struct tier_known *k,
                     const struct str *text, const char *line, size_t bytes) {
  bool is_fixed = text == &e->constants;
  return k->bytes == bytes && k->is_fixed == is_fixed &&
         (is_fixed || k->since == e->labels) &&
         !memcmp(text->data + k->at, line, bytes);
}

// The value of the line that begins at `start`, behind its name, and ends the text; or
// of one that is there already, and the line is taken away.
static struct tier_ir named(struct tier_emitter *e, struct str *text,
                            size_t start, bool is_vector) {
  const char *line = strchr(text->data + start, '=') + 2;
  size_t bytes = strlen(line);
  if (is_pure(line)) {
    struct tier_known *k = known_of(e, line, bytes);
    if (is_known(e, k, text, line, bytes)) {
      text->data[text->len = start] = '\0';
      return value(k->name, is_vector);
    }
    *k = (struct tier_known){(size_t)(line - text->data), bytes, e->next,
                             e->labels, text == &e->constants};
  }
  return value(e->next++, is_vector);
}

static struct tier_ir add(struct tier_emitter *e, struct str *text,
                          bool is_vector, const char *fmt, va_list args)
    __attribute__((format(printf, 4, 0)));
static struct tier_ir add(struct tier_emitter *e, struct str *text,
                          bool is_vector, const char *fmt, va_list args) {
  size_t start = text->len;
  str_addf(text, "%s = ", value(e->next, is_vector).s);
  str_addv(text, fmt, args);
  str_add_char(text, '\n');
  return named(e, text, start, is_vector);
}

struct tier_ir tier_op(struct tier_emitter *e, bool is_vector, const char *fmt,
                       ...) {
  va_list args;
  va_start(args, fmt);
  struct tier_ir v = add(e, e->out, is_vector, fmt, args);
  va_end(args);
  return v;
}

struct tier_ir tier_fixed(struct tier_emitter *e, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  struct tier_ir v = add(e, &e->constants, true, fmt, args);
  va_end(args);
  return v;
}

void tier_line(struct tier_emitter *e, const char *fmt, ...) {
  size_t start = e->out->len;
  va_list args;
  va_start(args, fmt);
  str_addv(e->out, fmt, args);
  str_add_char(e->out, '\n');
  va_end(args);
  e->labels += strchr(e->out->data + start, ':') != NULL;
}

void tier_must(struct tier_emitter *e, struct tier_ir condition) {
  int on = tier_label(e);
  str_addf(e->out, "br i1 %s, label %%l%d, label %%bail, !prof !1\nl%d:\n",
           condition.s, on, on);
}

void tier_declare(struct tier_emitter *e, const char *fmt, ...) {
  struct str line = STR_INIT;
  va_list args;
  va_start(args, fmt);
  str_add(&line, "declare ");
  str_addv(&line, fmt, args);
  str_add_char(&line, '\n');
  va_end(args);
  if (!strstr(e->declared.data, line.data))
    str_add(&e->declared, line.data);
  str_free(&line);
}

int tier_label(struct tier_emitter *e) {
  return e->next++;
}

// ---- Around them ----

void tier_text_begin(struct tier_emitter *e) {
  for (int n = 0; n < TYPES; n++)
    tier_line(e, "%s = type <%d x %s>", types[n].vector, e->p->lanes,
              types[n].scalar);
}

// Behind the last block, where they are made before the first gang.
void tier_text_constants(struct tier_emitter *e) {
  tier_line(e,
            "constants:\n"
            "%sbr label %%gang",
            e->constants.data);
}

void tier_text_end(struct tier_emitter *e) {
  str_add(e->out, e->declared.data);
  str_free(&e->declared);
  str_free(&e->constants);
  free(e->known);
}
