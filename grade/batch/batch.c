// SPDX-License-Identifier: Apache-2.0
#include "grade/batch/batch.h"
#include "grade/batch/batch_run.h"
#include "grade/batch/journal.h"
#include "grade/batch/slurm_engine.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/pool.h"
#include "grade/exercise/exercise.h"
#include "grade/input/input.h"
#include "grade/judge/judge.h"
#include "grade/verdict/verdict.h"

// ---- What a verdict depends on ----

static void make_key(const struct batch *b, int i, const struct seed *secret,
                     const char *program, char out[BATCH_KEY_HEX]) {
  const struct hand_in *one = &b->hand_ins->list[i];
  char exercise[VERSION_HEX], hex[SEED_HEX];
  struct seed seed;
  struct seed_for who = {.course = b->course,
                         .learner = one->learner,
                         .exercise = one->ex->name,
                         .name = ""};
  seed_derive(secret, &who, &seed);
  seed_hex(&seed, hex);
  version_of_exercise(one->ex, exercise);
  char *all = xasprintf("%s\n%s\n%s\n%s\n%s\n%s%s", program, exercise, hex,
                        one->source.sha256, one->source.name,
                        b->device ? b->device : "", b->ranks ? " rank" : "");
  sha256_hex(all, strlen(all), out);
  free(all);
}

enum err batch_keys(const struct batch *b, char (*keys)[BATCH_KEY_HEX],
                    struct err_info *e) {
  struct seed secret;
  char program[VERSION_HEX];
  enum err err = seed_from_secret(b->secret, &secret, e);
  if (err)
    return err;
  version_of_program(program);
  for (int i = 0; i < b->hand_ins->count; i++)
    make_key(b, i, &secret, program, keys[i]);
  return ERR_OK;
}

// Nobody asks for them but a journal and a cluster, and to make them takes longer
// than to judge: all of the program is hashed.
static enum err find_keys(const struct batch *b, char (*keys)[BATCH_KEY_HEX],
                          struct err_info *e) {
  struct seed secret;
  return b->journal || b->cluster ? batch_keys(b, keys, e)
                                  : seed_from_secret(b->secret, &secret, e);
}

// ---- In a process of the pool ----

// A judge and the learner that it is of.
struct own {
  struct judge *judge;
  const char *learner;
};

static void *begin(void *context) {
  (void)context;
  return xcalloc(1, sizeof(struct own));
}

static bool is_same(const char *a, const char *b) {
  return !strcmp(a ? a : "", b ? b : "");
}

static enum err open_judge(const struct batch *b, struct own *own,
                           const char *learner, struct err_info *e) {
  if (own->judge && is_same(own->learner, learner))
    return ERR_OK;
  judge_close(own->judge);
  own->judge = NULL;
  own->learner = learner;
  struct judge_options q = {.secret_file = b->secret,
                            .course = b->course,
                            .learner = learner,
                            .gpu = b->device,
                            .ranks = b->ranks};
  return judge_open(&q, &own->judge, e);
}

static struct verdict *fail(const struct hand_in *one, enum verdict_blame blame,
                            const struct err_info *why) {
  struct verdict *v = verdict_new(one->ex->name, one->name, "virtual:0");
  char *text = text_clean(why->text, strlen(why->text), 1000, 0);
  verdict_set_error(v, blame, why->code, text);
  v->learner = one->learner ? xstrdup(one->learner) : NULL;
  verdict_finish(v, one->ex->points, efficiency_points(one->ex));
  free(text);
  return v;
}

struct verdict *batch_judge(struct judge *j, const struct hand_in *one) {
  return one->unread.code ? fail(one, BLAME_USAGE, &one->unread)
                          : judge_run(j, one->ex, &one->source, one->refused);
}

static char *run_task(void *context, void *mine, int task) {
  const struct batch_run *r = context;
  struct own *own = mine;
  const struct hand_in *one = &r->b->hand_ins->list[r->waiting[task]];
  struct err_info e = {0};
  struct verdict *v = open_judge(r->b, own, one->learner, &e)
                          ? fail(one, BLAME_MACHINE, &e)
                          : batch_judge(own->judge, one);
  json_t *o = verdict_json(v);
  char *text = json_dumps(o, JSON_COMPACT);
  json_decref(o);
  verdict_free(v);
  return text;
}

static void end(void *context, void *own) {
  struct own *o = own;
  (void)context;
  judge_close(o->judge);
  free(o);
}

// ---- Here ----

json_t *batch_error(const struct batch_run *r, int i,
                    const struct err_info *why) {
  struct verdict *v = fail(&r->b->hand_ins->list[i], BLAME_MACHINE, why);
  json_t *o = verdict_json(v);
  verdict_free(v);
  return o;
}

// An error of ours may be gone the next time: it is not kept.
static void keep(struct batch_run *r, int i, json_t *verdict) {
  const char *word = json_string_value(json_object_get(verdict, "verdict"));
  if (r->b->journal && strcmp(word, "error") && !r->failed.code)
    verdict_journal_add(r->b->journal, r->keys[i], verdict, &r->failed);
}

void batch_take(struct batch_run *r, int i, json_t *verdict, bool was_kept) {
  r->verdicts[i] = verdict;
  if (!was_kept)
    keep(r, i, verdict);
  r->b->done(r->b->context, i, verdict, was_kept);
}

static void take_answer(void *context, int task, const char *answer) {
  struct batch_run *r = context;
  int i = r->waiting[task];
  json_t *verdict = answer ? json_loads(answer, 0, NULL) : NULL;
  if (!verdict && r->is_last) {
    struct err_info why;
    err_set(&why, ERR_IO, "the process that judged it died, twice");
    verdict = batch_error(r, i, &why);
  }
  if (verdict)
    batch_take(r, i, verdict, false);
}

static void take_old(struct batch_run *r) {
  for (int i = 0; r->b->journal && i < r->b->hand_ins->count; i++) {
    json_t *old = verdict_journal_find(r->b->journal, r->keys[i]);
    if (old)
      batch_take(r, i, json_incref(old), true);
  }
}

// What is no source needs no cluster to say so; and a plan is JSON, which has no
// word for a name that is no UTF-8 text.
static bool is_for_here(const struct batch_run *r, int i) {
  const struct hand_in *one = &r->b->hand_ins->list[i];
  if (!r->b->cluster || one->unread.code || one->refused)
    return true;
  json_t *name = json_string(one->learner);
  json_decref(name);
  return !name;
}

static enum err run_pool(struct batch_run *r, struct err_info *e) {
  r->waiting_count = 0;
  for (int i = 0; i < r->b->hand_ins->count; i++)
    if (!r->verdicts[i] && is_for_here(r, i))
      r->waiting[r->waiting_count++] = i;
  struct pool_work w = {r->b->jobs, r->waiting_count, r, begin, run_task,
                        end,        take_answer};
  return pool_run(&w, e);
}

enum err batch_run(const struct batch *b, json_t **verdicts,
                   struct err_info *e) {
  size_t count = (size_t)b->hand_ins->count;
  struct batch_run r = {.b = b, .verdicts = verdicts};
  r.keys = xcalloc(count, sizeof *r.keys);
  r.waiting = xcalloc(count, sizeof *r.waiting);
  memset(verdicts, 0, count * sizeof *verdicts);
  enum err err = find_keys(b, r.keys, e);
  if (!err) {
    take_old(&r);
    err = run_pool(&r, e);
  }
  r.is_last = true;
  if (!err)
    err = run_pool(&r, e);
  if (!err && b->cluster && !r.failed.code)
    err = slurm_engine_run(&r, e);
  if (!err && r.failed.code) {
    *e = r.failed;
    err = e->code;
  }
  free(r.keys);
  free(r.waiting);
  return err;
}
