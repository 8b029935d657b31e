// SPDX-License-Identifier: Apache-2.0
// From a plan to the text of LLVM's intermediate representation.
#ifndef GPU_VGPU_TIER_TIER_EMIT_H
#define GPU_VGPU_TIER_TIER_EMIT_H

#include "base/str.h"
#include "gpu/vgpu/tier/tier_plan.h"

// Appends a module with one function, TIER_FUNCTION of tier_code's type, for the
// processor `cpu` as LLVM calls it; "": for this one. The plan is not refused.
#define TIER_FUNCTION "tier_gangs"
void tier_emit(const struct tier_plan *p, const char *cpu, struct str *out);

// ---- Between the emitter's files ----

struct tier_text {
  char s[64];
};

// A value: its name or a constant; of each lane, or of all.
struct tier_ir {
  char s[40];
  bool is_vector;
};

struct tier_emitter {
  const struct tier_plan *p;
  struct str *out;
  int next, block;
  const struct ptx_insn *i;
  bool is_vector;      // the instruction is computed lane by lane
  struct tier_ir mask; // lanes that execute the instruction
  bool has_avx512;     // the processor has, as far as is known
  struct str declared; // intrinsics that are called
  struct str constants;
  struct tier_known *known; // lines that were written
  uint32_t labels;          // so many
};

// ---- tier_emit_text.c ----

// "i32", or vectors of that, as they are called.
struct tier_text tier_type(const struct tier_emitter *e, const char *scalar,
                           bool is_vector);
struct tier_text tier_int(const struct tier_emitter *e, int bits,
                          bool is_vector);
// Appends "%.N = ..." and answers the name, or that of the same line before.
struct tier_ir tier_op(struct tier_emitter *e, bool is_vector, const char *fmt,
                       ...) __attribute__((format(printf, 3, 4)));
// The same of a vector that does not change, once for the function.
struct tier_ir tier_fixed(struct tier_emitter *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void tier_line(struct tier_emitter *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
// Declares an intrinsic, once.
void tier_declare(struct tier_emitter *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
int tier_label(struct tier_emitter *e);
// Goes to the bail unless the condition (an i1) holds.
void tier_must(struct tier_emitter *e, struct tier_ir condition);
// Before the function, behind its last block, and behind it: frees what it holds.
void tier_text_begin(struct tier_emitter *e);
void tier_text_constants(struct tier_emitter *e);
void tier_text_end(struct tier_emitter *e);

// ---- tier_emit.c ----

struct tier_ir tier_constant(uint64_t bits, int width);
struct tier_ir tier_splat(struct tier_emitter *e, struct tier_ir v, int bits);
// All lanes of a constant, as it is written; and so many constants.
struct tier_ir tier_all_lanes(struct tier_emitter *e, const char *scalar,
                              const char *value);
// Of a vector of so many lanes those from `first` on; and two of so many as one.
struct tier_ir tier_take(struct tier_emitter *e, const char *scalar, int lanes,
                         struct tier_ir x, int first, int count);
struct tier_ir tier_join(struct tier_emitter *e, const char *scalar, int lanes,
                         struct tier_ir low, struct tier_ir high);
struct tier_ir tier_list(struct tier_emitter *e, const char *scalar, int count,
                         const uint64_t *values);
// From `from` bits to `to`, widened by the sign or by zeros.
struct tier_ir tier_resize(struct tier_emitter *e, struct tier_ir v, int from,
                           int to, bool is_signed);
// Of a first lane's value that of all.
struct tier_ir tier_spread(struct tier_emitter *e, struct tier_ir base,
                           int bits, int64_t stride);
// An operand as an integer of `bits` bits, in the form that the instruction is
// computed in; or in the one that is asked for.
struct tier_ir tier_source(struct tier_emitter *e, const struct ptx_operand *o,
                           int bits);
struct tier_ir tier_source_as(struct tier_emitter *e,
                              const struct ptx_operand *o, int bits,
                              bool is_vector);
struct tier_ir tier_register_as(struct tier_emitter *e, int reg, int bits,
                                bool is_vector);
// The guard of the instruction, which has one: where it holds.
struct tier_ir tier_guard(struct tier_emitter *e, bool is_vector);
// Writes a register; the value has `bits` bits, and is widened by its sign where the
// register is wider.
void tier_write(struct tier_emitter *e, int reg, struct tier_ir v, int bits,
                bool is_signed);

// ---- tier_emit_lanes.c ----

// Is any lane of a mask set? An i1.
struct tier_ir tier_any(struct tier_emitter *e, struct tier_ir mask);
struct tier_ir tier_none(struct tier_emitter *e, struct tier_ir mask);
struct tier_ir tier_mask_bits(struct tier_emitter *e, struct tier_ir mask);
// An i1, in each lane.
struct tier_ir tier_splat_mask(struct tier_emitter *e, struct tier_ir v);

// ---- tier_emit_gangs.c ----

// What a block's gangs share; the loop's head, and ways to where a gang goes on; behind
// their code the loop's end, and what they did.
void tier_emit_entry(struct tier_emitter *e);
void tier_emit_start(struct tier_emitter *e);
void tier_emit_next(struct tier_emitter *e);
// The gang goes no further: it waits at a barrier, or, 0, has ended.
void tier_emit_stop(struct tier_emitter *e, int barrier);

// ---- tier_emit_ops.c, tier_emit_float.c, tier_emit_move.c, tier_emit_memory.c,
// tier_emit_index.c, tier_emit_approx.c, tier_emit_flow.c ----

void tier_emit_alu(struct tier_emitter *e);
// A row's values must not wrap where they are widened: base + (lanes - 1) * stride is
// still a number of its 32 bits.
void tier_check_row(struct tier_emitter *e, const struct ptx_operand *o,
                    struct tier_ir base, bool sign);
void tier_emit_float(struct tier_emitter *e);
// The same bits, as another type.
struct tier_ir tier_cast(struct tier_emitter *e, struct tier_ir v,
                         const char *from, const char *to);
// Of the emitter's width: a number of so many bits, one of two values of a type by a
// condition, a value of one type as one of another.
struct tier_ir tier_number(struct tier_emitter *e, uint64_t n, int bits);
struct tier_ir tier_choose(struct tier_emitter *e, const char *scalar,
                           struct tier_ir c, struct tier_ir x,
                           struct tier_ir y);
struct tier_ir tier_convert(struct tier_emitter *e, const char *how,
                            struct tier_ir v, const char *from, const char *to);
// A float's sum of a product, rounded to the nearest.
struct tier_ir tier_fused(struct tier_emitter *e);
void tier_emit_fused_down(struct tier_emitter *e);
void tier_emit_power(struct tier_emitter *e);
// A float's bits, between 0 and 1.
struct tier_ir tier_saturated(struct tier_emitter *e, struct tier_ir bits);
void tier_emit_move(struct tier_emitter *e);
void tier_emit_memory(struct tier_emitter *e);
void tier_emit_atomic(struct tier_emitter *e);
void tier_emit_shuffle(struct tier_emitter *e);
// What the instruction makes is as well kept as an index, where that is needed.
void tier_emit_index(struct tier_emitter *e);
// That of a register, in each lane.
struct tier_ir tier_index_of(struct tier_emitter *e, int reg);
void tier_emit_end(struct tier_emitter *e);
void tier_emit_resume(struct tier_emitter *e, int block);

#endif
