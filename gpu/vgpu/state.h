// SPDX-License-Identifier: Apache-2.0
// A block that runs: its warps, their lanes and registers.
#ifndef GPU_VGPU_STATE_H
#define GPU_VGPU_STATE_H

#include "gpu/gpu.h"
#include "gpu/vgpu/insn.h"

// ---- Special registers ----

// Bank VG_SPECIALS of a warp: one row of 32 lanes each.
enum vg_special {
  VG_TID_X,
  VG_TID_Y,
  VG_TID_Z,
  VG_NTID_X,
  VG_NTID_Y,
  VG_NTID_Z,
  VG_CTAID_X,
  VG_CTAID_Y,
  VG_CTAID_Z,
  VG_NCTAID_X,
  VG_NCTAID_Y,
  VG_NCTAID_Z,
  VG_LANEID,
  VG_WARPID,
  VG_NWARPID,
  VG_SMID,
  VG_NSMID,
  VG_LANEMASK_EQ,
  VG_LANEMASK_LE,
  VG_LANEMASK_LT,
  VG_LANEMASK_GE,
  VG_LANEMASK_GT,
  VG_GRIDID,
  VG_DYNAMIC_SHARED,
  VG_TOTAL_SHARED,
  VG_WORKSPACE_HIGH, // of a cooperative launch: its address
  VG_WORKSPACE_LOW,
  VG_RESERVED_BEGIN, // shared memory of the toolkit's own
  VG_RESERVED_END,
  VG_RESERVED_CAP,
  VG_RESERVED_1,
  VG_SPECIAL_ROWS
};

// ---- Lanes and registers ----

// Lanes of a warp that run together. Leaves run; an inner node waits at `pc`
// until its last child has gone, and is where their lanes meet again.
struct vg_node {
  struct vg_node *parent;
  struct vg_node *next; // in the warp's list of leaves, or of free nodes
  int children;
  vg_mask lanes; // of an inner node: those that will meet here
  const struct vg_insn *pc, *reconverge;
  struct vg_frame *frame;
  uint64_t count;             // instructions of its longest-running thread
  vg_mask waits_for;          // bar.warp.sync: the lanes named; 0 when it runs
  const struct vg_insn *meet; // it waits to run this together with them
  const struct vg_insn *barrier; // block barrier that its lanes wait at
  struct vg_frame *callee; // its children are in the function that it called
  uint32_t full_turns;     // in a row: it may spin
  bool is_forced;          // it was told to go on without them
};

// Registers of one function call of some lanes.
struct vg_frame {
  struct vg_frame *next; // free list
  const struct vg_code *code;
  uint32_t local_base; // of its frame in each lane's local memory
  uint32_t capacity;
  const struct vg_call *call;   // how it was called
  const struct vg_insn *caller; // of a function in a header: the learner's own
      // line that it was called from; or NULL (site.c)
  uint8_t *taint;               // of its registers (taint.c), or NULL
  struct vg_slice_frame *slice; // of its registers (slice_cells.c), or NULL
  uint32_t tainted_rows;
  uint32_t control; // fact of the decisions that led to its call (feeds.h)
  uint8_t registers[] __attribute__((aligned(64)));
};

// ---- Warps ----

enum vg_stop {
  VG_RUNS,    // its turn ended
  VG_BARRIER, // waits at barrier `barrier`
  VG_ENDED,
};

struct vg_warp {
  // What handlers touch most comes first.
  uint8_t *bank[4];
  const struct vg_insn *pc, *reconverge;
  vg_mask active; // lanes of the leaf that runs
  int32_t fuel;   // instructions until the turn ends; 0 stops at once
  int32_t turn;   // fuel at the start of the turn
  enum vg_stop stop;
  struct vg_node *leaf;   // that runs
  struct vg_node *leaves; // the others
  struct vg_node *free_nodes;
  struct vg_frame *free_frames;
  struct vg_frame *root; // of the kernel itself
  uint8_t *uniform;      // its own bank VG_UNIFORM; gangs share one
  struct vg_block *block;
  struct vg_worker *worker;
  vg_mask live; // lanes that have not exited
  vg_mask born; // lanes that exist
  uint32_t number;
  uint32_t first_thread;
  bool is_put_off;        // the instruction did not run: it will be run again
  struct vg_tally *tally; // where what runs is counted (count.h), or NULL
  uint64_t shared_loads;  // of shared memory, where they are counted
  // Order (order.c): clocks of the last bar.warp.sync of all lanes, and of the
  // last before which a lane executed a fence; for each pair of lanes when
  // only some took part.
  uint32_t sync_clock, sync_fenced, sync_fenced_all;
  uint32_t (*pairs)[VG_LANES];
  int32_t barrier; // number of the block barrier that it waits at, or -1
  uint32_t barrier_threads; // that it waits for, 0: all of the block
  const struct vg_insn *barrier_at;
  uint8_t *local;         // VG_LANES times local_bytes
  uint8_t *local_defined; // a byte for each of them in checked mode, or NULL
  uint32_t *local_notes;  // of undefined values there (taint.c), or NULL
  struct vg_slice_local *slice; // of values there (slice_cells.c), or NULL
  uint32_t tainted_rows;        // rows of registers with undefined values
  uint32_t lost_accesses;       // through undefined addresses
  bool is_careful;              // there are any
  int32_t fuel_left;            // of the turn that became careful
  const uint8_t *in_hand; // what is about to be written, that is in no register
  bool has_undefined;     // what was just read is undefined in part
  uint32_t local_bytes;
  const struct vg_insn *leaving; // where some of its lanes left the kernel
  struct vg_pending *copies;     // cp.async on its way (ops_async.c), or NULL
  uint8_t (*specials)[VG_LANES * 4]; // VG_SPECIAL_ROWS of them
} __attribute__((aligned(64)));

// What a warp has begun, for when its threads leave and when it goes.
struct vg_pending {
  void (*finish)(struct vg_warp *w, vg_mask m);
  void (*free)(struct vg_warp *w);
  void (*send_again)(struct vg_warp *w); // the block has passed a barrier
};

#define VG_AT(w, place)                                                        \
  ((void *)((w)->bank[(place)&3] + ((place) & ~(vg_place)3)))

// What a load or a fetch gets that is not allowed, and what a register holds
// that nothing wrote: a NaN in every floating-point type, and easy to recognise
// in a debugger.
#define VG_POISON UINT64_C(0x7FF7BAD07FF7BAD0)

// ---- Blocks ----

struct vg_block {
  struct vg_grid *grid;
  // vg_warp_exit: check/ ends threads that cannot go on, and stands below run/.
  void (*exit)(struct vg_warp *w, const struct vg_insn *at, vg_mask m);
  uint32_t index[3];
  uint64_t number;
  uint32_t warp_count;
  uint8_t *shared;
  uint32_t shared_bytes;
  bool in_gang;                  // its warps run in lock step (gang.c)
  struct vg_notes *notes;        // of undefined values (taint_notes.c), or NULL
  struct vg_slice_shared *slice; // of shared memory (slice_cells.c), or NULL
  struct vg_shadow *shadow;      // what is known of each shared byte, or NULL
  struct vg_shared_spy *spy;     // the quick look at it (race_spy.h), or NULL
  // Order (order.c): the clock goes on from block to block.
  uint32_t clock, barrier_clock;
  uint32_t fenced, fenced_all; // of the last barrier behind a fence
  uint32_t acquired, seen;     // what all its threads know since the barrier
  uint32_t held;               // of what they acquired, that behind a fence
  struct vg_known *known;      // what each thread knows beyond that, or NULL
  struct vg_tag *tags;         // what words of shared memory tell, or NULL
  struct vg_order *order;      // its grid's, its own, or NULL
  struct vg_order *own_order;
  uint32_t barriers_passed;
  struct vg_arrivals {
    uint32_t arrived;             // threads of bar.arrive
    uint32_t any, some_not, popc; // of bar.red so far
  } barriers[VG_BARRIERS];
  // A thread left here after a barrier, or before any, while others went on;
  // two warps met at different barriers. NULL when that was not so.
  struct vg_stray {
    const struct vg_insn *at, *other;
    uint32_t thread, other_thread;
  } left, left_early, met;
  uint64_t instructions;   // of all its warps, since it began
  uint64_t turn_from;      // those before its turn
  uint64_t clock_base;     // of its multiprocessor, less `instructions`
  uint64_t executed;       // work of its warps in this turn
  uint64_t booked;         // that its grid knows of
  struct gpu_work charged; // of it, by kind; its grid does not know of
  uint32_t waits;          // of its warps in this turn (vg_warp_wait)
  bool gives_way;          // other blocks' turns come next (vg_schedule_read)
  struct vg_warp *warps;
  uint8_t *specials; // of all its warps
};

#endif
