// SPDX-License-Identifier: Apache-2.0
// Constant expressions.
#ifndef GPU_PTX_PTX_CONST_H
#define GPU_PTX_PTX_CONST_H

#include "gpu/ptx/ptx_parser.h"

struct ptx_constant {
  bool is_float, is_unsigned;
  bool is_single; // a float literal by its bits: 0f3F800000
  uint64_t bits;  // of an integer, a double or such a float
};
bool parse_constant(struct parser *p, struct ptx_constant *out);
bool parse_integer(struct parser *p, uint64_t *out);
// The bits of a constant of that type; fails where PTX has no such constant.
bool constant_bits(struct parser *p, const struct ptx_constant *c,
                   enum ptx_type type, uint64_t *out);

#endif
