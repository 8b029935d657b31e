// SPDX-License-Identifier: Apache-2.0
// Handlers: which runs an instruction, and those that others call by name.
#ifndef GPU_VGPU_OPS_OPS_H
#define GPU_VGPU_OPS_OPS_H

#include <fenv.h>

#include "gpu/vgpu/addresses.h"
#include "gpu/vgpu/isa.h"
#include "gpu/vgpu/state.h"

// ---- Which handler runs an instruction ----

// Each looks in one family; NULL when it has nothing for this form.
vg_handler vg_find_alu(const struct ptx_insn *p);     // ops_alu.c
vg_handler vg_find_float(const struct ptx_insn *p);   // ops_float.c
vg_handler vg_find_half(const struct ptx_insn *p);    // ops_half.c
vg_handler vg_find_cvt(const struct ptx_insn *p);     // ops_cvt.c
vg_handler vg_find_memory(const struct ptx_insn *p);  // ops_memory.c
vg_handler vg_find_atom(const struct ptx_insn *p);    // ops_atom.c
vg_handler vg_find_warp(const struct ptx_insn *p);    // ops_warp.c
vg_handler vg_find_texture(const struct ptx_insn *p); // ops_texture.c
vg_handler vg_find_small(const struct ptx_insn *p);   // ops_small.c
vg_handler vg_find_video(const struct ptx_insn *p);   // ops_video.c
vg_handler vg_find_flow(const struct ptx_insn *p);    // ops_flow.c
vg_handler vg_find_matrix(const struct ptx_insn *p);  // ops_matrix.c
vg_handler vg_find_async(const struct ptx_insn *p);   // ops_async.c
// Ends with a pair of NULLs.
extern const struct vg_pair vg_pairs_alu[], vg_pairs_float[], vg_pairs_cvt[],
    vg_pairs_memory[];
// Of a call to a function without a body: vprintf, malloc, ...
vg_handler vg_find_syscall(const char *name); // ops_syscall.c

// ---- Handlers that the decoder itself puts in ----

void vg_op_narrow(struct vg_warp *w, const struct vg_insn *i, vg_mask m);
void vg_op_widen(struct vg_warp *w, const struct vg_insn *i, vg_mask m);
void vg_op_widen_signed(struct vg_warp *w, const struct vg_insn *i, vg_mask m);
// Reports lanes of `m` whose own mask does not name them.
void vg_check_mask(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                   vg_place masks);
void vg_op_clock(struct vg_warp *w, const struct vg_insn *i, vg_mask m);
void vg_op_frame_address(struct vg_warp *w, const struct vg_insn *i, vg_mask m);
void vg_op_ld_param(struct vg_warp *w, const struct vg_insn *i, vg_mask m);
void vg_op_pack(struct vg_warp *w, const struct vg_insn *i, vg_mask m);
void vg_op_unpack(struct vg_warp *w, const struct vg_insn *i, vg_mask m);
void vg_op_bra_wait(struct vg_warp *w, const struct vg_insn *i, vg_mask m);
void vg_op_call(struct vg_warp *w, const struct vg_insn *i, vg_mask m);
void vg_op_return(struct vg_warp *w, const struct vg_insn *i, vg_mask m);

// ---- What handlers leave to others ----

// Notes what a warp brings to the block barrier that it has come to, and takes
// home its result (ops_flow.c).
void vg_barrier_arrive(struct vg_warp *w);
void vg_barrier_result(struct vg_warp *w, const struct vg_arrivals *a);

// What its kernel's malloc() gave and nothing freed (ops_syscall.c).
void vg_heap_report(const struct vg_grid *g);

// ---- lanes_memory.c ----

// Loads and stores of up to 16 bytes at an address of each lane, with all checks
// of ld and st; `i` has the space. Lanes that must not read get poison; answers
// those that could. What is undefined goes into `marks`; where those are NULL,
// a value wholly undefined is told of.
struct vg_lane_marks;
vg_mask vg_read_lanes(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                      struct vg_spans s, uint8_t out[VG_LANES][16],
                      struct vg_lane_marks *marks);
vg_mask vg_write_lanes(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                       struct vg_spans s, uint8_t in[VG_LANES][16]);

// ---- half.c ----

// A 16-bit float's value.
enum vg_half { VG_F16, VG_BF16 };

double vg_half_to_double(uint16_t h, enum vg_half kind);

// The host's rounding mode for PTX's.
static inline int vg_host_round(int round) {
  switch (round) {
  case PTX_RZ: return FE_TOWARDZERO;
  case PTX_RM: return FE_DOWNWARD;
  case PTX_RP: return FE_UPWARD;
  default: return FE_TONEAREST;
  }
}

#endif
