// SPDX-License-Identifier: Apache-2.0
// The decoder's own parts: decode.c walks a module's functions,
// decode_operand.c finds places, decode_matrix.c decodes wide instructions,
// handlers.c chooses who runs them.
#ifndef GPU_VGPU_CODE_DECODE_H
#define GPU_VGPU_CODE_DECODE_H

#include "gpu/vgpu/insn.h"
#include "gpu/vgpu/matrix/matrix.h"

// A function that is being decoded.
struct decoder {
  struct vg_module *module;
  struct vg_code *code;
  const struct ptx_func *func;
  struct err_info *e;
  enum err err;
  vg_place *reg_at;
  struct vg_insn *insns; // grows
  int count, capacity;
  int *first; // emitted index of each PTX instruction
  uint8_t *constants;
  uint32_t constant_bytes, constant_capacity;
  uint32_t temp_bytes; // registers behind the function's own
  uint32_t uniform_bytes;
  uint8_t *widths; // of rows, by place / 4
  uint32_t width_count;
  struct {
    vg_place from, to;
    int width;
    bool is_signed;
  } after[VG_MAX_VECTOR + 2]; // widening moves to put behind
  int after_count;
};

// Keeps ERR_UNSUPPORTED for the instruction, unless there is an error already;
// always false. `what` names what nothing executes, or is "".
bool vg_decode_fail(struct decoder *d, const struct ptx_insn *p,
                    const char *what);

// ---- Places ----

// Bytes of a lane in the rows that hold values of this type: 4, 8 or 16.
int vg_lane_width(enum ptx_type t);
bool vg_is_signed(int t);
bool vg_is_predicate(const struct decoder *d, int reg);
void vg_place_registers(struct decoder *d);
// The constant in all lanes; equal rows share a place.
vg_place vg_constant_row(struct decoder *d, uint64_t bits, int width);
vg_place vg_add_constant(struct decoder *d, const void *row, uint32_t bytes);
// A row of zeros that every function has, for operands that are not there.
enum { ZERO_ROW = 64 | VG_CONSTANTS };

// Appends an empty instruction; the pointer is good until the next.
struct vg_insn *vg_emit(struct decoder *d, const struct ptx_insn *p);
void vg_emit_move(struct decoder *d, const struct ptx_insn *p, vg_handler run,
                  vg_place to, vg_place from);

uint32_t vg_align_up(uint64_t n, uint32_t align);
// Before anything is decoded: where dynamic shared memory begins.
void vg_place_dynamic_shared(struct vg_module *m);
// A variable in the thread's frame: its offset there.
bool vg_frame_offset(const struct vg_code *c, const struct ptx_var *v,
                     uint64_t *offset);
// Parameters first (as the parser laid them out), then the result, then the
// function's own.
enum err vg_place_frame(struct vg_module *m, struct vg_code *c,
                        struct err_info *e);

// ---- Operands ----

// They emit the moves that the operand needs, so the instruction itself is
// filled aside and emitted last.
vg_place vg_source_place(struct decoder *d, const struct ptx_insn *p,
                         const struct ptx_operand *o, int width);
vg_place vg_predicate_place(struct decoder *d, const struct ptx_insn *p,
                            const struct ptx_operand *o);
// A destination; what goes to "_" gets a row that nobody reads.
vg_place vg_target_place(struct decoder *d, const struct ptx_insn *p,
                         const struct ptx_operand *o, int width);
vg_place vg_target_register(struct decoder *d, const struct ptx_insn *p,
                            int reg, int width, bool is_signed);
const struct vg_place_list *vg_vector_places(struct decoder *d,
                                             const struct ptx_insn *p,
                                             const struct ptx_operand *o,
                                             int width, bool is_target);
void vg_decode_address(struct decoder *d, const struct ptx_insn *p,
                       const struct ptx_operand *o, struct vg_insn *i);
uint8_t vg_access_space(const struct decoder *d, const struct ptx_insn *p,
                        const struct vg_insn *i);

// ---- Wide instructions ----

void vg_decode_matrix(struct decoder *d, const struct ptx_insn *p,
                      struct vg_insn *i);
void vg_decode_async(struct decoder *d, const struct ptx_insn *p,
                     struct vg_insn *i);

#endif
