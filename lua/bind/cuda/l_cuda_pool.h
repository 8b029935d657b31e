// SPDX-License-Identifier: Apache-2.0
// Blocks of memory for the next arrays of jax.
#ifndef LUA_BIND_CUDA_L_CUDA_POOL_H
#define LUA_BIND_CUDA_L_CUDA_POOL_H

#include "lua/bind/cuda/cuda.h"

// A block of at least *bytes; *bytes becomes its size, also where there is
// none (false), so that a new one fits into the pool later.
bool lpool_take(lua_State *L, struct ldevice *d, size_t *bytes, gpu_ptr *out);
void lpool_give(struct ldevice *d, gpu_ptr address, size_t bytes);
// How much to ask the device for where a block of `block` bytes is missing; its
// first block is then cut off what lpool_add_slab was given.
size_t lpool_slab_bytes(const struct ldevice *d, size_t block);
void lpool_add_slab(struct ldevice *d, gpu_ptr address, size_t bytes,
                    size_t block);
bool lpool_release(struct ldevice *d); // frees what it can; false: nothing
// A block that nobody has, by an address in it.
bool lpool_find(struct ldevice *d, gpu_ptr address, struct lblock *out);
void lpool_forget(struct ldevice *d); // they are gone
int lcuda_open_pool(lua_State *L);

#endif
