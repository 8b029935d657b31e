// SPDX-License-Identifier: Apache-2.0
// A warp: lanes that run together, diverge and meet again.
//
// Theory of operation. The lanes of a warp form a tree of nodes. Leaves run,
// one at a time; an inner node holds the place (`pc`) where the lanes below it
// meet again, which is the immediate post-dominator of the branch that they
// parted at. When the last child of an inner node has gone, the node becomes a
// leaf itself and goes on with all its lanes. That is the classic stack of
// post-dominators (Fung et al., MICRO 2007), except that any leaf may run: a
// leaf that waits for lanes of another (bar.warp.sync, a barrier in divergent
// code) steps aside, and one that spins hands over when its turn ends. When
// lanes that already wait to meet a spinning leaf could free it, the inner node
// is given up (early release), so a lock between lanes of a warp gets on.
//
// PTX ISA: "Independent Thread Scheduling".
#include "gpu/vgpu/run/warp.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/vgpu/check/check.h"
#include "gpu/vgpu/cost.h"
#include "gpu/vgpu/count/count.h"
#include "gpu/vgpu/launch.h"
#include "gpu/vgpu/matrix/matrix.h"
#include "gpu/vgpu/run/run.h"
#include "gpu/vgpu/slice/slice.h"

// Instructions of a turn, shorter for a warp whose lanes have parted, and turns
// after which a leaf is thought to spin on lanes that wait for it.
enum { TURN = 4096, PARTED_TURN = 512, SPINNING_TURNS = 8 };
// Of a warp, by vg_warp_part: each costs what the warp does.
enum { MOST_PARTS = 4 };

// ---- Nodes ----

struct vg_node *vg_node_new(struct vg_warp *w) {
  struct vg_node *n = w->free_nodes;
  if (n)
    w->free_nodes = n->next;
  else
    n = xmalloc(sizeof *n);
  memset(n, 0, sizeof *n);
  return n;
}

void vg_node_free(struct vg_warp *w, struct vg_node *n) {
  n->next = w->free_nodes;
  w->free_nodes = n;
}

// ---- Which leaf runs ----

// Books the instructions that ran since the last time.
static void settle(struct vg_warp *w) {
  if (w->fuel < 0)
    w->fuel = 0;
  uint32_t ran = (uint32_t)(w->turn - w->fuel);
  w->leaf->count += ran;
  w->block->executed += ran;
  w->block->instructions += ran;
  w->turn = w->fuel;
}

void vg_warp_save(struct vg_warp *w) {
  settle(w);
  w->leaf->pc = w->pc;
  w->leaf->lanes = w->active;
}

void vg_warp_load(struct vg_warp *w, struct vg_node *n) {
  w->leaf = n;
  w->pc = n->pc;
  w->reconverge = n->reconverge;
  w->active = n->lanes;
  w->bank[VG_REGISTERS] = n->frame->registers;
  w->bank[VG_CONSTANTS] = n->frame->code->constants;
}

void vg_stop_turn(struct vg_warp *w, enum vg_stop why) {
  settle(w);
  w->turn = w->fuel = 0;
  w->stop = why;
}

void vg_warp_wait(struct vg_warp *w) {
  w->leaf->full_turns |= SPINNING_TURNS - 1;
  w->block->waits++;
  w->block->executed += VG_WAIT_COST;
  vg_stop_turn(w, VG_RUNS);
}

void vg_warp_poll(struct vg_warp *w) {
  if (!w->leaf)
    return;
  w->block->waits++;
  w->block->executed += VG_WAIT_COST;
  vg_stop_turn(w, VG_RUNS);
}

// No leaf runs, which ends the turn.
static void rest(struct vg_warp *w) {
  w->leaf = NULL;
  w->reconverge = NULL;
  w->active = 0;
  w->turn = w->fuel = 0;
}

// Takes up a leaf that can run. The one that ran is in w->leaves by now, or
// has gone.
static void next_leaf(struct vg_warp *w) {
  for (;;) {
    if (!w->leaves) {
      rest(w);
      return;
    }
    struct vg_node **p = &w->leaves;
    while (*p && vg_node_is_waiting(*p))
      p = &(*p)->next;
    if (*p) {
      struct vg_node *n = *p;
      *p = n->next;
      vg_warp_load(w, n);
      return;
    }
    if (vg_warp_release_synced(w) || vg_warp_run_met(w)) {
      vg_warp_join_leaves(w);
      continue;
    }
    if (vg_warp_all_at_barrier(w)) {
      rest(w);
      return;
    }
    if (!vg_warp_release_early(w, true))
      vg_warp_report_never_come(w);
  }
}

// Puts the leaf that runs last in the row of the others.
static void park(struct vg_warp *w) {
  vg_warp_save(w);
  struct vg_node **end = &w->leaves;
  while (*end)
    end = &(*end)->next;
  w->leaf->next = NULL;
  *end = w->leaf;
}

// Steps aside for the other leaves of the warp.
void vg_warp_step_aside(struct vg_warp *w) {
  park(w);
  next_leaf(w);
}

// The leaf's lanes have all gone elsewhere: drops it, and its parent becomes a
// leaf when that was the last child.
static void end_leaf(struct vg_warp *w) {
  settle(w);
  struct vg_node *n = w->leaf;
  for (;;) {
    struct vg_node *up = n->parent;
    uint64_t count = n->count;
    vg_node_free(w, n);
    if (!up)
      break;
    if (up->count < count)
      up->count = count;
    if (--up->children > 0)
      break;
    if (up->callee) {
      vg_warp_take_result(w, up, up->lanes);
      vg_frame_free(w, up->callee);
      up->callee = NULL;
    }
    if (up->lanes) {
      up->next = w->leaves;
      w->leaves = up;
      break;
    }
    n = up;
  }
  next_leaf(w);
}

// ---- What the control handlers ask for ----

struct vg_node *vg_node_child(struct vg_warp *w, struct vg_node *parent,
                              vg_mask lanes, const struct vg_insn *pc,
                              const struct vg_insn *reconverge,
                              uint64_t count) {
  struct vg_node *n = vg_node_new(w);
  n->parent = parent;
  n->lanes = lanes;
  n->pc = pc;
  n->reconverge = reconverge;
  n->frame = w->leaf->frame;
  n->count = count;
  if (parent)
    parent->children++;
  return n;
}

static void add_leaf(struct vg_warp *w, struct vg_node *n) {
  n->next = w->leaves;
  w->leaves = n;
}

// Sends the lanes `away` to `pc` and the rest on, to meet again at `meet`.
static void diverge(struct vg_warp *w, vg_mask away, const struct vg_insn *pc,
                    const struct vg_insn *meet) {
  w->block->executed += VG_BRANCH_COST;
  vg_warp_save(w);
  struct vg_node *self = w->leaf;
  vg_mask stay = w->active & ~away;
  const struct vg_insn *on = w->pc;
  struct vg_node *parent = self->parent;
  if (meet != w->reconverge || !parent) {
    self->pc = meet;
    parent = self;
  }
  if (on != meet)
    add_leaf(w, vg_node_child(w, parent, stay, on, meet, self->count));
  if (pc != meet)
    add_leaf(w, vg_node_child(w, parent, away, pc, meet, self->count));
  if (parent != self) {
    // Its children took its place under the same parent.
    parent->children--;
    vg_node_free(w, self);
  }
  next_leaf(w);
}

static bool ends_kernel(const struct vg_warp *w, const struct vg_insn *i) {
  return i->is_return && w->leaf->frame == w->root;
}

void vg_warp_branch(struct vg_warp *w, const struct vg_insn *i, vg_mask taken) {
  if (taken == w->active || i->target == w->pc) { // all go the same way
    w->pc = i->target;
    return;
  }
  if (ends_kernel(w, i->target) || ends_kernel(w, i + 1))
    w->leaving = i;
  if (i->reconverge == w->reconverge && i->target == w->reconverge)
    w->active &= ~taken; // they wait at the parent, which knows them
  else if (i->reconverge == w->reconverge && w->pc == w->reconverge) {
    w->active = taken;
    w->pc = i->target;
  } else
    diverge(w, taken, i->target, i->reconverge);
}

void vg_warp_scatter(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                     const struct vg_insn *to) {
  if (m == w->active) {
    w->pc = to;
    return;
  }
  w->pc = i;
  w->is_put_off = true;
  diverge(w, m, to, i->reconverge);
}

// Runs the instruction again, once for the lanes `m` and once for the others.
void vg_warp_split(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  const struct vg_insn *next = w->pc;
  w->pc = i;
  w->is_put_off = true;
  diverge(w, m, i, next);
}

static int leaf_count(const struct vg_warp *w) {
  int count = 1;
  for (const struct vg_node *n = w->leaves; n; n = n->next)
    count++;
  return count;
}

void vg_warp_part(struct vg_warp *w, vg_mask some) {
  vg_mask all = w->active;
  if (!(all & some) || !(all & ~some) || w->leaf->frame != w->root ||
      leaf_count(w) >= MOST_PARTS)
    return;
  const struct vg_insn *on = w->pc;
  uint64_t count = w->leaf->count;
  for (struct vg_node *n = w->leaf->parent; n; n = n->parent)
    n->lanes &= ~all; // nobody waits for them where branches meet
  add_leaf(w, vg_node_child(w, NULL, all & some, on, NULL, count));
  add_leaf(w, vg_node_child(w, NULL, all & ~some, on, NULL, count));
  w->active = 0;
  end_leaf(w);
}

void vg_warp_return(struct vg_warp *w, vg_mask m) {
  for (struct vg_node *n = w->leaf->parent; n && !n->callee; n = n->parent)
    n->lanes &= ~m;
  w->active &= ~m;
  if (!w->active)
    end_leaf(w);
}

void vg_warp_exit(struct vg_warp *w, const struct vg_insn *at, vg_mask m) {
  for (struct vg_node *n = w->leaf->parent; n; n = n->parent)
    n->lanes &= ~m;
  if (w->copies)
    w->copies->finish(w, m);
  w->live &= ~m;
  w->active &= ~m;
  struct vg_stray *left =
      w->block->barriers_passed ? &w->block->left : &w->block->left_early;
  if (!left->at)
    *left = (struct vg_stray){
        .at = at, .thread = w->number * VG_LANES + (uint32_t)__builtin_ctz(m)};
  if (!w->active)
    end_leaf(w);
}

// ---- Turns ----

static uint8_t *uniform_new(uint32_t bytes) {
  size_t room = (bytes + 63) & ~63ul;
  uint8_t *p = aligned_alloc(64, room);
  if (!p)
    abort(); // as xmalloc; some rows
  return memset(p, 0, room);
}

void vg_warp_end(struct vg_warp *w, const struct vg_insn *at) {
  if (w->copies)
    vg_warp_exit(w, at, w->active);
  else
    w->live = w->active = 0;
}

bool vg_warp_begin(struct vg_warp *w) {
  const struct vg_code *c = w->block->grid->code;
  w->bank[VG_SPECIALS] = &w->specials[0][0];
  w->live = w->born;
  w->barrier = -1;
  w->leaving = NULL;
  if (w->copies)
    w->copies->free(w); // of the last block
  struct vg_node *n = w->leaf;
  if (n) // it ended with its gang
    memset(n, 0, sizeof *n);
  else
    n = vg_node_new(w);
  n->lanes = w->born;
  n->pc = c->insns;
  if (!w->root)
    w->root = vg_frame_new(w, c);
  n->frame = w->root;
  if (!w->uniform && c->uniform_bytes)
    w->uniform = uniform_new(c->uniform_bytes);
  w->bank[VG_UNIFORM] = w->uniform;
  w->leaves = NULL;
  w->turn = w->fuel = 0;
  vg_warp_load(w, n);
  vg_on_frame(w, w->root, w->born);
  return vg_warp_grow_local(w, c->frame_bytes);
}

// Ends all lanes where they are.
void vg_warp_drop(struct vg_warp *w) {
  w->live = 0;
  if (w->leaf) {
    w->leaf->next = w->leaves;
    w->leaves = w->leaf;
    w->leaf = NULL;
  }
  for (struct vg_node *n; (n = w->leaves);) {
    w->leaves = n->next;
    while (n) {
      struct vg_node *up = n->parent;
      vg_node_free(w, n);
      if (!up || --up->children > 0)
        break;
      if (up->callee)
        vg_frame_free(w, up->callee);
      n = up;
    }
  }
}

// The place of its longest-running leaf, and how long that ran.
const struct vg_insn *vg_warp_place(const struct vg_warp *w, int *lane,
                                    uint64_t *count) {
  const struct vg_node *n = w->leaf;
  for (const struct vg_node *l = w->leaves; l; l = l->next)
    if (!n || l->count > n->count)
      n = l;
  *lane = __builtin_ctz(n->lanes);
  *count = n->count;
  return n->pc;
}

static inline void execute(struct vg_warp *w, const struct vg_insn *i,
                           vg_mask m) {
  if (w->is_careful)
    vg_check_run(w, i, m);
  else if (m)
    i->run(w, i, m);
}

// The instruction to run, behind which the leaf then stands; false: the turn is
// over.
static inline bool take_next(struct vg_warp *w, const struct vg_insn **out) {
  const struct vg_insn *i;
  while ((i = w->pc) == w->reconverge) {
    end_leaf(w);
    if (!w->leaf)
      return false;
  }
  if (w->fuel-- <= 0)
    return false;
  w->pc = i + 1;
  *out = i;
  return true;
}

// While there are undefined values in registers.
static void turn_careful(struct vg_warp *w) {
  const struct vg_insn *i;
  while (w->is_careful && take_next(w, &i))
    execute(w, i, w->active & (*(vg_mask *)VG_AT(w, i->guard) ^ i->guard_flip));
}

static void turn(struct vg_warp *w) {
  for (const struct vg_insn *i; take_next(w, &i);) {
    vg_mask m = w->active & (*(vg_mask *)VG_AT(w, i->guard) ^ i->guard_flip);
    if (m)
      i->run(w, i, m);
  }
}

// Runs an instruction whose launch is counted or traced.
static void observe(struct vg_warp *w, const struct vg_insn *i, vg_mask active,
                    vg_mask m) {
  struct vg_tally *t = w->worker->tallies ? vg_count_place(w, i) : NULL;
  struct vg_slice_step step;
  w->is_put_off = false;
  if (m && t)
    vg_count_before(w, i, m, t);
  bool is_followed = w->block->grid->slice && vg_slice_before(w, i, m, &step);
  w->tally = t;
  execute(w, i, m);
  w->tally = NULL;
  if (w->is_put_off)
    return;
  if (t)
    vg_count_issue(w, i, active, m, t);
  if (is_followed)
    vg_slice_after(w, &step);
}

// For a launch whose instructions are counted or traced.
static void turn_observed(struct vg_warp *w) {
  for (const struct vg_insn *i; take_next(w, &i);) {
    vg_mask active = w->active;
    vg_mask m = active & (*(vg_mask *)VG_AT(w, i->guard) ^ i->guard_flip);
    observe(w, i, active, m);
  }
}

// The leaf used up its turn: it may spin on what other lanes of its warp would
// do, so they get theirs.
static void hand_over(struct vg_warp *w) {
  struct vg_node *n = w->leaf;
  if (!vg_schedule_hands_over(w))
    return;
  park(w);
  if (++n->full_turns % SPINNING_TURNS == 0)
    vg_warp_release_early(w, false);
  next_leaf(w);
}

// A turn changes its loop when undefined values come and when they are gone.
static void run_turn(struct vg_warp *w) {
  bool was_careful;
  do {
    w->turn += w->fuel_left;
    w->fuel = w->fuel < 0 ? w->fuel_left : w->fuel + w->fuel_left;
    w->fuel_left = 0;
    was_careful = w->is_careful;
    if (w->worker->tallies || w->block->grid->slice)
      turn_observed(w);
    else if (was_careful)
      turn_careful(w);
    else
      turn(w);
  } while (w->leaf && w->stop == VG_RUNS &&
           (w->fuel_left > 0 || (was_careful && w->fuel > 0)));
  w->fuel_left = 0;
}

enum vg_stop vg_warp_turn(struct vg_warp *w) {
  w->stop = VG_RUNS;
  if (!w->leaf)
    next_leaf(w); // a barrier was passed
  if (w->leaf) {
    w->turn = w->fuel =
        vg_schedule_turn(w, w->leaves || w->leaf->parent ? PARTED_TURN : TURN);
    run_turn(w);
  }
  if (!w->live)
    return VG_ENDED;
  if (!w->leaf) {
    w->barrier_at = w->leaves->barrier;
    return VG_BARRIER;
  }
  vg_warp_save(w);
  if (w->stop == VG_RUNS && (w->leaves || w->leaf->parent))
    hand_over(w);
  return w->stop;
}

// ---- One instruction at a time ----

// Takes up the leaf of that lane, if it can run.
static bool prefer(struct vg_warp *w, int lane) {
  for (struct vg_node **p = &w->leaves; *p; p = &(*p)->next) {
    struct vg_node *n = *p;
    if (!(n->lanes >> lane & 1) || vg_node_is_waiting(n))
      continue;
    *p = n->next;
    park(w);
    vg_warp_load(w, n);
    return true;
  }
  return false;
}

bool vg_warp_ready(struct vg_warp *w, int lane) {
  w->stop = VG_RUNS;
  if (!w->live || w->barrier >= 0)
    return false;
  if (!w->leaf)
    next_leaf(w); // a barrier was passed
  for (;;) {
    while (w->leaf && w->pc == w->reconverge)
      end_leaf(w);
    if (!w->leaf)
      return false;
    if (lane < 0 || w->active >> lane & 1 || !prefer(w, lane))
      return true;
  }
}

// What a warp without a leaf that runs waits for.
static enum vg_stop resting(struct vg_warp *w) {
  if (!w->live)
    return VG_ENDED;
  w->barrier_at = w->leaves->barrier;
  return VG_BARRIER;
}

enum vg_stop vg_warp_step(struct vg_warp *w) {
  const struct vg_insn *i = w->pc;
  vg_mask m = w->active & (*(vg_mask *)VG_AT(w, i->guard) ^ i->guard_flip);
  w->stop = VG_RUNS;
  w->turn = 1;
  w->fuel = 0;
  w->pc = i + 1;
  execute(w, i, m);
  while (w->leaf && w->pc == w->reconverge)
    end_leaf(w);
  if (!w->live || !w->leaf)
    return resting(w);
  vg_warp_save(w);
  return VG_RUNS;
}

void vg_warp_hand_over(struct vg_warp *w) {
  if (w->leaf && (w->leaves || w->leaf->parent))
    hand_over(w);
}

bool vg_warp_release(struct vg_warp *w) {
  if (!w->leaf)
    return false;
  park(w);
  bool any = vg_warp_release_early(w, false);
  next_leaf(w);
  return any;
}

void vg_warp_free(struct vg_warp *w) {
  free(w->leaf);
  for (struct vg_node *n = w->free_nodes, *next; n; n = next) {
    next = n->next;
    free(n);
  }
  for (struct vg_frame *f = w->free_frames, *next; f; f = next) {
    next = f->next;
    free(f);
  }
  if (w->root) {
    vg_on_frame_end(w, w->root);
    vg_slice_frame_free(w->root);
  }
  vg_slice_warp_free(w);
  free(w->root);
  free(w->uniform);
  free(w->local);
  free(w->local_defined);
  free(w->local_notes);
  if (w->copies)
    w->copies->free(w);
  free(w->pairs);
}
