// SPDX-License-Identifier: Apache-2.0
// The part of the Itanium C++ ABI's mangling that kernels use: names, nested
// names, template arguments, builtin types, pointers, qualifiers and
// substitutions. Anything else makes the whole name unknown, never wrong.
// Grammar lines are the ABI's (section 5.1).
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "gpu/nvrtc/image/signature.h"

enum { MAX_TYPES = 128, MAX_WORDS = 240, MAX_LEVELS = 6, MAX_DEPTH = 64 };

// A type, or a prefix of a name: its words and what stands around them.
struct mtype {
  char words[MAX_WORDS];
  uint8_t levels;                // of pointers
  bool is_const[MAX_LEVELS + 1]; // 0 is the value
  bool is_strange;               // reference, array, function: only opaque
};

struct types {
  int count;
  struct mtype list[MAX_TYPES];
};

struct parser {
  const char *p;
  bool is_bad;
  int depth;
  struct types seen;      // substitutions
  struct types arguments; // of the function's template
};

static struct mtype fail(struct parser *s) {
  s->is_bad = true;
  return (struct mtype){0};
}

static bool accept(struct parser *s, const char *text) {
  size_t n = strlen(text);
  if (s->is_bad || strncmp(s->p, text, n))
    return false;
  s->p += n;
  return true;
}

static void remember(struct parser *s, struct types *list,
                     const struct mtype *t) {
  if (list->count == MAX_TYPES)
    s->is_bad = true;
  else
    list->list[list->count++] = *t;
}

static void add_words(struct parser *s, struct mtype *t, const char *text,
                      size_t n) {
  size_t have = strlen(t->words);
  if (have + n >= sizeof t->words) {
    s->is_bad = true;
    return;
  }
  memcpy(t->words + have, text, n);
  t->words[have + n] = 0;
}

static void add_text(struct parser *s, struct mtype *t, const char *text) {
  add_words(s, t, text, strlen(text));
}

static struct mtype parse_type(struct parser *s);

// <source-name> ::= <positive length number> <identifier>
static void parse_source_name(struct parser *s, struct mtype *t) {
  char *end;
  if (!isdigit((unsigned char)*s->p)) {
    s->is_bad = true;
    return;
  }
  unsigned long n = strtoul(s->p, &end, 10);
  if (n == 0 || n > strlen(end)) {
    s->is_bad = true;
    return;
  }
  s->p = end;
  add_words(s, t, s->p, n);
  s->p += n;
}

// <seq-id>_ in base 36, or nothing: the index of a substitution or parameter.
static int parse_index(struct parser *s, int base) {
  long v = 0;
  if (accept(s, "_"))
    return 0;
  for (; isalnum((unsigned char)*s->p); s->p++) {
    int digit = isdigit((unsigned char)*s->p) ? *s->p - '0' : *s->p - 'A' + 10;
    if (digit < 0 || digit >= base || v > MAX_TYPES) {
      s->is_bad = true;
      return 0;
    }
    v = v * base + digit;
  }
  if (!accept(s, "_"))
    s->is_bad = true;
  return (int)v + 1;
}

static struct mtype pick(struct parser *s, const struct types *from,
                         int index) {
  if (s->is_bad || index >= from->count)
    return fail(s);
  return from->list[index];
}

// ---- Types as words ----

static char *write_type(const struct mtype *t) {
  struct str out = STR_INIT;
  str_addf(&out, "%s%s%s", t->is_const[0] && t->levels ? "const " : "",
           t->words, t->levels ? " " : "");
  for (int i = 1; i <= t->levels; i++)
    str_addf(&out, "*%s", i < t->levels && t->is_const[i] ? " const " : "");
  return str_take(&out);
}

// ---- Template arguments ----

// <expr-primary> ::= L <type> <value number> E
static struct mtype parse_literal(struct parser *s) {
  struct mtype type = parse_type(s), value = {0};
  size_t n = strcspn(s->p, "E");
  if (s->is_bad || !s->p[n])
    return fail(s);
  if (!strcmp(type.words, "bool")) {
    add_text(s, &value, *s->p == '1' ? "true" : "false");
  } else {
    bool is_negative = *s->p == 'n';
    if (is_negative)
      add_text(s, &value, "-");
    add_words(s, &value, s->p + is_negative, n - is_negative);
  }
  s->p += n + 1;
  value.is_strange = true; // a value is no type
  return value;
}

static void parse_argument(struct parser *s, struct types *out) {
  if (s->is_bad || ++s->depth > MAX_DEPTH) {
    s->is_bad = true;
    return;
  }
  if (accept(s, "J")) {
    while (!s->is_bad && !accept(s, "E"))
      parse_argument(s, out);
  } else {
    struct mtype t = accept(s, "L") ? parse_literal(s) : parse_type(s);
    remember(s, out, &t);
  }
  s->depth--;
}

// <template-args> ::= I <template-arg>+ E, behind the I: adds "<float, 16>".
static void parse_arguments(struct parser *s, struct mtype *name,
                            struct types *keep) {
  struct types *list = xcalloc(1, sizeof *list);
  while (!s->is_bad && !accept(s, "E"))
    parse_argument(s, list);
  add_text(s, name, "<");
  for (int i = 0; i < list->count; i++) {
    char *text = write_type(&list->list[i]);
    add_text(s, name, i ? ", " : "");
    add_text(s, name, text);
    free(text);
  }
  add_text(s, name, ">");
  if (keep)
    *keep = *list;
  free(list);
}

// ---- Names ----

// <nested-name> ::= N <prefix> <unqualified-name> E, behind the N. A function's
// own full name is no substitution; a type's is.
static struct mtype parse_nested(struct parser *s, bool is_function,
                                 bool *has_arguments) {
  struct mtype t = {0};
  *has_arguments = false;
  while (!s->is_bad && !accept(s, "E")) {
    bool is_known = false;
    *has_arguments = false;
    if (accept(s, "St")) {
      add_text(s, &t, "std");
      is_known = true;
    } else if (*s->p == 'S') {
      s->p++;
      t = pick(s, &s->seen, parse_index(s, 36));
      is_known = true;
    } else if (accept(s, "I")) {
      parse_arguments(s, &t, is_function ? &s->arguments : NULL);
      *has_arguments = true;
    } else {
      accept(s, "L");
      add_text(s, &t, t.words[0] ? "::" : "");
      parse_source_name(s, &t);
    }
    if (!is_known && !(is_function && *s->p == 'E'))
      remember(s, &s->seen, &t);
  }
  return t;
}

// <unscoped-name> ::= [St] <source-name>, and its template arguments.
static struct mtype parse_unscoped(struct parser *s, bool is_function,
                                   bool *has_arguments) {
  struct mtype t = {0};
  if (accept(s, "St"))
    add_text(s, &t, "std::");
  accept(s, "L");
  parse_source_name(s, &t);
  *has_arguments = !s->is_bad && *s->p == 'I';
  if (*has_arguments || !is_function)
    remember(s, &s->seen, &t);
  if (*has_arguments) {
    s->p++;
    parse_arguments(s, &t, is_function ? &s->arguments : NULL);
    if (!is_function)
      remember(s, &s->seen, &t);
  }
  return t;
}

// ---- Types ----

static const char *builtin_type(char c) {
  switch (c) {
  case 'v': return "void";
  case 'b': return "bool";
  case 'c': return "char";
  case 'a': return "signed char";
  case 'h': return "unsigned char";
  case 's': return "short";
  case 't': return "unsigned short";
  case 'i': return "int";
  case 'j': return "unsigned int";
  case 'l': return "long";
  case 'm': return "unsigned long";
  case 'x': return "long long";
  case 'y': return "unsigned long long";
  case 'f': return "float";
  case 'd': return "double";
  }
  return NULL;
}

static struct mtype parse_pointer(struct parser *s) {
  struct mtype t = parse_type(s);
  if (t.is_strange || t.levels == MAX_LEVELS)
    return fail(s);
  t.levels++;
  remember(s, &s->seen, &t);
  return t;
}

// <CV-qualifiers> ::= [r] [V] [K]; together they are one substitution.
static struct mtype parse_qualified(struct parser *s) {
  bool is_const = false;
  while (*s->p == 'r' || *s->p == 'V' || *s->p == 'K')
    is_const |= *s->p++ == 'K';
  struct mtype t = parse_type(s);
  t.is_const[t.levels] |= is_const;
  remember(s, &s->seen, &t);
  return t;
}

static struct mtype parse_reference(struct parser *s) {
  struct mtype t = parse_type(s);
  t.is_strange = true;
  remember(s, &s->seen, &t);
  return t;
}

// S_, S0_ ..., which may be a template that takes arguments.
static struct mtype parse_substitution(struct parser *s) {
  struct mtype t = pick(s, &s->seen, parse_index(s, 36));
  if (!s->is_bad && *s->p == 'I') {
    s->p++;
    parse_arguments(s, &t, NULL);
    remember(s, &s->seen, &t);
  }
  return t;
}

static struct mtype parse_parameter(struct parser *s) {
  struct mtype t = pick(s, &s->arguments, parse_index(s, 10));
  remember(s, &s->seen, &t);
  return t;
}

static struct mtype parse_one_type(struct parser *s) {
  bool has_arguments;
  struct mtype t = {0};
  const char *builtin = builtin_type(*s->p);
  if (builtin) {
    s->p++;
    add_text(s, &t, builtin);
    return t;
  }
  if (accept(s, "P"))
    return parse_pointer(s);
  if (accept(s, "R") || accept(s, "O"))
    return parse_reference(s);
  if (*s->p == 'r' || *s->p == 'V' || *s->p == 'K')
    return parse_qualified(s);
  if (accept(s, "T"))
    return parse_parameter(s);
  if (accept(s, "N"))
    return parse_nested(s, false, &has_arguments);
  if (*s->p == 'S' && s->p[1] != 't') {
    s->p++;
    return parse_substitution(s);
  }
  return parse_unscoped(s, false, &has_arguments);
}

static struct mtype parse_type(struct parser *s) {
  if (s->is_bad || ++s->depth > MAX_DEPTH)
    return fail(s);
  struct mtype t = parse_one_type(s);
  s->depth--;
  return t;
}

// ---- Functions ----

static void fill_param(const struct mtype *t, struct nvrtc_param *out) {
  *out = (struct nvrtc_param){.type = NVRTC_OPAQUE, .vector_lanes = 1};
  out->declared = write_type(t);
  if (t->is_strange ||
      !signature_type(t->words, &out->type, &out->vector_lanes)) {
    out->type = NVRTC_OPAQUE;
    out->vector_lanes = 1;
    if (t->is_strange)
      return;
  }
  out->pointer_levels = t->levels;
  out->is_pointer = t->levels > 0;
  out->is_const = t->levels && t->is_const[t->levels - 1];
}

static int parse_params(struct parser *s, struct nvrtc_param **params) {
  int count = 0;
  *params = NULL;
  if (!strcmp(s->p, "v")) // f(void)
    return 0;
  while (!s->is_bad && *s->p) {
    struct mtype t = parse_type(s);
    if (s->is_bad)
      break;
    *params = xrealloc(*params, (size_t)(count + 1) * sizeof **params);
    fill_param(&t, &(*params)[count++]);
  }
  return count;
}

// <mangled-name> ::= _Z <name> <bare-function-type>; a template's function type
// begins with what it returns.
int signature_demangle(const char *mangled, struct nvrtc_param **params,
                       char **name) {
  bool has_arguments = false;
  *params = NULL;
  *name = NULL;
  if (strncmp(mangled, "_Z", 2))
    return -1;
  struct parser *s = xcalloc(1, sizeof *s);
  s->p = mangled + 2;
  struct mtype t = accept(s, "N") ? parse_nested(s, true, &has_arguments)
                                  : parse_unscoped(s, true, &has_arguments);
  if (!s->is_bad)
    *name = xstrdup(t.words);
  if (has_arguments)
    parse_type(s);
  int count = s->is_bad ? 0 : parse_params(s, params);
  if (s->is_bad) {
    signature_params_free(*params, count);
    *params = NULL;
    count = -1;
  }
  free(s);
  return count;
}
