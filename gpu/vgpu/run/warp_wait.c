// SPDX-License-Identifier: Apache-2.0
// Lanes that wait for other lanes of their warp: bar.warp.sync, instructions
// that lanes run together, barriers in divergent code; who is let go early, who
// runs as one again, and who waits in vain.
//
// PTX ISA: "Independent Thread Scheduling", "bar.warp.sync".
#include "gpu/vgpu/run/warp.h"

#include "gpu/vgpu/check/check.h"
#include "gpu/vgpu/count/count.h"
#include "gpu/vgpu/launch.h"
#include "gpu/vgpu/run/run.h"
#include "gpu/vgpu/slice/slice.h"

// ---- Leaves that wait ----

// Lets go of the leaves that wait at bar.warp.sync for lanes that have all
// come (or left for good); says whether there was one.
bool vg_warp_release_synced(struct vg_warp *w) {
  vg_mask come = 0;
  bool any = false;
  for (struct vg_node *n = w->leaves; n; n = n->next)
    if (n->waits_for && !n->meet)
      come |= n->lanes;
  for (struct vg_node *n = w->leaves; n; n = n->next)
    if (n->waits_for && !n->meet && !(n->waits_for & w->live & ~come)) {
      vg_on_sync(w, n->waits_for);
      n->waits_for = 0;
      any = true;
    }
  return any;
}

// Lanes that wait to run `n->meet` together with those of `n`: also those that
// have called its function later, from the same place.
static vg_mask lanes_met(struct vg_warp *w, struct vg_node *n) {
  vg_mask come = 0;
  for (struct vg_node *o = w->leaves; o; o = o->next)
    if (o->meet == n->meet && vg_warp_join_calls(w, n, o))
      come |= o->lanes;
  return come;
}

// Runs an instruction, and counts and traces it where that is asked for.
static void run_observed(struct vg_warp *w, const struct vg_insn *i,
                         vg_mask m) {
  struct vg_tally *t = w->worker->tallies ? vg_count_place(w, i) : NULL;
  struct vg_slice_step step;
  bool is_followed = w->block->grid->slice && vg_slice_before(w, i, m, &step);
  w->tally = t;
  if (w->is_careful)
    vg_check_run(w, i, m);
  else
    i->run(w, i, m);
  w->tally = NULL;
  if (t)
    vg_count_issue(w, i, m, m, t);
  if (is_followed)
    vg_slice_after(w, &step);
}

// Runs an instruction whose lanes have all come, though to several leaves,
// once for all of them; says whether there was one.
bool vg_warp_run_met(struct vg_warp *w) {
  for (struct vg_node *n = w->leaves; n; n = n->next) {
    if (!n->meet)
      continue;
    vg_mask come = lanes_met(w, n);
    if (n->waits_for & w->live & ~come)
      continue;
    const struct vg_insn *i = n->meet;
    vg_warp_load(w, n);
    w->active = come;
    w->pc = i + 1;
    run_observed(w, i, come);
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

// Lanes below a node: of its leaves, and those that wait at an inner node.
static vg_mask lanes_below(const struct vg_warp *w, const struct vg_node *up) {
  vg_mask all = 0;
  for (const struct vg_node *l = w->leaves; l; l = l->next) {
    vg_mask below = 0;
    const struct vg_node *n = l;
    for (; n && n != up; n = n->parent)
      below |= n->lanes;
    all |= n ? below : 0;
  }
  return all;
}

// Gives up the inner node that holds lanes which have arrived while its other
// lanes still run: the arrived go on as a leaf of their own under the node's
// parent. With `leaving`, only those that have nothing left to do but to end.
// Says whether there was one.
bool vg_warp_release_early(struct vg_warp *w, bool leaving) {
  for (struct vg_node *n = w->leaves; n; n = n->next)
    for (struct vg_node *up = n->parent; up; up = up->parent) {
      if (leaving && (up->frame != w->root || !up->pc->is_return))
        continue;
      vg_mask below = lanes_below(w, up), arrived = up->lanes & ~below;
      if (!arrived)
        continue;
      if (up->callee)
        vg_warp_take_result(w, up, arrived);
      struct vg_node *go = vg_node_new(w);
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
void vg_warp_join_leaves(struct vg_warp *w) {
  for (struct vg_node *n = w->leaves; n; n = n->next)
    for (struct vg_node **p = &n->next; *p;) {
      struct vg_node *o = *p;
      if (o->pc != n->pc || o->frame != n->frame || o->parent != n->parent ||
          o->reconverge != n->reconverge || vg_node_is_waiting(o) ||
          vg_node_is_waiting(n)) {
        p = &o->next;
        continue;
      }
      n->lanes |= o->lanes;
      n->count = n->count > o->count ? n->count : o->count;
      *p = o->next;
      if (n->parent)
        n->parent->children--;
      vg_node_free(w, o);
    }
}

bool vg_warp_all_at_barrier(const struct vg_warp *w) {
  vg_mask come = 0;
  for (const struct vg_node *n = w->leaves; n; n = n->next)
    if (n->barrier)
      come |= n->lanes;
  return come == w->live;
}

// Names the lanes that a waiting leaf waits for in vain, and lets it go on.
void vg_warp_report_never_come(struct vg_warp *w) {
  for (struct vg_node *n = w->leaves; n; n = n->next) {
    if (!vg_node_is_waiting(n))
      continue;
    struct vg_fault f = {
        .kind = ERR_BARRIER,
        .space = n->barrier ? GPU_SPACE_NONE : GPU_SPACE_WARP,
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

// ---- What the control handlers ask for ----

void vg_warp_sync(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                  vg_mask named) {
  if (!(named & w->live & ~m)) {
    vg_on_sync(w, named);
    return;
  }
  if (m != w->active) {
    vg_warp_split(w, i, m);
    return;
  }
  w->leaf->waits_for = named;
  vg_warp_step_aside(w);
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
  vg_warp_step_aside(w);
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
  vg_warp_step_aside(w);
}

// The barrier that all its lanes wait at is complete.
void vg_warp_pass_barrier(struct vg_warp *w) {
  for (struct vg_node *n = w->leaves; n; n = n->next)
    n->barrier = NULL;
  w->barrier = -1;
  vg_warp_join_leaves(w);
}
