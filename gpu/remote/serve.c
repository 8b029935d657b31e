// SPDX-License-Identifier: Apache-2.0
// The server's commands: one small function each, listed in protocol.def.
//
// The program is trusted but may be wrong, so every number that came over the
// ring is checked here: handles by the table, arena ranges by the arena's
// size, names and parameters by the record's length.
#include "gpu/remote/serve.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/remote/arena.h"
#include "gpu/remote/serve_share.h"
#include "gpu/remote/server.h"
#include "gpu/remote/turn.h"

// ---- Handles ----

// generation (16 bits), kind (8), number (32)
gpu_handle server_add_handle(struct server *s, enum handle_kind kind,
                             gpu_handle backend) {
  if (s->handle_count == s->handle_capacity) {
    s->handle_capacity = s->handle_capacity ? 2 * s->handle_capacity : 64;
    s->handles = xrealloc(s->handles, s->handle_capacity * sizeof *s->handles);
  }
  uint32_t i = s->handle_count++;
  s->handles[i].kind = kind;
  s->handles[i].backend = backend;
  s->stream_count += kind == HANDLE_STREAM;
  s->owned++;
  return (gpu_handle)(s->generation & 0xffff) << 48 | (gpu_handle)kind << 32 |
         (i + 1);
}

static bool handle_find(const struct server *s, enum handle_kind kind,
                        gpu_handle h, gpu_handle *backend) {
  uint32_t i = (uint32_t)h - 1;
  if (h >> 48 != (s->generation & 0xffff) || (h >> 32 & 0xffff) != kind ||
      i >= s->handle_count || s->handles[i].kind != kind)
    return false;
  *backend = s->handles[i].backend;
  return true;
}

static enum err handle_get(const struct server *s, enum handle_kind kind,
                           gpu_handle h, gpu_handle *backend,
                           struct err_info *e) {
  static const char *const names[] = {
      "handle", "module", "kernel", "stream", "event", "CUDA array", "graph"};
  *backend = 0;
  if (handle_find(s, kind, h, backend))
    return ERR_OK;
  return err_set(e, ERR_ARGUMENT,
                 "this %s is gone: it was freed, or its device server was "
                 "restarted; make it again",
                 names[kind]);
}

// What the program names by a handle: made by the back end, and ended by it.
typedef enum err create_call(struct gpu_device *d, gpu_handle *out,
                             struct err_info *e);
typedef enum err destroy_call(struct gpu_device *d, gpu_handle h,
                              struct err_info *e);

static enum err make(struct server *s, struct call *c, enum handle_kind kind,
                     create_call *create) {
  gpu_handle made = 0;
  enum err err = create(s->device, &made, c->e);
  if (!err)
    c->slot->values[0] = server_add_handle(s, kind, made);
  return err;
}

static enum err end(struct server *s, struct call *c, enum handle_kind kind,
                    destroy_call *destroy) {
  gpu_handle ended;
  enum err err = handle_get(s, kind, c->args[0], &ended, c->e);
  if (err)
    return err;
  s->handles[(uint32_t)c->args[0] - 1].kind = HANDLE_NONE;
  s->stream_count -= kind == HANDLE_STREAM;
  s->owned--;
  return destroy(s->device, ended, c->e);
}

// Stream 0 is the legacy default stream, which needs no handle.
static enum err stream_get(const struct server *s, gpu_handle h,
                           gpu_handle *backend, struct err_info *e) {
  *backend = h;
  if (!h || h == GPU_ALL_STREAMS)
    return ERR_OK;
  return handle_get(s, HANDLE_STREAM, h, backend, e);
}

// ---- Memory ----

static enum err arena_range(struct server *s, uint64_t offset, uint64_t bytes,
                            char **out, struct err_info *e) {
  *out = NULL;
  if (offset > s->arena_bytes || bytes > s->arena_bytes - offset)
    return err_set(e, ERR_ARGUMENT,
                   "%" PRIu64 " bytes at %" PRIu64 " are not in the arena",
                   bytes, offset);
  *out = s->arena + offset;
  return ERR_OK;
}

static enum err serve_info(struct server *s, struct call *c) {
  return s->backend->info(s->device, &c->slot->device, c->e);
}

static enum err serve_alloc(struct server *s, struct call *c) {
  gpu_ptr p = 0;
  enum err err = turn_check_memory(s, c->args[0], c->e);
  if (!err)
    err = s->backend->mem_alloc(s->device, c->args[0], (unsigned)c->args[1], &p,
                                c->e);
  c->slot->values[0] = p;
  s->owned += !err;
  if (!err)
    turn_note_memory(s, p, c->args[0]);
  return err;
}

static enum err serve_free(struct server *s, struct call *c) {
  enum err err = s->backend->mem_free(s->device, c->args[0], c->e);
  s->owned -= !err;
  if (!err)
    turn_note_memory(s, c->args[0], 0);
  return err;
}

// Between the arena and the device, to it or from it.
struct host_copy {
  bool is_in;
  gpu_ptr device;
  uint64_t offset, bytes; // in the arena
  gpu_handle stream;      // the program's
};

static enum err copy_piece(struct server *s, const struct host_copy *c,
                           gpu_handle on, struct err_info *e) {
  char *host = s->arena + c->offset;
  return c->is_in
             ? s->backend->copy_in(s->device, c->device, host, c->bytes, on, e)
             : s->backend->copy_out(s->device, host, c->device, c->bytes, on,
                                    e);
}

// A driver takes no copy that spans two pieces of pinned memory, so a copy is
// cut where pieces meet.
static enum err copy_in_pieces(struct server *s, struct host_copy c,
                               struct err_info *e) {
  char *host;
  gpu_handle on;
  enum err err = arena_range(s, c.offset, c.bytes, &host, e);
  if (!err)
    err = stream_get(s, c.stream, &on, e);
  if (err)
    return err;
  if (!s->segment->can_register)
    return copy_piece(s, &c, on, e);
  uint64_t left = c.bytes;
  while (left && !err) {
    c.bytes = ARENA_PIECE - c.offset % ARENA_PIECE;
    c.bytes = c.bytes < left ? c.bytes : left;
    err = copy_piece(s, &c, on, e);
    c.device += c.bytes;
    c.offset += c.bytes;
    left -= c.bytes;
  }
  return err;
}

static enum err serve_copy_in(struct server *s, struct call *c) {
  const uint64_t *a = c->args;
  return copy_in_pieces(s, (struct host_copy){true, a[0], a[1], a[2], a[3]},
                        c->e);
}

static enum err serve_copy_out(struct server *s, struct call *c) {
  const uint64_t *a = c->args;
  return copy_in_pieces(s, (struct host_copy){false, a[1], a[0], a[2], a[3]},
                        c->e);
}

static enum err serve_copy_on(struct server *s, struct call *c) {
  gpu_handle on;
  enum err err = stream_get(s, c->args[3], &on, c->e);
  return err ? err
             : s->backend->copy_on(s->device, c->args[0], c->args[1],
                                   c->args[2], on, c->e);
}

static enum err serve_set(struct server *s, struct call *c) {
  struct gpu_fill f = {.to = c->args[0],
                       .value = (uint32_t)c->args[1],
                       .width = (unsigned)c->args[2],
                       .count = c->args[3]};
  enum err err = stream_get(s, c->args[4], &f.stream, c->e);
  return err ? err : s->backend->mem_set(s->device, &f, c->e);
}

// Pinning is for speed only: where it is refused, copies are slower.
static enum err serve_register(struct server *s, struct call *c) {
  char *p;
  enum err err = arena_range(s, c->args[0], c->args[1], &p, c->e);
  if (!err && s->backend->host_register)
    s->backend->host_register(s->device, p, c->args[1], NULL);
  return err;
}

static enum err serve_host_map(struct server *s, struct call *c) {
  char *p;
  gpu_ptr address = 0;
  enum err err = arena_range(s, c->args[0], c->args[1], &p, c->e);
  if (!err && !s->backend->host_map)
    err = err_set(c->e, ERR_UNSUPPORTED,
                  "this device does not reach the host's memory");
  if (!err)
    err = s->backend->host_map(s->device, p, c->args[1], &address, c->e);
  c->slot->values[0] = address;
  s->owned += !err;
  return err;
}

// ---- Arrays, textures and surfaces ----

static enum err serve_array_create(struct server *s, struct call *c) {
  struct gpu_array_desc desc;
  gpu_handle array = 0;
  memcpy(&desc, c->tail, sizeof desc);
  enum err err = s->backend->array_create(s->device, &desc, &array, c->e);
  if (!err)
    c->slot->values[0] = server_add_handle(s, HANDLE_ARRAY, array);
  return err;
}

static enum err serve_array_destroy(struct server *s, struct call *c) {
  return end(s, c, HANDLE_ARRAY, s->backend->array_destroy);
}

// Copies by way of device memory: what lies in several pinned pieces a driver
// does not take at once.
static enum err array_copy_in_pieces(struct server *s, struct gpu_array_copy a,
                                     uint64_t offset, gpu_handle stream,
                                     struct err_info *e) {
  enum err err = s->backend->mem_alloc(s->device, a.bytes, 0, &a.device, e);
  if (err)
    return err;
  a.host = NULL;
  struct host_copy c = {a.to_array, a.device, offset, a.bytes, stream};
  if (a.to_array)
    err = copy_in_pieces(s, c, e);
  if (!err)
    err = s->backend->array_copy(s->device, &a, e);
  if (!err && !a.to_array)
    err = copy_in_pieces(s, c, e);
  s->backend->mem_free(s->device, a.device, NULL); // once the work is done
  return err;
}

static enum err serve_array_copy(struct server *s, struct call *c) {
  uint64_t offset = c->args[3];
  struct gpu_array_copy a = {
      .to_array = c->args[1], .device = offset, .bytes = c->args[4]};
  char *host = NULL;
  enum err err = handle_get(s, HANDLE_ARRAY, c->args[0], &a.array, c->e);
  if (!err)
    err = stream_get(s, c->args[5], &a.stream, c->e);
  if (!err && c->args[2])
    err = arena_range(s, offset, a.bytes, &host, c->e);
  if (err)
    return err;
  a.host = host;
  bool is_split = offset / ARENA_PIECE != (offset + a.bytes - 1) / ARENA_PIECE;
  if (host && a.bytes && is_split && s->segment->can_register)
    return array_copy_in_pieces(s, a, offset, c->args[5], c->e);
  return s->backend->array_copy(s->device, &a, c->e);
}

static enum err serve_texture_create(struct server *s, struct call *c) {
  struct gpu_texture_desc desc;
  memcpy(&desc, c->tail, sizeof desc);
  enum err err = ERR_OK;
  if (desc.resource == GPU_RESOURCE_ARRAY)
    err = handle_get(s, HANDLE_ARRAY, desc.array, &desc.array, c->e);
  if (!err)
    err =
        s->backend->texture_create(s->device, &desc, &c->slot->values[0], c->e);
  s->owned += !err;
  return err;
}

static enum err serve_texture_destroy(struct server *s, struct call *c) {
  enum err err = s->backend->texture_destroy(s->device, c->args[0], c->e);
  s->owned -= !err;
  return err;
}

static enum err serve_surface_create(struct server *s, struct call *c) {
  gpu_handle array;
  enum err err = handle_get(s, HANDLE_ARRAY, c->args[0], &array, c->e);
  if (!err)
    err =
        s->backend->surface_create(s->device, array, &c->slot->values[0], c->e);
  s->owned += !err;
  return err;
}

static enum err serve_surface_destroy(struct server *s, struct call *c) {
  enum err err = s->backend->surface_destroy(s->device, c->args[0], c->e);
  s->owned -= !err;
  return err;
}

// ---- Modules ----

static enum err serve_module_load(struct server *s, struct call *c) {
  char *image;
  gpu_handle module = 0;
  enum err err = arena_range(s, c->args[0], c->args[1], &image, c->e);
  if (!err)
    err = s->backend->module_load(s->device, image, c->args[1], &module, c->e);
  if (!err)
    c->slot->values[0] = server_add_handle(s, HANDLE_MODULE, module);
  return err;
}

static enum err serve_module_unload(struct server *s, struct call *c) {
  return end(s, c, HANDLE_MODULE, s->backend->module_unload);
}

static enum err tail_name(const struct call *c, const char **out) {
  *out = (const char *)c->tail;
  if (memchr(c->tail, 0, c->tail_bytes))
    return ERR_OK;
  return err_set(c->e, ERR_PROTOCOL, "a name without an end");
}

static enum err serve_function_get(struct server *s, struct call *c) {
  gpu_handle module, function = 0;
  const char *name;
  enum err err = handle_get(s, HANDLE_MODULE, c->args[0], &module, c->e);
  if (!err)
    err = tail_name(c, &name);
  if (!err)
    err = s->backend->function_get(s->device, module, name, &function,
                                   &c->slot->function, c->e);
  if (!err) {
    c->slot->values[0] = server_add_handle(s, HANDLE_FUNCTION, function);
    s->owned--; // it goes with its module
  }
  return err;
}

static enum err serve_variable_get(struct server *s, struct call *c) {
  gpu_handle module;
  gpu_ptr address = 0;
  size_t bytes = 0;
  const char *name;
  enum err err = handle_get(s, HANDLE_MODULE, c->args[0], &module, c->e);
  if (!err)
    err = tail_name(c, &name);
  if (!err)
    err = s->backend->variable_get(s->device, module, name, &address, &bytes,
                                   c->e);
  c->slot->values[0] = address;
  c->slot->values[1] = bytes;
  return err;
}

static enum err serve_max_shared(struct server *s, struct call *c) {
  gpu_handle f;
  enum err err = handle_get(s, HANDLE_FUNCTION, c->args[0], &f, c->e);
  return err ? err
             : s->backend->function_set_max_shared(s->device, f,
                                                   (uint32_t)c->args[1], c->e);
}

static enum err take_launch(struct server *s, struct call *c,
                            struct gpu_launch *out) {
  struct remote_launch l;
  memcpy(&l, c->tail, sizeof l);
  *out = (struct gpu_launch){
      .grid = {l.grid[0], l.grid[1], l.grid[2]},
      .block = {l.block[0], l.block[1], l.block[2]},
      .shared_bytes = l.shared_bytes,
      .flags = l.flags,
      .node = l.node,
      .budget = l.budget,
      .grid_budget = l.grid_budget,
      .param_bytes = l.param_bytes,
      .params = c->tail + sizeof l,
  };
  if (l.param_bytes > c->tail_bytes - sizeof l)
    return err_set(c->e, ERR_PROTOCOL, "a launch without its parameters");
  enum err err =
      handle_get(s, HANDLE_FUNCTION, l.function, &out->function, c->e);
  return err ? err : stream_get(s, l.stream, &out->stream, c->e);
}

// One more in the command line (remote_serve): ten digits, which begin again when
// they are full.
static void count_launch(struct server *s) {
  char *digit = s->count;
  while (digit && digit[-1] == '9')
    *--digit = '0';
  if (digit && digit[-1] != '=')
    digit[-1]++;
}

static enum err serve_launch(struct server *s, struct call *c) {
  struct gpu_launch launch;
  count_launch(s);
  enum err err = take_launch(s, c, &launch);
  return err ? err : s->backend->launch(s->device, &launch, c->e);
}

static enum err serve_cache_reset(struct server *s, struct call *c) {
  return s->backend->cache_reset ? s->backend->cache_reset(s->device, c->e)
                                 : ERR_OK;
}

// ---- Matrix products ----

static enum err need_products(struct server *s, struct call *c) {
  if (s->backend->product)
    return ERR_OK;
  return err_set(c->e, ERR_UNSUPPORTED,
                 "this device has no library for matrix products");
}

static enum err serve_product_start(struct server *s, struct call *c) {
  enum err err = need_products(s, c);
  return err ? err : s->backend->product_start(s->device, c->e);
}

static enum err serve_product(struct server *s, struct call *c) {
  struct gpu_product p;
  memcpy(&p, c->tail, sizeof p);
  enum err err = need_products(s, c);
  if (!err)
    err = stream_get(s, p.stream, &p.stream, c->e);
  return err ? err : s->backend->product(s->device, &p, c->e);
}

// ---- Groups of devices ----

static enum err serve_collective(struct server *s, struct call *c) {
  struct gpu_collective list[2 * GPU_MAX_RANKS];
  uint64_t count = c->args[0];
  if (!count || count > sizeof list / sizeof *list ||
      count * sizeof *list > c->tail_bytes)
    return err_set(c->e, ERR_PROTOCOL, "a group's operation of %" PRIu64,
                   count);
  memcpy(list, c->tail, count * sizeof *list);
  enum err err = stream_get(s, list[0].stream, &list[0].stream, c->e);
  return err ? err : server_collective(s, list, (int)count, c->e);
}

// ---- The debugger ----

static enum err need_debugger(struct server *s, struct call *c) {
  if (s->backend->debug_begin)
    return ERR_OK;
  return err_set(c->e, ERR_UNSUPPORTED,
                 "only the virtual GPU steps through a launch");
}

static enum err serve_debug_begin(struct server *s, struct call *c) {
  struct gpu_launch launch;
  gpu_handle twin = 0;
  enum err err = need_debugger(s, c);
  if (!err)
    err = take_launch(s, c, &launch);
  if (!err && c->args[0])
    err = handle_get(s, HANDLE_FUNCTION, c->args[0], &twin, c->e);
  return err ? err : s->backend->debug_begin(s->device, &launch, twin, c->e);
}

static enum err serve_debug_command(struct server *s, struct call *c) {
  const char *text;
  enum err err = need_debugger(s, c);
  if (!err)
    err = tail_name(c, &text);
  return err ? err : s->backend->debug_command(s->device, text, c->e);
}

static enum err serve_debug_answer(struct server *s, struct call *c) {
  struct remote_debug_answer *a;
  char *to;
  enum err err = need_debugger(s, c);
  if (!err)
    err = arena_range(s, c->args[0], sizeof *a, &to, c->e);
  if (err)
    return err;
  a = xcalloc(1, sizeof *a);
  err = s->backend->debug_answer(s->device, &a->stop, a->text, sizeof a->text,
                                 c->e);
  memcpy(to, a, sizeof *a);
  free(a);
  return err;
}

static enum err serve_debug_end(struct server *s, struct call *c) {
  enum err err = need_debugger(s, c);
  return err ? err : s->backend->debug_end(s->device, c->e);
}

// ---- Counts, placement, requests ----

static void keep(struct kept *k, void *data, uint64_t bytes) {
  free(k->data);
  *k = (struct kept){data, bytes};
}

// Into the arena, all of it, and then it is gone.
static enum err give_kept(struct server *s, struct call *c, struct kept *k) {
  char *to;
  enum err err = arena_range(s, c->args[0], c->args[1], &to, c->e);
  if (!err && k->bytes != c->args[1])
    err =
        err_set(c->e, ERR_PROTOCOL, "%" PRIu64 " bytes for what takes %" PRIu64,
                c->args[1], k->bytes);
  if (err)
    return err;
  if (k->bytes)
    memcpy(to, k->data, k->bytes);
  keep(k, NULL, 0);
  return ERR_OK;
}

static enum err serve_counts(struct server *s, struct call *c) {
  struct gpu_line_counts *lines = NULL;
  enum err err = s->backend->counts(s->device, &c->slot->counts, &lines, c->e);
  keep(&s->lines, lines,
       err ? 0 : (uint64_t)c->slot->counts.line_count * sizeof *lines);
  return err;
}

static enum err serve_hardware(struct server *s, struct call *c) {
  if (!s->backend->hardware)
    return err_set(c->e, ERR_UNSUPPORTED,
                   "only a real GPU has counters of its own");
  return s->backend->hardware(s->device, &c->slot->hardware, c->e);
}

static enum err serve_count_lines(struct server *s, struct call *c) {
  return give_kept(s, c, &s->lines);
}

static enum err serve_requests(struct server *s, struct call *c) {
  uint8_t *packed = NULL;
  if (!s->backend->requests)
    return err_set(c->e, ERR_UNSUPPORTED,
                   "a real GPU does not tell what its threads ask for");
  enum err err =
      s->backend->requests(s->device, &c->slot->requests, &packed, c->e);
  keep(&s->requests, packed, err ? 0 : c->slot->requests.bytes);
  return err;
}

static enum err serve_request_bytes(struct server *s, struct call *c) {
  return give_kept(s, c, &s->requests);
}

static enum err serve_work(struct server *s, struct call *c) {
  if (!s->backend->work)
    return err_set(c->e, ERR_UNSUPPORTED, "this device counts no work");
  return s->backend->work(s->device, &c->slot->work, c->e);
}

static enum err serve_placement(struct server *s, struct call *c) {
  struct gpu_block_place *places = NULL;
  enum err err =
      s->backend->placement(s->device, &c->slot->placement, &places, c->e);
  keep(&s->places, places,
       err ? 0 : (uint64_t)c->slot->placement.placed * sizeof *places);
  return err;
}

static enum err serve_block_places(struct server *s, struct call *c) {
  return give_kept(s, c, &s->places);
}

// ---- Streams and events ----

static enum err serve_stream_create(struct server *s, struct call *c) {
  return make(s, c, HANDLE_STREAM, s->backend->stream_create);
}

static enum err serve_stream_destroy(struct server *s, struct call *c) {
  return end(s, c, HANDLE_STREAM, s->backend->stream_destroy);
}

static enum err serve_stream_wait(struct server *s, struct call *c) {
  gpu_handle stream, event;
  enum err err = stream_get(s, c->args[0], &stream, c->e);
  if (!err)
    err = handle_get(s, HANDLE_EVENT, c->args[1], &event, c->e);
  return err ? err : s->backend->stream_wait(s->device, stream, event, c->e);
}

static enum err serve_event_create(struct server *s, struct call *c) {
  return make(s, c, HANDLE_EVENT, s->backend->event_create);
}

static enum err serve_event_destroy(struct server *s, struct call *c) {
  return end(s, c, HANDLE_EVENT, s->backend->event_destroy);
}

static enum err serve_event_record(struct server *s, struct call *c) {
  gpu_handle event, stream;
  enum err err = handle_get(s, HANDLE_EVENT, c->args[0], &event, c->e);
  if (!err)
    err = stream_get(s, c->args[1], &stream, c->e);
  return err ? err : s->backend->event_record(s->device, event, stream, c->e);
}

static enum err serve_event_poll(struct server *s, struct call *c) {
  gpu_handle event;
  enum err err = handle_get(s, HANDLE_EVENT, c->args[0], &event, c->e);
  return err ? err : s->backend->event_poll(s->device, event, c->e);
}

static enum err serve_event_elapsed(struct server *s, struct call *c) {
  gpu_handle from, to;
  enum err err = handle_get(s, HANDLE_EVENT, c->args[0], &from, c->e);
  if (!err)
    err = handle_get(s, HANDLE_EVENT, c->args[1], &to, c->e);
  return err ? err
             : s->backend->event_elapsed(s->device, from, to, &c->slot->ms,
                                         c->e);
}

// ---- Graphs ----

static enum err serve_capture_begin(struct server *s, struct call *c) {
  gpu_handle stream;
  enum err err = stream_get(s, c->args[0], &stream, c->e);
  if (!err && !s->backend->graphs)
    err = err_set(c->e, ERR_UNSUPPORTED, "this device captures no streams");
  if (!err)
    err = s->backend->graphs->capture_begin(s->device, stream, c->e);
  s->is_capturing = true; // until the end, which answers for what failed
  return err;
}

static enum err serve_capture_end(struct server *s, struct call *c) {
  gpu_handle stream, graph = 0;
  struct err_info first = s->capture_failure;
  enum err err = stream_get(s, c->args[0], &stream, c->e);
  s->is_capturing = false;
  s->capture_failure.code = ERR_OK;
  if (!err && s->backend->graphs)
    err = s->backend->graphs->capture_end(s->device, stream, &graph, c->e);
  if (!err && first.code)
    s->backend->graphs->destroy(s->device, graph, NULL);
  if (first.code) {
    *c->e = first;
    return first.code;
  }
  if (!err)
    c->slot->values[0] = server_add_handle(s, HANDLE_GRAPH, graph);
  return err;
}

typedef enum err graph_queue(struct gpu_device *d, gpu_handle graph,
                             gpu_handle stream, struct err_info *e);

static enum err queue_graph(struct server *s, struct call *c,
                            graph_queue *queue) {
  gpu_handle graph, stream;
  enum err err = handle_get(s, HANDLE_GRAPH, c->args[0], &graph, c->e);
  if (!err)
    err = stream_get(s, c->args[1], &stream, c->e);
  return err ? err : queue(s->device, graph, stream, c->e);
}

static enum err serve_graph_launch(struct server *s, struct call *c) {
  count_launch(s);
  return queue_graph(s, c, s->backend->graphs->launch);
}

static enum err serve_graph_upload(struct server *s, struct call *c) {
  return queue_graph(s, c, s->backend->graphs->upload);
}

static enum err serve_graph_update(struct server *s, struct call *c) {
  struct gpu_launch launch;
  gpu_handle graph;
  enum err err = handle_get(s, HANDLE_GRAPH, c->args[0], &graph, c->e);
  if (!err)
    err = take_launch(s, c, &launch);
  return err ? err
             : s->backend->graphs->update(s->device, graph, &launch, c->e);
}

static enum err serve_graph_destroy(struct server *s, struct call *c) {
  return end(s, c, HANDLE_GRAPH, s->backend->graphs->destroy);
}

// ---- Waiting ----

// The answer comes from the loop when the work is done.
static enum err serve_wait(struct server *s, struct call *c) {
  gpu_handle stream;
  enum err err = stream_get(s, c->args[0], &stream, c->e);
  if (err)
    return err;
  s->waits[c->index].is_active = true;
  s->waits[c->index].seq = c->seq;
  s->waits[c->index].stream = stream;
  return ERR_OK;
}

// ---- Turns ----

// The loop has seen to it that no other server has one.
static enum err serve_turn_take(struct server *s, struct call *c) {
  (void)c;
  turn_keep(s);
  return ERR_OK;
}

static enum err serve_turn_give(struct server *s, struct call *c) {
  return turn_give(s, c->e);
}

// ---- Dispatch ----

enum answer_kind { ROUND, QUEUED, WAIT };

static const struct {
  enum err (*serve)(struct server *s, struct call *c);
  enum answer_kind answer;
  size_t least_tail;
} ops[] = {
#define OP(name, handler, answer, turn, tail)                                  \
  [REMOTE_OP_##name] = {serve_##handler, answer, tail},
#include "gpu/remote/protocol.def"
#undef OP
};

void server_execute(struct server *s, const struct remote_command *c) {
  struct err_info e; // a kilobyte: not cleared for each launch
  e.code = ERR_OK;
  bool has_slot = c->slot < REMOTE_SLOTS;
  struct call call = {
      .args = c->args,
      .tail = (const unsigned char *)(c + 1),
      .tail_bytes = c->bytes - sizeof *c,
      .seq = c->seq,
      .index = c->slot,
      .slot = has_slot ? &s->segment->slots[c->slot] : NULL,
      .e = &e,
  };
  enum answer_kind answer = ops[c->op].answer;
  enum err err;
  if (call.tail_bytes < ops[c->op].least_tail)
    err = err_set(&e, ERR_PROTOCOL, "command %d is too short", c->op);
  else if (has_slot != (answer != QUEUED))
    err = err_set(&e, ERR_PROTOCOL, "command %d with slot %d", c->op, c->slot);
  else if (s->is_capturing && s->capture_failure.code && !has_slot)
    err = ERR_OK; // nobody wants the rest of it
  else
    err = ops[c->op].serve(s, &call);
  s->executed = c->seq;
  s->has_work |= answer == QUEUED;
  if (err && !e.code)
    err_set(&e, err, "%s", err_text(err));
  // A call may fail because earlier work spoiled the device.
  if (err && err != ERR_NOT_READY && answer == ROUND)
    server_poll(s, GPU_ALL_STREAMS);
  if (has_slot && (err || answer == ROUND)) {
    call.slot->finding_count = 0;
    server_answer(s, call.slot, c->seq, err, &e);
  } else if (err && s->is_capturing) {
    s->capture_failure = e;
  } else if (err) {
    server_fail(s, &e);
  }
}

void server_drop(struct server *s, const struct remote_command *c,
                 const struct err_info *why) {
  s->executed = c->seq;
  s->has_work = true; // whoever waits for it is answered
  if (c->slot < REMOTE_SLOTS)
    server_answer(s, &s->segment->slots[c->slot], c->seq, why->code, why);
  else
    server_fail(s, why);
}
