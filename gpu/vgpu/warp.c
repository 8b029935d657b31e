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
// PTX ISA: "Independent Thread Scheduling", "bar.warp.sync", "call", "ret".
#include "gpu/vgpu/engine.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/vgpu/count.h"
#include "gpu/vgpu/matrix.h"
#include "gpu/vgpu/order.h"
#include "gpu/vgpu/schedule.h"
#include "gpu/vgpu/taint.h"

// Instructions of a turn, shorter for a warp whose lanes have parted, and turns
// after which a leaf is thought to spin on lanes that wait for it.
enum { TURN = 4096, PARTED_TURN = 512, SPINNING_TURNS = 8 };

// ---- Nodes and frames ----

static struct vg_node *node_new(struct vg_warp *w) {
  struct vg_node *n = w->free_nodes;
  if (n)
    w->free_nodes = n->next;
  else
    n = xmalloc(sizeof *n);
  memset(n, 0, sizeof *n);
  return n;
}

static void node_free(struct vg_warp *w, struct vg_node *n) {
  n->next = w->free_nodes;
  w->free_nodes = n;
}

static struct vg_frame *frame_new(struct vg_warp *w, const struct vg_code *c) {
  for (struct vg_frame **p = &w->free_frames; *p; p = &(*p)->next) {
    struct vg_frame *f = *p;
    if (f->capacity < c->register_bytes)
      continue;
    *p = f->next;
    f->code = c;
    return f;
  }
  size_t bytes = (sizeof(struct vg_frame) + c->register_bytes + 63) & ~63ul;
  struct vg_frame *f = aligned_alloc(64, bytes);
  if (!f)
    abort(); // as xmalloc; register frames are small
  memset(f, 0, bytes);
  f->capacity = c->register_bytes;
  f->code = c;
  return f;
}

static void frame_free(struct vg_warp *w, struct vg_frame *f) {
  vg_taint_frame_free(w, f);
  f->next = w->free_frames;
  w->free_frames = f;
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

static void save(struct vg_warp *w) {
  settle(w);
  w->leaf->pc = w->pc;
  w->leaf->lanes = w->active;
}

static void load(struct vg_warp *w, struct vg_node *n) {
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

static bool is_waiting(const struct vg_node *n) {
  return n->waits_for || n->barrier;
}

// Lets go of the leaves that wait at bar.warp.sync for lanes that have all
// come (or left for good); says whether there was one.
static bool release_synced(struct vg_warp *w) {
  vg_mask come = 0;
  bool any = false;
  for (struct vg_node *n = w->leaves; n; n = n->next)
    if (n->waits_for && !n->meet)
      come |= n->lanes;
  for (struct vg_node *n = w->leaves; n; n = n->next)
    if (n->waits_for && !n->meet && !(n->waits_for & w->live & ~come)) {
      vg_order_sync(w, n->waits_for);
      n->waits_for = 0;
      any = true;
    }
  return any;
}

// Lanes that wait to run `n->meet` together with those of `n`.
static vg_mask lanes_met(const struct vg_warp *w, const struct vg_node *n) {
  vg_mask come = 0;
  for (const struct vg_node *o = w->leaves; o; o = o->next)
    if (o->meet == n->meet && o->frame == n->frame)
      come |= o->lanes;
  return come;
}

// Runs an instruction, and counts it where that is asked for.
static void run_counted(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  struct vg_tally *t = w->worker->tallies ? vg_count_place(w, i) : NULL;
  w->tally = t;
  i->run(w, i, m);
  w->tally = NULL;
  if (t)
    vg_count_issue(w, i, m, m, t);
}

// Runs an instruction whose lanes have all come, though to several leaves,
// once for all of them; says whether there was one.
static bool run_met(struct vg_warp *w) {
  for (struct vg_node *n = w->leaves; n; n = n->next) {
    if (!n->meet)
      continue;
    vg_mask come = lanes_met(w, n);
    if (n->waits_for & w->live & ~come)
      continue;
    const struct vg_insn *i = n->meet;
    load(w, n);
    w->active = come;
    w->pc = i + 1;
    run_counted(w, i, come);
    for (struct vg_node *o = w->leaves; o; o = o->next)
      if (o->meet == i && o->frame == n->frame) {
        o->pc = i + 1;
        o->waits_for = 0;
        o->meet = NULL;
      }
    return true;
  }
  return false;
}

// What is copied between frames is as defined as it was.
static void copy_defined(struct vg_warp *w, int lane, uint32_t to,
                         uint32_t from, uint32_t bytes) {
  if (!w->local_defined)
    return;
  uint8_t *mine = w->local_defined + (size_t)lane * w->local_bytes;
  memcpy(mine + to, mine + from, bytes);
}

// What the callee returned, for those lanes that are back.
static void take_result(struct vg_warp *w, const struct vg_node *n,
                        vg_mask back) {
  const struct vg_call *call = n->callee->call;
  for (int l = 0; l < VG_LANES && call->has_result; l++) {
    uint8_t *mine = w->local + (size_t)l * w->local_bytes;
    uint32_t to = n->frame->local_base + call->result.to;
    uint32_t from = n->callee->local_base + n->callee->code->result_at;
    if (!(back >> l & 1))
      continue;
    memcpy(mine + to, mine + from, call->result.bytes);
    copy_defined(w, l, to, from, call->result.bytes);
  }
}

// Lanes of the leaves below a node.
static vg_mask lanes_below(const struct vg_warp *w, const struct vg_node *up) {
  vg_mask below = 0;
  for (const struct vg_node *l = w->leaves; l; l = l->next)
    for (const struct vg_node *a = l; a; a = a->parent)
      if (a == up)
        below |= l->lanes;
  return below;
}

// Gives up the inner node that holds lanes which have arrived while its other
// lanes still run: the arrived go on as a leaf of their own under the node's
// parent. With `leaving`, only those that have nothing left to do but to end.
// Says whether there was one.
static bool release_early(struct vg_warp *w, bool leaving) {
  for (struct vg_node *n = w->leaves; n; n = n->next)
    for (struct vg_node *up = n->parent; up; up = up->parent) {
      if (leaving && (up->frame != w->root || up->pc->run != vg_op_return))
        continue;
      vg_mask below = lanes_below(w, up), arrived = up->lanes & ~below;
      if (!arrived)
        continue;
      if (up->callee)
        take_result(w, up, arrived);
      struct vg_node *go = node_new(w);
      *go = (struct vg_node){.parent = up->parent,
                             .lanes = arrived,
                             .pc = up->pc,
                             .reconverge = up->reconverge,
                             .frame = up->frame,
                             .count = n->count};
      up->lanes = below;
      if (go->parent)
        go->parent->children++;
      go->next = w->leaves;
      w->leaves = go;
      return true;
    }
  return false;
}

// Leaves that stand at the same place of the same call run as one again.
static void join_leaves(struct vg_warp *w) {
  for (struct vg_node *n = w->leaves; n; n = n->next)
    for (struct vg_node **p = &n->next; *p;) {
      struct vg_node *o = *p;
      if (o->pc != n->pc || o->frame != n->frame || o->parent != n->parent ||
          o->reconverge != n->reconverge || is_waiting(o) || is_waiting(n)) {
        p = &o->next;
        continue;
      }
      n->lanes |= o->lanes;
      n->count = n->count > o->count ? n->count : o->count;
      *p = o->next;
      if (n->parent)
        n->parent->children--;
      node_free(w, o);
    }
}

static bool all_at_barrier(const struct vg_warp *w) {
  vg_mask come = 0;
  for (const struct vg_node *n = w->leaves; n; n = n->next)
    if (n->barrier)
      come |= n->lanes;
  return come == w->live;
}

// Names the lanes that a waiting leaf waits for in vain, and lets it go on.
static void report_never_come(struct vg_warp *w) {
  for (struct vg_node *n = w->leaves; n; n = n->next) {
    if (!is_waiting(n))
      continue;
    struct vg_fault f = {
        .kind = ERR_BARRIER,
        .text = n->barrier
                    ? "the other threads of this warp never reach this "
                      "barrier: it stands in a branch that they do not take"
                    : "the mask names threads of this warp that never come "
                      "here"};
    const struct vg_insn *at = n->barrier ? n->barrier
                               : n->meet  ? n->meet
                                          : n->pc - 1;
    for (int l = 0; l < VG_LANES; l++)
      if (n->lanes >> l & 1)
        vg_report(w, at, l, &f);
    n->barrier = NULL;
    n->waits_for = 0;
    n->is_forced = n->meet != NULL;
    n->meet = NULL;
  }
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
    while (*p && is_waiting(*p))
      p = &(*p)->next;
    if (*p) {
      struct vg_node *n = *p;
      *p = n->next;
      load(w, n);
      return;
    }
    if (release_synced(w) || run_met(w)) {
      join_leaves(w);
      continue;
    }
    if (all_at_barrier(w)) {
      rest(w);
      return;
    }
    if (!release_early(w, true))
      report_never_come(w);
  }
}

// Puts the leaf that runs last in the row of the others.
static void park(struct vg_warp *w) {
  save(w);
  struct vg_node **end = &w->leaves;
  while (*end)
    end = &(*end)->next;
  w->leaf->next = NULL;
  *end = w->leaf;
}

// Steps aside for the other leaves of the warp.
static void step_aside(struct vg_warp *w) {
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
    node_free(w, n);
    if (!up)
      break;
    if (up->count < count)
      up->count = count;
    if (--up->children > 0)
      break;
    if (up->callee) {
      take_result(w, up, up->lanes);
      frame_free(w, up->callee);
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

static struct vg_node *child_new(struct vg_warp *w, struct vg_node *parent,
                                 vg_mask lanes, const struct vg_insn *pc,
                                 const struct vg_insn *reconverge,
                                 uint64_t count) {
  struct vg_node *n = node_new(w);
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
  save(w);
  struct vg_node *self = w->leaf;
  vg_mask stay = w->active & ~away;
  const struct vg_insn *on = w->pc;
  struct vg_node *parent = self->parent;
  if (meet != w->reconverge || !parent) {
    self->pc = meet;
    parent = self;
  }
  if (on != meet)
    add_leaf(w, child_new(w, parent, stay, on, meet, self->count));
  if (pc != meet)
    add_leaf(w, child_new(w, parent, away, pc, meet, self->count));
  if (parent != self) {
    // Its children took its place under the same parent.
    parent->children--;
    node_free(w, self);
  }
  next_leaf(w);
}

void vg_warp_branch(struct vg_warp *w, const struct vg_insn *i, vg_mask taken) {
  if (taken == w->active)
    w->pc = i->target;
  else if (i->reconverge == w->reconverge && i->target == w->reconverge)
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
    vg_async_finish(w, m);
  w->live &= ~m;
  w->active &= ~m;
  if (w->block->barriers_passed && !w->block->left_at) {
    w->block->left_at = at;
    w->block->left_thread = w->number * VG_LANES + (uint32_t)__builtin_ctz(m);
  }
  if (!w->active)
    end_leaf(w);
}

enum { MAX_LOCAL_BYTES = 64 * 1024 };

// Local memory of all lanes grows to `bytes` a lane; false at the limit.
static bool grow_local(struct vg_warp *w, uint32_t bytes) {
  if (bytes <= w->local_bytes)
    return true;
  uint32_t limit = w->block->grid->code->frame_bytes + MAX_LOCAL_BYTES;
  if (bytes > limit)
    return false;
  uint32_t size = w->local_bytes * 2;
  size = size < bytes ? bytes : size;
  size = ((size > limit ? limit : size) + 15) & ~15u;
  uint8_t *local = try_malloc((size_t)size * VG_LANES);
  if (!local)
    return false;
  memset(local, 0, (size_t)size * VG_LANES);
  for (int l = 0; l < VG_LANES && w->local_bytes; l++)
    memcpy(local + (size_t)l * size, w->local + (size_t)l * w->local_bytes,
           w->local_bytes);
  if (w->block->grid->is_checked) {
    uint8_t *defined = xcalloc(VG_LANES, size);
    for (int l = 0; l < VG_LANES && w->local_defined; l++)
      memcpy(defined + (size_t)l * size,
             w->local_defined + (size_t)l * w->local_bytes, w->local_bytes);
    free(w->local_defined);
    w->local_defined = defined;
    free(w->local_notes); // those of before are forgotten
    w->local_notes = NULL;
  }
  free(w->local);
  w->local = local;
  w->local_bytes = size;
  return true;
}

void vg_warp_call(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                  struct vg_code *callee) {
  struct vg_frame *mine = w->leaf->frame;
  uint32_t base = mine->local_base + mine->code->frame_bytes;
  if (!grow_local(w, base + callee->frame_bytes)) {
    struct vg_fault f = {.kind = ERR_OUT_OF_BOUNDS,
                         .space = GPU_SPACE_LOCAL,
                         .text = "the call stack overflows: too deep a "
                                 "recursion"};
    for (int l = 0; l < VG_LANES; l++)
      if (m >> l & 1)
        vg_report(w, i, l, &f);
    vg_warp_exit(w, i, m);
    return;
  }
  if (m != w->active) {
    vg_warp_split(w, i, m);
    return;
  }
  w->block->executed += VG_CALL_COST;
  struct vg_frame *f = frame_new(w, callee);
  f->local_base = base;
  f->call = i->call;
  for (int l = 0; l < VG_LANES; l++) {
    if (!(m >> l & 1))
      continue;
    uint8_t *local = w->local + (size_t)l * w->local_bytes;
    if (w->local_defined)
      memset(w->local_defined + (size_t)l * w->local_bytes + base, 0,
             callee->frame_bytes);
    for (int a = 0; a < i->call->arg_count; a++) {
      const struct vg_copy *c = &i->call->args[a];
      memcpy(local + base + c->to, local + mine->local_base + c->from,
             c->bytes);
      copy_defined(w, l, base + c->to, mine->local_base + c->from, c->bytes);
    }
  }
  save(w);
  struct vg_node *caller = w->leaf;
  struct vg_node *n =
      child_new(w, caller, m, callee->insns, NULL, caller->count);
  n->frame = f;
  caller->callee = f;
  load(w, n);
}

void vg_warp_sync(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                  vg_mask named) {
  if (!(named & w->live & ~m)) {
    vg_order_sync(w, named);
    return;
  }
  if (m != w->active) {
    vg_warp_split(w, i, m);
    return;
  }
  w->leaf->waits_for = named;
  step_aside(w);
}

bool vg_warp_meet(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                  vg_mask named) {
  if (!(named & w->live & ~m))
    return true;
  if (m != w->active) {
    vg_warp_split(w, i, m);
    return false;
  }
  if (w->leaf->is_forced) {
    w->leaf->is_forced = false;
    return true;
  }
  w->pc = i;
  w->is_put_off = true;
  w->leaf->waits_for = named;
  w->leaf->meet = i;
  step_aside(w);
  return false;
}

bool vg_warp_agree(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                   vg_place named) {
  const uint32_t *masks = VG_AT(w, named);
  uint32_t first = masks[__builtin_ctz(m)];
  vg_mask same = 0;
  for (int l = 0; l < VG_LANES; l++)
    same |= (vg_mask)(masks[l] == first) << l;
  if (!(m & ~same))
    return true;
  vg_warp_split(w, i, m & same);
  return false;
}

void vg_warp_barrier(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  if (m != w->active) {
    vg_warp_split(w, i, m);
    return;
  }
  w->leaf->barrier = i;
  step_aside(w);
}

// The barrier that all its lanes wait at is complete.
void vg_warp_pass_barrier(struct vg_warp *w) {
  for (struct vg_node *n = w->leaves; n; n = n->next)
    n->barrier = NULL;
  w->barrier = -1;
  join_leaves(w);
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
  if (w->copies)
    vg_async_free(w); // of the last block
  struct vg_node *n = w->leaf;
  if (n) // it ended with its gang
    memset(n, 0, sizeof *n);
  else
    n = node_new(w);
  n->lanes = w->born;
  n->pc = c->insns;
  if (!w->root)
    w->root = frame_new(w, c);
  n->frame = w->root;
  if (!w->uniform && c->uniform_bytes)
    w->uniform = uniform_new(c->uniform_bytes);
  w->bank[VG_UNIFORM] = w->uniform;
  w->leaves = NULL;
  w->turn = w->fuel = 0;
  load(w, n);
  return grow_local(w, c->frame_bytes);
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
      node_free(w, n);
      if (!up || --up->children > 0)
        break;
      if (up->callee)
        frame_free(w, up->callee);
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
    vg_taint_run(w, i, m);
  else if (m)
    i->run(w, i, m);
}

// The same while there are undefined values in registers.
static void turn_careful(struct vg_warp *w) {
  while (w->is_careful) {
    const struct vg_insn *i = w->pc;
    if (i == w->reconverge) {
      end_leaf(w);
      if (!w->leaf)
        return;
      continue;
    }
    if (w->fuel-- <= 0)
      return;
    w->pc = i + 1;
    execute(w, i, w->active & (*(vg_mask *)VG_AT(w, i->guard) ^ i->guard_flip));
  }
}

static void turn(struct vg_warp *w) {
  for (;;) {
    const struct vg_insn *i = w->pc;
    if (i == w->reconverge) {
      end_leaf(w);
      if (!w->leaf)
        return;
      continue;
    }
    if (w->fuel-- <= 0)
      return;
    w->pc = i + 1;
    vg_mask m = w->active & (*(vg_mask *)VG_AT(w, i->guard) ^ i->guard_flip);
    if (m)
      i->run(w, i, m);
  }
}

// The same for a launch whose instructions are counted.
static void turn_counted(struct vg_warp *w) {
  for (;;) {
    const struct vg_insn *i = w->pc;
    if (i == w->reconverge) {
      end_leaf(w);
      if (!w->leaf)
        return;
      continue;
    }
    if (w->fuel-- <= 0)
      return;
    w->pc = i + 1;
    vg_mask active = w->active;
    vg_mask m = active & (*(vg_mask *)VG_AT(w, i->guard) ^ i->guard_flip);
    struct vg_tally *t = vg_count_place(w, i);
    w->is_put_off = false;
    if (m)
      vg_count_before(w, i, m, t);
    w->tally = t;
    execute(w, i, m);
    w->tally = NULL;
    if (!w->is_put_off)
      vg_count_issue(w, i, active, m, t);
  }
}

// The leaf used up its turn: it may spin on what other lanes of its warp would
// do, so they get theirs.
static void hand_over(struct vg_warp *w) {
  struct vg_node *n = w->leaf;
  park(w);
  if (++n->full_turns % SPINNING_TURNS == 0)
    release_early(w, false);
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
    if (w->worker->tallies)
      turn_counted(w);
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
  save(w);
  if (w->stop == VG_RUNS && (w->leaves || w->leaf->parent))
    hand_over(w);
  return w->stop;
}

// ---- One instruction at a time ----

// Takes up the leaf of that lane, if it can run.
static bool prefer(struct vg_warp *w, int lane) {
  for (struct vg_node **p = &w->leaves; *p; p = &(*p)->next) {
    struct vg_node *n = *p;
    if (!(n->lanes >> lane & 1) || is_waiting(n))
      continue;
    *p = n->next;
    park(w);
    load(w, n);
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
  save(w);
  return VG_RUNS;
}

void vg_warp_hand_over(struct vg_warp *w) {
  if (w->leaf && (w->leaves || w->leaf->parent))
    hand_over(w);
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
  if (w->root)
    vg_taint_frame_free(w, w->root);
  free(w->root);
  free(w->uniform);
  free(w->local);
  free(w->local_defined);
  free(w->local_notes);
  vg_async_free(w);
  free(w->pairs);
}
