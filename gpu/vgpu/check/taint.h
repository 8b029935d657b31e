// SPDX-License-Identifier: Apache-2.0
// Values that nothing wrote, on their way through registers and memory.
#ifndef GPU_VGPU_CHECK_TAINT_H
#define GPU_VGPU_CHECK_TAINT_H

#include "gpu/vgpu/check/check.h"
#include "gpu/vgpu/memory/memory.h"

// ---- taint_notes.c: where they come from ----

// Something else than a copy was made of a value.
void vg_taint_computed(struct vg_warp *w, uint32_t note);
// The instruction does more with a value than to hand it on.
void vg_taint_read(struct vg_warp *w, const struct vg_insn *i, uint32_t note);

// A block begins: its local and shared memory, registers and notes are new.
void vg_taint_begin(struct vg_block *b);
void vg_taint_free(struct vg_block *b);

// taint_matrix.c: runs a product of which something is undefined; false where
// nothing is, or it is none.
struct vg_taint_view;
bool vg_taint_run_product(const struct vg_taint_view *v,
                          const struct vg_insn *i, vg_mask m);

// ---- taint_bits.c: undefined bits of memory ----

// Where they are noted of some bytes; both are NULL when all is defined.
struct vg_taint_memory {
  uint8_t *map; // of shared or local memory, from the first of them on
  struct vg_alloc *alloc;
  uint64_t offset; // there
};

struct vg_taint_memory vg_taint_memory(struct vg_warp *w, int lane, int space,
                                       uint64_t address, uint32_t bytes);
// Of byte b.
uint8_t vg_taint_bits_at(const struct vg_taint_memory *x, uint32_t b);
void vg_taint_set_bits_at(struct vg_memory *m, const struct vg_taint_memory *x,
                          uint32_t b, uint8_t undefined);

// ---- taint_registers.c: undefined bits of registers ----

// Registers of the frame that runs, and their undefined bytes.
struct vg_taint_view {
  struct vg_warp *w;
  struct vg_frame *frame;
};

// Undefined bytes of one lane's register, a bit each, and the note that says
// where they come from (0: none).
uint32_t vg_taint_get(const struct vg_taint_view *v, vg_place p, int lane,
                      uint32_t *note);
uint32_t vg_taint_note(const struct vg_taint_view *v, vg_place p, int lane);
// Undefined bits of one lane's register of 4 or 8 bytes.
uint64_t vg_taint_bits(const struct vg_taint_view *v, vg_place p, int lane);
// The bytes of all lanes; false when there are none, and nothing is written.
bool vg_taint_row(const struct vg_taint_view *v, vg_place p,
                  uint32_t bytes[VG_LANES]);
// The lanes where a predicate is; 0 of other registers.
vg_mask vg_taint_predicate(const struct vg_taint_view *v, vg_place p);
int vg_taint_width(const struct vg_taint_view *v, vg_place p);
bool vg_taint_any(const struct vg_taint_view *v, vg_place p);

// Sets what is undefined of one lane's register: bytes, or bits.
void vg_taint_put(const struct vg_taint_view *v, vg_place p, int lane,
                  uint32_t bytes, uint32_t note);
void vg_taint_put_bits(const struct vg_taint_view *v, vg_place p, int lane,
                       uint64_t bits, uint32_t note);
// Something of the row was put: is anything left?
void vg_taint_settle(const struct vg_taint_view *v, vg_place p);

// ---- taint_ops.c: what an instruction makes of them ----

// Of the results in the lanes `m`, before the instruction runs; says whether
// `bits` are given, too.
bool vg_taint_results(const struct vg_taint_view *v, const struct vg_insn *i,
                      vg_mask m, uint32_t bytes[VG_LANES],
                      uint64_t bits[VG_LANES], uint32_t note[VG_LANES]);

// ---- taint_memory.c: memory of the device ----

// Undefined values that a kernel wrote to global memory.
uint32_t vg_origin_add(struct vg_memory *m, const struct gpu_finding *f);
void vg_origin_set(struct vg_memory *m, struct vg_alloc *a, uint64_t offset,
                   uint32_t bytes, uint32_t origin);
bool vg_origin_is_padding(const struct vg_memory *m, uint32_t origin);
uint32_t vg_origin_get(const struct vg_alloc *a, uint64_t offset);

#endif
