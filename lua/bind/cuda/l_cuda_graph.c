// SPDX-License-Identifier: Apache-2.0
// Graphs in Lua: stream:begin_capture(), stream:end_capture(), graph:launch().
//
// Theory of operation. While a stream is captured, what is asked of it is
// written down here and goes to no device: in a capture a driver allows neither
// waiting nor allocating nor work on the default stream, and the program's own
// upkeep (memory that goes back, a kernel that is loaded, a poll at the prompt)
// needs all of those. The end hands the whole to the device in one go, between
// capture_begin and capture_end. What was written down stays: arrays that the
// graph uses live as long as it does, a launch is remembered like each of its
// kernels launched alone, and after a reset of the device the graph is made anew
// from it.
#include "lua/bind/cuda/l_cuda_graph.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "gpu/remote/remote.h"
#include "lua/bind/cuda/l_cuda_args.h"
#include "lua/bind/cuda/l_cuda_calls.h"
#include "lua/bind/cuda/l_cuda_finding.h"
#include "lua/bind/cuda/l_cuda_launch.h"
#include "lua/bind/cuda/l_cuda_memory.h"
#include "lua/bind/cuda/l_cuda_order.h"
#include "lua/bind/cuda/l_cuda_time.h"
#include "lua/bind/cuda/l_cuda_wait.h"

#define CAPTURE_KEY "cuda.capture"

struct step {
  enum lgraph_kind kind;
  int stream;              // in lgraph.streams
  uint32_t number;         // of the node, from 1; 0: an edge
  int record;              // of a wait: the step that recorded
  struct lgraph_use *uses; // a parameter each, or where a copy goes and begins
  gpu_ptr *bases;          // where those storages were when `params` was packed
  int use_count;
  struct llauncher launcher; // of a kernel, whose reference is counted
  uint8_t *params;
  uint32_t word; // of a fill
  unsigned width;
};

struct lgraph {
  struct ldevice *device;
  uint64_t capture; // its number
  struct step *steps;
  int count, capacity;
  uint32_t node_count;
  struct lstream *streams[LGRAPH_STREAMS];       // kept by the user value
  uint32_t seen[LGRAPH_STREAMS][LGRAPH_STREAMS]; // by stream, of each stream
  int stream_count;
  struct lgraph_use *uses; // of all nodes, each once; borrowed from the steps
  int use_count;
  gpu_handle handle; // valid for `generation`
  uint64_t generation;
};

static struct lgraph *check_graph(lua_State *L) {
  return luaL_checkudata(L, 1, LCUDA_GRAPH);
}

static struct lgraph *current(lua_State *L) {
  lua_getfield(L, LUA_REGISTRYINDEX, CAPTURE_KEY);
  struct lgraph *g = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return g;
}

static void drop_capture(lua_State *L) {
  lua_pushnil(L);
  lua_setfield(L, LUA_REGISTRYINDEX, CAPTURE_KEY);
  lcuda_of(L)->capture_device = NULL;
}

// ---- What a capture takes ----

void lgraph_refuse(lua_State *L, struct ldevice *d, const char *what,
                   const char *why) {
  if (!lgraph_is_capturing(d))
    return;
  drop_capture(L);
  bind_error(L, ERR_ARGUMENT,
             "%s in a capture: %s. The capture has ended without a graph; "
             "begin it anew with stream:begin_capture()",
             what, why);
}

static int find_stream(const struct lgraph *g, const struct lstream *s) {
  for (int i = 0; i < g->stream_count; i++)
    if (g->streams[i] == s)
      return i;
  return -1;
}

bool lgraph_captures(lua_State *L, struct ldevice *d, const struct lstream *s,
                     const char *what) {
  if (!lgraph_is_capturing(d))
    return false;
  if (!s)
    lgraph_refuse(L, d, what,
                  "it has no stream, and the default stream waits for all "
                  "others, which a capture cannot; give it the stream that is "
                  "captured, or do it before or after");
  if (find_stream(current(L), s) < 0)
    lgraph_refuse(L, d, what,
                  "its stream is another one and does not wait for the "
                  "captured stream; event:record(captured) and "
                  "stream:wait(event) take it into the capture");
  return true;
}

static struct step *add_step(struct lgraph *g, enum lgraph_kind kind,
                             const struct lstream *s, int use_count) {
  if (g->count == g->capacity) {
    g->capacity = g->capacity ? 2 * g->capacity : 16;
    g->steps = xrealloc(g->steps, (size_t)g->capacity * sizeof *g->steps);
  }
  struct step *t = &g->steps[g->count++];
  *t = (struct step){.kind = kind, .stream = find_stream(g, s)};
  t->use_count = use_count;
  t->uses = xcalloc((size_t)use_count + 1, sizeof *t->uses);
  t->bases = xcalloc((size_t)use_count + 1, sizeof *t->bases);
  if (kind < LGRAPH_RECORD)
    t->number = ++g->node_count;
  g->seen[t->stream][t->stream]++;
  return t;
}

// A reference is taken; that to what stood there before is dropped.
static void set_use(struct step *t, int i, const struct lgraph_use *use) {
  struct storage *before = t->uses[i].storage;
  t->uses[i] = *use;
  if (use->storage) {
    storage_ref(use->storage);
    t->bases[i] = use->storage->address;
  }
  t->uses[i].is_copied = t->kind != LGRAPH_KERNEL;
  storage_unref(before);
}

struct lgraph_use lgraph_use_of(lua_State *L, int at, struct storage *used,
                                bool is_written) {
  struct lgraph_use use = {used, 0, used ? used->bytes : 0, is_written};
  const struct array *a = used ? array_test(L, at) : NULL;
  if (a && a->storage == used)
    lorder_extent(a, &use.from, &use.bytes);
  return use;
}

void lgraph_add_launch(lua_State *L, const struct llauncher *l,
                       const uint8_t *params, const struct lgraph_use *uses) {
  const struct lcuda *c = lcuda_of(L);
  struct lkernel *k = l->kernel;
  struct step *t =
      add_step(current(L), LGRAPH_KERNEL, l->stream, k->param_count);
  for (int i = 0; i < k->param_count; i++)
    set_use(t, i, &uses[i]);
  t->launcher = *l;
  t->launcher.kernel = lkernel_ref(k);
  t->launcher.stream = NULL;
  t->launcher.launch.budget = c->budget;
  t->launcher.launch.grid_budget = c->grid_budget;
  t->launcher.launch.flags |= c->is_checked ? 0 : GPU_LAUNCH_UNCHECKED;
  t->params = xmalloc((size_t)k->param_bytes + 1);
  memcpy(t->params, params, k->param_bytes);
}

void lgraph_add_copy(lua_State *L, enum lgraph_kind kind,
                     const struct lstream *s, struct lgraph_use to,
                     struct lgraph_use from) {
  struct step *t = add_step(current(L), kind, s, 2);
  set_use(t, 0, &to);
  set_use(t, 1, &from);
}

void lgraph_add_set(lua_State *L, const struct lstream *s, struct lgraph_use to,
                    uint32_t word, unsigned width) {
  struct step *t = add_step(current(L), LGRAPH_SET, s, 1);
  set_use(t, 0, &to);
  t->word = word;
  t->width = width;
}

// ---- Forks and joins ----

void lgraph_add_record(lua_State *L, const struct lstream *s,
                       struct lgraph_mark *mark) {
  struct lgraph *g = current(L);
  const struct step *t = add_step(g, LGRAPH_RECORD, s, 0);
  mark->capture = g->capture;
  mark->node = g->count - 1;
  memcpy(mark->seen, g->seen[t->stream], sizeof mark->seen);
}

// Takes a stream, which is at `at` of the stack, into the capture.
static void take_stream_in(lua_State *L, struct lgraph *g, struct lstream *s,
                           int at) {
  if (g->stream_count == LGRAPH_STREAMS)
    lgraph_refuse(L, g->device, "one more stream",
                  "it has as many as it can, which is 16");
  lua_getfield(L, LUA_REGISTRYINDEX, CAPTURE_KEY);
  lua_getiuservalue(L, -1, 1);
  lua_pushvalue(L, at);
  lua_rawseti(L, -2, ++g->stream_count);
  g->streams[g->stream_count - 1] = s;
  lua_pop(L, 2);
}

bool lgraph_add_wait(lua_State *L, struct lstream *s, int stream_at,
                     const struct lgraph_mark *mark) {
  struct lgraph *g = current(L);
  bool is_ours = g && mark->capture == g->capture;
  if (!g || g->device != s->device || (find_stream(g, s) < 0 && !is_ours))
    return false;
  if (!is_ours)
    lgraph_refuse(L, s->device, "s:wait(e) on the captured stream",
                  "the event was recorded outside of it, and a graph cannot "
                  "wait for what is not in it; wait before the capture begins, "
                  "or on the stream that the graph is launched on");
  if (find_stream(g, s) < 0)
    take_stream_in(L, g, s, stream_at);
  struct step *t = add_step(g, LGRAPH_WAIT, s, 0);
  t->record = mark->node;
  for (int i = 0; i < LGRAPH_STREAMS; i++)
    if (g->seen[t->stream][i] < mark->seen[i])
      g->seen[t->stream][i] = mark->seen[i];
  return true;
}

// ---- Begin and end ----

int lgraph_begin_capture(lua_State *L) {
  struct lstream *s = luaL_checkudata(L, 1, LCUDA_STREAM);
  struct lcuda *c = lcuda_of(L);
  if (c->capture_device)
    lgraph_refuse(L, c->capture_device, "s:begin_capture()",
                  "one capture at a time; stream:end_capture() ends it");
  lstream_handle(L, s, s->device);
  struct lgraph *g = lua_newuserdatauv(L, sizeof *g, 1); // [.., graph]
  *g = (struct lgraph){.device = s->device, .capture = ++c->captures};
  luaL_setmetatable(L, LCUDA_GRAPH);
  lua_newtable(L);
  lua_setiuservalue(L, -2, 1);
  lua_setfield(L, LUA_REGISTRYINDEX, CAPTURE_KEY);
  c->capture_device = s->device;
  take_stream_in(L, g, s, 1);
  return 0;
}

int lgraph_is_capturing_stream(lua_State *L) {
  struct lstream *s = luaL_checkudata(L, 1, LCUDA_STREAM);
  const struct lgraph *g = current(L);
  lua_pushboolean(L, g && find_stream(g, s) >= 0);
  return 1;
}

// Raises where an array of the graph is gone.
static void check_arrays(lua_State *L, const struct lgraph *g) {
  for (int i = 0; i < g->use_count; i++) {
    char name[80] = "an array of the graph";
    const struct storage *s = g->uses[i].storage;
    if (s->host)
      continue;
    array_variable_name(L, s, name, sizeof name);
    ldevice_check_storage(L, g->device, s, name);
  }
}

static bool is_listed(const struct lgraph *g, const struct lgraph_use *u) {
  for (int i = 0; i < g->use_count; i++) {
    const struct lgraph_use *v = &g->uses[i];
    if (v->storage == u->storage && v->from == u->from &&
        v->bytes == u->bytes && v->is_written == u->is_written &&
        v->is_copied == u->is_copied)
      return true;
  }
  return false;
}

static void list_uses(struct lgraph *g) {
  int most = 0;
  for (int i = 0; i < g->count; i++)
    most += g->steps[i].use_count;
  g->uses = xrealloc(g->uses, ((size_t)most + 1) * sizeof *g->uses);
  g->use_count = 0;
  for (int i = 0; i < g->count; i++)
    for (int j = 0; j < g->steps[i].use_count; j++)
      if (g->steps[i].uses[j].storage && !is_listed(g, &g->steps[i].uses[j]))
        g->uses[g->use_count++] = g->steps[i].uses[j];
}

// ---- To the device ----

// The parameters with the addresses that the arrays have now.
static void refresh_params(struct step *t) {
  const struct lkernel *k = t->launcher.kernel;
  for (int i = 0; i < t->use_count; i++) {
    gpu_ptr p, now = t->uses[i].storage ? t->uses[i].storage->address : 0;
    if (now == t->bases[i])
      continue;
    memcpy(&p, t->params + k->plan[i].offset, sizeof p);
    p += now - t->bases[i];
    memcpy(t->params + k->plan[i].offset, &p, sizeof p);
    t->bases[i] = now;
  }
}

static struct gpu_launch launch_of(const struct step *t, gpu_handle stream) {
  struct gpu_launch l = t->launcher.launch;
  l.params = t->params;
  l.stream = stream;
  l.node = t->number;
  return l;
}

// Asks the device for what the step is, on a stream.
static enum err queue_step(struct lgraph *g, const struct step *t,
                           gpu_handle stream, struct err_info *e) {
  struct gpu_device *gpu = g->device->gpu;
  const struct gpu_backend *b = gpu->backend;
  const struct lgraph_use *to = &t->uses[0], *from = &t->uses[1];
  struct gpu_fill fill;
  struct gpu_launch l;
  switch (t->kind) {
  case LGRAPH_KERNEL: l = launch_of(t, stream); return b->launch(gpu, &l, e);
  case LGRAPH_COPY_IN:
    return b->copy_in(gpu, to->storage->address + to->from,
                      (const char *)from->storage->host + from->from, to->bytes,
                      stream, e);
  case LGRAPH_COPY_OUT:
    return b->copy_out(gpu, (char *)to->storage->host + to->from,
                       from->storage->address + from->from, to->bytes, stream,
                       e);
  case LGRAPH_COPY_ON:
    return b->copy_on(gpu, to->storage->address + to->from,
                      from->storage->address + from->from, to->bytes, stream,
                      e);
  case LGRAPH_SET:
    fill = (struct gpu_fill){.to = to->storage->address + to->from,
                             .value = t->word,
                             .width = t->width,
                             .count = to->bytes / t->width,
                             .stream = stream};
    return b->mem_set(gpu, &fill, e);
  default: return ERR_OK;
  }
}

// What capture_begin to capture_end needs: kernels loaded, streams, and an
// event for each record.
static void prepare(lua_State *L, struct lgraph *g, gpu_handle *events,
                    gpu_handle *streams) {
  struct ldevice *d = g->device;
  struct err_info e = {0};
  for (int i = 0; i < g->stream_count; i++)
    streams[i] = lstream_handle(L, g->streams[i], d);
  for (int i = 0; i < g->count; i++) {
    struct step *t = &g->steps[i];
    if (t->kind == LGRAPH_KERNEL) {
      lcuda_prepare(L, &t->launcher, d);
      refresh_params(t);
    }
    if (t->kind == LGRAPH_RECORD &&
        d->gpu->backend->event_create(d->gpu, &events[i], &e) != ERR_OK)
      ldevice_fail(L, d, &e);
  }
}

static enum err capture_steps(struct lgraph *g, const gpu_handle *events,
                              const gpu_handle *streams, struct err_info *e) {
  struct gpu_device *gpu = g->device->gpu;
  const struct gpu_backend *b = gpu->backend;
  enum err err = b->graphs->capture_begin(gpu, streams[0], e);
  for (int i = 0; i < g->count && !err; i++) {
    const struct step *t = &g->steps[i];
    gpu_handle stream = streams[t->stream];
    if (t->kind == LGRAPH_RECORD)
      err = b->event_record(gpu, events[i], stream, e);
    else if (t->kind == LGRAPH_WAIT)
      err = b->stream_wait(gpu, stream, events[t->record], e);
    else
      err = queue_step(g, t, stream, e);
  }
  struct err_info second = {0};
  enum err end = b->graphs->capture_end(gpu, streams[0], &g->handle, &second);
  if (!err && end && e)
    *e = second;
  return err ? err : end;
}

// Makes the graph on the device.
static void build(lua_State *L, struct lgraph *g) {
  struct ldevice *d = g->device;
  struct err_info e = {0};
  gpu_handle streams[LGRAPH_STREAMS];
  gpu_handle *events =
      lua_newuserdatauv(L, ((size_t)g->count + 1) * sizeof *events, 0);
  memset(events, 0, ((size_t)g->count + 1) * sizeof *events);
  g->handle = 0;
  check_arrays(L, g);
  prepare(L, g, events, streams);
  enum err err = capture_steps(g, events, streams, &e);
  for (int i = 0; i < g->count; i++)
    if (events[i])
      d->gpu->backend->event_destroy(d->gpu, events[i], NULL);
  if (err)
    ldevice_fail(L, d, &e);
  g->generation = d->generation;
  lua_pop(L, 1);
}

static void check_joined(lua_State *L, struct lgraph *g) {
  for (int i = 1; i < g->stream_count; i++)
    if (g->seen[0][i] < g->seen[i][i])
      lgraph_refuse(L, g->device, "s:end_capture()",
                    "work on another stream was taken in and not brought "
                    "back; event:record(other) behind it and "
                    "captured:wait(event) come before the end");
}

int lgraph_end_capture(lua_State *L) {
  struct lstream *s = luaL_checkudata(L, 1, LCUDA_STREAM);
  struct lgraph *g = current(L);
  if (!g)
    bind_error(L, ERR_ARGUMENT,
               "s:end_capture(): nothing is being captured; "
               "s:begin_capture() begins, and a mistake in a capture ends it");
  if (g->streams[0] != s)
    lgraph_refuse(L, g->device, "s:end_capture()",
                  "it began on another stream, which has to end it");
  check_joined(L, g);
  lua_getfield(L, LUA_REGISTRYINDEX, CAPTURE_KEY); // [.., graph]
  drop_capture(L);
  list_uses(g);
  build(L, g);
  lcuda_count(g->device->owner, GPU_CALL_GRAPHS, 1);
  return 1;
}

// ---- Launches ----

static void mark_uses(const struct lgraph *g, bool is_elsewhere) {
  for (int i = 0; i < g->use_count; i++) {
    const struct lgraph_use *u = &g->uses[i];
    struct device_storage *ds = device_storage_of(u->storage);
    lcuda_mark_use(g->device, u->storage, !u->is_written);
    if (ds && is_elsewhere)
      ds->is_elsewhere = true;
    if (u->is_written && u->is_copied && ds)
      device_storage_changed(u->storage);
    else if (u->is_written && !ds)
      u->storage->version++; // an array of the host
  }
}

// A launch of the graph is remembered as one of each of its kernels. The first
// is the last that is sure to find what the host had put into an array.
static void note_launched(const struct lgraph *g, gpu_handle stream) {
  bool is_marked = false;
  for (int i = 0; i < g->count; i++) {
    const struct step *t = &g->steps[i];
    if (t->kind != LGRAPH_KERNEL)
      continue;
    struct gpu_launch l = launch_of(t, stream);
    lcuda_record_launch(g->device, t->launcher.kernel, &l);
    if (!is_marked)
      mark_uses(g, stream != 0);
    is_marked = true;
  }
  if (!is_marked)
    mark_uses(g, stream != 0);
}

static void count_launched(const struct lgraph *g) {
  struct lcuda *c = g->device->owner;
  lcuda_count(c, GPU_CALL_GRAPH_LAUNCHES, 1);
  for (int i = 0; i < g->count; i++) {
    const struct step *t = &g->steps[i];
    if (t->kind >= LGRAPH_COPY_IN && t->kind <= LGRAPH_COPY_ON)
      lcuda_count_copy(c,
                       t->kind == LGRAPH_COPY_IN    ? GPU_CALL_BYTES_TO_DEVICE
                       : t->kind == LGRAPH_COPY_OUT ? GPU_CALL_BYTES_TO_HOST
                                                    : GPU_CALL_BYTES_ON_DEVICE,
                       t->uses[0].bytes);
  }
}

static void order_launch(lua_State *L, const struct lgraph *g,
                         const struct lstream *s) {
  lorder_queue(L, g->device, s, "the graph");
  for (int i = 0; i < g->use_count; i++) {
    const struct lgraph_use *u = &g->uses[i];
    lorder_use(L, g->device, s, (struct lbytes){u->storage, u->from, u->bytes},
               u->is_written);
  }
}

// The nodes one after the other, so that each can be counted.
static enum err launch_profiled(lua_State *L, struct lgraph *g,
                                gpu_handle stream, struct err_info *e) {
  struct gpu_device *gpu = g->device->gpu;
  enum err err = ERR_OK;
  for (int i = 0; i < g->count && !err; i++) {
    const struct step *t = &g->steps[i];
    struct gpu_launch l = launch_of(t, stream);
    if (t->kind != LGRAPH_KERNEL) {
      err = queue_step(g, t, stream, e);
      continue;
    }
    lcuda_count_launch(L, g->device, t->launcher.kernel, &l);
    err = gpu->backend->launch(gpu, &l, e);
  }
  return err;
}

static enum err queue_graph(lua_State *L, struct lgraph *g, gpu_handle stream,
                            struct err_info *e) {
  struct ldevice *d = g->device;
  struct gpu_device *gpu = d->gpu;
  struct lcuda_timing *t = d->owner->timing;
  gpu_handle pair[2] = {0, 0};
  if (d->owner->profile)
    return launch_profiled(L, g, stream, e);
  if (t) {
    lcuda_timing_pair(L, d, pair);
    for (int i = 0; i < g->count; i++)
      if (g->steps[i].kind == LGRAPH_KERNEL)
        t->kernel = g->steps[i].launcher.kernel;
  }
  enum err err = t ? gpu->backend->event_record(gpu, pair[0], stream, e) : 0;
  if (!err)
    err = gpu->backend->graphs->launch(gpu, g->handle, stream, e);
  if (!err && t)
    err = gpu->backend->event_record(gpu, pair[1], stream, e);
  return err;
}

static struct lstream *stream_argument(lua_State *L, const char *what) {
  struct lgraph *g = check_graph(L);
  struct lstream *s =
      lua_isnoneornil(L, 2) ? NULL : luaL_checkudata(L, 2, LCUDA_STREAM);
  lgraph_refuse(L, g->device, what,
                "a graph is launched when the other one is done; launch both, "
                "one behind the other");
  check_arrays(L, g);
  return s;
}

// The graph as the device has it: made anew where its server was replaced.
static void make_sure(lua_State *L, struct lgraph *g) {
  ldevice_sync(g->device);
  if (!g->handle || g->generation != g->device->generation)
    build(L, g);
}

// g:launch([stream])
static int graph_launch(lua_State *L) {
  struct lgraph *g = check_graph(L);
  struct lstream *s = stream_argument(L, "g:launch()");
  struct ldevice *d = g->device;
  struct err_info e = {0};
  for (int i = 0; i < g->use_count; i++) // another device's use of host arrays
    if (g->uses[i].storage->host && g->uses[i].storage->busy_on != d->gpu)
      lcuda_await_storage(L, g->uses[i].storage, g->uses[i].is_written);
  gpu_handle stream = 0;
  enum err err = ERR_OK;
  for (int attempt = 0; attempt < 2; attempt++) {
    make_sure(L, g);
    stream = lstream_handle(L, s, d);
    ltrace_begin(d, stream);
    err = queue_graph(L, g, stream, &e);
    if (err != ERR_DEVICE_LOST || attempt || !ldevice_revive(L, d))
      break;
    check_arrays(L, g);
  }
  if (err)
    ldevice_fail(L, d, &e);
  ltrace_queued(d->owner, s, LTRACE_GRAPH, NULL);
  order_launch(L, g, s);
  note_launched(g, stream);
  count_launched(g);
  lcuda_charge(L, d);
  return 0;
}

// g:upload([stream])
static int graph_upload(lua_State *L) {
  struct lgraph *g = check_graph(L);
  struct lstream *s = stream_argument(L, "g:upload()");
  struct gpu_device *gpu = g->device->gpu;
  struct err_info e = {0};
  make_sure(L, g);
  if (gpu->backend->graphs->upload(gpu, g->handle,
                                   lstream_handle(L, s, g->device), &e))
    ldevice_fail(L, g->device, &e);
  return 0;
}

// ---- Nodes ----

static struct step *find_node(const struct lgraph *g, lua_Integer number) {
  for (int i = 0; i < g->count; i++)
    if (number > 0 && g->steps[i].number == number)
      return &g->steps[i];
  return NULL;
}

static const char *const kind_names[] = {
    [LGRAPH_KERNEL] = "kernel",   [LGRAPH_COPY_IN] = "memcpy",
    [LGRAPH_COPY_OUT] = "memcpy", [LGRAPH_COPY_ON] = "memcpy",
    [LGRAPH_SET] = "memset",
};

// g:nodes(): what is in it, in the order in which it was captured.
static int graph_nodes(lua_State *L) {
  const struct lgraph *g = check_graph(L);
  lua_createtable(L, (int)g->node_count, 0);
  for (int i = 0; i < g->count; i++) {
    const struct step *t = &g->steps[i];
    if (!t->number)
      continue;
    lua_createtable(L, 0, 4);
    bind_set_text(L, "kind", kind_names[t->kind]);
    if (t->kind == LGRAPH_KERNEL) {
      bind_set_text(L, "kernel", t->launcher.kernel->name);
      lcuda_push_triple(L, t->launcher.launch.grid);
      lua_setfield(L, -2, "grid");
      lcuda_push_triple(L, t->launcher.launch.block);
      lua_setfield(L, -2, "block");
    } else {
      bind_set_integer(L, "bytes", (lua_Integer)t->uses[0].bytes);
    }
    lua_rawseti(L, -2, t->number);
  }
  return 1;
}

// g:kernel_node_set_params(i, ...): other arguments for the kernel of node i.
static int graph_set_params(lua_State *L) {
  struct lgraph *g = check_graph(L);
  struct ldevice *d = g->device;
  lua_Integer number = luaL_checkinteger(L, 2);
  struct step *t = find_node(g, number);
  uint8_t params[GPU_MAX_PARAM_BYTES];
  struct storage *used[GPU_MAX_PARAMS] = {0};
  struct err_info e = {0};
  if (!t || t->kind != LGRAPH_KERNEL)
    bind_error(L, ERR_ARGUMENT,
               "kernel_node_set_params: node %d is no kernel; the graph's "
               "nodes() lists all %d",
               (int)number, (int)g->node_count);
  struct lkernel *k = t->launcher.kernel;
  lcuda_prepare(L, &t->launcher, d);
  if (lua_gettop(L) - 2 != k->param_count)
    lcuda_arg_count_error(L, k, lua_gettop(L) - 2);
  struct lpacked to = {params, NULL};
  for (int i = 0; i < k->param_count; i++) {
    if (!lcuda_pack_arg(L, d, k, i, i + 3, &to))
      bind_error(L, ERR_ARGUMENT,
                 "kernel_node_set_params: %s is on the host, and a graph "
                 "copies nothing by itself: cuda.to_device(%s)",
                 array_push_name(L, array_check(L, i + 3), "x"),
                 array_push_name(L, array_check(L, i + 3), "x"));
    used[i] = to.used;
  }
  memcpy(t->params, params, k->param_bytes);
  for (int i = 0; i < k->param_count; i++) {
    struct lgraph_use use =
        lgraph_use_of(L, i + 3, used[i], !k->plan[i].is_const);
    set_use(t, i, &use);
  }
  list_uses(g);
  if (!g->handle || g->generation != d->generation)
    return 0; // it is made anew at its next launch
  struct gpu_launch l = launch_of(t, 0);
  if (d->gpu->backend->graphs->update(d->gpu, g->handle, &l, &e))
    ldevice_fail(L, d, &e);
  return 0;
}

static int graph_len(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)check_graph(L)->node_count);
  return 1;
}

// "graph of 3 nodes: 2 kernel, 1 memcpy"
static int graph_tostring(lua_State *L) {
  const struct lgraph *g = check_graph(L);
  struct str text = STR_INIT;
  int kernels = 0, sets = 0;
  for (int i = 0; i < g->count; i++) {
    kernels += g->steps[i].kind == LGRAPH_KERNEL;
    sets += g->steps[i].kind == LGRAPH_SET;
  }
  int counts[] = {kernels, (int)g->node_count - kernels - sets, sets};
  static const char *const names[] = {"kernel", "memcpy", "memset"};
  str_addf(&text, "graph of %u node%s", g->node_count,
           g->node_count == 1 ? "" : "s");
  for (int i = 0, shown = 0; i < 3; i++)
    if (counts[i])
      str_addf(&text, "%s%d %s", shown++ ? ", " : ": ", counts[i], names[i]);
  lua_pushstring(L, text.data);
  str_free(&text);
  return 1;
}

static int graph_gc(lua_State *L) {
  struct lgraph *g = check_graph(L);
  struct gpu_device *gpu = g->device->gpu;
  if (g->handle && lcuda_device_of(lcuda_of(L), gpu) &&
      g->generation == g->device->generation)
    gpu->backend->graphs->destroy(gpu, g->handle, NULL);
  g->handle = 0;
  for (int i = 0; i < g->count; i++) {
    struct step *t = &g->steps[i];
    for (int j = 0; j < t->use_count; j++)
      storage_unref(t->uses[j].storage);
    lkernel_unref(t->launcher.kernel);
    free(t->uses);
    free(t->bases);
    free(t->params);
  }
  free(g->steps);
  free(g->uses);
  g->steps = NULL;
  g->uses = NULL;
  g->count = g->use_count = 0;
  return 0;
}

int lcuda_open_graph(lua_State *L) {
  static const luaL_Reg methods[] = {
      {"launch", graph_launch},
      {"upload", graph_upload},
      {"nodes", graph_nodes},
      {"kernel_node_set_params", graph_set_params},
      {NULL, NULL},
  };
  static const luaL_Reg meta[] = {
      {"__len", graph_len},
      {"__tostring", graph_tostring},
      {"__gc", graph_gc},
      {NULL, NULL},
  };
  luaL_newmetatable(L, LCUDA_GRAPH); // [metatable]
  luaL_setfuncs(L, meta, 0);
  luaL_newlib(L, methods);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
  return 0;
}
