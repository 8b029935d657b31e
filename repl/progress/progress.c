// SPDX-License-Identifier: Apache-2.0
// Progress, read from the journal.
#include "repl/progress/progress.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text/text.h"

// What is kept of one key, an exercise's name or a lesson's.
struct entry {
  char *key;
  struct exercise_progress exercise;
  int page, furthest;
};

struct progress {
  struct entry *list;
  int count;
  const char *only; // the one key that is asked for; NULL: all
};

static struct entry *find(const struct progress *p, const char *key) {
  for (int i = 0; i < p->count; i++)
    if (!strcmp(p->list[i].key, key))
      return &p->list[i];
  return NULL;
}

static struct entry *entry_of(struct progress *p, const char *key) {
  struct entry *e = find(p, key);
  if (e)
    return e;
  p->list = xrealloc(p->list, (size_t)(p->count + 1) * sizeof *p->list);
  p->list[p->count] = (struct entry){.key = xstrdup(key)};
  return &p->list[p->count++];
}

static void take_check(struct exercise_progress *p, const char *verdict) {
  if (p->has_passed)
    return;
  p->was_skipped = !strcmp(verdict, "skipped");
  p->tries += !p->was_skipped; // nothing was judged
  p->has_passed = !strcmp(verdict, "pass");
}

static void take_page(struct entry *e, int page) {
  e->page = page;
  e->furthest = page > e->furthest ? page : e->furthest;
}

static void take_record(void *context, const struct journal_record *r) {
  struct progress *p = context;
  if (p->only && strcmp(r->key, p->only) != 0)
    return;
  if (!strcmp(r->kind, "check")) {
    take_check(&entry_of(p, r->key)->exercise, r->value);
  } else if (!strcmp(r->kind, "hint")) {
    struct exercise_progress *e = &entry_of(p, r->key)->exercise;
    e->hints = atoi(r->value) > e->hints ? atoi(r->value) : e->hints;
  } else if (!strcmp(r->kind, "solution")) {
    entry_of(p, r->key)->exercise.saw_solution = true;
  } else if (!strcmp(r->kind, "page")) {
    take_page(entry_of(p, r->key), atoi(r->value));
  } else if (!strcmp(r->kind, "forget")) {
    entry_of(p, r->key)->page = entry_of(p, r->key)->furthest = 0;
  }
}

static struct progress *take(const struct journal *j, const char *only) {
  struct progress *p = xcalloc(1, sizeof *p);
  p->only = only;
  if (j)
    journal_read(j, take_record, p, NULL);
  return p;
}

struct progress *progress_take(const struct journal *j) {
  return take(j, NULL);
}

void progress_free(struct progress *p) {
  for (int i = 0; p && i < p->count; i++)
    free(p->list[i].key);
  if (p)
    free(p->list);
  free(p);
}

struct exercise_progress progress_exercise(const struct progress *p,
                                           const char *name) {
  const struct entry *e = find(p, name);
  return e ? e->exercise : (struct exercise_progress){0};
}

int progress_page(const struct progress *p, const char *lesson, int *furthest) {
  const struct entry *e = find(p, lesson);
  *furthest = e ? e->furthest : 0;
  return e ? e->page : 0;
}

struct exercise_progress progress_of(const struct journal *j,
                                     const char *name) {
  struct progress *p = take(j, name);
  struct exercise_progress of = progress_exercise(p, name);
  progress_free(p);
  return of;
}

void progress_add_text(const struct exercise_progress *p, struct str *out) {
  size_t before = out->len;
  if (p->has_passed)
    str_add(out, message("done in "));
  if (p->tries)
    str_addf(out, message_of(p->tries, "%d try", "%d tries"), p->tries);
  if (p->hints) {
    str_add(out, out->len > before ? ", " : "");
    str_addf(out, message_of(p->hints, "%d hint", "%d hints"), p->hints);
  }
  if (p->was_skipped)
    str_addf(out, "%s%s", out->len > before ? ", " : "",
             message("not judged here"));
  if (p->saw_solution)
    str_addf(out, "%s%s", out->len > before ? ", " : "",
             message("solution seen"));
}
