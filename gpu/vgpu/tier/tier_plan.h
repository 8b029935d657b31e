// SPDX-License-Identifier: Apache-2.0
// What is known of a kernel and a block shape before code is made for them: basic
// blocks, which registers live where, what all lanes of a gang share, and where
// lanes may have parted.
#ifndef GPU_VGPU_TIER_TIER_PLAN_H
#define GPU_VGPU_TIER_TIER_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/ptx/ptx.h"

// What a register holds in the lanes of a gang: nothing was found out yet; the same
// in all; a first lane's value and so much more in each next; anything.
enum tier_kind { TIER_UNKNOWN, TIER_UNIFORM, TIER_ROW, TIER_VARYING };

enum {
  TIER_MOST_BLOCKS = 512,
  TIER_MOST_REGISTERS = 8192,
  TIER_MOST_CODE = 4096,
  TIER_MOST_GANG = 32,
  TIER_MOST_ALIGN = 16,
  TIER_ORIGINS = 64,     // parameters that addresses come from
  TIER_ORIGIN_NONE = -1, // it is no address
  TIER_ORIGIN_UNKNOWN = -2,
  TIER_ORIGIN_MANY = -3,
};

struct tier_value {
  uint8_t kind;   // enum tier_kind
  int64_t stride; // of a row
  int origin;     // the parameter (its place / 8) that it is an address of
  int align;      // so many times 2 divides it, or what it adds to that address
};

// How a value of 64 bits is made of an index of 32, if it always is so: the index times
// a power of two, and where it is an address, a register of which all lanes and all
// turns of a loop have the same value.
enum tier_form { TIER_OPEN, TIER_SCALED, TIER_INDEXED, TIER_OTHER };

struct tier_index {
  uint8_t form;     // enum tier_form
  uint8_t shift;    // the power
  bool is_unsigned; // the index is
  bool is_needed;   // an access of lanes that lie anywhere goes by it
  int base;         // the register
};

struct tier_register {
  struct tier_value v;
  struct tier_index index;
  uint8_t bits;    // 1, 32 or 64
  bool is_seen;    // somebody looks at its bits: NaNs must be canonical
  bool is_lazy;    // and are made so only then
  bool is_guarded; // written where some lanes keep what they have
};

struct tier_block {
  int first, end; // instructions
  int to[2],
      to_count;    // blocks, the one that follows last; block_count: the end
  int barrier;     // its number, from 1, of the barrier that ends it; or 0
  bool is_parting; // its branch may part lanes
  uint64_t *tail;  // blocks that a checked launch pays for with it, or NULL
  bool meets_loads, meets_stores; // of shared memory, between the same barriers
  uint64_t *live_in;              // registers
  uint64_t *uses, *makes;
  uint64_t *pending; // blocks in which other lanes may wait while it runs
  bool is_reached;
};

// What the interpreter makes of an instruction.
struct tier_decoded {
  const struct ptx_var *within; // the one shared variable it accesses, or NULL
  uint32_t steps;               // instructions of its own
};

struct tier_plan {
  const struct ptx_func *func;
  uint32_t shape[3]; // of a block
  uint32_t threads;  // in it
  int lanes;         // of a gang
  bool is_one_row;   // a gang lies in one row of x
  bool has_warp_ops;
  int block_count, barrier_count;
  struct tier_block *blocks;
  int block_words, register_words;
  struct tier_register *registers;
  uint64_t read, written;          // parameters by which global memory is
  uint64_t fetched;                // and read as textures read
  uint64_t summed;                 // and to which sums go, in any order
  uint16_t sums[TIER_ORIGINS + 1]; // their kinds, shared memory's last; 0: none
  uint32_t save_bytes;             // of a gang, at barriers
  uint32_t dynamic_at;             // where dynamic shared memory begins
  bool is_checked;  // its launches are: what it writes gets owners
  bool parts;       // the interpreter may run its blocks more often
  int unit_shift;   // of what it writes: bytes that have one owner, as a power
  int shared_shift; // the same of shared memory
  const struct tier_decoded *decoded; // of each instruction; NULL: not checked
  char refusal[200];                  // "" where the tier takes it
  struct region *region;
};

// `decoded`: of launches that are checked, for each instruction; stays the caller's,
// until the plan is freed. NULL: of others.
struct tier_plan *tier_plan_new(const struct ptx_func *f,
                                const uint32_t shape[3], uint32_t dynamic_at,
                                const struct tier_decoded *decoded);
void tier_plan_free(struct tier_plan *p); // NULL is fine

// Does the write of that register need the value that is there, for lanes that the
// block does not run? `mask_is_parted`: by the instruction's guard.
bool tier_needs_blend(const struct tier_plan *p, int block,
                      const struct ptx_insn *i, int reg);

// ---- tier_plan_insn.c: one instruction ----

// Registers that it reads and writes; how many.
enum { TIER_MOST_OPERANDS = 24 };
int tier_reads(const struct ptx_insn *i, int32_t out[TIER_MOST_OPERANDS]);
int tier_writes(const struct ptx_insn *i, int32_t out[TIER_MOST_OPERANDS]);
// Why the tier does not take it, in that function, or NULL.
const char *tier_refuses(const struct ptx_func *f, const struct ptx_insn *i);
// The same of what only the interpreter can check.
const char *tier_refuses_checked(const struct ptx_insn *i);
// Is its result an f32's arithmetic, whose NaNs are to be made canonical?
bool tier_makes_nan(const struct ptx_insn *i);
// Does it look at the bits of an f32 that it reads, or only hand them on?
enum tier_look { TIER_IGNORES, TIER_HANDS_ON, TIER_LOOKS };
enum tier_look tier_looks(const struct ptx_insn *i);
bool tier_is_warp_op(const struct ptx_insn *i);
// Which atomic it is, not 0: two of one kind may change places.
uint16_t tier_sum_of(const struct ptx_insn *i);
// Of an atomic: where its result goes, or -1.
int tier_atomic_result(const struct ptx_insn *i);
bool tier_ends_block(const struct ptx_insn *i);
bool tier_is_barrier(const struct ptx_insn *i);
bool tier_is_end(const struct ptx_insn *i);

// ---- tier_plan_blocks.c ----

// Finds blocks, ways and what lives; false where there are too many.
bool tier_find_blocks(struct tier_plan *p);
// Where lanes may wait while a block runs, by the branches that part.
void tier_find_pending(struct tier_plan *p);

// ---- tier_plan_checked.c ----

// False, and the plan is refused, where checked launches cannot be.
bool tier_plan_checks(struct tier_plan *p);

// ---- tier_plan_kinds.c ----

void tier_find_kinds(struct tier_plan *p);
struct tier_value tier_value_of(const struct tier_plan *p,
                                const struct ptx_operand *o);
// How often 2 divides a number.
int tier_align_of(uint64_t n);
// Where a variable's place is, in shared memory.
uint64_t tier_symbol_at(const struct tier_plan *p, const struct ptx_operand *o);
// What an instruction makes, before lanes that wait are thought of.
struct tier_value tier_kind_of(const struct tier_plan *p,
                               const struct ptx_insn *i);
void tier_find_nans(struct tier_plan *p);

// ---- tier_plan_index.c ----

void tier_find_indices(struct tier_plan *p);

static inline bool tier_has(const uint64_t *set, int n) {
  return set[n / 64] >> (n % 64) & 1;
}
static inline void tier_add(uint64_t *set, int n) {
  set[n / 64] |= UINT64_C(1) << (n % 64);
}

#endif
