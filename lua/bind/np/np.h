// SPDX-License-Identifier: Apache-2.0
// What the np_*.c files share: walking over several arrays at once, and the
// Lua functions that l_np.c puts into the table `np`.
#ifndef LUA_BIND_NP_NP_H
#define LUA_BIND_NP_NP_H

#include <lauxlib.h>

#include "kernels/kernels.h"
#include "lua/bind/np/array.h"
#include "lua/bind/state/bind.h"

// Small storages that nobody holds, by size: of an operation on ten elements,
// getting memory and giving it back would be half of the time. At most
// MOST_SPARE of each size are kept, 150 KiB in all.
enum { SPARE_STEP = 64, SPARE_SIZES = 8, MOST_SPARE = 64 };
struct spare {
  struct storage *first;
  int count;
};

// What np keeps for a Lua state: it goes after the last of the state's arrays.
struct np_state {
  struct arena *arena; // NULL: there was no array yet
  struct array_hooks hooks;
  struct spare spares[SPARE_SIZES];
  size_t live_bytes;  // of host storage
  size_t kept_bytes;  // that the last full collection left alive
  size_t young_bytes; // allocated since the last look at young arrays
  size_t young_arrays;
  int threads; // how many may work on arrays at once
};
struct np_state *np_of(lua_State *L);

// Calls `each` with the beginning of every line along `axis` in each of up to
// WALK_MAX arrays, which stretch to `shape` except along that axis.
struct np_lines {
  const struct array *const *arrays;
  int count; // of them
  void (*each)(void *context, char *const *p);
  void *context;
};
void np_each_line(lua_State *L, int axis, int ndim, const int64_t *shape,
                  struct np_lines l);
// Pushes the host array at index `i`, one without axes as a line, and tells
// which axis index `axis` names; nil is the last.
struct array *np_push_axis(lua_State *L, int i, int axis, const char *function,
                           int *which);

// The shape that they broadcast to, of as many axes as the larger has; not raised: -1, or the first axis
// on which they do not agree.
int np_common_shape(const struct array *a, const struct array *b,
                    int64_t *shape);
bool np_can_broadcast(const struct array *a, int ndim, const int64_t *shape);

// An axis at index `i`, counted from the end when negative; raises.
int np_check_axis(lua_State *L, int i, int ndim, const char *function);
// The array at index `i`; a table or a number there is replaced by one.
struct array *np_check_operand(lua_State *L, int i);
// A table with names alone; lists of numbers are arguments themselves.
bool np_is_named(lua_State *L, int i);
// Drops a last argument {} at index `i`: named arguments of which none is given.
void np_drop_nameless(lua_State *L, int i);
// Puts a last argument {axis = 0} in place: the argument names[k] at index
// i + k, and no argument behind them. Raises for other names.
void np_spread(lua_State *L, int i, const char *function,
               const char *const *names, int count);
// k, or -1 where there is no such name.
int np_place(const char *const *names, int count, const char *name);

// A view with the axes in the order `axes`.
struct array *np_push_permuted(lua_State *L, const struct array *a,
                               const int *axes);

// Elementwise operations, callable from C: arguments at indexes `a` and `b`
// may be arrays, numbers or booleans; pushes the result.
void np_push_binary(lua_State *L, enum kernel_binary op, int a, int b);
void np_push_unary(lua_State *L, enum kernel_unary op, int a);
void np_push_where(lua_State *L, int condition, int x, int y);
// Elementwise operations on blocks that stay in the cache (np_fused.c).
// (x - y)^2 of f32 or f64, both of one type, y stretched to x.
struct array *np_push_square_off(lua_State *L, const struct array *x,
                                 const struct array *y);
void np_open_fused(lua_State *L); // into the table on the stack's top
// Raises unless the value at `i` is a mask: true, false or an array of bool. A
// table there is replaced by an array.
void np_check_mask(lua_State *L, int i, const char *function);
// Can an array of this integer type hold the number?
bool np_integer_fits(enum dtype t, lua_Integer v);
// Puts the array on the stack's top into the one at `i`, where there is one,
// and that one on the top.
int np_into_out(lua_State *L, int i);

int np_nonzero(lua_State *L);
// Where `count` elements of a mask of 0 and 1 are 1.
void np_positions(const uint8_t *truth, int64_t count, int64_t *out);

// Each opens one family: adds its functions to the table on the stack's top.
void np_open_create(lua_State *L);
void np_open_shape(lua_State *L);
void np_open_ufunc(lua_State *L);
void np_open_reduce(lua_State *L);
void np_open_product(lua_State *L);
void np_open_cumulative(lua_State *L);
void np_open_sort(lua_State *L);
void np_open_search(lua_State *L);
void np_open_take(lua_State *L);
void np_open_npy(lua_State *L);
void np_open_random(lua_State *L);
void np_open_print(lua_State *L);

// What ipairs, pairs, table.unpack, calls and .. make of arrays.
void np_open_lua(lua_State *L);

// ---- np_dispatch.c ----

// "sum", where the C function that runs was called as np.sum; else NULL.
const char *np_function_name(lua_State *L);
// An error where argument `i` is missing, in the place of luaL_checkany.
void np_check_any(lua_State *L, int i);
bool np_has_jax(lua_State *L, int count); // among the first arguments
int np_call_jax(lua_State *L, const char *name);
// The same of device arrays that are not jax's; -1 where np's own function is
// to be called.
bool np_has_device(lua_State *L, int count);
int np_call_device(lua_State *L, const char *name);
// Pushes argument 1, a device array, indexed by the arrays at `key`; -1 where
// that is not possible.
int np_index_device(lua_State *L, int key, bool is_checked);
// x[key] = value of the arguments, a device array first; false where that is
// not possible.
bool np_assign_device(lua_State *L, bool is_checked);
// np.NAME by who has an argument: another library, whose table's metatable has
// __np_function(name, args...), as scale's arrays have; jax; a device. -1: np's own.
int np_call_elsewhere(lua_State *L, const char *name);
// [np] -> [np], its functions wrapped in that way.
void np_wrap_functions(lua_State *L);

// Pushes jnp, or nil before it is made.
void np_push_jnp(lua_State *L);
// Pushes the table of C functions that only np's Lua files use.
void np_push_core(lua_State *L);

// ---- Selection (np_index.c, np_tuple.c) ----

void np_check_bounds(lua_State *L, int64_t i, int axis, int64_t size);
// x["1:5:2, 0"]: a view.
struct array *np_push_text_view(lua_State *L, const struct array *a,
                                const char *text);
// Pushes what stands at positions `k` of the first `axes` axes taken together,
// which are i64 and within them.
int np_select(lua_State *L, struct array *a, const struct array *k, int axes);
// The blocks of `bytes` bytes at a + at[j] * step, one behind the other.
void np_gather(char *r, const char *a, size_t bytes, int64_t step,
               const int64_t *at, int64_t n);
// Stores `all` there: contiguous, of the selection's shape and a's type.
void np_store(lua_State *L, struct array *a, const struct array *k, int axes,
              const struct array *all);
// The mask or the whole numbers at `i`; a table's array is pushed.
struct array *np_index_array(lua_State *L, int i);
// Whether the index at `i` is a table of indexes, one for each axis:
// x[{rows, ":", columns}]. A table of numbers alone is an array.
bool np_is_tuple(lua_State *L, int i);
struct array *np_push_tuple(lua_State *L, struct array *a, int i);
// Raises where the tuple is no index of the array.
void np_check_tuple(lua_State *L, struct array *a, int i);
void np_store_tuple(lua_State *L, struct array *a, int i,
                    const struct array *value);

int np_index(lua_State *L);    // __index, with methods and properties
int np_newindex(lua_State *L); // as upvalues
#endif
