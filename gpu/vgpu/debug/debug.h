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
#include "gpu/ptx/ptx_debug.h"
#include "gpu/vgpu/check/findings.h"
#include "gpu/vgpu/insn.h"
#include "gpu/vgpu/launch.h"
#include "gpu/vgpu/machine/output.h"

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
  struct vg_findings findings;
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

// ---- debug_line.c: source lines and breakpoints ----

// Has the instruction a line in the learner's own source?
bool vg_debug_is_own(const struct vg_debug *d, const struct vg_insn *i);
const char *vg_debug_file(const struct vg_debug *d, const struct vg_insn *i);
int vg_debug_line(const struct vg_insn *i);
// The function that the instruction is part of.
const struct vg_code *vg_debug_code(const struct vg_debug *d,
                                    const struct vg_insn *i);
// The instruction that a function's body begins with, behind its parameters.
const struct vg_insn *vg_debug_body(const struct vg_code *c);
// A function's name in the source.
const char *vg_debug_function(const struct vg_code *c);

// Finds the instructions of a breakpoint at b->file and b->line, or at
// b->function, and puts the line that it stands at into b->line. ERR_NOT_FOUND
// says what there is.
enum err vg_break_place(struct vg_debug *d, struct vg_break *b,
                        struct err_info *e);
void vg_break_clear(struct vg_debug *d, struct vg_break *b);
// The breakpoint that the warp, ready to run, has come to; its lane that meets
// the condition becomes *lane.
struct vg_break *vg_break_hit(struct vg_debug *d, struct vg_warp *w, int *lane);
// Is the condition, if there is one, true for the lane? (debug_expr.c)
bool vg_break_holds(struct vg_debug *d, const struct vg_break *b,
                    const struct vg_warp *w, int lane);

// ---- debug_watch.c: memory that is looked at ----

// What is known before a step that may change it.
struct vg_debug_watched {
  const struct vg_warp *warp; // NULL: it changes nothing
  uint64_t block;
  uint32_t number; // the warp's
  vg_mask lanes;
  uint32_t bytes;
  uint64_t at[VG_LANES]; // generic addresses of its stores
};
// Takes note of the value, so that a change shows.
void vg_debug_watch_note(struct vg_debug *d, struct vg_debug_watch *x);
void vg_debug_watch_before(struct vg_debug *d, struct vg_warp *w,
                           struct vg_debug_watched *out);
// The number of the watch that saw a change, 0 for none; the thread that made
// it comes into focus.
int vg_debug_watch_after(struct vg_debug *d,
                         const struct vg_debug_watched *before);

// ---- debug_go.c: forward and back ----

enum vg_debug_how {
  VG_DEBUG_CONTINUE,
  VG_DEBUG_START,   // to the first line of the kernel's body
  VG_DEBUG_STEP,    // to another line
  VG_DEBUG_NEXT,    // likewise, over calls
  VG_DEBUG_STEPI,   // one instruction
  VG_DEBUG_FINISH,  // until the function returns
  VG_DEBUG_BARRIER, // to the next barrier
};
// Gives a command its steps.
void vg_debug_allow(struct vg_debug *d);
// Runs until something stops it; d->stop says what.
void vg_debug_go(struct vg_debug *d, enum vg_debug_how how);
// Goes back to the line before (with `over`, of the same function or its
// callers), or to the breakpoint that was hit last.
void vg_debug_back(struct vg_debug *d, bool over);
void vg_debug_reverse_continue(struct vg_debug *d);
// Shows the level-th caller of the thread in focus; false: there is none.
bool vg_debug_select(struct vg_debug *d, int level);
// Says where the focus stands.
void vg_debug_fill_stop(struct vg_debug *d, enum gpu_debug_reason why);

// ---- debug_show.c: answers about variables, added to d->text ----

// `is_plain`: "name = value" lines for a program to read.
enum err vg_show_locals(struct vg_debug *d, bool is_plain, struct err_info *e);
enum err vg_show_expression(struct vg_debug *d, const char *text, bool is_plain,
                            struct err_info *e);
// Its bits: "mask = 0xff".
enum err vg_show_hex(struct vg_debug *d, const char *text, struct err_info *e);
// Its value in each lane of the warp in focus.
enum err vg_show_lanes(struct vg_debug *d, const char *text,
                       struct err_info *e);
enum err vg_show_shared(struct vg_debug *d, const char *args,
                        struct err_info *e);
enum err vg_add_watch(struct vg_debug *d, const char *text, struct err_info *e);
void vg_show_change(struct vg_debug *d, const struct vg_debug_watch *w,
                    const uint8_t *now);

// ---- debug_command.c ----

// Runs one command; d->text is its answer, d->stop where the launch stands.
enum err vg_debug_command(struct vg_debug *d, const char *text,
                          struct err_info *e);

#endif
