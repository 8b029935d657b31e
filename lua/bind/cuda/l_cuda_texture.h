// SPDX-License-Identifier: Apache-2.0
// CUDA arrays, textures and surfaces as Lua's values (l_cuda_texture.c), and
// how a launch that used them is run again on the virtual GPU
// (l_cuda_texture_twin.c).
#ifndef LUA_BIND_CUDA_L_CUDA_TEXTURE_H
#define LUA_BIND_CUDA_L_CUDA_TEXTURE_H

#include "lua/bind/cuda/l_cuda.h"

// A CUDA array of a device.
struct lcarray {
  struct ldevice *device;
  uint64_t generation;
  gpu_handle handle; // 0: freed
  struct gpu_array_desc desc;
  enum dtype dtype;
  int ndim;
  int64_t shape[ARRAY_MAX_DIMS];
  // The host copy of its contents, as struct storage has it.
  struct storage *copied_from;
  uint64_t copied_version;
  size_t copied_offset;
  bool was_written; // a kernel may have, since
};

// A texture or surface object; a user value keeps what it looks at.
struct lobject {
  struct ldevice *device;      // NULL: closed
  struct lobject *prev, *next; // all objects of the device
  uint64_t generation;
  uint64_t number; // 0: freed
  bool is_surface;
  struct gpu_texture_desc desc; // of a texture
  struct lcarray *array;        // or, of linear memory:
  const struct device_storage *memory;
};

enum { LCUDA_TWINS = 256 };

// Twins on the virtual GPU of what launches on another device used.
struct lobject_twins {
  struct ldevice *real, *virtual;
  bool is_alive; // the real device's arrays can be read
  struct {
    const struct lcarray *of;
    gpu_handle handle;
  } arrays[LCUDA_TWINS];
  struct {
    uint64_t of, number;
    bool is_surface;
  } objects[LCUDA_TWINS];
  int array_count, object_count;
  int unknown; // arrays whose contents are gone
  // The virtual GPU's address of the real one's memory.
  gpu_ptr (*stand_in)(lua_State *L, void *context,
                      const struct device_storage *ds);
  void *context;
};

// The twin of the object of that number; 0 when Lua has no such object (any
// more). Raises what the virtual GPU refuses.
uint64_t lobject_twin(lua_State *L, struct lobject_twins *t, uint64_t number);
void lobject_twins_free(struct lobject_twins *t);

// Is the argument at `at` a texture or a surface? Then its number for a kernel
// on `d`; raises when it does not fit what is declared. `what` names it.
bool lcuda_test_object(lua_State *L, struct ldevice *d, int at,
                       const char *what, const char *declared,
                       uint64_t *number);
void lcuda_forget_objects(struct ldevice *d); // it is being closed
int lcuda_open_texture(lua_State *L);

#endif
