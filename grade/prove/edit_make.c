// SPDX-License-Identifier: Apache-2.0
// Edits by their kinds: names, numbers, exchanges.
#include "grade/prove/edit_make.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

// ---- Adding ----

// Is it between the markers?
static bool is_inside(const struct edit_maker *m, int i) {
  return i >= m->tokens.first && i < m->tokens.end;
}

// `name` and `with` become the edit's.
static void add_take(struct edit_maker *m, int first, int last, char *with,
                     char *name) {
  const struct token *k = &m->tokens.list[first];
  struct edits *out = m->out;
  size_t bytes = token_span(&m->tokens, first, last);
  bool is_same =
      strlen(with) == bytes && !memcmp(with, m->tokens.text + k->offset, bytes);
  if (is_same || !is_inside(m, first) || !is_inside(m, last)) {
    free(with);
    free(name);
    return;
  }
  if (out->count % 64 == 0)
    out->list =
        xrealloc(out->list, (size_t)(out->count + 64) * sizeof *out->list);
  out->list[out->count++] = (struct edit){
      k->line, k->column, k->offset,
      bytes,   with,      xasprintf("%d:%d %s", k->line, k->column, name)};
  free(name);
}

void edit_add(struct edit_maker *m, int first, int last, const char *with,
              const char *shown) {
  char *from = token_show(&m->tokens, first, last);
  char *to = token_flatten(shown ? shown : with, strlen(shown ? shown : with));
  add_take(m, first, last, xstrdup(with), xasprintf("%s to %s", from, to));
  free(from);
  free(to);
}

void edit_leave_out(struct edit_maker *m, int first, int last,
                    const char *with) {
  char *what = token_show(&m->tokens, first, last);
  add_take(m, first, last, xstrdup(with), xasprintf("without %s", what));
  free(what);
}

static char *copy_tokens(const struct edit_maker *m, int first, int last) {
  return xstrndup(m->tokens.text + m->tokens.list[first].offset,
                  token_span(&m->tokens, first, last));
}

void edit_insert(struct edit_maker *m, int i, const char *text) {
  char *own = copy_tokens(m, i, i);
  char *with = xasprintf("%s %s", own, text);
  edit_add(m, i, i, with, NULL);
  free(with);
  free(own);
}

void edit_exchange(struct edit_maker *m, int a, int a_end, int b, int b_end) {
  size_t gap = m->tokens.list[a_end].offset + m->tokens.list[a_end].bytes;
  char *one = copy_tokens(m, a, a_end), *two = copy_tokens(m, b, b_end);
  char *between =
      xstrndup(m->tokens.text + gap, m->tokens.list[b].offset - gap);
  char *shown = token_show(&m->tokens, a, b_end);
  add_take(m, a, b_end, xasprintf("%s%s%s", two, between, one),
           xasprintf("exchange %s", shown));
  free(one);
  free(two);
  free(between);
  free(shown);
}

// ---- What both languages have ----

void edit_from_table(struct edit_maker *m, int i,
                     const struct edit_swap *rows) {
  for (; rows->from; rows++)
    if (token_is(&m->tokens, i, rows->from))
      edit_add(m, i, i, rows->to, NULL);
}

static bool is_fraction(const char *digits) {
  bool is_hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
  return strpbrk(digits, ".") || (!is_hex && strpbrk(digits, "eEfF"));
}

static void add_number(struct edit_maker *m, int i, const char *form,
                       const char *digits) {
  char *with = xasprintf(form, digits);
  edit_add(m, i, i, with, NULL);
  free(with);
}

// One more and one less of a whole number are written as numbers, with its
// suffix and in its base.
static void edit_whole(struct edit_maker *m, int i, const char *digits) {
  char *suffix;
  unsigned long long n = strtoull(digits, &suffix, 0);
  bool is_hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
  unsigned long long others[] = {n + 1, n - 1, 0};
  for (int k = 0; k < 3; k++) {
    char *with = !n && k == 1 ? xstrdup("(-1)")
                 : is_hex     ? xasprintf("0x%llx%s", others[k], suffix)
                              : xasprintf("%llu%s", others[k], suffix);
    bool is_wider = n <= UINT32_MAX && others[k] > UINT32_MAX && k == 0;
    if (!is_wider && (k < 2 || n > 1)) // 1 - 1 is 0
      edit_add(m, i, i, with, NULL);
    free(with);
  }
}

void edit_number(struct edit_maker *m, int i) {
  char *digits = copy_tokens(m, i, i);
  if (!is_fraction(digits)) {
    edit_whole(m, i, digits);
  } else {
    add_number(m, i, "(%s + 1)", digits);
    add_number(m, i, "(%s - 1)", digits);
    if (strtod(digits, NULL) != 0)
      add_number(m, i, "(0 * %s)", digits);
  }
  free(digits);
}

void edit_exchange_list(struct edit_maker *m, int open) {
  int end = m->tokens.list[open].partner, from = open + 1, before = -1;
  for (int i = open + 1; i <= end; i++) {
    if (i != end &&
        (m->tokens.list[i].outer != open || !token_is(&m->tokens, i, ",")))
      continue;
    if (before >= 0 && i > from)
      edit_exchange(m, before, from - 2, from, i - 1);
    before = from;
    from = i + 1;
  }
}

bool edit_is_between(const struct edit_maker *m, int i) {
  static const char verbs[] =
      " return case else and or not in do then until if while elseif ";
  const struct tokens *t = &m->tokens;
  if (i <= 0 || token_is_any(t, i - 1, verbs))
    return false;
  return t->list[i - 1].kind != TOKEN_SIGN || token_is_any(t, i - 1, " ) ] } ");
}
