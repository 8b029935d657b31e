// SPDX-License-Identifier: Apache-2.0
// The one device interface. gpu/cuda and gpu/vgpu implement it inside the
// device server; gpu/remote implements it in the program, by speaking to that
// server; whoever launches kernels sees only this header.
//
// Work goes to a stream and is done in order there; 0 is the legacy default one.
// Calls marked "queued" return before the work is done, whose failures come out
// of a later poll or synchronize.
#ifndef GPU_GPU_H
#define GPU_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "gpu/counters.h"
#include "gpu/debug.h"
#include "gpu/finding.h"
#include "gpu/gpu_comm.h"
#include "gpu/gpu_graph.h"
#include "gpu/gpu_handle.h"
#include "gpu/gpu_launch.h"
#include "gpu/gpu_options.h"
#include "gpu/gpu_placement.h"
#include "gpu/gpu_product.h"
#include "gpu/gpu_share.h"
#include "gpu/gpu_texture.h"
#include "gpu/hardware.h"

enum gpu_attribute {
#define ATTR(name, lua_name, number) GPU_ATTR_##name,
#include "gpu/gpu_attr.def"
#undef ATTR
  GPU_ATTR_COUNT
};

enum gpu_alloc_flags {
  GPU_ALLOC_GUARDED = 1, // ends at an unmapped page (and a canary in the
                         // alignment slack), so that one past the end shows
  GPU_ALLOC_INPUT = 2,   // kernels are to read it only: the virtual GPU reports
                         // each write, also of the same value, and does it
};

struct gpu_device_info {
  char name[96];                    // "NVIDIA H200" or "virtual GPU"
  char id[16];                      // "cuda:0", "virtual:0"
  char arch[16];                    // "sm_90a": what to compile for
  char driver[32];                  // driver version, or ""
  char uuid[48];                    // "GPU-..."; "": it is nobody else's
  uint64_t total_bytes, free_bytes; // device memory
  int64_t attributes[GPU_ATTR_COUNT];
  bool takes_cubin; // false: give module_load PTX
  bool is_checked;  // sees mistakes (the virtual GPU)
  char tier[1024];  // which kernels it has compiled, as lines; "": none are
};

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
  // Queued.
  enum err (*mem_set)(struct gpu_device *d, const struct gpu_fill *f,
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

  // Cubin, fatbin, or PTX, text without its zero, as info().takes_cubin says.
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

  // Queued: the L2 cache keeps no line that was asked for; may be NULL.
  enum err (*cache_reset)(struct gpu_device *d, struct err_info *e);
  // Matrix products by the vendor's library, where there is one; else
  // ERR_UNSUPPORTED, and NULL in a backend that never has any. The first loads
  // the library.
  enum err (*product_start)(struct gpu_device *d, struct err_info *e);
  enum err (*product)(struct gpu_device *d, const struct gpu_product *p,
                      struct err_info *e); // queued
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
  const struct gpu_graphs *graphs;   // stream capture; NULL: it has none
  const struct gpu_sharing *sharing; // with other processes; NULL: none
  const struct gpu_comms *comms;     // groups; NULL: it can be in none

  // Is all work of `stream` done (GPU_ALL_STREAMS: of every stream)? Never
  // blocks: ERR_OK, ERR_NOT_READY, or the first failure of the work since the
  // last poll, with its findings ready for `findings`.
  enum err (*poll)(struct gpu_device *d, gpu_handle stream, struct err_info *e);

  // Copies findings of failed work, most severe first, and forgets them;
  // returns how many were written. Notes and warnings come with ERR_OK too.
  int (*findings)(struct gpu_device *d, struct gpu_finding *out, int max);

  // Takes the counts of launches that were counted and are done, those of one
  // kernel and size at a time, the oldest first; ERR_NOT_FOUND: none are left.
  // The caller frees *lines. cuda: ERR_UNSUPPORTED; such a launch needs a device that
  // was opened with counts_hardware, and ends before the call returns.
  enum err (*counts)(struct gpu_device *d, struct gpu_counts *out,
                     struct gpu_line_counts **lines, struct err_info *e);

  // Takes what a real GPU counted itself of the oldest launch with GPU_LAUNCH_COUNT;
  // ERR_NOT_FOUND: none is left. NULL, or nothing, without counts_hardware.
  enum err (*hardware)(struct gpu_device *d, struct gpu_hardware *out,
                       struct err_info *e);

  // Takes what was charged since the last call: launches that have ended, and
  // modules that were loaded. A real GPU does not count it: NULL.
  enum err (*work)(struct gpu_device *d, struct gpu_work *out,
                   struct err_info *e);
  // The placement of the last launch that is done; ERR_NOT_FOUND when there is
  // none, or it had too many blocks. The caller frees *places (out->placed of
  // them). A real GPU does not tell: ERR_UNSUPPORTED, and NULL of `requests`.
  enum err (*placement)(struct gpu_device *d, struct gpu_placement *out,
                        struct gpu_block_place **places, struct err_info *e);
  // Takes those of the last one that recorded them, for gpu_request_next.
  enum err (*requests)(struct gpu_device *d, struct gpu_requests *out,
                       uint8_t **packed, struct err_info *e);

  // Running work fails with ERR_CANCELLED; cuda cannot: its server is killed.
  enum err (*cancel)(struct gpu_device *d, struct err_info *e);
  void (*progress)(struct gpu_device *d, uint64_t blocks[2]); // or NULL; of all

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

// How many virtual GPUs there are: WARPSHOP_VIRTUAL_DEVICES, 2 without it.
enum { GPU_MAX_VIRTUAL = 8 };
int gpu_virtual_count(void);

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
