// SPDX-License-Identifier: Apache-2.0
// Values that nothing wrote, followed until they matter.
//
// Theory of operation. Memory knows which of its bytes are defined: global
// memory a bit for each, shared and local memory a byte. As long as loads find
// defined bytes only, registers are not looked at. The first load that does not
// makes its warp careful: each frame gets a shadow of its registers, a bit for
// each bit of them, and every instruction passes through vg_check_run, which
// works out what becomes of undefined bytes. When the last of them is
// overwritten the warp is fast again.
//
// A finding is made where a value matters: it decides a branch, is an address,
// goes into an atomic or is printed. What is stored is undefined where it is
// stored. With each value goes a note of the load that it came from.
//
// Registers that may be read before anything wrote them (unwritten.c) are
// undefined from the start; one note stands for such a register in all lanes of
// a warp.
#include "gpu/vgpu/check/taint_notes.h"

#include "gpu/vgpu/cost.h"
#include "gpu/vgpu/matrix/matrix.h"

enum { MAX_LOST = 256 }; // accesses of a warp through undefined addresses

// ---- One instruction ----

static bool is_memory(const struct vg_insn *i) {
  switch (i->is_main ? i->ptx->op : PTX_OP_COUNT) {
  case PTX_OP_LD:
  case PTX_OP_LDU:
  case PTX_OP_ST:
  case PTX_OP_DISCARD:
  case PTX_OP_ATOM:
  case PTX_OP_RED: return !i->is_param_load;
  default: return false;
  }
}

// wmma.load and ldmatrix, whose handlers mark what they load.
static bool is_matrix_load(const struct vg_insn *i) {
  return i->is_main && i->ptx->matrix &&
         (i->ptx->op == PTX_OP_LDMATRIX ||
          (i->ptx->op == PTX_OP_WMMA &&
           i->ptx->matrix->step == PTX_MATRIX_LOAD));
}

static bool is_control(const struct vg_insn *i) {
  switch (i->is_main ? i->ptx->op : PTX_OP_COUNT) {
  case PTX_OP_BRA:
  case PTX_OP_BRX:
  case PTX_OP_CALL:
  case PTX_OP_RET:
  case PTX_OP_EXIT:
  case PTX_OP_TRAP:
  case PTX_OP_BRKPT:
  case PTX_OP_BAR:
  case PTX_OP_BARRIER:
  case PTX_OP_SHFL: // these hand on what lanes have (vg_on_exchange)
  case PTX_OP_VOTE:
  case PTX_OP_MATCH:
  case PTX_OP_REDUX: return true;
  default: return false;
  }
}

static void clear_row(const struct vg_taint_view *v, vg_place p, vg_mask m) {
  if (!vg_taint_any(v, p))
    return;
  for (; m; m &= m - 1)
    vg_taint_put(v, p, __builtin_ctz(m), 0, 0);
  vg_taint_settle(v, p);
}

static bool writes_vector(const struct vg_insn *i) {
  return i->vector && i->dst == VG_NOWHERE && i->is_main &&
         ptx_has_destination(i->ptx);
}

static void clear_targets(const struct vg_taint_view *v,
                          const struct vg_insn *i, vg_mask m) {
  clear_row(v, i->dst, m);
  clear_row(v, i->dst2, m);
  for (int k = 0; writes_vector(i) && k < i->vec; k++)
    clear_row(v, i->vector->at[k], m);
  if (!i->is_main || !ptx_has_destination(i->ptx))
    return;
  bool is_atom = i->ptx->op == PTX_OP_ATOM && i->wide;
  for (int k = 0; is_atom && k < i->wide->old.count; k++)
    clear_row(v, i->wide->old.at[k], m);
  for (int k = 0; i->ptx->matrix && k < i->matrix->d.count; k++)
    clear_row(v, i->matrix->d.at[k], m);
}

static bool has_undefined_source(const struct vg_taint_view *v,
                                 const struct vg_insn *i) {
  bool any = false;
  for (int n = 0; n < 4; n++)
    any |= vg_taint_any(v, i->src[n]);
  for (int k = 0; i->vector && !writes_vector(i) && k < i->vec; k++)
    any |= vg_taint_any(v, i->vector->at[k]);
  return any;
}

// mov {a, b}, d.
static void run_unpack(const struct vg_taint_view *v, const struct vg_insn *i,
                       vg_mask m) {
  uint32_t from[VG_LANES], note[VG_LANES];
  uint64_t bits[VG_LANES];
  bool is_wide = vg_taint_width(v, i->src[0]) > 8;
  for (int l = 0; l < VG_LANES; l++) {
    from[l] = vg_taint_get(v, i->src[0], l, &note[l]);
    bits[l] = vg_taint_bits(v, i->src[0], l);
  }
  i->run(v->w, i, m);
  uint64_t part =
      i->bytes < 8 ? (UINT64_C(1) << i->bytes * 8) - 1 : ~UINT64_C(0);
  for (int k = 0; k < i->vec; k++) {
    for (int l = 0; l < VG_LANES; l++)
      if (m >> l & 1 && is_wide)
        vg_taint_put(v, i->vector->at[k], l,
                     from[l] >> k * i->bytes & ((1u << i->bytes) - 1), note[l]);
      else if (m >> l & 1)
        vg_taint_put_bits(v, i->vector->at[k], l,
                          bits[l] >> k * i->bytes * 8 & part, note[l]);
    if (i->vector->at[k] != VG_NOWHERE)
      vg_taint_settle(v, i->vector->at[k]);
  }
}

static void run_plain(const struct vg_taint_view *v, const struct vg_insn *i,
                      vg_mask m) {
  uint32_t bytes[VG_LANES], note[VG_LANES];
  uint64_t bits[VG_LANES];
  if (i->is_main && i->ptx->matrix && vg_taint_run_product(v, i, m))
    return;
  if (!has_undefined_source(v, i)) {
    i->run(v->w, i, m);
    clear_targets(v, i, m);
    return;
  }
  if (writes_vector(i) && i->ptx->op == PTX_OP_MOV) {
    run_unpack(v, i, m);
    return;
  }
  vg_charge(v->w, VG_TAINT_COST);
  bool is_exact = vg_taint_results(v, i, m, bytes, bits, note);
  i->run(v->w, i, m);
  for (int l = 0; l < VG_LANES; l++) {
    if (!(m >> l & 1))
      continue;
    if (is_exact)
      vg_taint_put_bits(v, i->dst, l, bits[l], note[l]);
    else
      vg_taint_put(v, i->dst, l, bytes[l], note[l]);
    vg_taint_put(v, i->dst2, l, bytes[l], note[l]);
  }
  if (i->dst != VG_NOWHERE)
    vg_taint_settle(v, i->dst);
  if (i->dst2 != VG_NOWHERE)
    vg_taint_settle(v, i->dst2);
  if (i->dst == VG_NOWHERE)
    clear_targets(v, i, m);
}

// Threads whose way on hangs on a value that was never there.
static vg_mask lost_lanes(const struct vg_taint_view *v, vg_mask m,
                          vg_place guard) {
  vg_mask lost = 0;
  for (; vg_taint_any(v, guard) && m; m &= m - 1) {
    int l = __builtin_ctz(m);
    uint32_t note;
    if (vg_taint_get(v, guard, l, &note) &&
        vg_note_at(v->w->block, note)->is_poison)
      lost |= 1u << l;
  }
  return lost;
}

// Ends threads that cannot go on sensibly, which is no reason to complain about
// barriers. False when none of the leaf is left.
static bool end_lanes(struct vg_warp *w, const struct vg_insn *i,
                      vg_mask lanes) {
  struct vg_stray left = w->block->left, early = w->block->left_early;
  bool all = lanes == w->active;
  w->block->exit(w, i, lanes);
  w->block->left = left;
  w->block->left_early = early;
  return !all;
}

static void run_branch(const struct vg_taint_view *v, const struct vg_insn *i,
                       vg_mask m) {
  struct vg_warp *w = v->w;
  vg_mask lost = lost_lanes(v, w->active, i->guard);
  if (lost && !end_lanes(w, i, lost))
    return;
  if (m & ~lost)
    i->run(w, i, m & ~lost);
}

// What an address that is undefined brings is undefined, too.
static void put_lost(const struct vg_taint_view *v, const struct vg_insn *i,
                     vg_mask lost) {
  for (; lost; lost &= lost - 1) {
    int l = __builtin_ctz(lost);
    uint32_t note;
    vg_taint_get(v, i->src[0], l, &note);
    vg_taint_put(v, i->dst, l, note ? ~0u : 0, note);
    for (int k = 0; i->vector && k < i->vec; k++)
      vg_taint_put(v, i->vector->at[k], l, note ? ~0u : 0, note);
  }
}

void vg_on_guard(struct vg_warp *w, const struct vg_insn *i) {
  struct vg_taint_view v = {w, w->leaf->frame};
  bool is_branch = i->is_main && i->ptx->op == PTX_OP_BRA;
  vg_note_tell_lanes(&v, i, w->active, i->guard,
                     is_branch ? "decides a branch" : "decides what is done");
}

void vg_check_run(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  struct vg_taint_view v = {w, w->leaf->frame};
  bool is_branch = i->is_main && i->ptx->op == PTX_OP_BRA;
  vg_on_guard(w, i);
  if (is_branch) {
    run_branch(&v, i, m);
    return;
  }
  if (is_control(i)) {
    if (i->ptx->op == PTX_OP_BRX || i->ptx->op == PTX_OP_CALL)
      vg_note_tell_lanes(&v, i, m, i->src[0], "decides where to go on");
    if (i->ptx->op == PTX_OP_BAR || i->ptx->op == PTX_OP_BARRIER)
      clear_row(&v, i->dst, m);
    if (m)
      i->run(w, i, m);
    return;
  }
  if (!m)
    return;
  if (is_matrix_load(i)) {
    vg_note_tell_lanes(&v, i, m, i->src[0], "is used as an address");
    i->run(w, i, m);
    return;
  }
  if (!is_memory(i)) {
    run_plain(&v, i, m);
    return;
  }
  vg_mask lost =
      vg_note_tell_lanes(&v, i, m, i->src[0], "is used as an address");
  w->lost_accesses += (uint32_t)__builtin_popcount(lost);
  if (w->lost_accesses > MAX_LOST && lost && !w->block->in_gang) {
    if (!end_lanes(w, i, lost))
      return;
    m &= ~lost;
    lost = 0;
  }
  if (i->ptx->op == PTX_OP_ATOM || i->ptx->op == PTX_OP_RED)
    for (int n = 1; n < 4; n++)
      vg_note_tell_lanes(&v, i, m, i->src[n], "goes into an atomic");
  if (i->ptx->op == PTX_OP_ST) {
    if (m & ~lost)
      vg_taint_store(&v, i, m & ~lost);
    return;
  }
  put_lost(&v, i, lost);
  clear_targets(&v, i, m & ~lost);
  if (m & ~lost)
    i->run(w, i, m & ~lost);
}

void vg_on_exchange(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                    const uint8_t from[VG_LANES]) {
  struct vg_taint_view v = {w, w->leaf->frame};
  uint32_t bytes[VG_LANES], note[VG_LANES] = {0}, any = 0;
  if (!has_undefined_source(&v, i)) {
    clear_targets(&v, i, m);
    return;
  }
  for (int l = 0; l < VG_LANES; l++) {
    uint32_t other;
    bytes[l] = m >> l & 1 ? vg_taint_get(&v, i->src[0], l, &note[l]) : 0;
    any = bytes[l] ? note[l] : any;
    for (int n = 1; n < 4 && m >> l & 1; n++)
      if (vg_taint_get(&v, i->src[n], l, &other))
        any = other;
  }
  for (int l = 0; l < VG_LANES; l++) {
    if (!(m >> l & 1))
      continue;
    int k = from ? from[l] : l;
    vg_taint_put(&v, i->dst, l,
                 from  ? bytes[k]
                 : any ? ~0u
                       : 0,
                 from ? note[k] : any);
    vg_taint_put(&v, i->dst2, l, 0, 0);
  }
  if (i->dst != VG_NOWHERE)
    vg_taint_settle(&v, i->dst);
}
