// SPDX-License-Identifier: Apache-2.0
// A module's variables.
#ifndef LUA_BIND_CUDA_L_CUDA_VARIABLE_H
#define LUA_BIND_CUDA_L_CUDA_VARIABLE_H

#include "lua/bind/cuda/l_cuda_module.h"

// The variable at `address` as storage (borrowed), the same one each time.
struct storage *lmodule_variable(struct lmodule *m, const char *name,
                                 gpu_ptr address, size_t bytes);
void lmodule_forget_variables(struct lmodule *m);
// Where a launch of the module is run again on another device: gives its
// variables what they held on the real one. False: earlier launches than the
// first may have changed them.
struct lmodule_again {
  const struct lmodule *m;
  struct ldevice *v;
  gpu_handle module; // on v
  bool is_alive;     // the real device can be read
  uint64_t first;    // launch that is run again
};
bool lmodule_copy_variables(lua_State *L, const struct lmodule_again *t,
                            const struct nvrtc_program *ptx);

#endif
