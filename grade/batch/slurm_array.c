// SPDX-License-Identifier: Apache-2.0
#include "grade/batch/slurm_array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "cluster/cluster.h"
#include "grade/batch/spool.h"

enum { MINUTES_MORE = 5 }; // to start on a node, beside one a hand-in

int slurm_array_tasks(const struct slurm_array *s) {
  return (s->count + s->each - 1) / s->each;
}

char *slurm_array_comment(const struct spool *s, int number) {
  return xasprintf("warpshop-%s-%d", spool_id(s), number);
}

const char *slurm_array_gres(const char *device, bool is_ranked,
                             bool has_shards) {
  if (!device || !str_starts(device, "cuda"))
    return NULL;
  return has_shards && !is_ranked ? "--gres=shard:1" : "--gres=gpu:1";
}

// ---- Its plan ----

static json_t *make_plan(const struct batch_run *r,
                         const struct slurm_array *s) {
  const struct batch *b = r->b;
  json_t *work = json_array();
  for (int k = 0; k < s->count; k++) {
    const struct hand_in *one = &b->hand_ins->list[s->items[k]];
    json_array_append_new(work, json_pack("{s:s,s:s,s:s}", "key",
                                          r->keys[s->items[k]], "learner",
                                          one->learner, "file", one->file));
  }
  char *secret = b->secret ? realpath(b->secret, NULL) : NULL;
  json_t *plan = json_pack("{s:i,s:b,s:s*,s:s*,s:s*,s:o}", "each", s->each,
                           "ranks", b->ranks, "course", b->course, "secret",
                           secret, "device", b->device, "work", work);
  free(secret);
  return plan;
}

static enum err put_plan(const struct batch_run *r, const struct slurm_array *s,
                         struct err_info *e) {
  json_t *plan = make_plan(r, s);
  char *text = plan ? json_dumps(plan, JSON_COMPACT) : NULL, name[32];
  json_decref(plan);
  if (!text)
    return err_set(e, ERR_ARGUMENT, "a name in a plan is no UTF-8 text");
  snprintf(name, sizeof name, "plan/%d.json", s->number);
  enum err err = spool_put(r->b->cluster->spool, name, text, e);
  free(text);
  return err;
}

enum err slurm_array_put(const struct batch_run *r, const struct slurm_array *s,
                         struct err_info *e) {
  enum err err = ERR_OK;
  for (int k = 0; !err && k < s->count; k++)
    err = spool_put_hand_in(r->b->cluster->spool,
                            &r->b->hand_ins->list[s->items[k]], e);
  return err ? err : put_plan(r, s, e);
}

// ---- Handed over ----

// The words for sbatch, each to be freed. The script has no word of anybody's in
// it: they are its arguments.
struct words {
  int count;
  char *list[48];
};

static void add(struct words *w, char *word) {
  w->list[w->count++] = word;
}

static void add_unless_wished(struct words *w, const struct slurm_wish *wish,
                              const char *option, const char *value) {
  if (!slurm_wish_has(wish, option))
    add(w, xasprintf("%s=%s", option, value));
}

static void add_job(struct words *w, const struct batch_run *r,
                    const struct slurm_array *s, bool has_shards) {
  const struct batch_cluster *c = r->b->cluster;
  int tasks = slurm_array_tasks(s);
  char limit[32] = "", number[16];
  if (c->at_once)
    snprintf(limit, sizeof limit, "%%%d", c->at_once);
  snprintf(number, sizeof number, "%d", s->each + MINUTES_MORE);
  add(w, xstrdup("--parsable"));
  add(w, xasprintf("--array=0-%d%s", tasks - 1, limit));
  add(w, xasprintf("--job-name=warpshop-%s", spool_id(c->spool)));
  char *comment = slurm_array_comment(c->spool, s->number);
  add(w, xasprintf("--comment=%s", comment));
  free(comment);
  add(w,
      xasprintf("--output=%s/log/%d_%%a.txt", spool_path(c->spool), s->number));
  add(w, xstrdup("--ntasks=1"));
  add(w, xstrdup("--cpus-per-task=1"));
  add(w, xstrdup("--requeue"));
  add(w, xstrdup("--export=ALL"));
  add_unless_wished(w, c->wish, "--mem", "2G");
  add_unless_wished(w, c->wish, "--time", number);
  const char *gres = slurm_array_gres(r->b->device, r->b->ranks, has_shards);
  if (gres && !slurm_wish_has(c->wish, "--gres"))
    add(w, xstrdup(gres));
  for (int i = 0; i < c->wish->count; i++)
    add(w, xstrdup(c->wish->options[i]));
}

enum err slurm_array_submit(const struct batch_run *r,
                            const struct slurm_array *s, bool has_shards,
                            struct err_info *e) {
  const struct batch_cluster *c = r->b->cluster;
  struct words w = {0};
  char *program = realpath("/proc/self/exe", NULL);
  add_job(&w, r, s, has_shards);
  add(&w, xasprintf("%s/task.sh", spool_path(c->spool)));
  add(&w, program ? program : xstrdup("warpshop"));
  add(&w, xstrdup("grade"));
  add(&w, xasprintf("--task=%d", s->number));
  add(&w, xasprintf("--spool=%s", spool_path(c->spool)));
  enum err err = slurm_submit((const char *const *)w.list, e);
  for (int i = 0; i < w.count; i++)
    free(w.list[i]);
  return err;
}
