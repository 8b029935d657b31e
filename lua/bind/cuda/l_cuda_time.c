// SPDX-License-Identifier: Apache-2.0
// cuda.time: how long kernels take, with events on the device.
//
// A launch brackets itself with two events while `timing` is set. Runs repeat
// until the median is steady: the median absolute deviation under 1 % of it.
// After the limit of runs or seconds a deviation above 10 % is "noisy", and no
// number deserves to be believed.
#include "lua/bind/cuda/l_cuda_time.h"

#include <lauxlib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/median.h"
#include "base/mem.h"
#include "gpu/remote/remote.h"
#include "lua/bind/cuda/l_cuda_memory.h"
#include "lua/bind/cuda/l_cuda_module.h"
#include "lua/bind/cuda/l_cuda_order.h"
#include "lua/bind/cuda/l_cuda_wait.h"

enum { MAX_RUNS = 4000, MIN_RUNS = 10, MIN_VIRTUAL_RUNS = 3 };
#define STEADY           0.01
#define NOISY            0.10
#define LIMIT_S          2.0
#define HOST_LIMIT_S     0.5 // where no kernel is launched
#define PEAK_BYTES       ((size_t)256 << 20)
#define PEAK_SMALL_BYTES ((size_t)16 << 20)

// ---- Events around launches ----

void lcuda_timing_pair(lua_State *L, struct ldevice *d, gpu_handle out[2]) {
  struct lcuda_timing *t = d->owner->timing;
  struct err_info e = {0};
  if (t->pairs == t->capacity) {
    int capacity = t->capacity ? 2 * t->capacity : 4;
    t->events = xrealloc(t->events, 2 * (size_t)capacity * sizeof *t->events);
    memset(t->events + 2 * (size_t)t->capacity, 0,
           2 * (size_t)(capacity - t->capacity) * sizeof *t->events);
    t->capacity = capacity;
  }
  gpu_handle *pair = t->events + 2 * (size_t)t->pairs;
  for (int i = 0; i < 2; i++)
    if (!pair[i] &&
        d->gpu->backend->event_create(d->gpu, &pair[i], &e) != ERR_OK)
      ldevice_fail(L, d, &e);
  t->pairs++;
  t->device = d;
  out[0] = pair[0];
  out[1] = pair[1];
}

static void free_events(struct lcuda_timing *t) {
  struct err_info e;
  for (int i = 0; t->device && i < 2 * t->capacity; i++)
    if (t->events[i])
      t->device->gpu->backend->event_destroy(t->device->gpu, t->events[i], &e);
  free(t->events);
}

// ---- One run ----

struct run {
  double kernel_us, copy_in_us, copy_out_us, wait_us;
  double host_us; // a whole call with its wait
};

struct samples {
  struct run *runs;
  int count;
};

static double elapsed_us(lua_State *L, struct lcuda_timing *t) {
  double sum = 0;
  for (int i = 0; i < t->pairs; i++) {
    double ms = 0;
    struct err_info e = {0};
    if (t->device->gpu->backend->event_elapsed(t->device->gpu, t->events[2 * i],
                                               t->events[2 * i + 1], &ms,
                                               &e) != ERR_OK)
      ldevice_fail(L, t->device, &e);
    sum += ms * 1e3;
  }
  return sum;
}

static struct run run_once(lua_State *L, struct lcuda *c, int function,
                           lua_Integer n) {
  struct lcuda_timing *t = c->timing;
  t->pairs = 0;
  t->host_kernel_us = t->copy_in_us = t->copy_out_us = 0;
  double begin = clock_s();
  for (lua_Integer i = 0; i < n; i++) {
    t->array_bytes = 0;
    lua_pushvalue(L, function);
    lua_call(L, 0, 0);
    lorder_host_device(lcuda_device(L)); // nobody wrote the calls in a row
  }
  double start = clock_s();
  ldevice_wait(L, lcuda_device(L), GPU_ALL_STREAMS);
  double end = clock_s();
  double per = (double)n;
  return (struct run){
      .kernel_us = (elapsed_us(L, t) + t->host_kernel_us) / per,
      .copy_in_us = t->copy_in_us / per,
      .copy_out_us = t->copy_out_us / per,
      .wait_us = (end - start) * 1e6,
      .host_us = (end - begin) * 1e6 / per,
  };
}

// ---- Statistics ----

static double field_median(const struct samples *s, size_t field, double *mad) {
  double *v = xcalloc((size_t)s->count, sizeof *v);
  for (int i = 0; i < s->count; i++)
    memcpy(&v[i], (const char *)&s->runs[i] + field, sizeof v[i]);
  double m = median_of(v, (size_t)s->count);
  for (int i = 0; i < s->count; i++)
    v[i] = fabs(v[i] - m);
  if (mad)
    *mad = median_of(v, (size_t)s->count);
  free(v);
  return m;
}

static double spread(const struct samples *s, bool has_kernel) {
  size_t field = has_kernel ? offsetof(struct run, kernel_us)
                            : offsetof(struct run, host_us);
  double mad, m = field_median(s, field, &mad);
  return m > 0 ? mad / m : 0;
}

// ---- Options ----

struct time_options {
  lua_Integer launches, runs, warm_up; // runs 0: until steady
  bool is_cold;
};

static lua_Integer option(lua_State *L, const char *name, lua_Integer least,
                          lua_Integer fallback) {
  lua_Integer n = fallback;
  if (lua_getfield(L, 2, name) != LUA_TNIL) {
    int is_integer;
    n = lua_tointegerx(L, -1, &is_integer);
    if (!is_integer || n < least || n > 1000000)
      bind_error(L, ERR_ARGUMENT,
                 "cuda.time: %s must be a whole number from %d to 1000000",
                 name, (int)least);
  }
  lua_pop(L, 1);
  return n;
}

static struct time_options read_options(lua_State *L) {
  struct time_options o = {.launches = 1, .warm_up = 2};
  if (lua_isnoneornil(L, 2))
    return o;
  luaL_checktype(L, 2, LUA_TTABLE);
  o.launches = option(L, "n", 1, 1);
  o.runs = option(L, "r", 0, 0);
  o.warm_up = option(L, "warmup", 0, 2);
  lua_getfield(L, 2, "cold");
  o.is_cold = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return o;
}

// ---- L2 and the reachable bandwidth ----

// Fills twice the L2 cache, so that the next run finds nothing there.
static void clear_l2(lua_State *L, struct ldevice *d, struct storage *scratch) {
  struct err_info e = {0};
  struct gpu_fill fill = {
      .to = scratch->address, .width = 4, .count = scratch->bytes / 4};
  if (d->gpu->backend->mem_set(d->gpu, &fill, &e) != ERR_OK)
    ldevice_fail(L, d, &e);
}

// GB/s of a copy on the device, bytes read and written; measured once.
static double measure_peak(lua_State *L, struct ldevice *d) {
  if (d->copy_gbs > 0)
    return d->copy_gbs;
  const struct gpu_backend *b = d->gpu->backend;
  size_t bytes = d->info.is_checked ? PEAK_SMALL_BYTES : PEAK_BYTES;
  struct device_storage *ds = ldevice_alloc(L, d, 2 * bytes, 0);
  struct storage *s = &ds->base;
  struct err_info e = {0};
  double best = 0;
  gpu_handle marks[2] = {0, 0};
  enum err err = b->event_create(d->gpu, &marks[0], &e);
  if (!err)
    err = b->event_create(d->gpu, &marks[1], &e);
  for (int i = 0; !err && i < 5; i++) {
    double ms = 0;
    b->event_record(d->gpu, marks[0], 0, &e);
    err = b->copy_on(d->gpu, s->address + bytes, s->address, bytes, 0, &e);
    b->event_record(d->gpu, marks[1], 0, &e);
    if (!err)
      err = remote_wait(d->gpu, GPU_ALL_STREAMS, &e);
    if (!err)
      err = b->event_elapsed(d->gpu, marks[0], marks[1], &ms, &e);
    if (!err && ms > 0 && 2.0 * (double)bytes / ms / 1e6 > best)
      best = 2.0 * (double)bytes / ms / 1e6;
  }
  for (int i = 0; i < 2; i++)
    if (marks[i])
      b->event_destroy(d->gpu, marks[i], NULL);
  storage_unref(s);
  if (err)
    ldevice_fail(L, d, &e);
  d->copy_gbs = best;
  return best;
}

// ---- cuda.time ----

static bool is_enough(const struct time_options *o, const struct samples *s,
                      const struct lcuda_timing *t, bool is_virtual,
                      double seconds) {
  if (o->runs)
    return s->count >= o->runs;
  int least = is_virtual && t->kernel ? MIN_VIRTUAL_RUNS : MIN_RUNS;
  double limit_s = t->kernel ? LIMIT_S : HOST_LIMIT_S;
  if (s->count < least)
    return seconds > 10 * limit_s && s->count > 0;
  return s->count >= MAX_RUNS || seconds > limit_s ||
         spread(s, t->kernel) <= STEADY;
}

static void push_result(lua_State *L, struct ldevice *d,
                        const struct lcuda_timing *t, const struct samples *s,
                        double peak) {
  double mad, kernel = field_median(s, offsetof(struct run, kernel_us), &mad);
  lua_createtable(L, 0, 14);
  bind_set_number(L, "kernel_us", kernel);
  bind_set_number(L, "mad_us", mad);
  bind_set_number(L, "copy_in_us",
                  field_median(s, offsetof(struct run, copy_in_us), NULL));
  bind_set_number(L, "copy_out_us",
                  field_median(s, offsetof(struct run, copy_out_us), NULL));
  bind_set_number(L, "wait_us",
                  field_median(s, offsetof(struct run, wait_us), NULL));
  bind_set_number(L, "host_us",
                  field_median(s, offsetof(struct run, host_us), NULL));
  lua_pushinteger(L, s->count);
  lua_setfield(L, -2, "runs");
  lua_pushboolean(L, kernel > 0 && mad / kernel > NOISY);
  lua_setfield(L, -2, "noisy");
  lua_pushinteger(L, (lua_Integer)t->array_bytes);
  lua_setfield(L, -2, "bytes");
  if (kernel > 0)
    bind_set_number(L, "gbs", (double)t->array_bytes / kernel / 1e3);
  bind_set_number(L, "peak_gbs", peak);
  lua_pushstring(L, d->id);
  lua_setfield(L, -2, "device");
  if (t->kernel) {
    lua_pushstring(L, t->kernel->name);
    lua_setfield(L, -2, "kernel");
    bind_set_number(L, "compile_ms", t->compile_ms);
  }
}

// The fastest and slowest run say what "noisy" looks like.
static void set_range(lua_State *L, const struct samples *s) {
  double low = s->runs[0].kernel_us, high = low;
  for (int i = 1; i < s->count; i++) {
    low = fmin(low, s->runs[i].kernel_us);
    high = fmax(high, s->runs[i].kernel_us);
  }
  bind_set_number(L, "min_us", low);
  bind_set_number(L, "max_us", high);
}

// Runs under lua_pcall, so that `timing` and the events are always put away.
static int time_body(lua_State *L) {
  struct lcuda *c = lcuda_of(L);
  struct time_options o = read_options(L);
  struct ldevice *d = lcuda_device(L);
  struct samples s = {0};
  struct storage *scratch = NULL;
  // The samples are Lua's memory: a raise frees them.
  s.runs = lua_newuserdatauv(L, MAX_RUNS * sizeof *s.runs, 0);
  if (o.is_cold) {
    size_t l2 = (size_t)d->info.attributes[GPU_ATTR_L2_CACHE_BYTES];
    int64_t bytes = (int64_t)(l2 ? 2 * l2 : PEAK_SMALL_BYTES);
    struct device_storage *ds = ldevice_alloc(L, d, (size_t)bytes, 0);
    int64_t stride = 1;
    array_push_view(L, &ds->base, DTYPE_U8, 1, &bytes, &stride);
    scratch = &ds->base;
    storage_unref(scratch); // the array on the stack holds its own
  }
  for (lua_Integer i = 0; i < o.warm_up; i++)
    run_once(L, c, 1, o.launches);
  double start = clock_s();
  do {
    if (scratch)
      clear_l2(L, d, scratch);
    s.runs[s.count++] = run_once(L, c, 1, o.launches);
  } while (
      s.count < MAX_RUNS &&
      !is_enough(&o, &s, c->timing, d->info.is_checked, clock_s() - start));
  push_result(L, d, c->timing, &s, c->timing->kernel ? measure_peak(L, d) : 0);
  set_range(L, &s);
  return 1;
}

// cuda.time(function, {n=, r=, cold=, warmup=}): what its launches take.
static int l_time(lua_State *L) {
  struct lcuda *c = lcuda_of(L);
  struct lcuda_timing timing = {0};
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 2);
  if (c->timing)
    bind_error(L, ERR_ARGUMENT, "cuda.time inside cuda.time");
  lua_pushcfunction(L, time_body);
  lua_insert(L, 1);
  c->timing = &timing;
  int status = lua_pcall(L, 2, 1, 0);
  c->timing = NULL;
  free_events(&timing);
  if (status != LUA_OK)
    return lua_error(L);
  return 1;
}

// cuda.clock(): seconds of a clock that only goes forward.
static int l_clock(lua_State *L) {
  lua_pushnumber(L, clock_s());
  return 1;
}

int lcuda_open_time(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"time", l_time}, {"clock", l_clock}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
  return 0;
}
