// SPDX-License-Identifier: Apache-2.0
// cuda.calls: what a function asked of its devices and of jax.
#include "lua/bind/cuda/l_cuda_calls.h"

#include <lauxlib.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/str.h"
#include "lua/bind/cuda/l_cuda_memory.h"
#include "lua/bind/cuda/l_cuda_order.h"
#include "lua/bind/cuda/l_cuda_stream.h"

#define CALLS_TYPE "cuda.calls"

void lcuda_count_copy(struct lcuda *c, enum gpu_call bytes_which,
                      size_t bytes) {
  lcuda_count(c, GPU_CALL_COPIES, 1);
  lcuda_count(c, bytes_which, bytes);
}

// ---- In their order ----

static void keep(struct lcuda *c, struct ltrace_event e) {
  struct ltrace *t = c->trace;
  if (t->count == LTRACE_MOST) {
    t->left_out++;
    return;
  }
  e.at_us = (clock_s() - t->begin_s) * 1e6;
  t->list[t->count++] = e;
}

void ltrace_queued(struct lcuda *c, const struct lstream *s,
                   enum ltrace_kind kind, const char *name) {
  struct ltrace_event e = {.kind = kind, .stream = s ? s->number : 0};
  if (!c->trace)
    return;
  snprintf(e.name, sizeof e.name, "%s", name ? name : "");
  keep(c, e);
}

void ltrace_host_waited(struct lcuda *c) {
  if (c->trace)
    keep(c, (struct ltrace_event){.kind = LTRACE_HOST_WAIT,
                                  .stream = LTRACE_HOST});
}

void lcuda_count_queued(struct lcuda *c, const struct lstream *s,
                        enum gpu_call bytes_which, size_t bytes) {
  enum ltrace_kind kind =
      bytes_which == GPU_CALL_BYTES_TO_DEVICE ? LTRACE_COPY_IN
      : bytes_which == GPU_CALL_BYTES_TO_HOST ? LTRACE_COPY_OUT
                                              : LTRACE_COPY_ON;
  lcuda_count_copy(c, bytes_which, bytes);
  if (c->trace)
    keep(c, (struct ltrace_event){
                .kind = kind, .stream = s ? s->number : 0, .bytes = bytes});
}

void lcuda_trace(lua_State *L, struct ltrace *t) {
  lcuda_of(L)->trace = t;
  if (t)
    *t = (struct ltrace){.begin_s = clock_s()};
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
