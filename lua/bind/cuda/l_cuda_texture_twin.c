// SPDX-License-Identifier: Apache-2.0
// Twins of textures, surfaces and their arrays on the virtual GPU, for a launch
// that is run again there.
#include "lua/bind/cuda/l_cuda_texture.h"

#include <lauxlib.h>
#include <string.h>

#include "gpu/remote/remote.h"
#include "lua/bind/cuda/l_cuda_memory.h"

static struct lobject *find_object(struct ldevice *d, uint64_t number) {
  for (struct lobject *o = d->objects; o; o = o->next)
    if (number && o->number == number && o->generation == d->generation)
      return o;
  return NULL;
}

static void copy_array(lua_State *L, struct ldevice *d, gpu_handle array,
                       bool to_array, void *host, size_t bytes) {
  struct gpu_array_copy c = {
      .array = array, .to_array = to_array, .host = host, .bytes = bytes};
  struct err_info e = {0};
  enum err err = d->gpu->backend->array_copy(d->gpu, &c, &e);
  if (!err)
    err = remote_wait(d->gpu, GPU_ALL_STREAMS, &e);
  if (err)
    bind_error_info(L, &e);
}

// What the array held, or zeros; leaves one value on Lua's stack.
static void *push_contents(lua_State *L, struct lobject_twins *t,
                           const struct lcarray *a, size_t bytes) {
  uint8_t *between = lua_newuserdatauv(L, bytes, 0);
  bool is_known = storage_is_as_copied(a->copied_from, a->copied_version);
  if (t->is_alive && a->handle) {
    copy_array(L, t->real, a->handle, false, between, bytes);
    return between;
  }
  if (is_known)
    memcpy(between, (char *)a->copied_from->host + a->copied_offset, bytes);
  else
    memset(between, 0, bytes);
  t->unknown += !is_known || a->was_written;
  return between;
}

static gpu_handle array_twin(lua_State *L, struct lobject_twins *t,
                             const struct lcarray *a) {
  struct ldevice *v = t->virtual;
  struct err_info e = {0};
  size_t bytes = (size_t)gpu_array_bytes(&a->desc);
  gpu_handle handle;
  for (int i = 0; i < t->array_count; i++)
    if (t->arrays[i].of == a && t->arrays[i].handle)
      return t->arrays[i].handle;
  if (v->gpu->backend->array_create(v->gpu, &a->desc, &handle, &e) != ERR_OK)
    bind_error_info(L, &e);
  t->arrays[t->array_count].of = a;
  t->arrays[t->array_count++].handle = handle;
  copy_array(L, v, handle, true, push_contents(L, t, a, bytes), bytes);
  lua_pop(L, 1);
  return handle;
}

// An array that was freed before the launch is gone there, too.
static void free_twin(struct lobject_twins *t, const struct lcarray *a) {
  struct gpu_device *gpu = t->virtual->gpu;
  struct err_info e;
  for (int i = 0; i < t->array_count; i++) {
    if (t->arrays[i].of != a || !t->arrays[i].handle)
      continue;
    gpu->backend->array_destroy(gpu, t->arrays[i].handle, &e);
    t->arrays[i].handle = 0;
  }
}

static enum err make(lua_State *L, struct lobject_twins *t,
                     const struct lobject *o, uint64_t *number,
                     struct err_info *e) {
  struct gpu_device *gpu = t->virtual->gpu;
  struct gpu_texture_desc desc = o->desc;
  gpu_handle array = o->array ? array_twin(L, t, o->array) : 0;
  if (o->is_surface)
    return gpu->backend->surface_create(gpu, array, number, e);
  desc.array = array;
  if (o->memory)
    desc.address +=
        t->stand_in(L, t->context, o->memory) - o->memory->base.address;
  return gpu->backend->texture_create(gpu, &desc, number, e);
}

uint64_t lobject_twin(lua_State *L, struct lobject_twins *t, uint64_t number) {
  const struct lobject *o = find_object(t->real, number);
  struct err_info e = {0};
  uint64_t twin;
  for (int i = 0; i < t->object_count; i++)
    if (o && t->objects[i].of == number)
      return t->objects[i].number;
  if (!o)
    return 0;
  if (t->object_count == LCUDA_TWINS)
    bind_error(L, ERR_UNSUPPORTED, "there are more than %d textures",
               LCUDA_TWINS);
  if (make(L, t, o, &twin, &e) != ERR_OK)
    bind_error_info(L, &e);
  if (o->array && !o->array->handle)
    free_twin(t, o->array);
  t->objects[t->object_count].of = number;
  t->objects[t->object_count].number = twin;
  t->objects[t->object_count++].is_surface = o->is_surface;
  return twin;
}

void lobject_twins_free(struct lobject_twins *t) {
  struct err_info e;
  struct gpu_device *gpu = t->virtual ? t->virtual->gpu : NULL;
  for (int i = 0; i < t->object_count; i++)
    if (t->objects[i].is_surface)
      gpu->backend->surface_destroy(gpu, t->objects[i].number, &e);
    else
      gpu->backend->texture_destroy(gpu, t->objects[i].number, &e);
  for (int i = 0; i < t->array_count; i++)
    if (t->arrays[i].handle)
      gpu->backend->array_destroy(gpu, t->arrays[i].handle, &e);
  t->object_count = t->array_count = 0;
}
