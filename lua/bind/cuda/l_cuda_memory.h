// SPDX-License-Identifier: Apache-2.0
// Device memory that arrays share.
#ifndef LUA_BIND_CUDA_L_CUDA_MEMORY_H
#define LUA_BIND_CUDA_L_CUDA_MEMORY_H

#include "lua/bind/cuda/cuda.h"

struct device_storage *ldevice_alloc(lua_State *L, struct ldevice *d,
                                     size_t bytes, unsigned flags);
// Its memory goes to others, and arrays of it are errors from now on: freed by
// :free().
void device_storage_free(struct device_storage *ds);
// Bytes of the block that it lies in: of the pool's, or its own.
size_t device_storage_block(const struct device_storage *ds);
// The storage of `d` that holds `address`, or NULL.
struct device_storage *ldevice_find(struct ldevice *d, gpu_ptr address);
// Memory without an array that the device still has: in the pool, or not freed
// because queued work may use it.
bool ldevice_find_freed(struct ldevice *d, gpu_ptr address, struct lblock *out);
struct device_storage *ldevice_twin(lua_State *L, struct ldevice *d,
                                    struct storage *host);
unsigned lcuda_alloc_flags(const struct lcuda *c); // guarded or not
// The contents are no longer what the host put there.
void device_storage_changed(struct storage *s);
// Storage over a module's variable, which is not ours to free.
struct device_storage *ldevice_borrow(struct ldevice *d, gpu_ptr address,
                                      size_t bytes);

// Is the host's memory still what was copied from it at `version`? `from` may be NULL.
static inline bool storage_is_as_copied(const struct storage *from,
                                        uint64_t version) {
  return from && !from->is_shared && version == from->version;
}

#endif
