// SPDX-License-Identifier: Apache-2.0
// What matrix instructions say beyond struct ptx_insn's fields.
#ifndef GPU_PTX_PTX_MATRIX_H
#define GPU_PTX_PTX_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ptx_insn;

enum ptx_element {
#define ELEMENT(name, text, bits) PTX_EL_##name,
#include "gpu/ptx/ptx_elements.def"
#undef ELEMENT
};

enum ptx_matrix_step { PTX_MATRIX_MMA, PTX_MATRIX_LOAD, PTX_MATRIX_STORE };
enum ptx_fragment { PTX_FRAGMENT_A, PTX_FRAGMENT_B, PTX_FRAGMENT_C };
enum ptx_bit_op { PTX_BITS_NONE, PTX_BITS_AND, PTX_BITS_XOR };

// wmma, mma, ldmatrix, stmatrix, movmatrix. D is M x N, A is M x K, B is K x N.
struct ptx_matrix {
  uint16_t m, n, k;
  uint8_t step;     // enum ptx_matrix_step of wmma
  uint8_t fragment; // that wmma loads
  uint8_t types[4]; // enum ptx_element as written: d, a, b, c, or fewer
  uint8_t type_count;
  uint8_t layout_count;
  bool is_col[2]; // layouts as written
  uint8_t count;  // .x1, .x2, .x4
  uint8_t trans, satfinite;
  uint8_t bit_op; // of .b1
  uint8_t ignored;
};

enum {
#define MOD(name, text) PTX_MOD_BIT_##name,
#include "gpu/ptx/ptx_mods.def"
#undef MOD
  PTX_MOD_BIT_TO_SHARED,
  PTX_MOD_BIT_TO_GLOBAL,
  PTX_MOD_BIT_FROM_SHARED,
};
enum {
#define MOD(name, text) PTX_MOD_##name = 1 << PTX_MOD_BIT_##name,
#include "gpu/ptx/ptx_mods.def"
#undef MOD
  PTX_MOD_TO_SHARED = 1 << PTX_MOD_BIT_TO_SHARED,
  PTX_MOD_TO_GLOBAL = 1 << PTX_MOD_BIT_TO_GLOBAL,
  PTX_MOD_FROM_SHARED = 1 << PTX_MOD_BIT_FROM_SHARED,
};

int ptx_element_bits(enum ptx_element t);
bool ptx_element_is_float(enum ptx_element t);

// One modifier; false when it is none of these instructions'.
bool parse_matrix_suffix(struct ptx_insn *i, struct ptx_matrix *x,
                         const char *text, size_t bytes);
bool parse_async_suffix(struct ptx_insn *i, const char *text, size_t bytes);

#endif
