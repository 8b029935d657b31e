// SPDX-License-Identifier: Apache-2.0
// Arrays as C sees them: the element types, the storage that arrays share,
// and one array (a view). l_np.c makes them; l_cuda.c moves and launches on
// them. Lua sees one userdata type, "np.array", for host and device alike.
#ifndef LUA_BIND_NP_ARRAY_H
#define LUA_BIND_NP_ARRAY_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"
#include "base/err.h"
#include "gpu/gpu.h"

struct arena;    // gpu/remote
struct np_state; // np.h

enum { ARRAY_MAX_DIMS = 16 };

// Storage of one base allocation, shared by its views and counted.
struct storage {
  int refs;
  struct order_history *uses; // by queued work (gpu/order.h), or NULL
  size_t bytes;
  void *host;          // in the arena of `np`; NULL for device storage
  struct np_state *np; // host storage: of which state
  // Device storage. A stale generation means that the server which held it is
  // gone; `is_lost` that its contents could not be restored.
  struct gpu_device *device;
  gpu_ptr address;
  uint64_t generation;
  bool is_lost;
  bool is_freed; // by d:free()
  // Sequence numbers of the last queued work that reads / writes it, per the
  // device that was used last; host access waits for them.
  struct gpu_device *busy_on;
  uint64_t last_reader;
  uint64_t last_writer;
  // Host storage: counts writes, so that a device copy knows whether the host
  // still holds what was copied. Device storage: where it was copied from.
  uint64_t version;
  struct storage *copied_from; // counted reference, or NULL
  uint64_t copied_version;
  bool was_written; // a launch took it as non-const since it was copied
  const struct storage_ops *ops; // how to free it; NULL: host arena
  // Host storage: the device copy that launches with host arrays reuse; a
  // counted reference, or NULL.
  struct storage *twin;
  struct storage *next; // of the small ones that wait to be used again
  bool is_mapped; // host storage: kernels reach it where it lies, uncopied
  bool is_shared; // with another library, which writes to it: no version tells
};

struct storage_ops {
  // Called when the last reference goes; may only queue device work.
  void (*release)(struct storage *s);
};

struct array {
  const void *tag;         // what tells it from other userdata
  struct storage *storage; // NULL only while the userdata is being made
  size_t offset;           // bytes from the start of the storage
  enum dtype dtype;
  int ndim;
  int64_t shape[ARRAY_MAX_DIMS];
  int64_t strides[ARRAY_MAX_DIMS]; // bytes; may be negative or 0
  bool is_readonly;                // jax arrays, broadcasts
  bool is_jax;                     // of jax
  bool is_weak; // of jax, from a Lua number: gives way to others' types
};

#define ARRAY_TYPE "np.array"
// To be called once when the type's metatable was made.
void array_keep_metatable(lua_State *L);

// The array at stack index `i`, or NULL. array_check raises an `argument`
// error instead.
struct array *array_test(lua_State *L, int i);
int array_l_is(lua_State *L); // is_array(x), for a library's Lua files
struct array *array_check(lua_State *L, int i);

// Pushes and returns the name of the learner's variable that holds this array,
// or `fallback` where none does, or where it holds another view.
const char *array_push_name(lua_State *L, const struct array *a,
                            const char *fallback);

// The Lua variable that holds an array of this storage, searched in the
// calling functions' locals and upvalues and in the globals; false: none.
// array_push_variable pushes the array as well.
bool array_push_variable(lua_State *L, const struct storage *s, char *out,
                         size_t bytes);
bool array_variable_name(lua_State *L, const struct storage *s, char *out,
                         size_t bytes);

int64_t array_count(const struct array *a); // elements
bool array_is_contiguous(const struct array *a);
bool array_is_device(const struct array *a);
// First byte on the host; only for host arrays whose work is done
// (array_await).
void *array_data(const struct array *a);

// Waits until no queued work writes (for_write: or reads) the array's storage;
// raises what the wait fails with.
void array_await(lua_State *L, const struct array *a, bool for_write);
void storage_free(struct storage *s);

// What np asks of devices, which it does not know; cuda sets it.
struct array_hooks {
  // The array's storage has `busy_on`: as array_await.
  void (*await)(lua_State *L, const struct array *a, bool for_write);
  // Lets queued frees happen before an allocation that failed is tried again.
  void (*drain)(lua_State *L);
  // The id of a storage's device for texts ("cuda:0").
  const char *(*where)(const struct storage *s);
  // Pushes the host copy of the device array that it gets.
  lua_CFunction fetch;
};
void array_set_hooks(lua_State *L, const struct array_hooks *hooks);
const char *array_where(lua_State *L, const struct array *a); // "host" or id
// To be called after the host side of an array was written.
void array_touch(struct array *a);

// Pushes a new C-contiguous host array with undefined contents. Raises
// `out-of-memory` (after a collection was tried) and `argument`.
struct array *array_push_host(lua_State *L, enum dtype t, int ndim,
                              const int64_t *shape);
// Pushes an array over existing storage, of which it takes one reference. It
// begins with the first byte, unless `offset` is set.
struct array *array_push_view(lua_State *L, struct storage *s, enum dtype t,
                              int ndim, const int64_t *shape,
                              const int64_t *strides);
struct storage *storage_ref(struct storage *s);
void storage_unref(struct storage *s);
// Host memory of another library's, which `release(context)` gives back. One reference.
struct storage *storage_of_others(void *host, size_t bytes,
                                  void (*release)(void *context),
                                  void *context);
// C-contiguous strides of `shape`.
void array_set_strides(int64_t *strides, enum dtype t, int ndim,
                       const int64_t *shape);
// "(3, 4)", "(5,)" as NumPy writes shapes; `buffer` is returned.
#define ARRAY_SHAPE_TEXT 400
const char *array_shape_text(char buffer[ARRAY_SHAPE_TEXT], int ndim,
                             const int64_t *shape);
// Puts a host copy in the place of an array of jax at `i`; of others nothing.
void array_fetch_jax(lua_State *L, int i);
// Host array at `i` (jax's are fetched), or an error that names `function` and the way out. Waits
// for queued work that writes it.
struct array *array_check_host(lua_State *L, int i, const char *function);
// The same without waiting.
struct array *array_check_on_host(lua_State *L, int i, const char *function);
// What print shows: name([1, 2], f32), and whether the type is weak.
void array_push_text(lua_State *L, struct array *a, const char *name,
                     bool is_weak);

// The one arena of this state, made on first use and raised on failure.
struct arena *array_arena(lua_State *L);

int array_release(lua_State *L); // __gc and __close

// ---- array_convert.c: Lua values as arrays, and one array as another ----

// The dtype named at index `i`; `fallback` where it is nil or none. Raises.
enum dtype array_check_dtype(lua_State *L, int i, enum dtype fallback);
// A shape (a number or a table of numbers) at index `i`; returns ndim. Raises.
int array_check_shape(lua_State *L, int i, const char *function,
                      int64_t shape[ARRAY_MAX_DIMS]);
// One element as a Lua value, and back (raises when it does not fit).
void array_push_element(lua_State *L, enum dtype t, const void *p);
void array_store_element(lua_State *L, enum dtype t, void *p, int i);
// Converts what is at index `i` (array, nested tables, number, boolean) to a
// host array and pushes it; `t` DTYPE_COUNT: its natural type.
struct array *array_push_from(lua_State *L, int i, enum dtype t);
// Pushes a C-contiguous copy of a host array as type `t`.
struct array *array_push_copy(lua_State *L, const struct array *a,
                              enum dtype t);
// to[...] = from, with broadcasting and conversion; both on the host. Raises.
void array_assign(lua_State *L, struct array *to, const struct array *from);

// ---- l_np.c ----

// Pushes the table of array methods (x:name()) or of properties (x.name, each
// a function of the array), so that other bindings can add theirs.
void array_push_methods(lua_State *L);
void array_push_properties(lua_State *L);

int luaopen_np(lua_State *L);

int npy_l_header(lua_State *L); // npy_header(path, function), for Lua files

// ---- What jax on the host runs of np (np_walk.c and others) ----

enum { WALK_MAX = 3 };

// A common shape with each operand's strides. Axes that can be merged are, so
// that the inner loop is as long as possible.
struct walk {
  int ndim;
  int operands;
  int64_t shape[ARRAY_MAX_DIMS];
  char *base[WALK_MAX];
  int64_t strides[WALK_MAX][ARRAY_MAX_DIMS];
};

void walk_start(struct walk *w, int ndim, const int64_t *shape);
// Adds `a` stretched to the walk's shape, which must be possible.
void walk_add(struct walk *w, const struct array *a);
typedef void (*walk_inner)(void *context, char *const *p,
                           const int64_t *strides, int64_t n);
void walk_run(lua_State *L, struct walk *w, walk_inner inner, void *context);
// On how many threads the state's large walks run from now on (1 at first);
// returns how many it was. `inner` must then be free to run on several at once, and no operand
// may overlap another that is written.
int walk_set_threads(lua_State *L, int n);

// The shape that `a` and `b` broadcast to; raises NumPy's error, which begins
// with `function`. Returns ndim.
int np_broadcast(lua_State *L, const char *function, const struct array *a,
                 const struct array *b, int64_t *shape);
// What stands behind 'there is no dtype "f33"'; on Lua's stack.
const char *np_dtype_advice(lua_State *L, const char *text);
// A view of `a` with another shape or other strides.
struct array *np_push_view(lua_State *L, const struct array *a, size_t offset,
                           int ndim, const int64_t *shape,
                           const int64_t *strides);
// Into the table on the stack's top: LAPACK's and FFTW's functions as `lapack`
// and `fft`.
void np_open_lapack(lua_State *L);
void np_open_fft(lua_State *L);

// ---- What np knows of jax (np_dispatch.c) ----

// Arrays of jax and traced values. Where a function of np gets one among its
// arguments, jnp's function of that name is called instead; l_jax.c leaves in
// the registry `use`, by which lua/jax loads its files, and the table jnp.
#define NP_JAX_USE       "warpshop.jax.use"
#define NP_JNP_FUNCTIONS "warpshop.jnp"
bool np_is_jax(lua_State *L, int i);
int np_l_is_jax(lua_State *L); // is_jax(x), for a library's Lua files

// Where the registry has the table of C functions that only np's Lua files use: jnp
// takes what lua/array/ put there.
#define NP_CORE "warpshop.np.core"
// Takes {get, refuse} from the stack: how jax arrays are indexed.
void np_set_jax_index(lua_State *L);

#endif
