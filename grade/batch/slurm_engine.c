// SPDX-License-Identifier: Apache-2.0
#include "grade/batch/slurm_engine.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "cluster/cluster.h"
#include "grade/batch/slurm_array.h"
#include "grade/batch/spool.h"

enum {
  USUAL_EACH = 10, // hand-ins of one task
  MAX_SENT = 2,
  STEP_MS = 200, // between two looks into the spool
};
// Between two questions to Slurm: more and more while nothing happens.
static const double least_pause_s = 0.5, most_pause_s = 10;

// Where a hand-in is.
struct state {
  int times; // that it was sent
  int sent;  // by which array, -1: by none
  int task;  // of it
  bool is_live;
};

struct engine {
  struct batch_run *r;
  const struct batch_cluster *c;
  struct slurm_config config;
  struct map *by_key; // hand-ins; the number plus one as a pointer
  struct state *states;
  int sent_count;
  struct slurm_array *sent;
  int most_tasks;  // that Slurm has taken at once; it grows and shrinks
  bool is_waiting; // for an answer of Slurm's
  char *reason;    // why nothing runs, as last told
  double ask_at_s, pause_s;
};

static void note(const struct engine *g, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void note(const struct engine *g, const char *fmt, ...) {
  char text[900];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  g->c->note(g->r->b->context, text);
}

static int count_left(const struct engine *g) {
  int left = 0;
  for (int i = 0; i < g->r->b->hand_ins->count; i++)
    left += !g->r->verdicts[i];
  return left;
}

// ---- What comes back ----

// What is known already, or of another batch, is not needed any more.
static bool take_verdict(void *context, const char *wanted, const char *key,
                         json_t *verdict) {
  struct engine *g = context;
  size_t number = (size_t)map_get(g->by_key, wanted, strlen(wanted));
  if (!number || g->r->verdicts[number - 1])
    return true;
  int i = (int)number - 1;
  if (strcmp(wanted, key) || !json_is_object(verdict)) {
    struct err_info why;
    err_set(&why, ERR_IO,
            "the node has another program, compiler, exercise or secret than "
            "this machine: all must use one installation (docs/teaching.md)");
    batch_take(g->r, i, batch_error(g->r, i, &why), false);
  } else {
    batch_take(g->r, i, json_incref(verdict), false);
  }
  return !g->r->failed.code;
}

static void collect(struct engine *g) {
  struct spool_reader to = {take_verdict, g};
  int before = count_left(g);
  spool_collect(g->c->spool, &to);
  if (count_left(g) < before)
    g->pause_s = least_pause_s;
}

// ---- What is on its way ----

static void mark_live(struct engine *g, int number, int task) {
  const struct slurm_array *s = &g->sent[number];
  for (int k = 0; k < s->count; k++)
    if (s->items[k] >= 0 && k / s->each == task) {
      struct state *at = &g->states[s->items[k]];
      at->is_live |= at->sent == number;
    }
}

static void take_task(struct engine *g, const struct slurm_task *t) {
  for (int k = 0; k < g->sent_count; k++) {
    char *comment = slurm_array_comment(g->c->spool, g->sent[k].number);
    bool is_it = !strcmp(comment, t->comment);
    free(comment);
    if (!is_it)
      continue;
    g->sent[k].is_seen = true;
    if (t->is_live && t->index >= 0)
      mark_live(g, k, t->index);
    return;
  }
}

static bool is_usual(const char *reason) {
  static const char *const usual[] = {"None", "Resources", "Priority",
                                      "JobArrayTaskLimit", "BeginTime"};
  for (size_t k = 0; k < sizeof usual / sizeof *usual; k++)
    if (!strcmp(usual[k], reason))
      return true;
  return false;
}

// Why tasks wait, where somebody may have to act: one is held, whatever the others
// do, or none runs, and not for want of room. NULL: nobody has to.
static const char *find_reason(const struct engine *g,
                               const struct slurm_queue *q) {
  const char *reason = NULL;
  bool runs = false;
  char ours[80];
  snprintf(ours, sizeof ours, "warpshop-%s-", spool_id(g->c->spool));
  for (int i = 0; i < q->count; i++) {
    const struct slurm_task *t = &q->list[i];
    if (!str_starts(t->comment, ours) || !t->is_live)
      continue;
    if (str_starts(t->reason, "JobHeld"))
      return t->reason;
    runs |= t->runs;
    if (!is_usual(t->reason))
      reason = t->reason;
  }
  return runs ? NULL : reason;
}

static void tell_reason(struct engine *g, const struct slurm_queue *q) {
  const char *reason = find_reason(g, q);
  if (!reason || (g->reason && !strcmp(g->reason, reason)))
    return;
  note(g, "tasks wait, and Slurm says: %.200s%s", reason,
       str_starts(reason, "JobHeld") ? "; scontrol release lets them go on"
                                     : "");
  free(g->reason);
  g->reason = xstrdup(reason);
}

// Nothing of it is in the queue, and nobody has heard that it was taken: it was
// not.
static void forget_unsure(struct engine *g) {
  for (int k = 0; k < g->sent_count; k++) {
    struct slurm_array *s = &g->sent[k];
    if (s->is_seen)
      s->is_sure = true;
    if (s->is_sure)
      continue;
    for (int i = 0; i < g->r->b->hand_ins->count; i++)
      if (g->states[i].sent == k) {
        g->states[i].sent = -1;
        g->states[i].times--;
      }
    char name[32];
    snprintf(name, sizeof name, "plan/%d.json", s->number);
    spool_drop(g->c->spool, name);
    s->count = 0;
    s->is_sure = true;
  }
}

// false: Slurm does not answer, and what lives is not known.
static bool ask_queue(struct engine *g) {
  struct slurm_queue q;
  struct err_info e;
  if (slurm_queue_read(&q, &e)) {
    if (!g->is_waiting)
      note(g, "Slurm does not answer (%.300s); waiting", e.text);
    g->is_waiting = true;
    return false;
  }
  if (g->is_waiting)
    note(g, "Slurm answers again");
  g->is_waiting = false;
  for (int i = 0; i < g->r->b->hand_ins->count; i++)
    g->states[i].is_live = false;
  for (int k = 0; k < g->sent_count; k++)
    g->sent[k].is_seen = false;
  for (int i = 0; i < q.count; i++)
    take_task(g, &q.list[i]);
  forget_unsure(g);
  tell_reason(g, &q);
  slurm_queue_free(&q);
  return true;
}

// ---- What was lost ----

static void give_up(struct engine *g, int i) {
  const struct state *at = &g->states[i];
  char *last =
      spool_last_words(g->c->spool, g->sent[at->sent].number, at->task);
  struct err_info why;
  err_set(&why, ERR_IO,
          "its task ended twice on the cluster without a verdict%s%.300s%s",
          last ? "; it said: " : ", and without a word: do the nodes see ",
          last ? last : spool_path(g->c->spool), last ? "" : "?");
  batch_take(g->r, i, batch_error(g->r, i, &why), false);
  free(last);
}

// Whoever is neither in the queue nor in the spool is not on its way.
static void find_lost(struct engine *g) {
  int lost = 0;
  for (int i = 0; i < g->r->b->hand_ins->count; i++) {
    struct state *at = &g->states[i];
    if (g->r->verdicts[i] || at->sent < 0 || at->is_live)
      continue;
    if (at->times >= MAX_SENT) {
      give_up(g, i);
      continue;
    }
    at->sent = -1;
    lost++;
  }
  if (lost)
    note(g, "%d hand-in%s came back without a verdict: sent again", lost,
         lost == 1 ? "" : "s");
}

// ---- What is sent ----

// One that took others along, perhaps, goes alone the next time.
static int each_of(const struct engine *g, bool is_again) {
  return is_again ? 1 : g->c->wish->each ? g->c->wish->each : USUAL_EACH;
}

// The hand-ins that wait to be sent, as one array: those that were sent before
// apart from the others.
static struct slurm_array *make_array(struct engine *g, bool is_again) {
  const struct hand_ins *all = g->r->b->hand_ins;
  int each = each_of(g, is_again), number = 1;
  for (int k = 0; k < g->sent_count; k++)
    if (g->sent[k].number >= number)
      number = g->sent[k].number + 1;
  struct slurm_array s = {.number = number, .each = each};
  s.items = xcalloc((size_t)all->count, sizeof *s.items);
  for (int i = 0; i < all->count && s.count / each < g->most_tasks; i++)
    if (!g->r->verdicts[i] && g->states[i].sent < 0 &&
        (g->states[i].times > 0) == is_again)
      s.items[s.count++] = i;
  if (!s.count) {
    free(s.items);
    return NULL;
  }
  size_t count = (size_t)g->sent_count + 1;
  g->sent = xrealloc(g->sent, count * sizeof *g->sent);
  g->sent[g->sent_count] = s;
  for (int k = 0; k < s.count; k++) {
    struct state *at = &g->states[s.items[k]];
    *at = (struct state){at->times + 1, g->sent_count, k / each, true};
  }
  return &g->sent[g->sent_count++];
}

static void grow(struct engine *g, int tasks) {
  int most =
      2 * tasks < g->config.most_tasks ? 2 * tasks : g->config.most_tasks;
  g->most_tasks = most > g->most_tasks ? most : g->most_tasks;
}

// Sends one array. Where Slurm refuses, it is known from the queue that it has
// not got it; the next try is half as large.
static enum err send_one(struct engine *g, struct slurm_array *s,
                         struct err_info *e) {
  int tasks = slurm_array_tasks(s);
  enum err err = slurm_array_put(g->r, s, e);
  if (err)
    return err;
  err = slurm_array_submit(g->r, s, g->config.has_shards, e);
  if (!err) {
    s->is_sure = true;
    grow(g, tasks);
    return ERR_OK;
  }
  if (err == ERR_NOT_FOUND || !ask_queue(g))
    return err == ERR_NOT_FOUND ? err : ERR_OK;
  if (s->count) // the queue has it all the same
    return ERR_OK;
  g->most_tasks = tasks / 2;
  return tasks > 1 ? ERR_OK : err;
}

static bool any_on_its_way(const struct engine *g) {
  for (int i = 0; i < g->r->b->hand_ins->count; i++)
    if (!g->r->verdicts[i] && g->states[i].sent >= 0)
      return true;
  return false;
}

// All that waits. Where even one task is refused, there may be room later, when
// some of ours are done; else that is the end.
static enum err send_waiting(struct engine *g, struct err_info *e) {
  for (int again = 0; again < 2; again++)
    for (struct slurm_array *s; (s = make_array(g, again));) {
      enum err err = send_one(g, s, e);
      if (g->is_waiting)
        return ERR_OK;
      if (g->most_tasks < 1 && any_on_its_way(g))
        err = ERR_OK;
      if (g->most_tasks < 1 || err) {
        g->most_tasks = 1;
        return err;
      }
    }
  return ERR_OK;
}

static enum err send_all(struct engine *g, struct err_info *e) {
  int first = g->sent_count, hand_ins = 0, tasks = 0;
  enum err err = send_waiting(g, e);
  for (int k = first; k < g->sent_count; k++) {
    hand_ins += g->sent[k].count;
    tasks += slurm_array_tasks(&g->sent[k]);
  }
  if (hand_ins)
    note(g, "%d hand-in%s sent to Slurm in %d task%s", hand_ins,
         hand_ins == 1 ? "" : "s", tasks, tasks == 1 ? "" : "s");
  return err;
}

// ---- The whole ----

// Hand-in `i` went out with array `sent`, the last one that has it.
static void take_planned(struct engine *g, int i, int sent, int task) {
  struct state *at = &g->states[i];
  if (at->sent < 0 || g->sent[at->sent].number < g->sent[sent].number)
    *at = (struct state){1, sent, task, false};
}

// A plan of a batch that was killed: some of it may be on its way.
static void take_plan(struct engine *g, int number) {
  json_t *plan, *one;
  size_t k;
  if (spool_read_plan(spool_path(g->c->spool), number, &plan, NULL))
    return;
  json_t *work = json_object_get(plan, "work");
  struct slurm_array s = {.number = number};
  s.each = (int)json_integer_value(json_object_get(plan, "each"));
  s.each = s.each < 1 ? 1 : s.each;
  s.items = xcalloc(json_array_size(work) + 1, sizeof *s.items);
  size_t count = (size_t)g->sent_count + 1;
  g->sent = xrealloc(g->sent, count * sizeof *g->sent);
  g->sent[g->sent_count] = s;
  json_array_foreach(work, k, one) {
    const char *key = json_string_value(json_object_get(one, "key"));
    size_t i = key ? (size_t)map_get(g->by_key, key, strlen(key)) : 0;
    s.items[k] = (int)i - 1; // -1: it has changed since
    if (i)
      take_planned(g, (int)i - 1, g->sent_count, (int)k / s.each);
  }
  g->sent[g->sent_count++].count = (int)json_array_size(work);
  json_decref(plan);
}

static enum err begin(struct engine *g, struct err_info *e) {
  int count = g->r->b->hand_ins->count, plans;
  enum err err = slurm_config_read(&g->config, e);
  if (err)
    return err;
  g->most_tasks = g->config.most_tasks;
  g->by_key = map_new();
  g->states = xcalloc((size_t)count, sizeof *g->states);
  for (int i = 0; i < count; i++) {
    g->states[i].sent = -1;
    map_set(g->by_key, g->r->keys[i], strlen(g->r->keys[i]),
            (void *)((size_t)i + 1));
  }
  int *numbers = spool_plans(g->c->spool, &plans);
  for (int i = 0; i < plans; i++)
    take_plan(g, numbers[i]);
  free(numbers);
  return spool_put(g->c->spool, "task.sh", "#!/bin/sh\nexec \"$@\"\n", e);
}

static enum err step(struct engine *g, struct err_info *e) {
  if (clock_s() < g->ask_at_s) {
    poll(NULL, 0, STEP_MS);
    return ERR_OK;
  }
  bool is_answered = ask_queue(g);
  // What has left the queue by now lies in the spool, or will never.
  spool_refresh(g->c->spool);
  collect(g);
  if (is_answered && !g->r->failed.code)
    find_lost(g);
  enum err err = is_answered && !g->r->failed.code ? send_all(g, e) : ERR_OK;
  g->ask_at_s = clock_s() + g->pause_s;
  g->pause_s =
      g->pause_s * 1.5 < most_pause_s ? g->pause_s * 1.5 : most_pause_s;
  return err;
}

static void end(struct engine *g) {
  for (int k = 0; k < g->sent_count; k++)
    free(g->sent[k].items);
  free(g->sent);
  free(g->states);
  free(g->reason);
  map_free(g->by_key);
}

enum err slurm_engine_run(struct batch_run *r, struct err_info *e) {
  struct engine g = {.r = r, .c = r->b->cluster, .pause_s = least_pause_s};
  if (!count_left(&g))
    return ERR_OK;
  enum err err = begin(&g, e);
  if (!err)
    collect(&g);
  while (!err && !r->failed.code && count_left(&g)) {
    err = step(&g, e);
    collect(&g);
  }
  end(&g);
  return err;
}
