// SPDX-License-Identifier: Apache-2.0
// What is asked of an exercise, and what its answers come to.
#include "grade/prove/proven.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "grade/prove/step.h"

// ---- What is to be found out ----

static void ask(struct proven *p, struct work_task task) {
  if (p->count % 64 == 0)
    p->answers =
        xrealloc(p->answers, (size_t)(p->count + 64) * sizeof *p->answers);
  task.ex = p->ex;
  p->answers[p->count++] = (struct proven_answer){.task = task};
}

struct draw {
  const struct edit *edit;
  char rank[SEED_HEX];
};

static int compare_ranks(const void *a, const void *b) {
  return strcmp(((const struct draw *)a)->rank, ((const struct draw *)b)->rank);
}

static int compare_offsets(const void *a, const void *b) {
  const struct draw *x = a, *y = b;
  return (x->edit > y->edit) - (x->edit < y->edit);
}

// Those whose hash under the seed comes first, in the order of the text.
static void ask_edits(struct proven *p, const struct proven_options *q) {
  int count = p->edits.count;
  int most = q->sample && q->sample < count ? q->sample : count;
  struct draw *draws = xcalloc((size_t)count + 1, sizeof *draws);
  for (int i = 0; i < count; i++) {
    char *text = xasprintf("%lu %s", q->seed, p->edits.list[i].id);
    draws[i].edit = &p->edits.list[i];
    sha256_hex(text, strlen(text), draws[i].rank);
    free(text);
  }
  qsort(draws, (size_t)count, sizeof *draws, compare_ranks);
  qsort(draws, (size_t)most, sizeof *draws, compare_offsets);
  for (int i = 0; i < most; i++)
    ask(p, (struct work_task){.kind = WORK_EDIT, .edit = draws[i].edit});
  free(draws);
}

// Which entries of `equivalent` are edits of the solution? That needs no judging,
// so that a test asks it as well, where there are any.
static enum err find_listed(struct proven *p, bool is_test,
                            struct err_info *e) {
  enum err err = equivalents_read(p->ex, &p->equivalents, e);
  if (err || (is_test && !p->equivalents.count))
    return err;
  err = edits_make(p->ex, &p->edits, e);
  for (int i = 0; i < p->edits.count; i++) {
    struct equivalent *listed =
        equivalents_find(&p->equivalents, p->edits.list[i].id);
    if (listed)
      listed->is_standing = true;
  }
  return err;
}

static enum err prepare(struct proven *p, const struct proven_options *q,
                        struct err_info *e) {
  enum err err = exercise_load(p->name, &p->ex, e);
  if (!err && !*p->ex->written)
    err = err_set(e, ERR_ARGUMENT,
                  "%s: a learner's copy has no solution to prove", p->name);
  if (!err && p->ex->kind != EXERCISE_BATCH)
    err = find_listed(p, q->is_test, e);
  if (err)
    return err;
  if (q->is_test) {
    for (int i = 0; i < step_count(p->ex); i++)
      ask(p, (struct work_task){.kind = WORK_STEP, .step = i});
    return ERR_OK;
  }
  if (p->ex->kind == EXERCISE_BATCH) // it is read, not run: nothing to edit
    return ERR_OK;
  p->cache = cache_open(p->ex, q->program);
  ask_edits(p, q);
  ask(p, (struct work_task){.kind = WORK_COVER});
  ask(p, (struct work_task){.kind = WORK_ORDER});
  return ERR_OK;
}

void proven_open(const char *name, const struct proven_options *q,
                 struct proven *out) {
  struct err_info e = {0};
  *out = (struct proven){.name = xstrdup(name)};
  if (prepare(out, q, &e)) {
    out->error = xstrdup(e.text);
    out->count = 0;
  }
  out->waiting = out->count;
}

void proven_close(struct proven *p) {
  for (int i = 0; i < p->count; i++)
    json_decref(p->answers[i].answer);
  free(p->answers);
  cache_close(p->cache);
  edits_free(&p->edits);
  equivalents_free(&p->equivalents);
  exercise_free(p->ex);
  free(p->error);
  free(p->name);
}

// ---- Answers ----

// What the answer depends on besides the exercise; to be freed.
static char *text_of(const struct proven *p, const struct work_task *task) {
  return task->edit ? edit_text(p->ex->written, task->edit)
                    : xstrdup(p->ex->written);
}

static const char *const task_names[] = {"step", "edit", "cover", "order"};

void proven_recall(struct proven *p) {
  for (int i = 0; i < p->count && p->cache; i++) {
    struct proven_answer *a = &p->answers[i];
    char *text = text_of(p, &a->task);
    const char *known = cache_get(p->cache, task_names[a->task.kind], text);
    if (known && (a->answer = json_loads(known, 0, NULL)))
      p->waiting--;
    free(text);
  }
}

void proven_answer(struct proven *p, int i, const char *text) {
  struct proven_answer *a = &p->answers[i];
  a->answer = text ? json_loads(text, 0, NULL) : NULL;
  p->waiting--;
  if (!a->answer) {
    a->answer = json_pack("{s:s, s:i}", "error",
                          "a process that judged has died", "exit_code", 3);
  } else if (p->cache && !json_object_get(a->answer, "error") &&
             !json_object_get(a->answer, "skipped")) {
    char *about = text_of(p, &a->task);
    cache_put(p->cache, task_names[a->task.kind], about, text);
    free(about);
  }
}

// ---- What came of it ----

const char *proven_text(const json_t *answer, const char *key) {
  const char *text = json_string_value(json_object_get(answer, key));
  return text ? text : "";
}

static bool is_state(const struct proven *p, int i, const char *state) {
  return !strcmp(proven_text(p->answers[i].answer, "state"), state);
}

const struct equivalent *proven_listed(const struct proven *p, int i) {
  return equivalents_find(&p->equivalents, p->answers[i].task.edit->id);
}

static const struct proven_answer *find_answer(const struct proven *p,
                                               const char *id) {
  for (int i = 0; i < p->count; i++)
    if (p->answers[i].task.edit && !strcmp(p->answers[i].task.edit->id, id))
      return &p->answers[i];
  return NULL;
}

char *proven_fault(const struct proven *p, int i) {
  const struct equivalent *q = &p->equivalents.list[i];
  if (!q->is_standing)
    return xstrdup("the solution has no such edit");
  const struct proven_answer *a = find_answer(p, q->id);
  const char *state = a ? proven_text(a->answer, "state") : "";
  if (!strcmp(state, "rejected") || !strcmp(state, "refused"))
    return xasprintf("is listed as equivalent, and is %s: %s", state,
                     proven_text(a->answer, "how"));
  if (a && json_is_string(json_object_get(a->answer, "order")))
    return xasprintf("is listed as equivalent, and depends on order: %s",
                     proven_text(a->answer, "order"));
  return NULL;
}

static void count_edit(const struct proven *p, int i, struct proven_counts *c) {
  c->edits++;
  c->rejected += is_state(p, i, "rejected");
  c->refused += is_state(p, i, "refused");
  c->same += is_state(p, i, "same");
  if (is_state(p, i, "survives")) {
    bool is_listed = proven_listed(p, i) != NULL;
    c->listed += is_listed;
    c->surviving += !is_listed;
  }
}

static void count_answer(const struct proven *p, int i,
                         struct proven_counts *c) {
  const json_t *a = p->answers[i].answer;
  if (json_object_get(a, "exit_code")) {
    int code = (int)json_integer_value(json_object_get(a, "exit_code"));
    c->exit_code = code > c->exit_code ? code : c->exit_code;
  }
  if (json_is_true(json_object_get(a, "skipped"))) {
    c->skipped++;
    return;
  }
  switch (p->answers[i].task.kind) {
  case WORK_STEP: break;
  case WORK_EDIT: count_edit(p, i, c); break;
  case WORK_COVER:
    c->lines = (int)json_integer_value(json_object_get(a, "lines"));
    c->branches = (int)json_integer_value(json_object_get(a, "branches"));
    c->holes = (int)json_array_size(json_object_get(a, "holes"));
    break;
  case WORK_ORDER:
    c->missed += json_is_string(json_object_get(a, "order"));
    break;
  }
}

double proven_score(const struct proven_counts *c) {
  int asked = c->rejected + c->surviving;
  return asked ? 100.0 * c->rejected / asked : 100;
}

void proven_count(const struct proven *p, struct proven_counts *out) {
  *out = (struct proven_counts){.exit_code = p->error ? 2 : 0};
  for (int i = 0; i < p->count; i++)
    count_answer(p, i, out);
  for (int i = 0; i < p->equivalents.count; i++) {
    char *fault = proven_fault(p, i);
    out->missed += fault != NULL;
    free(fault);
  }
  out->missed += out->holes + (proven_score(out) < PROVEN_SCORE);
  if (out->missed && !out->exit_code)
    out->exit_code = 2;
}

bool proven_is_skipped(const struct proven *p) {
  for (int i = 0; i < p->count; i++)
    if (!json_is_true(json_object_get(p->answers[i].answer, "skipped")))
      return false;
  return p->count > 0;
}

void proven_add_counts(struct proven_counts *sum,
                       const struct proven_counts *c) {
  sum->edits += c->edits;
  sum->rejected += c->rejected;
  sum->refused += c->refused;
  sum->same += c->same;
  sum->listed += c->listed;
  sum->surviving += c->surviving;
  sum->lines += c->lines;
  sum->branches += c->branches;
  sum->holes += c->holes;
  sum->missed += c->missed;
  sum->exit_code =
      c->exit_code > sum->exit_code ? c->exit_code : sum->exit_code;
}
