// SPDX-License-Identifier: Apache-2.0
// Work that takes the host longer than one instruction of 32 lanes: the launch
// pays for it out of its grid_budget, so that this ends every kernel in time.
#ifndef GPU_VGPU_COST_H
#define GPU_VGPU_COST_H

#include "gpu/vgpu/state.h"

enum {
  VG_ROW_COST = 1,      // lanes in a row, after one check
  VG_ACCESS_COST = 6,   // lanes that go their own ways
  VG_LANE_COST = 4,     // one lane looked at alone
  VG_SHADOW_COST = 4,   // what is known of shared bytes
  VG_CELL_COST = 8,     // a cell of one lane looked at closely
  VG_NOTE_COST = 24,    // and what is noted of it
  VG_ORDER_COST = 36,   // what one lane tells or learns through memory
  VG_PLACE_COST = 128,  // and what is kept of a place from then on
  VG_TAINT_COST = 24,   // an instruction on undefined values
  VG_ATOM_COST = 24,    // up to 32 memory words, one by one
  VG_WAIT_COST = 32,    // of a failed compare-and-swap
  VG_FLOAT_COST = 24,   // functions, rounding modes, flushing
  VG_BRANCH_COST = 8,   // lanes that part
  VG_CALL_COST = 16,    // a frame and its arguments
  VG_REPORT_COST = 256, // one lane's mistake
  VG_SYSTEM_COST = 100, // one lane's system call
  VG_PAGE_COST = 4096,  // memory that is touched first, and what is kept of it
  VG_KEEP_COST = 3,     // a byte beside that, of rows that are no runs
  VG_TEXT_COST = 8,     // a byte that is printed
  VG_HEAP_COST = 10000, // beside that, an allocation's own slot
  VG_PARSE_COST = 8,    // a byte of PTX that is loaded
  VG_LOAD_COST = 2048   // and an instruction in it
};
static inline void vg_charge(struct vg_warp *w, uint64_t cost) {
  int32_t fuel = w->fuel < 0 ? 0 : w->fuel;
  int32_t cut = cost < (uint64_t)fuel ? (int32_t)cost : fuel;
  w->block->executed += cost;
  w->fuel -= cut; // the turn gets shorter, the thread's count of
  w->turn -= cut; // instructions stays right
}

static inline void vg_charge_print(struct vg_warp *w, uint64_t cost) {
  w->block->charged.prints += cost;
  vg_charge(w, cost);
}
static inline void vg_charge_mistake(struct vg_warp *w) {
  w->block->charged.mistakes += VG_REPORT_COST;
  vg_charge(w, VG_REPORT_COST);
}
static inline void vg_charge_cells(struct vg_warp *w, uint64_t cost) {
  w->block->charged.cells += cost;
  vg_charge(w, cost);
}

#endif
