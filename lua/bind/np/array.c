// SPDX-License-Identifier: Apache-2.0
// Arrays and their storage: making, sharing, waiting, releasing. What arrays
// can do is in the np_*.c files; which Lua name does it, in l_np.c.
#include "lua/bind/np/array.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/order.h"
#include "gpu/remote/remote.h"
#include "lua/bind/np/np.h"
#include "lua/bind/state/bind.h"

// A full collection is due when there is more by as much as the last one left
// alive, and at least this.
enum { MIN_GROWTH_BYTES = 32 << 20 };
// Most arrays die young, in the loop that made them: looking through the young
// ones takes a microsecond, and the next result lies where the last one did, in
// the processor's cache.
enum { YOUNG_BYTES = 512 << 10, YOUNG_ARRAYS = 64 };

// ---- The state ----

static void free_state(struct np_state *np) {
  arena_free(np->arena);
  for (int i = 0; i < SPARE_SIZES; i++)
    for (struct storage *s = np->spares[i].first, *after; s; s = after) {
      after = s->next;
      free(s);
    }
  free(np);
}

struct np_state *np_of(lua_State *L) {
  struct bind_state *state = bind_state_of(L);
  if (!state->np) {
    state->np = xcalloc(1, sizeof *state->np);
    state->free_np = free_state;
    state->np->threads = 1;
  }
  return state->np;
}

void array_set_hooks(lua_State *L, const struct array_hooks *hooks) {
  np_of(L)->hooks = *hooks;
}

struct arena *array_arena(lua_State *L) {
  struct np_state *np = np_of(L);
  struct err_info e = {0};
  if (!np->arena && arena_new(&np->arena, &e))
    bind_error_info(L, &e);
  return np->arena;
}

// ---- Storage ----

static struct storage *new_storage(struct np_state *np, size_t bytes) {
  struct storage *s = xcalloc(1, sizeof *s);
  s->refs = 1;
  s->np = np;
  s->bytes = bytes;
  return s;
}

struct storage *storage_ref(struct storage *s) {
  s->refs++;
  return s;
}

static struct spare *spare_of(struct np_state *np, size_t bytes) {
  size_t k = bytes ? (bytes - 1) / SPARE_STEP : 0;
  return k < SPARE_SIZES ? &np->spares[k] : NULL;
}

static bool keep_spare(struct storage *s) {
  struct spare *spare = spare_of(s->np, s->bytes);
  if (!spare || spare->count == MOST_SPARE || s->is_mapped)
    return false;
  s->next = spare->first;
  spare->first = s;
  spare->count++;
  return true;
}

static struct storage *take_spare(struct np_state *np, size_t bytes) {
  struct spare *spare = spare_of(np, bytes);
  struct storage *s = spare ? spare->first : NULL;
  if (!s)
    return NULL;
  spare->first = s->next;
  spare->count--;
  *s = (struct storage){.refs = 1, .np = np, .bytes = bytes, .host = s->host};
  return s;
}

void storage_free(struct storage *s) {
  if (s->host)
    s->np->live_bytes -= s->bytes;
  storage_unref(s->copied_from);
  storage_unref(s->twin);
  if (s->uses) {
    order_history_free(s->uses);
    s->uses = NULL;
  }
  if (s->host && keep_spare(s))
    return;
  if (s->host)
    arena_release(s->np->arena, s->host);
  free(s);
}

void storage_unref(struct storage *s) {
  if (!s || --s->refs > 0)
    return;
  if (s->ops)
    s->ops->release(s);
  else
    storage_free(s);
}

// Memory that another library made and gives back.
struct others {
  struct storage base; // storage_free frees the whole: it comes first
  void (*release)(void *context);
  void *context;
};

static void release_others(struct storage *s) {
  struct others *o = (struct others *)s;
  o->release(o->context);
  s->host = NULL; // nothing of the arena's
  storage_free(s);
}

static const struct storage_ops others_ops = {release_others};

struct storage *storage_of_others(void *host, size_t bytes,
                                  void (*release)(void *context),
                                  void *context) {
  struct others *o = xcalloc(1, sizeof *o);
  o->base.refs = 1;
  o->base.bytes = bytes;
  o->base.host = host;
  o->base.ops = &others_ops;
  o->base.is_shared = true;
  o->release = release;
  o->context = context;
  return &o->base;
}

// ---- Sizes ----

int64_t array_count(const struct array *a) {
  int64_t n = 1;
  for (int d = 0; d < a->ndim; d++)
    n *= a->shape[d];
  return n;
}

void array_set_strides(int64_t *strides, enum dtype t, int ndim,
                       const int64_t *shape) {
  int64_t step = (int64_t)dtype_bytes(t);
  for (int d = ndim - 1; d >= 0; d--) {
    strides[d] = step;
    step *= shape[d] > 0 ? shape[d] : 1;
  }
}

bool array_is_contiguous(const struct array *a) {
  int64_t step = (int64_t)dtype_bytes(a->dtype);
  if (array_count(a) == 0)
    return true;
  for (int d = a->ndim - 1; d >= 0; d--) {
    if (a->shape[d] != 1 && a->strides[d] != step)
      return false;
    step *= a->shape[d];
  }
  return true;
}

const char *array_shape_text(char buffer[ARRAY_SHAPE_TEXT], int ndim,
                             const int64_t *shape) {
  size_t n = (size_t)snprintf(buffer, ARRAY_SHAPE_TEXT, "(");
  for (int d = 0; d < ndim; d++)
    n += (size_t)snprintf(buffer + n, ARRAY_SHAPE_TEXT - n, "%s%lld",
                          d ? ", " : "", (long long)shape[d]);
  snprintf(buffer + n, ARRAY_SHAPE_TEXT - n, ndim == 1 ? ",)" : ")");
  return buffer;
}

// Bytes of an array, or an error: sizes whose product overflows are answered
// like sizes that no machine has (also beside a 0, as NumPy does: the product
// of any of the sizes fits an int64_t from here on).
static size_t checked_bytes(lua_State *L, enum dtype t, int ndim,
                            const int64_t *shape) {
  char text[ARRAY_SHAPE_TEXT];
  int64_t bytes = (int64_t)dtype_bytes(t);
  bool is_empty = false, is_huge = false;
  if (ndim > ARRAY_MAX_DIMS)
    bind_error(L, ERR_ARGUMENT, "an array has at most %d axes, not %d",
               ARRAY_MAX_DIMS, ndim);
  for (int d = 0; d < ndim; d++) {
    if (shape[d] < 0)
      bind_error(L, ERR_ARGUMENT, "shape %s: a size cannot be negative",
                 array_shape_text(text, ndim, shape));
    if (shape[d] == 0)
      is_empty = true;
    else if (__builtin_mul_overflow(bytes, shape[d], &bytes))
      is_huge = true;
  }
  if (is_huge)
    bind_error(L, ERR_NOMEM,
               "an array of shape %s and type %s has more bytes than a "
               "machine can address",
               array_shape_text(text, ndim, shape), dtype_name(t));
  return is_empty ? 0 : (size_t)bytes;
}

// ---- Memory that Lua's collector cannot see ----

static void collect(lua_State *L) {
  struct np_state *np = np_of(L);
  lua_gc(L, LUA_GCCOLLECT);
  np->kept_bytes = np->live_bytes;
  np->young_bytes = np->young_arrays = 0;
}

// Lua's generational mode is what knows the young ones; entering it looks at
// everything.
static void collect_young(lua_State *L) {
  if (lua_gc(L, LUA_GCGEN, 0, 0) == LUA_GCGEN)
    lua_gc(L, LUA_GCSTEP, 0);
  np_of(L)->young_bytes = np_of(L)->young_arrays = 0;
}

// Before the userdata is made: what has seen two collections counts as old.
static void collect_dead(lua_State *L, size_t bytes) {
  struct np_state *np = np_of(L);
  np->young_bytes += bytes;
  np->young_arrays++;
  size_t kept = np->kept_bytes;
  size_t most = kept > MIN_GROWTH_BYTES ? kept : MIN_GROWTH_BYTES;
  if (np->young_bytes > YOUNG_BYTES || np->young_arrays > YOUNG_ARRAYS)
    collect_young(L);
  if (np->live_bytes + bytes > kept + most)
    collect(L);
}

static void *host_alloc(lua_State *L, const struct array *a, size_t bytes) {
  struct arena *arena = array_arena(L);
  struct err_info e = {0};
  void *p = NULL;
  if (!arena_alloc(arena, bytes, &p, &e))
    return p;
  collect(L);
  if (np_of(L)->hooks.drain)
    np_of(L)->hooks.drain(L);
  char text[ARRAY_SHAPE_TEXT];
  if (arena_alloc(arena, bytes, &p, &e))
    bind_error(L, e.code, "an array of shape %s and type %s: %s",
               array_shape_text(text, a->ndim, a->shape), dtype_name(a->dtype),
               e.text);
  return p;
}

// ---- The userdata ----

// The key of the metatable in the registry, and the tag of the userdata.
static const char array_key = 0;

void array_keep_metatable(lua_State *L) {
  luaL_getmetatable(L, ARRAY_TYPE);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &array_key);
}

// The userdata at `i`, or NULL; faster than by the metatable's name.
static struct array *test_userdata(lua_State *L, int i) {
  if (lua_type(L, i) != LUA_TUSERDATA ||
      lua_rawlen(L, i) != sizeof(struct array))
    return NULL;
  struct array *a = lua_touserdata(L, i);
  return a->tag == &array_key ? a : NULL;
}

static struct array *push_empty(lua_State *L) {
  luaL_checkstack(L, 8, "too many arrays at once");
  struct array *a = lua_newuserdatauv(L, sizeof *a, 0);
  a->tag = &array_key;
  a->storage = NULL;
  a->offset = 0;
  a->is_readonly = a->is_jax = a->is_weak = false;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &array_key);
  lua_setmetatable(L, -2);
  return a;
}

static void set_shape(struct array *a, enum dtype t, int ndim,
                      const int64_t *shape) {
  a->dtype = t;
  a->ndim = ndim;
  for (int d = 0; d < ndim; d++) // `shape` may be NULL without axes
    a->shape[d] = shape[d];
}

struct array *array_push_host(lua_State *L, enum dtype t, int ndim,
                              const int64_t *shape) {
  size_t bytes = checked_bytes(L, t, ndim, shape);
  int64_t sizes[ARRAY_MAX_DIMS]; // `shape` may be of an array that dies now
  for (int d = 0; d < ndim; d++)
    sizes[d] = shape[d];
  struct np_state *np = np_of(L);
  collect_dead(L, bytes);
  struct array *a = push_empty(L);
  set_shape(a, t, ndim, sizes);
  array_set_strides(a->strides, t, ndim, sizes);
  a->storage = take_spare(np, bytes);
  if (!a->storage) {
    void *p = host_alloc(L, a, bytes);
    a->storage = new_storage(np, bytes);
    a->storage->host = p;
  }
  np->live_bytes += bytes;
  return a;
}

struct array *array_push_view(lua_State *L, struct storage *s, enum dtype t,
                              int ndim, const int64_t *shape,
                              const int64_t *strides) {
  checked_bytes(L, t, ndim, shape);
  collect_dead(L, 0); // a view is small, and as often garbage
  struct array *a = push_empty(L);
  set_shape(a, t, ndim, shape);
  memcpy(a->strides, strides, (size_t)ndim * sizeof *strides);
  a->offset = 0;
  a->storage = storage_ref(s);
  return a;
}

int array_release(lua_State *L) {
  struct array *a = test_userdata(L, 1);
  if (!a)
    luaL_typeerror(L, 1, ARRAY_TYPE);
  struct storage *s = a->storage;
  a->storage = NULL;
  storage_unref(s);
  return 0;
}

struct array *array_test(lua_State *L, int i) {
  struct array *a = test_userdata(L, i);
  return a && a->storage ? a : NULL;
}

int array_l_is(lua_State *L) {
  lua_pushboolean(L, array_test(L, 1) != NULL);
  return 1;
}

__attribute__((noreturn)) static void need_array(lua_State *L, int i) {
  const char *name = np_function_name(L);
  bind_error(L, ERR_ARGUMENT,
             "%s%sargument %d is %s, and an array is needed (np.array makes "
             "one)",
             name ? name : "", name ? ": " : "", i, bind_value_text(L, i));
}

struct array *array_check(lua_State *L, int i) {
  struct array *a = test_userdata(L, i);
  if (!a)
    need_array(L, i);
  if (!a->storage)
    bind_error(L, ERR_ARGUMENT, "argument %d is an array that was closed", i);
  return a;
}

bool array_is_device(const struct array *a) {
  return !a->storage->host;
}

const char *array_where(lua_State *L, const struct array *a) {
  const struct array_hooks *hooks = &np_of(L)->hooks;
  if (!array_is_device(a))
    return "host";
  return hooks->where ? hooks->where(a->storage) : "a device";
}

void array_fetch_jax(lua_State *L, int i) {
  const struct array *a = array_test(L, i);
  lua_CFunction fetch = np_of(L)->hooks.fetch;
  if (!a || !a->is_jax || !array_is_device(a) || !fetch)
    return;
  i = lua_absindex(L, i);
  lua_pushcfunction(L, fetch);
  lua_pushvalue(L, i);
  lua_call(L, 1, 1);
  lua_replace(L, i);
}

struct array *array_check_on_host(lua_State *L, int i, const char *function) {
  array_fetch_jax(L, i);
  struct array *a = array_check(L, i);
  char text[ARRAY_SHAPE_TEXT];
  if (array_is_device(a))
    bind_error(L, ERR_ARGUMENT,
               "%s: the array of shape %s lives on %s; %s:copy_to_host() gives "
               "a copy that np can work on",
               function, array_shape_text(text, a->ndim, a->shape),
               array_where(L, a), array_push_name(L, a, "x"));
  return a;
}

struct array *array_check_host(lua_State *L, int i, const char *function) {
  struct array *a = array_check_on_host(L, i, function);
  array_await(L, a, false);
  return a;
}

void *array_data(const struct array *a) {
  return (char *)a->storage->host + a->offset;
}

void array_await(lua_State *L, const struct array *a, bool for_write) {
  if (a->storage->busy_on && np_of(L)->hooks.await)
    np_of(L)->hooks.await(L, a, for_write);
}

void array_touch(struct array *a) {
  a->storage->version++;
}
