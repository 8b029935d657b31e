// SPDX-License-Identifier: Apache-2.0
// What the files of the `cuda` table share: devices, their memory and launches,
// and the state of the table itself.
//
// One struct lcuda belongs to one Lua state; it owns the compiler and the
// device servers that this state has opened.
#ifndef LUA_BIND_CUDA_L_CUDA_H
#define LUA_BIND_CUDA_L_CUDA_H

#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "gpu/calls.h"
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
#define LCUDA_HARDWARE "cuda.hardware"
#define LCUDA_ARRAY    "cuda.array"
#define LCUDA_TEXTURE  "cuda.texture"
#define LCUDA_SURFACE  "cuda.surface"
#define LCUDA_GRAPH    "cuda.graph"

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
  int pins;          // who may know its address here: the block stays meanwhile
  int loans;         // of these, who has it
  bool is_given_back;           // the block
  struct storage *lender;       // of memory that is not ours: until it is done
  struct lpeer_import *imports; // other devices that have it mapped
  struct storage *twin_of;      // host storage that this mirrors
  bool is_mapped;               // it is that storage's own memory
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
  size_t bytes;         // of the block there
  bool is_pooled;       // goes to the pool instead of being freed
  struct storage *held; // a reference to drop, or NULL
};

struct lblock {
  gpu_ptr address;
  size_t bytes;
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
  uint32_t node; // of the graph whose launch this was a part of, or 0
  bool is_done;  // waited for, and it went well
  bool has_bare; // addresses that were numbers: of no array, perhaps
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
  struct lfar *far;        // it is on another machine; or NULL
  struct ldevice *counter; // the same GPU, in a server that reads its counters
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
  struct lpeer_path *paths; // how its memory reaches other devices
  uint64_t stage_serial;    // counts launches with host arrays
  double copy_gbs;          // measured once by cuda.time; 0: not yet
};

// What a kernel did wrong, and where it was raised.
struct lcuda_mistake {
  bool is_there;
  int line;
  char kind[24], code[40];
  char text[1024];
};

struct lcuda {
  lua_State *main;
  struct ldevice *devices;
  struct ldevice *current;
  struct nvrtc *nvrtc;
  char wanted[400]; // device of the options or the environment
  bool is_explicit; // the user named it: no falling back
  bool is_checked;
  bool is_guarded;
  bool is_pooling;        // arrays are made in the pool (lcuda_l_pooled)
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
  struct lcuda_timing *timing;    // while cuda.time runs
  struct lcuda_profile *profile;  // while cuda.profile runs
  struct lcuda_debug *debug;      // while cuda.debug runs
  struct ltracer *tracer;         // while calls are kept (l_cuda_calls.c)
  struct gpu_calls calls;         // counted since the state was opened
  uint64_t calls_base;            // device memory that a peak begins with
  int counting;                   // somebody will look at the peak
  struct lcuda_mistake mistake;   // the first that a device found in a kernel
  struct ldevice *capture_device; // of the stream that is captured, or NULL
  uint64_t captures;              // begun since the state was opened
  int stream_count, event_count;  // made since the state was opened
  struct lorder *order;           // once a stream was made; NULL: none was
  struct ljax_watch *jax_watch;   // of traced functions' lines
  void *nvtx; // NVIDIA's marker library; NULL: not looked for or not there
  bool has_looked_for_nvtx;
  struct bind_options options;
};

static inline struct lcuda *lcuda_of(lua_State *L) {
  return bind_state_of(L)->cuda;
}

struct ldevice *lcuda_device_of(struct lcuda *c, const struct gpu_device *gpu);
// The device of that id, opened; raises when it does not open.
struct ldevice *lcuda_open_device(lua_State *L, const char *id);
// A real GPU once more, in a server of its own that reads the hardware's counters of
// launches that are counted; raises where that cannot be.
struct ldevice *lcuda_counter(lua_State *L, struct ldevice *d);
// Ends that server: the next call starts another.
void lcuda_end_counter(struct ldevice *d);
bool lcuda_is_cancelled(void *context);
bool lcuda_is_device_id(const char *id);

#endif
