// SPDX-License-Identifier: Apache-2.0
// A launch: k[{grid, block}](...). Device arrays and numbers go straight to
// the ring; host arrays are copied to their twins, the launch is waited for,
// and what the kernel may have written is copied back once it succeeded.
#include "lua/bind/cuda/l_cuda_launch.h"

#include <ctype.h>
#include <lauxlib.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "gpu/remote/remote.h"
#include "lua/bind/cuda/l_cuda_args.h"
#include "lua/bind/cuda/l_cuda_calls.h"
#include "lua/bind/cuda/l_cuda_debug.h"
#include "lua/bind/cuda/l_cuda_graph.h"
#include "lua/bind/cuda/l_cuda_memory.h"
#include "lua/bind/cuda/l_cuda_module.h"
#include "lua/bind/cuda/l_cuda_order.h"
#include "lua/bind/cuda/l_cuda_profile.h"
#include "lua/bind/cuda/l_cuda_stream.h"
#include "lua/bind/cuda/l_cuda_time.h"
#include "lua/bind/cuda/l_cuda_wait.h"
#include "lua/bind/np/array.h"

// One call on its way: what was packed, and the storages behind it.
struct call {
  struct ldevice *device;
  struct llauncher *launcher;
  struct lkernel *kernel;
  bool has_host;
  bool is_packed; // its arguments are not on Lua's stack
  struct storage *used[GPU_MAX_PARAMS];
  uint8_t *params; // GPU_MAX_PARAM_BYTES
};

// ---- The grid that is missing ----

// What stood in the call: the learner's own variables and numbers, and the
// parameters' names for the rest.
static void add_arguments(lua_State *L, const struct lkernel *k,
                          struct str *out) {
  const struct nvrtc_kernel *decl = lkernel_decl(k);
  for (int i = 0; i < decl->param_count; i++) {
    int top = lua_gettop(L), at = i + 2;
    const char *name = decl->params[i].name ? decl->params[i].name : "...";
    struct array *a = at <= top ? array_test(L, at) : NULL;
    bool is_plain = at <= top && (lua_type(L, at) == LUA_TNUMBER ||
                                  lua_type(L, at) == LUA_TBOOLEAN);
    if (a)
      name = array_push_name(L, a, name);
    else if (is_plain)
      name = luaL_tolstring(L, at, NULL);
    str_addf(out, "%s%s", i ? ", " : "", name);
    lua_settop(L, top);
  }
}

// Does the kernel's own text, from its name to the next kernel, hold `word`?
static bool kernel_has(const struct lkernel *k, const char *word) {
  const char *source = k->module->source, *from = NULL;
  size_t n = strlen(k->name);
  for (const char *p = source; (p = strstr(p, k->name)); p += n)
    if (p > source && isspace((unsigned char)p[-1]) && p[n] == '(') {
      from = p;
      break;
    }
  const char *end = from ? strstr(from, "__global__") : NULL;
  const char *found = from ? strstr(from, word) : NULL;
  return found && (!end || found < end);
}

// "[{32, 128}]", a thread for each element: `h` rows of `w`.
static void add_grid(const struct lkernel *k, long long h, long long w,
                     struct str *out) {
  long long count = h * w, most = count < 1024 ? count : 1024;
  if (kernel_has(k, "Idx.y"))
    str_addf(out, "[{{%lld, %lld}, {16, 16}}]", (w + 15) / 16, (h + 15) / 16);
  else if (kernel_has(k, "threadIdx") && !kernel_has(k, "blockIdx"))
    str_addf(out, "[{1, %lld}]", most);
  else
    str_addf(out, "[{%lld, 128}]", (count + 127) / 128);
}

int lkernel_call_without_grid(lua_State *L) {
  struct lkernel *k = *(struct lkernel **)luaL_checkudata(L, 1, LCUDA_KERNEL);
  struct str call = STR_INIT;
  long long h = 1, w = 0;
  for (int i = 2; i <= lua_gettop(L); i++) {
    struct array *a = array_test(L, i);
    long long count = a ? (long long)array_count(a) : 0;
    if (count > h * w) {
      w = a->ndim > 1 ? (long long)a->shape[a->ndim - 1] : count;
      h = count / w;
    }
  }
  if (!w)
    w = 4096;
  str_add(&call, k->name);
  add_grid(k, h, w, &call);
  str_add_char(&call, '(');
  add_arguments(L, k, &call);
  lua_pushfstring(L, "%s)", call.data);
  str_free(&call);
  bind_error(L, ERR_ARGUMENT,
             "%s needs a grid: how many blocks run, and how many threads are "
             "in each. One thread for each of %lld elements: %s",
             k->name, h * w, lua_tostring(L, -1));
}

// ---- Packing and queueing ----

// Limits are checked, and shared memory asked for, once per binding.
static void prepare_anew(lua_State *L, struct llauncher *l, struct ldevice *d) {
  struct lkernel *k = l->kernel;
  struct err_info e = {0};
  enum { PLAIN_SHARED_BYTES = 48 << 10 };
  l->launch.function = k->function;
  l->launch.param_bytes = k->param_bytes;
  if (gpu_check_launch(&d->info, &k->info, &l->launch, &e) != ERR_OK)
    bind_error(L, e.code, "%s: %s", k->name, e.text);
  if (l->launch.shared_bytes + k->info.shared_bytes > PLAIN_SHARED_BYTES &&
      l->launch.shared_bytes > k->shared_limit) {
    if (d->gpu->backend->function_set_max_shared(
            d->gpu, k->function, l->launch.shared_bytes, &e) != ERR_OK)
      ldevice_fail(L, d, &e);
    k->shared_limit = l->launch.shared_bytes;
  }
  l->launch.stream = lstream_handle(L, l->stream, d);
  l->binding = k->binding;
}

void lcuda_prepare(lua_State *L, struct llauncher *l, struct ldevice *d) {
  lkernel_bind(L, l->kernel, d);
  if (l->binding != l->kernel->binding)
    prepare_anew(L, l, d);
}

static void pack(lua_State *L, struct call *c) {
  struct lkernel *k = c->kernel;
  int given = lua_gettop(L) - 1;
  if (given != k->param_count)
    lcuda_arg_count_error(L, k, given);
  struct lpacked to = {c->params, NULL};
  for (int i = 0; i < given; i++) {
    c->has_host |= !lcuda_pack_arg(L, c->device, k, i, i + 2, &to);
    c->used[i] = to.used;
  }
}

static void note_launch(struct lcuda *o, const struct call *c) {
  struct launch_note *n = &o->last;
  const struct gpu_launch *l = &c->launcher->launch;
  if (n->kernel != c->kernel) {
    lkernel_unref(n->kernel);
    n->kernel = lkernel_ref(c->kernel);
  }
  n->number++;
  memcpy(n->grid, l->grid, sizeof n->grid);
  memcpy(n->block, l->block, sizeof n->block);
  n->bytes_in = n->bytes_out = 0;
  n->kernel_us = n->copy_in_us = n->copy_out_us = n->wait_us = -1;
  n->used_host_arrays = c->has_host;
  n->checked = o->is_checked && c->device->info.is_checked;
  n->constants[0] = 0;
  o->note_count = 0;
}

// The kernel is borrowed.
static void fill_record(struct lkernel *k, const struct gpu_launch *l,
                        struct launch_record *r) {
  r->kernel = k;
  memcpy(r->grid, l->grid, sizeof r->grid);
  memcpy(r->block, l->block, sizeof r->block);
  r->shared_bytes = l->shared_bytes;
  r->flags = l->flags;
  r->node = l->node;
  r->param_bytes = k->param_bytes <= sizeof r->params ? k->param_bytes : 0;
  memcpy(r->params, l->params, r->param_bytes);
}

// The launch may change the block, which was as the host knows it until now.
static void note_change(struct storage *s, uint64_t launch) {
  struct device_storage *ds = device_storage_of(s);
  if (ds && ds->known_until > launch)
    ds->known_until = launch;
}

void lcuda_record_launch(struct ldevice *d, struct lkernel *k,
                         const struct gpu_launch *l) {
  struct launch_record *r = &d->records[++d->launches % LCUDA_RECORDS];
  struct lmodule *m = k->module;
  r->number = d->launches;
  r->seq = remote_last_seq(d->gpu);
  r->stream = l->stream;
  r->is_done = r->has_bare = false;
  if (m->first_launch == 0)
    m->first_launch = r->number;
  for (int i = 0; i < m->variable_count; i++)
    note_change(&m->variables[i].storage->base, r->number);
  if (r->kernel != k) {
    lkernel_unref(r->kernel);
    lkernel_ref(k);
  }
  fill_record(k, l, r);
}

static void note_stream(struct storage *s) {
  struct device_storage *ds = device_storage_of(s);
  if (ds)
    ds->is_elsewhere = true;
}

void lcuda_mark_use(struct ldevice *d, struct storage *s, bool is_read) {
  uint64_t seq = remote_last_seq(d->gpu);
  s->busy_on = d->gpu;
  if (is_read) {
    s->last_reader = seq;
    return;
  }
  s->last_writer = seq;
  s->was_written = true;
  note_change(s, d->launches);
}

static void mark_used(const struct call *c) {
  struct ldevice *d = c->device;
  for (int i = 0; i < c->kernel->param_count; i++) {
    struct storage *s = c->used[i];
    if (!s && c->kernel->plan[i].kind == ARG_POINTER)
      d->records[d->launches % LCUDA_RECORDS].has_bare = true;
    if (!s)
      continue;
    if (c->launcher->launch.stream)
      note_stream(s);
    lcuda_mark_use(d, s, c->kernel->plan[i].is_const);
  }
}

// What the launch does to memory, for what waits for what.
static void order_launch(lua_State *L, const struct call *c) {
  const struct lstream *s = c->launcher->stream;
  lorder_queue(L, c->device, s, c->kernel->name);
  for (int i = 0; i < c->kernel->param_count && !c->is_packed; i++) {
    const struct array *a = c->used[i] ? array_test(L, i + 2) : NULL;
    bool is_written = !c->kernel->plan[i].is_const;
    if (a && a->storage == c->used[i])
      lorder_use_array(L, c->device, s, a, is_written);
    else if (c->used[i])
      lorder_use(L, c->device, s,
                 (struct lbytes){c->used[i], 0, c->used[i]->bytes}, is_written);
  }
}

// Steps the launch; true when that was all: on a real GPU, what was stepped
// was a copy, and the launch itself follows unless it was given up.
static bool debug_instead(lua_State *L, struct call *c,
                          const struct gpu_launch *l) {
  struct launch_record record;
  bool is_itself = c->device->info.is_checked;
  if (is_itself) {
    lcuda_record_launch(c->device, c->kernel, l);
    mark_used(c);
  }
  fill_record(c->kernel, l, &record);
  return lcuda_debug_launch(L, c->device, &record) || is_itself;
}

void lcuda_count_launch(lua_State *L, struct ldevice *d, struct lkernel *k,
                        struct gpu_launch *l) {
  struct launch_record record;
  fill_record(k, l, &record);
  lcuda_profile_launch(L, d, &record, l);
}

static enum err queue_launch(lua_State *L, struct call *c, struct err_info *e) {
  struct lcuda *o = c->device->owner;
  struct gpu_device *gpu = c->device->gpu;
  struct gpu_launch launch = c->launcher->launch;
  launch.params = c->params;
  launch.budget = o->budget;
  // jax's kernels are as long as their arrays are large; one that loops for
  // ever does so in a thread.
  launch.grid_budget = c->is_packed ? UINT64_MAX : o->grid_budget;
  if (!o->is_checked)
    launch.flags |= GPU_LAUNCH_UNCHECKED;
  if (o->profile)
    lcuda_count_launch(L, c->device, c->kernel, &launch);
  if (o->order)
    order_launch(L, c);
  if (lcuda_debug_wants(o) && debug_instead(L, c, &launch))
    return ERR_OK;
  ltrace_begin(c->device, launch.stream);
  enum err err = gpu->backend->launch(gpu, &launch, e);
  if (err == ERR_OK) {
    lcuda_record_launch(c->device, c->kernel, &launch);
    mark_used(c);
    lcuda_count(o, GPU_CALL_LAUNCHES, 1);
    ltrace_queued(o, c->launcher->stream, LTRACE_KERNEL, c->kernel->name);
  }
  return err;
}

// ---- Timed launches (cuda.time) ----

static uint64_t count_storage_bytes(const struct call *c) {
  uint64_t bytes = 0;
  for (int i = 0; i < c->kernel->param_count; i++) {
    bool is_new = c->used[i] != NULL;
    for (int j = 0; j < i && is_new; j++)
      is_new = c->used[j] != c->used[i];
    bytes += is_new ? c->used[i]->bytes : 0;
  }
  return bytes;
}

// Bytes of the arrays that the kernel was given, each storage once.
static uint64_t count_bytes(lua_State *L, const struct call *c) {
  uint64_t bytes = 0;
  if (c->is_packed)
    return count_storage_bytes(c);
  for (int i = 0; i < c->kernel->param_count; i++) {
    struct array *a = array_test(L, i + 2);
    bool is_new = a != NULL;
    for (int j = 0; j < i && is_new; j++)
      is_new = c->used[j] != c->used[i];
    if (is_new)
      bytes += (uint64_t)array_count(a) * dtype_bytes(a->dtype);
  }
  return bytes;
}

static void record_event(lua_State *L, struct ldevice *d, gpu_handle event,
                         gpu_handle stream) {
  struct err_info e = {0};
  if (d->gpu->backend->event_record(d->gpu, event, stream, &e) != ERR_OK)
    ldevice_fail(L, d, &e);
}

// Before a launch while cuda.time runs.
static void time_launch(lua_State *L, struct lcuda_timing *t, struct call *c) {
  const struct lmodule *m = c->kernel->module;
  t->kernel = c->kernel;
  t->array_bytes += count_bytes(L, c);
  if (!m->first_launch && !m->is_cached)
    t->compile_ms += m->compile_ms;
}

static enum err queue_timed(lua_State *L, struct call *c, struct err_info *e) {
  struct lcuda_timing *t = c->device->owner->timing;
  gpu_handle stream = c->launcher->launch.stream, pair[2];
  time_launch(L, t, c);
  lcuda_timing_pair(L, c->device, pair);
  record_event(L, c->device, pair[0], stream);
  enum err err = queue_launch(L, c, e);
  if (err == ERR_OK)
    record_event(L, c->device, pair[1], stream);
  return err;
}

// ---- Host arrays ----

// One host storage of the launch, and its copy on the device.
struct staged {
  struct storage *host;
  struct device_storage *twin;
  struct array *scatter; // strided array to copy back to, from `packed`
  struct array *packed;
  bool is_written;
};

struct stage {
  struct staged list[GPU_MAX_PARAMS];
  int count;
};

static struct staged *find_staged(struct stage *s, const struct storage *host) {
  for (int i = 0; i < s->count; i++)
    if (s->list[i].host == host ||
        (s->list[i].scatter && s->list[i].scatter->storage == host))
      return &s->list[i];
  return NULL;
}

// A strided array travels as a packed copy, so nothing else of the launch may
// share its memory while one of the two writes.
static void check_alias(lua_State *L, const struct call *c,
                        const struct staged *other, const struct array *a,
                        int i) {
  bool writes = other->is_written || !c->kernel->plan[i].is_const;
  if (writes && (other->scatter || !array_is_contiguous(a)))
    bind_error(L, ERR_ARGUMENT,
               "%s: argument %d shares memory with another argument, and one "
               "of them is not contiguous: pass a :copy()",
               c->kernel->name, i + 1);
}

static void stage_argument(lua_State *L, struct call *c, struct stage *s,
                           int i) {
  struct array *a = array_check(L, i + 2);
  bool is_written = !c->kernel->plan[i].is_const;
  array_await(L, a, is_written);
  struct staged *one = find_staged(s, a->storage);
  if (one)
    check_alias(L, c, one, a, i);
  if (!one || !array_is_contiguous(a)) {
    one = &s->list[s->count++];
    *one = (struct staged){.host = a->storage};
    if (!array_is_contiguous(a)) {
      one->scatter = a;
      one->packed = array_push_copy(L, a, a->dtype); // stays on the stack
      one->host = one->packed->storage;
    }
    one->twin = ldevice_twin(L, c->device, one->host);
  }
  one->is_written |= is_written;
  uint64_t offset = one->packed ? one->packed->offset : a->offset;
  gpu_ptr address = one->twin->base.address + offset;
  memcpy(c->params + c->kernel->plan[i].offset, &address, sizeof address);
  c->used[i] = &one->twin->base;
}

static void stage_all(lua_State *L, struct call *c, struct stage *s) {
  s->count = 0;
  c->device->stage_serial++;
  luaL_checkstack(L, GPU_MAX_PARAMS + 20, NULL);
  for (int i = 0; i < c->kernel->param_count; i++)
    if (c->used[i] && c->used[i]->host)
      stage_argument(L, c, s, i);
}

static enum err copy_all_in(lua_State *L, struct call *c, struct stage *s,
                            struct err_info *e) {
  struct gpu_device *gpu = c->device->gpu;
  enum err err = ERR_OK;
  for (int i = 0; i < s->count && err == ERR_OK; i++) {
    struct staged *one = &s->list[i];
    struct storage *twin = &one->twin->base;
    if (storage_is_as_copied(one->host, twin->copied_version) ||
        one->host->bytes == 0 || one->twin->is_mapped)
      continue;
    ltrace_begin(c->device, c->launcher->launch.stream);
    err =
        gpu->backend->copy_in(gpu, twin->address, one->host->host,
                              one->host->bytes, c->launcher->launch.stream, e);
    ldevice_hold(c->device, one->host);
    twin->copied_version = one->host->version;
    c->device->owner->last.bytes_in += one->host->bytes;
    lcuda_count_queued(c->device->owner, c->launcher->stream,
                       GPU_CALL_BYTES_TO_DEVICE, one->host->bytes);
    lorder_queue(L, c->device, c->launcher->stream, c->kernel->name);
  }
  // From the launch on the twins of outputs are what the kernel makes of them.
  for (int i = 0; i < s->count; i++)
    if (s->list[i].is_written)
      s->list[i].twin->base.copied_version = s->list[i].host->version - 1;
  return err;
}

static void copy_all_out(lua_State *L, struct call *c, struct stage *s) {
  struct gpu_device *gpu = c->device->gpu;
  struct err_info e = {0};
  for (int i = 0; i < s->count; i++) {
    struct staged *one = &s->list[i];
    if (!one->is_written || one->host->bytes == 0 || one->twin->is_mapped)
      continue;
    ldevice_hold(c->device, one->host);
    ltrace_begin(c->device, c->launcher->launch.stream);
    if (gpu->backend->copy_out(gpu, one->host->host, one->twin->base.address,
                               one->host->bytes, c->launcher->launch.stream,
                               &e) != ERR_OK)
      ldevice_fail(L, c->device, &e);
    c->device->owner->last.bytes_out += one->host->bytes;
    lcuda_count_queued(c->device->owner, c->launcher->stream,
                       GPU_CALL_BYTES_TO_HOST, one->host->bytes);
    lorder_queue(L, c->device, c->launcher->stream, c->kernel->name);
  }
}

static void finish_copies(lua_State *L, struct stage *s) {
  for (int i = 0; i < s->count; i++) {
    struct staged *one = &s->list[i];
    if (!one->is_written)
      continue;
    one->host->version++;
    one->twin->base.copied_version = one->host->version;
    one->twin->base.was_written = false;
    if (one->scatter)
      array_assign(L, one->scatter, one->packed);
  }
}

static void make_marks(lua_State *L, struct ldevice *d) {
  struct err_info e = {0};
  if (d->marks_generation == d->generation + 1)
    return;
  for (int i = 0; i < LCUDA_MARKS; i++)
    if (d->gpu->backend->event_create(d->gpu, &d->marks[i], &e) != ERR_OK)
      ldevice_fail(L, d, &e);
  d->marks_generation = d->generation + 1;
}

static double between_us(lua_State *L, struct ldevice *d, int from, int to) {
  struct err_info e = {0};
  double ms = 0;
  if (d->gpu->backend->event_elapsed(d->gpu, d->marks[from], d->marks[to], &ms,
                                     &e) != ERR_OK)
    ldevice_fail(L, d, &e);
  return 1e3 * ms;
}

// "x and y": the host arrays that needed no copy back.
static void name_constants(lua_State *L, const struct call *c,
                           struct launch_note *n) {
  const struct nvrtc_kernel *decl = lkernel_decl(c->kernel);
  const char *names[GPU_MAX_PARAMS];
  int count = 0;
  for (int i = 0; i < decl->param_count; i++) {
    struct array *a = array_test(L, i + 2);
    if (a && !array_is_device(a) && decl->params[i].is_const &&
        decl->params[i].name)
      names[count++] = decl->params[i].name;
  }
  size_t used = 0;
  for (int i = 0; i < count && used < sizeof n->constants; i++)
    used += (size_t)snprintf(
        n->constants + used, sizeof n->constants - used, "%s%s",
        i == 0 ? "" : (i == count - 1 ? " and " : ", "), names[i]);
}

// Adds what the launch took to the note and to a running cuda.time.
static void note_times(struct call *c, double start_us) {
  struct lcuda *o = c->device->owner;
  struct launch_note *n = &o->last;
  double device_us = n->kernel_us + n->copy_in_us + n->copy_out_us;
  double wall_us = clock_s() * 1e6 - start_us;
  n->wait_us = wall_us > device_us ? wall_us - device_us : 0;
  if (o->timing) {
    o->timing->host_kernel_us += n->kernel_us;
    o->timing->copy_in_us += n->copy_in_us;
    o->timing->copy_out_us += n->copy_out_us;
  }
}

static enum err queue_host(lua_State *L, struct call *c, struct stage *s,
                           struct err_info *e) {
  struct ldevice *d = c->device;
  gpu_handle stream = c->launcher->launch.stream;
  record_event(L, d, d->marks[0], stream);
  enum err err = copy_all_in(L, c, s, e);
  if (err != ERR_OK)
    return err;
  record_event(L, d, d->marks[1], stream);
  err = queue_launch(L, c, e);
  if (err == ERR_OK)
    record_event(L, d, d->marks[2], stream);
  return err;
}

static enum err launch_host(lua_State *L, struct call *c, struct err_info *e) {
  struct ldevice *d = c->device;
  struct launch_note *n = &d->owner->last;
  gpu_handle stream = c->launcher->launch.stream;
  struct stage s;
  double start = clock_s() * 1e6;
  if (d->owner->timing)
    time_launch(L, d->owner->timing, c);
  stage_all(L, c, &s);
  make_marks(L, d);
  // Making twins may have found a dead server: everything is packed anew.
  if (c->kernel->generation != d->generation)
    return ERR_NOT_READY;
  enum err err = queue_host(L, c, &s, e);
  if (err != ERR_OK)
    return err;
  ldevice_wait(L, d, stream);
  n->copy_in_us = between_us(L, d, 0, 1);
  n->kernel_us = between_us(L, d, 1, 2);
  record_event(L, d, d->marks[0], stream);
  copy_all_out(L, c, &s);
  record_event(L, d, d->marks[1], stream);
  ldevice_wait(L, d, stream);
  lorder_host_stream(d, c->launcher->stream);
  n->copy_out_us = between_us(L, d, 0, 1);
  finish_copies(L, &s);
  name_constants(L, c, n);
  note_times(c, start);
  return ERR_OK;
}

// ---- The call ----

void lcuda_charge(lua_State *L, struct ldevice *d) {
  const struct bind_options *o = &d->owner->options;
  enum { UNITS = 4 }; // a device's are as much smaller (docs/exercises.md)
  if (!o->charge || !d->gpu->backend->work)
    return; // as nearly every launch does: nothing is cleared before it
  struct gpu_work work = {0};
  struct err_info e = {0};
  ldevice_wait(L, d, GPU_ALL_STREAMS);
  if (d->gpu->backend->work(d->gpu, &work, &e))
    ldevice_fail(L, d, &e);
  o->charge(o->meter, (double)work.all / UNITS);
}

// A capture takes the launch, or does not bear it.
static bool is_captured(lua_State *L, const struct call *c) {
  struct lgraph_use uses[GPU_MAX_PARAMS];
  const struct lkernel *k = c->kernel;
  char why[300];
  if (!lgraph_captures(L, c->device, c->launcher->stream, k->name))
    return false;
  for (int i = 0; i < k->param_count; i++) {
    if (c->used[i] && c->used[i]->host) {
      const char *name = array_push_name(L, array_check(L, i + 2), "x");
      snprintf(why, sizeof why,
               "%.80s is on the host, and the launch would copy it and wait; "
               "make d = cuda.to_device(%.80s) before the capture and pass d",
               name, name);
      lgraph_refuse(L, c->device, k->name, why);
    }
    uses[i] = lgraph_use_of(L, i + 2, c->used[i], !k->plan[i].is_const);
  }
  lgraph_add_launch(L, c->launcher, c->params, uses);
  return true;
}

static int launcher_call(lua_State *L) {
  alignas(16) uint8_t params[GPU_MAX_PARAM_BYTES]; // written as far as used
  struct call c = {.params = params};
  struct err_info e;
  c.launcher = lua_touserdata(L, 1);
  c.kernel = c.launcher->kernel;
  c.device = lcuda_device(L);
  struct lcuda *o = c.device->owner;
  int top = lua_gettop(L);
  // Twice at most: a server that was found dead is replaced, and the launch is
  // packed anew for the new one (which raises if an argument was lost).
  for (int attempt = 0;; attempt++) {
    e.code = ERR_OK;
    e.text[0] = 0;
    e.file[0] = 0;
    lcuda_prepare(L, c.launcher, c.device);
    pack(L, &c);
    if (o->capture_device == c.device && is_captured(L, &c))
      return 0;
    note_launch(o, &c);
    enum err err = c.has_host  ? launch_host(L, &c, &e)
                   : o->timing ? queue_timed(L, &c, &e)
                               : queue_launch(L, &c, &e);
    if (err == ERR_OK) {
      lcuda_charge(L, c.device);
      return 0;
    }
    lua_settop(L, top);
    bool is_new = err == ERR_NOT_READY ||
                  (err == ERR_DEVICE_LOST && ldevice_revive(L, c.device));
    if (!is_new || attempt > 0)
      ldevice_fail(L, c.device, &e);
  }
}

enum err lcuda_launch_packed(lua_State *L, struct ldevice *d,
                             struct llauncher *l, uint8_t *params,
                             struct storage *const *used, struct err_info *e) {
  struct call c;
  c.device = d;
  c.launcher = l;
  c.kernel = l->kernel;
  c.has_host = false;
  c.is_packed = true;
  c.params = params;
  memcpy(c.used, used, (size_t)c.kernel->param_count * sizeof *used);
  note_launch(d->owner, &c);
  return d->owner->timing ? queue_timed(L, &c, e) : queue_launch(L, &c, e);
}

static int launcher_tostring(lua_State *L) {
  struct llauncher *l = luaL_checkudata(L, 1, LCUDA_LAUNCHER);
  const uint32_t *g = l->launch.grid, *b = l->launch.block;
  char text[200];
  snprintf(text, sizeof text,
           "launcher of %.100s: %u x %u x %u blocks of %u x %u x %u threads",
           l->kernel->name, g[0], g[1], g[2], b[0], b[1], b[2]);
  lua_pushstring(L, text);
  return 1;
}

static int launcher_index(lua_State *L) {
  return bind_error(L, ERR_ARGUMENT,
                    "k[{grid, block}] is called with the kernel's arguments "
                    "and has no elements or fields: k[{grid, block}](x)");
}

int lcuda_open_launch(lua_State *L) {
  static const luaL_Reg meta[] = {
      {"__call", launcher_call},
      {"__index", launcher_index},
      {"__tostring", launcher_tostring},
      {NULL, NULL},
  };
  luaL_newmetatable(L, LCUDA_LAUNCHER);
  luaL_setfuncs(L, meta, 0);
  lua_pop(L, 1);
  return 0;
}
