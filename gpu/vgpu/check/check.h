// SPDX-License-Identifier: Apache-2.0
// All that the engine's other rooms know of this one, whose other headers are its
// own: what happens is told here (vg_on_*), and what is wrong is reported.
#ifndef GPU_VGPU_CHECK_CHECK_H
#define GPU_VGPU_CHECK_CHECK_H

#include "gpu/gpu.h"
#include "gpu/vgpu/addresses.h"
#include "gpu/vgpu/check/race_spy.h" // inline, for the wide handlers
#include "gpu/vgpu/check/share.h"    // where others run blocks
#include "gpu/vgpu/function.h"
#include "gpu/vgpu/insn.h"
#include "gpu/vgpu/state.h"

struct vg_memory;
struct vg_alloc;

// ---- One mistake: findings.c ----

// Where in which address space an access went wrong.
struct vg_fault {
  enum err kind;
  enum gpu_severity severity;
  enum gpu_space space;
  enum gpu_access access;
  uint64_t address, base, base_bytes;
  uint32_t bytes;
  const char *variable, *text; // or NULL
  const struct vg_insn *other; // the second party, or NULL
  uint32_t other_block, other_thread;
  enum gpu_access other_access;
  uint32_t interval, first; // of a race, as what the two wrote or read
  struct gpu_seen seen, other_seen;
};

// One thread's mistake at `i`.
void vg_report_thread(const struct vg_grid *g, uint64_t block, uint32_t thread,
                      const struct vg_insn *i, const struct vg_fault *f);
void vg_report(struct vg_warp *w, const struct vg_insn *i, int lane,
               const struct vg_fault *f);

// ---- The mistakes of a device's launches: findings.c ----

struct vg_findings;

struct vg_findings *vg_findings_new(void);
void vg_findings_free(struct vg_findings *v); // NULL is fine
void vg_findings_clear(struct vg_findings *v);
int vg_findings_count(const struct vg_findings *v);
// The one that came last; false when there is none.
bool vg_findings_last(const struct vg_findings *v, struct gpu_finding *out);
// Most severe first; the same whatever ran in parallel. Forgets them.
int vg_findings_take(struct vg_findings *v, struct gpu_finding *out, int max);

// ---- A launch, its blocks and host threads: check.c ----

// Before the blocks run; `is_exact`: all is looked at closely at once. False
// when they must not run in parallel, since there is no memory to start over, or
// since it is to be exact. A launch in which nothing can go wrong (g->flat) is
// not watched.
bool vg_on_launch(struct vg_grid *g, bool is_exact);
// Something was seen that only a closer look can tell: the launch is of no use,
// and is to run again. Always the same of the same launch.
bool vg_is_suspicious(const struct vg_grid *g);
// It does: memory is as it was when the launch began; from now on all is exact.
void vg_on_again(struct vg_grid *g);
// After the blocks ran. Where nothing was checked, what it may write counts as
// written.
void vg_on_end(struct vg_grid *g);

// What a block needs to be looked at, for all that run in its place.
void vg_on_block_new(struct vg_block *b);
void vg_on_block_free(struct vg_block *b);
// A block begins: its memory and registers are new. It has ended, with its
// host thread.
void vg_on_block(struct vg_block *b);
void vg_on_block_end(struct vg_block *b);
void vg_on_worker_end(struct vg_worker *k);

// ---- What comes before what: order.c ----

// All threads of the block pass a barrier, some lanes pass bar.warp.sync,
// execute a fence.
void vg_on_barrier(struct vg_block *b);
void vg_on_sync(struct vg_warp *w, vg_mask m);
void vg_on_fence(struct vg_warp *w, const struct vg_insn *i, vg_mask m);
// Volatile accesses and atomics, before they are checked: what they tell
// others, and what they learn.
void vg_on_strong(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                  const uint64_t a[VG_LANES], enum gpu_access access);

// ---- Shared memory: race_shared.c ----

// One lane's access to shared memory that lies inside it, before it is done;
// the same for an atomic, whose address is that of the instruction's space.
void vg_on_shared(struct vg_warp *w, const struct vg_insn *i, int lane,
                  uint32_t offset, uint32_t bytes, enum gpu_access access);
void vg_on_shared_atomic(struct vg_warp *w, const struct vg_insn *i, int lane,
                         struct vg_span s, uint32_t offset);
// One lane sends for a copy to there, which may land at any time until the lane
// has waited for it. Using the place is told by vg_on_shared when it does.
void vg_on_shared_send(struct vg_warp *w, const struct vg_insn *i, int lane,
                       uint32_t offset, uint32_t bytes);
// Reads of 4 bytes by all lanes of `m`, where nothing is to be said of them;
// gives the lanes that must be looked at one by one.
vg_mask vg_on_shared_words(struct vg_warp *w, const struct vg_insn *i,
                           vg_mask m, const uint32_t offset[VG_LANES]);
// Lanes in a row, `s` being the first one's, or all at one place; false when
// each must be looked at.
bool vg_on_shared_row(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                      struct vg_span s, enum vg_pattern pattern);
// Were all these bytes written?
bool vg_is_shared_defined(const struct vg_block *b, uint32_t offset,
                          uint32_t bytes);
// The shared variable at an offset, NULL for dynamic memory
// that has several names, and its extent.
const char *vg_shared_name(const struct vg_grid *g, uint32_t offset,
                           uint32_t *base, uint32_t *bytes);

// ---- Global memory: watch.c ----

// An access of the lanes `m`, at their offsets into an allocation that is watched
// (a->watched), before it is done.
void vg_on_global(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                  const struct vg_alloc *a, struct vg_spans s);
// The same for lanes in a row, of which `s` is the first one's, and for
// lanes that all read one element.
void vg_on_global_row(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                      const struct vg_alloc *a, struct vg_span s,
                      enum vg_pattern pattern);
// The same for an element that a texture reads, which need not see anything
// that the launch writes.
void vg_on_fetch(struct vg_warp *w, const struct vg_insn *i, int lane,
                 const struct vg_alloc *a, uint64_t offset, uint32_t bytes);
// Memory that the kernel itself asked for.
void vg_on_malloc(struct vg_grid *g, uint64_t address);

// ---- Undefined values: taint*.c ----

// As i->run(w, i, m), in a warp that has undefined values in registers.
void vg_check_run(struct vg_warp *w, const struct vg_insn *i, vg_mask m);
// Says of the lanes whose guard is undefined that it decides.
void vg_on_guard(struct vg_warp *w, const struct vg_insn *i);

// A frame of registers begins for the lanes `m`: those that may be read before
// they are written get the same poison every time, and are undefined.
void vg_on_frame(struct vg_warp *w, struct vg_frame *f, vg_mask m);
void vg_on_frame_end(struct vg_warp *w, struct vg_frame *f);
// What is undefined of the lanes `m` in a row of `from`, into that of `to`.
void vg_on_hand_over(struct vg_warp *w, struct vg_frame *to,
                     struct vg_frame *from, vg_place p, vg_mask m);

// A load that was allowed touched undefined bytes (w->has_undefined): its
// registers are undefined there.
void vg_on_load(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                const uint64_t a[VG_LANES]);
// A load that was not allowed: of what its registers get nothing more is said.
void vg_on_load_refused(struct vg_warp *w, const struct vg_insn *i, vg_mask m);
// What lanes hand each other: called by the handler, once all have come; `from`
// is each one's source, NULL where all make one result.
void vg_on_exchange(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                    const uint8_t from[VG_LANES]);
// What the lanes `m` got of lanes that took no part.
void vg_on_absent(struct vg_warp *w, const struct vg_insn *i, vg_mask m);
// An exchange is about to be done at each lane's address: what it brings back is
// as undefined as the cell was, which is written without being looked at.
void vg_on_swap(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                const uint64_t a[VG_LANES], uint32_t bytes);
// One undefined value that is used at once, such as an argument of printf.
void vg_on_use(struct vg_warp *w, const struct vg_insn *i, int lane, int space,
               struct vg_span s, const char *role);

// Undefined bits of up to 16 bytes that each lane has read, and the notes that
// say where they come from.
struct vg_lane_marks {
  bool any; // else the rest means nothing
  uint8_t bits[VG_LANES][16];
  uint32_t note[VG_LANES];
};
// A lane has read bytes that are undefined perhaps: adds what is; without marks
// nothing more is known of what goes through the instruction.
void vg_on_lane_read(struct vg_warp *w, const struct vg_insn *i, int lane,
                     struct vg_span s, struct vg_lane_marks *marks);
// A load has written the register at `p`: this is undefined of it.
void vg_on_marked(struct vg_warp *w, vg_place p, vg_mask m,
                  const uint64_t bits[VG_LANES], const uint32_t note[VG_LANES]);
// What wmma.store has written of each lane's register: `bytes` bytes of it, from
// byte `from` on.
struct vg_part {
  vg_place of;
  uint32_t from, bytes;
};
void vg_on_stored(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                  struct vg_part part, const uint64_t a[VG_LANES]);
// A lane has discarded bytes of global memory.
void vg_on_discard(struct vg_warp *w, const struct vg_insn *i, int lane,
                   uint64_t at);

// Bits of the undefined bytes of up to 32 bytes of memory that exists; the
// address is one of the space `space`.
uint32_t vg_undefined_bytes(struct vg_warp *w, int lane, int space,
                            uint64_t address, uint32_t bytes);
// Is anything undefined of a lane's register?
bool vg_is_undefined(struct vg_warp *w, const struct vg_frame *f, vg_place p,
                     int lane);
// Has all of a map with a byte for each byte been written?
static inline bool vg_is_whole(const uint8_t *map, uint32_t bytes) {
  uint8_t bad = 0;
  for (uint32_t b = 0; b < bytes; b++)
    bad |= map[b] ^ 1;
  return !bad;
}

// The host copies from array to array, and to itself: is anything to be said?
// The finding's severity says how bad it is. What nothing wrote is poison in
// `host`, to which the bytes were copied.
void vg_on_host_copy(struct vg_memory *m, struct vg_alloc *to,
                     uint64_t to_offset, const struct vg_alloc *from,
                     uint64_t from_offset, uint64_t bytes);
bool vg_on_host_read(struct vg_memory *m, uint64_t address, uint64_t bytes,
                     void *host, struct gpu_finding *out);

// ---- Single instructions: divide.c, sleep.c ----

// Lanes of `m` that divide by zero; that ask for more than a millisecond.
void vg_on_division(struct vg_warp *w, const struct vg_insn *i, vg_mask m);
void vg_on_sleep(struct vg_warp *w, const struct vg_insn *i, vg_mask m);
// Marks the divisions that no source has.
void vg_find_trip_counts(struct vg_code *c);

// ---- Where the learner's own code stands behind a header's: site.c ----

struct vg_sites; // of a module

struct vg_sites *vg_sites_new(void);
void vg_sites_free(struct vg_sites *s); // NULL is fine
// Has the function only lines of the toolkit's headers?
bool vg_site_is_foreign(const struct vg_code *c);
// What the frame of a function keeps, which the instruction `call` calls.
const struct vg_insn *vg_site_of_call(const struct vg_frame *caller,
                                      const struct vg_insn *call,
                                      const struct vg_code *callee);
// The instruction that a lane runs as a finding tells of it: of a header's
// function, the same with the place of the learner's line that called it. The
// lane may have got elsewhere, or may have ended.
const struct vg_insn *vg_site_of_lane(const struct vg_warp *w, int lane,
                                      const struct vg_insn *i);

#endif
