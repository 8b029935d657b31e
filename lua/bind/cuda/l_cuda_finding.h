// SPDX-License-Identifier: Apache-2.0
// Findings and failures in words.
#ifndef LUA_BIND_CUDA_L_CUDA_FINDING_H
#define LUA_BIND_CUDA_L_CUDA_FINDING_H

#include "lua/bind/cuda/cuda.h"

// Pushes the error table for a failure and its findings.
void lcuda_push_failure(lua_State *L, struct ldevice *d,
                        const struct err_info *e, const struct gpu_finding *f,
                        int count);
// Is there nothing to say of the finding, as the source shows?
bool lcuda_is_moot(lua_State *L, struct ldevice *d,
                   const struct gpu_finding *f);
void lcuda_say_finding(lua_State *L, struct ldevice *d,
                       const struct gpu_finding *f);

// Of what the pointer points at; 0: nobody knows.
uint32_t lcuda_elem_bytes(const struct nvrtc_param *p);
void lcuda_push_triple(lua_State *L, const uint32_t v[3]); // {x, y, z}
void lcuda_push_diagnostics(lua_State *L, struct ldevice *d,
                            const struct gpu_finding *f, int count);

#endif
