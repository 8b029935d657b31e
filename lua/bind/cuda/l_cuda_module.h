// SPDX-License-Identifier: Apache-2.0
// Compiled sources and their kernels.
#ifndef LUA_BIND_CUDA_L_CUDA_MODULE_H
#define LUA_BIND_CUDA_L_CUDA_MODULE_H

#include "lua/bind/cuda/l_cuda.h"

enum arg_kind {
  ARG_POINTER,
  ARG_INT,
  ARG_UINT,
  ARG_FLOAT,
  ARG_BOOL,
  ARG_BYTES,
  ARG_UNKNOWN // of an image: what is given decides
};

struct arg_plan {
  uint32_t offset;
  uint32_t bytes;
  uint32_t dtypes; // accepted by a pointer, a bit per enum dtype
  uint8_t kind;    // enum arg_kind
  uint8_t type;    // enum nvrtc_type
  bool is_const;   // the pointee
};

struct launcher_config {
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t shared;
  uint32_t flags;
  const void *stream; // struct lstream, NULL: the default
};

// One compiled source; shared by its kernels and counted.
struct lmodule {
  int refs;
  struct lcuda *owner;
  char *source; // "" of one that came compiled
  char *image;  // its bytes, or NULL
  size_t image_bytes;
  char *file;
  char **options, **instantiate;
  int option_count, instantiate_count;
  bool no_cache;
  bool no_ptxas;                 // on the virtual GPU
  bool kernels_only;             // what is the host's in the source is left out
  struct nvrtc_program *program; // for the device it was last loaded on
  struct nvrtc_program *native;  // SASS of a device that takes PTX, or NULL
  bool has_no_native;            // that compile failed
  struct ldevice *device;
  uint64_t generation;
  gpu_handle handle; // valid for device and generation
  double compile_ms; // of the first compile
  bool is_cached;
  struct lvariable *variables; // those that get_global gave
  int variable_count;
  uint64_t first_launch; // of its kernels on the device now; 0: none
};

// A module's variable that Lua has had in its hands.
struct lvariable {
  char *name;
  struct device_storage *storage; // counted
};

struct lkernel {
  int refs;
  struct lmodule *module;
  char *name; // as the learner wrote it
  int index;  // in the program's kernels
  int param_count;
  uint32_t param_bytes;
  struct arg_plan *plan;
  // Bound to a device:
  struct ldevice *device;
  uint64_t generation;
  uint64_t binding;      // counts bindings, so that launchers check limits once
  uint32_t shared_limit; // dynamic shared memory asked for so far
  gpu_handle function;
  struct gpu_function_info info;
  int launcher_count;
  int launcher_next; // the cached one to replace
  struct launcher_config launchers[LCUDA_LAUNCHERS];
};

struct llauncher {
  struct lkernel *kernel; // kept alive by a user value
  struct lstream *stream; // likewise; NULL: the default
  struct gpu_launch launch;
  uint64_t binding; // limits were checked for this binding
};

struct lkernel *lkernel_ref(struct lkernel *k);
void lkernel_unref(struct lkernel *k);
const struct nvrtc_kernel *lkernel_decl(const struct lkernel *k);
// "add(const float *x, const float *y, float *out, int n)"
void lkernel_signature(const struct lkernel *k, char *out, size_t bytes);
// The module's code for another architecture; the caller frees it. `try` does
// not raise.
enum err lmodule_try_compile(const struct lmodule *m, const char *arch,
                             bool want_ptx, struct nvrtc_program **out,
                             struct err_info *e);
struct nvrtc_program *lmodule_compile(lua_State *L, const struct lmodule *m,
                                      const char *arch, bool want_ptx);
// Pushes what the compiler said: a list of tables.
void lmodule_push_diagnostics(lua_State *L, const struct nvrtc_program *p);
// Loads the kernel on `d` if it is not there (compiling for it if need be).
void lkernel_bind(lua_State *L, struct lkernel *k, struct ldevice *d);
int lcuda_open_module(lua_State *L);

#endif
