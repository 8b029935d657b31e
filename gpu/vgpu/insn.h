// SPDX-License-Identifier: Apache-2.0
// A decoded instruction. A kernel's PTX is decoded once (code/) into struct
// vg_insn: a handler, the places of its operands and its types resolved. A warp
// runs one instruction for all its lanes at a time (run/).
#ifndef GPU_VGPU_INSN_H
#define GPU_VGPU_INSN_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/ptx/ptx.h"

enum { VG_LANES = 32, VG_BARRIERS = 16, VG_DISCARD_BYTES = 128 };
#define VG_ALL (~(uint32_t)0)

struct vg_warp;
struct vg_insn;
struct vg_block;
struct vg_code;
struct vg_grid;
struct vg_worker;

typedef uint32_t vg_mask; // bit l is lane l
typedef void (*vg_handler)(struct vg_warp *w, const struct vg_insn *i,
                           vg_mask m);
// The same for `count` warps one behind the other, all of whose lanes take part
// (grid/gang.c).
typedef void (*vg_together)(struct vg_warp *w, uint32_t count,
                            const struct vg_insn *i);
struct vg_pair {
  vg_handler run;
  vg_together together;
};

// An operand's place: a byte offset into one of the warp's banks, whose number
// is in the two low bits (offsets are multiples of 4). A predicate is one
// 32-bit mask; values of 8 to 32 bits take 32 lanes of 4 bytes, 64-bit ones 32
// lanes of 8, 128-bit ones 32 lanes of 16.
typedef uint32_t vg_place;
// VG_UNIFORM has the registers that all threads of a block agree on
// (code/uniform.c), in rows like the others.
enum vg_bank { VG_REGISTERS, VG_CONSTANTS, VG_SPECIALS, VG_UNIFORM };
#define VG_NOWHERE UINT32_MAX
enum { VG_MAX_VECTOR = 8 };

struct vg_insn {
  vg_handler run;
  vg_together together; // or NULL
  vg_place guard;       // a predicate; VG_CONSTANTS:0 is always true
  vg_mask guard_flip;
  vg_place dst, dst2; // VG_NOWHERE: none, or the sink
  vg_place src[4];
  vg_mask flip;  // of a predicate source with "!"
  uint8_t bytes; // of one element of a memory access
  uint8_t space; // enum ptx_space
  uint8_t vec;   // elements of a vector access
  uint8_t round; // enum ptx_round
  uint8_t cmp, sub;
  uint8_t part, boolop;
  uint8_t type, type2;       // enum ptx_type
  uint8_t gang;              // enum vg_gang_kind
  bool is_once;              // a gang computes it once for all warps
  bool ftz, sat, is_ordered; // is_ordered: volatile, relaxed and stronger
  bool is_narrow;            // the address register has 32 bits
  bool in_frame;             // the address is an offset into the frame
  bool flag;                 // shf.clamp, bfind.shiftamt, min.NaN, cc
  bool is_main; // the PTX instruction itself; others of it move its operands
  bool is_trip_count; // a division by which the compiler counts a loop's rounds
  bool
      is_bypassed; // a barrier in a branch that threads may go past (code/bypass.c)
  bool is_return;                            // runs vg_op_return
  bool is_param_load;                        // runs vg_op_ld_param
  int64_t offset;                            // of an address
  const struct vg_insn *target, *reconverge; // of a branch
  const struct ptx_var *within; // the one shared or local variable it can be in
  const char *dynamic; // or the one extern array, which may be one of several
  const struct vg_place_list {
    uint8_t count;
    vg_place at[VG_MAX_VECTOR];
  } * vector; // of a vector access or a packing mov
  union {
    const struct vg_call *call;     // of a call
    const struct vg_ways *ways;     // of brx.idx
    const struct vg_tex *texture;   // of a texture or surface instruction
    const struct vg_matrix *matrix; // matrix/matrix.h
    const struct vg_async *async;   // there, too
    const struct vg_wide *wide;     // of an atomic on more than 8 bytes
  };
  const struct ptx_insn *ptx;
};

struct vg_ways {
  uint32_t count;
  const struct vg_insn *to[];
};

struct vg_call {
  struct vg_code *callee; // NULL for an indirect call and for a system call
  int arg_count;
  struct vg_copy { // parameter bytes from the caller's frame to the callee's
    uint32_t from, to, bytes;
  } * args;
  bool has_result;
  struct vg_copy result; // `to` in the caller's frame; the callee knows `from`
};

// The operands of an atomic on a vector or on 128 bits.
struct vg_wide {
  struct vg_place_list old, b, c; // count 0: none
};

// What a texture or surface instruction has beside its data (`vector`), its
// handle and its sampler (src[0] and src[1]).
struct vg_tex {
  uint8_t geometry, bound; // enum ptx_geometry, ptx_bound
  bool is_whole, is_formatted;
  struct vg_place_list coords;
  struct vg_place_list offset; // count 0: none
};

enum { VG_CARRY = 0 }; // register place of the condition code's carry flag

#endif
