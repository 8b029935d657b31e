// SPDX-License-Identifier: Apache-2.0
// Launches.
#ifndef LUA_BIND_CUDA_L_CUDA_LAUNCH_H
#define LUA_BIND_CUDA_L_CUDA_LAUNCH_H

#include "lua/bind/cuda/l_cuda_module.h"

// Queues a launch whose parameters are packed: the launcher's kernel is bound
// to `d`. used[i] is the storage behind parameter i, or NULL.
enum err lcuda_launch_packed(lua_State *L, struct ldevice *d,
                             struct llauncher *l, uint8_t *params,
                             struct storage *const *used, struct err_info *e);
// Remembers a launch that was just queued.
void lcuda_record_launch(struct ldevice *d, struct lkernel *k,
                         const struct gpu_launch *l);
// While cuda.profile runs, before a launch: has it counted.
void lcuda_count_launch(lua_State *L, struct ldevice *d, struct lkernel *k,
                        struct gpu_launch *l);
// Where work is counted: waits for what was queued, and charges it.
void lcuda_charge(lua_State *L, struct ldevice *d);
// Work that was just queued reads or writes the storage.
void lcuda_mark_use(struct ldevice *d, struct storage *s, bool is_read);
// Binds the launcher's kernel to `d` and checks its sizes, where that is new.
void lcuda_prepare(lua_State *L, struct llauncher *l, struct ldevice *d);
// Raises: a kernel was called, or configured, without its grid.
int lkernel_call_without_grid(lua_State *L);
int lcuda_open_launch(lua_State *L);

#endif
