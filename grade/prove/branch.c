// SPDX-License-Identifier: Apache-2.0
// Finds conditions among tokens.
#include "grade/prove/branch.h"

#include <stdlib.h>

#include "base/mem.h"

struct finder {
  const struct tokens *t;
  struct branches *out;
};

static void add(struct finder *f, enum branch_kind kind, int first, int last) {
  struct branches *b = f->out;
  if (first > last || first < f->t->first || last >= f->t->end ||
      (first == last && token_is_any(f->t, first, " true false nil ")))
    return;
  for (int i = 0; i < b->count; i++) // a && b && c has b twice
    if (b->list[i].first == first && b->list[i].last == last)
      return;
  if (b->count % 64 == 0)
    b->list = xrealloc(b->list, (size_t)(b->count + 64) * sizeof *b->list);
  b->list[b->count++] = (struct branch){kind, first, last};
}

// ---- What an operator joins ----

static const char ends_of_value[] =
    " ; , { } return = += -= *= /= %= &= |= ^= <<= >>= "
    "if then else elseif do while until repeat end local ";

// The first token of what stands left of the operator `i`, up to what binds
// less, or to where the expression begins.
static int find_left(const struct finder *f, int i, const char *weaker) {
  const struct tokens *t = f->t;
  int k = i - 1;
  while (k > t->list[i].outer && k >= t->first) {
    int open = t->list[k].partner;
    if (open >= 0 && open < k && !token_is(t, k, "}"))
      k = open - 1;
    else if (token_is_any(t, k, ends_of_value) || token_is_any(t, k, weaker))
      break;
    else
      k--;
  }
  return k + 1;
}

static int find_right(const struct finder *f, int i, const char *weaker) {
  const struct tokens *t = f->t;
  int outer = t->list[i].outer, k = i + 1;
  int close = outer >= 0 ? t->list[outer].partner : -1;
  int end = close >= 0 ? close : t->end;
  while (k < end) {
    if (t->list[k].partner > k)
      k = t->list[k].partner + 1;
    else if (token_is_any(t, k, " ; , ") || token_is_any(t, k, weaker))
      break;
    else
      k++;
  }
  return k - 1;
}

// ---- CUDA C ----

static void find_operands(struct finder *f, int i) {
  bool is_and = token_is(f->t, i, "&&");
  const char *weaker = is_and ? " ? : || && " : " ? : || ";
  enum branch_kind kind = is_and ? BRANCH_AND : BRANCH_OR;
  add(f, kind, find_left(f, i, weaker), i - 1);
  add(f, kind, i + 1, find_right(f, i, weaker));
}

static void find_for(struct finder *f, int open) {
  const struct tokens *t = f->t;
  int semicolons[2], count = 0;
  for (int i = open + 1; i < t->list[open].partner && count < 2; i++)
    if (t->list[i].outer == open && token_is(t, i, ";"))
      semicolons[count++] = i;
  if (count == 2)
    add(f, BRANCH_LOOP, semicolons[0] + 1, semicolons[1] - 1);
}

static void find_cuda(struct finder *f, int i) {
  const struct tokens *t = f->t;
  int open = token_is(t, i + 1, "(") ? i + 1 : -1;
  int close = open >= 0 ? t->list[open].partner : -1;
  if (token_is_any(t, i, " && || "))
    find_operands(f, i);
  else if (token_is(t, i, "?"))
    add(f, BRANCH_SELECT, find_left(f, i, " ? : "), i - 1);
  else if (close < 0)
    return;
  else if (token_is(t, i, "for"))
    find_for(f, open);
  else if (token_is(t, i, "if"))
    add(f, BRANCH_IF, open + 1, close - 1);
  else if (token_is(t, i, "while"))
    add(f, BRANCH_LOOP, open + 1, close - 1);
}

// ---- Lua ----

static void find_until(struct finder *f, enum branch_kind kind, int i,
                       const char *word) {
  for (int k = i + 1; k < f->t->end; k++)
    if (f->t->list[k].outer == f->t->list[i].outer && token_is(f->t, k, word)) {
      add(f, kind, i + 1, k - 1);
      return;
    }
}

static void find_lua(struct finder *f, int i) {
  const struct tokens *t = f->t;
  if (token_is(t, i, "and"))
    add(f, BRANCH_AND, find_left(f, i, " or and "), i - 1);
  else if (token_is(t, i, "or"))
    add(f, BRANCH_OR, find_left(f, i, " or "), i - 1);
  else if (token_is_any(t, i, " if elseif "))
    find_until(f, BRANCH_IF, i, "then");
  else if (token_is(t, i, "while"))
    find_until(f, BRANCH_LOOP, i, "do");
}

// ---- All of them ----

static int compare_lengths(const void *a, const void *b) {
  const struct branch *x = a, *y = b;
  int shorter = (y->last - y->first) - (x->last - x->first);
  return shorter ? shorter : x->first - y->first;
}

void branches_find(const struct tokens *t, struct branches *out) {
  *out = (struct branches){0};
  struct finder f = {t, out};
  for (int i = t->first; i < t->end; i++)
    t->is_lua ? find_lua(&f, i) : find_cuda(&f, i);
  if (out->count)
    qsort(out->list, (size_t)out->count, sizeof *out->list, compare_lengths);
}

void branches_free(struct branches *b) {
  free(b->list);
  *b = (struct branches){0};
}
