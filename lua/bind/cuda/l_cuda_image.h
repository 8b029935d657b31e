// SPDX-License-Identifier: Apache-2.0
// cuda.RawModule, cuda.RawKernel and module:save.
#ifndef LUA_BIND_CUDA_L_CUDA_IMAGE_H
#define LUA_BIND_CUDA_L_CUDA_IMAGE_H

#include "lua/bind/cuda/l_cuda_module.h"

// Makes the module that of the image (PTX, cubin, fatbin) at `text`; false when
// that is a source. Raises for settings that only a source can have.
bool lmodule_take_image(lua_State *L, struct lmodule *m, const char *text,
                        size_t bytes);
int lmodule_save(lua_State *L);
int lmodule_get_function(lua_State *L);
int lcuda_open_image(lua_State *L);

#endif
