// SPDX-License-Identifier: Apache-2.0
// Reading what matrix and asynchronous instructions say beyond struct ptx_insn's fields.
#ifndef GPU_PTX_PTX_MATRIX_H
#define GPU_PTX_PTX_MATRIX_H

#include "gpu/ptx/ptx.h"

// One modifier; false when it is none of these instructions'.
bool parse_matrix_suffix(struct ptx_insn *i, struct ptx_matrix *x,
                         const char *text, size_t bytes);
bool parse_async_suffix(struct ptx_insn *i, const char *text, size_t bytes);

#endif
