// SPDX-License-Identifier: Apache-2.0
// What the results of a launch are made of: the dynamic data-flow slice back
// from each of them. Only launches that ask for it pay (GPU_LAUNCH_TRACE);
// their blocks run in one thread, their warps one by one.
#ifndef GPU_VGPU_SLICE_SLICE_H
#define GPU_VGPU_SLICE_SLICE_H

#include "gpu/vgpu/addresses.h"
#include "gpu/vgpu/insn.h"
#include "gpu/vgpu/machine/machine.h"
#include "gpu/vgpu/state.h"

// What is known of a value: a number of the launch's list of facts (0: no load
// is behind it), and the longest chain of arithmetic that led to it.
struct vg_slice_value {
  uint32_t fact, chain;
};

// ---- slice_facts.c: sets of facts, each kept once ----

struct vg_slice_facts;

struct vg_slice_fact {
  uint32_t flags; // enum gpu_block_made
  uint32_t set;   // threads of the block that loaded
  uint32_t node;  // of what blocks had written to global memory before
};

struct vg_slice_facts *vg_facts_new(uint32_t threads);
void vg_facts_free(struct vg_slice_facts *f);
// How much was ever added: work that somebody pays for.
uint64_t vg_facts_work(const struct vg_slice_facts *f);

uint32_t vg_fact(struct vg_slice_facts *f, struct vg_slice_fact x);
// Of two that are not 0 and not the same.
uint32_t vg_fact_union_of(struct vg_slice_facts *f, uint32_t a, uint32_t b);
static inline uint32_t vg_fact_union(struct vg_slice_facts *f, uint32_t a,
                                     uint32_t b) {
  if (a == b || !b)
    return a;
  return a ? vg_fact_union_of(f, a, b) : b;
}
uint32_t vg_fact_of_thread(struct vg_slice_facts *f, uint32_t thread);
// Of all threads; 0 where it was not asked for yet.
const uint32_t *vg_facts_of_threads(const struct vg_slice_facts *f);
// One that has flags alone.
uint32_t vg_fact_of_flags(struct vg_slice_facts *f, uint32_t flags);

// A node is what lies in global memory: one block's value, or several joined by
// atomics. Numbers are from 1; 0 is what was there before the launch.
uint32_t vg_node_value(struct vg_slice_facts *f, uint32_t block,
                       struct vg_slice_value v);
uint32_t vg_node_union(struct vg_slice_facts *f, uint32_t a, uint32_t b);
// Is it one value of that block's? Then it is in `v`.
bool vg_node_is_own(const struct vg_slice_facts *f, uint32_t node,
                    uint32_t block, struct vg_slice_value *v);

void vg_facts_mark(struct vg_slice_facts *f, uint32_t node);
// Adds to `set` that of a fact, and those of all values that stand behind it and
// behind what was marked.
void vg_facts_collect(struct vg_slice_facts *f, uint32_t fact, uint64_t *set);
// Adds up what was marked, for `blocks` blocks.
void vg_facts_sum(struct vg_slice_facts *f, struct vg_slice_sum *out,
                  uint64_t blocks);

// ---- slice_cells.c and slice_global.c: facts of registers and memory ----

struct vg_slice_cell { // of a byte of shared memory
  struct vg_slice_value v;
  uint32_t passed; // barriers of the block before it was written
  uint32_t writer; // thread + 1; 0: none
  bool is_copied;  // asynchronously: nobody has held it in a register yet
};
enum { VG_SLICE_MANY = UINT32_MAX }; // several threads' atomics

struct vg_slice {
  struct vg_grid *grid;
  struct vg_slice_facts *facts;
  uint32_t **rows; // of each function: the number of the row at a place / 4
  uint32_t *row_counts;
  struct vg_slice_array { // of global memory: a value (a node) for each byte
    uint64_t slot, bytes;
    struct vg_slice_value *cells;
    uint8_t *pages; // of cells, a bit each: somebody pays for it
    struct vg_alloc *alloc;
    bool is_written;
  } * arrays;
  int array_count;
  int recent;       // of the arrays: what was reached last
  bool *ran_atomic; // of each block
  uint64_t charged;
  uint64_t local_bytes, most_local_bytes; // of cells: now, and at once
  // What instructions that move memory on their own read and will write.
  struct vg_slice_value read[VG_LANES], write[VG_LANES];
  bool is_copying; // what is written next is an asynchronous copy's
  struct vg_feeds
      *feeds; // facts are of loads, not of threads (feeds.h); or NULL
  // What is done about each instruction (slice_plan.c), of each function where any
  // has run; and of the function that ran last.
  struct vg_slice_plan **plans;
  const struct vg_slice_plan *plan;
  const struct vg_code *planned;
};

struct vg_slice *vg_slice_new(struct vg_grid *g);
void vg_slice_free(struct vg_slice *s); // NULL is fine
void vg_slice_begin(struct vg_block *b);
void vg_slice_block_free(struct vg_block *b);
void vg_slice_warp_free(struct vg_warp *w);
void vg_slice_frame_free(struct vg_frame *f);

// A register of a frame; VG_NOWHERE and other banks have no facts.
bool vg_slice_any(const struct vg_warp *w, const struct vg_frame *f,
                  vg_place p);
struct vg_slice_value vg_slice_get(const struct vg_warp *w,
                                   const struct vg_frame *f, vg_place p,
                                   int lane);
void vg_slice_put(struct vg_warp *w, struct vg_frame *f, vg_place p, int lane,
                  struct vg_slice_value v);
// Those of all lanes; NULL: none has any.
const struct vg_slice_value *vg_slice_row(const struct vg_warp *w,
                                          const struct vg_frame *f, vg_place p);
void vg_slice_put_row(struct vg_warp *w, struct vg_frame *f, vg_place p,
                      vg_mask m, const struct vg_slice_value v[VG_LANES]);
// What the lanes `m` have in a row of `from`, into the same row of `to`.
void vg_slice_move(struct vg_warp *w, struct vg_frame *to,
                   const struct vg_frame *from, vg_place p, vg_mask m);

static inline struct vg_slice_value vg_slice_join(struct vg_slice *s,
                                                  struct vg_slice_value a,
                                                  struct vg_slice_value b) {
  return (struct vg_slice_value){vg_fact_union(s->facts, a.fact, b.fact),
                                 a.chain > b.chain ? a.chain : b.chain};
}

// What a lane reads at an address of a space, as a load by it; and what its
// store leaves there.
struct vg_slice_value vg_slice_load(struct vg_warp *w, int lane, int space,
                                    uint64_t address, uint32_t bytes,
                                    uint32_t flags);
void vg_slice_store(struct vg_warp *w, int lane, int space, uint64_t address,
                    uint32_t bytes, struct vg_slice_value v);
// The same of a warp's lanes `m`.
void vg_slice_load_row(struct vg_warp *w, vg_mask m, int space,
                       struct vg_spans s, uint32_t flags,
                       struct vg_slice_value v[VG_LANES]);
void vg_slice_store_row(struct vg_warp *w, vg_mask m, int space,
                        struct vg_spans s,
                        const struct vg_slice_value v[VG_LANES]);
// An asynchronous copy has stored there: who reads shared memory then loads it.
void vg_slice_copied(struct vg_warp *w, int space, uint64_t address,
                     uint32_t bytes);
// A phase of an mbarrier has ended: a barrier like any other.
void vg_slice_phase(struct vg_block *b);
// The same for an atomic; one that writes leaves nothing of what was there.
void vg_slice_update(struct vg_warp *w, int lane, int space, struct vg_span s,
                     struct vg_slice_value v);

// The fact of what the instruction that runs stands under (feeds.h); 0 where
// nobody asks.
uint32_t vg_slice_control(const struct vg_slice *s);

// Arguments and results of calls, in local memory.
void vg_slice_copy_local(struct vg_warp *w, int lane, uint32_t to,
                         uint32_t from, uint32_t bytes);
void vg_slice_clear_local(struct vg_warp *w, int lane, uint32_t at,
                          uint32_t bytes);

// The launch has ended: what stands behind what it left in the host's arrays,
// one row a block; the caller frees it. NULL: that was not asked for.
struct vg_slice_sum *vg_slice_end(struct vg_slice *s);
// Marks all that it left there.
void vg_slice_mark_results(struct vg_slice *s);

// ---- slice.c: what instructions make of facts ----

// One instruction: before it runs, while its registers are as it finds them,
// and after, if it says so.
struct vg_slice_step {
  const struct vg_insn *i;
  struct vg_frame *frame;
  vg_mask m;
  int count;                            // of targets
  const struct vg_slice_value *from[4]; // of the sources, or NULL
  bool is_atomic, is_matrix, may_drown;
  vg_place to[VG_MAX_VECTOR];
  struct vg_slice_value v[VG_MAX_VECTOR][VG_LANES];
  struct vg_slice_value matrix[VG_MAX_VECTOR][VG_LANES]; // slice_matrix.c
  struct vg_slice_value operand[VG_LANES];               // of an atomic
  uint64_t address[VG_LANES], expected[VG_LANES];        // or two sources' bits
};
bool vg_slice_before(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                     struct vg_slice_step *x);
void vg_slice_after(struct vg_warp *w, struct vg_slice_step *x);
// slice_matrix.c: the same for matrix instructions.
void vg_slice_before_matrix(struct vg_warp *w, struct vg_slice_step *x);
void vg_slice_after_matrix(struct vg_warp *w, struct vg_slice_step *x);

// ---- slice_lanes.c ----

// What lanes hand each other, by the handler once all have come: lane l gets
// that of from[l], all of them everything where `from` is NULL.
void vg_slice_exchange(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                       const uint8_t from[VG_LANES]);
// What vg_read_lanes and vg_write_lanes move (lanes_memory.c).
void vg_slice_read_lanes(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                         const uint64_t a[VG_LANES], uint32_t bytes);
void vg_slice_write_lanes(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                          const uint64_t a[VG_LANES], uint32_t bytes);
// What an asynchronous copy of that lane read since it was asked last, and
// what it will write next.
struct vg_slice_value vg_slice_was_read(struct vg_warp *w, int lane);
void vg_slice_will_write(struct vg_warp *w, int lane, struct vg_slice_value v);
// ---- slice_cells.c ----

// A vote of the whole block (bar.red): what came, and what all get.
void vg_slice_vote(struct vg_warp *w, const struct vg_node *n, vg_place p,
                   int barrier);
void vg_slice_voted(struct vg_warp *w, const struct vg_node *n, vg_place p,
                    int barrier);
void vg_slice_vote_end(struct vg_block *b, int barrier);

// ---- feeds.c ----

// After the launch: of the function's instruction, does it load, and has no
// result anything of it?
bool vg_feeds_is_unused(struct vg_slice *s, int function,
                        const struct ptx_insn *p);

#endif
