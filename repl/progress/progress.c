// SPDX-License-Identifier: Apache-2.0
// Progress, read from the journal.
#include "repl/progress/progress.h"

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
