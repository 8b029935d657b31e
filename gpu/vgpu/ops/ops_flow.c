// SPDX-License-Identifier: Apache-2.0
// Branches, calls, returns, exits, traps, block barriers and fences.
//
// PTX ISA: "Control Flow Instructions", "bar, barrier", "membar, fence".
#include "gpu/vgpu/ops/ops.h"

#include "gpu/vgpu/check/check.h"
#include "gpu/vgpu/lanes.h"
#include "gpu/vgpu/launch.h"
#include "gpu/vgpu/memory/memory.h"
#include "gpu/vgpu/run/run.h"
#include "gpu/vgpu/slice/slice.h"

static void op_bra(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  vg_warp_branch(w, i, m);
}

// Back to the start of a loop that reads until something has changed.
void vg_op_bra_wait(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  vg_warp_branch(w, i, m);
  vg_warp_poll(w);
}

void vg_op_return(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  if (w->leaf->frame == w->root && m != w->active)
    w->leaving = i;
  if (w->leaf->frame == w->root || (i->ptx && i->ptx->op == PTX_OP_EXIT))
    vg_warp_exit(w, i, m);
  else
    vg_warp_return(w, m);
}

static void report_bad_call(struct vg_warp *w, const struct vg_insn *i,
                            int lane, uint64_t address) {
  struct vg_fault f = {.kind = ERR_OUT_OF_BOUNDS,
                       .access = GPU_READ,
                       .address = address,
                       .text = "a call through a pointer that is no function"};
  vg_report(w, i, lane, &f);
}

// The function whose address that is, or NULL.
static struct vg_code *code_at(struct vg_module *m, uint64_t address) {
  uint64_t n = (address - VG_WINDOW(VG_SLOT_CODE)) / 16;
  if (address % 16 || n < 1 || n > (uint64_t)m->ptx->func_count ||
      !m->ptx->funcs[n - 1]->code_count)
    return NULL;
  return &m->codes[n - 1];
}

// A call through a pointer runs once for each different function.
static void call_indirect(struct vg_warp *w, const struct vg_insn *i,
                          vg_mask m) {
  const uint64_t *to = VG_AT(w, i->src[0]);
  int lead = __builtin_ctz(m);
  uint64_t address = to[lead];
  vg_mask same;
  LANES_MASK(same, to[l] == address)
  same &= m;
  if (same != m) {
    vg_warp_split(w, i, same);
    return;
  }
  struct vg_module *module = w->leaf->frame->code->module;
  struct vg_code *callee = code_at(module, address);
  const struct vg_call *c = i->call;
  uint32_t bytes = 0;
  for (int n = 0; n < c->arg_count; n++)
    bytes = c->args[n].to + c->args[n].bytes;
  bool fits =
      callee && !callee->func->is_entry && bytes <= callee->func->param_bytes &&
      (!c->has_result || (callee->func->result &&
                          callee->func->result->bytes >= c->result.bytes));
  if (fits) {
    vg_warp_call(w, i, m, callee);
    return;
  }
  for (int l = 0; l < VG_LANES; l++)
    if (m >> l & 1)
      report_bad_call(w, i, l, address);
  vg_warp_exit(w, i, m);
}

void vg_op_call(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  if (i->call->callee)
    vg_warp_call(w, i, m, i->call->callee);
  else
    call_indirect(w, i, m);
}

// brx.idx: lanes with the same index go on together.
static void op_brx(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  const uint32_t *index = VG_AT(w, i->src[0]);
  uint32_t to = index[__builtin_ctz(m)];
  vg_mask same;
  if (m != w->active) { // the lanes that the guard leaves out fall through
    vg_warp_scatter(w, i, w->active & ~m, i + 1);
    return;
  }
  LANES_MASK(same, index[l] == to)
  same &= m;
  if (to < i->ways->count) {
    vg_warp_scatter(w, i, same, i->ways->to[to]);
    return;
  }
  struct vg_fault f = {.kind = ERR_OUT_OF_BOUNDS,
                       .access = GPU_READ,
                       .address = to,
                       .text = "a branch by an index that its list of labels "
                               "does not have"};
  for (int l = 0; l < VG_LANES; l++)
    if (same >> l & 1)
      vg_report(w, i, l, &f);
  w->pc = i;
  w->is_put_off = true;
  vg_warp_exit(w, i, same);
}

static void op_trap(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  const struct vg_grid *g = w->block->grid;
  bool wants_grid = g->code->takes_workspace && !g->workspace;
  struct vg_fault f = {
      .kind = ERR_TRAP,
      .text = wants_grid ? "a grid can wait for all its blocks only when it is "
                           "launched as a cooperative one: k{grid =, block =, "
                           "cooperative = true}(...)"
                         : "the kernel stopped itself"};
  for (int l = 0; l < VG_LANES; l++)
    if (m >> l & 1)
      vg_report(w, i, l, &f);
  vg_grid_abandon(w->block->grid);
  vg_stop_turn(w, VG_RUNS);
}

static void op_nothing(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  (void)w, (void)i, (void)m;
}

// ---- Fences ----

static void op_fence(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  vg_on_fence(w, i, m);
}

// ---- Block barriers ----

// Operands: bar.sync a{, b}; bar.arrive a, b; bar.red.op p, a{, b}, c. Sources
// only are in src[].
static bool is_red(const struct vg_insn *i) {
  return i->sub >= PTX_BAR_RED_POPC && i->sub <= PTX_BAR_RED_OR;
}

static int source_count(const struct vg_insn *i) {
  return i->ptx->operand_count - (is_red(i) ? 1 : 0);
}

static uint32_t first_value(struct vg_warp *w, vg_place at, vg_mask m) {
  return ((const uint32_t *)VG_AT(w, at))[__builtin_ctz(m)];
}

static int32_t barrier_number(struct vg_warp *w, const struct vg_insn *i,
                              vg_mask m) {
  return (int32_t)(first_value(w, i->src[0], m) % VG_BARRIERS);
}

static uint32_t barrier_threads(struct vg_warp *w, const struct vg_insn *i,
                                vg_mask m) {
  int with_count = is_red(i) ? 3 : 2;
  return source_count(i) >= with_count ? first_value(w, i->src[1], m) : 0;
}

// bar.warp.sync membermask.
static void sync_warp(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  vg_mask named = first_value(w, i->src[0], m);
  if (!vg_warp_agree(w, i, m, i->src[0]))
    return;
  if (m & ~named)
    vg_check_mask(w, i, m & ~named, i->src[0]);
  vg_warp_sync(w, i, m, named);
}

static void op_bar(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  if (i->sub == PTX_BAR_WARP) {
    sync_warp(w, i, m);
    return;
  }
  if (i->sub == PTX_BAR_ARRIVE) {
    w->block->barriers[barrier_number(w, i, m)].arrived += VG_LANES;
    return;
  }
  vg_warp_barrier(w, i, m);
}

// The leaves of the warp hold its lanes, each at its barrier.
// bar (not barrier without .aligned) wants all lanes of a warp at one place.
static void check_aligned(struct vg_warp *w) {
  const struct vg_insn *first = w->leaves->barrier;
  struct vg_fault f = {
      .kind = ERR_BARRIER,
      .text = "threads of one warp wait at two different barriers: each "
              "__syncthreads() must be reached by all threads of the block"};
  bool differ = false;
  for (const struct vg_node *n = w->leaves; n; n = n->next)
    differ |= n->barrier != first && n->barrier->ptx->op == PTX_OP_BAR;
  for (const struct vg_node *n = w->leaves; n && differ; n = n->next)
    for (int l = 0; l < VG_LANES; l++)
      if (n->lanes >> l & 1)
        vg_report(w, n->barrier, l, &f);
}

// An `if` around a barrier that nothing follows cannot be told from a return
// before it, which is legal: no error, and a word only where lanes of one warp
// parted there.
static void check_left_warp(struct vg_warp *w) {
  vg_mask gone = w->born & ~w->live;
  if (!w->leaving || !gone || w->barrier_threads)
    return;
  struct vg_fault f = {
      .kind = ERR_BARRIER,
      .severity = GPU_WARNING,
      .text = "threads of this warp have left the kernel before this barrier: "
              "right if they returned, wrong if it stands in an if or a loop "
              "that they do not take",
      .other = w->leaving,
      .other_block = (uint32_t)w->block->number,
      .other_thread = w->first_thread + (uint32_t)__builtin_ctz(gone)};
  vg_report(w, w->barrier_at, __builtin_ctz(w->live), &f);
  w->leaving = NULL;
}

void vg_barrier_arrive(struct vg_warp *w) {
  check_aligned(w);
  const struct vg_node *n = w->leaves;
  const struct vg_insn *i = n->barrier;
  w->bank[VG_REGISTERS] = n->frame->registers;
  w->bank[VG_CONSTANTS] = n->frame->code->constants;
  w->barrier = barrier_number(w, i, n->lanes);
  w->barrier_threads = barrier_threads(w, i, n->lanes);
  w->barrier_at = vg_site_of_lane(w, __builtin_ctz(n->lanes), i);
  check_left_warp(w);
  struct vg_arrivals *a = &w->block->barriers[w->barrier];
  for (; n; n = n->next) {
    if (!is_red(n->barrier))
      continue;
    w->bank[VG_REGISTERS] = n->frame->registers;
    w->bank[VG_CONSTANTS] = n->frame->code->constants;
    i = n->barrier;
    vg_mask p = get_predicate(w, i->src[source_count(i) - 1]) ^ i->flip;
    vg_slice_vote(w, n, i->src[source_count(i) - 1], w->barrier);
    a->popc += (uint32_t)__builtin_popcount(p & n->lanes);
    a->any |= (p & n->lanes) != 0;
    a->some_not |= (~p & n->lanes) != 0;
  }
}

void vg_barrier_result(struct vg_warp *w, const struct vg_arrivals *a) {
  for (const struct vg_node *n = w->leaves; n; n = n->next) {
    const struct vg_insn *i = n->barrier;
    if (!i || !is_red(i) || i->dst == VG_NOWHERE)
      continue;
    w->bank[VG_REGISTERS] = n->frame->registers;
    vg_slice_voted(w, n, i->dst, w->barrier);
    if (i->sub == PTX_BAR_RED_POPC) {
      uint32_t *d = VG_AT(w, i->dst);
      for (int l = 0; l < VG_LANES; l++)
        if (n->lanes >> l & 1)
          d[l] = a->popc;
    } else {
      bool yes = i->sub == PTX_BAR_RED_OR ? a->any : !a->some_not;
      set_predicate(w, i->dst, n->lanes, yes ? VG_ALL : 0);
    }
  }
}

vg_handler vg_find_flow(const struct ptx_insn *p) {
  switch (p->op) {
  case PTX_OP_BRA: return op_bra;
  case PTX_OP_BRX: return op_brx;
  case PTX_OP_RET:
  case PTX_OP_EXIT: return vg_op_return;
  case PTX_OP_TRAP:
  case PTX_OP_BRKPT: return op_trap;
  case PTX_OP_PMEVENT: return op_nothing;
  case PTX_OP_BAR:
  case PTX_OP_BARRIER: return op_bar;
  case PTX_OP_MEMBAR:
  case PTX_OP_FENCE: return op_fence;
  default: return NULL;
  }
}
