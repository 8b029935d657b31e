// SPDX-License-Identifier: Apache-2.0
// What the simulated machine has besides memory: threads of the host, multiprocessors,
// texture and surface objects, and what kernels print.
#ifndef GPU_VGPU_MACHINE_MACHINE_H
#define GPU_VGPU_MACHINE_MACHINE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/str.h"
#include "gpu/counters.h"
#include "gpu/gpu.h"
#include "gpu/vgpu/insn.h"

// ---- pool.c ----

// Host threads that a device keeps for the blocks of its launches.

struct vg_pool;

struct vg_pool *vg_pool_new(void);
void vg_pool_free(struct vg_pool *p); // NULL is fine; nothing runs any more

// Threads that may run at once: what the process's affinity mask and its
// control group leave it of the machine's cores.
int vg_pool_cores(void);

// Calls work(arg) here and on up to `helpers` other threads, and returns when
// all have. Helpers that have not begun when the caller's own call returns are
// not waited for: the work is done by then.
void vg_pool_run(struct vg_pool *p, int helpers, void *(*work)(void *arg),
                 void *arg);

// ---- placement.c ----

// Which block runs on which multiprocessor, and when: a model that is the same
// on every machine. A multiprocessor issues one warp instruction a clock, for
// as many blocks as occupancy allows, in turns; the next block goes to the
// multiprocessor that is free first.

// What stands behind a block's results (a traced launch: count/slice.h).
struct vg_slice_sum {
  uint32_t flags, threads, chain;
};

// Warp instructions after which a block steps aside for others.
enum { VG_BLOCK_TURN = 1 << 16, VG_MAX_RESIDENT = 4096 };

struct vg_placement {
  struct gpu_placement what;
  // Blocks that ran in turns were placed as they began. What others did is
  // kept, and they are placed when somebody asks.
  bool is_live;
  struct gpu_block_place *places; // of all blocks, in their order
  uint32_t *work;                 // warp instructions of each, 0: never ran
  uint64_t *clock;                // of each multiprocessor
  uint32_t *resident;             // blocks there
  struct vg_slice_sum *made;      // of all blocks of a traced launch, or NULL
};

// NULL for a grid of more blocks than are recorded.
struct vg_placement *vg_placement_new(const struct vg_grid *g);
void vg_placement_free(struct vg_placement *p); // NULL is fine
void vg_placement_clear(struct vg_placement *p);

// How many blocks of the grid a multiprocessor holds at a time.
uint32_t vg_blocks_per_multiprocessor(const struct vg_grid *g);

// Places a block that begins (live), and tells its %smid.
uint32_t vg_place_begin(struct vg_grid *g, struct vg_block *b);
// Before and after a turn of the block; `has_ended`: it was its last.
// A block that ran without turns.
void vg_place_did(struct vg_grid *g, uint64_t block, uint32_t instructions);
void vg_place_turn(struct vg_block *b);
void vg_place_ran(struct vg_block *b, bool has_ended);

// The placed blocks, for the caller to free; out->placed tells how many.
struct gpu_block_place *vg_placement_take(struct vg_placement *p,
                                          struct gpu_placement *out);

// ---- texture.c ----

// Texture and surface objects of the virtual GPU, and the CUDA arrays that they
// look at. A kernel gets an object as a 64-bit number of a window of its own
// (VG_SLOT_OBJECT); numbers are never used again, so that a stale one is known.

enum vg_object_kind { VG_TEXTURE, VG_SURFACE };

struct vg_object {
  enum vg_object_kind kind;
  _Atomic bool is_live;
  bool is_ending;               // its destruction is queued
  struct gpu_texture_desc desc; // of a texture: as it takes effect
  struct gpu_array_desc shape;  // of the array, or of the linear memory
  gpu_ptr base;
  uint64_t row_bytes;   // that hold elements
  uint64_t pitch_bytes; // from row to row
  uint64_t slice_bytes; // from plane or layer to the next
  uint32_t element_bytes;
  bool is_linear; // memory that only whole coordinates reach
  bool is_float;  // a fetch gives floats, not whole numbers
  bool is_cube;
  uint32_t layers; // 0: not layered; faces count as layers
};

enum { VG_OBJECT_CHUNK = 1024, VG_OBJECT_CHUNKS = 4096 };

struct vg_objects {
  struct vg_object **chunks;
  _Atomic uint32_t count;
};

void vg_objects_init(struct vg_objects *o);
void vg_objects_close(struct vg_objects *o);

// Adds a live object and gives its number. ERR_NOMEM when there were too many.
enum err vg_object_add(struct vg_objects *o, const struct vg_object *object,
                       uint64_t *number, struct err_info *e);

// The object of a number, dead ones included; NULL when it never was one.
struct vg_object *vg_object_find(const struct vg_objects *o, uint64_t number);

// What a texture or a surface looks at, from its descriptors; both must have
// been checked (gpu_check_texture). `base` is the first element's address.
void vg_object_of_texture(const struct gpu_texture_desc *desc,
                          const struct gpu_array_desc *array, gpu_ptr base,
                          struct vg_object *out);
void vg_object_of_surface(const struct gpu_array_desc *array, gpu_ptr base,
                          struct vg_object *out);

// ---- output.c ----

// What kernels print, until the host fetches it.

enum { VG_OUTPUT_BYTES = 1 << 20 }; // of one launch

struct vg_output {
  pthread_mutex_t lock;
  struct str text;
  size_t launch_bytes; // of the launch that runs, fetched or not
  bool is_full;        // a print of it found no room
  size_t cut;          // prints that were left out
};

void vg_output_init(struct vg_output *o);
void vg_output_close(struct vg_output *o);
void vg_output_add(struct vg_output *o, const char *text, size_t bytes);
// Is there no room for more of this launch? Then the print is counted, and
// need not be made.
bool vg_output_is_full(struct vg_output *o);

// A launch has ended: adds a note when something of its text was cut.
void vg_output_end(struct vg_output *o);

// All that was printed so far; the caller frees it.
struct str vg_output_take(struct vg_output *o);

#endif
