// SPDX-License-Identifier: Apache-2.0
// Arguments of a launch.
#ifndef LUA_BIND_CUDA_L_CUDA_ARGS_H
#define LUA_BIND_CUDA_L_CUDA_ARGS_H

#include "lua/bind/cuda/l_cuda.h"

struct lpointer { // cuda.pointer: a device address that knows its storage
  struct storage *storage; // counted
  int64_t offset;
  uint64_t generation;
};
struct lstruct { // cuda.struct: bytes in C's layout
  uint32_t bytes;
  uint32_t align;
  uint8_t data[];
};
// Writes argument `i` of the kernel (stack index `at`) into the parameter
// block; raises `argument` where it does not fit. Returns false for a host array,
// which it has checked but not written.
struct lpacked {
  void *params;
  struct storage *used; // behind the pointer that came last, or NULL
};
bool lcuda_pack_arg(lua_State *L, struct ldevice *d, struct lkernel *k, int i,
                    int at, struct lpacked *to);
int lcuda_arg_count_error(lua_State *L, struct lkernel *k, int given)
    __attribute__((noreturn));
int lcuda_open_args(lua_State *L);

#endif
