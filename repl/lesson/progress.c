// SPDX-License-Identifier: Apache-2.0
// Progress, read from the journal.
#include "repl/lesson/progress.h"

#include <stdlib.h>
#include <string.h>

struct query {
  const char *exercise;
  struct exercise_progress p;
};

static void take_record(void *context, const struct journal_record *r) {
  struct query *q = context;
  if (strcmp(r->key, q->exercise) != 0)
    return;
  if (!strcmp(r->kind, "check") && !q->p.has_passed) {
    q->p.was_skipped = !strcmp(r->value, "skipped");
    q->p.tries += !q->p.was_skipped; // nothing was judged
    q->p.has_passed = !strcmp(r->value, "pass");
  } else if (!strcmp(r->kind, "hint") && atoi(r->value) > q->p.hints) {
    q->p.hints = atoi(r->value);
  } else if (!strcmp(r->kind, "solution")) {
    q->p.saw_solution = true;
  }
}

struct exercise_progress progress_of(const struct journal *j,
                                     const char *name) {
  struct query q = {.exercise = name};
  if (j)
    journal_read(j, take_record, &q, NULL);
  return q.p;
}

static void add_count(struct str *out, int n, const char *one,
                      const char *more) {
  str_addf(out, "%d %s", n, n == 1 ? one : more);
}

void progress_add_text(const struct exercise_progress *p, struct str *out) {
  size_t before = out->len;
  if (p->has_passed)
    str_add(out, "done in ");
  if (p->tries)
    add_count(out, p->tries, "try", "tries");
  if (p->hints) {
    str_add(out, out->len > before ? ", " : "");
    add_count(out, p->hints, "hint", "hints");
  }
  if (p->was_skipped)
    str_addf(out, "%snot judged here", out->len > before ? ", " : "");
  if (p->saw_solution)
    str_add(out, out->len > before ? ", solution seen" : "solution seen");
}

// Where the i-th exercise is among the items; -1 past the last.
static int item_of(const struct lesson *l, int i) {
  for (int k = 0; k < l->item_count; k++)
    if (l->items[k].kind == ITEM_EXERCISE && i-- == 0)
      return k;
  return -1;
}

const char *progress_exercise(const struct lesson *l, int i) {
  int at = item_of(l, i);
  return at < 0 ? NULL : l->items[at].text;
}

bool progress_is_further(const struct lesson *l, int i) {
  return item_of(l, i) >= lesson_needed_items(l);
}

bool progress_is_done(const struct journal *j, const struct lesson *l) {
  const char *name;
  if (journal_page(j, l->name) < lesson_needed_pages(l))
    return false;
  for (int i = 0; (name = progress_exercise(l, i)); i++) {
    struct exercise_progress p = progress_of(j, name);
    if (!progress_is_further(l, i) && !p.has_passed && !p.was_skipped)
      return false;
  }
  return true;
}
