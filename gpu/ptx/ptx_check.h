// SPDX-License-Identifier: Apache-2.0
// What an instruction must be: sizes, spaces, types.
#ifndef GPU_PTX_PTX_CHECK_H
#define GPU_PTX_PTX_CHECK_H

#include "gpu/ptx/ptx_parser.h"

bool check_insn(struct parser *p, const struct ptx_insn *i);
// Is one a floating type and the other an integer's?
bool is_mixed(enum ptx_type a, enum ptx_type b);

#endif
