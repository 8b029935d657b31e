// SPDX-License-Identifier: Apache-2.0
// Waiting for a device, and what happens when the wait goes wrong: the failure
// is raised with its findings, a dead server is replaced, and device arrays
// come back from their host copies where those still hold what was copied.
#include "lua/bind/cuda/l_cuda_wait.h"

#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "gpu/remote/remote.h"
#include "lua/bind/cuda/l_cuda_calls.h"
#include "lua/bind/cuda/l_cuda_far.h"
#include "lua/bind/cuda/l_cuda_finding.h"
#include "lua/bind/cuda/l_cuda_memory.h"
#include "lua/bind/cuda/l_cuda_order.h"
#include "lua/bind/cuda/l_cuda_replay.h"

// ---- Recovery ----

// Names of arrays, for one sentence: "dx, dy and 2 more".
struct names {
  struct str text;
  int count, unnamed;
};

static void add_name(lua_State *L, struct names *n, const struct storage *s) {
  char name[80];
  if (n->count >= 8 || !array_variable_name(L, s, name, sizeof name)) {
    n->unnamed++;
    return;
  }
  str_addf(&n->text, "%s%s", n->count++ ? ", " : "", name);
}

static int end_names(struct names *n) {
  if (n->unnamed && n->count)
    str_addf(&n->text, " and %d more", n->unnamed);
  else if (n->unnamed)
    str_addf(&n->text, "%d array%s", n->unnamed, n->unnamed == 1 ? "" : "s");
  return n->count + n->unnamed;
}

// Not what is another library's: ours would be other memory.
static bool can_restore(const struct storage *s) {
  return !s->was_written && !device_storage_of(s)->lender &&
         storage_is_as_copied(s->copied_from, s->copied_version);
}

// Memory for it in the new server, filled from the host's.
static bool put_back(struct ldevice *d, struct device_storage *ds,
                     const void *from) {
  struct storage *s = &ds->base;
  struct err_info e;
  const struct gpu_backend *b = d->gpu->backend;
  size_t bytes = device_storage_block(ds);
  if (b->mem_alloc(d->gpu, bytes ? bytes : 1, ds->flags, &s->address, &e) !=
      ERR_OK)
    return false;
  s->generation = d->generation;
  return !s->bytes ||
         b->copy_in(d->gpu, s->address, from, s->bytes, 0, &e) == ERR_OK;
}

static bool restore(struct ldevice *d, struct device_storage *ds) {
  struct storage *s = &ds->base;
  const char *from = (const char *)s->copied_from->host + ds->copied_offset;
  if (!put_back(d, ds, from))
    return false;
  s->busy_on = s->copied_from->busy_on = d->gpu;
  s->last_writer = s->copied_from->last_reader = remote_last_seq(d->gpu);
  ldevice_hold(d, s->copied_from);
  return true;
}

// Gives every array of the dead server its contents back, or marks it lost.
static void restore_all(lua_State *L, struct ldevice *d, struct names *restored,
                        struct names *lost) {
  for (struct device_storage *ds = d->storages; ds; ds = ds->next) {
    struct storage *s = &ds->base;
    if (s->is_lost || s->is_freed || s->generation == d->generation)
      continue;
    s->last_reader = s->last_writer = 0;
    if (ds->twin_of) {
      // Host arrays keep their own contents; the twin is made anew.
      s->is_lost = true;
    } else if (can_restore(s) && restore(d, ds)) {
      add_name(L, restored, s);
    } else {
      s->is_lost = true;
      add_name(L, lost, s);
    }
    if (s->is_lost && !ds->is_borrowed)
      d->bytes_allocated -= s->bytes;
  }
}

static void forget_server(struct ldevice *d) {
  d->generation = remote_generation(d->gpu);
  d->launches = d->launches_settled = 0;
  d->is_polled = false;
  for (int i = 0; i < LCUDA_RECORDS; i++)
    d->records[i].number = 0;
  ldevice_drain(d); // all that was queued there is over
}

void ldevice_sync(struct ldevice *d) {
  if (remote_generation(d->gpu) != d->generation)
    forget_server(d);
}

// ---- A server that ends on purpose ----

bool ldevice_must_carry(const struct ldevice *d,
                        const struct device_storage *ds) {
  const struct storage *s = &ds->base;
  return !s->is_lost && !s->is_freed && s->generation == d->generation &&
         !ds->twin_of && !ds->is_borrowed && !ds->is_mapped && !can_restore(s);
}

void ldevice_carry_over(struct ldevice *d, const struct lcarried *list,
                        int count) {
  struct err_info e;
  int next = 0;
  forget_server(d);
  for (struct device_storage *ds = d->storages; ds; ds = ds->next) {
    struct storage *s = &ds->base;
    if (s->is_lost || s->is_freed || s->generation == d->generation)
      continue;
    bool is_carried = next < count && list[next].storage == ds;
    const void *from = is_carried ? list[next++].host : NULL;
    s->last_reader = s->last_writer = 0;
    s->is_lost =
        ds->twin_of || !(is_carried ? put_back(d, ds, from)
                                    : can_restore(s) && restore(d, ds));
    if (s->is_lost && !ds->is_borrowed)
      d->bytes_allocated -= s->bytes;
  }
  if (count) // what they were filled from goes
    remote_wait(d->gpu, GPU_ALL_STREAMS, &e);
}

// The machine that it was on is not ours any more.
static void leave(lua_State *L, struct ldevice *d, struct names *lost,
                  struct str *out) {
  forget_server(d);
  for (struct device_storage *ds = d->storages; ds; ds = ds->next) {
    struct storage *s = &ds->base;
    if (s->is_lost || s->is_freed)
      continue;
    s->last_reader = s->last_writer = 0;
    s->is_lost = true;
    if (!ds->is_borrowed)
      d->bytes_allocated -= s->bytes;
    if (!ds->twin_of)
      add_name(L, lost, s);
  }
  if (end_names(lost))
    str_addf(out, "%s %s lost, :who shows. ", lost->text.data,
             lost->count + lost->unnamed == 1 ? "is" : "are");
  str_free(&lost->text);
  lfar_leave(d, out);
}

// Starts the server anew and says in `out` what became of the arrays.
static bool recover(lua_State *L, struct ldevice *d, struct str *out) {
  struct names restored = {STR_INIT, 0, 0}, lost = {STR_INIT, 0, 0};
  struct err_info e = {0};
  double start = clock_s();
  if (lfar_is_lost(d)) {
    leave(L, d, &lost, out);
    return false;
  }
  bool is_back = remote_restart(d->gpu, &e) == ERR_OK;
  forget_server(d);
  if (is_back)
    restore_all(L, d, &restored, &lost);
  else
    str_addf(out, "%s could not be started again: %s", d->id, e.text);
  if (is_back)
    str_addf(out, "The %s was reset (%.2f s).",
             strncmp(d->id, "cuda", 4) == 0 ? "GPU" : "virtual GPU",
             clock_s() - start);
  if (end_names(&restored))
    str_addf(out, " %s restored from %s.", restored.text.data,
             restored.count + restored.unnamed == 1 ? "its host copy"
                                                    : "their host copies");
  if (end_names(&lost))
    str_addf(out, " %s %s lost, :who shows.", lost.text.data,
             lost.count + lost.unnamed == 1 ? "is" : "are");
  str_free(&restored.text);
  str_free(&lost.text);
  return is_back;
}

void ldevice_reset(lua_State *L, struct ldevice *d) {
  struct str text = STR_INIT;
  bool had_arrays = d->storages != NULL;
  bool is_back = recover(L, d, &text);
  if (!is_back || had_arrays)
    log_say(LOG_NOTE, "%s", text.data);
  str_free(&text);
}

// ---- Raising ----

static void append_message(lua_State *L, const char *text) {
  lua_getfield(L, -1, "message"); // [error, message]
  lua_pushfstring(L, "%s\n  %s", lua_tostring(L, -1), text);
  lua_setfield(L, -3, "message");
  lua_pop(L, 1);
}

static int raise_failure(lua_State *L, struct ldevice *d,
                         const struct err_info *e, const struct gpu_finding *f,
                         int count) {
  if (e->code == ERR_CANCELLED)
    bind_clear_interrupt();
  // Names are looked up, and a real GPU's fault is run again, before the
  // recovery marks arrays lost.
  struct str note = STR_INIT;
  bool is_real = d->has_info && !d->info.is_checked;
  bool has_place = count > 0 && f[0].at.line > 0;
  if (!is_real || has_place || !lcuda_push_replayed(L, d, e, &note))
    lcuda_push_failure(L, d, e, f, count); // [error]
  if (note.len)
    append_message(L, note.data);
  str_free(&note);
  // A device that cannot go on has ended its server.
  if (remote_has_died(d->gpu)) {
    struct str text = STR_INIT;
    recover(L, d, &text);
    if (text.len)
      append_message(L, text.data);
    str_free(&text);
  }
  ldevice_drain(d);
  return lua_error(L);
}

int ldevice_fail(lua_State *L, struct ldevice *d, const struct err_info *e) {
  struct gpu_finding f[LCUDA_FINDINGS];
  int n = d->gpu->backend->findings(d->gpu, f, LCUDA_FINDINGS);
  raise_failure(L, d, e, f, n);
  __builtin_unreachable();
}

bool ldevice_revive(lua_State *L, struct ldevice *d) {
  if (!remote_has_died(d->gpu))
    return false;
  struct gpu_finding f[LCUDA_FINDINGS];
  int n = d->gpu->backend->findings(d->gpu, f, LCUDA_FINDINGS);
  if (n > 0 && f[0].severity == GPU_ERROR) {
    struct err_info e = {.code = (enum err)f[0].kind};
    raise_failure(L, d, &e, f, n);
  }
  struct str text = STR_INIT;
  // Of a machine that is gone the error that follows tells.
  bool is_back = !lfar_is_lost(d) && recover(L, d, &text);
  if (text.len)
    log_say(LOG_NOTE, "%s", text.data);
  str_free(&text);
  return is_back;
}

// ---- Waiting ----

static void keep_notes(lua_State *L, struct ldevice *d,
                       const struct gpu_finding *f, int n) {
  struct lcuda *c = d->owner;
  if (n == 0)
    return;
  c->notes_device = d;
  for (int i = 0; i < n; i++) {
    if (lcuda_is_moot(L, d, &f[i]))
      continue;
    if (c->note_count < LCUDA_FINDINGS)
      c->notes[c->note_count++] = f[i];
    lcuda_say_finding(L, d, &f[i]);
  }
}

// Launches that are known to have gone well are never to blame.
static void note_done(struct ldevice *d, gpu_handle stream, uint64_t seq) {
  for (int i = 0; i < LCUDA_RECORDS; i++) {
    struct launch_record *r = &d->records[i];
    if (r->seq <= seq && (stream == GPU_ALL_STREAMS || r->stream == stream))
      r->is_done = true;
  }
}

static void finish_wait(lua_State *L, struct ldevice *d, enum err err,
                        const struct err_info *e) {
  struct gpu_finding f[LCUDA_FINDINGS];
  int n = d->gpu->backend->findings(d->gpu, f, LCUDA_FINDINGS);
  if (err != ERR_OK)
    raise_failure(L, d, e, f, n);
  keep_notes(L, d, f, n);
  ldevice_drain(d);
}

void ldevice_wait(lua_State *L, struct ldevice *d, gpu_handle stream) {
  struct err_info e = {0};
  uint64_t last = remote_last_seq(d->gpu);
  double begin_us = ltrace_wait_begin(d->owner);
  enum err err = remote_wait(d->gpu, stream, &e);
  ltrace_host_waited(d->owner, begin_us);
  finish_wait(L, d, err, &e);
  note_done(d, stream, last);
}

void ldevice_wait_seq(lua_State *L, struct ldevice *d, uint64_t seq) {
  struct err_info e = {0};
  double begin_us = ltrace_wait_begin(d->owner);
  enum err err = remote_wait_seq(d->gpu, seq, &e);
  ltrace_host_waited(d->owner, begin_us);
  finish_wait(L, d, err, &e);
  note_done(d, GPU_ALL_STREAMS, seq);
}

void lcuda_await(lua_State *L, const struct array *a, bool for_write) {
  lorder_use_on_host(L, a, for_write);
  lcuda_await_storage(L, a->storage, for_write);
}

void lcuda_await_storage(lua_State *L, struct storage *s, bool for_write) {
  struct ldevice *d = lcuda_device_of(lcuda_of(L), s->busy_on);
  uint64_t seq = s->last_writer;
  if (for_write && s->last_reader > seq)
    seq = s->last_reader;
  // A number beyond the last one queued is from a server that is gone.
  if (d && seq <= remote_last_seq(d->gpu) && !remote_is_settled(d->gpu, seq))
    ldevice_wait_seq(L, d, seq);
  if (!d || for_write) {
    s->busy_on = NULL;
    s->last_reader = s->last_writer = 0;
  }
}

// ---- Between two lines at the prompt ----

// One answer is enough: where work came after it was asked for, the poll asks anew.
static enum err poll_for(struct ldevice *d, double seconds,
                         struct err_info *e) {
  double end = clock_s() + seconds;
  for (;;) {
    enum err err = d->gpu->backend->poll(d->gpu, GPU_ALL_STREAMS, e);
    d->is_polled = err == ERR_NOT_READY;
    if (err != ERR_NOT_READY || clock_s() > end)
      return err;
    nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
  }
}

static bool is_unsettled(const struct ldevice *d) {
  return d->gpu && (d->launches != d->launches_settled || d->is_polled);
}

// For as long as `seconds`; a wait without end can be stopped by Ctrl-C.
static void settle(lua_State *L, struct ldevice *d, double seconds) {
  struct err_info e = {0};
  uint64_t last = remote_last_seq(d->gpu), launches = d->launches;
  if (isinf(seconds)) {
    ldevice_wait(L, d, GPU_ALL_STREAMS);
  } else {
    enum err err = poll_for(d, seconds, &e);
    if (err == ERR_NOT_READY)
      return;
    d->launches_settled = launches;
    finish_wait(L, d, err, &e);
    note_done(d, GPU_ALL_STREAMS, last);
  }
  d->launches_settled = launches;
}

int bind_settle(lua_State *L) {
  double seconds = luaL_checknumber(L, 1);
  for (struct ldevice *d = lcuda_of(L)->devices; d; d = d->next)
    if (is_unsettled(d))
      settle(L, d, seconds);
  return 0;
}

bool bind_is_unsettled(lua_State *L) {
  for (struct ldevice *d = lcuda_of(L)->devices; d; d = d->next)
    if (is_unsettled(d))
      return true;
  return false;
}
