// SPDX-License-Identifier: Apache-2.0
// One task of a job array, on a node of the cluster.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "grade/batch/batch.h"
#include "grade/batch/spool.h"

// What a task was sent.
struct share {
  const char *spool;
  int count;
  const char **wanted, **learners, **files; // of the plan
  struct hand_ins hand_ins;
  char (*keys)[BATCH_KEY_HEX];
  struct err_info failed;
};

static const char *text_at(const json_t *o, const char *name) {
  return json_string_value(json_object_get(o, name));
}

static enum err take_share(struct share *s, const json_t *plan, int index,
                           struct err_info *e) {
  const json_t *work = json_object_get(plan, "work");
  int each = (int)json_integer_value(json_object_get(plan, "each"));
  size_t all = json_array_size(work);
  if (each < 1 || index < 0 ||
      (size_t)index >= (all + (size_t)each - 1) / (size_t)each)
    return err_set(e, ERR_ARGUMENT, "%s: the plan has no task %d", s->spool,
                   index);
  size_t room = (size_t)each, from = (size_t)index * room;
  s->wanted = xcalloc(room, sizeof *s->wanted);
  s->learners = xcalloc(room, sizeof *s->learners);
  s->files = xcalloc(room, sizeof *s->files);
  for (size_t k = from; k < all && k < from + room; k++) {
    const json_t *one = json_array_get(work, k);
    const char *key = text_at(one, "key"), *learner = text_at(one, "learner"),
               *file = text_at(one, "file");
    if (!key || !learner || !file || strchr(learner, '/') || strchr(file, '/'))
      return err_set(e, ERR_IO, "%s: this is no plan", s->spool);
    s->wanted[s->count] = key;
    s->learners[s->count] = learner;
    s->files[s->count++] = file;
  }
  return ERR_OK;
}

static void put(struct share *s, int i, json_t *verdict) {
  if (!s->failed.code)
    spool_put_verdict(s->spool, s->wanted[i], s->keys[i], verdict, &s->failed);
}

static void take_verdict(void *context, int i, json_t *verdict, bool was_kept) {
  (void)was_kept;
  put(context, i, verdict);
}

// Where a key differs, the node is another than the sender: nothing that it says
// would be worth anything.
static enum err judge(struct share *s, const json_t *plan, struct err_info *e) {
  struct batch b = {.hand_ins = &s->hand_ins,
                    .jobs = 1,
                    .secret = text_at(plan, "secret"),
                    .course = text_at(plan, "course"),
                    .device = text_at(plan, "device"),
                    .ranks = json_is_true(json_object_get(plan, "ranks")),
                    .done = take_verdict,
                    .context = s};
  s->keys = xcalloc((size_t)s->count, sizeof *s->keys);
  enum err err = batch_keys(&b, s->keys, e);
  int differing = 0;
  for (int i = 0; !err && i < s->count; i++)
    if (strcmp(s->keys[i], s->wanted[i])) {
      put(s, i, NULL);
      differing++;
    }
  if (err || differing)
    return err;
  json_t **verdicts = xcalloc((size_t)s->count, sizeof *verdicts);
  err = batch_run(&b, verdicts, e);
  for (int i = 0; i < s->count; i++)
    json_decref(verdicts[i]);
  free(verdicts);
  return err;
}

enum err slurm_task_run(const char *spool, int number, int index,
                        struct err_info *e) {
  struct share s = {.spool = spool};
  json_t *plan;
  char *in = xasprintf("%s/in", spool);
  enum err err = spool_read_plan(spool, number, &plan, e);
  err = err ? err : take_share(&s, plan, index, e);
  if (!err) {
    err = hand_ins_of_list(in, s.learners, s.files, s.count, &s.hand_ins, e);
    err = err ? err : judge(&s, plan, e);
    hand_ins_free(&s.hand_ins);
  }
  if (!err && s.failed.code) {
    *e = s.failed;
    err = e->code;
  }
  free(s.wanted);
  free(s.learners);
  free(s.files);
  free(s.keys);
  free(in);
  json_decref(plan);
  return err;
}
