// SPDX-License-Identifier: Apache-2.0
// cuda.calls: what a function asked of its devices and of jax.
#include "lua/bind/cuda/l_cuda_calls.h"

#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "lua/bind/cuda/l_cuda_memory.h"
#include "lua/bind/cuda/l_cuda_order.h"
#include "lua/bind/cuda/l_cuda_stream.h"
#include "lua/bind/cuda/l_cuda_wait.h"

#define CALLS_TYPE "cuda.calls"

void lcuda_count_copy(struct lcuda *c, enum gpu_call bytes_which,
                      size_t bytes) {
  lcuda_count(c, GPU_CALL_COPIES, 1);
  lcuda_count(c, bytes_which, bytes);
}

// ---- In their order ----
//
// What is queued stands between two events on its stream. At the end one more event,
// behind everything, ties the device's clock to the host's.

struct trace_mark {
  struct ldevice *device; // NULL: there are none
  uint64_t generation;    // of its server, whose events are gone with it
  gpu_handle stream, events[2];
  double at_us; // of the first
};

struct ltracer {
  struct ltrace *trace;
  bool is_over; // what is waited for now is no part of it
  struct trace_mark begun, marks[LTRACE_MOST];
};

static double now_us(const struct ltracer *r) {
  return (clock_s() - r->trace->begin_s) * 1e6;
}

static bool has_events(const struct trace_mark *m) {
  return m->device && m->device->gpu && m->generation == m->device->generation;
}

static void drop_mark(struct trace_mark *m) {
  struct err_info e;
  for (int i = 0; i < 2 && has_events(m); i++)
    if (m->events[i])
      m->device->gpu->backend->event_destroy(m->device->gpu, m->events[i], &e);
  *m = (struct trace_mark){0};
}

static void make_mark(struct trace_mark *m, struct ldevice *d) {
  struct err_info e;
  if (has_events(m) && m->device == d)
    return;
  drop_mark(m);
  m->device = d;
  m->generation = d->generation;
  for (int i = 0; i < 2; i++)
    if (m->device &&
        d->gpu->backend->event_create(d->gpu, &m->events[i], &e) != ERR_OK)
      drop_mark(m);
}

static bool record_mark(const struct trace_mark *m, int i) {
  struct err_info e;
  return has_events(m) && !m->device->gpu->backend->event_record(
                              m->device->gpu, m->events[i], m->stream, &e);
}

// What a stream captures does not run now.
void ltrace_begin(struct ldevice *d, gpu_handle stream) {
  struct ltracer *r = d->owner->tracer;
  if (!r || d->owner->capture_device || r->trace->count == LTRACE_MOST)
    return;
  make_mark(&r->begun, d);
  r->begun.stream = stream;
  r->begun.at_us = now_us(r);
  if (!record_mark(&r->begun, 0))
    drop_mark(&r->begun);
}

static struct ltrace_event *keep(struct ltracer *r, enum ltrace_kind kind,
                                 int stream) {
  struct ltrace *t = r->trace;
  if (t->count == LTRACE_MOST) {
    t->left_out++;
    return NULL;
  }
  struct ltrace_event *e = &t->list[t->count++];
  *e = (struct ltrace_event){.kind = kind,
                             .stream = stream,
                             .queued_us = now_us(r),
                             .start_us = NAN,
                             .end_us = NAN};
  return e;
}

// Something that was queued, and the event behind it.
static struct ltrace_event *
keep_queued(struct ltracer *r, enum ltrace_kind kind, const struct lstream *s) {
  struct ltrace_event *e = keep(r, kind, s ? s->number : 0);
  if (e && record_mark(&r->begun, 1)) {
    e->queued_us = r->begun.at_us; // before the host handed its bytes over
    r->marks[e - r->trace->list] = r->begun;
    r->begun = (struct trace_mark){0};
  }
  return e;
}

void ltrace_queued(struct lcuda *c, const struct lstream *s,
                   enum ltrace_kind kind, const char *name) {
  struct ltrace_event *e = c->tracer ? keep_queued(c->tracer, kind, s) : NULL;
  if (e)
    snprintf(e->name, sizeof e->name, "%s", name ? name : "");
}

double ltrace_wait_begin(const struct lcuda *c) {
  return c->tracer ? now_us(c->tracer) : 0;
}

void ltrace_host_waited(struct lcuda *c, double begin_us) {
  struct ltracer *r = c->tracer;
  struct ltrace_event *e =
      r && !r->is_over ? keep(r, LTRACE_HOST_WAIT, LTRACE_HOST) : NULL;
  if (!e)
    return;
  e->end_us = e->queued_us;
  e->queued_us = e->start_us = begin_us;
}

void lcuda_count_queued(struct lcuda *c, const struct lstream *s,
                        enum gpu_call bytes_which, size_t bytes) {
  enum ltrace_kind kind =
      bytes_which == GPU_CALL_BYTES_TO_DEVICE ? LTRACE_COPY_IN
      : bytes_which == GPU_CALL_BYTES_TO_HOST ? LTRACE_COPY_OUT
                                              : LTRACE_COPY_ON;
  lcuda_count_copy(c, bytes_which, bytes);
  struct ltrace_event *e = c->tracer ? keep_queued(c->tracer, kind, s) : NULL;
  if (e)
    e->bytes = bytes;
}

static double elapsed_us(const struct trace_mark *m, gpu_handle last, int i) {
  struct err_info e;
  double ms;
  return m->device->gpu->backend->event_elapsed(m->device->gpu, m->events[i],
                                                last, &ms, &e) == ERR_OK
             ? ms * 1e3
             : NAN;
}

// The last event is done now, and so is everything before it.
static void ask_device(lua_State *L, struct ltracer *r, struct ldevice *d) {
  struct trace_mark *last = &r->begun;
  ldevice_wait(L, d, GPU_ALL_STREAMS);
  make_mark(last, d);
  last->stream = 0;
  if (!record_mark(last, 0))
    return;
  ldevice_wait(L, d, 0);
  double end_us = now_us(r);
  for (int i = 0; i < r->trace->count; i++) {
    struct trace_mark *m = &r->marks[i];
    if (m->device != d || !has_events(m))
      continue;
    r->trace->list[i].start_us = end_us - elapsed_us(m, last->events[0], 0);
    r->trace->list[i].end_us = end_us - elapsed_us(m, last->events[0], 1);
    drop_mark(m); // was asked
  }
}

int lcuda_trace_finish(lua_State *L) {
  struct ltracer *r = lcuda_of(L)->tracer;
  r->is_over = true;
  for (int i = 0; i < r->trace->count; i++)
    if (has_events(&r->marks[i]))
      ask_device(L, r, r->marks[i].device);
  return 0;
}

void lcuda_trace(lua_State *L, struct ltrace *t) {
  struct lcuda *c = lcuda_of(L);
  if (c->tracer) {
    drop_mark(&c->tracer->begun);
    for (int i = 0; i < LTRACE_MOST; i++)
      drop_mark(&c->tracer->marks[i]);
    free(c->tracer);
    c->tracer = NULL;
  }
  if (!t)
    return;
  *t = (struct ltrace){.begin_s = clock_s()};
  c->tracer = xcalloc(1, sizeof *c->tracer);
  c->tracer->trace = t;
}

// ---- The peak ----

// What nothing refers to goes, so that a peak is the program's and not the
// collector's.
static void collect(lua_State *L, struct ldevice *d) {
  const struct bind_options *o = &lcuda_of(L)->options;
  enum { BYTES_A_UNIT = 16 };
  if (o->charge)
    o->charge(o->meter, (double)lua_gc(L, LUA_GCCOUNT) * 1024 / BYTES_A_UNIT);
  lua_gc(L, LUA_GCCOLLECT);
  ldevice_drain(d);
}

void lcuda_before_alloc(lua_State *L, struct ldevice *d, size_t bytes) {
  const struct lcuda *c = d->owner;
  if (c->counting && d->bytes_allocated + bytes >
                         c->calls_base + c->calls.count[GPU_CALL_PEAK_BYTES])
    collect(L, d);
}

void lcuda_count_alloc(struct ldevice *d) {
  struct lcuda *c = d->owner;
  uint64_t *peak = &c->calls.count[GPU_CALL_PEAK_BYTES];
  lcuda_count(c, GPU_CALL_ALLOCATIONS, 1);
  if (d->bytes_allocated > c->calls_base + *peak)
    *peak = d->bytes_allocated - c->calls_base;
}

void lcuda_start_counting(lua_State *L) {
  struct lcuda *c = lcuda_of(L);
  c->counting++;
  c->calls_base = 0;
  for (struct ldevice *d = c->devices; d; d = d->next) {
    collect(L, d);
    if (d->bytes_allocated > c->calls_base)
      c->calls_base = d->bytes_allocated;
  }
  c->calls = (struct gpu_calls){0};
  lorder_restart_chain(c);
}

// ---- In Lua ----

// "launches          4", a row for each that is not 0.
static int calls_tostring(lua_State *L) {
  struct str text = STR_INIT;
  for (int i = 0; i < GPU_CALL_COUNT; i++) {
    lua_getfield(L, 1, gpu_calls[i].name);
    lua_Integer n = lua_tointeger(L, -1);
    if (n)
      str_addf(&text, "%s%-16s %10lld", text.len ? "\n" : "", gpu_calls[i].name,
               (long long)n);
    lua_pop(L, 1);
  }
  lua_pushstring(L, text.len ? text.data : "nothing was asked for");
  str_free(&text);
  return 1;
}

static void push_calls(lua_State *L, const struct gpu_calls *calls) {
  lua_createtable(L, 0, GPU_CALL_COUNT);
  for (int i = 0; i < GPU_CALL_COUNT; i++)
    bind_set_integer(L, gpu_calls[i].name, (lua_Integer)calls->count[i]);
  if (luaL_newmetatable(L, CALLS_TYPE)) {
    lua_pushcfunction(L, calls_tostring);
    lua_setfield(L, -2, "__tostring");
  }
  lua_setmetatable(L, -2);
}

static void keep_most(struct lcuda *c, enum gpu_call which, uint64_t a,
                      uint64_t b) {
  c->calls.count[which] = a > b ? a : b;
}

// cuda.calls(f): what f() asked for.
static int l_calls(lua_State *L) {
  struct lcuda *c = lcuda_of(L);
  struct gpu_calls before = c->calls;
  uint64_t base = c->calls_base;
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  lcuda_start_counting(L);
  int status = lua_pcall(L, 0, 0, 0);
  struct gpu_calls own = c->calls;
  uint64_t most = c->calls_base + own.count[GPU_CALL_PEAK_BYTES];
  c->counting--;
  c->calls_base = base;
  for (int i = 0; i < GPU_CALL_COUNT; i++)
    c->calls.count[i] += before.count[i];
  keep_most(c, GPU_CALL_PEAK_BYTES, before.count[GPU_CALL_PEAK_BYTES],
            most > base ? most - base : 0);
  keep_most(c, GPU_CALL_CHAIN, before.count[GPU_CALL_CHAIN],
            own.count[GPU_CALL_CHAIN]);
  if (status)
    return lua_error(L);
  push_calls(L, &own);
  return 1;
}

int lcuda_open_calls(lua_State *L) {
  lua_pushcfunction(L, l_calls);
  lua_setfield(L, -2, "calls");
  return 0;
}
