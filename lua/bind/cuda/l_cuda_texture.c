// SPDX-License-Identifier: Apache-2.0
// cuda.array, cuda.texture and cuda.surface: CUDA arrays and the objects
// through which kernels read and write them, named after CuPy's
// cupy.cuda.texture. Handles die with the device server; so do contents.
#include "lua/bind/cuda/l_cuda_texture.h"

#include <inttypes.h>
#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#include "gpu/remote/remote.h"
#include "lua/bind/cuda/l_cuda_memory.h"
#include "lua/bind/cuda/l_cuda_wait.h"
#include "lua/bind/np/array.h"

// ---- Formats ----

static const struct {
  enum dtype dtype;
  uint32_t format;
} formats[] = {
    {DTYPE_U8, GPU_FORMAT_U8},   {DTYPE_U16, GPU_FORMAT_U16},
    {DTYPE_U32, GPU_FORMAT_U32}, {DTYPE_I8, GPU_FORMAT_S8},
    {DTYPE_I16, GPU_FORMAT_S16}, {DTYPE_I32, GPU_FORMAT_S32},
    {DTYPE_F16, GPU_FORMAT_F16}, {DTYPE_F32, GPU_FORMAT_F32},
};

static uint32_t check_format(lua_State *L, enum dtype t, const char *function) {
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (formats[i].dtype == t)
      return formats[i].format;
  bind_error(L, ERR_ARGUMENT,
             "%s: textures hold u8, u16, u32, i8, i16, i32, f16 and f32, not "
             "%s: x:astype(\"f32\")",
             function, dtype_name(t));
}

// ---- Options ----

// Pushes the words of a list that ends with NULL: "a, b, c".
static const char *push_words(lua_State *L, const char *const *words) {
  luaL_Buffer list;
  luaL_buffinit(L, &list);
  for (int i = 0; words[i]; i++) {
    luaL_addstring(&list, i ? ", " : "");
    luaL_addstring(&list, words[i]);
  }
  luaL_pushresult(&list);
  return lua_tostring(L, -1);
}

// The place of the text at `at` in a list that ends with NULL, -1 when it is
// not there.
static int find_word(lua_State *L, int at, const char *const *words) {
  const char *text = lua_type(L, at) == LUA_TSTRING ? lua_tostring(L, at) : "";
  for (int i = 0; words[i]; i++)
    if (strcmp(words[i], text) == 0)
      return i;
  return -1;
}

static void check_options(lua_State *L, int at, const char *function,
                          const char *const *known) {
  if (lua_isnoneornil(L, at))
    return;
  if (lua_type(L, at) != LUA_TTABLE)
    bind_error(L, ERR_ARGUMENT, "%s: its options are a table, not %s", function,
               luaL_typename(L, at));
  lua_pushnil(L);
  while (lua_next(L, at)) {
    lua_pop(L, 1);
    if (find_word(L, lua_gettop(L), known) >= 0)
      continue;
    const char *given = luaL_tolstring(L, -1, NULL);
    bind_error(L, ERR_ARGUMENT, "%s has no option \"%s\"; there are %s",
               function, given, push_words(L, known));
  }
}

// Pushes an option, or nil.
static int push_option(lua_State *L, int at, const char *key) {
  if (lua_type(L, at) == LUA_TTABLE)
    return lua_getfield(L, at, key);
  lua_pushnil(L);
  return LUA_TNIL;
}

static bool option_bool(lua_State *L, int at, const char *key) {
  push_option(L, at, key);
  bool value = lua_toboolean(L, -1);
  if (!lua_isnil(L, -1) && !lua_isboolean(L, -1))
    bind_error(L, ERR_ARGUMENT, "%s is true or false, not %s", key,
               luaL_typename(L, -1));
  lua_pop(L, 1);
  return value;
}

static uint32_t option_channels(lua_State *L, int at) {
  push_option(L, at, "channels");
  lua_Integer n = luaL_optinteger(L, -1, 1);
  if (n != 1 && n != 2 && n != 4)
    bind_error(L, ERR_ARGUMENT, "channels is 1, 2 or 4, not %d", (int)n);
  lua_pop(L, 1);
  return (uint32_t)n;
}

static uint32_t check_word(lua_State *L, int at, const char *key,
                           const char *const *words) {
  int i = find_word(L, at, words);
  if (i >= 0)
    return (uint32_t)i;
  const char *given = luaL_tolstring(L, at, NULL);
  bind_error(L, ERR_ARGUMENT, "%s is one of %s, not %s", key,
             push_words(L, words), given);
}

static uint32_t option_word(lua_State *L, int at, const char *key,
                            const char *const *words) {
  uint32_t i = 0;
  if (push_option(L, at, key) != LUA_TNIL)
    i = check_word(L, lua_gettop(L), key, words);
  lua_pop(L, 1);
  return i;
}

// ---- Arrays ----

static const char *const array_options[] = {"channels", "layered", "cubemap",
                                            "surface",  "gather",  NULL};

static struct lcarray *check_carray(lua_State *L, int i) {
  struct lcarray *a = luaL_checkudata(L, i, LCUDA_ARRAY);
  if (!a->handle)
    bind_error(L, ERR_USE_AFTER_FREE, "this CUDA array was freed with :free()");
  if (a->generation != a->device->generation)
    bind_error(L, ERR_DEVICE_LOST,
               "this CUDA array was lost when %s was reset: make it again",
               a->device->id);
  return a;
}

// The last axis of the shape is the width, as NumPy has it; the first of a
// layered array counts layers.
static void describe_axes(lua_State *L, struct lcarray *a) {
  bool has_layers = a->desc.flags & (GPU_ARRAY_LAYERED | GPU_ARRAY_CUBEMAP);
  int axes = a->ndim - has_layers;
  uint32_t size[3] = {0};
  if (axes < 1 || axes > (has_layers ? 2 : 3))
    bind_error(L, ERR_ARGUMENT,
               "cuda.array: %d axes; an array has 1 to 3, a layered one layers "
               "and 1 or 2",
               a->ndim);
  for (int i = 0; i < a->ndim; i++) {
    if (a->shape[i] < 1 || a->shape[i] > INT32_MAX)
      bind_error(L, ERR_ARGUMENT, "cuda.array: axis %d of its shape is %lld", i,
                 (long long)a->shape[i]);
    size[a->ndim - 1 - i] = (uint32_t)a->shape[i];
  }
  a->desc.width = size[0];
  a->desc.height = axes > 1 ? size[1] : 0;
  a->desc.depth = has_layers ? size[axes] : size[2];
}

static struct lcarray *push_carray(lua_State *L, const struct lcarray *like,
                                   int options) {
  struct ldevice *d = lcuda_device(L);
  struct lcarray *a = lua_newuserdatauv(L, sizeof *a, 0);
  *a = *like;
  a->handle = 0;
  luaL_setmetatable(L, LCUDA_ARRAY);
  a->device = d;
  a->desc.format = check_format(L, a->dtype, "cuda.array");
  a->desc.channels = option_channels(L, options);
  a->desc.flags = (option_bool(L, options, "layered") ? GPU_ARRAY_LAYERED : 0) |
                  (option_bool(L, options, "cubemap") ? GPU_ARRAY_CUBEMAP : 0) |
                  (option_bool(L, options, "surface") ? GPU_ARRAY_SURFACE : 0) |
                  (option_bool(L, options, "gather") ? GPU_ARRAY_GATHER : 0);
  describe_axes(L, a);
  struct err_info e = {0};
  enum err err =
      d->gpu->backend->array_create(d->gpu, &a->desc, &a->handle, &e);
  if (err == ERR_NOMEM) { // what the collector finds may make room
    lua_gc(L, LUA_GCCOLLECT);
    ldevice_wait(L, d, GPU_ALL_STREAMS);
    err = d->gpu->backend->array_create(d->gpu, &a->desc, &a->handle, &e);
  }
  if (err != ERR_OK)
    ldevice_fail(L, d, &e);
  ldevice_sync(d);
  a->generation = d->generation;
  return a;
}

static int carray_copy_from(lua_State *L);

// cuda.array(shape, dtype [, options]) or cuda.array(a [, options]).
static int l_array(lua_State *L) {
  struct lcarray like = {0};
  struct array *from = array_test(L, 1);
  int options = from ? 2 : 3;
  lua_settop(L, 3);
  check_options(L, options, "cuda.array", array_options);
  if (!from) {
    like.ndim = array_check_shape(L, 1, "cuda.array", like.shape);
    like.dtype = array_check_dtype(L, 2, DTYPE_F32);
    push_carray(L, &like, options);
    return 1;
  }
  uint32_t channels = option_channels(L, options);
  like.dtype = from->dtype;
  like.ndim = from->ndim - (channels > 1);
  if (channels > 1 &&
      (from->ndim < 1 || from->shape[from->ndim - 1] != channels))
    bind_error(L, ERR_ARGUMENT,
               "cuda.array: with %d channels the last axis of the array has "
               "%d elements",
               (int)channels, (int)channels);
  for (int i = 0; i < like.ndim; i++)
    like.shape[i] = from->shape[i];
  push_carray(L, &like, options); // [from, options, nil, carray]
  lua_insert(L, 1);
  lua_settop(L, 2);
  return carray_copy_from(L);
}

static int64_t value_count(const struct lcarray *a) {
  int64_t n = a->desc.channels;
  for (int i = 0; i < a->ndim; i++)
    n *= a->shape[i];
  return n;
}

static void check_fits(lua_State *L, const struct lcarray *a,
                       const struct array *b) {
  char shape[ARRAY_SHAPE_TEXT];
  if (b->dtype == a->dtype && array_count(b) == value_count(a))
    return;
  bind_error(L, ERR_ARGUMENT,
             "the CUDA array has %lld values of %s, and the array is %s %s",
             (long long)value_count(a), dtype_name(a->dtype),
             dtype_name(b->dtype), array_shape_text(shape, b->ndim, b->shape));
}

static void queue_copy(lua_State *L, const struct lcarray *a,
                       struct array *other, bool to_array) {
  struct ldevice *d = a->device;
  struct err_info e = {0};
  struct gpu_array_copy c = {.array = a->handle,
                             .to_array = to_array,
                             .bytes = (size_t)gpu_array_bytes(&a->desc)};
  if (array_is_device(other))
    c.device = other->storage->address + other->offset;
  else
    c.host = array_data(other);
  if (d->gpu->backend->array_copy(d->gpu, &c, &e) != ERR_OK)
    ldevice_fail(L, d, &e);
  struct storage *s = other->storage;
  s->busy_on = d->gpu;
  if (to_array) {
    s->last_reader = remote_last_seq(d->gpu);
  } else {
    s->last_writer = remote_last_seq(d->gpu);
    device_storage_changed(s);
  }
  if (!array_is_device(other))
    ldevice_hold(d, s);
}

// Where the contents can be found again; NULL: nowhere.
static void remember_source(struct lcarray *a, const struct array *from) {
  struct storage *before = a->copied_from;
  a->copied_from = from ? storage_ref(from->storage) : NULL;
  a->copied_version = from ? from->storage->version : 0;
  a->copied_offset = from ? from->offset : 0;
  a->was_written = !from;
  storage_unref(before);
}

// a:copy_from(x): the whole array from a host or a device array.
static int carray_copy_from(lua_State *L) {
  struct lcarray *a = check_carray(L, 1);
  struct array *from = array_check(L, 2);
  check_fits(L, a, from);
  if (array_is_device(from)) {
    ldevice_check_storage(L, a->device, from->storage, "this array");
    if (!array_is_contiguous(from))
      bind_error(L, ERR_ARGUMENT,
                 "copy_from: the device array must be "
                 "contiguous: x:copy() packs it");
  } else {
    array_await(L, from, false);
    if (!array_is_contiguous(from))
      from = array_push_copy(L, from, from->dtype);
  }
  queue_copy(L, a, from, true);
  remember_source(a, array_is_device(from) ? NULL : from);
  lua_settop(L, 1);
  return 1;
}

// a:copy_to_host([out]): shape as it was made with, channels as a last axis.
static int carray_copy_to_host(lua_State *L) {
  struct lcarray *a = check_carray(L, 1);
  struct array *out;
  if (lua_isnoneornil(L, 2)) {
    int64_t shape[ARRAY_MAX_DIMS];
    int ndim = a->ndim;
    memcpy(shape, a->shape, sizeof shape);
    if (a->desc.channels > 1)
      shape[ndim++] = a->desc.channels;
    out = array_push_host(L, a->dtype, ndim, shape);
  } else {
    lua_settop(L, 2);
    out = array_check(L, 2);
    check_fits(L, a, out);
    if (array_is_device(out) || out->is_readonly || !array_is_contiguous(out))
      bind_error(L, ERR_ARGUMENT,
                 "copy_to_host(out): out must be a writable, contiguous host "
                 "array");
    array_await(L, out, true);
  }
  // A failed kernel's bytes never reach the host.
  ldevice_wait(L, a->device, GPU_ALL_STREAMS);
  queue_copy(L, a, out, false);
  ldevice_wait_seq(L, a->device, out->storage->last_writer);
  array_touch(out);
  return 1;
}

// a:copy_to(x): into a device array.
static int carray_copy_to(lua_State *L) {
  struct lcarray *a = check_carray(L, 1);
  struct array *out = array_check(L, 2);
  if (!array_is_device(out)) {
    carray_copy_to_host(L);
    lua_settop(L, 1);
    return 1;
  }
  check_fits(L, a, out);
  ldevice_check_storage(L, a->device, out->storage, "this array");
  if (!array_is_contiguous(out))
    bind_error(L, ERR_ARGUMENT, "copy_to: the device array must be contiguous");
  queue_copy(L, a, out, false);
  lua_settop(L, 1);
  return 1;
}

static int carray_free(lua_State *L) {
  struct lcarray *a = luaL_checkudata(L, 1, LCUDA_ARRAY);
  struct err_info e;
  if (a->handle && a->generation == a->device->generation)
    a->device->gpu->backend->array_destroy(a->device->gpu, a->handle, &e);
  a->handle = 0;
  storage_unref(a->copied_from);
  a->copied_from = NULL;
  return 0;
}

static void push_shape(lua_State *L, const struct lcarray *a) {
  lua_createtable(L, a->ndim, 0);
  for (int i = 0; i < a->ndim; i++) {
    lua_pushinteger(L, a->shape[i]);
    lua_rawseti(L, -2, i + 1);
  }
}

// Fields of an array; the methods are upvalue 1.
static int carray_index(lua_State *L) {
  struct lcarray *a = luaL_checkudata(L, 1, LCUDA_ARRAY);
  const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  if (strcmp(key, "shape") == 0)
    push_shape(L, a);
  else if (strcmp(key, "dtype") == 0)
    lua_pushstring(L, dtype_name(a->dtype));
  else if (strcmp(key, "channels") == 0)
    lua_pushinteger(L, a->desc.channels);
  else if (strcmp(key, "nbytes") == 0)
    lua_pushinteger(L, (lua_Integer)gpu_array_bytes(&a->desc));
  else if (strcmp(key, "layered") == 0)
    lua_pushboolean(L, a->desc.flags & GPU_ARRAY_LAYERED);
  else if (strcmp(key, "surface") == 0)
    lua_pushboolean(L, a->desc.flags & GPU_ARRAY_SURFACE);
  else if (strcmp(key, "device") == 0)
    lua_pushstring(L, a->device->id);
  else
    lua_getfield(L, lua_upvalueindex(1), key);
  return 1;
}

static int carray_tostring(lua_State *L) {
  struct lcarray *a = luaL_checkudata(L, 1, LCUDA_ARRAY);
  char shape[ARRAY_SHAPE_TEXT];
  lua_pushfstring(L, "cuda.array %s %s, %d channel%s, on %s%s",
                  array_shape_text(shape, a->ndim, a->shape),
                  dtype_name(a->dtype), (int)a->desc.channels,
                  a->desc.channels == 1 ? "" : "s", a->device->id,
                  a->handle ? "" : " (freed)");
  return 1;
}

// ---- Textures ----

static const char *const texture_options[] = {
    "address_mode", "filter_mode", "normalized", "read_mode",
    "srgb",         "border",      "channels",   NULL};
static const char *const address_modes[] = {"clamp", "wrap", "mirror", "border",
                                            NULL};
static const char *const filter_modes[] = {"point", "linear", NULL};
static const char *const read_modes[] = {"element", "normalized_float", NULL};

static uint32_t address_mode_of(uint32_t word) {
  static const uint32_t modes[] = {GPU_ADDRESS_CLAMP, GPU_ADDRESS_WRAP,
                                   GPU_ADDRESS_MIRROR, GPU_ADDRESS_BORDER};
  return modes[word];
}

// One word for all axes, or a table of words for x, y and z.
static void read_address_modes(lua_State *L, int at, uint32_t out[3]) {
  int type = push_option(L, at, "address_mode");
  int top = lua_gettop(L);
  for (int i = 0; i < 3; i++) {
    uint32_t word = 0;
    if (type == LUA_TTABLE) {
      if (lua_rawgeti(L, top, i + 1) != LUA_TNIL)
        word = check_word(L, top + 1, "address_mode", address_modes);
      lua_settop(L, top);
    } else if (type != LUA_TNIL) {
      word = check_word(L, top, "address_mode", address_modes);
    }
    out[i] = address_mode_of(word);
  }
  lua_settop(L, top - 1);
}

static void read_border(lua_State *L, int at, float out[4]) {
  int type = push_option(L, at, "border");
  for (int i = 0; i < 4; i++) {
    if (type == LUA_TTABLE) {
      lua_rawgeti(L, -1, i + 1);
      out[i] = (float)luaL_optnumber(L, -1, 0);
      lua_pop(L, 1);
    } else {
      out[i] = (float)luaL_optnumber(L, -1, 0);
    }
  }
  lua_pop(L, 1);
}

// A device array as it lies: one axis for tex1Dfetch, two as rows of a pitch.
static struct ldevice *look_at_memory(lua_State *L, const struct array *a,
                                      struct gpu_texture_desc *t) {
  const struct device_storage *ds = device_storage_of(a->storage);
  int axes = a->ndim - (t->channels > 1);
  char shape[ARRAY_SHAPE_TEXT];
  if (!array_is_device(a))
    bind_error(L, ERR_ARGUMENT,
               "cuda.texture: this array is on the host: "
               "cuda.texture(cuda.array(x)) copies it to the device");
  ldevice_check_storage(L, ds ? ds->device : NULL, a->storage, "this array");
  bool has_channels =
      t->channels == 1 ||
      (a->ndim > 0 && a->shape[a->ndim - 1] == (int64_t)t->channels);
  if ((axes != 1 && axes != 2) || !has_channels || !array_is_contiguous(a))
    bind_error(L, ERR_ARGUMENT,
               "cuda.texture: a device array of shape %s; it takes a "
               "contiguous one of one or two axes, and one more where there "
               "are channels",
               array_shape_text(shape, a->ndim, a->shape));
  if (a->shape[axes - 1] > INT32_MAX || a->shape[0] > INT32_MAX)
    bind_error(L, ERR_ARGUMENT, "cuda.texture: the array is too large");
  t->format = check_format(L, a->dtype, "cuda.texture");
  t->address = a->storage->address + a->offset;
  t->resource = axes == 1 ? GPU_RESOURCE_LINEAR : GPU_RESOURCE_PITCH2D;
  t->width = (uint32_t)a->shape[axes - 1];
  t->height = axes == 2 ? (uint32_t)a->shape[0] : 0;
  t->pitch_bytes = (uint64_t)t->width * t->channels * dtype_bytes(a->dtype);
  return ds->device;
}

static struct lobject *push_object(lua_State *L, struct ldevice *d,
                                   const char *type) {
  struct lobject *o = lua_newuserdatauv(L, sizeof *o, 1);
  *o = (struct lobject){.device = d, .generation = d->generation};
  luaL_setmetatable(L, type);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  o->next = d->objects;
  if (o->next)
    o->next->prev = o;
  d->objects = o;
  return o;
}

// cuda.texture(array [, options]).
static int l_texture(lua_State *L) {
  struct gpu_texture_desc t = {.resource = GPU_RESOURCE_ARRAY};
  struct lcarray *array = NULL;
  struct err_info e = {0};
  struct ldevice *d;
  lua_settop(L, 2);
  check_options(L, 2, "cuda.texture", texture_options);
  t.channels = option_channels(L, 2);
  t.filter = option_word(L, 2, "filter_mode", filter_modes);
  t.reads_elements = option_word(L, 2, "read_mode", read_modes) == 0;
  t.is_normalized = option_bool(L, 2, "normalized");
  t.is_srgb = option_bool(L, 2, "srgb");
  read_address_modes(L, 2, t.address_mode);
  read_border(L, 2, t.border);
  if (array_test(L, 1)) {
    d = look_at_memory(L, array_test(L, 1), &t);
  } else if (luaL_testudata(L, 1, LCUDA_ARRAY)) {
    array = check_carray(L, 1);
    t.array = array->handle;
    d = array->device;
  } else {
    bind_error(L, ERR_ARGUMENT,
               "cuda.texture takes a cuda.array or a device array, not %s",
               luaL_typename(L, 1));
  }
  struct lobject *o = push_object(L, d, LCUDA_TEXTURE);
  o->desc = t;
  o->array = array;
  if (!array)
    o->memory = device_storage_of(array_test(L, 1)->storage);
  if (d->gpu->backend->texture_create(d->gpu, &t, &o->number, &e) != ERR_OK)
    ldevice_fail(L, d, &e);
  return 1;
}

// cuda.surface(array).
static int l_surface(lua_State *L) {
  struct err_info e = {0};
  lua_settop(L, 1);
  if (!luaL_testudata(L, 1, LCUDA_ARRAY))
    bind_error(L, ERR_ARGUMENT,
               "cuda.surface takes a cuda.array made with surface = true, not "
               "%s",
               array_test(L, 1) ? "an array" : luaL_typename(L, 1));
  struct lcarray *a = check_carray(L, 1);
  struct ldevice *d = a->device;
  struct lobject *o = push_object(L, d, LCUDA_SURFACE);
  o->is_surface = true;
  o->array = a;
  if (d->gpu->backend->surface_create(d->gpu, a->handle, &o->number, &e) !=
      ERR_OK)
    ldevice_fail(L, d, &e);
  return 1;
}

static struct lobject *test_object(lua_State *L, int i) {
  struct lobject *o = luaL_testudata(L, i, LCUDA_TEXTURE);
  return o ? o : luaL_testudata(L, i, LCUDA_SURFACE);
}

static struct lobject *check_object(lua_State *L, int i) {
  struct lobject *o = test_object(L, i);
  if (!o)
    bind_error(L, ERR_ARGUMENT, "this is no texture and no surface");
  return o;
}

static int object_free(lua_State *L) {
  struct lobject *o = check_object(L, 1);
  struct err_info e;
  if (o->number && o->device && o->generation == o->device->generation) {
    struct gpu_device *gpu = o->device->gpu;
    if (o->is_surface)
      gpu->backend->surface_destroy(gpu, o->number, &e);
    else
      gpu->backend->texture_destroy(gpu, o->number, &e);
  }
  o->number = 0;
  if (o->prev)
    o->prev->next = o->next;
  else if (o->device && o->device->objects == o)
    o->device->objects = o->next;
  if (o->next)
    o->next->prev = o->prev;
  o->prev = o->next = NULL;
  return 0;
}

static int object_tostring(lua_State *L) {
  struct lobject *o = check_object(L, 1);
  lua_getiuservalue(L, 1, 1);
  lua_pushfstring(L, "cuda.%s of %s%s", o->is_surface ? "surface" : "texture",
                  array_test(L, -1) ? "a device array"
                                    : luaL_tolstring(L, -1, NULL),
                  o->number ? "" : " (freed)");
  return 1;
}

// t.object: the number that kernels get; t.source: what it looks at.
static int object_index(lua_State *L) {
  struct lobject *o = check_object(L, 1);
  const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  if (strcmp(key, "object") == 0)
    lua_pushinteger(L, (lua_Integer)o->number);
  else if (strcmp(key, "source") == 0)
    lua_getiuservalue(L, 1, 1);
  else
    lua_getfield(L, lua_upvalueindex(1), key);
  return 1;
}

bool lcuda_test_object(lua_State *L, struct ldevice *d, int at,
                       const char *what, const char *declared,
                       uint64_t *number) {
  bool wants_texture = declared && strstr(declared, "cudaTextureObject_t");
  bool wants_surface = declared && strstr(declared, "cudaSurfaceObject_t");
  struct lobject *o = test_object(L, at);
  if (!o && lua_type(L, at) == LUA_TUSERDATA &&
      (wants_texture || wants_surface))
    bind_error(L, ERR_ARGUMENT, "%s takes what cuda.%s(...) gives, not %s",
               what, wants_texture ? "texture" : "surface",
               array_test(L, at) ? "an array" : "another object");
  if (!o)
    return false;
  if (o->is_surface ? wants_texture : wants_surface)
    bind_error(L, ERR_ARGUMENT, "%s: a %s is given, and it takes a %s", what,
               o->is_surface ? "surface" : "texture",
               o->is_surface ? "texture" : "surface");
  if (!o->number)
    bind_error(L, ERR_USE_AFTER_FREE, "%s: this %s was freed with :free()",
               what, o->is_surface ? "surface" : "texture");
  if (!o->device || o->generation != o->device->generation)
    bind_error(L, ERR_DEVICE_LOST,
               "%s: this %s was lost when %s was reset: make it again", what,
               o->is_surface ? "surface" : "texture",
               o->device ? o->device->id : "its device");
  if (o->device != d)
    bind_error(L, ERR_ARGUMENT, "%s lives on %s, and this runs on %s", what,
               o->device->id, d->id);
  if (o->is_surface)
    o->array->was_written = true;
  *number = o->number;
  return true;
}

void lcuda_forget_objects(struct ldevice *d) {
  struct lobject *next;
  for (struct lobject *o = d->objects; o; o = next) {
    next = o->next;
    o->device = NULL;
    o->prev = o->next = NULL;
  }
  d->objects = NULL;
}

// ---- Opening ----

// A type whose methods are found behind its fields.
static void new_type(lua_State *L, const char *type, const luaL_Reg *meta,
                     lua_CFunction index, const luaL_Reg *methods) {
  luaL_newmetatable(L, type);
  luaL_setfuncs(L, meta, 0);
  lua_newtable(L);
  luaL_setfuncs(L, methods, 0);
  lua_pushcclosure(L, index, 1);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
}

int lcuda_open_texture(lua_State *L) {
  static const luaL_Reg array_meta[] = {{"__gc", carray_free},
                                        {"__close", carray_free},
                                        {"__tostring", carray_tostring},
                                        {NULL, NULL}};
  static const luaL_Reg array_methods[] = {
      {"copy_from", carray_copy_from},
      {"copy_to", carray_copy_to},
      {"copy_to_host", carray_copy_to_host},
      {"free", carray_free},
      {NULL, NULL}};
  static const luaL_Reg object_meta[] = {{"__gc", object_free},
                                         {"__close", object_free},
                                         {"__tostring", object_tostring},
                                         {NULL, NULL}};
  static const luaL_Reg object_methods[] = {{"free", object_free},
                                            {NULL, NULL}};
  static const luaL_Reg functions[] = {{"array", l_array},
                                       {"texture", l_texture},
                                       {"surface", l_surface},
                                       {NULL, NULL}};
  new_type(L, LCUDA_ARRAY, array_meta, carray_index, array_methods);
  new_type(L, LCUDA_TEXTURE, object_meta, object_index, object_methods);
  new_type(L, LCUDA_SURFACE, object_meta, object_index, object_methods);
  luaL_setfuncs(L, functions, 0);
  return 0;
}
