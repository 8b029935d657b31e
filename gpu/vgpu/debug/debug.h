// SPDX-License-Identifier: Apache-2.0
// A launch that runs under a debugger: one instruction at a time, by one
// thread of the host, always in an order that can be repeated. Going back is
// running again, from a copy of the memory that the launch began with.
//
// Reading order: debug.c, debug_line.c, debug_go.c, debug_value.c (source
// variables), debug_expr.c (expressions over them), debug_command.c.
#ifndef GPU_VGPU_DEBUG_DEBUG_H
#define GPU_VGPU_DEBUG_DEBUG_H

#include "gpu/debug.h"
#include "gpu/ptx/ptx.h"
#include "gpu/vgpu/insn.h"
#include "gpu/vgpu/launch.h"
#include "gpu/vgpu/machine/machine.h"

struct vg_saved;
struct vg_debug;

// One thread of the launch that somebody looks at.
struct vg_focus {
  uint64_t block; // its number
  uint32_t warp;
  int lane;
};

// Where a thread is: in which of its calls, before which instruction.
struct vg_spot {
  const struct vg_node *node; // NULL: the thread has ended
  const struct vg_frame *frame;
  const struct vg_insn *pc;
  int depth;       // calls that it is in
  vg_mask lanes;   // that are there with it
  bool is_waiting; // for others: at a barrier, or where lanes meet again
  bool is_called;  // pc stands behind a call that has not returned
};

enum { VG_MAX_BREAKS = 64, VG_MAX_WATCHES = 16, VG_MAX_WATCH_BYTES = 16 };

struct vg_break {
  int number; // 0: free
  char file[120];
  int line; // 0: at the beginning of `function`
  char function[120];
  bool has_block, has_thread;
  uint32_t block[3], thread[3];
  char *condition; // or NULL
  uint64_t hits;
  const struct vg_insn **at; // one in each function that has the line
  int at_count;
};

struct vg_debug_watch {
  int number;
  char *text;
  const struct ptx_dtype *type;
  uint64_t address; // generic
  uint64_t block;   // whose shared memory
  uint32_t warp;    // whose local memory
  int lane;
  uint32_t bytes;
  uint8_t old[VG_MAX_WATCH_BYTES];
  bool was_written; // something wrote the bytes in `old`
  bool is_known;    // `old` is; a block that does not run has no shared memory
};

// What was run in which order, so that it can be run again: `count`
// instructions of a warp (of the leaf of `lane`, where it could run), a leaf
// that was taken up or handed over, a block that began.
struct vg_journal_row {
  uint32_t slot;
  uint16_t warp;
  int8_t lane;
  uint8_t kind; // enum vg_journal_kind
  uint64_t count;
};
enum vg_journal_kind {
  VG_DID_STEP,
  VG_DID_TAKE_UP,
  VG_DID_HAND_OVER,
  VG_DID_ADMIT,
};

// A shared variable's type, as the source states it.
enum { VG_MAX_DIMS = 8 };
struct vg_declared {
  struct vg_declared *next;
  char name[64];
  struct ptx_dtype types[VG_MAX_DIMS]; // the outermost first
};

struct vg_debug {
  struct vg_grid *grid; // taken
  struct vg_worker worker;
  struct vg_module *module;
  const struct vg_module *twin; // the same without -G, or NULL
  struct vg_findings *findings;
  struct vg_output muted;
  struct vg_output *output;
  struct vg_saved *saved;
  const _Atomic bool *is_cancelled;
  uint64_t left; // steps that the command may still run, forward or again

  struct vg_block **blocks; // [0, running) run, [running, made) are free
  uint32_t running, made, limit;
  bool is_over;   // all blocks have ended
  uint64_t steps; // instructions of warps that ran
  struct vg_journal_row *journal;
  size_t journal_rows, journal_capacity;
  // Whose turn it is when all go on.
  uint32_t turn_slot, turn_warp;
  int64_t turn_left;
  int seen_findings;

  struct vg_break breaks[VG_MAX_BREAKS];
  struct vg_debug_watch watches[VG_MAX_WATCHES];
  int last_number; // of a break or a watch
  struct vg_declared *declared;
  uint8_t **marks; // of each function: is there a breakpoint, a byte for each
                   // instruction; NULL: none
  struct vg_focus focus;
  struct vg_focus hit; // the thread that came to a breakpoint last,
  uint64_t hit_at;     // and d->steps then
  int level;           // of the focus's calls that is shown; 0: the innermost
  struct gpu_debug_stop stop;
  struct str text; // of the answer
};

// ---- debug.c: the launch and its threads ----

// Takes `g`, whose parameters and sizes are set. ERR_NOMEM when the host has
// no memory for a copy of the device's.
enum err vg_debug_new(struct vg_grid *g, struct vg_debug **out,
                      struct err_info *e);
void vg_debug_free(struct vg_debug *d);

// NULL where the block does not run (any more).
struct vg_block *vg_debug_block(const struct vg_debug *d, uint64_t number);
struct vg_warp *vg_debug_warp(const struct vg_debug *d,
                              const struct vg_focus *f);
// Where the thread is; false when it has ended or its block does not run.
bool vg_debug_spot(const struct vg_debug *d, const struct vg_focus *f,
                   struct vg_spot *out);
// Moves to the call that `spot` was made from; false at the kernel itself.
bool vg_debug_caller(struct vg_spot *spot);

// The host's bytes at a generic address of the thread; NULL where they are not
// all there.
const uint8_t *vg_debug_peek(const struct vg_debug *d, const struct vg_focus *f,
                             uint64_t address, uint64_t bytes);

// Makes the warp's next instruction known (vg_warp_ready), in a way that can
// be repeated.
bool vg_debug_ready(struct vg_debug *d, uint32_t slot, uint32_t warp, int lane);
// Runs it.
void vg_debug_step(struct vg_debug *d, uint32_t slot, uint32_t warp, int lane);
// The leaf has run for a whole turn.
void vg_debug_hand_over(struct vg_debug *d, uint32_t slot, uint32_t warp);
// Finds the warp whose turn it is when all go on, ready to run; false when the
// launch is over.
bool vg_debug_turn(struct vg_debug *d, uint32_t *slot, uint32_t *warp);

// Runs again from the beginning, up to the instruction numbered `until`;
// before each one, `look` is called.
typedef void vg_debug_look(struct vg_debug *d, uint32_t slot, uint32_t warp,
                           void *context);
void vg_debug_replay(struct vg_debug *d, uint64_t until, vg_debug_look *look,
                     void *context);

// ---- debug_command.c ----

// Runs one command; d->text is its answer, d->stop where the launch stands.
enum err vg_debug_command(struct vg_debug *d, const char *text,
                          struct err_info *e);

#endif
