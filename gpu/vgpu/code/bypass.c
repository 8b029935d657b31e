// SPDX-License-Identifier: Apache-2.0
// Which barriers a thread may go past without waiting, and still do something
// afterwards: those inside of a branch whose two ways meet again before the
// kernel ends. A thread that took the other way, and ended, did not just leave
// early, which is legal.
//
// Only branches that every thread comes to are looked at: behind one by which
// threads may leave nobody can say which way those went that have ended. To
// leave is legal at any time, since barriers do not wait for threads that have
// (CUDA guide, "Synchronization Functions": "until all non-exited threads in the
// block reach it"; PTX ISA, "bar, barrier": "except for those have exited").
#include "gpu/vgpu/code/code.h"

#include <stdlib.h>

#include "base/mem.h"
#include "gpu/vgpu/code/decode.h"
#include "gpu/vgpu/ops/ops.h"

static bool is_op(const struct vg_insn *i, enum ptx_op op) {
  return i->is_main && i->ptx && i->ptx->op == op;
}

static bool is_end(const struct vg_insn *i) {
  return i->run == vg_op_return || is_op(i, PTX_OP_EXIT) ||
         is_op(i, PTX_OP_RET) || is_op(i, PTX_OP_TRAP);
}

static bool is_unguarded(const struct vg_insn *i) {
  return i->guard == (0 | VG_CONSTANTS) && !i->guard_flip;
}

static bool is_barrier(const struct vg_insn *i) {
  return is_op(i, PTX_OP_BAR) || is_op(i, PTX_OP_BARRIER);
}

struct walk {
  struct vg_code *code;
  uint32_t *seen, branch; // of each instruction: the last branch it was seen of
  int *todo, left;        // instructions to go on from
  int64_t work;           // that may still be done
  struct vg_insn **barriers; // of the region that is looked at
};

enum { WORK = 64 }; // for each instruction; loops of that depth are no one's

static void go_to(struct walk *k, const struct vg_insn *to) {
  int n = (int)(to - k->code->insns);
  if (n < 0 || n >= k->code->insn_count || k->seen[n] == k->branch)
    return;
  k->seen[n] = k->branch;
  k->todo[k->left++] = n;
}

// Marks the barriers on the ways from a branch to where they meet; false, and
// none, where a thread may leave on the way, or there is no end to the ways.
static bool mark_region(struct walk *k, const struct vg_insn *branch) {
  struct vg_code *c = k->code;
  int found = 0;
  k->left = 0;
  k->seen[branch->reconverge - c->insns] = ++k->branch;
  go_to(k, branch->target);
  go_to(k, branch + 1);
  while (k->left) {
    struct vg_insn *i = &c->insns[k->todo[--k->left]];
    if (is_end(i) || k->work-- <= 0)
      return false;
    if (is_barrier(i))
      k->barriers[found++] = i;
    if (is_op(i, PTX_OP_BRA))
      go_to(k, i->target);
    for (uint32_t n = 0; is_op(i, PTX_OP_BRX) && n < i->ways->count; n++)
      go_to(k, i->ways->to[n]);
    if (!is_op(i, PTX_OP_BRA) || !is_unguarded(i))
      go_to(k, i + 1);
  }
  while (found)
    k->barriers[--found]->is_bypassed = true;
  return true;
}

// Follows the instructions that all threads come to.
static void walk_through(struct walk *k) {
  const struct vg_insn *i = k->code->insns;
  const struct vg_insn *end = i + k->code->insn_count;
  for (int steps = 0; i && i < end && steps < k->code->insn_count; steps++) {
    if (is_end(i) || is_op(i, PTX_OP_BRX))
      return;
    if (!is_op(i, PTX_OP_BRA)) {
      i++;
      continue;
    }
    if (is_unguarded(i)) {
      i = i->target;
      continue;
    }
    if (!i->reconverge || is_end(i->reconverge) || !mark_region(k, i))
      return;
    i = i->reconverge;
  }
}

void vg_find_bypasses(struct vg_code *c) {
  bool has_barrier = false;
  for (int n = 0; n < c->insn_count; n++)
    has_barrier |= is_barrier(&c->insns[n]);
  if (!has_barrier || !c->func->is_entry)
    return;
  struct walk k = {.code = c,
                   .seen = xcalloc((size_t)c->insn_count, sizeof *k.seen),
                   .todo = xcalloc((size_t)c->insn_count, sizeof *k.todo),
                   .barriers =
                       xcalloc((size_t)c->insn_count, sizeof *k.barriers),
                   .work = (int64_t)c->insn_count * WORK};
  walk_through(&k);
  free(k.seen);
  free(k.todo);
  free(k.barriers);
}
