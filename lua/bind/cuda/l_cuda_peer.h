// SPDX-License-Identifier: Apache-2.0
// Several devices: cuda.device(), cuda.memcpy_peer, x:to(device).
#ifndef LUA_BIND_CUDA_L_CUDA_PEER_H
#define LUA_BIND_CUDA_L_CUDA_PEER_H

#include "lua/bind/cuda/cuda.h"

// x:to(device): x itself where it is there already, else a copy there; "host"
// gives a host array.
int lcuda_array_to(lua_State *L);
// Of what cuda.device() gives, for the table on top.
void lcuda_set_device_methods(lua_State *L);
int lcuda_open_peer(lua_State *L);

// An address by which `to` reads the array, of another device, in that device's own
// memory; 0: only the host can copy it. The array's work is done then.
gpu_ptr lpeer_map(lua_State *L, struct ldevice *to, const struct array *from);
// Copies from such an address, and waits.
void lpeer_copy(lua_State *L, const struct array *to, gpu_ptr address,
                const struct array *from);
// Ends the mappings of a storage that goes, and all that a device has which ends.
void lpeer_forget(struct device_storage *ds);
void lpeer_end(struct lcuda *c, struct ldevice *d);

#endif
