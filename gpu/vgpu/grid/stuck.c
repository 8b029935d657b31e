// SPDX-License-Identifier: Apache-2.0
// Launches that cannot end, proved rather than guessed.
//
// Theory of operation. A warp's next step depends on its registers, its local
// memory, its place in the code, and memory that it shares with others. Each
// group of lanes that runs is led once around its loop, one instruction at a
// time. If it comes back to where it was with the same values, having changed
// no memory and read no clock, and this is so for all groups of all blocks that
// run, while the rest wait at barriers, then nothing will ever be different,
// whoever's turn it is. All steps are ordinary ones: where the proof fails, the
// launch goes on from where they led.
#include "gpu/vgpu/grid/stuck.h"

#include <stdio.h>
#include <string.h>

#include "gpu/vgpu/addresses.h"
#include "gpu/vgpu/check/check.h"
#include "gpu/vgpu/launch.h"
#include "gpu/vgpu/machine/machine.h"
#include "gpu/vgpu/matrix/matrix.h"
#include "gpu/vgpu/memory/memory.h"
#include "gpu/vgpu/ops/ops.h"
#include "gpu/vgpu/run/run.h"

enum { MAX_ROUND = 1 << 13, MAX_BYTES = 32 };

// What a group of lanes does in one round of its loop.
struct round {
  bool is_reporting;
  uint32_t polls;  // reads that see what others write
  uint32_t reads;  // of shared and global memory, these included
  uint32_t global; // of global memory
};

// ---- Bytes at an address ----

static int split(int space, uint64_t *address) {
  if (space != PTX_GENERIC)
    return space;
  uint64_t slot = *address >> VG_SLOT_BITS;
  if (slot != VG_SLOT_SHARED && slot != VG_SLOT_LOCAL)
    return PTX_GLOBAL;
  *address &= VG_WINDOW(1) - 1;
  return slot == VG_SLOT_SHARED ? PTX_SHARED : PTX_LOCAL;
}

// The bytes of memory that other threads can see; NULL where there are none.
static const uint8_t *peek(const struct vg_warp *w, int space, uint64_t at,
                           uint64_t bytes) {
  const struct vg_block *b = w->block;
  space = split(space, &at);
  if (space == PTX_SHARED)
    return at <= b->shared_bytes && bytes <= b->shared_bytes - at
               ? b->shared + at
               : NULL;
  if (space != PTX_GLOBAL)
    return NULL;
  const struct vg_alloc *a = vg_slot(b->grid->memory, at >> VG_SLOT_BITS);
  at &= VG_WINDOW(1) - 1;
  return a && a->data && at <= a->bytes && bytes <= a->bytes - at ? a->data + at
                                                                  : NULL;
}

static bool is_store(const struct ptx_insn *p) {
  return p->op == PTX_OP_ST || p->op == PTX_OP_RED || p->op == PTX_OP_ATOM;
}

// Stores of an instruction, before it runs.
struct before {
  vg_mask lanes;
  int space;
  uint32_t bytes;
  uint64_t at[VG_LANES];
  uint8_t old[VG_LANES][MAX_BYTES];
};

static bool note_before(struct vg_warp *w, const struct vg_insn *i,
                        struct before *b) {
  b->lanes = 0;
  if (!i->ptx || !i->is_main || !is_store(i->ptx))
    return true;
  b->bytes = i->bytes * (i->vec ? i->vec : 1u);
  b->space = i->space;
  if (i->wide || b->bytes > MAX_BYTES)
    return false;
  vg_addresses(w, i, b->at);
  for (int l = 0; l < VG_LANES; l++) {
    const uint8_t *p =
        w->active >> l & 1 ? peek(w, b->space, b->at[l], b->bytes) : NULL;
    if (!p)
      continue; // local memory is looked at as a whole
    b->lanes |= 1u << l;
    memcpy(b->old[l], p, b->bytes);
  }
  return true;
}

static bool has_changed(const struct vg_warp *w, const struct before *b) {
  for (int l = 0; l < VG_LANES; l++)
    if (b->lanes >> l & 1) {
      const uint8_t *p = peek(w, b->space, b->at[l], b->bytes);
      if (!p || memcmp(p, b->old[l], b->bytes) != 0)
        return true;
    }
  return false;
}

// ---- Where a group of lanes is ----

static uint64_t mix(uint64_t h, uint64_t x) {
  h = (h ^ x) * UINT64_C(0x9E3779B97F4A7C15);
  return h ^ h >> 29;
}

static uint64_t mix_bytes(uint64_t h, const uint8_t *p, size_t bytes) {
  uint64_t x = 0;
  for (; bytes >= sizeof x; p += sizeof x, bytes -= sizeof x) {
    memcpy(&x, p, sizeof x);
    h = mix(h, x);
  }
  x = 0;
  if (bytes) // p may be NULL
    memcpy(&x, p, bytes);
  return mix(h, x);
}

// Everything that decides what the leaf that runs does next, but memory that
// it shares.
static uint64_t state_of(const struct vg_warp *w) {
  uint64_t h = mix(0, w->active);
  const struct vg_frame *last = NULL;
  for (const struct vg_node *n = w->leaf; n; n = n->parent) {
    h = mix(h, (uint64_t)(uintptr_t)(n == w->leaf ? w->pc : n->pc));
    h = mix(h, n == w->leaf ? w->active : n->lanes);
    h = mix(h, (uint64_t)(uintptr_t)n->reconverge);
    if (n->frame != last)
      h = mix_bytes(h, n->frame->registers, n->frame->code->register_bytes);
    last = n->frame;
  }
  const struct vg_frame *f = w->leaf->frame;
  size_t local = f->local_base + f->code->frame_bytes;
  for (int l = 0; l < VG_LANES && local; l++)
    if (w->active >> l & 1)
      h = mix_bytes(h, w->local + (size_t)l * w->local_bytes, local);
  return mix_bytes(h, w->bank[VG_UNIFORM],
                   w->uniform ? w->block->grid->code->uniform_bytes : 0);
}

// ---- What is reported ----

// Blocks that have not begun may be what they wait for.
static void say_nobody(const struct vg_grid *g, char *out, size_t size) {
  uint64_t begun = atomic_load(&g->next_block);
  uint64_t more = begun < g->block_count ? g->block_count - begun : 0;
  if (more)
    snprintf(out, size,
             "no thread that runs changes it, and %llu block%s can only begin "
             "when one of these has ended",
             (unsigned long long)more, more == 1 ? "" : "s");
  else
    snprintf(out, size, "no thread that still runs changes it");
}

// A thread that reads one place again and again.
static void report_poll(struct vg_warp *w, const struct vg_insn *i, int lane,
                        uint64_t address, int space) {
  const struct vg_grid *g = w->block->grid;
  const struct ptx_insn *p = i->ptx;
  char text[160];
  struct vg_fault f = {.kind = ERR_DEADLOCK,
                       .access = p->op == PTX_OP_ATOM ? GPU_ATOMIC : GPU_READ,
                       .bytes = i->bytes,
                       .text = text};
  say_nobody(g, text, sizeof text);
  if (p->op == PTX_OP_MBARRIER)
    f.text = "fewer threads arrive there than it waits for";
  if (space == PTX_SHARED) {
    uint32_t base = 0, bytes = 0;
    f.space = GPU_SPACE_SHARED;
    f.variable = vg_shared_name(g, (uint32_t)address, &base, &bytes);
    f.variable = f.variable ? f.variable : i->dynamic;
    f.address = VG_WINDOW(VG_SLOT_SHARED) + address;
    f.base = VG_WINDOW(VG_SLOT_SHARED) + base;
    f.base_bytes = bytes;
  } else {
    int64_t offset;
    struct vg_alloc *a = vg_alloc_near(g->memory, address, &f.base, &offset);
    f.space = GPU_SPACE_GLOBAL;
    f.address = address;
    f.base_bytes = a ? a->bytes : 0;
    f.variable = a ? a->name : NULL;
  }
  vg_report(w, i, lane, &f);
}

static void report_lanes(struct vg_warp *w, const struct vg_insn *i,
                         vg_mask lanes, enum err kind, const char *text) {
  // Proven, unlike a budget that is used up.
  enum gpu_space space = kind == ERR_TIMEOUT ? GPU_SPACE_WARP : GPU_SPACE_NONE;
  struct vg_fault f = {.kind = kind, .space = space, .text = text};
  for (int l = 0; l < VG_LANES; l++)
    if (lanes >> l & 1)
      vg_report(w, i, l, &f);
}

// ---- A round ----

static bool tests_mbarrier(const struct ptx_insn *p) {
  return p->op == PTX_OP_MBARRIER &&
         p->mods & (PTX_MOD_TEST_WAIT | PTX_MOD_TRY_WAIT);
}

// Can the instruction be part of a round that leaves all as it was?
static bool is_idle(const struct vg_insn *i) {
  const struct ptx_insn *p = i->ptx;
  if (i->run == vg_op_clock)
    return false;
  if (!p || is_store(p) || tests_mbarrier(p))
    return true;
  switch (p->op) {
  case PTX_OP_CALL: return i->run == vg_op_call || !i->is_main;
  case PTX_OP_BAR:
  case PTX_OP_BARRIER: return p->sub == PTX_BAR_WARP;
  case PTX_OP_TEX: // memory that no finding could name
  case PTX_OP_TLD4:
  case PTX_OP_SULD:
  case PTX_OP_SUST:
  case PTX_OP_SURED:
  case PTX_OP_STMATRIX:
  case PTX_OP_WMMA:
  case PTX_OP_DISCARD:
  case PTX_OP_TRAP:
  case PTX_OP_BRKPT: return false;
  default: return p->op < PTX_OP_CP || p->op > PTX_OP_GRIDDEPCONTROL;
  }
}

// Takes note of a read; or reports it, where the round before found that these
// are what the lanes wait for.
static void see_read(struct vg_warp *w, const struct vg_insn *i,
                     struct round *r, bool only_polls) {
  const struct ptx_insn *p = i->ptx;
  uint64_t at[VG_LANES];
  bool is_load = p && (p->op == PTX_OP_LD || p->op == PTX_OP_LDU);
  bool is_poll = p && (p->op == PTX_OP_ATOM || tests_mbarrier(p) ||
                       (is_load && p->sem > PTX_WEAK));
  if (!p || !i->is_main || !(is_load || is_poll))
    return;
  if (tests_mbarrier(p))
    i = i->async->barrier;
  if (i->space == PTX_PARAM || i->space == PTX_CONST)
    return;
  vg_addresses(w, i, at);
  for (int l = 0; l < VG_LANES; l++) {
    int space = split(i->space, &at[l]);
    if (!(w->active >> l & 1) || space == PTX_LOCAL)
      continue;
    r->polls += is_poll;
    r->reads++;
    r->global += space == PTX_GLOBAL;
    if (r->is_reporting && (is_poll || !only_polls))
      report_poll(w, i, l, at[l], space);
  }
}

// One instruction; false when the warp got somewhere by it.
static bool step_idly(struct vg_warp *w) {
  struct before b;
  if (!is_idle(w->pc) || !note_before(w, w->pc, &b))
    return false;
  enum vg_stop stop = vg_warp_step(w);
  if (stop == VG_BARRIER)
    vg_barrier_arrive(w);
  return stop == VG_RUNS && !has_changed(w, &b);
}

// Does the lane's group come back to where it is?
static bool goes_around(struct vg_warp *w, int lane, struct round *r) {
  struct round before = *r;
  bool only_polls = r->polls > 0;
  *r = (struct round){.is_reporting = before.is_reporting};
  if (!vg_warp_ready(w, lane) || !(w->active >> lane & 1))
    return false;
  const struct vg_insn *home = w->pc;
  vg_mask lanes = w->active;
  uint64_t state = state_of(w);
  if (before.is_reporting && !before.reads)
    report_lanes(w, home, lanes, ERR_TIMEOUT,
                 "the kernel does not end: each round of this loop leaves "
                 "everything as it was");
  for (int n = 0; n < MAX_ROUND; n++) {
    see_read(w, w->pc, r, only_polls);
    if (!step_idly(w) || !vg_warp_ready(w, lane))
      return false;
    if (w->pc == home && w->active == lanes && state_of(w) == state)
      return true;
  }
  return false;
}

// ---- Warps ----

// Leaves of a warp: those that run, by their lowest lane, and those that wait.
struct groups {
  int count;
  int lane[VG_LANES];
  struct round round[VG_LANES];
};

static void add_group(struct groups *g, const struct vg_node *n,
                      vg_mask lanes) {
  if (lanes && !n->waits_for && !n->barrier && g->count < VG_LANES)
    g->lane[g->count++] = __builtin_ctz(lanes);
}

static void find_groups(const struct vg_warp *w, struct groups *g) {
  memset(g, 0, sizeof *g);
  if (w->leaf)
    add_group(g, w->leaf, w->active);
  for (const struct vg_node *n = w->leaves; n; n = n->next)
    add_group(g, n, n->lanes);
}

static bool rests(const struct vg_warp *w) {
  return !w->live || w->barrier >= 0;
}

// What is known of the blocks that run.
struct proof {
  bool is_turn;  // the steps are a turn of their own (placement.c)
  bool has_loop; // some group of lanes reads and waits
  bool has_idle; // some group's loop does not even read
};

static bool is_warp_stuck(struct vg_warp *w, struct proof *p) {
  const struct vg_grid *grid = w->block->grid;
  struct groups g;
  if (rests(w))
    return true;
  find_groups(w, &g);
  for (int n = 0; n < g.count; n++) {
    struct round *r = &g.round[n];
    if (!goes_around(w, g.lane[n], r))
      return false;
    // Blocks that run side by side may write what this one reads.
    if (r->global && !grid->code->is_ordered && grid->block_count > 1)
      return false;
    p->has_loop |= r->reads > 0;
    p->has_idle |= !r->reads;
  }
  return g.count > 0 && !vg_warp_release(w);
}

static bool is_block_stuck(struct vg_block *b, struct proof *p) {
  bool is_stuck = true;
  if (p->is_turn)
    vg_place_turn(b);
  for (uint32_t n = 0; n < b->warp_count && is_stuck; n++)
    is_stuck = is_warp_stuck(&b->warps[n], p);
  if (p->is_turn)
    vg_place_ran(b, false);
  return is_stuck;
}

static void report_waiting(struct vg_warp *w, const struct vg_node *n) {
  if (n->barrier)
    report_lanes(w, n->barrier, n->lanes, ERR_DEADLOCK,
                 "these threads wait at a barrier that others of their block "
                 "never reach");
  else if (n->waits_for)
    report_lanes(w, n->meet ? n->meet : n->pc - 1, n->lanes, ERR_DEADLOCK,
                 "these threads wait for others of their warp, which never "
                 "come here");
}

// A loop that does nothing is to blame alone; others wait for its threads.
static void report_warp(struct vg_warp *w, const struct proof *p) {
  struct groups g;
  if (!w->live)
    return;
  for (const struct vg_node *n = w->leaves; n && !p->has_idle; n = n->next)
    report_waiting(w, n);
  if (rests(w))
    return;
  find_groups(w, &g);
  for (int n = 0; n < g.count; n++) {
    struct round *r = &g.round[n];
    if (!goes_around(w, g.lane[n], r) || (p->has_idle && r->reads))
      continue;
    r->is_reporting = true;
    goes_around(w, g.lane[n], r);
  }
}

bool vg_stuck_report(struct vg_block *const *blocks, uint32_t count,
                     bool is_turn) {
  struct proof p = {.is_turn = is_turn};
  for (uint32_t n = 0; n < count; n++)
    if (!is_block_stuck(blocks[n], &p))
      return false;
  if (!p.has_loop && !p.has_idle)
    return false;
  for (uint32_t n = 0; n < count; n++)
    for (uint32_t k = 0; k < blocks[n]->warp_count; k++)
      report_warp(&blocks[n]->warps[k], &p);
  return true;
}
