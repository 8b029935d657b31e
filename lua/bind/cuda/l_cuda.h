// SPDX-License-Identifier: Apache-2.0
// What the files of the `cuda` table share; lua/README.md has their order.
//
// One struct lcuda belongs to one Lua state; it owns the compiler and the
// device servers that this state has opened.
#ifndef LUA_BIND_CUDA_L_CUDA_H
#define LUA_BIND_CUDA_L_CUDA_H

#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "gpu/gpu.h"
#include "gpu/nvrtc/nvrtc.h"
#include "lua/bind/np/array.h"
#include "lua/bind/state/bind.h"

#define LCUDA_KERNEL   "cuda.kernel"
#define LCUDA_LAUNCHER "cuda.launcher"
#define LCUDA_MODULE   "cuda.module"
#define LCUDA_STREAM   "cuda.stream"
#define LCUDA_EVENT    "cuda.event"
#define LCUDA_POINTER  "cuda.pointer"
#define LCUDA_STRUCT   "cuda.struct"
#define LCUDA_COUNTS   "cuda.counts"
#define LCUDA_ARRAY    "cuda.array"
#define LCUDA_TEXTURE  "cuda.texture"
#define LCUDA_SURFACE  "cuda.surface"

enum {
  LCUDA_RECORDS = 64,       // launches remembered for findings, a power of two
  LCUDA_RECORD_BYTES = 256, // of each one's parameters
  LCUDA_LAUNCHERS = 16,     // launchers cached per kernel
  LCUDA_FINDINGS = 32,
  LCUDA_MARKS = 4, // events that split a launch's time
  POOL_CLASSES = 320,
};

// ---- Device memory ----

// A block of device memory that arrays share. `base` comes first, so that
// storage_unref frees the whole.
struct device_storage {
  struct storage base;
  struct ldevice *device;
  struct device_storage *prev, *next; // all storages of the device
  size_t copied_offset;               // where in copied_from it came from
  unsigned flags;                     // enum gpu_alloc_flags
  bool is_borrowed;                   // a module's variable: not ours to free
  size_t pool_bytes; // of the block that the pool gets back; 0: it does not
  bool is_elsewhere; // used on another stream than the default one
  bool is_deleted;   // by jax: it was donated
  struct storage *twin_of;          // host storage that this mirrors
  bool is_mapped;                   // it is that storage's own memory
  const struct storage *stands_for; // a replay's block: whose name it has
  uint64_t staged;                  // the last stage_serial that used it
  // For a replay: launches up to this number found what the host put in last
  // (a copy, a fill, or nothing yet). 0: nobody knows.
  uint64_t known_until;
  uint32_t fill_word;
  uint8_t fill_width; // 1, 2 or 4: it was filled whole; 0: copied, or nothing
};

// Something that must outlive the queued work numbered `seq`.
struct retired {
  uint64_t seq;
  uint64_t generation;
  gpu_ptr address;      // to free, or 0
  struct storage *held; // a reference to drop, or NULL
  size_t pool_bytes;    // goes to the pool instead of being freed; 0: freed
};

// Blocks of memory for the next arrays (l_cuda_pool.c).
struct lpool {
  struct pool_block *blocks[POOL_CLASSES];
  struct pool_slab *slabs;
  int slab_count, slab_capacity;
  int newest[POOL_CLASSES]; // number of the slab to cut from, plus 1
  uint64_t generation;      // of the server that has them
  uint64_t cached_bytes;
  // What was handed out since the collector looked at young arrays, and what
  // of it no dead array had left since it looked at all.
  uint64_t young_bytes, young_blocks, grown_bytes;
  bool has_generations; // the collector was told to know young arrays
  int heap_kib;         // Lua's, when the collector last looked at all
  uint64_t reused;      // how often
};

// ---- Launches ----

struct launch_record {
  uint64_t number; // of the launch since the server started; from 1
  struct lkernel *kernel;
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t shared_bytes;
  uint32_t flags;
  uint32_t param_bytes; // 0: too many to keep
  uint8_t params[LCUDA_RECORD_BYTES];
  uint64_t seq; // of the queued work
  gpu_handle stream;
  bool is_done; // waited for, and it went well
};

// What the prompt says about the last launch.
struct launch_note {
  uint64_t number;        // counts the state's launches
  struct lkernel *kernel; // counted; NULL before the first launch
  uint32_t grid[3];
  uint32_t block[3];
  uint64_t bytes_in, bytes_out;
  double kernel_us, copy_in_us, copy_out_us, wait_us; // -1: not measured
  bool used_host_arrays;
  bool checked;
  char constants[200]; // names of the host arrays that were const
};

// What cuda.time collects while it runs a function.
struct lcuda_timing {
  gpu_handle *events; // pairs
  int pairs, capacity;
  double host_kernel_us; // launches with host arrays measure themselves
  double copy_in_us, copy_out_us;
  double compile_ms; // of modules that are launched for the first time
  uint64_t array_bytes;
  struct lkernel *kernel; // the last one; borrowed
  struct ldevice *device;
};

// ---- Devices ----

struct ldevice {
  struct ldevice *next;
  struct lcuda *owner;
  char id[16];
  struct gpu_device *gpu;
  struct gpu_device_info info;
  bool has_info;
  uint64_t generation;
  struct gpu_options settings; // of a virtual GPU
  struct device_storage *storages;
  struct lobject *objects; // textures and surfaces
  struct retired *retired;
  int retired_count, retired_capacity;
  uint64_t launches;         // since the server started
  uint64_t launches_settled; // of these, known to the prompt to be over
  bool is_polled;            // the prompt waits for an answer
  struct launch_record records[LCUDA_RECORDS];
  gpu_handle marks[LCUDA_MARKS];
  uint64_t marks_generation; // 0: none made
  uint64_t bytes_allocated;  // by arrays and twins, now
  uint64_t bytes_at_collect; // when the collector last ran for us
  uint64_t peak_bytes;       // the most of bytes_allocated
  uint64_t allocations;      // how often memory was asked for
  struct lpool pool;
  uint64_t stage_serial; // counts launches with host arrays
  double copy_gbs;       // measured once by cuda.time; 0: not yet
};

struct lcuda {
  lua_State *main;
  struct ldevice *devices;
  struct ldevice *current;
  struct nvrtc *nvrtc;
  char wanted[16];  // device of the options or the environment
  bool is_explicit; // the user named it: no falling back
  bool is_checked;
  bool is_guarded;
  uint64_t budget;        // instructions of one thread; 0: the device's default
  uint64_t grid_budget;   // of all warps of a launch, likewise
  double deadline_s;      // of one wait; 0: none
  const void *array_meta; // metatables, compared by address
  const void *pointer_meta;
  struct launch_note last;
  struct gpu_finding notes[LCUDA_FINDINGS]; // of the last wait that went well
  int note_count;
  struct ldevice *notes_device;
  uint64_t said[64]; // warnings and notes that were, by their text's hash
  int said_count;
  struct lcuda_timing *timing;   // while cuda.time runs
  struct lcuda_profile *profile; // while cuda.profile runs
  struct lcuda_debug *debug;     // while cuda.debug runs
  struct ljax_watch *jax_watch;  // of traced functions' lines
  void *nvtx; // NVIDIA's marker library; NULL: not looked for or not there
  bool has_looked_for_nvtx;
  struct bind_options options;
};

// The state's struct lcuda (kept in Lua's extra space, so that a launch finds
// it without a lookup).
static inline struct lcuda *lcuda_of(lua_State *L) {
  return *(struct lcuda **)lua_getextraspace(L);
}

// l_cuda.c
int lcuda_open(lua_State *L, const struct bind_options *options);
struct ldevice *lcuda_device(lua_State *L); // the current one, opened
struct ldevice *lcuda_device_of(struct lcuda *c, const struct gpu_device *gpu);
// The device of that id, opened; raises when it does not open.
struct ldevice *lcuda_open_device(lua_State *L, const char *id);
bool lcuda_is_cancelled(void *context);
bool lcuda_is_device_id(const char *id);

// l_cuda_memory.c
struct device_storage *ldevice_alloc(lua_State *L, struct ldevice *d,
                                     size_t bytes, unsigned flags);
// The same from the pool, for arrays of jax.
struct device_storage *ldevice_alloc_pooled(lua_State *L, struct ldevice *d,
                                            size_t bytes);
struct device_storage *device_storage_of(const struct storage *s);
// Its memory goes to others, and arrays of it are errors from now on: freed by
// :free(), or deleted by being donated.
void device_storage_free(struct device_storage *ds);
void device_storage_delete(struct device_storage *ds);
// The storage of `d` that holds `address`, or NULL.
struct device_storage *ldevice_find(struct ldevice *d, gpu_ptr address);
// Keeps `held` (a reference is taken) until the work queued so far is done.
void ldevice_hold(struct ldevice *d, struct storage *held);
void ldevice_drain(struct ldevice *d); // frees what has retired
struct device_storage *ldevice_twin(lua_State *L, struct ldevice *d,
                                    struct storage *host);
// Raises `device-lost` or `use-after-free` when the device array cannot be
// used on `d`; `what` names it.
void ldevice_check_storage(lua_State *L, struct ldevice *d,
                           const struct storage *s, const char *what);
unsigned lcuda_alloc_flags(const struct lcuda *c); // guarded or not
// The contents are no longer what the host put there.
void device_storage_changed(struct storage *s);
// Storage over a module's variable, which is not ours to free.
struct device_storage *ldevice_borrow(struct ldevice *d, gpu_ptr address,
                                      size_t bytes);

// l_cuda_array.c
// Push a copy of the array at 1 on `d`, or a host array with its elements.
int lcuda_push_on_device(lua_State *L, struct ldevice *d);
int lcuda_push_pooled(lua_State *L, struct ldevice *d); // from the pool
int lcuda_push_on_host(lua_State *L);
void lcuda_open_methods(lua_State *L); // on arrays, once np is open
int lcuda_open_arrays(lua_State *L);   // adds to the table on top

// l_cuda_pool.c
bool lpool_is_used(const struct ldevice *d);
// A block of at least *bytes; *bytes becomes its size, also where there is
// none (false), so that a new one fits into the pool later.
bool lpool_take(lua_State *L, struct ldevice *d, size_t *bytes, gpu_ptr *out);
void lpool_give(struct ldevice *d, gpu_ptr address, size_t bytes);
// How much to ask the device for where a block of `block` bytes is missing; its
// first block is then cut off what lpool_add_slab was given.
size_t lpool_slab_bytes(const struct ldevice *d, size_t block);
void lpool_add_slab(struct ldevice *d, gpu_ptr address, size_t bytes,
                    size_t block);
bool lpool_release(struct ldevice *d); // frees what it can; false: nothing
void lpool_forget(struct ldevice *d);  // they are gone
int lcuda_open_pool(lua_State *L);

// l_cuda_placement.c
int lcuda_open_placement(lua_State *L);

// l_cuda_peer.c: methods of what cuda.device() gives, for the table on top;
// cuda.memcpy_peer; and the method x:to(device): x itself where it is there
// already, else a copy there; "host" gives a host array.
int lcuda_array_to(lua_State *L);
void lcuda_set_device_methods(lua_State *L);
int lcuda_open_peer(lua_State *L);

// l_cuda_texture.c
// Is the argument at `at` a texture or a surface? Then its number for a kernel
// on `d`; raises when it does not fit what is declared. `what` names it.
bool lcuda_test_object(lua_State *L, struct ldevice *d, int at,
                       const char *what, const char *declared,
                       uint64_t *number);
void lcuda_forget_objects(struct ldevice *d); // it is being closed
int lcuda_open_texture(lua_State *L);

// l_cuda_wait.c
void ldevice_wait(lua_State *L, struct ldevice *d, gpu_handle stream);
void ldevice_wait_seq(lua_State *L, struct ldevice *d, uint64_t seq);
// Starts the server anew, with the settings that it has now; arrays come back
// from their host copies, as after a fault.
void ldevice_reset(lua_State *L, struct ldevice *d);
// Raises what `e` says, after recovery where the device needs one.
int ldevice_fail(lua_State *L, struct ldevice *d, const struct err_info *e)
    __attribute__((noreturn));
// The server was found dead while nothing of ours ran: starts it again and
// restores arrays. True when it was dead and now lives.
bool ldevice_revive(lua_State *L, struct ldevice *d);
// Takes note of a server that was replaced while it held nothing of ours.
void ldevice_sync(struct ldevice *d);
void lcuda_await(lua_State *L, struct storage *s, bool for_write);

// l_cuda_module.c
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

// l_cuda_kernel.c
void lkernel_open(lua_State *L);

// l_cuda_image.c: cuda.RawModule, cuda.RawKernel, and module:save
// Makes the module that of the image (PTX, cubin, fatbin) at `text`; false when
// that is a source. Raises for settings that only a source can have.
bool lmodule_take_image(lua_State *L, struct lmodule *m, const char *text,
                        size_t bytes);
int lmodule_save(lua_State *L);
int lmodule_get_function(lua_State *L);
int lcuda_open_image(lua_State *L);

// l_cuda_host.c
int lcuda_open_host(lua_State *L);

// l_cuda_variable.c
// The variable at `address` as storage (borrowed), the same one each time.
struct storage *lmodule_variable(struct lmodule *m, const char *name,
                                 gpu_ptr address, size_t bytes);
void lmodule_forget_variables(struct lmodule *m);
// Where a launch of the module is run again on `v`, loaded there as `module`:
// gives its variables what they held on the real device. `first` is the first
// launch that is run again; false: earlier ones may have changed them.
bool lmodule_copy_variables(lua_State *L, const struct lmodule *m,
                            const struct nvrtc_program *ptx, struct ldevice *v,
                            gpu_handle module, bool is_alive, uint64_t first);

// l_cuda_resources.c
struct lresources {
  int registers; // of a thread; -1 where nobody knows
  int64_t local_bytes;
};
// What the kernel, bound to a device, takes of a multiprocessor. A device that
// takes PTX is told by a compile for a real one of its capability, once for
// each module.
struct lresources lkernel_resources(struct lkernel *k);
// The number of "sm_90" or "compute_80".
int lcuda_arch_number(const char *arch);

// l_cuda_args.c
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
// block; raises `argument` where it does not fit. `*used` becomes the storage
// behind a pointer, or NULL. Returns false for a host array, which it has
// checked but not written.
bool lcuda_pack_arg(lua_State *L, struct ldevice *d, struct lkernel *k, int i,
                    int at, void *params, struct storage **used);
int lcuda_arg_count_error(lua_State *L, struct lkernel *k, int given)
    __attribute__((noreturn));
int lcuda_open_args(lua_State *L);

// l_cuda_launch.c
// Queues a launch whose parameters are packed: the launcher's kernel is bound
// to `d`. used[i] is the storage behind parameter i, or NULL.
enum err lcuda_launch_packed(lua_State *L, struct ldevice *d,
                             struct llauncher *l, uint8_t *params,
                             struct storage *const *used, struct err_info *e);
// Work that was just queued reads or writes the storage.
void lcuda_mark_use(struct ldevice *d, struct storage *s, bool is_read);
// Binds the launcher's kernel to `d` and checks its sizes, where that is new.
void lcuda_prepare(lua_State *L, struct llauncher *l, struct ldevice *d);
// Pushes the launcher for the configuration table at `at`; kernel at index 1.
int lkernel_push_launcher(lua_State *L, int at);
int lkernel_call_without_grid(lua_State *L);
int lcuda_open_launch(lua_State *L);

// l_cuda_stream.c
struct lstream {
  struct ldevice *device;
  uint64_t generation;
  gpu_handle handle;
};
// The stream's handle on `d`, made anew after a restart; 0 for NULL.
gpu_handle lstream_handle(lua_State *L, struct lstream *s, struct ldevice *d);
int lcuda_open_stream(lua_State *L);

// l_cuda_finding.c
// Pushes the error table for a failure and its findings.
void lcuda_push_failure(lua_State *L, struct ldevice *d,
                        const struct err_info *e, const struct gpu_finding *f,
                        int count);
// Through base/log, each text once; nothing in a sandbox.
void lcuda_say_once(struct lcuda *c, bool is_warning, const char *text);
// Is there nothing to say of the finding, as the source shows?
bool lcuda_is_moot(lua_State *L, struct ldevice *d,
                   const struct gpu_finding *f);
void lcuda_say_finding(lua_State *L, struct ldevice *d,
                       const struct gpu_finding *f);

void lcuda_push_triple(lua_State *L, const uint32_t v[3]); // {x, y, z}
void lcuda_push_diagnostics(lua_State *L, struct ldevice *d,
                            const struct gpu_finding *f, int count);
// l_cuda_replay.c
// Runs a real GPU's launches since the last wait that went well again on the
// virtual one, in their order. True: pushed the error table that this gave.
// `note` gets a sentence to add to it.
bool lcuda_push_replayed(lua_State *L, struct ldevice *d,
                         const struct err_info *e, struct str *note);

// Runs a launch, before it runs on `d`, on the virtual GPU, which counts it.
// (`d` may be the virtual GPU itself: its arrays are copied.)
void lcuda_count_on_virtual(lua_State *L, struct ldevice *d,
                            const struct launch_record *record);

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

// l_cuda_debug.c
// Is the launch to be stepped, because cuda.debug runs?
bool lcuda_debug_wants(const struct lcuda *o);
// Steps it; true when it was given up before its end.
bool lcuda_debug_launch(lua_State *L, struct ldevice *d,
                        const struct launch_record *record);
int lcuda_open_debug(lua_State *L);

// l_cuda_profile.c
// A launch is about to be queued while cuda.profile runs: `launch` gets the
// flag that has it counted, or is counted on the virtual GPU.
void lcuda_profile_launch(lua_State *L, struct ldevice *d,
                          const struct launch_record *record,
                          struct gpu_launch *launch);
int lcuda_open_profile(lua_State *L);

// l_cuda_time.c
// Two events of the running cuda.time, to bracket a launch with.
void lcuda_timing_pair(lua_State *L, struct ldevice *d, gpu_handle out[2]);
int lcuda_open_time(lua_State *L);

#endif
