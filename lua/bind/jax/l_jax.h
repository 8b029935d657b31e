// SPDX-License-Identifier: Apache-2.0
// What the C files of jax share: l_jax.c opens the module, l_jax_exec.c runs
// compiled programs, l_jax_call.c finds the program for a call, l_jax_watch.c looks at
// the learner's lines while they are traced.
#ifndef LUA_BIND_JAX_L_JAX_H
#define LUA_BIND_JAX_L_JAX_H

#include "lua/bind/cuda/cuda.h"

#define LJAX_EXECUTABLE "jax.executable"
#define LJAX_CALLS      "jax.calls"

// A result, of which each call makes one.
struct exec_result {
  enum dtype dtype;
  int ndim;
  int64_t shape[ARRAY_MAX_DIMS], strides[ARRAY_MAX_DIMS];
  size_t bytes;
  bool is_weak;
};

struct exec_argument {
  bool is_number;
  enum dtype dtype; // of a number
};

struct exec_temp {
  size_t offset, bytes; // in the block that they share
};

// A launch; or a block of steps; or a product, whose addresses are offsets into
// the slots.
struct exec_step {
  struct llauncher *launcher; // kept alive by the executable's table
  struct exec_block *block;
  struct gpu_product product;
  int slot_count;
  int *slots; // one for each parameter
};

struct exec_list {
  int count;
  struct exec_step *steps;
};

// What a slot is during a call.
struct exec_slot {
  struct storage *storage;
  gpu_ptr address;
};

struct executable {
  struct ldevice *device;
  int arg_count, const_count, made_count, temp_count;
  int slot_count; // with those that blocks set
  struct exec_argument *args;
  struct array **consts; // kept alive likewise
  struct exec_result *made;
  struct exec_temp *temps;
  size_t workspace_bytes;
  int result_count;
  int *results; // slots
  struct exec_list steps;
  uint64_t word; // that was read from the device
  struct exec_slot *slots;
  struct device_storage **held; // temporary ones of the call
  int held_count, held_capacity;
};

// The array as a kernel takes it: on `d`, packed and at a whole word.
bool ljax_is_plain(const struct array *a, const struct ldevice *d);

// Runs the executable at `self` for the arguments from `base` on; leaves the
// results on top of the stack and gives their number.
int ljax_call(lua_State *L, int self, int base);

// Of the list of steps on top of the stack. l_jax_exec.c
void ljax_take_steps(lua_State *L, struct exec_list *list);
void ljax_prepare_steps(lua_State *L, struct executable *x,
                        const struct exec_list *list);
enum err ljax_run_steps(lua_State *L, struct executable *x,
                        const struct exec_list *list, int base,
                        struct err_info *e);
void ljax_free_steps(struct exec_list *list);

// Of the step on top of the stack, where it is one: {block = {...}}.
// l_jax_block.c
bool ljax_take_block(lua_State *L, struct exec_step *s);
void ljax_prepare_block(lua_State *L, struct executable *x,
                        const struct exec_block *b);
enum err ljax_run_block(lua_State *L, struct executable *x,
                        const struct exec_block *b, int base,
                        struct err_info *e);
void ljax_free_block(struct exec_block *b);

// Each adds its functions to the table on top.
// Makes the globals jax and jnp.
void ljax_open(lua_State *L);
// [use] -> [use]: what its primitives compute on the host (l_jax_eval.c).
void ljax_open_eval(lua_State *L);
void ljax_open_exec(lua_State *L);
void ljax_open_calls(lua_State *L);
void ljax_open_watch(lua_State *L);
void ljax_open_scatter(lua_State *L);

#endif
