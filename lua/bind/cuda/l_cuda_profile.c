// SPDX-License-Identifier: Apache-2.0
// cuda.profile: what the launches of a function did, counted on the virtual
// GPU. On a real GPU each launch is run there as well, before it runs for good, and
// on the GPU itself in a server that reads its counters, where that can be.
//
// A cuda.counts is the counts of launches of one kernel and size, or the sum of
// several; its fields are the rows of gpu/counters.def.
#include "lua/bind/cuda/l_cuda_profile.h"

#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/counters_notes.h"
#include "gpu/counters_text.h"
#include "gpu/occupancy.h"
#include "gpu/remote/remote.h"
#include "lua/bind/cuda/l_cuda_finding.h"
#include "lua/bind/cuda/l_cuda_module.h"
#include "lua/bind/cuda/l_cuda_order.h"
#include "lua/bind/cuda/l_cuda_replay.h"
#include "lua/bind/cuda/l_cuda_requests.h"
#include "lua/bind/cuda/l_cuda_resources.h"
#include "lua/bind/cuda/l_cuda_wait.h"

enum { WIDTH = 80 };

// A kernel that ran, and where.
struct profiled {
  struct lkernel *kernel; // counted
  struct ldevice *device;
};

struct lcuda_profile {
  struct profiled *list;
  int count, capacity;
  bool wants_requests, leaves_hardware;
  struct lrequests requests; // of the last launch: its arrays
  // What a real GPU counted, for each kernel and size; or why one did not.
  struct gpu_hardware *hardware;
  int hardware_count;
  struct str no_hardware;
};

struct lcounts {
  struct gpu_counts counts;
  struct gpu_line_counts *lines;
  struct gpu_occupancy occupancy;
  bool has_shape; // of one kind of launches: it has an occupancy
  bool takes_doubles;
  uint32_t multiprocessors;
  char device[16];               // a real GPU, or ""
  char *kernel, *source, *file;  // of several: "", NULL, NULL
  struct gpu_hardware *hardware; // or NULL, and why
  char *no_hardware;
};

// ---- While the function runs ----

static void remember(struct lcuda_profile *p, struct lkernel *k,
                     struct ldevice *d) {
  bool is_known = false;
  for (int i = 0; i < p->count && !is_known; i++)
    is_known = p->list[i].kernel == k && p->list[i].device == d;
  if (is_known)
    return;
  if (p->count == p->capacity) {
    p->capacity = p->capacity ? 2 * p->capacity : 8;
    p->list = xrealloc(p->list, (size_t)p->capacity * sizeof *p->list);
  }
  p->list[p->count++] = (struct profiled){lkernel_ref(k), d};
}

// ---- The hardware's own counters ----

static const char only_virtual[] =
    "this is the virtual GPU, which counts by itself and has no hardware";

// What was counted of launches like that; NULL: nothing.
static struct gpu_hardware *find_hardware(const struct lcuda_profile *p,
                                          const struct gpu_hardware *like) {
  for (int i = 0; i < p->hardware_count; i++)
    if (gpu_hardware_is_alike(&p->hardware[i], like))
      return &p->hardware[i];
  return NULL;
}

static void add_hardware(struct lcuda_profile *p,
                         const struct gpu_hardware *h) {
  struct gpu_hardware *known = find_hardware(p, h);
  if (known) {
    gpu_hardware_add(known, h);
    return;
  }
  p->hardware = xrealloc(p->hardware,
                         ((size_t)p->hardware_count + 1) * sizeof *p->hardware);
  p->hardware[p->hardware_count++] = *h;
}

// Once one launch could not be counted, the others are not tried.
static void count_on_hardware(lua_State *L, struct ldevice *d,
                              const struct launch_record *record) {
  struct lcuda_profile *p = d->owner->profile;
  struct gpu_hardware h = {0};
  if (d->info.is_checked) {
    if (!p->no_hardware.len)
      str_add(&p->no_hardware, only_virtual);
    return;
  }
  if (p->no_hardware.len || p->leaves_hardware ||
      !lcuda_count_on_hardware(L, d, record, &h, &p->no_hardware))
    return;
  snprintf(h.function, sizeof h.function, "%s",
           lkernel_decl(record->kernel)->mangled);
  memcpy(h.grid, record->grid, sizeof h.grid);
  memcpy(h.block, record->block, sizeof h.block);
  h.shared_dynamic = record->shared_bytes;
  add_hardware(p, &h);
}

// Those of the launches that were counted as `c`: of all of them, or of none.
static void take_hardware(struct lcounts *c, const struct lcuda_profile *p) {
  const struct gpu_counts *g = &c->counts;
  struct gpu_hardware want = {.shared_dynamic = g->shared_dynamic};
  snprintf(want.function, sizeof want.function, "%s", g->function);
  memcpy(want.grid, g->grid, sizeof want.grid);
  memcpy(want.block, g->block, sizeof want.block);
  const struct gpu_hardware *h = find_hardware(p, &want);
  if (h && h->launches == g->count[GPU_COUNT_LAUNCHES]) {
    c->hardware = xmalloc(sizeof *c->hardware);
    *c->hardware = *h;
  }
  if (!c->hardware && p->no_hardware.len)
    c->no_hardware = xstrdup(p->no_hardware.data);
}

uint32_t lcuda_profile_flags(const struct lcuda *o) {
  return o->profile && o->profile->wants_requests ? GPU_LAUNCH_REQUESTS : 0;
}

void lcuda_profile_replayed(lua_State *L, struct ldevice *d,
                            const struct launch_record *record,
                            const uint8_t *params) {
  struct lcuda_profile *p = d->owner->profile;
  if (p && p->wants_requests)
    lrequests_note(L, &p->requests, d, record, params);
}

void lcuda_profile_launch(lua_State *L, struct ldevice *d,
                          const struct launch_record *record,
                          struct gpu_launch *launch) {
  remember(d->owner->profile, record->kernel, d);
  if (d->info.is_checked) {
    count_on_hardware(L, d, record);
    launch->flags |= GPU_LAUNCH_COUNT | lcuda_profile_flags(d->owner);
    if (record->param_bytes || !record->kernel->param_bytes)
      lcuda_profile_replayed(L, d, record, record->params);
    return;
  }
  if (record->kernel->param_bytes > sizeof record->params)
    bind_error(L, ERR_UNSUPPORTED,
               "%s takes %u bytes of parameters: a launch on a real GPU is "
               "counted up to %d; cuda.select(\"virtual:0\") counts any",
               record->kernel->name, record->kernel->param_bytes,
               (int)sizeof record->params);
  lcuda_count_on_virtual(L, d, record);
  count_on_hardware(L, d, record);
}

// ---- Counts of a launch ----

static struct lcounts *push_counts(lua_State *L) {
  struct lcounts *c = lua_newuserdatauv(L, sizeof *c, 2); // [.., counts]
  memset(c, 0, sizeof *c);
  luaL_setmetatable(L, LCUDA_COUNTS);
  c->kernel = xstrdup("");
  return c;
}

static struct lcounts *check_counts(lua_State *L) {
  return luaL_checkudata(L, 1, LCUDA_COUNTS);
}

static int counts_gc(lua_State *L) {
  struct lcounts *c = check_counts(L);
  free(c->lines);
  free(c->kernel);
  free(c->source);
  free(c->file);
  free(c->hardware);
  free(c->no_hardware);
  c->hardware = NULL;
  c->no_hardware = NULL;
  c->lines = NULL;
  c->kernel = c->source = c->file = NULL;
  c->counts.line_count = 0;
  return 0;
}

static bool may_take_doubles(const struct nvrtc_kernel *k) {
  for (int i = 0; i < k->param_count; i++) {
    enum nvrtc_type t = k->params[i].type;
    if (t == NVRTC_F64 || t == NVRTC_OPAQUE || t == NVRTC_VOID)
      return true;
  }
  return false;
}

static void describe(struct lcounts *c, const struct profiled *p) {
  struct lkernel *k = p->kernel;
  const struct lmodule *m = k->module;
  const struct gpu_counts *g = &c->counts;
  struct lresources r = lkernel_resources(k);
  struct gpu_occupancy_limits limits;
  struct gpu_occupancy_need need = {.shared_static = g->shared_static,
                                    .shared_dynamic = g->shared_dynamic,
                                    .registers = r.registers,
                                    .spill_bytes =
                                        r.registers >= 0 ? r.local_bytes : -1};
  memcpy(need.grid, g->grid, sizeof need.grid);
  memcpy(need.block, g->block, sizeof need.block);
  gpu_occupancy_limits(p->device->info.attributes, &limits);
  gpu_occupancy_compute(&limits, &need, &c->occupancy);
  c->multiprocessors = limits.multiprocessors;
  c->has_shape = true;
  if (!p->device->info.is_checked)
    snprintf(c->device, sizeof c->device, "%s", p->device->id);
  c->takes_doubles = may_take_doubles(lkernel_decl(k));
  free(c->kernel);
  c->kernel = xstrdup(k->name);
  c->source = xstrdup(nvrtc_numbered_part(m->source, m->file));
  c->file = xstrdup(m->file);
}

static const struct profiled *find_kernel(const struct lcuda_profile *p,
                                          const char *mangled) {
  for (int i = p->count; i-- > 0;)
    if (!strcmp(lkernel_decl(p->list[i].kernel)->mangled, mangled))
      return &p->list[i];
  return NULL;
}

// Fetches what `d` has counted; [list] grows by it. With no profile it is
// thrown away.
static void take_all(lua_State *L, struct ldevice *d,
                     const struct lcuda_profile *p) {
  struct err_info e = {0};
  struct gpu_counts counts;
  struct gpu_line_counts *lines;
  for (;;) {
    enum err err = d->gpu->backend->counts(d->gpu, &counts, &lines, &e);
    if (err == ERR_NOT_FOUND)
      return;
    if (err)
      ldevice_fail(L, d, &e);
    const struct profiled *k = p ? find_kernel(p, counts.function) : NULL;
    if (!k) {
      free(lines);
      continue;
    }
    struct lcounts *c = push_counts(L); // [list, counts]
    c->counts = counts;
    c->lines = lines;
    describe(c, k);
    take_hardware(c, p);
    lua_rawseti(L, -2, luaL_len(L, -2) + 1);
  }
}

static void take_from_devices(lua_State *L, struct lcuda *o,
                              const struct lcuda_profile *p) {
  for (struct ldevice *d = o->devices; d; d = d->next)
    if (d->has_info && d->info.is_checked) {
      ldevice_wait(L, d, GPU_ALL_STREAMS);
      lorder_host_device(d);
      take_all(L, d, p);
    }
}

// Of the last launch; what the first virtual GPU with any has.
static void push_requests(lua_State *L, struct lcuda *o) {
  lua_pushnil(L);
  for (struct ldevice *d = o->devices; d && lua_isnil(L, -1); d = d->next)
    if (d->has_info && d->info.is_checked) {
      lua_pop(L, 1);
      lrequests_push(L, d, &o->profile->requests);
    }
}

// ---- The sum ----

static void add_hardware_of(struct lcounts *sum, const struct lcounts *c,
                            bool is_first) {
  if (!c->hardware && c->no_hardware && !sum->no_hardware)
    sum->no_hardware = xstrdup(c->no_hardware);
  if (is_first && c->hardware) {
    sum->hardware = xmalloc(sizeof *sum->hardware);
    *sum->hardware = *c->hardware;
  } else if (sum->hardware && c->hardware) {
    gpu_hardware_add(sum->hardware, c->hardware);
  } else {
    free(sum->hardware);
    sum->hardware = NULL;
  }
}

// [list] -> [list, counts]: the only one, or their sum; it keeps the list.
static void push_sum(lua_State *L) {
  lua_Integer n = luaL_len(L, -1);
  if (n == 1) {
    lua_rawgeti(L, -1, 1);
  } else {
    struct lcounts *sum = push_counts(L); // [list, sum]
    for (lua_Integer i = 1; i <= n; i++) {
      lua_rawgeti(L, -2, i);
      const struct lcounts *c = lua_touserdata(L, -1);
      gpu_counts_add(&sum->counts, &sum->lines, &c->counts, c->lines);
      add_hardware_of(sum, c, i == 1);
      lua_pop(L, 1);
    }
  }
  lua_pushvalue(L, -2);
  lua_setiuservalue(L, -2, 1);
}

static struct gpu_count_view view_of(const struct lcounts *c) {
  return (struct gpu_count_view){
      .counts = &c->counts,
      .lines = c->lines,
      .occupancy = c->has_shape ? &c->occupancy : NULL,
      .multiprocessors = c->multiprocessors,
      .device = *c->device ? c->device : NULL,
      .hardware = c->hardware,
      .no_hardware = c->no_hardware,
      .kernel = c->kernel,
      .source = c->source,
      .file = c->file,
      .takes_doubles = c->takes_doubles,
  };
}

// ---- Fields ----

// Pushes a row's value: a whole number for what is counted, nil where it is not
// known.
static void push_metric(lua_State *L, const struct lcounts *c,
                        const uint64_t *count, int m) {
  bool is_shape = gpu_metrics[m].source == GPU_FROM_SHAPE;
  double n = !is_shape ? gpu_metric_value((enum gpu_metric)m, count)
             : c && c->has_shape
                 ? gpu_occupancy_value(&c->occupancy, (enum gpu_metric)m)
                 : NAN;
  if (gpu_metrics[m].source == GPU_FROM_COUNTS)
    lua_pushinteger(L, (lua_Integer)count[m]);
  else if (isnan(n))
    lua_pushnil(L);
  else if (is_shape && n == floor(n) && *gpu_metrics[m].unit != '%')
    lua_pushinteger(L, (lua_Integer)n);
  else
    lua_pushnumber(L, n);
}

static void push_lines(lua_State *L, const struct lcounts *c) {
  lua_createtable(L, (int)c->counts.line_count, 0); // [lines]
  for (uint32_t n = 0; n < c->counts.line_count; n++) {
    const struct gpu_line_counts *r = &c->lines[n];
    lua_createtable(L, 0, GPU_METRIC_BLOCKS + 2);
    lua_pushstring(L, r->file);
    lua_setfield(L, -2, "file");
    lua_pushinteger(L, r->line);
    lua_setfield(L, -2, "line");
    for (int m = 0; m < GPU_METRIC_BLOCKS; m++) {
      push_metric(L, NULL, r->count, m);
      lua_setfield(L, -2, gpu_metrics[m].name);
    }
    lua_rawseti(L, -2, n + 1);
  }
}

static void push_notes(lua_State *L, const struct lcounts *c) {
  struct gpu_count_note notes[GPU_MAX_COUNT_NOTES];
  struct gpu_count_view v = view_of(c);
  int count = gpu_count_notes(&v, notes);
  lua_createtable(L, count, 0); // [notes]
  for (int n = 0; n < count; n++) {
    lua_createtable(L, 0, 3);
    lua_pushstring(L, notes[n].code);
    lua_setfield(L, -2, "code");
    lua_pushstring(L, notes[n].text);
    lua_setfield(L, -2, "text");
    if (notes[n].line) {
      lua_pushinteger(L, notes[n].line);
      lua_setfield(L, -2, "line");
    }
    lua_rawseti(L, -2, n + 1);
  }
}

static void push_text(lua_State *L, struct str *s) {
  lua_pushlstring(L, s->data, s->len);
  str_free(s);
}

static int width_of(lua_State *L) {
  lua_Integer n = luaL_optinteger(L, 2, WIDTH);
  return n < 40 ? 40 : n > 400 ? 400 : (int)n;
}

// [counts, .., list]: each one's text, with a line between.
static int each_text(lua_State *L, void (*text)(const struct gpu_count_view *,
                                                int, struct str *)) {
  struct lcounts *c = check_counts(L);
  int width = width_of(L);
  struct str out = STR_INIT;
  if (lua_getiuservalue(L, 1, 1) != LUA_TTABLE || luaL_len(L, -1) <= 1) {
    struct gpu_count_view v = view_of(c);
    if (*c->kernel)
      text(&v, width, &out);
    else
      str_add(&out, "No kernel was launched: give a launch, such as "
                    "k[{grid, block}](...).\n");
  } else {
    for (lua_Integer i = 1; i <= luaL_len(L, -1); i++) {
      lua_rawgeti(L, -1, i);
      struct gpu_count_view v = view_of(lua_touserdata(L, -1));
      str_add(&out, i > 1 ? "\n" : "");
      text(&v, width, &out);
      lua_pop(L, 1);
    }
  }
  if (out.len && out.data[out.len - 1] == '\n')
    out.len--;
  push_text(L, &out);
  return 1;
}

static int counts_table(lua_State *L) {
  return each_text(L, gpu_count_table);
}

static int counts_listing(lua_State *L) {
  return each_text(L, gpu_count_source);
}

static int counts_tostring(lua_State *L) {
  lua_settop(L, 1);
  return each_text(L, gpu_count_table);
}

// A field by Nsight Compute's name, or one that this GPU does not count.
static int hardware_index(lua_State *L) {
  const char *name = luaL_checkstring(L, 2);
  int row = gpu_hardware_find(name);
  if (row < 0)
    bind_error(L, ERR_ARGUMENT,
               "there is no counter \"%s\" of the hardware; "
               "cuda.counters(\"hardware\") lists them",
               name);
  lua_pushstring(L, gpu_hardware_metrics[row].name);
  lua_rawget(L, 1);
  return 1;
}

static void push_hardware(lua_State *L, const struct gpu_hardware *h) {
  if (!h) {
    lua_pushnil(L);
    return;
  }
  lua_createtable(L, 0, GPU_HARDWARE_COUNT + 3); // [hardware]
  for (int m = 0; m < GPU_HARDWARE_COUNT; m++)
    if (!isnan(h->value[m]))
      bind_set_number(L, gpu_hardware_metrics[m].name, h->value[m]);
  bind_set_integer(L, "launches", h->launches);
  bind_set_integer(L, "passes", h->passes);
  lua_pushboolean(L, h->is_cold);
  lua_setfield(L, -2, "cold_caches");
  luaL_setmetatable(L, LCUDA_HARDWARE);
}

static bool push_field(lua_State *L, const struct lcounts *c,
                       const char *name) {
  if (!strcmp(name, "kernel"))
    lua_pushstring(L, c->kernel);
  else if (!strcmp(name, "is_complete"))
    lua_pushboolean(L, !c->counts.is_cut && !c->counts.dropped);
  else if (!strcmp(name, "lines"))
    push_lines(L, c);
  else if (!strcmp(name, "notes"))
    push_notes(L, c);
  else if (!strcmp(name, "hardware"))
    push_hardware(L, c->hardware);
  else if (!strcmp(name, "no_hardware"))
    lua_pushstring(L, c->no_hardware); // nil of NULL
  else if (!strcmp(name, "kernels"))
    lua_getiuservalue(L, 1, 1);
  else if (!strcmp(name, "table"))
    lua_pushcfunction(L, counts_table);
  else if (!strcmp(name, "listing"))
    lua_pushcfunction(L, counts_listing);
  else if (!strcmp(name, "grid") && c->has_shape)
    lcuda_push_triple(L, c->counts.grid);
  else if (!strcmp(name, "block") && c->has_shape)
    lcuda_push_triple(L, c->counts.block);
  else if (!strcmp(name, "limiter") && c->has_shape)
    lua_pushstring(L, c->occupancy.limiter);
  else if (!strcmp(name, "grid") || !strcmp(name, "block") ||
           !strcmp(name, "limiter"))
    lua_pushnil(L); // several kinds of launches have none in common
  else
    return false;
  return true;
}

static int counts_index(lua_State *L) {
  struct lcounts *c = check_counts(L);
  const char *name = luaL_checkstring(L, 2);
  int m = gpu_metric_find(name);
  if (m >= 0)
    push_metric(L, c, c->counts.count, m);
  else if (!push_field(L, c, name))
    bind_error(L, ERR_ARGUMENT,
               "there is no counter \"%s\"; cuda.counters() lists them", name);
  return 1;
}

// ---- cuda.profile ----

// The last launch once more, on copies of its arrays.
static void count_last(lua_State *L, struct lcuda *o) {
  struct ldevice *d = lcuda_device(L);
  const struct launch_record *last = ldevice_last_record(d);
  if (!last)
    bind_error(L, ERR_ARGUMENT,
               "no launch to count%s: give one, cuda.profile(function() "
               "k[{grid, block}](...) end)",
               d->launches ? " (the last one's parameters were too many to "
                             "keep)"
                           : " yet");
  // Its slot is reused by the launch that counts.
  struct launch_record record = *last;
  remember(o->profile, record.kernel, d);
  ldevice_wait(L, d, GPU_ALL_STREAMS);
  lcuda_count_on_virtual(L, d, &record);
  count_on_hardware(L, d, &record);
}

static int profile_body(lua_State *L) {
  struct lcuda *o = lcuda_of(L);
  take_from_devices(L, o, NULL); // what nobody asked for
  lua_pushvalue(L, 1);
  if (lua_isnil(L, 1))
    count_last(L, o);
  else
    lua_call(L, 0, 0);
  lua_newtable(L); // [f, list]
  take_from_devices(L, o, o->profile);
  push_sum(L);
  if (o->profile->wants_requests) {
    push_requests(L, o);
    lua_setiuservalue(L, -2, 2);
  }
  return 1;
}

static int l_profile(lua_State *L) {
  struct lcuda *o = lcuda_of(L);
  struct lcuda_profile profile = {.no_hardware = STR_INIT};
  if (lua_istable(L, 2)) {
    lua_getfield(L, 2, "requests");
    profile.wants_requests = lua_toboolean(L, -1);
    profile.leaves_hardware =
        lua_getfield(L, 2, "hardware") == LUA_TBOOLEAN && !lua_toboolean(L, -1);
  }
  lua_settop(L, 1);
  if (!lua_isnil(L, 1))
    luaL_checktype(L, 1, LUA_TFUNCTION);
  if (o->profile)
    bind_error(L, ERR_ARGUMENT, "cuda.profile inside cuda.profile");
  lua_pushcfunction(L, profile_body);
  lua_insert(L, 1);
  o->profile = &profile;
  int status = lua_pcall(L, 1, 1, 0);
  o->profile = NULL;
  for (int i = 0; i < profile.count; i++)
    lkernel_unref(profile.list[i].kernel);
  free(profile.list);
  free(profile.hardware);
  str_free(&profile.no_hardware);
  free(profile.requests.kernel);
  free(profile.requests.source);
  free(profile.requests.file);
  if (status != LUA_OK)
    lua_error(L);
  return 1;
}

const struct lrequests *lcuda_requests_at(lua_State *L, int i) {
  luaL_checkudata(L, i, LCUDA_COUNTS);
  lua_getiuservalue(L, i, 2);
  const struct lrequests *r = luaL_testudata(L, -1, LCUDA_REQUESTS);
  lua_pop(L, 1);
  return r;
}

const struct gpu_counts *lcuda_counts_at(lua_State *L, int i,
                                         const struct gpu_line_counts **lines) {
  const struct lcounts *c = luaL_checkudata(L, i, LCUDA_COUNTS);
  *lines = c->lines;
  return &c->counts;
}

const struct gpu_hardware *lcuda_hardware_at(lua_State *L, int i) {
  const struct lcounts *c = luaL_checkudata(L, i, LCUDA_COUNTS);
  return c->hardware;
}

// cuda.counters("hardware"): those that a real GPU counts itself.
static int push_hardware_rows(lua_State *L) {
  lua_createtable(L, GPU_HARDWARE_COUNT, 0); // [list]
  for (int m = 0; m < GPU_HARDWARE_COUNT; m++) {
    const struct gpu_hardware_metric *r = &gpu_hardware_metrics[m];
    lua_createtable(L, 0, 5);
    bind_set_text(L, "name", r->name);
    bind_set_text(L, "nsight", r->nsight);
    bind_set_text(L, "unit", r->unit);
    bind_set_text(L, "meaning", r->meaning);
    if (r->metric >= 0)
      bind_set_text(L, "counter", gpu_metrics[r->metric].name);
    lua_rawseti(L, -2, m + 1);
  }
  return 1;
}

// cuda.counters(): every row of the table, for tools and tests.
static int l_counters(lua_State *L) {
  static const char *const kinds[] = {"exact", "close", "own"};
  static const char *const whose[] = {"virtual", "hardware", NULL};
  if (luaL_checkoption(L, 1, "virtual", whose) == 1)
    return push_hardware_rows(L);
  lua_createtable(L, GPU_METRIC_COUNT, 0); // [list]
  for (int m = 0; m < GPU_METRIC_COUNT; m++) {
    const struct gpu_metric_row *r = &gpu_metrics[m];
    const char *const fields[][2] = {{"name", r->name},
                                     {"nsight", r->nsight},
                                     {"unit", r->unit},
                                     {"kind", kinds[r->kind]},
                                     {"meaning", r->meaning}};
    lua_createtable(L, 0, 5);
    for (int f = 0; f < 5; f++) {
      lua_pushstring(L, fields[f][1]);
      lua_setfield(L, -2, fields[f][0]);
    }
    lua_rawseti(L, -2, m + 1);
  }
  return 1;
}

int lcuda_open_profile(lua_State *L) {
  static const luaL_Reg meta[] = {
      {"__index", counts_index},
      {"__tostring", counts_tostring},
      {"__gc", counts_gc},
      {NULL, NULL},
  };
  static const luaL_Reg functions[] = {
      {"profile", l_profile},
      {"counters", l_counters},
      {NULL, NULL},
  };
  luaL_newmetatable(L, LCUDA_COUNTS);
  luaL_setfuncs(L, meta, 0);
  lua_pop(L, 1);
  luaL_newmetatable(L, LCUDA_HARDWARE);
  lua_pushcfunction(L, hardware_index);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
  lrequests_open(L);
  return 0;
}
