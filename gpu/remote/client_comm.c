// SPDX-License-Identifier: Apache-2.0
// Groups of devices: started together, ended together. What a group does is queued
// on one server after the other, and none waits here for another: the servers' GPUs
// do. So a wait for one rank also looks after the others.
#include "gpu/remote/client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/progress.h"
#include "gpu/remote/process.h"
#include "gpu/remote/ring.h"

#define JOIN_LIMIT_NS  ((uint64_t)90 * 1000000000)
#define LEAVE_LIMIT_NS ((uint64_t)10 * 1000000000)

// ---- The end ----

void remote_leave_group(struct remote *r) {
  struct remote_group *g = r->group;
  for (int i = 0; g && i < g->size; i++) {
    struct remote *m = g->members[i];
    m->group = NULL;
    if (!m->pid || !m->segment)
      continue;
    m->left_ns = clock_ns();
    atomic_fetch_add(&m->segment->comm.aborts, 1);
    bell_ring(server_bell(m->segment));
  }
  free(g);
}

void remote_end_group(struct gpu_device *d) {
  remote_leave_group(REMOTE(d));
}

static bool has_lost_one(const struct remote_group *g) {
  for (int i = 0; i < g->size; i++)
    if (remote_check_death(g->members[i]))
      return true;
  return false;
}

// One that waits in the library for a rank that is gone does not even hear of it.
static bool is_stuck(const struct remote *r) {
  const struct remote_comm *comm = &r->segment->comm;
  return atomic_load(&comm->obeyed) != atomic_load(&comm->aborts) &&
         clock_ns() - r->left_ns > LEAVE_LIMIT_NS;
}

void remote_watch_group(struct remote *r) {
  if (r->group && has_lost_one(r->group))
    remote_leave_group(r);
  if (!r->group && r->left_ns && r->pid && is_stuck(r))
    remote_kill(r, "its group ended, and it did not leave it");
}

bool remote_is_joined(struct gpu_device *const *ranks, int size) {
  struct remote_group *g = size > 0 ? REMOTE(ranks[0])->group : NULL;
  if (!g || g->size != size)
    return false;
  for (int i = 0; i < size; i++)
    if (g->members[i] != REMOTE(ranks[i]))
      return false;
  remote_watch_group(REMOTE(ranks[0]));
  return REMOTE(ranks[0])->group != NULL;
}

int remote_group_version(struct gpu_device *d) {
  const struct remote *r = REMOTE(d);
  return r->group && r->segment ? (int)r->segment->comm.version : 0;
}

// ---- The start ----

// What all servers of a group are waited for.
typedef bool goal_of_all(const struct remote_group *g);

static bool has_id(const struct remote_group *g) {
  return atomic_load(&g->members[0]->segment->comm.has_id);
}

static bool are_ready(const struct remote_group *g) {
  for (int i = 0; i < g->size; i++)
    if (atomic_load(&g->members[i]->segment->state) != REMOTE_READY)
      return false;
  return true;
}

// One that is lost, or could not join, is waited for by nobody.
static enum err look_at(struct remote *r, struct err_info *e) {
  remote_drain(r);
  if (atomic_load(&r->segment->state) == REMOTE_FAILED) {
    *e = r->segment->open_error;
    e->text[sizeof e->text - 1] = 0;
    return e->code;
  }
  return remote_check_death(r) ? remote_lost(r, e) : ERR_OK;
}

static enum err await_all(struct remote_group *g, goal_of_all *is_reached,
                          uint64_t limit, struct err_info *e) {
  const struct remote_options *o = &g->members[0]->options;
  int64_t pause_ns = 50000;
  while (!is_reached(g)) {
    for (int i = 0; i < g->size; i++) {
      enum err err = look_at(g->members[i], e);
      if (err)
        return err;
    }
    if (o->is_cancelled && o->is_cancelled(o->context))
      return err_set(e, ERR_CANCELLED, "stopped by the user");
    if (clock_ns() > limit)
      return err_set(e, ERR_TIMEOUT,
                     "the group of %d devices did not come together within "
                     "%d s",
                     g->size, (int)(JOIN_LIMIT_NS / 1000000000));
    nanosleep(&(struct timespec){.tv_nsec = pause_ns}, NULL);
    pause_ns = pause_ns < 2000000 ? pause_ns * 2 : pause_ns;
  }
  return ERR_OK;
}

static void hand_on_id(struct remote_group *g) {
  const unsigned char *id = g->members[0]->segment->comm.id;
  for (int i = 1; i < g->size; i++) {
    struct remote_segment *s = g->members[i]->segment;
    memcpy(s->comm.id, id, sizeof s->comm.id);
    atomic_store(&s->comm.has_id, 1);
    bell_ring(server_bell(s));
  }
}

static enum err start(struct remote_group *g, struct err_info *e) {
  uint64_t limit = clock_ns() + JOIN_LIMIT_NS;
  enum err err = ERR_OK;
  for (int i = 0; i < g->size && !err; i++) {
    g->members[i]->rank = (uint32_t)i;
    g->members[i]->ranks = (uint32_t)g->size;
    err = remote_start_again(g->members[i], e);
    g->members[i]->ranks = 0;
  }
  if (!err)
    err = await_all(g, has_id, limit, e);
  if (err)
    return err;
  hand_on_id(g);
  return await_all(g, are_ready, limit, e);
}

static enum err start_shown(struct remote_group *g, struct err_info *e) {
  struct progress progress;
  char what[48];
  snprintf(what, sizeof what, "joining %d devices", g->size);
  progress_begin(&progress, what, 0);
  enum err err = start(g, e);
  progress_end(&progress);
  return err;
}

enum err remote_join(struct gpu_device *const *ranks, int size,
                     struct err_info *e) {
  struct err_info own = {0};
  if (size < 2 || size > GPU_MAX_RANKS)
    return err_set(e, ERR_UNSUPPORTED, "a group has 2 to %d ranks",
                   GPU_MAX_RANKS);
  struct remote_group *g = xcalloc(1, sizeof *g);
  for (int i = 0; i < size; i++) {
    remote_leave_group(REMOTE(ranks[i]));
    g->members[g->size++] = REMOTE(ranks[i]);
  }
  enum err err = start_shown(g, &own);
  for (int i = 0; i < size; i++) {
    g->members[i]->group = err ? NULL : g;
    if (err) // what has joined waits for one that has not
      remote_start_again(g->members[i], NULL);
  }
  if (err)
    free(g);
  if (err && e)
    *e = own;
  return err;
}

// ---- Work ----

static enum err queue(struct gpu_device *d, const struct gpu_collective *list,
                      int count, struct err_info *e) {
  struct remote *r = REMOTE(d);
  struct remote_message m = {.op = REMOTE_OP_COLLECTIVE,
                             .slot = REMOTE_NO_SLOT,
                             .args = {(uint64_t)count},
                             .tail = {list, (size_t)count * sizeof *list}};
  r->has_launched = true;
  return remote_send(r, &m, e);
}

const struct gpu_comms remote_comms = {.queue = queue};
