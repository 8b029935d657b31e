// SPDX-License-Identifier: Apache-2.0
// What the parser asks of tokens and names: is it there, take it, expect it;
// errors; growing lists; scopes.
#include "gpu/ptx/ptx_token.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/ptx/ptx_lex.h"

// ---- Tokens ----

bool fail(struct parser *p, enum err code, const char *fmt, ...) {
  if (p->err)
    return false;
  char text[700];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  p->error_place = p->func ? p->place : 0;
  p->err =
      err_set_at(p->e, code, "", 0, 0, "PTX line %d: %s", p->token.line, text);
  return false;
}

bool fail_insn(struct parser *p, const struct ptx_insn *i, const char *what) {
  p->token.line = i->ptx_line;
  return fail(p, ERR_COMPILE, "%s: %s", ptx_op_name(i->op), what);
}

void *list_add(struct list *l, size_t size) {
  if (l->count == l->capacity) {
    l->capacity = l->capacity ? 2 * l->capacity : 32;
    l->items = xrealloc(l->items, (size_t)l->capacity * size);
  }
  void *item = (char *)l->items + (size_t)l->count++ * size;
  memset(item, 0, size);
  return item;
}

// Moves a list into the region.
void *list_keep(struct parser *p, struct list *l, size_t size) {
  void *items = region_alloc(p->region, (size_t)l->count * size + 1);
  if (l->count)
    memcpy(items, l->items, (size_t)l->count * size);
  free(l->items);
  *l = (struct list){0};
  return items;
}

void next(struct parser *p) {
  lex_next(&p->lex, &p->token);
}

bool is_mark(const struct parser *p, char c) {
  return p->token.kind == TOKEN_MARK && p->token.mark == c;
}

bool is_word(const struct parser *p, const char *word) {
  return p->token.kind == TOKEN_WORD && p->token.bytes == strlen(word) &&
         !memcmp(p->token.text, word, p->token.bytes);
}

bool take_mark(struct parser *p, char c) {
  bool found = is_mark(p, c);
  if (found)
    next(p);
  return found;
}

bool take_word(struct parser *p, const char *word) {
  bool found = is_word(p, word);
  if (found)
    next(p);
  return found;
}

int shown(const struct parser *p) {
  return (int)(p->token.bytes < 60 ? p->token.bytes : 60);
}

bool unexpected(struct parser *p, const char *wanted) {
  return fail(p, ERR_COMPILE, "expected %s, found \"%.*s\"", wanted, shown(p),
              p->token.text);
}

bool expect_mark(struct parser *p, char c) {
  char wanted[] = {'"', c, '"', 0};
  return take_mark(p, c) || unexpected(p, wanted);
}

char *token_name(struct parser *p) {
  return region_strndup(p->region, p->token.text, p->token.bytes);
}

bool expect_name(struct parser *p, char **out) {
  if (p->token.kind != TOKEN_WORD || p->token.text[0] == '.')
    return unexpected(p, "a name");
  *out = token_name(p);
  next(p);
  return true;
}

bool expect_int(struct parser *p, uint64_t *out) {
  bool minus = take_mark(p, '-');
  if (p->token.kind != TOKEN_INT)
    return unexpected(p, "a whole number");
  *out = minus ? 0 - p->token.bits : p->token.bits;
  next(p);
  return true;
}

// ---- Scopes ----

bool push_scope(struct parser *p) {
  if (++p->depth > MAX_DEPTH)
    return fail(p, ERR_COMPILE, "more than %d blocks inside each other",
                MAX_DEPTH);
  struct scope *s = xcalloc(1, sizeof *s);
  s->names = map_new();
  s->ranges = map_new();
  s->outer = p->scope;
  p->scope = s;
  return true;
}

void pop_scope(struct parser *p) {
  struct scope *s = p->scope;
  p->depth--;
  p->scope = s->outer;
  map_free(s->names);
  map_free(s->ranges);
  free(s);
}

static size_t stem_of(const char *name, size_t bytes) {
  while (bytes && name[bytes - 1] >= '0' && name[bytes - 1] <= '9')
    bytes--;
  return bytes;
}

int64_t number_behind(const char *name, size_t bytes) {
  int64_t n = 0;
  for (size_t i = stem_of(name, bytes); i < bytes && n < MAX_REGISTERS; i++)
    n = n * 10 + (name[i] - '0');
  return n;
}

// A register of a range, such as %r12 of %r<40>, has the range's symbol.
struct symbol *find_symbol(struct parser *p, const char *name, size_t bytes) {
  size_t stem = stem_of(name, bytes);
  for (struct scope *s = p->scope; s; s = s->outer) {
    struct symbol *found = map_get(s->names, name, bytes);
    if (!found && stem < bytes)
      found = map_get(s->ranges, name, stem);
    if (found)
      return found;
  }
  return NULL;
}

static bool is_taken(const struct parser *p, const char *name,
                     enum symbol_kind kind) {
  size_t bytes = strlen(name), stem = stem_of(name, bytes);
  if (kind == SYMBOL_RANGE)
    return map_get(p->scope->ranges, name, bytes);
  const struct symbol *s = map_get(p->scope->names, name, bytes);
  if (s)
    return !(s->kind == SYMBOL_VAR && s->var && s->var->is_extern);
  s = stem < bytes ? map_get(p->scope->ranges, name, stem) : NULL;
  return s && number_behind(name, bytes) < s->count;
}

struct symbol *add_symbol(struct parser *p, const char *name,
                          enum symbol_kind kind) {
  struct symbol *s = region_alloc(p->region, sizeof *s);
  s->kind = kind;
  if (is_taken(p, name, kind))
    fail(p, ERR_COMPILE, "\"%s\" is declared twice", name);
  map_set(kind == SYMBOL_RANGE ? p->scope->ranges : p->scope->names, name,
          strlen(name), s);
  return s;
}
