// SPDX-License-Identifier: Apache-2.0
// The one device interface. gpu/cuda and gpu/vgpu implement it inside the
// device server; gpu/remote implements it in the program, by speaking to that
// server; whoever launches kernels sees only this header.
//
// Work goes to a stream and is done in order there; 0 is the legacy default
// stream. Calls marked "queued" return before the device has done the work,
// and the work's own failures come out of a later poll or synchronize.
#ifndef GPU_GPU_H
#define GPU_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "gpu/counters.h"
#include "gpu/debug.h"
#include "gpu/finding.h"

typedef uint64_t gpu_ptr;    // a device address; 0 is null
typedef uint64_t gpu_handle; // a module, function, stream or event; 0 is none

enum gpu_attribute {
#define ATTR(name, lua_name, number) GPU_ATTR_##name,
#include "gpu/gpu_attr.def"
#undef ATTR
  GPU_ATTR_COUNT
};

enum { GPU_MAX_PARAMS = 64, GPU_MAX_PARAM_BYTES = 4096 };

// What a loaded kernel needs, in bytes where no unit is named.
struct gpu_function_info {
  int32_t registers; // per thread; -1 when unknown
  uint32_t local_bytes;
  uint32_t shared_bytes; // static
  uint32_t const_bytes;
  uint32_t max_threads_per_block;
  uint32_t param_count;
  uint32_t param_bytes; // of the whole parameter block
  struct {
    uint32_t offset;
    uint32_t bytes;
  } params[GPU_MAX_PARAMS];
};

enum gpu_alloc_flags {
  GPU_ALLOC_GUARDED = 1, // ends at an unmapped page (and a canary in the
                         // alignment slack), so that one past the end shows
  GPU_ALLOC_INPUT = 2,   // kernels are to read it only: the virtual GPU reports
                         // each write, also of the same value, and does it
};

// ---- Arrays, textures and surfaces ----

// How an element's channels are held (CUarray_format).
enum gpu_format {
  GPU_FORMAT_U8 = 0x01,
  GPU_FORMAT_U16 = 0x02,
  GPU_FORMAT_U32 = 0x03,
  GPU_FORMAT_S8 = 0x08,
  GPU_FORMAT_S16 = 0x09,
  GPU_FORMAT_S32 = 0x0a,
  GPU_FORMAT_F16 = 0x10,
  GPU_FORMAT_F32 = 0x20,
};

enum gpu_array_flags { // CUDA_ARRAY3D_...
  GPU_ARRAY_LAYERED = 1,
  GPU_ARRAY_SURFACE = 2, // kernels may write to it
  GPU_ARRAY_CUBEMAP = 4,
  GPU_ARRAY_GATHER = 8, // tex2Dgather
};

// A CUDA array: elements in an order of the device's own, for textures and
// surfaces. Axes that are not there have 0; `depth` counts the layers of a
// layered one, and the faces (6 of each) of a cube map.
struct gpu_array_desc {
  uint32_t width, height, depth;
  uint32_t format; // enum gpu_format
  uint32_t channels;
  uint32_t flags; // enum gpu_array_flags
};

// Copies a whole array from or to packed memory (x runs fastest, then y, then
// z), of the host or of the device.
struct gpu_array_copy {
  gpu_handle array;
  bool to_array;
  void *host;     // or NULL:
  gpu_ptr device; // memory of the device
  size_t bytes;   // the array's size
  gpu_handle stream;
};

enum gpu_resource { // CUresourcetype
  GPU_RESOURCE_ARRAY = 0,
  GPU_RESOURCE_LINEAR = 2,
  GPU_RESOURCE_PITCH2D = 3
};
enum gpu_address_mode { // CUaddress_mode
  GPU_ADDRESS_WRAP,
  GPU_ADDRESS_CLAMP,
  GPU_ADDRESS_MIRROR,
  GPU_ADDRESS_BORDER
};
enum gpu_filter { GPU_FILTER_POINT, GPU_FILTER_LINEAR };

struct gpu_texture_desc {
  uint32_t resource; // enum gpu_resource
  gpu_handle array;
  gpu_ptr address;        // of linear and pitch memory
  uint32_t width, height; // in elements, likewise
  uint64_t pitch_bytes;
  uint32_t format, channels; // likewise
  uint32_t address_mode[3];  // enum gpu_address_mode, of x, y and z
  uint32_t filter;           // enum gpu_filter
  bool is_normalized;        // coordinates run from 0 to 1
  bool reads_elements;       // false: 8- and 16-bit integers become floats
  bool is_srgb;              // 8-bit elements are converted to linear
  float border[4];
};

enum gpu_launch_flags {
  GPU_LAUNCH_COOPERATIVE = 1,
  GPU_LAUNCH_UNCHECKED = 2, // the virtual GPU may skip all but bounds checks
  GPU_LAUNCH_COUNT = 4,     // the virtual GPU counts what it does, for `counts`
  GPU_LAUNCH_TRACE = 8,     // and follows what results are made of, for
                            // `placement`: slowly, on one core
  GPU_LAUNCH_IN_ORDER = 16, // the virtual GPU runs blocks one after another, so
                            // that its cost is the same on every machine
};

struct gpu_launch {
  gpu_handle function;
  gpu_handle stream;
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t shared_bytes; // dynamic
  uint32_t flags;        // enum gpu_launch_flags
  uint64_t budget;       // instructions of one thread before `timeout` on the
                         // virtual GPU; 0 is the device's default
  uint64_t grid_budget;  // work of all its warps together, likewise: an
                         // instruction of one warp costs 1, slow ones more
  uint32_t param_bytes;
  const void *params; // the parameter block, laid out as
                      // gpu_function_info.params says
};

// What loads and launches were charged, in the units of grid_budget.
struct gpu_work {
  uint64_t all;
  uint64_t loads;    // of those, modules that were loaded
  uint64_t prints;   // device printf
  uint64_t mistakes; // findings, one thread at a time
  uint64_t cells;    // memory that is looked at closely, for races
};

// ---- Matrix products ----

enum gpu_product_type {
  GPU_PRODUCT_F16,
  GPU_PRODUCT_BF16,
  GPU_PRODUCT_F32,
  GPU_PRODUCT_F64
};

// A row-major matrix of a product, or one for each of a batch. Sizes count
// elements; `pitch` is from one row in memory to the next, `step` from one
// matrix of the batch to the next (0: the same one).
struct gpu_matrix {
  gpu_ptr address;
  uint64_t pitch;
  int64_t step;
  bool is_transposed; // memory has its transpose
};

// c = a b, `count` times: (rows, inner), (inner, columns), (rows, columns).
struct gpu_product {
  gpu_handle stream;
  struct gpu_matrix a, b, c;
  uint32_t type, result_type; // enum gpu_product_type
  bool is_tf32;               // f32 may be rounded to TF32 first
  uint32_t rows, columns, inner, count;
};

// What a block's part of the results is made of: of what the launch left in
// memory that the host had made, and all that data flowed into it from.
enum gpu_block_made {
  GPU_MADE_SHARED = 1,  // a load of shared memory that another thread wrote
  GPU_MADE_BARRIER = 2, // and a barrier of the block came between the two
  GPU_MADE_SHUFFLE = 4, // a shuffle, vote or the like of another lane
  GPU_MADE_ATOMICS = 8, // an atomic update
  GPU_MADE_VECTOR_LOADS = 16, // a load of several elements at once
  GPU_MADE_CONSTANT = 32,     // a load of constant memory
  GPU_MADE_TENSOR = 64,       // a matrix product of a warp
  GPU_MADE_ASYNC = 128,       // an asynchronous copy to shared memory
  GPU_MADE_WITH_ATOMICS = 256 // some thread ran an atomic, whatever for
};

// Where a block of a launch ran on the virtual GPU, in clocks of its
// multiprocessor: each issues one warp instruction a clock.
struct gpu_block_place {
  uint32_t block; // its number: x runs fastest
  uint32_t multiprocessor;
  uint64_t start, end;
  bool is_placed; // false: the launch ended before it
  // Of a launch that was traced:
  uint32_t made;    // enum gpu_block_made
  uint32_t threads; // of the block that loaded something for the results
  uint32_t chain;   // the longest row of arithmetic, one step after the other
};

struct gpu_placement {
  uint32_t multiprocessors;
  uint32_t blocks_per_multiprocessor; // that it can hold at a time
  uint64_t blocks;                    // of the grid
  uint32_t placed;                    // blocks that ran
  uint64_t clocks;                    // until the last one had ended
  uint64_t launch;
  uint32_t grid[3], block[3];
  char function[120]; // mangled name of the kernel
};

struct gpu_device_info {
  char name[96];        // "NVIDIA H200" or "virtual GPU"
  char id[16];          // "cuda:0", "virtual:0"
  char arch[16];        // "sm_90": what to compile for
  char driver[32];      // driver version, or ""
  uint64_t total_bytes; // device memory
  uint64_t free_bytes;
  int64_t attributes[GPU_ATTR_COUNT];
  bool takes_cubin; // false: give module_load PTX
  bool is_checked;  // sees mistakes (the virtual GPU)
};

struct gpu_options {
  // Device printf and the server's notes; called on the thread that waits.
  void (*print)(void *context, const char *text, size_t bytes);
  void *context;
  uint64_t memory_bytes;  // virtual GPU: its memory; 0 is the default
  uint64_t schedule_seed; // virtual GPU: orders blocks and warps; 0: by number
  uint32_t multiprocessors; // virtual GPU; 0 is the default
  uint32_t capability;      // virtual GPU: 90 is 9.0; 0 is the default
};

struct gpu_device; // begins with `const struct gpu_backend *backend`

struct gpu_backend {
  const char *name; // "cuda", "virtual", "remote"

  // How many devices there are; 0 and a reason in `e` when there are none.
  int (*count)(struct err_info *e);
  enum err (*open)(int ordinal, const struct gpu_options *options,
                   struct gpu_device **out, struct err_info *e);
  void (*close)(struct gpu_device *d);
  enum err (*info)(struct gpu_device *d, struct gpu_device_info *out,
                   struct err_info *e);

  // Memory. Contents are undefined after alloc. ERR_NOMEM states the sizes.
  enum err (*mem_alloc)(struct gpu_device *d, size_t bytes, unsigned flags,
                        gpu_ptr *out, struct err_info *e);
  enum err (*mem_free)(struct gpu_device *d, gpu_ptr p, struct err_info *e);
  // Queued; host memory must stay alive and unchanged until the work is done.
  enum err (*copy_in)(struct gpu_device *d, gpu_ptr to, const void *from,
                      size_t bytes, gpu_handle stream, struct err_info *e);
  enum err (*copy_out)(struct gpu_device *d, void *to, gpu_ptr from,
                       size_t bytes, gpu_handle stream, struct err_info *e);
  enum err (*copy_on)(struct gpu_device *d, gpu_ptr to, gpu_ptr from,
                      size_t bytes, gpu_handle stream, struct err_info *e);
  // Pins host memory, so that copies reach full speed; optional (may be NULL).
  enum err (*host_register)(struct gpu_device *d, void *p, size_t bytes,
                            struct err_info *e);
  // Gives host memory an address by which kernels reach it where it lies, until
  // mem_free of that address; what they write is the host's once they are done.
  enum err (*host_map)(struct gpu_device *d, void *p, size_t bytes,
                       gpu_ptr *out, struct err_info *e);
  // Queued; `width` is 1, 2 or 4 bytes, `count` elements.
  enum err (*mem_set)(struct gpu_device *d, gpu_ptr to, uint32_t value,
                      unsigned width, size_t count, gpu_handle stream,
                      struct err_info *e);

  // CUDA arrays. ERR_ARGUMENT says what a device cannot make.
  enum err (*array_create)(struct gpu_device *d,
                           const struct gpu_array_desc *desc, gpu_handle *out,
                           struct err_info *e);
  enum err (*array_destroy)(struct gpu_device *d, gpu_handle array,
                            struct err_info *e);
  // Queued; host memory must stay alive and unchanged until the work is done.
  enum err (*array_copy)(struct gpu_device *d, const struct gpu_array_copy *c,
                         struct err_info *e);
  // Texture and surface objects, as kernels take them (cudaTextureObject_t). An
  // object must not outlive what it looks at.
  enum err (*texture_create)(struct gpu_device *d,
                             const struct gpu_texture_desc *desc, uint64_t *out,
                             struct err_info *e);
  enum err (*texture_destroy)(struct gpu_device *d, uint64_t texture,
                              struct err_info *e);
  enum err (*surface_create)(struct gpu_device *d, gpu_handle array,
                             uint64_t *out, struct err_info *e);
  enum err (*surface_destroy)(struct gpu_device *d, uint64_t surface,
                              struct err_info *e);

  // Modules: cubin, fatbin or PTX as info().takes_cubin says; PTX is text and
  // `bytes` leaves its zero out.
  enum err (*module_load)(struct gpu_device *d, const void *image, size_t bytes,
                          gpu_handle *out, struct err_info *e);
  enum err (*module_unload)(struct gpu_device *d, gpu_handle module,
                            struct err_info *e);
  // `info` may be NULL.
  enum err (*function_get)(struct gpu_device *d, gpu_handle module,
                           const char *mangled, gpu_handle *out,
                           struct gpu_function_info *info, struct err_info *e);
  enum err (*variable_get)(struct gpu_device *d, gpu_handle module,
                           const char *mangled, gpu_ptr *out, size_t *bytes,
                           struct err_info *e);
  // Dynamic shared memory above 48 KiB must be asked for first.
  enum err (*function_set_max_shared)(struct gpu_device *d, gpu_handle function,
                                      uint32_t bytes, struct err_info *e);

  // Queued. The caller has checked sizes with gpu_check_launch.
  enum err (*launch)(struct gpu_device *d, const struct gpu_launch *l,
                     struct err_info *e);

  // Matrix products by the vendor's library, where there is one; else
  // ERR_UNSUPPORTED, and NULL in a backend that never has any. The first loads
  // the library.
  enum err (*product_start)(struct gpu_device *d, struct err_info *e);
  // Queued.
  enum err (*product)(struct gpu_device *d, const struct gpu_product *p,
                      struct err_info *e);
  // The folder that the device reads libraries from later, or NULL.
  const char *(*library_folder)(struct gpu_device *d);

  enum err (*stream_create)(struct gpu_device *d, gpu_handle *out,
                            struct err_info *e);
  enum err (*stream_destroy)(struct gpu_device *d, gpu_handle s,
                             struct err_info *e);
  enum err (*event_create)(struct gpu_device *d, gpu_handle *out,
                           struct err_info *e);
  enum err (*event_destroy)(struct gpu_device *d, gpu_handle ev,
                            struct err_info *e);
  enum err (*event_record)(struct gpu_device *d, gpu_handle ev,
                           gpu_handle stream, struct err_info *e); // queued
  enum err (*event_poll)(struct gpu_device *d, gpu_handle ev,
                         struct err_info *e); // ERR_OK or ERR_NOT_READY
  // Milliseconds between two events that are done.
  enum err (*event_elapsed)(struct gpu_device *d, gpu_handle from,
                            gpu_handle to, double *ms, struct err_info *e);
  enum err (*stream_wait)(struct gpu_device *d, gpu_handle stream,
                          gpu_handle ev, struct err_info *e); // queued

  // Is all work of `stream` done (GPU_ALL_STREAMS: of every stream)? Never
  // blocks: ERR_OK, ERR_NOT_READY, or the first failure of the work since the
  // last poll, with its findings ready for `findings`.
  enum err (*poll)(struct gpu_device *d, gpu_handle stream, struct err_info *e);

  // Copies findings of failed work, most severe first, and forgets them;
  // returns how many were written. Notes and warnings come with ERR_OK too.
  int (*findings)(struct gpu_device *d, struct gpu_finding *out, int max);

  // Takes the counts of launches that were counted and are done, those of one
  // kernel and size at a time, the oldest first; ERR_NOT_FOUND when none are
  // left. The caller frees *lines (out->line_count). A real GPU counts through
  // a profiler alone: cuda answers ERR_UNSUPPORTED, also at such a launch.
  enum err (*counts)(struct gpu_device *d, struct gpu_counts *out,
                     struct gpu_line_counts **lines, struct err_info *e);

  // Takes what was charged since the last call: launches that have ended, and
  // modules that were loaded.
  // A real GPU does not count it: NULL.
  enum err (*work)(struct gpu_device *d, struct gpu_work *out,
                   struct err_info *e);

  // The placement of the last launch that is done; ERR_NOT_FOUND when there is
  // none, or it had too many blocks. The caller frees *places (out->placed of
  // them). A real GPU does not tell: ERR_UNSUPPORTED.
  enum err (*placement)(struct gpu_device *d, struct gpu_placement *out,
                        struct gpu_block_place **places, struct err_info *e);

  // Asks running work to stop: the virtual GPU does within milliseconds (its
  // work then fails with ERR_CANCELLED); cuda answers ERR_UNSUPPORTED, and its
  // server is killed instead.
  enum err (*cancel)(struct gpu_device *d, struct err_info *e);

  // The debugger, which only the virtual GPU has: NULL or ERR_UNSUPPORTED
  // elsewhere, where a launch is stepped on the virtual GPU in place of the
  // device. One launch at a time; it stands still between commands
  // (gpu/debug_command.def). Begin, command and end are queued; `poll` says
  // when they are done, also after a cancel, which stops the launch where it
  // is. Then `debug_answer` has the last one's error or where the launch
  // stands, and what it says, cut at `room` bytes with the zero. `twin` is the
  // kernel as it was loaded without -G, or 0: the module variables of the two
  // are the same then, before the launch and after.
  enum err (*debug_begin)(struct gpu_device *d, const struct gpu_launch *l,
                          gpu_handle twin, struct err_info *e);
  enum err (*debug_command)(struct gpu_device *d, const char *text,
                            struct err_info *e);
  enum err (*debug_answer)(struct gpu_device *d, struct gpu_debug_stop *stop,
                           char *text, size_t room, struct err_info *e);
  enum err (*debug_end)(struct gpu_device *d, struct err_info *e);
};

struct gpu_device {
  const struct gpu_backend *backend;
};

#define GPU_ALL_STREAMS (~(gpu_handle)0)

extern const struct gpu_backend gpu_cuda_backend;    // gpu/cuda/cuda.c
extern const struct gpu_backend gpu_virtual_backend; // gpu/vgpu/device/vgpu.c
extern const struct gpu_backend gpu_remote_backend;  // gpu/remote/client.c

// ---- gpu_texture.c: what all devices agree on ----

uint32_t gpu_format_bytes(uint32_t format); // of one channel; 0: no format
bool gpu_format_is_float(uint32_t format);
// Packed bytes of an array that gpu_check_array accepts.
uint64_t gpu_array_bytes(const struct gpu_array_desc *a);
enum err gpu_check_array(const struct gpu_array_desc *a, struct err_info *e);
// `array`: of the resource, or NULL. Both devices refuse the same.
enum err gpu_check_texture(const struct gpu_texture_desc *t,
                           const struct gpu_array_desc *array,
                           struct err_info *e);
enum err gpu_check_surface(const struct gpu_array_desc *array,
                           struct err_info *e);
enum err gpu_check_array_copy(const struct gpu_array_copy *c,
                              const struct gpu_array_desc *array,
                              struct err_info *e);

// How many virtual GPUs there are: WARPSHOP_VIRTUAL_DEVICES, 2 without it.
enum { GPU_MAX_VIRTUAL = 8 };
int gpu_virtual_count(void);

// ---- capability.c: compute capabilities of the virtual GPU ----

enum { GPU_DEFAULT_CAPABILITY = 80 };

struct gpu_capability {
  uint32_t number;                // 90 is 9.0
  uint32_t threads, blocks;       // of a multiprocessor
  uint32_t shared_bytes;          // likewise
  uint32_t shared_bytes_of_block; // where the launch asks for it
};

// NULL: the virtual GPU cannot have it; 0 is the default.
const struct gpu_capability *gpu_find_capability(uint32_t number);
uint32_t gpu_parse_capability(const char *text);     // "9.0"; 0: none of them
void gpu_list_capabilities(char *out, size_t bytes); // "7.5, 8.0 ... and 9.0"

// The attribute's name in Lua, such as "multiprocessor_count".
const char *gpu_attribute_name(enum gpu_attribute a);

// Polls until the work is done; blocks the calling thread. For the device
// server's own tests and benchmarks; the program waits through gpu/remote.
enum err gpu_synchronize(struct gpu_device *d, gpu_handle stream,
                         struct err_info *e);

// Checks grid, block, shared memory and parameter size against the device and
// the kernel before any driver sees them. ERR_LAUNCH names the limit and the
// way out ("block is 2048 threads; this device allows 1024 ...").
enum err gpu_check_launch(const struct gpu_device_info *device,
                          const struct gpu_function_info *function,
                          const struct gpu_launch *l, struct err_info *e);

#endif
