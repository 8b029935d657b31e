// SPDX-License-Identifier: Apache-2.0
// Waiting for queued work, failures, and devices that come back.
#ifndef LUA_BIND_CUDA_L_CUDA_WAIT_H
#define LUA_BIND_CUDA_L_CUDA_WAIT_H

#include "lua/bind/cuda/l_cuda.h"

void ldevice_wait(lua_State *L, struct ldevice *d, gpu_handle stream);
void ldevice_wait_seq(lua_State *L, struct ldevice *d, uint64_t seq);
// Starts the server anew, with the settings that it has now; arrays come back
// from their host copies, as after a fault.
void ldevice_reset(lua_State *L, struct ldevice *d);
// Raises what `e` says, after recovery where the device needs one.
int ldevice_fail(lua_State *L, struct ldevice *d, const struct err_info *e)
    __attribute__((noreturn));
// The server was found dead while nothing of ours ran: starts it again and
// restores arrays. True when it was dead and now lives.
bool ldevice_revive(lua_State *L, struct ldevice *d);
// Takes note of a server that was replaced while it held nothing of ours.
void ldevice_sync(struct ldevice *d);
// As array_await; and without asking whether the program waits.
void lcuda_await(lua_State *L, const struct array *a, bool for_write);
void lcuda_await_storage(lua_State *L, struct storage *s, bool for_write);

#endif
