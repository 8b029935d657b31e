// SPDX-License-Identifier: Apache-2.0
// The warp engine's own types; nothing outside gpu/vgpu includes this.
//
// A kernel's PTX is decoded once (decode.c) into struct vg_insn: a handler, the
// places of its operands and its types resolved. A warp runs one instruction
// for all its lanes at a time (run.c). README.md tells where what lies.
#ifndef GPU_VGPU_ENGINE_H
#define GPU_VGPU_ENGINE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "gpu/counters.h"
#include "gpu/gpu.h"
#include "gpu/ptx/ptx.h"
#include "gpu/vgpu/machine/mem.h"

enum { VG_LANES = 32, VG_BARRIERS = 16 };
#define VG_ALL (~(uint32_t)0)

struct vg_warp;
struct vg_insn;
struct vg_block;
struct vg_code;

typedef uint32_t vg_mask; // bit l is lane l
typedef void (*vg_handler)(struct vg_warp *w, const struct vg_insn *i,
                           vg_mask m);
// The same for `count` warps one behind the other, all of whose lanes take part
// (gang.c).
typedef void (*vg_together)(struct vg_warp *w, uint32_t count,
                            const struct vg_insn *i);
struct vg_pair {
  vg_handler run;
  vg_together together;
};

// ---- Decoded code ----

// An operand's place: a byte offset into one of the warp's banks, whose number
// is in the two low bits (offsets are multiples of 4). A predicate is one
// 32-bit mask; values of 8 to 32 bits take 32 lanes of 4 bytes, 64-bit ones 32
// lanes of 8, 128-bit ones 32 lanes of 16.
typedef uint32_t vg_place;
// VG_UNIFORM has the registers that all threads of a block agree on
// (uniform.c), in rows like the others.
enum vg_bank { VG_REGISTERS, VG_CONSTANTS, VG_SPECIALS, VG_UNIFORM };
#define VG_NOWHERE UINT32_MAX
enum { VG_MAX_VECTOR = 8 };

struct vg_insn {
  vg_handler run;
  vg_together together; // or NULL
  vg_place guard;       // a predicate; VG_CONSTANTS:0 is always true
  vg_mask guard_flip;
  vg_place dst, dst2; // VG_NOWHERE: none, or the sink
  vg_place src[4];
  vg_mask flip;  // of a predicate source with "!"
  uint8_t bytes; // of one element of a memory access
  uint8_t space; // enum ptx_space
  uint8_t vec;   // elements of a vector access
  uint8_t round; // enum ptx_round
  uint8_t cmp, sub;
  uint8_t part, boolop;
  uint8_t type, type2;       // enum ptx_type
  uint8_t gang;              // enum vg_gang_kind
  bool is_once;              // a gang computes it once for all warps
  bool ftz, sat, is_ordered; // is_ordered: volatile, relaxed and stronger
  bool is_narrow;            // the address register has 32 bits
  bool in_frame;             // the address is an offset into the frame
  bool flag;                 // shf.clamp, bfind.shiftamt, min.NaN, cc
  bool is_main; // the PTX instruction itself; others of it move its operands
  bool is_trip_count; // a division by which the compiler counts a loop's rounds
  bool is_bypassed; // a barrier in a branch that threads may go past (bypass.c)
  bool is_return;   // runs vg_op_return
  bool is_param_load;                        // runs vg_op_ld_param
  int64_t offset;                            // of an address
  const struct vg_insn *target, *reconverge; // of a branch
  const struct ptx_var *within; // the one shared or local variable it can be in
  const char *dynamic; // or the one extern array, which may be one of several
  const struct vg_place_list {
    uint8_t count;
    vg_place at[VG_MAX_VECTOR];
  } * vector; // of a vector access or a packing mov
  union {
    const struct vg_call *call;     // of a call
    const struct vg_ways *ways;     // of brx.idx
    const struct vg_tex *texture;   // of a texture or surface instruction
    const struct vg_matrix *matrix; // matrix.h
    const struct vg_async *async;   // there, too
    const struct vg_wide *wide;     // of an atomic on more than 8 bytes
  };
  const struct ptx_insn *ptx;
};

struct vg_ways {
  uint32_t count;
  const struct vg_insn *to[];
};

struct vg_call {
  struct vg_code *callee; // NULL for an indirect call and for a system call
  int arg_count;
  struct vg_copy { // parameter bytes from the caller's frame to the callee's
    uint32_t from, to, bytes;
  } * args;
  bool has_result;
  struct vg_copy result; // `to` in the caller's frame; the callee knows `from`
};

// The operands of an atomic on a vector or on 128 bits.
struct vg_wide {
  struct vg_place_list old, b, c; // count 0: none
};

// What a texture or surface instruction has beside its data (`vector`), its
// handle and its sampler (src[0] and src[1]).
struct vg_tex {
  uint8_t geometry, bound; // enum ptx_geometry, ptx_bound
  bool is_whole, is_formatted;
  struct vg_place_list coords;
  struct vg_place_list offset; // count 0: none
};

// A register that may be read before anything has written it (unwritten.c).
struct vg_unwritten {
  vg_place at;
  const char *name; // in the source, or NULL
};

// A function, decoded. A thread's frame holds, from its start: parameters,
// result, .param variables of calls, .local variables.
struct vg_code {
  const struct ptx_func *func;
  struct vg_module *module;
  struct vg_insn *insns; // func->code_count and a marker
  int insn_count;
  uint32_t register_bytes; // of a warp's frame
  uint32_t uniform_bytes;  // of its bank VG_UNIFORM
  struct vg_flat *flat;    // how to run it over many blocks at once, or NULL
  uint8_t *widths;         // of a row, by its place / 4: 1 is a predicate
  struct vg_unwritten *unwritten;
  int unwritten_count;
  bool may_read_any;  // too large to say which: they start with the same value
  uint8_t *constants; // bank VG_CONSTANTS
  uint32_t constant_bytes;
  uint32_t frame_bytes; // of one thread's local memory
  uint32_t result_at;
  uint32_t *local_at;   // of func->locals
  vg_place *reg_at;     // of func's registers
  uint64_t written;     // what it may write: a set of reach.h
  uint8_t unit_shift;   // its narrowest access to global memory, as a power
  uint8_t shared_shift; // the same of shared memory; a word at most
  bool takes_workspace; // reads its address: grid.sync()
  bool may_recurse;     // functions of its module may come back to themselves
  bool is_foreign;      // of a header of the toolkit
  bool is_straight;     // no instruction runs twice, and none calls or sleeps
  bool is_ordered; // global atomics, volatile, fences, printf, malloc: blocks
                   // take turns instead of running in parallel
};

struct vg_module {
  struct ptx_module *ptx;
  struct region *region;
  struct vg_sites *sites; // site.c
  struct vg_code *codes;  // of ptx->funcs, in their order
  gpu_ptr *var_at;        // of ptx->vars, in their order
  uint32_t const_bytes;
  uint32_t dynamic_at; // of all its kernels, or 0: each has its own
  bool has_reserved;   // it asks where reserved shared memory is
};

enum { VG_RESERVED_BYTES = 1024 }; // of shared memory

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

// ---- A running grid ----

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
  uint8_t registers[] __attribute__((aligned(64)));
};

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
};

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
  struct vg_notes *notes;        // of undefined values (taint.c), or NULL
  struct vg_slice_shared *slice; // of shared memory (slice_cells.c), or NULL
  struct vg_shadow *shadow;      // what is known of each shared byte, or NULL
  struct vg_shared_spy *spy;     // the quick look at it (race_spy.h), or NULL
  // Order (order.c): the clock goes on from block to block.
  uint32_t clock, barrier_clock;
  uint32_t fenced, fenced_all; // of the last barrier behind a fence
  uint32_t acquired, seen;     // what all its threads know since the barrier
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
  struct vg_warp *warps;
  uint8_t *specials; // of all its warps
};

struct vg_grid {
  struct vg_memory *memory;
  const struct vg_objects *objects; // textures and surfaces
  struct vg_findings *findings;
  struct vg_output *output; // of printf
  const _Atomic bool *is_cancelled;
  const struct vg_code *code;
  struct gpu_launch launch;
  uint64_t number; // of the launch
  uint64_t block_count;
  uint32_t threads; // of a block
  uint32_t static_shared, shared_bytes;
  uint32_t total_shared; // of those, what the kernel asked for
  uint64_t budget;       // instructions of one thread
  uint64_t grid_budget;
  _Atomic uint64_t executed; // work of all its blocks, against grid_budget
  _Atomic uint64_t prints, mistakes, cells; // of it
  uint32_t multiprocessors;
  struct gpu_occupancy_limits limits; // of one
  struct vg_placement *placement;     // or NULL
  gpu_ptr workspace; // of a cooperative launch, for grid.sync(); or 0
  uint64_t seed;
  bool is_checked;
  bool is_alone; // one host thread runs all the blocks that run now
  const struct vg_flat *flat; // of a launch that is run so (flat.h), or NULL
  struct vg_counts *counts;   // of a launch that is counted (count.h), or NULL
  struct vg_slice *slice;     // of a launch that is traced (slice.h), or NULL
  uint32_t first_slot;        // of memory that the launch itself made
  struct vg_watch *watch;     // of global memory, or NULL
  struct vg_pool *pool;       // threads that help to run its blocks (pool.h)
  struct vg_order *order;     // of blocks that take turns, or NULL
  uint8_t params[GPU_MAX_PARAM_BYTES];
  _Atomic uint64_t next_block;
  _Atomic bool is_abandoned;
  _Atomic bool is_stop_told; // where it was stopped
};

// A host thread that runs blocks.
struct vg_worker {
  struct vg_grid *grid;
  uint64_t next, end;         // blocks that it took and has not run yet
  uint64_t look_at;           // work of the launch: does it ever end? (grid.c)
  struct vg_flat_state *flat; // flat.c
  struct vg_tally *tallies;   // count.h; NULL: nothing is counted
  struct vg_count_tile *tile;
  struct vg_spy *spy;
};

#define VG_AT(w, place)                                                        \
  ((void *)((w)->bank[(place)&3] + ((place) & ~(vg_place)3)))

// Work that takes the host longer than one instruction of 32 lanes: the launch
// pays for it out of its grid_budget, so that this ends every kernel in time.
enum {
  VG_ROW_COST = 1,      // lanes in a row, after one check
  VG_ACCESS_COST = 6,   // lanes that go their own ways
  VG_LANE_COST = 4,     // one lane looked at alone
  VG_SHADOW_COST = 4,   // what is known of shared bytes
  VG_CELL_COST = 8,     // a cell of one lane looked at closely
  VG_NOTE_COST = 24,    // and what is noted of it
  VG_ORDER_COST = 36,   // what one lane tells or learns through memory
  VG_PLACE_COST = 64,   // and what is kept of a place from then on
  VG_TAINT_COST = 24,   // an instruction on undefined values
  VG_ATOM_COST = 24,    // up to 32 memory words, one by one
  VG_WAIT_COST = 32,    // of a failed compare-and-swap
  VG_FLOAT_COST = 24,   // functions, rounding modes, flushing
  VG_BRANCH_COST = 8,   // lanes that part
  VG_CALL_COST = 16,    // a frame and its arguments
  VG_REPORT_COST = 256, // one lane's mistake
  VG_SYSTEM_COST = 100, // one lane's system call
  VG_PAGE_COST = 4096,  // memory that is touched first, and what is kept of it
  VG_TEXT_COST = 8,     // a byte that is printed
  VG_HEAP_COST = 10000, // beside that, an allocation's own slot
  VG_PARSE_COST = 8,    // a byte of PTX that is loaded
  VG_LOAD_COST = 2048   // and an instruction in it
};
static inline void vg_charge(struct vg_warp *w, uint64_t cost) {
  int32_t fuel = w->fuel < 0 ? 0 : w->fuel;
  int32_t cut = cost < (uint64_t)fuel ? (int32_t)cost : fuel;
  w->block->executed += cost;
  w->fuel -= cut; // the turn gets shorter, the thread's count of
  w->turn -= cut; // instructions stays right
}

static inline void vg_charge_print(struct vg_warp *w, uint64_t cost) {
  w->block->charged.prints += cost;
  vg_charge(w, cost);
}
static inline void vg_charge_mistake(struct vg_warp *w) {
  w->block->charged.mistakes += VG_REPORT_COST;
  vg_charge(w, VG_REPORT_COST);
}
static inline void vg_charge_cells(struct vg_warp *w, uint64_t cost) {
  w->block->charged.cells += cost;
  vg_charge(w, cost);
}

// ---- warp.c: lanes that diverge and meet again ----

// Puts all lanes at the kernel's start; false when the host has no memory for
// their local variables.
bool vg_warp_begin(struct vg_warp *w);
void vg_warp_free(struct vg_warp *w);
// All lanes of a warp of a gang, none of which has parted, leave the kernel.
void vg_warp_end(struct vg_warp *w, const struct vg_insn *at);
// Runs until the turn ends, a barrier, or the end; says which.
enum vg_stop vg_warp_turn(struct vg_warp *w);
void vg_stop_turn(struct vg_warp *w, enum vg_stop why);
// The lanes that run got nowhere (a compare-and-swap failed): whom they wait
// for should run now. vg_warp_poll is the same for a read that may have come
// too early: lanes that wait to meet these are not set free at once.
void vg_warp_wait(struct vg_warp *w);
void vg_warp_poll(struct vg_warp *w);
void vg_warp_branch(struct vg_warp *w, const struct vg_insn *i, vg_mask taken);
// Lanes of a branch go to different places: those of `m` to `to`, then the rest
// run the branch again.
void vg_warp_scatter(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                     const struct vg_insn *to);
void vg_warp_call(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                  struct vg_code *callee);
void vg_warp_split(struct vg_warp *w, const struct vg_insn *i, vg_mask m);
void vg_warp_return(struct vg_warp *w, vg_mask m);
void vg_warp_exit(struct vg_warp *w, const struct vg_insn *at, vg_mask m);
void vg_warp_sync(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                  vg_mask named);
// Must be called first by an instruction that several lanes take part in: false
// when it cannot run now, because named lanes are still elsewhere; it is run
// again once they have come.
bool vg_warp_meet(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                  vg_mask named);
// False when the lanes name different masks: then it runs once for each.
bool vg_warp_agree(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                   vg_place named);
void vg_warp_barrier(struct vg_warp *w, const struct vg_insn *i, vg_mask m);
void vg_warp_pass_barrier(struct vg_warp *w);
void vg_warp_drop(struct vg_warp *w);
const struct vg_insn *vg_warp_place(const struct vg_warp *w, int *lane,
                                    uint64_t *count);

// One instruction at a time, for the debugger: is there a leaf that can run
// (that of `lane`, if it can)? w->pc is its next instruction then, w->active
// its lanes. vg_warp_step runs that instruction, and answers as a turn does.
bool vg_warp_ready(struct vg_warp *w, int lane);
enum vg_stop vg_warp_step(struct vg_warp *w);
// The leaf has had a whole turn of such steps: the others get theirs.
void vg_warp_hand_over(struct vg_warp *w);
// Lets lanes go on that wait to meet others of their warp; false: there are
// none.
bool vg_warp_release(struct vg_warp *w);

// ---- timeout.c: a launch that used up its budget ----

// The thread, which was at `at`, used up its own.
void vg_timeout_report(struct vg_warp *w, const struct vg_insn *at, int lane);
// All warps together used it up, and this block was the last to book: its
// longest-running warp is told of.
void vg_timeout_blame(struct vg_block *b);
// A note, once a launch: where the block was when the host ended the launch.
void vg_timeout_stopped(struct vg_block *b);

// ---- grid.c: blocks and grids ----

// Measured on two cores of 2.5 GHz: what never ends takes 0.3 to 1 s of a core
// for 2^30 units (shared compare-and-swaps 2.4 s), and a naive product of 2048
// x 2048 floats, the largest honest kernel of the lessons' kind, needs 1.5 of
// them. So twice that many: room for it, and every endless loop ends in time.
enum { VG_DEFAULT_BUDGET = 1 << 28 };
#define VG_DEFAULT_GRID_BUDGET (UINT64_C(1) << 31)

// Runs a whole grid; what went wrong is in its findings.
void vg_grid_run(struct vg_grid *g);

// It ends soon whatever its data are: few instructions, none of them twice.
bool vg_grid_is_short(const struct vg_grid *g);

// What its kernel's malloc() gave and nothing freed (ops_syscall.c).
void vg_heap_report(const struct vg_grid *g);

// Ends the launch at the next turn of each block: it failed beyond repair.
static inline void vg_grid_abandon(struct vg_grid *g) {
  atomic_store(&g->is_abandoned, true);
}

// The parts of that, for the debugger. A block is made once and begun for each
// number that the grid still has to give (vg_grid_take_block).
struct vg_block *vg_block_new(struct vg_worker *k);
void vg_block_free(struct vg_block *b);
void vg_block_begin(struct vg_block *b, uint64_t number);
void vg_block_drop(struct vg_block *b); // ends all threads where they are
// Lets the warps go on whose barrier is complete; says whether any can.
bool vg_block_pass_barriers(struct vg_block *b);
void vg_block_report_deadlock(struct vg_block *b);
bool vg_grid_take_block(struct vg_grid *g, uint64_t *number);
void vg_grid_clear_workspace(struct vg_grid *g);
// How many blocks a device would hold at once.
uint32_t vg_grid_resident_limit(const struct vg_grid *g);

// Notes what a warp brings to the block barrier that it has come to, and takes
// home its result (ops_flow.c).
void vg_barrier_arrive(struct vg_warp *w);
void vg_barrier_result(struct vg_warp *w, const struct vg_arrivals *a);

// ---- decode.c ----

// What a load or a fetch gets that is not allowed, and what a register holds
// that nothing wrote: a NaN in every floating-point type, and easy to recognise
// in a debugger.
#define VG_POISON UINT64_C(0x7FF7BAD07FF7BAD0)

enum { VG_CARRY = 0 }; // register place of the condition code's carry flag

// Decodes every function; ERR_UNSUPPORTED names the instruction that nothing
// executes yet, and its line. The module's variables have their addresses.
enum err vg_module_decode(struct vg_module *m, struct err_info *e);

// Where dynamic shared memory begins in the launch of a kernel.

// ---- Files that are compiled once more for wider vectors ----

// Their public names end in the instruction set then; where nothing says
// which, the plain ones are meant. All sets give the same bits.
#ifdef VG_ISA
#  define VG_PASTE2(name, isa) name##isa
#  define VG_PASTE(name, isa)  VG_PASTE2(name, isa)
#  define VG_NAME(name)        VG_PASTE(name, VG_ISA)
#  define vg_find_alu          VG_NAME(vg_find_alu)
#  define vg_pairs_alu         VG_NAME(vg_pairs_alu)
#  define vg_pairs_float       VG_NAME(vg_pairs_float)
#  define vg_pairs_cvt         VG_NAME(vg_pairs_cvt)
#  define vg_pairs_memory      VG_NAME(vg_pairs_memory)
#  define vg_find_float        VG_NAME(vg_find_float)
#  define vg_find_cvt          VG_NAME(vg_find_cvt)
#  define vg_find_memory       VG_NAME(vg_find_memory)
#  define vg_op_narrow         VG_NAME(vg_op_narrow)
#  define vg_op_widen          VG_NAME(vg_op_widen)
#  define vg_op_widen_signed   VG_NAME(vg_op_widen_signed)
#  define vg_op_frame_address  VG_NAME(vg_op_frame_address)
#  define vg_op_ld_param       VG_NAME(vg_op_ld_param)
#  define vg_op_pack           VG_NAME(vg_op_pack)
#  define vg_op_unpack         VG_NAME(vg_op_unpack)
#  define vg_access            VG_NAME(vg_access)
#  define vg_access_row        VG_NAME(vg_access_row)
#  define vg_access_lane       VG_NAME(vg_access_lane)
#  define vg_access_text       VG_NAME(vg_access_text)
#endif

// Of the widest vector that the compiler keeps in a register: of wider ones it
// makes a detour through memory, ten times as slow.
#if defined __AVX512F__
enum { VG_NATIVE_BYTES = 64 };
#elif defined __AVX2__
enum { VG_NATIVE_BYTES = 32 };
#else
enum { VG_NATIVE_BYTES = 16 };
#endif

// ---- Handlers that the decoder itself puts in ----

void vg_op_narrow(struct vg_warp *w, const struct vg_insn *i, vg_mask m);
void vg_op_widen(struct vg_warp *w, const struct vg_insn *i, vg_mask m);
void vg_op_widen_signed(struct vg_warp *w, const struct vg_insn *i, vg_mask m);
// Reports lanes of `m` whose own mask does not name them.
void vg_check_mask(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                   vg_place masks);
void vg_op_clock(struct vg_warp *w, const struct vg_insn *i, vg_mask m);
void vg_op_frame_address(struct vg_warp *w, const struct vg_insn *i, vg_mask m);
void vg_op_ld_param(struct vg_warp *w, const struct vg_insn *i, vg_mask m);
void vg_op_pack(struct vg_warp *w, const struct vg_insn *i, vg_mask m);
void vg_op_unpack(struct vg_warp *w, const struct vg_insn *i, vg_mask m);
void vg_op_bra_wait(struct vg_warp *w, const struct vg_insn *i, vg_mask m);
void vg_op_call(struct vg_warp *w, const struct vg_insn *i, vg_mask m);
void vg_op_return(struct vg_warp *w, const struct vg_insn *i, vg_mask m);

// ---- Which handler runs an instruction ----

// Each looks in one family; NULL when it has nothing for this form.
vg_handler vg_find_alu(const struct ptx_insn *p);     // ops_alu.c
vg_handler vg_find_float(const struct ptx_insn *p);   // ops_float.c
vg_handler vg_find_half(const struct ptx_insn *p);    // ops_half.c
vg_handler vg_find_cvt(const struct ptx_insn *p);     // ops_cvt.c
vg_handler vg_find_memory(const struct ptx_insn *p);  // ops_memory.c
vg_handler vg_find_atom(const struct ptx_insn *p);    // ops_atom.c
vg_handler vg_find_warp(const struct ptx_insn *p);    // ops_warp.c
vg_handler vg_find_texture(const struct ptx_insn *p); // ops_texture.c
vg_handler vg_find_small(const struct ptx_insn *p);   // ops_small.c
vg_handler vg_find_video(const struct ptx_insn *p);   // ops_video.c
vg_handler vg_find_flow(const struct ptx_insn *p);    // ops_flow.c
vg_handler vg_find_matrix(const struct ptx_insn *p);  // ops_matrix.c
vg_handler vg_find_async(const struct ptx_insn *p);   // ops_async.c
// Ends with a pair of NULLs.
extern const struct vg_pair vg_pairs_alu[], vg_pairs_float[], vg_pairs_cvt[],
    vg_pairs_memory[];
// What runs in place of `run` for a gang's warps, or NULL (handlers.c).
vg_together vg_find_together(vg_handler run);
// Of a call to a function without a body: vprintf, malloc, ...
vg_handler vg_find_syscall(const char *name); // ops_syscall.c

// ---- access.c: from addresses to host memory ----

// The addresses that lanes use in an access.
static inline void vg_addresses(struct vg_warp *w, const struct vg_insn *i,
                                uint64_t a[VG_LANES]) {
  uint64_t offset = (uint64_t)i->offset;
  if (i->in_frame)
    offset += w->leaf->frame->local_base;
  if (i->is_narrow) {
    const uint32_t *r = VG_AT(w, i->src[0]);
    for (int l = 0; l < VG_LANES; l++)
      a[l] = (uint32_t)(r[l] + (uint32_t)offset);
  } else {
    const uint64_t *r = VG_AT(w, i->src[0]);
    for (int l = 0; l < VG_LANES; l++)
      a[l] = r[l] + offset;
  }
}

// Checks an access of `bytes` at each lane's address; where it is allowed, the
// lane is in the answer and `p` has the place in host memory. All others were
// reported.
vg_mask vg_access(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                  const uint64_t a[VG_LANES], uint32_t bytes,
                  enum gpu_access access, uint8_t *p[VG_LANES]);

// The common case, for one check in place of 32: VG_ROW when the lanes of `m`
// access elements that lie one behind the other (*first is that of the first
// lane of `m`), VG_SAME when they all read one; 0 when each lane must be looked
// at, also when something is wrong.
enum vg_pattern { VG_EACH, VG_ROW, VG_SAME };
enum vg_pattern vg_access_row(struct vg_warp *w, const struct vg_insn *i,
                              vg_mask m, const uint64_t a[VG_LANES],
                              uint32_t bytes, enum gpu_access access,
                              uint8_t **first);

// For system calls: up to `bytes` bytes at a generic address of one lane, NULL
// (reported) when they are not all there.
uint8_t *vg_access_lane(struct vg_warp *w, const struct vg_insn *i, int lane,
                        uint64_t address, uint32_t bytes,
                        enum gpu_access access);
// A copy of the text at a generic address, cut at its zero, at `max` bytes or
// at the end of its memory.
void vg_access_text(struct vg_warp *w, const struct vg_insn *i, int lane,
                    uint64_t address, uint32_t max, struct str *out);

// ---- findings.c ----

// Where in which address space an access went wrong.
struct vg_fault {
  enum err kind;
  enum gpu_severity severity;
  enum gpu_space space;
  enum gpu_access access;
  uint64_t address;
  uint64_t base, base_bytes;
  uint32_t bytes;
  const char *variable;        // or NULL
  const char *text;            // or NULL
  const struct vg_insn *other; // the second party, or NULL
  uint32_t other_block, other_thread;
  enum gpu_access other_access;
};

// One thread's mistake at `i`.
void vg_report_thread(const struct vg_grid *g, uint64_t block, uint32_t thread,
                      const struct vg_insn *i, const struct vg_fault *f);
void vg_report(struct vg_warp *w, const struct vg_insn *i, int lane,
               const struct vg_fault *f);
// The same for several lanes, when that mistake is known of an earlier thread,
// so that only their number counts; else false, and nothing is done.
bool vg_report_again(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                     const struct vg_fault *f);
// Lanes of `m` divide integers, some of them perhaps by zero (divide.c).
void vg_report_division(struct vg_warp *w, const struct vg_insn *i, vg_mask m);

// Where a kernel's dynamic shared memory begins.
static inline uint32_t vg_dynamic_shared_at(const struct vg_code *kernel) {
  uint32_t own = (kernel->func->shared_bytes + 15) / 16 * 16;
  uint32_t all = kernel->module->dynamic_at;
  return all > own ? all : own;
}

// The function whose address that is, or NULL.
static inline struct vg_code *vg_code_at(struct vg_module *m,
                                         uint64_t address) {
  uint64_t n = (address - VG_WINDOW(VG_SLOT_CODE)) / 16;
  if (address % 16 || n < 1 || n > (uint64_t)m->ptx->func_count ||
      !m->ptx->funcs[n - 1]->code_count)
    return NULL;
  return &m->codes[n - 1];
}

#endif
