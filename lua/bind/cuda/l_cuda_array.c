// SPDX-License-Identifier: Apache-2.0
// Device arrays in Lua: copies both ways, filling, making, freeing, listing.
#include "lua/bind/cuda/l_cuda_array.h"

#include <lauxlib.h>
#include <string.h>

#include "gpu/remote/remote.h"
#include "lua/bind/cuda/l_cuda_args.h"
#include "lua/bind/cuda/l_cuda_calls.h"
#include "lua/bind/cuda/l_cuda_graph.h"
#include "lua/bind/cuda/l_cuda_memory.h"
#include "lua/bind/cuda/l_cuda_order.h"
#include "lua/bind/cuda/l_cuda_peer.h"
#include "lua/bind/cuda/l_cuda_wait.h"
#include "lua/bind/np/array.h"

static struct array *check_device_array(lua_State *L, int at,
                                        const char *method) {
  struct array *a = array_check(L, at);
  if (!array_is_device(a))
    bind_error(L, ERR_ARGUMENT,
               "%s works on device arrays, and this one is on the host: "
               "cuda.to_device(%s) copies it to the device",
               method, array_push_name(L, a, "x"));
  return a;
}

// Arrays of other libraries' may be read-only on a device, too.
static struct array *check_writable(lua_State *L, struct array *a) {
  if (a->is_readonly)
    array_assign(L, a, a); // raises
  return a;
}

static struct ldevice *device_of_array(lua_State *L, const struct array *a) {
  char name[80] = "this array";
  array_variable_name(L, a->storage, name, sizeof name);
  const struct device_storage *ds = device_storage_of(a->storage);
  struct ldevice *d = ds ? ds->device : NULL;
  ldevice_check_storage(L, d, a->storage, name);
  return d;
}

// ---- Copies ----

static size_t array_bytes(const struct array *a) {
  return (size_t)array_count(a) * dtype_bytes(a->dtype);
}

static void push_device_array(lua_State *L, struct device_storage *ds,
                              const struct array *like) {
  int64_t strides[ARRAY_MAX_DIMS];
  array_set_strides(strides, like->dtype, like->ndim, like->shape);
  array_push_view(L, &ds->base, like->dtype, like->ndim, like->shape, strides);
  storage_unref(&ds->base); // the array holds its own
}

static void mark_read(struct ldevice *d, struct storage *s) {
  s->busy_on = d->gpu;
  s->last_reader = remote_last_seq(d->gpu);
}

static void mark_written(struct ldevice *d, struct storage *s) {
  s->busy_on = d->gpu;
  s->last_writer = remote_last_seq(d->gpu);
}

// What copies: a call, and the stream that it was given (NULL: none, then the
// host waits where CUDA's plain copies do).
struct copy {
  struct ldevice *device;
  struct lstream *stream;
  const char *name;
};

// The stream that is argument `at`, or NULL; of another device: an error.
static struct lstream *take_stream(lua_State *L, int at) {
  if (lua_isnoneornil(L, at) ||
      (lua_isinteger(L, at) && lua_tointeger(L, at) == 0))
    return NULL;
  struct lstream *s = luaL_testudata(L, at, LCUDA_STREAM);
  if (!s)
    bind_error(L, ERR_ARGUMENT,
               "the last argument of a copy is a stream, %s "
               "is not: s = cuda.stream() makes one",
               bind_value_text(L, at));
  return s;
}

static gpu_handle handle_of(lua_State *L, const struct copy *c) {
  return lstream_handle(L, c->stream, c->device);
}

static void note_use(const struct copy *c, struct storage *s) {
  struct device_storage *ds = device_storage_of(s);
  if (ds && c->stream)
    ds->is_elsewhere = true;
}

// A capture takes the copy, or does not bear it.
static bool is_captured(lua_State *L, const struct copy *c,
                        enum lgraph_kind kind, struct lbytes to,
                        struct lbytes from) {
  if (!lgraph_captures(L, c->device, c->stream, c->name))
    return false;
  if (to.bytes)
    lgraph_add_copy(L, kind, c->stream,
                    (struct lgraph_use){to.of, to.from, to.bytes, true},
                    (struct lgraph_use){from.of, from.from, from.bytes, false});
  return true;
}

// Queues a copy from host storage to as many bytes of a device block.
static void queue_in(lua_State *L, const struct copy *c, struct lbytes to,
                     struct lbytes from) {
  struct ldevice *d = c->device;
  struct err_info e = {0};
  const char *host = (const char *)from.of->host + from.from;
  if (to.bytes == 0 || is_captured(L, c, LGRAPH_COPY_IN, to, from))
    return;
  gpu_handle stream = handle_of(L, c);
  lorder_queue(L, d, c->stream, c->name);
  lorder_use(L, d, c->stream, to, true);
  if (c->stream) // a plain copy has read its source when it returns
    lorder_use(L, d, c->stream, from, false);
  ltrace_begin(d, stream);
  if (d->gpu->backend->copy_in(d->gpu, to.of->address + to.from, host, to.bytes,
                               stream, &e) != ERR_OK)
    ldevice_fail(L, d, &e);
  mark_written(d, to.of);
  mark_read(d, from.of);
  lcuda_count_queued(d->owner, c->stream, GPU_CALL_BYTES_TO_DEVICE, to.bytes);
  note_use(c, to.of);
  ldevice_hold(d, from.of);
}

// A copy on a stream stands in the queue behind the device's other work on the
// array; only what another device does with it is waited for.
static void await_for(lua_State *L, const struct copy *c, struct array *a,
                      bool for_write) {
  if (!c->stream)
    array_await(L, a, for_write);
  else if (a->storage->busy_on && a->storage->busy_on != c->device->gpu)
    lcuda_await_storage(L, a->storage, for_write);
}

// A contiguous host array with the same elements: the array itself, or a
// packed copy, which is pushed; otherwise pushes the value again.
static struct array *push_packed(lua_State *L, const struct copy *c, int at) {
  struct array *a = array_check(L, at);
  if (array_is_contiguous(a)) {
    await_for(L, c, a, false);
    lua_pushvalue(L, at);
    return a;
  }
  array_await(L, a, false);
  return array_push_copy(L, a, a->dtype);
}

// Device to device, for contiguous arrays of one device.
static void queue_on(lua_State *L, const struct copy *c, const struct array *to,
                     const struct array *from) {
  struct ldevice *d = c->device;
  struct err_info e = {0};
  size_t bytes = array_bytes(from);
  if (is_captured(L, c, LGRAPH_COPY_ON,
                  (struct lbytes){to->storage, to->offset, bytes},
                  (struct lbytes){from->storage, from->offset, bytes}))
    return;
  gpu_handle stream = handle_of(L, c);
  lorder_queue(L, d, c->stream, c->name);
  lorder_use_array(L, d, c->stream, to, true);
  lorder_use_array(L, d, c->stream, from, false);
  ltrace_begin(d, stream);
  if (bytes &&
      d->gpu->backend->copy_on(d->gpu, to->storage->address + to->offset,
                               from->storage->address + from->offset, bytes,
                               stream, &e) != ERR_OK)
    ldevice_fail(L, d, &e);
  lcuda_count_queued(d->owner, c->stream, GPU_CALL_BYTES_ON_DEVICE, bytes);
  note_use(c, to->storage);
  note_use(c, from->storage);
  mark_read(d, from->storage);
  mark_written(d, to->storage);
  device_storage_changed(to->storage);
}

static struct array *push_fetched(lua_State *L, struct array *a);

// A view with gaps is packed on the host.
static int copy_device_array(lua_State *L, struct array *a,
                             struct lstream *stream) {
  struct ldevice *d = device_of_array(L, a);
  struct copy c = {d, stream, "copy"};
  if (!array_is_contiguous(a)) {
    push_fetched(L, a);
    lua_replace(L, 1);
    return lcuda_push_on_device(L, d);
  }
  struct device_storage *ds =
      ldevice_alloc(L, d, array_bytes(a), lcuda_alloc_flags(d->owner));
  push_device_array(L, ds, a);
  queue_on(L, &c, array_check(L, -1), a);
  return 1;
}

static int push_on_device(lua_State *L, const struct copy *c, bool is_pooled);

// cuda.to_device(a [, stream])
static int l_to_device(lua_State *L) {
  struct array *a = array_test(L, 1);
  struct lstream *stream = take_stream(L, 2);
  if (!a)
    bind_error(L, ERR_ARGUMENT,
               "cuda.to_device takes an array, not %s: np.array(t, \"f32\") "
               "makes one from a table",
               luaL_typename(L, 1));
  if (array_is_device(a))
    return copy_device_array(L, a, stream);
  struct copy c = {lcuda_device(L), stream, "to_device"};
  return push_on_device(L, &c, false);
}

static struct device_storage *alloc(lua_State *L, struct ldevice *d,
                                    size_t bytes, bool is_pooled) {
  return is_pooled ? ldevice_alloc_pooled(L, d, bytes)
                   : ldevice_alloc(L, d, bytes, lcuda_alloc_flags(d->owner));
}

// A copy of the array at 1, which another device has, and `d` finds there.
static int push_from_peer(lua_State *L, struct ldevice *d, gpu_ptr there,
                          bool is_pooled) {
  const struct array *a = array_check(L, 1);
  push_device_array(L, alloc(L, d, array_bytes(a), is_pooled), a);
  lpeer_copy(L, array_check(L, -1), there, a);
  return 1;
}

static int push_on_device(lua_State *L, const struct copy *c, bool is_pooled) {
  struct ldevice *d = c->device;
  struct array *a = array_check(L, 1);
  if (array_is_device(a)) {
    device_of_array(L, a);
    gpu_ptr there = array_is_contiguous(a) ? lpeer_map(L, d, a) : 0;
    if (there)
      return push_from_peer(L, d, there, is_pooled);
    push_fetched(L, a);
    lua_replace(L, 1);
  }
  struct array *packed = push_packed(L, c, 1);
  size_t bytes = array_bytes(packed);
  struct device_storage *ds = alloc(L, d, bytes, is_pooled);
  push_device_array(L, ds, packed);
  ds->base.copied_from = storage_ref(packed->storage);
  ds->base.copied_version = packed->storage->version;
  ds->copied_offset = packed->offset;
  queue_in(L, c, (struct lbytes){&ds->base, 0, bytes},
           (struct lbytes){packed->storage, packed->offset, bytes});
  return 1;
}

int lcuda_push_on_device(lua_State *L, struct ldevice *d) {
  return push_on_device(L, &(struct copy){d, NULL, "to_device"}, false);
}

int lcuda_push_pooled(lua_State *L, struct ldevice *d) {
  return push_on_device(L, &(struct copy){d, NULL, "to_device"}, true);
}

// Queues a copy of `bytes` from the device to a host array.
static void queue_out(lua_State *L, const struct copy *c, struct storage *s,
                      size_t offset, struct array *to, size_t bytes) {
  struct ldevice *d = c->device;
  struct err_info e = {0};
  if (is_captured(L, c, LGRAPH_COPY_OUT,
                  (struct lbytes){to->storage, to->offset, bytes},
                  (struct lbytes){s, offset, bytes}))
    return;
  gpu_handle stream = handle_of(L, c);
  lorder_queue(L, d, c->stream, c->name);
  lorder_use(L, d, c->stream, (struct lbytes){s, offset, bytes}, false);
  lorder_use(L, d, c->stream, (struct lbytes){to->storage, to->offset, bytes},
             true);
  ltrace_begin(d, stream);
  if (bytes &&
      d->gpu->backend->copy_out(d->gpu, array_data(to), s->address + offset,
                                bytes, stream, &e) != ERR_OK)
    ldevice_fail(L, d, &e);
  mark_read(d, s);
  mark_written(d, to->storage);
  lcuda_count_queued(d->owner, c->stream, GPU_CALL_BYTES_TO_HOST, bytes);
  note_use(c, s);
  ldevice_hold(d, to->storage);
}

// Brings `bytes` from the device to a host array and waits. What is queued
// before must have succeeded first: a failed kernel's bytes never reach the
// host.
static void fetch(lua_State *L, struct ldevice *d, struct storage *s,
                  size_t offset, struct array *to, size_t bytes) {
  struct copy c = {d, NULL, "copy_to_host"};
  lgraph_refuse(L, d, "copy_to_host, or a look at an element,",
                "its kernels have not run, so there is nothing to look at; "
                "graph:launch(stream) comes first");
  if (s->last_writer > remote_done_seq(d->gpu))
    ldevice_wait_seq(L, d, s->last_writer);
  if (bytes == 0)
    return;
  queue_out(L, &c, s, offset, to, bytes);
  ldevice_wait_seq(L, d, s->last_reader);
  lorder_host_stream(d, NULL);
}

// Pushes a contiguous host array with the device array's elements.
static struct array *push_fetched(lua_State *L, struct array *a) {
  struct ldevice *d = device_of_array(L, a);
  if (array_is_contiguous(a)) {
    struct array *out = array_push_host(L, a->dtype, a->ndim, a->shape);
    fetch(L, d, a->storage, a->offset, out, array_bytes(a));
    return out;
  }
  // A strided view: fetch its storage whole, then pack on the host.
  int64_t bytes = (int64_t)a->storage->bytes;
  struct array *whole = array_push_host(L, DTYPE_U8, 1, &bytes);
  fetch(L, d, a->storage, 0, whole, (size_t)bytes);
  struct array view = *a;
  view.storage = whole->storage;
  struct array *out = array_push_copy(L, &view, a->dtype);
  lua_remove(L, -2);
  return out;
}

static bool has_same_shape(const struct array *a, const struct array *b) {
  return a->ndim == b->ndim && a->dtype == b->dtype &&
         memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof a->shape[0]) == 0;
}

static struct array *check_out(lua_State *L, const struct array *a) {
  struct array *out = array_check(L, 2);
  if (array_is_device(out) || out->is_readonly || !has_same_shape(a, out))
    bind_error(L, ERR_ARGUMENT,
               "copy_to_host(out): out must be a writable host array of the "
               "same shape and dtype (%s)",
               dtype_name(a->dtype));
  return out;
}

// d:copy_to_host([out,] stream): the host goes on, and may look at the result
// once it has waited for the stream.
static int copy_out_on(lua_State *L, struct array *a, struct lstream *stream) {
  struct copy c = {device_of_array(L, a), stream, "copy_to_host"};
  struct array *out = lua_isnil(L, 2)
                          ? array_push_host(L, a->dtype, a->ndim, a->shape)
                          : check_out(L, a);
  if (!array_is_contiguous(a) || !array_is_contiguous(out))
    bind_error(L, ERR_ARGUMENT,
               "copy_to_host on a stream: %s is a view with gaps, which no "
               "copy follows; copy it without a stream",
               array_push_name(L, array_is_contiguous(a) ? out : a, "one"));
  await_for(L, &c, out, true);
  queue_out(L, &c, a->storage, a->offset, out, array_bytes(a));
  array_touch(out);
  if (!lua_isnil(L, 2))
    lua_pushvalue(L, 2);
  return 1;
}

// d:copy_to_host([out] [, stream])
static int l_copy_to_host(lua_State *L) {
  struct array *a = check_device_array(L, 1, "copy_to_host");
  bool is_first = luaL_testudata(L, 2, LCUDA_STREAM) != NULL;
  struct lstream *stream = take_stream(L, is_first ? 2 : 3);
  lua_settop(L, is_first ? 1 : 2);
  lua_settop(L, 2);
  if (stream)
    return copy_out_on(L, a, stream);
  if (lua_isnoneornil(L, 2)) {
    push_fetched(L, a);
    return 1;
  }
  struct array *out = check_out(L, a);
  array_await(L, out, true);
  if (array_is_contiguous(a) && array_is_contiguous(out)) {
    struct ldevice *d = device_of_array(L, a);
    fetch(L, d, a->storage, a->offset, out, array_bytes(a));
  } else {
    array_assign(L, out, push_fetched(L, a));
  }
  array_touch(out);
  lua_pushvalue(L, 2);
  return 1;
}

int lcuda_push_on_host(lua_State *L) {
  struct array *a = array_check(L, 1);
  lua_settop(L, 1);
  return array_is_device(a) ? l_copy_to_host(L) : 1;
}

// After a copy from the host the device array can be restored from there, if
// the copy covered all of it.
static void remember_source(struct storage *s, const struct array *to,
                            const struct array *from) {
  bool is_whole = to->offset == 0 && array_bytes(to) == s->bytes;
  struct storage *before = s->copied_from;
  s->was_written = !is_whole;
  s->copied_from = is_whole ? storage_ref(from->storage) : NULL;
  s->copied_version = from->storage->version;
  struct device_storage *ds = device_storage_of(s);
  ds->copied_offset = from->offset;
  ds->known_until = is_whole ? UINT64_MAX : 0;
  ds->fill_width = 0;
  storage_unref(before);
}

// d:copy_from(a [, stream])
static int l_copy_from(lua_State *L) {
  struct array *to = check_writable(L, check_device_array(L, 1, "copy_from"));
  struct ldevice *d = device_of_array(L, to);
  struct copy c = {d, take_stream(L, 3), "copy_from"};
  struct array *from = array_check(L, 2);
  if (!has_same_shape(to, from) || !array_is_contiguous(to))
    bind_error(L, ERR_ARGUMENT,
               "copy_from: both arrays must have the same shape and dtype "
               "(%s), and the device array must be contiguous",
               dtype_name(to->dtype));
  bool is_plain = array_is_device(from) && array_is_contiguous(from);
  bool is_here = is_plain && device_of_array(L, from) == d;
  gpu_ptr there = is_plain && !is_here && !c.stream ? lpeer_map(L, d, from) : 0;
  if (is_here) {
    queue_on(L, &c, to, from);
  } else if (there) {
    lpeer_copy(L, to, there, from);
  } else {
    if (!array_is_contiguous(from))
      lgraph_refuse(L, d, "copy_from",
                    "what is copied is a view with gaps, which no copy "
                    "follows; x:copy() before the capture packs it");
    from =
        array_is_device(from) ? push_fetched(L, from) : push_packed(L, &c, 2);
    size_t bytes = array_bytes(from);
    queue_in(L, &c, (struct lbytes){to->storage, to->offset, bytes},
             (struct lbytes){from->storage, from->offset, bytes});
    if (!lgraph_is_capturing(d))
      remember_source(to->storage, to, from);
  }
  lua_settop(L, 1);
  return 1;
}

// np's own method of the array (upvalue 1), with the arguments at hand; it is
// jnp's for jax arrays.
static int call_np(lua_State *L) {
  int given = lua_gettop(L);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, given, LUA_MULTRET);
  return lua_gettop(L);
}

// x:copy() of a device array packs a strided view.
static int l_copy(lua_State *L) {
  struct array *a = array_check(L, 1);
  if (a->is_jax || !array_is_device(a))
    return call_np(L);
  if (array_is_contiguous(a))
    return copy_device_array(L, a, NULL);
  push_fetched(L, a);
  lua_replace(L, 1);
  return l_to_device(L);
}

// x:astype(t) of a device array: by way of the host.
static int l_astype(lua_State *L) {
  struct array *a = array_check(L, 1);
  if (a->is_jax || !array_is_device(a))
    return call_np(L);
  push_fetched(L, a);
  lua_replace(L, 1);
  call_np(L);
  return l_to_device(L);
}

static void remember_fill(struct device_storage *ds, uint32_t word,
                          unsigned width) {
  ds->fill_word = word;
  ds->fill_width = (uint8_t)width;
  ds->known_until = UINT64_MAX;
}

// Queues the fill of an array with a word of 1, 2 or 4 bytes.
static void queue_set(lua_State *L, const struct copy *c, struct array *a,
                      uint32_t word, unsigned width) {
  struct ldevice *d = c->device;
  struct err_info e = {0};
  size_t bytes = array_bytes(a);
  struct lgraph_use use = {a->storage, a->offset, bytes, true};
  if (lgraph_captures(L, d, c->stream, c->name)) {
    if (bytes)
      lgraph_add_set(L, c->stream, use, word, width);
    return;
  }
  gpu_handle stream = handle_of(L, c);
  lorder_queue(L, d, c->stream, c->name);
  lorder_use_array(L, d, c->stream, a, true);
  struct gpu_fill fill = {.to = a->storage->address + a->offset,
                          .value = word,
                          .width = width,
                          .count = bytes / width,
                          .stream = stream};
  if (bytes && d->gpu->backend->mem_set(d->gpu, &fill, &e) != ERR_OK)
    ldevice_fail(L, d, &e);
  mark_written(d, a->storage);
  note_use(c, a->storage);
  device_storage_changed(a->storage);
  if (bytes == a->storage->bytes)
    remember_fill(device_storage_of(a->storage), word, width);
}

// d:fill(value [, stream]): every element of a contiguous device array.
static int l_fill(lua_State *L) {
  if (array_check(L, 1)->is_jax || !array_is_device(array_check(L, 1)))
    return call_np(L);
  struct array *a = check_writable(L, check_device_array(L, 1, "fill"));
  struct copy c = {device_of_array(L, a), take_stream(L, 3), "fill"};
  uint8_t value[8] = {0};
  unsigned bytes = (unsigned)dtype_bytes(a->dtype);
  lua_settop(L, 3);
  array_store_element(L, a->dtype, value, 2);
  if (!array_is_contiguous(a))
    bind_error(L, ERR_ARGUMENT, "fill: the device array must be contiguous");
  if (bytes == 8 && memcmp(value, value + 4, 4) == 0)
    bytes = 4;
  if (bytes == 8) { // devices set 1, 2 or 4 bytes at a time
    struct array *host = array_push_host(L, a->dtype, a->ndim, a->shape);
    for (int64_t i = 0; i < array_count(a); i++)
      memcpy((char *)array_data(host) + 8 * i, value, 8);
    lua_replace(L, 2);
    return l_copy_from(L);
  }
  uint32_t word = 0;
  memcpy(&word, value, bytes);
  queue_set(L, &c, a, word, bytes);
  lua_settop(L, 1);
  return 1;
}

// ---- Making arrays ----

static size_t shape_bytes(lua_State *L, const struct array *a) {
  size_t bytes = dtype_bytes(a->dtype);
  for (int i = 0; i < a->ndim; i++) {
    if (a->shape[i] < 0)
      bind_error(L, ERR_ARGUMENT,
                 "axis %d of the shape must be an integer from 0 up", i);
    if (__builtin_mul_overflow(bytes, (size_t)a->shape[i], &bytes) ||
        bytes > (size_t)1 << 62)
      bind_error(L, ERR_NOMEM,
                 "an array of this shape does not fit in any "
                 "memory");
  }
  return bytes;
}

static int push_new(lua_State *L, const struct array *like) {
  struct ldevice *d = lcuda_device(L);
  size_t bytes = shape_bytes(L, like);
  struct device_storage *ds =
      ldevice_alloc(L, d, bytes, lcuda_alloc_flags(d->owner));
  // Nobody copied it from anywhere: after a restart it has no contents.
  ds->base.was_written = true;
  push_device_array(L, ds, like);
  return 1;
}

static int l_device_array(lua_State *L) {
  struct array like = {0};
  like.ndim = array_check_shape(L, 1, "cuda.device_array", like.shape);
  like.dtype = array_check_dtype(L, 2, DTYPE_F64);
  return push_new(L, &like);
}

static int l_device_array_like(lua_State *L) {
  return push_new(L, array_check(L, 1));
}

// ---- Pointers, freeing, listing ----

// A checked device frees behind the work that was queued before, so that the
// next launch finds the memory gone.
static void free_in_order(struct ldevice *d) {
  struct retired *last = &d->retired[d->retired_count - 1];
  struct err_info e;
  if (d->retired_count && last->address && last->generation == d->generation &&
      !d->gpu->backend->mem_free(d->gpu, last->address, &e))
    last->address = 0;
  ldevice_drain(d);
}

static int l_free(lua_State *L) {
  struct array *a = check_device_array(L, 1, "free");
  struct device_storage *ds = device_storage_of(a->storage);
  if (ds->is_borrowed)
    bind_error(L, ERR_ARGUMENT,
               "this array is a variable of a module, which "
               "lives as long as the module does");
  struct ldevice *d = ds->device;
  device_storage_free(ds);
  if (d && d->has_info && d->info.is_checked)
    free_in_order(d);
  else if (d)
    ldevice_drain(d);
  return 0;
}

static const char *state_of(const struct storage *s) {
  if (s->is_freed)
    return "freed";
  if (s->is_lost)
    return "lost";
  return s->was_written ? "written" : "copied";
}

// Pushes what cuda.arrays() says of one storage.
static void push_row(lua_State *L, const struct device_storage *s) {
  char name[80], shape[ARRAY_SHAPE_TEXT];
  lua_createtable(L, 0, 8); // [row]
  lua_pushinteger(L, (lua_Integer)s->base.bytes);
  lua_setfield(L, -2, "bytes");
  bind_set_text(L, "device", s->device->id);
  bind_set_text(L, "state", state_of(&s->base));
  if (!array_push_variable(L, &s->base, name, sizeof name))
    return;
  struct array *a = array_check(L, -1); // [row, array]
  enum dtype dtype = a->dtype;
  array_shape_text(shape, a->ndim, a->shape);
  lua_setfield(L, -2, "array");
  bind_set_text(L, "name", name);
  bind_set_text(L, "shape", shape);
  bind_set_text(L, "dtype", dtype_name(dtype));
}

// cuda.arrays(): the device arrays that are alive, newest first.
static int l_arrays(lua_State *L) {
  struct lcuda *c = lcuda_of(L);
  lua_newtable(L);
  int n = 0;
  for (struct ldevice *d = c->devices; d; d = d->next)
    for (struct device_storage *s = d->storages; s; s = s->next) {
      if (s->twin_of || s->stands_for)
        continue;
      push_row(L, s);
      lua_rawseti(L, -2, ++n);
    }
  return 1;
}

static int l_pointer(lua_State *L) {
  struct array *a = check_device_array(L, 1, "pointer");
  device_of_array(L, a);
  struct lpointer *p = lua_newuserdatauv(L, sizeof *p, 0);
  p->storage = NULL;
  luaL_setmetatable(L, LCUDA_POINTER);
  p->storage = storage_ref(a->storage);
  p->offset = (int64_t)a->offset;
  p->generation = a->storage->generation;
  return 1;
}

// ---- Hooks of the arrays ----

static const char *where(const struct storage *s) {
  const struct device_storage *ds = device_storage_of(s);
  return ds && ds->device ? ds->device->id : "a device that was closed";
}

// The arena is full: wait for queued work, which holds host memory.
static void drain_all(lua_State *L) {
  for (struct ldevice *d = lcuda_of(L)->devices; d; d = d->next)
    if (d->retired_count > 0) {
      ldevice_wait(L, d, GPU_ALL_STREAMS);
      ldevice_drain(d);
    }
}

// ---- Opening ----

// `f` stands before np's method and calls it for host arrays.
static void wrap_method(lua_State *L, const char *name, lua_CFunction f) {
  lua_getfield(L, -1, name);
  lua_pushcclosure(L, f, 1);
  lua_setfield(L, -2, name);
}

void lcuda_open_methods(lua_State *L) {
  static const luaL_Reg methods[] = {
      {"copy_to_host", l_copy_to_host},
      {"copy_from", l_copy_from},
      {"device_fill", l_fill},
      {"pointer", l_pointer},
      {"to", lcuda_array_to},
      {"free", l_free},
      {NULL, NULL},
  };
  struct lcuda *c = lcuda_of(L);
  array_set_hooks(L, &(struct array_hooks){.await = lcuda_await,
                                           .drain = drain_all,
                                           .where = where,
                                           .fetch = lcuda_push_on_host});
  array_push_methods(L); // [methods]
  luaL_setfuncs(L, methods, 0);
  wrap_method(L, "copy", l_copy);
  wrap_method(L, "astype", l_astype);
  wrap_method(L, "fill", l_fill);
  lua_pop(L, 1);
  luaL_getmetatable(L, ARRAY_TYPE);
  c->array_meta = lua_topointer(L, -1);
  lua_pop(L, 1);
}

int lcuda_open_arrays(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"to_device", l_to_device},
      {"to_host", lcuda_push_on_host},
      {"device_array", l_device_array},
      {"device_array_like", l_device_array_like},
      {"arrays", l_arrays},
      {NULL, NULL},
  };
  luaL_setfuncs(L, functions, 0);
  return 0;
}
