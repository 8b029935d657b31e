// SPDX-License-Identifier: Apache-2.0
// Values that nothing wrote, on their way through registers and memory.
#ifndef GPU_VGPU_CHECK_TAINT_H
#define GPU_VGPU_CHECK_TAINT_H

#include "gpu/vgpu/addresses.h"
#include "gpu/vgpu/insn.h"
#include "gpu/vgpu/machine/mem.h"
#include "gpu/vgpu/state.h"

// ---- taint.c: where undefined bytes are ----

// A load that was allowed touched undefined bytes (w->has_undefined): its
// registers are undefined there.
void vg_taint_loaded(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                     const uint64_t a[VG_LANES]);
// A load that was not allowed: of what its registers get nothing more is said.
void vg_taint_poison(struct vg_warp *w, const struct vg_insn *i, vg_mask m);
// As i->run(w, i, m), in a warp that has undefined values in registers.
void vg_taint_run(struct vg_warp *w, const struct vg_insn *i, vg_mask m);
// A frame of registers begins for the lanes `m`: those that may be read before
// they are written get the same poison every time, and are undefined.
void vg_taint_frame_begin(struct vg_warp *w, struct vg_frame *f, vg_mask m);
// Says of the lanes whose guard is undefined that it decides.
void vg_taint_guard(struct vg_warp *w, const struct vg_insn *i);
// What lanes hand each other: called by the handler, once all have come.
void vg_taint_exchange(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                       const uint8_t from[VG_LANES]);

// What the lanes `m` got of lanes that took no part.
void vg_taint_absent(struct vg_warp *w, const struct vg_insn *i, vg_mask m);
// An exchange is about to be done at each lane's address: what it brings back is
// as undefined as the cell was, which is written without being looked at.
void vg_taint_swapped(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                      const uint64_t a[VG_LANES], uint32_t bytes);

// Undefined bits of up to 16 bytes that each lane has read, and the notes that
// say where they come from.
struct vg_lane_marks {
  bool any; // else the rest means nothing
  uint8_t bits[VG_LANES][16];
  uint32_t note[VG_LANES];
};

// Adds what is undefined of a lane's bytes in memory.
void vg_taint_mark(struct vg_warp *w, const struct vg_insn *i, int lane,
                   uint64_t address, uint32_t bytes,
                   struct vg_lane_marks *marks);
// A load has written the register at `p`: this is undefined of it.
void vg_taint_given(struct vg_warp *w, vg_place p, vg_mask m,
                    const uint64_t bits[VG_LANES],
                    const uint32_t note[VG_LANES]);

// taint_matrix.c: runs a product of which something is undefined; false where
// nothing is, or it is none.
struct vg_taint_view;
bool vg_taint_run_product(const struct vg_taint_view *v,
                          const struct vg_insn *i, vg_mask m);
// What wmma.store has written of each lane's register: `bytes` bytes of it, from
// byte `from` on.
struct vg_part {
  vg_place of;
  uint32_t from, bytes;
};
void vg_taint_stored(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                     struct vg_part part, const uint64_t a[VG_LANES]);

// One undefined value that is used at once, such as an argument of printf.
void vg_taint_used(struct vg_warp *w, const struct vg_insn *i, int lane,
                   int space, struct vg_span s, const char *role);

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
// Has all of the map been written?
static inline bool vg_taint_is_whole(const uint8_t *map, uint32_t bytes) {
  uint8_t bad = 0;
  for (uint32_t b = 0; b < bytes; b++)
    bad |= map[b] ^ 1;
  return !bad;
}

// Bits of the undefined bytes of up to 32 bytes of memory that exists; the
// address is one of the space `space`.
uint32_t vg_taint_bytes(struct vg_warp *w, int lane, int space,
                        uint64_t address, uint32_t bytes);

// Something else than a copy was made of a value.
void vg_taint_computed(struct vg_warp *w, uint32_t note);
// The instruction does more with a value than to hand it on.
void vg_taint_read(struct vg_warp *w, const struct vg_insn *i, uint32_t note);

// A block begins: its local and shared memory, registers and notes are new.
void vg_taint_begin(struct vg_block *b);
void vg_taint_free(struct vg_block *b);

// ---- taint_registers.c: undefined bits of registers ----

void vg_taint_frame_free(struct vg_warp *w, struct vg_frame *f);
// What is undefined of the lanes `m` in a row of `from`, into that of `to`.
void vg_taint_move(struct vg_warp *w, struct vg_frame *to,
                   struct vg_frame *from, vg_place p, vg_mask m);

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

// Undefined values that a kernel wrote to global memory, and what the host is
// told when it reads them.
uint32_t vg_origin_add(struct vg_memory *m, const struct gpu_finding *f);
void vg_origin_set(struct vg_memory *m, struct vg_alloc *a, uint64_t offset,
                   uint32_t bytes, uint32_t origin);
bool vg_origin_is_padding(const struct vg_memory *m, uint32_t origin);
uint32_t vg_origin_get(const struct vg_alloc *a, uint64_t offset);
void vg_origin_copy(struct vg_memory *m, struct vg_alloc *to,
                    uint64_t to_offset, const struct vg_alloc *from,
                    uint64_t from_offset, uint64_t bytes);
// The host reads these bytes: is anything to be said? The finding's severity
// says how bad it is.
bool vg_origin_check(struct vg_memory *m, uint64_t address, uint64_t bytes,
                     struct gpu_finding *out);
// What nothing wrote of them is whatever was there: poison in `host`, to which
// they were copied.
void vg_origin_poison(const struct vg_memory *m, uint64_t address,
                      uint64_t bytes, void *host);

#endif
