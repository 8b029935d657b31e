// SPDX-License-Identifier: Apache-2.0
// An executable: what a program became for one device, as a list of launches
// over slots. A call checks its arrays, makes the results' memory, fills in the
// kernels' parameters and queues them; it walks no Lua table and waits for
// nothing.
//
// Slots are numbered: the arguments, the constants, the results, then what is
// needed only meanwhile. On a device whose memory is pooled the last share one
// block, at the places that the plan gave them.
#include "lua/bind/jax/l_jax.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/remote/remote.h"
#include "lua/bind/cuda/cuda.h"
#include "lua/bind/np/array.h"

enum { WORD_BYTES = 16 }; // kernels read whole words

// ---- Making one ----

// Takes a whole number from field `key` of the table on top.
static void take_result(lua_State *L, struct exec_result *r) {
  lua_getfield(L, -1, "dtype");
  r->dtype = array_check_dtype(L, -1, DTYPE_F32);
  lua_pop(L, 1);
  lua_getfield(L, -1, "shape");
  r->ndim = array_check_shape(L, -1, "jax", r->shape);
  lua_pop(L, 1);
  lua_getfield(L, -1, "weak");
  r->is_weak = lua_toboolean(L, -1);
  lua_pop(L, 1);
  array_set_strides(r->strides, r->dtype, r->ndim, r->shape);
  r->bytes = dtype_bytes(r->dtype);
  for (int i = 0; i < r->ndim; i++)
    r->bytes *= (size_t)r->shape[i];
}

static int push_list(lua_State *L, const char *key) {
  lua_getfield(L, 1, key);
  luaL_checktype(L, -1, LUA_TTABLE);
  return (int)lua_rawlen(L, -1);
}

static void take_results(lua_State *L, struct executable *x) {
  x->made_count = push_list(L, "made");
  x->made = xcalloc((size_t)x->made_count + 1, sizeof *x->made);
  for (int i = 0; i < x->made_count; i++) {
    lua_rawgeti(L, -1, i + 1);
    take_result(L, &x->made[i]);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  x->result_count = push_list(L, "results");
  x->results = xcalloc((size_t)x->result_count + 1, sizeof *x->results);
  for (int i = 0; i < x->result_count; i++) {
    lua_rawgeti(L, -1, i + 1);
    x->results[i] = (int)lua_tointeger(L, -1);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

static void take_temps(lua_State *L, struct executable *x) {
  x->temp_count = push_list(L, "temps");
  x->temps = xcalloc((size_t)x->temp_count + 1, sizeof *x->temps);
  for (int i = 0; i < x->temp_count; i++) {
    lua_rawgeti(L, -1, i + 1);
    x->temps[i].offset = (size_t)bind_get_integer(L, "offset");
    x->temps[i].bytes = (size_t)bind_get_integer(L, "bytes");
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

static void take_matrix(lua_State *L, const char *key, struct gpu_matrix *m) {
  lua_getfield(L, -1, key);
  m->address = (gpu_ptr)bind_get_integer(L, "offset");
  m->pitch = (uint64_t)bind_get_integer(L, "pitch");
  m->step = bind_get_integer(L, "step");
  lua_getfield(L, -1, "is_transposed");
  m->is_transposed = lua_toboolean(L, -1);
  lua_pop(L, 2);
}

static uint32_t take_product_type(lua_State *L, const char *key) {
  static const char *const names[] = {"f16", "bf16", "f32", "f64", NULL};
  lua_getfield(L, -1, key);
  uint32_t type = (uint32_t)luaL_checkoption(L, -1, NULL, names);
  lua_pop(L, 1);
  return type;
}

// {a, b, c, type, result_type, is_tf32, rows, columns, inner, count}
static bool take_product(lua_State *L, struct gpu_product *p) {
  bool is_one = lua_getfield(L, -1, "product") == LUA_TTABLE;
  if (is_one) {
    take_matrix(L, "a", &p->a);
    take_matrix(L, "b", &p->b);
    take_matrix(L, "c", &p->c);
    p->type = take_product_type(L, "type");
    p->result_type = take_product_type(L, "result_type");
    lua_getfield(L, -1, "is_tf32");
    p->is_tf32 = lua_toboolean(L, -1);
    lua_pop(L, 1);
    p->rows = (uint32_t)bind_get_integer(L, "rows");
    p->columns = (uint32_t)bind_get_integer(L, "columns");
    p->inner = (uint32_t)bind_get_integer(L, "inner");
    p->count = (uint32_t)bind_get_integer(L, "count");
  }
  lua_pop(L, 1);
  return is_one;
}

// The step on top: {launch, slots = {...}}, {product = {...}, slots} or
// {block = {...}}.
static void take_step(lua_State *L, struct exec_step *s) {
  if (ljax_take_block(L, s))
    return;
  lua_getfield(L, -1, "launch");
  s->launcher = luaL_testudata(L, -1, LCUDA_LAUNCHER);
  lua_pop(L, 1);
  lua_getfield(L, -1, "slots");
  s->slot_count = (int)lua_rawlen(L, -1);
  if (s->slot_count > GPU_MAX_PARAMS)
    bind_error(L, ERR_UNSUPPORTED, "a kernel of a program has %d parameters",
               s->slot_count);
  s->slots = xcalloc((size_t)s->slot_count + 1, sizeof *s->slots);
  for (int i = 0; i < s->slot_count; i++) {
    lua_rawgeti(L, -1, i + 1);
    s->slots[i] = (int)lua_tointeger(L, -1);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  if (!s->launcher && (!take_product(L, &s->product) || s->slot_count != 3))
    bind_error(L, ERR_INTERNAL, "a step of a program has no kernel");
}

void ljax_take_steps(lua_State *L, struct exec_list *list) {
  int count = (int)lua_rawlen(L, -1);
  list->steps = xcalloc((size_t)count + 1, sizeof *list->steps);
  for (int i = 0; i < count; i++) {
    lua_rawgeti(L, -1, i + 1);
    list->count = i + 1; // what is to be freed
    take_step(L, &list->steps[i]);
    lua_pop(L, 1);
  }
}

void ljax_free_steps(struct exec_list *list) {
  for (int i = 0; i < list->count; i++) {
    free(list->steps[i].slots);
    ljax_free_block(list->steps[i].block);
  }
  free(list->steps);
}

// Which arguments are numbers, and of what type: "" for an array.
static void take_arguments(lua_State *L, struct executable *x) {
  x->arg_count = push_list(L, "arguments");
  x->args = xcalloc((size_t)x->arg_count + 1, sizeof *x->args);
  for (int i = 0; i < x->arg_count; i++) {
    lua_rawgeti(L, -1, i + 1);
    x->args[i].is_number = lua_toboolean(L, -1);
    if (x->args[i].is_number)
      x->args[i].dtype = array_check_dtype(L, -1, DTYPE_F32);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

static void take_constants(lua_State *L, struct executable *x) {
  x->const_count = push_list(L, "consts");
  x->consts = xcalloc((size_t)x->const_count + 1, sizeof *x->consts);
  for (int i = 0; i < x->const_count; i++) {
    lua_rawgeti(L, -1, i + 1);
    x->consts[i] = array_check(L, -1);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

// executable{arguments, consts, made, results, temps, workspace, steps}; the
// table stays with it, for whoever wants to look and for what it keeps alive.
static int l_executable(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  struct executable *x = lua_newuserdatauv(L, sizeof *x, 1); // [spec, x]
  memset(x, 0, sizeof *x);
  luaL_setmetatable(L, LJAX_EXECUTABLE);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  x->device = lcuda_device(L);
  take_arguments(L, x);
  take_constants(L, x);
  take_results(L, x);
  take_temps(L, x);
  push_list(L, "steps");
  ljax_take_steps(L, &x->steps);
  lua_pop(L, 1);
  lua_getfield(L, 1, "workspace");
  x->workspace_bytes = (size_t)lua_tointeger(L, -1);
  lua_pop(L, 1);
  lua_getfield(L, 1, "moving");
  x->slot_count = x->arg_count + x->const_count + x->made_count +
                  x->temp_count + (int)lua_tointeger(L, -1);
  lua_pop(L, 1);
  x->slots = xcalloc((size_t)x->slot_count + 1, sizeof *x->slots);
  return 1;
}

// ---- A call ----

// What an interrupted call left.
static void drop_temps(struct executable *x) {
  for (int i = 0; i < x->held_count; i++)
    storage_unref(&x->held[i]->base);
  x->held_count = 0;
}

static void hold_temp(struct executable *x, struct device_storage *s) {
  if (x->held_count == x->held_capacity) {
    x->held_capacity = 2 * x->held_capacity + 8;
    x->held = xrealloc(x->held, (size_t)x->held_capacity * sizeof *x->held);
  }
  x->held[x->held_count++] = s;
}

bool ljax_is_plain(const struct array *a, const struct ldevice *d) {
  const struct storage *s = a->storage;
  return s->generation == d->generation && s->device == d->gpu &&
         !s->is_freed && !s->is_lost && array_is_contiguous(a) &&
         (s->address + a->offset) % WORD_BYTES == 0;
}

static void set_slot(struct exec_slot *slot, const struct array *a) {
  slot->storage = a->storage;
  slot->address = a->storage->address + a->offset;
}

static void check_argument(lua_State *L, struct executable *x, int i, int at) {
  struct array *a = array_check(L, at);
  if (!ljax_is_plain(a, x->device)) {
    const char *what = lua_pushfstring(L, "argument %d", i + 1);
    ldevice_check_storage(L, x->device, a->storage, what);
    lua_pop(L, 1);
    bind_error(L, ERR_INTERNAL, "argument %d of a program is not packed",
               i + 1);
  }
  set_slot(&x->slots[i], a);
}

static void set_arguments(lua_State *L, struct executable *x, int base) {
  for (int i = 0; i < x->arg_count; i++)
    if (!x->args[i].is_number)
      check_argument(L, x, i, base + i);
  for (int i = 0; i < x->const_count; i++) {
    const struct array *a = x->consts[i];
    if (!ljax_is_plain(a, x->device))
      ldevice_check_storage(L, x->device, a->storage,
                            "a constant of this jitted function");
    set_slot(&x->slots[x->arg_count + i], a);
  }
}

static void push_made(lua_State *L, struct executable *x) {
  struct exec_slot *slot = &x->slots[x->arg_count + x->const_count];
  for (int i = 0; i < x->made_count; i++) {
    const struct exec_result *r = &x->made[i];
    struct device_storage *ds = ldevice_alloc_pooled(L, x->device, r->bytes);
    ds->base.was_written = true; // after a restart it has no contents
    struct array *a =
        array_push_view(L, &ds->base, r->dtype, r->ndim, r->shape, r->strides);
    storage_unref(&ds->base); // the array holds its own
    a->is_jax = a->is_readonly = true;
    a->is_weak = r->is_weak;
    set_slot(&slot[i], a);
  }
}

static void make_temps(lua_State *L, struct executable *x) {
  struct exec_slot *slot =
      &x->slots[x->arg_count + x->const_count + x->made_count];
  drop_temps(x);
  if (x->temp_count == 0)
    return;
  bool is_shared = lpool_is_used(x->device);
  struct device_storage *block = NULL;
  if (is_shared)
    hold_temp(x,
              block = ldevice_alloc_pooled(L, x->device, x->workspace_bytes));
  for (int i = 0; i < x->temp_count; i++) {
    if (!is_shared)
      hold_temp(x,
                block = ldevice_alloc_pooled(L, x->device, x->temps[i].bytes));
    slot[i].storage = &block->base;
    slot[i].address =
        block->base.address + (is_shared ? x->temps[i].offset : 0);
  }
}

// A Lua integer for u64 is its 64 bits, as those of a program's literals are.
static void store_number(lua_State *L, enum dtype t, void *p, int i) {
  if (t == DTYPE_U64 && lua_isinteger(L, i))
    t = DTYPE_I64;
  array_store_element(L, t, p, i);
}

static void fill(lua_State *L, struct executable *x, const struct exec_step *s,
                 int base, uint8_t *params, struct storage **used) {
  const struct lkernel *k = s->launcher->kernel;
  for (int i = 0; i < s->slot_count; i++) {
    int n = s->slots[i];
    uint8_t *p = params + k->plan[i].offset;
    if (n < x->arg_count && x->args[n].is_number) {
      store_number(L, x->args[n].dtype, p, base + n);
      used[i] = NULL;
    } else {
      memcpy(p, &x->slots[n].address, sizeof x->slots[n].address);
      used[i] = x->slots[n].storage;
    }
  }
}

static enum err queue_product(struct executable *x, const struct exec_step *s,
                              struct err_info *e) {
  struct gpu_device *gpu = x->device->gpu;
  const struct exec_slot *a = &x->slots[s->slots[0]];
  const struct exec_slot *b = &x->slots[s->slots[1]];
  const struct exec_slot *c = &x->slots[s->slots[2]];
  struct gpu_product p = s->product;
  p.a.address += a->address;
  p.b.address += b->address;
  p.c.address += c->address;
  enum err err = gpu->backend->product(gpu, &p, e);
  if (err == ERR_OK) {
    lcuda_mark_use(x->device, a->storage, true);
    lcuda_mark_use(x->device, b->storage, true);
    lcuda_mark_use(x->device, c->storage, false);
    lcuda_count(x->device->owner, GPU_CALL_LAUNCHES, 1);
  }
  return err;
}

enum err ljax_run_steps(lua_State *L, struct executable *x,
                        const struct exec_list *list, int base,
                        struct err_info *e) {
  alignas(16) uint8_t params[GPU_MAX_PARAM_BYTES];
  struct storage *used[GPU_MAX_PARAMS];
  enum err err = ERR_OK;
  for (int i = 0; i < list->count && err == ERR_OK; i++) {
    const struct exec_step *s = &list->steps[i];
    if (s->block) {
      err = ljax_run_block(L, x, s->block, base, e);
      continue;
    }
    if (!s->launcher) {
      err = queue_product(x, s, e);
      continue;
    }
    fill(L, x, s, base, params, used);
    err = lcuda_launch_packed(L, x->device, s->launcher, params, used, e);
  }
  return err;
}

void ljax_prepare_steps(lua_State *L, struct executable *x,
                        const struct exec_list *list) {
  for (int i = 0; i < list->count; i++) {
    const struct exec_step *s = &list->steps[i];
    if (s->block)
      ljax_prepare_block(L, x, s->block);
    if (!s->launcher)
      continue;
    lcuda_prepare(L, s->launcher, x->device);
    if (s->slot_count != s->launcher->kernel->param_count)
      bind_error(L, ERR_INTERNAL, "a kernel of a program is called wrongly");
  }
}

// Leaves the results on the stack.
static void push_results(lua_State *L, struct executable *x, int self, int base,
                         int made) {
  lua_getiuservalue(L, self, 1);
  for (int i = 0; i < x->result_count; i++) {
    int n = x->results[i];
    if (n < x->arg_count) {
      lua_pushvalue(L, base + n);
    } else if (n < x->arg_count + x->const_count) {
      lua_getfield(L, made + x->made_count, "consts");
      lua_rawgeti(L, -1, n - x->arg_count + 1);
      lua_remove(L, -2);
    } else {
      lua_pushvalue(L, made + n - x->arg_count - x->const_count);
    }
  }
}

// Most programs give just what they made, in order.
static bool gives_made(const struct executable *x) {
  if (x->result_count != x->made_count)
    return false;
  for (int i = 0; i < x->result_count; i++)
    if (x->results[i] != x->arg_count + x->const_count + i)
      return false;
  return true;
}

int ljax_call(lua_State *L, int self, int base) {
  struct executable *x = lua_touserdata(L, self);
  struct err_info e;
  e.code = ERR_OK;
  e.text[0] = e.file[0] = 0;
  int top = lua_gettop(L);
  luaL_checkstack(L, x->made_count + x->result_count + 10, NULL);
  // Twice at most: a server that was found dead is replaced.
  for (int attempt = 0;; attempt++) {
    ldevice_sync(x->device);
    ljax_prepare_steps(L, x, &x->steps);
    set_arguments(L, x, base);
    uint64_t generation = x->device->generation;
    push_made(L, x);
    make_temps(L, x);
    if (x->device->generation != generation && attempt == 0) {
      // Memory came from a new server, which knows neither kernels nor arrays.
      drop_temps(x);
      lua_settop(L, top);
      continue;
    }
    enum err err = ljax_run_steps(L, x, &x->steps, base, &e);
    drop_temps(x);
    if (err == ERR_OK)
      break;
    lua_settop(L, top);
    if (attempt > 0 || err != ERR_DEVICE_LOST || !ldevice_revive(L, x->device))
      ldevice_fail(L, x->device, &e);
  }
  if (gives_made(x))
    return x->made_count;
  push_results(L, x, self, base, top + 1);
  return x->result_count;
}

// x(...): the results for arrays and numbers.
static int executable_call(lua_State *L) {
  struct executable *x = luaL_checkudata(L, 1, LJAX_EXECUTABLE);
  if (lua_gettop(L) - 1 != x->arg_count)
    bind_error(L, ERR_INTERNAL, "a program of %d arguments got %d",
               x->arg_count, lua_gettop(L) - 1);
  return ljax_call(L, 1, 2);
}

// x.name: a field of the table that it was made of.
static int executable_index(lua_State *L) {
  luaL_checkudata(L, 1, LJAX_EXECUTABLE);
  lua_getiuservalue(L, 1, 1);
  lua_pushvalue(L, 2);
  lua_gettable(L, -2);
  return 1;
}

static int executable_gc(lua_State *L) {
  struct executable *x = luaL_checkudata(L, 1, LJAX_EXECUTABLE);
  drop_temps(x);
  ljax_free_steps(&x->steps);
  free(x->args);
  free(x->consts);
  free(x->made);
  free(x->results);
  free(x->temps);
  free(x->slots);
  free(x->held);
  memset(x, 0, sizeof *x);
  return 0;
}

// to_device(x): a host array's elements on the device, for jax.
static int l_to_device(lua_State *L) {
  lua_settop(L, 1);
  return lcuda_push_pooled(L, lcuda_device(L));
}

// has_products(): does the device's vendor multiply matrices for us?
static int l_has_products(lua_State *L) {
  struct ldevice *d = lcuda_device(L);
  struct err_info e = {0};
  bool is_real = !d->info.is_checked;
  enum err err = is_real ? d->gpu->backend->product_start(d->gpu, &e) : ERR_OK;
  if (err && err != ERR_UNSUPPORTED)
    ldevice_fail(L, d, &e);
  if (err)
    lcuda_say_once(d->owner, false, e.text);
  lua_pushboolean(L, is_real && err == ERR_OK);
  return 1;
}

// capability(): of the device in use, 90 for 9.0; 0 where its kernels run on the
// CPU.
static int l_capability(lua_State *L) {
  const struct gpu_device_info *info = &lcuda_device(L)->info;
  const char *digits = strpbrk(info->arch, "0123456789");
  lua_pushinteger(L, info->is_checked || !digits ? 0 : atoi(digits));
  return 1;
}

void ljax_open_exec(lua_State *L) {
  static const luaL_Reg meta[] = {
      {"__call", executable_call},
      {"__index", executable_index},
      {"__gc", executable_gc},
      {NULL, NULL},
  };
  luaL_newmetatable(L, LJAX_EXECUTABLE);
  luaL_setfuncs(L, meta, 0);
  lua_pop(L, 1);
  lua_pushcfunction(L, l_executable);
  lua_setfield(L, -2, "executable");
  lua_pushcfunction(L, l_to_device);
  lua_setfield(L, -2, "to_device");
  lua_pushcfunction(L, l_capability);
  lua_setfield(L, -2, "capability");
  lua_pushcfunction(L, l_has_products);
  lua_setfield(L, -2, "has_products");
}
