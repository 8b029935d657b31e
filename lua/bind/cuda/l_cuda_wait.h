// SPDX-License-Identifier: Apache-2.0
// Waiting for queued work, failures, and devices that come back.
#ifndef LUA_BIND_CUDA_L_CUDA_WAIT_H
#define LUA_BIND_CUDA_L_CUDA_WAIT_H

#include "lua/bind/cuda/cuda.h"

void ldevice_wait(lua_State *L, struct ldevice *d, gpu_handle stream);
// Starts the server anew, with the settings that it has now; arrays come back
// from their host copies, as after a fault.
void ldevice_reset(lua_State *L, struct ldevice *d);
// As array_await; and without asking whether the program waits.
void lcuda_await(lua_State *L, const struct array *a, bool for_write);
void lcuda_await_storage(lua_State *L, struct storage *s, bool for_write);

// ---- A server that is started anew on purpose ----

struct device_storage;
// A device array, and the memory of the arena that its contents were copied to.
struct lcarried {
  struct device_storage *storage;
  void *host;
};
// Are this array's contents nowhere but in the server?
bool ldevice_must_carry(const struct ldevice *d,
                        const struct device_storage *ds);
// Once another server is there: its arrays go back, those of the list (in the order of
// the device's storages) from there. Module variables have their first values again.
void ldevice_carry_over(struct ldevice *d, const struct lcarried *list,
                        int count);

#endif
