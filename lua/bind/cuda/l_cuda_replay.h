// SPDX-License-Identifier: Apache-2.0
// A real GPU's launches run again on the virtual one.
#ifndef LUA_BIND_CUDA_L_CUDA_REPLAY_H
#define LUA_BIND_CUDA_L_CUDA_REPLAY_H

#include "lua/bind/cuda/l_cuda.h"

// Runs a real GPU's launches since the last wait that went well again on the
// virtual one, in their order. True: pushed the error table that this gave.
// `note` gets a sentence to add to it.
bool lcuda_push_replayed(lua_State *L, struct ldevice *d,
                         const struct err_info *e, struct str *note);

// Runs a launch, before it runs on `d`, on the virtual GPU, which counts it.
// (`d` may be the virtual GPU itself: its arrays are copied.)
void lcuda_count_on_virtual(lua_State *L, struct ldevice *d,
                            const struct launch_record *record);

// Runs a launch, before it runs on `d`, a real GPU, on a copy of its arrays there,
// and has the GPU count it. Nothing of that is the launch's: false, and `why` says
// what kept it from being counted. Only a stop by the user is raised.
bool lcuda_count_on_hardware(lua_State *L, struct ldevice *d,
                             const struct launch_record *record,
                             struct gpu_hardware *out, struct str *why);

// The last launch on `d`, or NULL when it is not known any more.
const struct launch_record *ldevice_last_record(const struct ldevice *d);

// Copies the arrays of a real GPU's launch to the virtual GPU and calls `run`
// with the launch as it is there; it leaves one value. `function` is the
// kernel there, its module's variables are the real GPU's.
void lcuda_with_copies(lua_State *L, struct ldevice *d,
                       const struct launch_record *record,
                       void (*run)(lua_State *L, struct ldevice *v,
                                   const struct launch_record *record,
                                   gpu_handle function));

#endif
