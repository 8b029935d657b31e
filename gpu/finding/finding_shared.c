// SPDX-License-Identifier: Apache-2.0
// __shared__ declarations in a kernel's source. NVRTC's debugging data say
// nothing of their types.
#include "gpu/finding/finding_shared.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/finding/finding.h"
#include "gpu/finding/finding_place.h"

enum { MAX_WORD = 64, MAX_HOPS = 8 };

// Comments are blank by now.
static const char *skip_space(const char *s) {
  while (isspace((unsigned char)*s))
    s++;
  return s;
}

static const char *take_word(const char *s, char out[MAX_WORD]) {
  size_t n = 0;
  s = skip_space(s);
  while (finding_is_word(s[n]) || (s[n] == ':' && s[n + 1] == ':') ||
         (n && s[n] == ':' && s[n - 1] == ':'))
    n++;
  snprintf(out, MAX_WORD, "%.*s", (int)(n < MAX_WORD ? n : MAX_WORD - 1), s);
  return s + n;
}

// ---- Sizes ----

struct sum {
  const char *source, *at;
  int hops;
  bool is_bad;
};

static long parse_sum(struct sum *x);

// What the source defines the name as: "#define NAME value", "NAME = value".
static long value_of(struct sum *x, const char *name) {
  size_t n = strlen(name);
  for (const char *s = x->source; (s = strstr(s, name)); s += n) {
    if ((s > x->source && finding_is_word(s[-1])) || finding_is_word(s[n]))
      continue;
    const char *before = s;
    while (before > x->source && (before[-1] == ' ' || before[-1] == '\t'))
      before--;
    bool is_define =
        before - x->source >= 7 && !strncmp(before - 7, "#define", 7);
    const char *after = skip_space(s + n);
    bool is_set = *after == '=' && after[1] != '=';
    if (!is_define && !is_set)
      continue;
    struct sum inner = {x->source, after + is_set, x->hops + 1, false};
    long value = x->hops < MAX_HOPS ? parse_sum(&inner) : 0;
    if (!inner.is_bad && x->hops < MAX_HOPS)
      return value;
  }
  x->is_bad = true;
  return 0;
}

// number | name | ( sum )
static long parse_atom(struct sum *x) {
  char word[MAX_WORD], *end;
  x->at = skip_space(x->at);
  if (*x->at == '(' && ++x->hops < MAX_HOPS) {
    x->at++;
    long value = parse_sum(x);
    x->at = skip_space(x->at);
    x->is_bad |= *x->at != ')';
    x->at += *x->at == ')';
    return value;
  }
  if (isdigit((unsigned char)*x->at)) {
    long value = strtol(x->at, &end, 0);
    x->at = end + strspn(end, "uUlL");
    return value;
  }
  x->at = take_word(x->at, word);
  x->is_bad |= !*word;
  return *word ? value_of(x, word) : 0;
}

// atom { * atom | / atom }
static long parse_product(struct sum *x) {
  long value = parse_atom(x);
  while (x->at = skip_space(x->at), *x->at == '*' || *x->at == '/') {
    char op = *x->at++;
    long right = parse_atom(x);
    x->is_bad |= labs(value) > 1L << 30 || labs(right) > 1L << 30 ||
                 (op == '/' && !right);
    if (x->is_bad)
      return 0;
    value = op == '*' ? value * right : value / right;
  }
  return value;
}

// product { + product | - product }
static long parse_sum(struct sum *x) {
  long value = parse_product(x);
  while (x->at = skip_space(x->at), *x->at == '+' || *x->at == '-') {
    char op = *x->at++;
    long right = parse_product(x);
    x->is_bad |= labs(value) > 1L << 60 || labs(right) > 1L << 60;
    if (x->is_bad)
      return 0;
    value += op == '+' ? right : -right;
  }
  return value;
}

// [size] ... behind a variable's name; false when a size is not known.
static bool add_sizes(const char *source, const char **at, struct str *out) {
  struct sum x = {.source = source};
  for (x.at = skip_space(*at); *x.at == '['; x.at = skip_space(x.at + 1)) {
    x.at = skip_space(x.at + 1);
    x.hops = 0;
    long size = *x.at == ']' ? 0 : parse_sum(&x);
    x.at = skip_space(x.at);
    if (x.is_bad || *x.at != ']' || size < 0)
      return false;
    str_addf(out, "[%ld]", size);
  }
  *at = x.at;
  return true;
}

// ---- Declarations ----

// The type of what was declared: all words but the last, which is the name.
static const char *take_declaration(const char *s, struct str *type,
                                    char name[MAX_WORD]) {
  static const char *const ignored[] = {"volatile", "const",   "struct",
                                        "static",   "alignas", "__align__"};
  char word[MAX_WORD];
  name[0] = 0;
  for (;;) {
    s = take_word(s, word);
    if (!*word)
      return skip_space(s);
    bool is_ignored = false;
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
      is_ignored |= !strcmp(word, ignored[i]);
    s = skip_space(s);
    if (*s == '(') // of alignas(16)
      s += strcspn(s, ")") + (strchr(s, ')') != NULL);
    if (is_ignored)
      continue;
    if (*name)
      str_addf(type, "%s%s", type->len ? " " : "", name);
    snprintf(name, MAX_WORD, "%s", word);
  }
}

// Of a list of variables that "__shared__" begins.
struct declared {
  struct str type, sizes; // "" of what is no plain type; "[4][8]"
  char name[MAX_WORD];
  const char *at; // NULL: there are no more
};

static void begin_list(struct declared *d, const char *behind) {
  *d = (struct declared){STR_INIT, STR_INIT, "", NULL};
  d->at = take_declaration(behind, &d->type, d->name);
}

static void end_list(struct declared *d) {
  str_free(&d->type);
  str_free(&d->sizes);
}

// Reads what stands behind the name; false: there is no variable.
static bool has_variable(struct declared *d, const char *code) {
  if (!d->at || !d->type.len || !*d->name)
    return false;
  const char *at = d->at;
  str_clear(&d->sizes);
  if (!add_sizes(code, &at, &d->sizes)) {
    str_clear(&d->sizes);
    str_add(&d->sizes, "[0]");
    at = d->at + strcspn(d->at, ",;");
  }
  d->at = skip_space(at);
  return true;
}

static void go_to_next(struct declared *d) {
  d->at = *d->at == ',' ? take_word(d->at + 1, d->name) : NULL;
}

// Behind the next "__shared__"; NULL: there is none.
static const char *next_list(const char *code, const char *s) {
  static const char word[] = "__shared__";
  while ((s = strstr(s, word))) {
    bool is_whole = s == code || !finding_is_word(s[-1]);
    s += sizeof word - 1;
    if (is_whole && !finding_is_word(*s))
      return s;
  }
  return NULL;
}

static char *code_of(const char *source) {
  char *code = xstrdup(source);
  finding_blank_words(code);
  return code;
}

void finding_find_shared(const char *source, struct str *out) {
  char *code = code_of(source);
  for (const char *s = code; (s = next_list(code, s));) {
    struct declared d;
    for (begin_list(&d, s); has_variable(&d, code); go_to_next(&d))
      str_addf(out, "declare %s %s%s\n", d.name, d.type.data, d.sizes.data);
    end_list(&d);
  }
  free(code);
}

// ---- The type of one ----

// Is it among the words up to the list's end?
static bool is_named(const char *list, const char *name) {
  const char *end = list + strcspn(list, ";");
  const char *at = finding_find_name(list, list, name);
  return at && at < end;
}

void finding_shared_type(const char *source, const char *name,
                         struct str *out) {
  char *code = code_of(source);
  bool is_certain = *name != 0;
  for (const char *s = code; is_certain && (s = next_list(code, s));) {
    struct declared d;
    if (!is_named(s, name))
      continue;
    begin_list(&d, s);
    while (has_variable(&d, code) && strcmp(d.name, name) != 0)
      go_to_next(&d);
    is_certain = d.at && d.type.len && !strcmp(d.name, name) &&
                 (!out->len || !strcmp(out->data, d.type.data));
    if (is_certain && !out->len)
      str_add(out, d.type.data);
    end_list(&d);
  }
  if (!is_certain)
    str_clear(out);
  free(code);
}
