// SPDX-License-Identifier: Apache-2.0
// Arrays as C sees them: the element types, the storage that arrays share,
// and one array (a view). l_np.c makes them; l_cuda.c moves and launches on
// them. Lua sees one userdata type, "np.array", for host and device alike.
#ifndef LUA_BIND_ARRAY_H
#define LUA_BIND_ARRAY_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "gpu/gpu.h"
#include "gpu/remote/arena.h"

enum dtype {
#define DTYPE(name, text, numpy, bytes, kind) DTYPE_##name,
#include "lua/bind/dtype.def"
#undef DTYPE
  DTYPE_COUNT
};

enum { ARRAY_MAX_DIMS = 16 };

// Storage of one base allocation, shared by its views and counted.
struct storage {
  int refs;
  size_t bytes;
  void *host; // in the arena; NULL for device storage
  // Device storage. A stale generation means that the server which held it is
  // gone; `is_lost` that its contents could not be restored.
  struct gpu_device *device;
  gpu_ptr address;
  uint64_t generation;
  bool is_lost;
  bool is_freed; // by d:free()
  // Sequence numbers of the last queued work that reads / writes it, per the
  // device that was used last; host access waits for them.
  struct gpu_device *busy_on;
  uint64_t last_reader;
  uint64_t last_writer;
  // Host storage: counts writes, so that a device copy knows whether the host
  // still holds what was copied. Device storage: where it was copied from.
  uint64_t version;
  struct storage *copied_from; // counted reference, or NULL
  uint64_t copied_version;
  bool was_written; // a launch took it as non-const since it was copied
  const struct storage_ops *ops; // how to free it; NULL: host arena
};

struct storage_ops {
  // Called when the last reference goes; may only queue device work.
  void (*release)(struct storage *s);
};

struct array {
  struct storage *storage; // NULL only while the userdata is being made
  size_t offset;           // bytes from the start of the storage
  enum dtype dtype;
  int ndim;
  int64_t shape[ARRAY_MAX_DIMS];
  int64_t strides[ARRAY_MAX_DIMS]; // bytes; may be negative or 0
  bool is_readonly;                // jax arrays, broadcasts
};

#define ARRAY_TYPE "np.array"

size_t dtype_bytes(enum dtype t);
const char *dtype_name(enum dtype t);               // "f32"
bool dtype_parse(const char *text, enum dtype *out); // "f32", "float32"

// The array at stack index `i`, or NULL. array_check raises an `argument`
// error instead.
struct array *array_test(lua_State *L, int i);
struct array *array_check(lua_State *L, int i);

int64_t array_count(const struct array *a); // elements
bool array_is_contiguous(const struct array *a);
bool array_is_device(const struct array *a);
// First byte on the host; only for host arrays whose work is done
// (array_await).
void *array_data(const struct array *a);

// Waits until no queued work writes (for_write: or reads) the array's storage;
// raises what the wait fails with. The hook is installed by l_cuda.c.
void array_await(lua_State *L, struct array *a, bool for_write);
void array_set_await_hook(void (*hook)(lua_State *L, struct storage *s,
                                       bool for_write));
// To be called after the host side of an array was written.
void array_touch(struct array *a);

// Pushes a new C-contiguous host array with undefined contents. Raises
// `out-of-memory` (after a collection was tried) and `argument`.
struct array *array_push_host(lua_State *L, enum dtype t, int ndim,
                              const int64_t *shape);
// Pushes an array over existing storage, of which it takes one reference.
struct array *array_push_view(lua_State *L, struct storage *s, size_t offset,
                              enum dtype t, int ndim, const int64_t *shape,
                              const int64_t *strides);
struct storage *storage_ref(struct storage *s);
void storage_unref(struct storage *s);

// The one arena of this process, made on first use and raised on failure.
struct arena *array_arena(lua_State *L);

int luaopen_np(lua_State *L); // l_np.c

#endif
